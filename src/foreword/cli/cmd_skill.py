"""`foreword skill`."""

import os

import click

from foreword import files, paths, settings, skills
from foreword.cli.output import json_option, put, put_json, say, tilde
from foreword.errors import ForewordError

CALLED = {
    "claude-code": "Claude Code calls them %s",
    "codex": "Codex calls them %s",
    "plain": "they are named %s",
}
CALLED_ALONE = {
    "claude-code": "Claude Code calls it %s",
    "codex": "Codex calls it %s",
    "plain": "it is named %s",
}


@click.command("skill")
@click.argument("folder", metavar="DIR")
@click.option("--client", type=click.Choice(["claude-code", "codex"]), help="Default: claude-code.")
@click.option("--plain", is_flag=True, help="For another client that reads SKILL.md.")
@click.option("--graph", is_flag=True, help="The knowledge graph's alone.")
@json_option
def command(folder, client, plain, graph, as_json):
    """Write the skills remember, recall and dream into DIR.

    Where the knowledge graph is switched on, also foreword-graph, which agents use by themselves: what to
    look up and record in the graph, and how. With --graph that one alone.

    `foreword install` writes the three for the clients that it wires. This is for a project's own folder, or
    for another client. A skill of that name that somebody else wrote is never touched. To undo, remove
    the folders.

    \b
      foreword skill .claude/skills
      foreword skill .agents/skills --client codex
      foreword skill ~/.config/opencode/skills --plain
    """
    if plain and client:
        raise ForewordError("--plain is for other clients than --client names", "leave one of them out")
    dialect = "plain" if plain else client or "claude-code"
    folder = os.path.abspath(os.path.expanduser(folder))
    home = paths.home()
    is_on = bool(home) and settings.load(home)["graph.on"]
    names = () if graph else skills.NAMES
    names += (skills.GRAPH,) if graph or is_on else ()
    done = write(folder, {name: skills.text(name, dialect, name).encode() for name in names})
    if graph and not is_on:
        say("the graph is off, so that no client has its tools: foreword graph on")
    if as_json:
        put_json({"client": dialect, "folder": folder, "skills": done})
        return
    for entry in done:
        put("{:<9}  {}".format(entry["state"], tilde(entry["path"])))
    put(
        (CALLED_ALONE if graph else CALLED)[dialect]
        % ", ".join(skills.CLIENTS[dialect] + name for name in names)
    )


def write(folder, wanted):
    """Write {name: bytes} as NAME/SKILL.md below a folder; [{name, path, state}], in that order.

    `state` is written, updated or unchanged. Nothing is written when one of them is somebody else's:
    raises ForewordError. Raises OSError.
    """
    found = []
    for name, data in wanted.items():
        path = os.path.join(folder, name, "SKILL.md")
        present = _present(path)
        state = "written" if present is None else "unchanged" if present == data else "updated"
        found.append({"name": name, "path": path, "state": state})
    for entry in found:
        if entry["state"] != "unchanged":
            real = os.path.realpath(entry["path"])  # a link stays one
            files.make_folder(os.path.dirname(real))
            files.write(real, wanted[entry["name"]])
    return found


def _present(path):
    """The bytes of a skill of ours, None when there is none."""
    folder = os.path.dirname(path)
    for place in (os.path.dirname(folder), folder):
        if os.path.lexists(place) and not os.path.isdir(place):
            raise ForewordError(f"{place} is no folder, nothing was written", "name another folder")
    try:
        data = files.read(path)
    except IsADirectoryError:
        data = b""
    if data is not None and not skills.is_ours(data.decode("utf-8", "replace")):
        raise ForewordError(
            f"{path} is not one that Foreword wrote, nothing was written",
            "rename that one, or name another folder",
        )
    return data

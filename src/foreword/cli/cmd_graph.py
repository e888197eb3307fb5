"""`foreword graph`: the knowledge graph as its owner looks after it; what agents do goes over the server.

Here is the group, and what switches the graph on and off. The verbs that look are in graph_look, those that
move observations in graph_move.
"""

import os
import shlex

import click

from foreword import files, settings
from foreword.cli import graph_look, graph_move, wirings
from foreword.cli.graph_file import holds, home, named, warn
from foreword.cli.graph_tables import many
from foreword.cli.output import json_option, put, put_json, say, tilde
from foreword.edit import settings_file
from foreword.errors import ForewordError, NotFoundError
from foreword.graph import archive, place, sizes


class _Verbs(click.Group):
    """In the order in which they are written here, and with the nearest one for a wrong one."""

    def list_commands(self, ctx):
        return list(self.commands)

    def resolve_command(self, ctx, args):
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError as error:
            import difflib

            near = difflib.get_close_matches(args[0], self.commands, n=1)
            if near and "Did you mean" not in error.message:
                raise click.UsageError(f"{error.message} Did you mean {near[0]}?", ctx) from error
            raise


@click.command("graph", cls=_Verbs)
def command():
    """Look after the knowledge graph: one file, memory.jsonl.

    It is what the reference MCP memory server keeps, served with the same nine tools and two more. Off
    until you switch it on. Of these commands only compact and restore change the file.

    \b
      foreword graph on
      foreword graph on --file ~/memory.jsonl
      foreword graph stats
    """


# -- on and off --------------------------------------------------------------------------------


@command.command("on")
@click.option(
    "--file", "path", metavar="PATH", callback=named, help="Use this file from now on; it need not exist yet."
)
@click.option(
    "--copy", "source", metavar="PATH", callback=named, help="Copy this file into the store and use the copy."
)
@json_option
def on(path, source, as_json):
    """Offer the graph's tools to the clients.

    The server that foreword install wired has them beside the others once the client is started
    anew. Without an option the graph is the one used before, or a new one in the store. --copy is for a
    file in a place that does not last, such as npm's cache; the archive beside it is copied too, and the
    original stays as it is.
    """
    store = home()
    copied = turn_on(store, path, source)
    chosen, why = place.path_and_why(store)
    file = place.open_graph()
    graph, cost = file.read(), sizes.tokens(sizes.TOOLS_BYTES)
    wired, stale = wirings.to_renew(store)
    if as_json:
        found = {"on": True, "path": chosen, "why": _why(why), "exists": file.exists()}
        found |= {"entities": len(graph.entities), "relations": len(graph.relations), "archived": copied}
        found |= {"tools": sizes.TOOLS, "tools_bytes": sizes.TOOLS_BYTES, "tools_tokens": cost}
        put_json({**found, "wired": wired, "to_install": stale})
    else:
        put(f"the graph is on: {tilde(chosen)} ({holds(file)})")
        if source:
            _tell_of_copy(source, copied)
        put(f"its {sizes.TOOLS} tools cost about {cost:,} tokens in each client session")
        put("next: " + _next(wired, stale))
    warn(file)
    if why == "MEMORY_FILE_PATH":
        other = place.path_of(store, {})
        say(f"warning: MEMORY_FILE_PATH is set here; a client that does not set it uses {tilde(other)}")


def _next(wired, stale):
    """What is still to be done, in a sentence."""
    if not wired:
        return "foreword install, for no client is wired yet; then restart the client"
    if stale:
        return f"foreword install {' '.join(stale)}, where permission rules follow; then restart the client"
    return "restart the client"


def _tell_of_copy(source, copied):
    """What of what stands beside the original came along, and what did not."""
    if copied:
        put(f"its archive was copied too: {many(copied, 'observation')}")
    real = os.path.realpath(os.path.expanduser(source))
    beside = (os.path.join(os.path.dirname(real), "backups"), real + ".unreadable")
    left = [tilde(path) for path in beside if os.path.exists(path)]
    if left:
        put("not copied: " + ", ".join(left))


def turn_on(home, path=None, source=None):
    """Set graph.on, and graph.file for the file at `path`; or copy the file at `source`, and the archive
    beside it, to the store's own. Returns how many archived observations were copied.

    Raises ForewordError, and then neither file nor settings changed, where `path` is no graph, where the
    store's own holds another one already, or where config.toml is malformed.
    """
    if path and source:
        raise ForewordError("--file and --copy name two files", "leave one of them out")
    values: dict[str, object] = {"graph.on": True}
    copied = 0
    if path:
        chosen = os.path.abspath(os.path.expanduser(path))
        refuse_other(chosen)
        values["graph.file"] = None if chosen == place.default(home) else chosen
    if source:
        values["graph.file"] = None
        settings_file.check(home)  # before anything is copied
        copied = _copy(os.path.abspath(os.path.expanduser(source)), place.default(home))
    settings_file.set_values(home, values)
    return copied


def refuse_other(path):
    """Refuse a file that holds lines, but no record: the first write would set all of them aside."""
    graph = place.open_graph(path).read()
    if graph.unreadable and not (graph.entities or graph.relations or graph.others):
        raise ForewordError(
            f"{path} is no graph: no line of it is a record ({graph.unreadable[0][2]})",
            "name a memory.jsonl, or a file that is not there yet",
        )


def _copy(source, target):
    """Copy a graph, with its archive; how many archived observations."""
    if not os.path.exists(source):
        raise NotFoundError(f"{source}: no such file", "foreword graph on --help")
    refuse_other(source)
    data, present = files.read(source) or b"", files.read(target)
    if os.path.realpath(source) == os.path.realpath(target) or present == data:
        return 0
    try:
        if present:
            raise FileExistsError
        files.make_folder(os.path.dirname(target))
        copied = _copy_archive(source, target)  # first: once the graph is there, nothing is copied any more
        files.remove(target)  # an empty one is nobody's
        files.write(target, data, mode=files.FILE_MODE, create_only=True)
    except FileExistsError as error:
        raise ForewordError(
            f"the store has a graph already ({holds(place.open_graph(target))}), nothing was copied",
            f"foreword graph on --file {shlex.quote(source)}, or move {target} away",
        ) from error
    except OSError as error:
        raise ForewordError(f"{target} cannot be written: {error.strerror}", "foreword doctor") from error
    return copied


def _copy_archive(source, target):
    """Copy the archive beside one graph to where another will be: whole files, and of those that are there
    already what they lack; how many observations it holds."""
    theirs, ours = (
        archive.Archive(os.path.join(os.path.dirname(os.path.realpath(path)), "archive"))
        for path in (source, target)
    )
    entries = theirs.entries()
    names = os.listdir(theirs.folder) if os.path.isdir(theirs.folder) else []
    for name in sorted(name for name in names if name.endswith(".md") and not name.startswith(".")):
        to = os.path.join(ours.folder, name)
        if not os.path.exists(to):
            files.make_folder(ours.folder)
            files.write(to, files.read(os.path.join(theirs.folder, name)) or b"")
    ours.add_all(entries)
    return sum(map(len, entries.values()))


@command.command("off")
@json_option
def off(as_json):
    """Take the graph's tools from the clients. The file stays."""
    store = home()
    was_on = settings.load(store)["graph.on"]
    if was_on:
        settings_file.set_values(store, {"graph.on": False})
    path = place.path_of(store)
    wired, stale = wirings.to_renew(store)
    if as_json:
        put_json({"on": False, "was_on": was_on, "path": path, "wired": wired, "to_install": stale})
        return
    put(f"the graph is off; {tilde(path)} stays as it is" if was_on else "the graph is off already")
    if stale or (was_on and wired):
        put("next: " + _next(wired, stale))


@command.command("path")
@json_option
def path_(as_json):
    """Print which file is used; why, on stderr.

    \b
      cp "$(foreword graph path)" graph.jsonl
    """
    store = home()
    path, why = place.path_and_why(store)
    file = place.open_graph()
    is_on = settings.load(store)["graph.on"]
    if as_json:
        found = {"path": path, "real": file.real, "why": _why(why), "exists": file.exists(), "on": is_on}
        put_json(found)
        return
    put(path)
    say(f"{_WHY[why]}; {holds(file)}; {'on' if is_on else 'off: foreword graph on'}")
    if file.real != path:
        say(f"a link to {file.real}")
    warn(file)


_WHY = {
    "MEMORY_FILE_PATH": "MEMORY_FILE_PATH names it",
    "graph.file": "graph.file in config.toml names it",
    "": "the store's own, for neither MEMORY_FILE_PATH nor graph.file names one",
}


def _why(named):
    """What named the file, in JSON."""
    return {"MEMORY_FILE_PATH": "environment", "graph.file": "setting"}.get(named, "default")


for _verb in (
    graph_look.stats,
    graph_look.lint_,
    graph_move.compact,
    graph_move.restore,
    graph_look.bench,
):
    command.add_command(_verb)

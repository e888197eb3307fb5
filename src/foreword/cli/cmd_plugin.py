"""`foreword plugin`.

The folder it writes is a plugin of Claude Code and of Codex, and the marketplace that holds it (both
seen in runs of 2.1.197 and 0.171.0, 2026-11-30). What stands in it is what `install` would write.
"""

import importlib
import json
import os
import shlex
import sys
import tempfile

import click

from foreword import __version__, files, paths, skills
from foreword.cli.output import json_option, put, put_json, say, tilde
from foreword.cli.place import vanishing
from foreword.clients import CLIENTS, hook_entries, parts
from foreword.edit import plan
from foreword.errors import ForewordError

NAME = "foreword"
NAMED = f"{NAME}@{NAME}"  # plugin@marketplace
PREFIX = NAME + ":"  # before a skill's name, in both clients
ABOUT = "A memory for coding agents that lasts between sessions."
MANIFEST = ".claude-plugin/plugin.json"
# Client -> where its skills, hooks and server stand. Claude Code looks in these places by itself; so
# would Codex, if its own manifest did not name others.
PLACES = {
    "claude-code": ("skills", "hooks/hooks.json", ".mcp.json"),
    "codex": ("codex/skills", "codex/hooks.json", "codex/mcp.json"),
}
STRAY = {".DS_Store", "Thumbs.db", "desktop.ini"}  # what file managers leave in any folder


@click.command("plugin")
@click.argument("folder", metavar="DIR")
@click.option("--dry-run", is_flag=True, help="Show what would be written and write nothing.")
@click.option("--anyway", is_flag=True, help="Write it even from a place that will vanish.")
@json_option
def command(folder, dry_run, anyway, as_json):
    """Write a plugin for Claude Code and Codex into DIR.

    Instead of `foreword install`, not beside it. No settings are edited: Claude Code loads a plugin
    from its own folder of skills, and both clients install one by name. It names this Python by its
    path; run it again after an upgrade. To undo, remove the folder.

    \b
      foreword plugin ~/.claude/skills/foreword
    """
    for place in () if anyway else (sys.prefix, os.path.dirname(os.path.abspath(__file__))):
        why, instead = vanishing(place, os.environ, tempfile.gettempdir())
        if why:
            hint = instead.replace("foreword install", "foreword plugin " + shlex.quote(folder))
            raise ForewordError(why + ": the plugin would break then", hint + "; or add --anyway")
    folder = os.path.abspath(os.path.expanduser(folder))
    clients = {name: importlib.import_module(CLIENTS[name] + ".install") for name in PLACES}
    wanted = contents(clients)
    states = compared(folder, wanted)
    if not dry_run:
        _write(folder, wanted, states)
    twice = _wired(clients)
    for name in twice:
        told = "nothing is saved or offered twice then, but tools and skills are there twice"
        say(f"note: {name} is wired by `foreword install` too: {told}")
        say("hint: to use the plugin alone: foreword uninstall " + name)
    health = importlib.import_module(CLIENTS["claude-code"] + ".health")
    rules = health.plugin_rules(parts.graph_is_on(paths.home()))
    next_steps = _next_steps(folder, clients["claude-code"], rules)
    if as_json:
        found = [{"path": path, "state": state} for path, state in states.items()]
        put_json({"folder": folder, "dry_run": dry_run, "files": found, "wired": twice, **next_steps})
        return
    for path, state in states.items() if dry_run else ():
        put(f"{state:<9}  {tilde(os.path.join(folder, path))}")
    written = sum(state != "unchanged" for state in states.values())
    put(f"{tilde(folder)}: {written} of {len(states)} files {'to be written' if dry_run else 'written'}")
    _tell(next_steps)


# -- what stands in it -------------------------------------------------------------------------


def contents(clients):
    """{path in the plugin: bytes}, `clients` being {name: its install module}.

    The manifests come last: without them no client takes the folder for a plugin, so a run that is cut
    off leaves nothing that loads.
    """
    texts = {}
    for client, install in clients.items():
        folder, hooks, server = PLACES[client]
        for name in skills.NAMES:
            texts[f"{folder}/{name}/SKILL.md"] = skills.text(name, client, name, PREFIX)
        texts[hooks] = _json({"hooks": _hooks(install)})
        texts[server] = _json({"mcpServers": {NAME: install.server_entry()}})
    about = {"name": NAME, "version": __version__, "description": ABOUT}
    owner = {"name": "Foreword"}
    names = {"skills": "./codex/skills/", "hooks": "./codex/hooks.json", "mcpServers": "./codex/mcp.json"}
    texts[".codex-plugin/plugin.json"] = _json({**about, **names})
    listed = {"name": NAME, "source": "./", "description": ABOUT}
    market = {"name": NAME, "description": ABOUT, "owner": owner, "plugins": [listed]}
    texts[".claude-plugin/marketplace.json"] = _json(market)
    texts[MANIFEST] = _json({**about, "author": owner})
    return {path: text.encode() for path, text in texts.items()}


def _hooks(install):
    """What stands under "hooks" for a client."""
    form = (bool(install.has_exec_form()),) if install.NAME == "claude-code" else ()
    return {event: [{"hooks": [install.hook(event, *form)]}] for event in hook_entries.EVENTS}


def _json(value):
    return json.dumps(value, indent=2, ensure_ascii=False) + "\n"


# -- the folder --------------------------------------------------------------------------------


def compared(folder, wanted):
    """{path in the plugin: "new", "changed" or "unchanged"}.

    Raises ForewordError when the folder holds what is not ours: any other file, or files of these names
    that no plugin of ours explains.
    """
    if os.path.lexists(folder) and not os.path.isdir(folder):
        raise ForewordError(f"{folder} is no folder, nothing was written", "name another folder")
    present = set(_below(folder))
    strange = sorted(present - set(wanted))
    if strange:
        more = " and %d more" % (len(strange) - 1) if len(strange) > 1 else ""
        raise ForewordError(
            f"{folder} holds something else ({strange[0]}{more}), nothing was written",
            "foreword plugin " + shlex.quote(os.path.join(folder, NAME)),
        )
    held = {path: files.read(os.path.join(folder, path)) for path in wanted}
    # A run that was cut off left no manifest, and only files that are just as we write them.
    if not _is_ours(held) and any(held[path] != wanted[path] for path in present):
        raise ForewordError(
            f"{folder} holds another plugin, nothing was written",
            "foreword plugin " + shlex.quote(f"{folder}-{NAME}"),
        )
    return {
        path: "new" if held[path] is None else "unchanged" if held[path] == wanted[path] else "changed"
        for path in wanted
    }


def _below(folder):
    """The paths of all files below a folder, with slashes; a link counts as a file."""
    for at, folders, names in os.walk(folder):
        links = [name for name in folders if os.path.islink(os.path.join(at, name))]
        for name in (*names, *links):
            if name not in STRAY:
                yield os.path.relpath(os.path.join(at, name), folder).replace(os.sep, "/")


def _is_ours(held):
    """Whether the files of a plugin are those of one of ours, whatever version wrote it."""
    try:
        named = json.loads(held[MANIFEST] or b"{}").get("name") == NAME
    except (ValueError, AttributeError):
        return False
    texts = (data for path, data in held.items() if path.endswith("/SKILL.md") and data)
    return named and any(skills.is_ours(data.decode("utf-8", "replace")) for data in texts)


def _write(folder, wanted, states):
    """Write what is new or changed, all of it or nothing."""
    undo = []  # (path, its bytes before, the topmost folder that had to be made for it)
    try:
        for path in (path for path in wanted if states[path] != "unchanged"):
            at = os.path.join(folder, path)
            undo.append((at, files.read(at), plan.missing_folder(at)))
            files.make_folder(os.path.dirname(at))
            files.write(at, wanted[path])
    except BaseException as error:
        for at, before, made in reversed(undo):
            _put_back(at, before, made)
        if not isinstance(error, OSError):
            raise
        raise ForewordError(f"{folder}: {error.strerror}, nothing was written", "df, ls -ld") from error


def _put_back(path, before, made):
    try:
        if before is not None:
            files.write(path, before)
            return
        files.remove(path)
        plan.remove_empty(path, made)
    except OSError:
        pass  # the first error is the one to tell


# -- what to do with it ------------------------------------------------------------------------


def _wired(clients):
    """The clients that hold hooks of ours in their settings."""
    found = []
    for name, install in clients.items():
        try:
            held = (part.holds_ours(parts.text_of(part.path)) for part in install.parts(parts.Options()))
            if any(held):
                found.append(name)
        except ForewordError:
            pass  # a file that cannot be read: `foreword doctor` says so
    return found


def _next_steps(folder, claude, rules):
    """{"claude-code": commands (none where it loads the folder by itself), "codex": commands, "allow":
    permission rules, "undo": commands}."""
    quoted = shlex.quote(folder)
    own = os.path.realpath(os.path.join(claude.config_folder(), "skills"))
    steps = {
        "claude-code": [f"claude plugin marketplace add {quoted}", f"claude plugin install {NAMED}"],
        "codex": [f"codex plugin marketplace add {quoted}", f"codex plugin add {NAMED}"],
        "allow": rules,
        "undo": [
            f"claude plugin uninstall {NAMED}",
            f"codex plugin remove {NAMED}",
            f"rm -r {quoted}",
        ],
    }
    if os.path.dirname(os.path.realpath(folder)) == own:
        steps["claude-code"] = []
        steps["undo"] = steps["undo"][1:]
    return steps


def _tell(steps):
    put()
    if steps["claude-code"]:
        put("Claude Code:")
        _commands(steps["claude-code"])
    else:
        put("Claude Code loads it by itself, from the next session on.")
    put("  It asks before each use of the tools, whose names in a plugin are others than in `install`.")
    put("  To spare that, add to permissions.allow in its settings.json:")
    put(",\n".join("    " + json.dumps(rule) for rule in steps["allow"]))
    put("Codex:")
    _commands(steps["codex"])
    put("  Then start codex once and trust the hooks; until then they do not run, and nothing says so.")
    put("Skills: " + ", ".join(f"/{PREFIX}{name}" for name in skills.NAMES) + "; in Codex with $ for /.")
    put("To undo, what you did of:")
    _commands(steps["undo"])


def _commands(lines):
    for line in lines:
        put("  $ " + line)

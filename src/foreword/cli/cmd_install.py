"""`foreword install`."""

import importlib
import os
import shlex
import sys
import tempfile

import click

from foreword import memory, paths, settings
from foreword.cli.output import json_option, put, put_json, say, tilde
from foreword.cli.place import vanishing
from foreword.clients import CLIENTS
from foreword.edit import jsonc, plan
from foreword.errors import DONE, NO, ForewordError

AUTO = (
    "auto: forewords are on for even days since 1970-01-01 (UTC) and off for odd ones, so that a report can\n"
    "compare; today they are %s. Notes are saved every day. To keep it on: foreword install --switch on"
)
ALWAYS = "switch: forewords are %s in every project that does not say otherwise"


@click.command("install")
@click.argument("clients", nargs=-1, metavar="[CLIENT...]", type=click.Choice(list(CLIENTS)))
@click.option("--dry-run", is_flag=True, help="Show every change and write nothing.")
@click.option("--switch", type=click.Choice(settings.SWITCHES), help="The default switch of all projects.")
@click.option("--anyway", is_flag=True, help="Install even from a place that will vanish.")
@json_option
def command(clients, dry_run, switch, anyway, as_json):
    """Wire coding agents: hooks, permission rules and the MCP server, at user level.

    Settings are edited in place, with a backup beside them; `foreword uninstall` gives the original
    bytes back. A second run changes nothing. CLIENT: claude-code (default).
    """
    # The code may lie elsewhere than its interpreter: a checkout installed in editable form.
    for folder in () if anyway else (sys.prefix, os.path.dirname(os.path.abspath(__file__))):
        why, instead = vanishing(folder, os.environ, tempfile.gettempdir())
        if why:
            raise ForewordError(why + ": hooks would break then", instead + " (or --anyway)")
    home = paths.home()
    if not home:
        raise ForewordError("no home folder is known", "set FOREWORD_HOME to a folder of yours")
    # --json prints one document on stdout; the talk goes to stderr then.
    tell = say if as_json else put
    done = [_one(name, home, dry_run, tell) for name in dict.fromkeys(clients or CLIENTS)]
    chosen = _switched(home, switch, dry_run)
    tell(AUTO % settings.effective("auto") if chosen == "auto" else ALWAYS % chosen)
    if os.environ.get("FOREWORD_HOME"):
        say("FOREWORD_HOME is set: start the client with it too, its hooks look there")
    if not dry_run:
        tell("to check: foreword doctor && claude mcp list")
    if as_json:
        put_json({"dry_run": dry_run, "switch": chosen, "clients": done})
    return NO if any(entry["error"] for entry in done) else DONE


def _switched(home, switch, dry_run):
    """The default switch, set to `switch` where that is given and another."""
    try:
        present = settings.parse(home).get("switch")
    except (OSError, ValueError):
        present = None
    if switch and switch != present and not dry_run:
        memory.set_default_switch(home, switch)
    return switch or present or settings.DEFAULTS["switch"]


def _one(name, home, dry_run, tell):
    client = importlib.import_module(CLIENTS[name] + ".install")
    edit, made, warning = _planned(client)
    told = {"client": name, "settings": edit.path, "changed": edit.changes, "warning": warning}
    told.update(backup="", server="", error="")
    if warning:
        say("warning: " + warning)
    if dry_run:
        told["diff"] = edit.diff()
        tell(told["diff"].rstrip("\n") or f"{name}: {tilde(edit.path)} is as it should be")
    elif edit.changes:
        told["backup"] = _applied(name, home, client, edit, made)
        tell(f"{name}: hooks and permission rules are in {tilde(edit.path)}")
        if told["backup"]:
            tell("    the original: " + tilde(told["backup"]))
    else:
        tell(f"{name}: {tilde(edit.path)} is as it should be, nothing changed")
    try:
        told["server"] = _shown(client, tell) if dry_run else client.add_server()
    except ForewordError as error:
        told["server"], told["error"] = "failed", error.message
        say("error: " + error.message)
        say("hint: " + error.hint)
        return told
    if told["server"] == "no client":
        tell(f"{name}: claude is not on the PATH; add the MCP server by hand:")
        tell("    " + shlex.join(client.add_command()))
    elif told["server"] == "unchanged":
        tell(f"{name}: the MCP server is there already")
    elif not dry_run:
        tell(f"{name}: MCP server added")
    return told


def _shown(client, tell):
    commands = [shlex.join(command) for command in client.server_commands()]
    for line in commands:
        tell("$ " + line)
    return "\n".join(commands) or "unchanged"


def _planned(client):
    """(Edit, what it adds, a warning or ""). Raises ForewordError where nothing must be changed."""
    path = client.settings_path()
    before = plan.read(path)
    try:
        text = (before or b"").decode("utf-8")
        after = client.with_ours(text, client.has_exec_form())
        made, warning = client.footprint(text), client.ignored(after)
    except jsonc.MalformedError as error:
        raise _malformed(path, error, "install") from error
    except UnicodeDecodeError as error:
        raise ForewordError(f"{path} is not UTF-8, nothing was changed", "mend that file first") from error
    # No file stays no file where nothing is to be written.
    return plan.Edit(path, before, before if after == text else after.encode()), made, warning


def _malformed(path, error, verb):
    return ForewordError(
        f"{path}:{error.line}:{error.column}: {error.what}; nothing was changed",
        f"mend that line, then run foreword {verb} again",
    )


def _applied(name, home, client, edit, made):
    """Write the edit and its undo record; the path of the copy of the original."""
    plan.refuse_unwritable(edit.path)
    kept = plan.records(home, name)
    older = kept.get(edit.path)
    if not client.holds_ours((edit.before or b"").decode("utf-8")):
        older = None  # taken out by hand since: this is a first time again
    if older:
        known = older.get("made") or {}
        made = {key: [*known.get(key, ()), *new] for key, new in made.items()}
    folder = plan.missing_folder(os.path.realpath(edit.path))

    def record(copy):
        return {**kept, edit.path: plan.record_of(edit, copy, folder, made, older)}

    # First, so that a home that cannot be written stops us before the settings are changed, and an
    # end in between leaves a record that knows what is ours.
    plan.save_records(home, name, record(""))
    try:
        copy = plan.apply(edit, plan.BACKUP)
    except ForewordError:
        plan.save_records(home, name, kept)
        raise
    plan.save_records(home, name, record(copy))
    return copy

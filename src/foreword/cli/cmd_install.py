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

BACKUP = "foreword.bak"
AUTO = (
    "auto: forewords are on for even days since 1970-01-01 (UTC) and off for odd ones, so that a report can\n"
    "compare; today they are %s. Notes are saved every day. To keep it on: foreword install --switch on"
)


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
    why, instead = vanishing(sys.prefix, os.environ, tempfile.gettempdir())
    if why and not anyway:
        raise ForewordError(why + ": hooks would break then", instead + " (or --anyway)")
    home = paths.home()
    if not home:
        raise ForewordError("no home folder is known", "set FOREWORD_HOME to a folder of yours")
    # --json prints one document on stdout; the talk goes to stderr then.
    tell = say if as_json else put
    done = [_one(name, home, dry_run, tell) for name in clients or CLIENTS]
    if switch and not dry_run:
        memory.set_default_switch(home, switch)
    chosen = switch or settings.load(home)["switch"]
    if chosen == "auto":
        tell(AUTO % settings.effective("auto"))
    else:
        tell("switch: forewords are %s in every project that does not say otherwise" % chosen)
    if not dry_run:
        tell("to check: foreword doctor && claude mcp list")
    if as_json:
        put_json({"dry_run": dry_run, "switch": chosen, "clients": done})
    return NO if any(entry["error"] for entry in done) else DONE


def _one(name, home, dry_run, tell):
    client = importlib.import_module(CLIENTS[name] + ".install")
    path = client.settings_path()
    before = plan.read(path)
    edit = plan.Edit(path, before, _installed(client, path, before))
    told = {"client": name, "settings": path, "backup": "", "changed": edit.changes, "error": ""}
    if dry_run:
        told["diff"] = edit.diff()
        tell(told["diff"].rstrip() or "%s: nothing to change" % tilde(path))
        if client.present_server() == client.server_entry():
            told["server"] = "unchanged"
            tell("the MCP server is there already")
        else:
            told["server"] = shlex.join(client.add_command())
            tell("$ " + told["server"])
        return told
    if edit.changes:
        made = _missing_folder(os.path.dirname(path))
        told["backup"] = plan.apply(edit, BACKUP)
        _remember(home, name, edit, told["backup"], made)
        tell("%s: hooks and permission rules added to %s" % (name, tilde(path)))
        if told["backup"]:
            tell("    the original: " + tilde(told["backup"]))
    else:
        tell("%s: %s is as it should be, nothing changed" % (name, tilde(path)))
    try:
        told["server"] = client.add_server()
    except ForewordError as error:
        told["server"], told["error"] = "failed", error.message
        say("error: " + error.message)
        say("hint: the hooks are in; add the server by hand: " + error.hint)
        return told
    tell(
        {
            "added": "%s: MCP server added" % name,
            "unchanged": "%s: the MCP server is there already" % name,
            "no client": "%s: claude is not on the PATH; add the server by hand:\n    %s"
            % (name, shlex.join(client.add_command())),
        }[told["server"]]
    )
    return told


def _installed(client, path, before):
    plan.refuse_unwritable(path)
    try:
        text = (before or b"").decode("utf-8")
    except UnicodeDecodeError as error:
        raise ForewordError(
            "%s: byte %d is not UTF-8, nothing was changed" % (path, error.start), "mend that file first"
        ) from error
    known = client.version()
    exec_form = known is not None and known >= client.EXEC_FORM_SINCE
    try:
        return client.with_ours(text, exec_form).encode()
    except jsonc.MalformedError as error:
        raise ForewordError(
            "%s:%d:%d: %s; nothing was changed" % (path, error.line, error.column, error.what),
            "mend that line, then run foreword install again",
        ) from error


def _missing_folder(folder):
    """The uppermost folder that does not exist yet, or ""."""
    missing = ""
    while folder and not os.path.isdir(folder):
        missing, folder = folder, os.path.dirname(folder)
    return missing


def _remember(home, name, edit, backup, made):
    """The undo record. A later install on top of ours keeps the way back to the first original."""
    record = plan.load_record(home, name)
    backups = [*record.get("backups", ()), *([backup] if backup else ())]
    if not record or plan.digest(edit.before) != record.get("after"):
        record = {
            "path": edit.path,
            "existed": edit.before is not None,
            "before": plan.digest(edit.before),
            "backup": backup,
            "folder": made,
        }
    plan.save_record(home, name, {**record, "after": plan.digest(edit.after), "backups": backups})

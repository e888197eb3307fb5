"""`foreword uninstall`."""

import importlib
import os
import shlex

import click

from foreword import paths
from foreword.cli.output import confirmed, json_option, put, put_json, say, tilde
from foreword.clients import CLIENTS
from foreword.edit import jsonc, plan
from foreword.errors import DONE, NO, ForewordError
from foreword.memory import purge as store


@click.command("uninstall")
@click.argument("clients", nargs=-1, metavar="[CLIENT...]", type=click.Choice(list(CLIENTS)))
@click.option("--dry-run", is_flag=True, help="Show every change and write nothing.")
@click.option("--purge", is_flag=True, help="Delete the backups and the whole store too; asks first.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@json_option
def command(clients, dry_run, purge, yes, as_json):
    """Take Foreword out of the clients; the settings get their original bytes back.

    If settings were changed since, only our entries go. Memories and backups stay, until --purge.
    """
    home = paths.home()
    tell = say if as_json else put
    # Everything that may be refused is read, and asked, before anything is written.
    if purge:
        store.refuse_foreign(home)
    names = list(dict.fromkeys(clients or CLIENTS))
    planned = [_planned(name, home) for name in names]
    for edit in (edit for _, edits in planned for edit in edits.values()):
        if edit.changes and not dry_run:  # a dry run shows what could be done by hand
            plan.refuse_unwritable(edit.path)
    if purge:
        count, size = store.size(home)
        tell("%s: %d files, %s" % (tilde(home), count, store.readable(size)))
        for _, edits in planned:
            for path in edits:
                for copy in plan.copies(path, plan.BACKUP):
                    tell("    backup: " + tilde(copy))
        if not dry_run and not confirmed("Delete the whole store and the backups?", yes):
            raise ForewordError("nothing was changed", "foreword uninstall", exit_code=NO)
    if dry_run:
        done = [_shown(client, edits, tell) for client, edits in planned]
    else:
        done = [_done(client, edits, home, purge, tell) for client, edits in planned]
        if purge:
            _purge(home, tell)
        tell("to check: claude mcp list no longer shows foreword, and a new prompt runs no hook of it")
    if as_json:
        put_json({"dry_run": dry_run, "purged": purge and not dry_run, "clients": done})
    return NO if any(entry["error"] for entry in done) else DONE


def _planned(name, home):
    """(the client's install module, {path: Edit} of every settings file that an install touched, and of
    the one that counts now). Raises ForewordError."""
    client = importlib.import_module(CLIENTS[name] + ".install")
    kept = plan.records(home, name) if home else {}
    edits = {}
    for path in dict.fromkeys([*kept, client.settings_path()]):
        record = kept.get(path, {})
        edits[path] = plan.undone(path, record) or _without(client, path, record)
    return client, edits


def _told(client, edits):
    """The entry of the JSON document."""
    path = client.settings_path()
    changed = [p for p, edit in edits.items() if edit.changes]
    return {"client": client.NAME, "settings": path, "changed": changed, "backups": [], "error": ""}


def _shown(client, edits, tell):
    told = _told(client, edits)
    told["diff"] = "".join(edit.diff() for edit in edits.values())
    tell(told["diff"].rstrip() or "%s: nothing to change" % tilde(told["settings"]))
    told["server"] = ""
    if client.is_our_server(client.present_server()):
        told["server"] = shlex.join(client.remove_command())
        tell("$ " + told["server"])
    return told


def _done(client, edits, home, purge, tell):
    name, told = client.NAME, _told(client, edits)
    kept = plan.records(home, name) if home else {}
    for path, edit in edits.items():
        _take_out(client, edit, kept.get(path, {}), tell)
        told["backups"] += _copies(path, purge, tell)
        if os.path.exists(path) and plan.copies(path, plan.BACKUP):
            # For a later --purge, and so that what was the user's own is still known as such.
            kept[path] = {"made": kept.get(path, {}).get("made")}
        else:
            kept.pop(path, None)
    if home:
        plan.save_records(home, name, kept)
    try:
        told["server"] = client.remove_server()
    except ForewordError as error:
        told["server"], told["error"] = "failed", error.message
        say("error: " + error.message)
        say("hint: " + error.hint)
        return told
    if told["server"] == "no client":
        tell("%s: claude is not on the PATH; remove the server by hand:" % name)
        tell("    " + shlex.join(client.remove_command()))
    else:
        tell("%s: MCP server %s" % (name, told["server"]))
    return told


def _take_out(client, edit, record, tell):
    """Apply the edit of one settings file and say what became of it."""
    name, path = client.NAME, edit.path
    if not edit.changes:
        tell("%s: nothing of Foreword in %s" % (name, tilde(path)))
        return
    plan.apply(edit)  # no further copy: what is taken out is ours, and known
    whole = record.get("before") is not None and plan.digest(edit.after) == record["before"]
    how = "the original bytes are back" if whole else "our entries are gone, the rest is untouched"
    tell("%s: %s: %s" % (name, tilde(path), how))
    if edit.after is None:
        plan.remove_empty(os.path.realpath(path), record.get("folder") or "")


def _copies(path, purge, tell):
    """The backups beside a file that stay, each of them named; with `purge` they go."""
    found = plan.copies(path, plan.BACKUP)
    for copy in found:
        if purge:
            os.unlink(copy)
        else:
            tell("    backup kept: " + tilde(copy))
    return [] if purge else found


def _without(client, path, record):
    """The Edit that takes out our entries and nothing else."""
    before = plan.read(path)
    if before is None:
        return plan.Edit(path, None, None)
    try:
        after = client.without_ours(before.decode("utf-8"), record.get("made")).encode()
    except jsonc.MalformedError as error:
        raise ForewordError(
            "%s:%d:%d: %s; nothing was changed" % (path, error.line, error.column, error.what),
            "mend that line, then run foreword uninstall again",
        ) from error
    except UnicodeDecodeError as error:
        raise ForewordError("%s is not UTF-8, nothing was changed" % path, "mend that file first") from error
    if not after.strip() and not record.get("existed", True):
        return plan.Edit(path, before, None)  # we made the file; the client only wrote it anew
    return plan.Edit(path, before, after)


def _purge(home, tell):
    if not os.path.isdir(home):
        tell("there was no store")
        return
    left = store.delete(home)
    if left:
        tell("deleted the store; %s still holds what is not ours: %s" % (tilde(home), ", ".join(left)))
    else:
        tell("deleted " + tilde(home))

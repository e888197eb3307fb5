"""`foreword uninstall`."""

import importlib
import os
import shlex
import shutil

import click

from foreword import paths
from foreword.cli.output import confirmed, json_option, put, put_json, say, tilde
from foreword.clients import CLIENTS
from foreword.edit import jsonc, plan
from foreword.errors import DONE, NO, ForewordError

# What a store may hold at its top; anything else in the folder is somebody's and stays.
OURS = ("config.toml", "projects", "global", "graph", "state", "log", ".gitignore")


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
    if purge:
        count, size = _size(home)
        tell("%s: %d files, %s" % (tilde(home), count, _readable(size)))
        if not dry_run and not confirmed("Delete the whole store and the backups?", yes):
            raise ForewordError("nothing was changed", "foreword uninstall", exit_code=NO)
    done = [_one(name, home, dry_run, purge, tell) for name in clients or CLIENTS]
    if purge and not dry_run:
        _purge(home, tell)
    if not dry_run:
        tell("to check: claude mcp list no longer shows foreword, and a new prompt runs no hook of it")
    if as_json:
        put_json({"dry_run": dry_run, "purged": purge and not dry_run, "clients": done})
    return NO if any(entry["error"] for entry in done) else DONE


def _one(name, home, dry_run, purge, tell):
    client = importlib.import_module(CLIENTS[name] + ".install")
    record = plan.load_record(home, name)
    path = record.get("path") or client.settings_path()
    edit = plan.undone(path, record) or _without(client, path)
    told = {"client": name, "settings": path, "changed": edit.changes, "backups": [], "error": ""}
    if dry_run:
        told["diff"] = edit.diff()
        tell(told["diff"].rstrip() or "%s: nothing to change" % tilde(path))
        if client.present_server() is not None:
            tell("$ " + shlex.join(client.remove_command()))
        return told
    if edit.changes:
        plan.apply(edit, "")  # no further copy: what is taken out is ours, and known
        whole = plan.digest(edit.after) == record.get("before") or (
            edit.after is None and not record.get("existed", True)
        )
        how = "the original bytes are back" if whole else "our entries are gone, the rest is untouched"
        tell("%s: %s: %s" % (name, tilde(path), how))
        folder = record.get("folder")
        if folder and edit.after is None:
            _remove_empty(os.path.dirname(path), folder)
    else:
        tell("%s: nothing of Foreword in %s" % (name, tilde(path)))
    backups = [b for b in record.get("backups", ()) if os.path.exists(b)]
    for backup in backups:
        if purge:
            os.unlink(backup)
        else:
            tell("    backup kept: " + tilde(backup))
    told["backups"] = [] if purge else backups
    if purge or not backups:
        plan.drop_record(home, name)
    else:
        plan.save_record(home, name, {"backups": backups})
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


def _without(client, path):
    before = plan.read(path)
    if before is None:
        return plan.Edit(path, None, None)
    try:
        after = client.without_ours(before.decode("utf-8")).encode()
    except jsonc.MalformedError as error:
        raise ForewordError(
            "%s:%d:%d: %s; nothing was changed" % (path, error.line, error.column, error.what),
            "mend that line, then run foreword uninstall again",
        ) from error
    except UnicodeDecodeError as error:
        raise ForewordError("%s is not UTF-8, nothing was changed" % path, "mend that file first") from error
    return plan.Edit(path, before, after)


def _remove_empty(folder, top):
    while folder.startswith(top):
        try:
            os.rmdir(folder)
        except OSError:
            return  # the client or the user keeps something there
        folder = os.path.dirname(folder)


def _size(home):
    count = size = 0
    for at, _, names in os.walk(home):
        for name in names:
            count += 1
            size += os.lstat(os.path.join(at, name)).st_size
    return count, size


def _readable(size):
    for unit in ("bytes", "KiB", "MiB"):
        if size < 1024:
            return "%.0f %s" % (size, unit) if unit == "bytes" else "%.1f %s" % (size, unit)
        size /= 1024
    return "%.1f GiB" % size


def _purge(home, tell):
    user = paths.user_home()
    if not home or os.path.dirname(home) == home or os.path.realpath(home) == os.path.realpath(user or "/"):
        raise ForewordError("%s is no store of Foreword, it was not deleted" % home, "check FOREWORD_HOME")
    for name in OURS:
        at = os.path.join(home, name)
        if os.path.isdir(at) and not os.path.islink(at):
            shutil.rmtree(at)
        elif os.path.lexists(at):
            os.unlink(at)
    try:
        os.rmdir(home)
        tell("deleted " + tilde(home))
    except FileNotFoundError:
        tell("there was no store")
    except OSError:
        left = ", ".join(sorted(os.listdir(home)))
        tell("deleted the store; %s still holds what is not ours: %s" % (tilde(home), left))

"""`foreword uninstall`."""

import importlib
import os
import shlex

import click

from foreword import paths
from foreword.cli.output import confirmed, json_option, put, put_json, say, tilde
from foreword.clients import CLIENTS
from foreword.clients.parts import Options, decoded, told
from foreword.edit import plan
from foreword.errors import DONE, NO, ForewordError
from foreword.memory import purge as store


@click.command("uninstall")
@click.argument("clients", nargs=-1, metavar="[CLIENT...]", type=click.Choice(list(CLIENTS)))
@click.option("--dry-run", is_flag=True, help="Show every change and write nothing.")
@click.option("--purge", is_flag=True, help="Delete the backups and the whole store too; asks first.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@json_option
def command(clients, dry_run, purge, yes, as_json):
    """Take Foreword out of the clients (all, or those named); files get their original bytes back.

    If settings were changed since, only our entries go. Memories and backups stay, until --purge.
    """
    home = paths.home()
    tell = say if as_json else put
    # Everything that may be refused is read, and asked, before anything is written.
    if purge:
        store.refuse_foreign(home)
    removals = [_Removal(name, home) for name in _chosen(clients, home)]
    edits = [edit for removal in removals for _, edit in removal.planned]
    for edit in edits:
        if edit.changes and not dry_run:  # a dry run shows what could be done by hand
            plan.refuse_unwritable(edit.path)
    if purge:
        count, size = store.size(home)
        tell("%s: %d files, %s" % (tilde(home), count, store.readable(size)))
        for edit in edits:
            for copy in plan.copies(edit.path, plan.BACKUP):
                tell("    backup: " + tilde(copy))
        if not dry_run and not confirmed("Delete the whole store and the backups?", yes):
            raise ForewordError("nothing was changed", "foreword uninstall", exit_code=NO)
    for removal in removals:
        removal.show(tell) if dry_run else removal.apply(purge, tell)
    if not dry_run:
        if purge:
            _purge(home, tell)
        for removal in removals:
            for line in removal.entry["next"]:
                tell(line)
    if as_json:
        done = [removal.entry for removal in removals]
        put_json({"dry_run": dry_run, "purged": purge and not dry_run, "clients": done})
    return NO if any(removal.entry["error"] for removal in removals) else DONE


def _chosen(clients, home):
    """The clients that were named, else those that are found, or that an install has touched."""
    named = list(dict.fromkeys(clients))
    return named or [name for name in CLIENTS if _loaded(name).found() or (home and plan.records(home, name))]


def _loaded(name):
    return importlib.import_module(CLIENTS[name] + ".install")


class _Removal:
    """One client: planned as a whole when made, then shown or applied. `entry`: its JSON."""

    def __init__(self, name, home):
        self.name, self.home = name, home
        self.client = _loaded(name)
        self.kept = plan.records(home, name) if home else {}
        # Every file that an install touched, and those that count now.
        now = {part.path: part for part in self.client.parts(Options(records=self.kept))}
        parts = [now.get(path) or self.client.part(path) for path in dict.fromkeys([*self.kept, *now])]
        self.planned = [(part, self._plan(part)) for part in parts]
        changed = [edit.path for _, edit in self.planned if edit.changes]
        self.entry = {
            "client": name,
            "changed": changed,
            "backups": [],
            "server": "",
            "error": "",
            "next": [],
        }

    def _plan(self, part):
        """The Edit that gives the original back, else takes out our entries and nothing else."""
        record = self.kept.get(part.path, {})
        undone = plan.undone(part.path, record)
        if undone and not _holds_ours(part, undone.after):  # an entry made by hand before the install
            return undone
        before = plan.read(part.path)
        if before is None:
            return plan.Edit(part.path, None, None)
        text = decoded(part.path, before)
        after = told(part.path, part.without_ours, text, record.get("made"))
        if not after.strip() and text.strip() and (part.whole or not record.get("existed", True)):
            return plan.Edit(part.path, before, None)  # we made the file; the client only wrote it anew
        return plan.Edit(part.path, before, after.encode())

    def show(self, tell):
        """What an uninstall would do."""
        self.entry["diff"] = "".join(edit.diff() for _, edit in self.planned)
        tell(self.entry["diff"].rstrip() or "%s: nothing to change" % self.name)
        if self.client.COMMANDS:
            lines = [shlex.join(command) for command in self.client.COMMANDS.to_remove()]
            self.entry["server"] = "\n".join(lines)
            for line in lines:
                tell("$ " + line)

    def apply(self, purge, tell):
        if not self.entry["changed"]:
            tell("%s: nothing of Foreword in its files" % self.name)
        removed = []
        for part, edit in self.planned:
            record = self.kept.get(edit.path, {})
            self._take_out(part, edit, record, tell)
            if edit.after is None and (edit.changes or record):
                own = os.path.dirname(os.path.realpath(edit.path)) if part.whole else ""
                removed.append((edit.path, record.get("folder") or own))
            self.entry["backups"] += _copies(edit.path, purge, tell)
            if os.path.exists(edit.path) and plan.copies(edit.path, plan.BACKUP):
                # For a later --purge, and so that what was the user's own is still known as such.
                self.kept[edit.path] = {"made": record.get("made")}
            else:
                self.kept.pop(edit.path, None)
        plan.remove_all_empty(removed)
        if self.home:
            plan.save_records(self.home, self.name, self.kept)
        if self.client.COMMANDS:
            self._remove_through_the_client(self.client.COMMANDS, tell)
        self.entry["next"] = ["%s: %s" % (self.name, line) for line in self.client.once_removed()]

    def _take_out(self, part, edit, record, tell):
        """Apply the edit of one file and say what became of it."""
        if not edit.changes:
            if _holds_ours(part, edit.before):
                tell("%s: %s was changed by hand and is left as it is" % (self.name, tilde(edit.path)))
            return
        plan.apply(edit)  # no further copy: what is taken out is ours, and known
        whole = record.get("before") is not None and plan.digest(edit.after) == record["before"]
        how = "our entries are gone, the rest is untouched"
        if edit.after is None:
            how = "gone, as before"
        elif whole:
            how = "the original bytes are back"
        tell("%s: %s: %s" % (self.name, tilde(edit.path), how))

    def _remove_through_the_client(self, commands, tell):
        try:
            done = self.entry["server"] = commands.remove()
        except ForewordError as error:
            self.entry["server"], self.entry["error"] = "failed", error.message
            say("error: " + error.message)
            say("hint: " + error.hint)
            return
        if done == "no client":
            tell(
                "%s: %s is not on the PATH; remove %s by hand:" % (self.name, commands.program, commands.what)
            )
            tell("    " + shlex.join(commands.remove_by_hand()))
        else:
            tell("%s: %s is %s" % (self.name, commands.what, "not there" if done == "absent" else done))


def _holds_ours(part, data):
    return bool(data) and part.holds_ours(data.decode("utf-8", "replace"))


def _copies(path, purge, tell):
    """The backups beside a file that stay, each of them named; with `purge` they go."""
    found = plan.copies(path, plan.BACKUP)
    for copy in found:
        if purge:
            os.unlink(copy)
        else:
            tell("    backup kept: " + tilde(copy))
    return [] if purge else found


def _purge(home, tell):
    if not os.path.isdir(home):
        tell("there was no store")
        return
    left = store.delete(home)
    if left:
        tell("deleted the store; %s still holds what is not ours: %s" % (tilde(home), ", ".join(left)))
    else:
        tell("deleted " + tilde(home))

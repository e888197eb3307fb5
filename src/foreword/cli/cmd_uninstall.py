"""`foreword uninstall`."""

import contextlib
import os
import shlex

import click

from foreword import files, paths
from foreword.cli.output import at_work, confirmed, counted, json_option, put, put_json, say, seen, tilde
from foreword.clients import CLIENTS, loaded, places, taking_out
from foreword.clients.parts import Options, outlined
from foreword.edit import plan
from foreword.edit.turn import turn
from foreword.errors import DONE, NO, ForewordError
from foreword.graph import servers as graph_servers
from foreword.memory import purge as store


@click.command("uninstall")
@click.argument("clients", nargs=-1, metavar="[CLIENT...]", type=click.Choice(list(CLIENTS)))
@click.option("--dry-run", is_flag=True, help="List every change, show those of settings, write nothing.")
@click.option("--verbose", is_flag=True, help="With --dry-run: show the text of skills too.")
@click.option("--purge", is_flag=True, help="Delete the backups and the whole store too; asks first.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@json_option
def command(clients, dry_run, verbose, purge, yes, as_json):
    """Take Foreword out of the clients (all, or those named).

    Files get their original bytes back; if they were changed since, only our entries go. Memories and
    backups stay, until --purge. A plugin that `foreword plugin` wrote, and an MCP entry of your own that
    starts foreword, are not removed, but named with the command that does.
    """
    home = paths.home()
    tell = say if as_json else put
    # Everything that may be refused is read, and asked, before anything is written.
    if purge:
        store.refuse_foreign(home)
    size = store.size(home)
    has_turn = home and os.path.isdir(home) and not dry_run
    with turn(home, say) if has_turn else contextlib.nullcontext():
        removals, passed_over = _planned(home, clients, dry_run)
        if purge:
            _ask_to_purge(home, size, removals, dry_run, yes, tell)
        if not removals:
            tell("no client found on this machine, and no install is on record")
        if dry_run:
            for removal in removals:
                removal.outline(tell)
            for removal in removals:
                removal.show(verbose, tell)
        else:
            _apply(home, removals, purge, tell)
    if purge and not dry_run:
        _purge(home, tell)
    elif os.path.isdir(home) and not dry_run:
        plan.remove_empty(plan.record_path(home, ""), home)
        if os.path.isdir(home) and not clients:
            tell(f"the store stays: {tilde(home)}; foreword uninstall --purge deletes it")
    for removal in removals:
        for line in removal.closing(dry_run):
            tell(line)
    for name in [] if dry_run else _without_skills(home, removals):
        tell(f"{name}: the skills it read were Claude Code's and are gone; its own: foreword install {name}")
    own = [server for server in graph_servers.own_entries() if not clients or server.client in clients]
    for server in own:
        where = f'"{server.name}" in {tilde(server.config)}'
        tell(seen(f"{server.client}: your own entry {where} still starts foreword; to remove it:"))
        tell(seen("    " + server.remove))
    for refused in passed_over:
        refused.say()
    if as_json:
        names = ("client", "config", "name", "remove")
        told = {"dry_run": dry_run, "purged": purge and not dry_run}
        told["clients"] = [removal.entry for removal in removals]
        told["own"] = [{name: getattr(server, name) for name in names} for server in own]
        told["passed_over"] = [refused.entry for refused in passed_over]
        put_json(told)
    failed = any(removal.entry["error"] for removal in removals)
    return NO if failed or any(refused.may_hold_ours for refused in passed_over) else DONE


def _planned(home, named, dry_run):
    """([_Removal], [_PassedOver]): every client read, nothing written yet."""
    names = _chosen(named, home)
    removals, passed_over = [], []
    with at_work("reading settings", len(names)) as step:
        for n, name in enumerate(names, 1):
            try:
                if home and not dry_run:
                    plan.clear_all_left(home, name)
                removal = _Removal(name, home)
                for _, edit in removal.planned if not dry_run else ():  # a dry run shows what could be done
                    if edit.changes:
                        plan.refuse_unwritable(edit.path)
                removals.append(removal)
            except ForewordError as error:
                if not named and not (home and plan.is_installed(home, name)):
                    passed_over.append(_PassedOver(name, error))  # so nothing of it stops the others
                else:
                    raise _going_on_without(error, name, names, named) from error
            step(n)
    return removals, passed_over


def _going_on_without(error, name, names, named):
    """A refusal that says how to go on without this client."""
    others = [other for other in names if other != name]
    if others and not named:
        error.hint += "; without it: foreword uninstall " + " ".join(others)
    return error


def _chosen(clients, home):
    """The clients that were named, else those that are found, or that an install has touched."""
    named = list(dict.fromkeys(clients))
    return named or [
        name for name in CLIENTS if loaded.install(name).found() or (home and plan.records(home, name))
    ]


def _apply(home, removals, purge, tell):
    """Take ours out of every client; one where that fails leaves the others to go on."""
    try:
        for removal in removals:
            try:
                removal.apply(purge, tell)
            except ForewordError as error:
                removal.entry["error"] = error.message
                say(f"error: {error.message}")
                say(f"hint: {error.hint}")
    finally:
        # Once all are done: one client's folder may hold another's. Records go last, for whoever is killed.
        removed = [pair for removal in removals for pair in removal.removed]
        taking_out.remove_folders(home, removed, {removal.name: removal.kept for removal in removals})
        for removal in removals:
            removal.save()


def _ask_to_purge(home, size, removals, dry_run, yes, tell):
    """Say what a purge deletes, and ask. `size`: (files, bytes) of the store."""
    count, total = size
    called = "file" if count == 1 else "files"
    tell("%s: %d %s, %s" % (tilde(home), count, called, store.readable(total)))
    graph = _graph(home, tell)
    for removal in removals:
        for _, edit in removal.planned:
            if copies := plan.copies(edit.path, plan.BACKUP):
                tell("%s: %s" % (tilde(edit.path), _counted(copies)))
    if not dry_run and not confirmed(f"Delete the whole store{graph} and the backups?", yes):
        raise ForewordError("nothing was changed", "foreword uninstall", exit_code=NO)


def _without_skills(home, removals):
    """Clients that stay wired, and read skills of ours that went with another client."""
    if not any(part.is_skill and edit.changes for removal in removals for part, edit in removal.planned):
        return
    for name in CLIENTS:
        if plan.is_installed(home, name) and name not in [removal.name for removal in removals]:
            records = plan.records(home, name)
            try:
                parts = loaded.install(name).parts(Options(records=records))
            except ForewordError:
                continue  # its settings cannot be read: doctor says so
            if any(part.is_skill and part.path not in records for part in parts):
                skills = [part for part in parts if part.is_skill]
                if not any(os.path.exists(part.path) for part in skills) and any(
                    part.with_ours("") for part in skills
                ):
                    yield name


class _PassedOver:
    """A client whose files cannot be read, and of which no install is on record."""

    def __init__(self, name, error):
        self.name, self.error = name, error
        self.may_hold_ours = any(map(_names_us, (places.path(name, what) for what in places.PLACES[name])))
        self.entry = {"client": name, "error": error.message, "may_hold_ours": self.may_hold_ours}

    def say(self):
        word, told = "note", "no install of it is on record, and nothing in it names foreword"
        if self.may_hold_ours:
            word, told = "error", "no install of it is on record, but it may hold entries of ours"
        say(seen(f"{word}: {self.name} was passed over: {self.error.message} ({told})"))
        if self.may_hold_ours:
            say(seen(f"hint: {self.error.hint}, then foreword uninstall {self.name}"))


def _names_us(path):
    try:
        return b"foreword" in (files.read(path) or b"")
    except OSError:
        return False  # a folder, or nothing that we could have written


class _Removal:
    """One client: planned as a whole when made, then shown or applied. `entry`: its JSON."""

    def __init__(self, name, home):
        self.name, self.home = name, home
        self.client = loaded.install(name)
        self.kept = plan.records(home, name) if home else {}
        # Every file that an install touched, and those that count now.
        now = {part.path: part for part in self.client.parts(Options(records=self.kept))}
        parts = [now.get(path) or self.client.part(path) for path in dict.fromkeys([*self.kept, *now])]
        self.planned = [(part, taking_out.planned(part, self.kept.get(part.path, {}))) for part in parts]
        self.removed = []  # (path, the topmost folder that we made for it)
        self.out = []  # paths of files that ours is out of
        changed = [edit.path for _, edit in self.planned if edit.changes]
        self.entry = {
            "client": name,
            "changed": changed,
            "backups": [],
            "server": "",
            "error": "",
            "next": [],
            "plugins": [],
        }
        self.commands = []  # of the client, that a dry run shows

    def outline(self, tell):
        """What an uninstall would do, a line for each file."""
        self.entry["diff"] = "".join(edit.diff() for _, edit in self.planned)
        told = "would change" if self.entry["changed"] else "nothing of Foreword in its files"
        tell("%s: %s" % (self.name, told))
        for part, edit in self.planned:
            if edit.changes:
                how = "our entries go, the rest stays"
                if edit.after is None:
                    how = "it was not there before"
                elif self._is_whole(edit):
                    how = "the original bytes come back"
                tell("    " + outlined(part, edit, tilde(edit.path), how))
            elif taking_out.holds_ours(part, edit.before):
                tell("    keep %s: it was changed by hand" % tilde(edit.path))
        commands = self.client.COMMANDS
        self.commands = commands.to_remove() if commands else []
        self.entry["server"] = "\n".join(map(shlex.join, self.commands))
        if self.commands:
            tell("    remove %s through %s" % (commands.what, commands.program))

    def show(self, verbose, tell):
        """The text of it: diffs of settings, with `verbose` of skills too, and the commands."""
        for part, edit in self.planned:
            if edit.changes and (verbose or not part.whole):
                tell("\n" + edit.diff().rstrip("\n"))
        if self.commands:
            tell("")
        for line in self.commands:
            tell("$ " + shlex.join(line))

    def closing(self, dry_run):
        """Lines to end with: the plugins of ours that still wire the client, else how to check."""
        for plugin in loaded.health(self.name).plugins():
            self.entry["plugins"].append({"what": plugin.called, "remove": plugin.removed_by})
        wired = [
            "still wired: {what}; to remove it: {remove}".format(**plugin) for plugin in self.entry["plugins"]
        ]
        gone = bool(self.entry["changed"]) or self.entry["server"] == "removed"
        self.entry["next"] = wired or (self.client.once_removed() if gone and not dry_run else [])
        return ["%s: %s" % (self.name, line) for line in self.entry["next"]]

    def _is_whole(self, edit):
        """Whether an edit gives back what was there before the first install, to the byte."""
        before = self.kept.get(edit.path, {}).get("before")
        return before is not None and plan.digest(edit.after) == before

    def apply(self, purge, tell):
        if not self.entry["changed"]:
            tell("%s: nothing of Foreword in its files" % self.name)
        for part, edit in self.planned:
            self._take_out(part, edit, tell)
            record = self.kept.get(edit.path, {})
            if edit.after is None and (edit.changes or record):
                self.removed.append((edit.path, taking_out.folder_of(part, record)))
            self.out.append(edit.path)
            self.entry["backups"] += _copies(edit.path, purge, tell)
        if self.client.COMMANDS:
            self._remove_through_the_client(self.client.COMMANDS, tell)

    def save(self):
        """Bring the records up to date: of files that ours is out of."""
        taking_out.forget(self.kept, self.out)
        if self.home:
            plan.save_records(self.home, self.name, self.kept)

    def _take_out(self, part, edit, tell):
        """Apply the edit of one file and say what became of it."""
        if not edit.changes:
            if taking_out.holds_ours(part, edit.before):
                tell("%s: %s was changed by hand and is left as it is" % (self.name, tilde(edit.path)))
            return
        plan.apply(edit)  # no further copy: what is taken out is ours, and known
        how = "our entries are gone, the rest is untouched"
        if edit.after is None:
            how = "removed, it was not there before"
        elif self._is_whole(edit):
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


def _copies(path, purge, tell):
    """The backups beside a file that stay, the newest of them named; with `purge` they go."""
    found = plan.copies(path, plan.BACKUP)
    for copy in found if purge else ():
        os.unlink(copy)
        tell("    deleted its backup " + tilde(copy))
    if not found or purge:
        return []
    them = "them" if len(found) > 1 else "it"
    tell("    %s; foreword uninstall --purge removes %s" % (_counted(found), them))
    return found


def _counted(copies):
    if len(copies) == 1:
        return "1 backup of it: " + tilde(copies[0])
    return "%d backups of it, the newest %s" % (len(copies), tilde(copies[-1]))


def _graph(home, tell):
    """Tell of the graphs; what the question says of the one that goes."""
    elsewhere = store.graph_elsewhere(home)
    if elsewhere:
        tell(seen(f"    the graph in use is not in it and stays: {tilde(elsewhere)}"))
    holds = store.graph(home)
    if holds is None:
        return ""
    entities, relations = holds
    tell(f"    the knowledge graph in it: {counted(entities, 'entity')}, {counted(relations, 'relation')}")
    return f", its knowledge graph of {counted(entities, 'entity')}"


def _purge(home, tell):
    if not os.path.isdir(home):
        tell("there was no store")
        return
    left = store.delete(home)
    if left:
        tell("deleted the store; %s still holds what is not ours: %s" % (tilde(home), ", ".join(left)))
    else:
        tell("deleted " + tilde(home))

"""`foreword install`."""

import contextlib
import os
import shlex
import shutil
import sys
import tempfile

import click

from foreword import memory, paths, settings
from foreword.cli import install_told
from foreword.cli.output import at_work, json_option, put, put_json, say, tilde
from foreword.cli.place import vanishing
from foreword.cli.taking_over import TakingOver
from foreword.clients import CLIENTS, HOOKED, loaded, taking_out
from foreword.clients.parts import INSTRUCTIONS, Options, decoded, outlined, told
from foreword.edit import plan
from foreword.edit.turn import turn
from foreword.errors import DONE, NO, ForewordError

TRUSTING = "codex"  # the only client that reviews hooks


@click.command("install")
@click.argument("clients", nargs=-1, metavar="[CLIENT...]", type=click.Choice(list(CLIENTS)))
@click.option("--dry-run", is_flag=True, help="List every change, show those of settings, write nothing.")
@click.option("--verbose", is_flag=True, help="With --dry-run: show the text of skills too.")
@click.option("--switch", type=click.Choice(settings.SWITCHES), help="The default switch of all projects.")
@click.option("--trust", is_flag=True, help="Codex: answer its review of our hooks in your place.")
@click.option("--no-skills", is_flag=True, help="Without the skills remember, recall and dream.")
@click.option(
    "--graph", metavar="PATH|found", help="Go on with this graph of another memory server, or the one found."
)
@click.option("--anyway", is_flag=True, help="Install even from a place that will vanish.")
@json_option
def command(clients, dry_run, verbose, switch, trust, no_skills, graph, anyway, as_json):
    """Wire coding agents: hooks, skills and the MCP server.

    CLIENT: claude-code, codex, gemini, opencode, cursor, vscode, windsurf, cline, zed, jetbrains,
    claude-desktop, mimo. Without one, every client that is found; one that is named is wired though it is
    not there yet. Settings are edited in place, with a backup beside them; `foreword uninstall`
    gives the original bytes back. A second run changes nothing. Nothing at all is written when a file of
    any of them cannot be read or changed.

    Codex runs a hook only once you trusted it: it asks at its next start in the terminal. --trust
    answers that now, for Foreword's own hooks alone.

    A knowledge graph that another memory server keeps (the reference MCP memory server, memory-lean) is
    told of; a terminal is asked whether to go on with its file. That switches the graph on, with the same
    nine tools. Its server's entry stays, and the command that removes it is printed.
    """
    # The code may lie elsewhere than its interpreter: a checkout installed in editable form.
    for folder in () if anyway else (sys.prefix, os.path.dirname(os.path.abspath(__file__))):
        why, instead = vanishing(folder, os.environ, tempfile.gettempdir())
        if why:
            raise ForewordError(why + ": hooks would break then", instead + "; or add --anyway")
    home = paths.home()
    if not home:
        raise ForewordError("no home folder is known", "set FOREWORD_HOME to a folder of yours")
    # --json prints one document on stdout; the talk goes to stderr then.
    tell = say if as_json else put
    names = _chosen(clients)
    if trust and TRUSTING not in names:
        told = f"--trust is for {TRUSTING}, and this wires {' and '.join(names)} alone"
        raise ForewordError(told + "; nothing was changed", f"foreword install {TRUSTING} --trust")
    with contextlib.nullcontext() if dry_run else turn(home, say):
        if not dry_run:
            for name in names:
                plan.clear_all_left(home, name)
        graphs = TakingOver(home, graph, names)

        def planned():
            chosen = Options(trust, not no_skills, graph=graphs.will_be_on, names=names)
            with at_work("reading settings", len(names)) as step:
                return [_planned(name, home, chosen, clients, dry_run, step) for name in names]

        wirings = planned()
        if not (dry_run or as_json):
            graphs.ask(tell)
            if graphs.taken:
                wirings = planned()  # with the rules for its tools
        if dry_run:
            for wiring in wirings:
                wiring.outline(tell)
            for wiring in wirings:
                wiring.show(verbose, tell)
        else:
            _apply(home, wirings, tell)
        chosen = _switched(home, switch, dry_run)
        if dry_run:
            tell("")
        graphs.go(dry_run, tell)
        for line in install_told.about(chosen) if set(names) & set(HOOKED) else ():
            tell(line)
        if os.environ.get("FOREWORD_HOME"):
            say("FOREWORD_HOME is set: start the client with it too, its hooks look there")
        install_told.to_paste(wirings, clients, tell)
        if not dry_run:
            install_told.as_table(wirings, tell)
            install_told.what_next(wirings, clients, tell)
        for wiring in wirings:
            wiring.warn_of_plugins()
            wiring.note_elsewhere()
        for wiring in wirings:
            for warning in wiring.grave:  # once more, where it is seen: nothing of ours will run
                say("warning: " + warning)
        if as_json:
            done = [wiring.entry for wiring in wirings]
            put_json({"dry_run": dry_run, "switch": chosen, "clients": done, "graph": graphs.entry})
        return NO if graphs.error or any(wiring.entry["error"] for wiring in wirings) else DONE


def _chosen(clients):
    """The clients that were named, else those that are found."""
    named = list(dict.fromkeys(clients)) or [name for name in CLIENTS if loaded.install(name).found()]
    if not named:
        first, *others = CLIENTS
        hint = f"foreword install {first}   (or {', '.join(others)}: naming one wires it anyway)"
        raise ForewordError("no client found on this machine", hint, NO)
    return named


def _planned(name, home, chosen, named, dry_run, step):
    """The _Wiring of a client, of which nothing will be refused for what the disk is like now."""
    with _going_on_without(name, chosen.names, named):
        wiring = _Wiring(name, home, chosen)
        for edit in () if dry_run else wiring.edits:  # a dry run shows what could be done by hand
            if edit.changes:
                plan.refuse_unwritable(edit.path)
    step(chosen.names.index(name) + 1)
    return wiring


def _apply(home, wirings, tell):
    try:
        for wiring in wirings:
            wiring.apply(tell)
    finally:
        # Once all are done: one client's folder may hold another's. Records go last, for whoever is killed.
        removed = [pair for wiring in wirings for pair in wiring.removed]
        taking_out.remove_folders(home, removed, {wiring.name: wiring.kept for wiring in wirings})
        for wiring in wirings:
            if wiring.out:
                taking_out.forget(wiring.kept, wiring.out)
                plan.save_records(home, wiring.name, wiring.kept)


@contextlib.contextmanager
def _going_on_without(name, names, named):
    """A refusal inside says how to go on without this client."""
    try:
        yield
    except ForewordError as error:
        others = [other for other in names if other != name]
        if others and not named:
            error.hint += "; without it: foreword install " + " ".join(others)
        raise


def _switched(home, switch, dry_run):
    """The default switch, set to `switch` where that is given and another."""
    try:
        present = settings.parse(home).get("switch")
    except (OSError, ValueError):
        present = None
    if switch and switch != present and not dry_run:
        memory.set_default_switch(home, switch)
    return switch or present or settings.DEFAULTS["switch"]


def _way(commands):
    """How a client's own command is run, for people."""
    if shutil.which(commands.program):
        return "through " + commands.program
    return f"by hand: {commands.program} is not on the PATH"


class _Planned:
    """One Part with its Edit, what it will add, and a warning or "". `goes`: it takes ours out of a file
    that no longer counts."""

    def __init__(self, part, edit, made, warning, goes=False):
        self.part, self.edit, self.made, self.warning, self.goes = part, edit, made, warning, goes


class _Wiring:
    """One client: planned as a whole when made, then shown or applied. `entry`: its JSON; `grave`:
    warnings of settings that the client will make no use of."""

    def __init__(self, name, home, chosen):
        self.name, self.home, self.client = name, home, loaded.install(name)
        self.kept = plan.records(home, name)
        self.removed = []  # (path, the topmost folder that we made for it)
        self.out = []  # paths of files that ours is out of
        self.options = Options(chosen.trust, chosen.skills, self.kept, chosen.graph, chosen.names)
        parts = self.client.parts(self.options)
        left = list(taking_out.not_counting(self.client, self.kept, parts))
        self.planned = [self._plan(part) for part in parts]
        self.planned += [_Planned(part, edit, None, "", goes=True) for part, edit, is_near in left if is_near]
        self.elsewhere = [edit.path for _, edit, is_near in left if not is_near]
        self.entry = {"client": name, "changed": any(p.edit.changes for p in self.planned), "files": []}
        self.entry.update(server="", error="", next=[], plugins=[], wired=self._cells())
        self.entry["elsewhere"] = self.elsewhere
        pasted = self.client.to_paste(self.options)
        self.entry["to_paste"] = [{"where": where, "text": text} for where, text in pasted]
        self.commands = []  # of the client, that a dry run shows
        self.grave = [p.warning for p in self.planned if p.warning and not p.part.is_skill]

    def _cells(self):
        """{"server", "forewords", "instructions": what goes in, in words, or None}."""
        about = self.client.ABOUT
        cells = {"server": about.server, "forewords": about.forewords, "instructions": about.instructions}
        told = {key: cell.what if cell else None for key, cell in cells.items()}
        if not self.options.skills and any(planned.part.is_skill for planned in self.planned):
            told["instructions"] = None
        return told

    def cells(self):
        """The client's row below COLUMNS, in a word or two each."""
        server = "by hand" if self.entry["server"] == "no client" else "yes"
        forewords = "yes" if self.entry["wired"]["forewords"] else "-"
        held = [p.part for p in self.planned if p.edit.after is not None and not p.goes]
        skills = [part for part in held if part.is_skill]
        told = ["skills"] if skills else []
        if not told and self.options.skills and any(planned.part.is_skill for planned in self.planned):
            told = ["skills of another client"]
        told += ["a text"] if any(part.what == INSTRUCTIONS for part in held) else []
        told += ["a text to paste"] if self.entry["to_paste"] else []
        return "failed" if self.entry["error"] else server, forewords, ", ".join(told) or "-"

    def _plan(self, part):
        """A _Planned. Raises ForewordError where nothing must be changed."""
        before = plan.read(part.path)
        text = decoded(part.path, before)
        after = told(part.path, part.with_ours, text)
        made, warning = told(part.path, part.footprint, text), told(part.path, part.warning, after, text)
        # No file stays no file where nothing is to be written, and goes when all in it was ours.
        data = before if after == text else after.encode()
        if before is not None and not after.strip() and text.strip() and (part.whole or self._made(part)):
            data = None
        return _Planned(part, plan.Edit(part.path, before, data), made, warning)

    @property
    def edits(self):
        return [planned.edit for planned in self.planned]

    def _made(self, part):
        """Whether the file is there because we made it."""
        return self.kept.get(part.path, {}).get("existed") is False

    def outline(self, tell):
        """What an install would do, a line for each file."""
        told = "would change" if self.entry["changed"] else "every file is as it should be"
        tell(f"{self.name}: {told}")
        for planned in self.planned:
            part, edit = planned.part, planned.edit
            self._add(planned, diff=edit.diff())
            if edit.changes:
                what = "our entries go, it no longer counts" if planned.goes else part.what
                tell("    " + outlined(part, edit, tilde(edit.path), what))
        commands = self.client.COMMANDS
        self.commands = (self._tried(commands.to_add) if commands else None) or []
        if commands and not self.entry["error"]:
            self.entry["server"] = "\n".join(map(shlex.join, self.commands)) or "unchanged"
        if self.commands:
            tell(f"    add {commands.what} {_way(commands)}")

    def show(self, verbose, tell):
        """The text of it: diffs of settings, with `verbose` of skills too, and the commands."""
        for planned, entry in zip(self.planned, self.entry["files"], strict=True):
            if entry["diff"] and (verbose or not planned.part.whole):
                tell("\n" + entry["diff"].rstrip("\n"))
        if self.commands:
            tell("")
        for line in self.commands:
            tell("$ " + shlex.join(line))

    def warn_of_plugins(self):
        """A plugin of ours that the client has: hooks run once for it and once for the install."""
        for plugin in loaded.health(self.name).plugins():
            self.entry["plugins"].append({"what": plugin.called, "remove": plugin.removed_by})
            told = "nothing is saved or offered twice, but tools and skills are there twice"
            say(f"note: {self.name} is wired by {plugin.called} too: {told}")
            say(f"hint: to remove one: {plugin.removed_by}   (or foreword uninstall {self.name})")

    def note_elsewhere(self):
        """Another set of the client's settings that an earlier install wired, and that does not count now."""
        if self.elsewhere:
            say(f"note: {self.name} is wired elsewhere too, where it does not look now: {self.elsewhere[0]}")
            way = f"foreword uninstall {self.name}, which takes it out of both, then foreword install"
            say(f"hint: to have it here alone: {way} {self.name}")

    def apply(self, tell):
        for planned in self.planned:
            copy = self._applied(planned) if planned.edit.changes else ""
            self._add(planned, backup=copy)
            if not planned.edit.changes:
                continue
            way = "is gone from" if planned.goes or planned.edit.after is None else "in"
            tell(f"{self.name}: {planned.part.what} {way} {tilde(planned.edit.path)}")
            if copy:
                tell("    the original: " + tilde(copy))
        if not self.entry["changed"]:
            tell(f"{self.name}: every file is as it should be, nothing changed")
        if self.client.COMMANDS:
            self._add_through_the_client(self.client.COMMANDS, tell)
        self.entry["next"] = self.client.once_installed(self.options)

    def _add(self, planned, **more):
        """A file's entry in the JSON, and its warning aloud."""
        path, what = planned.edit.path, planned.part.what
        entry = {"path": path, "what": what, "changed": planned.edit.changes, "warning": planned.warning}
        self.entry["files"].append({**entry, **more})
        if planned.warning:
            say("warning: " + planned.warning)

    def _tried(self, function):
        """function(), or None after the refusal was shown; the other clients go on then."""
        try:
            return function()
        except ForewordError as error:
            self.entry["server"], self.entry["error"] = "failed", error.message
            say("error: " + error.message)
            say("hint: " + error.hint)
            return None

    def _add_through_the_client(self, commands, tell):
        done = self._tried(commands.add)
        if done is None:
            return
        self.entry["server"] = done
        if done == "no client":
            tell(f"{self.name}: {commands.program} is not on the PATH; add {commands.what} by hand:")
            for line in commands.to_add():
                tell("    " + shlex.join(line))
        else:
            tell(f"{self.name}: {commands.what} is {'there already' if done == 'unchanged' else done}")

    def _applied(self, planned):
        """Write the edit and its undo record; the path of the copy of the original."""
        part, edit, made = planned.part, planned.edit, planned.made
        known = self.kept.get(edit.path) or {}
        if edit.after is None or planned.goes:
            plan.apply(edit)  # what is taken out is ours, and known
            self.out.append(edit.path)
            if edit.after is None:
                self.removed.append((edit.path, taking_out.folder_of(part, known)))
            return ""
        older = known
        if not part.holds_ours((edit.before or b"").decode("utf-8")):
            older = None  # taken out by hand since: this is a first time again
        if older:
            added = older.get("made") or {}
            made = {key: [*added.get(key, ()), *made.get(key, ())] for key in {**added, **made}}
        mark = "" if self._is_ours_alone(part, edit.before, known) else plan.BACKUP
        # An end before this left the folder made, and the record of it.
        folder = plan.topmost(known.get("folder"), plan.missing_folder(os.path.realpath(edit.path)))
        before = self.kept

        def kept(copy):
            return {**before, edit.path: plan.record_of(edit, copy, folder, made, older)}

        # First, so that a home that cannot be written stops us before the settings are changed, and an
        # end in between leaves a record that knows what is ours.
        plan.save_records(self.home, self.name, kept(""))
        try:
            copy = plan.apply(edit, mark)
        except ForewordError:
            plan.save_records(self.home, self.name, before)
            raise
        self.kept = kept(copy)
        plan.save_records(self.home, self.name, self.kept)
        return copy

    def _is_ours_alone(self, part, data, record):
        """Whether nobody but us has written what a file holds, as far as is known: then it needs no copy."""
        if data is None or (record.get("existed") is False and plan.digest(data) == record.get("after")):
            return True
        return part.whole and not part.without_ours(data.decode("utf-8"), record.get("made")).strip()

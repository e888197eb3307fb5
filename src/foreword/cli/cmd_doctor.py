"""`foreword doctor`."""

import contextlib
import sys

import click

from foreword import memory, paths
from foreword.cli import taking_out
from foreword.cli.output import (
    at_work,
    confirmed,
    json_option,
    project_option,
    put,
    put_json,
    say,
    seen,
    width,
    wrapped,
)
from foreword.clients import CLIENTS, loaded
from foreword.clients.parts import Options, graph_is_on
from foreword.edit import jsonc, plan
from foreword.errors import DONE, NO, ForewordError
from foreword.graph import servers as graphs
from foreword.memory import health as store

LOG_SHOWN = 10
STORE = "store"
ABSENT = "not installed here"  # of a client
MARKS = {"ok": ("ok", "green"), "note": ("..", "yellow"), "failure": ("!!", "red")}
# Hints of failures that installing again mends.
MENDABLE = ("foreword install ", "foreword doctor --mend")
NO_CLIENT = f"install one ({', '.join(CLIENTS)}), then foreword install"
LONGEST = 9  # lines of one sentence on a narrow terminal


@click.command("doctor")
@click.option(
    "--client",
    "only",
    metavar="CLIENT",
    type=click.Choice(list(CLIENTS)),
    help="Look at this client alone.",
)
@click.option("--mend", is_flag=True, help="Wire again what is broken; asks first.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@click.option("--anyway", is_flag=True, help="Mend even from a place that will vanish.")
@project_option
@json_option
@click.pass_context
def command(context, only, mend, yes, anyway, path, as_json):
    """Prove that clients and the store work; show what hooks logged.

    Runs each installed hook and the MCP server once, in a store of their own that is gone afterwards,
    asks Codex which hooks it trusts, and reads the store. Exit code 1 when something needs mending
    (marked !!); each finding names the command that does. Changes nothing without --mend.
    """
    found = _look(only, path)
    if mend:
        found = _mended(context, found, only, path, yes, anyway)
    lines = [line for line in store.log(paths.home(), LOG_SHOWN) if not only or f" {only} " in line]
    if as_json:
        put_json({"findings": found, "log": lines})
    else:
        _show(found, lines)
    return NO if _failures(found) else DONE


# -- looking -----------------------------------------------------------------------------------


def _look(only, path):
    """[finding] of the store and of every client, or of one client alone."""
    home = paths.home()
    if not home:  # then hooks do nothing, whatever the clients have
        return [_finding("", "failure", "no home folder is known", "set FOREWORD_HOME to a folder of yours")]
    found = []
    names = [only] if only else list(CLIENTS)
    # A store of 100,000 notes takes seconds before the first step is done.
    with at_work("looking", len(names) + 2) as step:
        if not only:
            found += _guarded("", store.findings, home, path)
        step(1)
        modules = {name: loaded.health(name) for name in names}
        folder, is_empty = _root(path), store.is_empty(home)
        unwired = []
        for n, (name, module) in enumerate(modules.items(), 2):
            step(n)
            if _is_wired(module, home, folder):
                found += _guarded(name, module.findings, home, folder, is_empty)
                found += _guarded(name, _doubled, name, home)
                found += _guarded(name, _elsewhere, name, home)
            else:
                unwired.append(name)
    return [*found, *_unwired(unwired, alone=len(unwired) == len(CLIENTS))]


def _is_wired(module, home, folder):
    try:
        return module.is_wired(home, folder)
    except (OSError, ForewordError):
        return True  # a look from near will say what cannot be read


def _doubled(client, home):
    """Findings: entries of the user's own that offer the graph's tools beside the server that is wired."""
    for server in graphs.servers() if graph_is_on(home) else ():
        if server.client == client and server.kind == graphs.FOREWORD:
            told = f'the graph\'s tools are there twice: the MCP server "{server.name}" starts foreword too'
            yield "note", told, server.remove


def _elsewhere(client, home):
    """Findings: files that an earlier install wired and that the client does not look at now, as its
    settings and variables are. An install takes ours out of those that lie beside files that count."""
    install, records = loaded.install(client), plan.records(home, client)
    try:
        left = list(taking_out.not_counting(install, records, install.parts(Options(records=records))))
    except (ForewordError, jsonc.MalformedError):
        return  # what cannot be read is told already
    for _, edit, is_near in left:
        told = f"ours is in {edit.path} too, where the client does not look now"
        if is_near:
            yield "failure", told, "foreword install " + client
        else:
            yield "note", told, f"foreword uninstall {client} takes it out of both"


def _unwired(names, alone):
    """The clients without anything of ours; `alone`: no other has anything of ours either."""
    there = {name: loaded.install(name).found() for name in names}
    for name, is_there in there.items():
        if is_there:
            level = "failure" if alone else "note"
            yield _finding(name, level, "is on this machine and not wired", "foreword install " + name)
        else:
            yield _finding(name, "ok", ABSENT, "")
    if alone and not any(there.values()):
        yield _finding("", "failure", "no client is on this machine", NO_CLIENT)


def _guarded(client, findings, *arguments):
    """What a room finds; where it stumbles that is a finding too, so that the others are still heard."""
    found = []
    try:
        for level, what, hint in findings(*arguments):
            found.append(_finding(client, level, what, hint))
    except Exception as error:  # noqa: BLE001  whatever is broken on this machine, the rest is shown
        told = f"could not be looked at to the end: {type(error).__name__}: {error}"
        found.append(_finding(client, "failure", told, "foreword check"))
    return found


def _finding(client, level, what, hint):
    return {"ok": level != "failure", "level": level, "what": what, "hint": hint, "client": client}


def _failures(found):
    return [finding for finding in found if not finding["ok"]]


def _root(path):
    """The top of the project, whose own settings count for a client; "" where there is none."""
    try:
        return memory.open_project(path).root
    except (OSError, ForewordError):
        return ""


# -- showing -----------------------------------------------------------------------------------


def _show(found, lines):
    absent = [finding["client"] for finding in found if finding["what"] == ABSENT]
    absent = absent if len(absent) > 1 else []
    for client in dict.fromkeys(finding["client"] for finding in found if finding["client"] not in absent):
        put(click.style(client or STORE, bold=True))
        for finding in found:
            if finding["client"] == client:
                _row(finding)
    if absent:
        for line in wrapped("not installed here: " + ", ".join(absent), width(), LONGEST):
            put(line)
    if lines:
        put(f"last lines of {paths.hook_log(paths.home())}:")
        for line in lines:
            put("  " + line)
    failures = _failures(found)
    if failures:
        mend = ", some of it by: foreword doctor --mend" if _mendable(found) else ""
        put("\n%d to mend%s" % (len(failures), mend))
    else:
        put("\nall is well")


def _row(finding):
    mark, color = MARKS[finding["level"]]
    # Through a pipe each finding stays one line, for grep.
    narrow = sys.stdout is not None and sys.stdout.isatty()
    what = seen(finding["what"])
    told = wrapped(what, width() - 6, LONGEST) if narrow else [what]
    put(f"  {click.style(mark, fg=color)}  {told[0]}")
    for line in told[1:]:
        put("      " + line)
    if finding["hint"]:
        put(seen("      hint: " + finding["hint"]))


# -- mending -----------------------------------------------------------------------------------


def _mendable(found):
    """{client: [what]} of the failures that wiring it again mends."""
    names = {}
    for finding in _failures(found):
        if finding["client"] and finding["hint"].startswith(MENDABLE):
            names.setdefault(finding["client"], []).append(finding["what"])
    return names


def _mended(context, found, only, path, yes, anyway):
    """What is found after the clients were wired again; as before where nothing can be done that way."""
    names = _mendable(found)
    if not names:
        say("nothing here is mended by wiring again")
        return found
    for name, wrong in names.items():
        for what in wrong:
            say(seen(f"{name}: {what}"))
    if not confirmed(f"Wire {' and '.join(names)} again?", yes):
        raise ForewordError("nothing was changed", "foreword doctor", exit_code=NO)
    from foreword.cli import cmd_install

    wants = {name: loaded.health(name).wants_skills(paths.home()) for name in names}
    for skills in sorted(set(wants.values())):
        chosen = tuple(name for name in names if wants[name] == skills)
        # Data goes to stdout, and what an install tells is talk here.
        with contextlib.redirect_stdout(sys.stderr):
            context.invoke(cmd_install.command, clients=chosen, no_skills=not skills, anyway=anyway)
    return _look(only, path)

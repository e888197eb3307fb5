"""`foreword doctor`."""

import contextlib
import sys

import click

from foreword import paths
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
from foreword.clients import CLIENTS, doctor, loaded
from foreword.errors import DONE, NO, ForewordError
from foreword.memory import health as store

LOG_SHOWN = 10
STORE = "store"
MARKS = {"ok": ("ok", "green"), "note": ("..", "yellow"), "failure": ("!!", "red")}
# Hints of failures that installing again mends.
MENDABLE = ("foreword install ", "foreword doctor --mend")
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


def _look(only, path):
    # A store of 100,000 notes takes seconds before the first step is done.
    with at_work("looking", doctor.steps(only)) as step:
        return doctor.look(paths.home(), path, only, step)


def _failures(found):
    return [finding for finding in found if not finding["ok"]]


# -- showing -----------------------------------------------------------------------------------


def _show(found, lines):
    absent = [finding["client"] for finding in found if finding["what"] == doctor.ABSENT]
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

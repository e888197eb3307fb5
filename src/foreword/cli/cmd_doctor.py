"""`foreword doctor`."""

import importlib
import os

import click

from foreword import files, memory, paths, settings
from foreword.cli.output import json_option, project_option, put, put_json
from foreword.clients import CLIENTS
from foreword.errors import DONE, NO, ForewordError, NotFoundError

LOG_SHOWN = 10


@click.command("doctor")
@project_option
@json_option
def command(path, as_json):
    """Check clients, settings and the store; show what hooks logged.

    Exit code 1 when something needs mending; each finding names the command that does.
    """
    findings = [*_clients(), *_settings(), *_store(path)]
    lines = _log()
    if as_json:
        put_json({"findings": findings, "log": lines})
    else:
        for finding in findings:
            mark = click.style("ok", fg="green") if finding["ok"] else click.style("!!", fg="red")
            put("{}  {}".format(mark, finding["what"]))
            if finding["hint"] and not finding["ok"]:
                put("    hint: " + finding["hint"])
        if lines:
            put(f"\nlast lines of {paths.hook_log(paths.home())}:")
            for line in lines:
                put("    " + line)
    return DONE if all(finding["ok"] for finding in findings) else NO


def _finding(ok, what, hint=""):
    return {"ok": ok, "what": what, "hint": hint}


def _clients():
    for name, module in CLIENTS.items():
        for ok, what in importlib.import_module(module + ".install").health():
            yield _finding(ok, f"{name}: {what}", "foreword install " + name)


def _settings():
    home = paths.home()
    try:
        settings.parse(home)
        wrong = settings.wrong(home)
    except FileNotFoundError:
        return
    except (OSError, ValueError) as error:
        wrong = [str(error)]
    for what in wrong:
        yield _finding(False, f"{settings.path(home)}: {what}", "edit that file")


def _store(path):
    home = paths.home()
    if home and os.path.isdir(home):
        if os.name != "nt" and os.stat(home).st_mode & 0o077:
            yield _finding(False, f"{home} can be read by others", "chmod 700 " + home)
        if not os.access(home, os.R_OK | os.W_OK | os.X_OK):
            yield _finding(False, f"{home} cannot be written", "chmod 700 " + home)
            return
    try:
        place = memory.open_project(path)
        found = memory.check(place)
    except NotFoundError as error:
        if path:
            yield _finding(False, error.message, error.hint)
        else:  # asked from the home, say: nothing is wrong with that
            yield _finding(True, "no project here, so no memories were read")
        return
    except (OSError, ForewordError) as error:
        yield _finding(False, str(error), getattr(error, "hint", "") or "set FOREWORD_HOME")
        return
    yield _finding(True, "%s: %d memories" % (place.name, found["memories"]))
    for finding in found["findings"]:
        yield _finding(False, "{}: {}".format(finding["where"], finding["what"]), finding["hint"])


def _log():
    raw = files.read(paths.hook_log(paths.home())) or b""
    return raw.decode("utf-8", "replace").splitlines()[-LOG_SHOWN:]

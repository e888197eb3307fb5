"""`foreword status`."""

import click

from foreword import memory
from foreword.cli.output import (
    day,
    json_option,
    opened,
    project_option,
    put,
    put_json,
    table,
    tilde,
)
from foreword.text.frame import plain

TYPES = ("note", "session", "fact")


@click.command("status")
@project_option
@json_option
def command(path, as_json):
    """Show the switch, what is stored, what was handed over last, and when hooks ran."""
    found = memory.status(opened(path))
    if as_json:
        put_json(found)
        return
    counts = ", ".join(_many(n, kind) for kind in TYPES if (n := found["counts"].get(kind)))
    lines = [
        ("project", found["project"]),
        ("root", tilde(found["root"])),
        ("store", tilde(found["folder"])),
        ("switch", "{} (today: {})".format(found["switch"], found["today"])),
        ("memories", counts or "none yet"),
    ]
    if any(found["debt"].values()):
        lines.append(("debt", _debt(found["debt"])))
    lines.append(("prompts", "%d recorded, %d with a foreword" % (found["prompts"], found["forewords"])))
    if found["recalled"]:
        lines.append(("last recall", _recalled(found["recalled"])))
    for client, events in found["fired"].items():
        lines.append(("hooks of " + client, _fired(events)))
    if found["last"]:
        lines.append(("last offered", day(found["last"]["time"]) + " UTC"))
    table(lines)
    for row in found["last"]["memories"] if found["last"] else ():
        put("    {}  {}".format(row["id"], plain(row["title"])))


def _many(n, what):
    return "%d %s%s" % (n, what, "" if n == 1 else "s")


def _debt(debt):
    told = []
    if debt["superseded"]:
        told.append("%d superseded" % debt["superseded"])
    if debt["beyond"]:
        told.append(_many(debt["beyond"], "session") + " too old for the recall")
    return ", ".join(told) + (" (due: foreword dream)" if debt["due"] else "")


def _recalled(last):
    counts = [("facts", "fact"), ("sessions", "session"), ("listed", "older session")]
    told = ", ".join(_many(last[key], what) for key, what in counts if last[key])
    who = " ".join(plain(text) for text in (last["client"], last["source"]) if text)
    return f"{plain(day(last['time']))} UTC, {who}: {told or 'nothing'}"


def _fired(events):
    newest = sorted(events.items(), key=lambda entry: entry[1], reverse=True)
    return ", ".join(f"{plain(event)} {day(when)}" for event, when in newest) + " UTC"

"""`foreword status`."""

import click

from foreword import memory
from foreword.cli.output import (
    counted,
    day,
    json_option,
    opened,
    project_option,
    put,
    put_json,
    seen,
    switch_told,
    table,
    tilde,
    width,
)
from foreword.text.frame import plain

TYPES = ("note", "session", "fact")
EVENTS = ("session-start", "prompt", "stop")  # as they follow each other
LABEL = 22  # columns of the longest name with the space behind it: `hooks of claude-code`


@click.command("status")
@project_option
@json_option
def command(path, as_json):
    """Show the switch, what is stored, and what was handed over last.

    Also the knowledge graph, how much there is to tidy up, and when each client's hooks last ran, whatever
    the project.
    """
    found = memory.status(opened(path))
    if as_json:
        put_json(found)
        return
    counts = ", ".join(counted(n, kind) for kind in TYPES if (n := found["counts"].get(kind)))
    lines = [
        ("project", found["project"]),
        ("root", tilde(found["root"])),
        ("store", tilde(found["folder"])),
        ("switch", switch_told(found["switch"], found["today"], found["switch_own"])),
        ("memories", counts or "none yet"),
    ]
    if any(found["debt"].values()):
        lines.append(("to tidy", _debt(found["debt"])))
    lines.append(("graph", _graph(found["graph"])))
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


def _graph(graph):
    if not graph["on"]:
        return "off"
    if graph["error"]:
        return f"on, {seen(graph['error'])}"
    holds = "not there yet"
    if graph["exists"]:
        holds = f"{counted(graph['entities'], 'entity')}, {counted(graph['relations'], 'relation')}"
    return f"on, {seen(tilde(graph['path']))}, {holds}"


def _debt(debt):
    told = []
    if debt["superseded"]:
        told.append("%d superseded" % debt["superseded"])
    if debt["beyond"]:
        told.append(counted(debt["beyond"], "session") + " no longer handed over")
    return ", ".join(told) + (" (due: foreword dream)" if debt["due"] else "")


def _recalled(last):
    counts = [("facts", "fact"), ("sessions", "session"), ("listed", "older session")]
    told = ", ".join(counted(last[key], what) for key, what in counts if last[key])
    who = " ".join(plain(text) for text in (last["client"], last["source"]) if text)
    return f"{plain(day(last['time']))} UTC, {who}: {told or 'nothing'}"


def _fired(events):
    """`session-start 2026-11-30 10:15, prompt ...`, broken between two where a line is full."""
    order = [*EVENTS, *sorted(set(events) - set(EVENTS))]
    told = [f"{plain(event)} {day(events[event])}" for event in order if event in events]
    lines = [""]
    for part in [*(part + "," for part in told[:-1]), told[-1] + " UTC"]:
        line = f"{lines[-1]} {part}".lstrip()
        if lines[-1] and len(line) > max(60, width()) - LABEL:
            lines.append(part)
        else:
            lines[-1] = line
    return "\n".join(lines)

"""`foreword why`."""

import shlex

import click

from foreword import memory
from foreword.cli.output import (
    cells,
    day,
    fit,
    json_option,
    opened,
    project_option,
    put,
    put_json,
    say,
    table,
    width,
    wrapped,
)
from foreword.errors import NO
from foreword.memory.why import NOTHING, REASONS, SEARCH, outcome

NEAR = 10  # so many times under the cut-off, a pin still helps
ENTITY = "entity"  # the type of the knowledge graph's, which no mark of a memory concerns
LONGEST = 24  # columns for what became of a memory: a newer version may have words of its own
NAME = 24  # columns for an entity's name, which stands where memories have an id of 20
NARROWEST = 20  # columns for a title beside the rest; with less it gets a line of its own


@click.command("why")
@project_option
@json_option
def command(path, as_json):
    """Show what became of the last prompt, and why.

    At most ten memories, best first, each with how sure it was that it helps. Exit code 1 when no
    prompt of this project was recorded.
    """
    found = memory.why(opened(path))
    if as_json:
        put_json(found)
    elif found:
        _tell(found)
    else:
        say("no prompt of this project was recorded yet")
        say("hint: foreword doctor tells whether a client is wired")
    return None if found else NO


def _tell(found):
    most = max(60, width())
    lines = _about(found)
    room = most - max(len(name) for name, _ in lines) - 2
    table([(name, fit(value, room)) for name, value in lines])
    if found["memories"]:
        put()
        _list(found["memories"], most)
    reasons = dict.fromkeys(row["reason"] for row in found["memories"])
    told = [outcome(found), *(REASONS[reason][1] for reason in reasons if reason in REASONS)]
    if any(told):
        put()
    for sentence in filter(None, told):
        for line in wrapped(sentence, most, lines=4):
            put(line)
    say("hint: " + _next(found))


def _about(found):
    client = " ({})".format(found["client"]) if found["client"] else ""
    lines = [
        ("prompt", day(found["time"]) + " UTC" if found["time"] else "at an unknown time"),
        ("session", (found["session"] or "unknown") + client),
        (
            "switch",
            "{} ({} at this prompt)".format(found["switch"] or "unknown", found["state"] or "unknown"),
        ),
    ]
    if found["question"]:
        lines.append(("question", " ".join(found["question"].split())))
    else:
        lines.append(("question", "unknown: the turn has no note (yet)"))
    if found["needed"] is not None:
        lines.append(("needed", _percent(found["needed"]) + ", the chance that it helps"))
    return lines


def _list(memories, most):
    """A line a memory: number, id, how sure, what became of it, title."""
    numbers = {row["id"]: n for n, row in enumerate(memories, 1)}
    became = [_became(row, numbers) for row in memories]
    wide = max(map(cells, became))
    called = [fit(row["id"], NAME) for row in memories]
    widest = max(map(cells, called))
    for n, (row, told, name) in enumerate(zip(memories, became, called, strict=True), 1):
        sure = _percent(row["confidence"])
        room = most - (4 + widest + 2 + 7 + 2 + wide + 2)
        title = _title(row)
        facts = " " * (widest - cells(name)) + f"  {sure:>7}  " + told
        if room >= NARROWEST:
            facts += " " * (wide - cells(told) + 2) + fit(title, room)
        put(f"{n:>2}  " + click.style(name, fg="cyan") + facts)
        if room < NARROWEST:
            put("    " + fit(title, most - 4))


def _became(row, numbers):
    told = REASONS.get(row["reason"], (row["reason"] or "unknown",))[0]
    if row["reason"] == "alike" and row["alike"]:
        told += " as %s" % numbers.get(row["alike"], "another")
    return fit(told, LONGEST)


def _title(row):
    if row["deleted"]:
        return "(deleted since)"
    marks = [
        mark for mark, on in (("archived since", row["archived"]), ("pinned", row["offer"] == "always")) if on
    ]
    return (f"({', '.join(marks)}) " if marks else "") + " ".join(row["title"].split())


def _percent(share):
    return "-" if share is None else "%.1f %%" % (100 * share)


def _next(found):
    """What to do next, in one sentence."""
    if found["why"]:
        return NOTHING.get(found["why"], ("", "foreword doctor"))[1]
    there = [row for row in found["memories"] if not row["deleted"]]
    offered = [row for row in there if row["reason"] == "offered"]
    if offered and offered[0]["type"] == ENTITY:
        return "foreword show {} opens it".format(shlex.quote(offered[0]["id"]))
    if offered:
        first = offered[0]["id"]
        return f"foreword show {first} opens it, foreword reject {first} keeps it from coming again"
    if not found["told"]:
        return "ask the agent something, then foreword why tells more"
    if not there:
        return SEARCH
    first = there[0]
    if first["type"] == ENTITY:
        return "foreword show {} opens the nearest".format(shlex.quote(first["id"]))
    if first["reason"] == "rejected":
        return "foreword reject --undo {} lets it be offered again".format(first["id"])
    if first["reason"] == "known":
        return "the agent has {} already; foreword show {} opens it".format(first["id"], first["id"])
    if first["reason"] == "below":
        near = (first["confidence"] or 0) > (found["needed"] or 1) / NEAR
        pin = ", foreword pin {0} has it offered more readily" if near else ""
        return ("foreword show {0} opens the nearest" + pin).format(first["id"])
    return SEARCH

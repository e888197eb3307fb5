"""`foreword list`."""

import click

from foreword import memory
from foreword.cli.output import (
    counted,
    json_option,
    limit_option,
    opened,
    project_option,
    put_json,
    rows,
    say,
    type_option,
)


@click.command("list")
@type_option
@click.option("--archived", is_flag=True, help="The archived memories.")
@limit_option(help="Show at most N (default: all).")
@project_option
@json_option
def command(kind, archived, limit, path, as_json):
    """List this project's memories and global facts, newest first.

    Those that a newer one takes the place of are marked as superseded.
    """
    place = opened(path)
    found = memory.list_memories(place, kind or "", archived, limit or 0)
    if as_json:
        put_json(found)
    elif found:
        rows(found)
    else:
        _nothing(place, kind, archived)


def _nothing(place, kind, archived):
    """Say what there is instead."""
    others = _counts(memory.list_memories(place, archived=archived))
    if archived:
        say(f"no archived {kind}s here ({others})" if others else "nothing is archived here")
    elif others:
        say(f"no {kind}s here yet ({others})")
    else:
        say("no memories here yet; notes are saved by themselves once a client is wired")
        say("hint: foreword install, then foreword doctor")


def _counts(found):
    """`2 sessions, 12 facts`"""
    counts = [(sum(row["type"] == kind for row in found), kind) for kind in ("note", "session", "fact")]
    return ", ".join(counted(number, kind) for number, kind in counts if number)

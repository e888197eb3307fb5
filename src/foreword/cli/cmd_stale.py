"""`foreword stale`."""

import click

from foreword import memory
from foreword.cli.output import (
    Progress,
    counted,
    json_option,
    limit_option,
    opened,
    project_option,
    put,
    put_json,
    rows,
    say,
    seen,
    type_option,
)

FILES_SHOWN = 5


@click.command("stale")
@type_option
@limit_option(help="Show at most N, newest first (default: 20; --json: all).")
@project_option
@json_option
def command(kind, limit, path, as_json):
    """List memories of which a cited file is not as it was.

    CHANGED with a line: the function or section around the cited line is another now. CHANGED without one:
    the file is, and no line of it was cited. MOVED and DELETED say where it went, or that it is gone. A
    memory that is not listed may be out of date all the same: that its files stand says nothing about what
    they call.
    """
    place = opened(path)
    progress = Progress("comparing")
    try:
        found = memory.stale_memories(place, limit or (1_000_000 if as_json else 20), kind or "", progress)
    finally:
        progress.end()
    if as_json:
        put_json([{key: row[key] for key in _KEYS} for row in found["rows"]])
        return
    for row in found["rows"]:
        rows([{**row, "snippet": ""}])
        for file in row["files"][:FILES_SHOWN]:
            put("    " + seen(memory.cites.short(file)))
        if len(row["files"]) > FILES_SHOWN:
            put("    and %d more" % (len(row["files"]) - FILES_SHOWN))
    if not place.root:
        say("this project's folder is not there, so cited files cannot be compared")
    elif not found["total"]:
        say("no cited file changed since its memory was saved")
    else:
        more = found["total"] - len(found["rows"])
        say(
            counted(found["total"], "stale memory")
            + (f", {more} more: --limit {found['total']}" if more else "")
        )


_KEYS = ("id", "type", "title", "created", "project", "snippet", "files")

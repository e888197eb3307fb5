"""`foreword retention`."""

import click

from foreword import memory
from foreword.cli.output import (
    Progress,
    counted,
    json_option,
    opened,
    project_option,
    put,
    put_json,
    rows,
    say,
    seen,
)
from foreword.errors import ForewordError


@click.command("retention")
@click.option("--days", metavar="N", type=click.IntRange(1), help="Instead of retention.days in config.toml.")
@click.option("--apply", "is_applied", is_flag=True, help="Archive them.")
@click.option("--undo", "run", metavar="RUN", help="Bring back what a run archived (`last`: the newest).")
@project_option
@json_option
def command(days, is_applied, run, path, as_json):
    """Show notes that nobody opened and that are out of date; archive them.

    Out of date: a text that it cites is not there as it was. Pinned ones stay, and so do those that cite no
    file. With retention.days in config.toml this happens once a day by itself; it is off by default. Nothing
    is deleted: foreword restore, or --undo, brings them back.
    """
    place = opened(path)
    if run is not None:
        if is_applied or days:
            raise ForewordError("--undo stands alone", "foreword retention --undo last")
        done = memory.retention.undo(place, "" if run == "last" else run)
        if as_json:
            put_json(done)
        else:
            put(f"restored {counted(len(done['ids']), 'memory')} of run {done['run']}")
        return
    progress = Progress("comparing")
    try:
        found = memory.retention.planned(place, days, progress=progress)
    finally:
        progress.end()
    if is_applied:
        done = memory.retention.apply(place, found)
        if as_json:
            put_json(done)
        elif done["ids"]:
            put(f"archived {counted(len(done['ids']), 'memory')}")
            say(f"to take it back: foreword retention --undo {done['run']}")
        else:
            say("there is nothing to archive")
        return
    if as_json:
        put_json(
            [
                {key: row[key] for key in ("id", "type", "title", "created", "project", "snippet", "why")}
                for row in found
            ]
        )
        return
    for row in found:
        rows([{**row, "snippet": ""}])
        put("    never opened; " + seen(row["why"]))
    say(f"{counted(len(found), 'memory')} to archive" + ("; foreword retention --apply" if found else ""))

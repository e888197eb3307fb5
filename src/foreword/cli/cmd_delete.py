"""`foreword delete`."""

import click

from foreword import memory
from foreword.cli.output import (
    Progress,
    confirmed,
    counted,
    json_option,
    opened,
    project_option,
    put,
    put_json,
    rows,
    say,
    tell_again,
)
from foreword.errors import DONE, NO, ForewordError


@click.command("delete")
@click.argument("ids", nargs=-1, metavar="ID...")
@click.option("--matching", metavar="TEXT", help="All that hold this text, in any case; shows them and asks.")
@click.option("--all-projects", is_flag=True, help="With --matching: in every project.")
@click.option("--dry-run", is_flag=True, help="With --matching: show them, and delete nothing.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@project_option
@json_option
def command(ids, matching, all_projects, dry_run, yes, path, as_json):
    """Delete memories for good, from the files and the index.

    No agent, hook or dream saves the same text again; foreword save does, for you say it. To put
    something aside instead: foreword archive.

    \b
      foreword delete 20261103-101500-a1b2
      foreword delete --matching "project nightfall"
    """
    if matching is not None:
        if ids:
            raise ForewordError("IDs or --matching, not both", "foreword delete --help")
        return _matching(opened(path), matching, all_projects, dry_run, yes, as_json)
    if not ids or all_projects or dry_run:
        raise click.UsageError("Name memories by ID, or use --matching TEXT.")
    done = memory.delete(opened(path), ids)
    if as_json:
        put_json(done)
    else:
        for memory_id in done:
            put("deleted " + memory_id)
    tell_again(done.again, "delete")
    return DONE


def _matching(place, text, all_projects, dry_run, yes, as_json):
    progress = Progress("reading")
    try:
        found = memory.matching(place, text, all_projects, progress)
    finally:
        progress.end()
    if not found:
        if as_json:
            put_json([])
        else:
            say("no memory holds that text")
        return NO
    if not as_json:
        rows(found, projects=all_projects)
    if dry_run:
        if as_json:
            put_json(found)
        else:
            say(f"{counted(len(found), 'memory')} would be deleted")
        return DONE
    if not confirmed(f"Delete {counted(len(found), 'memory')} for good?", yes):
        return NO
    progress = Progress("deleting")
    try:
        done = memory.delete_rows(place, found, progress)
    finally:
        progress.end()
    if as_json:
        put_json(done)
    else:
        put(f"deleted {counted(len(done), 'memory')}")
    return DONE

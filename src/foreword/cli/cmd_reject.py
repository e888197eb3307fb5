"""`foreword reject`."""

import click

from foreword import memory
from foreword.cli.output import json_option, opened, project_option, put, put_json, say


@click.command("reject")
@click.argument("ids", nargs=-1, required=True, metavar="ID...")
@click.option("--undo", is_flag=True, help="Offer them as usual again.")
@project_option
@json_option
def command(ids, undo, path, as_json):
    """Reject memories: never offer them to a prompt again.

    search, list and show still have them. It stands in the memory's file as offer: never.
    To take one out of search too: foreword archive; for good: foreword delete.
    """
    place = opened(path)
    done = memory.mark(place, ids, "usual", only="never") if undo else memory.mark(place, ids, "never")
    if as_json:
        put_json(done)
        return
    for memory_id in done:
        put(("no longer rejected " if undo else "rejected ") + memory_id)
    for memory_id in dict.fromkeys(ids):
        if memory_id not in done:
            say(memory_id + " was not rejected, nothing was done")

"""`foreword pin`."""

import click

from foreword import memory
from foreword.cli.output import json_option, opened, project_option, put, put_json, say


@click.command("pin")
@click.argument("ids", nargs=-1, required=True, metavar="ID...")
@click.option("--undo", is_flag=True, help="Take the pin away.")
@project_option
@json_option
def command(ids, undo, path, as_json):
    """Pin memories: consider them whenever a prompt shares a word with them.

    A pinned memory is looked at for every prompt and needs less certainty to be offered. It stands in
    the memory's file as offer: always. The newest 20 of a project count.
    """
    place = opened(path)
    done = memory.mark(place, ids, "usual", only="always") if undo else memory.mark(place, ids, "always")
    if as_json:
        put_json(done)
        return
    for memory_id in done:
        put(("no longer pinned " if undo else "pinned ") + memory_id)
    for memory_id in dict.fromkeys(ids):
        if memory_id not in done:
            say(memory_id + " was not pinned, nothing was done")

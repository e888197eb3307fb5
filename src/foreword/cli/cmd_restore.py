"""`foreword restore`."""

import click

from foreword import memory
from foreword.cli.output import json_option, opened, project_option, put, put_json, say


@click.command("restore")
@click.argument("ids", nargs=-1, required=True, metavar="ID...")
@project_option
@json_option
def command(ids, path, as_json):
    """Take memories back from the archive."""
    done = memory.restore(opened(path), ids)
    if as_json:
        put_json(done)
    else:
        for memory_id in done:
            put("restored " + memory_id)
        for memory_id in dict.fromkeys(ids):
            if memory_id not in done:
                say(f"{memory_id} was not archived")

"""`foreword delete`."""

import click

from foreword import memory
from foreword.cli.output import json_option, opened, project_option, put, put_json, tell_again


@click.command("delete")
@click.argument("ids", nargs=-1, required=True, metavar="ID...")
@project_option
@json_option
def command(ids, path, as_json):
    """Delete memories for good, from the files and the index.

    No agent, hook or dream saves the same text again; foreword save does, for you say it. To put
    something aside instead: foreword archive.
    """
    done = memory.delete(opened(path), ids)
    if as_json:
        put_json(done)
    else:
        for memory_id in done:
            put("deleted " + memory_id)
    tell_again(done.again, "delete")

"""`foreword delete`."""

import click

from foreword import memory
from foreword.cli.output import json_option, opened, project_option, put, put_json


@click.command("delete")
@click.argument("ids", nargs=-1, required=True, metavar="ID...")
@project_option
@json_option
def command(ids, path, as_json):
    """Delete memories for good, from the files and the index.

    The same text is not saved again. To put something aside instead: foreword archive.
    """
    done = memory.delete(opened(path), ids)
    if as_json:
        put_json(done)
    else:
        for memory_id in done:
            put("deleted " + memory_id)

"""`foreword archive`."""

import click

from foreword import memory
from foreword.cli.output import json_option, opened, project_option, put, put_json, tell_again


@click.command("archive")
@click.argument("ids", nargs=-1, required=True, metavar="ID...")
@project_option
@json_option
def command(ids, path, as_json):
    """Put memories aside: kept, but no longer offered.

    They are found with --archived; foreword restore takes them back.
    """
    done = memory.archive(opened(path), ids)
    if as_json:
        put_json(done)
    else:
        for memory_id in done:
            put("archived " + memory_id)
    tell_again(done.again, "archive")

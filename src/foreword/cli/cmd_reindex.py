"""`foreword reindex`."""

import click

from foreword import memory
from foreword.cli.output import Progress, json_option, opened, project_option, put, put_json


@click.command("reindex")
@project_option
@json_option
def command(path, as_json):
    """Build the index anew from the files. It may be interrupted: the old one stays until the end."""
    progress = Progress("reindexing")
    done = memory.reindex(opened(path), progress)
    progress.end()
    if as_json:
        put_json({"indexed": done})
    else:
        put("indexed %d memor%s" % (done, "y" if done == 1 else "ies"))

"""`foreword reject`."""

import click

from foreword.cli.marks import mark
from foreword.cli.output import json_option, project_option


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
    mark(path, ids, "never", undo, as_json)

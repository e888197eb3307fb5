"""`foreword pin`."""

import click

from foreword.cli.marks import mark
from foreword.cli.output import json_option, project_option


@click.command("pin")
@click.argument("ids", nargs=-1, required=True, metavar="ID...")
@click.option("--undo", is_flag=True, help="Take the pin away.")
@project_option
@json_option
def command(ids, undo, path, as_json):
    """Pin memories: prompts that share a word get them first.

    A pinned memory is looked at for every prompt and needs less certainty to be offered. It stands in
    the memory's file as offer: always. The newest 20 of a project count.
    """
    mark(path, ids, "always", undo, as_json)

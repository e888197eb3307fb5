"""`foreword switch`."""

import click

from foreword import memory
from foreword.cli.output import json_option, opened, project_option, put, put_json


@click.command("switch")
@click.argument("state", required=False, type=click.Choice(["on", "off", "auto"]))
@project_option
@json_option
def command(state, path, as_json):
    """Show or set whether this project's prompts get forewords.

    `auto`, the default, is on for even days since 1970-01-01 (UTC) and off for odd ones, so that
    days with and without can be compared. Notes are saved in every state.
    """
    place = opened(path)
    if state:
        memory.set_switch(place, state)
    found = memory.get_switch(place)
    if as_json:
        put_json(found)
    else:
        put("{} (today: {})".format(found["configured"], found["effective"]))
        put(found["meaning"])

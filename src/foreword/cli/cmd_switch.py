"""`foreword switch`."""

import click

from foreword import memory, settings
from foreword.cli.output import json_option, opened, project_option, put, put_json


@click.command("switch")
@click.argument("state", required=False, type=click.Choice(settings.SWITCHES))
@project_option
@json_option
def command(state, path, as_json):
    """Show or set what this project's prompts and sessions get.

    `on`: forewords before prompts, and facts and sessions at a session's start. `off`: no forewords,
    and nothing at a session's start. `auto`, the default: forewords on even days since 1970-01-01
    (UTC) and none on odd ones, so that days with and without can be compared. `auto:session`: forewords
    in about half of the client sessions, decided by each one's id, which compares better: both kinds
    share every day's work. Under either, facts and sessions come at every session's start. Notes are
    saved in every state.
    """
    place = opened(path)
    if state:
        memory.set_switch(place, state)
    found = memory.get_switch(place)
    if as_json:
        put_json(found)
    else:
        put("{}: {}".format(found["configured"], found["meaning"]))
        if not state:
            put(
                "set for this project"
                if found["own"]
                else "the default; foreword switch on, off, auto or auto:session sets this project's"
            )

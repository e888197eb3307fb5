"""`foreword recall`."""

import click

from foreword import memory
from foreword.cli.output import json_option, opened, project_option, put, put_json, say
from foreword.errors import DONE, NO


@click.command("recall")
@click.option(
    "--budget", metavar="N", type=click.IntRange(800), help="Print at most N characters (default: 6000)."
)
@click.option(
    "--sessions", metavar="N", type=click.IntRange(0), help="Show the N newest sessions whole (default: 3)."
)
@project_option
@json_option
def command(budget, sessions, path, as_json):
    """Print what a client session starts with.

    Facts, and the newest sessions: the same text that the clients are handed at a start, after /clear
    and after a compaction. The defaults are recall.budget and recall.sessions of config.toml. Exit code
    1 when nothing is kept.

    \b
      foreword recall
      foreword recall --budget 20000 --sessions 10
    """
    place = opened(path)
    found = memory.recall(place, budget, sessions)
    if as_json:
        put_json(found)
    elif found["text"]:
        put(found["text"])
        if memory.get_switch(place)["configured"] == "off":
            say("the switch is off: sessions are not given this")
    else:
        say("no facts and no sessions are kept here yet")
        say('hint: echo "..." | foreword save --title "...", or /remember in a client')
    return DONE if found["text"] else NO

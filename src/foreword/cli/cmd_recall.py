"""`foreword recall`."""

import click

from foreword import memory
from foreword.cli.output import json_option, opened, project_option, put, put_json, say
from foreword.errors import DONE, NO


@click.command("recall")
@click.option("--budget", type=click.IntRange(800), help="Characters at most (default: 6000).")
@click.option("--sessions", type=click.IntRange(0), help="Newest sessions to show whole (default: 3).")
@project_option
@json_option
def command(budget, sessions, path, as_json):
    """Print what a client session starts with: facts, and the newest sessions.

    The same text that the clients are handed at a start, after /clear and after a compaction. The
    defaults are recall.budget and recall.sessions of config.toml. Exit code 1 when nothing is kept.

    \b
      foreword recall
      foreword recall --budget 20000 --sessions 10
    """
    found = memory.recall(opened(path), budget, sessions)
    if as_json:
        put_json(found)
    elif found["text"]:
        put(found["text"])
    else:
        say("no facts and no sessions are kept here yet")
        say('hint: echo "..." | foreword save --title "...", or /remember in a client')
    return DONE if found["text"] else NO

"""`foreword list`."""

import click

from foreword import memory
from foreword.cli.output import (
    json_option,
    opened,
    project_option,
    put,
    put_json,
    rows,
    say,
    type_option,
)


@click.command("list")
@type_option
@click.option("--archived", is_flag=True, help="The archived memories.")
@click.option("--limit", default=0, type=click.IntRange(0), help="At most (default: all).")
@project_option
@json_option
def command(kind, archived, limit, path, as_json):
    """List this project's memories and global facts, newest first."""
    found = memory.list_memories(opened(path), kind or "", archived, limit)
    if as_json:
        put_json(found)
    elif found:
        for row in found:
            rows([row])
            if row["offer"] != "usual":
                put("    offer: " + row["offer"])
    else:
        say("no memories here yet; notes are saved by themselves once a client is wired")
        say("hint: foreword install, then foreword doctor")

"""`foreword save`."""

import sys

import click

from foreword import memory
from foreword.cli.output import json_option, opened, project_option, put, put_json, say
from foreword.errors import ForewordError


@click.command("save")
@click.option(
    "--type",
    "kind",
    type=click.Choice(["fact", "session"]),
    default="fact",
    show_default=True,
    help="What it is.",
)
@click.option("--title", default="", help="Default: the first line. A fact's title is its name.")
@click.option("--tags", default="", metavar="a,b", help="Tags, with commas.")
@click.option("--global", "everywhere", is_flag=True, help="A fact for every project.")
@project_option
@json_option
def command(kind, title, tags, everywhere, path, as_json):
    """Save what stdin holds as a fact or a session.

    A fact with the title of an older one supersedes it; the old one stays until deleted.

    \b
      echo "Tests need the database: make db" | foreword save --title "Tests"
    """
    if sys.stdin is None or sys.stdin.isatty():
        raise ForewordError("the text comes on stdin", 'echo "..." | foreword save --title "..."')
    body = sys.stdin.buffer.read().decode("utf-8", "replace")
    tags = [tag.strip() for tag in tags.split(",") if tag.strip()]
    place = opened(path)
    saved = memory.save(place, body, kind, title, tags, everywhere)
    if as_json:
        put_json(saved)
    else:
        put("saved " + saved["id"])
        for older in saved["superseded"]:
            put("Supersedes " + older)
    nudge(memory.debt(place))


def nudge(debt):
    """Say so when enough has piled up that a dream pays."""
    if debt["due"]:
        say(
            f"superseded memories: {debt['superseded']}, sessions that the recall no longer names:"
            f" {debt['beyond']}; to consolidate: /dream in a client, or foreword dream"
        )

"""`foreword save`."""

import re
import sys

import click

from foreword import memory
from foreword.cli.output import json_option, opened, project_option, put, put_json, say
from foreword.errors import ForewordError

SESSION_SHAPE = r"[A-Za-z0-9][A-Za-z0-9_-]{7,63}"  # UUIDs, and opencode's `ses_...`


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
@click.option(
    "--supersedes", metavar="ID", multiple=True, help="A memory that this replaces; may be repeated."
)
@click.option("--session", default="", metavar="ID", help="The client session that it comes from.")
@project_option
@json_option
def command(kind, title, tags, everywhere, supersedes, session, path, as_json):
    """Save what stdin holds as a fact or a session.

    A fact with the title of an older one supersedes it, and so does --supersedes; the old one stays
    until it is archived or deleted, and is handed over no more.

    \b
      echo "Tests need the database: make db" | foreword save --title "Tests"
    """
    if sys.stdin is None or sys.stdin.isatty():
        raise ForewordError("the text comes on stdin", 'echo "..." | foreword save --title "..."')
    if session and not re.fullmatch(SESSION_SHAPE, session):
        raise ForewordError("that is no client session's id, nothing was saved", "leave --session out")
    body = sys.stdin.buffer.read().decode("utf-8", "replace")
    tags = [tag.strip() for tag in tags.split(",") if tag.strip()]
    place = opened(path)
    saved = memory.save(
        place, body, kind, title, tags, everywhere, session=session, supersedes=dict.fromkeys(supersedes)
    )
    if as_json:
        put_json(saved)
    else:
        put("saved " + saved["id"])
        for older in saved["superseded"]:
            put("Supersedes " + older)
    if saved["redacted"]:
        kinds = ", ".join(saved["redacted"])
        say(f"what looks like a credential was left out ({kinds}); say where it lives instead")
    if owed := memory.due(place):
        say(owed + "; to tidy up: /dream in a client, or foreword dream")

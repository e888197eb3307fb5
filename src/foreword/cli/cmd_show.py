"""`foreword show`."""

import click

from foreword import memory
from foreword.cli.output import (
    day,
    json_option,
    opened,
    project_option,
    put,
    put_json,
    table,
    tilde,
)
from foreword.text.frame import plain

NAMES = {"claude-code": "Claude Code", "codex": "Codex"}
GUESS = " (a guess: the client's latest in this project when it was saved)"


@click.command("show")
@click.argument("memory_id", metavar="ID")
@project_option
@json_option
def command(memory_id, path, as_json):
    """Show one memory whole, with its files and its origin.

    Of each file that it cites it says whether that changed since. The origin is the client session
    that the memory comes from, with the command that resumes it.
    """
    found = memory.read(opened(path), memory_id)
    found["origin"] = memory.origin.of(found)
    if as_json:
        put_json(found)
        return
    put(click.style(plain(found["title"]), bold=True))
    lines = [
        ("id", found["id"]),
        ("type", memory.kind(found)),
        ("created", day(found["created"]) + " UTC"),
    ]
    lines += [(key, plain(found[key])) for key in ("source", "basis") if found[key]]
    if found["checked"]:
        lines.append(("checked", plain(day(found["checked"])) + " UTC"))
    if found["superseded_by"]:
        lines.append(("superseded by", found["superseded_by"]))
    if found["supersedes"]:
        lines.append(("supersedes", plain(", ".join(found["supersedes"]))))
    if found["tags"]:
        lines.append(("tags", plain(", ".join(found["tags"]))))
    for cited in found["files"]:
        lines.append(("cites", "{} ({})".format(plain(cited["path"]), cited["state"])))
    if not found["files"]:
        lines.append(("cites", "no file"))
    if found["damage"]:
        lines.append(("damage", found["damage"]))
    lines.append(("file", tilde(found["path"])))
    table(lines)
    if found["question"]:
        put("\n" + click.style("Question", bold=True) + "\n" + plain(found["question"]))
        put("\n" + click.style("Answer", bold=True))
    else:
        put()
    put(plain(found["body"]))
    if found["origin"]["session"]:
        _origin(found["origin"])


def _origin(origin):
    put("\n" + click.style("Origin", bold=True))
    client = NAMES.get(origin["client"], "client")
    lines = [("session", plain(f"{client} session {origin['session']}") + GUESS * origin["guess"])]
    transcript = tilde(plain(origin["transcript"]))
    if origin["on_disk"] is False:
        lines.append(("resume", "not possible: its transcript is no longer on the disk"))
        if transcript:
            lines.append(("transcript", f"was {transcript}"))
    else:
        if origin["resume"]:
            lines.append(("resume", origin["resume"]))
        if origin["on_disk"]:
            lines.append(("transcript", transcript))
    table(lines)

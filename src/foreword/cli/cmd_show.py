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


@click.command("show")
@click.argument("memory_id", metavar="ID")
@project_option
@json_option
def command(memory_id, path, as_json):
    """Show one memory, whole, and how the files it cites stand."""
    found = memory.read(opened(path), memory_id)
    if as_json:
        put_json(found)
        return
    put(click.style(plain(found["title"]), bold=True))
    lines = [
        ("id", found["id"]),
        ("type", found["type"]),
        ("created", day(found["created"]) + " UTC"),
    ]
    lines += [(key, plain(found[key])) for key in ("source", "basis", "session") if found[key]]
    if found["offer"] != "usual":
        lines.append(("offer", found["offer"]))
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

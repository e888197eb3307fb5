"""`foreword status`."""

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

TYPES = ("note", "session", "fact")


@click.command("status")
@project_option
@json_option
def command(path, as_json):
    """Show the switch, what is stored, and what was offered last."""
    found = memory.status(opened(path))
    if as_json:
        put_json(found)
        return
    counts = ", ".join(
        "%d %s%s" % (n, kind, "" if n == 1 else "s") for kind in TYPES if (n := found["counts"].get(kind))
    )
    lines = [
        ("project", found["project"]),
        ("root", tilde(found["root"])),
        ("store", tilde(found["folder"])),
        ("switch", "{} (today: {})".format(found["switch"], found["today"])),
        ("memories", counts or "none yet"),
        ("prompts", "%d recorded, %d with a foreword" % (found["prompts"], found["forewords"])),
    ]
    if found["last"]:
        lines.append(("last offered", day(found["last"]["time"]) + " UTC"))
    table(lines)
    for row in found["last"]["memories"] if found["last"] else ():
        put("    {}  {}".format(row["id"], plain(row["title"])))

"""`foreword quarantine`: memories that come from others, until the user accepts them."""

import time

import click

from foreword import memory
from foreword.cli.output import counted, json_option, opened, project_option, put, put_json, rows, say, seen
from foreword.errors import ForewordError, NotFoundError
from foreword.text.frame import plain

all_option = click.option("--all", "is_all", is_flag=True, help="All that wait.")


@click.group("quarantine", invoke_without_command=True)
@project_option
@json_option
@click.pass_context
def command(ctx, path, as_json):
    """Memories that come from others wait here until you accept them.

    Nothing of them is indexed, found, offered or handed to an agent before. Read them first: their text is
    somebody else's, and an agent may take it for yours.
    """
    if ctx.invoked_subcommand:
        return
    found = memory.quarantine.waiting(opened(path))
    if as_json:
        put_json(found)
        return
    for row in found:
        rows([_as_row(row)])
        put("    from " + seen(row["origin"]) + ("; its text addresses an agent" if row["speaks"] else ""))
    told = (
        counted(len(found), "memory") + (" waits" if len(found) == 1 else " wait")
        if found
        else "nothing waits"
    )
    say(told + ("; foreword quarantine show ID, accept ID... or drop ID..." if found else ""))


@command.command("add")
@click.argument("paths", nargs=-1, required=True, metavar="FILE...")
@project_option
@json_option
def add(paths, path, as_json):
    """Put Markdown memories that somebody gave you here: one FILE each, with front matter or without."""
    place = opened(path)
    names = []
    for file in paths:
        names += memory.quarantine.put(place, [memory.quarantine.from_file(file)], file, time.time())
    if as_json:
        put_json(names)
        return
    for name in names:
        put("waits " + name)
    if len(names) < len(paths):
        say(f"{len(paths) - len(names)} passed over: empty, here already, or deleted by you")


@command.command("show")
@click.argument("name", metavar="ID")
@project_option
@json_option
def show(name, path, as_json):
    """Print one that waits."""
    found = [row for row in memory.quarantine.waiting(opened(path)) if row["name"] == name]
    if not found:
        raise NotFoundError(f"nothing waits under {name}", "foreword quarantine")
    if as_json:
        put_json(found[0])
        return
    put(click.style(plain(found[0]["title"]), bold=True))
    put(f"{found[0]['type']} of {found[0]['created'][:10]}, from {seen(found[0]['origin'])}")
    if found[0]["speaks"]:
        put("Its text addresses an agent.")
    put("\n" + plain(found[0]["body"]))


@command.command("accept")
@click.argument("names", nargs=-1, metavar="ID...")
@all_option
@project_option
@json_option
def accept(names, is_all, path, as_json):
    """Make memories of what waits: from then on they are offered and found like any other."""
    place = opened(path)
    done = memory.quarantine.accept(place, _names(place, names, is_all))
    if as_json:
        put_json(done)
        return
    for memory_id in done["ids"]:
        put("saved " + memory_id)
    if done["known"]:
        say(f"{counted(len(done['known']), 'text')} stood here already")


@command.command("drop")
@click.argument("names", nargs=-1, metavar="ID...")
@all_option
@project_option
@json_option
def drop(names, is_all, path, as_json):
    """Remove what waits, for good."""
    place = opened(path)
    done = memory.quarantine.drop(place, _names(place, names, is_all))
    if as_json:
        put_json(done)
    else:
        put(f"dropped {counted(len(done), 'memory')}")


def _names(place, names, is_all):
    if bool(names) == is_all:
        raise ForewordError("IDs or --all", "foreword quarantine")
    return [row["name"] for row in memory.quarantine.waiting(place)] if is_all else list(names)


def _as_row(row):
    return {
        "id": row["name"], "type": row["type"], "title": plain(row["title"]), "created": row["created"],
        "project": "", "snippet": plain(row["body"][:200]), "archived": False, "global": False,
        "superseded_by": "", "offer": "usual",
    }  # fmt: skip

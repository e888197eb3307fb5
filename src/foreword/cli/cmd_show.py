"""`foreword show`."""

import shlex

import click

from foreword import memory
from foreword.cli.output import (
    counted,
    day,
    json_option,
    opened,
    project_option,
    put,
    put_json,
    table,
    tilde,
)
from foreword.clients import loaded
from foreword.errors import NotFoundError
from foreword.memory import entities
from foreword.text.frame import plain

GUESS = " (a guess: the client's latest in this project when it was saved)"


@click.command("show")
@click.argument("wanted", metavar="ID", nargs=-1, required=True)
@project_option
@json_option
def command(wanted, path, as_json):
    """Show one memory, or one entity of the knowledge graph, whole.

    ID is a memory's id, or an entity's exact name. Of each file that a memory cites it says whether
    that changed since. The origin is the client session that the memory comes from, with the command
    that resumes it.
    """
    wanted = " ".join(wanted)  # names of entities hold spaces
    try:
        found = memory.read(opened(path), wanted)
    except NotFoundError as error:
        found = _entity(wanted, error)
    else:
        found["origin"] = memory.origin.of(found)
    if as_json:
        put_json(found)
    elif found["type"] == entities.ENTITY:
        _tell_entity(found)
    else:
        _tell(found)


def _entity(name, error):
    """The entity of that name; without one the `error` that no memory has it."""
    found = entities.read(name)
    if found is None and (near := entities.near(name)):
        meant = " or ".join(map(shlex.quote, near))
        raise NotFoundError(f"{error}, and no entity has that name", f"foreword show {meant}") from error
    if found is None:
        raise error
    return found


def _tell_entity(found):
    put(click.style(found["title"], bold=True))
    lines = [("type", "entity (archived)" if found["archived"] else "entity")]
    if found["dated"]:
        lines.append(("newest", found["created"][:10]))
    table([*lines, ("file", tilde(found["path"]))])
    _listed("", found["observations"])
    verbs = "{from} -{relationType}-> {to}"
    _listed("Relations", [verbs.format(**relation) for relation in found["relations"]])
    _listed(
        counted(len(found["archived_observations"]), "observation") + " in the archive",
        found["archived_observations"],
    )


def _listed(heading, texts):
    """A list with what stands above it; nothing of an empty one."""
    if not texts:
        return
    put("\n" + click.style(heading, bold=True) if heading else "")
    for text in texts:
        put("- " + plain(text).replace("\n", "\n  "))


def _tell(found):
    put(click.style(plain(found["title"]), bold=True))
    lines = [
        ("id", found["id"]),
        ("type", memory.kind(found)),
        ("created", day(found["created"]) + " UTC"),
    ]
    lines += [("source", plain(found["source"]))] if found["source"] else []
    lines += [("basis", plain(found["by"]))] if found["basis"] else []
    if found["checked"]:
        lines.append(("checked", plain(day(found["checked"])) + " UTC"))
    if found["superseded_by"]:
        lines.append(("superseded by", found["superseded_by"]))
    if found["supersedes"]:
        lines.append(("supersedes", plain(", ".join(found["supersedes"]))))
    if found["tags"]:
        lines.append(("tags", plain(", ".join(found["tags"]))))
    for cited in found["files"]:
        lines.append(("cites", plain(f"{cited['path']} ({memory.cites.told(cited)})")))
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
    client = loaded.install(origin["client"]).ABOUT.called if origin["client"] else "client"
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

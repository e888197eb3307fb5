"""The verbs of `foreword graph` that move observations to the archive and back: compact, restore."""

import click

from foreword import graph_index
from foreword.cli import graph_tables
from foreword.cli.graph_file import file_option, opened
from foreword.cli.graph_tables import many, shown
from foreword.cli.output import json_option, put, put_json, say
from foreword.errors import ForewordError, NotFoundError
from foreword.graph import backups, change

NAMED = 5  # entities that a sentence names


@click.command("compact")
@file_option
@click.option("--dry-run", is_flag=True, help="Show what would move and change nothing.")
@json_option
def compact(path, dry_run, as_json):
    """Back up, then move what entities hold too much of to the archive.

    An entity keeps 15 observations (MEMORY_OBS_MAX). Past that its oldest dated ones move; those without
    a date at their start always stay. The agent's archived_observations brings them back.
    """
    file = opened(path)
    most = file.limits.observations
    moving = _moving(file.read().entities, most)
    backup = ""
    if moving and not dry_run:
        file.refuse_unwritable()  # before the backup
        backup = backups.now(file.real, file.limits.backups)
        done = change.compact(file)
        graph_index.after_write(file)
        moving = {name: (len(moved), done.counts[name]) for name, moved in done.archived.items()}
    rows = [{"name": name, "moved": moved, "left": left} for name, (moved, left) in moving.items()]
    over = [e.name for e in file.read().entities if len(e.observations) > most and e.name not in moving]
    if as_json:
        found = {"path": file.path, "dry_run": dry_run, "limit": most, "backup": backup}
        put_json({**found, "archive": file.archive.folder, "entities": rows, "over": over})
        return
    if rows:
        graph_tables.moved(rows, dry_run, file.archive.folder, backup)
    else:
        put(f"nothing to move: no entity holds dated observations beyond {most}")
    if over:
        told = ", ".join(shown(name, 40) for name in over[:NAMED]) + (", …" if len(over) > NAMED else "")
        say(f"{many(len(over), 'entity')} beyond {most} without dates to go by, which stay: {told}")


def _moving(entities, most):
    """{name: (observations that move, that are left)} of entities that hold too much."""
    found = {}
    for entity in entities:
        kept, moved = change.overflow(entity.observations, most)
        if moved or entity.name in found:  # names may repeat
            found[entity.name] = (found.get(entity.name, (0, 0))[0] + len(moved), len(kept))
    return found


@click.command("restore")
@click.argument("name", nargs=-1)
@click.option("--all", "everything", is_flag=True, help="Of every entity.")
@click.option("--dry-run", is_flag=True, help="Show what would move and change nothing.")
@file_option
@json_option
def restore(name, everything, dry_run, path, as_json):
    """Move archived observations back into the graph.

    NAME is an entity's exact name. For going back to the reference server, which does not see the archive;
    with Foreword's own tools the next one added to an entity that then holds more than 15 (MEMORY_OBS_MAX)
    moves the oldest to the archive again. The agent's archived_observations brings back single ones.

    \b
      foreword graph restore --all
      foreword graph restore shop-backend "web shop"
    """
    names = name
    if bool(names) == everything:
        raise ForewordError(
            "say whose observations: NAME... or --all", "foreword graph restore --all --dry-run"
        )
    file = opened(path)
    graph, archived = file.read(), file.archive
    left = [name for name in archived.entries(graph.by_name) if name not in graph.by_name]
    if everything:
        names = [entity.name for entity in graph.entities if archived.of(entity.name)]
    for name in dict.fromkeys(names):
        if not archived.of(name):
            raise NotFoundError(f"nothing of {name!r} is in the archive, nothing was changed", _HINT)
        if name not in graph.by_name:
            raise NotFoundError(
                f"the graph has no entity {name!r}, nothing was changed",
                f"ask the agent to make it (create_entities); {len(archived.of(name))} wait in the archive",
            )
    rows = []
    for name in dict.fromkeys(names):
        held, back = graph.by_name[name].observations, archived.of(name)
        rows.append({"name": name, "restored": len(back), "now": len(held) + len(set(back) - set(held))})
    if rows and not dry_run:
        done = change.restore(file, {row["name"]: None for row in rows})
        rows = [
            {"name": name, "restored": len(back), "now": done.counts[name]}
            for name, back in done.unarchived.items()
        ]
        graph_index.after_write(file)
    most = file.limits.observations
    over = [row["name"] for row in rows if row["now"] > most]
    if as_json:
        found = {"path": file.path, "dry_run": dry_run, "limit": most, "archive": archived.folder}
        put_json({**found, "entities": rows, "over": over, "left": left if everything else []})
        return
    if rows:
        graph_tables.restored(rows, dry_run)
    else:
        put("nothing to restore: the archive holds nothing of an entity of this graph")
    if over:
        say(f"{many(len(over), 'entity')} beyond {most}: a tool that adds to one moves its oldest back")
    if left and everything:
        told = ", ".join(shown(name, 40) for name in left[:NAMED]) + (", …" if len(left) > NAMED else "")
        say(f"left in the archive, for the graph has no such entity: {told}")


_HINT = "foreword graph restore --all --dry-run lists whose are"

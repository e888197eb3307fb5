"""How a project stands: its switch, its counts, its health."""

import os
import sqlite3

from foreword import paths, project, settings
from foreword.edit import settings_file
from foreword.errors import BusyError, ForewordError
from foreword.index import catch_up, schema
from foreword.memory.change import locked, made
from foreword.memory.find import folders, list_memories
from foreword.memory.recall import debt
from foreword.store import check as checking
from foreword.store import layout, logs

BY_SESSION = "by session"  # in place of "on" or "off" today: each client session has its own
_SWITCHES = "on, off, auto or auto:session"


def status(place):
    """What `foreword status` shows: project, root, folder, switch, today, switch_own (see
    get_switch), counts by type, debt (see `debt`),
    prompts and forewords recorded, the last foreword ({time, memories}) or None, the last recall ({time,
    client, session, source, facts, sessions, listed, left_out, characters}) or None, fired: {client:
    {hook event: when it last ran}}, and graph (see `graph`)."""
    switch = get_switch(place)
    rows = list_memories(place)
    counts = {}
    for row in rows:
        counts[row["type"]] = counts.get(row["type"], 0) + 1
    titles = {row["id"]: row["title"] for row in rows}
    prompts = forewords = 0
    last = None
    for record in logs.records(os.path.join(place.folder, "prompts.log")):
        prompts += 1
        ids, named = logs.shown(record)
        forewords += bool(ids or named)
        if ids:
            last = {
                "time": str(record.get("time", "")),
                "memories": [{"id": i, "title": titles.get(i, "(gone)")} for i in ids],
            }
    return {
        "project": place.name, "identity": place.identity, "root": place.root, "folder": place.folder,
        "switch": switch["configured"], "today": switch["effective"], "switch_own": switch["own"],
        "counts": counts,
        "debt": debt(place), "prompts": prompts, "forewords": forewords, "last": last,
        "recalled": _recalled(place.folder), "fired": _fired(place.home), "graph": graph(place.home),
    }  # fmt: skip


def graph(home):
    """{"on", "path", "exists", "entities", "relations", "error"}: the knowledge graph, the user's and no
    project's. The numbers are 0 where there is no file; `error` says why it cannot be read, or ""."""
    from foreword.graph import place  # nothing else here needs that room

    found = {"on": bool(settings.load(home)["graph.on"]), "path": place.path_of(home), "exists": False}
    found |= {"entities": 0, "relations": 0, "error": ""}
    try:
        file = place.open_graph(found["path"])
        read = file.read()
    except ForewordError as error:
        return {**found, "exists": os.path.lexists(found["path"]), "error": error.message}
    return {
        **found, "exists": file.exists(), "entities": len(read.entities), "relations": len(read.relations),
    }  # fmt: skip


def _recalled(folder):
    """The last line of recalls.log, as far as people care; None when there is none."""
    last = next(logs.newest(os.path.join(folder, "recalls.log")), None)
    if last is None:
        return None
    counts = ("facts", "sessions", "listed", "left_out", "characters")
    return {
        **{key: str(last.get(key, "")) for key in ("time", "client", "session", "source")},
        **{key: last[key] if isinstance(last.get(key), int) else 0 for key in counts},
    }


def _fired(home):
    """{client: {event: ISO time}} of the hooks that ever ran here, whatever the project."""
    found = {}
    folder = os.path.dirname(paths.fired(home, "", ""))
    try:
        names = sorted(os.listdir(folder))
    except OSError:
        return found
    for name in names:
        client, _, event = name.rpartition(".")
        if not client or name.startswith("."):
            continue  # a file that is being written
        try:
            when = os.stat(os.path.join(folder, name)).st_mtime
        except OSError:
            continue
        found.setdefault(client, {})[event] = layout.timestamp(when)
    return found


def check(place):
    """{"memories": n, "findings": [{where, what, hint}]}: reads all files and the index, changes nothing."""
    read_in_all = 0
    found = []
    for _, folder in folders(place, False):
        if not os.path.isdir(folder):
            continue
        count, wrong = checking.findings(folder)
        read_in_all += count
        for at, what, hint in wrong:
            found.append({"where": os.path.join(folder, at), "what": what, "hint": hint})
        if os.path.exists(schema.path(folder)):
            told = catch_up.damage(folder)
            if told:
                found.append({"where": schema.path(folder), "what": told, "hint": "foreword reindex"})
    return {"memories": read_in_all, "findings": found}


def reindex_graph(home):
    """Bring the index of the graph's entities up to date; True when it was, False where none is kept.

    Raises ForewordError for a graph that cannot be read or an index that cannot be written, BusyError while
    another process holds either.
    """
    if not settings.load(home)["graph.in_index"]:
        return False
    from foreword import graph_index  # most have no such index

    at = os.path.join(home, "graph", "index.sqlite")
    try:
        if not graph_index.keep_up(home, doubted=True):
            raise BusyError("the index of the graph's entities is in use", "try again")
    except schema.NewerError as error:
        raise ForewordError(f"{at}: {error}", "update Foreword, or delete that file") from error
    except (OSError, sqlite3.Error) as error:
        raise ForewordError(f"{at} cannot be written: {error}", "foreword doctor") from error
    return True


def reindex(place, progress=None):
    """Build the index of the project and of the global facts anew; the number of memories indexed."""
    done = 0
    for _, folder in folders(place, False):
        if os.path.isdir(folder):
            done += catch_up.rebuild(folder, progress)
    return done


def get_switch(place, now=None):
    """{"configured": one of settings.SWITCHES, "effective": on|off (today) or "by session" (auto:session),
    "own": whether it was set for this project and is not the default, "meaning": what sessions and prompts
    get}."""
    own = project.read_record(place.folder).get("switch")
    own = own if own in settings.SWITCHES else None  # project.json may be edited by hand
    configured = own or settings.load(place.home)["switch"]
    effective = BY_SESSION if configured == "auto:session" else settings.effective(configured, now)
    meaning = {
        "on": "forewords, and facts and sessions at a session's start; notes are saved",
        "off": "no forewords, and nothing at a session's start; notes are still saved",
        "auto": f"forewords on even days since 1970-01-01 (UTC), today {effective}; facts and sessions at"
        " every session's start; notes are saved",
        "auto:session": "forewords in about half of the client sessions, decided by each one's id; facts and"
        " sessions at every session's start; notes are saved",
    }[configured]
    return {"configured": configured, "effective": effective, "own": bool(own), "meaning": meaning}


def set_switch(place, value):
    """Set the project's own switch: one of settings.SWITCHES."""
    if value not in settings.SWITCHES:
        raise ForewordError(f"the switch is {_SWITCHES}, not {value!r}", "foreword switch --help")
    place = made(place)
    with locked(place.home):
        record = project.read_record(place.folder)
        project.write_record(place.folder, {**record, "switch": value})


def set_default_switch(home, value):
    """Set `switch` in config.toml, the default of projects without their own; the rest stays."""
    if value not in settings.SWITCHES:
        raise ForewordError(f"the switch is {_SWITCHES}, not {value!r}", "foreword install --help")
    settings_file.set_values(home, {"switch": value})

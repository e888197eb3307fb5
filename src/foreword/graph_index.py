"""Keeping the index of the graph's entities, for prompts, in step with the graph's file. Cold.

Only where the setting graph.in_index is on, and only for the file that config.toml names: hooks do not see
the environment that a client gives its server. Reads the graph and never changes it; the index may be deleted
at any time.
"""

import calendar
import json
import os
import sqlite3
import time

from foreword import files, paths, settings
from foreword.digest import sha256
from foreword.errors import ForewordError
from foreword.graph import place
from foreword.graph.change import day_of
from foreword.graph.file import GraphFile
from foreword.index import build, catch_up, entities, postings, schema
from foreword.text.frame import plain

PATIENCE_S = 5.0
AFTER_WRITE_S = 0.2  # a tool's answer waits no longer for another process that builds the index
LOOKS = 5  # how often the file is read again because it changed meanwhile
SHOWN = 6_000  # characters of observations kept for the line: those of an entity within the limits, all


def keep_up(home, file=None, doubted=False, wait_s=PATIENCE_S):
    """Make the index agree with the graph; True when it does then. Where the setting is off it is removed.

    file: the GraphFile that somebody has open; nothing is done when it is not the one that config.toml names.
    doubted: a hook met pages that cannot be read. Raises ForewordError for a graph that cannot be read,
    OSError, sqlite3.Error, schema.NewerError.
    """
    chosen = settings.load(home)
    at = entities.folder(home)
    if not chosen["graph.in_index"]:
        _drop(at)
        return False
    path = place.path_of(home, {}, chosen)
    if file is None:
        file = GraphFile(path, place.limits({}))
    elif file.real != os.path.realpath(path):
        return False
    files.make_folder(at)
    with files.Lock(at, wait_s, ".entities.lock") as held:
        return held and _agree(at, file, {"file": chosen["graph.file"], "path": path}, doubted)


def after_write(file):
    """The same after a tool wrote `file`, so that the next prompt finds it. Never raises: the graph is
    written, and a prompt that finds the index behind has it brought up to date."""
    home = paths.home()
    try:
        return bool(home) and keep_up(home, file, wait_s=AFTER_WRITE_S)
    except (ForewordError, OSError, sqlite3.Error, schema.UnusableError):
        return False


def _agree(at, file, made, doubted):
    for _ in range(LOOKS):
        made["stamp"] = entities.stamp(file.path)
        graph = file.read()
        if made["stamp"] == entities.stamp(file.path):
            break
    else:
        return False  # somebody writes all the time; the next prompt sees that the index is behind
    wanted = _wanted(graph)

    def fill(db):
        _update(db, wanted, made)

    try:
        if not (doubted and catch_up.damage(at)):
            db = schema.open_writing(at, wait_s=PATIENCE_S)
            try:
                if _update(db, wanted, made):
                    catch_up.clear_words(db, wait_s=0.5)
            finally:
                db.close()
            return True
    except schema.NewerError:
        raise
    except (schema.UnusableError, sqlite3.DatabaseError) as error:
        if schema.passes_by_itself(error):
            raise
    catch_up.anew(at, fill)
    return True


def _wanted(graph):
    """{id: (name, type, observations)}: what several entities of one name hold is put together."""
    found = {}
    for entity in graph.entities:
        at = entities.id_of(entity.name)
        if at in found:
            name, kind, observations = found[at]
            found[at] = name, kind, observations + entity.observations
        else:
            found[at] = entity.name, entity.type, entity.observations
    return found


def _update(db, wanted, made):
    """Index what is new or changed and take out what is gone; True when words were taken out.

    While it is under way the index says of no file that it is made of it.
    """
    if entities.made_of(db) == made:
        return False
    known = dict(db.execute("SELECT place, mtime FROM memories"))
    keys = _keys(wanted)
    changed = [at for at, key in keys.items() if known.get(at) != key]
    gone = [at for at in known if at not in wanted]
    written_s = made["stamp"][0] / 1e9 if made["stamp"] else 0.0
    try:
        for first in range(0, max(1, len(changed)), catch_up.BATCH):
            db.execute("BEGIN IMMEDIATE")
            db.execute("DELETE FROM meta WHERE key=?", (entities.STAMP,))
            for at in changed[first : first + catch_up.BATCH]:
                build.add(db, _memory(at, wanted[at], written_s), at, keys[at], len(wanted[at][2]))
            if first + catch_up.BATCH < len(changed):
                postings.fold(db, catch_up.FOLDED)
                db.execute("COMMIT")
        for at in gone:
            build.remove(db, at)
        postings.fold(db, postings.TAIL)
        postings.glance(db)
        db.execute("INSERT INTO meta VALUES(?,?)", (entities.STAMP, json.dumps(made)))
        db.execute("COMMIT")
    except BaseException:
        if db.in_transaction:
            db.execute("ROLLBACK")
        raise
    return bool(gone) or not known.keys().isdisjoint(changed)


def _keys(wanted):
    """{id: 63 bits of a hash of all that is indexed of an entity}. A server asks after every write, mostly of
    the same lists of observations (a Graph never changes one, it takes another): 44 ms less at 10,000."""
    global _known
    fresh = {}
    for at, entry in wanted.items():
        known = _known.get(at)
        if known is None or known[0][2] is not entry[2] or known[0][:2] != entry[:2]:
            known = entry, int.from_bytes(sha256(json.dumps(entry).encode()).digest()[:8], "big") >> 1
        fresh[at] = known
    _known = fresh
    return {at: key for at, (_, key) in fresh.items()}


_known = {}  # id -> (entity, its key) of the last look


def _memory(at, entry, written_s):
    """An entity in the form of a memory: its name (and type) as the title, its observations as the body.

    The name stands as the question, which is weighed for notes only. created: the newest day that an
    observation begins with, else when the file was written in which it was new or changed.
    """
    name, kind, observations = entry
    lines = [line for text in observations if (line := " ".join(plain(text).split()))]
    shown = plain(name).strip()
    return {
        "id": at,
        "type": entities.TYPE,
        "title": titled(name, kind),
        "question": shown,
        "body": "\n".join(lines),
        "shown": "\n".join(lines)[:SHOWN],
        "created": min(newest_day(observations) or written_s, written_s),
        "turn": "",
        "session": "",
        "files": [],
    }


def titled(name, kind):
    """`shop-backend [service]`, on one line."""
    name, kind = (" ".join(plain(text).split()) for text in (name, kind))
    return f"{name} [{kind}]" if kind else name


def newest_day(observations):
    """Epoch seconds of the newest day that an observation begins with; None where none does."""
    for day in sorted(filter(None, map(day_of, observations)), reverse=True):
        try:
            return float(calendar.timegm(time.strptime(day, "%Y-%m-%d")))
        except ValueError:
            continue  # the 31st of February
    return None


def _drop(at):
    """Remove an index that nobody asks any more, with all words that are in it."""
    if os.path.exists(schema.path(at)):
        with files.Lock(at, PATIENCE_S, ".entities.lock") as held:
            for ending in ("-wal", "-shm", "-journal", "") if held else ():
                files.remove(schema.path(at) + ending)

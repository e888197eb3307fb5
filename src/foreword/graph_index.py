"""Keeping the index of the graph's entities, for prompts, in step with the graph's file. Cold.

Only where the setting graph.in_index is on, and only for the file that config.toml names: hooks do not see
the environment that a client gives its server. Reads the graph and never changes it; the index may be deleted
at any time.
"""

import json
import os
import sqlite3

from foreword import files, paths, settings
from foreword.digest import sha256
from foreword.errors import ForewordError
from foreword.graph import place
from foreword.graph.file import GraphFile
from foreword.graph.titles import newest_day, titled
from foreword.index import build, entities, postings, rebuild, schema
from foreword.text.frame import plain

PATIENCE_S = 5.0
AFTER_WRITE_S = 0.2  # a tool's answer waits no longer for another process that builds the index
LOOKS = 5  # how often the file is read again because it changed meanwhile
SHOWN = 6_000  # characters of observations kept for the line: those of an entity within the limits, all
_LOCK = ".entities.lock"


def keep_up(home, doubted=False):
    """Make the index agree with the graph that config.toml names, however long that takes (10,000 entities
    that are new: seconds); True when it does then. Where the setting is off the index is removed.

    doubted: a hook met pages that cannot be read. Raises ForewordError for a graph that cannot be read,
    OSError, sqlite3.Error, schema.NewerError.
    """
    chosen = settings.load(home)
    at = entities.folder(home)
    if not chosen["graph.in_index"]:
        _drop(at)
        return False
    path, made = _named(home, chosen)
    files.make_folder(at)
    with files.Lock(at, PATIENCE_S, _LOCK) as held:
        seen = _look(GraphFile(path, place.limits({}))) if held else None
        if seen is None:
            return False
        graph, made["stamp"] = seen

        def fill(db):
            if entities.made_of(db) != made:
                _update(db, _wanted(graph.entities), _keys_in(db), made)

        def update():
            db = schema.open_writing(at, wait_s=PATIENCE_S)
            try:
                fill(db)
            finally:
                db.close()

        rebuild.agree(at, update, lambda: rebuild.anew(at, fill), doubted)
        return True


def before_write(file):
    """What after_write has to know of a GraphFile that is about to be changed. Never raises."""
    try:
        return _look(file)
    except ForewordError:
        return None  # whoever changes it meets the same


def after_write(file, before=None, done=None):
    """Have the index follow one change, a change.Done, so that the next prompt finds what a tool wrote; True
    when it agrees with the graph then.

    Of an index that agreed with the file as it was `before`, only what the change names is looked at. Of
    another, all is compared, and nothing is done where more than a batch differs or it cannot be used: a
    tool's answer does not wait for that, and a prompt that finds the index behind has it brought up to date.
    Nor is anything done where the file is not the one that config.toml names. Never raises: the graph is
    written.
    """
    home = paths.home()
    try:
        chosen = settings.load(home) if home else {}
        if not chosen.get("graph.in_index"):
            return False
        path, made = _named(home, chosen)
        if file.real != os.path.realpath(path):
            return False
        at = entities.folder(home)
        files.make_folder(at)
        with files.Lock(at, AFTER_WRITE_S, _LOCK) as held:
            seen = _look(file) if held else None
            return bool(seen) and _follow(at, seen, made, before, _touched(done))
    except (ForewordError, OSError, sqlite3.Error, schema.UnusableError):
        return False


def _named(home, chosen):
    """(path of the graph, what the index is made of but for its stamp) as config.toml has it."""
    path = place.path_of(home, {}, chosen)
    return path, {"file": chosen["graph.file"], "path": path}


def _look(file):
    """(the Graph, the stamp of the file that holds just that); None while somebody writes all the time: the
    next prompt sees that the index is behind."""
    for _ in range(LOOKS):
        stamp = entities.stamp(file.path)
        graph = file.read()
        if stamp == entities.stamp(file.path):
            return graph, stamp
    return None


def _touched(done):
    """Names of the entities that a change may have made, changed or removed; None where that is unknown."""
    if done is None:
        return None
    found = {entity.name for entity in done.created}.union(name for name, _ in done.added)
    return found.union(done.counts, done.archived, done.unarchived, done.dropped, done.renamed or ())


def _follow(at, seen, made, before, names):
    graph, made["stamp"] = seen
    db = schema.open_writing(at, wait_s=AFTER_WRITE_S)
    try:
        of = entities.made_of(db)
        if of == made:
            return True
        # The same Graph: nobody else changed the file between the look before and this one.
        if before and names is not None and before[0] is graph and of == {**made, "stamp": before[1]}:
            wanted = _wanted(entity for entity in graph.entities if entity.name in names)
            known = _keys_in(db, map(entities.id_of, names))
        elif abs(len(graph.by_name) - postings.total(db)) > rebuild.BATCH:
            return False
        else:
            wanted, known = _wanted(graph.entities), _keys_in(db)
        return _update(db, wanted, known, made, rebuild.BATCH)
    finally:
        db.close()


def _wanted(found):
    """{id: (name, type, observations)} of Entities: what several of one name hold is put together."""
    wanted = {}
    for entity in found:
        at = entities.id_of(entity.name)
        if at in wanted:
            name, kind, observations = wanted[at]
            wanted[at] = name, kind, observations + entity.observations
        else:
            wanted[at] = entity.name, entity.type, entity.observations
    return wanted


def _keys_in(db, ids=None):
    """{id: its key} of the entities that are indexed, of all or of some."""
    sql = "SELECT place, mtime FROM memories"
    if ids is None:
        return dict(db.execute(sql))
    return dict(row for at in ids for row in db.execute(sql + " WHERE place=?", (at,)))


def _key(entry):
    """63 bits of a hash of all that is indexed of an entity."""
    return int.from_bytes(sha256(json.dumps(entry).encode()).digest()[:8], "big") >> 1


def _update(db, wanted, known, made, most=None):
    """Index what of `wanted` is new or changed, and take out what is `known` and not wanted. False where more
    than `most` would have to be indexed: then nothing is done.

    While it is under way the index says of no file that it is made of it.
    """
    keys = {at: _key(entry) for at, entry in wanted.items()}
    changed = [at for at, key in keys.items() if known.get(at) != key]
    gone = [at for at in known if at not in wanted]
    if most is not None and len(changed) > most:
        return False
    written_s = made["stamp"][0] / 1e9 if made["stamp"] else 0.0
    try:
        for first in range(0, max(1, len(changed)), rebuild.BATCH):
            db.execute("BEGIN IMMEDIATE")
            db.execute("DELETE FROM meta WHERE key=?", (entities.STAMP,))
            for at in changed[first : first + rebuild.BATCH]:
                build.add(db, _memory(at, wanted[at], written_s), at, keys[at], len(wanted[at][2]))
            if first + rebuild.BATCH < len(changed):
                postings.fold(db, rebuild.FOLDED)
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
    if gone or not known.keys().isdisjoint(changed):
        rebuild.clear_words(db, wait_s=0.5)
    return True


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


def _drop(at):
    """Remove an index that nobody asks any more, with all words that are in it."""
    if os.path.exists(schema.path(at)):
        with files.Lock(at, PATIENCE_S, _LOCK) as held:
            for ending in ("-wal", "-shm", "-journal", "") if held else ():
                files.remove(schema.path(at) + ending)

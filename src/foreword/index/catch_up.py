"""Making the index agree with the files. Cold: the worker, the CLI and the server call it, hooks never
wait for it (but for one memory that they have just changed).
"""

import json
import os
import sqlite3
import time

from foreword import files
from foreword.digest import of_text
from foreword.index import build, schema
from foreword.store import layout, read

BATCH = 200  # memories a transaction: a hook that wants to write waits no longer than one batch


def catch_up(folder, progress=None):
    """Index what is new or changed, take out what is gone. Returns (indexed, removed).

    `progress(done, all)` is called after each batch. Raises schema.UnusableError, sqlite3.Error.
    """
    started = time.monotonic()
    db = schema.open_writing(folder, wait_s=5.0)
    try:
        found, times = read.walk(folder)
        indexed = {
            place: (mtime, size)
            for place, mtime, size in db.execute("SELECT place, mtime, size FROM memories")
        }
        wanted = [place for place, mtime, size in found if indexed.get(place) != (mtime, size)]
        gone = set(indexed) - {place for place, _, _ in found}
        for at in range(0, len(wanted), BATCH):
            db.execute("BEGIN IMMEDIATE")
            for place in wanted[at : at + BATCH]:
                one(db, folder, place)
            db.execute("COMMIT")
            if progress:
                progress(min(at + BATCH, len(wanted)), len(wanted))
        db.execute("BEGIN IMMEDIATE")
        for place in gone:
            if not os.path.exists(os.path.join(folder, place)):
                build.remove(db, place)
        for place, mtime in times.items():
            build.set_folder_time(db, place, mtime)
        # Only the look counts here, not the indexing: it says how often one may be afforded.
        took_s = 0.0 if wanted or gone else time.monotonic() - started
        db.execute("INSERT OR REPLACE INTO meta VALUES('looked', ?)", (json.dumps([time.time(), took_s]),))
        db.execute("COMMIT")
        return len(wanted), len(gone)
    except BaseException:
        if db.in_transaction:
            db.execute("ROLLBACK")
        raise
    finally:
        db.close()


def one(db, folder, place):
    """Index the memory at one place as its file is now (or take it out). In the caller's transaction."""
    try:
        memory = read.load(folder, place)
    except OSError:
        return  # unreadable now: what was indexed stays until it can be read
    if memory is None:
        build.remove(db, place)
        return
    memory["id"] = _id_for(db, folder, memory)
    build.add(db, memory, place, memory["mtime"], memory["size"], memory["archived"])


def _id_for(db, folder, memory):
    """The memory's id: its file name, where that is an id nobody else has; else one made from the place.

    People copy files (one id twice) and add files under any name; both must be found and opened.
    """
    place = memory["place"]
    if memory["id"]:
        other = db.execute("SELECT place FROM memories WHERE id=?", (memory["id"],)).fetchone()
        if not other or other[0] == place or not os.path.exists(os.path.join(folder, other[0])):
            return memory["id"]
    else:
        known = db.execute("SELECT id FROM memories WHERE place=?", (place,)).fetchone()
        if known:
            return known[0]  # a new time must not give it a new id
    stamp = layout.new_id(memory["created"])[:15]
    return f"{stamp}-{of_text(place)[:8]}"


def rebuild(folder, progress=None):
    """Build the index anew beside the old one and put it in its place. Returns memories indexed.

    Readers of the old one go on; what is saved meanwhile is caught up at the end.
    """
    scratch = os.path.join(folder, ".rebuild.%d" % os.getpid())
    files.make_folder(scratch)
    try:
        schema.create(scratch)
        db = schema.open_writing(scratch)
        try:
            found, _ = read.walk(folder)
            for at in range(0, len(found), BATCH):
                db.execute("BEGIN IMMEDIATE")
                for place, _, _ in found[at : at + BATCH]:
                    one(db, folder, place)
                db.execute("COMMIT")
                if progress:
                    progress(min(at + BATCH, len(found)), len(found))
            db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        finally:
            db.close()
        for ending in ("-wal", "-shm"):
            files.remove(schema.path(folder) + ending)  # those of the old index must not meet the new
        os.replace(schema.path(scratch), schema.path(folder))
    finally:
        for name in os.listdir(scratch):
            files.remove(os.path.join(scratch, name))
        os.rmdir(scratch)
    catch_up(folder)
    return len(found)


def is_whole(folder):
    """ "" when the index can be read from end to end, else what is wrong with it. Reads all of it."""
    try:
        db = schema.open_reading(folder, wait_s=5.0)
    except (schema.UnusableError, sqlite3.Error) as error:
        return str(error)
    try:
        told = db.execute("PRAGMA integrity_check(1)").fetchone()[0]
        db.execute("SELECT count(*) FROM entries WHERE entries MATCH '\"a\"'").fetchone()
        return "" if told == "ok" else told
    except sqlite3.Error as error:
        return str(error)
    finally:
        db.close()

"""Making the index agree with the files. Cold: the worker, the CLI and the server call it, hooks never
wait for it (but for one memory that they have just changed).
"""

import json
import os
import sqlite3
import time

from foreword import paths
from foreword.digest import of_answer
from foreword.errors import BusyError, ForewordError
from foreword.index import build, postings, schema
from foreword.index.rebuild import BATCH, FOLDED, FOLDED_UNSEEN, anew, clear_words
from foreword.index.rebuild import agree as decide
from foreword.index.rebuild import damage as damage  # asked for beside the others
from foreword.store import layout, read, write
from foreword.text.redact import redact


def agree(folder, doubted=False):
    """Make the index agree with the files, anew where it cannot be used: see index.rebuild.agree, and what
    `rebuild` raises here."""
    decide(folder, lambda: catch_up(folder), lambda: rebuild(folder), doubted)


def catch_up(folder, progress=None):
    """Index what is new or changed, take out what is gone or was deleted. Returns (indexed, removed).

    A file of a memory that the user deleted (a sync brought it back, or a tombstone of another clone of the
    store came) counts as none. `progress(done, all)` is called after each batch. Raises
    schema.UnusableError, sqlite3.Error.
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
        wanted.sort(key=_rank)
        gone = set(indexed) - {place for place, _, _ in found}
        done = 0
        for at in range(0, len(wanted), BATCH):
            db.execute("BEGIN IMMEDIATE")
            for place in wanted[at : at + BATCH]:
                done += one(db, folder, place)
            postings.fold(db, FOLDED)
            db.execute("COMMIT")
            if progress:
                progress(min(at + BATCH, len(wanted)), len(wanted))
        deleted, tombstones = _deleted(db, folder)
        db.execute("BEGIN IMMEDIATE")
        for place in gone:
            if _is_gone(os.path.join(folder, place)):
                build.remove(db, place)
        for place in deleted:
            build.remove(db, place)
        gone.update(deleted)
        db.execute("INSERT OR REPLACE INTO meta VALUES('tombstones', ?)", (tombstones,))
        db.execute("DELETE FROM folders")  # one that is gone must not look changed for ever
        for place, mtime in times.items():
            schema.set_folder_time(db, place, mtime)
        postings.fold(db, postings.TAIL)
        postings.glance(db)
        # Only the look counts here, not the indexing: it says how often one may be afforded.
        took_s = 0.0 if done or gone else time.monotonic() - started
        db.execute("INSERT OR REPLACE INTO meta VALUES('looked', ?)", (json.dumps([time.time(), took_s]),))
        db.execute("COMMIT")
        if gone or not indexed.keys().isdisjoint(wanted):
            clear_words(db, wait_s=0.5)
        return done, len(gone)
    except BaseException:
        if db.in_transaction:
            db.execute("ROLLBACK")
        raise
    finally:
        db.close()


def _deleted(db, folder):
    """(places of indexed memories that have a tombstone, the time of the tombstones' folder in ns); looked
    for only when that folder changed since."""
    home = layout.home_of(folder)
    at = paths.tombstones(home)
    try:
        mtime = os.stat(at).st_mtime_ns
        row = db.execute("SELECT value FROM meta WHERE key='tombstones'").fetchone()
        if row and row[0] == mtime:
            return [], mtime
        names = set(os.listdir(at))
    except OSError:
        return [], 0  # nothing was ever deleted
    rows = db.execute("SELECT place, digest FROM memories")
    return [
        place for place, digest in rows if not names.isdisjoint(write.tombstones_of(folder, place, digest))
    ], mtime


def _is_gone(path):
    try:
        os.stat(path)
    except (FileNotFoundError, NotADirectoryError):
        return True
    except OSError:
        pass  # a folder that may not be looked into now: what was indexed stays
    return False


def _rank(place):
    """Of two files with one id, the one with the smaller rank keeps it: one at the place that the id names,
    in the order in which commands look there."""
    kind, archived = layout.kind_of(place) or ("note", False)
    if place != layout.place(kind, place.rpartition("/")[2][:-3], archived):
        return 2 * len(layout.TYPES)
    return layout.TYPES.index(kind) + len(layout.TYPES) * archived


def one(db, folder, place):
    """Index the memory at one place as its file is now (or take it out); True unless there is none, or one
    that the user deleted. In the caller's transaction."""
    try:
        memory = read.load(folder, place)
    except OSError:
        return False  # unreadable now: what was indexed stays until it can be read
    if memory is None or write.is_deleted(folder, place, of_answer(memory["body"])):
        build.remove(db, place)
        return False
    memory["id"], other = _id_for(db, folder, memory)
    build.add(db, _redacted(memory), place, memory["mtime"], memory["size"], memory["archived"])
    if other:
        one(db, folder, other)  # it goes on under an id of its own
    return True


def _redacted(memory):
    """A memory without what looks like a credential: people write files by hand."""
    clean = {key: redact(memory[key]) for key in ("title", "question", "body")}
    return {
        **memory,
        **clean,
        "tags": [redact(tag) for tag in memory["tags"]],
        "digest": of_answer(memory["body"]),
    }


def _id_for(db, folder, memory):
    """(the memory's id, "" or the place of the one that had it until now): its file name, where that is an
    id that nobody has who ranks before it; else an id made from the place.

    People copy files (one id twice) and add files under any name; both must be found and opened.
    """
    place = memory["place"]
    if memory["id"]:
        other = db.execute("SELECT place FROM memories WHERE id=?", (memory["id"],)).fetchone()
        if not other or other[0] == place or not os.path.exists(os.path.join(folder, other[0])):
            return memory["id"], ""
        if _rank(place) < _rank(other[0]):
            return memory["id"], other[0]
    else:
        known = db.execute("SELECT id FROM memories WHERE place=?", (place,)).fetchone()
        if known:
            return known[0], ""  # a new time must not give it a new id
    return layout.id_from(place, memory["created"]), ""


def rebuild(folder, progress=None):
    """Build the index anew beside the old one and put it in its place. Returns memories indexed.

    Readers of the old one go on; what is saved meanwhile is caught up at the end. Raises BusyError when
    another process holds the index for longer than PATIENCE_S, ForewordError for a disk that cannot be
    written.
    """
    try:
        return _rebuild(folder, progress)
    except sqlite3.DatabaseError as error:
        if schema.is_in_use(error):
            raise BusyError(f"{schema.path(folder)} is in use", "try again") from error
        if schema.passes_by_itself(error):
            raise ForewordError(
                f"{schema.path(folder)} cannot be written: {error}", "foreword doctor"
            ) from error
        raise


def _rebuild(folder, progress):
    def fill(db):
        found, _ = read.walk(folder)
        found.sort(key=lambda entry: _rank(entry[0]))
        done = 0
        for at in range(0, len(found), BATCH):
            db.execute("BEGIN IMMEDIATE")
            for place, _, _ in found[at : at + BATCH]:
                done += one(db, folder, place)
            postings.fold(db, FOLDED_UNSEEN if at + BATCH < len(found) else 1)
            db.execute("COMMIT")
            if progress:
                progress(min(at + BATCH, len(found)), len(found))
        return done

    done = anew(folder, fill)
    try:
        catch_up(folder)
    except sqlite3.OperationalError as error:
        if not schema.is_in_use(error):
            raise  # else what was saved meanwhile is left to the next look
    return done

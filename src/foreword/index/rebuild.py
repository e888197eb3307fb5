"""An index that cannot be used, and putting one made anew in its place, whatever it is of. Cold.

Knows neither the files of a store nor a graph, so that a server which keeps the index of its graph loads no
reader of memories.
"""

import os
import sqlite3
import time

from foreword import files
from foreword.errors import BusyError
from foreword.index import postings, schema

PATIENCE_S = 5.0
BATCH = 200  # memories a transaction: a hook that wants to write waits no longer than one batch
# Memories whose postings are written at once while many are read: more make fewer changes of one row,
# but prompts read that many profiles meanwhile. Nobody reads the scratch index of a rebuild.
FOLDED, FOLDED_UNSEEN = 1_024, 8_192
NEW_S = 3_600


def agree(folder, update, renew, doubted=False):
    """Let `update()` make an index agree with what it is made of, and `renew()` make it anew where it cannot
    be used; what to do with an error of an index is decided here and nowhere else.

    `doubted`: somebody met pages that cannot be read, so all are looked at first. Raises what passes by
    itself (sqlite3.Error: a lock, a full disk), what `update` and `renew` raise besides, and
    schema.NewerError: a newer program's index is left alone.
    """
    try:
        if doubted:
            _read_through(folder)
            if not _is_new(folder):
                renew()  # whoever doubted met something that a look from end to end does not
                return
        update()
    except schema.NewerError:
        raise
    except (schema.UnusableError, sqlite3.DatabaseError) as error:
        if schema.passes_by_itself(error):
            raise
        renew()


def _is_new(folder):
    """True for an index that was built within the hour: building it again would change nothing."""
    db = schema.open_reading(folder, wait_s=5.0)
    try:
        row = db.execute("SELECT value FROM meta WHERE key='built'").fetchone()
    finally:
        db.close()
    return bool(row) and isinstance(row[0], (int, float)) and 0 <= time.time() - row[0] < NEW_S


def clear_words(db, wait_s):
    """Take what is no longer indexed out of the log; True when no byte of it is left.

    Its place in the pages was overwritten at once (secure_delete). False: somebody reads an older state
    for longer than `wait_s`, so that it still stands in the log; nobody can write meanwhile.
    """
    db.execute("PRAGMA busy_timeout=%d" % (wait_s * 1000))
    return db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0] == 0


def anew(folder, fill):
    """Let `fill(connection)` fill an empty index beside the old one, and put that in its place. Returns what
    `fill` does. Raises BusyError, sqlite3.Error, OSError."""
    scratch = os.path.join(folder, ".rebuild.%d" % os.getpid())
    files.make_folder(scratch)
    try:
        schema.create(scratch)
        db = schema.open_writing(scratch)
        try:
            done = fill(db)
            db.execute("INSERT INTO meta VALUES('built', ?)", (time.time(),))
            is_over = _write_over(folder, db)
        finally:
            db.close()
        if not is_over:
            schema.put_in_place(schema.path(scratch), folder, over=True)
    finally:
        for name in os.listdir(scratch):
            files.remove(os.path.join(scratch, name))
        os.rmdir(scratch)
    return done


def _write_over(folder, new):
    """Copy an index over the old one through SQLite, since others may have that open; False when the
    old one is no database at all. Every page is written, so nothing of the old words stays."""
    end = time.monotonic() + PATIENCE_S
    db = None

    def patience(*_):
        if time.monotonic() > end:
            raise BusyError(f"{schema.path(folder)} is in use", "try again")

    try:
        db = schema.open_writing(folder, wait_s=PATIENCE_S, any_version=True)
        db.execute("BEGIN IMMEDIATE")  # waits for its turn; `backup` alone would ask for ever
        db.execute("ROLLBACK")
        new.backup(db, progress=patience)
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        return True
    except (schema.UnusableError, sqlite3.DatabaseError) as error:
        if schema.passes_by_itself(error):
            raise
        return False
    finally:
        if db is not None:
            db.close()


def damage(folder):
    """ "" when the index can be read from end to end, else what is wrong with it. Reads all of it."""
    try:
        _read_through(folder)
    except (schema.UnusableError, sqlite3.Error) as error:
        return str(error)
    return ""


def _read_through(folder):
    """Raise schema.UnusableError or sqlite3.Error where the index is not whole."""
    db = schema.open_reading(folder, wait_s=5.0)
    try:
        told = db.execute("PRAGMA integrity_check(1)").fetchone()[0]
        if told != "ok":
            raise schema.UnusableError(told)
        db.execute("SELECT * FROM folders, superseded, uses LIMIT 1").fetchone()
        memories = db.execute("SELECT count(*) FROM memories").fetchone()[0]
        if memories != postings.total(db):
            raise schema.UnusableError("%d memories, counted as %d" % (memories, postings.total(db)))
        postings.check(db)
    finally:
        db.close()

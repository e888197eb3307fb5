"""The index's tables and how it is opened. Hot."""

import os
import sqlite3

from foreword import files

VERSION = 4
NAME = "index.sqlite"

# One row a memory. `question` and `tags` are kept whole, for a note whose answer changes is weighed
# again without reading its file; `files` is JSON, [[path, sha256, [span, ...]], ...]; `offer` is 1
# for one that is pinned, -1 for one that is rejected, else 0.
# `superseded` holds ids and the row whose memory supersedes them; `folders` and `place`, `mtime`,
# `size` tell whether the files still are what was indexed. `uses` is index.uses', the last four
# tables are index.postings'.
DDL = """
CREATE TABLE meta(key TEXT PRIMARY KEY, value) WITHOUT ROWID;
CREATE TABLE memories(
  number INTEGER PRIMARY KEY, id TEXT UNIQUE NOT NULL, type TEXT NOT NULL, title TEXT NOT NULL,
  question TEXT NOT NULL, tags TEXT NOT NULL, conclusion TEXT NOT NULL, created REAL NOT NULL,
  turn TEXT NOT NULL, session TEXT NOT NULL, basis TEXT NOT NULL,
  digest TEXT NOT NULL, files TEXT NOT NULL,
  archived INTEGER NOT NULL, offer INTEGER NOT NULL, place TEXT UNIQUE NOT NULL,
  mtime INTEGER NOT NULL, size INTEGER NOT NULL);
CREATE TABLE superseded(id TEXT, number INTEGER, PRIMARY KEY(id, number)) WITHOUT ROWID;
CREATE INDEX by_digest ON memories(digest);
CREATE INDEX by_created ON memories(created);
CREATE INDEX by_offer ON memories(offer) WHERE offer=1;
CREATE INDEX by_hand ON memories(created, id, type, archived, title, offer) WHERE type<>'note' AND archived=0;
CREATE TABLE folders(place TEXT PRIMARY KEY, mtime INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE uses(id TEXT PRIMARY KEY, shown INTEGER NOT NULL, opened INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE terms(number INTEGER PRIMARY KEY, term INTEGER UNIQUE NOT NULL, memories INTEGER NOT NULL);
CREATE TABLE postings(
  segment INTEGER, term INTEGER, numbers BLOB NOT NULL, impacts BLOB NOT NULL,
  PRIMARY KEY(segment, term)) WITHOUT ROWID;
CREATE TABLE profiles(
  number INTEGER PRIMARY KEY, terms BLOB NOT NULL, impacts BLOB NOT NULL, fields BLOB NOT NULL,
  pairs BLOB NOT NULL, shape BLOB NOT NULL);
CREATE TABLE tail(number INTEGER PRIMARY KEY);
"""

# What SQLite says when the disk or somebody else is in the way and the index itself may be whole:
# building it anew would not help. The second kind is a disk that cannot be written.
_IN_USE = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
_UNWRITABLE = (
    sqlite3.SQLITE_CANTOPEN,
    sqlite3.SQLITE_READONLY,
    sqlite3.SQLITE_IOERR,  # the -shm file cannot grow: seen on a full disk and under a size limit
    sqlite3.SQLITE_FULL,
    sqlite3.SQLITE_PERM,
)
_PASSING = (*_IN_USE, *_UNWRITABLE, sqlite3.SQLITE_NOMEM)


class UnusableError(Exception):
    """The index is missing, of another version, or damaged. It can be built anew from the files."""


class MissingError(UnusableError):
    pass


class NewerError(UnusableError):
    """Written by a newer Foreword: left alone, so that a downgrade does no harm."""


def path(folder):
    return os.path.join(folder, NAME)


def open_reading(folder, wait_s=0.25):
    """A connection that never writes; UnusableError when there is nothing to read.

    Raises sqlite3.OperationalError when the index is locked for longer than `wait_s`.
    """
    at = path(folder)
    if not os.path.exists(at):
        raise MissingError("no index yet")
    uri = "file:" + _quoted(at)
    try:
        db = _connect(uri + "?mode=rw", wait_s)
    except sqlite3.OperationalError as error:
        if not is_unwritable(error):
            raise
        # A read-only or full disk: WAL needs to write its index beside the file, so read the file
        # as it stands. Nobody can be writing to it then.
        db = _connect(uri + "?mode=ro&immutable=1", wait_s)
    _check_version(db)
    db.execute("PRAGMA query_only=1")
    db.execute("BEGIN")  # one state of the index for all that is asked, whatever others write meanwhile
    return db


def open_writing(folder, wait_s=2.0, any_version=False):
    """A connection for changes; makes the index when there is none. Raises UnusableError, sqlite3.Error.

    `any_version` is for who writes all of it anew.
    """
    at = path(folder)
    if not _has_pages(folder):
        create(folder)
    db = _connect("file:" + _quoted(at) + "?mode=rw", wait_s)
    if not any_version:
        _check_version(db)
    db.execute("PRAGMA synchronous=NORMAL")
    db.execute("PRAGMA secure_delete=1")  # a deleted memory's words must not stay in free pages
    return db


def create(folder):
    """Make an empty index in one step: built under another name, then moved into place.

    Does nothing where there is one already.
    """
    temp = os.path.join(folder, ".index.%d-%s.tmp" % (os.getpid(), os.urandom(3).hex()))
    try:
        os.close(os.open(temp, os.O_WRONLY | os.O_CREAT | os.O_EXCL, files.FILE_MODE))
        db = sqlite3.connect(temp, isolation_level=None)
        try:
            db.execute("PRAGMA journal_mode=WAL")
            db.executescript("BEGIN;" + DDL + "COMMIT;")
            db.execute("PRAGMA user_version=%d" % VERSION)
        finally:
            db.close()
        put_in_place(temp, folder)
    finally:
        for ending in ("", "-wal", "-shm"):
            _remove_left(temp + ending)


def _remove_left(path):
    """Remove what was left of a try. On a read-only disk that fails even for what is not there: it must not
    hide what went wrong first."""
    try:
        files.remove(path)
    except OSError:
        pass


def passes_by_itself(error):
    """True for a lock, a disk that is full, read-only or failing: building the index anew would not help.

    SQLite reports much of what is wrong with the pages as OperationalError too, so its code decides.
    """
    return _code(error) in _PASSING


def is_in_use(error):
    """True when another process holds the index."""
    return _code(error) in _IN_USE


def is_unwritable(error):
    """True when the disk does not let us write: what is indexed may still be read."""
    return _code(error) in _UNWRITABLE


def _code(error):
    return getattr(error, "sqlite_errorcode", 0) & 0xFF


def _has_pages(folder):
    try:
        return os.path.getsize(path(folder)) > 0
    except OSError:
        return False


def put_in_place(made, folder, over=False):
    """Move a whole index to where none stands, or `over` a file that is no database."""
    with files.Lock(folder, wait_s=2.0, name=".index.lock"):
        if _has_pages(folder) and not over:
            return  # somebody else was first; theirs is as good
        # The log of an index that somebody deleted: SQLite would play it into the new one.
        for ending in ("-wal", "-shm", "-journal"):
            files.remove(path(folder) + ending)
        os.replace(made, path(folder))


def _connect(uri, wait_s):
    db = sqlite3.connect(uri, timeout=wait_s, isolation_level=None, uri=True)
    try:
        db.execute("PRAGMA user_version").fetchone()
    except sqlite3.OperationalError:
        db.close()
        raise
    except sqlite3.DatabaseError as error:
        db.close()
        raise UnusableError(str(error)) from error
    return db


def _check_version(db):
    found = db.execute("PRAGMA user_version").fetchone()[0]
    if found != VERSION:
        db.close()
        kind = NewerError if found > VERSION else UnusableError
        raise kind("the index has version %s, this program reads %d" % (found, VERSION))


def _quoted(path):
    """The path in a URI: `///` in front, for the second part of `//a` would be taken for a host."""
    text = path.replace("%", "%25").replace("?", "%3f").replace("#", "%23")
    if os.name == "nt":
        return "///" + text.replace("\\", "/")
    if not text.isascii():  # a name that is no UTF-8 must reach the disk as it is
        text = "".join(c if c.isascii() else "".join(map("%%%02x".__mod__, os.fsencode(c))) for c in text)
    return "//" + text


def folder_times(db):
    """{folder: mtime in ns} as they were when the index last agreed with the files."""
    return dict(db.execute("SELECT place, mtime FROM folders"))


def set_folder_time(db, place, mtime):
    db.execute(
        "INSERT INTO folders VALUES(?,?) ON CONFLICT(place) DO UPDATE SET mtime=excluded.mtime",
        (place, mtime),
    )

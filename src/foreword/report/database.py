"""`report.sqlite` itself: its tables, opened to count or to read, set aside, and joined with another's. Cold.

It holds numbers, hashes, and names of models and client sessions; no text. Clients remove their logs after a
while, so that what was counted cannot always be counted again: no such file is ever removed. One that cannot
be used gets another name, one of a newer Foreword is left alone, and that of a project which was joined into
this one is taken over.
"""

import contextlib
import os
import sqlite3
import stat
import time

from foreword import files
from foreword.errors import BusyError

NAME = "report.sqlite"
VERSION = 1
# What store/join calls the file of a project that was joined into this one; its folder's name follows.
JOINED = NAME + ".joined-"
BESIDE = ("-journal", "-wal", "-shm")  # what SQLite may keep beside a file
WAIT_S = 10.0  # for another program's lock
READ_WAIT_S = 2.0

# `keys` has each request (what=0, with its tokens: the greatest number of each that any of its records says),
# prompt (1), tool call (2) and read of a file (3) that was counted, by a hash of its key: the row's own
# number, so that there is no second tree. A log's `head` is the hash of its first `known` bytes; `state` is
# what its reader goes on with. `named` has what the first line of a log says of whose it is, for good: the id
# of a client session, or "".
DDL = """
CREATE TABLE meta(key TEXT PRIMARY KEY, value) WITHOUT ROWID;
CREATE TABLE sessions(
  number INTEGER PRIMARY KEY, client TEXT NOT NULL, session TEXT NOT NULL, started REAL, ended REAL,
  UNIQUE(client, session));
CREATE TABLE logs(
  path INTEGER PRIMARY KEY, session INTEGER NOT NULL, subagent INTEGER NOT NULL, device INTEGER NOT NULL,
  inode INTEGER NOT NULL, known INTEGER NOT NULL, head INTEGER NOT NULL, at INTEGER NOT NULL,
  unread INTEGER NOT NULL, state TEXT NOT NULL);
CREATE INDEX logs_by_file ON logs(device, inode);
CREATE TABLE models(number INTEGER PRIMARY KEY, name TEXT UNIQUE NOT NULL);
CREATE TABLE keys(
  hash INTEGER PRIMARY KEY, session INTEGER NOT NULL, what INTEGER NOT NULL, model INTEGER NOT NULL,
  input INTEGER NOT NULL, creation INTEGER NOT NULL, read INTEGER NOT NULL, output INTEGER NOT NULL);
CREATE TABLE files(session INTEGER, hash INTEGER, PRIMARY KEY(session, hash)) WITHOUT ROWID;
CREATE TABLE named(path INTEGER PRIMARY KEY, session TEXT NOT NULL);
"""
# What another's file `old` has, taken over. A key that both have stays with the session that has it here; of
# its tokens, as ever, the greatest count. A log is read on from where either left it.
JOIN = """
INSERT INTO sessions(client, session, started, ended)
  SELECT client, session, started, ended FROM old.sessions WHERE true ORDER BY number
  ON CONFLICT(client, session) DO UPDATE SET
    started=coalesce(min(started, excluded.started), started, excluded.started),
    ended=coalesce(max(ended, excluded.ended), ended, excluded.ended);
INSERT OR IGNORE INTO models(name) SELECT name FROM old.models ORDER BY number;
CREATE TEMP TABLE moved AS SELECT theirs.number AS of, ours.number AS to_
  FROM old.sessions theirs JOIN main.sessions ours USING(client, session);
INSERT INTO keys
  SELECT hash, to_, what, coalesce(ours.number, 0), input, creation, read, output
  FROM old.keys JOIN moved ON of=session
    LEFT JOIN old.models theirs ON theirs.number=model LEFT JOIN main.models ours ON ours.name=theirs.name
  WHERE true
  ON CONFLICT(hash) DO UPDATE SET input=max(input, excluded.input), creation=max(creation, excluded.creation),
    read=max(read, excluded.read), output=max(output, excluded.output);
INSERT OR IGNORE INTO files SELECT to_, hash FROM old.files JOIN moved ON of=session;
INSERT INTO logs
  SELECT path, to_, subagent, device, inode, known, head, at, unread, state
  FROM old.logs JOIN moved ON of=session WHERE true
  ON CONFLICT(path) DO UPDATE SET at=excluded.at, unread=excluded.unread, state=excluded.state,
    known=excluded.known, head=excluded.head
    WHERE device=excluded.device AND inode=excluded.inode AND at<excluded.at;
INSERT OR IGNORE INTO named SELECT path, session FROM old.named;
DROP TABLE moved;
"""
_EMPTY, _OTHER = 0, -1  # versions of a file without tables, and of one that is damaged or none of ours
# What SQLite says of a damaged file; and what it also says of a fault in our own statements.
_DAMAGED = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_FORMAT)
_DOUBTFUL = (sqlite3.SQLITE_ERROR, sqlite3.SQLITE_CONSTRAINT, sqlite3.SQLITE_MISMATCH)
_BUSY = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
# Where SQLite quotes a damaged file in its message, Python cannot even make the sqlite3.Error.
ERRORS = (sqlite3.Error, UnicodeDecodeError)


def opened(folder, said):
    """A connection for changes to a project's report.sqlite, made when there is none; None when it is of a
    newer Foreword. What people should know is added to `said`, a list of sentences. Raises one of ERRORS or
    OSError when it cannot be opened or set aside."""
    path = os.path.join(folder, NAME)
    version = _version(path)
    if version > VERSION:
        said.append(_newer(NAME, version))
        return None
    if version not in (_EMPTY, VERSION):
        set_aside(folder, said, NAME, version)
    with contextlib.suppress(FileExistsError):
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, files.FILE_MODE))
    db = _connect(path, WAIT_S)
    try:
        if version != VERSION:
            db.executescript(f"BEGIN;{DDL}INSERT INTO meta VALUES('version', {VERSION});COMMIT;")
        _join(db, folder, said)
    except BaseException:
        db.close()
        raise
    return db


def read(folder, take):
    """What `take(db)` gives of a project's report.sqlite; None when there is none of this version, or it
    cannot be read. Also while another program holds it for itself, but in the middle of a change."""
    path = os.path.join(folder, NAME)
    try:
        if _version(path, READ_WAIT_S) != VERSION:
            return None
        with contextlib.closing(_connect(path, READ_WAIT_S)) as db:
            return take(db)
    except OSError:
        return None
    except ERRORS as error:
        if not _is(error, _BUSY):
            return None
    try:
        before, data = _at_rest(path), files.read(path)
        if before is None or not data or _at_rest(path) != before:
            return None
        with contextlib.closing(_set_up(sqlite3.connect(":memory:"))) as db:
            db.deserialize(data)
            return take(db) if _version_in(db) == VERSION else None
    except (OSError, *ERRORS):
        return None


def is_damaged(folder, error):
    """Whether one of ERRORS comes of what stands in the file. A statement that fails on tables that are
    ours and whole is a fault of the program, and no reason to count anew."""
    if _is(error, _DAMAGED):
        return True
    path = os.path.join(folder, NAME)
    try:
        is_doubtful = _is(error, _DOUBTFUL) or isinstance(error, UnicodeDecodeError)
        return is_doubtful and (_version(path) != VERSION or not _is_whole(path))
    except (OSError, sqlite3.Error):
        return False


def set_aside(folder, said, name=NAME, version=_OTHER):
    """Give a report.sqlite that cannot be used another name, which is told. Raises OSError."""
    path = os.path.join(folder, name)
    what = "damaged" if version == _OTHER else str(version)
    to = os.path.join(folder, f"{NAME}.{what}-{time.strftime('%Y%m%d-%H%M%S', time.gmtime())}")
    to = next(at for at in (to, *(f"{to}-{n}" for n in range(2, 1_000))) if not os.path.lexists(at))
    for ending in (*BESIDE, ""):  # last, so that SQLite never finds a new file beside an old journal
        with contextlib.suppress(FileNotFoundError):
            os.rename(path + ending, to + ending)
    was = "was damaged" if version == _OTHER else f"was of an older Foreword (version {version})"
    said.append(
        f"{name} {was} and is kept as {os.path.basename(to)}; what the clients still have logs of is counted"
        " anew"
    )


def failure(folder, error):
    """The sentence for an OSError or one of ERRORS that kept something from being counted. Raises BusyError
    when, besides, nothing that was counted before can be read."""
    path = os.path.join(folder, NAME)
    if isinstance(error, sqlite3.Error) and _is(error, _BUSY):
        if read(folder, lambda db: True) is None and os.path.exists(path):
            raise BusyError(f"another program holds {path}", "end it, then: foreword report") from error
        return f"another program holds {path}: what client sessions took since is not counted"
    reason = (error.strerror or error) if isinstance(error, OSError) else error
    path = error.filename or path if isinstance(error, OSError) else path
    return f"{path} cannot be used ({reason}): what client sessions took since is not counted"


def _join(db, folder, said):
    """Take over what was counted in projects that were joined into this one."""
    for name in sorted(os.listdir(folder)):
        path = os.path.join(folder, name)
        if not name.startswith(JOINED) or name.endswith(BESIDE):
            continue
        version = _version(path)
        if version > VERSION:
            said.append(_newer(name, version))
        elif version not in (_EMPTY, VERSION) or not _is_whole(path):
            set_aside(folder, said, name, _OTHER if version == VERSION else version)
        else:
            if version == VERSION:
                db.execute("ATTACH ? AS old", (os.fsencode(path),))  # a name may be no UTF-8
                try:
                    db.executescript(f"BEGIN IMMEDIATE;{JOIN}COMMIT;")
                finally:
                    if db.in_transaction:
                        db.execute("ROLLBACK")
                    db.execute("DETACH old")
            for ending in (*BESIDE, ""):
                files.remove(path + ending)


def _newer(name, version):
    return (
        f"{name} is of a newer Foreword (version {version}, this one reads {VERSION}) and was left alone:"
        " update Foreword to count on"
    )


def _connect(path, wait_s):
    return _set_up(sqlite3.connect(path, timeout=wait_s, isolation_level=None))


def _set_up(db):
    db.text_factory = lambda raw: raw.decode("utf-8", "replace")
    db.execute("PRAGMA cache_size=-2000")
    return db


def _version(path, wait_s=WAIT_S):
    """The version of a file; _EMPTY where there is none, _OTHER for what is damaged or nothing of ours.
    Raises OSError and one of ERRORS when that cannot be known."""
    try:
        if not stat.S_ISREG(os.stat(path).st_mode):
            return _OTHER
    except FileNotFoundError:
        return _OTHER if os.path.lexists(path) else _EMPTY  # a link to nowhere is in the way
    try:
        with contextlib.closing(_connect(path, wait_s)) as db:
            return _version_in(db)
    except ERRORS as error:
        if _is(error, _DAMAGED) or isinstance(error, UnicodeDecodeError):
            return _OTHER
        raise


def _version_in(db):
    tables = _tables(db)
    if not tables:
        return _EMPTY
    if tables.get("meta") != ["key", "value"]:
        return _OTHER
    row = db.execute("SELECT value FROM meta WHERE key='version'").fetchone()
    version = row[0] if row else None
    if not isinstance(version, int) or version < 1:
        return _OTHER
    with contextlib.closing(sqlite3.connect(":memory:")) as ours:
        ours.executescript(DDL)
        is_ours = all(tables.get(name) == columns for name, columns in _tables(ours).items())
    return version if version != VERSION or is_ours else _OTHER


def _tables(db):
    """{name: [columns]} of a file's tables."""
    names = [name for (name,) in db.execute("SELECT name FROM sqlite_master WHERE type='table'")]
    sql = "SELECT name FROM pragma_table_info(?) ORDER BY cid"
    return {name: [column for (column,) in db.execute(sql, (name,))] for name in names}


def _is_whole(path):
    """Whether every page of a file can be read and agrees with the others."""
    try:
        with contextlib.closing(_connect(path, WAIT_S)) as db:
            return [row[0] for row in db.execute("PRAGMA integrity_check(1)")] == ["ok"]
    except ERRORS as error:
        if _is(error, _DAMAGED) or isinstance(error, UnicodeDecodeError):
            return False
        raise


def _at_rest(path):
    """What changes with every change of a file; None in the middle of one, when SQLite has a journal."""
    if os.path.exists(path + "-journal"):
        return None
    status = os.stat(path)
    return status.st_ino, status.st_size, status.st_mtime_ns


def _is(error, codes):
    return (getattr(error, "sqlite_errorcode", None) or 0) & 0xFF in codes

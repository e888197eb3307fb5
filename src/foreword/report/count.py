"""What client sessions were billed for and did, counted from the clients' own logs into `report.sqlite`.

That file holds numbers, hashes, and names of models and client sessions; no text. It is derived, but clients
remove their logs after a while, and what was counted stays. A log is read on from where it was left.

A request, a prompt, a tool call counts once in a project: for the client session that prompts.log named
first. Resumed and forked sessions repeat the records of the one that they come from.
"""

import contextlib
import datetime
import json
import os
import sqlite3

from foreword import files, paths
from foreword.digest import sha256
from foreword.transcripts import READERS, find, lines

NAME = "report.sqlite"
LOCK = ".report.lock"
WAIT_S = 10.0  # for another process that counts, which then does it for us
PROMPTS_KEPT = 9  # older files of prompts.log
VERSION = 1
BATCH = 8 << 20  # bytes of a log whose events are written in one step
STEP = 1 << 20  # bytes between two calls of `progress`
_HEAD = 1_024  # bytes of a log's beginning that tell it from another

# `keys` has each request (what=0, with its tokens: the greatest number of each that any of its records says),
# prompt (1), tool call (2) and read of a file (3) that was counted, by a hash of its key: the row's own
# number, so that there is no second tree. A log's `head` is the hash of its first `known` bytes; `state` is
# what its reader goes on with.
DDL = """
CREATE TABLE meta(key TEXT PRIMARY KEY, value) WITHOUT ROWID;
CREATE TABLE sessions(
  number INTEGER PRIMARY KEY, client TEXT NOT NULL, session TEXT NOT NULL, started REAL, ended REAL,
  UNIQUE(client, session));
CREATE TABLE logs(
  path INTEGER PRIMARY KEY, session INTEGER NOT NULL, subagent INTEGER NOT NULL, device INTEGER NOT NULL,
  inode INTEGER NOT NULL, known INTEGER NOT NULL, head INTEGER NOT NULL, at INTEGER NOT NULL,
  unread INTEGER NOT NULL, state TEXT NOT NULL);
CREATE TABLE models(number INTEGER PRIMARY KEY, name TEXT UNIQUE NOT NULL);
CREATE TABLE keys(
  hash INTEGER PRIMARY KEY, session INTEGER NOT NULL, what INTEGER NOT NULL, model INTEGER NOT NULL,
  input INTEGER NOT NULL, creation INTEGER NOT NULL, read INTEGER NOT NULL, output INTEGER NOT NULL);
CREATE TABLE files(session INTEGER, hash INTEGER, PRIMARY KEY(session, hash)) WITHOUT ROWID;
"""
_WHAT = {"usage": 0, "turn": 1, "tool": 2, "file": 3}
# What SQLite says of a file that is damaged, or is none of ours. Anything else (a full disk, a lock) passes.
_DAMAGED = (
    sqlite3.SQLITE_ERROR, sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_FORMAT,
    sqlite3.SQLITE_CONSTRAINT, sqlite3.SQLITE_MISMATCH,
)  # fmt: skip


def count(home, name, progress=None, logs=None):
    """Bring a project's `report.sqlite` up to date, for each client session that its prompts.log names.

    `progress(bytes read, bytes to read)` is called while it goes, at the end with both the same; never when
    there is nothing to read. logs: what `transcripts.find.logs` gives, when it is known. Does nothing when
    there is no such project, or when another process still counts after WAIT_S. A damaged `report.sqlite` is
    removed, and what logs there still are is counted anew. Raises OSError, sqlite3.Error.
    """
    folder = paths.project_folder(home, name)
    named = _named(folder)
    if not named:
        return
    if logs is None:
        wanted = {client: {session for of, session in named if of == client} for client in READERS}
        logs = find.logs(wanted=wanted)
    with files.Lock(folder, WAIT_S, LOCK) as held:
        if not held:
            return
        for attempt in (1, 2):
            try:
                with contextlib.closing(_open(folder)) as db:
                    _count(db, named, logs, progress)
                return
            except sqlite3.Error as error:
                if attempt == 2 or not _is_damaged(error):
                    raise
                _remove(folder)


def sessions(home, name):
    """The client sessions of a project that were counted, oldest first; [] when none was.

    client, session, started and ended (epoch seconds), requests, turns, tool_calls, input, creation, read,
    output (tokens), files_read, files_read_again (those of them that a session which started earlier had
    read too), subagents (logs of subagents), models ({name: [input, creation, read, output]}) and unread
    (lines that were too long or could not be read). Two paths are the same file when they are the same as
    text, `.` and `..` resolved; another checkout's are others.
    """
    folder = paths.project_folder(home, name)
    if not os.path.exists(os.path.join(folder, NAME)):
        return []
    try:
        with contextlib.closing(_connect(folder)) as db:
            return _sessions(db) if _version(db) == VERSION else []
    except sqlite3.Error as error:
        if _is_damaged(error):
            return []  # counting next time repairs it
        raise


def _named(folder):
    """[(client, session)] that prompts.log names and whose logs can be read, the first named first."""
    found = {}
    for n in range(PROMPTS_KEPT, -1, -1):
        path = os.path.join(folder, "prompts.log" + (".%d" % n if n else ""))
        try:
            data = files.read(path) or b""
        except OSError:
            continue
        for line in data.split(b"\n"):
            record = lines.record(line)
            client, session = (record or {}).get("client"), (record or {}).get("session")
            if isinstance(client, str) and client in READERS and isinstance(session, str) and session:
                found[client, session] = True
    return list(found)


def _open(folder):
    """A connection for changes, to a file of this version."""
    if not os.path.exists(os.path.join(folder, NAME)):
        os.close(os.open(os.path.join(folder, NAME), os.O_WRONLY | os.O_CREAT, files.FILE_MODE))
    db = _connect(folder)
    try:
        if _version(db) != VERSION:
            db.close()
            _remove(folder)
            os.close(os.open(os.path.join(folder, NAME), os.O_WRONLY | os.O_CREAT, files.FILE_MODE))
            db = _connect(folder)
            db.executescript(f"BEGIN;{DDL}INSERT INTO meta VALUES('version', {VERSION});COMMIT;")
    except BaseException:
        db.close()
        raise
    return db


def _connect(folder):
    db = sqlite3.connect(os.path.join(folder, NAME), timeout=WAIT_S, isolation_level=None)
    db.execute("PRAGMA cache_size=-2000")
    return db


def _version(db):
    """0 for an empty file."""
    if not db.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchone():
        return 0
    row = db.execute("SELECT value FROM meta WHERE key='version'").fetchone()
    return row[0] if row else 0


def _remove(folder):
    for ending in ("", "-journal"):
        files.remove(os.path.join(folder, NAME + ending))


def _is_damaged(error):
    code = getattr(error, "sqlite_errorcode", None)
    return code is not None and code & 0xFF in _DAMAGED


def _count(db, named, logs, progress):
    waiting = []  # (client, session, path, stat, whether a subagent's)
    for client, session in named:
        for path in logs.get(client, {}).get(session, ()):
            try:
                status = os.stat(path)
            except (OSError, ValueError):
                continue  # it went away just now
            waiting.append((client, session, path, status, not find.is_own(path, session)))
    begun = [_begin(db, *entry) for entry in waiting]
    whole = sum(entry[3].st_size - log["at"] for entry, log in zip(waiting, begun, strict=True))
    told = _Told(progress, whole)
    models = dict(db.execute("SELECT name, number FROM models"))
    for (client, session, path, status, subagent), log in zip(waiting, begun, strict=True):
        if log["at"] < status.st_size:
            _read(db, client, session, path, subagent, log, models, told)
    told.end()


class _Told:
    """How far the reading is, for `progress`."""

    def __init__(self, progress, whole):
        self.progress = progress if whole else None
        self.whole, self.done, self.next = whole, 0, STEP

    def add(self, size):
        self.done += size
        if self.progress and self.done >= self.next:
            self.next = self.done + STEP
            self.progress(min(self.done, self.whole), self.whole)  # a log grew meanwhile

    def end(self):
        if self.progress:
            self.progress(self.whole, self.whole)


def _begin(db, client, session, path, status, subagent):
    """What is known of a log, as its row says it; from its beginning when it is new, or another file now."""
    row = db.execute(
        "SELECT device, inode, known, head, at, unread, state FROM logs WHERE path=?", (_hash(path),)
    ).fetchone()
    if row:
        device, inode, known, head, at, unread, state = row
        same = (device, inode) == (_signed(status.st_dev), _signed(status.st_ino)) and at <= status.st_size
        if same and _head(path, known) == (known, head) and _is_line(path, at):
            with contextlib.suppress(ValueError):
                return {"at": at, "unread": unread, "state": tuple(json.loads(state))}
    return {"at": 0, "unread": 0, "state": ()}


def _read(db, client, session, path, subagent, log, models, told):
    """Count a log from where it was left, in steps that are written whole or not at all."""
    reader = READERS[client](subagent, log["state"])
    passed, at, written = log["unread"], log["at"], log["at"]
    db.execute("BEGIN IMMEDIATE")
    try:
        db.execute("INSERT OR IGNORE INTO sessions(client, session) VALUES(?,?)", (client, _plain(session)))
        sql = "SELECT number FROM sessions WHERE client=? AND session=?"
        number = db.execute(sql, (client, _plain(session))).fetchone()[0]
        for end, line in lines.read(path, at):
            if line is None:
                passed += 1
            elif events := reader.events(line):
                _take(db, client, number, events, models)
            told.add(end - at)
            at = end
            if at - written >= BATCH:
                _leave(db, path, number, subagent, at, passed + reader.unread, reader.state())
                db.execute("COMMIT")
                db.execute("BEGIN IMMEDIATE")
                written = at
        _leave(db, path, number, subagent, at, passed + reader.unread, reader.state())
        db.execute("COMMIT")
    except BaseException:
        if db.in_transaction:
            db.execute("ROLLBACK")
        raise


def _leave(db, path, number, subagent, at, unread, state):
    """Write down how far a log was read."""
    try:
        status = os.stat(path)
    except OSError:
        return  # gone meanwhile: what was counted stays, and there is nothing to go on from
    row = (_hash(path), number, int(subagent), _signed(status.st_dev), _signed(status.st_ino))
    known, head = _head(path, min(at, _HEAD))
    row += (known, head, at, unread, json.dumps(state))
    # A log that was moved, as Codex does when it archives a thread, is one log.
    db.execute("DELETE FROM logs WHERE device=? AND inode=?", row[3:5])
    db.execute("INSERT OR REPLACE INTO logs VALUES(?,?,?,?,?,?,?,?,?,?)", row)


def _take(db, client, number, events, models):
    """Count the events of one line. A time is the client session's only beside something that is."""
    time, is_ours = None, False
    for event in events:
        if event[0] == "time":
            time = _seconds(event[1])
            continue
        what = _WHAT[event[0]]
        key = _hash(f"{what} {client} {event[1]}")
        row = db.execute(
            "SELECT session, input, creation, read, output FROM keys WHERE hash=?", (key,)
        ).fetchone()
        tokens = event[3:] if what == 0 else (0, 0, 0, 0)
        if row is None:
            model = _model(db, models, event[2]) if what == 0 else 0
            db.execute("INSERT INTO keys VALUES(?,?,?,?,?,?,?,?)", (key, number, what, model, *tokens))
        elif any(now > before for now, before in zip(tokens, row[1:], strict=True)):
            most = [max(both) for both in zip(tokens, row[1:], strict=True)]
            db.execute("UPDATE keys SET input=?, creation=?, read=?, output=? WHERE hash=?", (*most, key))
        if row is None or row[0] == number:
            is_ours = True
            if what == 3:
                db.execute("INSERT OR IGNORE INTO files VALUES(?,?)", (number, _hash(event[2])))
    if is_ours and time is not None:
        db.execute(
            "UPDATE sessions SET started=min(coalesce(started, ?1), ?1), ended=max(coalesce(ended, ?1), ?1)"
            " WHERE number=?2",
            (time, number),
        )


def _model(db, models, name):
    name = _plain(name)
    if name not in models:
        models[name] = db.execute("INSERT INTO models(name) VALUES(?)", (name,)).lastrowid
    return models[name]


def _sessions(db):
    found = {}
    sql = "SELECT number, client, session, started, ended FROM sessions WHERE started IS NOT NULL"
    for number, client, session, started, ended in db.execute(sql + " ORDER BY started, number"):
        found[number] = {
            "client": client, "session": session, "started": started, "ended": ended,
            "requests": 0, "turns": 0, "tool_calls": 0, "input": 0, "creation": 0, "read": 0, "output": 0,
            "files_read": 0, "files_read_again": 0, "subagents": 0, "models": {}, "unread": 0,
        }  # fmt: skip
    names = dict(db.execute("SELECT number, name FROM models"))
    sql = "SELECT session, what, model, count(*), sum(input), sum(creation), sum(read), sum(output) FROM keys"
    for number, what, model, times, *tokens in db.execute(sql + " GROUP BY session, what, model"):
        if number not in found or what == 3:
            continue
        row = found[number]
        row[("requests", "turns", "tool_calls")[what]] += times
        if what == 0:
            row["models"][names.get(model, "")] = tokens
            for field, tokens_of in zip(("input", "creation", "read", "output"), tokens, strict=True):
                row[field] += tokens_of
    for number, subagents, unread in db.execute(
        "SELECT session, sum(subagent), sum(unread) FROM logs GROUP BY 1"
    ):
        if number in found:
            found[number].update(subagents=subagents, unread=unread)
    seen = set()  # files that sessions before the one at hand had read
    for number, row in found.items():
        read = {key for (key,) in db.execute("SELECT hash FROM files WHERE session=?", (number,))}
        row.update(files_read=len(read), files_read_again=len(read & seen))
        seen |= read
    return list(found.values())


def _head(path, size):
    """(number of bytes, hash) of a file's first `size` bytes or what it has; of none if it cannot be read."""
    try:
        data = files.read(path, size) or b""
    except OSError:
        data = b""
    return len(data), _number(sha256(data))


def _is_line(path, at):
    """Whether a line begins there, so that reading may go on."""
    if not at:
        return True
    try:
        with open(path, "rb", buffering=0) as f:
            f.seek(at - 1)
            return f.read(1) == b"\n"
    except OSError:
        return False


def _seconds(text):
    """Epoch seconds of an ISO 8601 time, UTC when it does not say; None when it is none."""
    try:
        time = datetime.datetime.fromisoformat(text)
        return (time if time.tzinfo else time.replace(tzinfo=datetime.UTC)).timestamp()
    except (ValueError, OverflowError):
        return None


def _hash(text):
    return _number(sha256(text.encode("utf-8", "surrogatepass")))


def _number(digest):
    return int.from_bytes(digest.digest()[:8], "big", signed=True)


def _signed(number):
    """A file's number as SQLite can keep it; some file systems use all 64 bits."""
    return (number + (1 << 63)) % (1 << 64) - (1 << 63)


def _plain(text):
    """A text as SQLite takes it: JSON may hold half a surrogate pair."""
    return text.encode("utf-8", "replace").decode("utf-8")

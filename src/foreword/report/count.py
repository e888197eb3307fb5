"""What client sessions were billed for and did, counted from the clients' own logs into `report.sqlite`.

What was counted stays when the clients remove their logs. A log is read on from where it was left.

A request, a prompt, a tool call counts once in a project: for the client session that prompts.log named
first. Resumed and forked sessions repeat the records of the one that they come from.
"""

import contextlib
import datetime
import json
import os

from foreword import files, paths
from foreword.digest import sha256
from foreword.report import database
from foreword.store import logs as our_logs
from foreword.transcripts import READERS, find, lines

NAME = database.NAME
LOCK = ".report.lock"
WAIT_S = 10.0  # for another process that counts, which then does it for us
BATCH = 8 << 20  # bytes of a log whose events are written in one step
STEP = 1 << 20  # bytes between two calls of `progress`
_HEAD = 1_024  # bytes of a log's beginning that tell it from another
_WHAT = {"usage": 0, "turn": 1, "tool": 2, "file": 3}
BUSY = "another Foreword counts at this moment: what it has not counted yet is missing"


def count(home, name, progress=None, logs=None):
    """Bring a project's `report.sqlite` up to date, for each client session that its prompts.log names. What
    people should know of it, as a list of sentences; mostly [].

    `progress(bytes read, bytes to read)` is called while it goes, at the end with both the same; never when
    there is nothing to read. logs: what `transcripts.find.logs` gives, when it is known. Does nothing when
    there is no such project. Nothing is counted when another process still counts after WAIT_S, the disk
    cannot be written, or the file is of a newer Foreword; a damaged one is set aside, and what logs there
    still are is counted anew. Raises BusyError when another program holds the file in the middle of a change,
    so that nothing that was counted can be told either.
    """
    folder = paths.project_folder(home, name)
    named = _named(folder)
    said = []
    if not named:
        return said
    with contextlib.ExitStack() as held:
        try:
            if not held.enter_context(files.Lock(folder, WAIT_S, LOCK)):
                return [BUSY]
        except OSError as error:
            return [database.failure(folder, error)]
        for attempt in (1, 2):
            try:
                _bring_up(folder, named, logs, progress, said)
                break
            except database.ERRORS as error:
                if attempt == 2 or not database.is_damaged(folder, error):
                    said.append(database.failure(folder, error))
                    break
            try:
                database.set_aside(folder, said)
            except OSError as error:
                said.append(database.failure(folder, error))
                break
    return list(dict.fromkeys(said))


def sessions(home, name):
    """The client sessions of a project that were counted, oldest first; [] when none was, or can be read.

    client, session, started and ended (epoch seconds; None where no record has a time: these come last, in
    the order of their first prompts), requests, turns, tool_calls, input, creation, read, output (tokens),
    files_read, files_read_again (those of them that a session before it in this list had read too), subagents
    (logs of subagents), models ({name: [input, creation, read, output]}) and unread (lines that were too long
    or could not be read). Two paths are the same file when they are the same as text, `.` and `..` resolved;
    another checkout's are others.
    """
    return database.read(paths.project_folder(home, name), _sessions) or []


def _bring_up(folder, named, logs, progress, said):
    try:
        db = database.opened(folder, said)
    except OSError as error:
        said.append(database.failure(folder, error))
        return
    if db is None:
        return
    with contextlib.closing(db):
        if logs is None:
            wanted = {client: {session for of, session in named if of == client} for client in READERS}
            known = _Known(db)
            logs = find.logs(wanted=wanted, known=known)
            known.keep()
        _count(db, named, logs, progress, said)
        _sessions(db)  # damage that only reading meets is found here, and mended


class _Known(dict):
    """What report.sqlite remembers of logs' first lines, for `find.logs`; what is new stands in the dict."""

    def __init__(self, db):
        super().__init__()
        self.db = db

    def get(self, path, default=None):
        row = self.db.execute("SELECT session FROM named WHERE path=?", (_hash(path),)).fetchone()
        return row[0] if row else super().get(path, default)

    def keep(self):
        if self:
            self.db.execute("BEGIN IMMEDIATE")
            rows = ((_hash(path), _plain(session)) for path, session in self.items())
            self.db.executemany("INSERT OR REPLACE INTO named VALUES(?,?)", rows)
            self.db.execute("COMMIT")


def _named(folder):
    """[(client, session)] that prompts.log names and whose logs can be read, the first named first."""
    found = {}
    for record in our_logs.records(os.path.join(folder, "prompts.log")):
        client, session = record.get("client"), record.get("session")
        if isinstance(client, str) and client in READERS and isinstance(session, str) and session:
            found[client, session] = True
    return list(found)


def _count(db, named, logs, progress, said):
    waiting, seen = [], set()  # (client, session, path, stat, whether a subagent's)
    for client, session in named:
        for path in logs.get(client, {}).get(session, ()):
            try:
                status = os.stat(path)
            except (OSError, ValueError):
                continue  # it went away just now
            file = status.st_dev, status.st_ino
            if file not in seen:  # a linked folder gives a log two paths
                waiting.append((client, session, path, status, not find.is_own(path, session)))
            if status.st_ino:
                seen.add(file)
    begun = [_begin(db, *entry) for entry in waiting]
    whole = sum(entry[3].st_size - log["at"] for entry, log in zip(waiting, begun, strict=True))
    told, unreadable = _Told(progress, whole), []
    models = dict(db.execute("SELECT name, number FROM models"))
    for (client, session, path, status, subagent), log in zip(waiting, begun, strict=True):
        if log["at"] < status.st_size:
            _read(db, client, session, path, subagent, log, models, told, unreadable)
    told.end()
    if unreadable:
        more = f", and {len(unreadable) - 1} more" if len(unreadable) > 1 else ""
        said.append(f"a log cannot be read: {unreadable[0]}{more}; what it has is missing")


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
    file = (_signed(status.st_dev), _signed(status.st_ino))
    # By its path, else as one that was moved since, or was read by way of a link. Where a file system has no
    # numbers of files, all are 0.
    sql = (
        "SELECT known, head, at, unread, state FROM logs WHERE device=?1 AND inode=?2 AND subagent=?3"
        " AND (path=?4 OR inode<>0) ORDER BY path=?4 DESC, at DESC"
    )
    for row in db.execute(sql, (*file, int(subagent), _hash(path))):
        known, head, at, unread, state = row
        if at <= status.st_size and _head(path, known) == (known, head) and _is_line(path, at):
            with contextlib.suppress(ValueError, TypeError):
                return {"at": at, "unread": unread, "state": tuple(json.loads(state))}
    return {"at": 0, "unread": 0, "state": ()}


def _read(db, client, session, path, subagent, log, models, told, unreadable):
    """Count a log from where it was left, in steps that are written whole or not at all."""
    reader = READERS[client](subagent, log["state"])
    passed, at, written = log["unread"], log["at"], log["at"]
    db.execute("BEGIN IMMEDIATE")
    try:
        db.execute("INSERT OR IGNORE INTO sessions(client, session) VALUES(?,?)", (client, _plain(session)))
        sql = "SELECT number FROM sessions WHERE client=? AND session=?"
        number = db.execute(sql, (client, _plain(session))).fetchone()[0]
        for end, line in _lines(path, at, unreadable):
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


def _lines(path, at, unreadable):
    """`lines.read`; what keeps it from going on is added to `unreadable`."""
    try:
        yield from lines.read(path, at)
    except OSError as error:
        unreadable.append(f"{path} ({error.strerror or error})")


def _leave(db, path, number, subagent, at, unread, state):
    """Write down how far a log was read."""
    try:
        status = os.stat(path)
    except OSError:
        return  # gone meanwhile: what was counted stays, and there is nothing to go on from
    if not at:
        return  # no line of it is whole yet
    row = (_hash(path), number, int(subagent), _signed(status.st_dev), _signed(status.st_ino))
    known, head = _head(path, min(at, _HEAD))
    row += (known, head, at, unread, json.dumps(state))
    # A log that was moved, as Codex does when it archives a thread, is one log. Another one that had its
    # number before, and was cleaned up since, is not.
    sql = "SELECT path, known, head FROM logs WHERE session=? AND device=? AND inode=?"
    for other, *begins in db.execute(sql, (number, *row[3:5])).fetchall():
        if _head(path, begins[0]) == tuple(begins):
            db.execute("DELETE FROM logs WHERE path=?", (other,))
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
    sql = "SELECT number, client, session, started, ended FROM sessions"
    for number, client, session, started, ended in db.execute(
        sql + " ORDER BY started IS NULL, started, number"
    ):
        found[number] = {
            "client": client, "session": session, "started": started, "ended": ended,
            "requests": 0, "turns": 0, "tool_calls": 0, "input": 0, "creation": 0, "read": 0, "output": 0,
            "files_read": 0, "files_read_again": 0, "subagents": 0, "models": {}, "unread": 0,
        }  # fmt: skip
    names = dict(db.execute("SELECT number, name FROM models"))
    sql = "SELECT session, what, model, count(*), sum(input), sum(creation), sum(read), sum(output) FROM keys"
    for number, what, model, times, *tokens in db.execute(sql + " GROUP BY session, what, model"):
        if number not in found or what not in range(3):  # a read of a file, or damage
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
    # One that only repeats what another had first has nothing of its own.
    its_own = ("requests", "turns", "tool_calls")
    found = {number: row for number, row in found.items() if any(row[key] for key in its_own)}
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

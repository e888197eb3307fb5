"""The forewords that agents were handed, word for word, as forewords.log has them: read, and rewritten
without what the user deletes (see hook/forewords.py, which writes them)."""

import itertools
import json
import os
import re

from foreword import files
from foreword.errors import BusyError
from foreword.memory import words_of
from foreword.store import layout, logs
from foreword.text.frame import quote

LOG, LOCK = "forewords.log", ".forewords.lock"  # as the hook has them; no cold room imports a hook
LOGS = (LOG, LOG + ".1")  # the newest first
LOCK_S = 10.0
_TEXTS = ("time", "client", "session", "turn", "kind", "text")
# Before and behind the words of a memory in its line or entry: id, age or date, files.
_ID = r"[0-9]{8}-[0-9]{6}-[0-9a-f]{4,8}"
_BEFORE = re.compile(rf"(?:- (?:[0-9-]{{10}} )?(?:{_ID} )?(?:\([^()]*(?: ago|just now)\) )?)?")
_BEHIND = re.compile(r"(?: \[[^\[\]]*\]| \([0-9-]{10}, [^()]*\))\Z")


def forewords(place, limit=10):
    """The newest `limit` forewords of a project, newest first, a dict each: time (ISO 8601, UTC), client,
    session (the client session's id), turn, kind ("prompt": lines before one; "recall": what a context
    started with), ids (of the memories in it) and text, as the agent got it; only a line about an entity
    of the knowledge graph says no more than that it is one."""
    records = logs.newest(os.path.join(place.folder, LOG), kept=len(LOGS) - 1)
    return list(itertools.islice(filter(None, map(_told, records)), limit))


def _record(line):
    """A line of the log as `forewords` gives it; None for one that cannot be read."""
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return _told(record) if isinstance(record, dict) else None


def _told(record):
    if not isinstance(record.get("text"), str):
        return None
    ids = record.get("ids")
    return {
        **{key: value if isinstance(value := record.get(key), str) else "" for key in _TEXTS},
        "ids": [i for i in ids if layout.is_id(i)] if isinstance(ids, list) else [],
    }


def forget(folders, ids, memories):
    """Rewrite the logs of projects' folders without what holds deleted memories: their ids, or words of
    `memories` (as store.read gives them). Lines that cannot be read go too. Durable on return.

    Raises BusyError while somebody holds a log, OSError where one cannot be written.
    """
    shown = [words_of.as_shown(memory) for memory in memories]
    kept = {}  # line -> whether it stays
    for folder in folders:
        # A hook makes the lock before it looks whether the memories are there: without it, none is at it.
        if not any(os.path.exists(os.path.join(folder, name)) for name in (LOCK, *LOGS)):
            continue
        for name in LOGS:  # most is decided before, for a hook waits a quarter of a second for the lock
            _decide(_lines(folder, name), ids, shown, kept)
        with files.Lock(folder, LOCK_S, LOCK) as held:
            if not held:
                raise BusyError(f"{os.path.join(folder, LOG)} is in use", "try again")
            for name in LOGS:
                lines = _lines(folder, name)
                _decide(lines, ids, shown, kept)
                if not all(kept[line] for line in lines):
                    _replace(os.path.join(folder, name), [line for line in lines if kept[line]])


def _lines(folder, name):
    try:
        data = files.read(os.path.join(folder, name)) or b""
    except IsADirectoryError:
        data = b""  # not ours: no hook can have written there
    return [line for line in data.split(b"\n") if line]


def _replace(path, lines):
    if lines:
        files.write(path, b"\n".join(lines) + b"\n")
    else:
        files.remove(path)
        files.sync_folder(os.path.dirname(path))


def _decide(lines, ids, shown, kept):
    for line in lines:
        if line not in kept:
            record = _record(line)
            kept[line] = record is not None and not _holds(line, record["text"], ids, shown)


def _holds(line, text, ids, shown):
    """Whether a line of the log, and the text in it, holds one of the ids or words of a memory as words_of
    gives them."""
    if any(memory_id.encode() in line for memory_id in ids):
        return True
    if not shown:
        return False
    quoted = {row: quote(row) for row in text.split("\n")}
    whole = " ".join(quoted.values())
    if any(words in whole for lines, _ in shown for words in lines):
        return True
    return any(piece in everything for piece in _pieces(quoted) for _, everything in shown)


def _pieces(quoted):
    """What the rows of a foreword (row -> `quote` of it) show of memories, in pieces as long as those by
    which words are known again."""
    for row, line in quoted.items():
        if row.startswith("- "):  # of one memory each, and quoted: the only > is between question and answer
            parts = _BEHIND.sub("", _BEFORE.sub("", row, count=1)).split(" -> ")
        else:
            parts = [line] if row.startswith("  ") else []  # a text that was indented, or the frame's own
        for part in parts:
            piece = part.rstrip("…").lstrip("#-*› ").rstrip()
            if len(piece) >= words_of.LINE_LEAST and sum(map(str.isalnum, piece)) >= words_of.TEXT_LEAST:
                yield piece

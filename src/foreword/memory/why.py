"""What became of a project's last prompt: which memories were offered, which were cut, and why.

The prompt hook wrote it down when it decided; nothing is ranked here again, so what is told is what
happened. No log holds a prompt's text: the question is that of the turn's note, once there is one.
"""

import json
import math
import os
import sqlite3

from foreword import files
from foreword.index import entities, schema
from foreword.memory.find import OFFERED, Reading, folders
from foreword.store import layout
from foreword.text.frame import plain

MOST = 100  # memories shown of one prompt; the hook writes ten at most


def why(place):
    """The last prompt of a project, or None when none was recorded.

    time (ISO 8601, UTC), client, session (the client session's id), turn, switch (configured), state
    (on or off at that prompt), note (the id of the turn's note or ""), question (of that note, or ""),
    characters (of the foreword), told (False for a line of an older Foreword, which kept only what it
    offered), needed (the cut-off, 0 to 1, or None), why ("" or why nothing was asked: off, control,
    no-index, question-not-kept) and memories, best first: id (of an entity its name), title, type,
    confidence (0 to 1 or None), reason (offered, below, known, rejected, alike, room, stale), alike (the id
    it says the same as, or ""), offer, archived, deleted.
    """
    record = _last(place.folder)
    if record is None:
        return None
    told = isinstance(record.get("best"), list)
    entries = record["best"] if told else [[i, None, "offered"] for i in _list(record.get("ids"))]
    found = {
        **{key: _text(record, key) for key in _TEXTS},
        "note": "",
        "question": "",
        "characters": record["characters"] if isinstance(record.get("characters"), int) else 0,
        "told": told,
        "needed": _share(record.get("needed")),
        "memories": [row for entry in entries[:MOST] if (row := _row(entry))],
    }
    _name_entities(place.home, found["memories"])
    for _, folder in folders(place, False):
        with Reading(folder) as db:
            _name(db, found["memories"])
            note = db.execute(
                "SELECT id, question FROM memories WHERE turn=? AND session=? AND type='note'",
                (found["turn"], found["session"]),
            ).fetchone()
        if note and found["turn"] and not found["note"]:
            found["note"], found["question"] = note[0], plain(note[1])
    return found


_TEXTS = ("time", "client", "session", "turn", "switch", "state", "why")


def _last(folder):
    """The newest line of prompts.log that can be read, as a dict; None when there is none."""
    for name in ("prompts.log", "prompts.log.1"):  # the log may have been rotated just now
        for line in reversed((files.read(os.path.join(folder, name)) or b"").splitlines()):
            try:
                record = json.loads(line)
            except (ValueError, RecursionError):
                continue
            if isinstance(record, dict):
                return record
    return None


def _row(entry):
    """A memory of the list, not yet named; None for an entry that cannot be read."""
    if not isinstance(entry, list) or not entry or not layout.is_id(entry[0]):
        return None
    _, confidence, reason, alike = [*entry, None, None, None][:4]
    return {
        "id": entry[0],
        "title": "",
        "type": "",
        "confidence": _share(confidence),
        "reason": _line(reason),
        "alike": alike if layout.is_id(alike) else "",
        "offer": "usual",
        "archived": False,
        "deleted": True,  # until it is found
    }


def _name(db, rows):
    """Fill in what an index knows of the memories."""
    wanted = {row["id"]: row for row in rows if row["deleted"]}
    if not wanted:
        return
    sql = "SELECT id, title, type, archived, offer FROM memories WHERE id IN (%s)"  # at most ten
    known = db.execute(sql % ",".join("?" * len(wanted)), list(wanted)).fetchall()
    for memory_id, title, kind, archived, offer in known:
        wanted[memory_id].update(
            title=plain(title),
            type=kind,
            archived=bool(archived),
            offer=OFFERED[offer],
            deleted=False,
        )


def _name_entities(home, rows):
    """The same for entities, which no log names; an index that cannot be read leaves them unnamed."""
    wanted = {row["id"]: row for row in rows if entities.is_id(row["id"])}
    if not wanted:
        return
    try:
        db = schema.open_reading(entities.folder(home))
        try:
            _name(db, rows)
            names = dict(db.execute("SELECT id, question FROM memories"))
        finally:
            db.close()
    except (schema.UnusableError, sqlite3.Error):
        return
    for number, row in wanted.items():
        row["id"] = " ".join(plain(names.get(number, number)).split())
        row["alike"] = " ".join(plain(names.get(row["alike"], row["alike"])).split())


def _share(value):
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    return float(value) if is_number and math.isfinite(value) else None


def _text(record, key):
    return _line(record.get(key))


def _line(value):
    return " ".join(plain(value).split()) if isinstance(value, str) else ""


def _list(value):
    return value if isinstance(value, list) else []

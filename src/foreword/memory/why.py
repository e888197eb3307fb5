"""What became of a project's last prompt: which memories were offered, which were cut, and why.

The prompt hook wrote it down when it decided; nothing is ranked here again, so what is told is what
happened. No log holds a prompt's text: the question is that of the turn's note, once there is one.
"""

import math
import os
import sqlite3

from foreword.index import entities, schema
from foreword.memory.find import OFFERED, Reading, folders
from foreword.store import layout, logs
from foreword.text.frame import plain

MOST = 100  # memories shown of one prompt; the hook writes ten at most

# The prompt hook's word -> what a table says, and the sentence that explains it below.
REASONS = {
    "offered": ("offered", ""),
    "below": ("under the cut-off", "Under the cut-off: not likely enough to help with this prompt."),
    "known": ("known already", "Known already: shown to this client session before, or written by it."),
    "rejected": ("rejected", "Rejected: never offered; foreword reject --undo ID takes that back."),
    "alike": ("says the same", "Says the same: as a better match above, which stands for both."),
    "room": ("no room", "No room: the lines or characters that config.toml allows were used up."),
    "stale": ("edited since", "Edited since: the file was changed by hand after it was indexed."),
}
SEARCH = "foreword search --explain WORDS shows how memories rank for words of yours"
# Why nothing was looked for -> the sentence, and what to do next.
NOTHING = {
    "off": ("Forewords were off at this prompt: nothing was looked for.", "foreword switch on"),
    "control": ("The prompt holds no telling word: nothing was looked for.", SEARCH),
    "no-index": ("There was no index to ask yet: nothing was looked for.", "foreword reindex"),
    "index-failed": ("The index could not be read at that moment: nothing was offered.", "foreword check"),
    "question-not-kept": (
        "The prompt is a command, or private: nothing was looked for.",
        SEARCH,
    ),
}


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
    record = next(logs.newest(os.path.join(place.folder, "prompts.log")), None)
    return None if record is None else tell(place, [record])[0]


def tell(place, records):
    """What `why` gives, of each of some lines of prompts.log (dicts, whatever they hold), in their order.
    Raises BusyError, DamagedError."""
    found = [_told(record) for record in records]
    rows = [row for one in found for row in one["memories"]]
    _name_entities(place.home, rows)
    for _, folder in folders(place, False):
        with Reading(folder) as db:
            _name(db, rows)
            _question(db, found)
    return found


def outcome(found):
    """What became of a prompt in all, as a sentence; "" where the list of its memories says it."""
    if found["why"]:
        return NOTHING.get(found["why"], ("Nothing was looked for: {}.".format(found["why"]),))[0]
    if not found["told"]:
        return "An older Foreword recorded this prompt: what it cut, and why, was not kept."
    if not found["memories"]:
        return "No memory holds a telling word of this prompt."
    if not any(row["reason"] == "offered" for row in found["memories"]):
        return "Nothing was offered."
    return ""


def _told(record):
    """What one line says by itself."""
    told = isinstance(record.get("best"), list)
    entries = record["best"] if told else [[i, None, "offered"] for i in _list(record.get("ids"))]
    return {
        **{key: _text(record, key) for key in _TEXTS},
        "note": "",
        "question": "",
        "characters": _whole(record.get("characters")),
        "told": told,
        "needed": _share(record.get("needed")),
        "memories": [row for entry in entries[:MOST] if (row := _row(entry))],
    }


_TEXTS = ("time", "client", "session", "turn", "switch", "state", "why")


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


def _question(db, found):
    """Fill in the notes of the turns that have none yet, in one look at all of them."""
    turns = list({one["turn"] for one in found if one["turn"] and not one["note"]})
    if not turns:
        return
    sql = "SELECT turn, session, id, question FROM memories WHERE type='note' AND turn IN (%s)"
    notes = {}
    for turn, session, memory_id, question in db.execute(sql % ",".join("?" * len(turns)), turns):
        notes.setdefault((turn, session), (memory_id, plain(question)))
    for one in found:
        if not one["note"]:
            one["note"], one["question"] = notes.get((one["turn"], one["session"]), ("", ""))


def _name(db, rows):
    """Fill in what an index knows of the memories."""
    wanted = {}
    for row in rows:
        if row["deleted"]:
            wanted.setdefault(row["id"], []).append(row)
    if not wanted:
        return
    sql = "SELECT id, title, type, archived, offer FROM memories WHERE id IN (%s)"  # ten of each prompt
    known = db.execute(sql % ",".join("?" * len(wanted)), list(wanted)).fetchall()
    for memory_id, title, kind, archived, offer in known:
        for row in wanted[memory_id]:
            row.update(
                title=plain(title),
                type=kind,
                archived=bool(archived),
                offer=OFFERED[offer],
                deleted=False,
            )


def _name_entities(home, rows):
    """The same for entities, which no log names; an index that cannot be read leaves them unnamed."""
    wanted = [row for row in rows if entities.is_id(row["id"])]
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
    for row in wanted:
        row["id"] = " ".join(plain(names.get(row["id"], row["id"])).split())
        row["alike"] = " ".join(plain(names.get(row["alike"], row["alike"])).split())


def _share(value):
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    return float(value) if is_number and math.isfinite(value) else None


def _whole(value):
    return value if isinstance(value, int) and not isinstance(value, bool) else 0


def _text(record, key):
    return _line(record.get(key))


def _line(value):
    return " ".join(plain(value).split()) if isinstance(value, str) else ""


def _list(value):
    return value if isinstance(value, list) else []

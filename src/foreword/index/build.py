"""Putting one memory into the index and taking it out. Hot: Stop does it before it ends, so that the
next prompt finds the note. Each call is one transaction of the caller's.
"""

import json

from foreword.digest import of_answer
from foreword.text.budget import conclusion, cut
from foreword.text.words import terms

QUESTION_SHOWN = 300  # characters of question and conclusion kept in the row; lines show less
CONCLUSION_SHOWN = 500
LONGEST_INDEXED = 16_000  # characters of an answer that are indexed: its head and its tail
_TAIL = 4_000

_COLUMNS = (
    "id, type, title, question, conclusion, created, turn, session, digest, files, archived,"
    " place, mtime, size"
)


def add(db, memory, place, mtime, size, archived=False):
    """Index one memory (a dict: id, type, title, question, body, created in epoch seconds, turn,
    session, files as [[path, sha256], ...]), replacing what stood at that place or under that id.

    mtime is in nanoseconds, size in bytes: those of the file as it was read or written.
    """
    for (number,) in db.execute(
        "SELECT number FROM memories WHERE place=? OR id=?", (place, memory["id"])
    ).fetchall():
        _take_out(db, number)
    asked = memory["question"]
    if memory["type"] != "note":
        asked = memory["title"]
    elif memory["title"].rstrip("…") not in " ".join(asked.split()):
        asked += "\n" + memory["title"]  # not cut from the question: somebody's own words
    asked += "\n" + " ".join(memory.get("tags") or ())
    _put_in(db, memory, " ".join(terms(asked)), place, mtime, size, archived)


def revise(db, place, body, cited, mtime, size, created=None, turn=None, session=None):
    """Index a note again whose answer, files, date or turn changed, without reading its file back.

    False when there is no such note in the index.
    """
    row = db.execute(
        "SELECT m.number, m.id, m.type, m.title, m.question, m.created, m.turn, m.session, e.question"
        " FROM memories m JOIN entries e ON e.rowid=m.number WHERE m.place=? AND m.archived=0",
        (place,),
    ).fetchone()
    if row is None:
        return False
    number, memory_id, kind, title, question, was_created, was_turn, was_session, asked = row
    memory = {
        "id": memory_id,
        "type": kind,
        "title": title,
        "question": question,
        "body": body,
        "created": was_created if created is None else created,
        "turn": was_turn if turn is None else turn,
        "session": was_session if session is None else session,
        "files": cited,
    }
    _take_out(db, number)
    _put_in(db, memory, asked, place, mtime, size, False)
    return True


def _put_in(db, memory, asked, place, mtime, size, archived):
    body = indexed = memory["body"]
    if len(body) > LONGEST_INDEXED:
        indexed = body[: LONGEST_INDEXED - _TAIL] + "\n" + body[-_TAIL:]
    cited = " ".join(path for path, _ in memory["files"])
    entry = (asked, " ".join(terms(indexed)), " ".join(terms(cited)))
    row = (
        memory["id"],
        memory["type"],
        cut(memory["title"], QUESTION_SHOWN),
        cut(" ".join(memory["question"].split()), QUESTION_SHOWN),
        conclusion(body, CONCLUSION_SHOWN),
        memory["created"],
        memory["turn"],
        memory["session"],
        of_answer(body),
        json.dumps(memory["files"], separators=(",", ":")),
        int(archived),
        place,
        mtime,
        size,
    )
    number = db.execute(
        f"INSERT INTO memories({_COLUMNS}) VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
        row,
    ).lastrowid
    db.execute("INSERT INTO entries(rowid, question, answer, files) VALUES(?,?,?,?)", (number, *entry))
    db.executemany(
        "INSERT INTO words VALUES(?,1) ON CONFLICT(term) DO UPDATE SET memories=memories+1",
        [(term,) for term in sorted(_distinct(entry))],
    )
    db.executemany(
        "INSERT OR IGNORE INTO superseded VALUES(?,?)",
        [(older, number) for older in memory.get("supersedes") or () if not archived],
    )
    _count(db, 1)


def remove(db, place):
    """Take the memory at a place out of the index; True when it was there."""
    found = db.execute("SELECT number FROM memories WHERE place=?", (place,)).fetchone()
    if found:
        _take_out(db, found[0])
    return found is not None


def _take_out(db, number):
    entry = db.execute("SELECT question, answer, files FROM entries WHERE rowid=?", (number,)).fetchone()
    if entry:
        gone = [(term,) for term in sorted(_distinct(entry))]
        db.executemany("UPDATE words SET memories=memories-1 WHERE term=?", gone)
        db.executemany("DELETE FROM words WHERE term=? AND memories<1", gone)
        db.execute("DELETE FROM entries WHERE rowid=?", (number,))
    db.execute("DELETE FROM superseded WHERE number=?", (number,))
    db.execute("DELETE FROM memories WHERE number=?", (number,))
    _count(db, -1)


def _distinct(entry):
    return set(" ".join(entry).split())


def _count(db, by):
    db.execute(
        "INSERT INTO meta VALUES('total', max(0, ?)) ON CONFLICT(key) DO UPDATE SET value=max(0, value+?)",
        (by, by),
    )


def folder_times(db):
    """{folder: mtime in ns} as they were when the index last agreed with the files."""
    return dict(db.execute("SELECT place, mtime FROM folders"))


def set_folder_time(db, place, mtime):
    db.execute(
        "INSERT INTO folders VALUES(?,?) ON CONFLICT(place) DO UPDATE SET mtime=excluded.mtime",
        (place, mtime),
    )

"""Putting one memory into the index and taking it out. Hot: Stop does it before it ends, so that the
next prompt finds the note. Each call is one transaction of the caller's.
"""

import json

from foreword.digest import of_answer
from foreword.index import postings
from foreword.store import layout
from foreword.text.budget import conclusion, cut

TITLE_KEPT = 300  # characters kept in the row; lines show less
CONCLUSION_SHOWN = 500
LONGEST_INDEXED = 16_000  # characters of an answer that are indexed: its head and its tail
_TAIL = 4_000

_COLUMNS = (
    "id, type, title, question, tags, conclusion, created, turn, session, basis, digest, files, archived,"
    " offer, place, mtime, size"
)


def add(db, memory, place, mtime, size, archived=False):
    """Index one memory (a dict: id, type, title, question, body, created in epoch seconds, turn, session,
    files as [[path, sha256, spans], ...]; tags, supersedes, offer and basis where it has them; shown: what a
    line may show in place of the body's conclusion; digest: digest.of_answer of the body as its file has it,
    where that is another), replacing what stood at that place or under that id.

    mtime is in nanoseconds, size in bytes: those of the file as it was read or written.
    """
    for (number,) in db.execute(
        "SELECT number FROM memories WHERE place=? OR id=?", (place, memory["id"])
    ).fetchall():
        _take_out(db, number)
    row = {
        "id": memory["id"],
        "type": memory["type"],
        "title": cut(memory["title"], TITLE_KEPT),
        "question": cut(memory["question"], layout.QUESTION_LIMIT),
        "tags": "\n".join(memory.get("tags") or ()),
        "created": memory["created"],
        "turn": memory["turn"],
        "session": memory["session"],
        "basis": memory.get("basis", ""),
        "offer": memory.get("offer", 0),
        "shown": memory.get("shown"),
        "digest": memory.get("digest"),
    }
    older = () if archived else memory.get("supersedes") or ()
    _put_in(db, row, memory["body"], memory["files"], older, place, mtime, size, archived)


def revise(db, place, body, cited, mtime, size, created=None, turn=None, session=None):
    """Index a note again whose answer, files, date or turn changed, without reading its file back.

    False when there is no such note in the index.
    """
    names = ("id", "type", "title", "question", "tags", "created", "turn", "session", "basis", "offer")
    found = db.execute(
        f"SELECT number, {', '.join(names)} FROM memories WHERE place=? AND archived=0",  # noqa: S608
        (place,),
    ).fetchone()
    if found is None:
        return False
    row = dict(zip(names, found[1:], strict=True))
    if created is not None:
        row["created"] = created
    if turn is not None:
        row["turn"] = turn
    if session is not None:
        row["session"] = session
    older = [i for (i,) in db.execute("SELECT id FROM superseded WHERE number=?", found[:1])]
    _take_out(db, found[0])
    _put_in(db, row, body, cited, older, place, mtime, size, False)
    return True


def _put_in(db, row, body, cited, older, place, mtime, size, archived):
    from foreword.index import impacts  # the prompt hook loads this module too, and weighs nothing

    indexed = body
    if len(body) > LONGEST_INDEXED:
        indexed = body[: LONGEST_INDEXED - _TAIL] + "\n" + body[-_TAIL:]
    weights, pairs, shape = impacts.weigh(
        row["question"], row["title"], indexed, cited, row["tags"].split("\n"), row["type"]
    )
    number = db.execute(
        f"INSERT INTO memories({_COLUMNS}) VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
        (
            row["id"],
            row["type"],
            row["title"],
            row["question"],
            row["tags"],
            row.get("shown") or conclusion(body, CONCLUSION_SHOWN),
            row["created"],
            row["turn"],
            row["session"],
            row["basis"],
            row.get("digest") or of_answer(body),
            json.dumps(cited, separators=(",", ":")),
            int(archived),
            row["offer"],
            place,
            mtime,
            size,
        ),
    ).lastrowid
    postings.put(db, number, weights, pairs, shape)
    if older:
        rows = [(i, number) for i in older if i != row["id"]]
        db.executemany("INSERT OR IGNORE INTO superseded VALUES(?,?)", rows)
        _break_cycles(db, number)


_LEADS_TO = (
    "SELECT m.created, m.id, m.number, s.number FROM superseded s JOIN memories m ON m.id=s.id"
    " WHERE s.number=?"
)


def _break_cycles(db, number):
    """Memories that supersede each other would all be hidden: in such a ring the newest stands, so what names
    it as superseded there does not count."""
    while ring := _ring(db, number):
        _, newest, _, by = max(ring)
        db.execute("DELETE FROM superseded WHERE id=? AND number=?", (newest, by))


def _ring(db, number):
    """The edges (created, id and number of what is superseded, number of what supersedes it) that lead from a
    memory through what it supersedes back to itself; [] when there are none."""
    way, seen = {}, {number}
    todo = [number]
    while todo:
        for edge in db.execute(_LEADS_TO, (todo.pop(),)).fetchall():
            to = edge[2]
            if to == number:
                ring = [edge]
                while ring[-1][3] != number:
                    ring.append(way[ring[-1][3]])
                return ring
            if to not in seen:
                seen.add(to)
                way[to] = edge
                todo.append(to)
    return []


def remove(db, place):
    """Take the memory at a place out of the index; True when it was there."""
    found = db.execute("SELECT number, id FROM memories WHERE place=?", (place,)).fetchone()
    if found:
        _take_out(db, found[0])
        db.execute("DELETE FROM uses WHERE id=?", found[1:])  # not for one that is only indexed anew
    return found is not None


def _take_out(db, number):
    postings.take_out(db, number)
    db.execute("DELETE FROM superseded WHERE number=?", (number,))
    db.execute("DELETE FROM memories WHERE number=?", (number,))

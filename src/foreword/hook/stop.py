"""Stop and its like: save the turn's question and final answer as one note. Prints nothing, ever. Hot."""

import os
import sqlite3

from foreword import project, stale
from foreword.clients import CLIENTS
from foreword.digest import of_answer
from foreword.hook.waiting import Waiting
from foreword.index import schema
from foreword.store import layout, write
from foreword.text.budget import cut, first_sentence, head_and_tail
from foreword.text.unkept import is_question, keepable

SHORTEST = 200  # characters of a final answer worth a note; counted over the whole turn
TITLE = 80


def run(client, heard, home, now):
    """Always ("", None or what went wrong on the way)."""
    if heard.subagent or not home:
        return "", None
    wire = _wire(client)
    answer = keepable(heard.answer or wire.answer(heard.transcript, heard.turn)).strip()
    if not answer:
        return "", None
    turn = heard.turn or of_answer(answer)
    waiting = Waiting(home, client, heard.session)
    earlier = waiting.place_of(turn)
    if not earlier:
        answer = "\n\n".join(filter(None, (waiting.part(turn), answer)))
        if len(answer) < SHORTEST:
            # Another hook may make the client go on with this turn: then it counts as one answer.
            waiting.leave_part(turn, answer)
            return "", None
    answer = head_and_tail(answer, layout.ANSWER_LIMIT)
    place = project.find(heard.folder, home, ask_git=True, anchor=heard.anchor)
    if place is None:
        return "", None
    if earlier and os.path.exists(os.path.join(place.folder, earlier)):
        return "", _append(place, waiting, earlier, answer, heard)
    asked = waiting.prompt(heard.turn) or keepable(wire.question(heard.transcript, heard.turn))
    if asked and not is_question(asked):
        return "", None
    return "", _save(client, place, waiting, turn, asked, answer, heard, now)


def _wire(client):
    name = CLIENTS[client] + ".wire"
    return __import__(name, fromlist=["wire"])


def _save(client, place, waiting, turn, asked, answer, heard, now):
    digest = of_answer(answer)
    if write.is_forgotten(place.home, digest):
        return None
    problem = None
    db = None
    try:
        db = schema.open_writing(place.folder)
        same = db.execute(
            "SELECT id, place FROM memories WHERE digest=? AND type='note' AND archived=0",
            (digest,),
        ).fetchone()
    except (sqlite3.Error, schema.UnusableError, OSError) as error:
        problem, same = error, None  # the note is saved all the same; the worker indexes it
    fields = {
        "source": client,
        "basis": "saved-by-itself",
        "turn": turn,
        "session": heard.session or None,
        "transcript": heard.transcript or None,
    }
    found = stale.cited(answer, place.root, heard.folder)
    cited = [{"path": path, "sha256": digest} for path, digest in found] or None
    try:
        if same and os.path.exists(os.path.join(place.folder, same[1])):
            memory_id, at = same
            times = {"created": layout.timestamp(now), "files": cited}
            body = write.change(place.folder, at, {**fields, **times})
            _index_again(db, place.folder, at, body, found, now, turn, heard.session)
        else:
            before = _folder_time(place.folder, now)
            title = cut(" ".join(asked.split()), TITLE) if asked else first_sentence(answer, TITLE)
            fields = {"title": title, "question": asked or None, **fields, "files": cited}
            memory_id, at = write.create(place.folder, "note", fields, answer, now)
            if db is not None:
                memory = {
                    "id": memory_id,
                    "type": "note",
                    "title": title,
                    "question": asked,
                    "body": answer,
                    "created": now,
                    "turn": turn,
                    "session": heard.session,
                    "files": found,
                }
                try:
                    _index(db, place.folder, memory, at, before)
                except sqlite3.Error as error:
                    problem = error
        waiting.saved(turn, memory_id, at)
    finally:
        if db is not None:
            db.close()
    return problem


def _index(db, folder, memory, at, before):
    from foreword.index import build

    stat = os.stat(os.path.join(folder, at))
    db.execute("BEGIN IMMEDIATE")
    build.add(db, memory, at, stat.st_mtime_ns, stat.st_size)
    month = os.path.dirname(at)
    # Our own file changed its folder's time. If the index agreed with the folder until now it still
    # does; if not, the difference must stay visible to the next prompt.
    if build.folder_times(db).get(month) == before:
        build.set_folder_time(db, month, os.stat(os.path.join(folder, month)).st_mtime_ns)
    db.execute("COMMIT")


def _folder_time(folder, now):
    month = os.path.dirname(layout.place("note", layout.new_id(now)))
    try:
        return os.stat(os.path.join(folder, month)).st_mtime_ns
    except OSError:
        return 0


def _append(place, waiting, at, answer, heard):
    """The turn went on: its note gets the new part, and the files of the whole."""
    found = []

    def cited(body):
        found.extend(stale.cited(body, place.root, heard.folder))
        return {"files": [{"path": path, "sha256": digest} for path, digest in found] or None}

    body = write.change(place.folder, at, cited, extra=answer)
    waiting.add_known([os.path.basename(at)[:-3]])
    try:
        db = schema.open_writing(place.folder)
        try:
            _index_again(db, place.folder, at, body, found)
        finally:
            db.close()
    except (sqlite3.Error, schema.UnusableError, OSError) as error:
        return error
    return None


def _index_again(db, folder, at, body, found, created=None, turn=None, session=None):
    from foreword.index import build

    stat = os.stat(os.path.join(folder, at))
    db.execute("BEGIN IMMEDIATE")
    build.revise(db, at, body, found, stat.st_mtime_ns, stat.st_size, created, turn, session)
    db.execute("COMMIT")

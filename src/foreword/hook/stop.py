"""Stop and its like: save the turn's question and final answer as one note. Prints nothing, ever. Hot."""

import os
import sqlite3

from foreword import clients, project, settings
from foreword.cited import cited, rows
from foreword.digest import of_answer, of_text
from foreword.hook.waiting import Waiting
from foreword.index import schema
from foreword.store import header, layout, write
from foreword.text.budget import cut, first_sentence, head_and_tail
from foreword.text.unkept import is_question, kept

SHORTEST = 200  # characters of a final answer worth a note; counted over the whole turn
TITLE = 80
# A note that is saved but not indexed is found by the next look at the files; one that is not saved
# when the watchdog comes is lost. So git (2 s), the transcript (1 s) and the index share 5 s.
INDEX_WAIT_S = 1.0
TWIN_WAIT_S = 2.0  # for a hook of the same event; then its note stands, most likely
JOINS_SURVIVED = 3


def run(client, heard, home, now):
    """Always ("", None or what went wrong on the way)."""
    if heard.subagent or not home:
        return "", None
    wire = clients.wire(client)
    chosen = settings.load(home)
    leaves_out = settings.leaves_out(chosen)
    if leaves_out:
        from foreword.hook.left_out import is_left_out

        if is_left_out(client, heard, chosen, home):
            return "", None
    answer = heard.answer or wire.answer(heard.transcript, heard.turn)
    answer = kept(answer, layout.ANSWER_LIMIT).strip()
    if not answer:
        return "", None
    turn = heard.turn or of_answer(answer)
    waiting = Waiting(home, client, heard.session)
    if waiting.is_gone(turn):
        return "", None  # the client's transcript still holds the words that the user deleted
    # A hook that is installed twice runs twice at once: the second one must find what the first saved.
    waiting.lock(TWIN_WAIT_S)
    try:
        return "", _note(
            client, heard, wire, waiting, turn, answer, now, home, chosen if leaves_out else None
        )
    finally:
        waiting.unlock()


def _note(client, heard, wire, waiting, turn, answer, now, home, excluding):
    """Save the turn's note, add to it, or leave what is too short to be one; what went wrong or None.
    `excluding`: the settings where they leave anything out, else None."""
    earlier = waiting.place_of(turn)
    part = "" if earlier else waiting.part(turn)
    # The same once more (a hook that is installed twice) adds nothing.
    whole = part if part.endswith(answer) else "\n\n".join(filter(None, (part, answer)))
    if excluding and _cites_excluded(whole, heard, home, excluding):
        waiting.leave_out(turn)
        return None
    if not earlier and len(whole) < SHORTEST:
        # Another hook may make the client go on with this turn: then it counts as one answer.
        waiting.leave_part(turn, whole)
        return None
    place = project.find(heard.folder, home, ask_git=True, anchor=heard.anchor)
    if place is None:
        return None
    if earlier and os.path.exists(os.path.join(place.folder, earlier)):
        try:
            return _append(place, waiting, earlier, answer, heard, now)
        except FileNotFoundError:
            return None  # deleted or moved at this very moment: it must not come back
        except UnicodeDecodeError:
            pass  # no text any more, so never rewritten: what follows gets a note of its own
    elif earlier:
        return None  # its note was deleted or archived since: the turn must not come back
    if len(whole) < SHORTEST:
        return None
    answer = head_and_tail(whole, layout.ANSWER_LIMIT)
    asked = waiting.prompt(heard.turn) or kept(heard.prompt, layout.QUESTION_LIMIT)  # Gemini's carries it
    asked = asked or kept(wire.question(heard.transcript, heard.turn), layout.QUESTION_LIMIT)
    if asked and not is_question(asked):
        return None
    if excluding and _is_excluded(asked, excluding):
        waiting.leave_out(turn)
        return None
    for _ in range(JOINS_SURVIVED):
        try:
            return _save(client, place, waiting, turn, asked, answer, heard, now)
        except FileNotFoundError:
            # A provisional project, joined into the right one by another hook at this very moment.
            again = project.find(heard.folder, home, ask_git=True, anchor=heard.anchor)
            if again is None or (again.folder == place.folder and os.path.isdir(place.folder)):
                raise
            place = again
    return _save(client, place, waiting, turn, asked, answer, heard, now)


def _is_excluded(asked, chosen):
    """Whether a question is one that the user excluded."""
    from foreword import exclude

    return bool(exclude.prompt(chosen, asked))


def _cites_excluded(answer, heard, home, chosen):
    """Whether an answer cites a file of a folder that the user excluded."""
    if not chosen["exclude.paths"]:
        return False
    from foreword import exclude

    place = project.find(heard.folder, home, create=False, anchor=heard.anchor)
    root = place.root if place else heard.folder
    found = cited(answer, root, heard.folder)
    return any(exclude.place(chosen, os.path.join(root, path)) for path, *_ in found)


def _save(client, place, waiting, turn, asked, answer, heard, now):
    digest = of_answer(answer)
    # By its turn too: the text of a deleted note may have been edited by hand before.
    if write.is_forgotten(place.home, digest) or write.is_forgotten(place.home, of_text(turn)):
        return None
    if waiting.is_gone(turn):
        return None  # deleted since this hook began
    problem = db = same = None
    try:
        db = schema.open_writing(place.folder, INDEX_WAIT_S)
        same = _same(db, place.folder, digest)
    except (sqlite3.Error, schema.UnusableError, OSError) as error:
        problem = error  # the note is saved all the same; the worker indexes it
    found = cited(answer, place.root, heard.folder)
    fields = {
        "source": client,
        "basis": layout.BY_ITSELF,
        "turn": turn,
        "session": heard.session or None,
        "transcript": heard.transcript or None,
        "files": rows(found),
    }
    try:
        if same:
            memory_id, at = same
            before = _stamp(place.folder, at)
            try:
                dated = {**fields, "created": layout.timestamp(now)}
                body = write.change(place.folder, at, dated, home=place.home)
            except FileNotFoundError:
                return problem  # deleted at this very moment: it must not come back
            problem = _remember(waiting, turn, memory_id, at) or problem
            _index_again(db, place.folder, at, before, body, found, now, turn, heard.session)
            return problem
        before = _folder_time(place.folder, now)
        title = cut(" ".join(asked.split()), TITLE) if asked else first_sentence(answer, TITLE)
        fields = {"title": title, "question": asked or None, **fields}
        memory_id, at = write.create(place.folder, "note", fields, answer, now)
        problem = _remember(waiting, turn, memory_id, at) or problem
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
                "basis": layout.BY_ITSELF,
                "files": found,
            }
            _index(db, place.folder, memory, at, before)
    except sqlite3.Error as error:
        problem = problem or error
    finally:
        if db is not None:
            db.close()
    return problem


def _same(db, folder, digest):
    """(id, place) of the live note that holds this answer word for word, or None."""
    sql = "SELECT id, place FROM memories WHERE digest=? AND type='note' AND archived=0"
    for memory_id, at in db.execute(sql, (digest,)):
        try:
            # What is indexed may have been edited by hand since.
            if of_answer(header.split(write.text_of(folder, at))[1]) == digest:
                return memory_id, at
        except (OSError, UnicodeDecodeError):
            continue
    return None


def _remember(waiting, turn, memory_id, at):
    """Before the index is touched: a lock there may last until the watchdog ends us."""
    try:
        waiting.saved(turn, memory_id, at)
    except OSError as error:
        return error
    return None


def _index(db, folder, memory, at, before):
    from foreword.index import build

    stat = os.stat(os.path.join(folder, at))
    db.execute("BEGIN IMMEDIATE")
    build.add(db, memory, at, stat.st_mtime_ns, stat.st_size)
    month = os.path.dirname(at)
    # Our own file changed its folder's time. If the index agreed with the folder until now it still
    # does; if not, the difference must stay visible to the next prompt.
    if schema.folder_times(db).get(month) == before:
        schema.set_folder_time(db, month, os.stat(os.path.join(folder, month)).st_mtime_ns)
    db.execute("COMMIT")


def _folder_time(folder, now):
    month = os.path.dirname(layout.place("note", layout.new_id(now)))
    try:
        return os.stat(os.path.join(folder, month)).st_mtime_ns
    except OSError:
        return 0


def _append(place, waiting, at, answer, heard, now):
    """The turn went on: its note gets the new part, and the files of the whole."""
    found = []
    changes = {}
    body = header.split(write.text_of(place.folder, at))[1].replace("\r\n", "\n")
    if body == answer or body.endswith("\n\n" + answer):
        # The same once more: a hook that is installed twice, or a client that asked for nothing new.
        changes["created"] = layout.timestamp(now)
        answer = ""

    def changed(body):
        found[:] = cited(body, place.root, heard.folder)  # asked again if the file changed meanwhile
        return {**changes, "files": rows(found)}

    before = _stamp(place.folder, at)
    body = write.change(place.folder, at, changed, answer, place.home)
    try:
        waiting.add_known([os.path.basename(at)[:-3]])
        db = schema.open_writing(place.folder, INDEX_WAIT_S)
        try:
            _index_again(db, place.folder, at, before, body, found, now if changes else None)
        finally:
            db.close()
    except (sqlite3.Error, schema.UnusableError, OSError) as error:
        return error
    return None


def _stamp(folder, at):
    found = os.stat(os.path.join(folder, at))
    return found.st_mtime_ns, found.st_size


def _index_again(db, folder, at, before, body, found, created=None, turn=None, session=None):
    """`before`: the file's time and size before we changed it. Where the index knows another state of
    it, it was edited by hand: the row stays, so that the difference is seen and caught up with."""
    from foreword.index import build

    db.execute("BEGIN IMMEDIATE")
    if db.execute("SELECT mtime, size FROM memories WHERE place=?", (at,)).fetchone() == before:
        build.revise(db, at, body, found, *_stamp(folder, at), created, turn, session)
    db.execute("COMMIT")

"""UserPromptSubmit and its like: leave the prompt for Stop, offer the notes that match, or nothing. Hot."""

import json
import os
import sqlite3

from foreword import clients, files, project, settings, stale
from foreword.hook.waiting import Waiting
from foreword.index import schema
from foreword.store import layout
from foreword.text.question import Question
from foreword.text.unkept import is_question, keepable

SCAN_EVERY_S = 5.0  # the files are compared with the index at most this often, in the background
CATCH_UP, REBUILD = "catch-up", "rebuild"
PROMPTS_KEPT = 9  # older prompts.log files of 1 MB each: what the report reads


def run(client, heard, home, now):
    """(the foreword for this prompt or "", what went wrong on the way or None)."""
    if heard.subagent or not home or not heard.prompt.strip():
        return "", None
    prompt = keepable(heard.prompt)
    waiting = Waiting(home, client, heard.session)
    problem = None
    try:
        if prompt:
            waiting.leave_prompt(heard.turn, prompt)
        place = project.find(heard.folder, home, anchor=heard.anchor)
    except OSError as error:
        # The disk is full or read-only: what can be read is still offered.
        problem = error
        place = project.find(heard.folder, home, create=False, anchor=heard.anchor)
    if place is None:
        return "", problem
    chosen = settings.load(home)
    switch = settings.configured(project.read_record(place.folder), chosen)
    state = settings.effective(switch, now)
    text, ids, work, told = "", [], "", {"best": [], "needed": None, "why": "off"}
    if state == "on" and chosen["index.lines"] and not is_question(prompt):
        told["why"] = "question-not-kept"
    elif state == "on" and chosen["index.lines"]:
        told["why"] = "no-index"
        try:
            text, ids, work, told = _offer(client, heard, place, waiting, prompt, chosen, now)
        except schema.MissingError:
            work = CATCH_UP
        except (sqlite3.Error, schema.UnusableError, OSError) as error:
            problem = problem or error
            told["why"] = "index-failed"
            if isinstance(error, OSError) or schema.passes_by_itself(error):
                work = CATCH_UP
            elif not isinstance(error, schema.NewerError):
                work = REBUILD  # pages that cannot be read do not; a newer program's index is not ours
    try:
        if ids:
            waiting.add_known(ids)
        record = {
            "time": layout.timestamp(now),
            "client": client,
            "session": heard.session,
            "turn": heard.turn,
            "switch": switch,
            "state": state,
            "index": bool(text),
            "ids": ids,
            "characters": len(text),
            **told,
        }
        files.append(os.path.join(place.folder, "prompts.log"), json.dumps(record).encode(), PROMPTS_KEPT)
        if work:
            files.spawn_detached(["foreword.worker", home, place.name, work])
    except OSError as error:
        problem = problem or error
    return text, problem


def _offer(client, heard, place, waiting, prompt, chosen, now):
    """(framed text, ids, work for the background or "", what became of the best candidates)."""
    question = Question(prompt)
    db = schema.open_reading(place.folder)
    try:
        from foreword.index import search

        behind = _behind(db, place.folder, now)
        touched = () if question.only_steers() else _touched(client, heard, place.root)
        offer = search.offered(db, question, waiting.known(), chosen["index.lines"], touched=touched)
    finally:
        db.close()
    told = {"best": offer.told, "needed": offer.needed, "why": offer.why}
    fresh = []
    for hit in offer.hits:
        stat = _stat(os.path.join(place.folder, hit.place))
        if stat is not None and (stat.st_mtime_ns, stat.st_size) == (hit.mtime, hit.size):
            fresh.append(hit)
        else:
            behind = True  # edited or deleted by hand since: say nothing that may be wrong
            _tell(offer, hit.id, "stale")
    work = CATCH_UP if behind else ""
    if not fresh:
        return "", [], work, told
    from foreword import recall

    text, ids = recall.index(fresh, place.root, now, chosen["index.characters"])
    for hit in fresh:
        if hit.id not in ids:
            _tell(offer, hit.id, "room")
    return text, ids, work, told


def _tell(offer, memory_id, reason):
    for row in offer.told:
        if row[0] == memory_id:
            row[2] = reason


def _touched(client, heard, root):
    """Files of the project that the client session has read or edited, the latest first, relative to it."""
    found = []
    try:
        paths = clients.wire(client).touched(heard.transcript)
    except Exception:  # noqa: BLE001  a bonus must not cost the foreword
        return ()
    for path in paths:
        relative = stale.relative(path, root)
        if relative and relative not in found:
            found.append(relative)
    return found


def _behind(db, folder, now):
    """True when the files may differ from the index: a folder changed, or no look for a while.

    A file added, removed or replaced changes its folder's time; one edited in place does not, so
    the worker looks at all of them now and then, but never more than a hundredth of the time.
    """
    for relative, mtime in schema.folder_times(db).items():
        stat = _stat(os.path.join(folder, relative))
        if (stat.st_mtime_ns if stat else 0) != mtime:
            return True
    row = db.execute("SELECT value FROM meta WHERE key='looked'").fetchone()
    try:
        at, took_s = json.loads(row[0])
    except (TypeError, ValueError):
        return True
    return not 0 <= now - at < max(SCAN_EVERY_S, 100 * took_s)


def _stat(path):
    try:
        return os.stat(path)
    except OSError:
        return None

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
CATCH_UP, REBUILD, REBUILD_GRAPH = "catch-up", "rebuild", "rebuild-graph"
TOLD = 10  # candidates of which is remembered what became of them


def run(client, heard, home, now):
    """(the foreword for this prompt or "", what went wrong on the way or None, a line for the user or "").

    Behind a recall that was put off, where the client takes one with a prompt only.
    """
    if heard.subagent or not home or not heard.prompt.strip():
        return "", None, ""
    prompt = keepable(heard.prompt)
    waiting = Waiting(home, client, heard.session)
    problem = None
    chosen = settings.load(home)
    if settings.leaves_out(chosen) and _is_left_out(client, heard, chosen, home, prompt, waiting):
        return "", None, ""
    try:
        if not waiting.leave_prompt(heard.turn, prompt):
            return "", None, ""  # a hook that is installed twice: the other one answers
        place = project.find(heard.folder, home, anchor=heard.anchor)
    except OSError as error:
        # The disk is full or read-only: what can be read is still offered.
        problem = error
        place = project.find(heard.folder, home, create=False, anchor=heard.anchor)
    if place is None:
        return "", problem, ""
    handed, notice = "", ""
    if clients.wire(client).RECALL_WITH_PROMPT and (source := waiting.owed_recall()):
        from foreword.hook.session_start import recalled

        try:
            handed, failed, notice = recalled(client, heard, home, place, waiting, now, source)
            waiting.recall_was_handed()
            problem = problem or failed
        except (sqlite3.Error, schema.UnusableError, OSError) as error:
            problem = problem or error  # it is still owed, and the prompt gets its foreword
    switch = settings.configured(project.read_record(place.folder), chosen)
    state = settings.effective(switch, now, heard.session)
    text, ids, hits, work, told = "", [], [], "", _nothing("off")
    if state == "on" and chosen["index.lines"] and is_question(prompt):
        question = Question(prompt)
        hits, told, work, failed = _memories(client, heard, place, waiting, question, chosen, now)
        problem = problem or failed
        if chosen["graph.in_index"]:
            hits, told, more, failed = _entities(home, waiting, question, chosen, hits, told)
            work, problem = _stronger(work, more), problem or failed
        if hits:
            from foreword import recall

            text, ids = recall.index(hits, place.root, now, chosen["index.characters"])
            for hit in hits:
                if hit.id not in ids:
                    _tell(told, hit.id, "room")
    elif state == "on" and chosen["index.lines"]:
        told["why"] = "question-not-kept"
    try:
        if ids:
            waiting.add_known(ids)
        shown = [hit for hit in hits if hit.id in ids]
        named = [hit.id for hit in shown if hit.type == "entity"]
        kept = [i for i in ids if i not in named]
        record = {
            "time": layout.timestamp(now),
            "client": client,
            "session": heard.session,
            "turn": heard.turn,
            "switch": switch,
            "state": state,
            "index": bool(text),
            "ids": kept,
            **({"entities": named} if named else {}),
            "characters": len(text),
            **told,
        }
        log = os.path.join(place.folder, "prompts.log")
        files.append(log, json.dumps(record).encode(), layout.LOGS_KEPT)
        if work:
            files.spawn_detached(["foreword.worker", home, place.name, work])
        if text:
            from foreword.hook import forewords

            sources = [os.path.join(place.folder, hit.place) for hit in shown if hit.type != "entity"]
            forewords.record(place.folder, client, heard, "prompt", kept, text, sources, now)
    except OSError as error:
        problem = problem or error
    return "\n\n".join(filter(None, (handed, text))), problem, notice


def _is_left_out(client, heard, chosen, home, prompt, waiting):
    """Whether nothing of this prompt is to be kept; then Stop is told, where it could not know by itself."""
    from foreword import exclude
    from foreword.hook.left_out import is_left_out

    if is_left_out(client, heard, chosen, home):
        return True
    if not exclude.prompt(chosen, prompt):
        return False
    waiting.leave_out(heard.turn)
    return True


def _memories(client, heard, place, waiting, question, chosen, now):
    """(Hits of the project that are worth a line, what became of the best candidates, work for the background
    or "", what went wrong or None)."""
    try:
        return _offered(client, heard, place, waiting, question, chosen, now)
    except schema.MissingError:
        return [], _nothing("no-index"), CATCH_UP, None
    except (sqlite3.Error, schema.UnusableError, OSError) as error:
        return [], _nothing("index-failed"), _work_after(error, REBUILD), error


def _work_after(error, rebuild):
    """What the background is to do about an index that could not be read."""
    if isinstance(error, schema.NewerError):
        return ""  # a newer program's index is not ours
    if isinstance(error, OSError) or schema.passes_by_itself(error):
        return CATCH_UP
    return rebuild  # pages that cannot be read do not pass by themselves


def _stronger(work, more):
    """One work for two indexes: catching up is part of each, and one that stays damaged is met again."""
    return more if work in ("", CATCH_UP) and more else work


def _offered(client, heard, place, waiting, question, chosen, now):
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
            _tell(told, hit.id, "stale")
    return fresh, told, CATCH_UP if behind else "", None


def _entities(home, waiting, question, chosen, hits, told):
    """The same with entities of the knowledge graph among `hits`, the surest of both first."""
    if question.only_steers():
        return hits, told, "", None
    from foreword.index import entities

    lines = chosen["index.lines"]
    try:
        offer, behind = entities.offered(home, chosen["graph.file"], question, waiting.known(), lines)
    except (sqlite3.Error, schema.UnusableError, OSError) as error:
        return hits, told, _work_after(error, REBUILD_GRAPH), error
    work = CATCH_UP if behind else ""
    if not offer.told:
        return hits, told, work, None
    told = {
        "best": sorted(told["best"] + offer.told, key=lambda row: -row[1])[:TOLD],
        "needed": offer.needed if told["needed"] is None else told["needed"],
        "why": "",
    }
    hits = sorted(hits + offer.hits, key=lambda hit: hit.model["needed"] - hit.odds)
    for hit in hits[lines:]:
        _tell(told, hit.id, "room")
    return hits[:lines], told, work, None


def _nothing(why):
    return {"best": [], "needed": None, "why": why}


def _tell(told, memory_id, reason):
    for row in told["best"]:
        if row[0] == memory_id:
            row[2] = reason


def _touched(client, heard, root):
    """Files of the project that the client session has read or edited, the latest first, relative to it."""
    found = []
    try:
        # A client without a transcript names them in its payload.
        paths = heard.files or clients.wire(client).touched(heard.transcript)
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

"""Saving, marking, archiving, restoring and deleting memories. Durable when a call returns."""

import os
import sqlite3
import time

from foreword import files, project, stale
from foreword.digest import of_answer
from foreword.errors import BUSY, BusyError, DamagedError, ForewordError, NotFoundError
from foreword.index import build, catch_up, schema
from foreword.memory.find import GLOBAL, OFFERED, Reading, bring_up_to_date, locate, unknown
from foreword.store import header, layout, write
from foreword.store import read as reading
from foreword.text.budget import cut
from foreword.text.unkept import keepable

LOCK_S = 10.0


def save(
    place, body, type="fact", title="", tags=(), everywhere=False, source="cli", basis="user",  # noqa: A002
    session="", supersedes=(),
):  # fmt: skip
    """Save a session or a fact; {"id", "superseded": [ids]}. Durable and found by search on return.

    A fact supersedes the live facts with its title (any case); the old ones stay. Raises
    ForewordError for an empty body or a type that is not saved by hand.
    """
    if type not in ("session", "fact"):
        raise ForewordError(f"type is session or fact, not {type!r}", "foreword save --help")
    if everywhere and type != "fact":
        raise ForewordError("only facts are global", "leave --global out")
    body = body.replace("\r\n", "\n").encode("utf-8", "replace").decode().strip("\n")
    body = keepable(body)
    if len(body) > layout.ANSWER_LIMIT:
        raise ForewordError(
            "the body has %d characters, a memory holds %d; nothing was saved"
            % (len(body), layout.ANSWER_LIMIT),
            "split it, or keep the detail in a file and cite its path",
        )
    if not body.strip():
        raise ForewordError("the body is empty, nothing was saved", "foreword save < FILE")
    title = cut(" ".join((title or body.strip().splitlines()[0].lstrip("# ")).split()), 200)
    if write.is_forgotten(place.home, of_answer(body)):
        if basis != "user":
            raise ForewordError("the user deleted this text, it was not saved", "ask the user to save it")
        write.remember(place.home, of_answer(body))  # said again by the one who deleted it
    older = [i for i in supersedes if locate(place, i)]
    if everywhere:
        folder = os.path.join(place.home, GLOBAL)
        files.make_folder(folder)
    else:
        folder = made(place).folder
    now = time.time()
    if type == "fact":
        with Reading(folder) as db:
            rows = db.execute(
                "SELECT id, title FROM memories WHERE type='fact' AND archived=0"
                " AND id NOT IN (SELECT id FROM superseded)"
            )
            older += [i for i, known in rows if known.casefold() == title.casefold() and i not in older]
    fields = {
        "title": title,
        "tags": [str(t) for t in tags] or None,
        "source": source,
        "basis": basis,
        "session": session or None,
        "supersedes": older or None,
        # A global fact is read in other projects, where these paths would be others' files.
        "files": None if everywhere else _cited(body, place.root),
    }
    memory_id, _ = write.create(folder, type, fields, body, now)
    try:
        bring_up_to_date(folder)
    except BusyError:
        pass  # it is saved; every search looks for it first
    return {"id": memory_id, "superseded": older}


def _cited(body, root):
    return [{"path": path, "sha256": digest} for path, digest in stale.cited(body, root)] or None


def made(place):
    """The project with its folder in the store."""
    if os.path.isdir(place.folder):
        return place
    return project.find(place.root, place.home, ask_git=True) or place


def archive(place, ids):
    """Move memories to archive/. All ids must be known, else NotFoundError and nothing is done."""
    return _move(place, ids, archived=True)


def restore(place, ids):
    """Move memories back from archive/."""
    return _move(place, ids, archived=False)


def _move(place, ids, archived):
    found = _all(place, ids)
    moves = []
    with locked(place.home):
        for memory_id, (_, folder, at) in found.items():
            kind, now_archived = layout.kind_of(at) or ("note", False)
            if now_archived == archived:
                continue
            # Named by its id from here on: an id that was made from the place would change with it.
            target = os.path.join(folder, layout.place(kind, memory_id, archived))
            if os.path.exists(target):
                raise ForewordError(f"{target} is already there, nothing was moved over it")
            moves.append((os.path.join(folder, at), target))
        for origin, target in moves:
            files.make_folder(os.path.dirname(target))
            os.rename(origin, target)
            files.sync_folder(os.path.dirname(target))
            files.sync_folder(os.path.dirname(origin))
    for folder in {folder for _, folder, _ in found.values()}:
        bring_up_to_date(folder)
    return list(found)


def mark(place, ids, offer, only=""):
    """Pin memories ("always" consider), reject them ("never" offer again) or take both back ("usual").

    The ids that are marked so now; with `only` those stay as they are, and are left out, that are not
    marked `only`. All ids must be known and all files readable, else nothing is done. Raises
    ForewordError, NotFoundError, DamagedError.
    """
    if offer not in OFFERED.values():
        raise ForewordError(f"offer is always, usual or never, not {offer!r}", "foreword pin --help")
    found = _all(place, ids)
    for memory_id, (name, _, at) in found.items():
        if offer == "always" and name == GLOBAL:
            raise ForewordError(
                f"{memory_id} is global; only memories of the project are offered to prompts", "foreword list"
            )
        if offer == "always" and (layout.kind_of(at) or ("", False))[1]:
            raise ForewordError(f"{memory_id} is archived", f"foreword restore {memory_id}")
    with locked(place.home):
        # Every text is made before the first is written: one that cannot be marked stops them all.
        texts = {memory_id: _marked(folder, at, offer, only) for memory_id, (_, folder, at) in found.items()}
        done = [memory_id for memory_id, text in texts.items() if text is not None]
        for memory_id in done:
            _, folder, at = found[memory_id]
            if texts[memory_id]:
                files.write(os.path.join(folder, at), texts[memory_id])
    for folder in {found[memory_id][1] for memory_id in done}:
        try:
            bring_up_to_date(folder)
        except BusyError:
            pass  # the files say it: no prompt gets a line whose file is newer than its row
    return done


def _marked(folder, at, offer, only):
    """The bytes of a memory that says `offer`; b"" when it does already, None when it is not `only`."""
    path = os.path.join(folder, at)
    try:
        text = write.text_of(folder, at)
    except UnicodeDecodeError as error:
        raise DamagedError(f"{path} is not UTF-8, so it is not rewritten", "foreword check") from error
    now = OFFERED[reading.parse(text.encode(), at)["offer"]]
    if now == offer:
        return b""
    if only and now != only:
        return None
    data = header.rewrite(text, {"offer": None if offer == "usual" else offer}).encode()
    made = reading.parse(data, at)
    if OFFERED[made["offer"]] != offer:
        raise DamagedError(f"{path} cannot be marked: {made['damage']}", "foreword check")
    return data


def delete(place, ids):
    """Delete for good: the files, their rows and words in the index, waiting prompts of the same
    question; a tombstone (a hash) keeps the same text from being saved again. Returns the ids."""
    found = _all(place, ids)
    with locked(place.home):
        for _, folder, at in found.values():
            for same in _places(folder, at):
                memory = reading.load(folder, same)
                if memory:
                    write.forget(place.home, of_answer(memory["body"]))
                    _forget_waiting(place.home, memory["question"])
                files.remove(os.path.join(folder, same))
                files.sync_folder(os.path.dirname(os.path.join(folder, same)))
    for folder in {folder for _, folder, _ in found.values()}:
        places = [same for _, f, at in found.values() if f == folder for same in _places(folder, at)]
        try:
            _scrub(folder, places)
        except sqlite3.Error as error:
            raise ForewordError(
                "the files are deleted, but their words may still stand in %s: %s"
                % (schema.path(folder), error),
                "foreword reindex",
                exit_code=BUSY,
            ) from error
    return list(found)


def _places(folder, at):
    """A memory's place, and any other that the same id can stand in (a copy made by hand)."""
    memory_id = at.rpartition("/")[2][:-3]
    if not layout.is_id(memory_id):
        return [at]
    others = [layout.place(kind, memory_id, archived) for kind in layout.TYPES for archived in (False, True)]
    return [at, *(p for p in others if p != at and os.path.exists(os.path.join(folder, p)))]


def _scrub(folder, places):
    """Take memories out of the index so that no byte of their words stays in its pages."""
    try:
        db = schema.open_writing(folder, wait_s=LOCK_S)
    except schema.UnusableError:
        catch_up.rebuild(folder)
        return
    try:
        db.execute("BEGIN IMMEDIATE")
        for at in places:
            build.remove(db, at)
        db.execute("COMMIT")
        cleared = catch_up.clear_words(db, LOCK_S)
    except sqlite3.DatabaseError as error:
        if schema.passes_by_itself(error):
            raise BusyError(f"deleted, but the index of {folder} is busy", "foreword reindex") from error
        catch_up.rebuild(folder)
        return
    finally:
        db.close()
    if not cleared:
        raise BusyError(f"deleted, but somebody still reads the index of {folder}", "foreword reindex")
    bring_up_to_date(folder)


def _forget_waiting(home, question):
    """Remove prompts left for Stop that hold a deleted memory's question."""
    if not question:
        return
    for at, _, names in os.walk(os.path.join(home, "state", "sessions")):
        for name in names:
            if name.endswith((".prompt", ".part")):
                raw = files.read(os.path.join(at, name)) or b""
                if question.strip() in raw.decode("utf-8", "replace"):
                    files.remove(os.path.join(at, name))


def _all(place, ids):
    found, missing = {}, []
    for memory_id in dict.fromkeys(ids):
        try:
            found[memory_id] = locate(place, memory_id)
        except NotFoundError:
            missing.append(memory_id)
    if missing:
        raise unknown(missing)
    return found


class locked:  # noqa: N801  reads as `with locked(home):`
    def __init__(self, home):
        self.lock = files.Lock(os.path.join(home, "state"), wait_s=LOCK_S)
        files.make_folder(os.path.join(home, "state"))

    def __enter__(self):
        if not self.lock.__enter__():
            raise BusyError(f"another Foreword holds {self.lock.path}", "try again")

    def __exit__(self, *exc):
        self.lock.__exit__(*exc)

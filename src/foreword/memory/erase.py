"""Deleting memories for good. What the user deletes is gone from every file of the store, to the byte, and
stays gone: a tombstone (an empty file, named by a hash or an id) keeps it from being saved, indexed or
offered again, whatever brings its file or its text back.

Logs and journals hold ids, never texts; those stay, for the tombstone is named by the id too.
"""

import os
import re
import shutil
import sqlite3

from foreword import files, paths
from foreword.digest import of_answer, of_text
from foreword.errors import BUSY, BusyError, ForewordError, NotFoundError
from foreword.index import build, catch_up, schema
from foreword.memory import change
from foreword.memory.find import bring_up_to_date, folders, locate, unknown
from foreword.memory.purge import renew_ignore
from foreword.store import layout, write
from foreword.store import read as reading

PART_LEAST = 20  # characters of a waiting part of an answer that tell that it belongs to a deleted one
_SCRATCH = re.compile(r"\.(?:rebuild|index)\.([0-9]+)(?:-[0-9a-f]{6}\.tmp.*)?\Z")


def delete(place, ids):
    """Delete memories: files and what was left beside them, rows and words in the index, waiting prompts of
    the same question, copies in an editor. Returns the ids, as change.Done. All of them must be known, also
    as files that came back after they were deleted, else NotFoundError and nothing is done.

    Tombstones are written first: the id (where it is the file's name), the sha256 of the text, that of the
    turn's id. Raises ForewordError with exit code BUSY where the files are gone and their words may still
    stand in the index.
    """
    found, missing = {}, []
    for memory_id in dict.fromkeys(ids):
        try:
            found[memory_id] = locate(place, memory_id, deleted=True)
        except NotFoundError:
            missing.append(memory_id)
    if missing:
        raise unknown(missing)
    done = change.Done(found)
    try:
        done.again = change.standing_without(place, ids)
    except BusyError:
        pass  # what the user deletes goes, whoever holds the index
    gone = {}
    with change.locked(place.home):
        for memory_id, (_, folder, at) in found.items():
            gone.setdefault(folder, []).extend(_remove(place, folder, memory_id, at))
        renew_ignore(place.home)
    for folder, places in gone.items():
        try:
            _scrub(folder, places)
        except sqlite3.Error as error:
            raise ForewordError(
                "the files are deleted, but their words may still stand in %s: %s"
                % (schema.path(folder), error),
                "foreword reindex",
                exit_code=BUSY,
            ) from error
    return done


def _remove(place, folder, memory_id, at):
    """Leave tombstones, then remove all that holds a memory's text; the places that held it."""
    home = place.home
    places = _places(folder, at)
    memories = [memory for p in places if (memory := reading.load(folder, p))]
    if layout.is_id(at.rpartition("/")[2][:-3]):  # an id made from a place is the next file's there too
        write.forget(home, memory_id)
    for memory in memories:
        if memory["body"].strip():
            digest = of_answer(memory["body"])
            for other in _others(place, digest, memory_id):
                write.forget(home, f"{digest}.{other}")
            write.forget(home, digest)
        if memory["type"] == "note" and memory["turn"]:
            write.forget(home, of_text(memory["turn"]))
    _forget_kept(home, memory_id)
    for memory in memories:
        _forget_waiting(home, memory)
    _forget_edits(home, memory_id)
    for p in places:
        files.remove(os.path.join(folder, p))
    for relative in layout.folders(folder):
        _sweep(os.path.join(folder, relative), at.rpartition("/")[2])
    for p in places:
        files.sync_folder(os.path.dirname(os.path.join(folder, p)))
    _forget_scratch(folder)
    return places


def _places(folder, at):
    """A memory's place, any other that the same id can stand in, and copies of it (`<id> copy.md`, what a
    sync made of it) that hold the same text."""
    stem = at.rpartition("/")[2][:-3]
    if not layout.is_id(stem):
        return [at]
    found = [layout.place(kind, stem, archived) for kind in layout.TYPES for archived in (False, True)]
    found = [at, *(p for p in found if p != at and os.path.exists(os.path.join(folder, p)))]
    texts = set()
    for p in found:
        memory = reading.load(folder, p)
        texts.add(of_answer(memory["body"]) if memory else "")
    for relative in layout.folders(folder):
        for name in _names(os.path.join(folder, relative)):
            p = relative + "/" + name
            if name.startswith(stem) and p not in found and layout.kind_of(p):
                memory = reading.load(folder, p)
                if memory and of_answer(memory["body"]) in texts:
                    found.append(p)
    return found


def _others(place, digest, memory_id):
    """Ids of other memories of the store, in any project, that hold the same text: they stay."""
    found = []
    for _, folder in folders(place, True):
        try:
            db = schema.open_reading(folder, wait_s=1.0)
        except (schema.UnusableError, sqlite3.Error):
            continue  # nothing was ever found there
        try:
            rows = db.execute("SELECT id, place FROM memories WHERE digest=?", (digest,)).fetchall()
        except sqlite3.Error:
            rows = []
        finally:
            db.close()
        for other, at in rows:
            if other == memory_id or at.rpartition("/")[2].startswith(memory_id):
                continue
            try:
                memory = reading.load(folder, at)  # edited by hand since, perhaps
            except OSError:
                continue
            if memory and of_answer(memory["body"]) == digest:
                found.append(other)
    return found


def _forget_kept(home, memory_id):
    """This one does not stay, though it did when another with its text was deleted."""
    for name in _names(paths.tombstones(home)):
        if name.endswith("." + memory_id):
            files.remove(os.path.join(paths.tombstones(home), name))


def _forget_waiting(home, memory):
    """Remove prompts left for Stop that hold a deleted memory's question, and parts of its answer."""
    question, body = memory["question"].strip(), memory["body"]
    for at, _, names in os.walk(os.path.join(home, "state", "sessions")):
        for name in names:
            if not name.endswith((".prompt", ".part")):
                continue
            text = (files.read(os.path.join(at, name)) or b"").decode("utf-8", "replace").strip()
            is_part = name.endswith(".part") and len(text) >= PART_LEAST and text in body
            if is_part or (question and question in text):
                files.remove(os.path.join(at, name))


def _forget_edits(home, memory_id):
    edits = paths.join(home, "state", "edits")
    for name in _names(edits):
        if name.startswith(memory_id):
            shutil.rmtree(os.path.join(edits, name), ignore_errors=True)


def _sweep(folder, name):
    """Remove what editors and crashed writers left of a file beside it: `.<name>.<pid>-<random>.tmp`,
    `<name>~`, `.<name>.swp`, `<name>.orig`. Other memories stay."""
    kept = name[:40]  # what files.write takes into a temporary file's name
    is_id = layout.is_id(name[:-3])
    for other in _names(folder):
        is_its = name in other if is_id else other.lstrip(".#").startswith(kept)
        if is_its and layout.kind_of("facts/" + other) is None:
            path = os.path.join(folder, other)
            if os.path.isfile(path) or os.path.islink(path):
                files.remove(path)


def _forget_scratch(folder):
    """Remove indexes that were never finished, of processes that are no more."""
    for name in _names(folder):
        scratch = _SCRATCH.match(name)
        if scratch and not _runs(int(scratch.group(1))):
            path = os.path.join(folder, name)
            if os.path.isdir(path):
                shutil.rmtree(path, ignore_errors=True)
            else:
                files.remove(path)


def _runs(pid):
    if files.WINDOWS:
        return True  # os.kill would end it; the worker removes what is an hour old
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):
        pass  # somebody else's
    return True


def _names(folder):
    try:
        return os.listdir(folder)
    except OSError:
        return []


def _scrub(folder, places):
    """Take memories out of the index so that no byte of their words stays in its pages."""
    try:
        db = schema.open_writing(folder, wait_s=change.LOCK_S)
    except schema.UnusableError:
        catch_up.rebuild(folder)
        return
    try:
        db.execute("BEGIN IMMEDIATE")
        for at in places:
            build.remove(db, at)
        db.execute("COMMIT")
        cleared = catch_up.clear_words(db, change.LOCK_S)
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

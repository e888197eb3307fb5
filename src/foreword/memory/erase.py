"""Deleting memories for good. What the user deletes is gone from every file of the store, to the byte, and
stays gone: a tombstone (an empty file, named by a hash or an id) keeps it from being saved, indexed or
offered again, whatever brings its file or its text back.

Other logs and journals hold ids, never texts; those stay, for the tombstone is named by the id too.
forewords.log holds what agents were handed: it is rewritten.
"""

import os
import re
import shutil
import sqlite3

from foreword import files, paths
from foreword.digest import of_answer, of_text
from foreword.errors import BUSY, BusyError, ForewordError, NotFoundError
from foreword.index import build, catch_up, schema
from foreword.memory import change, words_of
from foreword.memory.find import bring_up_to_date, folders, locate, unknown
from foreword.memory.forewords import forget
from foreword.memory.purge import renew_ignore
from foreword.store import layout, write
from foreword.store import read as reading

_SCRATCH = re.compile(r"\.(?:rebuild|index)\.([0-9]+)(?:-[0-9a-f]{6}\.tmp.*)?\Z")
_TEMP = re.compile(r"\..+\.([0-9]+)-[0-9a-f]{6}\.tmp\Z", re.DOTALL)  # what files.write calls a file at first


def delete(place, ids):
    """Delete memories: files and what was left beside them, rows and words in the index, waiting prompts and
    recorded forewords that hold their words, copies in an editor. Returns the ids, as change.Done. All of
    them must be known, also as files that came back after they were deleted, else NotFoundError and nothing
    is done.

    Tombstones are written first: the file's and the text's in its folder, the sha256 of the text, that of
    the turn's id. What holds the same text beside it, or the same id in another folder, stays. Raises
    ForewordError with exit code BUSY where the files are gone and their words may still stand in the index.
    """
    found, missing = {}, []
    for memory_id in dict.fromkeys(ids):
        try:
            found[memory_id] = _located(place, memory_id)
        except NotFoundError:
            missing.append(memory_id)
    if missing:
        raise unknown(missing)
    done = change.Done(found)
    try:
        done.again = change.standing_without(place, ids)
    except BusyError:
        pass  # what the user deletes goes, whoever holds the index
    gone, moved = {}, {}
    with change.locked(place.home):
        logs, words = _logs(place, found), _words(found)
        forget(logs, found, words)  # while the files stand: whoever is ended before they go can try again
        for memory_id, (folder, at) in found.items():
            at = _place_now(folder, memory_id, moved.get((folder, at), at))
            gone.setdefault(folder, []).extend(_remove(place.home, folder, memory_id, at, moved))
        forget(logs, found, [])  # what a hook that had found them wrote down since: with their ids
        for _, folder in folders(place, True):
            _sweep_dead(folder)
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


def _logs(place, found):
    """The folders of projects in whose records a memory may stand: its own; a global one, in all."""
    at = {folder for folder, _ in found.values()}
    everywhere = paths.everywhere(place.home)
    return [folder for _, folder in folders(place, everywhere in at) if folder != everywhere]


def _words(found):
    """The memories of delete's `found` that can be read, as store.read gives them."""
    loaded = [_load(folder, _place_now(folder, i, at)) for i, (folder, at) in found.items()]
    return [memory for memory in loaded if memory]


def _located(place, memory_id):
    """(folder, place in it) of a memory, also of one that was deleted and came back, under any name."""
    try:
        return locate(place, memory_id, deleted=True)[1:]
    except NotFoundError:
        for _, folder in folders(place, False):
            for at, (_, digest, named) in _texts(folder).items():
                if not named and write.is_deleted(folder, at, digest):
                    memory = _load(folder, at)
                    if memory and (memory["id"] or layout.id_from(at, memory["created"])) == memory_id:
                        return folder, at
        raise


def _place_now(folder, memory_id, at):
    """The place of a memory that may have been archived or restored since it was found."""
    places = [layout.place(kind, memory_id, archived) for archived in (False, True) for kind in layout.TYPES]
    return next((p for p in (at, *places) if os.path.exists(os.path.join(folder, p))), at)


def _remove(home, folder, memory_id, at, moved):
    """Leave tombstones, then remove all that holds a memory's text; the places that held it. `moved` is told
    (folder, old place) -> new place of others that had to get out of the way."""
    texts = _texts(folder)
    places = _places(folder, at, texts)
    memories = {p: memory for p in places if (memory := _load(folder, p))}
    for p, entry in texts.items():
        if p not in places and layout.is_id(_stem(at)) and _stem(p) == _stem(at):
            moved[folder, p] = _name_anew(folder, p, entry[0])
    for p in places:
        memory = memories.get(p)
        digest = of_answer(memory["body"]) if memory else texts[p][1] if p in texts else ""
        own, of_its_text = write.tombstones_of(folder, p, digest)
        write.forget(home, own)
        if not digest or digest == of_answer(""):
            continue  # blank ones do not take each other along
        write.forget(home, digest)
        # Where another one beside it has the text this would take that one along, whatever its name.
        if not any(_stands(folder, q, digest) for q in texts if texts[q][1] == digest and q not in places):
            write.forget(home, of_its_text)
    for memory in memories.values():
        if memory["type"] == "note" and memory["turn"]:
            write.forget(home, of_text(memory["turn"]))
    for memory in memories.values():
        _forget_waiting(home, memory)
    _forget_edits(home, memory_id)
    for p in places:
        files.remove(os.path.join(folder, p))
    for relative in layout.folders(folder):
        _sweep(os.path.join(folder, relative), at.rpartition("/")[2])
    for p in places:
        files.sync_folder(os.path.dirname(os.path.join(folder, p)))
    return places


def _texts(folder):
    """{place: (id, digest of its text, whether the index has it)} of every memory's file of a folder. What
    the index does not know as it is now is read; no index is waited for. A file that cannot be read is left
    out."""
    rows = {}
    try:
        db = schema.open_reading(folder, wait_s=1.0)
        try:
            for at, *entry in db.execute("SELECT place, mtime, size, id, digest FROM memories"):
                rows[at] = entry
        finally:
            db.close()
    except (schema.UnusableError, sqlite3.Error):
        pass
    found = {}
    for at, mtime, size in reading.walk(folder)[0]:
        if at in rows and rows[at][:2] == [mtime, size]:
            found[at] = (*rows[at][2:], True)
            continue
        if memory := _load(folder, at):
            found[at] = (
                memory["id"] or layout.id_from(at, memory["created"]),
                of_answer(memory["body"]),
                False,
            )
    return found


def _load(folder, at):
    try:
        return reading.load(folder, at)
    except OSError:
        return None  # it may not be read; its folder decides whether it can be removed


def _stands(folder, at, digest):
    """True for a file that holds a text and that nobody deleted."""
    memory = _load(folder, at)  # edited by hand since, perhaps
    is_its = memory is not None and of_answer(memory["body"]) == digest
    return is_its and not write.is_deleted(folder, at, digest)


def _places(folder, at, texts):
    """A memory's place and those of its copies in this folder that hold the same text: under the same id, or
    named by it (`<id> copy.md`, what a sync made of it). So too what was deleted before and came back, with
    that text or that id."""
    stem, memory = _stem(at), _load(folder, at)
    is_id = layout.is_id(stem)
    digest = of_answer(memory["body"]) if memory else ""
    found = [at]
    for p, (_, other, _) in texts.items():
        same_id = is_id and _stem(p) == stem
        named_by_it = is_id and _stem(p).startswith(stem) and not layout.is_id(_stem(p))
        is_copy = other == digest and (same_id or named_by_it)
        if p != at and (is_copy or ((same_id or other == digest) and write.is_deleted(folder, p, other))):
            found.append(p)
    return found


def _name_anew(folder, at, memory_id):
    """Give the file of another memory, which has the name of a deleted one, a name of its own: the id by
    which it is listed. The tombstone would take it along else. Its new place."""
    kind, archived = layout.kind_of(at) or ("note", False)
    if memory_id == _stem(at):
        memory = _load(folder, at)
        memory_id = layout.id_from(at, memory["created"] if memory else 0)
    target = layout.place(kind, memory_id, archived)
    while os.path.exists(os.path.join(folder, target)):
        memory_id = memory_id[:16] + os.urandom(4).hex()
        target = layout.place(kind, memory_id, archived)
    files.make_folder(os.path.dirname(os.path.join(folder, target)))
    os.rename(os.path.join(folder, at), os.path.join(folder, target))
    files.sync_folder(os.path.dirname(os.path.join(folder, target)))
    return target


def _stem(at):
    return at.rpartition("/")[2][:-3]


def _forget_waiting(home, memory):
    """Remove what waits for Stop and holds words of a deleted memory; its turn gets no note then, for the
    client's transcript holds the same words."""
    whole, lines = words_of.whole(memory), words_of.lines(memory)
    for at, _, names in os.walk(os.path.join(home, "state", "sessions")):
        for name in names:
            path, (stem, ending) = os.path.join(at, name), os.path.splitext(name)
            if ending not in (".prompt", ".part"):
                if _is_dead(_TEMP, name):
                    files.remove(path)
                continue
            text = words_of.spaced((files.read(path) or b"").decode("utf-8", "replace"))
            body = words_of.spaced(memory["body"])
            is_part = ending == ".part" and len(text) >= words_of.LINE_LEAST and text in body
            if is_part or text in whole or any(line in text for line in lines):
                files.write(os.path.join(at, stem + ".gone"), b"", durable=False)
                files.remove(path)


def _forget_edits(home, memory_id):
    edits = paths.join(home, "state", "edits")
    for name in _names(edits):
        if name.startswith(memory_id + "."):
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


def _sweep_dead(folder):
    """Remove what processes that are no more were writing: memories that were never saved, which may hold a
    deleted one's text under another id, and indexes that were never finished."""
    for relative in ("", *layout.folders(folder)):
        at = os.path.join(folder, relative)
        for name in _names(at):
            path = os.path.join(at, name)
            if not _is_dead(_TEMP, name) and not (relative == "" and _is_dead(_SCRATCH, name)):
                continue
            if os.path.isdir(path) and not os.path.islink(path):
                shutil.rmtree(path, ignore_errors=True)
            else:
                files.remove(path)


def _is_dead(pattern, name):
    """True for a temporary file, named as in `pattern`, of a process that is no more."""
    found = pattern.match(name)
    return bool(found) and not _runs(int(found.group(1)))


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

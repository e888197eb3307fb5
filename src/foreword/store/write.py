"""Saving memories. Hot. A memory is on the disk, whole, before a call returns; nothing is overwritten
by accident: new files are created exclusively, changes replace in one step.
"""

import os

from foreword import files, paths
from foreword.digest import of_answer, of_text
from foreword.store import header, layout
from foreword.text.budget import head_and_tail

LOCK_S = 1.0


def create(folder, kind, fields, body, now):
    """Write a new memory and return (id, place). Durable on return.

    `fields` are front matter beside id, type and created; a value of None is left out. The body
    is cut to ANSWER_LIMIT, `question` to QUESTION_LIMIT characters, head and tail. Raises OSError.
    """
    fields = dict(fields)
    if fields.get("question"):
        fields["question"] = head_and_tail(fields["question"], layout.QUESTION_LIMIT)
    body = head_and_tail(body, layout.ANSWER_LIMIT)
    home = layout.home_of(folder)
    taken = False
    while True:
        memory_id = layout.new_id(now, taken)
        if is_forgotten(
            home, f"{memory_id}.{scope(folder)}"
        ):  # of a deleted memory: a file of that name counts as none
            taken = True
            continue
        head = {"id": memory_id, "type": kind, "created": layout.timestamp(now), **fields}
        place = layout.place(kind, memory_id)
        path = os.path.join(folder, place)
        files.make_folder(os.path.dirname(path))
        try:
            files.write(path, header.render(head, body).encode("utf-8", "replace"), create_only=True)
        except FileExistsError:
            taken = True
            continue
        return memory_id, place


def text_of(folder, place):
    """The file of a memory as text. Raises OSError, UnicodeDecodeError."""
    with open(os.path.join(folder, place), "rb") as f:
        return f.read().decode("utf-8")


def change(folder, place, changes, extra="", home=""):
    """Set front matter keys of a memory and append `extra` (a paragraph) to its body; the new body.

    `changes` may be a function of the new body that returns them. Everything else stays as it was,
    to the byte. With `home` the store's lock is taken for the last step, and what was deleted, moved
    or edited by hand meanwhile is not written over. Raises OSError (FileNotFoundError for what is
    gone), UnicodeDecodeError (a file that is not UTF-8 is never rewritten).
    """
    path = os.path.join(folder, place)
    while True:
        before = _stamp(path)
        body, data = _changed(folder, place, changes, extra)
        if not home:
            files.write(path, data)
            return body
        with files.Lock(os.path.join(home, "state"), wait_s=LOCK_S):
            if _stamp(path) == before:
                files.write(path, data)
                return body


def _stamp(path):
    found = os.stat(path)
    return found.st_mtime_ns, found.st_size, found.st_ino


def _changed(folder, place, changes, extra):
    text = text_of(folder, place)
    body = header.split(text)[1]
    if extra:
        added = "\n\n" + extra
        if "\r\n" in text:
            added = added.replace("\r\n", "\n").replace("\n", "\r\n")
        body = head_and_tail(body + added, layout.ANSWER_LIMIT)
    if callable(changes):
        changes = changes(body)
    return body, header.rewrite(text, changes, body).encode("utf-8", "replace")


def is_forgotten(home, name):
    """True when there is a tombstone of this name: the user deleted what it stands for.

    What is saved without the user's asking is looked for by the sha256 of its text (digest.of_answer) and
    by that of its turn's id; files by `tombstones_of`.
    """
    return os.path.exists(os.path.join(paths.tombstones(home), name))


def scope(folder):
    """What a project's folder, or that of the global facts, is called in tombstones: `global`, or the digits
    of the identity, with which its name ends. The rest of the name may be another in another clone of the
    store."""
    name = os.path.basename(folder)
    digits = name.rpartition("-")[2]
    if name == "global" or (len(digits) in (8, 12) and not digits.strip("0123456789abcdef")):
        return digits
    return of_text(name)[:8]  # named by hand


def tombstones_of(folder, place, digest):
    """The names of the tombstones by which a file counts as deleted: its own (by its id; where its name is
    none, by its place and text) and that of its text. Both are of this folder alone: what holds the same id
    or the same text in another project is another memory."""
    where = scope(folder)
    return tuple(f"{part}.{where}" for part in _parts(place, digest))


def _parts(place, digest):
    stem = place.rpartition("/")[2][:-3]
    return (stem if layout.is_id(stem) else of_text(place + "\0" + digest)), digest


def is_deleted(folder, place, digest):
    """True for a file that the user deleted and that came back: by a sync, a backup, another clone of the
    store. `digest`: digest.of_answer of its body."""
    home = layout.home_of(folder)
    return any(is_forgotten(home, name) for name in tombstones_of(folder, place, digest))


def remember(home, digest):
    """Take a text's tombstones away: the user saved the same text again."""
    folder = paths.tombstones(home)
    for name in _names(folder):
        if name.startswith(digest + "."):
            files.remove(os.path.join(folder, name))
    files.remove(os.path.join(folder, digest))


def forget(home, name):
    """Leave a tombstone (see `is_forgotten`): an empty file, nothing of the text. Durable on return."""
    folder = paths.tombstones(home)
    files.make_folder(folder)
    files.write(os.path.join(folder, name), b"")


def join_tombstones(old, folder, again=False):
    """To be called before the memories of a project are moved into another: what was deleted in one counts
    as deleted in the other, and what stands in either stays.

    `again`: they were joined before. What stands in the old folder now came there since, and had it been
    deleted it would have been in the new one.
    """
    home, before, after = layout.home_of(folder), scope(old), scope(folder)
    names = _names(paths.tombstones(home))
    theirs, ours = ({n[: -len(w) - 1] for n in names if n.endswith("." + w)} for w in (before, after))
    if before == after or not (theirs or ours):
        return
    coming, standing = [] if again else _all_parts(old), _all_parts(folder)
    standing = [parts for parts in standing if ours.isdisjoint(parts)]
    coming = [parts for parts in coming if theirs.isdisjoint(parts)]
    kept = {part for parts in standing + coming for part in parts}
    for part in theirs - ours - kept:
        forget(home, f"{part}.{after}")
    for part in ours & kept:
        files.remove(os.path.join(paths.tombstones(home), f"{part}.{after}"))


def _all_parts(folder):
    """`_parts` of every memory's file of a folder that can be read."""
    found = []
    for relative in layout.folders(folder):
        for name in _names(os.path.join(folder, relative)):
            place = relative + "/" + name
            if layout.kind_of(place):
                try:
                    raw = files.read(os.path.join(folder, place)) or b""
                except OSError:
                    continue
                body = header.split(raw.decode("utf-8", "replace"))[1]
                found.append(_parts(place, of_answer(body)))
    return found


def _names(folder):
    try:
        return os.listdir(folder)
    except OSError:
        return []

"""Saving memories. Hot. A memory is on the disk, whole, before a call returns; nothing is overwritten
by accident: new files are created exclusively, changes replace in one step.
"""

import os

from foreword import files, paths
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
        if is_forgotten(home, memory_id):  # of a deleted memory: a file of that name counts as none
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
    """True when the user deleted a memory with this tombstone: it must not come back.

    `name`: the sha256 of its text (digest.of_answer), its id, or the sha256 of its turn's id.
    """
    return os.path.exists(os.path.join(paths.tombstones(home), name))


def is_deleted(home, memory_id, digest):
    """True for a memory that the user deleted, whose file came back: by a sync, a backup, another clone of
    the store. One that held the same text when another was deleted is not meant."""
    if is_forgotten(home, memory_id):
        return True
    return is_forgotten(home, digest) and not is_forgotten(home, f"{digest}.{memory_id}")


def remember(home, digest):
    """Take a text's tombstone away: the user saved the same text again."""
    folder = paths.tombstones(home)
    if files.remove(os.path.join(folder, digest)):
        for name in os.listdir(folder):
            if name.startswith(digest + "."):
                files.remove(os.path.join(folder, name))


def forget(home, name):
    """Leave a tombstone (see `is_forgotten`): an empty file, nothing of the text. Durable on return."""
    folder = paths.tombstones(home)
    files.make_folder(folder)
    files.write(os.path.join(folder, name), b"")

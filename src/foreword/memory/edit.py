"""Changing a memory by hand, and checking what somebody made of it before it takes the memory's place.

The work is done on a private copy, so that no half-written or broken text is ever a memory, and nothing
that was typed is lost: a text that cannot be taken stays where it is. Starts no editor; the CLI does.
"""

import os
import shutil

from foreword import files
from foreword.cited import MOST_CITED, cited, rows
from foreword.digest import of_answer, sha256
from foreword.errors import BUSY, BusyError, DamagedError, ForewordError, NotFoundError
from foreword.memory import change
from foreword.memory.agree import bring_up_to_date
from foreword.memory.find import GLOBAL, Reading, locate, name_of
from foreword.store import header, layout, write
from foreword.store import read as reading
from foreword.text.redact import kinds
from foreword.text.unkept import kept

TITLE = 200  # characters of a title: what `save` cuts it to
_BEFORE = ".before"  # beside a copy: the sha256 of what was copied


class ChangedError(ForewordError):
    """The memory is not what was edited any more."""

    exit_code = BUSY


def begin(place, memory_id):
    """Copy a memory for an editor; the path of the copy, `<home>/state/edits/<id>.<random>/<id>.md` (0600,
    in a folder of its own, so that what an editor leaves beside it goes with it).

    Raises NotFoundError, DamagedError.
    """
    _, folder, at = locate(place, memory_id)
    raw = _read(os.path.join(folder, at), memory_id)
    within = os.path.join(_edits(place.home), f"{memory_id}.{os.urandom(3).hex()}")
    files.make_folder(within)
    copy = os.path.join(within, memory_id + ".md")
    files.write(copy, raw, mode=files.FILE_MODE)
    files.write(os.path.join(within, _BEFORE), _digest(raw).encode())
    return copy


def finish(place, memory_id, path):
    """Take the text of a file, a copy of `begin` or any other, for a memory; see `replace`.

    A copy goes once its text was taken or was never changed; else it stays, and the error names it.
    """
    copy = _is_copy(place.home, memory_id, path)
    data = files.read(path, reading.LARGEST + 1)
    if data is None:
        gone = "the copy is gone, nothing was changed" if copy else "there is no such file"
        raise ForewordError(f"{path}: {gone}", f"foreword edit {memory_id}")
    beside = os.path.join(os.path.dirname(path), _BEFORE)
    before = (files.read(beside, 64) or b"").decode("ascii", "replace") if copy else ""
    try:
        done = replace(place, memory_id, data, before)
    except ForewordError as error:
        if not copy:
            error.hint = error.hint or f"foreword edit {memory_id} --from {path}"
            raise
        if isinstance(error, ChangedError):
            # Said once; who then gives the text again knows what it takes the place of.
            _, folder, at = locate(place, memory_id)
            there = os.path.join(folder, at)
            files.write(beside, _digest(_read(there, memory_id)).encode())
            error.hint = f"compare it with {there}, then: foreword edit {memory_id} --from {path}"
        else:
            error.hint = f"foreword edit {memory_id} --from {path}"
        error.message += f"; nothing was changed, your text is kept in {path}"
        raise
    if copy:
        discard(path)
    return done


def is_changed(place, memory_id, copy):
    """Whether a copy of `begin` holds something else than it did."""
    before = files.read(os.path.join(os.path.dirname(copy), _BEFORE), 64) or b""
    raw = files.read(copy, reading.LARGEST + 1)
    return raw is not None and _digest(raw).encode() != before


def discard(copy):
    """Remove a copy of `begin`, and what an editor left beside it."""
    shutil.rmtree(os.path.dirname(copy), ignore_errors=True)


def replace(place, memory_id, data, before=""):
    """Put the text `data` (bytes) in a memory's place; {"id", "path", "changed", "told"}, the last a list of
    sentences about what it means. The file is as `data` says, to the byte, but for this:

    - A text without front matter is a new body: the front matter stays.
    - What `<private>` and clients' tags enclose is left out, as from all that is saved.
    - `files` of a fact or session is found anew when its body changed and `files` did not: who rewrites it
      speaks of the files as they are now. Cited files that are gone stay listed. A note's `files` stay: they
      are those that its answer was about, as they were then. A global fact has none.

    `before`: the sha256 of the bytes that were edited; where the file holds others by now, nothing is done.
    `id` and `type` in the front matter count for nothing. Raises ForewordError for what is no memory (with
    the line), exit code BUSY where somebody else changed it; NotFoundError, BusyError.
    """
    name, folder, at = locate(place, memory_id)
    path = os.path.join(folder, at)
    while True:
        raw = _read(path, memory_id)
        if before and _digest(raw) != before:
            raise _conflict(memory_id)
        made, told = (raw, []) if data == raw else _made(place, name, folder, memory_id, at, raw, data)
        if made == raw:
            return {"id": memory_id, "path": path, "changed": False, "told": told}
        with change.locked(place.home):
            if files.read(path, reading.LARGEST + 1) == raw:
                files.write(path, made)
                break
        if before or not os.path.exists(path):
            raise _conflict(memory_id)
    write.remember(place.home, of_answer(reading.parse(made, at)["body"]))  # the user says it, as in a save
    try:
        bring_up_to_date(folder)
    except BusyError:
        pass  # it is written; every search looks for it first
    return {"id": memory_id, "path": path, "changed": True, "told": told}


def _conflict(memory_id):
    return ChangedError(f"{memory_id} was changed by somebody else meanwhile", f"foreword show {memory_id}")


def _edits(home):
    return os.path.join(home, "state", "edits")


def _is_copy(home, memory_id, path):
    within = os.path.dirname(os.path.realpath(path))
    above, name = os.path.split(within)
    return above == os.path.realpath(_edits(home)) and name.startswith(memory_id + ".")


def _digest(raw):
    return sha256(raw).hexdigest()


def _read(path, memory_id):
    raw = files.read(path, reading.LARGEST + 1)
    if raw is None:
        raise NotFoundError(f"{memory_id} is gone: it was moved or deleted meanwhile", "foreword list")
    if len(raw) > reading.LARGEST:
        raise DamagedError("%s has more than %d bytes" % (path, reading.LARGEST), "foreword check")
    return raw


def _made(place, name, folder, memory_id, at, raw, data):
    """(the bytes to be written, what is to be said) of a new text for a memory that holds `raw`."""
    told = []
    old = reading.parse(raw, at)
    text = _text(data)
    if header.is_open(text):
        raise _wrong(1, "the front matter is never closed: a line with --- is missing")
    was = raw.decode("utf-8", "replace")
    if not header.is_fenced(text) and header.is_fenced(was) and not old["damage"]:
        text = header.rewrite(was, {}, _ends_as(was, text.removeprefix("\ufeff")))
        told.append("The text has no front matter, so it replaced the body alone.")
    new = _checked(text, was, old, at)
    if new["body"] != old["body"]:
        body = kept(new["body"], layout.ANSWER_LIMIT)
        if body.strip() != new["body"].strip():
            text = header.rewrite(text, {}, _ends_as(text, body))
            told.append(_left_out(new["body"], body))
            new = _checked(text, was, old, at)
        text = _with_files(place, name, text, old, new, at)
    words = [new["title"], *new["tags"]]
    left = [kept(word, TITLE) for word in words]
    if any(one.strip() != word.strip() for one, word in zip(left, words, strict=True)):
        title, *tags = left
        text = header.rewrite(text, {"title": title.strip(), "tags": [tag for tag in tags if tag] or None})
        told.append(_left_out(" ".join(words), " ".join(left)))
        new = _checked(text, was, old, at)
    told += _told(name, folder, memory_id, text, was, old, new)
    return text.encode("utf-8"), told


def _left_out(was, now):
    """What was left out of a text, as a sentence."""
    fresh = [kind for kind in kinds(now) if kind not in kinds(was)]
    if fresh:
        return f"What looks like a credential was left out ({', '.join(fresh)}): say where it lives instead."
    return "What <private> or a client's tag encloses was left out."


def _text(data):
    if len(data) > reading.LARGEST:
        raise ForewordError("the text has more than %d bytes, a memory holds no more" % reading.LARGEST)
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise _wrong(line, "byte %d is not UTF-8" % error.start) from error


def _wrong(line, what):
    return ForewordError("line %d: %s" % (line, what))


def _ends_as(like, body):
    """A body with the line ends of another text."""
    body = body.replace("\r\n", "\n")
    return body.replace("\n", "\r\n") if "\r\n" in like else body


def _checked(text, was, old, at):
    """The memory that a text is; ForewordError where it is none, or worse than it was."""
    new = reading.parse(text.encode("utf-8"), at)
    if new["damage"]:
        raise ForewordError(new["damage"])
    known = {told for _, told in reading.faults(was)}
    for line, told in reading.faults(text):
        if told not in known:
            raise _wrong(line, told)
    if not new["body"].strip():
        hint = "write the new text into it; to take the memory away: foreword archive ID"
        raise ForewordError("the body is empty", hint)
    for key, most in (("title", TITLE), ("question", layout.QUESTION_LIMIT), ("body", layout.ANSWER_LIMIT)):
        if len(new[key]) > max(most, len(old[key])):
            line = 1 if key == "body" else header.line_of(text, key)
            raise _wrong(line, "the %s has %d characters, it may have %d" % (key, len(new[key]), most))
    return new


def _with_files(place, name, text, old, new, at):
    if new["type"] == "note" or name == GLOBAL or not header.is_fenced(text) or new["files"] != old["files"]:
        return text
    found = cited(new["body"], place.root)
    known = {path for path, *_ in found}
    found += [row for row in old["files"] if row[0] not in known and row[0] in new["body"]]
    found = found[:MOST_CITED]
    if found == new["files"]:
        return text
    made = header.rewrite(text, {"files": rows(found)})
    # Front matter that people wrote in another way than line by line stays as they wrote it.
    return made if reading.parse(made.encode("utf-8"), at)["files"] == found else text


def _told(name, folder, memory_id, text, was, old, new):
    """What an edit means beyond what it says, a sentence each."""
    told = []
    for key, decides in (("id", "file's name"), ("type", "folder")):
        line = _line(text, key)
        if line and line != _line(was, key):
            told.append(f"The line `{key}` counts for nothing: the {decides} decides.")
    if new["offer"] == 1 != old["offer"] and (name == GLOBAL or new["archived"]):
        why = "global" if name == GLOBAL else "archived"
        told.append(f"`offer: always` has no effect: it is {why}.")
    if new["type"] == "fact" and not new["archived"] and name_of(new["title"]) != name_of(old["title"]):
        told += _same_title(folder, memory_id, new)
    return told


def _line(text, key):
    at = header.line_of(text, key)
    return text.split("\n")[at - 1].strip() if at > 1 else ""


def _same_title(folder, memory_id, new):
    """What it means that other live facts have the title, too."""
    with Reading(folder) as db:
        rows = db.execute(
            "SELECT created, id, title FROM memories WHERE type='fact' AND archived=0 AND id<>?"
            " AND id NOT IN (SELECT id FROM superseded)",
            (memory_id,),
        ).fetchall()
    same = [(created, i) for created, i, title in rows if name_of(title) == name_of(new["title"])]
    if not same:
        return []
    newest = max([*same, (new["created"], memory_id)])[1]
    older = [i for _, i in sorted([*same, (new["created"], memory_id)]) if i != newest]
    others = ", ".join(i for _, i in sorted(same))
    return [
        f"{others} has this title, too. A title is a fact's name: recall hands over only the newest of them,"
        f" {newest}; {', '.join(older)} counts as superseded until it is renamed or deleted."
    ]

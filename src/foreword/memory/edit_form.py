"""A memory as a form holds it, title, tags and body or the whole file, and what was typed put back.

For who edits in a page: a form sends every line end as CRLF, so the file's own are put back, and what was
not changed stays to the byte. Everything else is checked by `edit.replace`, as for an editor.
"""

import os
import re
import urllib.parse

from foreword import files
from foreword.digest import sha256
from foreword.errors import DamagedError, ForewordError, NotFoundError
from foreword.memory import edit
from foreword.memory.find import locate
from foreword.store import header
from foreword.store import read as reading

SENT = 900_000  # bytes of a text as a form sends it; a page takes 1 MiB in all
_END = r"\r\n|\r|\n"


def begin(place, memory_id):
    """What a form shows: {"title", "tags" (one text, with commas), "body", "text" (the whole file), "whole",
    "why", "before"}, line ends as \\n.

    whole: only the whole file can be edited, for the reason that `why` says; before: the sha256 of the
    file, for `finish`. Raises NotFoundError, DamagedError for what a form would spoil, ForewordError for what
    it could show and not send back.
    """
    raw, at = _raw(place, memory_id)
    found = reading.parse(raw, at)
    text = _text(raw, memory_id)
    _check_size(text, memory_id)
    why = ""
    if found["damage"]:
        why = found["damage"]
    elif not header.is_fenced(text):
        why = "the file has no front matter"
    elif any("," in tag for tag in found["tags"]):
        why = "a tag holds a comma"
    return {
        **_fields(found),
        "body": _plain_ends(header.split(text)[1]),
        "text": _plain_ends(text),
        "whole": bool(why),
        "why": why,
        "before": sha256(raw).hexdigest(),
    }


def finish(place, memory_id, before, typed):
    """Put what was typed in the memory's place; what edit.replace gives.

    typed: {"text"} for the whole file, else any of {"title", "tags", "body"}; before: what `begin` gave.
    Raises what edit.replace raises, edit.ChangedError where the file is not what was edited, ForewordError
    for a NUL: nothing could show it, and `begin` would refuse the file from then on.
    """
    for key, text in typed.items():
        if "\0" in text:
            raise ForewordError(f"the {key} holds a NUL character: take it out")
    raw, at = _raw(place, memory_id)
    was = _text(raw, memory_id)
    whole = typed.get("text")
    made = _made(was, reading.parse(raw, at), typed) if whole is None else own_ends(was, whole)
    return edit.replace(place, memory_id, made.encode("utf-8", "replace"), before)


def own_ends(was, typed):
    """The typed text with the line ends of what it was made from: each unchanged line at the beginning and
    the end keeps its own, others get the one that is used most."""
    typed = _plain_ends(typed)
    if typed == _plain_ends(was):
        return was
    old, new = _lines(was), _lines(typed)
    first = _alike(old, new)
    last = _alike(old[first:][::-1], new[first:][::-1])
    usual = "\r\n" if was.count("\r\n") * 2 > len(re.findall(_END, was)) else "\n"
    changed = [line + (end and usual) for line, end in new[first : len(new) - last]]
    kept = ["".join(pair) for pair in old[:first]], ["".join(pair) for pair in old[len(old) - last :]]
    made = "".join([*kept[0], *changed, *kept[1]])
    # A lone CR that was kept and a LF behind it would be one end.
    return made if _plain_ends(made) == typed else typed.replace("\n", usual)


def _alike(old, new):
    """How many lines two lists begin with alike."""
    same = 0
    for (line, end), (typed, typed_end) in zip(old, new, strict=False):
        if line != typed or bool(end) != bool(typed_end):
            break
        same += 1
    return same


def _lines(text):
    """[(line, its end)]; the last has none."""
    parts = re.split(f"({_END})", text)
    return [*zip(parts[::2], parts[1::2], strict=False), (parts[-1], "")]


def _plain_ends(text):
    return re.sub(_END, "\n", text)


def _fields(found):
    # An <input> drops line ends, so they are shown as spaces.
    return {"title": re.sub(_END, " ", found["title"]), "tags": ", ".join(found["tags"])}


def _made(was, found, typed):
    """The text of the file with the fields that were changed."""
    shown, changes = _fields(found), {}
    title = typed.get("title", shown["title"])
    if title != shown["title"]:
        changes["title"] = title.strip() or None
    tags = typed.get("tags", shown["tags"])
    if tags.strip() != shown["tags"]:
        changes["tags"] = [tag.strip() for tag in tags.split(",") if tag.strip()] or None
    old = header.split(was)[1]
    body = own_ends(old, typed["body"]) if "body" in typed else old
    if not changes and body == old:
        return was
    return header.rewrite(was, changes, body)


def _raw(place, memory_id):
    """(bytes, place in its folder) of a memory's file."""
    _, folder, at = locate(place, memory_id)
    raw = files.read(os.path.join(folder, at), reading.LARGEST + 1)
    if raw is None:
        raise NotFoundError(f"{memory_id} is gone: it was moved or deleted meanwhile", "foreword list")
    return raw, at


def _check_size(text, memory_id):
    """Refuse what a page could show and would not take back."""
    sent = len(text) if len(text) > SENT else len(urllib.parse.quote_plus(re.sub(_END, "\r\n", text)))
    if sent > SENT:
        told = "the file is too large to be edited here: a form would send %s bytes, the view takes %s"
        raise ForewordError(told % (f"{sent:,}", f"{SENT:,}"), f"foreword edit {memory_id}")


def _text(raw, memory_id):
    hint = f"foreword edit {memory_id}"
    if len(raw) > reading.LARGEST:
        raise DamagedError("the file has more than %d bytes, a page cannot hold it" % reading.LARGEST, hint)
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError as error:
        told = "byte %d is not UTF-8, a page would spoil it" % error.start
        raise DamagedError(f"the file cannot be edited here: {told}", hint) from error
    if "\0" in text:
        raise ForewordError("the file cannot be edited here: a page would spoil its NUL characters", hint)
    return text

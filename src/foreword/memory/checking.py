"""Marking a memory as checked: `checked` and its files' hashes of today, and those of what is cited of them,
in a way that can be taken back.

Pure but for the look at the cited files. What is needed to take it back are hashes and times alone, no
word of the memory: they go into a journal.
"""

import re

from foreword import stale
from foreword.store import header, layout
from foreword.store import read as reading

# What may have stood where a time or a hash is written now; anything else is a person's words.
_OLD = r"[0-9A-Fa-fTZ:.+/ \t\"'-]{0,80}\Z"


def checked(raw, at, tree, now):
    """(bytes of the memory with `checked` set, edits, "") or (b"", [], why it cannot be).

    at: its place in its folder. tree: the stale.Tree its files are compared with, None for a global
    fact. A cited file that is gone keeps its row, without a hash. edits: [[offset, characters there now,
    what was there]], in order, for `unchecked`.
    """
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError:
        return b"", [], "it is not UTF-8, so it is not rewritten"
    memory = reading.parse(raw, at)
    if memory["damage"]:
        return b"", [], "its front matter cannot be read"
    stamp = layout.timestamp(now)
    new = header.rewrite(text, {"checked": stamp})
    edits = [_edit(text, new)]
    cited = memory["files"]
    if tree is not None and cited:
        new, cited = _hashed(new, cited, tree, edits)
    made = reading.parse(new.encode(), at)
    whole = (made["checked"], made["files"], made["body"]) == (stamp, cited, memory["body"])
    if not whole or not all(re.match(_OLD, old) for _, _, old in edits):
        return b"", [], "its front matter cannot be changed so that it could be taken back"
    return new.encode(), edits, ""


def unchecked(raw, edits):
    """The bytes before `checked`, b"" when the edits do not fit. The caller compares the hash."""
    try:
        text = raw.decode("utf-8")
        for offset, length, old in reversed(edits):
            text = text[:offset] + old + text[offset + length :]
    except (UnicodeDecodeError, TypeError, ValueError):
        return b""
    return text.encode("utf-8", "replace")


def _edit(old, new):
    """What makes `new` of `old`, in one piece."""
    start = _same(old, new)
    end = _same(old[start:][::-1], new[start:][::-1])
    return [start, len(new) - start - end, old[start : len(old) - end]]


def _same(one, other):
    """How many characters two texts begin with alike."""
    pairs = zip(one, other, strict=False)
    return next((n for n, (a, b) in enumerate(pairs) if a != b), min(len(one), len(other)))


def _hashed(text, cited, tree, edits):
    """(the text with the files' hashes of today, cited as it is then); adds to `edits`."""
    head = header.split(text)[0]
    start = at = text.index(head)
    end = start + len(head)
    now = []
    for path, digest, spans in cited:
        found = tree.hash(path)
        today = {stale.DELETED: "", stale.UNCHECKED: digest}.get(found, found)
        old = digest or f'path: {header.scalar(path)}, sha256: ""'
        found = text.find(old, at, end)
        if found < 0 or today == digest:
            now.append([path, digest, spans])
            at = found + len(old) if found >= 0 else at
            continue
        place = found if digest else found + len(old) - 1
        edits.append([place, len(today), digest])
        text = text[:place] + today + text[place + len(digest) :]
        end += len(today) - len(digest)
        at = place + len(today)
        renewed = _renewed(path, spans, tree)
        for span, new in zip(spans, renewed, strict=True):
            found = text.find(header.scalar(span), at, end)
            if found < 0 or new == span:
                continue
            offset, length, was = _edit(span, new)
            edits.append([found + 1 + offset, length, was])
            text = text[: found + 1] + new + text[found + 1 + len(span) :]
            end += len(new) - len(span)
            at = found + len(new)
        now.append([path, today, renewed])
    return text, now


def _renewed(path, spans, tree):
    """The spans of a file as it is now; a gone file keeps them, so that it is known if it comes back."""
    text = tree.text(path) if spans and tree.hash(path) not in (stale.DELETED, stale.UNCHECKED) else None
    if text is None:
        return spans
    from foreword.spans import is_span, renewed

    return [renewed(text, path, span) if is_span(span) else span for span in spans]

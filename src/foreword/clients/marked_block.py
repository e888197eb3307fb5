"""Our paragraph in a file of instructions that the user owns: one block between two marks. Cold.

What stands inside the marks is ours and is written anew with each version; what stands outside is the
user's, to the byte.
"""

import re

from foreword.clients.parts import INSTRUCTIONS, Part
from foreword.errors import ForewordError

BEGIN = "<!-- foreword: begin. Written by foreword install, taken out by foreword uninstall. -->"
END = "<!-- foreword: end -->"
# In all versions; what else stands in the first mark may change.
# Lines end in CR too, and a byte order mark may stand before the first: ^ and $ know neither.
_STARTS, _STOPS = r"(?<![^\r\n\ufeff])[ \t]*", r"[ \t]*(?=[\r\n]|\Z)"
_BEGINS = re.compile(_STARTS + r"<!-- foreword: begin\b[^\r\n]*-->" + _STOPS)
_ENDS = re.compile(_STARTS + r"<!-- foreword: end -->" + _STOPS)
_NEWLINE = re.compile(r"\r\n|\n|\r")
_LAST_NEWLINE = re.compile(r"(?:\r\n|\n|\r)\Z")


def part(path, body, limit=None):
    """The Part of a file of Markdown that holds `body` as one block of ours, behind the user's text.

    `limit`: characters that the client reads of the file, where it has such a limit.
    """

    def warning(text, before=None):
        if limit and len(text) > limit and _spans(path, text):
            told = "%s has %d characters; the client reads %d of them" % (path, len(text), limit)
            return told + ", so our block at its end is cut"
        return ""

    return Part(
        path,
        INSTRUCTIONS,
        lambda text: with_block(path, text, body),
        lambda text, made: without_block(path, text, made),
        lambda text: {} if _spans(path, text) else {"gap": [_gap(text)]},
        lambda text: bool(_BEGINS.search(text)),
        warning,
    )


def part_to_remove(path):
    """The Part of a file that an earlier install edited, to take the block out."""
    return part(path, "")


def with_block(path, text, body):
    """The text with one block of ours that says `body`. Raises ForewordError where a mark has no other."""
    newline = _newline(text)
    block = newline.join([BEGIN, *body.strip("\n").split("\n"), END])
    spans = _spans(path, text)
    if not spans:
        return text + _gap(text) + block + newline
    for start, end in reversed(spans[1:]):
        text = _cut_out(text, start, end, "")
    start, end = spans[0]
    return text[:start] + block + text[end:]


def without_block(path, text, made=None):
    """The text without our blocks. `made`: what was put between the user's text and ours, as the Part's
    footprint has it; where it is not known, what `with_block` puts behind a text that ends its line."""
    gaps = (made or {}).get("gap") or [_newline(text)]
    for start, end in reversed(_spans(path, text)):
        text = _cut_out(text, start, end, gaps[0])
    return text


def _cut_out(text, start, end, gap):
    """The text without a block, the end of its line and what stands of the gap before it.

    The gap is an empty line, so it goes where the line before the block is one: the newline before that
    ends a line of the user's. It goes too where it was put there with the gap and nothing follows.
    """
    found = _NEWLINE.match(text, end)
    end = found.end() if found else end
    before, after = text[:start], text[end:]
    shorter = _without_newline(before)
    if not gap or shorter == _without_newline(shorter):
        return before + after
    ended_by_us = len(_NEWLINE.findall(gap)) > 1
    return _without_newline(shorter) if ended_by_us and not after else shorter + after


def _without_newline(text):
    return _LAST_NEWLINE.sub("", text)


def _gap(text):
    """What goes between a text and a block behind it: an empty line, and the end of the last line."""
    if not text.removeprefix("\ufeff"):
        return ""
    last = _LAST_NEWLINE.search(text)  # not the first: LF behind a line that ends in CR would be no line
    return last[0] if last else _newline(text) * 2


def _newline(text):
    found = _NEWLINE.search(text)
    return found[0] if found else "\n"


def _spans(path, text):
    """[(start, end)] of our blocks, marks included, without the end of the last line."""
    found, at = [], 0
    while begin := _BEGINS.search(text, at):
        end = _ENDS.search(text, begin.end())
        again = _BEGINS.search(text, begin.end())
        if not end or (again and again.start() < end.start()):
            line = text.count("\n", 0, begin.start()) + 1
            raise ForewordError(
                f"{path}:{line}:1: the block of foreword begins here and has no end; nothing was changed",
                f"put {END} on a line of its own behind it, then run the same command again",
            )
        found.append((begin.start(), end.end()))
        at = end.end()
    return found

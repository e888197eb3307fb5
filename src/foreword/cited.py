"""The repository files that an answer names, as they are now, with what it cites of them. Hot."""

import os
import re

from foreword.digest import sha256
from foreword.stale import LARGEST, LARGEST_SUM, hash_of, inside, size_of, top_of

MOST_CITED = 40  # files kept of one answer
MOST_TRIED = 400  # candidates looked up on the disk
MOST_SPANS = 12  # of one answer
SPANNED, SPANNED_SUM = (
    250_000,
    400_000,
)  # bytes of one file, and of all, in which cited definitions are looked for

_TICKED = r"`([^`\n]{1,300})`"
_WORD = r"[^\s`'\"<>()\[\]{}|,;*?!:#=、。「」『』【】（），；！？：“”‘’…]{2,300}"
# One way to match, never two: `(?::\d+(?::\d+)*)+` took for ever on `a:1:1:1:1...x`, and nothing, not
# even the watchdog, runs while a pattern is matched.
_BEHIND = r"(?::\d+|#L?\d+|\(\d+\))(?:[-:,]\d+|-L\d+|#L?\d+|\(\d+\))*$"
_NAMED_BEHIND = r"::[A-Za-z_][\w:.]*(?:\(\))?$"  # `src/auth.py::Client::send`
_BARE = r"(?:^|[^\w/.\\-])([A-Za-z][\w-]{1,80})\Z"  # what may stand before `:12`
_ASCII = r"[\x21-\x7e]{2,}"
_EXTENDED = r".+\.[A-Za-z0-9_]+"
_BASENAME = r"[\w.-]{1,80}\.[A-Za-z]\w{0,7}\Z"


def cited(text, root, folder=""):
    """[[path, sha256, spans], ...] of the existing files inside `root` that a text names, in order.

    Recognised: `path`, path:line, path#L1, with a line also a bare name (Makefile:12), absolute paths
    below root, paths relative to root or to `folder`, and a file's name alone where another path of the
    text, or else a single file that git knows, ends in it. The path is relative to root, with `/`; sha256 is
    "" for a file too large to hash; spans: see spans.take, [] where no line or name of it is cited.
    Never a file outside root, also not through a symlink, and never one inside a `.git`.
    """
    top = top_of(root)
    if os.path.dirname(top) == top or not os.path.isdir(top):
        return []
    bases = [top]
    if folder and os.path.realpath(folder) != top and os.path.isdir(folder):
        bases.append(os.path.realpath(folder))
    found, alone = {}, []  # relative path -> (size, how it is spelled)
    for candidate in _candidates(text):
        relative, size = _file(candidate, bases, top)
        if relative is None:
            if re.match(_BASENAME, candidate):
                alone.append(candidate)
        elif relative in found:
            found[relative][1].append(candidate)
        else:
            found[relative] = size, [candidate]
            if len(found) >= MOST_CITED:
                break
    if alone:
        _add_alone(alone, found, top)
    return _read(text, found, top)


def rows(citations):
    """Citations as the front matter has them; None for none."""
    keys = ("path", "sha256", "spans")
    made = [
        {k: v for k, v in zip(keys, citation, strict=True) if v or k != "spans"} for citation in citations
    ]
    return made or None


def _file(candidate, bases, top):
    """(path relative to root, size) of the file that a candidate names; (None, 0) where it names none."""
    for base in bases:
        path = os.path.normpath(os.path.join(base, candidate))
        relative = inside(path, top)
        if relative is not None and (size := size_of(path, top)) is not None:
            return relative, size
    return None, 0


def _add_alone(alone, found, top):
    """Names of files without their folder: that of a path beside them, or of the one file that git knows."""
    from foreword import tracked

    names = {}
    for relative in found:
        names.setdefault(relative.rpartition("/")[2], []).append(relative)
    index = None
    for name in alone:
        paths = names.get(name)
        if paths is None and len(found) < MOST_CITED:
            index = tracked.read(top) if index is None else index
            paths = tracked.named(index, name)
        if paths is None or len(paths) != 1:
            continue
        relative = paths[0]
        if relative in found:
            found[relative][1].append(name)
        elif (size := size_of(os.path.join(top, relative), top)) is not None and inside(
            os.path.join(top, relative), top
        ):
            found[relative] = size, [name]


def _read(text, found, top):
    citations = []
    room, spanned, spans_left = LARGEST_SUM, SPANNED_SUM, MOST_SPANS
    for relative, (size, spelled) in found.items():
        path, digest, taken = os.path.join(top, relative), "", []
        if size <= min(LARGEST, room):
            room -= size
            marks = []
            if spans_left and size <= min(SPANNED, spanned):
                from foreword import marks as marking

                marks = marking.marks(text, spelled)
            if marks:
                spanned -= size
                digest, taken = _spans(path, relative, marks)
                taken = taken[:spans_left]
                spans_left -= len(taken)
            else:
                digest = hash_of(path)
        citations.append([relative, digest, taken])
    return citations


def _spans(path, relative, marks):
    """(sha256, spans) of one state of a file."""
    from foreword import spans

    try:
        with open(path, "rb", buffering=0) as f:
            raw = f.read()
    except OSError:
        return "", []
    return sha256(raw).hexdigest(), spans.take(raw.decode("utf-8", "replace"), relative, marks)


def _candidates(text):
    seen = {}
    for ticked in re.finditer(_TICKED, text):
        seen[re.sub(_NAMED_BEHIND, "", re.sub(_BEHIND, "", ticked.group(1).strip()))] = None
        if len(seen) >= MOST_TRIED // 2:
            break  # a text full of code must leave room for the paths that stand in its sentences
    seen.update(dict.fromkeys(_bare(text)))
    for found in re.finditer(_WORD, text):
        word = found.group()
        if "/" in word or "." in word or "\\" in word:
            word = word.rstrip(".")
            seen[word] = None
            if not word.isascii():
                # Japanese stands before and behind a path without a space: `修正したsrc/app.pyを`.
                seen.update(dict.fromkeys(re.findall(_ASCII, word)))
                named = re.match(_EXTENDED, word)
                if named:
                    seen[named.group()] = None
            if len(seen) > 2 * MOST_TRIED:
                break
    if os.sep == "\\":
        seen = {name.replace("\\", "/"): None for name in seen}
    return [name for name in seen if name and "\0" not in name][:MOST_TRIED]


def _bare(text):
    """Names without a dot or slash that a line's number follows: `Makefile:12` in a sentence."""
    found = []
    at = -1
    for _ in range(10 * MOST_TRIED):
        at = text.find(":", at + 1)  # a pattern over the whole text would cost 8 ms at 256 KB, this .5
        if at < 0:
            break
        if text[at + 1 : at + 2].isdigit():
            named = re.search(_BARE, text[max(0, at - 82) : at])
            if named:
                found.append(named.group(1))
    return found[: MOST_TRIED // 4]

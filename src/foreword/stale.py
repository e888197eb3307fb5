"""Cited files against the working tree. Hot.

`cited` finds the repository files that an answer names, with their sha256; `Tree` compares them
later. A hash says that the text stands, never that the note is still true.
"""

import os
import re
import stat

from foreword.digest import sha256

MOST_CITED = 40  # files kept of one answer
MOST_TRIED = 400  # candidates looked up on the disk
LARGEST = 16_000_000  # bytes hashed of one file; a larger one is kept as "not checked"
LARGEST_SUM = 48_000_000  # bytes hashed for one answer, or for one foreword

UNCHANGED, CHANGED, DELETED, UNCHECKED = "unchanged", "CHANGED", "DELETED", "not checked"

_TICKED = r"`([^`\n]{1,300})`"
_WORD = r"[^\s`'\"<>()\[\]{}|,;*?!:#=、。「」『』【】（），；！？：“”‘’…]{2,300}"
# One way to match, never two: `(?::\d+(?::\d+)*)+` took for ever on `a:1:1:1:1...x`, and nothing, not
# even the watchdog, runs while a pattern is matched.
_BEHIND = r"(?::\d+|#L?\d+|\(\d+\))(?:[-:,]\d+|-L\d+|#L?\d+|\(\d+\))*$"
_BARE = r"(?:^|[^\w/.\\-])([A-Za-z][\w-]{1,80})\Z"  # what may stand before `:12`
_ASCII = r"[\x21-\x7e]{2,}"
_EXTENDED = r".+\.[A-Za-z0-9_]+"


def cited(text, root, folder=""):
    """[[path, sha256], ...] of the existing files inside `root` that a text names, in order.

    Recognised: `path`, path:line, path#L1, with a line also a bare name (Makefile:12), absolute paths
    below root, paths relative to root or to `folder`. The path is relative to root, with `/`; sha256 is ""
    for a file too large to hash.
    Never a file outside root, also not through a symlink, and never one inside a `.git`.
    """
    top = _top(root)
    if os.path.dirname(top) == top or not os.path.isdir(top):
        return []
    bases = [top]
    if folder and os.path.realpath(folder) != top and os.path.isdir(folder):
        bases.append(os.path.realpath(folder))
    found = {}
    room = LARGEST_SUM
    for candidate in _candidates(text):
        for base in bases:
            path = os.path.normpath(os.path.join(base, candidate))
            relative = _inside(path, top)
            if relative is None or relative in found:
                continue
            size = _size(path, top)
            if size is None:
                continue
            if size <= min(LARGEST, room):
                found[relative] = _hash(path)
                room -= size
            else:
                found[relative] = ""
            break
        if len(found) >= MOST_CITED:
            break
    return [[path, digest] for path, digest in found.items()]


def _top(root):
    return os.path.realpath(root) if root else ""  # realpath makes the current folder of ""


def relative(path, root):
    """An absolute path of a file below root, relative to it and with `/`; "" for any other."""
    path = os.path.normpath(path)
    return _inside(path, root) or _inside(path, os.path.realpath(root)) or ""


def _candidates(text):
    seen = {}
    for ticked in re.finditer(_TICKED, text):
        seen[re.sub(_BEHIND, "", ticked.group(1).strip())] = None
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


def _inside(path, top):
    if not path.startswith(top.rstrip(os.sep) + os.sep):
        return None
    relative = path[len(top.rstrip(os.sep)) + 1 :]
    parts = relative.split(os.sep)
    return None if any(part.lower() == ".git" for part in parts) else "/".join(parts)


def _size(path, top):
    """Bytes of a regular file whose real place is below `top`; None for anything else."""
    try:
        found = os.stat(path)
        if not stat.S_ISREG(found.st_mode) or _inside(os.path.realpath(path), top) is None:
            return None
    except (OSError, ValueError):
        return None
    return found.st_size


def _hash(path):
    """The sha256 of a file in hexadecimal; "" when it cannot be read."""
    total = sha256()
    try:
        with open(path, "rb", buffering=0) as f:
            while block := f.read(1 << 18):
                total.update(block)
    except OSError:
        return ""
    return total.hexdigest()


class Tree:
    """The working tree as it is now; remembers each file it looked at, since lines share files. Where the
    root is not known (""), nothing is checked."""

    def __init__(self, root):
        self.top = _top(root)
        self.seen = {}
        self.room = LARGEST_SUM

    def state(self, path, digest):
        """UNCHANGED, CHANGED, DELETED, or UNCHECKED (too large, outside, or never hashed)."""
        if path not in self.seen:
            self.seen[path] = self._look(path)
        now = self.seen[path]
        if now in (DELETED, UNCHECKED):
            return now
        if not digest:
            return UNCHECKED
        return UNCHANGED if now == digest else CHANGED

    def _look(self, path):
        if "\0" in path:
            return UNCHECKED  # some versions of normpath end the path there
        place = os.path.normpath(os.path.join(self.top, path))
        if _inside(place, self.top) is None or not os.path.isdir(self.top):
            return UNCHECKED  # a path that people or other programs wrote: never leave the tree
        try:
            os.stat(place)
        except (FileNotFoundError, NotADirectoryError):
            return DELETED
        except OSError:
            return UNCHECKED  # a folder that may not be entered, a loop of symlinks
        size = _size(place, self.top)
        if size is None or size > min(LARGEST, self.room):
            return UNCHECKED
        self.room -= size
        return _hash(place) or UNCHECKED

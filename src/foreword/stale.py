"""Cited files against the working tree. Hot.

`Tree` compares what `cited` found in an answer with what is there now: a file by its hash and, where that is
another, by the definitions that were cited of it. A hash says that the text stands, never that the note is
still true.
"""

import os
import stat

from foreword.digest import sha256

LARGEST = 16_000_000  # bytes hashed of one file; a larger one is kept as "not checked"
LARGEST_SUM = 48_000_000  # bytes hashed for one answer, or for one foreword

LARGEST_SPANNED = 1_000_000  # bytes of a file of which cited definitions are compared

# What became of a cited file. STANDS: the file is another, what was cited of it is not.
UNCHANGED, STANDS, UNCHECKED = "unchanged", "lines unchanged", "not checked"
CHANGED, MOVED, DELETED = "CHANGED", "MOVED", "DELETED"


def top_of(root):
    return os.path.realpath(root) if root else ""  # realpath makes the current folder of ""


def relative(path, root):
    """An absolute path of a file below root, relative to it and with `/`; "" for any other."""
    path = os.path.normpath(path)
    return inside(path, root) or inside(path, os.path.realpath(root)) or ""


def inside(path, top):
    if not path.startswith(top.rstrip(os.sep) + os.sep):
        return None
    relative = path[len(top.rstrip(os.sep)) + 1 :]
    parts = relative.split(os.sep)
    return None if any(part.lower() == ".git" for part in parts) else "/".join(parts)


def size_of(path, top):
    """Bytes of a regular file whose real place is below `top`; None for anything else."""
    try:
        found = os.stat(path)
        if not stat.S_ISREG(found.st_mode) or inside(os.path.realpath(path), top) is None:
            return None
    except (OSError, ValueError):
        return None
    return found.st_size


def hash_of(path):
    """The sha256 of a file in hexadecimal; "" when it cannot be read."""
    total = sha256()
    try:
        with open(path, "rb", buffering=0) as f:
            while block := f.read(1 << 18):
                total.update(block)
    except OSError:
        return ""
    return total.hexdigest()


class State:
    """What became of a cited file: word, one of the constants above; line, the cited line that changed, or
    where a moved one stands now (0: none is known); to, where a moved file, or what was cited of it, went."""

    __slots__ = ("line", "to", "word")

    def __init__(self, word, line=0, to=""):
        self.word, self.line, self.to = word, line, to

    def is_bad(self):
        """True where the cited text is not there any more as it was."""
        return self.word in (CHANGED, MOVED, DELETED)


class Tree:
    """The working tree as it is now; remembers each file it looked at, since lines share files. Where the
    root is not known (""), nothing is checked.

    room: bytes that are hashed; searches: how many of the files that are gone, or no longer hold what was
    cited of them, are looked for elsewhere.
    """

    def __init__(self, root, room=LARGEST_SUM, searches=2):
        self.top = top_of(root)
        self.seen = {}
        self.texts = {}
        self.known = None  # the paths that git knows, once they were asked for
        self.room, self.searches = room, searches

    def state(self, citation):
        """The State of a citation ([path, sha256, spans])."""
        path, digest, spans = citation
        now = self.hash(path)
        if now == UNCHECKED:
            return State(UNCHECKED)
        if now == DELETED:
            to, line = self._elsewhere(path, digest, spans)
            return State(MOVED, line, to) if to else State(DELETED)
        if not digest:
            return State(UNCHECKED)
        if now == digest:
            return State(UNCHANGED)
        text = self.text(path) if spans else None
        if text is None:
            return State(CHANGED)
        from foreword import spans as reading  # only where a file changed

        spans = list(filter(reading.is_span, spans))
        if not spans:
            return State(CHANGED)
        found, line = reading.judge(text, path, spans)
        if found == reading.STANDS:
            return State(STANDS)
        if found == reading.GONE:
            to, at = self._elsewhere(path, "", spans)
            if to:
                return State(MOVED, at, to)
        return State(CHANGED, line)

    def hash(self, path):
        """The sha256 of a file as it is now, DELETED, or UNCHECKED (too large, outside)."""
        if path not in self.seen:
            self.seen[path] = self._look(path)
        return self.seen[path]

    def text(self, path):
        """A file that `hash` could read as text; None where it is too large for spans, or gone meanwhile."""
        if path not in self.texts:
            self.texts[path] = _text(os.path.join(self.top, path))
        return self.texts[path]

    def _elsewhere(self, path, digest, spans):
        if self.searches < 1 or not (digest or spans):
            return "", 0
        self.searches -= 1
        from foreword import moved

        if self.known is None:
            from foreword import tracked

            self.known = tracked.paths(tracked.read(self.top))
        return moved.where(self.top, path, digest, spans, self.known)

    def _look(self, path):
        if "\0" in path:
            return UNCHECKED  # some versions of normpath end the path there
        place = os.path.normpath(os.path.join(self.top, path))
        if inside(place, self.top) is None or not os.path.isdir(self.top):
            return UNCHECKED  # a path that people or other programs wrote: never leave the tree
        try:
            os.stat(place)
        except (FileNotFoundError, NotADirectoryError):
            return DELETED
        except (OSError, ValueError):
            return UNCHECKED  # a folder that may not be entered, a loop of symlinks, no name at all
        size = size_of(place, self.top)
        if size is None or size > min(LARGEST, self.room):
            return UNCHECKED
        self.room -= size
        return hash_of(place) or UNCHECKED


def told(path, state):
    """A citation that is bad, as people and agents read it: `CHANGED: src/auth.py:42`."""
    if state.word == MOVED:
        return f"{MOVED}: {path} -> {state.to}"
    return "{}: {}{}".format(state.word, path, ":%d" % state.line if state.line else "")


def _text(path):
    try:
        with open(path, "rb") as f:
            raw = f.read(LARGEST_SPANNED + 1)
    except OSError:
        return None
    return raw.decode("utf-8", "replace") if len(raw) <= LARGEST_SPANNED else None

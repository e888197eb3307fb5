"""The lines of a log of JSON records, in order and in flat memory, and what is read of a record.

A log may have 400 MB and may be written to right now. A line over LONGEST is passed over without being kept.
"""

import json
import os
import stat

LONGEST = 2 << 20  # bytes of a line: no answer of a model is longer, a picture that a tool gave back may be
BLOCK = 256 << 10
MOST_TOKENS = 10**12  # of one request: above that, a number is no count of tokens
LONGEST_TEXT = 4_096  # characters of a key, a name or a path
_OPEN = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)


def read(path, start=0):
    """(offset of what follows it, line without its newline) of each whole line from `start` on.

    The line is None for one over LONGEST. A last line without its newline is not given: it is half written.
    Nothing for what is no regular file, or is not there. Raises OSError when it may not be read, or the disk
    fails.
    """
    try:
        if not stat.S_ISREG(os.stat(path).st_mode):
            return
        f = open(os.open(path, _OPEN), "rb", buffering=0)
    except (FileNotFoundError, NotADirectoryError, ValueError):
        return
    with f:
        if not stat.S_ISREG(os.fstat(f.fileno()).st_mode):
            return  # it was replaced at this very moment
        f.seek(start)
        at, begun, size = start, [], 0  # `begun`: pieces of a line that is not whole yet, `size` bytes so far
        while block := f.read(BLOCK):
            first, *others = block.split(b"\n")
            size += len(first)
            if size <= LONGEST:
                begun.append(first)
            if not others:
                continue
            at += size + 1
            yield at, b"".join(begun) if size <= LONGEST else None
            last = others.pop()
            for line in others:
                at += len(line) + 1
                yield at, line
            begun, size = [last], len(last)


def record(line):
    """A line as a dict; None when it is none, or no JSON."""
    try:
        found = json.loads(line.decode("utf-8", "replace"))
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def part(of, key):
    """A dict in a dict; an empty one when there is none."""
    found = of.get(key)
    return found if isinstance(found, dict) else {}


def listed(of, key):
    """The dicts of a list in a dict."""
    found = of.get(key)
    return [entry for entry in found if isinstance(entry, dict)] if isinstance(found, list) else []


def text(of, key):
    """A text in a dict; "" when it is none, or over LONGEST_TEXT characters."""
    found = of.get(key)
    return found if isinstance(found, str) and len(found) <= LONGEST_TEXT else ""


def tokens(usage, keys):
    """The counts of a dict, one for each key, 0 where it has none; None when any is no count of tokens."""
    found = []
    for key in keys:
        count = usage.get(key)
        if count is None:
            count = 0
        if type(count) is not int or not 0 <= count <= MOST_TOKENS:
            return None
        found.append(count)
    return found

"""Where a cited file went, or what was cited of it: found by content, without git. Hot; loaded only where
one of those is gone.

Looked at are the files that git knows and those in the folders around, for what was just moved is not added
yet; of the same ending, the likeliest first, and only so many that a prompt does not wait for it.
"""

import os

from foreword import spans as reading
from foreword import tracked
from foreword.stale import hash_of, inside, size_of

MOST_READ, LARGEST_SUM = 25, 4_000_000  # files, and their bytes together
SMALLEST, LARGEST = 64, 1_000_000  # bytes of one: that of less many files are the same says nothing
LISTED = 600  # entries of the folders around
_LEFT_OUT = (".git", "node_modules", ".venv", "__pycache__")


def where(top, path, digest, spans, known=None):
    """(path, line) of the one file that holds what was cited of `path`; ("", 0) where none or several do.

    known: the paths that git knows, where they were read already. A file with the same sha256 is it; else
    one that holds every definition that was cited (spans.holds; the line is that of the first).
    """
    names = [name.encode() for span in spans if (name := reading.name_of(span))]
    # A definition without a name cannot be told from another: then the whole file must be the same.
    is_named = bool(names) and len(names) == len(spans)
    same, held = [], []
    room = LARGEST_SUM
    known = tracked.paths(tracked.read(top)) if known is None else known
    for candidate in _candidates(top, path, known)[:MOST_READ]:
        place = os.path.join(top, candidate)
        size = size_of(place, top)
        if size is None or not SMALLEST <= size <= min(LARGEST, room):
            continue
        room -= size
        if digest and hash_of(place) == digest:
            same.append(candidate)
        elif is_named and (line := _holds(place, candidate, names, spans)):
            held.append((candidate, line))
    if same:
        return (same[0], 0) if len(same) == 1 else ("", 0)
    return held[0] if len(held) == 1 else ("", 0)


def _holds(place, path, names, spans):
    try:
        with open(place, "rb") as f:
            raw = f.read(LARGEST)
    except OSError:
        return 0
    if not all(name in raw for name in names):
        return 0
    text = raw.decode("utf-8", "replace")
    lines = [reading.holds(text, path, span) for span in spans]
    return lines[0] if all(lines) else 0


def _candidates(top, path, known):
    """Files of the same ending, the likeliest first: those around, and of all that git knows those of which
    the name, or a folder, is alike. (How far each of 8,000 is would take 24 ms, this takes 1.)"""
    name = path.rpartition("/")[2]
    ending = "." + name.rpartition(".")[2] if "." in name else name
    stem = name.partition(".")[0] or name
    known = [p for p in known if p.endswith(ending) and stem in p]
    around = [p for p in _around(top, path) if p.endswith(ending)]
    found = [p for p in dict.fromkeys([*around, *known]) if p != path and inside(os.path.join(top, p), top)]
    return sorted(found, key=lambda other: _distance(path, other))


def _around(top, path):
    """Files in the folder of a path, in those below it, and in the one above."""
    folder = os.path.dirname(os.path.join(top, path))
    while not os.path.isdir(folder) and len(folder) > len(top):
        folder = os.path.dirname(folder)
    above = os.path.dirname(folder)
    todo = [folder] + ([above] if len(folder) > len(top) else [])
    seen, found, left = set(), [], LISTED
    while todo and left > 0:
        at = todo.pop(0)
        if at in seen:
            continue
        seen.add(at)
        try:
            with os.scandir(at) as entries:
                for entry in entries:
                    left -= 1
                    if left <= 0:
                        break
                    if entry.name in _LEFT_OUT:
                        continue
                    if entry.is_dir(follow_symlinks=False):
                        todo.append(entry.path)
                    else:
                        found.append(os.path.relpath(entry.path, top).replace(os.sep, "/"))
        except OSError:
            continue
    return found


def _distance(path, other):
    """How far one path is from another: the same name first, then one whose folders hold the name, then by
    how many folders they do not share."""
    folders, name = _parts(path)
    theirs, their_name = _parts(other)
    shared = 0
    for one, two in zip(folders, theirs, strict=False):
        if one != two:
            break
        shared += 1
    apart = len(folders) + len(theirs) - 2 * shared
    stem, their_stem = name.partition(".")[0], their_name.partition(".")[0]
    alike = name == their_name or stem in theirs or stem in their_stem or their_stem in stem
    return not alike, apart, len(other), other


def _parts(path):
    *folders, name = path.split("/")
    return folders, name

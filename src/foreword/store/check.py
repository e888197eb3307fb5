"""Reads everything, trusts nothing, changes nothing."""

import os

from foreword import paths
from foreword.digest import of_answer
from foreword.store import layout, read, write


def findings(folder):
    """(memories read, [(place, what is wrong, what to do or "")]) of one project's files."""
    wrong = []
    found, _ = read.walk(folder)
    seen = {}
    for place, _, _ in found:
        try:
            memory = read.load(folder, place)
        except OSError as error:
            wrong.append((place, error.strerror or str(error), ""))
            continue
        if memory is None:
            continue
        memory_id = memory["id"]
        if memory["damage"]:
            wrong.append((place, memory["damage"], _edit(memory_id)))
        elif not memory["body"].strip():
            wrong.append((place, "the body is empty", _edit(memory_id)))
        tombstone = _tombstone(folder, memory, of_answer(memory["body"]))
        if tombstone:
            wrong.append((place, "was deleted and came back; it counts as deleted", tombstone))
        elif memory_id:
            if memory_id in seen:
                wrong.append((place, "has the id of " + seen[memory_id], ""))
            seen.setdefault(memory_id, place)
        if os.name != "nt" and os.stat(os.path.join(folder, place)).st_mode & 0o077:
            wrong.append((place, "can be read by others", ""))
    for relative in layout.folders(folder):
        for place in _strangers(folder, relative):
            if read.is_named(place):
                wrong.append((place, "is not a memory's file", ""))
            else:
                wrong.append((_escaped(place), "its name is not UTF-8, so it is left out", "rename it"))
    return len(found), wrong


def _escaped(place):
    """A place whose name is not UTF-8 as it can be printed: `facts/\\xff.md`."""
    return os.fsencode(place).decode("utf-8", "backslashreplace")


def _edit(memory_id):
    return f"foreword edit {memory_id}" if memory_id else ""


def _tombstone(folder, memory, digest):
    """What to do about a memory that has a tombstone; "" when it has none."""
    home = layout.home_of(folder)
    names = [n for n in write.tombstones_of(folder, memory["place"], digest) if write.is_forgotten(home, n)]
    if not names:
        return ""
    memory_id = memory["id"] or layout.id_from(memory["place"], memory["created"])
    kept = " and ".join(os.path.join(paths.tombstones(home), name) for name in names)
    return f"foreword delete {memory_id} (or, to have it back, remove {kept})"


def _strangers(folder, relative):
    try:
        names = sorted(os.listdir(os.path.join(folder, relative)))
    except OSError:
        return
    for name in names:
        place = relative + "/" + name
        inside = os.path.isdir(os.path.join(folder, place))
        is_memory = layout.kind_of(place) is not None and read.is_named(place)
        if not inside and not name.startswith(".") and not is_memory:
            yield place

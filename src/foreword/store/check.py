"""Reads everything, trusts nothing, changes nothing."""

import os

from foreword.store import layout, read


def findings(folder):
    """(memories read, [(place, what is wrong)]) of one project's files."""
    wrong = []
    found, _ = read.walk(folder)
    seen = {}
    for place, _, _ in found:
        try:
            memory = read.load(folder, place)
        except OSError as error:
            wrong.append((place, error.strerror or str(error)))
            continue
        if memory is None:
            continue
        if memory["damage"]:
            wrong.append((place, memory["damage"]))
        elif not memory["body"].strip():
            wrong.append((place, "the body is empty"))
        if memory["id"] in seen and memory["id"]:
            wrong.append((place, "has the id of " + seen[memory["id"]]))
        seen.setdefault(memory["id"], place)
        if os.name != "nt" and os.stat(os.path.join(folder, place)).st_mode & 0o077:
            wrong.append((place, "can be read by others"))
    for relative in layout.folders(folder):
        wrong += [(p, "is not a memory's file") for p in _strangers(folder, relative)]
    return len(found), wrong


def _strangers(folder, relative):
    try:
        names = sorted(os.listdir(os.path.join(folder, relative)))
    except OSError:
        return
    for name in names:
        place = relative + "/" + name
        inside = os.path.isdir(os.path.join(folder, place))
        if not inside and not name.startswith(".") and layout.kind_of(place) is None:
            yield place

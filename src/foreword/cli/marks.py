"""What `foreword pin` and `foreword reject` have in common: marking memories and saying what was done."""

from foreword import memory
from foreword.cli.output import opened, put, put_json, say

DONE = {"always": "pinned", "never": "rejected"}


def mark(path, ids, offer, undo, as_json):
    """Mark memories `offer` ("always" or "never"), or with `undo` take that mark away; print which."""
    place = opened(path)
    done = memory.mark(place, ids, "usual", only=offer) if undo else memory.mark(place, ids, offer)
    if as_json:
        put_json(done)
        return
    for memory_id in done:
        put(("no longer " if undo else "") + f"{DONE[offer]} {memory_id}")
    for memory_id in dict.fromkeys(ids):
        if memory_id not in done:
            say(f"{memory_id} was not {DONE[offer]}, nothing was done")

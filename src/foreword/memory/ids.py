"""Ids and titles of a project's memories as the index stands, for a shell that completes a word.

Unlike every other call of this room it makes nothing agree first: somebody waits with a finger on the key.
It never writes, never asks git and waits for nobody; what it cannot read at once, it leaves out.
"""

import os
import sqlite3

from foreword import project
from foreword.index import schema
from foreword.memory.find import GLOBAL

WAIT_S = 0.1  # for an index that another process writes just then
_NEWEST = (
    "SELECT id, type, title, created FROM memories WHERE archived IN (%s) AND substr(id, 1, ?) = ?"
    " ORDER BY created DESC LIMIT ?"
)


def begun(folder, home, archived, start="", most=100):
    """[(id, type, title)] of the memories of a folder's project and the global facts whose id begins with
    `start`, newest first, at most `most`. `archived`: which of them, (False,), (True,) or both."""
    found = []
    place = project.find(folder, home, create=False)
    for at in [*([place.folder] if place else []), os.path.join(home, GLOBAL)]:
        try:
            db = schema.open_reading(at, wait_s=WAIT_S)
        except (schema.UnusableError, sqlite3.Error):
            continue
        try:
            wanted = (*map(int, archived), len(start), start, most)
            found += db.execute(_NEWEST % ",".join("?" * len(archived)), wanted)
        except sqlite3.Error:
            continue
        finally:
            db.close()
    found.sort(key=lambda row: -row[3])
    return [tuple(row[:3]) for row in found[:most]]

"""Entities of the knowledge graph for a prompt: where their index is, and what it offers. Hot.

Theirs is an index like that of any project, in the store's graph folder, an entity a memory of type `entity`.
It is for the graph that config.toml names, as that was when its file had the time, size and inode that stand
in `meta`: a file that has others now is not spoken of until `graph_index` has caught up.
"""

import json
import os

from foreword.digest import sha256
from foreword.index import schema, search

TYPE = "entity"
RANKED = 10  # of the best: with the 30 of a project's memories, no more right ones, for 2 ms
STAMP = "graph"  # the key in meta: a JSON object of file (as config.toml has it), path, stamp


def folder(home):
    return os.path.join(home, "graph")


def id_of(name):
    """What stands for an entity in logs and records, in place of its name, which is the user's text: of the
    form of a memory's id, in a year that no memory is of."""
    digest = sha256(name.encode("utf-8", "surrogatepass")).hexdigest()
    digits = "%013d" % (int(digest[:12], 16) % 10**13)
    return "0%s-%s-%s" % (digits[:7], digits[7:], digest[-8:])


def is_id(text):
    """Whether a memory's id, or what looks like one, is that of an entity."""
    return text.startswith("0")


def stamp(path):
    """[mtime in ns, bytes, inode] of a file; None where there is none."""
    try:
        stat = os.stat(path)
    except OSError:
        return None
    return [stat.st_mtime_ns, stat.st_size, stat.st_ino]


def made_of(db):
    """What the index was made of (see STAMP); {} while that is not known."""
    row = db.execute("SELECT value FROM meta WHERE key=?", (STAMP,)).fetchone()
    try:
        made = json.loads(row[0])
        return made if isinstance(made, dict) else {}
    except (TypeError, ValueError):
        return {}


def offered(home, file, question, known_ids, limit):
    """(search.Offer of entities for a Question, whether the index is behind the graph: then of none).

    file: the setting graph.file. Raises schema.UnusableError, sqlite3.Error.
    """
    try:
        db = schema.open_reading(folder(home))
    except schema.MissingError:
        return search.Offer(), True
    try:
        made = made_of(db)
        if made.get("file") != file or made.get("stamp", 0) != stamp(str(made.get("path"))):
            return search.Offer(), True
        return search.offered(db, question, known_ids, limit, among=RANKED), False
    finally:
        db.close()

"""The graph of a store with a few entities, and the index of it for prompts. Shared by the tests of both."""

import json
import os
import sqlite3

from foreword import graph_index, settings
from foreword.graph import change, place
from foreword.index import entities, schema
from hook import events

LANTERN = [
    "2026-03-02: the lantern service was moved to the harbour cluster",
    "Its port is 8471, behind the tollgate proxy",
    "Owned by the wharf team; pages go to the night desk",
]
ASKED = "On which port does the lantern service listen behind the tollgate proxy?"
OTHERS = (
    ("barn owl", ["Hunts mice over the meadow"]),
    ("tide table", ["Printed each spring by the harbour office"]),
    ("kiln", ["Fires clay at 1,200 degrees"]),
)


def switch(in_index=True, **chosen):
    os.makedirs(events.home(), exist_ok=True)
    lines = ['switch = "on"', "graph.in_index = " + ("true" if in_index else "false")]
    lines += [f"{key} = {json.dumps(value)}" for key, value in chosen.items()]
    with open(settings.path(events.home()), "w", encoding="utf-8") as f:
        f.write("\n".join(lines) + "\n")


def entity(name, observations, kind="service"):
    return {"name": name, "entityType": kind, "observations": list(observations)}


def few():
    """The GraphFile of the store with a few entities; the setting on, nothing indexed yet."""
    switch()
    file = place.open_graph()
    wanted = [entity(name, observations, "thing") for name, observations in OTHERS]
    change.create_entities(file, [entity("lantern", LANTERN), *wanted])
    return file


def follow(file, what, *arguments):
    """Make a change as the server does it; whether the index followed."""
    before = graph_index.before_write(file)
    return graph_index.after_write(file, before, what(file, *arguments))


def index_at():
    return schema.path(entities.folder(events.home()))


def index_bytes():
    """All bytes of the index and of its log."""
    found = b""
    for ending in ("", "-wal"):
        if os.path.exists(index_at() + ending):
            with open(index_at() + ending, "rb") as f:
                found += f.read()
    return found


def damage(how):
    """Make the index one that cannot be used, or not wholly."""
    db = sqlite3.connect(index_at(), isolation_level=None)
    if how.endswith("version"):
        db.execute("PRAGMA user_version=%d" % (schema.VERSION + (1 if how[0] == "n" else -1)))
    elif how == "pages":
        db.execute("UPDATE profiles SET terms=x'0102'")
    db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    db.close()
    if how == "no database":
        with open(index_at(), "wb") as f:
            f.write(b"no database at all" * 500)
    elif how == "cut":
        os.truncate(index_at(), 8_192)


def version():
    """Of the index's tables."""
    db = sqlite3.connect(index_at())
    try:
        return db.execute("PRAGMA user_version").fetchone()[0]
    finally:
        db.close()


def rows():
    """[(id, title, question, conclusion)] of what is indexed."""
    db = schema.open_reading(entities.folder(events.home()))
    try:
        return db.execute("SELECT id, title, question, conclusion FROM memories ORDER BY id").fetchall()
    finally:
        db.close()


def keys():
    """{id: the key of what is indexed}"""
    db = schema.open_reading(entities.folder(events.home()))
    try:
        return dict(db.execute("SELECT place, mtime FROM memories"))
    finally:
        db.close()


def unknown(name):
    """Have the index take an entity for one that changed."""
    db = sqlite3.connect(index_at())
    with db:
        db.execute("UPDATE memories SET mtime=1 WHERE place=?", (entities.id_of(name),))
    db.close()

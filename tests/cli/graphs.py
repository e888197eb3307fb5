"""Graphs for tests: records of a memory.jsonl, and what stands beside it."""

import os

OLD = [f"2026-01-{day:02d}: run {day} of the nightly build" for day in range(1, 21)]


def entity(name, kind="service", observations=()):
    return {"type": "entity", "name": name, "entityType": kind, "observations": list(observations)}


def relation(from_, to, verb="depends_on"):
    return {"type": "relation", "from": from_, "to": to, "relationType": verb}


def kept(path):
    """Everything beside a graph, by its path below that folder; the graph and its lock too."""
    top = os.path.dirname(path)
    found = {}
    for at, _, names in os.walk(top):
        for name in names:
            with open(os.path.join(at, name), "rb") as f:
                found[os.path.relpath(os.path.join(at, name), top)] = f.read()
    return found

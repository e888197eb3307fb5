"""The session recall for people and programs: the same block as a client session starts with."""

import os
from contextlib import ExitStack

from foreword import curated, paths, settings
from foreword.errors import ForewordError
from foreword.index.curated import SESSIONS, is_due, standing
from foreword.memory.find import GLOBAL, Reading, folders


def recall(place, budget=None, sessions=None):
    """{"text", "characters", "facts", "sessions", "listed", "left_out", "debt"} of the block.

    budget: characters of the whole block; sessions: how many of the newest are given whole (default:
    the settings'). facts, sessions: how many stand in it with their text; listed: older sessions with a
    line; left_out: facts that did not fit; debt: see `debt`. text is "" for an empty store.
    """
    chosen = settings.load(place.home)
    budget = chosen["recall.budget"] if budget is None else budget
    sessions = chosen["recall.sessions"] if sessions is None else sessions
    found = _standing(place, curated.most(budget, sessions))
    label, ask = paths.project_label(place.name), chosen["recall.directive"]
    made = curated.block(found, label, budget, sessions, ask=ask)
    return {
        "text": made.text,
        "characters": len(made.text),
        "facts": made.facts,
        "sessions": made.sessions,
        "listed": made.listed,
        "left_out": made.left_out,
        "debt": _told(*made.debt),
    }


def debt(place):
    """{"superseded", "beyond", "due"}: memories that newer ones take the place of, sessions that the recall
    does not even name, and whether that is worth a dream."""
    sessions = settings.load(place.home).get("recall.sessions", SESSIONS)
    return _told(*_standing(place, (0, 0)).debt(sessions))


def due(place):
    """What there is to consolidate, in words, once it is worth it; "" else, and where the index is busy: who
    has just saved something must not hear of an error."""
    try:
        found = debt(place)
    except ForewordError:
        return ""
    return owed(found) if found["due"] else ""


def owed(debt):
    """`3 memories are superseded and 1 session is no longer handed over`, of a debt; "" for none."""
    told = []
    for number, one, many in (
        (debt["superseded"], "1 memory is superseded", "%d memories are superseded"),
        (debt["beyond"], "1 session is no longer handed over", "%d sessions are no longer handed over"),
    ):
        if number:
            told.append(one if number == 1 else many % number)
    return " and ".join(told)


def _told(superseded, beyond):
    return {"superseded": superseded, "beyond": beyond, "due": is_due(superseded, beyond)}


def _standing(place, most):
    with ExitStack() as stack:
        sources = [
            (folder, stack.enter_context(Reading(folder)), name == GLOBAL)
            for name, folder in folders(place, False)
            if os.path.isdir(folder)
        ]
        return standing(sources, most)

"""The session recall for people and programs: the same block as a client session starts with."""

from contextlib import ExitStack

from foreword import curated, paths, settings
from foreword.errors import ForewordError
from foreword.index.curated import is_due, standing
from foreword.memory.find import folders, opened


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
    sessions = settings.load(place.home)["recall.sessions"]
    return _told(*_standing(place, (0, 0)).debt(sessions))


def due(place):
    """What there is to consolidate, in words, once it is worth it; "" else, and where the index is busy: who
    has just saved something must not hear of an error."""
    try:
        found = debt(place)
    except ForewordError:
        return ""
    return curated.owed(found["superseded"], found["beyond"]) if found["due"] else ""


def _told(superseded, beyond):
    return {"superseded": superseded, "beyond": beyond, "due": is_due(superseded, beyond)}


def _standing(place, most):
    with ExitStack() as stack:
        return standing(opened(folders(place, False), stack), most)

"""What Foreword itself wrote down of a project's client sessions: prompts.log, recalls.log, opened.log. Cold.

No log holds a text; here they become numbers by client session, and over all.
"""

import math
import os

from foreword.store import logs
from foreword.store.layout import epoch, is_id

# The switch at a prompt -> how its client session got its arm. Every other word: by hand.
ASSIGNED = {"auto:session": "session", "auto": "day"}
BY_HAND = "hand"
MOST = 10**9


class Heard:
    """One client session. on, off: whether memory was so at any of its prompts; assigned: "session", "day"
    or "hand"; started: epoch seconds of its first prompt; with_foreword, prompts, prompts_on, lines,
    characters (of forewords before prompts), recall_characters: numbers; offered: {id of a memory: when it
    was first offered, as the log writes it}."""

    __slots__ = (
        "assigned", "characters", "lines", "off", "offered", "on", "prompts", "prompts_on",
        "recall_characters", "recalls", "started", "with_foreword",
    )  # fmt: skip

    def __init__(self):
        self.on = self.off = False
        self.assigned = ""
        self.started = math.inf
        self.prompts = self.prompts_on = self.with_foreword = self.lines = self.characters = 0
        self.recalls = self.recall_characters = 0
        self.offered = {}


def client_sessions(folder):
    """{(client, session): Heard} of every client session with a prompt in a project's folder."""
    found = {}
    for record in logs.records(os.path.join(folder, "prompts.log")):
        key = text(record, "client"), text(record, "session")
        heard = found.get(key)
        if heard is None:
            heard = found[key] = Heard()
        _add_prompt(heard, record)
    for record in logs.records(os.path.join(folder, "recalls.log")):
        heard = found.get((text(record, "client"), text(record, "session")))
        if heard is not None:  # a start without a prompt cost no request
            heard.recalls += 1
            heard.recall_characters += whole(record.get("characters"))
    return found


def _add_prompt(heard, record):
    when, state = text(record, "time"), record.get("state")
    heard.started = min(heard.started, _seconds(when))
    heard.prompts += 1
    heard.on = heard.on or state == "on"
    heard.off = heard.off or state == "off"
    assigned = ASSIGNED.get(text(record, "switch"), BY_HAND)
    heard.assigned = assigned if heard.assigned in ("", assigned) else BY_HAND
    is_on, is_hit = logs.hit(record)
    heard.prompts_on += is_on
    heard.with_foreword += is_hit
    ids, entities = logs.shown(record)
    heard.lines += len(ids) + len(entities)
    heard.characters += whole(record.get("characters"))
    for i in ids:
        heard.offered.setdefault(i, when)


def openings(folder):
    """[(time as the log writes it, id, client session or "")], oldest first."""
    found = [
        (text(record, "time"), record["id"], text(record, "session"))
        for record in logs.records(os.path.join(folder, "opened.log"))
        if is_id(record.get("id"))
    ]
    return sorted(found)


def opened_in(heard, session, openings):
    """How many of the memories that a client session was offered were opened in it afterwards. One that was
    opened by a client that names no session counts for the last one that was offered it before: see
    `credited`."""
    return len({i for when, i, of in openings if of == session and heard.offered.get(i, "~") <= when})


def credited(sessions, openings):
    """`openings` with a client session where the client named none: the last that was offered the memory
    before. sessions: {(client, session): Heard}."""
    offers = {}
    for (_, session), heard in sessions.items():
        for i, when in heard.offered.items():
            offers.setdefault(i, []).append((when, session))
    for some in offers.values():
        some.sort()
    found = []
    for when, i, session in openings:
        if not session:
            before = [of for at, of in offers.get(i, ()) if at <= when]
            session = before[-1] if before else ""
        found.append((when, i, session))
    return found


def _seconds(written):
    """Epoch seconds of a time as our logs write it; inf for anything else."""
    when = epoch(written)
    return math.inf if when is None else when


def text(record, key):
    value = record.get(key)
    return value if isinstance(value, str) else ""


def whole(value):
    """A count of a log; 0 for what is none, and for what no foreword can have."""
    is_one = isinstance(value, int) and not isinstance(value, bool) and 0 < value <= MOST
    return value if is_one else 0

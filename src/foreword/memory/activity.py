"""What went on in a project lately: notes by day, how often a prompt got a foreword, and the last prompts
with what became of each memory. Reads the index and the hooks' logs; writes nothing.
"""

import os
import time
from collections import deque

from foreword.memory.find import Reading
from foreword.memory.why import tell
from foreword.store import layout, logs

SECONDS_A_DAY = 86_400
_BY_DAY = (
    "SELECT CAST(created / 86400 AS INTEGER), count(*) FROM memories"
    " WHERE type='note' AND created>=? AND created<? GROUP BY 1"
)


def activity(place, now=None, days=30, recent=10):
    """{"days", "prompts", "prompts_on", "with_foreword", "hit_rate", "recent"} of a project.

    days: [("2026-11-30", notes)] of the last `days` days (UTC), oldest first, today the last, archived notes
    counted; prompts: all that are recorded; prompts_on: those while memory was on; with_foreword: those of
    them that got a foreword; hit_rate: with_foreword over prompts_on, None for none (see logs.hit). recent:
    of the last `recent` prompts, newest first, what `why` gives, and "opened": ids of the memories that the
    prompt was offered and that its client session opened since. An opening of a client that names no session
    counts for the last of these prompts that was offered the memory.

    Lines that cannot be read are passed over. Raises BusyError, DamagedError.
    """
    now = time.time() if now is None else now
    prompts = prompts_on = with_foreword = 0
    last = deque(maxlen=max(0, recent))
    for record in logs.records(os.path.join(place.folder, "prompts.log")):
        is_on, is_hit = logs.hit(record)
        prompts += 1
        prompts_on += is_on
        with_foreword += is_hit
        last.append(record)
    told = tell(place, list(reversed(last)))
    for one, opened in zip(told, _opened(place.folder, told), strict=True):
        one["opened"] = opened
    return {
        "days": _days(place.folder, now, days),
        "prompts": prompts,
        "prompts_on": prompts_on,
        "with_foreword": with_foreword,
        "hit_rate": with_foreword / prompts_on if prompts_on else None,
        "recent": told,
    }


def _days(folder, now, days):
    today = int(now // SECONDS_A_DAY)
    first = today - days + 1
    with Reading(folder) as db:
        counts = dict(db.execute(_BY_DAY, (first * SECONDS_A_DAY, (today + 1) * SECONDS_A_DAY)))
    stamps = [(day, layout.timestamp(day * SECONDS_A_DAY)[:10]) for day in range(first, today + 1)]
    return [(stamp, counts.get(day, 0)) for day, stamp in stamps]


def _opened(folder, told):
    """Of each prompt (newest first) the ids of what it was offered and what was opened then, in order."""
    offered = [{row["id"] for row in one["memories"] if row["reason"] == "offered"} for one in told]
    found = [{} for _ in told]
    for record in logs.records(os.path.join(folder, "opened.log")) if any(offered) else ():
        when, memory_id, session = (record.get(key) for key in ("time", "id", "session"))
        if not isinstance(when, str) or not isinstance(memory_id, str):
            continue
        for one, ids, opened in zip(told, offered, found, strict=True):
            if memory_id not in ids or when < one["time"]:
                continue
            if not session or session == one["session"]:
                opened[memory_id] = None
            if not session:
                break  # for the newest before it, and for no other
    return [list(opened) for opened in found]

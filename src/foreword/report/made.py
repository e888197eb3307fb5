"""The report of a project: what its client sessions took with memory on and off, as report.json has it. Cold.

Every leaf is a number, true or false, null or a time (ISO 8601, UTC): docs/report.md is the contract.
"""

import json
import math
import os
import time

from foreword import files, paths
from foreword.errors import BusyError, ForewordError
from foreword.report import compare, count, fixed, heard, prices
from foreword.report.told import ARMS, MEDIANS
from foreword.store import layout, logs

NAME = "report.json"
FORMAT = 1
EVERY_S = 3_600  # how old a report may get while there is something new to tell
DAY_S = 86_400
PARTLY_S = 600  # from the first record of a log to the first prompt of ours; hooks are there within seconds


def refresh(home, name, progress=None, say=None, lenient=False):
    """Count what client sessions took since, and write report.json anew. The report, as a dict.

    name: the project's folder below projects/. progress(done, whole): bytes of logs to read. say(sentence):
    told what could not be counted, and why. Raises ForewordError for a price file that cannot be used;
    `lenient`: then there are no prices.
    """
    folder = paths.project_folder(home, name)
    try:
        priced = prices.load(home)  # what is wrong with it is told before gigabytes are read
    except ForewordError:
        if not lenient:
            raise
        priced = None
    notes = _counted(home, name, progress, lenient)
    for sentence in notes:
        if say:
            say(sentence)
    found = report(home, name, priced, time.time())
    if os.path.isdir(folder) and not (notes and _is_less(found, load(home, name))):
        data = json.dumps(found, allow_nan=False).encode()
        try:
            files.write(os.path.join(folder, NAME), data, files.FILE_MODE, durable=False)
        except OSError:
            pass  # a full or read-only disk: what was counted is told all the same
    return found


def _counted(home, name, progress, lenient):
    """What could not be counted, in sentences."""
    try:
        return count.count(home, name, progress) or []
    except BusyError as error:
        if not lenient:
            raise
        return [error.message]


def _is_less(found, before):
    """Whether a report that could not be counted whole knows nothing any more of what the last one had."""
    return bool(before) and not found["sessions"]["counted"] and bool(before["rows"])


def load(home, name):
    """What report.json holds; None where there is none, or none of this format."""
    try:
        found = json.loads(files.read(os.path.join(paths.project_folder(home, name), NAME)) or b"null")
    except (OSError, ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) and found.get("format") == FORMAT else None


def is_due(home, name, now):
    """Whether there was a prompt since report.json was written, and that is more than an hour ago."""
    folder = paths.project_folder(home, name)
    written, prompted = (_written(os.path.join(folder, at)) for at in (NAME, "prompts.log"))
    return prompted > written and not 0 <= now - written < EVERY_S


def _written(path):
    try:
        return os.stat(path).st_mtime
    except OSError:
        return -math.inf


def report(home, name, priced, now):
    """The report of what was counted so far."""
    sessions, openings = _heard(home, name)
    rows = _rows(home, name, priced, sessions, openings)
    arms = {arm: [row for row in rows if arm_of(row) == arm] for arm in ARMS}
    numbers = {arm: len(some) for arm, some in arms.items()}
    if compared := compare.choose(rows):
        # What stands in one table is of the same sessions.
        arms.update({arm: [row for row in compared if arm_of(row) == arm] for arm in ("on", "off")})
    characters = fixed.characters(home)
    unpriced = sum(bool(row["unpriced"]) for row in rows)
    return {
        "format": FORMAT,
        "made": layout.timestamp(now),
        "sessions": {
            "counted": len(rows),
            **numbers,
            "without_log": len(sessions) - len(rows),
            "unread": sum(row["unread"] for row in rows),
        },
        "comparison": compare.compare(rows),
        "arms": {arm: _arm(some) for arm, some in arms.items()},
        "use": _use(sessions, openings),
        "fixed": {"characters": characters, "tokens_estimated": characters // fixed.A_TOKEN},
        "prices": {"date": priced.date, "unpriced_sessions": unpriced} if priced else None,
        "rows": {
            client: [_public(row) for row in rows if row["client"] == client]
            for client in sorted({row["client"] for row in rows})
        },
    }


def arm_of(row):
    """ "on", "off" or "mixed" of a row."""
    return "mixed" if row["on"] and row["off"] else "on" if row["on"] else "off"


def rows_of(home, name, priced):
    """A dict for each client session that a log of its client tells about and whose arm is known, the oldest
    first. Beside the keys of report.json's rows: client, session (its id), assigned ("session", "day" or
    "hand"), day (days since 1970-01-01, UTC) and unpriced (models without a price that used tokens)."""
    return _rows(home, name, priced, *_heard(home, name))


def _heard(home, name):
    folder = paths.project_folder(home, name)
    sessions = heard.client_sessions(folder)
    return sessions, heard.credited(sessions, heard.openings(folder))


def _rows(home, name, priced, sessions, openings):
    rows = []
    for took in count.sessions(home, name):
        its = sessions.get((took["client"], took["session"]))
        # Without a request there is nothing to compare; with neither on nor off the state is not known.
        if its is not None and took["requests"] and (its.on or its.off):
            rows.append(_row(took, its, openings, priced))
    return rows


def _row(took, its, openings, priced):
    started = next((at for at in (took["started"], its.started) if at and math.isfinite(at)), 0.0)
    plain = took["input"] + took["output"]
    # It began before Foreword knew of it, and a person spoke meanwhile: that part had no foreword.
    partly = started < its.started - PARTLY_S and took["turns"] > its.prompts
    return {
        "client": took["client"],
        "session": took["session"],
        "assigned": its.assigned,
        # By the first prompt: what the switch went by.
        "day": int((its.started if math.isfinite(its.started) else started) // DAY_S),
        "started": layout.timestamp(started),
        "on": its.on,
        "off": its.off or partly,
        **{key: took[key] for key in ("requests", "turns", "tool_calls", "input")},
        "cache_creation": took["creation"],
        "cache_read": took["read"],
        "output": took["output"],
        "tokens": plain + took["creation"] + took["read"],
        "input_output": plain,
        **{key: took[key] for key in ("files_read", "files_read_again", "subagents", "unread")},
        "prompts": its.prompts,
        "with_foreword": its.with_foreword,
        "lines": its.lines,
        "opened": heard.opened_in(its, took["session"], openings),
        "characters": its.characters + its.recall_characters,
        "dollars": prices.dollars(priced, took["models"]) if priced else None,
        "unpriced": prices.unpriced(priced, took["models"]) if priced else [],
    }


_OURS = ("client", "session", "assigned", "day", "unpriced")  # texts, and what the comparison needs


def _public(row):
    return {key: value for key, value in row.items() if key not in _OURS}


def _arm(rows):
    found: dict[str, float | None] = {"sessions": len(rows)}
    for key, _ in MEDIANS:
        values = [row[key] for row in rows if row[key] is not None]
        found[key] = compare.median(values) if values else None
    return found


def _use(sessions, openings):
    """What a project's logs say of its forewords, whatever client and however long ago."""
    total = {
        key: sum(getattr(its, key) for its in sessions.values())
        for key in (
            "prompts", "prompts_on", "with_foreword", "lines", "characters", "recalls", "recall_characters",
        )
    }  # fmt: skip
    first = {}
    for its in sessions.values():
        for i, when in its.offered.items():
            first[i] = min(when, first.get(i, when))
    opened = [i for when, i, _ in openings if first.get(i, "~") <= when]
    return {
        **total,
        "hit_rate": total["with_foreword"] / total["prompts_on"] if total["prompts_on"] else None,
        "memories_offered": len(first),
        "memories_opened": len(set(opened)),
        "times_opened": len(opened),
        "never_opened": len(first) - len(set(opened)),
    }


def never_opened(folder):
    """[(id, how often it was offered)] of memories that nobody opened since, the most often offered first."""
    times, first = {}, {}
    for record in logs.records(os.path.join(folder, "prompts.log")):
        for i in logs.shown(record)[0]:
            times[i] = times.get(i, 0) + 1
            first.setdefault(i, heard.text(record, "time"))
    opened = {i for when, i, _ in heard.openings(folder) if first.get(i, "~") <= when}
    return sorted(((i, n) for i, n in times.items() if i not in opened), key=lambda row: (-row[1], row[0]))

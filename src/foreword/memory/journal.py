"""The journals of dreams: `state/dreams/<run>.json`, one a run, written before anything is done.

They hold ids, hashes of files as they were, and times: no word of any memory, so that what the user
deletes is gone from here too. What was replaced is in the archive, never here.
"""

import json
import os

from foreword import files
from foreword.errors import BusyError, DamagedError, NotFoundError
from foreword.memory.change import LOCK_S
from foreword.store import layout

VERSION = 1
# A run that was applied can be undone as long as its journal is there: the newest KEPT for KEPT_DAYS. Of runs
# that nobody applied (each names every memory) the newest KEPT_OPEN. One that was interrupted stays
# until it is undone, however old it is.
KEPT, KEPT_DAYS, KEPT_OPEN = 50, 90, 10
OPEN, APPLYING, APPLIED, UNDONE = "open", "applying", "applied", "undone"
_SECONDS_A_DAY = 86_400


def folder(home):
    return os.path.join(home, "state", "dreams")


class Lock:
    """Held by who applies or undoes a run: two at once would undo each other's steps. The store itself is
    locked step by step, so that hooks and saves need not wait for a long plan."""

    def __init__(self, home):
        files.make_folder(folder(home))
        self.lock = files.Lock(folder(home), wait_s=LOCK_S)

    def __enter__(self):
        if not self.lock.__enter__():
            raise BusyError("another dream is being applied or undone", "try again")

    def __exit__(self, *exc):
        self.lock.__exit__(*exc)


def start(home, record, now):
    """Write a new journal and return its run's id. Durable on return. Raises OSError."""
    files.make_folder(folder(home))
    taken = False
    while True:
        run = layout.new_id(now, taken)
        made = {"version": VERSION, "run": run, "started": layout.timestamp(now), "state": OPEN, **record}
        try:
            files.write(_path(home, run), _bytes(made), create_only=True)
        except FileExistsError:
            taken = True
            continue
        return run


def write(home, record):
    """Replace a run's journal. Durable on return. Raises OSError."""
    files.write(_path(home, record["run"]), _bytes(record))


def read(home, run):
    """The record of a run. Raises NotFoundError, DamagedError."""
    raw = files.read(_path(home, run)) if layout.is_id(run) else None
    if raw is None:
        raise NotFoundError(f"there is no dream with the id {str(run)[:40]!r}", "foreword dream --list")
    record = _parsed(raw, run)
    if record is None:
        raise DamagedError(f"{_path(home, run)} cannot be read", "foreword dream starts another run")
    if record.get("version") != VERSION:
        raise DamagedError(f"{_path(home, run)} was written by a newer Foreword", "update Foreword")
    return record


def all_of(home):
    """The records of all runs that can be read, newest first."""
    found = []
    for run in _runs(home):
        record = _parsed(files.read(_path(home, run)) or b"", run)
        if record is not None and record.get("version") == VERSION:
            found.append(record)
    return found


def interrupted(home, project):
    """Ids of the runs of a project that somebody began to apply, and that nobody works on now."""
    found = [record["run"] for record in all_of(home) if record["state"] == APPLYING]
    if not found:
        return []
    with files.Lock(folder(home), wait_s=0) as held:
        again = all_of(home) if held else ()
    return [r["run"] for r in again if r["state"] == APPLYING and r.get("project") == project]


def tidy(home, now):
    """Remove journals that are of no use any more (see KEPT)."""
    kept = unapplied = 0
    for record in all_of(home):
        if record["state"] == APPLYING:
            continue
        kept += 1
        unapplied += record["state"] == OPEN
        age = now - (layout.epoch(record["started"]) or 0)
        is_over = record["state"] == OPEN and unapplied > KEPT_OPEN
        if is_over or kept > KEPT or age > KEPT_DAYS * _SECONDS_A_DAY:
            files.remove(_path(home, record["run"]))


def _runs(home):
    try:
        names = os.listdir(folder(home))
    except OSError:
        return []
    return sorted(
        (name[:-5] for name in names if name.endswith(".json") and layout.is_id(name[:-5])), reverse=True
    )


def _path(home, run):
    return os.path.join(folder(home), run + ".json")


def _bytes(record):
    return json.dumps(record, indent=1).encode()


def _parsed(raw, run):
    """A journal that can be worked with; None for anything else."""
    try:
        record = json.loads(raw)
    except (ValueError, RecursionError):
        return None
    if not isinstance(record, dict) or record.get("run") != run or not isinstance(record.get("started"), str):
        return None
    whole = isinstance(record.get("memories", {}), dict) and isinstance(record.get("steps", []), list)
    return record if whole and record.get("state") in (OPEN, APPLYING, APPLIED, UNDONE) else None

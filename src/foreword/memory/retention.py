"""Archiving what nobody uses any more: off unless `retention.days` says otherwise, and always to be taken
back.

A memory goes when all of this holds: it is of a type in `retention.types`, older than the days, not pinned,
was opened by nobody ever, and a text that it cites is not there as it was. What cites no file stays:
nothing says that it is out of date. Nothing is deleted.
"""

import json
import os
import time

from foreword import files, settings
from foreword.errors import ForewordError, NotFoundError
from foreword.memory import change
from foreword.memory.browse import browse
from foreword.memory.cites import short
from foreword.memory.find import GLOBAL, locate
from foreword.store import layout

KEPT = 50  # runs of a project that can be taken back
EVERY_S = 86_400.0  # between two runs that the worker starts


def planned(place, days=None, types=None, now=None, progress=None):
    """Rows of `browse` that would be archived, oldest first, each with `why` (the first of its bad
    citations). days, types: instead of the settings'. Raises ForewordError where neither says how many
    days."""
    chosen = settings.load(place.home)
    days = chosen["retention.days"] if days is None else days
    if days < 1:
        raise ForewordError(
            "no age is set", "foreword retention --days 180, or retention.days in config.toml"
        )
    found = []
    for kind in types or chosen["retention.types"]:
        rows = browse(
            place, type=kind, older=days, stale=True, per_page=1_000_000, now=now, progress=progress
        )["rows"]
        found += [
            {**row, "why": short(row["stale"][0])}
            for row in rows
            if not row["opened"] and row["offer"] != "always" and row["project"] != GLOBAL
        ]
    return sorted(found, key=lambda row: row["created"])


def apply(place, rows):
    """Archive the memories of some rows; {"run", "ids"}. The run's record is on the disk before anything is
    moved."""
    ids = [row["id"] for row in rows]
    if not ids:
        return {"run": "", "ids": []}
    files.make_folder(_folder(place))
    run = layout.new_id(time.time())
    record = {"run": run, "time": layout.timestamp(time.time()), "ids": ids}
    files.write(os.path.join(_folder(place), run + ".json"), json.dumps(record).encode())
    change.archive(place, ids)
    for old in runs(place)[KEPT:]:
        files.remove(os.path.join(_folder(place), old["run"] + ".json"))
    return {"run": run, "ids": ids}


def undo(place, run=""):
    """Restore what a run archived (the newest one without a name), as far as it still lies in the archive;
    {"run", "ids"}. Raises NotFoundError."""
    known = runs(place)
    record = next((one for one in known if one["run"] == run or not run), None)
    if record is None:
        raise NotFoundError(
            f"no run {run}" if run else "nothing was archived by retention", "foreword retention"
        )
    there = []
    for memory_id in record["ids"]:
        try:
            _, _, at = locate(place, memory_id)
        except NotFoundError:
            continue  # deleted since
        if (layout.kind_of(at) or ("", False))[1]:
            there.append(memory_id)
    done = change.restore(place, there) if there else []
    files.remove(os.path.join(_folder(place), record["run"] + ".json"))
    return {"run": record["run"], "ids": done}


def runs(place):
    """The records of runs, newest first: run, time, ids."""
    found = []
    try:
        names = sorted(os.listdir(_folder(place)), reverse=True)
    except OSError:
        return []
    for name in names:
        try:
            record = json.loads(files.read(os.path.join(_folder(place), name)) or b"null")
            if layout.is_id(record["run"]) and name == record["run"] + ".json":
                found.append({**record, "ids": list(filter(layout.is_id, record["ids"]))})
        except (ValueError, TypeError, KeyError):
            continue
    return found


def run_by_itself(place, now):
    """What the worker does once a day where the setting is on; the ids that were archived."""
    if settings.load(place.home)["retention.days"] < 1:
        return []
    stamp = os.path.join(_folder(place), ".looked")
    try:
        if 0 <= now - os.stat(stamp).st_mtime < EVERY_S:
            return []
    except OSError:
        pass
    files.make_folder(_folder(place))
    files.write(stamp, b"", durable=False)
    return apply(place, planned(place, now=now))["ids"]


def _folder(place):
    return os.path.join(place.home, "state", "retention", place.name)

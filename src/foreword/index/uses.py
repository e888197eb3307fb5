"""What became of the lines that a project was shown: a memory often offered and never opened sinks, one
that is opened rises. `shift` is hot: it adds to the ranking's log odds. `count`, which reads the logs, is
cold: no hook calls it.

A memory counts as opened when it was read in full after it was offered, once for each time that it was.
"""

import json
import math
import os
import stat

from foreword import files
from foreword.store.layout import LOGS_KEPT, is_id

LOGS = ("prompts.log", "opened.log")
LARGEST = 10_000_000  # bytes read of each log, its newest
# Below these a project's own rate says nothing, so that nothing is added.
LEAST_SHOWN, LEAST_OPENED = 50, 5
PRIOR = 5  # showings at the project's own rate that stand beside a memory's own
MOST = 1.0  # log odds added or taken away at most: a memory shown nine times in vain has lost all of it


def shift(db, ids):
    """{id: (log odds to add, times shown, times opened)} of those memories that were shown before; {}
    while the project was shown too little. ids: some thirty; one query."""
    shown, opened, _ = _known(db)
    if shown < LEAST_SHOWN or opened < LEAST_OPENED:
        return {}
    usual = (opened + 1) / (shown + 10)
    sql = "SELECT id, shown, opened FROM uses WHERE id IN (%s)"
    found = {}
    for memory_id, its_shown, its_opened in db.execute(sql % ",".join("?" * len(ids)), ids):
        rate = (its_opened + PRIOR * usual) / (its_shown + PRIOR)
        found[memory_id] = (max(-MOST, min(MOST, math.log(rate / usual))), its_shown, its_opened)
    return found


def reason(change, shown, opened):
    """(label, change in log odds, ()) of one that `shift` gave, in the form of rank.reasons."""
    times = "once" if shown == 1 else "%d times" % shown
    if not opened:
        label = "shown %s, never opened" % times
    elif change >= 0:
        label = "opened when it was shown"
    else:
        label = "shown %s, seldom opened" % times
    return label, round(change, 2), ()


def count(db, folder):
    """Count anew what the logs in a project's folder say, if they changed since; True when it did.

    In a transaction of its own. Rows of memories that are gone go in any case. Damaged lines and what
    is no file are passed over. Raises sqlite3.Error.
    """
    logs = [_newest(os.path.join(folder, name)) for name in LOGS]
    state = [[size, mtime] for log in logs for _, size, mtime in log]
    gone = "FROM uses WHERE id NOT IN (SELECT id FROM memories)"
    if _known(db)[2] == state:
        if db.execute("SELECT 1 %s LIMIT 1" % gone).fetchone():
            db.execute("DELETE " + gone)
        return False
    shown, opened = _counted(*(_events(log) for log in logs))
    rows = [(i, times, opened.get(i, 0)) for i, times in shown.items()]
    told = json.dumps([sum(shown.values()), sum(opened.values()), state])
    db.execute("BEGIN IMMEDIATE")
    try:
        db.execute("DELETE FROM uses")
        db.executemany("INSERT INTO uses VALUES(?,?,?)", rows)
        db.execute("DELETE " + gone)
        db.execute("INSERT OR REPLACE INTO meta VALUES('uses', ?)", (told,))
        db.execute("COMMIT")
    except BaseException:
        if db.in_transaction:
            db.execute("ROLLBACK")
        raise
    return True


def _known(db):
    """(times anything was shown, times opened, sizes and mtimes of the logs that say so) or (0, 0, None)."""
    row = db.execute("SELECT value FROM meta WHERE key='uses'").fetchone()
    try:
        shown, opened, state = json.loads(row[0])
        return int(shown), int(opened), state
    except (TypeError, ValueError):
        return 0, 0, None


def _counted(prompts, openings):
    """({id: times shown}, {id: times opened}) of [(time, ids)] of both logs, each oldest first or not."""
    both = [(time, 0, ids) for time, ids in prompts] + [(time, 1, ids) for time, ids in openings]
    shown, opened, waiting = {}, {}, set()
    for _, is_opening, ids in sorted(both):
        for i in ids:
            if not is_opening:
                shown[i] = shown.get(i, 0) + 1
                waiting.add(i)
            elif i in waiting:
                waiting.remove(i)  # opened again, it is still one line that was worth it
                opened[i] = opened.get(i, 0) + 1
    return shown, opened


def _newest(path):
    """[(path, size, mtime in ns)] of a log and its older files, the newest first, LARGEST bytes in all."""
    found, room = [], LARGEST
    for n in range(LOGS_KEPT + 1):
        at = "%s.%d" % (path, n) if n else path
        try:
            status = os.stat(at)
        except OSError:
            continue  # the newest is missing for a moment while logs rotate
        if stat.S_ISREG(status.st_mode) and status.st_size <= room:
            room -= status.st_size
            found.append((at, status.st_size, status.st_mtime_ns))
    return found


def _events(log):
    """(time, ids) of the lines of a log's files that can be read and name any id."""
    for path, size, _ in log:
        try:
            data = files.read(path, size)
        except OSError:
            continue
        for line in (data or b"").split(b"\n"):
            # Most prompts are offered nothing, and parsing them would take most of the time.
            if b'"ids": []' in line or not line:
                continue
            try:
                record = json.loads(line)
            except (ValueError, RecursionError):
                continue
            if not isinstance(record, dict) or not isinstance(record.get("time"), str):
                continue
            ids = record.get("ids", [record.get("id")])
            ids = [i for i in ids if is_id(i)] if isinstance(ids, list) else []
            if ids:
                yield record["time"], ids

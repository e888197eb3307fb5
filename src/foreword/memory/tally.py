"""Numbers about memories for who looks at them: how many there are, how often one was offered and opened."""

import sqlite3

from foreword.errors import BusyError, DamagedError
from foreword.index import schema, uses
from foreword.memory.find import Reading, folders, locate


def tally(place):
    """{"live": {type: n}, "archived": n} of a project and the global facts.

    Raises BusyError, DamagedError.
    """
    live, archived = {}, 0
    for _, folder in folders(place, False):
        with Reading(folder) as db:
            for kind, aside, n in db.execute("SELECT type, archived, count(*) FROM memories GROUP BY 1, 2"):
                archived += n if aside else 0
                live[kind] = live.get(kind, 0) + (0 if aside else n)
    return {"live": live, "archived": archived}


def used(place, memory_id):
    """(times offered, times opened) as the hooks' logs have it now; (0, 0) of an index that cannot be read.

    Raises NotFoundError.
    """
    _, folder, _ = locate(place, memory_id)
    _count(folder)
    try:
        with Reading(folder) as db:
            return db.execute("SELECT shown, opened FROM uses WHERE id=?", (memory_id,)).fetchone() or (0, 0)
    except (BusyError, DamagedError, sqlite3.Error):
        return 0, 0


def _count(folder):
    """Take in what the logs say since they were counted last, if the index can be written now."""
    try:
        db = schema.open_writing(folder)
    except (schema.UnusableError, sqlite3.Error):
        return
    try:
        uses.count(db, folder)
    except sqlite3.Error:
        pass
    finally:
        db.close()

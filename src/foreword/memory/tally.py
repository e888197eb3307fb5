"""Numbers about memories for who looks at them: how many there are, how often one was offered and opened."""

import sqlite3

from foreword.errors import BusyError, DamagedError
from foreword.index import schema, uses
from foreword.memory.find import GLOBAL, Reading, folders, locate


def tally(place):
    """{"live": {type: n}, "archived": n, "own": bool, "global": n} of a project.

    live, archived: its own memories alone; own: whether there is any of either; global: live global facts.
    Raises BusyError, DamagedError.
    """
    live, archived, everywhere = {}, 0, 0
    for name, folder in folders(place, False):
        with Reading(folder) as db:
            for kind, aside, n in db.execute("SELECT type, archived, count(*) FROM memories GROUP BY 1, 2"):
                if name == GLOBAL:
                    everywhere += 0 if aside else n
                elif aside:
                    archived += n
                else:
                    live[kind] = n
    return {"live": live, "archived": archived, "own": bool(live or archived), "global": everywhere}


def used(place, memory_id):
    """(times offered, times opened) as the hooks' logs have it now; (0, 0) of an index that cannot be read.

    Raises NotFoundError.
    """
    _, folder, _ = locate(place, memory_id)
    count_uses(folder)
    try:
        with Reading(folder) as db:
            return db.execute("SELECT shown, opened FROM uses WHERE id=?", (memory_id,)).fetchone() or (0, 0)
    except (BusyError, DamagedError, sqlite3.Error):
        return 0, 0


def count_uses(folder):
    """Take in what the logs say since they were counted last: how often each memory was shown and opened.

    Where the index cannot be written now (a read-only disk, somebody writes), what was known stays, and the
    next look counts.
    """
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

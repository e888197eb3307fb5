"""What was written down on purpose, out of the index: facts and sessions that stand, and what debt there is.
Hot. Reads rows only; texts are in the files.
"""

import os

from foreword.index import schema
from foreword.text.frame import plain

SESSIONS = 3  # handed over whole
LINES = 10  # older ones, handed over as a line each
# When the agent is asked to consolidate; from the description of the feature, not measured.
SUPERSEDED_DUE = 3
BEYOND_DUE = 5

NAMED = 2_000  # facts and sessions of a folder that a hook looks at: 10,000 take 6 ms more
CHECKED = 40  # facts and sessions each whose files are compared with the index: about what fits a block

# What is asked of all memories stands in the index by_hand; the rows themselves would cost 15 ms at 10,000.
_NEWEST = (
    "SELECT created, id, offer, ?, number, {} FROM memories WHERE type<>'note' AND archived=0 AND type='{}'"
    " ORDER BY created DESC, id DESC LIMIT ?"
)
_FACTS, _SESSIONS = _NEWEST.format("title", "fact"), _NEWEST.format("''", "session")
_TOTAL = "SELECT count(*) FROM memories WHERE type<>'note' AND archived=0 AND type=?"
_REPLACED = "SELECT count(*) FROM memories WHERE id IN (SELECT id FROM superseded) AND archived=0 AND type=?"
_ROW = "SELECT id, type, title, created, place, mtime, size, offer, basis FROM memories WHERE number=?"


class Row:
    """A fact or session as the index has it. `created` in epoch seconds, `mtime` in ns, `size` in bytes;
    offer: 1 pinned, -1 rejected, else 0; basis as in the file; folder: what `place` is in; everywhere: a
    global fact."""

    __slots__ = (
        "basis", "created", "everywhere", "folder", "id", "mtime", "offer", "place", "size", "title", "type",
    )  # fmt: skip

    def __init__(self, found, folder, everywhere):
        (self.id, self.type, self.title, created, self.place, self.mtime, self.size, self.offer,
         self.basis) = found  # fmt: skip
        self.created = float(created)
        self.folder, self.everywhere = folder, everywhere


class Standing:
    """facts, sessions: the live Rows that no newer one takes the place of, newest first. superseded: the
    live Rows that one does, or that share a title (in any case) with a newer fact beside them. offered:
    (facts, sessions) that nobody rejected; counts: (facts, sessions, superseded); both also of those that
    the lists leave out where they hold only the newest."""

    def __init__(self, facts, sessions, superseded, offered=None, counts=None):
        self.facts, self.sessions, self.superseded = facts, sessions, superseded
        self.counts = counts or (len(facts), len(sessions), len(superseded))
        self.offered = offered or tuple(sum(row.offer >= 0 for row in rows) for rows in (facts, sessions))

    def beyond(self, whole=SESSIONS):
        """Sessions that not even a line is handed over of, newest first."""
        return self.sessions[whole + LINES :]

    def debt(self, whole=SESSIONS):
        """(superseded, sessions beyond the index): how many there are."""
        return self.counts[2], max(0, self.counts[1] - whole - LINES)


def is_due(superseded, beyond):
    """Whether so much debt is worth asking for a dream."""
    return superseded >= SUPERSEDED_DUE or beyond >= BEYOND_DUE


def standing(sources, most=None):
    """The Standing of some indexes together: `sources` is [(folder, connection, whether it holds the global
    facts)]. A fact's title is its name within its folder; ids are superseded from everywhere.

    most: (facts, sessions): only so many rows are given, the newest, and none of the superseded. Titles are
    compared among the newest NAMED facts of a folder then: older ones of one title that do not supersede
    each other count twice. Raises sqlite3.Error.
    """
    replaced = {found[0] for _, db, _ in sources for found in db.execute("SELECT id FROM superseded")}
    facts, sessions, superseded = [], [], []
    unread = [0, 0, 0]  # facts and sessions that stand and superseded ones, of which no row was looked at
    for number, (_, db, _) in enumerate(sources):
        limit = NAMED if most else -1
        titles = set()
        newest = db.execute(_FACTS, (number, limit)).fetchall()
        for found in newest:
            name = plain(found[-1]).casefold()
            if name in titles or found[1] in replaced:
                superseded.append(found)
            else:
                facts.append(found)
                titles.add(name)  # what is superseded itself takes nobody's place, however new it says it is
        listed = db.execute(_SESSIONS, (number, limit)).fetchall()
        for found in listed:
            (superseded if found[1] in replaced else sessions).append(found)
        for at, kind, rows in ((0, "fact", newest), (1, "session", listed)):
            if len(rows) == limit:
                held, gone = _unread(db, kind, rows, replaced)
                unread[at] += held
                unread[2] += gone
    lists = (facts, sessions, superseded)
    for entries in lists:
        entries.sort(reverse=True)
    offered = [
        sum([entry[2] >= 0 for entry in entries]) + n for entries, n in zip(lists, unread, strict=True)
    ]
    counts = [len(entries) + n for entries, n in zip(lists, unread, strict=True)]
    some, few = most or (None, None)
    return Standing(
        _rows(sources, facts[:some]),
        _rows(sources, sessions[:few]),
        [] if most else _rows(sources, superseded),
        offered[:2],
        counts,
    )


def _unread(db, kind, rows, replaced):
    """(memories of a kind that stand, superseded ones) beyond the `rows` that were read."""
    [whole] = db.execute(_TOTAL, (kind,)).fetchone()
    [gone] = db.execute(_REPLACED, (kind,)).fetchone()
    gone -= sum([row[1] in replaced for row in rows])
    return whole - len(rows) - gone, gone


def _rows(sources, entries):
    found = []
    for _, _, _, number, at in (entry[:5] for entry in entries):
        folder, db, everywhere = sources[number]
        found.append(Row(db.execute(_ROW, (at,)).fetchone(), folder, everywhere))
    return found


def look(folders, most=None):
    """(the Standing of [(folder, whether it holds the global facts)], whether files differ from an index).
    `most`: see `standing`.

    (None, True) where an index is missing or of no use, so that it will be built anew. Raises
    sqlite3.Error, schema.NewerError.
    """
    sources, behind = [], False
    try:
        for folder, everywhere in folders:
            try:
                db = schema.open_reading(folder)
            except schema.NewerError:
                raise
            except schema.UnusableError:
                return None, True
            sources.append((folder, db, everywhere))
            times = schema.folder_times(db)
            for kind in ("facts", "sessions"):
                stat = _stat(os.path.join(folder, kind))
                behind = behind or (stat.st_mtime_ns if stat else 0) != times.get(kind, 0)
        found = standing(sources, most)
    finally:
        for _, db, _ in sources:
            db.close()
    for row in (*found.facts[:CHECKED], *found.sessions[:CHECKED]):
        stat = _stat(os.path.join(row.folder, row.place))
        behind = behind or stat is None or (stat.st_mtime_ns, stat.st_size) != (row.mtime, row.size)
    return found, behind


def _stat(path):
    try:
        return os.stat(path)
    except OSError:
        return None

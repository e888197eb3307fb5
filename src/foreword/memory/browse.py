"""What people leaf through: the memories of a project and the global facts, filtered, a page at a time.

Without a query the newest come first, with one what `search` ranks first among those that pass the filters.
What the index has a column for is asked of SQL; of all that match only ids are read, and rows of one page.
"""

import json
import time
from collections import Counter
from contextlib import ExitStack

from foreword.errors import ForewordError
from foreword.index import search as ranking
from foreword.memory import cites
from foreword.memory.candidates import HASHED, SEARCHES
from foreword.memory.find import GLOBAL, SNIPPET, Newer, folders, name_of, opened, passages, ranked, row_of
from foreword.memory.tally import count_uses
from foreword.stale import Tree
from foreword.store import layout
from foreword.text.budget import cut
from foreword.text.frame import plain

FOUND = 2_000  # memories that a query gives at most
LIKE_SEARCH = 100  # of these the best are read and ranked as `search` does for so many
SECONDS_A_DAY = 86_400
_KEYS = "SELECT m.created, m.id, m.number FROM memories m WHERE "
_NEVER_OPENED = "m.id IN (SELECT id FROM uses WHERE opened=0)"  # it has a row of what was shown alone
_BESIDE = (
    "SELECT m.tags, m.files, coalesce(u.shown, 0), coalesce(u.opened, 0)"
    " FROM memories m LEFT JOIN uses u ON u.id=m.id WHERE m.number=?"
)


def browse(
    place, query="", type="", tag="", days=0, older=0, stale=False, never_opened=False,  # noqa: A002
    archived=False, page=1, per_page=50, now=None, progress=None,
):  # fmt: skip
    """{"rows", "total", "more", "page", "pages", "nearest", "tags"}: one page of the live or the archived
    memories.

    Filters: type; tag (any case); days: at most so old; older: at least so old; stale: live ones of which a
    cited file is not as it was (none where the project's root is not known); never_opened: shown before a
    prompt, and read in full never. A page beyond the end is the last one.

    A row is one of `search` or `list_memories`, and tags, stale (of a live one: rows of cites.file_row, that
    are not as they were), shown and opened (times). total: how many pass the filters and match the
    query, of the matches the best FOUND at most; more: others match, too; pages: at least 1; nearest: none
    that matches holds every asked word; tags: [(tag, memories)] of all that are not filtered, most used
    first.

    Superseded memories: without a query they are listed as any other, and their row names the newer one. With
    a query they are left out, as `search` does, also where the newer one does not pass the filters. In the
    archive they are listed and found.

    Raises ForewordError for a filter that means nothing, BusyError, DamagedError.
    """
    if type and type not in layout.TYPES:
        raise ForewordError(f"type is note, session or fact, not {type!r}", "leave it out for all of them")
    if days < 0 or older < 0 or per_page < 1:
        raise ForewordError("an age in days is 0 or more, a page has at least one row", "leave it out")
    now = time.time() if now is None else now
    where, values = _where(type, days, older, never_opened, archived, now)
    with ExitStack() as stack:
        sources = opened(folders(place, False), stack)
        for folder, _, everywhere in sources:
            if not everywhere:  # before anything is read: each connection sees one state of its index
                count_uses(folder)
        tree = _tree(place)
        tagged = [_tagged(db, archived) for _, db, _ in sources]
        keys = []
        for at, (_, db, everywhere) in enumerate(sources):
            wanted = tagged[at].get(_compared(tag), {}) if tag else None
            if stale:
                changed = _changed(db, tree, progress) if _is_checked(archived, everywhere) else set()
                wanted = changed if wanted is None else changed.intersection(wanted)
            listed = db.execute(_KEYS + where, values)
            keys += [(*key, at) for key in listed if wanted is None or key[2] in wanted]
        found = _found(sources, keys, query, type, archived) if query.strip() else None
        keys = _sorted(keys, found)
        pages = max(1, -(-len(keys) // per_page))
        page = min(max(1, page), pages)
        shown = keys[(page - 1) * per_page : page * per_page]
        rows = _rows(place, shown, sources, found, query, tree, archived)
    return {
        "rows": rows,
        "total": len(keys),
        "more": bool(found is not None and found.more),
        "page": page,
        "pages": pages,
        "nearest": bool(found is not None and found.nearest),
        "tags": _counted(tagged),
    }


def _where(kind, days, older, never_opened, archived, now):
    """(a condition, its values) of the filters that the index has columns for."""
    parts = [("m.archived=?", int(archived))]
    if kind:
        parts.append(("m.type=?", kind))
    if days:
        parts.append(("m.created>=?", now - days * SECONDS_A_DAY))
    if older:
        parts.append(("m.created<=?", now - older * SECONDS_A_DAY))
    condition = " AND ".join(part for part, _ in parts)
    return condition + (" AND " + _NEVER_OPENED if never_opened else ""), [value for _, value in parts]


def _tagged(db, archived):
    """{tag as it is compared: {number of a memory: the tag as it is written}}"""
    found = {}
    for number, tags in db.execute(
        "SELECT number, tags FROM memories WHERE archived=? AND tags<>''", (int(archived),)
    ):
        for tag in _tags(tags):
            found.setdefault(_compared(tag), {})[number] = tag
    return found


def _tags(column):
    """The tags that a column of the index holds, for people."""
    return [shown for tag in column.split("\n") if (shown := " ".join(plain(tag).split()))]


def _compared(tag):
    return " ".join(name_of(tag).split())


def _counted(tagged):
    """[(tag, memories)], the most used first, each tag as it is written most often."""
    counts, written = Counter(), {}
    for found in tagged:
        for name, tags in found.items():
            counts[name] += len(tags)
            written.setdefault(name, Counter()).update(tags.values())
    order = sorted(counts, key=lambda name: (-counts[name], name))
    return [(max(sorted(written[name]), key=written[name].__getitem__), counts[name]) for name in order]


def _is_checked(archived, everywhere):
    """Whether cited files are compared: those of a global fact would be files of whichever project one is in,
    and what is archived is not said to anybody."""
    return not archived and not everywhere


def _tree(place):
    """The working tree, with room for all that a project cites."""
    return Tree(place.root, HASHED, SEARCHES)


def _changed(db, tree, progress):
    """The numbers of the live memories of which a cited file is not as it was."""
    found = db.execute("SELECT number, files FROM memories WHERE archived=0 AND files<>'[]'").fetchall()
    changed = set()
    for done, (number, cited) in enumerate(found):
        if progress:
            progress(done, len(found))
        if _states(tree, _cited(cited)):
            changed.add(number)
    return changed


def _cited(column):
    try:
        return [[str(path), str(digest), spans] for path, digest, spans in json.loads(column)]
    except (ValueError, TypeError):
        return []


def _states(tree, cited):
    """cites.file_row of those cited files of which the cited text is not there as it was."""
    rows = [cites.file_row(citation, tree.state(citation)) for citation in cited]
    return list(filter(cites.is_bad, rows))


def _found(sources, keys, query, kind, archived):
    """Those of the keys (created, id, number, place in sources) that match a query, as Matches, whose name is
    the place in sources; best first."""
    allowed = {folder: set() for folder, _, _ in sources}
    for _, _, number, at in keys:
        allowed[sources[at][0]].add(number)
    asked = [(at, folder, db) for at, (folder, db, _) in enumerate(sources)]
    return ranked(asked, query, LIKE_SEARCH, kind, archived, FOUND - LIKE_SEARCH, allowed)


def _sorted(keys, found):
    """Keys (created, id, number, place in sources), the newest first; as `found` ranks them, where there is a
    query, and of those alone."""
    if found is None:
        return sorted(keys, reverse=True)
    known = {(key[2], key[3]): key for key in keys}
    return [known[match.hit.number, match.name] for match in found]


def _rows(place, keys, sources, found, query, tree, archived):
    newer = Newer()
    for _, db, _ in sources:
        newer.look(db)
    matches = {(match.hit.number, match.name): match for match in found or ()}
    shown = [matches[number, at] for _, _, number, at in keys] if found else []
    snippets = {(match.hit.number, match.name): snippet for match, snippet in passages(shown, query)}
    rows = []
    for _, memory_id, number, at in keys:
        _, db, everywhere = sources[at]
        hit = ranking.Hit(db.execute(ranking.ROWS + " WHERE m.number=?", (number,)).fetchone())
        snippet = snippets.get((number, at)) or cut(hit.conclusion, SNIPPET)
        name = GLOBAL if everywhere else place.name
        row = row_of(hit, name, archived, newer.of(memory_id), snippet)
        tags, cited, offered, times = db.execute(_BESIDE, (number,)).fetchone()
        states = _states(tree, _cited(cited)) if _is_checked(archived, everywhere) else []
        rows.append({**row, "tags": _tags(tags), "stale": states, "shown": offered, "opened": times})
    return rows

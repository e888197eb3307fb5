"""Opening projects, and finding and reading memories."""

import json
import os
import sqlite3
import time

from foreword import files, paths, project, stale
from foreword.digest import of_answer
from foreword.errors import BusyError, DamagedError, ForewordError, NotFoundError
from foreword.index import schema
from foreword.index import search as ranking
from foreword.memory import cites, holding
from foreword.memory.agree import bring_up_to_date
from foreword.memory.holding import SNIPPET, compared
from foreword.memory.unknown import unknown
from foreword.store import header, layout, write
from foreword.store import read as reading
from foreword.text.budget import cut
from foreword.text.frame import plain
from foreword.text.question import Question
from foreword.text.redact import redact
from foreword.text.speaks import speaks

GLOBAL = "global"
READ = 20  # of the best, looked at for whether they hold every word
READ_FOR_PHRASES = 100  # the same where a quoted phrase is asked for
LITERAL = 3  # words of a query at most for which texts are looked through letter for letter
SCANNED = 10_000  # files read at most when only the exact text can answer: 0.3 s here
_NEWEST = (
    " WHERE m.archived=? AND (m.archived OR m.id NOT IN (SELECT id FROM superseded)) ORDER BY m.created DESC"
)
OFFERED = {1: "always", 0: "usual", -1: "never"}  # the words for what a memory's file says
MARKED = {"always": "pinned", "never": "rejected"}


def open_project(path=None, home=None, create=False):
    """The project of a folder (default: the current one). Asks git when it must.

    A project nothing was saved for yet has no folder in the store unless `create`.
    Raises NotFoundError for a folder that is nobody's project, ForewordError without a home.
    """
    home = home or paths.home()
    if not home:
        raise ForewordError("no home folder is known", "set FOREWORD_HOME to a folder of yours")
    try:
        folder = os.path.abspath(path or os.getcwd())
    except FileNotFoundError as error:
        raise NotFoundError("the current folder is gone", "cd into a project") from error
    if path and not os.path.isdir(folder):
        raise NotFoundError(f"{path} is no folder", "give a project's folder: --project PATH")
    try:
        found = project.find(folder, home, ask_git=True, create=create)
    except OSError as error:
        raise ForewordError(f"{home} cannot be written: {error.strerror}", "foreword doctor") from error
    if found is None:
        raise NotFoundError(
            f"{folder} is no project: it is your home or above it",
            "cd into a project, or give one: --project PATH",
        )
    return found


def no_project(home=None):
    """A project that keeps nothing and has no root, for who has global facts alone. Raises ForewordError
    without a home."""
    home = home or paths.home()
    if not home:
        raise ForewordError("no home folder is known", "set FOREWORD_HOME to a folder of yours")
    return project.Project(home, "none-00000000", "", "", False)


class Found(list):
    """Rows of a search. `nearest`: none of them holds every asked word; `standing`: of each row (quoted
    phrases that it lacks, whether it lacks a word), lower ones first; `more`: there are others."""

    nearest = more = False
    standing: tuple = ()


class Match:
    """A memory that was found: hit (of the index), name (of its project, or GLOBAL), folder, exact (found
    letter for letter), memory (see store.read; None for one that was not read) and standing (see Found)."""

    __slots__ = ("exact", "folder", "hit", "memory", "name", "standing")

    def __init__(self, hit, name, folder, exact):
        self.hit, self.name, self.folder, self.exact = hit, name, folder, exact
        self.memory, self.standing = None, (0, False)


def search(
    place, query, limit=10, type="", archived=False, all_projects=False, explain=False,  # noqa: A002
):  # fmt: skip
    """Rows that match, best first: those that hold the phrases that the query quotes letter for letter (in
    any case) stand above the others, and in both those that hold every asked word. What holds a short query
    letter for letter is found, too, if it is part of a word or any run of Chinese or Japanese; one without a
    space counts as a phrase.

    With `explain` a row has `why`, [{label, value, words}]: what speaks for it and against it; value is
    in log odds, or a number that the label names; words are the asked terms it is about.

    Superseded memories are left out: the newer one stands for them.
    """
    found = ranked(_each(folders(place, all_projects)), query, limit, type, archived)
    rows = Found()
    rows.nearest = found.nearest
    rows.standing = tuple(match.standing for match in found[:limit])
    for match, snippet in passages(found[:limit], query):
        row = row_of(match.hit, match.name, archived, "", snippet)
        if explain:
            row["why"] = _why(match.hit, match.exact)
        rows.append(row)
    return rows


def ranked(sources, query, limit, kind="", archived=False, beyond=0, allowed=None):
    """What a query finds in some indexes, [(name, folder, connection)], as Matches, best first: those that
    `search` gives for `limit`, and with them `beyond` others at most; `more` tells whether that is not all.
    What those others hold the index says: their files are not read.

    allowed: {folder: numbers of memories}: only these are looked for, and each that holds an asked word.
    """
    question = Question(query)
    phrases, asked = holding.phrases(query), set(question.terms)
    text = query.strip()
    literal = text if not phrases and len(text.split()) <= LITERAL else ""
    folded = compared(literal)
    held = phrases or ([folded] if folded and " " not in folded else [])
    read = max(limit, READ_FOR_PHRASES if phrases else READ)
    most = limit + beyond + 1 if beyond else limit  # one more tells whether there is more
    scored, others, quoting = [], [], []
    newer, found = Newer(), Found()
    for name, folder, db in sources:
        newer.look(db)
        only = None if allowed is None else allowed.get(folder, frozenset())
        hits = _ranked(db, folder, question, read, archived, kind, only)
        if beyond and len(hits) >= read:
            ranks = {hit.number for hit in hits}
            rest = _ranked(db, folder, question, most, archived, kind, only)
            found.more = found.more or len(rest) >= most
            others += [Match(hit, name, folder, False) for hit in rest if hit.number not in ranks]
        hits = [hit for hit in hits if archived or not newer.of(hit.id)]
        exact = not hits
        if exact:
            hits = _exact(db, folder, text, most, archived, kind, only)
        # A phrase of usual words, or part of a word, is in memories that do not rank among so many.
        phrase = phrases[0] if phrases else "" if exact else literal
        some = _exact(db, folder, phrase, most, archived, kind, only)
        quoting += [Match(hit, name, folder, True) for hit in some]
        scored += [Match(hit, name, folder, exact) for hit in hits]
    # A global fact may supersede one of the project: known only now that all were looked at.
    if not archived:
        scored, others, quoting = (
            [match for match in some if not newer.of(match.hit.id)] for some in (scored, others, quoting)
        )
    scored.sort(key=lambda match: (not asked.issubset(match.hit.words), -match.hit.odds))
    others = scored[read:] + others if beyond else []
    others.sort(key=lambda match: (not asked.issubset(match.hit.words), -match.hit.odds))
    letters = {(match.folder, match.hit.id) for match in quoting}
    for match in others:
        match.exact = match.exact or (match.folder, match.hit.id) in letters
    known = {(match.folder, match.hit.id) for match in scored[:read] + others}
    quoting = [match for match in quoting if (match.folder, match.hit.id) not in known]
    few = limit if beyond else len(quoting)
    words, unquoted = holding.words(query), holding.unquoted(query)
    for match in scored[:read] + quoting[:few]:
        match.memory = _loaded(match.folder, match.hit)
        lacking = holding.lacking(match.memory, held)
        literally = not phrases and (
            match.exact or (bool(folded) and not holding.lacking(match.memory, [folded]))
        )
        lacks = not literally and not holding.holds(match.memory, words if lacking else unquoted)
        match.standing = lacking, lacks
    for match in others + quoting[few:]:
        holds = match.exact or (not phrases and asked.issubset(match.hit.words))
        lacking = len(held[1:] if holds else held)
        match.standing = lacking, bool(lacking) or not holds or bool(phrases and unquoted)
    found += scored[:read] + others + quoting
    found.sort(key=lambda match: match.standing)  # stable: among equals, the surest stays first
    found.nearest = bool(found) and all(match.standing[1] for match in found)
    if beyond:
        found.more = found.more or len(found) >= most
        del found[most - 1 :]
    return found


def passages(matches, query):
    """[(Match, the passage of it that answers the query best)] of some Matches; reads those not read yet."""
    phrases = holding.phrases(query)
    text = (phrases or [query.strip()])[0]
    found = []
    for match in matches:
        memory = match.memory or _loaded(match.folder, match.hit)
        found.append((match, holding.passage(memory, match.hit, text, bool(phrases))))
    return found


def _ranked(db, folder, question, limit, archived, kind, allowed):
    types = (kind,) if kind else ()
    try:
        return ranking.search(db, question, limit, archived=archived, types=types, allowed=allowed)
    except schema.UnusableError as error:
        raise DamagedError(f"{schema.path(folder)}: {error}", "foreword reindex") from error


def list_memories(place, type="", archived=False, limit=0):  # noqa: A002
    """Rows of a project and the global facts, newest first; `archived` gives the archived ones."""
    found = []
    newer = Newer()
    for name, folder in folders(place, False):
        with Reading(folder) as db:
            newer.look(db)
            sql = ranking.ROWS + " WHERE m.archived=?"
            hits = map(ranking.Hit, db.execute(sql, (int(archived),)))
            found += [(hit, name) for hit in hits if not type or hit.type == type]
    found.sort(key=lambda entry: -entry[0].created)
    return [
        row_of(hit, name, archived, newer.of(hit.id), cut(hit.conclusion, SNIPPET))
        for hit, name in found[: limit or None]
    ]


def read(place, memory_id):
    """One memory, whole: id, type, title, created, source, basis, by (that in words), speaks (whether nobody
    read it before it was kept, and its text addresses an agent), question, body, tags, archived,
    offer, global, superseded_by (an id or ""), supersedes (ids), path, damage, session, transcript, origin
    ("guess" where the session is one), checked, files (rows of cites.file_row). Raises NotFoundError,
    DamagedError."""
    name, folder, at = locate(place, memory_id)
    try:
        memory = reading.load(folder, at)
    except OSError as error:
        at = os.path.join(folder, at)
        raise DamagedError(f"{at} cannot be read: {error.strerror}", "foreword check") from error
    if memory is None:
        raise unknown([memory_id])
    tree = stale.Tree(place.root)
    return {
        **{key: memory[key] for key in _SHOWN},
        **{key: redact(memory[key]) for key in ("title", "question", "body")},
        "tags": [redact(tag) for tag in memory["tags"]],
        "by": layout.BASES.get(memory["basis"], memory["basis"]),
        "speaks": memory["basis"] in layout.UNASKED and speaks(memory["question"] + "\n" + memory["body"]),
        "id": memory_id,
        "created": layout.timestamp(memory["created"]),
        "offer": OFFERED[memory["offer"]],
        "global": name == GLOBAL,
        "superseded_by": _superseded_by(place, memory_id),
        "path": os.path.join(folder, at),
        "files": [cites.file_row(citation, tree.state(citation)) for citation in memory["files"]],
    }


def _superseded_by(place, memory_id):
    newer = Newer()
    try:
        for _, folder in folders(place, False):
            with Reading(folder) as db:
                newer.look(db)
    except (BusyError, DamagedError, sqlite3.Error):
        pass  # the memory is in its file, and is read whatever the index is worth
    return newer.of(memory_id)


_SHOWN = (
    "type", "title", "source", "basis", "question", "body", "tags", "archived", "damage", "session",
    "transcript", "supersedes", "origin", "checked",
)  # fmt: skip


def folders(place, all_projects):
    """[(name, folder)] to look into: the project and the global facts, or every project."""
    names = [name for name, _ in project.all_records(place.home)] if all_projects else [place.name]
    found = [(name, paths.project_folder(place.home, name)) for name in names]
    return [*found, (GLOBAL, os.path.join(place.home, GLOBAL))]


def _each(named):
    """(name, folder, connection) of each of [(name, folder)], open only as long as it is looked at."""
    for name, folder in named:
        with Reading(folder) as db:
            yield name, folder, db


class Reading:
    """A connection to an index that agrees with the files; rebuilt when it cannot be used."""

    def __init__(self, folder):
        self.folder = folder
        self.db = None

    def __enter__(self):
        if not os.path.isdir(self.folder):
            self.db = sqlite3.connect(":memory:")
            self.db.executescript(schema.DDL)
            return self.db
        try:
            bring_up_to_date(self.folder)
            self.db = schema.open_reading(self.folder, wait_s=5.0)
        except sqlite3.OperationalError as error:
            raise BusyError(f"the index of {self.folder} is busy: {error}", "try again") from error
        return self.db

    def __exit__(self, *exc):
        if self.db is not None:
            self.db.close()


class Newer:
    """Which memory takes the place of which: by name, or as a newer live fact of the same title beside it."""

    def __init__(self):
        self.named, self.titled = {}, {}

    def look(self, db):
        """Take in what one index says."""
        for old, created, new in db.execute(
            "SELECT s.id, m.created, m.id FROM superseded s JOIN memories m USING(number)"
        ):
            if old != new:
                self.named[old] = max(self.named.get(old, (0.0, "")), (float(created), new))
        titles = {}
        for memory_id, title in db.execute(
            "SELECT id, title FROM memories WHERE type='fact' AND archived=0 ORDER BY created DESC, id DESC"
        ):
            if memory_id in self.named:
                continue  # superseded itself, it takes nobody's place, however new it says it is
            newest = titles.setdefault(name_of(title), memory_id)
            if newest != memory_id:
                self.titled[memory_id] = newest

    def of(self, memory_id):
        """The id of the newest memory that takes the place of one; "" where none does."""
        if memory_id in self.named:
            return self.named[memory_id][1]
        return self.titled.get(memory_id, "")

    def all(self):
        """{id: id of the newest memory that takes its place}"""
        return {**self.titled, **{old: new for old, (_, new) in self.named.items()}}


def name_of(title):
    """A fact's title as it is compared with others'."""
    return plain(title).casefold()


def opened(named, stack):
    """[(folder, connection, whether it holds the global facts)] of some folders ([(name, folder)]), as far as
    they are there; closed with the stack."""
    return [
        (folder, stack.enter_context(Reading(folder)), name == GLOBAL)
        for name, folder in named
        if os.path.isdir(folder)
    ]


def _exact(db, folder, text, limit, archived, kind, allowed):
    """Memories that hold a text letter for letter (any case), newest first; superseded ones left out.

    For what has no words: punctuation, one CJK character, part of a word.
    """
    needle = text.lower()  # casefold would find `ss` for `ß`
    hits, looked_at = [], 0
    if not needle:
        return hits
    for found in db.execute(ranking.ROWS + _NEWEST, (int(archived),)):
        hit = ranking.Hit(found)
        if (kind and hit.type != kind) or (allowed is not None and hit.number not in allowed):
            continue
        looked_at += 1
        raw = files.read(os.path.join(folder, hit.place), min(reading.LARGEST, hit.size + 1)) or b""
        text = raw.decode("utf-8", "replace")
        # What stands in the front matter only (ids, hashes) is no match. Most hold it in the body.
        if needle in text.lower() and (
            needle in header.split(text)[1].lower() or needle in holding.text_of(_loaded(folder, hit)).lower()
        ):
            hits.append(hit)
        if len(hits) == limit or looked_at == SCANNED:
            break
    return hits


def _why(hit, exact):
    reasons = [("holds what was asked letter for letter", 0.0, ())] if exact else hit.reasons
    return [
        {"label": plain(str(label)), "value": value, "words": [plain(str(word)) for word in words]}
        for label, value, words in reasons
    ]


def kind(found):
    """What a row, or what `read` gives, is to people: `fact`, or `fact (archived, global, superseded,
    pinned)` with those of the marks that it has."""
    marks = [key for key in ("archived", "global") if found[key]]
    marks += ["superseded"] if found["superseded_by"] else []
    marks += [MARKED[found["offer"]]] if found["offer"] in MARKED else []
    return found["type"] + (" (%s)" % ", ".join(marks) if marks else "")


def row_of(hit, name, archived, superseded_by, snippet):
    """The row of a memory that an index gave, in the words of the API; `name`: of its project, or GLOBAL."""
    return {
        "id": hit.id,
        "type": hit.type,
        "title": plain(hit.title),
        "created": layout.timestamp(hit.created),
        "project": name,
        "snippet": plain(snippet),
        "archived": archived,
        "global": name == GLOBAL,
        "superseded_by": superseded_by,
        "offer": OFFERED[hit.offer],
    }


def _loaded(folder, hit):
    try:
        return reading.load(folder, hit.place)
    except OSError:
        return None


def locate(place, memory_id, deleted=False):
    """(name, folder, place in the folder) of an id, live or archived. Raises NotFoundError.

    `deleted`: also of one that the user deleted, whose file came back.
    """
    if not layout.is_id(memory_id):
        raise unknown([memory_id])
    came_back = None
    for name, folder in folders(place, False):
        for archived in (False, True):
            for kind in layout.TYPES:
                at = layout.place(kind, memory_id, archived)
                if os.path.isfile(os.path.join(folder, at)):
                    if not _is_deleted(folder, at):
                        return name, folder, at
                    came_back = came_back or (name, folder, at)
        with Reading(folder) as db:
            row = db.execute("SELECT place FROM memories WHERE id=?", (memory_id,)).fetchone()
            if row and os.path.isfile(os.path.join(folder, row[0])):
                return name, folder, row[0]
    if came_back and deleted:
        return came_back
    if came_back:
        raise NotFoundError(f"{memory_id} was deleted; its file came back", "foreword check")
    raise unknown([memory_id])


def _is_deleted(folder, at):
    try:
        memory = reading.load(folder, at)
    except OSError:
        return False
    return memory is not None and write.is_deleted(folder, at, of_answer(memory["body"]))


def note_opened(place, memory_id, session=""):
    """One line in opened.log: the report counts how often what was offered was opened."""
    record = {"time": layout.timestamp(time.time()), "id": memory_id, "session": session}
    if not os.path.isdir(place.folder):
        return  # a global fact, opened from a project that has nothing of its own yet
    try:
        log = os.path.join(place.folder, "opened.log")
        files.append(log, json.dumps(record).encode(), layout.LOGS_KEPT)
    except OSError:
        pass  # reading a memory must not fail because the count cannot be kept

"""The Python API: what every cold face (CLI, server, view) calls, and nothing else.

Each call makes the index agree with the files first, so a memory edited by hand a moment ago is
found. Rows are dicts: id, type, title, created (ISO 8601, UTC), project, snippet, archived.
"""

import os
import sqlite3
import time

from foreword import files, paths, project, settings, stale
from foreword.digest import of_answer
from foreword.errors import BusyError, DamagedError, ForewordError, NotFoundError
from foreword.index import build, catch_up, schema, search as ranking
from foreword.store import layout, read as reading, write
from foreword.text.budget import cut
from foreword.text.frame import plain
from foreword.text.words import terms

GLOBAL = "global"
SNIPPET = 200  # characters
LOCK_S = 10.0
SCANNED = 2_000  # files read at most when only the exact text can answer

__all__ = [
    "archive", "delete", "get_switch", "list_memories", "note_opened", "open_project", "read",
    "reindex", "restore", "save", "search", "set_default_switch", "set_switch",
]  # fmt: skip


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
        raise NotFoundError("%s is no folder" % path, "give a project's folder: --project PATH")
    try:
        found = project.find(folder, home, ask_git=True, create=create)
    except OSError as error:
        raise ForewordError(
            "%s cannot be written: %s" % (home, error.strerror), "foreword doctor"
        ) from error
    if found is None:
        raise NotFoundError(
            "%s is no project: it is your home or above it" % folder,
            "cd into a project, or give one: --project PATH",
        )
    return found


# -- finding -----------------------------------------------------------------------------------


def search(place, query, limit=10, type="", archived=False, all_projects=False):  # noqa: A002
    """Rows that match, best first: those that hold every asked word stand above the others."""
    wanted = list(dict.fromkeys(terms(query)))
    scored = []
    for name, folder in _folders(place, all_projects):
        with _Reading(folder) as db:
            hits = ranking.search(
                db, wanted, limit, archived=archived, types=(type,) if type else (), most_words=24
            )
            if not hits:
                hits = _exact(db, folder, query, limit, archived, type)
        for hit in hits:
            scored.append((-len(hit.words), -hit.score, hit, name, folder))
    scored.sort(key=lambda entry: entry[:2])
    return [
        _row(hit, name, archived, _snippet(folder, hit, query)) for _, _, hit, name, folder in scored[:limit]
    ]


def list_memories(place, type="", archived=False, limit=0):  # noqa: A002
    """Rows of a project and the global facts, newest first; `archived` gives the archived ones."""
    rows = []
    for name, folder in _folders(place, False):
        with _Reading(folder) as db:
            sql = "SELECT %s FROM memories m WHERE m.archived=?" % ranking.ROW
            for found in db.execute(sql, (int(archived),)):
                hit = ranking.Hit(found, 0.0, 0.0, [])
                if not type or hit.type == type:
                    rows.append((hit.created, _row(hit, name, archived, cut(hit.conclusion, SNIPPET))))
    rows.sort(key=lambda entry: -entry[0])
    return [row for _, row in rows][: limit or None]


def read(place, memory_id):
    """One memory, whole: id, type, title, created, source, basis, question, body, tags, archived,
    global, path, damage, session, transcript, files ([{path, sha256, state}]). Raises NotFoundError."""
    name, folder, at = _find(place, memory_id)
    memory = reading.load(folder, at)
    if memory is None:
        raise _unknown([memory_id])
    tree = stale.Tree(place.root)
    return {
        **{key: memory[key] for key in _SHOWN},
        "id": memory_id,
        "created": layout.timestamp(memory["created"]),
        "global": name == GLOBAL,
        "path": os.path.join(folder, at),
        "files": [
            {"path": path, "sha256": digest, "state": tree.state(path, digest)}
            for path, digest in memory["files"]
        ],
    }


_SHOWN = (
    "type", "title", "source", "basis", "question", "body", "tags", "archived", "damage", "session",
    "transcript", "supersedes",
)  # fmt: skip


def _folders(place, all_projects):
    """[(name, folder)] to look into: the project and the global facts, or every project."""
    names = [name for name, _ in project.all_records(place.home)] if all_projects else [place.name]
    found = [(name, paths.project_folder(place.home, name)) for name in names]
    return [*found, (GLOBAL, os.path.join(place.home, GLOBAL))]


class _Reading:
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
            _catch_up(self.folder)
            self.db = schema.open_reading(self.folder, wait_s=5.0)
        except sqlite3.OperationalError as error:
            raise BusyError("the index of %s is busy: %s" % (self.folder, error), "try again") from error
        return self.db

    def __exit__(self, *exc):
        if self.db is not None:
            self.db.close()


def _catch_up(folder):
    try:
        catch_up.catch_up(folder)
    except schema.NewerError as error:
        raise DamagedError(
            "%s: %s" % (schema.path(folder), error), "update Foreword, or run: foreword reindex"
        ) from error
    except sqlite3.OperationalError as error:
        if error.sqlite_errorcode & 0xFF == sqlite3.SQLITE_READONLY:
            return  # a read-only disk: what is indexed can still be read
        raise
    except (schema.UnusableError, sqlite3.DatabaseError):
        catch_up.rebuild(folder)


def _exact(db, folder, query, limit, archived, kind):
    """Memories that hold the query letter for letter (any case), newest first.

    For what has no words: punctuation, one CJK character, part of a word.
    """
    needle = query.strip().casefold()
    hits = []
    if not needle:
        return hits
    sql = "SELECT %s FROM memories m WHERE m.archived=? ORDER BY m.created DESC LIMIT ?" % ranking.ROW
    for found in db.execute(sql, (int(archived), SCANNED)):
        hit = ranking.Hit(found, 0.0, 0.0, [])
        if kind and hit.type != kind:
            continue
        raw = files.read(os.path.join(folder, hit.place), reading.LARGEST) or b""
        if needle in raw.decode("utf-8", "replace").casefold():
            hits.append(hit)
            if len(hits) == limit:
                break
    return hits


def _row(hit, name, archived, snippet):
    return {
        "id": hit.id,
        "type": hit.type,
        "title": plain(hit.title),
        "created": layout.timestamp(hit.created),
        "project": name,
        "snippet": plain(snippet),
        "archived": archived,
    }


def _snippet(folder, hit, query):
    """The passage of the body that holds most of the asked words, on one line."""
    memory = None
    try:
        memory = reading.load(folder, hit.place)
    except OSError:
        pass
    body = memory["body"] if memory else hit.conclusion
    wanted = set(hit.words)
    best, most = "", 0
    for line in body.splitlines():
        held = len(wanted & set(terms(line))) if wanted else query.strip().casefold() in line.casefold()
        if held > most:
            best, most = line.strip(), held
    text = " ".join((best or hit.conclusion).split())
    if len(text) > SNIPPET:
        at = min((i for w in wanted if (i := text.lower().find(w)) >= 0), default=0)
        start = max(0, at - SNIPPET // 3)
        text = ("…" if start else "") + text[start:]
    return cut(text, SNIPPET)


def _find(place, memory_id):
    """(name, folder, place in the folder) of an id, live or archived. Raises NotFoundError."""
    if not layout.is_id(memory_id):
        raise _unknown([memory_id])
    for name, folder in _folders(place, False):
        for kind in layout.TYPES:
            for archived in (False, True):
                at = layout.place(kind, memory_id, archived)
                if os.path.isfile(os.path.join(folder, at)):
                    return name, folder, at
        with _Reading(folder) as db:
            row = db.execute("SELECT place FROM memories WHERE id=?", (memory_id,)).fetchone()
            if row and os.path.isfile(os.path.join(folder, row[0])):
                return name, folder, row[0]
    raise _unknown([memory_id])


def _unknown(ids):
    shown = ", ".join(repr(str(i)[:40]) for i in ids)
    return NotFoundError("no memory of this project has the id %s" % shown, "foreword list")


def note_opened(place, memory_id, session=""):
    """One line in opened.log: the report counts how often what was offered was opened."""
    import json

    record = {"time": layout.timestamp(time.time()), "id": memory_id, "session": session}
    try:
        files.append(os.path.join(place.folder, "opened.log"), json.dumps(record).encode(), rotate=9)
    except OSError:
        pass  # reading a memory must not fail because the count cannot be kept


# -- changing ----------------------------------------------------------------------------------


def save(
    place, body, type="fact", title="", tags=(), everywhere=False, source="cli", basis="user",  # noqa: A002
    session="", supersedes=(),
):  # fmt: skip
    """Save a session or a fact; {"id", "superseded": [ids]}. Durable and found by search on return.

    A fact supersedes the live facts with its title (any case); the old ones stay. Raises
    ForewordError for an empty body or a type that is not saved by hand.
    """
    if type not in ("session", "fact"):
        raise ForewordError("type is session or fact, not %r" % type, "foreword save --help")
    if everywhere and type != "fact":
        raise ForewordError("only facts are global", "leave --global out")
    body = body.replace("\r\n", "\n").encode("utf-8", "replace").decode().strip("\n")
    if not body.strip():
        raise ForewordError("the body is empty, nothing was saved", "foreword save < FILE")
    title = cut(" ".join((title or body.strip().splitlines()[0].lstrip("# ")).split()), 200)
    if everywhere:
        folder = os.path.join(place.home, GLOBAL)
        files.make_folder(folder)
    else:
        folder = _made(place).folder
    now = time.time()
    older = [i for i in supersedes if _find(place, i)]
    if type == "fact":
        with _Reading(folder) as db:
            rows = db.execute("SELECT id, title FROM memories WHERE type='fact' AND archived=0")
            older += [i for i, known in rows if known.casefold() == title.casefold() and i not in older]
    fields = {
        "title": title,
        "tags": [str(t) for t in tags] or None,
        "source": source,
        "basis": basis,
        "session": session or None,
        "supersedes": older or None,
        "files": [{"path": p, "sha256": d} for p, d in stale.cited(body, place.root)] or None,
    }
    memory_id, _ = write.create(folder, type, fields, body, now)
    _catch_up(folder)
    return {"id": memory_id, "superseded": older}


def _made(place):
    """The project with its folder in the store."""
    if os.path.isdir(place.folder):
        return place
    return project.find(place.root, place.home, ask_git=True) or place


def archive(place, ids):
    """Move memories to archive/. All ids must be known, else NotFoundError and nothing is done."""
    return _move(place, ids, archived=True)


def restore(place, ids):
    """Move memories back from archive/."""
    return _move(place, ids, archived=False)


def _move(place, ids, archived):
    found = _all(place, ids)
    with _locked(place.home):
        for _, folder, at in found.values():
            kind, now_archived = layout.kind_of(at)
            if now_archived == archived:
                continue
            name = at.rpartition("/")[2][:-3]
            if layout.is_id(name):
                to = layout.place(kind, name, archived)
            elif archived:
                to = "archive/%s/%s.md" % (kind, name)
            else:
                to = "%ss/%s.md" % (kind, name)
            target = os.path.join(folder, to)
            if os.path.exists(target):
                raise ForewordError("%s is already there, nothing was moved over it" % target)
            files.make_folder(os.path.dirname(target))
            os.rename(os.path.join(folder, at), target)
            files.sync_folder(os.path.dirname(target))
    for folder in {folder for _, folder, _ in found.values()}:
        _catch_up(folder)
    return list(found)


def delete(place, ids):
    """Delete for good: the files, their rows and words in the index, waiting prompts of the same
    question; a tombstone (a hash) keeps the same text from being saved again. Returns the ids."""
    found = _all(place, ids)
    with _locked(place.home):
        for _, folder, at in found.values():
            memory = reading.load(folder, at)
            if memory:
                write.forget(place.home, of_answer(memory["body"]))
                _forget_waiting(place.home, memory["question"])
            files.remove(os.path.join(folder, at))
            files.sync_folder(os.path.dirname(os.path.join(folder, at)))
    for folder in {folder for _, folder, _ in found.values()}:
        _scrub(folder, [at for _, f, at in found.values() if f == folder])
    return list(found)


def _scrub(folder, places):
    """Take memories out of the index so that no byte of their words stays in its pages."""
    try:
        db = schema.open_writing(folder, wait_s=LOCK_S)
    except schema.UnusableError:
        catch_up.rebuild(folder)
        return
    try:
        db.execute("BEGIN IMMEDIATE")
        for at in places:
            build.remove(db, at)
        # FTS5 only marks what is deleted; merging all of it into one piece leaves it out.
        db.execute("INSERT INTO entries(entries) VALUES('optimize')")
        db.execute("COMMIT")
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    finally:
        db.close()
    _catch_up(folder)


def _forget_waiting(home, question):
    """Remove prompts left for Stop that hold a deleted memory's question."""
    if not question:
        return
    for at, _, names in os.walk(os.path.join(home, "state", "sessions")):
        for name in names:
            if name.endswith((".prompt", ".part")):
                raw = files.read(os.path.join(at, name)) or b""
                if question.strip() in raw.decode("utf-8", "replace"):
                    files.remove(os.path.join(at, name))


def _all(place, ids):
    found, missing = {}, []
    for memory_id in dict.fromkeys(ids):
        try:
            found[memory_id] = _find(place, memory_id)
        except NotFoundError:
            missing.append(memory_id)
    if missing:
        raise _unknown(missing)
    return found


class _locked:  # noqa: N801  reads as `with _locked(home):`
    def __init__(self, home):
        self.lock = files.Lock(os.path.join(home, "state"), wait_s=LOCK_S)
        files.make_folder(os.path.join(home, "state"))

    def __enter__(self):
        if not self.lock.__enter__():
            raise BusyError("another Foreword holds %s" % self.lock.path, "try again")

    def __exit__(self, *exc):
        self.lock.__exit__(*exc)


def reindex(place, progress=None):
    """Build the index of the project and of the global facts anew; the number of memories indexed."""
    done = 0
    for _, folder in _folders(place, False):
        if os.path.isdir(folder):
            done += catch_up.rebuild(folder, progress)
    return done


# -- the switch --------------------------------------------------------------------------------


def get_switch(place, now=None):
    """{"configured": on|off|auto, "effective": on|off, "meaning": a sentence about today}."""
    own = project.read_record(place.folder).get("switch")
    configured = own or settings.load(place.home)["switch"]
    effective = settings.effective(configured, now)
    meaning = {
        "on": "Forewords are on in this project.",
        "off": "Forewords are off in this project; notes are still saved.",
        "auto": "Forewords are on for even days since 1970-01-01 (UTC) and off for odd ones, so that"
        " the two can be compared; today they are %s. Notes are saved on both." % effective,
    }[configured]
    return {"configured": configured, "effective": effective, "own": bool(own), "meaning": meaning}


def set_switch(place, value):
    """Set the project's own switch: on, off or auto."""
    if value not in settings.SWITCHES:
        raise ForewordError("the switch is on, off or auto, not %r" % value, "foreword switch --help")
    place = _made(place)
    with _locked(place.home):
        record = project.read_record(place.folder)
        project.write_record(place.folder, {**record, "switch": value})


def set_default_switch(home, value):
    """Set `switch` in config.toml, the default of projects without their own; the rest stays."""
    if value not in settings.SWITCHES:
        raise ForewordError("the switch is on, off or auto, not %r" % value, "foreword install --help")
    files.make_folder(home)
    path = settings.path(home)
    lines = (files.read(path) or b"").decode("utf-8").splitlines()
    for n, line in enumerate(lines):
        if line.lstrip().startswith("["):
            lines.insert(n, 'switch = "%s"' % value)
            break
        if line.partition("=")[0].strip() == "switch":
            lines[n] = 'switch = "%s"' % value
            break
    else:
        lines.append('switch = "%s"' % value)
    files.write(path, ("\n".join(lines) + "\n").encode())

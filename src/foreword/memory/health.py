"""Whether the store can keep what it must: room, modes, files, graph, and an index that agrees. Cold.

Looks and changes nothing; that is why it lists what the files hold by itself, for every other call of
`memory` would mend the index first. A finding is (level, what, hint): level "ok", "note" or "failure".
"""

import os
import shlex
import sqlite3
import time

from foreword import paths, settings
from foreword.errors import ForewordError, NotFoundError
from foreword.graph import place as graph_place
from foreword.index import schema
from foreword.memory.find import folders, open_project
from foreword.memory.state import check
from foreword.store import layout, read

OK, NOTE, FAILURE = "ok", "note", "failure"
ROOM = 10_000_000  # bytes; below, the next notes may find no place
# A hook starts the index's catch-up at each prompt; what is older than this and still missing was seen by
# none that worked.
BEHIND_S = 600
NAMED = 3  # of files that are alike wrong


def findings(home, path=None, place=None):
    """Findings about a home and the project of a folder (default: the current one), or a place that is
    known already, whose folder may be gone."""
    usual = os.path.join(paths.user_home(), ".foreword")
    if os.path.realpath(home) != os.path.realpath(usual):
        told = (
            f"FOREWORD_HOME says that the store is {home}; a client that is started without it uses {usual}"
        )
        yield NOTE, told, ""
    yield from _settings(home)
    if not os.path.isdir(home):
        if os.path.lexists(home):
            yield FAILURE, f"{home} is no folder", "set FOREWORD_HOME to a folder of yours"
            return
        yield NOTE, f"{home} is not there yet; the first memory makes it", ""
    else:
        yield from _folder(home)
        if not os.access(home, os.R_OK | os.W_OK | os.X_OK):
            return
    yield from _graph(home)
    try:
        place = place or open_project(path, home)
        found = check(place)
    except NotFoundError as error:
        if path:
            yield FAILURE, error.message, error.hint
        else:  # asked from the home, say: nothing is wrong with that
            yield OK, "no project here, so no memories were read", ""
        return
    except (OSError, ForewordError) as error:
        yield FAILURE, str(error), getattr(error, "hint", "") or "set FOREWORD_HOME to a folder of yours"
        return
    yield OK, "%s: %d %s" % (place.name, found["memories"], _memories(found["memories"])), ""
    for wrong in found["findings"]:
        hint = wrong["hint"] or _hint(wrong)
        yield FAILURE, "{}: {}".format(wrong["where"], wrong["what"]), hint
    damaged = {wrong["where"] for wrong in found["findings"]}
    for _, folder in folders(place, False):
        if os.path.isdir(folder) and schema.path(folder) not in damaged:
            yield from _index(folder, damaged)


def _hint(wrong):
    return f"chmod 600 {wrong['where']}" if "read by others" in wrong["what"] else "foreword check"


def _memories(n):
    return "memory" if n == 1 else "memories"


def is_empty(home):
    """Whether a store holds no memory of any project, live or archived."""
    tops = [paths.everywhere(home)]
    projects = os.path.join(home, "projects")
    tops += [os.path.join(projects, name) for name in _names(projects)]
    return not any(
        name.endswith(".md")
        for top in tops
        for at in layout.folders(top)
        for name in _names(os.path.join(top, at))
    )


def log(home, most):
    """The last lines of the hooks' log."""
    try:
        with open(paths.hook_log(home), "rb") as f:
            size = f.seek(0, os.SEEK_END)
            f.seek(max(0, size - 500 * most))
            return f.read().decode("utf-8", "replace").splitlines()[-most:]
    except OSError:
        return []


# -- the home ----------------------------------------------------------------------------------


def _settings(home):
    try:
        wrong = settings.wrong(home)
    except (OSError, ValueError, RecursionError) as error:
        wrong = [str(error)]
    for what in wrong:
        yield FAILURE, f"{settings.path(home)}: {what}", "edit that file"


def _folder(home):
    if not os.access(home, os.R_OK | os.W_OK | os.X_OK):
        yield FAILURE, f"{home} cannot be written", "chmod 700 " + home
        return
    try:
        disk = os.statvfs(home)
        left = disk.f_bavail * disk.f_frsize
    except (OSError, AttributeError):  # no statvfs on Windows
        left = ROOM
    if left < ROOM:
        yield FAILURE, f"the disk of {home} is full: {left} bytes are left", "df " + home
    if os.name == "nt":
        return
    if os.stat(home).st_mode & 0o077:
        yield FAILURE, f"{home} can be read by others", "chmod 700 " + home
    open_to_others = [path for path in _private(home) if _mode(path) & 0o077]
    if open_to_others:
        named = ", ".join(open_to_others[:NAMED])
        more = len(open_to_others) - NAMED
        told = named + (" and %d more" % more if more > 0 else "")
        yield FAILURE, told + " can be read by others", "chmod -R go= " + home


def _private(home):
    """What must be the user's alone, but for the memories themselves: `check` looks at those."""
    for top in ("projects", "state", "log", "global", "graph"):
        at = os.path.join(home, top)
        if os.path.isdir(at):
            yield at
        for name in _names(at):
            inner = os.path.join(at, name)
            yield inner
            if top == "projects" and os.path.isdir(inner):
                yield from (os.path.join(inner, below) for below in _names(inner))


def _mode(path):
    try:
        return os.lstat(path).st_mode if not os.path.islink(path) else 0
    except OSError:
        return 0  # gone meanwhile


def _names(folder):
    try:
        return sorted(os.listdir(folder))
    except OSError:
        return []


# -- the graph ---------------------------------------------------------------------------------


def _graph(home):
    """Whether the knowledge graph can be read and written, where its tools are on."""
    try:
        chosen = {**settings.DEFAULTS, **settings.parse(home)}
    except (OSError, ValueError, RecursionError):
        return  # told already
    if not chosen["graph.on"]:
        return
    path, why = graph_place.path_and_why(home, chosen=chosen)
    elsewhere = graph_place.path_of(home, {}, chosen)
    if why == "MEMORY_FILE_PATH" and os.path.realpath(path) != os.path.realpath(elsewhere):
        told = f"MEMORY_FILE_PATH says that the graph is {path}; a client that is started without it uses"
        yield NOTE, f"{told} {elsewhere}", f"foreword graph on --file {shlex.quote(path)}, then unset it"
    file = graph_place.open_graph(path)
    for wrong in file.limits.wrong:
        yield FAILURE, wrong, f"unset {wrong.partition('=')[0]}, or give it another value"
    try:
        graph = file.read()
    except ForewordError as error:
        yield FAILURE, f"the graph: {error.message}", error.hint
        return
    if not file.exists():
        yield OK, f"the graph is on; {path} is not there yet, the first write makes it", ""
        return
    held = "%d %s, %d %s" % (
        len(graph.entities), "entity" if len(graph.entities) == 1 else "entities",
        len(graph.relations), "relation" if len(graph.relations) == 1 else "relations",
    )  # fmt: skip
    yield OK, f"the graph {path}: {held}", ""
    if graph.unreadable:
        n = len(graph.unreadable)
        told = "%d %s no %s" % (n, "line is" if n == 1 else "lines are", "record" if n == 1 else "records")
        yield FAILURE, f"the graph {path}: {told}", "foreword graph lint"
    if not _mode(file.real) & 0o222 or not os.access(file.real, os.W_OK):
        yield FAILURE, f"the graph {path} is read-only", "chmod u+w " + shlex.quote(file.real)
    elif not os.access(os.path.dirname(file.real), os.W_OK):
        folder = os.path.dirname(file.real)
        yield FAILURE, f"the graph's folder {folder} cannot be written", "chmod u+w " + shlex.quote(folder)


# -- the index ---------------------------------------------------------------------------------


def _index(folder, damaged):
    """Whether the index has a row for each file, as that is now, and for nothing else."""
    rows, read_error = {}, ""
    try:
        db = schema.open_reading(folder, wait_s=5.0)
        try:
            for place, mtime, size in db.execute("SELECT place, mtime, size FROM memories"):
                rows[place] = (mtime, size)
        finally:
            db.close()
    except schema.MissingError:
        read_error = "there is no index"
    except (schema.UnusableError, sqlite3.Error, OSError) as error:
        yield FAILURE, f"{schema.path(folder)} cannot be read: {error}", "foreword reindex"
        return
    found, _ = read.walk(folder)
    # A file that came back after its memory was deleted is told by `check`, and stays out of the index.
    found = [row for row in found if os.path.join(folder, row[0]) not in damaged]
    behind = [mtime / 1e9 for place, mtime, size in found if rows.get(place) != (mtime, size)]
    gone = len(set(rows) - {place for place, _, _ in found})
    if not behind and not gone:
        return
    at = schema.path(folder)
    told = read_error or "%d of %d memories are not in it as they are now" % (len(behind) + gone, len(found))
    asked = _time(os.path.join(folder, "prompts.log"))
    if behind and min(asked, time.time()) > max(behind) + BEHIND_S:
        yield FAILURE, f"{at}: {told}, though there were prompts since", "foreword reindex"
    else:
        yield NOTE, f"{at}: {told}; the next prompt or search brings it up to date", ""


def _time(path):
    try:
        return os.stat(path).st_mtime
    except OSError:
        return 0.0

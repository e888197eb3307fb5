"""All projects of a store at a glance: names, numbers and sizes as the disk tells them, without an index.

And what asks of one project as a whole: its folder's size, its stale memories.
"""

import os

from foreword import paths, project, settings
from foreword.errors import NotFoundError
from foreword.memory.browse import browse
from foreword.store import layout, logs
from foreword.text.frame import plain

TAIL = 65_536  # bytes at the end of a log that are looked at for its last line


def projects(home):
    """One dict for each project of a store, the most recently used first: name (of its folder), label, paths
    (where it was seen, for people), counts ({type: live memories}), archived, newest (when the
    newest memory was begun, by its id; ISO 8601 or ""), last_prompt (ISO 8601 or ""), size (bytes), switch
    (configured) and damaged (bool): its project.json is missing or cannot be read. That a memory's file
    cannot be read in full is for `check` to find.

    Counts files, whatever is in them: what a sync brought back and `check` would name is counted, too.
    """
    default = settings.load(home)["switch"]
    found = [_project(home, name, default) for name in _names(home)]
    return sorted(found, key=lambda one: (max(one["newest"], one["last_prompt"]), one["name"]), reverse=True)


def place_of(home, name):
    """The Project of a folder below `projects/`. Its root is the first of the paths that it was seen at which
    is a folder still and no other project's now; "" for none, and then no file can be compared.

    Raises NotFoundError where there is no such folder.
    """
    if not _is_project(home, name):
        raise NotFoundError(f"the store has no project called {name[:80]!r}", "foreword list --project PATH")
    record = _record(paths.project_folder(home, name))
    identity = record.get("identity", "")
    root = next((path for path in _paths(record) if _leads_to(home, path, name)), "")
    return project.Project(home, name, identity, root, ":" in identity)


def size(place):
    """Bytes of the files in a project's folder."""
    return sum(size for _, size in _files(place.folder))


def stale_memories(place, limit=20, type="", progress=None):  # noqa: A002
    """{"total", "rows"}: the newest live memories that cite a file of which the cited text is not there as it
    was; a row is one of `browse`, and files (rows of cites.file_row, those alone). `progress(done, all)` is
    called as memories are looked at. Raises BusyError, DamagedError."""
    found = browse(place, type=type, stale=True, per_page=limit, progress=progress)
    return {"total": found["total"], "rows": [{**row, "files": row["stale"]} for row in found["rows"]]}


def _project(home, name, default):
    folder = paths.project_folder(home, name)
    record = _record(folder)
    counts, archived, newest, whole = dict.fromkeys(layout.TYPES, 0), 0, "", 0
    for relative, size in _files(folder):
        whole += size
        kind = layout.kind_of(relative)
        if kind is None:
            continue
        counts[kind[0]] += not kind[1]
        archived += kind[1]
        stem = relative.rpartition("/")[2][:-3]
        if layout.is_id(stem):
            newest = max(newest, stem)
    own = record.get("switch")
    return {
        "name": name,
        "label": plain(paths.project_label(name)),
        "paths": [plain(path) for path in _paths(record)],
        "counts": counts,
        "archived": archived,
        "newest": _begun(newest),
        "last_prompt": _last_prompt(folder),
        "size": whole,
        "switch": own if own in settings.SWITCHES else default,
        "damaged": not record,
    }


def _names(home):
    try:
        names = os.listdir(os.path.join(home, "projects"))
    except OSError:
        return []
    return [name for name in names if _is_project(home, name)]


def _is_project(home, name):
    """Whether a name, which may come from a URL, is that of a folder below `projects/`."""
    is_plain = bool(name) and not name.startswith(".") and not any(c in name for c in "/\\\0")
    return is_plain and os.path.isdir(paths.project_folder(home, name))


def _record(folder):
    try:
        return project.read_record(folder)
    except OSError:
        return {}


def _paths(record):
    return [path for path in record.get("paths", ()) if isinstance(path, str) and os.path.isabs(path)]


def _leads_to(home, path, name):
    """Whether a path is a folder that no other project of the store is seen at now."""
    if "\0" in path or not os.path.isdir(path):
        return False
    try:
        found = project.find(path, home, create=False)
    except OSError:
        return False
    return found is not None and (found.name == name or not os.path.isdir(found.folder))


def _files(folder):
    """(path relative to a folder, with `/`; bytes) of every regular file below it; links are not followed."""
    waiting = [""]
    while waiting:
        above = waiting.pop()
        try:
            entries = os.scandir(os.path.join(folder, above))
        except OSError:
            continue  # gone meanwhile, or not ours to read
        with entries:
            for entry in entries:
                try:
                    if entry.is_dir(follow_symlinks=False):
                        waiting.append(above + entry.name + "/")
                    elif entry.is_file(follow_symlinks=False):
                        yield above + entry.name, entry.stat(follow_symlinks=False).st_size
                except OSError:
                    continue


def _begun(memory_id):
    """The time in an id, to the second; "" for none."""
    if not memory_id:
        return ""
    day, clock = memory_id[:8], memory_id[9:15]
    written = f"{day[:4]}-{day[4:6]}-{day[6:]}T{clock[:2]}:{clock[2:4]}:{clock[4:]}Z"
    return "" if layout.epoch(written) is None else written


def _last_prompt(folder):
    """When the last prompt was recorded; ""."""
    for record in logs.newest(os.path.join(folder, "prompts.log"), tail=TAIL):
        when = record.get("time")
        if isinstance(when, str) and layout.epoch(when) is not None:
            return when
    return ""

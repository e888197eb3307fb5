"""Deleting a whole store, and nothing that is somebody else's.

FOREWORD_HOME may name a folder that holds other things, even under names that a store uses too. So a
store is recognised first, and below each name only what Foreword puts there is removed.
"""

import fnmatch
import os
import shutil

from foreword import files, paths, project, settings
from foreword.errors import ForewordError
from foreword.graph import place as graph_place

# Below each folder of a store: the names that are ours.
_OURS = {
    "state": (
        "by-path",
        "sessions",
        "installs",
        "tombstones",
        "dreams",
        "edits",
        "fired",
        "quarantine",
        "config.json",
        ".lock",
    ),
    "log": ("hook.log", "hook.log.*"),
    "global": ("facts", "archive", "index.sqlite*", ".index.*", ".rebuild.*", ".worker.lock"),
    "graph": (
        "memory.jsonl",
        "memory.jsonl.unreadable",
        ".memory.jsonl.*",
        "index.sqlite*",
        ".index.*",
        ".rebuild.*",
        ".entities.lock",
    ),
    # Names that any program may use: what lies in them is looked at too.
    os.path.join("graph", "archive"): ("*.md", ".*.tmp"),
    os.path.join("graph", "backups"): ("memory-[0-9]*.jsonl", ".*.tmp"),
}
# Entries of a store that has neither a project nor a mark.
_BARE = {"config.toml", "prices.toml", "state", "log", "graph", "global"}

# What earlier versions wrote into the store's .gitignore.
_BEFORE = (
    b"state/\nlog/\nindex.sqlite*\nreport.json\n*.log\n*.log.[0-9]\n.*lock\n.*.tmp\n",
    b"state/*\n!state/tombstones/\nindex.sqlite*\nreport.json\n*.log\n*.log.?\n.*lock\n.*.tmp*\n",
)
_IGNORE = (project.NOT_FOR_GIT, *_BEFORE)


def renew_ignore(home):
    """Bring the store's .gitignore up to date where it is an earlier version's and nobody changed it."""
    path = os.path.join(home, ".gitignore")
    if files.read(path) in _BEFORE:
        files.write(path, project.NOT_FOR_GIT, durable=False)


def size(home):
    """(files, bytes) of a folder."""
    count = total = 0
    for at, _, names in os.walk(home):
        for name in names:
            count += 1
            total += os.lstat(os.path.join(at, name)).st_size
    return count, total


def readable(total):
    """`59.6 KiB` of a number of bytes."""
    if total < 1024:
        return "%d bytes" % total
    for unit in ("KiB", "MiB", "GiB"):
        total /= 1024
        if total < 1024 or unit == "GiB":
            break
    return "%.1f %s" % (total, unit)


def refuse_foreign(home):
    """Raise ForewordError when a folder is the user's home, a root, or was never a store."""
    user = paths.user_home()
    if not home or os.path.dirname(home) == home or os.path.realpath(home) == os.path.realpath(user or "/"):
        raise ForewordError(f"{home} is no store of Foreword, nothing was deleted", "check FOREWORD_HOME")
    if not os.path.isdir(home):
        return
    marked = files.read(os.path.join(home, ".gitignore")) in _IGNORE
    if os.listdir(home) and not marked and not _projects(home) and not _is_bare(home):
        raise ForewordError(
            f"{home} is no store of Foreword, nothing was deleted",
            "check FOREWORD_HOME" if os.environ.get("FOREWORD_HOME") else "look into it; foreword uninstall",
        )


def graph(home):
    """(entities, relations) of the store's own graph, None where there is none or it cannot be read."""
    if not _is_graph(os.path.join(home, "graph")):
        return None
    try:
        file = graph_place.open_graph(graph_place.default(home))
        found = file.read()
    except (OSError, ForewordError):
        return None
    return (len(found.entities), len(found.relations)) if file.exists() else None


def graph_elsewhere(home):
    """The path of the graph in use where that is no file of the store: it stays. "" where there is none."""
    try:
        path = graph_place.path_of(home, chosen={**settings.DEFAULTS, **settings.parse(home)})
    except (OSError, ValueError, RecursionError):
        return ""
    own = os.path.realpath(os.path.join(home, "graph"))
    is_ours = os.path.realpath(os.path.dirname(path)) == own
    return path if os.path.isfile(path) and not is_ours else ""


def delete(home):
    """Remove what is Foreword's; the names that are left at the top, [] when the folder went too."""
    for name in _projects(home):
        shutil.rmtree(paths.project_folder(home, name))
    is_graph = _is_graph(os.path.join(home, "graph"))
    for folder, ours in _OURS.items():
        if folder.split(os.sep)[0] != "graph" or is_graph:
            for name in _matching(os.path.join(home, folder), ours):
                _remove(os.path.join(home, folder, name))
    if files.read(os.path.join(home, ".gitignore")) in _IGNORE:
        files.remove(os.path.join(home, ".gitignore"))
    for name in ("config.toml", "prices.toml"):
        files.remove(os.path.join(home, name))
    for folder in ("projects", *reversed(_OURS), ""):
        try:
            os.rmdir(os.path.join(home, folder))
        except OSError:
            pass  # not there, or somebody keeps something in it
    return sorted(os.listdir(home)) if os.path.isdir(home) else []


def _projects(home):
    return [name for name, record in project.all_records(home) if record.get("identity")]


def _is_bare(home):
    """Whether a folder is a store that was only set up, or that holds the graph or global facts alone:
    nothing else is in it, for folders of these names may be anybody's."""
    names = set(os.listdir(home))
    everywhere = paths.everywhere(home)
    return (
        names <= _BARE
        and ("graph" not in names or _is_graph(os.path.join(home, "graph")))
        and (
            "global" not in names
            or set(os.listdir(everywhere)) == set(_matching(everywhere, _OURS["global"]))
        )
    )


def _is_graph(folder):
    """Whether a folder is the store's graph: it holds the file or its lock, or nothing that is not ours."""
    if not os.path.isdir(folder) or os.path.islink(folder):
        return False
    names = set(os.listdir(folder))
    ours = set(_matching(folder, _OURS["graph"]))
    if ours & {graph_place.FILE, f".{graph_place.FILE}.lock"}:
        return True
    return all(name in ours or _holds_only_ours(folder, name) for name in names)


def _holds_only_ours(folder, name):
    inner = os.path.join("graph", name)
    at = os.path.join(folder, name)
    return inner in _OURS and set(os.listdir(at)) == set(_matching(at, _OURS[inner]))


def _matching(folder, patterns):
    """Names in a folder that match; none where it is a link, or no folder."""
    names = os.listdir(folder) if os.path.isdir(folder) and not os.path.islink(folder) else ()
    return [name for name in names if any(fnmatch.fnmatchcase(name, pattern) for pattern in patterns)]


def _remove(path):
    if os.path.isdir(path) and not os.path.islink(path):
        shutil.rmtree(path)
    else:
        os.unlink(path)

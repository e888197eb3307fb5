"""Deleting a whole store, and nothing that is somebody else's.

FOREWORD_HOME may name a folder that holds other things, even under names that a store uses too. So a
store is recognised first, and below each name only what Foreword puts there is removed.
"""

import fnmatch
import os
import shutil

from foreword import files, paths, project
from foreword.errors import ForewordError

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
        "memory.jsonl*",
        ".memory.jsonl.*",
        "archive",
        "backups",
        "index.sqlite*",
        ".index.*",
        ".rebuild.*",
        ".entities.lock",
    ),
}

# What earlier versions wrote into the store's .gitignore.
_BEFORE = (b"state/\nlog/\nindex.sqlite*\nreport.json\n*.log\n*.log.[0-9]\n.*lock\n.*.tmp\n",)
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
    if os.listdir(home) and not marked and not _projects(home) and not _only_settings(home):
        raise ForewordError(f"{home} is no store of Foreword, nothing was deleted", "check FOREWORD_HOME")


def delete(home):
    """Remove what is Foreword's; the names that are left at the top, [] when the folder went too."""
    for name in _projects(home):
        shutil.rmtree(paths.project_folder(home, name))
    for folder, ours in _OURS.items():
        at = os.path.join(home, folder)
        for name in os.listdir(at) if os.path.isdir(at) and not os.path.islink(at) else ():
            if any(fnmatch.fnmatch(name, pattern) for pattern in ours):
                _remove(os.path.join(at, name))
    if files.read(os.path.join(home, ".gitignore")) in _IGNORE:
        files.remove(os.path.join(home, ".gitignore"))
    files.remove(os.path.join(home, "config.toml"))
    for folder in ("projects", *_OURS, ""):
        try:
            os.rmdir(os.path.join(home, folder))
        except OSError:
            pass  # not there, or somebody keeps something in it
    return sorted(os.listdir(home)) if os.path.isdir(home) else []


def _projects(home):
    return [name for name, record in project.all_records(home) if record.get("identity")]


def _only_settings(home):
    return set(os.listdir(home)) <= {"config.toml", "state", "log"}


def _remove(path):
    if os.path.isdir(path) and not os.path.islink(path):
        shutil.rmtree(path)
    else:
        os.unlink(path)

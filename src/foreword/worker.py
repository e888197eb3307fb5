"""What hooks put off: `python -I -m foreword.worker HOME PROJECT WORK`, detached, one per store. Cold.

WORK is `catch-up` (files against index) or `rebuild` (the index could not be read). Also clears what
client sessions left behind, and asks git about a project whose history was too long for a hook.
"""

import os
import shutil
import sqlite3
import sys
import time

from foreword import files, paths, project
from foreword.index import catch_up, schema

SESSIONS_KEPT_S = 7 * 86_400
TEMP_KEPT_S = 3_600
PATIENCE_S = 1.0
ASK_GIT_S = 120.0


def main(home, name, work):
    folder = paths.project_folder(home, name)
    if not os.path.isdir(folder):
        return
    with files.Lock(folder, wait_s=PATIENCE_S, name=".worker.lock") as held:
        if not held:
            return  # another worker looks at this store now; the next prompt asks again
        try:
            catch_up.catch_up(folder)
            if work == "rebuild" and catch_up.is_whole(folder):
                catch_up.rebuild(folder)
        except schema.NewerError:
            raise
        except (schema.UnusableError, sqlite3.DatabaseError) as error:
            if schema.passes_by_itself(error):
                raise
            catch_up.rebuild(folder)
        _tidy(home, folder, time.time())
    _identify(home, folder)


def _identify(home, folder):
    """Ask git again, patiently, about a repository that a hook's two seconds were not enough for."""
    record = project.read_record(folder)
    if str(record.get("identity", "")).startswith("path:"):
        for root in record.get("paths") or ():
            if os.path.isdir(root) and project.locate(root)[1]:
                project.find(root, home, ask_git=True, create=False, wait_s=ASK_GIT_S)


def _tidy(home, folder, now):
    """Remove client sessions untouched for a week, and temporary files of writers that died."""
    sessions = os.path.join(home, "state", "sessions")
    for entry in _entries(sessions):
        if now - entry.stat().st_mtime > SESSIONS_KEPT_S:
            shutil.rmtree(entry.path, ignore_errors=True)
    for entry in _entries(folder):
        if entry.name.endswith(".tmp") or entry.name.startswith(".rebuild."):
            if now - entry.stat().st_mtime > TEMP_KEPT_S:
                shutil.rmtree(entry.path) if entry.is_dir() else files.remove(entry.path)


def _entries(folder):
    try:
        with os.scandir(folder) as found:
            return list(found)
    except OSError:
        return []


if __name__ == "__main__":
    try:
        main(*sys.argv[1:4])
    except Exception as error:  # noqa: BLE001  nobody is watching: one line in the log
        stamp = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        line = "{} worker: {}: {}".format(
            stamp,
            type(error).__name__,
            " ".join(str(error).split())[:300],
        )
        try:
            files.append(paths.hook_log(sys.argv[1]), line.encode("utf-8", "replace"), rotate=1)
        except (OSError, IndexError):
            pass
        sys.exit(1)

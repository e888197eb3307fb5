"""What hooks put off: `python -I -m foreword.worker HOME PROJECT WORK`, detached, one per store. Cold.

WORK is `catch-up` (files against index), `rebuild` (a hook could not read the index) or `rebuild-graph` (nor
that of the graph's entities, which is caught up in any case). Also counts which memories were opened when
they were shown, clears what client sessions left behind, asks git about a project whose history was too
long for a hook, and writes report.json anew about once an hour.
"""

import os
import re
import shutil
import sqlite3
import sys
import time

from foreword import files, paths, project, settings
from foreword.index import catch_up, entities, schema, uses
from foreword.store import layout

SESSIONS_KEPT_S = 7 * 86_400
PATIENCE_S = 1.0
ASK_GIT_S = 120.0
# What files.write and the index call a file until it is whole; people's own `.tmp` files stay.
_TEMP = re.compile(files.LEFT + r"(-wal|-shm|-journal)?\Z|\.rebuild\.[0-9]+\Z")


def main(home, name, work):
    folder = paths.project_folder(home, name)
    if not os.path.isdir(folder):
        return
    with files.Lock(folder, wait_s=PATIENCE_S, name=".worker.lock") as held:
        if not held:
            return  # another worker looks at this store now; the next prompt asks again
        try:
            catch_up.agree(folder, doubted=work == "rebuild")
            _count_uses(folder)
            if os.path.isdir(paths.everywhere(home)):
                catch_up.agree(paths.everywhere(home))
        except (OSError, sqlite3.Error, schema.UnusableError):
            project.gather(home)
            if os.path.isdir(folder):
                raise
            return  # a provisional project that was joined into the right one meanwhile
        finally:
            _tidy(home, folder, time.time())
    project.gather(home)
    _identify(home, folder)
    _keep_up_graph(home, doubted=work == "rebuild-graph")
    _report(home, name)
    _retain(home, name)


def _retain(home, name):
    """Where the user set an age, archive what is older, out of date and never opened, once a day."""
    if settings.load(home)["retention.days"]:
        from foreword.memory import place_of, retention  # the API, for once: nobody waits for this

        retention.run_by_itself(place_of(home, name), time.time())


def _report(home, name):
    """Last, and after everything that somebody may wait for: it may read gigabytes of clients' logs."""
    if os.path.isfile(project.record_path(paths.project_folder(home, name))):
        from foreword.report import made  # most runs have nothing to report

        if made.is_due(home, name, time.time()):
            if hasattr(os, "nice"):
                os.nice(5)
            made.refresh(home, name, lenient=True)


def _keep_up_graph(home, doubted):
    if settings.load(home)["graph.in_index"] or os.path.exists(schema.path(entities.folder(home))):
        from foreword import graph_index  # most have no such index

        graph_index.keep_up(home, doubted)


def _count_uses(folder):
    db = schema.open_writing(folder)
    try:
        uses.count(db, folder)
    finally:
        db.close()


def _identify(home, folder):
    """Ask git again, patiently, about a repository that a hook's two seconds were not enough for."""
    record = project.read_record(folder)
    if str(record.get("identity", "")).startswith("path:"):
        for root in record.get("paths") or ():
            if os.path.isdir(root) and project.locate(root)[1]:
                project.find(root, home, ask_git=True, create=False, wait_s=ASK_GIT_S)


def _tidy(home, folder, now):
    """Remove client sessions untouched for a week, and temporary files of writers that died: what they
    hold of a memory must not outlive it."""
    state = os.path.join(home, "state")
    sessions = os.path.join(state, "sessions")
    for path, _, age_s in _entries(sessions, now):
        if age_s > SESSIONS_KEPT_S:
            shutil.rmtree(path, ignore_errors=True)
        else:
            _clear(path, now)
    by_path = os.path.join(state, "by-path")
    for at in (home, state, by_path, paths.tombstones(home), entities.folder(home), folder):
        _clear(at, now)
    for at in layout.folders(folder):
        _clear(os.path.join(folder, at), now)


def _clear(folder, now):
    for path, name, age_s in _entries(folder, now):
        if age_s > files.LEFT_S and _TEMP.match(name):
            if os.path.isdir(path) and not os.path.islink(path):
                shutil.rmtree(path, ignore_errors=True)
            else:
                files.remove(path)


def _entries(folder, now):
    """(path, name, age in seconds) of what is in a folder; other workers may clear it meanwhile."""
    found = []
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                try:
                    stat = entry.stat(follow_symlinks=False)
                except OSError:
                    continue  # gone already
                found.append((entry.path, entry.name, now - stat.st_mtime))
    except OSError:
        pass
    return found


if __name__ == "__main__":
    try:
        os.chdir(sys.argv[1])  # not in the user's folder, which may be removed or unmounted meanwhile
        main(*sys.argv[1:4])
    except Exception as error:  # noqa: BLE001  nobody is watching: one line in the log
        stamp = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        line = "{} worker: {}: {}".format(
            stamp,
            type(error).__name__,
            "" if "'" in str(error) else " ".join(str(error).split())[:300],  # SQLite quotes texts
        )
        try:
            # A home that is gone was purged: it must not come back for a line in a log.
            if os.path.isabs(sys.argv[1]) and os.path.isdir(sys.argv[1]):
                files.append(paths.hook_log(sys.argv[1]), line.encode("utf-8", "replace"), rotate=1)
        except (OSError, IndexError):
            pass
        sys.exit(1)

"""One project's memories and logs moved into the folder of another. Hot, though a project is joined once."""

import os

from foreword import files
from foreword.store import write

_MEMORIES = ("notes", "sessions", "facts", "archive")
# Log -> how many older files of it there are.
_LOGS = {"prompts.log": 9, "recalls.log": 9, "opened.log": 9, "forewords.log": 1}
# Derived, or of the folder alone: goes with it.
_OWN = ("project.json", "report.json", *_LOGS)
_OWN_BEGIN = ("index.sqlite", ".")
# What client sessions took, which the report takes over when it counts next (report/database.py).
_COUNTED = "report.sqlite"
_COUNTING = ".report.lock"  # who counts has it
_BESIDE = ("-journal", "-wal", "-shm")  # of SQLite's, beside a file


def move(old, folder, again=False):
    """Move the memories and logs of a project into the folder of another; its own folder goes.

    Memories move by rename, one by one: a crash in between leaves each in exactly one place, and
    the next join goes on. The index of the target notices by the changed folders. `again`: they were joined
    before (see write.join_tombstones). The caller has the lock of state/.
    """
    if not os.path.isdir(old):
        return
    write.join_tombstones(old, folder, again)
    for kind in _MEMORIES:
        for at, _folders, names in os.walk(os.path.join(old, kind)):
            target = os.path.join(folder, os.path.relpath(at, old))
            for file in names:
                files.make_folder(target)
                to = os.path.join(target, file)
                if not os.path.exists(to):
                    os.rename(os.path.join(at, file), to)
                elif files.read(to) != files.read(os.path.join(at, file)):
                    stem, dot, ending = file.rpartition(".")
                    free = f"{stem}{os.urandom(2).hex()}{dot}{ending}"
                    os.rename(os.path.join(at, file), os.path.join(target, free))
                else:
                    os.unlink(os.path.join(at, file))
    for log, older in _LOGS.items():
        for ending in (*(".%d" % n for n in range(older, 0, -1)), ""):  # oldest first
            raw = files.read(os.path.join(old, log + ending))
            if raw:
                files.append(os.path.join(folder, log), raw.rstrip(b"\n"), rotate=older)
                os.unlink(os.path.join(old, log + ending))
    _move_counted(old, folder)
    for at, _folders, names in os.walk(old, topdown=False):
        for file in names:
            if at == old and (file.startswith(_OWN_BEGIN) or file in _OWN):
                files.remove(os.path.join(at, file))
        try:
            os.rmdir(at)
        except OSError:
            pass  # a file that is not ours stays where it is


def _move_counted(old, folder):
    """Bring what was counted of a project's client sessions, as `report.sqlite.joined-<its folder>`, and with
    it what was set aside or joined there before. What another process counts into now, or a disk refuses to
    move, stays for the next join: its clients may have removed the logs since."""
    names = [name for name in os.listdir(old) if name.startswith(_COUNTED)]
    if not names:
        return
    try:
        with files.Lock(old, 0, _COUNTING) as held:
            for name in names if held else ():
                if name.endswith(_BESIDE):
                    continue
                to = os.path.join(
                    folder, name if name != _COUNTED else f"{name}.joined-{os.path.basename(old)}"
                )
                while os.path.lexists(to):
                    to += "-" + os.urandom(2).hex()
                for ending in (*_BESIDE, ""):  # the file last: SQLite needs its journal where it is
                    if os.path.lexists(os.path.join(old, name + ending)):
                        os.rename(os.path.join(old, name + ending), to + ending)
            for name in names if held else ():
                if name.endswith(_BESIDE):
                    files.remove(os.path.join(old, name))  # beside no file
    except OSError:
        pass

"""One project's memories and logs moved into the folder of another. Hot, though a project is joined once."""

import os

from foreword import files
from foreword.store import write

_MEMORIES = ("notes", "sessions", "facts", "archive")
# Log -> how many older files of it there are.
_LOGS = {"prompts.log": 9, "recalls.log": 9, "opened.log": 9, "forewords.log": 1}
# Derived, or of the folder alone: goes with it.
_OWN = ("project.json", "report.json", *_LOGS)
_OWN_BEGIN = ("index.sqlite", "report.sqlite", ".")


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
    for at, _folders, names in os.walk(old, topdown=False):
        for file in names:
            if at == old and (file.startswith(_OWN_BEGIN) or file in _OWN):
                files.remove(os.path.join(at, file))
        try:
            os.rmdir(at)
        except OSError:
            pass  # a file that is not ours stays where it is

"""One install or uninstall at a time: both read files, plan, and write them with records of the way back.

Two at once would each plan on what the other is about to change, and write its records over the other's.
The lock is the kernel's: whoever is killed has it no more. It is none that a hook waits for.
"""

import contextlib
import os
import time

from foreword import files
from foreword.edit import plan
from foreword.errors import BusyError

TOLD_S, WAIT_S = 1.0, 30.0  # an install takes less than a second, unless it asks the user something
WAITING = "another foreword install or uninstall is at work; waiting for it"
BUSY = "another foreword install or uninstall is still at work, or waits for an answer; nothing was changed"


@contextlib.contextmanager
def turn(home, say):
    """Have the turn in a store's folder. `say(line)` is called once when it takes a while to get it.

    Raises BusyError when somebody else has it for too long, OSError where the store cannot be written.
    Folders that are made for it and hold nothing afterwards are removed again.
    """
    path = os.path.join(os.path.dirname(plan.record_path(home, "")), ".lock")
    lock, made = _taken(path, say)
    try:
        yield
    finally:
        _given_back(path, lock, made)


def _taken(path, say):
    """(the lock, held; the topmost folder made for it, or "")."""
    folder, name = os.path.split(path)
    started, told, made = time.monotonic(), False, ""
    while True:
        made = plan.missing_folder(path) or made
        files.make_folder(folder)
        waited = time.monotonic() - started
        lock = files.Lock(folder, max(0.0, (WAIT_S if told else TOLD_S) - waited), name)
        try:
            is_ours = lock.__enter__()
        except FileNotFoundError:
            is_ours = False  # whoever had the turn removed the empty folder just now
        if is_ours and _is_there(lock):
            return lock, made
        lock.__exit__()
        if is_ours:
            continue  # we waited for a file that its holder has removed
        if time.monotonic() - started >= WAIT_S:
            raise BusyError(BUSY, "run it again when that one has ended")
        if not told and time.monotonic() - started >= TOLD_S:
            say(WAITING)
            told = True


def _is_there(lock):
    """Whether the file that we hold is still the one of that name."""
    try:
        return os.path.samestat(os.fstat(lock.fd), os.stat(lock.path))
    except FileNotFoundError:
        return False


def _given_back(path, lock, made):
    """Free the lock. Where no record is beside its file, that goes with the folders that were made for it:
    while it is held, where the system can, so that who waits makes them anew."""
    if files.WINDOWS:
        lock.__exit__()
    try:
        if os.listdir(os.path.dirname(path)) == [os.path.basename(path)]:
            files.remove(path)
            plan.remove_empty(path, made)
    except OSError:
        pass  # a purge was here; or, on Windows, somebody waits for it
    lock.__exit__()

"""One file to be changed: shown as a diff, applied with a backup, verified, and taken back.

An undo record says what we left behind (a sha256) and where the original is; with the file still as
we left it, taking back gives the original bytes.
"""

import difflib
import json
import os
import time

from foreword import files
from foreword.digest import sha256
from foreword.errors import ForewordError


class Edit:
    """path as the user knows it; before: bytes or None (no file); after: bytes or None (remove it)."""

    def __init__(self, path, before, after):
        self.path, self.before, self.after = path, before, after

    @property
    def changes(self):
        return self.before != self.after

    def diff(self):
        """A unified diff; "" when nothing changes."""
        old = (self.before or b"").decode("utf-8", "replace").splitlines(keepends=True)
        new = (self.after or b"").decode("utf-8", "replace").splitlines(keepends=True)
        lines = difflib.unified_diff(old, new, self.path, self.path, n=2)
        return "".join(line if line.endswith("\n") else line + "\n" for line in lines)


def read(path):
    """The bytes of a file, None when there is none. Raises ForewordError when it cannot be read."""
    try:
        return files.read(path)
    except OSError as error:
        raise ForewordError("%s: %s" % (path, error.strerror), "ls -l " + path) from error


def refuse_unwritable(path):
    """Raise ForewordError when the file, or the folder that must hold it, is read-only."""
    real = os.path.realpath(path)
    if os.path.exists(real) and not os.stat(real).st_mode & 0o200:
        raise ForewordError(
            "%s is read-only, nothing was changed" % path,
            "chmod u+w %s, or make the change that --dry-run shows by hand" % path,
        )


def apply(edit, backup_mark):
    """Write the edit through symlinks, the original copied beside it first; the backup's path or "".

    `backup_mark` "" makes no copy.
    Raises ForewordError when the file changed since it was read, or cannot be written.
    """
    refuse_unwritable(edit.path)
    real = os.path.realpath(edit.path)
    if read(edit.path) != edit.before:
        raise ForewordError("%s changed meanwhile, nothing was changed" % edit.path, "run it again")
    backup = ""
    try:
        if edit.before is not None and backup_mark:
            stamp = time.strftime("%Y%m%d-%H%M%S", time.gmtime())
            backup = free = "%s.%s.%s" % (edit.path, backup_mark, stamp)
            n = 1
            while os.path.lexists(free):
                n += 1
                free = "%s-%d" % (backup, n)
            backup = free
            files.write(backup, edit.before, mode=os.stat(real).st_mode & 0o777, create_only=True)
        if edit.after is None:
            files.remove(real)
        else:
            files.make_folder(os.path.dirname(real))
            files.write(real, edit.after)
    except OSError as error:
        raise ForewordError("%s: %s" % (edit.path, error.strerror), "ls -ld " + edit.path) from error
    if read(edit.path) != edit.after:
        raise ForewordError("%s does not hold what was written" % edit.path, "compare it with " + backup)
    return backup


def digest(data):
    return "" if data is None else sha256(data).hexdigest()


def record_path(home, client):
    return os.path.join(home, "state", "installs", client + ".json")


def load_record(home, client):
    """The undo record of a client, {} when there is none or it cannot be read."""
    try:
        found = json.loads(files.read(record_path(home, client)) or b"{}")
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def save_record(home, client, record):
    path = record_path(home, client)
    files.make_folder(os.path.dirname(path))
    files.write(path, json.dumps(record, indent=2).encode() + b"\n")


def drop_record(home, client):
    files.remove(record_path(home, client))


def undone(path, record):
    """The Edit that gives the original bytes back; None when the file is not as we left it."""
    now = read(path)
    if not record or digest(now) != record.get("after"):
        return None
    if not record.get("existed"):
        return Edit(path, now, None)
    original = read(record.get("backup", ""))
    if original is None or digest(original) != record.get("before"):
        return None
    return Edit(path, now, original)

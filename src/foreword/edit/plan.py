"""One file to be changed: shown as a diff, applied with a copy beside it, verified, and taken back.

An undo record says what we left behind (a sha256) and where the original is; with the file still as
we left it, taking back gives the original bytes. Knows no format: bytes in, bytes out.
"""

import difflib
import hashlib
import json
import os
import re
import stat
import time

from foreword import files
from foreword.errors import ForewordError

FORMAT = 1  # of undo records
BACKUP = "foreword.bak"  # the mark of a copy beside an edited file


class Edit:
    """path as the user knows it; before: bytes or None (no file); after: bytes or None (remove it)."""

    def __init__(self, path, before, after):
        self.path, self.before, self.after = path, before, after

    @property
    def changes(self):
        return self.before != self.after

    def diff(self):
        """A unified diff for people (line endings are not shown); "" when nothing changes."""
        old, new = _lines(self.before), _lines(self.after)
        names = [self.path if data is not None else os.devnull for data in (self.before, self.after)]
        told = []
        for line in difflib.unified_diff(old, new, *names, n=2):
            told.append(line if line.endswith("\n") else line + "\n\\ No newline at end of file\n")
        return "".join(told)


def _lines(data):
    text = (data or b"").decode("utf-8", "replace").replace("\r\n", "\n").replace("\r", "\n")
    return re.findall(r"[^\n]*\n|[^\n]+", text)


# -- one edit ----------------------------------------------------------------------------------


def read(path):
    """The bytes of a file, None when there is none. Raises ForewordError when it cannot be read."""
    try:
        return files.read(path)
    except OSError as error:
        raise ForewordError(f"{path}: {error.strerror}, nothing was changed", "ls -ld " + path) from error


def refuse_unwritable(path):
    """Raise ForewordError where a file can be neither written nor made: it is read-only or no regular file,
    the folder that holds it is read-only, or something else is where a folder has to be.

    The bits of the mode count even where the system would let us (root, or the folder's owner, who
    may replace a file but was asked not to).
    """
    real = os.path.realpath(path)
    hint = f"chmod u+w {real}   (or make the change that --dry-run shows by hand)"
    if os.path.lexists(real):
        if not os.path.isfile(real):  # a pipe, a device, a folder
            raise ForewordError(f"{path} is no regular file, nothing was changed", "ls -ld " + real)
        if not os.stat(real).st_mode & stat.S_IWUSR or not os.access(real, os.W_OK):
            raise ForewordError(f"{path} is read-only, nothing was changed", hint)
    folders = {_existing(os.path.dirname(real)), _existing(os.path.dirname(path))}
    for folder in sorted(folders):
        if not os.path.isdir(folder):
            told = f"{folder} is no folder, so {path} cannot be there; nothing was changed"
            raise ForewordError(told, "ls -ld " + folder)
        if not os.access(folder, os.W_OK | os.X_OK):
            raise ForewordError(f"{folder} is read-only, nothing was changed", "chmod u+wx " + folder)


def _existing(folder):
    """The nearest of a folder and those above it where anything is."""
    while not os.path.lexists(folder) and os.path.dirname(folder) != folder:
        folder = os.path.dirname(folder)
    return folder


def missing_folder(path):
    """The topmost folder above a path that does not exist yet, or ""."""
    missing, folder = "", os.path.dirname(path)
    while folder and not os.path.isdir(folder):
        missing, folder = folder, os.path.dirname(folder)
    return missing


def apply(edit, mark=""):
    """Write the edit through symlinks, atomically and with the file's mode; the copy's path or "".

    With a `mark` the old bytes are first copied to PATH.MARK.<UTC time>. Raises ForewordError when
    the file changed since it was read, or cannot be written; it has its old bytes then.
    """
    refuse_unwritable(edit.path)
    if read(edit.path) != edit.before:
        raise ForewordError(f"{edit.path} was changed just now, nothing was done", "run it again")
    real = os.path.realpath(edit.path)
    copy = ""
    try:
        if edit.before is not None and mark:
            copy = _copy(edit, mark, stat.S_IMODE(os.stat(real).st_mode))
        _place(real, edit.after)
    except OSError as error:
        raise ForewordError(f"{edit.path}: {error.strerror}, nothing was changed", "df, ls -ld") from error
    if read(edit.path) != edit.after:
        _place(real, edit.before)
        raise ForewordError(f"{edit.path} did not keep what was written; the old bytes are back", "")
    return copy


def _copy(edit, mark, mode):
    stamp = time.strftime("%Y%m%d-%H%M%S", time.gmtime())
    path = wanted = f"{edit.path}.{mark}.{stamp}"
    n = 1
    while True:
        try:
            files.write(path, edit.before, mode=mode, create_only=True)
            return path
        except FileExistsError:  # two runs within one second
            n += 1
            path = f"{wanted}-{n}"


def _place(real, data):
    if data is None:
        files.remove(real)
        return
    files.make_folder(os.path.dirname(real))
    files.write(real, data)


def copies(path, mark):
    """The copies that `apply` left beside a file, oldest first."""
    folder, name = os.path.split(path)
    pattern = re.compile(re.escape(f"{name}.{mark}.") + r"\d{8}-\d{6}(-\d+)?")
    try:
        found = [entry for entry in os.listdir(folder) if pattern.fullmatch(entry)]
    except OSError:
        return []
    return [os.path.join(folder, entry) for entry in sorted(found)]


def clear_left(path):
    """Remove what writers of a file, or of its copies, left when they were killed.

    For who has the turn alone: nobody is writing them now.
    """
    is_left = re.compile(files.LEFT).fullmatch
    for folder, name in {os.path.split(path), os.path.split(os.path.realpath(path))}:
        try:
            left = [entry for entry in os.listdir(folder) if is_left(entry)]
        except OSError:
            continue
        for entry in left:
            whose = entry[1:].rsplit(".", 2)[0]
            if whose == name[: files.CUT] or whose.startswith(f"{name}.{BACKUP}."[: files.CUT]):
                files.remove(os.path.join(folder, entry))


def remove_all_empty(removed):
    """Remove the folders that removed files leave empty: [(path, `top` as below)], the deepest first,
    since a folder that held several of them is empty only once all are gone."""
    for path, top in sorted(removed, key=lambda pair: pair[1].count(os.sep), reverse=True):
        remove_empty(os.path.realpath(path), top)


def remove_empty(path, top):
    """Remove the folders above a path, up to and with `top`, while they are empty or not there."""
    folder = os.path.dirname(path)
    while top and _is_in(folder, top):
        try:
            os.rmdir(folder)
        except FileNotFoundError:
            pass  # whoever was to make it was killed
        except OSError:
            return  # somebody keeps something there
        folder = os.path.dirname(folder)


def _is_in(folder, top):
    return folder == top or folder.startswith(top + os.sep)


# -- undo records ------------------------------------------------------------------------------


def digest(data):
    """The sha256 of bytes as hex, "" for no file."""
    return "" if data is None else hashlib.sha256(data).hexdigest()


def record_path(home, name):
    return os.path.join(home, "state", "installs", name + ".json")


def records(home, name):
    """{path of an edited file: its undo record}; {} when there is none or it cannot be read."""
    try:
        found = json.loads(files.read(record_path(home, name)) or b"{}")
        kept = found["files"] if found.get("format") == FORMAT else {}
        return {path: record for path, record in kept.items() if isinstance(record, dict)}
    except (OSError, ValueError, AttributeError, KeyError):
        return {}


def is_installed(home, name):
    """Whether an install is on record; what an uninstall keeps, for the copies it left, is none."""
    return any("after" in record for record in records(home, name).values())


def clear_all_left(home, name):
    """Remove what an install or uninstall of a client left half written when it was killed: the record of a
    file was there before. For who has the turn alone."""
    for path in (*records(home, name), record_path(home, name)):
        clear_left(path)


def save_records(home, name, kept):
    """Write the undo records, or remove the file when there are none. Durable on return."""
    path = record_path(home, name)
    if not kept:
        files.remove(path)
        return
    files.make_folder(os.path.dirname(path))
    files.write(path, json.dumps({"format": FORMAT, "files": kept}, indent=2).encode() + b"\n")


def record_of(edit, copy, folder, made, older=None):
    """The undo record of an applied edit, as it is kept in JSON.

    `copy`: where the old bytes are; `folder`: the topmost folder made for it, or ""; `made`: what
    the caller added, as it wants it back. `older`: the record of an earlier edit whose work the
    file still holds. The way back then leads to the first original if nobody changed the file in
    between, else there is none by bytes.
    """
    record = {
        "after": digest(edit.after),
        "existed": edit.before is not None,
        "before": digest(edit.before),
        "copy": copy,
        "folder": folder,
        "made": made,
    }
    if older:
        record.update({key: older.get(key) for key in ("existed", "before", "copy")})
        record["folder"] = topmost(older.get("folder"), folder)
        if digest(edit.before) != older.get("after"):
            record["before"] = None
    return record


def topmost(known, folder):
    """The upper of two folders above one path, each maybe "": the one on record, and the one that is not
    there yet. An end in between leaves a record, and the folder made."""
    return known if known and (not folder or _is_in(folder, known)) else folder


def hand_on(folders, kept):
    """Write folders that we made, and that hold something, into the records of files in them. Whether that
    changed any."""
    changed = False
    for path, record in kept.items():
        for folder in folders:
            if _is_in(os.path.dirname(os.path.realpath(path)), folder):
                known = record.get("folder") or ""
                record["folder"] = topmost(folder, known)
                changed |= record["folder"] != known
    return changed


def left_of(record, is_there):
    """What stays of an undo record when our entries are out and copies of the file are left: for a later
    purge, and so that what was the user's own is still known as such. `is_there`: whether the file is."""
    return {"made": record.get("made"), "folder": record.get("folder") or "", "existed": is_there}


def undone(path, record):
    """The Edit that gives the original bytes back; None when the file is not as we left it."""
    now = read(path)
    if not record or record.get("before") is None or digest(now) != record.get("after"):
        return None
    if not record.get("existed"):
        return Edit(path, now, None)
    # An end before the copy's name was on record leaves a copy without one.
    for copy in filter(None, (record.get("copy"), *copies(path, BACKUP))):
        original = read(copy)
        if original is not None and digest(original) == record["before"]:
            return Edit(path, now, original)
    return None

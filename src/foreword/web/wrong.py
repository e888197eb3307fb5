"""What went wrong, in words for people: on pages, and on the terminal that the view runs in.

A full or read-only disk, or a store that somebody else holds, is no bug of ours: what, which path, why, and
what to do. Everything else is one, and shows its traceback on the terminal, for a page may be shown to
anybody.
"""

import errno
import shlex
import sqlite3
import sys
import traceback

from foreword import __version__
from foreword.errors import BUG, BUSY, USAGE, ForewordError

OF_THE_DISK = (OSError, sqlite3.Error)
_OURS = (sqlite3.ProgrammingError, sqlite3.IntegrityError, sqlite3.NotSupportedError)
_FULL = (errno.ENOSPC, errno.EDQUOT)
_IN_USE = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)


def told(error):
    """(what went wrong, what to do about it or "", exit code) of any exception."""
    if isinstance(error, ForewordError):
        return error.message, error.hint, error.exit_code
    if isinstance(error, sqlite3.Error) and not isinstance(error, _OURS):
        if getattr(error, "sqlite_errorcode", 0) & 0xFF in _IN_USE:
            return f"the store is in use: {error}", "try again", BUSY
        return f"an index of the store cannot be read or written: {error}", "foreword doctor", USAGE
    if isinstance(error, OSError):
        # Some are of an open file, by its number, which says nothing.
        path = error.filename if isinstance(error.filename, (str, bytes)) else ""
        path = path.decode("utf-8", "backslashreplace") if isinstance(path, bytes) else path
        why = error.strerror or str(error) or type(error).__name__
        hint = "foreword doctor"
        if error.errno in _FULL:
            hint = "df " + shlex.quote(path) if path else "df"
        return f"{path}: {why}" if path else why, hint, USAGE
    return f"this is a bug in Foreword {__version__}: {type(error).__name__}", "foreword doctor", BUG


def is_bug(error):
    """Whether an exception is none that a person can act on."""
    return told(error)[2] == BUG


def show(error):
    """The traceback of a bug, on the terminal."""
    say("".join(traceback.format_exception(error)).rstrip("\n"))


def say(text):
    """A line on the terminal, whatever became of that: it may be closed while deletes are still carried
    out."""
    if sys.stderr is None:  # closed when the view began; `print` would take stdout then
        return
    try:
        print(text, file=sys.stderr, flush=True)
    except (OSError, ValueError):
        pass

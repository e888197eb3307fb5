"""Making an index agree with the files before it is asked: what every call of this room does first."""

import contextlib
import contextvars
import sqlite3
import threading

from foreword.errors import BusyError, DamagedError
from foreword.index import catch_up, schema

_looked: contextvars.ContextVar[set | None] = contextvars.ContextVar("looked", default=None)
# Of each folder: the threads of a process take turns, for SQLite would let one wait 5 s at most and give no
# turns; of 60 that asked at once, one in a hundred got nothing.
_turns: dict[str, threading.Lock] = {}


@contextlib.contextmanager
def at_once():
    """Within, each index is compared with the files one time: for who asks many things of one moment, as a
    page does, and changes nothing. At 10,000 memories a look takes 70 ms."""
    token = _looked.set(set())
    try:
        yield
    finally:
        _looked.reset(token)


def bring_up_to_date(folder):
    """Make an index agree with the files. Raises BusyError, DamagedError for one of a newer program."""
    looked = _looked.get()
    if looked is not None and folder in looked:
        return
    try:
        with _turns.setdefault(folder, threading.Lock()):
            catch_up.agree(folder)
    except schema.NewerError as error:
        raise DamagedError(
            f"{schema.path(folder)}: {error}", "update Foreword, or run: foreword reindex"
        ) from error
    except sqlite3.DatabaseError as error:
        # A read-only disk: what is indexed can still be read.
        if not schema.is_unwritable(error):
            raise BusyError(f"the index of {folder} is busy: {error}", "try again") from error
    if looked is not None:
        looked.add(folder)

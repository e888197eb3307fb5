"""Deletes that wait: ten seconds in which they can be taken back, then they are final.

What waits is kept in memory alone. A timer carries it out, whether or not a page is asked for, and
`finish` what is left when the view ends: the user has asked for it to be gone.
"""

import math
import threading
import time

from foreword import memory
from foreword.errors import ForewordError, NotFoundError

DELAY_S = 10.0


def _erase(place, memory_id):
    memory.delete(place, [memory_id])


def _titled(place, memory_id):
    try:
        return memory.read(place, memory_id)["title"] or memory_id
    except ForewordError:
        return memory_id  # damaged: it can be deleted all the same


def _alarm(delay_s, call):
    """Call once, later, in a thread of its own that does not hold up the end of the program."""
    timer = threading.Timer(delay_s, call)
    timer.daemon = True
    timer.start()
    return timer


class Pending:
    """Deletes by (project, id). `delete(place, id)` carries one out, `clock()` gives seconds, `alarm(seconds,
    call)` calls later and gives something with `cancel()`."""

    def __init__(self, delete=_erase, delay_s=DELAY_S, clock=time.monotonic, alarm=_alarm):
        self._delete, self._delay_s, self._clock, self._alarm = delete, delay_s, clock, alarm
        self._waiting = {}  # (home, project's name, id) -> (number, deadline, place, title, what alarm gave)
        self._added = 0
        self._failed = []
        self._lock = threading.Lock()
        self._at_work = threading.Lock()  # held while something is deleted, so that `finish` waits for it

    def add(self, place, memory_id, title=""):
        """Delete it in a while; the deadline on the clock. A second time changes nothing."""
        key = (place.home, place.name, memory_id)
        title = title or _titled(place, memory_id)
        with self._lock:
            if key not in self._waiting:
                self._added += 1
                number, deadline = self._added, self._clock() + self._delay_s
                alarm = self._alarm(self._delay_s, lambda: self._carry_out(number))
                self._waiting[key] = (number, deadline, place, title, alarm)
            return self._waiting[key][1]

    def keep(self, memory_id):
        """Take a delete back: whether it was still waiting."""
        with self._lock:
            found = [key for key in self._waiting if key[2] == memory_id]
            for key in found:
                self._waiting.pop(key)[-1].cancel()
        return bool(found)

    def all(self):
        """[{"project", "id", "title", "left_s"}] of what waits, the oldest first; seconds are whole ones."""
        now = self._clock()
        with self._lock:
            return [
                {"project": key[1], "id": key[2], "title": title, "left_s": max(0, math.ceil(deadline - now))}
                for key, (_, deadline, _, title, _) in self._waiting.items()
            ]

    def failures(self):
        """[(title, why)] of deletes that failed and that nobody was told of yet."""
        with self._lock:
            told, self._failed = self._failed, []
        return told

    def finish(self):
        """Carry out all that waits, at the end; [(title, why it failed or "")], the oldest first."""
        return self._carry_out()

    def _carry_out(self, number=None):
        """The same with the one of that number alone: it is due, whatever a clock says that was put back."""
        done = []
        with self._at_work:
            with self._lock:
                due = [key for key, entry in self._waiting.items() if number in (None, entry[0])]
                entries = [(key[2], self._waiting.pop(key)) for key in due]
            for memory_id, (_, _, place, title, alarm) in entries:
                alarm.cancel()
                done.append((title, self._deleted(place, memory_id)))
        with self._lock:
            self._failed += [(title, why) for title, why in done if why]
        return done

    def _deleted(self, place, memory_id):
        try:
            self._delete(place, memory_id)
        except NotFoundError:
            return ""  # somebody else was quicker
        except ForewordError as error:
            return error.message
        except OSError as error:
            return error.strerror or str(error)
        return ""

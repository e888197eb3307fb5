"""Deletes that wait: ten seconds in which they can be taken back, then they are final.

What waits is kept in memory alone. One timer carries out what is due, whether or not a page is asked for,
and `finish` what is left when the view ends: the user has asked for it to be gone. What became of each is
kept until it was told, and a delete that failed until somebody has seen to it.
"""

import math
import threading
import time

from foreword import memory
from foreword.errors import DONE, ForewordError, NotFoundError
from foreword.memory.find import locate
from foreword.web import wrong

DELAY_S = 10.0
MORE_S = 60.0  # by which who needs more time makes one wait longer
KNOWN = 100  # entries kept of which nothing is left to do
NAMED = 60  # characters of a title by which a button is told from others

# What an entry is at. LEFT: its files are deleted, its words may still stand in an index.
WAITING, AT_WORK, GONE, LEFT, FAILED, KEPT = "waiting", "at work", "gone", "left", "failed", "kept"


def _erase(place, ids):
    return list(memory.delete(place, ids).again)


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


class Entry:
    """One delete. number: of this run; deadline: on Pending's clock; why, hint, code: of one that failed, in
    words, with the exit code; again: ids that stand again, for nothing supersedes them now."""

    def __init__(self, number, place, memory_id, title, deadline):
        self.number, self.place, self.id = number, place, memory_id
        self.title, self.deadline = title, deadline
        self.state, self.why, self.hint, self.code, self.again = WAITING, "", "", DONE, ()
        self.is_told = False


class Pending:
    """Deletes by project and id. `delete(place, ids)` carries some out and gives the ids that stand again,
    `clock()` gives seconds, `alarm(seconds, call)` calls later and gives something with `cancel()`."""

    def __init__(self, delete=_erase, delay_s=DELAY_S, clock=time.monotonic, alarm=_alarm):
        self._delete, self._delay_s, self._clock, self._alarm = delete, delay_s, clock, alarm
        self._entries = {}  # number -> Entry, the oldest first
        self._latest = {}  # (home, project's name, id) -> the last Entry of it
        self._added = 0
        self._set_for, self._timer = None, None  # the deadline that the timer is set for, and what cancels it
        self._lock = threading.Lock()
        self._at_work = threading.Lock()  # held while something is deleted, so that `finish` waits for it

    def add(self, place, memory_id, title=""):
        """Delete it in a while; the deadline on the clock. A second time changes nothing."""
        title = title or _titled(place, memory_id)
        with self._lock:
            found = self._latest.get(_key(place, memory_id))
            if found is None or found.state not in (WAITING, AT_WORK):
                if found is not None:
                    found.is_told = True  # that it failed is not the last word
                self._added += 1
                deadline = self._clock() + self._delay_s
                found = Entry(self._added, place, memory_id, title, deadline)
                self._entries[found.number] = self._latest[_key(place, memory_id)] = found
                self._forget()
                self._set_timer()
            return found.deadline

    def keep(self, place, memory_id):
        """Take a delete back: whether it was still waiting."""
        with self._lock:
            found = self._latest.get(_key(place, memory_id))
            if found is None or found.state != WAITING:
                return False
            found.state, found.is_told = KEPT, True
            self._set_timer()
        return True

    def lengthen(self, place, memory_id, more_s=MORE_S):
        """Let one wait longer: whether it was still waiting."""
        with self._lock:
            found = self._latest.get(_key(place, memory_id))
            if found is None or found.state != WAITING:
                return False
            found.deadline = max(found.deadline, self._clock()) + more_s
            self._set_timer()
        return True

    def dismiss(self, number):
        """Take note of one that failed: it is not told any more. Whether there was one."""
        with self._lock:
            found = self._entries.get(number)
            if found is None or found.state not in (FAILED, LEFT) or found.is_told:
                return False
            found.is_told = True
        return True

    def state(self, place, memory_id):
        """(what the last delete of a memory is at, why it failed); ("", "") where there was none."""
        with self._lock:
            found = self._latest.get(_key(place, memory_id))
            return (found.state, found.why) if found else ("", "")

    def waits(self, place, memory_id):
        """Whether it is about to be deleted."""
        return self.state(place, memory_id)[0] in (WAITING, AT_WORK)

    def all(self):
        """What waits or is at work, the oldest first, as `rows` gives it."""
        with self._lock:
            return [self._row(entry) for entry in self._entries.values() if entry.state in (WAITING, AT_WORK)]

    def rows(self, numbers=()):
        """What a page tells, the oldest first: [{"number", "project", "id", "title", "name", "state",
        "left_s", "why", "hint", "again"}], left_s in whole seconds; name: a short title, unlike any other.

        All that waits or is at work, what failed until it was dismissed, what is gone one time; and those of
        these numbers, whatever became of them.
        """
        with self._lock:
            found = [e for e in self._entries.values() if not e.is_told or e.number in numbers]
            for entry in found:
                entry.is_told = entry.is_told or entry.state == GONE
            rows = [self._row(entry) for entry in found]
        names = [row["name"] for row in rows]
        for row in rows:
            if names.count(row["name"]) > 1:
                row["name"] += f" ({row['id']})"
        return rows

    def finish(self, tell=lambda entry: None):
        """Carry out all that waits, at the end; `tell` is called with each Entry as it is done."""
        self._carry_out(None, tell)

    def failed(self):
        """[Entry] of those that failed and that nobody dismissed."""
        with self._lock:
            return [e for e in self._entries.values() if e.state in (FAILED, LEFT) and not e.is_told]

    def interrupted(self):
        """[(Entry, whether its files are there)] of what was not carried out to its end."""
        left = [entry for entry in self._entries.values() if entry.state in (WAITING, AT_WORK)]
        return [(entry, entry.state == WAITING or _is_there(entry.place, entry.id)) for entry in left]

    def _row(self, entry):
        left = max(0, math.ceil(entry.deadline - self._clock())) if entry.state == WAITING else 0
        title = " ".join(entry.title.split())
        name = title if len(title) <= NAMED else title[: NAMED - 1].rstrip() + "…"
        return {
            "number": entry.number, "project": entry.place.name, "id": entry.id, "title": entry.title,
            "name": name, "state": entry.state, "left_s": left, "why": entry.why, "hint": entry.hint,
            "again": list(entry.again),
        }  # fmt: skip

    def _forget(self):
        """Drop the oldest of which nothing is left to tell; with the lock held."""
        over = len(self._entries) - KNOWN
        for entry in [e for e in self._entries.values() if e.is_told][: max(0, over)]:
            del self._entries[entry.number]
            if self._latest.get(_key(entry.place, entry.id)) is entry:
                del self._latest[_key(entry.place, entry.id)]

    def _set_timer(self):
        """Set the timer for what is due next; with the lock held."""
        due = min((e.deadline for e in self._entries.values() if e.state == WAITING), default=None)
        if due == self._set_for:
            return
        if self._timer is not None:
            self._timer.cancel()
        self._set_for, self._timer = None, None
        if due is not None:
            self._timer = self._alarm(max(0.0, due - self._clock()), lambda: self._ring(due))
            self._set_for = due

    def _ring(self, due):
        # What the timer was set for is due, whatever the clock says: it may have been put back.
        self._carry_out(max(due, self._clock()))
        with self._lock:
            self._set_timer()

    def _carry_out(self, due, tell=lambda entry: None):
        """Delete what waits and is due by then (None: all of it), a project's at once."""
        with self._at_work:
            with self._lock:
                found = [e for e in self._entries.values() if e.state == WAITING]
                found = [e for e in found if due is None or e.deadline <= due]
                for entry in found:
                    entry.state = AT_WORK
            projects = {}
            for entry in found:
                projects.setdefault((entry.place.home, entry.place.name), []).append(entry)
            for entries in projects.values():
                for entry, (state, *rest) in self._outcomes(entries):
                    with self._lock:
                        entry.why, entry.hint, entry.code, entry.again = rest
                        entry.state = state
                    tell(entry)

    def _outcomes(self, entries):
        """(Entry, (state, why, hint, code, again)) of each of one project's, as it is done."""
        first: Exception | None = None
        if len(entries) > 1:
            try:
                again = self._delete(entries[0].place, [entry.id for entry in entries])
            except Exception as error:  # noqa: BLE001  each by itself then, which says whose it is
                first = error
            else:
                for entry in entries:
                    yield entry, (GONE, "", "", DONE, again)
                    again = ()  # said once
                return
        for entry in entries:
            yield entry, self._outcome(entry, first)

    def _outcome(self, entry, first):
        """What becomes of one; `first`: what went wrong when it was deleted with others."""
        wrong_with = first
        # Where its files went with the others', nothing but what `first` says is left to do.
        if first is None or isinstance(first, NotFoundError) or _is_there(entry.place, entry.id):
            try:
                return (GONE, "", "", DONE, self._delete(entry.place, [entry.id]))
            except NotFoundError:
                return (GONE, "", "", DONE, ())  # somebody else was quicker
            except Exception as error:  # noqa: BLE001  one that fails must not take the others along
                wrong_with = error
        why, hint, code = wrong.told(wrong_with)
        if wrong.is_bug(wrong_with):
            wrong.show(wrong_with)
        if _is_there(entry.place, entry.id):
            return (FAILED, why, hint, code, ())
        return (LEFT, why, hint if isinstance(wrong_with, ForewordError) else "foreword reindex", code, ())


def _key(place, memory_id):
    return place.home, place.name, memory_id


def _is_there(place, memory_id):
    """Whether a memory's file is, or may be: nobody is told that it is gone who cannot know."""
    try:
        locate(place, memory_id, deleted=True)
    except NotFoundError:
        return False
    except Exception:  # noqa: BLE001
        return True
    return True

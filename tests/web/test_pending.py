"""Deletes that wait: taken back they never happened, not taken back they are final; what fails is told."""

import os
import sqlite3
import threading

import pytest

from foreword import memory
from foreword.errors import BUG, BUSY, BusyError, ForewordError, NotFoundError
from foreword.memory import change
from foreword.web.pending import (
    AT_WORK,
    DELAY_S,
    FAILED,
    GONE,
    KEPT,
    KNOWN,
    LEFT,
    MORE_S,
    WAITING,
    Pending,
)
from web.conftest import Alarms

PATIENCE_S = 60


class Clock:
    """Seconds that pass when a test says so."""

    now = 1000.0

    def __call__(self):
        return self.now


@pytest.fixture
def saved(place):
    """A fact that is in the store."""
    return memory.save(place, "Geese guard the barn.", title="Geese")["id"]


@pytest.fixture
def other(place):
    """Another one."""
    return memory.save(place, "Ducks do not.", title="Ducks")["id"]


def is_there(place, memory_id):
    try:
        return os.path.exists(memory.read(place, memory_id)["path"])
    except NotFoundError:
        return False


def erase(place, ids):
    memory.delete(place, ids)
    return ()


def finished(pending):
    """[(title, state)] of what the end carries out, as it is told."""
    told = []
    pending.finish(lambda entry: told.append((entry.title, entry.state)))
    return told


def told(pending):
    """[(title, state)] of what the next page shows."""
    return [(row["title"], row["state"]) for row in pending.rows()]


# -- waiting -----------------------------------------------------------------------------------


def test_what_waits_is_there_and_told_with_its_title_and_the_seconds_left(place, saved):
    clock = Clock()
    pending = Pending(alarm=Alarms(), clock=clock)
    assert pending.add(place, saved) == 1000.0 + DELAY_S == 1010.0
    clock.now = 1002.5
    row = pending.all()[0]
    assert (row["project"], row["id"], row["title"], row["left_s"]) == (place.name, saved, "Geese", 8)
    assert row["state"] == WAITING and pending.waits(place, saved)
    clock.now = 1011.0
    assert pending.all()[0]["left_s"] == 0
    assert is_there(place, saved)


def test_a_second_click_does_not_make_it_wait_longer(place, saved):
    clock, alarms = Clock(), Alarms()
    pending = Pending(alarm=alarms, clock=clock)
    pending.add(place, saved)
    clock.now = 1005.0
    assert pending.add(place, saved) == 1010.0
    assert len(alarms) == 1


def test_after_the_delay_it_is_gone_for_good_and_told_once(place, saved):
    alarms = Alarms()
    pending = Pending(alarm=alarms)
    pending.add(place, saved)
    alarms.ring()
    assert not is_there(place, saved)
    assert pending.all() == []
    assert not pending.keep(place, saved)
    assert pending.failed() == []
    assert told(pending) == [("Geese", GONE)]
    assert told(pending) == []


def test_what_was_taken_back_stays_whatever_its_timer_does(place, saved):
    alarms = Alarms()
    pending = Pending(alarm=alarms)
    pending.add(place, saved)
    assert pending.keep(place, saved)
    alarms.ring()
    assert is_there(place, saved)
    assert told(pending) == finished(pending) == []
    assert not pending.keep(place, saved)


def test_the_timer_of_a_delete_that_was_taken_back_does_not_cut_a_later_one_short(place, saved):
    alarms, clock = Alarms(), Clock()
    pending = Pending(alarm=alarms, clock=clock)
    pending.add(place, saved)
    pending.keep(place, saved)
    clock.now += 1
    pending.add(place, saved)
    alarms[0]()
    assert is_there(place, saved)
    alarms[1]()
    assert not is_there(place, saved)


def test_each_is_carried_out_when_its_own_time_comes_by_one_timer(place, saved, other):
    alarms, clock = Alarms(), Clock()
    pending = Pending(alarm=alarms, clock=clock)
    pending.add(place, saved)
    clock.now += 1
    pending.add(place, other)
    assert len(alarms) == 1
    alarms[0]()
    assert [one["id"] for one in pending.all()] == [other]
    assert is_there(place, other)
    assert len(alarms) == 2
    alarms[1]()
    assert not is_there(place, other)


def test_who_needs_more_time_gets_it(place, saved, other):
    alarms, clock = Alarms(), Clock()
    pending = Pending(alarm=alarms, clock=clock)
    pending.add(place, saved)
    pending.add(place, other)
    assert pending.lengthen(place, saved)
    assert {row["id"]: row["left_s"] for row in pending.all()} == {saved: 10 + MORE_S, other: 10}
    alarms[-1]()
    assert (is_there(place, saved), is_there(place, other)) == (True, False)
    alarms[-1]()
    assert not is_there(place, saved)
    assert not pending.lengthen(place, saved)
    assert not pending.lengthen(place, "20200101-000000-0000")


def test_a_real_timer_carries_it_out_without_anybody_asking(place, saved):
    done = threading.Event()

    def delete(place, ids):
        memory.delete(place, ids)
        done.set()
        return ()

    Pending(delete, delay_s=0.01).add(place, saved)
    assert done.wait(PATIENCE_S)
    assert not is_there(place, saved)


def test_one_timer_thread_is_enough_for_many(place, saved):
    threads = threading.active_count()
    pending = Pending(delay_s=PATIENCE_S)
    for n in range(50):
        pending.add(place, f"20200101-000000-00{n:02}", title=f"Title {n}")
    assert threading.active_count() == threads + 1
    for row in pending.all():
        pending.keep(place, row["id"])


def test_the_same_id_in_two_projects_are_two_deletes(place, saved, tmp_path, home):
    (tmp_path / "barn").mkdir()
    barn = memory.open_project(str(tmp_path / "barn"), home, create=True)
    pending = Pending(alarm=Alarms())
    pending.add(place, saved)
    pending.add(barn, saved, title="Geese")
    assert pending.keep(barn, saved)
    assert [row["project"] for row in pending.all()] == [place.name]


def test_two_of_one_title_have_names_that_differ(place):
    pending = Pending(alarm=Alarms())
    for memory_id, title in (("20200101-000000-0001", "x" * 90), ("20200101-000000-0002", "x" * 80)):
        pending.add(place, memory_id, title=title)
    pending.add(place, "20200101-000000-0003", title="y")
    names = [row["name"] for row in pending.rows()]
    assert len(set(names)) == 3 and all(len(name) < 90 for name in names)
    assert names[2] == "y"


# -- at work, done, failed ---------------------------------------------------------------------


def test_a_delete_that_is_at_work_is_told_as_such_and_is_too_late_to_take_back(place, saved):
    seen = []

    def delete(place, ids):
        seen.append((pending.state(place, saved)[0], pending.keep(place, saved), told(pending)))
        assert pending.add(place, saved)  # and another click starts no other
        return erase(place, ids)

    alarms = Alarms()
    pending = Pending(delete, alarm=alarms)
    pending.add(place, saved)
    alarms.ring()
    assert seen == [(AT_WORK, False, [("Geese", AT_WORK)])]
    assert pending.state(place, saved) == (GONE, "")


def test_a_page_that_showed_one_hears_what_became_of_it_whoever_was_told(place, saved, other):
    alarms = Alarms()
    pending = Pending(alarm=alarms)
    pending.add(place, saved)
    pending.add(place, other)
    pending.keep(place, other)
    alarms.ring()
    assert told(pending) == [("Geese", GONE)]
    assert [(row["number"], row["state"]) for row in pending.rows({1, 2})] == [(1, GONE), (2, KEPT)]


def test_what_stands_again_is_told_with_what_is_gone(place):
    old = memory.save(place, "Port 5432.", title="Port")["id"]
    new = memory.save(place, "Port 5433.", title="Port")["id"]
    alarms = Alarms()
    pending = Pending(alarm=alarms)
    pending.add(place, new)
    alarms.ring()
    assert pending.rows()[0]["again"] == [old]


def test_what_somebody_else_deleted_meanwhile_is_no_failure(place, saved):
    pending = Pending(alarm=Alarms())
    pending.add(place, saved)
    memory.delete(place, [saved])
    assert finished(pending) == [("Geese", GONE)]
    assert pending.failed() == []


@pytest.mark.parametrize(
    ("error", "why", "hint", "code"),
    [
        (BusyError("the store is held", "try again"), "the store is held", "try again", BUSY),
        (OSError(28, "No space left on device", "/x y"), "/x y: No space left on device", "df '/x y'", 2),
        (OSError(30, "Read-only file system", b"/x/\xff"), "/x/\\xff: Read-only file system",
         "foreword doctor", 2),
        (OSError(21, "Is a directory", 8), "Is a directory", "foreword doctor", 2),
        (sqlite3.OperationalError("disk I/O error"), "an index of the store cannot be read or written: "
         "disk I/O error", "foreword doctor", 2),
    ],
)  # fmt: skip
def test_a_delete_that_failed_is_told_until_somebody_dismisses_it(place, saved, error, why, hint, code):
    def delete(place, ids):
        raise error

    alarms = Alarms()
    pending = Pending(delete, alarm=alarms)
    pending.add(place, saved)
    alarms.ring()
    for _ in range(3):
        row = pending.rows()[0]
        assert (row["state"], row["why"], row["hint"]) == (FAILED, why, hint)
    assert pending.state(place, saved) == (FAILED, why)
    assert [entry.code for entry in pending.failed()] == [code]
    assert pending.all() == []
    assert pending.dismiss(row["number"])
    assert not pending.dismiss(row["number"])
    assert pending.rows() == [] == pending.failed()
    assert not pending.dismiss(77)


def test_a_delete_that_failed_can_be_tried_again(place, saved):
    errors = [BusyError("the store is held", "try again")]

    def delete(place, ids):
        if errors:
            raise errors.pop()
        return erase(place, ids)

    alarms = Alarms()
    pending = Pending(delete, alarm=alarms)
    pending.add(place, saved)
    alarms.ring()
    assert told(pending) == [("Geese", FAILED)]
    pending.add(place, saved)
    assert told(pending) == [("Geese", WAITING)]
    alarms.ring()
    assert told(pending) == [("Geese", GONE)]
    assert pending.failed() == []


def test_a_bug_in_one_delete_does_not_take_the_others_along(place, saved, other, capsys):
    def delete(place, ids):
        if saved in ids:
            raise KeyError("a bug")
        return erase(place, ids)

    alarms = Alarms()
    pending = Pending(delete, alarm=alarms, clock=Clock())
    pending.add(place, saved)
    pending.add(place, other)
    alarms.ring()
    assert told(pending) == [("Geese", FAILED), ("Ducks", GONE)]
    assert [entry.code for entry in pending.failed()] == [BUG]
    assert "KeyError: 'a bug'" in capsys.readouterr().err
    third = memory.save(place, "Hens peck.", title="Hens")["id"]
    pending.add(place, third)
    alarms.ring()  # the timer lives on
    assert not is_there(place, third)


@pytest.mark.parametrize("alone", [True, False])
def test_files_that_are_gone_while_words_may_still_stand_in_the_index_are_told_so(place, saved, other, alone):
    def delete(place, ids):
        memory.delete(place, ids)
        raise ForewordError("the files are deleted, but words may stand", "foreword reindex", exit_code=BUSY)

    alarms = Alarms()
    pending = Pending(delete, alarm=alarms, clock=Clock())
    for memory_id in [saved] if alone else [saved, other]:
        pending.add(place, memory_id)
    alarms.ring()
    for row in pending.rows():
        assert (row["state"], row["hint"]) == (LEFT, "foreword reindex")
        assert row["why"] == "the files are deleted, but words may stand"
    assert [entry.code for entry in pending.failed()] == [BUSY] * (1 if alone else 2)


def test_a_disk_that_fails_when_the_files_are_gone_asks_for_a_new_index(place, saved):
    def delete(place, ids):
        memory.delete(place, ids)
        raise OSError(5, "Input/output error", "/x")

    pending = Pending(delete, alarm=Alarms())
    pending.add(place, saved)
    assert finished(pending) == [("Geese", LEFT)]
    assert pending.rows()[0]["hint"] == "foreword reindex"


def test_a_store_that_somebody_holds_is_no_deleted_memory(place, saved, monkeypatch):
    monkeypatch.setattr(change, "LOCK_S", 0.05)
    pending = Pending(alarm=Alarms())
    pending.add(place, saved)
    with change.locked(place.home):
        assert finished(pending) == [("Geese", FAILED)]
    assert is_there(place, saved)
    assert "another Foreword holds" in pending.rows()[0]["why"]


def test_a_memory_that_cannot_be_read_is_told_by_its_id(place, saved):
    path = memory.read(place, saved)["path"]
    os.remove(path)
    os.mkdir(path)
    pending = Pending(alarm=Alarms())
    pending.add(place, saved)
    assert pending.all()[0]["title"] == saved


def test_of_what_was_told_only_the_latest_are_known(place):
    pending = Pending(lambda place, ids: (), alarm=Alarms(), clock=Clock())
    for n in range(KNOWN + 50):
        pending.add(place, f"20200101-000000-{n:04}", title="x")
        pending.finish()
        pending.rows()
    assert len(pending.rows(range(1_000))) <= KNOWN
    assert pending.state(place, "20200101-000000-0000") == ("", "")


# -- the end -----------------------------------------------------------------------------------


def test_at_the_end_all_that_waits_is_carried_out_at_once_and_told_each(place, saved, other):
    calls = []

    def delete(place, ids):
        calls.append(ids)
        return erase(place, ids)

    pending = Pending(delete, alarm=Alarms())
    pending.add(place, saved)
    pending.add(place, other)
    assert finished(pending) == [("Geese", GONE), ("Ducks", GONE)]
    assert calls == [[saved, other]]
    assert not is_there(place, saved)
    assert not is_there(place, other)
    assert finished(pending) == []


def test_where_all_at_once_fails_each_is_tried_by_itself(place, saved, other):
    memory.delete(place, [other])  # unknown now: memory.delete does nothing at all then
    pending = Pending(alarm=Alarms(), clock=Clock())
    pending.add(place, saved, title="Geese")
    pending.add(place, other, title="Ducks")
    assert finished(pending) == [("Geese", GONE), ("Ducks", GONE)]
    assert not is_there(place, saved)


def test_the_end_waits_for_a_delete_that_is_under_way(place, saved):
    started, go_on, gone = threading.Event(), threading.Event(), []

    def delete(place, ids):
        started.set()
        assert go_on.wait(PATIENCE_S)
        gone.extend(ids)
        return ()

    pending = Pending(delete, delay_s=0.01)
    pending.add(place, saved)
    assert started.wait(PATIENCE_S)
    ending = threading.Thread(target=pending.finish)
    ending.start()
    ending.join(0.05)
    assert ending.is_alive()
    go_on.set()
    ending.join(PATIENCE_S)
    assert gone == [saved]


class Stopped(BaseException):
    pass


def test_who_ends_it_in_the_middle_is_told_what_is_left(place, saved, other, tmp_path, home):
    (tmp_path / "barn").mkdir()
    barn = memory.open_project(str(tmp_path / "barn"), home, create=True)
    third = memory.save(barn, "Hens peck.", title="Hens")["id"]

    def delete(place, ids):
        if saved in ids:
            memory.delete(place, [saved])
        raise Stopped

    pending = Pending(delete, alarm=Alarms())
    for at, memory_id in ((place, saved), (place, other), (barn, third)):
        pending.add(at, memory_id)
    with pytest.raises(Stopped):
        pending.finish()
    left = {entry.title: is_there for entry, is_there in pending.interrupted()}
    assert left == {"Geese": False, "Ducks": True, "Hens": True}

"""Deletes that wait: taken back they never happened, not taken back they are final."""

import os
import threading

import pytest

from foreword import memory
from foreword.errors import NotFoundError
from foreword.web.pending import DELAY_S, Pending
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


def is_there(place, memory_id):
    try:
        return os.path.exists(memory.read(place, memory_id)["path"])
    except NotFoundError:
        return False


def test_what_waits_is_there_and_told_with_its_title_and_the_seconds_left(place, saved):
    clock = Clock()
    pending = Pending(alarm=Alarms(), clock=clock)
    assert pending.add(place, saved) == 1000.0 + DELAY_S == 1010.0
    clock.now = 1002.5
    assert pending.all() == [{"project": place.name, "id": saved, "title": "Geese", "left_s": 8}]
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


def test_after_the_delay_it_is_gone_for_good(place, saved):
    alarms = Alarms()
    pending = Pending(alarm=alarms)
    pending.add(place, saved)
    alarms.ring()
    assert not is_there(place, saved)
    assert pending.all() == []
    assert not pending.keep(saved)
    assert pending.failures() == []


def test_what_was_taken_back_stays_whatever_its_timer_does(place, saved):
    alarms = Alarms()
    pending = Pending(alarm=alarms)
    pending.add(place, saved)
    assert pending.keep(saved)
    alarms.ring()
    assert is_there(place, saved)
    assert pending.all() == []
    assert pending.finish() == []


def test_the_timer_of_a_delete_that_was_taken_back_does_not_cut_a_later_one_short(place, saved):
    alarms = Alarms()
    pending = Pending(alarm=alarms)
    pending.add(place, saved)
    pending.keep(saved)
    pending.add(place, saved)
    alarms[0]()
    assert is_there(place, saved)
    alarms[1]()
    assert not is_there(place, saved)


def test_each_is_carried_out_when_its_own_time_comes(place, saved):
    other = memory.save(place, "Ducks do not.", title="Ducks")["id"]
    alarms = Alarms()
    pending = Pending(alarm=alarms)
    pending.add(place, saved)
    pending.add(place, other)
    alarms[0]()
    assert [one["id"] for one in pending.all()] == [other]
    assert is_there(place, other)


def test_a_real_timer_carries_it_out_without_anybody_asking(place, saved):
    done = threading.Event()

    def delete(place, memory_id):
        memory.delete(place, [memory_id])
        done.set()

    Pending(delete, delay_s=0.01).add(place, saved)
    assert done.wait(PATIENCE_S)
    assert not is_there(place, saved)


def test_at_the_end_all_that_waits_is_carried_out_and_told(place, saved):
    other = memory.save(place, "Ducks do not.", title="Ducks")["id"]
    pending = Pending()
    pending.add(place, saved)
    pending.add(place, other)
    assert pending.finish() == [("Geese", ""), ("Ducks", "")]
    assert not is_there(place, saved)
    assert not is_there(place, other)
    assert pending.finish() == []


def test_the_end_waits_for_a_delete_that_is_under_way(place, saved):
    started, go_on, gone = threading.Event(), threading.Event(), []

    def delete(place, memory_id):
        started.set()
        assert go_on.wait(PATIENCE_S)
        gone.append(memory_id)

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


def test_what_somebody_else_deleted_meanwhile_is_no_failure(place, saved):
    pending = Pending(alarm=Alarms())
    pending.add(place, saved)
    memory.delete(place, [saved])
    assert pending.finish() == [("Geese", "")]
    assert pending.failures() == []


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (memory.edit.ForewordError("the index is busy", "try again"), "the index is busy"),
        (OSError(28, "No space left on device"), "No space left on device"),
    ],
)
def test_a_delete_that_failed_is_told_once(place, saved, error, told):
    def delete(place, memory_id):
        raise error

    alarms = Alarms()
    pending = Pending(delete, alarm=alarms)
    pending.add(place, saved)
    alarms.ring()
    assert pending.failures() == [("Geese", told)]
    assert pending.failures() == []
    assert pending.all() == []


def test_a_memory_that_cannot_be_read_is_told_by_its_id(place, saved):
    path = memory.read(place, saved)["path"]
    os.remove(path)
    os.mkdir(path)
    pending = Pending(alarm=Alarms())
    pending.add(place, saved)
    assert pending.all()[0]["title"] == saved

"""One at a time: who waits is told so, and gets the turn though its file and folder are made anew."""

import os
import threading

import pytest

from foreword import files
from foreword.edit import plan, turn
from foreword.errors import BUSY, BusyError

pytestmark = pytest.mark.filterwarnings("error")


@pytest.fixture
def home(tmp_path):
    return str(tmp_path / "store")


@pytest.fixture
def impatient(monkeypatch):
    """Who waits is told so at once."""
    monkeypatch.setattr(turn, "TOLD_S", 0.0)


def test_a_turn_leaves_nothing_where_nothing_was_there_and_no_record_was_written(home, tmp_path):
    with turn.turn(home, pytest.fail):
        assert os.path.isdir(os.path.join(home, "state", "installs"))
    assert sorted(os.listdir(tmp_path)) == ["cwd", "home"]


def test_folders_that_were_there_stay_and_so_does_a_record(home):
    os.makedirs(os.path.join(home, "state"))
    with turn.turn(home, pytest.fail):
        pass
    assert os.listdir(home) == ["state"]
    with turn.turn(home, pytest.fail):
        plan.save_records(home, "zed", {"x": {}})
    with turn.turn(home, pytest.fail):
        assert plan.records(home, "zed") == {"x": {}}


def test_a_turn_is_given_back_when_something_goes_wrong(home):
    with pytest.raises(ZeroDivisionError), turn.turn(home, pytest.fail):
        raise ZeroDivisionError
    with turn.turn(home, pytest.fail):
        pass


def test_who_waited_has_the_turn_though_the_other_took_the_file_and_the_folder_away(home, impatient):
    """Else a third one would make a new file, and have the turn as well."""
    waits, is_held = threading.Event(), []
    others = []

    def other():
        with turn.turn(home, lambda line: (others.append(line), waits.set())):
            lock = files.Lock(os.path.join(home, "state", "installs"), wait_s=0)
            is_held.append(lock.__enter__())
            lock.__exit__()

    thread = threading.Thread(target=other)
    with turn.turn(home, pytest.fail):
        thread.start()
        assert waits.wait(60)
    thread.join(60)
    assert (others, is_held) == ([turn.WAITING], [False])
    assert not os.path.exists(home)


def test_who_waits_too_long_is_told_that_nothing_was_changed(home, impatient, monkeypatch):
    monkeypatch.setattr(turn, "WAIT_S", 0.0)
    with turn.turn(home, pytest.fail):
        with pytest.raises(BusyError, match="nothing was changed") as caught, turn.turn(home, print):
            pass
        assert caught.value.exit_code == BUSY
        assert os.path.exists(os.path.join(home, "state", "installs", ".lock"))

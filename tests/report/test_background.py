"""report.json is written in the background, by the worker that hooks start."""

import os
import subprocess
import sys

import pytest

from foreword import memory, paths
from foreword.report import made
from report import logs


@pytest.fixture
def place(tmp_path):
    """A project with a fact, a client session with a log, and a prompt of it."""
    (tmp_path / "shop").mkdir()
    memory.save(memory.open_project(str(tmp_path / "shop")), "The gateway gives up after thirty seconds.")
    place = memory.open_project(str(tmp_path / "shop"))
    logs.claude(tmp_path / "home", "aaaa1111", day=4)
    logs.prompts(place.folder, "aaaa1111", day=4)
    return place


def work(place):
    """Run the worker as hooks start it. It never prints, and leaves no line in the log."""
    command = [sys.executable, "-I", "-m", "foreword.worker", place.home, place.name, "catch-up"]
    done = subprocess.run(command, capture_output=True, check=True)
    assert (done.stdout, done.stderr) == (b"", b"")
    assert not os.path.exists(paths.hook_log(place.home))


def test_the_worker_writes_it_where_there_is_none(place):
    work(place)
    assert made.load(place.home, place.name)["sessions"]["counted"] == 1


def test_it_is_written_again_only_after_an_hour(place):
    work(place)
    path = os.path.join(place.folder, "report.json")
    made_at = os.stat(path).st_mtime
    logs.prompts(place.folder, "aaaa1111", day=4)
    work(place)
    assert made.load(place.home, place.name)["use"]["prompts"] == 1
    os.utime(path, (made_at - made.EVERY_S - 1,) * 2)
    work(place)
    assert made.load(place.home, place.name)["use"]["prompts"] == 2


def test_without_a_prompt_nothing_is_counted(place):
    os.unlink(os.path.join(place.folder, "prompts.log"))
    work(place)
    assert made.load(place.home, place.name) is None
    assert not os.path.exists(os.path.join(place.folder, "report.sqlite"))


def test_prices_that_cannot_be_used_are_none_for_it_since_nobody_is_there_to_be_told(place):
    with open(os.path.join(place.home, "prices.toml"), "w", encoding="utf-8") as f:
        f.write("date = soon\n")
    work(place)
    assert made.load(place.home, place.name)["prices"] is None

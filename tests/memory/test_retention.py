"""Retention: what it takes, and that all of it comes back."""

import os

import pytest

from foreword import memory
from foreword.errors import ForewordError, NotFoundError
from foreword.memory import retention

from .conftest import log
from .test_browse import DAY, NOW, cite, note


def configure(place, text):
    os.makedirs(place.home, exist_ok=True)
    with open(os.path.join(place.home, "config.toml"), "w", encoding="utf-8") as f:
        f.write(text)


@pytest.fixture
def stale(place):
    """A function: a note so many days old that cites a file which is gone; its id."""
    cited = cite(place, "src/gone.py")

    def make(days, **fields):
        return note(place, f"old {days} {fields}", days, files=[cited], **fields)

    os.unlink(os.path.join(place.root, "src/gone.py"))
    return make


def ids(rows):
    return [row["id"] for row in rows]


def test_it_is_off_by_default(place, stale):
    stale(1_000)
    with pytest.raises(ForewordError, match="no age is set"):
        retention.planned(place, now=NOW)
    assert retention.run_by_itself(place, NOW) == []
    assert len(memory.list_memories(place)) == 1


def test_what_is_old_out_of_date_and_was_never_opened_goes_and_nothing_else(place, stale):
    same = cite(place, "src/same.py")
    goes = [stale(400), stale(200)]
    opened = stale(300)
    stale(100)
    stale(500, offer="always")
    note(place, "stands", 400, files=[same])
    note(place, "cites nothing", 400)
    log(place, {"time": "2026-11-30T10:00:00.000000Z", "ids": [opened]})
    memory.note_opened(place, opened)
    rows = retention.planned(place, 180, now=NOW)
    assert ids(rows) == goes
    assert rows[0]["why"] == "DELETED: src/gone.py"


def test_facts_go_only_where_the_setting_names_them(place, stale):
    configure(place, 'retention.days = 180\nretention.types = ["fact"]\n')
    stale(400)
    assert retention.planned(place, now=NOW) == []
    configure(place, 'retention.days = 180\nretention.types = ["fact", "note"]\n')
    assert len(retention.planned(place, now=NOW)) == 1


def test_what_was_archived_comes_back_and_what_was_deleted_since_does_not(place, stale):
    first, second, third = stale(400), stale(390), stale(380)
    done = retention.apply(place, retention.planned(place, 180, now=NOW))
    assert done["ids"] == [first, second, third]
    assert memory.list_memories(place) == []
    memory.delete(place, [first])
    memory.restore(place, [second])
    assert retention.undo(place) == {"run": done["run"], "ids": [third]}
    assert set(ids(memory.list_memories(place))) == {second, third}
    with pytest.raises(NotFoundError):
        retention.undo(place)


def test_by_itself_it_runs_once_a_day_where_it_is_on(place, stale):
    configure(place, "retention.days = 180\n")
    old = stale(400)
    assert retention.run_by_itself(place, NOW) == [old]
    assert len(retention.runs(place)) == 1


def test_nothing_to_archive_leaves_no_record(place, stale):
    stale(10)
    assert retention.apply(place, retention.planned(place, 180, now=NOW)) == {"run": "", "ids": []}
    assert retention.runs(place) == []
    assert DAY == 86_400

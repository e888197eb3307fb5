"""The numbers of a project: what there is of each type, and how often one memory was offered and opened."""

import json
import os

import pytest

from foreword import memory
from foreword.errors import NotFoundError
from foreword.memory.tally import tally, used


@pytest.fixture
def place(tmp_path, monkeypatch):
    root = tmp_path / "repo"
    root.mkdir()
    monkeypatch.chdir(root)
    return memory.open_project(create=True)


def log(place, name, *records):
    with open(os.path.join(place.folder, name), "a") as f:
        f.writelines(json.dumps(record) + "\n" for record in records)


def at(second):
    return f"2026-11-30T10:00:{second:02d}.000000Z"


def test_memories_are_counted_by_type_and_archived_ones_apart(place):
    assert tally(place) == {"live": {}, "archived": 0}
    for n in range(3):
        memory.save(place, f"Body {n}.", title=f"Title {n}")
    memory.save(place, "What was done.", type="session")
    memory.save(place, "Use tabs.", title="Tabs", everywhere=True)
    memory.archive(place, [memory.save(place, "Old.", title="Old")["id"]])
    assert tally(place) == {"live": {"fact": 4, "session": 1}, "archived": 1}


def test_a_memory_is_opened_once_for_each_time_that_it_was_offered(place):
    one, other = (memory.save(place, text, title=text)["id"] for text in ("One", "Other"))
    assert used(place, one) == (0, 0)
    log(place, "prompts.log", {"time": at(1), "ids": [one, other]}, {"time": at(5), "ids": [one]})
    log(place, "opened.log", *({"time": at(n), "id": one} for n in (0, 2, 3)))
    assert used(place, one) == (2, 1)
    assert used(place, other) == (1, 0)
    with pytest.raises(NotFoundError):
        used(place, "20200101-000000-0000")


def test_what_somebody_else_writes_at_the_moment_is_counted_next_time(place):
    one = memory.save(place, "One", title="One")["id"]
    log(place, "prompts.log", {"time": at(1), "ids": [one]})
    from foreword.index import schema

    db = schema.open_writing(place.folder)
    db.execute("BEGIN IMMEDIATE")
    assert used(place, one) == (0, 0)
    db.execute("ROLLBACK")
    db.close()
    assert used(place, one) == (1, 0)

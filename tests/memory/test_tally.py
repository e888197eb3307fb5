"""The numbers of a project: what there is of each type, and how often one memory was offered and opened."""

import pytest

from foreword import memory
from foreword.errors import NotFoundError
from foreword.memory.tally import tally, used

from .conftest import log


def at(second):
    return f"2026-11-30T10:00:{second:02d}.000000Z"


def test_memories_are_counted_by_type_and_archived_ones_apart(place):
    assert tally(place) == {"live": {}, "archived": 0, "own": False, "global": 0}
    for n in range(3):
        memory.save(place, f"Body {n}.", title=f"Title {n}")
    memory.save(place, "What was done.", type="session")
    memory.archive(place, [memory.save(place, "Old.", title="Old")["id"]])
    assert tally(place) == {"live": {"fact": 3, "session": 1}, "archived": 1, "own": True, "global": 0}


def test_global_facts_are_counted_apart_and_make_no_project_one_that_has_memories(place):
    one, _ = (memory.save(place, text, title=text, everywhere=True)["id"] for text in ("Tabs", "Dry"))
    memory.archive(place, [one])
    assert tally(place) == {"live": {}, "archived": 0, "own": False, "global": 1}
    memory.archive(place, [memory.save(place, "Old.", title="Old")["id"]])
    assert tally(place) == {"live": {}, "archived": 1, "own": True, "global": 1}


def test_all_projects_at_a_glance_tell_the_same_numbers(place):
    memory.save(place, "Use tabs.", title="Tabs", everywhere=True)
    memory.save(place, "What was done.", type="session")
    memory.archive(place, [memory.save(place, "Old.", title="Old")["id"]])
    found, [glance] = tally(place), memory.projects(place.home)
    assert {kind: n for kind, n in glance["counts"].items() if n} == found["live"]
    assert glance["archived"] == found["archived"]


def test_a_memory_is_opened_once_for_each_time_that_it_was_offered(place):
    one, other = (memory.save(place, text, title=text)["id"] for text in ("One", "Other"))
    assert used(place, one) == (0, 0)
    log(place, {"time": at(1), "ids": [one, other]}, {"time": at(5), "ids": [one]})
    log(place, *({"time": at(n), "id": one} for n in (0, 2, 3)), name="opened.log")
    assert used(place, one) == (2, 1)
    assert used(place, other) == (1, 0)
    with pytest.raises(NotFoundError):
        used(place, "20200101-000000-0000")


def test_what_somebody_else_writes_at_the_moment_is_counted_next_time(place):
    one = memory.save(place, "One", title="One")["id"]
    log(place, {"time": at(1), "ids": [one]})
    from foreword.index import schema

    db = schema.open_writing(place.folder)
    db.execute("BEGIN IMMEDIATE")
    assert used(place, one) == (0, 0)
    db.execute("ROLLBACK")
    db.close()
    assert used(place, one) == (1, 0)

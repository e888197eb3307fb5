"""What a newer memory stands for: rows, reading and searching tell it from what stands."""

import os
import sqlite3

import pytest

from foreword import memory


@pytest.fixture
def place(tmp_path, monkeypatch):
    root = tmp_path / "repo"
    root.mkdir()
    monkeypatch.chdir(root)
    return memory.open_project()


def ids(rows):
    return [row["id"] for row in rows]


def row(place, memory_id):
    return next(row for row in memory.list_memories(place) if row["id"] == memory_id)


def test_a_superseded_memory_is_not_listed_or_read_like_a_live_one(place):
    old = memory.save(place, "Port 80.", title="Port")["id"]
    new = memory.save(place, "Port 81.", title="port")["id"]
    for found in (row(place, old), memory.read(place, old)):
        assert (found["superseded_by"], found["global"]) == (new, False)
        assert memory.kind(found) == "fact (superseded)"
    assert row(place, new)["superseded_by"] == memory.read(place, new)["superseded_by"] == ""
    assert memory.read(place, new)["supersedes"] == [old]
    assert memory.kind(row(place, new)) == "fact"


def test_a_fact_that_nobody_named_is_superseded_by_a_newer_one_of_its_title(place):
    """Two saves at once, or a file that came by a synchronised folder."""
    first = memory.save(place, "zebra 1", title="Zebra")["id"]
    second = memory.save(place, "zebra 2", title="Other")["id"]
    path = memory.read(place, second)["path"]
    with open(path, encoding="utf-8") as f:
        text = f.read()
    with open(path, "w", encoding="utf-8") as f:
        f.write(text.replace('title: "Other"', 'title: "ZEBRA"'))
    assert row(place, first)["superseded_by"] == memory.read(place, first)["superseded_by"] == second
    assert row(place, second)["superseded_by"] == ""
    assert ids(memory.search(place, "zebra")) == ids(memory.search(place, "ebr")) == [second]
    memory.archive(place, [second])
    assert row(place, first)["superseded_by"] == ""
    assert ids(memory.search(place, "zebra")) == [first]


def test_a_search_leaves_out_what_a_global_fact_supersedes(place):
    old = memory.save(place, "I like zebras", title="Zebra")["id"]
    new = memory.save(place, "I like zebras everywhere", title="Z", everywhere=True, supersedes=[old])["id"]
    assert ids(memory.search(place, "zebras")) == ids(memory.search(place, "ebra")) == [new]
    assert ids(memory.search(place, "zebras", all_projects=True)) == [new]
    assert row(place, old)["superseded_by"] == new
    assert memory.kind(row(place, new)) == "fact (global)"


def test_of_several_that_supersede_a_memory_the_newest_is_named(place):
    old = memory.save(place, "one", title="A")["id"]
    memory.save(place, "two", title="B", everywhere=True, supersedes=[old])
    newest = memory.save(place, "three", title="C", supersedes=[old])["id"]
    assert row(place, old)["superseded_by"] == newest


def test_all_marks_of_a_memory_stand_behind_its_type_in_one_order(place):
    old = memory.save(place, "one", title="A", everywhere=True)["id"]
    memory.save(place, "two", title="A", everywhere=True)
    memory.mark(place, [old], "never")
    memory.archive(place, [old])
    told = "fact (archived, global, superseded, rejected)"
    assert memory.kind(memory.read(place, old)) == told
    assert [memory.kind(found) for found in memory.list_memories(place, archived=True)] == [told]


def test_a_memory_is_read_whatever_its_index_is_worth(place):
    one = memory.save(place, "One.", title="One")["id"]
    db = sqlite3.connect(os.path.join(place.folder, "index.sqlite"))
    db.execute("PRAGMA user_version=99")
    db.close()
    assert memory.read(place, one)["body"].strip() == "One."
    assert memory.read(place, one)["superseded_by"] == ""

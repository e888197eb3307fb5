"""What the user deletes is gone to the byte, and stays gone."""

import os
import sqlite3

import pytest

from foreword import memory, paths
from foreword.digest import of_answer
from foreword.errors import BusyError
from foreword.hook.waiting import Waiting
from foreword.index import catch_up, postings, schema
from foreword.store import write

RARE = ("zebrafishword", "シマウマ魚", "quokkalike_token")
SECRET = f"The password is {RARE[0]} and {RARE[1]} and {RARE[2]}."


@pytest.fixture
def place(tmp_path, monkeypatch):
    root = tmp_path / "repo"
    root.mkdir()
    monkeypatch.chdir(root)
    place = memory.open_project(create=True)
    folder = os.path.join(place.folder, "facts")
    os.mkdir(folder, 0o700)
    for n in range(20):
        with open(os.path.join(folder, f"20261103-1015{n:02d}-a1b2.md"), "w", encoding="utf-8") as f:
            f.write(f"ordinary words number {n}")
    return place


def holding(home, words=RARE):
    """Every file of the store that holds one of the words, as text, as terms or in UTF-16."""
    needles = []
    for word in words:
        needles += [word.encode(), word.encode("utf-16-le"), word[:6].encode(), word[3:].encode()]
    found = []
    for at, _, names in os.walk(home):
        for name in names:
            with open(os.path.join(at, name), "rb") as f:
                raw = f.read()
            if any(needle in raw for needle in needles):
                found.append(os.path.join(at, name))
    return found


def test_no_byte_of_a_deleted_memory_is_left_in_any_file(place):
    saved = memory.save(place, SECRET, title=f"about {RARE[0]}", tags=(RARE[2],))["id"]
    assert memory.search(place, RARE[0])
    assert holding(place.home)
    assert memory.delete(place, [saved]) == [saved]
    assert holding(place.home) == []
    assert memory.search(place, RARE[0]) == []
    assert len(memory.list_memories(place)) == 20
    assert catch_up.damage(place.folder) == ""


def test_nothing_is_left_when_the_memory_was_edited_moved_and_indexed_often(place):
    saved = memory.save(place, SECRET)["id"]
    for n in range(30):
        memory.save(place, f"more words {n} " * 20, title=f"more {n}")
        if n % 10 == 0:
            memory.archive(place, [saved])
            memory.restore(place, [saved])
            path = memory.read(place, saved)["path"]
            with open(path, "a", encoding="utf-8") as f:
                f.write(f"\n{RARE[0]}{n}\n")
            memory.search(place, RARE[0])
    memory.archive(place, [saved])
    memory.delete(place, [saved])
    assert holding(place.home) == []


def test_what_was_folded_into_the_postings_goes_from_them_too(place):
    saved = memory.save(place, SECRET)["id"]
    for n in range(postings.TAIL + 5):
        write.create(place.folder, "note", {}, f"ordinary words about {n}", 1793700900 + n)
    memory.search(place, RARE[0])
    db = schema.open_reading(place.folder)
    assert db.execute("SELECT count(*) FROM postings").fetchone()[0] > 10
    counted = postings.counts(db, ["ordinary", "password", RARE[0]])
    db.close()
    assert counted.keys() == {"ordinary", "password", RARE[0]}
    memory.delete(place, [saved])
    db = schema.open_reading(place.folder)
    assert postings.counts(db, ["ordinary", "password", RARE[0]]) == {"ordinary": counted["ordinary"]}
    postings.check(db)
    db.close()
    assert holding(place.home) == []
    assert catch_up.damage(place.folder) == ""


def test_a_deleted_global_fact_and_a_damaged_file_are_gone_too(place):
    saved = memory.save(place, SECRET, everywhere=True)["id"]
    path = os.path.join(place.folder, "facts", "by hand.md")
    with open(path, "w", encoding="utf-8") as f:
        f.write(f"---\ntitle: [{RARE[0]}\n---\n{RARE[1]}")
    [row] = [row for row in memory.search(place, RARE[0]) if row["project"] != "global"]
    memory.delete(place, [saved, row["id"]])
    assert holding(place.home) == []


def test_of_two_memories_with_one_word_only_the_deleted_one_goes(place):
    first = memory.save(place, SECRET, title="a")["id"]
    second = memory.save(place, f"also {RARE[0]}", title="b")["id"]
    memory.delete(place, [first])
    assert [row["id"] for row in memory.search(place, RARE[0])] == [second]
    assert holding(place.home, RARE[1:]) == []


def test_the_same_answer_is_not_saved_again(place):
    saved = memory.save(place, SECRET)["id"]
    assert not write.is_forgotten(place.home, of_answer(SECRET))
    memory.delete(place, [saved])
    assert write.is_forgotten(place.home, of_answer("  " + SECRET.replace(" ", "\n") + "\n"))
    assert not write.is_forgotten(place.home, of_answer("another answer"))


def test_waiting_prompts_of_a_deleted_note_go(place):
    question = f"what is {RARE[0]}?"
    memory_id, _ = write.create(place.folder, "note", {"question": question}, SECRET, 1793700900)
    catch_up.catch_up(place.folder)
    waiting = Waiting(place.home, "claude-code", "s1")
    waiting.leave_prompt("turn", question)
    waiting.leave_prompt("other", "what is a cache?")
    memory.delete(place, [memory_id])
    assert holding(place.home) == []
    assert waiting.prompt("other") == "what is a cache?"


def test_deleting_works_without_an_index_and_with_a_damaged_one(place):
    for spoil in (os.unlink, lambda path: open(path, "wb").close(), lambda path: os.truncate(path, 5000)):
        saved = memory.save(place, SECRET)["id"]
        spoil(schema.path(place.folder))
        assert memory.delete(place, [saved]) == [saved]
        assert holding(place.home) == []
        assert len(memory.list_memories(place)) == 20


def test_a_reader_that_keeps_the_old_words_in_the_log_is_told_of(place, monkeypatch):
    saved = memory.save(place, SECRET)["id"]
    monkeypatch.setattr(memory.change, "LOCK_S", 0.1)
    db = schema.open_reading(place.folder)
    db.execute("SELECT count(*) FROM memories").fetchone()
    try:
        with pytest.raises(BusyError, match="deleted"):
            memory.delete(place, [saved])
    finally:
        db.execute("COMMIT")
        db.close()
    memory.reindex(place)
    assert holding(place.home) == []


def test_deleting_waits_for_no_lock_it_cannot_get(place, monkeypatch):
    saved = memory.save(place, SECRET)["id"]
    monkeypatch.setattr(memory.change, "LOCK_S", 0.1)
    db = sqlite3.connect(schema.path(place.folder), isolation_level=None)
    db.execute("BEGIN IMMEDIATE")
    try:
        with pytest.raises(BusyError, match="deleted"):
            memory.delete(place, [saved])
    finally:
        db.execute("ROLLBACK")
        db.close()
    assert memory.search(place, RARE[0]) == []
    assert holding(place.home) == []


def test_tombstones_hold_no_text(place):
    saved = memory.save(place, SECRET)["id"]
    memory.delete(place, [saved])
    folder, where = paths.tombstones(place.home), write.scope(place.folder)
    wanted = [of_answer(SECRET), f"{of_answer(SECRET)}.{where}", f"{saved}.{where}"]
    assert sorted(os.listdir(folder)) == sorted(wanted)
    assert {os.path.getsize(os.path.join(folder, name)) for name in os.listdir(folder)} == {0}

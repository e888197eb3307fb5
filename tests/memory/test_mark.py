"""Pinning and rejecting: one key of the file changes, and every face tells it."""

import os

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foreword import files, memory
from foreword.errors import BusyError, DamagedError, ForewordError, NotFoundError
from foreword.index import build, schema
from foreword.memory import change
from foreword.store import header, read, write

UNKNOWN = "20200101-000000-0000"
PLACE = "facts/20261103-101500-a1b2.md"


def text_of(place, memory_id):
    with open(memory.read(place, memory_id)["path"], "rb") as f:
        return f.read()


def put_by_hand(place, memory_id, data):
    with open(memory.read(place, memory_id)["path"], "wb") as f:
        f.write(data)


def offers(place):
    """{id: offer} as list, search and read tell it; they must agree."""
    listed = {row["id"]: row["offer"] for row in memory.list_memories(place)}
    found = {row["id"]: row["offer"] for row in memory.search(place, "quokka", limit=100)}
    assert listed == found == {i: memory.read(place, i)["offer"] for i in listed}
    return listed


@pytest.mark.parametrize("offer", ["always", "never"])
def test_a_mark_is_told_everywhere_and_taken_back_to_the_byte(place, offer):
    marked, other = (memory.save(place, f"the quokka {n}", title=n)["id"] for n in ("one", "two"))
    before = text_of(place, marked)
    assert memory.mark(place, [marked], offer) == [marked]
    assert offers(place) == {marked: offer, other: "usual"}
    assert f"\noffer: {offer}\n".encode() in text_of(place, marked)
    assert memory.mark(place, [marked], "usual") == [marked]
    assert offers(place) == {marked: "usual", other: "usual"}
    assert text_of(place, marked) == before


def test_the_index_knows_a_mark_before_the_call_returns(place):
    one = memory.save(place, "the quokka", title="t")["id"]
    for offer, number in (("always", 1), ("never", -1), ("usual", 0)):
        memory.mark(place, [one], offer)
        db = schema.open_reading(place.folder)
        assert db.execute("SELECT offer FROM memories WHERE id=?", (one,)).fetchone() == (number,)
        db.close()


def test_a_mark_survives_archive_restore_and_a_new_index(place):
    one = memory.save(place, "the quokka", title="t")["id"]
    memory.mark(place, [one], "never")
    memory.archive(place, [one])
    assert [row["offer"] for row in memory.list_memories(place, archived=True)] == ["never"]
    memory.restore(place, [one])
    memory.reindex(place)
    assert offers(place) == {one: "never"}


def test_a_rejected_note_that_is_answered_again_stays_rejected(place):
    at = write.create(place.folder, "note", {"title": "t", "question": "the quokka?"}, "the quokka", 1.0)[1]
    [row] = memory.list_memories(place)
    memory.mark(place, [row["id"]], "never")
    write.change(place.folder, at, {"turn": "t2"}, extra="more of it", home=place.home)
    stat = os.stat(os.path.join(place.folder, at))
    db = schema.open_writing(place.folder)
    assert build.revise(db, at, "the quokka\n\nmore of it", [], stat.st_mtime_ns, stat.st_size, turn="t2")
    db.close()
    assert offers(place) == {row["id"]: "never"}


def test_an_archived_memory_and_a_global_fact_can_be_marked(place):
    one = memory.save(place, "the quokka", title="t")["id"]
    memory.archive(place, [one])
    everywhere = memory.save(place, "the quokka", title="g", everywhere=True)["id"]
    assert memory.mark(place, [one, everywhere], "never") == [one, everywhere]
    assert [row["offer"] for row in memory.list_memories(place, archived=True)] == ["never"]
    assert offers(place) == {everywhere: "never"}


def test_marking_twice_writes_once(place):
    one = memory.save(place, "the quokka", title="t")["id"]
    memory.mark(place, [one], "always")
    path = memory.read(place, one)["path"]
    before = os.stat(path)
    assert memory.mark(place, [one, one], "always") == [one]
    after = os.stat(path)
    assert (after.st_ino, after.st_mtime_ns) == (before.st_ino, before.st_mtime_ns)


def test_undoing_one_mark_leaves_the_other_alone(place):
    pinned, rejected, usual = (memory.save(place, f"the quokka {n}", title=n)["id"] for n in "abc")
    memory.mark(place, [pinned], "always")
    memory.mark(place, [rejected], "never")
    assert memory.mark(place, [pinned, rejected, usual], "usual", only="always") == [pinned, usual]
    assert offers(place) == {pinned: "usual", rejected: "never", usual: "usual"}


def test_a_value_that_nobody_knows_is_kept_until_another_one_is_set(place):
    one = memory.save(place, "the quokka", title="t")["id"]
    by_hand = text_of(place, one).replace(b"\ntype:", b"\noffer: sometimes # why not\ntype:")
    put_by_hand(place, one, by_hand)
    assert offers(place) == {one: "usual"}
    memory.mark(place, [one], "usual")
    assert text_of(place, one) == by_hand
    memory.mark(place, [one], "never")
    assert offers(place) == {one: "never"}
    assert text_of(place, one) == by_hand.replace(b"sometimes # why not", b"never")


@pytest.mark.parametrize("written", ["never", "Never", '"never"', "' NEVER '", "never # for good"])
def test_a_mark_may_be_written_by_hand(place, written):
    one = memory.save(place, "the quokka", title="t")["id"]
    put_by_hand(place, one, text_of(place, one).replace(b"\ntype:", f"\noffer: {written}\ntype:".encode()))
    assert offers(place) == {one: "never"}


@given(st.sampled_from(["", "\ufeff"]), st.sampled_from(["\n", "\r\n"]), st.text("ab:#- \n", max_size=30))
def test_a_mark_changes_no_other_byte_of_any_text(bom, newline, body):
    text = bom + newline.join(["---", "# mine", "own: [1, 2]", "title: t", "---", "", body, ""])
    for offer, number in (("always", 1), ("never", -1)):
        marked = header.rewrite(text, {"offer": offer})
        assert read.parse(marked.encode(), PLACE)["offer"] == number
        assert "offer" not in read.parse(marked.encode(), PLACE)["more"]
        assert marked.replace(f"offer: {offer}{newline}", "") == text
        assert header.rewrite(marked, {"offer": None}) == text


def test_all_are_marked_or_none(place):
    one, two, three = (memory.save(place, f"the quokka {n}", title=n)["id"] for n in "abc")
    with pytest.raises(NotFoundError, match=UNKNOWN):
        memory.mark(place, [one, UNKNOWN], "never")
    path = memory.read(place, two)["path"]
    put_by_hand(place, two, text_of(place, two) + b"\xff")
    with pytest.raises(DamagedError, match="UTF-8") as told:
        memory.mark(place, [one, two], "never")
    assert path in told.value.message
    put_by_hand(place, three, b"---\ntitle: [\n---\nthe quokka\n")
    with pytest.raises(DamagedError, match="cannot be marked"):
        memory.mark(place, [one, three], "never")
    assert memory.read(place, one)["offer"] == "usual"
    assert text_of(place, three) == b"---\ntitle: [\n---\nthe quokka\n"


def test_a_file_without_front_matter_gets_one_with_the_mark_alone(place):
    one = memory.save(place, "the quokka", title="t")["id"]
    put_by_hand(place, one, b"the quokka\n")
    memory.mark(place, [one], "always")
    assert text_of(place, one) == b"---\noffer: always\n---\n\nthe quokka\n"
    assert offers(place) == {one: "always"}


@pytest.mark.parametrize("offer", ["", "pinned", "Always", None, 1])
def test_only_the_three_words_are_taken(place, offer):
    one = memory.save(place, "the quokka", title="t")["id"]
    with pytest.raises(ForewordError, match="always, usual or never"):
        memory.mark(place, [one], offer)
    assert offers(place) == {one: "usual"}


def test_a_store_that_another_process_holds_is_busy_and_nothing_is_marked(place, monkeypatch):
    one = memory.save(place, "the quokka", title="t")["id"]
    monkeypatch.setattr(change, "LOCK_S", 0.05)
    with files.Lock(os.path.join(place.home, "state")) as held:
        assert held
        with pytest.raises(BusyError):
            memory.mark(place, [one], "never")
    assert offers(place) == {one: "usual"}

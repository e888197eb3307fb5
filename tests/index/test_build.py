"""Putting memories into the index and taking them out keeps every count right."""

import os
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foreword.index import build, catch_up, impacts, postings, schema
from foreword.text.words import terms

TEXT = st.one_of(st.text(max_size=40), st.text(st.sampled_from("ab AB_東京 'x1\"\0"), max_size=40))
MEMORY = st.fixed_dictionaries(
    {
        "type": st.sampled_from(["note", "session", "fact"]),
        "title": TEXT,
        "question": TEXT,
        "body": TEXT,
        "tags": st.lists(TEXT, max_size=2),
        "supersedes": st.lists(st.sampled_from(["20261103-101500-0000", "20261103-101500-0001"]), max_size=2),
        "files": st.lists(st.tuples(TEXT, st.just("")).map(list), max_size=2),
    }
)
WHOLE = {"turn": "", "session": "", "created": 1.0}


def whole(memory, number):
    texts = {k: v.encode("utf-8", "replace").decode() for k, v in memory.items() if isinstance(v, str)}
    lists = {
        "tags": [t.encode("utf-8", "replace").decode() for t in memory["tags"]],
        "files": [[p.encode("utf-8", "replace").decode(), d] for p, d in memory["files"]],
    }
    return {**WHOLE, **memory, **texts, **lists, "id": "20261103-101500-%04x" % number}


def check_counts(db):
    """Every memory has a profile, and every count is what counting the profiles gives."""
    postings.check(db)
    numbers = [n for (n,) in db.execute("SELECT number FROM memories ORDER BY number")]
    assert numbers == [n for (n,) in db.execute("SELECT number FROM profiles ORDER BY number")]
    assert postings.total(db) == len(numbers)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return str(tmp_path_factory.mktemp("index"))


@given(
    steps=st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3), st.one_of(st.none(), MEMORY)), max_size=8)
)
def test_counts_are_right_after_any_adding_and_removing(folder, steps):
    db = schema.open_writing(folder)
    try:
        for number, at, memory in steps:
            if memory is None:
                build.remove(db, f"facts/{at}.md")
            else:
                build.add(db, whole(memory, number), f"facts/{at}.md", 1, 1)
        check_counts(db)
        for (at,) in db.execute("SELECT place FROM memories").fetchall():
            assert build.remove(db, at)
            assert not build.remove(db, at)
        for table in ("terms", "postings", "profiles", "tail", "memories", "superseded"):
            assert db.execute(f"SELECT count(*) FROM {table}").fetchone() == (0,)
        check_counts(db)
    finally:
        db.close()


def note(number=1, **fields):
    empty = {"type": "note", "title": "", "question": "", "body": "", "tags": [], "files": []}
    return whole({**empty, **fields}, number)


@pytest.fixture
def db(tmp_path):
    db = schema.open_writing(str(tmp_path))
    yield db
    db.close()


def fields_of(db, word):
    """Where a word stands in the one memory that holds it: bits of impacts; 0 where no memory holds it."""
    asked = [(number, 1.0, held) for number, held in postings.counts(db, terms(word)).values()]
    found = postings.candidates(db, asked)
    postings.fill(db, asked, found)
    bits = 0
    for candidate in found:
        for _, fields in candidate.matched.values():
            bits |= fields
    return bits


def test_a_title_that_was_cut_from_the_question_is_weighed_once(db):
    build.add(db, note(1, question="why is the zebra slow today", title="why is the zebra…"), "a.md", 1, 1)
    build.add(db, note(2, question="why is the zebra slow today"), "b.md", 1, 1)
    [one, two] = db.execute("SELECT impacts FROM profiles")
    assert one == two


def test_title_and_tags_that_somebody_gave_a_note_are_indexed(db):
    build.add(db, note(question="why is it slow", title="Zebra pool", tags=["quokka"]), "notes/a.md", 1, 1)
    for word in ("slow", "zebra", "pool", "quokka"):
        assert fields_of(db, word) & impacts.QUESTION


def test_head_and_tail_of_a_long_answer_are_indexed(db):
    body = "headword " + "middle " * 20_000 + " centreword " + "middle " * 20_000 + "tailword"
    build.add(db, note(body=body), "notes/a.md", 1, 1)
    assert fields_of(db, "headword") and fields_of(db, "tailword") and not fields_of(db, "centreword")


def test_one_id_at_another_place_replaces_the_row(db):
    build.add(db, note(1, body="first"), "notes/a.md", 1, 1)
    build.add(db, note(1, body="second"), "notes/b.md", 2, 2)
    assert db.execute("SELECT place FROM memories").fetchall() == [("notes/b.md",)]
    check_counts(db)


def test_a_revised_note_keeps_its_question_and_gets_the_new_words(db):
    build.add(db, note(question="why zebra", title="why zebra", body="old"), "notes/a.md", 1, 1)
    assert build.revise(db, "notes/a.md", "fresh answer", [["src/x.py", ""]], 5, 6, created=7.0, turn="t")
    row = db.execute("SELECT question, created, turn, mtime, size FROM memories").fetchone()
    assert row == ("why zebra", 7.0, "t", 5, 6)
    in_fields = impacts.QUESTION | impacts.ANSWER | impacts.FILES
    assert fields_of(db, "zebra") & in_fields == impacts.QUESTION
    assert fields_of(db, "fresh") & in_fields == impacts.ANSWER
    assert fields_of(db, "src") & impacts.FILES
    assert not fields_of(db, "old")
    check_counts(db)


@given(memory=MEMORY, body=TEXT, offer=st.sampled_from([-1, 0, 1]))
def test_a_revised_note_is_indexed_as_one_that_is_added_with_the_new_answer(folder, memory, body, offer):
    def rows():
        postings.fold(db)
        [row] = db.execute("SELECT * FROM memories")
        older = db.execute("SELECT id FROM superseded ORDER BY id").fetchall()
        [profile] = db.execute("SELECT impacts, fields, pairs, shape FROM profiles")
        # The numbers of terms differ, and with them the order.
        return row[1:], older, sorted(zip(*profile[:2], strict=True)), profile[2:]

    memory = {**whole(memory, 1), "offer": offer}
    body = body.encode("utf-8", "replace").decode()
    db = schema.open_writing(folder)
    try:
        build.add(db, {**memory, "body": body, "files": [["a/b.py", ""]]}, "notes/a.md", 5, 6)
        fresh = rows()
        build.add(db, memory, "notes/a.md", 1, 1)
        assert build.revise(db, "notes/a.md", body, [["a/b.py", ""]], 5, 6)
        assert rows() == fresh
        assert build.remove(db, "notes/a.md")
    finally:
        db.close()


def test_a_note_that_is_not_indexed_is_not_revised(db):
    assert not build.revise(db, "notes/a.md", "b", [], 1, 1)
    build.add(db, note(), "notes/a.md", 1, 1, archived=True)
    assert not build.revise(db, "notes/a.md", "b", [], 1, 1)


@pytest.mark.parametrize("seed", range(6))
def test_no_byte_of_what_was_taken_out_or_replaced_stays_in_the_file_or_its_log(tmp_path, seed):
    """SQLite moves rows between pages as they come and go; what it leaves behind there must be nothing."""
    dice = random.Random(seed)
    db = schema.open_writing(str(tmp_path))
    live = {}
    for n in range(300):
        at = f"facts/{dice.randrange(10**6)} zebra{n:05d}.md"
        act = dice.random()
        db.execute("BEGIN")
        if live and act < 0.25:
            build.remove(db, live.pop(dice.choice(list(live))))
        if act > 0.2:
            word = f"zebra{n:05d} "
            if live and act > 0.75:
                at = live.pop(dice.choice(list(live)))
            memory = note(
                n,
                title=word + "t " * dice.randint(0, 60),
                question=word + "q " * dice.randint(0, 1_500),
                body=word + " ".join(f"b{dice.randrange(3_000)}" for _ in range(dice.randint(1, 300))),
                files=[["src/" + word.strip(), ""]] * dice.randint(0, 8),
                tags=[word.strip()],
            )
            build.add(db, memory, at, n, n)
            live[n] = at
        if act < 0.05:
            postings.fold(db)
        db.execute("COMMIT")
    assert catch_up.clear_words(db, 0.1)
    raw = b"".join((tmp_path / name).read_bytes() for name in os.listdir(tmp_path) if "index" in name)
    named = " ".join(live.values())
    gone = [n for n in range(300) if n not in live and f"zebra{n:05d}" not in named]
    assert len(gone) > 100 and len(live) > 10
    assert [n for n in gone if b"zebra%05d" % n in raw] == []
    assert [n for n in live if b"zebra%05d" % n not in raw] == []
    db.close()


def linked(db, edges, count):
    """Facts 0 to count-1, the first the oldest; (new, old) says which names which as superseded."""
    for n in range(count):
        ids = ["20261103-101500-%04x" % old for new, old in edges if new == n]
        fact = {"type": "fact", "title": f"t{n}", "question": "", "body": f"b{n}", "tags": [], "files": []}
        build.add(db, {**whole({**fact, "supersedes": ids}, n), "created": float(n)}, f"facts/{n}.md", 1, 1)


def standing(db):
    hidden = {i for (i,) in db.execute("SELECT id FROM superseded")}
    return [int(i[-4:], 16) for (i,) in db.execute("SELECT id FROM memories ORDER BY id") if i not in hidden]


@pytest.mark.parametrize(
    ("edges", "left"),
    [
        ([(0, 0)], [0, 1, 2]),  # one that names itself
        ([(0, 1), (1, 0)], [1, 2]),
        ([(0, 1), (1, 2), (2, 0)], [2]),
        ([(0, 2), (2, 1), (1, 0)], [2]),
        ([(0, 1), (1, 0), (1, 2), (2, 1)], [2]),
        ([(0, 2)], [0, 1]),  # the clock was ahead when 2 was saved: that is no ring
    ],
)
def test_of_memories_that_supersede_each_other_the_newest_stands(tmp_path, edges, left):
    db = schema.open_writing(str(tmp_path))
    linked(db, edges, 3)
    assert standing(db) == left
    db.close()


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), max_size=12))
def test_whatever_supersedes_what_something_stands(folder, edges):
    db = schema.open_writing(folder)
    try:
        db.execute("DELETE FROM superseded")
        for (place,) in db.execute("SELECT place FROM memories").fetchall():
            build.remove(db, place)
        linked(db, edges, 5)
        assert standing(db)
    finally:
        for n in range(5):
            build.remove(db, f"facts/{n}.md")
        db.close()

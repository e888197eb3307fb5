"""Putting memories into the index and taking them out keeps every count right."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foreword.index import build, schema
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
    """`words` and `total` are what counting the entries gives."""
    counted = {}
    entries = db.execute("SELECT question, answer, files FROM entries").fetchall()
    for entry in entries:
        for term in set(" ".join(entry).split()):
            counted[term] = counted.get(term, 0) + 1
    assert dict(db.execute("SELECT term, memories FROM words")) == counted
    total = db.execute("SELECT value FROM meta WHERE key='total'").fetchone()
    numbers = [n for (n,) in db.execute("SELECT number FROM memories ORDER BY number")]
    assert numbers == [n for (n,) in db.execute("SELECT rowid FROM entries ORDER BY rowid")]
    assert (total[0] if total else 0) == len(numbers)
    db.execute("INSERT INTO entries(entries) VALUES('integrity-check')")


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
        for table in ("words", "entries", "memories", "superseded"):
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


def words_of(db, column):
    return db.execute(f"SELECT {column} FROM entries").fetchone()[0].split()


def test_a_title_that_was_cut_from_the_question_is_indexed_once(db):
    build.add(db, note(question="why is the zebra slow today", title="why is the zebra…"), "notes/a.md", 1, 1)
    assert words_of(db, "question").count("zebra") == 1


def test_a_title_and_tags_that_somebody_gave_a_note_are_indexed(db):
    build.add(db, note(question="why is it slow", title="Zebra pool", tags=["quokka"]), "notes/a.md", 1, 1)
    assert {"slow", "zebra", "pool", "quokka"} <= set(words_of(db, "question"))


def test_head_and_tail_of_a_long_answer_are_indexed(db):
    body = "headword " + "middle " * 20_000 + " centreword " + "middle " * 20_000 + "tailword"
    build.add(db, note(body=body), "notes/a.md", 1, 1)
    found = set(words_of(db, "answer"))
    assert "headword" in found and "tailword" in found and "centreword" not in found


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
    assert "zebra" in words_of(db, "question")
    assert words_of(db, "answer") == terms("fresh answer")
    assert "x" not in words_of(db, "files") and "src" in words_of(db, "files")
    check_counts(db)


def test_a_note_that_is_not_indexed_is_not_revised(db):
    assert not build.revise(db, "notes/a.md", "b", [], 1, 1)
    build.add(db, note(), "notes/a.md", 1, 1, archived=True)
    assert not build.revise(db, "notes/a.md", "b", [], 1, 1)

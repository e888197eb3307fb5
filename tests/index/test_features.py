"""A row of numbers for each candidate: as long as the names, finite, and true about what it names."""

import math

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from foreword.index import build, postings, schema, search
from foreword.index.features import GROUPS, MEANING, NAMES
from foreword.text.question import Question

TEXT = st.one_of(
    st.text(max_size=40),
    st.text(st.sampled_from("ab AB_` .東京サ한국0/-"), max_size=60),
    st.sampled_from(
        ["why does refresh_token fail", "the retry policy of the pool", "サーバーが遅い", "flock `a/b`"]
    ),
)
MEMORY = st.fixed_dictionaries(
    {
        "type": st.sampled_from(["note", "session", "fact"]),
        "title": TEXT,
        "question": TEXT,
        "body": TEXT,
        "tags": st.lists(TEXT, max_size=2),
        "files": st.lists(
            st.tuples(st.sampled_from(["a/b.py", "retry.py"]), st.just("")).map(list), max_size=2
        ),
        "created": st.sampled_from([0.0, 1.0, 1.0, 1793700900.5, -1e9, 1e12]),
    }
)


def whole(memory, number):
    clean = {k: v.encode("utf-8", "replace").decode() for k, v in memory.items() if isinstance(v, str)}
    clean["tags"] = [tag.encode("utf-8", "replace").decode() for tag in memory["tags"]]
    empty = {"turn": "", "session": "", "supersedes": [], "id": "20261103-101500-%04x" % number}
    return {**memory, **clean, **empty}


def fill(db, memories, folded=0):
    for number, memory in enumerate(memories):
        build.add(db, whole(memory, number), f"notes/{number}.md", 1, 1)
        if number + 1 == folded:
            postings.fold(db)


def note(question, body="", created=0.0, files=(), **fields):
    made = {"type": "note", "title": question, "question": question, "body": body, "tags": [], **fields}
    return {**made, "files": [[path, ""] for path in files], "created": created}


@pytest.fixture
def db(tmp_path):
    db = schema.open_writing(str(tmp_path))
    yield db
    db.close()


@pytest.fixture(scope="module")
def emptied(tmp_path_factory):
    """A database for many examples, each of which rolls back what it did."""
    db = schema.open_writing(str(tmp_path_factory.mktemp("index")))
    yield db
    db.close()


def rows(db, prompt, touched=()):
    """[{name: number}] of the candidates of a prompt, the highest score first, and their questions."""
    hits, _ = search.candidates(db, Question(prompt), touched=touched)
    return [(hit.question, dict(zip(NAMES, hit.row, strict=True))) for hit in hits]


def row(db, prompt, question, touched=()):
    return dict(rows(db, prompt, touched))[question]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(
    memories=st.lists(MEMORY, max_size=8),
    folded=st.integers(0, 8),
    prompt=TEXT,
    touched=st.lists(st.sampled_from(["a/b.py", "retry.py", "none.py", ""]), max_size=3),
)
def test_whatever_is_stored_and_asked_each_candidate_has_a_whole_row_of_finite_numbers(
    emptied, memories, folded, prompt, touched
):
    emptied.execute("BEGIN")
    try:
        fill(emptied, memories, folded)
        hits, _ = search.candidates(emptied, Question(prompt), touched=touched)
        assert len(hits) <= len(memories)
        for hit in hits:
            assert len(hit.row) == len(NAMES)
            assert all(math.isfinite(value) for value in hit.row)
            assert hit.words
    finally:
        emptied.execute("ROLLBACK")


def test_every_number_is_explained_and_belongs_to_one_group():
    assert tuple(MEANING) == NAMES
    assert all(MEANING.values())
    grouped = [name for names in GROUPS.values() for name in names]
    assert sorted(grouped) == sorted(NAMES)


def test_candidates_stand_in_the_order_of_their_scores(db):
    fill(db, [note("the retry policy"), note("the retry policy of the pool"), note("a policy")])
    found = rows(db, "retry policy of the pool")
    assert [question for question, _ in found] == [
        "the retry policy of the pool",
        "the retry policy",
        "a policy",
    ]
    assert [value["place"] for _, value in found] == [math.log(1), math.log(2), math.log(3)]
    assert [value["of_first"] for _, value in found] == sorted(
        (v["of_first"] for _, v in found), reverse=True
    )
    assert found[0][1]["of_first"] == 1.0


def test_what_is_held_is_a_share_of_what_was_asked(db):
    fill(db, [note("quokka walrus"), note("quokka", "walrus"), note("quokka")])
    both, apart, half = (row(db, "walrus quokka zebra", q) for q in ("quokka walrus", "quokka", "quokka"))
    assert 0 < both["held"] < 1
    assert both["held_known"] == pytest.approx(1.0)
    assert 0 < both["prompt_unknown"] < 1
    assert both["words"] == 2
    found = [value for question, value in rows(db, "walrus quokka") if question == "quokka"]
    apart, half = sorted(found, key=lambda value: -value["held"])
    assert apart["held"] == pytest.approx(1.0) and apart["held_question"] < 0.9
    assert half["held"] < 0.9
    assert half["worth"] < apart["worth"]


def test_the_first_sentence_is_apart_from_the_rest(db):
    fill(db, [note("Where does the walrus live?"), note("Where does the quokka live?")])
    walrus = row(db, "Where does the walrus live?\nquokka", "Where does the walrus live?")
    quokka = row(db, "Where does the walrus live?\nquokka", "Where does the quokka live?")
    assert walrus["held_first"] == pytest.approx(1.0)
    assert walrus["first_in_first"] == pytest.approx(1.0)
    assert quokka["first_in_first"] < walrus["first_in_first"]
    assert walrus["first_of_best"] == 1.0


def test_code_ticks_and_names_of_files_count_for_those_who_hold_them(db):
    fill(db, [note("walrus", "refresh_token", files=["src/ledger.py"]), note("walrus", "plain")])
    holds, other = (value for _, value in rows(db, "walrus refresh_token `refresh_token` ledger"))
    assert holds["code_held"] == pytest.approx(1.0) and other["code_held"] == 0.0
    assert holds["ticked_held"] == pytest.approx(1.0) and other["ticked_held"] == 0.0
    assert holds["held_files"] > 0 and other["held_files"] == 0.0
    assert holds["files_of_best"] == 1.0
    assert (holds["files"], other["files"]) == (math.log(2), 0.0)


def test_neighbours_are_words_that_stand_side_by_side_in_both(db):
    fill(db, [note("walrus colony x1 quokka"), note("colony quokka x1 walrus")])
    found = dict(rows(db, "walrus colony"))
    assert found["walrus colony x1 quokka"]["neighbour_count"] == 1
    assert found["walrus colony x1 quokka"]["neighbours"] > 0
    assert found["colony quokka x1 walrus"]["neighbour_count"] == 0


def test_a_word_that_few_hold_is_worth_more(db):
    fill(db, [note(f"walrus {n}x") for n in range(20)] + [note("quokka")])
    rare, usual = row(db, "walrus quokka", "quokka"), row(db, "walrus quokka", "walrus 3x")
    assert rare["rarest"] > usual["rarest"]
    assert rare["few_hold"] < usual["few_hold"]
    assert usual["special"] > rare["special"]


def test_how_new_it_is_is_how_many_are_newer(db):
    fill(db, [note(f"walrus {n}x", created=float(n)) for n in range(4)])
    found = dict(rows(db, "walrus"))
    assert [found[f"walrus {n}x"]["newer"] for n in range(4)] == [math.log(4 - n) for n in range(4)]
    assert [found[f"walrus {n}x"]["newer_here"] for n in range(4)] == [0.75, 0.5, 0.25, 0.0]
    assert [found[f"walrus {n}x"]["newer_strong"] for n in range(4)] == [math.log(4 - n) for n in range(4)]


def test_age_counts_only_as_far_as_fifty_memories(db):
    fill(db, [note("walrus", created=0.0)] + [note(f"w{n}x", created=1.0 + n) for n in range(60)])
    assert row(db, "walrus", "walrus")["newer"] == math.log(1 + 50)


def test_dates_that_are_all_the_same_say_the_same_of_all(db):
    fill(db, [note(f"walrus {n}x", created=7.0) for n in range(9)])
    found = [value for _, value in rows(db, "walrus 3x colony")]
    assert len(found) == 9
    for name in ("newer", "newer_here", "newer_strong"):
        assert (
            len({value[name] for value in found if name != "newer_strong" or value["of_first"] >= 0.6}) == 1
        )


def test_those_of_the_same_time_count_half(db):
    fill(db, [note(f"walrus {n}x", created=float(n // 2)) for n in range(4)])
    found = dict(rows(db, "walrus"))
    assert [found[f"walrus {n}x"]["newer_here"] for n in range(4)] == [2.5 / 4, 2.5 / 4, 0.5 / 4, 0.5 / 4]


def test_what_is_much_weaker_than_the_first_is_not_newer_than_it(db):
    fill(db, [note("walrus colony herring ice", created=1.0), note("walrus", "long " * 300, created=2.0)])
    found = [values for _, values in rows(db, "walrus colony herring ice")]
    assert [values["of_first"] < 0.6 for values in found] == [False, True]
    assert (found[0]["newer_here"], found[0]["newer_strong"]) == (0.5, 0.0)


def test_the_sixth_is_what_the_first_stands_out_from(db):
    fill(db, [note("walrus " + "x1 " * n) for n in range(8)])
    found = [values for _, values in rows(db, "walrus")]
    assert found[0]["lead_sixth"] == pytest.approx(1 - found[5]["of_first"])
    assert found[5]["lead_sixth"] == pytest.approx(0.0)
    assert found[0]["lead_next"] == pytest.approx(1 - found[1]["of_first"])


def test_where_a_word_stands_is_told_apart(db):
    fill(db, [note("Where is it kept?\nherring", "colony", files=["walrus.py"])])
    for word, question, first, files in (("herring", 1, 0, 0), ("colony", 0, 0, 0), ("walrus", 0, 0, 1)):
        [(_, found)] = rows(db, word)
        assert (found["held_question"] > 0.9) == question, word
        assert (found["first_in_first"] > 0.9) == first, word
        assert (found["held_files"] > 0.9) == files, word
        assert 0 < found["impact"] <= 1


def test_a_word_that_is_usual_anywhere_is_worth_less_in_a_young_store(db):
    fill(db, [note("error walrus")])
    [(_, usual)], [(_, rare)] = rows(db, "error"), rows(db, "walrus")
    assert usual["worth"] < rare["worth"] / 2
    assert usual["prompt_usual"] == 1.0 and rare["prompt_usual"] == 0.0


def test_a_file_of_the_client_session_counts_the_more_the_fewer_cite_it(db):
    fill(db, [note("walrus", files=["a.py"]), *(note(f"walrus {n}x", files=["b.py"]) for n in range(4))])
    touched = ("b.py", "a.py", "nobody.py")
    assert row(db, "walrus", "walrus", touched)["touched"] == 1.0
    assert row(db, "walrus", "walrus 0x", touched)["touched"] == pytest.approx(0.5)
    assert row(db, "walrus", "walrus", ())["touched"] == 0.0
    assert row(db, "walrus", "walrus", ("b.py",))["touched"] == 0.0


def test_what_stands_in_in_another_language_counts_less_than_the_word_itself(db):
    fill(db, [note("サーバーの接続が遅い"), note("walrus")])
    [(_, found)] = rows(db, "Why is the server connection slow?")
    assert 0 < found["held"] < 1
    assert found["words"] > 0


@pytest.mark.parametrize("name", NAMES)
def test_every_number_differs_between_some_memories_or_prompts(tmp_path_factory, name, told={}):  # noqa: B006
    if not told:
        db = schema.open_writing(str(tmp_path_factory.mktemp("told")))
        fill(
            db,
            [
                note(
                    "Why does the walrus colony move?", "It follows `ice_edge` north.", 1.0, ["src/walrus.py"]
                ),
                note(
                    "Where does the quokka sleep?",
                    "Below the walrus, in src/burrow.py, far from a colony.",
                    2.0,
                ),
                note("walrus", "colony", 3.0, ["a.py", "b.py"]),
                *(note(f"walrus {n}x", "word " * n, 4.0 + n) for n in range(8)),
            ],
        )
        for prompt in (
            "Why does the walrus colony move? See `ice_edge` in walrus.py.",
            "walrus zebra",
            "quokka 3x",
        ):
            for _, values in rows(db, prompt, ("src/walrus.py",)):
                for key, value in values.items():
                    told.setdefault(key, set()).add(value)
        db.close()
        other = schema.open_writing(str(tmp_path_factory.mktemp("other")))
        fill(other, [note("walrus")])
        for _, values in rows(other, "walrus"):
            for key, value in values.items():
                told.setdefault(key, set()).add(value)
        other.close()
    assert len(told[name]) > 1

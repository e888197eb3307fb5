"""Postings and profiles: what is found is what adding up over all memories gives, whatever was put in,
taken out and folded before."""

import random
import sqlite3
from array import array

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from foreword.index import postings, schema

WORDS = [f"word{n}" for n in range(12)]
# Around the ends of a segment, and far beyond.
NUMBERS = [1, 2, 3, 4, 16_383, 16_384, 16_385, 32_767, 32_768, 70_000]
WEIGHTS = st.dictionaries(
    st.sampled_from(WORDS), st.tuples(st.integers(1, 255), st.integers(0, 255)), max_size=8
)
PUT = st.tuples(
    st.just("put"),
    st.sampled_from(NUMBERS),
    WEIGHTS,
    st.lists(st.integers(0, 65_535), max_size=4),
    st.lists(st.integers(0, 1_000_000), max_size=3),
)
STEPS = st.lists(
    st.one_of(PUT, st.tuples(st.just("take out"), st.sampled_from(NUMBERS)), st.tuples(st.just("fold"))),
    max_size=30,
)
ASKED = st.dictionaries(st.sampled_from(WORDS), st.floats(0.01, 10), max_size=8)


def opened():
    db = sqlite3.connect(":memory:", isolation_level=None)
    db.executescript(schema.DDL)
    return db


@pytest.fixture
def db():
    db = opened()
    yield db
    db.close()


def run(db, steps):
    """Do the steps; {number: (weights, pairs, shape)} of what is in the index then."""
    there = {}
    for step, *rest in steps:
        if step == "put" and rest[0] not in there:
            postings.put(db, *rest)
            there[rest[0]] = tuple(rest[1:])
        elif step == "take out":
            assert postings.take_out(db, rest[0]) == (there.pop(rest[0], None) is not None)
        elif step == "fold":
            postings.fold(db)
            assert not postings.fold(db)
    return there


def holders(there):
    held = {}
    for weights, _, _ in there.values():
        for word in weights:
            held[word] = held.get(word, 0) + 1
    return held


def asked_of(db, weights):
    counts = postings.counts(db, list(weights))
    return [(number, weights[word], held) for word, (number, held) in counts.items()]


def added_up(there, weights):
    """{number: score} by looking at every memory."""
    scores = {}
    for number, (held, _, _) in there.items():
        common = held.keys() & weights.keys()
        if common:
            scores[number] = sum(weights[word] * held[word][0] for word in common) / 255
    return scores


def content(db):
    """All that the tables say, without the numbers of terms."""
    words = {postings._key(word): word for word in WORDS}
    named = {number: words[key] for number, key in db.execute("SELECT number, term FROM terms")}
    profiles = {}
    for number, terms, impacts, fields, pairs, shape in db.execute("SELECT * FROM profiles"):
        rows = zip(array("I", terms), impacts, fields, strict=True)
        profiles[number] = ({named[t]: (i, f) for t, i, f in rows}, pairs, shape)
    rows = {}
    for segment, term, numbers, impacts in db.execute("SELECT * FROM postings"):
        rows[segment, named[term]] = (numbers, impacts)
    held = dict(db.execute("SELECT number, memories FROM terms"))
    return profiles, rows, {named[n]: count for n, count in held.items()}, postings.total(db)


@given(steps=STEPS, weights=ASKED)
def test_candidates_are_what_adding_up_over_all_memories_gives(steps, weights):
    db = opened()
    there = run(db, steps)
    postings.check(db)
    assert postings.total(db) == len(there)
    held = holders(there)
    counts = postings.counts(db, WORDS)
    assert {word: count for word, (_, count) in counts.items()} == held
    expected = added_up(there, weights)
    asked = asked_of(db, weights)
    found = postings.candidates(db, asked)
    assert {c.number: c.score for c in found} == pytest.approx(expected)
    assert [c.score for c in found] == sorted((c.score for c in found), reverse=True)
    postings.fill(db, asked, found)
    number_of = {word: number for word, (number, _) in counts.items()}
    for candidate in found:
        held, pairs, shape = there[candidate.number]
        assert candidate.matched == {number_of[w]: held[w] for w in held.keys() & weights.keys()}
        assert list(candidate.pairs) == sorted(pairs)
        assert candidate.shape == tuple(shape)
        assert list(candidate.terms) == sorted(number_of[w] for w in held)
    db.close()


@pytest.fixture(scope="module", params=["few read", "many read"])
def crowded(request):
    """Both ways to add up; a handful of postings is few to the real program."""
    real = postings._CROWDED
    if request.param == "many read":
        postings._CROWDED = 0
    yield
    postings._CROWDED = real


@given(
    steps=STEPS,
    weights=ASKED,
    most=st.one_of(st.integers(1, 4), st.integers(250, 260)),
    among=st.one_of(st.none(), st.sets(st.sampled_from(NUMBERS))),
)
def test_the_best_of_those_that_count_are_given(crowded, steps, weights, most, among):
    db = opened()
    there = run(db, steps)
    expected = {
        number: score
        for number, score in added_up(there, weights).items()
        if among is None or number in among
    }
    allowed = None if among is None else among.__contains__
    found = postings.candidates(db, asked_of(db, weights), most, allowed=allowed)
    best = sorted(expected.values(), reverse=True)[:most]
    assert [c.score for c in found] == pytest.approx(best)
    assert {c.number: c.score for c in found} == pytest.approx({c.number: expected[c.number] for c in found})
    db.close()


@given(steps=STEPS, weights=ASKED, limit=st.integers(1, 20))
def test_whatever_the_limit_a_score_is_whole(steps, weights, limit):
    """What is not read from postings is looked up in the profiles of those that are found."""
    db = opened()
    there = run(db, steps)
    expected = added_up(there, weights)
    found = postings.candidates(db, asked_of(db, weights), limit=limit)
    assert {c.number: c.score for c in found} == pytest.approx({c.number: expected[c.number] for c in found})
    assert bool(found) == bool(expected)
    db.close()


@given(steps=STEPS)
def test_putting_taking_out_and_folding_leave_what_a_fresh_build_gives(steps):
    db = opened()
    there = run(db, steps)
    postings.fold(db)
    fresh = opened()
    for number in sorted(there):
        postings.put(fresh, number, *there[number])
    postings.fold(fresh)
    assert content(db) == content(fresh)
    for number in list(there):
        assert postings.take_out(db, number)
    assert content(db) == ({}, {}, {}, 0)
    db.close()
    fresh.close()


def test_of_two_alike_the_newer_stands_first(db):
    for number in (7, 9, 8):
        postings.put(db, number, {"zebra": (100, 1)}, (), ())
    asked = asked_of(db, {"zebra": 1.0})
    assert [c.number for c in postings.candidates(db, asked)] == [9, 8, 7]
    postings.fold(db)
    assert [c.number for c in postings.candidates(db, asked)] == [9, 8, 7]


def test_a_term_in_more_memories_than_the_limit_is_read_from_the_newest_on(db):
    for number in (1, 2, 20_000, 20_001, 40_000):
        postings.put(db, number, {"zebra": (100, 1)}, (), ())
    postings.fold(db)
    asked = asked_of(db, {"zebra": 1.0})
    assert [c.number for c in postings.candidates(db, asked, limit=2)] == [40_000, 20_001, 20_000]


def test_a_term_that_many_hold_costs_no_place_among_the_best(db):
    """Read rarest first: the few that hold a rare term are found though thousands hold the usual one."""
    for number in range(1, 300):
        postings.put(db, number, {"usual": (200, 1), f"rare{number}": (10, 1)}, (), ())
    postings.fold(db)
    asked = asked_of(db, {"usual": 1.0, "rare17": 2.0})
    [best] = postings.candidates(db, asked, limit=10)
    assert best.number == 17 and best.score == pytest.approx((200 + 20) / 255)


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 10_000), most=st.sampled_from([1, 7, 100, 256, 300]))
def test_the_best_of_a_thousand_are_the_best(crowded, seed, most):
    dice = random.Random(seed)
    db = opened()
    there = {}
    for number in range(1, 1_000):
        weights = {word: (dice.randint(1, 255), 1) for word in dice.sample(WORDS, dice.randint(0, 4))}
        there[number + 16_000] = (weights, (), ())
        postings.put(db, number + 16_000, weights, (), ())
    postings.fold(db)
    weights = {word: dice.random() + 0.1 for word in WORDS[:6]}
    best = sorted(added_up(there, weights).values(), reverse=True)[:most]
    found = postings.candidates(db, asked_of(db, weights), most)
    assert [c.score for c in found] == pytest.approx(best)
    db.close()


def test_nothing_asked_and_nothing_there_give_nothing(db):
    assert postings.counts(db, []) == {} and postings.counts(db, ["zebra"]) == {}
    assert postings.candidates(db, []) == [] and postings.candidates(db, [(5, 1.0, 3)]) == []
    postings.put(db, 1, {}, (), ())
    assert postings.fold(db) == 1
    postings.fill(db, [], [])
    assert postings.candidates(db, [(5, 1.0, 3)]) == [] and postings.total(db) == 1


def test_a_fold_waits_until_it_pays(db):
    for number in range(1, 4):
        postings.put(db, number, {"zebra": (9, 1)}, (), ())
    assert postings.fold(db, least=4) == 0
    assert postings.fold(db, least=3) == 3


@settings(max_examples=20)
@given(terms=st.sets(st.text(max_size=5), max_size=1_200))
def test_any_text_may_be_a_term_and_any_number_of_them(terms):
    db = opened()
    postings.put(db, 1, dict.fromkeys(terms, (1, 1)), (), ())
    assert postings.counts(db, list(terms)).keys() == terms
    postings.check(db)
    db.close()


@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE profiles SET impacts=x'0102'",
        "UPDATE profiles SET terms=x'010203'",
        "UPDATE profiles SET terms='text' || terms",
        "UPDATE postings SET impacts=x''",
        "UPDATE postings SET numbers=x'01'",
        "UPDATE postings SET numbers=1",
        "DELETE FROM postings",
        "DELETE FROM terms",
        "DELETE FROM profiles",
        "UPDATE terms SET memories=memories+1",
        "UPDATE meta SET value=7 WHERE key='total'",
        "DROP TABLE tail",
    ],
)
def test_damage_inside_the_lists_is_said_as_an_index_that_cannot_be_used(db, damage):
    for number in (1, 2):
        postings.put(db, number, {"zebra": (9, 1), "quokka": (8, 2)}, (1,), (1,))
    postings.fold(db)
    postings.put(db, 3, {"zebra": (9, 1)}, (), ())
    asked = asked_of(db, {"zebra": 1.0, "quokka": 1.0})
    db.execute(damage)
    with pytest.raises((schema.UnusableError, sqlite3.Error)):
        postings.check(db)
    try:
        found = postings.candidates(db, asked)
        postings.fill(db, asked, found)
        postings.take_out(db, 2)
    except (schema.UnusableError, sqlite3.Error):
        pass

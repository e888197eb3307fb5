"""The models are data that fit the features, and are read as a plain evaluation reads them."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foreword.index import rank
from foreword.index.features import GROUPS, NAMES

ROW = st.lists(st.floats(-50, 50), min_size=len(NAMES), max_size=len(NAMES))
BOTH = pytest.mark.parametrize("dated", [True, False], ids=["dated", "undated"])
SMALL = {  # 1 + the share of its words, and 2 where it holds more than half of them
    "features": ["words", "held"],
    "bias": 1.0,
    "logistic": [[0.0, 1.0, 0.0], [0.0, 0.5, 1.0]],
    "trees": [[1, 0.5, 0.0, 4.0], 0.5],
    "needed": 0.0,
}


def naive(made, row):
    """The same by the book: a logistic regression and the sum of trees, averaged."""
    named = dict(zip(NAMES, row, strict=True))
    values = [named[name] for name in made["features"]]
    linear = made["bias"] + sum(
        weight * min(4.0, max(-4.0, (value - centre) / scale))
        for value, (centre, scale, weight) in zip(values, made["logistic"], strict=True)
    )
    return (linear + sum(leaf(tree, values) for tree in made["trees"])) / 2


def leaf(node, values):
    if not isinstance(node, list):
        return node
    at, most, low, high = node
    return leaf(low if values[at] <= most else high, values)


def nodes(tree):
    if isinstance(tree, list):
        yield tree
        yield from nodes(tree[2])
        yield from nodes(tree[3])


@BOTH
def test_a_model_is_made_of_finite_numbers_about_the_features_there_are(dated):
    made = rank.model(dated)
    assert set(made["features"]) <= set(NAMES)
    assert len(set(made["features"])) == len(made["features"]) == len(made["logistic"])
    assert [NAMES[at] for at in made["columns"]] == made["features"]
    numbers = [made["bias"], made["needed"], *(n for three in made["logistic"] for n in three)]
    for tree in made["trees"]:
        for at, most, *below in nodes(tree):
            assert isinstance(at, int) and 0 <= at < len(made["features"])
            numbers += [most, *(n for n in below if not isinstance(n, list))]
    assert all(math.isfinite(n) for n in numbers)
    assert all(scale > 0 for _, scale, _ in made["logistic"])
    assert made["trees"]
    assert 0.01 < rank.confidence(made["needed"]) < 0.9


def test_where_all_dates_are_one_the_model_asks_for_none():
    dates = set(GROUPS["how new it is"])
    assert dates <= set(rank.model(True)["features"])
    assert not dates & set(rank.model(False)["features"])


@BOTH
def test_a_model_says_what_it_was_made_of(dated):
    assert rank.model(dated)["made_by"] == "bench/train_ranker.py"
    assert rank.model(dated)["made_of"]


@BOTH
@given(row=ROW)
def test_the_log_odds_are_those_of_a_plain_evaluation(dated, row):
    made = rank.model(dated)
    odds = rank.log_odds(made, row)
    assert math.isfinite(odds)
    assert odds == pytest.approx(naive(made, row), abs=1e-9)


@pytest.mark.parametrize(
    ("held", "odds"),
    [
        (0.0, (1 + 0 + 0.5) / 2),
        (0.5, (1 + 1 + 0.5) / 2),
        (0.6, (1 + 1.2 + 4.5) / 2),
        (99.0, (1 + 4 + 4.5) / 2),
    ],
)
def test_a_small_model_counts_as_one_can_by_hand(held, odds):
    row = [0.0] * len(NAMES)
    row[NAMES.index("held")] = held
    assert rank.log_odds(rank.prepared(SMALL), row) == pytest.approx(odds)


@given(a=st.floats(allow_nan=False), b=st.floats(allow_nan=False))
def test_surer_is_never_less_sure(a, b):
    low, high = sorted((a, b))
    assert 0 <= rank.confidence(low) <= rank.confidence(high) <= 1


def test_confidence_is_a_share():
    assert rank.confidence(0) == 0.5
    assert rank.confidence(math.log(3)) == pytest.approx(0.75)
    assert rank.confidence(-math.log(3)) == pytest.approx(0.25)


@BOTH
@given(row=ROW)
def test_the_reasons_are_the_groups_each_once_the_strongest_first(dated, row):
    found = rank.reasons(rank.model(dated), row)
    assert {label for label, _, _ in found} == set(GROUPS)
    assert len(found) == len(GROUPS)
    changes = [abs(change) for _, change, _ in found]
    assert changes == sorted(changes, reverse=True)
    assert all(math.isfinite(change) and words == () for _, change, words in found)


@BOTH
def test_what_is_as_usual_is_no_reason(dated):
    made = rank.model(dated)
    row = [0.0] * len(NAMES)
    for at, (centre, _, _) in zip(made["columns"], made["logistic"], strict=True):
        row[at] = centre
    assert {change for _, change, _ in rank.reasons(made, row)} == {0.0}


def test_a_reason_is_what_would_be_lost_without_it():
    row = [0.0] * len(NAMES)
    row[NAMES.index("held")] = 1.0
    found = {label: change for label, change, _ in rank.reasons(rank.prepared(SMALL), row)}
    assert found.pop("how much of the prompt it holds") == 3.0
    assert set(found.values()) == {0.0}

"""Two arms of client sessions: the interval holds the truth as often as it says, and claims nothing else.

The simulations have fixed seeds. Of RUNS intervals that each hold the truth with probability .95, fewer than
.95 - 3.1 standard errors (the binomial's, sqrt(.95 x .05 / RUNS)) hold it once in a thousand times: that is
the bound for what must hold, and what goes wrong on purpose has to fall below it.
"""

import json
import math
import random

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from foreword.report import compare
from report import simulated

RUNS = 400
RESAMPLES = 300
AT_LEAST = 0.95 - 3.1 * math.sqrt(0.95 * 0.05 / RUNS)
# Design, client sessions an arm, spread of the days, sessions a day: what is hard for each.
HARD = {"session": (12, 0.5, (1, 8)), "day": (20, 0.5, (3, 6))}


def arms(sessions, key="tokens"):
    return [[(one["day"], one[key]) for one in sessions if one[arm]] for arm in ("on", "off")]


def simulation(design, effect, by_day=None, runs=RUNS, key="tokens", truth=None, **more):
    """simulated.outcomes of so many runs."""
    need, days, per_day = HARD[design]
    asked = {"sigma": 0.8, "days": days, "per_day": per_day, **more}
    pairs = []
    for run in range(runs):
        dice = random.Random(f"{design} {effect} {run}")
        made = simulated.sessions(dice, design, need, effect, **asked)
        drawn_by_day = design == "day" if by_day is None else by_day
        found = compare.interval(*arms(made, key), RESAMPLES, run, drawn_by_day)
        pairs.append((found, effect if truth is None else truth))
    return simulated.outcomes(pairs)


@pytest.mark.parametrize("effect", [0.0, -0.1, -0.3])
@pytest.mark.parametrize("design", ["session", "day"])
def test_an_interval_holds_the_true_effect_as_often_as_it_says(design, effect):
    held, claimed, nothing = simulation(design, effect)
    assert AT_LEAST <= held < 0.995
    if not effect:
        assert claimed <= 1 - AT_LEAST
    assert nothing <= 0.3


@pytest.mark.parametrize("design", ["session", "day"])
def test_turns_that_memory_does_not_touch_are_not_said_to_change(design):
    _, claimed, _ = simulation(design, -0.3, key="turns", truth=0.0, runs=200)
    assert claimed <= 0.05 + 3.1 * math.sqrt(0.95 * 0.05 / 200)


def test_drawing_single_sessions_where_days_were_assigned_would_claim_too_much():
    strong = {"days": 1.0}
    assert simulation("day", 0.0, **strong)[0] >= AT_LEAST
    held, claimed, _ = simulation("day", 0.0, by_day=False, **strong)
    assert held < AT_LEAST
    assert claimed > 1 - AT_LEAST


def test_without_widening_it_for_few_days_an_interval_would_hold_too_little(monkeypatch):
    monkeypatch.setattr(compare, "_stretch", lambda drawn, days: 1.0)
    held, _, _ = simulation("day", 0.0)
    assert held < AT_LEAST


@pytest.mark.parametrize("design", ["session", "day"])
def test_a_large_effect_among_like_sessions_is_found(design, monkeypatch):
    monkeypatch.setitem(simulated.TASKS, 260_000, 100.0)
    monkeypatch.setitem(HARD, design, (40, 0.1, (1, 4)))
    _, claimed, _ = simulation(design, -0.3, runs=60, sigma=0.4)
    assert claimed > 0.8


def test_a_median_drawn_at_once_is_one_of_n_draws():
    for n in (10, 11):
        units = [[value] for value in range(n)]
        dice = random.Random(4)
        at_once = compare._of_sessions(units, 20_000, dice)
        one_by_one = compare._of_days(units, 20_000, dice)
        for place in (100, 500, 2_000, 5_000, 10_000, 15_000, 18_000, 19_500, 19_900):
            assert abs(sorted(at_once)[place] - sorted(one_by_one)[place]) <= 0.5
        means = [sum(drawn) / 20_000 for drawn in (at_once, one_by_one)]
        assert abs(means[0] - means[1]) < 4 * n * math.sqrt(0.0625 / n / 10_000)


DAYS = st.integers(0, 9)
ARM = st.lists(st.tuples(DAYS, st.integers(0, 3_000_000)), min_size=1, max_size=30)
HOW = st.booleans()


def shares(found):
    return [found[key] for key in ("difference", "low", "high")]


def alike(some, others):
    if None in some or None in others:
        return some == others
    return some == pytest.approx(others, rel=1e-6, abs=1e-9)


@given(ARM, ARM, HOW, st.sampled_from([1, 100]))
def test_an_interval_is_whole_or_not_there_and_the_difference_is_in_it(on, off, by_day, resamples):
    found = compare.interval(on, off, resamples, 1, by_day)
    assert found["on"] == compare.median([value for _, value in on])
    assert found["off"] == compare.median([value for _, value in off])
    if None in shares(found):
        assert shares(found) == [None] * 3
        assert found["inconclusive"] is True
    else:
        assert -1 < found["low"] <= found["difference"] <= found["high"] < math.inf
        assert found["inconclusive"] is (found["low"] <= 0 <= found["high"])
    json.dumps(found, allow_nan=False)


@given(ARM, ARM, HOW, st.sampled_from([0.001, 0.5, 3, 1_000_000]))
def test_other_units_give_the_same_shares(on, off, by_day, times):
    found = compare.interval(on, off, 100, 1, by_day)
    scaled = [[(day, value * times) for day, value in arm] for arm in (on, off)]
    other = compare.interval(*scaled, 100, 1, by_day)
    assert alike(shares(other), shares(found))


@given(ARM, ARM, HOW, st.randoms(use_true_random=False))
def test_neither_the_order_nor_the_names_of_days_matter(on, off, by_day, dice):
    names = list(range(100, 110))
    dice.shuffle(names)
    other = [[(names[day], value) for day, value in dice.sample(arm, len(arm))] for arm in (on, off)]
    assert compare.interval(*other, 100, 1, by_day) == compare.interval(on, off, 100, 1, by_day)


@given(ARM, ARM, HOW)
def test_swapping_the_arms_turns_the_interval_round(on, off, by_day):
    assume(sorted(value for _, value in on) != sorted(value for _, value in off))
    found = shares(compare.interval(on, off, 100, 1, by_day))
    turned = shares(compare.interval(off, on, 100, 1, by_day))
    if None not in found:
        difference, high, low = (1 / (1 + share) - 1 for share in found)
        found = [difference, low, high]
    assert alike(turned, found)


@given(ARM, HOW)
def test_the_same_sessions_in_both_arms_are_never_an_effect(arm, by_day):
    found = compare.interval(arm, arm, 100, 1, by_day)
    assert found["inconclusive"] is True
    assert found["low"] is None or found["low"] <= 0 <= found["high"]


@given(st.lists(st.floats(0, 1e300), min_size=10, max_size=14), st.lists(st.floats(0, 1e300), min_size=10))
def test_numbers_of_any_size_give_numbers(on, off):
    found = compare.interval([(0, value) for value in on], [(0, value) for value in off], 50, 1)
    json.dumps(found, allow_nan=False)


def test_an_interval_that_touches_zero_is_inconclusive():
    touching = compare.interval([(0, 5)] * 12, [(0, 5)] * 12)
    assert (*shares(touching), touching["inconclusive"]) == (0, 0, 0, True)
    apart = compare.interval([(0, 5)] * 12, [(0, 10)] * 12)
    assert shares(apart) == pytest.approx([-0.5] * 3)
    assert apart["inconclusive"] is False


def test_of_nothing_no_share_is_told():
    for on, off in (([0] * 12, [7] * 12), ([7] * 12, [0] * 12), ([0] * 12, [0] * 12)):
        found = compare.interval([(0, value) for value in on], [(0, value) for value in off])
        assert (shares(found), found["inconclusive"]) == ([None] * 3, True)
    # The median is something, but often enough a resample's is nothing.
    on, off = list(enumerate([0] * 6 + [9] * 7)), [(day, 5) for day in range(12)]
    for by_day in (False, True):
        found = compare.interval(on, off, by_day=by_day)
        assert (shares(found), found["inconclusive"], found["on"]) == ([None] * 3, True, 9)


def test_an_interval_leaves_out_one_in_forty_at_each_end():
    whole = [math.exp(value / 10) for value in range(1_000)]
    assert compare._percentiles(whole, [1.0] * 1_000) == pytest.approx((2.5, 97.4))
    # Of nothing against nothing one cannot know at which end.
    zeros = [0.0] * 20
    low, high = compare._percentiles(whole[20:] + zeros, [1.0] * 980 + zeros)
    assert (low, high) == pytest.approx((2.5, 99.4))
    zeros = [0.0] * 30
    assert compare._percentiles(whole[30:] + zeros, [1.0] * 970 + zeros) == (-math.inf, math.inf)


def test_the_median_of_an_even_number_is_half_way():
    assert compare.median([3, 1, 2]) == 2
    assert compare.median([4, 1, 2, 3]) == 2.5
    assert compare.median([]) is None


def test_students_distribution_is_near_its_tables():
    for freedom, exact in ((3, 3.182), (4, 2.776), (5, 2.571), (10, 2.228), (30, 2.042), (120, 1.980)):
        assert compare._student(freedom) == pytest.approx(exact, abs=0.004)


def test_an_interval_of_few_days_is_wider_by_what_students_distribution_asks():
    spread = [math.exp(value / 100) for value in range(-100, 101)]
    for days, freedom, factor in (((4, 4), 6, 4 / 3), ((6, 6), 10, 6 / 5), ((40, 40), 78, 40 / 39)):
        expected = math.sqrt(factor) * compare._student(freedom) / 1.959964
        assert compare._stretch([spread, spread], days) == pytest.approx(expected)
    # The arm with few days decides when it alone spreads (Welch), and of no spread nothing is wider.
    alone = compare._stretch([spread, [1.0] * 201], (4, 40))
    assert alone == pytest.approx(math.sqrt(4 / 3) * compare._student(3) / 1.959964)
    assert compare._stretch([[2.0] * 5, [3.0] * 5], (4, 4)) == 1


def some(on, off, assigned="session", day=None):
    """So many client sessions of each arm, one a day unless `day` is given."""
    return [
        {
            "on": at < on,
            "off": at >= on,
            "assigned": assigned,
            "day": at if day is None else day,
            "tokens": 1_000 + at,
            "input_output": 100 + at,
            "turns": 1 + at % 3,
        }
        for at in range(on + off)
    ]


def test_with_too_few_sessions_nothing_is_compared_and_all_are_counted():
    found = compare.compare([*some(3, 2), *some(1, 7, "hand"), {**some(1, 0)[0], "off": True}])
    assert (found["possible"], found["need"], found["on"], found["off"]) == (False, 10, 4, 9)
    for key in compare.MEASURES:
        assert shares(found[key]) == [None] * 3
        assert found[key]["inconclusive"] is None
        assert found[key]["off"] is not None
    assert found["assigned"] == {"by_session": False, "by_day": False, "by_hand": True}


def test_without_any_session_there_is_still_a_comparison():
    found = compare.compare([])
    assert (found["possible"], found["on"], found["off"]) == (False, 0, 0)
    assert not any(found["assigned"].values())
    assert found["tokens"]["on"] is None


@pytest.mark.parametrize(
    ("sessions", "counted", "assigned"),
    [
        ([*some(10, 10), *some(40, 40, "day"), *some(40, 40, "hand")], (10, 10), "by_session"),
        ([*some(10, 9), *some(0, 1, "day"), *some(40, 40, "hand")], (10, 10), "by_day"),
        ([*some(10, 9), *some(40, 0, "day"), *some(2, 3, "hand")], (52, 12), "by_hand"),
    ],
)
def test_the_strongest_design_with_ten_in_each_arm_is_taken(sessions, counted, assigned):
    found = compare.compare(sessions, 100)
    assert (found["possible"], found["on"], found["off"]) == (True, *counted)
    assert [key for key, holds in found["assigned"].items() if holds] == [assigned]


@given(st.lists(st.sampled_from(compare.DESIGNS), min_size=30, max_size=80), st.randoms())
def test_what_sessions_took_does_not_decide_which_are_compared(designs, dice):
    made = [
        {"on": dice.random() < 0.5, "assigned": design, "day": at, "at": at}
        for at, design in enumerate(designs)
    ]
    made = [{**one, "off": not one["on"] or dice.random() < 0.1} for one in made]
    other = [{**one, "tokens": dice.randrange(99), "turns": dice.randrange(9)} for one in made]
    chosen = [one["at"] for one in compare.choose(made)]
    assert [one["at"] for one in compare.choose(other)] == chosen
    assert all(made[at]["on"] != made[at]["off"] for at in chosen)


@pytest.mark.parametrize("assigned", ["day", "hand"])
def test_few_days_are_inconclusive_where_no_coin_decided_for_each_session(assigned):
    def on_days(n, assigned):
        made = some(12, 12, assigned)
        return [{**one, "day": at % n * 2 + one["off"]} for at, one in enumerate(made)]

    few = compare.compare(on_days(3, assigned))
    assert (few["possible"], few["days"]) == (True, {"on": 3, "off": 3, "need": compare.NEED_DAYS})
    assert (shares(few["tokens"]), few["tokens"]["inconclusive"]) == ([None] * 3, True)
    assert compare.compare(on_days(4, assigned))["tokens"]["low"] is not None
    by_coin = compare.compare(on_days(3, "session"))
    assert (by_coin["days"]["need"], by_coin["tokens"]["low"] is None) == (0, False)


def test_the_same_sessions_give_the_same_comparison():
    made = simulated.sessions(random.Random(2), "day", 15, -0.2)
    assert compare.compare(made) == compare.compare(made)
    assert compare.compare(made, seed=3)["tokens"] != compare.compare(made)["tokens"]


def test_made_up_sessions_are_assigned_as_their_design_says():
    for design in simulated.DESIGNS:
        made = simulated.sessions(random.Random(8), design, 12, 0.0)
        assert all(one["on"] != one["off"] and one["tokens"] > 0 for one in made)
        assert {one["assigned"] for one in made} == {design}
    by_day = simulated.sessions(random.Random(8), "day", 12, 0.0)
    assert all(one["on"] == (one["day"] % 2 == 0) for one in by_day)

"""Client sessions with memory on against off: medians, and how far apart chance alone could put them. Cold.

Pure functions on numbers. The interval is a bootstrap of the ratio of the two medians; what is drawn again
is what was assigned: client sessions where a coin decided for each, else whole days. How often such
intervals hold the truth is measured by bench/report_coverage.py, and kept by tests/report/test_compare.py.
"""

import math
import random
from bisect import bisect_right
from itertools import accumulate

NEED = 10  # client sessions in each arm; fewer are not compared
# Days in each arm, where days were assigned. Three against three can be dealt in twenty ways, so the most
# extreme of them comes up in one of ten; four against four in 70, so in one of 35.
NEED_DAYS = 4
LEVEL = 0.95
RESAMPLES = 2_000
SEED = 20_261_101  # any number: the same sessions give the same interval
MEASURES = ("tokens", "input_output", "turns")
DESIGNS = ("session", "day", "hand")  # the strongest first: a coin per client session, per day, somebody
_NORMAL = 1.959964  # of the normal distribution, .95 is this many standard deviations around the middle


def compare(sessions, resamples=RESAMPLES, seed=SEED):
    """The "comparison" of report.json: docs/report.md says what each key is.

    sessions: dicts with "on" and "off" (both: mixed, takes no part), "assigned" (one of DESIGNS), "day"
    (UTC, days since 1970-01-01) and the MEASURES, numbers from 0. What is said of `assigned` is the weakest
    of what takes part; `days` needs 0 where days do not matter.
    """
    compared = choose(sessions)
    possible = bool(compared)
    if not possible:
        compared = [one for one in sessions if one["on"] != one["off"]]
    arms = [[one for one in compared if one[arm]] for arm in ("on", "off")]
    days = [len({one["day"] for one in arm}) for arm in arms]
    weakest = max((DESIGNS.index(one["assigned"]) for one in compared), default=None)
    by_day = weakest != 0
    found = {
        "need": NEED,
        "on": len(arms[0]),
        "off": len(arms[1]),
        "possible": possible,
        "assigned": {"by_" + design: at == weakest for at, design in enumerate(DESIGNS)},
        "days": {"on": days[0], "off": days[1], "need": NEED_DAYS if by_day else 0},
    }
    for key in MEASURES:
        on, off = ([(one["day"], one[key]) for one in arm] for arm in arms)
        found[key] = interval(on, off, resamples, seed, by_day) if possible else _nothing(on, off, None)
    return found


def choose(sessions):
    """The client sessions to compare: those of the strongest design that has NEED of them in each arm.

    A weaker design includes the stronger ones. [] when not even all together are enough. Decided by counts
    alone: a choice that looked at results would find what it looks for.
    """
    for weakest in range(len(DESIGNS)):
        some = [
            one for one in sessions if one["on"] != one["off"] and one["assigned"] in DESIGNS[: weakest + 1]
        ]
        on = sum(1 for one in some if one["on"])
        if min(on, len(some) - on) >= NEED:
            return some
    return []


def interval(on, off, resamples=RESAMPLES, seed=SEED, by_day=False):
    """What the medians of two arms differ by: a MEASURE of report.json, shares of the median without memory.

    on, off: [(day, value from 0)], one for each client session. by_day: what is drawn again is days with all
    their sessions, and the interval gets wider the fewer they are (`_stretch`). It is inconclusive when zero
    is in it, its ends included. Where nothing can be said (too few days, medians of nothing) "difference",
    "low" and "high" are None, and it is inconclusive too.
    """
    units = [_days(arm) if by_day else sorted([value] for _, value in arm) for arm in (on, off)]
    medians = [median([value for _, value in arm]) for arm in (on, off)]
    if not medians[0] or not medians[1] or (by_day and min(map(len, units)) < NEED_DAYS):
        return _nothing(on, off, True)
    dice = random.Random(seed)  # noqa: S311 (no secret)
    drawn = [[], []]
    # By what they hold, not by their names: swapping the arms turns the interval round, to the digit.
    for at in sorted((0, 1), key=lambda at: units[at]):
        drawn[at] = (_of_days if by_day else _of_sessions)(units[at], resamples, dice)
    low, high = _percentiles(*drawn)
    if by_day and math.isfinite(high - low):
        more = (high - low) / 2 * (_stretch(drawn, [len(some) for some in units]) - 1)
        low, high = low - more, high + more
    said = math.log(medians[0]) - math.log(medians[1])
    low, high = min(low, said), max(high, said)
    if max(high, -low) > 700:  # beyond what a float holds
        return _nothing(on, off, True)
    shares = [math.expm1(value) for value in (said, low, high)]
    return _measure(medians, *shares, inconclusive=shares[1] <= 0 <= shares[2])


def median(values):
    """The middle of some numbers, or what is half-way between the two middle ones; None of none."""
    if not values:
        return None
    ordered = sorted(values)
    half = len(ordered) // 2
    return ordered[half] if len(ordered) % 2 else _between(ordered[half - 1], ordered[half])


def _between(low, high):
    return low + (high - low) / 2


def _nothing(on, off, inconclusive):
    medians = [median([value for _, value in arm]) for arm in (on, off)]
    return _measure(medians, None, None, None, inconclusive)


def _measure(medians, difference, low, high, inconclusive):
    return {
        "on": medians[0],
        "off": medians[1],
        "difference": difference,
        "low": low,
        "high": high,
        "level": LEVEL,
        "inconclusive": inconclusive,
    }


def _days(arm):
    """The values of each day, sorted; the days sorted by these."""
    days = {}
    for day, value in arm:
        days.setdefault(day, []).append(value)
    return sorted(sorted(values) for values in days.values())


def _of_sessions(units, resamples, dice):
    """The medians of so many resamples of client sessions.

    Drawing n of n values with replacement is drawing n evenly spread numbers below 1, and the median is
    the value that stands at the middle number. That one has a beta distribution, so one draw is enough
    instead of n; of an even n, the next number up is the least of those that remain above it.
    """
    values = [value for unit in units for value in unit]
    n = len(values)
    half = (n + 1) // 2
    found = []
    for _ in range(resamples):
        at = dice.betavariate(half, n + 1 - half)
        middle = values[min(n - 1, int(at * n))]
        if n % 2 == 0:
            at = 1 - (1 - at) * dice.random() ** (1 / (n - half))
            middle = _between(middle, values[min(n - 1, int(at * n))])
        found.append(middle)
    return found


def _of_days(units, resamples, dice):
    """The medians of the client sessions of so many resamples of days."""
    ordered = sorted((value, day) for day, unit in enumerate(units) for value in unit)
    values, days = [value for value, _ in ordered], [day for _, day in ordered]
    places = range(len(units))
    found = []
    for _ in range(resamples):
        times = [0] * len(units)
        for day in dice.choices(places, k=len(units)):
            times[day] += 1
        upto = list(accumulate(map(times.__getitem__, days)))  # how many drawn sessions are at most this one
        n = upto[-1]
        low, high = (values[bisect_right(upto, place)] for place in ((n - 1) // 2, n // 2))
        found.append(_between(low, high))
    return found


def _percentiles(on, off):
    """The ends of the percentile interval of log(on / off), of medians drawn in pairs; nothing against
    nothing may be anything, so it counts at both ends."""
    logs = [
        math.log(a) - math.log(b) if a and b else -math.inf if b else math.inf
        for a, b in zip(on, off, strict=True)
        if a or b
    ]
    logs.sort()
    anything = [math.inf] * (len(on) - len(logs))
    skipped = int(len(on) * (1 - LEVEL) / 2)
    low = ([-value for value in anything] + logs)[skipped]
    return low, (logs + anything)[-1 - skipped]


def _stretch(drawn, days):
    """By how much to widen the percentile interval of a bootstrap of few days.

    Of K days it is too narrow in two ways: it spreads as if by (K - 1) / K of the variance, and it takes the
    spread that so few days show for the true one. So, as in Welch's test: each arm's variance is corrected,
    and Student's distribution stands in for the normal one. Without this, 95 % intervals of four days an arm
    hold the truth in 89 of 100.
    """
    plain = [_variance([math.log(value) for value in medians if value]) for medians in drawn]
    whole = [value * k / (k - 1) for value, k in zip(plain, days, strict=True)]
    if not sum(plain):
        return 1.0
    freedom = sum(whole) ** 2 / sum(value**2 / (k - 1) for value, k in zip(whole, days, strict=True))
    return math.sqrt(sum(whole) / sum(plain)) * _student(freedom) / _NORMAL


def _variance(values):
    if not values:
        return 0.0
    mean = math.fsum(values) / len(values)
    return math.fsum((value - mean) ** 2 for value in values) / len(values)


def _student(freedom):
    """_NORMAL of Student's distribution (Abramowitz and Stegun 26.7.5); of 3 degrees 3.179, exactly 3.182."""
    z = _NORMAL
    return (
        z
        + (z**3 + z) / (4 * freedom)
        + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * freedom**2)
        + (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / (384 * freedom**3)
        + (79 * z**9 + 776 * z**7 + 1_482 * z**5 - 1_920 * z**3 - 945 * z) / (92_160 * freedom**4)
    )

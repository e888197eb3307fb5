"""Client sessions as they might have been, with a known effect of memory: what the tests of compare and
bench/report_coverage.py draw from.

Tokens are lognormal around what a session of its task takes, times what its day is like, times 1 + effect
with memory on. `sigma` is the standard deviation of the log of one session, `days` that of a day. Turns
follow the same day and know no effect, so a claim about them is always false.
"""

import math

TASKS = {90_000: 0.45, 260_000: 0.35, 900_000: 0.2}  # tokens of a session in the middle: how often
DESIGNS = ("session", "day", "hand")
WEEK = 7


def sessions(dice, design, need, effect, sigma=1.0, days=0.0, per_day=(1, 8), most=None):
    """Day by day until each arm has `need` sessions; dicts as compare.compare takes them.

    dice: a random.Random. design: "session", "day" (even days on), or "hand" (on for a week or so, then off
    for one, and on a day of change both). per_day: least and most sessions of a day. most: sessions kept of
    each arm.
    """
    found = []
    kept = {True: 0, False: 0}
    day = 20_000 + dice.randrange(1_000)
    on, left = dice.random() < 0.5, dice.randint(3, 2 * WEEK)
    while min(kept.values()) < need:
        day += 1 + (dice.random() < 0.2)  # a day off now and then
        like = dice.gauss(0, days)
        for _ in range(dice.randint(*per_day)):
            if design == "session":
                on = dice.random() < 0.5
            elif design == "day":
                on = day % 2 == 0
            else:
                left -= 1
                if left < 0:
                    on, left = not on, dice.randint(3, 2 * WEEK)
            if most is None or kept[on] < most:
                kept[on] += 1
                found.append(_session(dice, design, day, on, effect, sigma, like))
    return found


def _session(dice, design, day, on, effect, sigma, like):
    (middle,) = dice.choices(list(TASKS), TASKS.values())
    tokens = middle * math.exp(like + dice.gauss(0, sigma)) * (1 + effect if on else 1)
    return {
        "on": on,
        "off": not on,
        "assigned": design,
        "day": day,
        "tokens": round(tokens),
        "input_output": round(tokens * 0.08 * math.exp(dice.gauss(0, 0.5))),
        "turns": 1 + int(2 * math.exp(like + dice.gauss(0, 0.8))),
    }


def outcomes(effects):
    """("covered", "claimed", "nothing") of one measure: does its interval hold the truth, does it exclude
    zero, was there none. effects: an iterable of (MEASURE, true effect); the three as shares, the first two
    of the intervals that there are."""
    covered = claimed = nothing = intervals = 0
    for measure, effect in effects:
        if measure["low"] is None:
            nothing += 1
            continue
        intervals += 1
        covered += measure["low"] <= effect <= measure["high"]
        claimed += not measure["inconclusive"]
    whole = max(1, intervals)
    return covered / whole, claimed / whole, nothing / max(1, nothing + intervals)

"""How often the report's intervals hold the truth, and how often they claim an effect that is not there.

    python bench/report_coverage.py [--runs 400] [--resamples 1000] [--processes 2] [--json]

Client sessions are made up (tests/report/simulated.py): lognormal tokens of mixed tasks, days that are alike
or not, one or two sessions a day, one to eight, or five to eight. They go through the product's own
`interval`. A cell is one spread of sessions, one of days, one range of sessions a day; --runs is for each
cell and each effect. A row pools what it does not name; `lowest cell` pools the effects alone. Shares are of
the intervals that there are: `no interval` says how often there were too few days.

`naive` is what drawing single sessions again would have held where days were assigned. `any day` says how
often somebody sees an effect that is not there who looks at the end of each day, from ten client sessions an
arm to fifty, and stops at the first interval without zero.
"""

import argparse
import itertools
import json
import multiprocessing
import os
import random
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "..", "src"), os.path.join(HERE, "..", "tests", "report")]

import simulated

from foreword.report import compare

NEEDS = (10, 20, 50)
DAYS = (0.0, 0.25, 0.5)
SIGMAS = (0.8, 1.3)
PER_DAY = ((1, 2), (1, 8), (5, 8))
EFFECTS = (0.0, -0.1, -0.3)
SEEN_FROM, SEEN_TO = 10, 50


def arms(sessions, key="tokens"):
    return [[(one["day"], one[key]) for one in sessions if one[arm]] for arm in ("on", "off")]


def cell(asked):
    """{what: [(MEASURE, true effect), ...]} of one cell."""
    design, need, days, sigma, per_day, runs, resamples = asked
    found = {"tokens": [], "turns": [], "naive": []}
    for effect, run in itertools.product(EFFECTS, range(runs)):
        dice = random.Random(f"{asked[:5]} {effect} {run}")
        made = simulated.sessions(dice, design, need, effect, sigma, days, per_day)
        by_day = design != "session"
        found["tokens"].append((compare.interval(*arms(made), resamples, run, by_day), effect))
        if not effect:
            turns = compare.interval(*arms(made, "turns"), resamples, run, by_day)
            found["turns"].append((turns, effect))
            if by_day:
                found["naive"].append((compare.interval(*arms(made), resamples, run), effect))
    return found


def looked(asked):
    """Whether somebody who looks at the end of each day is ever told of an effect, where there is none."""
    design, run, resamples = asked
    dice = random.Random(f"looks {design} {run}")
    made = simulated.sessions(dice, design, SEEN_TO, 0.0, 1.0, 0.25)
    for day in sorted({one["day"] for one in made}):
        seen = [one for one in made if one["day"] <= day]
        on, off = arms(seen)
        if min(len(on), len(off)) >= SEEN_FROM:
            said = compare.interval(on, off, resamples, run, design != "session")
            if not said["inconclusive"]:
                return True
    return False


def row_of(design, need, days, cells):
    def pooled(what, effect=None):
        return [pair for one in cells for pair in one[what] if effect is None or pair[1] == effect]

    row = {"design": design, "an arm": need, "sd of days": days}
    for effect in EFFECTS:
        held, claimed, _ = simulated.outcomes(pooled("tokens", effect))
        row[f"held at {100 * effect:.0f} %"] = held
        if not effect:
            row["claims at 0"] = claimed
    # Of a cell with few intervals a share says nothing.
    each = [simulated.outcomes(one["tokens"]) for one in cells]
    row["lowest cell"] = min((held for held, _, none in each if none < 0.5), default=None)
    row["claims of turns"] = simulated.outcomes(pooled("turns"))[1]
    row["naive"] = simulated.outcomes(pooled("naive"))[0] if pooled("naive") else None
    row["no interval"] = simulated.outcomes(pooled("tokens"))[2]
    return row


def show(rows, seen):
    names = list(rows[0])
    print("| " + " | ".join(names) + " |")
    print("|" + "---|" + "---:|" * (len(names) - 1))
    for row in rows:
        told = list(map(str, row.values()))[:3]
        told += ["" if row[name] is None else f"{row[name]:.3f}" for name in names[3:]]
        print("| " + " | ".join(told) + " |")
    print()
    for design, share in seen.items():
        print(f"any day, {design}: {share:.3f}")


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--runs", type=int, default=400)
    options.add_argument("--resamples", type=int, default=1_000)
    options.add_argument("--processes", type=int, default=2)
    options.add_argument("--json", action="store_true")
    given = options.parse_args()
    kinds = list(itertools.product(simulated.DESIGNS, NEEDS, DAYS))
    inner = list(itertools.product(SIGMAS, PER_DAY))
    asked = [(*kind, *one, given.runs, given.resamples) for kind in kinds for one in inner]
    rows = []
    with multiprocessing.Pool(given.processes) as pool:
        cells = pool.imap(cell, asked)
        for kind in kinds:
            rows.append(row_of(*kind, [next(cells) for _ in inner]))
            print(*kind, file=sys.stderr)
        seen = {}
        for design in ("session", "day"):
            looks = [(design, run, given.resamples) for run in range(given.runs)]
            seen[design] = sum(pool.imap(looked, looks)) / given.runs
    if given.json:
        print(json.dumps({"rows": rows, "any day": seen}, indent=2))
    else:
        show(rows, seen)


if __name__ == "__main__":
    main()

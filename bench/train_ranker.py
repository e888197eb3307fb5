"""Make src/foreword/index/dated.json and undated.json from evaluation data: what the ranking has learnt.

    python bench/train_ranker.py --data DIR [--check]

The features are those of the product (index/features.py), made by replaying the data through its own
index; what is learnt is whether the author of a change named a note. `undated` is without the features
of age, for stores whose notes all have one time. Each is the mean of a
logistic regression and 150 trees of eight leaves, in log odds. With the same data and the versions
of pyproject.toml's group `bench` the same bytes come out.

Headings of Chinese and Japanese manuals, with the section as the answer, are a tenth of a prompt each in
`undated`: they have no prompts without an answer, so that more of them would make it talk too much.

--check changes nothing: it learns from all repositories but one, asks the one, and prints what comes out.
"""

import argparse
import collections
import hashlib
import json
import os
import sys

import lightgbm
import numpy

import replay
from foreword.index import features, search

AGE = ("newer", "newer_here", "newer_strong")
KEPT = 0.9  # of the recall of the first five by impacts, at the cut-off
LINES = 5
# A young store is another world: stores of so many notes, so many of each, at half the weight.
WINDOWS = {1: 60, 5: 60, 50: 14, 300: 4}
WINDOW_WEIGHT = 0.5
CJK_WEIGHT = 0.1
TREES = {
    "objective": "cross_entropy", "num_leaves": 8, "learning_rate": 0.05, "min_data_in_leaf": 30,
    "lambda_l2": 5.0, "feature_fraction": 0.5, "bagging_fraction": 0.7, "bagging_freq": 1, "seed": 1,
    "deterministic": True, "force_row_wise": True, "num_threads": 1, "verbose": -1,
}  # fmt: skip
ROUNDS = 150
RIDGE = 3.0

Asked = collections.namedtuple("Asked", "repository kind ids rows gold near weight first")


def gather(notes, queries, repository, weight, **how):
    """One Asked a prompt: its candidates with their features, by score."""
    place = features.NAMES.index("place")
    for query, question, gold, touched, store in replay.replay(notes, queries, **how):
        hits = search.candidates(store.db, question, touched=touched)[0] if question.terms else []
        hits.sort(key=lambda hit: hit.row[place])
        ids = [hit.id for hit in hits]
        near = set(query.get("cotouch", ()))
        yield Asked(
            repository, query["kind"], ids, [hit.row for hit in hits], gold, near, weight, ids[:LINES]
        )


def young(notes, queries, repository):
    """The same of stores with few notes."""
    for _, some, asked in replay.windows(notes, queries, repository, WINDOWS):
        yield from gather(some, asked, repository, WINDOW_WEIGHT)


def matrix(asked, columns):
    """(rows, labels, weights) as arrays."""
    rows = [[row[at] for at in columns] for one in asked for row in one.rows]
    labels = [float(i in one.gold) for one in asked for i in one.ids]
    weights = [one.weight for one in asked for _ in one.ids]
    return numpy.array(rows), numpy.array(labels), numpy.array(weights)


def logistic(rows, labels, weights):
    """[(centre, scale, weight) of each column], bias: by Newton's method, with a ridge."""
    centre, scale = rows.mean(0), rows.std(0) + 1e-9
    inputs = numpy.c_[numpy.clip((rows - centre) / scale, -4, 4), numpy.ones(len(rows))]
    ridge = numpy.r_[numpy.full(rows.shape[1], RIDGE), 1e-6]
    learnt = numpy.zeros(inputs.shape[1])
    for _ in range(25):
        told = 1 / (1 + numpy.exp(-inputs @ learnt))
        slope = inputs.T @ ((told - labels) * weights) + ridge * learnt
        curve = (inputs * (told * (1 - told) * weights)[:, None]).T @ inputs + numpy.diag(ridge)
        learnt -= numpy.linalg.solve(curve, slope)
    return [tuple(map(_short, three)) for three in zip(centre, scale, learnt, strict=False)], _short(
        learnt[-1]
    )


def trees(rows, labels, weights):
    """Nested lists [column, threshold, at most, above]; a leaf is a number in log odds."""
    made = lightgbm.train(TREES, lightgbm.Dataset(rows, labels, weight=weights), ROUNDS)
    return [_nested(tree["tree_structure"]) for tree in made.dump_model()["tree_info"]]


def _nested(node):
    if "leaf_value" in node:
        return _short(node["leaf_value"])
    threshold = float(f"{node['threshold']:.6g}")
    return [node["split_feature"], threshold, _nested(node["left_child"]), _nested(node["right_child"])]


def _short(value):
    return float(f"{value:.5g}")


def learn(asked, names):
    columns = [features.NAMES.index(name) for name in names]
    data = matrix(asked, columns)
    linear, bias = logistic(*data)
    return {"features": list(names), "bias": bias, "logistic": linear, "trees": trees(*data)}


def odds(model, asked):
    """[[(log odds, id), ...] the surest first] for each prompt, by the product's own code."""
    from foreword.index import rank

    ready = rank.prepared(model)
    return [
        sorted(
            ((rank.log_odds(ready, row), i) for row, i in zip(one.rows, one.ids, strict=True)), reverse=True
        )
        for one in asked
    ]


def threshold(asked, ranked):
    """The greatest that keeps KEPT of what the first five by impacts find."""
    answered = [(one, rows) for one, rows in zip(asked, ranked, strict=True) if one.gold]
    goal = KEPT * sum(len(one.gold.intersection(one.first)) / len(one.gold) for one, _ in answered)
    marks = [(x, 1 / len(one.gold)) for one, rows in answered for x, i in rows[:LINES] if i in one.gold]
    for value, share in sorted(marks, reverse=True):
        goal -= share
        if goal <= 0:
            return value
    return marks[-1][0]


def figures(asked, ranked, least):
    """(recall, precision, precision on prompts with an answer, lenient, {kind: silent})."""
    lines = hits = soft = lines_answered = 0
    recall, silent = [], collections.defaultdict(list)
    for one, rows in zip(asked, ranked, strict=True):
        listed = {i for x, i in rows[:LINES] if x >= least}
        lines += len(listed)
        hits += len(listed & one.gold)
        soft += len(listed & (one.gold | one.near))
        if one.gold:
            lines_answered += len(listed)
            recall.append(len(listed & one.gold) / len(one.gold))
        else:
            silent[one.kind].append(not listed)
    return (
        sum(recall) / max(1, len(recall)),
        hits / max(1, lines),
        hits / max(1, lines_answered),
        soft / max(1, lines),
        {kind: sum(told) / len(told) for kind, told in sorted(silent.items())},
    )


def cross(whole, beside, names):
    """(the cut-off, [(what, figures)]): each repository is asked what was learnt from the others."""
    asked, ranked, few, few_ranked = [], [], [], []
    for held in sorted({one.repository for one in whole}):
        model = learn([one for one in whole + beside if one.repository != held], names)
        mine = [one for one in whole if one.repository == held]
        asked += mine
        ranked += odds(model, mine)
        mine = [one for one in beside if one.repository == held]
        few += mine
        few_ranked += odds(model, mine)
    least = threshold(asked, ranked)
    told = [("whole stores", figures(asked, ranked, least))]
    if few:
        told.append(("young stores", figures(few, few_ranked, least)))
    return least, told


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--data", required=True, help="a folder of evaluation data (see replay.py)")
    parser.add_argument("--check", action="store_true", help="print what is learnt without writing it")
    given = parser.parse_args()
    whole, few, headings, seen = [], [], [], hashlib.sha256()
    for kind, name, notes, queries in replay.stores(given.data, ("coding", "cjk")):
        seen.update(json.dumps([notes, queries], sort_keys=True).encode())
        if kind == "cjk":
            headings += gather(notes, queries, name, CJK_WEIGHT)
        else:
            whole += gather(notes, queries, name, 1.0, touch=0.5)
            few += young(notes, queries, name)
        print(f"{name}: {len(notes)} notes, {len(queries)} prompts", file=sys.stderr)
    models = {}
    for which, names, beside in (
        ("dated", features.NAMES, few),
        ("undated", tuple(name for name in features.NAMES if name not in AGE), headings),
    ):
        least, told = cross(whole, beside, names)
        for what, (recall, precision, answered, lenient, silent) in told:
            quiet = ", ".join(f"{kind} {share:.2f}" for kind, share in silent.items())
            print(
                f"{which}, {what}: precision {precision:.3f} (lenient {lenient:.3f}, with an answer"
                f" {answered:.3f}) at recall {recall:.3f}; silent: {quiet}"
            )
        if not given.check:
            models[which] = {**learn(whole + beside, names), "needed": _short(least)}
    names = ", ".join(sorted({one.repository for one in whole + headings}))
    made_of = f"{len(whole)} prompts to repositories, {len(headings)} headings of manuals: {names}"
    record = {"made_by": "bench/train_ranker.py", "made_of": made_of, "data_sha256": seen.hexdigest()}
    for which, model in models.items():
        path = os.path.join(os.path.dirname(search.__file__), which + ".json")
        with open(path, "w", encoding="utf-8") as file:
            json.dump({**record, **model}, file, separators=(",", ":"))
            file.write("\n")
        print(f"{path}: {os.path.getsize(path)} bytes")


if __name__ == "__main__":
    main()

"""A row of numbers to how sure a memory is worth showing. Hot.

The models are data (dated.json and undated.json, made by bench/train_ranker.py): a logistic regression and
small trees over the same numbers (features.NAMES), whose log odds are averaged. `dated` is for memories
saved one after the other; `undated` for those of one time, where order says nothing.
"""

import json
import math
import os

from foreword.index.features import GROUPS, NAMES

_prepared = {}


def model(dated=True):
    """A prepared model; its `needed` are the log odds from which on a memory is worth a line."""
    which = "dated" if dated else "undated"
    if which not in _prepared:
        with open(os.path.join(os.path.dirname(__file__), which + ".json"), "rb") as file:
            _prepared[which] = prepared(json.loads(file.read()))
    return _prepared[which]


def prepared(made):
    """A model as its file has it, with `columns` added: where in a row each of its features stands."""
    return {**made, "columns": [NAMES.index(name) for name in made["features"]]}


def log_odds(made, row):
    """How sure a model is that a memory with this row of features is worth showing, in log odds."""
    values = [row[at] for at in made["columns"]]
    linear = made["bias"]
    for value, (centre, scale, weight) in zip(values, made["logistic"], strict=True):
        away = (value - centre) / scale
        linear += weight * (4.0 if away > 4.0 else -4.0 if away < -4.0 else away)
    trees = 0.0
    for node in made["trees"]:
        while type(node) is list:
            node = node[2] if values[node[0]] <= node[1] else node[3]
        trees += node
    return (linear + trees) / 2


def confidence(odds):
    """Log odds as a share, 0 to 1."""
    return 1 / (1 + math.exp(-max(-30.0, min(30.0, odds))))


def reasons(made, row):
    """[(label, change in log odds, ())] of what speaks for a memory and against it, the strongest first.

    The change is what would be lost if a group of features said what it usually says of a candidate. Not
    for hooks: each group costs a run of the model.
    """
    usual = {at: centre for at, (centre, _, _) in zip(made["columns"], made["logistic"], strict=True)}
    whole = log_odds(made, row)
    found = []
    for label, names in GROUPS.items():
        changed = list(row)
        for at in map(NAMES.index, names):
            changed[at] = usual.get(at, row[at])
        found.append((label, round(whole - log_odds(made, changed), 2), ()))
    return sorted(found, key=lambda reason: -abs(reason[1]))

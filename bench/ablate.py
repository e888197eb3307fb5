"""What each group of features adds: the ranking learnt anew without it. Needs numpy and lightgbm.

`python bench/quality.py --data DIR --ablate` calls it. Nothing is written.
"""

import sys

import replay
import train_ranker as trainer

FORMS = {
    "nothing": lambda model: model,
    "the trees": lambda model: {**model, "trees": []},
    "the logistic regression": lambda model: {
        **model, "bias": 0.0, "logistic": [(centre, scale, 0.0) for centre, scale, _ in model["logistic"]]
    },
}  # fmt: skip


def report(data):
    """Print, for each group, precision at trainer.KEPT of the impacts' recall when all is learnt without it.

    Each repository is asked what was learnt from the others. Half of the prompts that are learnt from know a
    touched file, as in train_ranker.py; those that are asked know none, or all do (the last column).
    """
    learnt, few, headings = [], [], []
    asked = {0.0: [], 1.0: []}
    for kind, name, notes, queries in replay.stores(data, ("coding", "cjk")):
        if kind == "cjk":
            headings += trainer.gather(notes, queries, name, trainer.CJK_WEIGHT)
            continue
        learnt += trainer.gather(notes, queries, name, 1.0, touch=0.5)
        few += trainer.young(notes, queries, name)
        for touch, kept in asked.items():
            kept += trainer.gather(notes, queries, name, 1.0, touch=touch)
        print(f"{name}: gathered", file=sys.stderr)
    undated = tuple(name for name in trainer.features.NAMES if name not in trainer.AGE)
    heads = ("precision", "disjoint", "foreign", "R@5", "with a file")
    print("left out".ljust(52) + "".join(f"{head:>13}" for head in heads))
    for which, names, beside in (("dated", trainer.features.NAMES, few), ("undated", undated, headings)):
        for label, group in {"nothing": (), **trainer.features.GROUPS}.items():
            some = [name for name in names if name not in group]
            if group and len(some) == len(names):
                continue
            models = {}
            for held in sorted({one.repository for one in learnt}):
                others = [one for one in learnt + beside if one.repository != held]
                models[held] = trainer.learn(others, some)
            for form, change in FORMS.items() if not group else ((label, FORMS["nothing"]),):
                told, with_file = (_of_others(kept, models, change) for kept in asked.values())
                print(f"{which}: {form}".ljust(52), end="")
                print("".join(f"{value:>13.3f}" for value in (*told, with_file[0])), flush=True)


def _of_others(asked, models, change):
    """(precision, silent disjoint, silent foreign, R@5) when each repository is asked what others taught."""
    asked = sorted(asked, key=lambda one: one.repository)
    ranked = []
    for held, model in models.items():
        ranked += trainer.odds(change(model), [one for one in asked if one.repository == held])
    least = trainer.threshold(asked, ranked)
    _, precision, _, _, silent = trainer.figures(asked, ranked, least)
    uncut, *_ = trainer.figures(asked, ranked, float("-inf"))
    return precision, silent.get("disjoint", 0.0), silent.get("foreign", 0.0), uncut

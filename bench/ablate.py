"""The ranking learnt anew, without some features or without some data. Needs numpy and lightgbm.

`python bench/quality.py --data DIR` calls it with --ablate and --unseen. Nothing is written.
"""

import sys

import replay
import train_ranker as trainer
from foreword.index import rank

FORMS = {
    "nothing": lambda model: model,
    "the trees": lambda model: {**model, "trees": []},
    "the logistic regression": lambda model: {
        **model, "bias": 0.0, "logistic": [(centre, scale, 0.0) for centre, scale, _ in model["logistic"]]
    },
}  # fmt: skip

UNDATED = tuple(name for name in trainer.features.NAMES if name not in trainer.AGE)


def gathered(data):
    """What train_ranker.py learns from: prompts to repositories, the same of young stores, headings."""
    learnt, few, headings = [], [], []
    for kind, name, notes, queries in replay.stores(data, ("coding", "cjk")):
        if kind == "cjk":
            headings += trainer.gather(notes, queries, name, trainer.CJK_WEIGHT)
        else:
            learnt += trainer.gather(notes, queries, name, 1.0, touch=0.5)
            few += trainer.young(notes, queries, name)
        print(f"{name}: gathered", file=sys.stderr)
    return learnt, few, headings


def unseen(data):
    """{name of a repository or manual: {"dated", "undated"}}: models that all others teach, for rank.model.

    The cut-off is one for all: what train_ranker.py would choose, from these very models.
    """
    learnt, few, headings = gathered(data)
    names = {one.repository for one in learnt + headings}
    taught = {name: {} for name in sorted(names)}
    for which, columns, beside in (("dated", trainer.features.NAMES, few), ("undated", UNDATED, headings)):
        ranked, asked = [], []
        for held, models in taught.items():
            models[which] = trainer.learn([one for one in learnt + beside if one.repository != held], columns)
            mine = [one for one in learnt if one.repository == held]
            asked += mine
            ranked += trainer.odds(models[which], mine)
            print(f"{which}: learnt without {held}", file=sys.stderr)
        needed = trainer.threshold(asked, ranked)
        for models in taught.values():
            models[which] = rank.prepared({**models[which], "needed": needed})
    return taught


def report(data):
    """Print, for each group, precision at trainer.KEPT of the impacts' recall when all is learnt without it.

    Each repository is asked what was learnt from the others. Half of the prompts that are learnt from know a
    touched file, as in train_ranker.py; those that are asked know none, or all do (the last column).
    """
    learnt, few, headings = gathered(data)
    asked = {touch: [] for touch in (0.0, 1.0)}
    for _, name, notes, queries in replay.stores(data, ("coding",)):
        for touch, kept in asked.items():
            kept += trainer.gather(notes, queries, name, 1.0, touch=touch)
        print(f"{name}: asked", file=sys.stderr)
    heads = ("precision", "disjoint", "foreign", "R@5", "with a file")
    print("left out".ljust(52) + "".join(f"{head:>13}" for head in heads))
    for which, names, beside in (("dated", trainer.features.NAMES, few), ("undated", UNDATED, headings)):
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

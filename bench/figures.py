"""What lines and rankings are worth, from what each prompt was shown. Pure; used by quality.py.

A list is the ids that a prompt is shown; lists stand beside the Answers in their order.
"""

import collections
import math
import random
import statistics

from foreword.index.rank import confidence

LINES = 5
DRAWS = 200  # of the bootstrap, over prompts

# One prompt. near: what counts as right only leniently; has_file: one file was known that it then touched;
# shown: what search.offered lists; lists: {way: [(log odds, id), ...]}, the same without a cut-off; needed:
# {way: the product's cut-off}; ranked: {who: ids, best first}.
Answer = collections.namedtuple("Answer", "store kind gold near has_file shown lists needed ranked")


def index_figures(asked, lists):
    """What a prompt index is worth that shows these lists.

    precision: right lines among all; lenient: with near ones; precision_answerable: only prompts that have an
    answer; recall: the mean over those of the share that is listed; silent: {kind: share of prompts without
    an answer that get no line}; precision_se: one standard error.
    """
    counts, answerable, recall = [], [], []
    silent = collections.defaultdict(list)
    soft = 0
    for answer, listed in zip(asked, lists, strict=True):
        hits = len(answer.gold.intersection(listed))
        counts.append((hits, len(listed)))
        soft += len((answer.gold | answer.near).intersection(listed))
        if answer.gold:
            answerable.append((hits, len(listed)))
            recall.append(hits / len(answer.gold))
        else:
            silent[answer.kind].append(not listed)
    lines = sum(count for _, count in counts)
    chance = random.Random(0)
    draws = [precision(chance.choices(counts, k=len(counts))) for _ in range(DRAWS)] if counts else [0.0]
    return {
        "precision": precision(counts),
        "precision_se": statistics.pstdev(draws),
        "recall": mean(recall),
        "lenient": soft / max(1, lines),
        "precision_answerable": precision(answerable),
        "silent": {kind: mean(told) for kind, told in sorted(silent.items())},
        "lines": lines,
        "prompts": len(counts),
        "answerable": len(recall),
    }


def precision(counts):
    return sum(hits for hits, _ in counts) / max(1, sum(lines for _, lines in counts))


def mean(values):
    return sum(values) / max(1, len(values))


def search_figures(asked, who):
    """R5, R10: the mean share of the right notes among the first; MRR of ten; of prompts with an answer."""
    r5, r10, reciprocal = [], [], []
    for answer in asked:
        if answer.gold:
            ids = answer.ranked[who]
            r5.append(len(answer.gold.intersection(ids[:5])) / len(answer.gold))
            r10.append(len(answer.gold.intersection(ids[:10])) / len(answer.gold))
            reciprocal.append(next((1 / at for at, i in enumerate(ids[:10], 1) if i in answer.gold), 0.0))
    return {"R5": mean(r5), "R10": mean(r10), "MRR": mean(reciprocal), "prompts": len(r5)}


def at_recall(asked, way, goals, kept=1.0):
    """index_figures at the highest cut-off, chosen on this very data, with at least a share of a recall.

    goals: what each Answer adds to that recall; cut_off: the confidence that is enough. It is chosen again in
    each draw of the bootstrap.
    """
    lines = sorted(
        (
            (odds, at, 1 / len(answer.gold) if i in answer.gold else 0.0)
            for at, answer in enumerate(asked)
            for odds, i in answer.lists[way]
        ),
        reverse=True,
    )
    least, _ = cut(lines, [1] * len(asked), kept * sum(goals))
    figures = index_figures(asked, [[i for odds, i in a.lists[way] if odds >= least] for a in asked])
    chance, precisions = random.Random(0), []
    for _ in range(DRAWS):
        times = [0] * len(asked)
        for at in chance.choices(range(len(asked)), k=len(asked)):
            times[at] += 1
        goal = kept * sum(map(float.__mul__, goals, map(float, times)))
        precisions.append(cut(lines, times, goal)[1])
    figures["precision_se"] = statistics.pstdev(precisions)
    figures["cut_off"] = confidence(least)
    return figures


def at_least(asked, way, recall):
    """at_recall for a recall that is a number."""
    return at_recall(asked, way, [recall if answer.gold else 0.0 for answer in asked])


def cut(lines, times, goal):
    """(cut-off, precision): how many of the lines, the surest first, it takes to find `goal`."""
    least, listed, hits, found = math.inf, 0, 0, 0.0
    for odds, at, share in lines:
        if found >= goal - 1e-9 and odds < least:
            break
        listed += times[at]
        if share:
            hits += times[at]
            found += times[at] * share
        least = odds
    return least, hits / max(1, listed)


def first_five(asked, who):
    """How much of the right notes the first five of a ranking have, for each Answer."""
    return [_share(answer, answer.ranked[who][:LINES]) for answer in asked]


def uncut_lines(asked, way):
    """The same of the lines that there are without a cut-off."""
    return [_share(answer, [i for _, i in answer.lists[way]]) for answer in asked]


def _share(answer, ids):
    return len(answer.gold.intersection(ids)) / len(answer.gold) if answer.gold else 0.0


def at_usual(asked, way):
    """index_figures at the cut-off that the product has for this way of asking."""
    return index_figures(asked, [[i for x, i in a.lists[way] if x >= a.needed[way]] for a in asked])

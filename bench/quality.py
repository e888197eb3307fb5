"""How good the lines are that a prompt is offered, and the search: ours beside baselines, in one table.

    python bench/quality.py --data DIR [--json] [--only coding,beads] [--jobs N] [--unseen | --ablate]

Everything of ours goes through the product: notes are saved into its index in the order of time (replay.py),
each prompt is asked when it was asked, and what counts is what search.offered lists with five lines. What it
would list with another cut-off or without the age of notes comes from the same function with that one number
or model replaced. Folders that DIR lacks are left out.

The models that are shipped may have learnt from the very data. --unseen asks each repository and manual with
models that have not seen it, learnt from the others as train_ranker.py does; --ablate does that with one
group of features less at a time and prints what each adds. Both need numpy and lightgbm.
"""

import argparse
import collections
import concurrent.futures
import contextlib
import json
import math
import os
import re
import sqlite3
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "src"))

import graph_search
import replay
from figures import (
    DRAWS,
    LINES,
    Answer,
    at_least,
    at_recall,
    at_usual,
    first_five,
    index_figures,
    search_figures,
    uncut_lines,
)
from foreword.index import rank, search
from foreword.text.words import STOP

RANKED = 10
KEPT = 0.9  # of the recall of the first five lines without a cut-off
YOUNG = {1: 60, 5: 60, 50: 14}  # notes of a young store: how many of these a repository is cut into
BEADS_RECALL = 0.61
TRANSCRIPTS_RECALL = 0.35, 0.45
KINDS = ("coding", "transcripts", "beads", "cjk", "graphs")

# What a prompt is asked with: whether the dates of notes count (None: as the product finds), a touched file.
WAYS = {"own": (None, False), "undated": (False, False), "file": (None, True), "undated_file": (False, True)}
BASELINES = {"fts5": "FTS5", "fts5_best": "best FTS5", "impacts": "impacts"}


class Fts5:
    """The baseline: an OR of the prompt's words over FTS5's bm25(), all notes in one table.

    `tuned`: porter stems, no stop words, the parts of identifiers beside them, and fields weighted 5
    (question), 1 (answer), 2 (files), .5 (parts); else unicode61 with equal weights. Word counts include
    notes that are younger than the prompt, which flatters it a little.
    """

    def __init__(self, notes, tuned):
        self.tuned = tuned
        self.weights = "5,1,2,.5" if tuned else "1,1,1,1"
        self.db = sqlite3.connect(":memory:")
        tokenize = "porter unicode61" if tuned else "unicode61"
        self.db.execute(
            "CREATE VIRTUAL TABLE notes USING fts5"
            f"(question, answer, files, parts, id UNINDEXED, time UNINDEXED, tokenize='{tokenize}')"
        )
        for note in notes:
            files = " ".join(note["files"])
            parts = _parts(f"{note['question']} {note['answer']} {files}") if tuned else ""
            row = (note["question"], note["answer"], files, parts, note["id"], note["time"])
            self.db.execute("INSERT INTO notes VALUES(?,?,?,?,?,?)", row)

    def __call__(self, prompt, before):
        """At most RANKED ids of notes older than `before`, best first."""
        if self.tuned:
            prompt += " " + _parts(prompt)
        words = dict.fromkeys(re.findall(r"[^\W_]+", prompt.lower()))
        words = [word for word in words if not self.tuned or word not in STOP]
        asked = " OR ".join(f'"{word}"' for word in words)
        sql = (
            "SELECT id FROM notes WHERE notes MATCH ? AND time<?"
            f" ORDER BY bm25(notes,{self.weights}), rowid LIMIT ?"
        )
        return [i for (i,) in self.db.execute(sql, (asked, before, RANKED))] if words else []


def _parts(text):
    found = []
    for word in re.findall(r"[A-Za-z]\w*", text, re.ASCII):
        parts = re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+", word)
        found += parts if len(parts) > 1 else ()
    return " ".join(found)


@contextlib.contextmanager
def uncut(dated=None):
    """search.offered without a cut-off, and with the model for dated or undated notes where one is named.

    The cut-off that it has otherwise stands beside, as `usual`.
    """
    usual = rank.model

    def model(found):
        made = usual(found if dated is None else dated)
        return {**made, "needed": -math.inf, "usual": made["needed"]}

    rank.model = model
    try:
        yield
    finally:
        rank.model = usual


@contextlib.contextmanager
def taught(models):
    """The product with other models, {"dated": ..., "undated": ...}, or with its own where that is empty."""
    usual = rank.model
    if models:
        rank.model = lambda dated=True: models["dated" if dated else "undated"]
    try:
        yield
    finally:
        rank.model = usual


@contextlib.contextmanager
def candidates_kept():
    """Let the product look for one prompt's candidates once, however often it is asked in here."""
    usual, kept = search.candidates, {}

    def candidates(
        db, question, limit=search.CANDIDATES, before=None, archived=False, types=(), touched=(), allowed=None
    ):  # fmt: skip
        if (limit, touched) not in kept:
            kept[limit, touched] = usual(db, question, limit, before, archived, types, touched, allowed)
        hits, dated = kept[limit, touched]
        return list(hits), dated

    search.candidates = candidates
    try:
        yield
    finally:
        search.candidates = usual


def answers(name, notes, queries, touch=False, baselines=True):
    """An Answer for each prompt to a store, in the order of time; only what is shown without `baselines`."""
    by_words = {"fts5": Fts5(notes, False), "fts5_best": Fts5(notes, True)} if baselines else {}
    ways = {way: how for way, how in WAYS.items() if baselines and (touch or not how[1])}
    for query, question, gold, touched, store in replay.replay(notes, queries, touch=float(touch)):
        ranked = {who: ask(query["prompt"], query.get("time", 1)) for who, ask in by_words.items()}
        lists, needed = {}, {}
        with candidates_kept():
            shown = [hit.id for hit in search.offered(store.db, question, (), LINES).hits]
            for way, (dated, with_file) in ways.items():
                with uncut(dated):
                    hits = search.offered(
                        store.db, question, (), LINES, touched=touched if with_file else ()
                    ).hits
                lists[way] = [(hit.odds, hit.id) for hit in hits]
                needed[way] = hits[0].model["usual"] if hits else 0.0
            if baselines:
                with uncut(dated=False):
                    ranked["undated"] = [hit.id for hit in search.search(store.db, question, RANKED)]
                ranked["own"] = [hit.id for hit in search.search(store.db, question, RANKED)]
                hits, _ = search.candidates(store.db, question, search.SEARCHED)
                ranked["impacts"] = [hit.id for hit in hits[:RANKED]]
        near = set(query.get("cotouch", ()))
        yield Answer(name, query["kind"], gold, near, bool(touched), shown, lists, needed, ranked)


def young(name, notes, queries):
    """[(notes of the store, Answer), ...] of stores that have only a few notes."""
    return [
        (size, answer)
        for size, some, asked in replay.windows(notes, queries, name, YOUNG)
        for answer in answers(name, some, asked, baselines=False)
    ]


def store_done(task):
    """(kind, name, what part of it, what came out, seconds) for one store: what a process of its own does."""
    kind, name, notes, queries, part, models = task
    started = time.monotonic()
    with taught(models):
        if part == "young":
            found = young(name, notes, queries)
        else:
            found = list(answers(name, notes, queries, touch=kind == "coding"))
    return kind, name, part, found, time.monotonic() - started


# Reports: what --json prints for each data set.


def report(asked):
    """What is told of every data set."""
    told = {
        "index": index_figures(asked, [answer.shown for answer in asked]),
        "search": search_figures(asked, "own"),
        "undated": {"index": at_usual(asked, "undated"), "search": search_figures(asked, "undated")},
        "baselines": {},
    }
    for who in BASELINES:
        lists = [answer.ranked[who][:LINES] for answer in asked]
        told["baselines"][who] = {"index": index_figures(asked, lists), "search": search_figures(asked, who)}
    stores = sorted({answer.store for answer in asked})
    if len(stores) > 1:
        told["stores"] = {}
        for name in stores:
            some = [answer for answer in asked if answer.store == name]
            figures = index_figures(some, [answer.shown for answer in some])
            told["stores"][name] = {"index": figures, "search": search_figures(some, "own")}
    return told


def coding(asked, few):
    told = report(asked)
    fts5, impacts = (first_five(asked, who) for who in ("fts5_best", "impacts"))
    told["at_90"] = at_recall(asked, "own", fts5, KEPT)
    told["at_90_of_impacts"] = at_recall(asked, "own", impacts, KEPT)
    told["at_90_of_own"] = at_recall(asked, "own", uncut_lines(asked, "own"), KEPT)
    told["undated"]["at_90"] = at_recall(asked, "undated", fts5, KEPT)
    told["undated"]["at_90_of_impacts"] = at_recall(asked, "undated", impacts, KEPT)
    some = [answer for answer in asked if answer.has_file]
    if some:
        goals = first_five(some, "fts5_best")
        told["files"] = {
            way: {"index": at_usual(some, way), "at_90": at_recall(some, way, goals, KEPT)} for way in WAYS
        }
    told["young"] = {}
    for size in YOUNG:
        some = [answer for count, answer in few if count == size]
        if some:
            told["young"][str(size)] = index_figures(some, [answer.shown for answer in some])
    return told


def transcripts(asked, _few):
    told = report(asked)
    for recall in TRANSCRIPTS_RECALL:
        told[f"at_{recall}"] = at_least(asked, "own", recall)
    return told


def beads(asked, _few):
    told = report(asked)
    told[f"at_{BEADS_RECALL}"] = at_least(asked, "own", BEADS_RECALL)
    told["undated"][f"at_{BEADS_RECALL}"] = at_least(asked, "undated", BEADS_RECALL)
    return told


def cjk(asked, _few):
    told = report(asked)
    told["kinds"] = {}
    for language, kind in sorted({(answer.store.partition("-")[0], answer.kind) for answer in asked}):
        some = [a for a in asked if a.kind == kind and a.store.partition("-")[0] == language]
        told["kinds"].setdefault(language, {})[kind] = {
            "index": index_figures(some, [answer.shown for answer in some]),
            "search": search_figures(some, "own"),
            "baselines": {who: {"search": search_figures(some, who)} for who in BASELINES},
        }
    return told


REPORTS = {"coding": coding, "transcripts": transcripts, "beads": beads, "cjk": cjk}


def measure(data, kinds=KINDS, jobs=1, say=lambda told: None, models=None):
    """{kind: its report} for the data sets that a folder has. models: {name of a store: see `taught`}."""
    tasks = []
    for kind, name, notes, queries in replay.stores(data, kinds):
        for part in ("whole", "young") if kind == "coding" else ("whole",):
            tasks.append((kind, name, notes, queries, part, (models or {}).get(name)))
    asked, few = collections.defaultdict(list), collections.defaultdict(list)
    with contextlib.ExitStack() as stack:
        run = map
        if jobs > 1:
            run = stack.enter_context(concurrent.futures.ProcessPoolExecutor(jobs)).map
        for kind, name, part, found, took in run(store_done, tasks):
            (few if part == "young" else asked)[kind] += found
            say(f"{kind}/{name}, {part}: {len(found)} prompts in {took:.0f} s")
    found = {kind: REPORTS[kind](asked[kind], few[kind]) for kind in KINDS if asked[kind]}
    makers = {"fts5": lambda notes: Fts5(notes, False), "fts5_best": lambda notes: Fts5(notes, True)}
    told = graph_search.report(data, makers) if "graphs" in kinds else None
    return found | ({"graphs": told} if told else {})


# The table. A row: what it says, the figure of each baseline (None where it has none), ours, its standard
# error, the least that is wanted, and the goal.

NO_BOUNDS = None, None
SILENT = {"foreign": (0.95, 0.99), "disjoint": (0.55, 0.70), "control": (1.0, 1.0)}
YOUNG_BOUNDS = {"1": (0.90, 1.0), "5": (0.85, 0.95), "50": (0.70, 0.85)}


def table(found):
    """[title or row, ...] of everything that was measured."""
    made = []
    rows = {"coding": _coding, "transcripts": _transcripts, "beads": _beads, "cjk": _cjk, "graphs": _graphs}
    for kind, told in found.items():
        index = told.get("index") or {"answerable": told["search"]["prompts"], **told["search"]}
        made += ["", f"{kind}: {index['prompts']} prompts, {index['answerable']} with an answer"]
        made += rows[kind](told)
    return made


def _ours(label, figures, name, bounds=NO_BOUNDS):
    """A row without baselines."""
    spread = figures.get("precision_se") if name == "precision" else None
    return (label, *[None] * len(BASELINES), figures[name], spread, *bounds)


def _beside(label, told, part, name, bounds=NO_BOUNDS):
    """A row with baselines: what is called so in a part of the report, "index" or "search"."""
    _, *_, ours, spread, floor, goal = _ours(label, told[part], name, bounds)
    others = [told["baselines"].get(who, {part: {name: None}})[part][name] for who in BASELINES]
    return (label, *others, ours, spread, floor, goal)


def _silent(told):
    made = []
    for kind, ours in told["index"]["silent"].items():
        others = [told["baselines"][who]["index"]["silent"][kind] for who in BASELINES]
        made.append((f"  no line: {kind}", *others, ours, None, *SILENT.get(kind, NO_BOUNDS)))
    return made


def _silent_ours(figures, bounds=None):
    return [
        _ours(f"  no line: {kind}", figures["silent"], kind, (bounds or {}).get(kind, NO_BOUNDS))
        for kind in figures["silent"]
    ]


def _index_rows(told, precision=NO_BOUNDS, recall=NO_BOUNDS):
    made = [
        _beside("lines: precision", told, "index", "precision", precision),
        _beside("  recall", told, "index", "recall", recall),
    ]
    if told["index"]["lenient"] > told["index"]["precision"]:
        made.append(_beside("  lenient precision", told, "index", "lenient"))
    if told["index"]["silent"]:
        made.append(_beside("  precision on prompts with an answer", told, "index", "precision_answerable"))
    return made + _silent(told)


def _search_rows(told, r5=NO_BOUNDS, mrr=NO_BOUNDS, before=""):
    return [
        _beside(before + "search: R@5", told, "search", "R5", r5),
        _beside("  R@10", told, "search", "R10"),
        _beside("  MRR", told, "search", "MRR", mrr),
    ]


def _cut_rows(label, figures, bounds=NO_BOUNDS, silent=None):
    """Precision at a cut-off that was chosen, and which prompts without an answer get nothing there."""
    label += f": precision at recall {figures['recall']:.3f}"
    return [_ours(label, figures, "precision", bounds), *_silent_ours(figures, silent)]


def _coding(told):
    undated, files = told["undated"], told.get("files", {})
    made = _index_rows(told)
    made += _cut_rows("at 90 % of best FTS5's recall", told["at_90"], (0.45, 0.60), SILENT)
    made += _cut_rows("at 90 % of the impacts' recall", told["at_90_of_impacts"])
    made += _cut_rows("at 90 % of its own recall without a cut-off", told["at_90_of_own"])
    made += [
        _ours("without age, lines: precision", undated["index"], "precision"),
        _ours("  recall", undated["index"], "recall"),
        *_silent_ours(undated["index"]),
    ]
    made += _cut_rows("without age, at 90 % of best FTS5's recall", undated["at_90"], (0.36, 0.45))
    made += _cut_rows("without age, at 90 % of the impacts' recall", undated["at_90_of_impacts"])
    for way, label in {
        "own": "prompts with files, none of them known",
        "file": "one touched file known",
        "undated": "without age, none known",
        "undated_file": "without age, one touched file known",
    }.items():
        if way in files:
            made += _cut_rows(label, files[way]["at_90"])
    made += _search_rows(told, (0.82, 0.88), (0.73, 0.80))
    made += [
        _ours("without age, search: R@5", undated["search"], "R5"),
        _ours("  MRR", undated["search"], "MRR"),
    ]
    for size, figures in told["young"].items():
        label = f"stores of {size}, precision on {figures['answerable']} prompts with an answer"
        bounds = YOUNG_BOUNDS.get(size, NO_BOUNDS)
        made.append(_ours(label, figures, "precision_answerable", bounds))
        made += [_ours("  recall", figures, "recall"), *_silent_ours(figures)]
    return made


def _transcripts(told):
    made = _index_rows(told, (0.35, 0.45), (0.35, 0.45))
    for recall in TRANSCRIPTS_RECALL:
        made += _cut_rows("with a cut-off chosen here", told[f"at_{recall}"])
    return made + _search_rows(told)


def _beads(told):
    made = _index_rows(told)
    made += _cut_rows("with a cut-off chosen here", told[f"at_{BEADS_RECALL}"], (0.30, 0.45))
    made += _cut_rows("without age", told["undated"][f"at_{BEADS_RECALL}"])
    return made + _search_rows(told)


def _cjk(told):
    made = _index_rows(told)
    bounds = {"native": (0.64, 0.72), "english": (0.33, 0.50)}
    for language, kinds in told["kinds"].items():
        for kind, figures in kinds.items():
            made += _search_rows(figures, bounds.get(kind, NO_BOUNDS), before=f"{language}, {kind} ")
    return made


def _graphs(told):
    reference = told["baselines"]["reference"]
    return [
        _beside("search_nodes: R@1", told, "search", "R1"),
        *_search_rows(told),
        _ours("the reference server: R@10", reference["search"], "R10"),
    ]


def show(found):
    heads = (*BASELINES.values(), "Foreword", "+-", "floor", "goal")
    rows = table(found)
    wide = max(len(row if type(row) is str else row[0]) for row in rows) if rows else 0
    print(" " * wide + "".join(f"{head:>11}" for head in heads))
    for row in rows:
        if type(row) is str:
            print(row)
            continue
        label, *values = row
        print(label.ljust(wide) + "".join(f"{'' if v is None else f'{v:.3f}':>11}" for v in values))
    print(
        "\nPrecision counts only notes that are named as an answer. Baselines list their first five.\n"
        "Ours is at the product's own cut-off; where a recall is named, one is chosen on this very data.\n"
        f"+-: one standard error, bootstrap over prompts, {DRAWS} draws."
    )


def rounded(told):
    if isinstance(told, dict):
        return {name: rounded(value) for name, value in told.items()}
    return round(told, 4) if isinstance(told, float) else told


def say(told):
    print(told, file=sys.stderr, flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--data", required=True, help="a folder of evaluation data (see replay.py)")
    parser.add_argument("--json", action="store_true", help="print one object instead of the table")
    parser.add_argument("--only", default=",".join(KINDS), help="data sets, with commas between them")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="stores asked at once")
    parser.add_argument("--ablate", action="store_true", help="train without one group of features at a time")
    parser.add_argument("--unseen", action="store_true", help="train without what is asked, and ask that")
    given = parser.parse_args()
    kinds = given.only.split(",")
    if not set(kinds) <= set(KINDS):
        parser.error(f"--only knows {', '.join(KINDS)}")
    models = None
    if given.ablate or given.unseen:
        import ablate

        if given.ablate:
            ablate.report(given.data)
            return
        models = ablate.unseen(given.data)
    found = measure(given.data, kinds, given.jobs, say, models)
    if not found:
        parser.error(f"{given.data} has none of {', '.join(kinds)}")
    if given.json:
        print(json.dumps(rounded(found), indent=1))
    else:
        show(found)


if __name__ == "__main__":
    main()

"""bench/quality.py: its figures on cases computed by hand, and what it asks on a small folder of data."""

import importlib
import json
import os
import subprocess
import sys

import pytest

from foreword.index import rank, search

BENCH = os.path.join(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))), "bench")
sys.path.append(BENCH)
figures = importlib.import_module("figures")
quality = importlib.import_module("quality")

SUBJECTS = (
    "zebra parser", "lantern cache", "quokka socket", "marble tokeniser", "violet scheduler", "copper ledger",
    "walnut daemon", "glacier router", "saffron mutex", "tundra buffer", "cobalt planner", "juniper decoder",
)  # fmt: skip


def note(number, time, subject):
    first, second = subject.split()
    return {
        "id": f"n{number}",
        "time": time,
        "question": f"Fix the {subject} when the {first} overflows",
        "answer": f"The {second} of {first} now checks `{first}_{second}_limit` before it grows.",
        "files": [f"src/{first}/{second}.py"],
    }


def prompt(subject):
    first, second = subject.split()
    return f"The {subject} overflows again, see {first}_{second}_limit in src/{first}/{second}.py"


NOTES = [note(n, 100 * (n + 1), subject) for n, subject in enumerate(SUBJECTS)]
QUERIES = [
    {
        "id": f"q{n}", "time": 100 * (n + 1) + 50, "prompt": prompt(subject), "gold": [f"n{n}"],
        "kind": "positive", "cotouch": [], "files": [f"src/{subject.split()[0]}/other.py"],
    }
    for n, subject in enumerate(SUBJECTS)
] + [
    {"id": "c", "time": 2000, "prompt": "yes, go ahead", "gold": [], "kind": "control", "files": []},
    {"id": "f", "time": 2000, "prompt": "Paint xylophones", "gold": [], "kind": "foreign", "files": []},
    # Asked before the note about it was saved, and in the same second.
    {"id": "e", "time": 450, "prompt": prompt(SUBJECTS[9]), "gold": [], "kind": "disjoint", "files": []},
    {"id": "s", "time": 1000, "prompt": prompt(SUBJECTS[9]), "gold": [], "kind": "disjoint", "files": []},
]  # fmt: skip


def put(path, rows):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


@pytest.fixture
def data(tmp_path):
    folder = tmp_path / "data"
    put(folder / "coding" / "here.notes.jsonl", NOTES)
    put(folder / "coding" / "here.queries.jsonl", QUERIES)
    return folder


def answer(gold=(), kind="positive", near=(), ranked=(), lists=()):
    return figures.Answer(
        "s", kind, set(gold), set(near), False, [], {"own": list(lists)}, {}, {"own": ranked}
    )


def run(data, *options):
    command = [
        sys.executable,
        os.path.join(BENCH, "quality.py"),
        "--data",
        str(data),
        "--jobs",
        "1",
        *options,
    ]
    return subprocess.run(command, capture_output=True, text=True, encoding="utf-8")


# The figures.


def test_the_figures_of_an_index_are_those_computed_by_hand():
    asked = [
        answer(["a", "b"], near=["c"]), answer(["a"]), answer(kind="foreign"), answer(kind="foreign"),
        answer(kind="control", near=["z"]),
    ]  # fmt: skip
    told = figures.index_figures(asked, [["a", "c", "x"], [], ["y"], [], ["z"]])
    assert told.pop("precision_se") > 0
    assert told == {
        "precision": 1 / 5,
        "recall": (1 / 2 + 0) / 2,
        "lenient": 3 / 5,
        "precision_answerable": 1 / 3,
        "silent": {"control": 0.0, "foreign": 0.5},
        "lines": 5,
        "prompts": 5,
        "answerable": 2,
    }


def test_an_index_that_says_nothing_has_figures():
    told = figures.index_figures([answer(["a"]), answer(kind="control")], [[], []])
    assert (told["precision"], told["recall"], told["silent"]) == (0.0, 0.0, {"control": 1.0})


def test_the_standard_error_is_none_where_all_prompts_are_alike():
    told = figures.index_figures([answer(["a"])] * 9, [["a", "x"]] * 9)
    assert (told["precision"], told["precision_se"]) == (0.5, 0.0)


def test_the_figures_of_a_search_are_those_computed_by_hand():
    asked = [
        answer(["a", "b"], ranked=["x", "a", "y", "z", "w", "b"]),
        answer(["c"], ranked=["x"]),
        answer(["d"], ranked=["d"]),
        answer(kind="foreign", ranked=["x"]),  # has no answer, so that no rank is wrong
    ]
    told = figures.search_figures(asked, "own")
    assert told == {
        "R5": (0.5 + 0 + 1) / 3, "R10": (1 + 0 + 1) / 3, "MRR": (0.5 + 0 + 1) / 3, "prompts": 3,
    }  # fmt: skip


def test_the_cut_off_for_a_recall_is_the_highest_that_has_it():
    asked = [
        answer(["a"], lists=[(3.0, "a"), (0.5, "x")]),
        answer(["b"], lists=[(2.0, "y"), (1.0, "b"), (0.0, "z")]),
        answer(["c"], lists=[(-1.0, "c")]),
        answer(kind="foreign", lists=[(1.5, "v")]),
    ]
    told = figures.at_least(asked, "own", 2 / 3)
    assert told["cut_off"] == rank.confidence(1.0)
    assert told["recall"] == pytest.approx(2 / 3)
    assert told["precision"] == 2 / 4
    assert told["silent"] == {"foreign": 0.0}
    assert figures.at_least(asked, "own", 1 / 3)["precision"] == 1.0


def test_lines_as_sure_as_the_cut_off_are_all_listed():
    asked = [answer(["a"], lists=[(1.0, "a")]), answer(kind="foreign", lists=[(1.0, "b")])]
    assert figures.at_least(asked, "own", 1.0)["precision"] == 0.5


def test_a_share_of_a_recall_counts_what_another_ranking_found():
    asked = [answer([i], ranked=[i], lists=[(odds, i)]) for odds, i in ((3.0, "a"), (2.0, "b"), (1.0, "c"))]
    goals = figures.first_five(asked, "own")
    assert goals == [1.0, 1.0, 1.0]
    assert figures.at_recall(asked, "own", goals, 0.6)["recall"] == pytest.approx(2 / 3)


# What is asked.


def test_no_note_is_offered_or_found_that_is_not_older_than_the_prompt():
    when = {one["id"]: one["time"] for one in NOTES}
    asked = sorted(QUERIES, key=lambda one: one["time"])
    found = list(quality.answers("here", NOTES, QUERIES, touch=True))
    assert len(found) == len(asked)
    offered = 0
    for query, told in zip(asked, found, strict=True):
        assert (told.gold, told.kind) == (set(query["gold"]), query["kind"])
        ids = [*told.shown, *(i for ids in told.ranked.values() for i in ids)]
        ids += [i for lines in told.lists.values() for _, i in lines]
        offered += len(ids)
        assert all(when[i] < query["time"] for i in ids)
    assert offered > 50


def test_what_is_shown_is_what_the_product_lists_at_its_own_cut_off():
    shown = 0
    for told in quality.answers("here", NOTES, QUERIES):
        assert told.shown == [i for odds, i in told.lists["own"] if odds >= told.needed["own"]]
        shown += len(told.shown)
    assert shown


def test_a_prompt_that_only_steers_gets_no_line_however_low_the_cut_off():
    told = {one.kind: one for one in quality.answers("here", NOTES, QUERIES)}
    assert told["control"].shown == [] and told["control"].lists["own"] == []


def test_the_product_is_as_before_when_all_is_asked():
    before = rank.model, search.candidates
    list(quality.answers("here", NOTES, QUERIES[:3]))
    with pytest.raises(ZeroDivisionError), quality.uncut(), quality.candidates_kept():
        raise ZeroDivisionError
    assert (rank.model, search.candidates) == before


def test_other_models_can_stand_in_for_those_of_the_product():
    never = {**rank.model(True), "needed": 99.0}
    own = rank.model
    with quality.taught({"dated": never, "undated": rank.model(False)}):
        told = list(quality.answers("here", NOTES, QUERIES))
    assert rank.model is own
    assert all(one.shown == [] for one in told)
    assert {one.needed["own"] for one in told if one.lists["own"]} == {99.0}
    with quality.taught(None):
        assert rank.model is own


@pytest.mark.parametrize("tuned", [False, True])
def test_the_baseline_finds_the_best_older_note(tuned):
    ask = quality.Fts5(NOTES, tuned)
    assert ask(prompt(SUBJECTS[3]), 1000)[0] == "n3"
    assert "n3" not in ask(prompt(SUBJECTS[3]), 400)
    assert ask("?!", 1000) == []


def test_the_tuned_baseline_knows_stems_parts_and_stop_words():
    notes = [
        note(1, 1, "zebra parser"),
        {**note(2, 1, "lantern cache"), "answer": "HTTPServerError, when is it"},
    ]
    plain, tuned = (quality.Fts5(notes, which) for which in (False, True))
    assert plain("server", 2) == [] and tuned("server", 2) == ["n2"]
    assert plain("parsers", 2) == [] and tuned("parsers", 2) == ["n1"]
    assert plain("when is it", 2) and tuned("when is it", 2) == []


# The program.


def test_json_has_the_data_sets_that_are_there_and_their_figures(data):
    done = run(data, "--json")
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert list(told) == ["coding"]
    coding = told["coding"]
    assert set(coding["search"]) >= {"R5", "R10", "MRR"}
    index = coding["index"]
    assert set(index["silent"]) == {"control", "disjoint", "foreign"}
    assert index["silent"]["control"] == index["silent"]["foreign"] == 1.0
    assert 0 < index["precision"] <= 1 and 0 < index["recall"] <= 1
    assert (index["prompts"], index["answerable"]) == (16, 12)
    assert coding["search"]["R5"] == 1.0  # each note is about something else
    assert set(coding["baselines"]) == {"fts5", "fts5_best", "impacts"}
    assert set(coding["young"]) == {"1", "5", "50"}
    assert set(coding["files"]) == {"own", "undated", "file", "undated_file"}
    assert "coding/here" in done.stderr


def test_the_other_data_sets_have_the_same_keys(data):
    put(data / "beads" / "notes.jsonl", NOTES)
    put(data / "beads" / "queries.jsonl", [{**one, "kind": None} for one in QUERIES[:12]])
    put(data / "transcripts" / "notes.jsonl", [{**one, "repo": "x/y"} for one in NOTES])
    tasks = [{**one, "repo": "x/y", "grade2": one["gold"], "grade1": []} for one in QUERIES[:12]]
    put(data / "transcripts" / "queries.jsonl", tasks)
    pages = {"認証の設定": "トークンを更新する方法を説明します。", "画面の表示": "部品を画面に描く手順です。"}
    notes = [
        {"id": f"j{n}", "time": 0, "question": "目次", "answer": f"{head} {text}", "files": []}
        for n, (head, text) in enumerate(pages.items())
    ]
    heads = [
        {"id": f"jq{n}", "kind": "native", "prompt": head, "gold": [f"j{n}"]} for n, head in enumerate(pages)
    ]
    put(data / "cjk" / "ja-x.notes.jsonl", notes)
    put(data / "cjk" / "ja-x.queries.jsonl", heads)
    done = run(data, "--json", "--only", "transcripts,beads,cjk")
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert list(told) == ["transcripts", "beads", "cjk"]
    for one in told.values():
        assert set(one["index"]) >= {"precision", "recall", "silent"}
        assert set(one["search"]) >= {"R5", "R10", "MRR"}
    assert told["cjk"]["kinds"]["ja"]["native"]["search"]["R5"] == 1.0
    assert told["transcripts"]["search"]["R5"] == 1.0


def test_the_table_has_ours_beside_the_baselines(tmp_path):
    put(tmp_path / "data" / "beads" / "notes.jsonl", NOTES)
    put(tmp_path / "data" / "beads" / "queries.jsonl", QUERIES[:12])
    done = run(tmp_path / "data")
    assert done.returncode == 0, done.stderr
    head, *rows = done.stdout.splitlines()
    assert head.split() == ["FTS5", "best", "FTS5", "impacts", "Foreword", "+-", "floor", "goal"]
    found = next(row for row in rows if row.startswith("search: R@5"))
    assert found.split() == ["search:", "R@5", "1.000", "1.000", "1.000", "1.000"]
    chosen = next(row for row in rows if row.startswith("with a cut-off chosen here"))
    assert chosen.split()[-2:] == ["0.300", "0.450"]
    assert "beads: 12 prompts, 12 with an answer" in rows


def test_the_same_data_gives_the_same_figures_in_any_number_of_processes(tmp_path):
    data = tmp_path / "data"
    both = ("x/y", "z/w")
    put(data / "transcripts" / "notes.jsonl", [{**one, "repo": repo} for repo in both for one in NOTES])
    tasks = [{**one, "repo": repo, "grade2": one["gold"], "grade1": []} for repo in both for one in QUERIES]
    put(data / "transcripts" / "queries.jsonl", tasks)
    once, again = (run(data, "--json", "--jobs", jobs) for jobs in ("1", "2"))
    assert once.returncode == again.returncode == 0, once.stderr + again.stderr
    assert once.stdout == again.stdout
    assert set(json.loads(once.stdout)["transcripts"]["stores"]) == set(both)


@pytest.mark.parametrize("options", [(), ("--only", "beads"), ("--only", "nonsense")])
def test_what_cannot_be_measured_is_said(tmp_path, data, options):
    done = run(data if options else tmp_path, *options)
    assert (done.returncode, done.stdout) == (2, "")
    assert "quality.py: error" in done.stderr

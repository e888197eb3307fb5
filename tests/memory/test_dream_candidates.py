"""What a dream finds to be looked at, and what it leaves alone."""

import os
import time

import pytest

from foreword import memory
from foreword.memory import candidates
from foreword.memory.dream import dream
from foreword.store import layout, write

from .dreams import made, saved

DAY = 86_400


@pytest.fixture
def place(tmp_path, monkeypatch):
    return made(tmp_path / "ledger", monkeypatch)


def written(place, kind, title, body, age_days=0.0, **fields):
    """A memory as if it had been saved some days ago; its id."""
    now = time.time() - age_days * DAY
    return write.create(place.folder, kind, {"title": title, **fields}, body, now)[0]


def found(place, kind=""):
    """[(kind, ids)] of the candidates, or the candidates of one kind."""
    all_of = dream(place)["candidates"]
    return [one for one in all_of if one["kind"] == kind] if kind else [(o["kind"], o["ids"]) for o in all_of]


def test_a_store_without_debt_gives_no_candidate_no_run_and_no_journal(place):
    saved(place, "Build with make.", "Build")
    made = dream(place)
    assert made["candidates"] == []
    assert made["run"] == ""
    assert made["debt"] == {"superseded": 0, "beyond": 0, "due": False}
    assert not os.path.exists(os.path.join(place.home, "state", "dreams"))


def test_an_empty_store_and_a_project_without_a_folder_give_nothing(tmp_path, monkeypatch):
    (tmp_path / "fresh").mkdir()
    monkeypatch.chdir(tmp_path / "fresh")
    assert dream(memory.open_project())["candidates"] == []


def test_facts_of_one_title_and_what_is_named_as_superseded_are_candidates(place):
    old = saved(place, "Port 5432.", "Port")
    new = saved(place, "Port 5433.", "port")
    summary = saved(place, "What happened.", "Monday", type="session")
    later = saved(place, "All of it.", "Tuesday", type="session", supersedes=[summary])
    by_hand = written(place, "fact", "PORT", "Port 99.", age_days=2)

    rows = found(place, "superseded")
    assert [(one["ids"], one["why"], one["type"]) for one in rows] == [
        ([by_hand], f"superseded by {new}", "fact"),
        ([old], f"superseded by {new}", "fact"),
        ([summary], f"superseded by {later}", "session"),
    ]
    assert dream(place)["debt"] == memory.debt(place) == {"superseded": 3, "beyond": 0, "due": True}


def test_sessions_beyond_those_that_recall_names_are_candidates_the_oldest_first(place):
    ids = [written(place, "session", f"Day {n}", f"word{n} " * 3, age_days=20 - n) for n in range(15)]
    assert found(place) == [("beyond", [ids[0]]), ("beyond", [ids[1]])]
    assert dream(place)["debt"]["beyond"] == 2


def test_a_fact_whose_files_changed_or_vanished_is_a_candidate_and_says_which(place):
    changed = saved(place, "Retries are set in `src/app.py`.", "Retries")
    gone = saved(place, "The pool is in src/db.py, called by src/app.py.", "Pool")
    saved(place, "Nothing cited at all.", "Other")
    assert found(place) == []
    with open(os.path.join(place.root, "src", "app.py"), "a", encoding="utf-8") as f:
        f.write("# more\n")
    os.remove(os.path.join(place.root, "src", "db.py"))
    rows = found(place, "stale")
    assert [(one["ids"], one["why"]) for one in rows] == [
        ([changed], "src/app.py changed"),
        ([gone], "src/db.py is gone, src/app.py changed"),
    ]


def test_a_summary_whose_files_changed_is_history_and_no_candidate(place):
    saved(place, "Today src/app.py was written.", "Monday", type="session")
    os.remove(os.path.join(place.root, "src", "app.py"))
    assert found(place) == []


def test_a_fact_is_old_after_ninety_days_unless_it_was_checked_since(place):
    old = written(place, "fact", "Old", "Something.", age_days=100)
    written(place, "fact", "Young", "Else.", age_days=80)
    written(place, "fact", "Kept", "Other.", age_days=300, checked=layout.timestamp(time.time() - 10 * DAY))
    twice = written(
        place, "fact", "Kept once", "More.", 300, checked=layout.timestamp(time.time() - 95 * DAY)
    )
    written(place, "session", "Long ago", "Happened.", age_days=400)
    rows = found(place, "old")
    assert [(one["ids"], one["why"]) for one in rows] == [
        ([twice], "not checked for 95 days"),
        ([old], "not checked for 100 days"),
    ]


def test_global_facts_are_candidates_and_marked_so_and_their_paths_are_not_looked_for(place):
    old = saved(place, "Tabs.", "Indent", everywhere=True)
    saved(place, "Spaces.", "Indent", everywhere=True)
    local = saved(place, "Tabs here.", "Indent")
    [one] = dream(place)["candidates"]
    assert (one["ids"], one["global"]) == ([old], True)
    assert local not in one["ids"]


ALIKE = [
    ("Tests", "Run `make db && pytest`; the database must be up first.",
     "How to run tests", "The tests need the database: run `make db`, then `pytest`."),
    ("Retries", "HTTP retries are set to 5 since the upstream drops connections.",
     "Retry count", "The retry count is 5, as the upstream often drops HTTP connections."),
    ("テスト", "テストの前に make db でデータベースを起動する。",
     "テストの実行方法", "テストを実行する前に、make db でデータベースを起動してください。"),
    ("構建", "構建命令是 npm run build，輸出到 dist 目錄。",
     "構建命令", "使用 npm run build 構建，輸出目錄是 dist。"),
    ("Deploy", "Deploy from the release branch with scripts/deploy.sh, never on a Friday.",
     "Release", "Long story about releases. Deploy from the release branch with scripts/deploy.sh, never on a"
     " Friday. Tag first, ask the reviewers, watch the dashboards, and write the changelog entry."),
]  # fmt: skip
APART = [
    ("Build", "Build with `npm run build`, output goes to dist.",
     "Test", "Test with `npm test`, reports go to out."),
    ("Postgres port", "The staging database listens on 5433.",
     "Redis port", "The staging Redis listens on 6380."),
    ("テスト", "テストの前に make db でデータベースを起動する。",
     "移行", "データベースの移行は make migrate で行う。"),
    ("Pool", "Pool.", "Pool size", "Pool."),
]  # fmt: skip


@pytest.mark.parametrize(("title", "body", "other", "text"), ALIKE)
def test_what_says_the_same_in_other_words_is_found(place, title, body, other, text):
    first = saved(place, body, title)
    second = saved(place, text, other)
    assert found(place) == [("alike", [second, first])]


@pytest.mark.parametrize(("title", "body", "other", "text"), APART)
def test_what_is_only_about_related_things_is_not(place, title, body, other, text):
    saved(place, body, title)
    saved(place, text, other)
    assert found(place) == []


def test_facts_are_not_compared_with_sessions(place):
    saved(place, "Run make db and then pytest to test.", "Tests")
    saved(place, "Run make db and then pytest to test.", "Tests", type="session")
    assert found(place) == []


def test_a_project_fact_that_repeats_a_global_one_says_which_is_global(place):
    everywhere = saved(place, "Prefer short answers without any lists.", "Style", everywhere=True)
    here = saved(place, "Short answers without lists preferred.", "Answer style")
    [one] = found(place, "alike")
    assert one["ids"] == [here, everywhere]
    assert one["global"]
    assert f"{everywhere} is global" in one["why"]


def test_two_that_were_kept_as_they_are_do_not_come_again(place):
    now = layout.timestamp(time.time() + 5)
    for n, title in enumerate(("Tests", "Running tests")):
        written(place, "fact", title, "Run make db, then pytest.", n, checked=now)
    assert found(place) == []
    third = saved(place, "Run make db and then pytest.", "Test run")
    assert found(place)[0][1][0] == third


def test_the_same_store_gives_the_same_candidates(place):
    for n in range(30):
        saved(place, f"Run make db, then pytest with worker{n % 7} and option{n % 5}.", f"Tests {n}")
    assert dream(place)["candidates"] == dream(place)["candidates"]


class Row:
    everywhere = False

    def __init__(self, number):
        self.id, self.created = str(number), 1e9 - number


def compared(texts, monkeypatch):
    """(groups, pairs compared) of some sets of words."""
    pairs = []
    share = candidates._share
    monkeypatch.setattr(candidates, "_share", lambda one, other: pairs.append(1) or share(one, other))
    held = candidates._Texts(None, 0)
    rows = [Row(n) for n in range(len(texts))]
    for row, words in zip(rows, texts, strict=True):
        held.words[row.id], held.checked[row.id] = frozenset(words), 0.0
    return candidates._alike(rows, held), len(pairs)


def test_ten_thousand_facts_take_a_bounded_number_of_comparisons_each(monkeypatch):
    words = [f"w{n}" for n in range(400)]
    # Few words in all, so that every pair shares some: the worst case.
    texts = [{words[(n * 7 + k * k * 13 + n // 400) % 400] for k in range(30)} for n in range(10_000)]
    groups, pairs = compared(texts, monkeypatch)
    assert groups
    assert pairs <= 10_000 * candidates.COMPARED


def test_ten_thousand_copies_are_one_group_and_cost_one_comparison_each(monkeypatch):
    texts = [{"make", "db", "pytest", "run", f"n{n}"} for n in range(10_000)]
    groups, pairs = compared(texts, monkeypatch)
    assert [len(rows) for rows, _ in groups] == [10_000]
    assert pairs == 9_999


def test_a_pair_is_found_among_ten_thousand_others(monkeypatch):
    texts = [{f"a{n}", f"b{n}", f"c{n % 500}", f"d{n % 300}", "same"} for n in range(10_000)]
    texts[9_000] = texts[17] | {"more"}
    groups, _ = compared(texts, monkeypatch)
    assert [[row.id for row in rows] for rows, _ in groups] == [["17", "9000"]]


def test_progress_is_told_while_files_are_read(place):
    for n in range(candidates.STEP + 1):
        written(place, "fact", f"Title {n}", f"body{n}")
    told = []
    dream(place, lambda done, whole: told.append((done, whole)))
    assert told == [(candidates.STEP, candidates.STEP + 1), (candidates.STEP + 1, candidates.STEP + 1)]

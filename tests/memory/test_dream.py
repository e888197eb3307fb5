"""A dream's plan: what each action does, and what is refused as a whole."""

import os

import pytest

from foreword import files, memory
from foreword.errors import ForewordError
from foreword.memory import journal
from foreword.memory.dream import apply, dream, runs
from foreword.store import write

from .dreams import live, made, planned, raw, rewrite, saved, started


@pytest.fixture
def place(tmp_path, monkeypatch):
    return made(tmp_path / "ledger", monkeypatch)


# -- what is done ---------------------------------------------------------------------------------


def test_archive_puts_memories_aside_as_they_are(place):
    ids = [saved(place, f"Body {n}.", f"Title {n}") for n in range(3)]
    run = started(place)
    before = [raw(place, i) for i in ids]
    done = apply(place, planned(run, {"do": "archive", "ids": ids[:2], "why": "over"}))
    assert (done["archived"], done["saved"], done["kept"], done["conflicts"]) == (ids[:2], [], [], [])
    assert ids[2] in live(place)
    assert not live(place) & set(ids[:2])
    assert [memory.read(place, i)["archived"] for i in ids] == [True, True, False]
    assert [raw(place, i) for i in ids] == before


def test_merge_saves_one_memory_that_supersedes_the_old_ones_and_archives_them(place):
    one = saved(place, "Run make db.", "Tests", tags=["build", "ci"])
    two = saved(place, "Then pytest. See src/app.py.", "Running tests", tags=["ci", "db"])
    run = started(place)
    action = {"do": "merge", "ids": [one, two], "title": "Tests", "body": "make db, pytest (src/app.py)."}
    done = apply(place, planned(run, action), source="codex", session="01a22a66-425d")
    [new] = done["saved"]
    found = memory.read(place, new["id"])
    assert (found["title"], found["body"], found["type"]) == (
        "Tests",
        "make db, pytest (src/app.py).",
        "fact",
    )
    assert (found["source"], found["basis"], found["session"]) == ("codex", "agent", "01a22a66-425d")
    assert found["supersedes"] == new["supersedes"] == [one, two]
    assert found["tags"] == ["build", "ci", "db"]
    assert [f["path"] for f in found["files"]] == ["src/app.py"]
    assert done["archived"] == [one, two]
    assert memory.read(place, one)["archived"]
    assert new["id"] in live(place)


def test_update_keeps_title_type_and_tags_unless_told(place):
    fact = saved(place, "Port 5432.", "Port", tags=["db"])
    other = saved(place, "Old.", "Old name", tags=["x"])
    run = started(place)
    done = apply(
        place,
        planned(
            run,
            {"do": "update", "id": fact, "body": "Port 5433."},
            {"do": "update", "ids": [other], "title": "New name", "body": "New.", "tags": []},
        ),
    )
    first, second = (memory.read(place, new["id"]) for new in done["saved"])
    assert (first["title"], first["body"], first["tags"]) == ("Port", "Port 5433.", ["db"])
    assert (second["title"], second["body"], second["tags"]) == ("New name", "New.", [])
    assert done["archived"] == [fact, other]
    assert memory.search(place, "5432") == []


def test_sessions_merge_into_a_session_of_their_date_or_into_a_fact(place):
    ids = [saved(place, f"Day {n}.", f"Day {n}", type="session") for n in range(4)]
    newest = saved(place, "Today.", "Today", type="session")
    run = started(place)
    done = apply(
        place,
        planned(
            run,
            {"do": "merge", "ids": ids[:2], "title": "Both", "body": "Two days."},
            {"do": "merge", "ids": ids[2:], "title": "Learnt", "body": "It lasts.", "type": "fact"},
        ),
    )
    session, fact = (memory.read(place, new["id"]) for new in done["saved"])
    assert (session["type"], fact["type"]) == ("session", "fact")
    assert session["created"][:-4] == memory.read(place, ids[1])["created"][:-4]
    # A summary of old days does not push today's out of what recall hands over whole.
    assert [row["id"] for row in memory.list_memories(place, "session")] == [newest, session["id"]]


def test_global_facts_stay_global_and_a_mix_must_say_what_it_becomes(place):
    everywhere = saved(place, "Short answers.", "Style", everywhere=True)
    other = saved(place, "No lists.", "Lists", everywhere=True)
    here = saved(place, "Short, no lists.", "Answers")
    run = started(place)
    mixed = {"do": "merge", "ids": [everywhere, here], "title": "Style", "body": "Short."}
    with pytest.raises(ForewordError, match="say `global`"):
        apply(place, planned(run, mixed))
    done = apply(
        place,
        planned(run, {**mixed, "global": True}, {"do": "update", "id": other, "body": "No bullet lists."}),
    )
    assert [memory.read(place, new["id"])["global"] for new in done["saved"]] == [True, True]


def test_keep_dates_the_check_and_takes_todays_hashes_and_changes_nothing_else(place):
    body = "Retries in `src/app.py`, pool in `src/db.py`."
    fact = saved(place, body, "Numbers", tags=["a"])
    saved(place, "Another fact.", "Filler one")
    rewrite(place, fact, b"source: cli\n", b"source: cli\nmine: [kept, 1.10]   # a comment\n")
    with open(os.path.join(place.root, "src", "app.py"), "a", encoding="utf-8") as f:
        f.write("# more\n")
    os.remove(os.path.join(place.root, "src", "db.py"))
    found = dream(place)
    assert [one["kind"] for one in found["candidates"]] == ["stale"]
    before = raw(place, fact).decode()
    done = apply(place, planned(found["run"], {"do": "keep", "ids": [fact]}))
    assert done["kept"] == [fact]
    now = memory.read(place, fact)
    assert [(f["path"], f["state"]) for f in now["files"]] == [
        ("src/app.py", "unchanged"),
        ("src/db.py", "DELETED"),  # it is said of it wherever it is shown
    ]
    assert now["checked"]
    assert dream(place)["candidates"] == []
    lines, earlier = raw(place, fact).decode().splitlines(), before.splitlines()
    assert [line for line in lines if not line.startswith(("checked:", "  - {path"))] == [
        line for line in earlier if not line.startswith("  - {path")
    ]


def test_a_file_that_was_gone_when_the_fact_was_kept_and_came_back_is_hashed_by_the_next_keep(place):
    path = os.path.join(place.root, "src", "app.py")
    fact = saved(place, "Retries in `src/app.py`.", "Numbers")
    for content in (None, "RETRIES = 4\n"):
        if content is None:
            os.remove(path)
        else:
            files.write(path, content.encode())
        apply(place, planned(started(place), {"do": "keep", "ids": [fact]}))
    assert [f["state"] for f in memory.read(place, fact)["files"]] == ["unchanged"]


def test_what_the_plan_does_not_name_stays_to_the_byte(place):
    ids = [saved(place, f"Body {n}.", f"Title {n}") for n in range(6)]
    run = started(place)
    before = {i: raw(place, i) for i in live(place)}
    apply(place, planned(run, {"do": "archive", "ids": ids[:1]}, {"do": "keep", "ids": ids[1:2]}))
    for memory_id in live(place) - {ids[1]}:
        assert raw(place, memory_id) == before[memory_id]


def test_debt_is_gone_once_it_is_dealt_with(place):
    for n in range(5):
        saved(place, f"Port {n}.", "Port")
    assert memory.debt(place)["due"]
    found = dream(place)
    ids = [i for one in found["candidates"] for i in one["ids"] if one["kind"] == "superseded"]
    apply(place, planned(found["run"], {"do": "archive", "ids": ids}))
    assert memory.debt(place) == {"superseded": 0, "beyond": 0, "due": False}


def test_a_save_during_a_dream_survives_it(place):
    ids = [saved(place, f"Body {n}.", f"Title {n}") for n in range(2)]
    run = started(place)
    meanwhile = saved(place, "Said by another client session.", "New")
    apply(place, planned(run, {"do": "merge", "ids": ids, "title": "Both", "body": "All of it."}))
    assert meanwhile in live(place)


# -- what is refused as a whole -------------------------------------------------------------------

SHAPES = [
    ([], "an object"),
    ("text", "an object"),
    ({"actions": [{"do": "keep", "ids": ["20261103-101500-a1b2"]}]}, "`run` is missing"),
    ({"run": "no id", "actions": []}, "`run` is no run's id"),
    ({"run": "20261103-101500-a1b2"}, "`actions` is missing"),
    ({"run": "20261103-101500-a1b2", "actions": []}, "`actions` is empty"),
    ({"run": "20261103-101500-a1b2", "actions": {}}, "`actions` is no list"),
    ({"run": "20261103-101500-a1b2", "actions": ["x"], "more": 1}, "`more` is no part"),
]
ACTIONS = [
    ("x", "no object"),
    ({}, "`do` is one of"),
    ({"do": "delete", "ids": ["A"]}, "`do` is one of archive, merge, update, keep"),
    ({"do": ["keep"], "ids": ["A"]}, "`do` is one of"),
    ({"do": "archive"}, "`ids` is missing"),
    ({"do": "archive", "ids": []}, "`ids` is a list"),
    ({"do": "archive", "ids": {"A": 1}}, "`ids` is a list"),
    ({"do": "archive", "ids": ["../../etc/passwd"]}, "is no id"),
    ({"do": "archive", "ids": [7]}, "7 is no id"),
    ({"do": "archive", "ids": ["A"], "body": "x"}, "archive has no `body`"),
    ({"do": "merge", "ids": ["A"], "title": "T", "body": "B"}, "two memories or more"),
    ({"do": "merge", "ids": ["A", "A"], "title": "T", "body": "B"}, "two memories or more"),
    ({"do": "merge", "ids": ["A", "B"], "body": "B"}, "`title` is missing"),
    ({"do": "merge", "ids": ["A", "B"], "title": " ", "body": "B"}, "`title` is empty"),
    ({"do": "merge", "ids": ["A", "B"], "title": "T"}, "`body` is missing"),
    ({"do": "merge", "ids": ["A", "B"], "title": "T", "body": "\n"}, "`body` is empty"),
    ({"do": "merge", "ids": ["A", "B"], "title": "T", "body": "<private>x</private>"}, "`body` is empty"),
    ({"do": "merge", "ids": ["A", "B"], "title": "T", "body": "x" * 64_001}, "64001 characters"),
    ({"do": "merge", "ids": ["A", "B"], "title": "T", "body": "B", "type": "note"}, "fact or session"),
    ({"do": "merge", "ids": ["A", "B"], "title": "T", "body": "B", "tags": [1]}, "`tags` is a list"),
    ({"do": "merge", "ids": ["A", "B"], "title": "T", "body": "B", "global": "yes"}, "true or false"),
    ({"do": "merge", "ids": ["A", "B"], "title": 5, "body": "B"}, "`title` is a string"),
    ({"do": "update", "ids": ["A", "B"], "body": "B"}, "of one memory"),
    ({"do": "update", "id": "A", "body": 5}, "`body` is a string"),
    ({"do": "keep", "ids": ["20200101-000000-ffff"]}, "no memory has the id 20200101-000000-ffff"),
    ({"do": "keep", "ids": ["NOTE"]}, "is a note"),
    ({"do": "update", "id": "A", "body": "B", "title": "Two"}, "the title is that of"),
    ({"do": "merge", "ids": ["A", "GLOBAL"], "title": "T", "body": "B"}, "say `global`"),
    ({"do": "merge", "ids": ["S", "GLOBAL"], "title": "T", "body": "B", "global": True}, "only facts are"),
]  # fmt: skip


@pytest.mark.parametrize(("plan", "told"), SHAPES)
def test_a_plan_of_another_shape_is_refused(place, plan, told):
    with pytest.raises(ForewordError, match=told) as error:
        apply(place, plan)
    assert error.value.exit_code == 2


@pytest.mark.parametrize(("action", "told"), ACTIONS)
def test_an_action_that_cannot_be_done_stops_all_of_the_plan(place, action, told):
    names = {
        "A": saved(place, "One.", "One"),
        "B": saved(place, "Two.", "Two"),
        "S": saved(place, "Monday.", "Monday", type="session"),
        "GLOBAL": saved(place, "Everywhere.", "Everywhere", everywhere=True),
        "NOTE": write.create(place.folder, "note", {"title": "q"}, "a", 1793700900)[0],
        "OTHER": saved(place, "Three.", "Three"),
    }
    run = started(place)
    if isinstance(action, dict):
        action = {
            key: [names.get(i, i) if isinstance(i, str) else i for i in value]
            if isinstance(value, list) and key == "ids"
            else names.get(value, value) if isinstance(value, str) and key == "id" else value
            for key, value in action.items()
        }  # fmt: skip
    before = live(place)
    with pytest.raises(ForewordError, match=told) as error:
        apply(place, planned(run, {"do": "archive", "ids": [names["OTHER"]]}, action))
    assert "action 2: " in str(error.value)
    assert error.value.exit_code == 2
    assert live(place) == before
    assert runs(place)[0]["state"] == "open"  # it can be handed back, mended


def test_every_fault_is_named_at_once(place):
    one = saved(place, "One.", "One")
    run = started(place)
    with pytest.raises(ForewordError) as error:
        apply(
            place, planned(run, {"do": "fly"}, {"do": "keep", "ids": [one]}, {"do": "archive", "ids": [one]})
        )
    assert "action 1: `do` is one of" in str(error.value)
    assert f"action 3: {one} stands in action 2 already" in str(error.value)


def test_two_texts_cannot_get_one_title(place):
    ids = [saved(place, f"Body {n}.", f"Title {n}") for n in range(4)]
    run = started(place)
    two = [{"do": "merge", "ids": ids[n : n + 2], "title": "Same", "body": f"Text {n}."} for n in (0, 2)]
    with pytest.raises(ForewordError, match="action 2: the title is that of action 1"):
        apply(place, planned(run, *two))
    assert apply(place, planned(run, two[0], {**two[1], "title": "Other"}))["conflicts"] == []


def test_a_title_is_free_once_an_earlier_action_put_its_fact_away(place):
    old, one = saved(place, "Old.", "Name"), saved(place, "One.", "One")
    run = started(place)
    done = apply(
        place,
        planned(
            run,
            {"do": "archive", "ids": [old]},
            {"do": "update", "id": one, "title": "Name", "body": "New."},
        ),
    )
    assert done["conflicts"] == []
    assert memory.read(place, done["saved"][0]["id"])["supersedes"] == [one]


@pytest.mark.parametrize("which", ["unknown", "applied", "elsewhere", "damaged"])
def test_a_run_that_cannot_be_applied_is_refused(place, which, tmp_path, monkeypatch):
    one = saved(place, "One.", "One")
    run = started(place)
    plan = planned(run, {"do": "archive", "ids": [one]})
    told = ""
    if which == "unknown":
        plan["run"], told = "20200101-000000-0000", "there is no run 20200101-000000-0000"
    if which == "applied":
        apply(place, plan)
        memory.restore(place, [one])
        told = "applied already"
    if which == "elsewhere":
        (tmp_path / "other").mkdir()
        monkeypatch.chdir(tmp_path / "other")
        place, told = memory.open_project(create=True), "another project, ledger"
    if which == "damaged":
        with open(os.path.join(journal.folder(place.home), run + ".json"), "w", encoding="utf-8") as f:
            f.write('{"run": ')
        told = "cannot be read"
    with pytest.raises(ForewordError, match=told):
        apply(place, plan)

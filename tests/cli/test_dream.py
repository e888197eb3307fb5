"""`foreword dream` as a person, a script and a skill use it."""

import json
import os

import pytest


@pytest.fixture
def debt(save, repo):
    """[ids]: an old port, its newer one, and two facts that say the same, one of a file that changed."""
    ids = [save("Port 5432.", "--title", "Port"), save("Port 5433.", "--title", "Port")]
    ids.append(save("Run `make db && pytest`, see src/app.py; the database must be up.", "--title", "Tests"))
    ids.append(save("The tests need the database up: run `make db`, then `pytest`.", "--title", "Running"))
    with open(os.path.join(repo, "src", "app.py"), "a", encoding="utf-8") as f:
        f.write("# more\n")
    return ids


def test_it_shows_what_was_found_why_and_what_to_do_next(foreword, debt):
    done = foreword("dream")
    old, new, tests, running = debt
    lines = done.out.splitlines()
    assert "superseded (1): archive" in lines
    assert f"      superseded by {new}" in lines
    assert "facts whose files changed (1): update, archive or keep" in lines
    assert "      src/app.py changed" in lines
    assert "near-duplicates (1): merge, or keep both" in lines
    assert [line.split()[0] for line in lines if line.startswith("  2")] == [old, tests, running, tests]
    assert any(line.startswith("run    2") for line in lines)
    assert all(len(line) <= 80 for line in lines)
    assert "/dream" in done.err
    assert "foreword dream --apply" in done.err


def test_json_gives_the_run_and_all_candidates(foreword, debt):
    found = foreword("dream", "--json").json
    assert [one["kind"] for one in found["candidates"]] == ["superseded", "stale", "alike"]
    assert found["candidates"][0]["ids"] == [debt[0]]
    assert found["candidates"][0]["titles"] == ["Port"]
    assert found["debt"] == {"superseded": 1, "beyond": 0, "due": False}
    assert found["run"]


def test_nothing_to_do_says_so(foreword, save):
    save("Only one.")
    done = foreword("dream")
    assert (done.out, done.err) == ("", "nothing to consolidate\n")
    assert foreword("dream", "--json").json["candidates"] == []


def test_a_plan_on_stdin_is_done_and_taken_back(foreword, debt):
    run = foreword("dream", "--json").json["run"]
    plan = {
        "run": run,
        "actions": [
            {"do": "archive", "ids": debt[:1]},
            {"do": "merge", "ids": debt[2:], "title": "Tests", "body": "make db, then pytest."},
            {"do": "keep", "ids": debt[1:2]},
        ],
    }
    done = foreword("dream", "--apply", "-", stdin=json.dumps(plan))
    words = [line.split() for line in done.out.splitlines()]
    new = words[0][1]
    assert words[0] == ["saved", new, "Tests"]
    assert words[1] == ["archived", debt[0]]
    assert words[2] == ["archived", debt[2], "(now", new + ")"]
    assert words[4] == ["kept", debt[1]]
    assert "foreword dream --undo" in done.err
    assert foreword("dream").err == "nothing to consolidate\n"
    assert foreword("show", debt[1], "--json").json["checked"]

    [listed] = foreword("dream", "--list").out.splitlines()
    assert listed.startswith(run)
    assert listed.endswith("applied, 3 archived, 1 saved, 1 kept")

    back = foreword("dream", "--undo")
    assert f"archived {new}" in back.out.splitlines()
    assert f"restored {debt[0]}" in back.out.splitlines()
    assert back.err == f"the run {run} is undone\n"
    assert foreword("dream", "--list", "--json").json[0]["state"] == "undone"
    assert "undone already" in foreword("dream", "--undo", run, code=1).err
    assert "undone already" in foreword("dream", "--undo", code=1).err


def test_a_plan_in_a_file_and_json_answers(foreword, debt, tmp_path):
    run = foreword("dream", "--json").json["run"]
    path = tmp_path / "plan.json"
    path.write_text(json.dumps({"run": run, "actions": [{"do": "archive", "ids": debt[:1]}]}), "utf-8")
    done = foreword("dream", "--apply", path, "--json").json
    assert done == {"run": run, "archived": debt[:1], "saved": [], "kept": [], "conflicts": []}
    back = foreword("dream", "--undo", run, "--json").json
    assert back == {
        "run": run, "restored": debt[:1], "archived": [], "unchecked": [], "gone": [], "left": [],
    }  # fmt: skip


def test_what_changed_since_is_left_alone_told_and_seen_in_the_exit_code(foreword, debt):
    run = foreword("dream", "--json").json["run"]
    foreword("archive", debt[2])
    plan = {"run": run, "actions": [{"do": "archive", "ids": [debt[0], debt[2]]}]}
    done = foreword("dream", "--apply", "-", stdin=json.dumps(plan), code=1)
    assert done.out == f"archived {debt[0]}\n"
    assert f"left alone: {debt[2]}: was archived since" in done.err


GARBAGE = [
    ("", "is empty"),
    (" \n", "is empty"),
    ('{"run": "x",\n  "actions": oops}', "line 2, column 14"),
    ('{"run": "x"', "line 1, column 12"),
    ("[]", "an object"),
    ("null", "an object"),
    ('{"run": "20200101-000000-ffff", "actions": []}', "`actions` is empty"),
    ("[" * 100_000, "no JSON"),
]


@pytest.mark.parametrize(("text", "told"), GARBAGE)
def test_a_plan_that_cannot_be_read_says_where_and_does_nothing(foreword, debt, text, told):
    run = foreword("dream", "--json").json["run"]
    done = foreword("dream", "--apply", "-", stdin=text, code=2)
    assert told in done.err
    assert "nothing was done" in done.err
    assert "hint: " in done.err
    assert done.out == ""
    assert [
        row["state"] for row in foreword("dream", "--list", "--all", "--json").json if row["run"] == run
    ] == ["open"]


def test_a_plan_that_is_no_utf8_or_no_file_is_told(foreword, debt, tmp_path):
    path = tmp_path / "plan.json"
    path.write_bytes(b'{"run": "\xff"}')
    assert "not UTF-8 (byte 9)" in foreword("dream", "--apply", path, code=2).err
    assert "cannot be read" in foreword("dream", "--apply", tmp_path / "none.json", code=2).err


def test_every_fault_stands_on_a_line_of_its_own(foreword, debt):
    run = foreword("dream", "--json").json["run"]
    plan = {"run": run, "actions": [{"do": "fly"}, {"do": "merge", "ids": debt[:1], "titel": "x"}]}
    err = foreword("dream", "--apply", "-", stdin=json.dumps(plan), code=2).err.splitlines()
    assert err[0] == "error: the plan cannot be used, nothing was done:"
    assert err[1] == "  action 1: `do` is one of archive, merge, update, keep"
    assert "  action 2: merge has no `titel`" in err


def test_one_thing_at_a_time(foreword, repo):
    assert "different things" in foreword("dream", "--list", "--undo", code=2).err
    assert foreword("dream", "--list").err.startswith("no dreams here yet")
    assert "no dream of this project was applied" in foreword("dream", "--undo", code=1).err


def test_help_shows_a_plan_that_has_the_right_shape(foreword):
    text = foreword("dream", "--help").out
    start = text.index('{"run"')
    plan = json.loads(text[start : text.index("}]}") + 3])
    assert [action["do"] for action in plan["actions"]] == ["archive", "merge", "update", "keep"]


def test_another_project_is_named_with_project(foreword, debt, repo, tmp_path, monkeypatch):
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    assert foreword("dream").err == "nothing to consolidate\n"
    assert len(foreword("dream", "--project", repo, "--json").json["candidates"]) == 3


def test_many_candidates_are_cut_on_the_screen_and_whole_in_json(foreword, save, project_folder):
    save("Port 0.", "--title", "Port")
    folder = os.path.join(project_folder(), "facts")
    for n in range(34):
        path = os.path.join(folder, f"20260101-1015{n:02d}-a1b2.md")
        with open(path, "w", encoding="utf-8") as f:
            f.write(f"---\ntitle: Port\n---\n\nPort {n}.\n")
    assert "  and 4 more; --json has them all" in foreword("dream").out.splitlines()
    assert len(foreword("dream", "--json").json["candidates"]) == 34


def test_candidates_are_counted_beside_the_memories_they_are_about(foreword, debt):
    assert foreword("dream").out.splitlines()[-1] == "found  3 candidates (3 memories)"


def test_runs_that_were_only_looked_at_do_not_fill_the_list(foreword, debt):
    foreword("dream")
    run = foreword("dream", "--json").json["run"]
    done = foreword("dream", "--list")
    assert (done.out, done.err) == ("", "2 runs only looked at; --all lists them, too\n")
    assert foreword("dream", "--list", "--json").json == []
    assert len(foreword("dream", "--list", "--all").out.splitlines()) == 2
    plan = {"run": run, "actions": [{"do": "archive", "ids": debt[:1]}]}
    foreword("dream", "--apply", "-", stdin=json.dumps(plan))
    assert [one["run"] for one in foreword("dream", "--list", "--json").json] == [run]
    assert "--list" in foreword("dream", "--all", code=2).err


def test_a_plan_that_was_done_already_is_not_to_be_mended(foreword, debt):
    run = foreword("dream", "--json").json["run"]
    plan = json.dumps({"run": run, "actions": [{"do": "archive", "ids": debt[:1]}]})
    foreword("dream", "--apply", "-", stdin=plan)
    told = foreword("dream", "--apply", "-", stdin=plan, code=2)
    assert f"the run {run} was applied already" in told.err
    assert told.err.endswith("hint: foreword dream starts another run\n")

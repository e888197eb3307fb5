"""`foreword report`, as people and programs read it."""

import json
import os

import pytest

from report import logs


@pytest.fixture
def folder(project_folder, monkeypatch, tmp_path):
    """The project's folder in the store."""
    monkeypatch.delenv("CLAUDE_CONFIG_DIR", raising=False)
    return project_folder()


@pytest.fixture
def sessions(folder, tmp_path):
    """A function that makes client sessions of an arm, with a log and prompts."""

    def make(arm, number, tokens=1000):
        for n in range(number):
            session, day = f"{arm}{n:05d}-aaaa", (2 if arm == "on" else 3) + 2 * (n % 13)
            logs.claude(tmp_path / "home", session, day=day, requests=((tokens + n, 0, 0, 50),))
            logs.prompts(folder, session, day=day)

    return make


def test_before_the_first_session_it_says_so_and_what_to_do(foreword, repo):
    told = foreword("report")
    assert "too few sessions to compare (0 on / 0 off, need 10 each)" in told.out
    assert "No prompt while memory was on yet" in told.out
    assert "hint: foreword doctor" in told.err
    assert "no client session of this project has a log yet" in foreword("report", "--sessions").err


def test_too_few_sessions_get_no_percentage(foreword, sessions):
    sessions("on", 3)
    sessions("off", 5)
    told = foreword("report")
    assert "too few sessions to compare (3 on / 5 off, need 10 each)" in told.out
    medians = told.out.split("hit rate")[0]
    assert "%" not in medians
    assert [line.split() for line in medians.splitlines() if line.startswith(("Client", "Tokens"))] == [
        ["Client", "sessions", "3", "5"],
        ["Tokens:", "input,", "cache", "and", "output", "1,051", "1,052"],
    ]


def test_a_difference_is_told_with_its_interval_and_what_it_cannot_rule_out(foreword, sessions):
    sessions("on", 13, tokens=1000)
    sessions("off", 13, tokens=2000)
    told = foreword("report")
    assert "With memory, the median client session took 49 % fewer tokens (95 % interval" in told.out
    whole = " ".join(told.out.split())
    assert "task mix" in whole
    assert "auto:session" in whole
    assert "decide beforehand when to look" in whole
    (tokens,) = [line for line in told.out.splitlines() if line.startswith("Tokens")]
    assert tokens.split()[5:9] == ["1,056", "2,056", "-49", "%"]
    (turns,) = [line for line in told.out.splitlines() if line.startswith("Turns")]
    assert "inconclusive" in turns


def test_sessions_are_listed_the_newest_first(foreword, sessions):
    sessions("on", 3)
    sessions("off", 2)
    told = foreword("report", "--sessions", "--limit", "4")
    head, *rows = told.out.splitlines()
    assert head.split()[:3] == ["started", "(UTC)", "client"]
    assert [row.split()[3] for row in rows] == ["on00002-", "off00001", "on00001-", "off00000"]
    assert [row.split()[4] for row in rows] == ["on", "off", "on", "off"]
    assert "4 of 5; --limit 5 shows them all" in told.err


def test_json_is_what_report_json_holds(foreword, sessions, folder):
    sessions("on", 2)
    told = foreword("report", "--json")
    with open(os.path.join(folder, "report.json"), encoding="utf-8") as f:
        assert told.json == json.load(f)
    assert told.err == ""
    assert told.json["sessions"]["on"] == 2


def test_a_price_file_that_cannot_be_used_is_named(foreword, repo, store):
    store.mkdir(parents=True, exist_ok=True)
    (store / "prices.toml").write_text("input = 5\n")
    told = foreword("report", code=2)
    assert "prices.toml" in told.err
    assert "hint:" in told.err


def test_what_is_offered_again_and_again_and_never_opened_is_named(foreword, save, sessions, folder):
    one = save("Body.", "--title", "Never wanted")
    two = save("Body two.", "--title", "Wanted once")
    sessions("on", 1)
    logs.prompts(folder, "on00000-aaaa", day=4, times=3, ids=[one])
    logs.prompts(folder, "on00000-aaaa", day=4, ids=[two])
    told = foreword("report")
    assert f"  {one}    3 times  Never wanted" in told.out
    assert two not in told.out


@pytest.mark.parametrize("columns", ["60", "100"])
def test_no_paragraph_is_wider_than_the_terminal(foreword, sessions, columns):
    sessions("on", 11)
    sessions("off", 11)
    told = foreword("report", env={"COLUMNS": columns})
    assert max(map(len, told.out.splitlines()[9:])) <= int(columns)

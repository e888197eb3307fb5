"""The report as a whole: real logs in, numbers out."""

import contextlib
import json
import os
import re
import sqlite3
import stat

import pytest

from foreword import paths
from foreword.errors import ForewordError
from foreword.report import made
from report import logs

NAME = "shop-0123abcd"
PRICES = """
date = 2026-11-01
[models."claude-*"]
input = 5
cache_creation = 6
cache_read = 1
output = 25
"""
ONE, TWO = "20261101-101500-a1b2", "20261101-101501-a1b2"


@pytest.fixture
def user(tmp_path, monkeypatch):
    """The user's home, with nothing in it; as a str."""
    monkeypatch.delenv("CLAUDE_CONFIG_DIR", raising=False)
    monkeypatch.delenv("CODEX_HOME", raising=False)
    return str(tmp_path / "home")


@pytest.fixture
def home(user):
    """The store, with one project."""
    home = os.path.join(user, ".foreword")
    os.makedirs(paths.project_folder(home, NAME))
    return home


@pytest.fixture
def folder(home):
    return paths.project_folder(home, NAME)


def test_a_project_without_a_prompt_has_a_report_of_zeros(home):
    found = made.refresh(home, NAME)
    assert found["sessions"] == {"counted": 0, "on": 0, "off": 0, "mixed": 0, "without_log": 0, "unread": 0}
    assert (found["comparison"]["possible"], found["use"]["hit_rate"], found["rows"]) == (False, None, {})
    assert made.load(home, NAME) == found


def test_a_session_is_billed_once_for_each_request_with_its_subagents(user, home, folder):
    logs.claude(
        user, "aaaa1111", day=4, requests=((10, 20, 300, 40), (1, 2, 3, 4)), reads=("/home/dev/shop/a.py",)
    )
    logs.claude(user, "aaaa1111", day=4, requests=((100, 200, 3000, 400),), agent="a1")
    logs.prompts(folder, "aaaa1111", day=4, times=2, ids=[ONE, TWO], characters=500)
    found = made.refresh(home, NAME)
    (row,) = found["rows"]["claude-code"]
    assert (row["input"], row["cache_creation"], row["cache_read"], row["output"]) == (111, 222, 3303, 444)
    assert (row["tokens"], row["input_output"]) == (4080, 555)
    assert (row["requests"], row["turns"], row["tool_calls"], row["files_read"], row["subagents"]) == (
        3,
        1,
        1,
        1,
        1,
    )
    assert (row["on"], row["off"]) == (True, False)
    assert (row["prompts"], row["with_foreword"], row["lines"], row["characters"]) == (2, 2, 4, 1000)
    assert row["started"] == "2026-11-04T10:00:00.000000Z"
    assert found["arms"]["on"]["tokens"] == 4080


def test_a_codex_session_stands_beside(user, home, folder):
    session = "01a22a66-425d-78e0-84dd-ad908220e91b"
    logs.codex(user, session, day=3, requests=((10, 300, 40), (20, 0, 5)), reads=("src/a.py",))
    logs.prompts(folder, session, day=3, client="codex")
    (row,) = made.refresh(home, NAME)["rows"]["codex"]
    assert (row["input"], row["cache_creation"], row["cache_read"], row["output"]) == (30, 0, 300, 45)
    assert (row["turns"], row["tool_calls"], row["files_read"], row["off"]) == (1, 1, 1, True)


def test_files_that_an_earlier_session_had_read_are_read_again(user, home, folder):
    a, b = "/home/dev/shop/a.py", "/home/dev/shop/b.py"
    logs.claude(user, "aaaa1111", day=4, requests=((1, 1, 1, 1),) * 2, reads=(a, a))
    logs.claude(user, "bbbb2222", day=5, requests=((1, 1, 1, 1),) * 2, reads=(a, b))
    for session, day in (("aaaa1111", 4), ("bbbb2222", 5)):
        logs.prompts(folder, session, day=day)
    rows = made.refresh(home, NAME)["rows"]["claude-code"]
    assert [(row["files_read"], row["files_read_again"]) for row in rows] == [(1, 0), (2, 1)]


def many(user, folder, on, off):
    """Client sessions of both arms on days of their own, the later ones a little larger."""
    for arm, number, first in (("on", on, 2), ("off", off, 3)):
        for n in range(number):
            session, day = f"{arm}{n:06d}", first + 2 * (n % 13)
            logs.claude(user, session, day=day, requests=((100 + n, 0, 1000 if arm == "on" else 2000, 50),))
            logs.prompts(folder, session, day=day)


def test_nine_sessions_in_an_arm_are_too_few_and_get_no_share(user, home, folder):
    many(user, folder, 12, 9)
    compared = made.refresh(home, NAME)["comparison"]
    assert (compared["possible"], compared["on"], compared["off"], compared["need"]) == (False, 12, 9, 10)
    assert {compared[key]["difference"] for key in ("tokens", "input_output", "turns")} == {None}


def test_ten_in_each_arm_are_compared_with_an_interval(user, home, folder):
    many(user, folder, 13, 13)
    found = made.refresh(home, NAME)
    compared = found["comparison"]
    assert (compared["possible"], compared["on"], compared["off"]) == (True, 13, 13)
    assert compared["assigned"] == {"by_session": False, "by_day": True, "by_hand": False}
    tokens = compared["tokens"]
    assert (tokens["on"], tokens["off"]) == (found["arms"]["on"]["tokens"], found["arms"]["off"]["tokens"])
    assert tokens["low"] <= tokens["difference"] <= tokens["high"] < 0
    assert tokens["inconclusive"] is False


def test_mixed_sessions_and_those_without_a_log_are_counted_apart(user, home, folder):
    logs.claude(user, "aaaa1111", day=4)
    logs.prompts(folder, "aaaa1111", day=4)
    logs.prompts(folder, "aaaa1111", day=5)
    logs.prompts(folder, "gone0000", day=4)
    logs.prompts(folder, "s", day=4, client="gemini")
    found = made.refresh(home, NAME)
    assert found["sessions"] == {"counted": 1, "on": 0, "off": 0, "mixed": 1, "without_log": 2, "unread": 0}
    assert found["arms"]["mixed"]["tokens"] == 370
    (row,) = found["rows"]["claude-code"]
    assert (row["on"], row["off"]) == (True, True)


def test_a_session_that_began_before_foreword_knew_of_it_is_mixed(user, home, folder):
    for day in (2, 3, 4):  # resumed on the third day, with hooks then
        logs.claude(user, "aaaa1111", day=day)
    logs.prompts(folder, "aaaa1111", day=4)
    found = made.refresh(home, NAME)
    assert (found["sessions"]["on"], found["sessions"]["mixed"]) == (0, 1)


def test_without_a_foreword_before_it_was_known_and_after_a_session_is_off(user, home, folder):
    for day in (2, 5):
        logs.claude(user, "aaaa1111", day=day)
    logs.prompts(folder, "aaaa1111", day=5)
    assert made.refresh(home, NAME)["sessions"]["off"] == 1


def test_all_medians_of_a_table_are_of_the_sessions_that_are_compared(user, home, folder):
    many(user, folder, 12, 12)
    for n in range(11):  # some more, by hand, and larger
        logs.claude(
            user, f"hand{n:05d}", day=2, requests=((9, 0, 90_000, 9),), reads=("/home/dev/shop/a.py",)
        )
        logs.prompts(folder, f"hand{n:05d}", day=2, switch="on")
    found = made.refresh(home, NAME)
    assert found["sessions"]["on"] == 23
    assert (found["comparison"]["on"], found["arms"]["on"]["sessions"]) == (12, 12)
    assert found["arms"]["on"]["tokens"] == found["comparison"]["tokens"]["on"]
    assert found["arms"]["on"]["files_read"] == 0


def test_what_was_offered_and_opened_is_counted_and_what_never_was_is_named(user, home, folder):
    logs.claude(user, "aaaa1111", day=4)
    logs.prompts(folder, "aaaa1111", day=4, times=3, ids=[ONE, TWO])
    logs.prompts(folder, "aaaa1111", day=4, times=1)
    with open(os.path.join(folder, "opened.log"), "w", encoding="utf-8") as f:
        for time in (
            "2026-11-04T09:00:00.000000Z",
            "2026-11-04T10:00:09.000000Z",
            "2026-11-04T10:00:10.000000Z",
        ):
            f.write(json.dumps({"time": time, "id": ONE, "session": ""}) + "\n")
    found = made.refresh(home, NAME)
    used = found["use"]
    assert (used["prompts"], used["prompts_on"], used["with_foreword"], used["hit_rate"]) == (4, 4, 3, 0.75)
    assert (used["lines"], used["memories_offered"], used["memories_opened"]) == (6, 2, 1)
    assert (used["times_opened"], used["never_opened"]) == (2, 1)
    assert found["rows"]["claude-code"][0]["opened"] == 1
    assert made.never_opened(folder) == [(TWO, 3)]


def test_dollars_come_from_the_users_own_prices_only(user, home, folder):
    logs.claude(user, "aaaa1111", day=4, requests=((1_000_000, 0, 0, 1_000_000),))
    logs.prompts(folder, "aaaa1111", day=4)
    found = made.refresh(home, NAME)
    assert (found["prices"], found["rows"]["claude-code"][0]["dollars"]) == (None, None)
    with open(os.path.join(home, "prices.toml"), "w", encoding="utf-8") as f:
        f.write(PRICES)
    found = made.refresh(home, NAME)
    assert found["rows"]["claude-code"][0]["dollars"] == 30
    assert found["arms"]["on"]["dollars"] == 30
    assert found["prices"]["unpriced_sessions"] == 0
    assert found["prices"]["date"].startswith("2026-11-01")


def test_prices_that_cannot_be_used_are_told_with_the_file(home):
    with open(os.path.join(home, "prices.toml"), "w", encoding="utf-8") as f:
        f.write("date = 2026-11-01\n[models.x]\ninput = -5\n")
    with pytest.raises(ForewordError, match=r"prices\.toml"):
        made.refresh(home, NAME)


TIME = re.compile(r"\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?Z")


def leaves(value):
    if isinstance(value, dict):
        for inner in value.values():
            yield from leaves(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from leaves(inner)
    else:
        yield value


def test_report_json_holds_numbers_flags_and_times_only(user, home, folder):
    many(user, folder, 11, 11)
    logs.prompts(folder, "on000000", day=4, ids=[ONE], why="off", client="claude-code")
    with open(os.path.join(home, "prices.toml"), "w", encoding="utf-8") as f:
        f.write(PRICES)
    made.refresh(home, NAME)
    path = os.path.join(folder, "report.json")
    assert stat.S_IMODE(os.stat(path).st_mode) == 0o600
    with open(path, encoding="utf-8") as f:
        found = json.load(f)
    texts = [leaf for leaf in leaves(found) if isinstance(leaf, str)]
    assert len(texts) >= 23
    assert [text for text in texts if not TIME.fullmatch(text)] == []
    with open(path, encoding="utf-8") as f:
        whole = f.read()
    assert ONE not in whole
    assert "on0000" not in whole


def test_a_report_of_another_format_or_a_damaged_one_is_none(home, folder):
    path = os.path.join(folder, "report.json")
    assert made.load(home, NAME) is None
    for text in ('{"format": 2}', "[]", '{"format": 1', "null", "\0"):
        with open(path, "w", encoding="utf-8") as f:
            f.write(text)
        assert made.load(home, NAME) is None
    os.unlink(path)
    os.mkdir(path)
    assert made.load(home, NAME) is None


def test_a_report_is_due_an_hour_after_the_last_when_there_were_prompts(home, folder):
    assert not made.is_due(home, NAME, 2_000_000_000)
    logs.prompts(folder, "aaaa1111")
    assert made.is_due(home, NAME, 2_000_000_000)
    made.refresh(home, NAME)
    report, prompts = (os.path.join(folder, name) for name in ("report.json", "prompts.log"))
    os.utime(report, (1_000_000, 1_000_000))
    os.utime(prompts, (1_000_060, 1_000_060))
    assert not made.is_due(home, NAME, 1_000_000 + made.EVERY_S - 1)
    assert made.is_due(home, NAME, 1_000_000 + made.EVERY_S)
    assert made.is_due(home, NAME, 999_999)  # a clock that was ahead
    os.utime(prompts, (999_000, 999_000))
    assert not made.is_due(home, NAME, 2_000_000_000)


def test_a_project_folder_that_is_not_there_is_not_made(home):
    made.refresh(home, "other-0123abcd")
    assert not os.path.exists(paths.project_folder(home, "other-0123abcd"))


def test_a_count_of_a_newer_program_does_not_empty_the_report_that_stands(user, home, folder):
    logs.claude(user, "aaaa1111", day=4)
    logs.prompts(folder, "aaaa1111", day=4)
    made.refresh(home, NAME)
    with contextlib.closing(sqlite3.connect(os.path.join(folder, "report.sqlite"))) as db:
        db.execute("UPDATE meta SET value=99 WHERE key='version'")
        db.commit()
    notes = []
    made.refresh(home, NAME, say=notes.append)
    assert notes
    assert made.load(home, NAME)["sessions"]["counted"] == 1

"""Whatever people type or paste can be searched for and asked: API, command line and prompt hook."""

import base64
import json
import os
import subprocess
import sys

import pytest

sys.path.append(os.path.dirname(os.path.abspath(__file__)))

from foreword import memory
from hook import events

SEARCH = [sys.executable, "-I", "-m", "foreword.cli", "search"]
LARGEST_ARGUMENT = 100_000  # characters; Linux takes 128 KiB in one argument
TYPED = {
    "a ticket": "AB-123",
    "a colon": "TODO: fix",
    "a date": "2026-03-14",
    "a slash": "a/b",
    "an apostrophe": "don't",
    "a phrase": '"quoted phrase"',
    "an open quote": '"quoted',
    "C++": "C++",
    "a number": "#4521",
    "a star": "*",
    "an operator": "NEAR(",
    "operators": "NOT a AND (b OR NEAR(c d, 2))",
    "emoji": "ship it 🎉👩‍👩‍👧‍👦",
    "full-width": "ＡＰＩ　ｋｅｙ",
    "two ideographs": "東京",
    "glued": "APIキーのretry上限",
    "korean": "서버 연결",
    "base64": base64.b64encode(bytes(range(256)) * 300).decode(),
    "a log": "2026-11-30T08:00:00Z WARN importer dropped row 17: currency is missing\n" * 140_000,
    "distinct words": " ".join(f"w{n}x" for n in range(150_000)),
    "a lone surrogate": "importer \ud800 currency",
    "NUL": "importer \0 currency",
    "escapes": "\x1b[31mimporter\x1b[0m \u202e currency",
    "a dash": "--maxfail",
    "a percent sign": "100% %s %(x)s {0} \\",
    "blank": " \n\t",
    "combining": "e\u0301" * 5_000,
    "quotes": '"' * 5_000,
}
typed = pytest.mark.parametrize("text", TYPED.values(), ids=TYPED)
HELD = (
    'AB-123 TODO: fix 2026-03-14 a/b don\'t "quoted phrase" C++ #4521 * NEAR( API key 東京'
    " APIキーのretry上限 서버 --maxfail 100% importer currency 🎉"
)


@pytest.fixture
def place(tmp_path):
    """A project with one fact that holds what is typed and one that holds none of it."""
    events.switch("on")
    (tmp_path / "app").mkdir()
    place = memory.open_project(str(tmp_path / "app"), create=True)
    memory.save(place, HELD, title="held")
    memory.save(place, "Geese guard the barn.", title="other")
    return place


@typed
def test_a_search_finds_the_memory_that_holds_it_or_nothing(place, text):
    rows = memory.search(place, text)
    assert [row["title"] for row in rows] in (["held"], [])


@typed
def test_the_command_line_prints_rows_and_exits_0_or_prints_none_and_exits_1(place, text):
    text = text[:LARGEST_ARGUMENT].replace("\0", "")
    done = subprocess.run(
        [*SEARCH, "--json", "--project", place.root, "--", text.encode("utf-8", "surrogatepass")],
        capture_output=True,
        timeout=events.PATIENCE_S,
    )
    assert done.stderr == b""
    rows = json.loads(done.stdout)
    assert done.returncode == (0 if rows else 1)
    assert [row["title"] for row in rows] in (["held"], [])


@typed
def test_a_prompt_is_answered_or_gets_nothing_and_leaves_one_line(place, text):
    events.prompt("Rename the button", place.root)
    before = len(events.prompts())
    events.prompt(text, place.root, turn="t2")  # which holds the run to what is promised of every hook
    assert len(events.prompts()) == before + (1 if text.strip() else 0)
    assert events.log() == []


@pytest.mark.parametrize("name", [name for name in TYPED if name not in ("base64", "distinct words", "blank",
    "combining", "quotes", "operators", "emoji", "an open quote")])  # fmt: skip
def test_what_a_memory_holds_is_found_by_it(place, name):
    assert [row["title"] for row in memory.search(place, TYPED[name])] == ["held"]


def test_who_holds_all_the_words_stands_first(place):
    memory.save(place, "retry retry retry, pool pool, retry", title="two")
    memory.save(place, "the gateway has a pool. " + "Other talk. " * 60 + "It will retry.", title="all three")
    memory.save(place, "gateway gateway gateway", title="one")
    rows = memory.search(place, "gateway pool retry")
    assert rows[0]["title"] == "all three"
    assert {row["title"] for row in rows} >= {"two", "one"}
    assert rows.nearest is False


def test_an_empty_result_says_what_to_try(place):
    done = subprocess.run(
        [*SEARCH, "zebra", "--project", place.root],
        capture_output=True,
        text=True,
        timeout=events.PATIENCE_S,
    )
    assert (done.returncode, done.stdout) == (1, "")
    assert "fewer or other words" in done.stderr

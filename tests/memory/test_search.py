"""Searching takes any text at all, and finds what has no words too."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from foreword import memory

BODIES = {
    "ticket": "Fixed in AB-123, see the log.",
    "todo": "TODO: fix the retry loop",
    "date": "Decided on 2026-03-14 to drop it.",
    "path": "The handler is in a/b and nowhere else.",
    "dont": "Why it doesn't: you don't close it.",
    "quote": 'It says "quoted phrase" there.',
    "cpp": "C++ needs another flag.",
    "hash": "Caused by #4521.",
    "star": "Use * as a wildcard.",
    "near": "NEAR( is an operator.",
    "emoji": "Ship it 🎉 today.",
    "wide": "ＡＰＩ　ｋｅｙ is wide.",
    "tokyo": "東京のサーバーが遅い。",
    "one": "水を飲む",
    "snake": "call refresh_token before it",
    "percent": "100% of it",
    "back": "C:\\Users\\me",
}


def open_at(base):
    (base / "repo").mkdir()
    return memory.open_project(str(base / "repo"), home=str(base / "store"), create=True)


@pytest.fixture(scope="module")
def stocked(tmp_path_factory):
    """A store with all BODIES; tests only read it."""
    place = open_at(tmp_path_factory.mktemp("stocked"))
    for name, body in BODIES.items():
        memory.save(place, body, title=name)
    return place


@pytest.fixture
def place(tmp_path):
    return open_at(tmp_path)


@pytest.mark.parametrize(
    ("query", "title"),
    [
        ("AB-123", "ticket"),
        ("TODO: fix", "todo"),
        ("2026-03-14", "date"),
        ("a/b", "path"),
        ("don't", "dont"),
        ('"quoted phrase"', "quote"),
        ("C++", "cpp"),
        ("c++", "cpp"),
        ("#4521", "hash"),
        ("*", "star"),
        ("NEAR(", "near"),
        ("🎉", "emoji"),
        ("api key", "wide"),
        ("ＡＰＩ", "wide"),
        ("東京", "tokyo"),
        ("サーバー", "tokyo"),
        ("水", "one"),
        ("refreshToken", "snake"),
        ("100%", "percent"),
        ("C:\\Users", "back"),
    ],
)
def test_a_query_as_people_type_it_finds_its_memory_first(stocked, query, title):
    rows = memory.search(stocked, query)
    assert rows and rows[0]["title"] == title


@pytest.mark.parametrize(
    "query",
    ["", " ", "\0", "\n", '"', "''", ")", "(((", "AND", "OR NOT", "a AND", "title:x", "^x", "x*", "{a b}:c",
     "-", "--", ";", "%", "_", "\\", "\ud800", "' OR 1=1 --", "NEAR(a b, 2)", "w1 " * 3_000_000,
     "x" * 10_000_000,
     " ".join(f"w{n}x" for n in range(1_500_000)), "🎉" * 2_500_000, "東京" * 3_000_000],
    ids=lambda q: ascii(q[:12]),
)  # fmt: skip
def test_no_query_makes_searching_fail(stocked, query):
    for row in memory.search(stocked, query):
        assert row["title"] in BODIES


@settings(suppress_health_check=[HealthCheck.too_slow], max_examples=60)
@given(
    query=st.one_of(
        st.text(max_size=50), st.text(st.sampled_from("\"'*()^:-+ANDORNEAR retry\0\\"), max_size=30)
    )
)
def test_any_text_can_be_searched_for(stocked, query):
    rows = memory.search(stocked, query)
    if "retry" in query.split():
        assert "todo" in [row["title"] for row in rows]


def test_what_holds_every_asked_word_stands_first(place):
    memory.save(place, "retry retry retry retry", title="only one")
    memory.save(place, "a policy of another kind", title="the other")
    both = memory.save(place, "the retry policy of the pool", title="both")["id"]
    assert memory.search(place, "retry policy")[0]["id"] == both


def test_a_search_keeps_to_type_and_limit(place):
    memory.save(place, "retry this", title="a fact")
    memory.save(place, "retry loop", title="talk", type="session")
    assert [row["type"] for row in memory.search(place, "retry", type="session")] == ["session"]
    assert memory.search(place, "retry", type="note") == []
    assert len(memory.search(place, "retry", limit=1)) == 1


def test_what_has_no_word_is_found_letter_for_letter_within_the_limit(stocked):
    assert len(memory.search(stocked, "it", limit=2)) == 2
    assert memory.search(stocked, "it", type="session") == []


def test_a_snippet_is_the_passage_that_matched(place):
    memory.save(
        place, "\n".join([f"filler line {n}" for n in range(300)] + ["here is the quokka line"]), title="long"
    )
    assert memory.search(place, "quokka")[0]["snippet"] == "here is the quokka line"
    memory.save(place, "x " * 5_000 + "wombat " + "y " * 5_000, title="one long line")
    snippet = memory.search(place, "wombat")[0]["snippet"]
    assert "wombat" in snippet and len(snippet) <= 200


def test_no_control_character_reaches_a_row(place):
    memory.save(place, "red \x1b[31mpanda\u202e\u200b", title="\x1b]0;t\x07pan\u2066da")
    [row] = memory.search(place, "panda")
    assert (row["title"], row["snippet"]) == ("panda", "red panda")


def test_a_memory_edited_by_hand_a_moment_ago_is_found(place):
    memory.save(place, "Fixed in AB-123.")
    [row] = memory.search(place, "AB-123")
    path = memory.read(place, row["id"])["path"]
    with open(path, encoding="utf-8") as f:
        text = f.read()
    with open(path, "w", encoding="utf-8") as f:
        f.write(text.replace("AB-123", "quokka"))
    assert [r["id"] for r in memory.search(place, "quokka")] == [row["id"]]


def test_what_a_newer_memory_replaced_is_found_in_the_archive(place):
    old = memory.save(place, "the quokka server listens on port 8080", title="Port")["id"]
    memory.save(place, "the quokka server listens on port 9090", title="Port")
    memory.archive(place, [old])
    assert [row["id"] for row in memory.search(place, "quokka server", archived=True)] == [old]
    assert [row["id"] for row in memory.search(place, "8080", archived=True)] == [old]

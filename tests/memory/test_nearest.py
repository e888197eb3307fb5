"""Whether a memory holds all of what was asked, and why it ranks where it does."""

import json

import pytest

from foreword import memory
from foreword.index import search as ranking


@pytest.mark.parametrize(
    ("body", "query"),
    [
        ("the retry policy of the pool", "retry policy"),
        ("the retry policy of the pool", "What is the retry policy?"),
        ("retries and policies", "retry policy"),
        ("call refresh_token before it", "refresh_token"),
        ("call refresh_token before it", "refreshToken"),
        ("refresh the token before it", "refresh_token"),
        ("東京のサーバーが遅い。", "サーバー"),
        ("東京のサーバーが遅い。", "東京"),
        ("东京服务器的连接池", "服务器的连接"),
        ("ＡＰＩ　ｋｅｙ is wide", "api key"),
        ("the api key", "ＡＰＩ key"),
        ("C++ needs it", "C++"),
        ("水を飲む", "水"),
        ("Fixed in AB-123.", "AB-123"),
    ],
)
def test_what_holds_all_of_the_words_is_not_called_the_nearest(place, body, query):
    one = memory.save(place, body, title="t")["id"]
    found = memory.search(place, query)
    assert [row["id"] for row in found] == [one]
    assert found.nearest is False


@pytest.mark.parametrize(
    ("body", "query"),
    [
        ("the retry policy of the pool", "retry zebra"),
        ("the retry policy of the pool", "retry policy_zebra"),
        ("the token is here", "refresh_token"),
        ("東京のサーバーが遅い。", "サーバー 大阪"),
        ("the retry policy", "retry " + " ".join(f"w{n}x" for n in range(100_000))),
    ],
)
def test_where_none_holds_all_of_the_words_the_nearest_are_told_to_be_that(place, body, query):
    one = memory.save(place, body, title="t")["id"]
    found = memory.search(place, query)
    assert [row["id"] for row in found] == [one]
    assert found.nearest is True


def test_one_memory_that_holds_all_is_enough_and_words_may_stand_in_any_part(place):
    memory.save(place, "about the retry", title="one")
    memory.save(place, "see the policy", title="retry", tags=("pool",))
    assert memory.search(place, "retry policy pool").nearest is False
    assert (
        memory.search(place, "retry policy pool", type="session").nearest is False
    )  # there is no row at all
    assert memory.search(place, "retry policy gateway").nearest is True


def test_without_explain_no_row_says_why(place):
    memory.save(place, "the retry policy", title="t")
    [row] = memory.search(place, "retry")
    assert "why" not in row
    [row] = memory.search(place, "retry", explain=True)
    assert isinstance(row["why"], list)


def test_the_reasons_of_a_hit_are_told_as_dicts_without_control_characters(place, monkeypatch):
    memory.save(place, "the retry policy", title="t")

    class Told(ranking.Hit):
        reasons = (("holds 1 of 2 telling words", 2.1, ["retry\x1b[31m"]), ("is old", -0.5, ()))

    monkeypatch.setattr(ranking, "Hit", Told)
    [row] = memory.search(place, "retry zebra", explain=True)
    assert row["why"] == [
        {"label": "holds 1 of 2 telling words", "value": 2.1, "words": ["retry"]},
        {"label": "is old", "value": -0.5, "words": []},
    ]
    json.dumps(row)


def test_what_was_found_letter_for_letter_says_so(place):
    memory.save(place, "C++ needs it", title="t")
    [row] = memory.search(place, "C++", explain=True)
    assert [reason["label"] for reason in row["why"]] == ["holds what was asked letter for letter"]

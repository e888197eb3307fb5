"""The one tokeniser: the same words from what is stored and what is asked, at a bounded cost."""

import base64
import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foreword.text import cjk, words
from foreword.text.question import MOST_TERMS, Question

TEXT = st.one_of(st.text(), st.text(st.sampled_from("aBç_9 -.'東京のサーバーが한국")))


@pytest.mark.parametrize(
    ("text", "held"),
    [
        ("refresh_token", ["refresh_token", "refresh", "token"]),
        ("refreshToken", ["refreshtoken", "refresh", "token"]),
        ("HTTPServerError", ["httpservererror", "http", "server", "error"]),
        ("parseJSON2csv", ["parsejson2csv", "pars", "json", "csv"]),
        ("_private_name", ["private_name", "privat", "name"]),
        ("AB-123", ["ab", "123"]),
        ("src/app/db_pool.py", ["src", "app", "db_pool", "pool", "py"]),
        ("tests tested testing", ["test", "test", "test"]),
        ("東京都", ["東京", "京都"]),
        ("東", ["東"]),
        ("キャッシュkeyが", ["キャ", "ャッ", "ッシ", "シュ", "key"]),
        ("한국어", ["한국", "국어"]),
        ("ＡＰＩ　ｋｅｙ", ["api", "key"]),
        ("ﾃｽﾄ", ["テス", "スト"]),
        ("naïve", ["naïve"]),
        ("don't the and", []),
        ("__the__ I_ _ __", []),
        ("🙂🎉", []),
        ("", []),
        ('*** --- ((( "', []),
        ("v2 2026-03-14 #4521", ["v2", "2026", "03", "14", "4521"]),
    ],
)
def test_a_text_has_these_terms(text, held):
    found = words.terms(text)
    assert [term for term in held if term not in found] == []
    if not held:
        assert found == []


@pytest.mark.parametrize(
    ("stored", "asked"),
    [
        ("the RefreshToken class", "refresh_token"),
        ("HTTPServer", "http server"),
        ("migrations were rolled back", "migration"),
        ("café", "cafe\u0301"),
        ("ｆｕｌｌ", "full"),
        ("データベースの接続", "接続"),
        ("queries", "query"),
        ("caching", "cached"),
    ],
)
def test_what_is_stored_one_way_is_found_another_way(stored, asked):
    assert set(words.terms(asked)) & set(words.terms(stored))


def test_base64_is_cut_and_not_split():
    text = base64.b64encode(bytes(range(256)) * 40).decode()
    found = words.terms(text)
    assert found
    assert max(map(len, found)) <= words.LONGEST


@given(st.text())
def test_every_term_is_lower_case_short_and_without_white_space(text):
    for term in words.terms(text):
        assert 0 < len(term) <= words.LONGEST
        assert '"' not in term and "\0" not in term and not any(map(str.isspace, term))


@given(before=TEXT, text=TEXT)
def test_a_word_has_the_same_terms_whatever_stands_in_the_sentences_around_it(before, text):
    assert words.terms(f"{before}\n{text}") == words.terms(before) + words.terms(text)


def test_a_lone_particle_is_no_term():
    assert words.terms("が key が") == ["key"]


@given(st.text(st.sampled_from(string.ascii_letters + string.digits + "_- .東京"), max_size=60))
def test_terms_do_not_depend_on_what_was_asked_before(text):
    first = words.terms(text)
    words.terms(text.upper())
    assert words.terms(text) == first


@given(st.text(min_size=1, max_size=30))
def test_asked_is_distinct_and_in_order(text):
    heard = [term for term in words.terms(text) if term[0] != cjk.HEARD]
    assert Question(text).terms == list(dict.fromkeys(heard))


def test_a_prompt_of_ten_megabytes_costs_what_its_ends_cost():
    middle = "needle " * 1_500_000
    found = Question("headword " + middle[:10_000_000] + " tailword").terms
    assert "headword" in found and "tailword" in found
    assert len(found) <= MOST_TERMS


def test_a_prompt_of_150000_distinct_words_gives_a_bounded_number():
    assert len(Question(" ".join(f"w{i}x" for i in range(150_000))).terms) <= MOST_TERMS


def test_one_word_of_ten_megabytes_is_one_term():
    assert Question("x" * 10_000_000).terms == ["x" * words.LONGEST]


def test_text_that_unfolds_is_bounded_too():
    assert len(Question("\ufdfa" * 10_000).terms) <= MOST_TERMS


@given(st.text(st.characters(codec="ascii", categories=["Ll"]), min_size=1))
def test_a_stem_is_never_empty_and_begins_like_its_word(word):
    stem = words.stem(word)
    assert stem
    assert stem[:2] == word[:2]

"""Cutting keeps to the limit, keeps both ends, and says that it cut."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foreword.text import budget

LIMITS = st.integers(min_value=0, max_value=120)
TEXTS = st.text(st.sampled_from("ab c.\n!。？`#~|-é東\t"), max_size=400)


@given(TEXTS, LIMITS)
def test_no_cut_is_longer_than_its_limit(text, limit):
    assert len(budget.cut(text, limit)) <= limit
    assert len(budget.head_and_tail(text, limit)) <= limit
    assert len(budget.conclusion(text, limit)) <= limit
    assert len(budget.first_sentence(text, limit)) <= limit


@given(TEXTS, LIMITS)
def test_what_fits_is_not_cut(text, limit):
    if len(text) <= limit:
        assert budget.cut(text, limit) == text
        assert budget.head_and_tail(text, limit) == text


@given(st.text(min_size=1), st.integers(min_value=6, max_value=200))
def test_head_and_tail_keep_the_first_and_the_last_characters(text, limit):
    long = "<" + text + "x" * limit + ">"
    kept = budget.head_and_tail(long, limit)
    assert len(kept) == limit
    assert kept.startswith(long[: (limit - 5) * 2 // 3])
    assert kept.endswith(long[-1])
    assert "[…]" in kept


def test_a_limit_shorter_than_the_mark_is_kept_to():
    assert budget.head_and_tail("abcdefgh", 3) == "abc"
    assert budget.head_and_tail("abcdefgh", 0) == ""


def test_a_cut_ends_at_a_word():
    assert budget.cut("the quick brown fox", 17) == "the quick brown…"


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ("Great!\n\nThe cache key lacks the tenant.", "The cache key lacks the tenant."),
        ("# Result\n\nTokens are refreshed twice.", "Tokens are refreshed twice."),
        ("Here is what I found:\n\nThe pool is too small.", "The pool is too small."),
        ("```py\nx = 1\n```\nIt was the import.", "It was the import."),
        ("キャッシュのキーが間違い。次は別。", "キャッシュのキーが間違い。 次は別。"),
    ],
)
def test_a_conclusion_passes_over_what_says_nothing(answer, said):
    assert budget.conclusion(answer, 200) == said


def test_an_answer_of_code_alone_still_has_a_conclusion():
    assert budget.conclusion("```\nmake build\n```", 100) == "``` make build ```"


def test_the_first_sentence_ends_at_its_full_stop():
    assert (
        budget.first_sentence("The key lacks the tenant. So two share it.", 80) == "The key lacks the tenant."
    )
    assert budget.first_sentence("", 80) == ""


@pytest.mark.parametrize(
    ("text", "limit", "kept"),
    [
        ("one two three", 20, "one two three"),
        ("one two three", 9, "one two"),
        ("first line\nsecond", 13, "first line"),
        ("a" * 20, 5, "aaaaa"),
        ("cafe\u0301s" * 3, 4, "caf"),
        ("👩🏽👩🏽", 3, "👩🏽"),
        ("👩\u200d🔬x", 2, ""),
        ("🇯🇵🇨🇳", 3, "🇯🇵"),
        ("🇯🇵🇨🇳", 2, "🇯🇵"),
        ("か\u3099き", 1, ""),
        ("日本語の文", 3, "日本語"),
        ("", 0, ""),
    ],
)
def test_lines_are_cut_between_letters_as_they_are_drawn(text, limit, kept):
    assert budget.cut_lines(text, limit) == kept

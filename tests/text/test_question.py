"""What a prompt asks: its terms, which of them it turns on, and when it asks nothing at all."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foreword.text import question, words
from foreword.text.question import Question, code_terms, head

TEXT = st.one_of(st.text(), st.text(st.sampled_from("aB_9 `.#/-?!\n東京のサ한국\ud800\0é"), max_size=80))
STEERING = [
    "hi", "Hello!", "continue", "Continue.", "yes", "yes, do it", "ok", "OK, go ahead", "commit this",
    "commit and push", "run the tests again", "sounds good", "thanks, that works great", "try again",
    "undo that", "looks good to me", "option 2", "1", "please proceed with the next step", "はい",
    "お願いします", "続けてください", "コミットしてください",
    "好的", "继续", "谢谢", "提交吧",
    "네", "계속해 주세요", "👍", "...", "", "   ", "?!",
]  # fmt: skip
ASKING = [
    "fix the login bug", "why does refresh_token fail", "refresh_token", "Run the migration tests",
    "commit the parser", "`continue`", "rename `test`", "ログインのエラーを直してください", "数据库的连接池",
    "로그인 오류", "AB-123", "add a retry to the uploader", "yes, but why does the importer drop rows?",
    "src/app.py",
]  # fmt: skip


@pytest.mark.parametrize("text", STEERING)
def test_a_prompt_that_only_steers_is_told_from_the_others(text):
    assert Question(text).only_steers()


@pytest.mark.parametrize("text", ASKING)
def test_a_prompt_that_names_anything_does_not_only_steer(text):
    assert not Question(text).only_steers()


def test_many_words_of_talk_are_more_than_steering():
    text = "please commit, push, rebase, squash, merge, tidy, review and summarise it, then stop again"
    assert not Question(text).only_steers()


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("Why is it slow? The log follows.", "Why is it slow?"),
        ("Why is it slow\nThe log follows.", "Why is it slow"),
        ("  \n\nWhy is it slow? Yes.", "Why is it slow?"),
        ("Hi! Why is it slow? The log follows.", "Hi! Why is it slow?"),
        ("Is 3.1 out? We are on Python 3.1 still.", "Is 3.1 out? We are on Python 3.1 still."),
        ("サーバーの接続が遅いのはなぜ。ログは次です。", "サーバーの接続が遅いのはなぜ"),
        ("", ""),
        ("word " * 100, ("word " * 100)[:200]),
    ],
)
def test_the_head_is_the_first_sentence_or_line(text, first):
    assert head(text) == first


@pytest.mark.parametrize(
    ("text", "held"),
    [
        ("why does refresh_token fail", {"refresh_token", "refresh", "token"}),
        ("why does refreshToken fail", {"refreshtoken", "refresh", "token"}),
        ("look into src/app.py, please", {"src", "app", "py"}),
        ("see std::vector.", {"std", "vector"}),
        ("pass --no-color to it", {"color"}),
        ("what of #4521?", {"4521"}),
        ("is utf8 meant (or sha256)?", {"utf8", "sha256"}),
        ("Why is the API slow today. NASA knows, I guess", set()),
        ("it is 12 of 345", set()),
        ("", set()),
    ],
)
def test_code_is_what_looks_like_it(text, held):
    assert code_terms(text) == held


@pytest.mark.parametrize(
    "text", ["東京のサーバーが遅い", "数据库的连接池", "한국어 서버", "naïve café", "ΑΒΓ αβγ", "Привет мир"]
)
def test_words_of_other_scripts_are_no_code(text):
    assert code_terms(text) == set()


@pytest.mark.parametrize(
    ("text", "held"),
    [
        ("what does `retry_policy` do", {"retry_policy", "retry", "policy"}),
        ("`a pool` and `the gateway`", {"pool", "gateway"}),
        ("```\nfenced\n```", set()),
        ("one ` alone", set()),
        ("`" + "x" * 81 + "`", set()),
        ("no ticks", set()),
    ],
)
def test_ticked_is_what_stands_between_backticks_on_one_line(text, held):
    assert Question(text).ticked == held


def test_the_runs_are_the_stretches_of_chinese_japanese_and_korean():
    assert Question("why is 接続プール slow, 数据库?").runs == ["接続プール", "数据库"]
    assert Question("why").runs == []


def test_how_a_word_sounds_is_asked_by_nobody():
    assert any(term.startswith("^") for term in words.terms("テスト"))
    assert not any(term.startswith("^") for term in Question("テスト").sequence)


@given(TEXT)
def test_whatever_is_asked_its_parts_agree(text):
    asked = Question(text)
    assert asked.terms == list(dict.fromkeys(asked.sequence))[: question.MOST_TERMS]
    assert asked.only_steers() in (True, False)
    assert head(text) in text
    assert len(head(text)) <= 200


@pytest.mark.parametrize(
    "text",
    [
        " ".join(f"w{n}x" for n in range(150_000)),
        "needle " + "filler words of a pasted log\n" * 350_000 + " tail",
        "x" * 10_000_000,
        "東京のサーバー" * 1_500_000,
        "".join(map(chr, range(0x4E00, 0x9FFF))) * 50,
        "`" * 1_000_000,
        "\ud800" * 100_000,
    ],
    ids=[
        "150,000 distinct words",
        "a log",
        "one word",
        "a run",
        "all ideographs",
        "ticks",
        "lone surrogates",
    ],
)
def test_a_long_prompt_has_a_bounded_number_of_terms(text):
    asked = Question(text)
    assert len(asked.terms) <= question.MOST_TERMS
    assert len(asked.sequence) <= 3 * (words.ASKED_HEAD + words.ASKED_TAIL)
    asked.only_steers()


def test_the_ends_of_a_long_prompt_are_what_is_asked():
    asked = Question("headword " + "filler " * 1_500_000 + " tailword")
    assert {"headword", "tailword"} <= set(asked.terms)


@pytest.mark.parametrize(
    "text",
    [
        "Why is the build slow?",
        "How do we revert a merge?",
        "Why does lint fail on push?",
        "Where do we set the session state?",
        "What is option 2?",
        "and why are tests slow?",
    ],
)
def test_a_question_of_usual_words_still_asks(text):
    assert not Question(text).only_steers()


@pytest.mark.parametrize("text", ["why?", "is it done?", "what is left to do?", "what did you just change?"])
def test_a_question_about_the_conversation_only_steers(text):
    assert Question(text).only_steers()

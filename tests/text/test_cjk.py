"""Chinese, Japanese and Korean runs: the terms that stand for their words, and those for English ones."""

import os
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foreword.text import across, cjk, words

RUNS = st.text(
    alphabet=st.sampled_from("のをるコンーポネトヴ々状態使込読式组件错误的파일을한"), min_size=1, max_size=30
)


def alone(run):
    """The terms of a run without the sounds."""
    return [term for term in cjk.terms_of_run(run) if term[0] != cjk.HEARD]


def test_chinese_gives_pairs_and_single_characters():
    assert sorted(alone("组件错误")) == sorted(["组", "件", "错", "误", "组件", "件错", "错误"])


def test_pairs_do_not_cross_from_one_script_to_another():
    made = alone("状態をコミットする")
    assert "状態" in made
    assert "コミット" in made
    assert not {"態を", "をコ", "トす"} & set(made)


def test_particles_and_grammar_are_no_terms():
    assert alone("をする") == []
    assert "の" not in alone("状態の値")


def test_a_kana_word_that_is_no_grammar_stays_findable():
    assert alone("はじめに") == ["はじ", "じめ"]


@pytest.mark.parametrize(("one", "other"), [("ユーザー", "ユーザ"), ("サーバー", "サーバ")])
def test_a_long_mark_at_the_end_makes_no_difference(one, other):
    assert cjk.terms_of_run(one) == cjk.terms_of_run(other)


def test_a_short_word_keeps_its_long_mark():
    assert alone("キー") == ["キー"]


@pytest.mark.parametrize(
    ("written", "bare"),
    [("読み込む", "読込"), ("切り替え", "切替"), ("呼び出して", "呼出"), ("取り消し", "取消")],
)
def test_okurigana_in_between_makes_no_difference(written, bare):
    assert bare in cjk.terms_of_run(written)
    assert bare in cjk.terms_of_run(bare)


def test_ideographs_around_a_particle_are_two_words():
    assert "型値" not in cjk.terms_of_run("型の値")


@pytest.mark.parametrize("run", ["파일을", "パス", "字"])
def test_every_script_leaves_something_to_find(run):
    assert alone(run)


@given(RUNS)
def test_a_term_is_a_sound_a_pair_a_katakana_word_or_an_ideograph(run):
    katakana, hiragana, others = "[\u30a1-\u30ff]{1,16}", "[\u3041-\u309f]{2}", "[\u3005\u3400-\ud7af]{1,2}"
    for term in cjk.terms_of_run(run):
        assert re.fullmatch(rf"\^a?[kgstdnhfbpmr]{{2,}}|{katakana}|{hiragana}|{others}", term)


@given(RUNS, RUNS)
def test_a_note_holds_the_pairs_of_ideographs_of_every_part_of_it(before, part):
    pairs = {term for term in re.findall("(?=([\u3005\u3400-\u9fff]{2}))", part) if term not in cjk.STOP}
    assert pairs <= set(cjk.terms_of_run(before + part))


@given(RUNS)
def test_weights_are_between_nothing_and_one(run):
    assert all(0 <= cjk.weight(term) <= 1 for term in cjk.terms_of_run(run))


def test_matter_weighs_more_than_grammar():
    assert cjk.weight("状態") > cjk.weight("状") > cjk.weight("はじ") > cjk.weight("^knpnnt") == 0


@pytest.mark.parametrize(
    ("english", "katakana"),
    [
        ("transition", "トランジション"), ("component", "コンポーネント"), ("hydration", "ハイドレーション"),
        ("lifecycle", "ライフサイクル"), ("framework", "フレームワーク"), ("suspense", "サスペンス"),
        ("composition", "コンポジション"), ("teleport", "テレポート"), ("architecture", "アーキテクチャ"),
        ("binding", "バインディング"), ("template", "テンプレート"), ("message", "メッセージ"),
        ("reactivity", "リアクティビティー"), ("schedule", "スケジュール"), ("thread", "スレッド"),
        ("method", "メソッド"), ("plugin", "プラグイン"), ("object", "オブジェクト"),
    ],
)  # fmt: skip
def test_a_katakana_word_sounds_like_the_english_one(english, katakana):
    assert set(across.sounds(words.stem(english))) & set(cjk.terms_of_run(katakana))


def test_short_words_and_identifiers_have_no_sound():
    assert across.sounds("get") == across.sounds("http2") == across.sounds("a_b_c") == []


@given(st.from_regex("[a-z]{0,12}", fullmatch=True))
def test_any_word_may_be_sounded(word):
    assert all(re.fullmatch(r"\^a?[a-z]{2,}", sound) for sound in across.sounds(word))


@pytest.mark.parametrize(
    ("english", "word"),
    [("delete", "削除"), ("delete", "删除"), ("delete", "삭제"), ("state", "状態"), ("component", "组件"),
     ("component", "コンポーネント"), ("variable", "变量"), ("file", "文件")],
)  # fmt: skip
def test_an_english_word_gives_the_terms_of_its_translations(english, word):
    made = dict(across.to_cjk(words.stem(english)))
    assert set(alone(word)) & made.keys()


def test_shares_of_one_language_add_up_to_one():
    row = across._row("delet")
    assert sum(share for _, share in across.to_cjk("delet")) == pytest.approx(len(row.split("\t")))


def test_a_word_that_the_table_lacks_is_tried_without_its_ending():
    assert not across._row("commitment")
    assert set(dict(across.to_cjk("commit"))) <= set(dict(across.to_cjk("commitment")))


def test_an_unknown_word_gives_nothing_but_its_sound():
    assert all(term[0] == cjk.HEARD for term, _ in across.to_cjk("zyxwvut"))
    assert across.to_cjk("状態") == across.to_cjk("") == []


@pytest.mark.parametrize(
    ("run", "stem"),
    [("状態を保存", "stat"), ("文件的状态", "file"), ("エラーの削除", "delet"), ("파일을", "file")],
)
def test_a_run_gives_the_english_words_it_holds(run, stem):
    assert stem in dict(across.to_english(run))


@given(RUNS)
def test_any_run_may_be_asked(run):
    assert all(stem.isascii() and 0 < share <= 1 for stem, share in across.to_english(run))


def test_the_table_is_sorted_small_and_of_the_stems_that_texts_are_cut_into():
    path = os.path.join(os.path.dirname(across.__file__), "across.txt")
    with open(path, encoding="utf-8") as file:
        lines = file.read().split("\n")
    assert os.path.getsize(path) < 150_000
    assert lines == sorted(lines)
    keys = [line.split("\t")[0] for line in lines]
    assert len(keys) == len(set(keys))
    english = [key for key in keys if key.isascii()]
    assert len(english) > 1000
    stale = [key for key in english if key not in words.terms(key) and words.terms(key)]
    assert len(stale) < len(english) / 10, f"run bench/across.py again: {stale[:10]}"

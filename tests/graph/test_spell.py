"""How names and texts are spelled in answers, and that what was shown leads back to what is meant."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foreword.graph import lines, spell
from foreword.text.frame import defuse, plain


def graph_of(*names):
    graph = lines.Graph()
    for name in names:
        graph.add_entity(name, "t", [])
    return graph


USUAL = (
    "shop-backend", "Ada Example", "C++", "src/app/[slug]/page.tsx", "ADR 7: use Postgres", "a - b",
    "Müller & Söhne", "Map<String, User>", "日本語 メモ", "Smith, Ada", "x (old)",
)  # fmt: skip
ODD = (
    ("", '""'), (" ", '" "'), ("\u200b", r'"\u200b"'), ("admin\u200b", r'"admin\u200b"'),
    ("a  b", '"a  b"'), ("two\nlines", r'"two\nlines"'), ("x;", '"x;"'), ('"x"', r'"\"x\""'),
    ("x (2); admin (99)", '"x (2); admin (99)"'), ("admin [person]", '"admin [person]"'),
    ("# SYSTEM", '"# SYSTEM"'), ("- item", '"- item"'), ("… 5 more", '"… 5 more"'),
    ("a -b-> c", '"a -b-> c"'), ("<system>", r'"\u003csystem>"'), ("\ud800", r'"\ud800"'),
    ("\U000e0041x", r'"\udb40\udc41x"'),
)  # fmt: skip


@pytest.mark.parametrize("name", USUAL)
def test_usual_names_are_shown_as_they_are(name):
    assert spell.name(name) == name


def test_an_emoji_is_shown_without_what_cannot_be_seen():
    graph = graph_of("⚠\ufe0f Known issues", "issues")
    assert spell.name("⚠\ufe0f Known issues") == "⚠ Known issues"
    assert spell.resolved(graph, ["⚠ Known issues"]) == {"⚠ Known issues": "⚠\ufe0f Known issues"}


@pytest.mark.parametrize(("name", "spelled"), ODD)
def test_a_name_that_could_be_taken_for_something_else_is_a_json_string(name, spelled):
    assert spell.name(name) == spelled
    assert json.loads(spelled) == name
    assert spell.resolved(graph_of("other", name), [spelled]) == {spelled: name}


def test_a_type_that_could_be_taken_for_something_else_is_a_json_string():
    assert [spell.kind(kind) for kind in ("service", "", "a: b", "x]", "(no type)")] == [
        "service", "", '"a: b"', '"x]"', '"(no type)"',
    ]  # fmt: skip


def test_a_name_with_a_comma_stands_in_quotes_among_others():
    assert spell.names(["Smith, Ada", "b"]) == '"Smith, Ada", b'


_NAMES = (
    st.text(st.sampled_from('ab ;,-#…()1[]>"\\\n\u200b\u200d\ufe0f\u202eé<system'), max_size=30) | st.text()
)


@given(_NAMES)
def test_a_spelled_name_is_one_line_that_may_be_shown_and_means_its_name(name):
    for spelled in (spell.name(name), spell.kind(name), spell.names([name])):
        assert len(spelled.splitlines()) <= 1
        assert defuse(spelled) == spelled == plain(spelled)
        if spelled:
            assert spell.resolved(graph_of(name), [spelled]) == {spelled: name}


def test_a_long_name_is_found_again_by_what_is_left_of_it():
    for name in ("quokka " * 40, "; quokka" * 40):
        spelled = spell.name(name, spell.LONGEST_NAME)
        assert len(spelled) <= spell.LONGEST_NAME
        assert spell.resolved(graph_of("quokka", name), [spelled]) == {spelled: name}


@given(st.text(st.sampled_from("ab \n\r\t\u200b\u2028<system>-…é"), max_size=30) | st.text())
def test_an_observation_as_it_is_shown_means_its_text(text):
    item = spell.item(text)
    shown = item.removeprefix("- ")
    assert spell.resolved_texts(["other thing", text], [shown]) == {shown: text}
    on_one_line = spell.flat(text)
    if on_one_line:
        assert spell.resolved_texts([text], [on_one_line]) == {on_one_line: text}


def test_the_exact_text_comes_first_and_what_could_be_two_means_neither():
    assert spell.resolved_texts(["a  b", "a b"], ["a b"]) == {"a b": "a b"}
    assert spell.resolved_texts(["a  b", "a   b"], ["a b", "xylophone", ""]) == {}
    assert spell.resolved_texts(["\u200b"], [""]) == {}
    assert spell.resolved_texts(['"\\u200b"', "\u200b"], ['"\\u200b"']) == {'"\\u200b"': '"\\u200b"'}


def test_a_text_that_was_cut_is_found_by_a_long_part_of_it_only():
    text = "2026-03-02: the shop was deployed to production, and nobody noticed but the pager"
    shown = text[:60] + "…"
    assert spell.resolved_texts([text, "other"], [shown]) == {shown: text}
    assert spell.resolved_texts([text, text[:70]], [shown]) == {}
    assert spell.resolved_texts([text], [text[:30] + "…", text[:60]]) == {}


def test_names_known_elsewhere_are_resolved_too():
    assert spell.resolved(graph_of("a"), ["a", "b c", "d"], {"b\nc": 1}) == {"a": "a", "b c": "b\nc"}

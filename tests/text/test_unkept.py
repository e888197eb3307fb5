"""What the user or a client marks is not stored; all else is."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foreword.text import unkept


@pytest.mark.parametrize(
    ("prompt", "kept"),
    [
        ("a <private>key</private> b", "a  b"),
        ("a <PRIVATE reason='x'>key</Private > b", "a  b"),
        ("a <private>key", "a"),
        ("<foreword>\nold\n</foreword>\nnew", "new"),
        ("<system-reminder>x</system-reminder>ask<system-reminder>y</system-reminder>", "ask"),
        ("why does <system-reminder> appear?", "why does <system-reminder> appear?"),
        ("a <privateer>b</privateer>", "a <privateer>b</privateer>"),
        ("a<private>1</private>b<private>2</private>c", "abc"),
        ("<hook_context>x</hook_context>", ""),
        ("no tags < here", "no tags < here"),
    ],
)
def test_marked_parts_are_not_kept(prompt, kept):
    assert unkept.keepable(prompt) == kept


def test_a_private_part_inside_another_is_not_kept_either():
    assert "secret" not in unkept.keepable("a <private>x <private>y</private> secret</private> b")
    assert unkept.keepable("a <private>x <private>y</private> secret</private> b").endswith("b")


@given(
    st.lists(
        st.sampled_from(["<private>", "</private>", "<foreword>", "</foreword>", "x", " ", "\n"]), max_size=30
    )
)
def test_what_is_kept_never_opens_a_private_part(parts):
    assert "<private>" not in unkept.keepable("".join(parts))


def test_a_million_opened_tags_are_gone_through_once():
    assert unkept.keepable("<foreword>" * 200_000).startswith("<foreword>")
    assert unkept.keepable("<private></private>" * 100_000) == ""
    assert unkept.keepable("<private>" * 100_000 + "</private>" * 100_000) == ""


@pytest.mark.parametrize(
    "prompt",
    [
        "", "  \n", "/compact", "/model opus", "/mcp__server__do it", "$remember", "$review it",
        # What our own skills answer is made of memories.
        "/recall what did we decide about the cache layer?", "$dream and then tell me all about it",
        "/foreword:remember that the tests need the database", "$foreword-recall the cache layer please",
    ],
)  # fmt: skip
def test_a_command_that_asks_nothing_is_no_question(prompt):
    assert not unkept.is_question(prompt)


@pytest.mark.parametrize(
    "prompt",
    [
        "why",
        "/review the cache layer please",
        "/ask why?",
        "/etc/hosts is wrong",
        "/ask 何故？",
        "$HOME is not set",
        "/recalling what is gone by",
        "$remembered the tests of yesterday",
        "a /compact",
    ],
)
def test_all_else_is_a_question(prompt):
    assert unkept.is_question(prompt)

"""Commands in our own sentences: what is to be typed is set as that, the words around it are not."""

import html
import re

import click
import pytest
from hypothesis import given
from hypothesis import strategies as st

from foreword import cli
from foreword.cli import cmd_graph
from foreword.memory.why import NOTHING, REASONS
from foreword.report import told
from foreword.web.commands import VERBS, WORDS, commands


def set_apart(text):
    """The commands of a sentence."""
    return [html.unescape(found) for found in re.findall(r"<code>(.*?)</code>", commands(text))]


def test_the_verbs_are_those_of_the_command_line():
    assert tuple(cli.VERBS) == VERBS
    assert isinstance(cmd_graph.command, click.Group)
    assert set(cmd_graph.command.commands) == WORDS["graph"]


@pytest.mark.parametrize(
    "text",
    [
        "foreword doctor", "foreword switch on", "foreword reject --undo ID", "foreword list --project PATH",
        "foreword edit 20261130-101500-4f2a --from /home/me/x", "foreword graph restore --all --dry-run",
        "foreword graph restore 'a name; <b>x</b>. y'", "foreword uninstall codex", "foreword save < FILE",
        "foreword dream --apply - < plan.json", "FOREWORD_HOME=/data/x foreword doctor",
        'echo "..." | foreword save --title "..."', "chmod 700 /home/me/a folder", "unset OPENCODE_PURE",
        "codex mcp remove foreword", "foreword switch on|off|auto|auto:session",
    ],
)  # fmt: skip
def test_what_is_a_command_alone_is_one_whole(text):
    assert set_apart(text) == [text]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("leave it out", []),
        ("edit that file", []),
        ("start codex, type /hooks and switch them on", []),
        ("This is a foreword that was read, and on disk.", []),
        ("foreword search --explain WORDS shows how memories rank", ["foreword search --explain WORDS"]),
        ("foreword dream starts another run", ["foreword dream"]),
        ("foreword graph on --file /x/y, then unset it", ["foreword graph on --file /x/y"]),
        ("foreword why, in a project of yours; foreword switch tells", ["foreword why", "foreword switch"]),
        ("update Foreword, or run: foreword reindex", ["foreword reindex"]),
        ("take it out by hand (codex mcp remove foreword), then", ["codex mcp remove foreword"]),
        ("foreword check.", ["foreword check"]),
        ("foreword doctor on this machine", ["foreword doctor"]),
        ("my-foreword list and x/foreword list and foreword listing", []),
    ],
)
def test_words_around_a_command_are_none(text, told):
    assert set_apart(text) == told


def test_every_command_of_our_sentences_is_set_apart():
    sentences = [
        *told.HOW.values(), told.LOOKS, *(told for _, told in REASONS.values()),
        *(part for both in NOTHING.values() for part in both),
    ]  # fmt: skip
    found = [command for text in sentences for command in set_apart(text)]
    assert len(found) == sum(len(re.findall(r"(?<![\w-])foreword (?!s\b)", text)) for text in sentences)
    assert set(found) == {
        "foreword switch auto:session", "foreword switch on", "foreword reject --undo ID", "foreword reindex",
        "foreword check", "foreword search --explain WORDS",
    }  # fmt: skip


@given(
    st.lists(
        st.sampled_from([*VERBS, "foreword", " ", "<b>", "&", "'", '"', "--x", "ID", ".", ", ", "on", "a/b"])
        | st.text(max_size=4)
    ).map("".join)
)
def test_nothing_is_lost_and_nothing_is_markup(text):
    told = str(commands(text))
    assert html.unescape(re.sub(r"</?code>", "", told)) == html.unescape(html.escape(text))
    assert set(re.findall(r"<[^>]*>", told)) <= {"<code>", "</code>"}
    assert told.count("<code>") == told.count("</code>")


def test_a_hint_of_a_hundred_thousand_letters_takes_no_time():
    for part in ("/", "a", "foreword list ", "'", "=", "a:"):
        assert len(commands(part * 100_000)) >= 100_000

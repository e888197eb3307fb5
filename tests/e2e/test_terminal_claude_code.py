"""The loop in Claude Code's terminal interface: /clear, /compact, and what the user sees."""

import os
import re

import pytest

from e2e.claude import ANSWER, ASKED, ASKED_LATER, ID, REPORTED, hook_problems, open_the_offered
from e2e.model import Turn
from e2e.tui import answer

pytestmark = pytest.mark.e2e

SUMMARY = "<analysis>Short.</analysis>\n<summary>" + "They spoke of rows. " * 30 + "</summary>"


def ids(frames):
    return sorted(set(ID.findall("\n".join(frames))))


def saved(claude):
    return [os.path.basename(path)[:-3] for path, _ in claude.notes()]


def test_a_note_is_offered_again_after_compaction_but_not_before(claude, model, terminal):
    claude.install()
    model.script(ANSWER)
    claude.run(ASKED)
    [older] = saved(claude)

    with terminal() as screen:
        shown = answer(screen, model, ASKED_LATER, REPORTED)
        [_, newer] = saved(claude)
        not_again = answer(screen, model, ASKED_LATER + " now", "Noted.")
        model.script(Turn(SUMMARY, when=lambda request: request.asks_for_summary))
        screen.submit("/compact")
        screen.wait_until_shown("Compacted")
        again = answer(screen, model, ASKED_LATER + " here", "Noted.")
        problems = hook_problems(screen.debug())

    assert ids(shown.new_frames) == [older]
    assert not_again.new_frames == []
    assert sorted(ids(again.new_frames)) == [older, newer]
    assert saved(claude) == [older, newer], "the summary is no note"
    assert problems == []


def test_a_note_is_offered_again_after_clear(claude, model, terminal):
    claude.install()

    with terminal() as screen:
        answer(screen, model, ASKED, ANSWER)
        [own] = saved(claude)
        not_its_own = answer(screen, model, ASKED_LATER, "Noted.")
        screen.submit("/clear")
        screen.wait_until_gone(ASKED_LATER)
        offered = answer(screen, model, ASKED_LATER + " now", "Noted.")
        not_again = answer(screen, model, ASKED_LATER + " here", "Noted.")

    assert not_its_own.new_frames == []
    assert ids(offered.new_frames) == [own]
    assert not_again.new_frames == []


def test_the_user_sees_neither_the_foreword_nor_a_question_nor_an_error(claude, model, terminal):
    claude.install()
    model.script(ANSWER)
    claude.run(ASKED)

    with terminal() as screen:
        model.script(open_the_offered)
        request = answer(screen, model, ASKED_LATER, "I have read it.")
        screen.wait_until_shown("I have read it.")
        seen = screen.screen()
        log = screen.debug()

    assert len(request.new_frames) == 1
    [(text, is_error)] = model.requests[-1].tool_results
    assert ANSWER in text
    assert not is_error
    assert not re.search(r"hook|error|foreword>|Do you want|permission", seen, re.IGNORECASE), seen
    assert hook_problems(log) == []

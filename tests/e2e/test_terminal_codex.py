"""The loop in Codex's terminal interface: prompts typed while it works, /clear, and what the user sees."""

import os
import re

import pytest

from e2e.claude import ANSWER, ASKED, ASKED_LATER, ID, open_the_offered
from e2e.model import use
from e2e.tui import answer

pytestmark = pytest.mark.e2e

# Codex takes a "?" at the end of what is typed for a key of help.
ASKED = ASKED.rstrip("?")
WAIT = "while [ ! -e go-on ]; do sleep 0.05; done"


def ids(frames):
    return sorted(set(ID.findall("\n".join(frames))))


def test_what_is_typed_while_the_agent_works_belongs_to_the_same_question(codex, model, open_terminal):
    codex.install()
    model.script([use("exec_command", cmd=WAIT)], ANSWER)
    more = "Look at the mails as well"

    with open_terminal(codex) as screen:
        screen.submit(ASKED)
        model.wait_for(lambda request: ASKED in request.new_text)
        screen.submit(more)
        # It is sent with the next request, and only then its hook runs.
        screen.wait_until_shown(more)
        with open(os.path.join(codex.home.repo, "go-on"), "w", encoding="utf-8"):
            screen.wait_until_done(1)

    [(_, text)] = codex.home.notes()
    assert more in model.requests[1].new_text
    header = text.split("---\n")[1]
    assert ASKED in header
    assert more in header


def test_a_note_is_offered_again_after_clear_and_the_user_is_asked_nothing(codex, model, open_terminal):
    codex.install()

    with open_terminal(codex) as screen:
        answer(screen, model, ASKED, ANSWER)
        not_its_own = answer(screen, model, ASKED_LATER, "Noted.")
        screen.submit("/clear")
        screen.wait_until_gone("Noted.")
        offered = answer(screen, model, ASKED_LATER + " now", open_the_offered, "I have read it.")
        screen.wait_until_shown("I have read it.")
        seen = screen.screen()

    assert not_its_own.new_frames == []
    assert ids(offered.new_frames) == [os.path.basename(codex.home.notes()[0][0])[:-3]]
    assert ANSWER in model.requests[-1].tool_results[0][0]
    # Codex puts a tip of its own below an answer, another each time: "Tip: Use /hooks to view ..." is one.
    told = "\n".join(line for line in seen.splitlines() if "Tip:" not in line)
    assert not re.search(r"hook|error|foreword>|Allow", told, re.IGNORECASE), seen

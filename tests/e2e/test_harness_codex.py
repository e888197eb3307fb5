"""The harness for Codex itself: what the other tests rely on to notice a failure."""

import json
import os
import shlex
import signal
import sys

import pytest

from e2e import responses
from e2e.model import use
from e2e.tui import eventually

pytestmark = pytest.mark.e2e

TRUSTED = "--dangerously-bypass-hook-trust"
BAD_HOOK = "import sys; sys.stdin.read(); sys.stderr.write('It broke.'); sys.exit(1)"
LONG_HOOK = "print('<foreword>' + 'a long memory. ' * 2000 + '</foreword>')"
LASTING_HOOK = """
import os, subprocess, sys
child = [sys.executable, "-I", "-c", "import signal; signal.pause()"]
subprocess.Popen(child, stdin=-3, stdout=-3, stderr=-3, start_new_session=True)
"""


def add_hook(codex, event, script):
    command = shlex.join([sys.executable, "-I", "-c", script])
    hooks = {event: [{"hooks": [{"type": "command", "command": command}]}]}
    with open(codex.hooks_file, "w", encoding="utf-8") as f:
        json.dump({"hooks": hooks}, f)


def test_a_prompt_is_answered_by_the_script(codex, model):
    model.script([use("exec_command", cmd="cat README.md")], "It imports rows.")

    run = codex.run("What is this?")
    again = codex.run("And what else?", resume=run.session)

    assert (run.returncode, run.answer) == (0, "It imports rows.")
    assert again.answer == model.RAN_OUT
    assert again.session == run.session
    first, second, third = model.requests
    assert "What is this?" in first.new_text
    assert "# Ledger" in second.new_text
    assert "What is this?" not in second.new_text
    assert [is_error for _, is_error in second.tool_results] == [False]
    assert "And what else?" in third.new_text
    assert "What is this?" in third.text
    assert "permission" in "".join(first.developer_texts)


def test_both_clients_share_a_home_and_a_script(both, model):
    claude, codex = both
    model.script("First.", "Second.")

    answers = [claude.run("One?").answer, codex.run("Two?").answer]

    assert answers == ["First.", "Second."]
    assert "One?" in model.requests[0].new_text
    assert "Two?" in model.requests[1].new_text


def test_a_hook_that_fails_is_noticed(codex, model):
    add_hook(codex, "UserPromptSubmit", BAD_HOOK)
    model.script("Hello.")

    run = codex.run("Good morning", TRUSTED)
    codex.runs.clear()  # the fixture would rightly complain

    assert run.answer == "Hello."
    assert run.hook_problems == [("UserPromptSubmit", "Failed")]


def test_a_hook_that_is_not_trusted_does_not_run_and_the_client_says_so(codex, model):
    add_hook(codex, "UserPromptSubmit", BAD_HOOK)
    model.script("Hello.")

    run = codex.run("Good morning")

    assert run.hooks == []
    assert [hook["trustStatus"] for hook in codex.hooks()] == ["untrusted"]


def test_a_text_too_long_for_the_client_is_noticed(codex, model):
    add_hook(codex, "SessionStart", LONG_HOOK)
    model.script("Hello.")

    codex.run("Good morning", TRUSTED)

    [spilled] = codex.spilled()
    os.remove(spilled)  # the fixture would rightly complain
    assert "truncated" in "".join(model.requests[0].developer_texts)


@pytest.mark.skipif(not os.path.isdir("/proc"), reason="the system does not tell what runs")
def test_what_a_hook_leaves_running_is_noticed(codex, model):
    add_hook(codex, "SessionStart", LASTING_HOOK)
    model.script("Hello.")

    codex.run("Good morning", TRUSTED)

    [left] = codex.home.processes()
    os.kill(left, signal.SIGTERM)
    eventually(lambda: codex.home.processes() == [], "its end")


def test_the_terminal_answers_and_ends_with_the_test(codex, model, open_terminal):
    model.script("It imports rows.")

    with open_terminal(codex) as screen:
        screen.submit("Say what this is.")
        screen.wait_until_shown("It imports rows.")
        screen.wait_until_done(1)

    assert "Say what this is." in model.requests[0].new_text
    assert len(model.requests) == 1, "the title that the client asks for took no turn of the script"


def test_a_call_that_nobody_can_allow_is_told_from_one_that_failed():
    refused = "MCP tool call requires approval, but approval policy is never"
    outputs = [{"type": "function_call_output", "output": text} for text in (refused, "No such id.")]

    request = responses.Request({"input": outputs})

    assert request.tool_results == [(refused, True), ("No such id.", False)]

"""The report of sessions that the real clients ran: what they logged is what the scripted model billed."""

import json

import pytest

from e2e.claude import ANSWER, ASKED, ASKED_LATER, open_the_offered
from e2e.model import use

pytestmark = pytest.mark.e2e

BILLED = 10  # tokens in and tokens out of every answer of the scripted models


def rows(home, client):
    """(rows of a client's sessions, the whole report)"""
    found = json.loads(home.foreword("report", "--json").stdout)
    return found["rows"].get(client, []), found


def main_requests(model):
    """Requests of the agent's main line; a title's or a warm-up's is in no log."""
    return [request for request in model.requests if request.is_main]


def test_claude_codes_sessions_are_billed_as_the_model_did(claude, model):
    claude.install()
    model.script(ANSWER, open_the_offered, "Noted.")
    claude.run(ASKED)
    claude.run(ASKED_LATER)

    found, report = rows(claude, "claude-code")

    assert report["sessions"] == {"counted": 2, "on": 2, "off": 0, "mixed": 0, "without_log": 0, "unread": 0}
    assert sum(row["requests"] for row in found) == len(main_requests(model)) == 3
    assert [row["input"] for row in found] == [BILLED, 2 * BILLED]
    assert [row["tokens"] for row in found] == [2 * BILLED, 4 * BILLED]
    assert [row["turns"] for row in found] == [1, 1]
    assert [row["tool_calls"] for row in found] == [0, 1]
    assert [row["lines"] for row in found] == [0, 1]
    assert [row["opened"] for row in found] == [0, 1]
    assert report["comparison"]["possible"] is False


def test_a_resumed_session_of_claude_code_is_counted_on_and_not_twice(claude, model):
    claude.install()
    model.script(ANSWER, "Noted.")
    claude.run(ASKED)
    [before], _ = rows(claude, "claude-code")
    session = claude.prompt_records()[0]["session"]
    claude.run(ASKED_LATER, "--resume", session)

    [row], _ = rows(claude, "claude-code")

    assert (before["requests"], row["requests"]) == (1, 2)
    assert (before["tokens"], row["tokens"]) == (2 * BILLED, 4 * BILLED)
    assert row["turns"] == 2


def test_codex_sessions_are_billed_as_the_model_did(codex, model):
    codex.install()
    model.script([use("exec_command", cmd="cat README.md")], ANSWER)
    codex.run(ASKED)

    [row], report = rows(codex.home, "codex")

    assert report["sessions"]["counted"] == 1
    assert row["requests"] == len(main_requests(model)) == 2
    assert (row["input"], row["output"], row["tokens"]) == (2 * BILLED, 2 * BILLED, 4 * BILLED)
    assert (row["turns"], row["tool_calls"], row["files_read"]) == (1, 1, 1)

"""The plugin with both real clients: what `foreword plugin` writes does what `foreword install` does."""

import json
import os

import pytest

from e2e.claude import ANSWER, ASKED, ASKED_LATER, CONCLUSION, ID
from e2e.model import use

pytestmark = pytest.mark.e2e

BODY = "Rows without a currency are counted by bank."
DUE = "Before other work, consolidate"


def superseded(home):
    for port in range(4):
        home.foreword("save", "--title", "Port of the database", stdin=f"Port {port}.")


def remember(tool):
    return [use(tool, type="session", title="Rows", body=BODY)]


def test_claude_code_loads_it_from_its_own_folder_of_skills(claude, model):
    plugin = os.path.join(claude.config, "skills", "foreword")
    told = json.loads(claude.foreword("plugin", plugin, "--anyway", "--json").stdout)
    with open(claude.settings_file, "w", encoding="utf-8") as f:
        json.dump({"permissions": {"allow": told["allow"]}}, f)
    superseded(claude)
    model.script(remember("mcp__plugin_foreword_foreword__memory_save"), "Saved.", "Hello.")

    run = claude.run("/foreword:remember")
    claude.run("What is next?")

    assert run.denials == []
    assert [hook["outcome"] for hook in run.hooks] == ["success"] * 3
    asked, _, later = model.requests
    assert "Save what later sessions need" in asked.new_text
    [directive] = [line for line in asked.text.splitlines() if DUE in line]
    assert "/foreword:dream" in directive
    assert BODY in later.frames[0]


def test_codex_runs_it_from_the_folder_as_a_marketplace(codex, model):
    plugin = os.path.join(codex.home.folder, "plugin")
    told = json.loads(codex.home.foreword("plugin", plugin, "--anyway", "--json").stdout)
    for line in told["codex"]:
        done = codex.command(*line.split()[1:])
        assert done.returncode == 0, done.stderr
    superseded(codex.home)
    model.script(remember("mcp__foreword__memory_save"), "Saved.", "Hello.")

    silent = codex.hooks()
    codex.run("$foreword:remember", "--dangerously-bypass-hook-trust")
    codex.run("What is next?", "--dangerously-bypass-hook-trust")

    assert {hook["trustStatus"] for hook in silent} == {"untrusted"}
    asked, saved, later = model.requests
    assert "Save what later sessions need" in asked.new_text
    assert ID.search(saved.tool_results[0][0])
    [directive] = [line for line in asked.text.splitlines() if DUE in line]
    assert "$foreword:dream" in directive
    assert BODY in later.frames[0]


# -- beside an install ------------------------------------------------------------------------------

FACT = "Tests need the database: run make db first."


def two_sessions(client, home, model, *arguments):
    """A question in one client session, a prompt on the same matter in another: the two Runs, once each of
    them was seen to get one recall, the second one foreword, and the store one note and one line for each."""
    home.foreword("save", "--title", "Tests", stdin=FACT)
    model.script(ANSWER, "Noted.")

    runs = client.run(ASKED, *arguments), client.run(ASKED_LATER, *arguments)

    first, second = model.requests
    assert [FACT in frame for frame in first.frames] == [True]
    assert [(FACT in frame, CONCLUSION in frame) for frame in second.frames] == [(True, False), (False, True)]
    [(_, note)] = home.notes()
    assert note.rstrip().endswith(ANSWER)
    assert len({line["session"] for line in home.prompt_records()}) == len(home.prompt_records()) == 2
    assert len({line["session"] for line in home.recall_records()}) == len(home.recall_records()) == 2
    return runs


def doubled(home, client):
    """What `foreword doctor` says of a client that is wired twice: the one note; nothing is to be mended."""
    found = json.loads(home.foreword("doctor", "--client", client, "--json").stdout)["findings"]
    [told] = [finding for finding in found if "wired twice" in finding["what"]]
    assert "nothing is saved or offered twice" in told["what"]
    assert told["level"] == "note"
    return found


def test_claude_code_with_the_plugin_and_an_install_saves_and_offers_once(claude, model):
    claude.install()
    plugin = os.path.join(claude.config, "skills", "foreword")
    claude.foreword("plugin", plugin, "--anyway")

    runs = two_sessions(claude, claude, model)

    assert [len(run.hooks) for run in runs] == [6, 6]
    assert {hook["outcome"] for run in runs for hook in run.hooks} == {"success"}
    found = doubled(claude, "claude-code")
    [rules] = [finding["hint"] for finding in found if "plugin's tools" in finding["what"]]
    assert '"mcp__plugin_foreword_foreword__memory_save"' in rules


def test_codex_with_the_plugin_and_an_install_saves_and_offers_once(codex, model):
    plugin = os.path.join(codex.home.folder, "plugin")
    told = json.loads(codex.home.foreword("plugin", plugin, "--anyway", "--json").stdout)
    for line in told["codex"]:
        done = codex.command(*line.split()[1:])
        assert done.returncode == 0, done.stderr
    codex.install()

    runs = two_sessions(codex, codex.home, model, "--dangerously-bypass-hook-trust")

    assert [len(run.hooks) for run in runs] == [6, 6]


def test_claude_code_finds_the_folder_valid_as_plugin_and_as_marketplace(claude):
    plugin = os.path.join(claude.folder, "plugin")
    claude.foreword("plugin", plugin, "--anyway")
    done = claude.command("plugin", "validate", "--strict", plugin)
    assert (done.returncode, done.stderr) == (0, "")
    for line in (f"marketplace add {plugin}", "install foreword@foreword"):
        done = claude.command("plugin", *line.split())
        assert done.returncode == 0, done.stderr
    listed = claude.command("plugin", "list").stdout
    assert "foreword@foreword" in listed
    listed = claude.command("mcp", "list").stdout
    [line] = [line for line in listed.splitlines() if "foreword" in line]
    assert line.startswith("plugin:foreword:foreword")
    assert line.endswith("Connected")

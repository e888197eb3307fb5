"""The plugin with both real clients: what `foreword plugin` writes does what `foreword install` does."""

import json
import os

import pytest

from e2e.claude import ID
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

"""Junie's mcp.json and AGENTS.md, and the JSON for AI Assistant. No IDE is run here."""

import json
import sys

import pytest

from clients.rounds import settings_parts
from foreword.clients import places, server_entry
from foreword.clients.jetbrains import install
from foreword.clients.parts import Options
from foreword.edit import jsonc

AT = ["mcpServers", "foreword"]


def test_the_json_for_ai_assistant_starts_the_server_that_junie_gets(monkeypatch):
    monkeypatch.setattr(sys, "executable", "C:\\Büro neu\\python.exe")
    [(where, text)] = install.to_paste(Options(graph=False))
    assert where.startswith("AI Assistant: Settings")
    entry = json.loads(text)["mcpServers"]["foreword"]
    assert server_entry.words(entry) == server_entry.command("jetbrains")
    assert entry == jsonc.value_at(settings_parts(install)["mcp.json"].with_ours(""), AT)
    assert "Büro" in text  # as people read it, no escapes


@pytest.mark.parametrize(
    ("system", "home", "expected"),
    [
        ("linux", "/home/me", "/home/me/.junie/mcp/mcp.json"),
        ("darwin", "/home/me é", "/home/me é/.junie/mcp/mcp.json"),
        ("win32", "C:\\Büro neu", "C:\\Büro neu\\.junie\\mcp\\mcp.json"),
    ],
)
def test_where_the_servers_are(system, home, expected):
    assert places.path("jetbrains", "settings", system, {}, home) == expected


@pytest.mark.parametrize("folder", [".junie", ".config/JetBrains"])
def test_it_is_found_by_junie_or_by_an_ide(folder, tmp_path, monkeypatch):
    monkeypatch.setattr(places, "this_system", lambda: places.LINUX)
    assert not install.found()
    (tmp_path / "home" / folder).mkdir(parents=True)
    assert install.found()

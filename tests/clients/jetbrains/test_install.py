"""Junie's mcp.json and AGENTS.md, and the JSON for AI Assistant. No IDE is run here."""

import json
import sys

import pytest
from hypothesis import given

from clients.rounds import (
    NEWLINES,
    cases,
    comes_back,
    keeps_theirs,
    markdown,
    named,
    play,
    refusal,
    settings,
    settings_parts,
)
from foreword import skills
from foreword.clients import places, server_entry
from foreword.clients.jetbrains import install
from foreword.clients.parts import Options
from foreword.edit import jsonc

AT = ["mcpServers", "foreword"]
# Where there is no file yet, no line end of the user's decides.
PLAYS = [
    pytest.param(folder, newline, id=f"{named(folder)}-{newline!r}")
    for folder in cases(__file__)
    for newline in NEWLINES
    if newline == "\n" or named(folder) != "no-file"
]


@pytest.mark.parametrize(("folder", "newline"), PLAYS)
def test_a_case_goes_in_and_out_as_it_is_written_down(folder, newline, monkeypatch):
    play(install, folder, newline, monkeypatch)


@given(settings(install.KEYS))
def test_any_servers_come_back_to_the_byte(text):
    part = settings_parts(install)["mcp.json"]
    comes_back(part, text)
    keeps_theirs(part, install.KEYS, text)


@given(markdown())
def test_any_guidelines_come_back_to_the_byte(text):
    after = comes_back(settings_parts(install)["AGENTS.md"], text)
    assert after.startswith(text)


def test_the_block_says_what_an_agent_without_hooks_must_do():
    text = settings_parts(install)["AGENTS.md"].with_ours("")
    assert skills.protocol("notes", hooked=False).strip("\n") in text


def test_the_json_for_ai_assistant_starts_the_server_that_junie_gets(monkeypatch):
    monkeypatch.setattr(sys, "executable", "C:\\Büro neu\\python.exe")
    [(where, text)] = install.to_paste(Options(graph=False))
    assert where.startswith("AI Assistant: Settings")
    entry = json.loads(text)["mcpServers"]["foreword"]
    assert server_entry.words(entry) == server_entry.command("jetbrains")
    assert entry == jsonc.value_at(settings_parts(install)["mcp.json"].with_ours(""), AT)
    assert "Büro" in text  # as people read it, no escapes


def test_somebody_elses_server_of_that_name_is_refused():
    part = settings_parts(install)["mcp.json"]
    error = refusal(part, jsonc.put("{}", AT, {"url": "https://mcp.example.org"}))
    assert "not this one" in error.message and "mcpServers" in error.hint


def test_servers_that_are_malformed_are_refused_with_line_and_column():
    part = settings_parts(install)["mcp.json"]
    assert f"{part.path}:2:3: " in refusal(part, "{\n  mcpServers: {}\n}\n").message
    assert f"{part.path}:1:15: " in refusal(part, '{"mcpServers":["a"]}').message


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

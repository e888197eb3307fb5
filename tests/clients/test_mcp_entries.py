"""Where clients have their MCP servers, and how an entry is taken out: the table against the installers."""

import json
import os

import pytest

from foreword.clients import loaded, mcp_entries, parts, places
from foreword.clients.claude_desktop import install as claude_desktop
from foreword.clients.gemini import health as gemini
from foreword.clients.mimo import install as mimo


def put(path, value):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as f:
        json.dump(value, f)


def test_the_other_two_files_of_mimo_code_were_not_looked_into(tmp_path):
    assert ("mimocode.jsonc", *mcp_entries.BESIDE["mimo", "settings"]) == mimo.SETTINGS
    folder = os.path.dirname(places.path("mimo", "settings"))
    for n, name in enumerate(mimo.SETTINGS):
        put(os.path.join(folder, name), {"mcp": {f"m{n}": {"command": ["x"]}}})
    assert [entry.name for entry in mcp_entries.entries(client="mimo")] == ["m0", "m1", "m2"]


def test_a_packaged_claude_desktop_was_not_looked_into(tmp_path, monkeypatch):
    [(begins, inside, keys)] = mcp_entries.PACKAGED.values()
    known = (claude_desktop.PACKAGE, claude_desktop.IN_PACKAGE, claude_desktop.KEYS)
    assert (begins, inside, keys) == known
    packages, path = tmp_path / "Packages", places.path

    def windows(client, what, *more):
        return str(packages) if what == "packages" else path(client, what, *more)

    monkeypatch.setattr(places, "path", windows)
    assert mcp_entries.entries() == []
    (packages / "Microsoft.WindowsTerminal_8wekyb3d8bbwe").mkdir(parents=True)
    config = os.path.join(packages, "Claude_pzs8sxrjxfjjc", *inside)
    put(config, {"mcpServers": {"memory": {"command": "npx"}}})
    put(os.path.join(packages, "Other_1", *inside), {"mcpServers": {"other": {"command": "npx"}}})
    [entry] = mcp_entries.entries()
    assert (entry.client, entry.name, entry.config) == ("claude-desktop", "memory", config)
    assert entry.remove == f'take "memory" out of mcpServers in {config}'


def test_gemini_s_own_command_takes_an_entry_out_wherever_it_is_told():
    """Doctor named the command, and `foreword graph` the file."""
    path = places.path("gemini", "settings")
    value = {"mcpServers": {"my memory": {"command": "engram"}, "foreword": {"command": "node"}}}
    put(path, value)
    [mine, _] = mcp_entries.entries()
    assert mine.remove == "gemini mcp remove -s user 'my memory'"
    hints = [hint for _, _, hint in gemini.findings("")]
    assert mine.remove in hints
    assert "gemini mcp remove -s user foreword   (rename yours first)" in hints


@pytest.mark.parametrize("name", ["cursor", "vscode", "windsurf", "cline", "zed", "jetbrains", "mimo"])
def test_what_an_installer_writes_is_found_by_the_table(name):
    for part in loaded.install(name).parts(parts.Options(skills=False, graph=False)):
        if part.starts:
            os.makedirs(os.path.dirname(part.path), exist_ok=True)
            with open(part.path, "w", encoding="utf-8") as f:
                f.write(part.with_ours(""))
    [entry] = mcp_entries.entries(client=name)
    assert entry.is_wired
    assert (entry.name, entry.folder, entry.is_off) == ("foreword", "", False)


def test_an_entry_knows_the_folder_in_which_alone_it_holds(tmp_path):
    home, app = tmp_path / "home", tmp_path / "app"
    state = {"mcpServers": {"a": {}}, "projects": {"/elsewhere": {"mcpServers": {"b": {}}}}}
    put(str(home / ".claude.json"), state)
    put(str(app / ".mcp.json"), {"mcpServers": {"c": {}}})
    found = {entry.name: entry.folder for entry in mcp_entries.entries(folder=str(app))}
    assert found == {"a": "", "b": "/elsewhere", "c": str(app)}
    assert [entry.name for entry in mcp_entries.entries(folder="")] == ["a", "b"]

"""Install and uninstall with the real client: what is there in between, and nothing afterwards."""

import json
import os

import pytest

from e2e.claude import ANSWER, ASKED, ASKED_LATER

pytestmark = pytest.mark.e2e

# Somebody's settings, with an indentation and an order of their own.
SETTINGS = b"""{
   "permissions": {"allow": ["Bash(ls:*)"],
                   "deny": []},
   "env":   {"EDITOR_OF_MINE": "ed"}
}
"""
BEFORE = [None, b"{}", SETTINGS, SETTINGS.replace(b"\n", b"\r\n")]
NAMES = ["no file", "empty", "own indentation", "CRLF"]


def read(path):
    try:
        with open(path, "rb") as f:
            return f.read()
    except FileNotFoundError:
        return None


def servers(claude):
    return json.loads(read(claude.state_file)).get("mcpServers", {})


def test_the_client_finds_the_server_connected(claude):
    claude.install()

    listed = claude.command("mcp", "list").stdout

    [line] = [line for line in listed.splitlines() if line.startswith("foreword")]
    assert line.endswith("Connected")


def test_installing_twice_changes_nothing(claude):
    claude.install()
    before = read(claude.settings_file), servers(claude)

    claude.install()

    assert (read(claude.settings_file), servers(claude)) == before
    assert list(servers(claude)) == ["foreword"]


@pytest.mark.parametrize("config_dir", [True, False], ids=["CLAUDE_CONFIG_DIR", "home"])
@pytest.mark.parametrize("before", BEFORE, ids=NAMES)
def test_after_uninstall_nothing_is_left(make_claude, model, config_dir, before):
    claude = make_claude(config_dir=config_dir)
    if before is not None:
        with open(claude.settings_file, "wb") as f:
            f.write(before)
    claude.install()
    model.script(ANSWER, "Noted.", "Noted.")
    claude.run(ASKED)
    with_it = claude.run(ASKED_LATER)

    said = claude.foreword("uninstall", "claude-code").stdout
    without = claude.run(ASKED_LATER + " now")

    assert len(with_it.hooks) == 3
    assert len(model.requests[1].frames) == 1
    assert "mcp__foreword__memory_read" in model.requests[1].tools
    assert read(claude.settings_file) == before
    assert "foreword" not in servers(claude)
    backups = [n for n in os.listdir(claude.config) if n.startswith("settings.json.foreword.bak.")]
    assert [read(os.path.join(claude.config, name)) for name in backups] == [before] * bool(before)
    assert all(name in said for name in backups)
    assert without.hooks == []
    assert model.requests[2].frames == []
    assert [name for name in model.requests[2].tools if "foreword" in name] == []
    assert len(claude.notes()) == 1, "what was saved stays until --purge"


def test_purge_leaves_nothing_of_foreword_in_the_home(claude, model):
    claude.install()
    model.script(ANSWER)
    claude.run(ASKED)

    claude.foreword("uninstall", "claude-code", "--purge", "--yes")

    left = []
    for at, folders, names in os.walk(claude.home):
        if ".cache" in folders:
            folders.remove(".cache")  # the client's own log of each server it ever had
        left += [os.path.join(at, n) for n in folders + names if "foreword" in n.lower()]
    assert left == []
    assert not os.path.exists(claude.store)

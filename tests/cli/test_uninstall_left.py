"""What `foreword uninstall` leaves and says so: plugins, backups, folders, a server it cannot reach."""

import os
import shutil

import pytest

from cli import fake_claude

pytestmark = pytest.mark.skipif(os.name == "nt", reason="the stand-in is a shell script")

SETTINGS = b'{\n   "model": "opus"\n}\n'


@pytest.fixture(autouse=True)
def claude(tmp_path, monkeypatch):
    """The stand-in is the only program on the PATH."""
    fake_claude.put_on_path(tmp_path / "bin", monkeypatch)


@pytest.fixture
def no_claude(tmp_path, monkeypatch):
    """A function that takes the client's program away."""
    (tmp_path / "nothing").mkdir()
    return lambda: monkeypatch.setenv("PATH", str(tmp_path / "nothing"))


@pytest.fixture
def home(tmp_path):
    return tmp_path / "home"


@pytest.fixture
def settings(home):
    """The client's settings file; its folder is there."""
    (home / ".claude").mkdir()
    return home / ".claude" / "settings.json"


@pytest.fixture
def installed(foreword, settings):
    """The settings file, with SETTINGS in it and Foreword installed."""
    settings.write_bytes(SETTINGS)
    foreword("install", "--anyway")
    return settings


def backups(settings):
    return sorted(settings.parent.glob("settings.json.foreword.bak.*"))


@pytest.mark.parametrize("options", [[], ["--dry-run"], ["--purge", "--yes"]], ids=["", "dry run", "purge"])
def test_a_plugin_was_passed_over_and_the_end_said_that_no_hook_runs(foreword, home, installed, options):
    folder = home / ".claude" / "skills" / "foreword"
    foreword("plugin", folder, "--anyway")

    out = foreword("uninstall", *options).out

    told = f"still wired: the plugin {folder}; to remove it: rm -r {folder}"
    assert out.splitlines()[-1] == "claude-code: " + told
    assert "no longer shows foreword" not in out
    assert "runs no hook" not in out
    assert (folder / "hooks" / "hooks.json").exists()
    [client] = foreword("uninstall", "--json").json["clients"]
    assert client["plugins"] == [{"what": f"the plugin {folder}", "remove": f"rm -r {folder}"}]
    shutil.rmtree(folder)
    assert "runs no hook" not in foreword("uninstall", "claude-code").out  # nothing was there any more
    foreword("install", "--anyway")
    assert "runs no hook" in foreword("uninstall", "claude-code").out


def test_a_plugin_of_codex_is_named_with_its_own_command(foreword, home):
    (home / ".codex").mkdir()
    (home / ".codex" / "config.toml").write_text('[plugins."foreword@foreword"]\nenabled = true\n')
    out = foreword("uninstall").out
    named = "foreword@foreword"
    told = f"codex: still wired: the plugin {named}; to remove it: codex plugin remove {named}"
    assert told in out.splitlines()


@pytest.mark.parametrize("switch", [[], ["--switch", "on"]], ids=["", "with a setting"])
def test_empty_folders_stayed_of_a_store_where_nothing_was_stored(foreword, home, store, switch):
    (home / ".codex").mkdir()
    foreword("install", "--anyway", *switch)
    assert (store / "state" / "installs").is_dir()

    out = foreword("uninstall").out

    assert store.exists() is bool(switch)
    assert ("the store stays: ~/.foreword" in out) is bool(switch)
    assert not (store / "state").exists()


def test_seven_backups_were_seven_lines(foreword, settings):
    settings.write_bytes(SETTINGS)
    for n in range(7):
        settings.write_bytes(settings.read_bytes().replace(b"opus", b"opus%d" % n))
        foreword("install", "--anyway")
        foreword("uninstall")
    newest = str(backups(settings)[-1]).replace(str(settings.parent.parent), "~")

    out = foreword("uninstall").out

    assert len(backups(settings)) == 7
    assert f"    7 backups of it, the newest {newest}; foreword uninstall --purge removes them\n" in out
    assert out.count("foreword.bak") == 1
    assert len(foreword("uninstall", "--json").json["clients"][0]["backups"]) == 7
    told = f"~/.claude/settings.json: 7 backups of it, the newest {newest}\n"
    assert told in foreword("uninstall", "--purge", "--yes").out
    assert backups(settings) == []


def test_where_no_client_was_found_it_said_nothing_at_all(foreword, no_claude):
    no_claude()
    assert foreword("uninstall").out == "no client found on this machine, and no install is on record\n"


@pytest.mark.parametrize("state", [None, "{}", '{"mcpServers": {"other": {}}}'])
def test_a_server_that_was_never_added_was_to_be_removed_by_hand(foreword, home, settings, no_claude, state):
    no_claude()
    foreword("install", "claude-code", "--anyway")
    if state is not None:
        (home / ".claude.json").write_text(state)

    out = foreword("uninstall").out

    assert "by hand" not in out
    assert "claude-code: the MCP server is not there\n" in out


def test_a_server_in_a_file_that_cannot_be_read_may_be_there(foreword, home, installed, no_claude):
    no_claude()
    (home / ".claude.json").write_text("{")
    assert "    claude mcp remove --scope user foreword\n" in foreword("uninstall").out

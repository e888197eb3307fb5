"""Where clients keep files, per system: the table, read on any machine."""

import ntpath
import posixpath

import pytest

from foreword.clients import CLIENTS, places

HOMES = {
    places.LINUX: "/home/me",
    places.MACOS: "/Users/me",
    places.WINDOWS: "C:\\Users\\me",
}
ROWS = [(client, what) for client, kept in places.PLACES.items() for what in kept]


def path(client, what, system, **environ):
    return places.path(client, what, system, environ, HOMES[system])


@pytest.mark.parametrize("system", places.SYSTEMS)
@pytest.mark.parametrize(("client", "what"), ROWS)
def test_every_place_is_absolute_below_the_home_and_spelled_as_its_system_does(client, what, system):
    found = path(client, what, system)
    if not found:
        assert client in ("claude-desktop",)  # an app that keeps another place on Windows alone
        return
    flavour = ntpath if system == places.WINDOWS else posixpath
    assert flavour.isabs(found)
    assert found.startswith(HOMES[system])
    assert flavour.normpath(found) == found
    assert "{" not in found
    if system == places.WINDOWS:
        assert "/" not in found
    else:
        assert "\\" not in found


def test_the_table_names_clients_only():
    assert set(places.PLACES) <= set(CLIENTS)


def test_a_client_s_own_variable_moves_its_folder():
    moved = path("claude-code", "settings", places.LINUX, CLAUDE_CONFIG_DIR="/srv/claude")
    assert moved == "/srv/claude/settings.json"
    assert path("codex", "settings", places.LINUX, CODEX_HOME="/srv/codex") == "/srv/codex/config.toml"


def test_xdg_config_home_counts_where_a_client_reads_it():
    assert path("zed", "settings", places.LINUX, XDG_CONFIG_HOME="/srv/config") == (
        "/srv/config/zed/settings.json"
    )
    assert path("zed", "settings", places.MACOS, XDG_CONFIG_HOME="/srv/config") == (
        "/Users/me/.config/zed/settings.json"
    )
    assert path("zed", "settings", places.LINUX) == "/home/me/.config/zed/settings.json"


@pytest.mark.parametrize("system", places.SYSTEMS)
@pytest.mark.parametrize(("client", "what"), ROWS)
@pytest.mark.parametrize("relative", ["conf", "./conf", "~/conf", ""])
def test_a_relative_folder_of_the_system_stopped_the_install(client, what, system, relative):
    environ = dict.fromkeys(places.OF_SYSTEM, relative)
    assert path(client, what, system, **environ) == path(client, what, system)


def test_a_relative_folder_of_a_client_is_one_of_the_folder_that_it_is_started_in(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    home = str(tmp_path / "home")
    moved = places.path("claude-code", "settings", None, {"CLAUDE_CONFIG_DIR": "mine"}, home)
    assert moved == str(tmp_path / "mine" / "settings.json")


def test_programs_with_windows_keep_settings_where_each_system_has_them():
    assert path("vscode", "settings", places.LINUX) == "/home/me/.config/Code/User/mcp.json"
    assert path("vscode", "settings", places.MACOS) == (
        "/Users/me/Library/Application Support/Code/User/mcp.json"
    )
    assert path("vscode", "settings", places.WINDOWS) == (
        "C:\\Users\\me\\AppData\\Roaming\\Code\\User\\mcp.json"
    )
    roaming = path("vscode", "settings", places.WINDOWS, APPDATA="D:\\Profile\\Roaming")
    assert roaming == "D:\\Profile\\Roaming\\Code\\User\\mcp.json"


def test_this_machine_s_place_is_what_the_client_s_installer_uses():
    from foreword.clients import loaded

    assert places.path("claude-code", "settings") == loaded.install("claude-code").settings_path()
    assert places.path("codex", "settings") == loaded.install("codex").config_path()

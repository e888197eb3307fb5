"""What goes into VS Code's files and comes out again, by text; where they are; what is refused.

VS Code was not run: what these tests call right is what its makers' pages say.
"""

import os

import pytest

from clients import rounds
from foreword import skills
from foreword.clients import places
from foreword.clients.parts import Options
from foreword.clients.vscode import install

INSTRUCTIONS = "foreword.instructions.md"


def part(name="mcp.json"):
    return rounds.settings_parts(install)[name]


def test_the_file_of_instructions_is_ours_as_a_whole():
    assert part(INSTRUCTIONS).whole and install.part(part(INSTRUCTIONS).path).whole


def test_the_instructions_apply_to_every_file_and_say_that_nothing_is_saved_by_itself():
    head, block = part(INSTRUCTIONS).with_ours("").split("\n---\n")
    assert 'applyTo: "**"' in head.split("\n")
    assert skills.protocol("notes", hooked=False) in block


LINUX = ("linux", {}, "/home/me", "/home/me/.config/")
MOVED = ("linux", {"XDG_CONFIG_HOME": "/data/zoë/config"}, "/home/me", "/data/zoë/config/")
MACOS = ("darwin", {}, "/Users/me", "/Users/me/Library/Application Support/")
WINDOWS = (
    "win32",
    {"APPDATA": "D:\\Büro\\me\\Roaming"},
    "C:\\Users\\me",
    "D:\\Büro\\me\\Roaming\\",
)
BARE = ("win32", {}, "C:\\Users\\me", "C:\\Users\\me\\AppData\\Roaming\\")


@pytest.mark.parametrize(("system", "environ", "home", "programs"), [LINUX, MOVED, MACOS, WINDOWS, BARE])
def test_the_settings_are_where_each_system_keeps_them(system, environ, home, programs):
    def at(what):
        return places.path("vscode", what, system, environ, home)

    slash = "\\" if system == "win32" else "/"
    assert at("settings") == programs + slash.join(("Code", "User", "mcp.json"))
    assert at("settings of Insiders") == programs + slash.join(("Code - Insiders", "User", "mcp.json"))
    remote = slash.join((home, ".vscode-server", "data", "User", "mcp.json"))
    assert at("settings of a remote") == remote
    assert at("instructions") == slash.join((home, ".copilot", "instructions", INSTRUCTIONS))


def wired():
    """The settings files that an install would edit."""
    return [p.path for p in install.parts(Options()) if p.path.endswith("mcp.json")]


def test_each_vs_code_that_is_here_is_wired_and_the_stable_one_where_none_is(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    assert not install.found()
    assert wired() == [places.path("vscode", "settings")]
    others = ["settings of Insiders", "settings of a remote", "settings of a remote of Insiders"]
    for n, what in enumerate(others):
        os.makedirs(os.path.dirname(places.path("vscode", what)))
        assert wired() == [places.path("vscode", what) for what in others[: n + 1]]
        assert install.found()


def test_the_entry_of_another_version_is_renewed():
    old = '{"servers": {"foreword": {"command": "/old/python", "args": ["-m", "foreword.cli", "serve"]}}}'
    (command, _) = part().starts(part().with_ours(old))
    assert command[-3:] == ["serve", "--client", "vscode"]
    assert '"type": "stdio"' in part().with_ours(old)


def test_there_is_no_second_copy_of_a_skill_that_vs_code_reads_elsewhere(tmp_path, monkeypatch):
    def written(**options):
        return [p.path for p in install.parts(Options(**options)) if p.is_skill and p.with_ours("")]

    assert len(written()) == 3
    assert not written(names=("vscode", "claude-code"))
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "claude"))  # VS Code does not look there
    assert len(written(names=("vscode", "claude-code"))) == 3

"""Zed's settings.json and AGENTS.md: ours in, theirs kept, ours out. Zed itself is not run here."""

import sys

import pytest

from clients.rounds import settings_parts
from foreword.clients import places, server_entry
from foreword.clients.zed import install
from foreword.edit import jsonc

AT = ["context_servers", "foreword"]


@pytest.mark.parametrize(
    "entry",
    [
        # As Zed took an entry until 2025-06 and until 2025-11; it rewrites them by itself.
        {"command": {"path": "/old/python", "args": ["-I", "-m", "foreword.cli", "serve"]}, "settings": {}},
        {"source": "custom", "command": "/old/python", "args": ["-m", "foreword.cli", "serve"], "env": {}},
    ],
)
def test_an_entry_in_an_older_shape_of_zed_is_renewed_and_taken_out(entry):
    part = settings_parts(install)["settings.json"]
    before = jsonc.put("{}", AT, entry)
    assert part.holds_ours(before)
    renewed = jsonc.value_at(part.with_ours(before), AT)
    assert server_entry.words(renewed) == [
        sys.executable,
        "-I",
        "-m",
        "foreword.cli",
        "serve",
        "--client",
        "zed",
    ]
    assert not part.holds_ours(part.without_ours(before, None))


@pytest.mark.parametrize(
    ("system", "environ", "home", "expected"),
    [
        ("linux", {}, "/home/me", "/home/me/.config/zed/settings.json"),
        ("linux", {"XDG_CONFIG_HOME": "/x y/é"}, "/home/me", "/x y/é/zed/settings.json"),
        # On macOS Zed does not look at XDG_CONFIG_HOME.
        ("darwin", {"XDG_CONFIG_HOME": "/x"}, "/home/me", "/home/me/.config/zed/settings.json"),
        ("win32", {"APPDATA": "D:\\Büro neu\\r"}, "C:\\me", "D:\\Büro neu\\r\\Zed\\settings.json"),
        ("win32", {}, "C:\\me", "C:\\me\\AppData\\Roaming\\Zed\\settings.json"),
    ],
)
def test_where_the_files_are(system, environ, home, expected):
    assert places.path("zed", "settings", system, environ, home) == expected
    instructions = places.path("zed", "instructions", system, environ, home)
    assert instructions == expected.replace("settings.json", "AGENTS.md")


def test_it_is_found_by_its_folder_and_not_by_a_program_of_another_name(tmp_path, monkeypatch):
    program = tmp_path / "bin" / "zed"  # of ZFS
    program.parent.mkdir()
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(program.parent))
    assert not install.found()
    (tmp_path / "home" / ".config" / "zed").mkdir(parents=True)
    assert install.found()

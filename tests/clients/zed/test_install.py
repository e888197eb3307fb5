"""Zed's settings.json and AGENTS.md: ours in, theirs kept, ours out. Zed itself is not run here."""

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
from foreword.clients.zed import install
from foreword.edit import jsonc

AT = ["context_servers", "foreword"]
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


@given(settings(install.KEYS, with_comments=True))
def test_any_settings_come_back_to_the_byte(text):
    part = settings_parts(install)["settings.json"]
    comes_back(part, text)
    keeps_theirs(part, install.KEYS, text)


@given(markdown())
def test_any_instructions_come_back_to_the_byte(text):
    after = comes_back(settings_parts(install)["AGENTS.md"], text)
    assert after.startswith(text)
    assert "Here nothing is saved" in after


def test_the_block_says_what_an_agent_without_hooks_must_do():
    text = settings_parts(install)["AGENTS.md"].with_ours("")
    assert skills.protocol("notes", hooked=False).strip("\n") in text


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


def test_an_entry_that_the_user_switched_off_stays_off_and_is_told():
    part = settings_parts(install)["settings.json"]
    off = jsonc.put(part.with_ours("{}"), [*AT, "enabled"], False)
    assert part.with_ours(off) == off
    assert "switched off" in part.warning(off)


def test_somebody_elses_server_of_that_name_is_refused():
    part = settings_parts(install)["settings.json"]
    error = refusal(part, jsonc.put("{}", AT, {"command": "npx", "args": ["foreword-of-a-book"]}))
    assert "not this one" in error.message and "context_servers" in error.hint


def test_settings_that_are_malformed_are_refused_with_line_and_column():
    part = settings_parts(install)["settings.json"]
    error = refusal(part, '{\n  // mine\n  "context_servers": { "a": }\n}\n')
    assert f"{part.path}:3:29: " in error.message


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

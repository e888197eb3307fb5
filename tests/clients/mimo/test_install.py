"""MiMo Code's mimocode.jsonc, AGENTS.md and skills. The client itself is not run here."""

import json
import os

import pytest

from clients.rounds import (
    foreword,
    refusal,
    settings_parts,
)
from foreword import skills
from foreword.clients import places, server_entry
from foreword.clients.mimo import install
from foreword.clients.parts import Options
from foreword.edit import jsonc

AT = ["mcp", "foreword"]
FILE = "mimocode.jsonc"


@pytest.fixture
def folder(tmp_path):
    made = tmp_path / "home" / ".config" / "mimocode"
    made.mkdir(parents=True)
    return made


@pytest.mark.parametrize(
    ("there", "chosen"),
    [
        ([], "mimocode.jsonc"),
        (["mimocode.json"], "mimocode.json"),
        (["config.json"], "config.json"),
        (["config.json", "mimocode.json", "mimocode.jsonc"], "mimocode.jsonc"),
    ],
)
def test_the_file_of_settings_that_is_there_is_the_one(there, chosen, folder):
    for name in there:
        (folder / name).write_text("{}")
    assert install.settings_path() == str(folder / chosen)


def test_the_file_that_holds_ours_stays_the_one(folder):
    ours = settings_parts(install)[FILE].with_ours("{}")
    (folder / "mimocode.json").write_text(ours, encoding="utf-8")
    (folder / "mimocode.jsonc").write_text("{ malformed")
    assert install.settings_path() == str(folder / "mimocode.json")


OTHERS = {"type": "remote", "url": "https://x.test/mcp"}


@pytest.mark.parametrize(
    ("theirs", "mine"), [("mimocode.jsonc", "mimocode.json"), ("mimocode.json", "mimocode.jsonc")]
)
def test_somebody_elses_server_in_another_file_was_overridden_without_a_word(theirs, mine, folder):
    (folder / theirs).write_text(jsonc.put("{}", AT, OTHERS))
    (folder / mine).write_text('{"model": "x"}')
    [part] = [part for part in install.parts(Options(graph=False)) if part.starts]
    error = refusal(part, (folder / os.path.basename(part.path)).read_text())
    assert "not this one" in error.message and "mcp" in error.hint
    assert error.exit_code == 1
    assert str(folder / theirs) in error.message


def test_a_file_that_nobody_can_read_holds_no_server_of_that_name(folder):
    (folder / "mimocode.jsonc").write_text("{}")
    for text in (b"{ malformed", b"\xff\xfe", b""):
        (folder / "mimocode.json").write_bytes(text)
        [part] = [part for part in install.parts(Options(graph=False)) if part.starts]
        assert part.holds_ours(part.with_ours("{}"))


def test_ours_in_a_second_file_stayed_behind(folder):
    ours = settings_parts(install)[FILE].with_ours('{"mine": 1}')
    for name in ("mimocode.jsonc", "mimocode.json", "config.json"):
        (folder / name).write_text(ours)
    parts = [part for part in install.parts(Options(graph=False)) if part.path.endswith((".json", ".jsonc"))]
    assert [os.path.basename(part.path) for part in parts] == [
        "mimocode.jsonc",
        "mimocode.json",
        "config.json",
    ]
    first, *seconds = parts
    assert first.with_ours(ours) == ours and first.starts(ours)
    for part in seconds:  # an install takes it out as an uninstall does
        left = part.with_ours(ours)
        assert json.loads(left) == {"mine": 1}
        assert part.without_ours(ours, None) == left == part.with_ours(left)
        assert part.holds_ours(ours) and not part.holds_ours(left)
        assert part.path in part.warning(ours) and part.warning(left) == "" and not part.starts


def test_the_command_takes_out_what_is_in_a_second_file(folder):
    ours = settings_parts(install)[FILE].with_ours("{}")
    for name in ("mimocode.jsonc", "mimocode.json"):
        (folder / name).write_text(ours)
    (folder / "config.json").write_text('{"model": "x"}')
    foreword("uninstall", install.NAME)
    left = [
        json.loads((folder / name).read_text()) for name in ("mimocode.jsonc", "mimocode.json", "config.json")
    ]
    assert left == [{}, {}, {"model": "x"}]

    for name in ("mimocode.jsonc", "mimocode.json"):
        (folder / name).write_text(ours)
    foreword("install", install.NAME, "--anyway")
    assert (folder / "mimocode.jsonc").read_text() == ours
    assert json.loads((folder / "mimocode.json").read_text()) == {}
    foreword("uninstall", install.NAME)
    assert json.loads((folder / "mimocode.json").read_text()) == {}


def test_no_agents_file_is_made_where_it_would_hide_the_users_own(tmp_path, folder):
    (tmp_path / "home" / ".claude").mkdir()
    (tmp_path / "home" / ".claude" / "CLAUDE.md").write_text("Tabs.\n")
    assert "AGENTS.md" not in settings_parts(install)
    [(where, text)] = install.to_paste(Options(graph=False))
    assert str(folder / "AGENTS.md") in where
    assert text == skills.protocol("notes", hooked=False)
    (folder / "AGENTS.md").write_text("Mine.\n")  # then it is read instead anyway
    assert "AGENTS.md" in settings_parts(install)
    assert install.to_paste(Options(graph=False)) == []


def test_the_skills_lie_in_its_own_folder_and_keep_off_its_own_command(folder):
    parts = [part for part in install.parts(Options(graph=False)) if part.is_skill]
    called = [os.path.basename(os.path.dirname(part.path)) for part in parts]
    assert called == ["remember", "recall", "foreword-dream"]
    assert parts[0].path == str(folder / "skills" / "remember" / "SKILL.md")
    for part in parts:
        text = part.with_ours("")
        assert "/remember" not in text and "$remember" not in text
        assert install.part(part.path).without_ours(text, part.footprint("")) == ""


def test_without_skills_there_are_none(folder):
    parts = [part for part in install.parts(Options(skills=False, graph=False)) if part.is_skill]
    assert [part.with_ours("") for part in parts] == [""] * 3


@pytest.mark.parametrize(
    ("system", "environ", "home", "expected"),
    [
        ("linux", {}, "/home/me", "/home/me/.config/mimocode/mimocode.jsonc"),
        ("darwin", {"XDG_CONFIG_HOME": "/x é"}, "/home/me", "/x é/mimocode/mimocode.jsonc"),
        ("linux", {"MIMOCODE_HOME": "/m"}, "/home/me", "/m/config/mimocode.jsonc"),
        ("win32", {}, "C:\\Büro neu", "C:\\Büro neu\\.config\\mimocode\\mimocode.jsonc"),
        ("win32", {"MIMOCODE_HOME": "D:\\m"}, "C:\\me", "D:\\m\\config\\mimocode.jsonc"),
    ],
)
def test_where_the_settings_are(system, environ, home, expected):
    assert places.path("mimo", "settings", system, environ, home) == expected


def test_the_entry_is_the_servers_command_in_one_list():
    entry = jsonc.value_at(settings_parts(install)[FILE].with_ours(""), AT)
    assert entry == {"type": "local", "command": server_entry.command("mimo"), "enabled": True}

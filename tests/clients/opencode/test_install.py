"""opencode's settings, our plugin and skills: what goes in and comes out again, by text. No client is run."""

import json
import os
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clients.rounds import (
    NEWLINES,
    Case,
    a_home_comes_back,
    cases,
    comes_back,
    foreword,
    keeps_theirs,
    kept,
    named,
    play,
    refusal,
    settings,
    settings_parts,
)
from foreword.clients import places, server_entry
from foreword.clients.opencode import install
from foreword.clients.parts import Options
from foreword.edit import jsonc, plan

FILE, PLUGIN = "opencode.jsonc", "foreword.js"
AT = ["mcp", "foreword"]
PLAYS = [
    pytest.param(folder, newline, id=f"{named(folder)}-{newline!r}")
    for folder in cases(__file__)
    for newline in NEWLINES
    if newline == "\n" or named(folder) != "no-file"
]


@pytest.fixture
def folder(tmp_path):
    made = tmp_path / "home" / ".config" / "opencode"
    made.mkdir(parents=True)
    return made


# -- settings ------------------------------------------------------------------------------------


@pytest.mark.parametrize(("folder", "newline"), PLAYS)
def test_a_case_goes_in_and_out_as_it_is_written_down(folder, newline, monkeypatch):
    play(install, folder, newline, monkeypatch)


@given(settings(install.KEYS, with_comments=True))
def test_any_settings_come_back_to_the_byte(text):
    part = settings_parts(install)[FILE]
    comes_back(part, text)
    if text:
        keeps_theirs(part, install.KEYS, text)


@pytest.mark.parametrize("name", ["no-file", "commented"])
def test_the_command_gives_every_byte_and_folder_back(name, tmp_path):
    [folder] = cases(__file__, name)
    a_home_comes_back(install, Case(folder), str(tmp_path / "home"), with_files=name != "no-file")


def test_settings_that_we_made_begin_as_the_client_begins_them():
    """To a file without `$schema` the client adds it, and then it would not be as we left it."""
    after = jsonc.value_at(settings_parts(install)[FILE].with_ours(""), [])
    assert list(after) == ["mcp", "$schema"]
    assert after["mcp"]["foreword"] == {
        "type": "local",
        "command": [sys.executable, "-I", "-m", "foreword.cli", "serve", "--client", "opencode"],
        "enabled": True,
    }


def test_a_server_that_the_user_switched_off_stays_off_and_is_told():
    part = settings_parts(install)[FILE]
    off = part.with_ours("{}").replace('"enabled": true', '"enabled": false')
    assert part.with_ours(off) == off
    assert "switched off" in part.warning(off)


def test_the_entry_of_another_python_is_mended_and_keeps_what_the_user_added():
    part = settings_parts(install)[FILE]
    old = {**install.entry(), "command": ["/gone/python", "-m", "foreword.cli", "serve"], "timeout": 9000}
    after = part.with_ours(jsonc.put("{}", AT, old))
    assert jsonc.value_at(after, AT) == {**install.entry(), "timeout": 9000}


def test_somebody_elses_server_of_that_name_is_refused():
    part = settings_parts(install)[FILE]
    error = refusal(part, jsonc.put("{}", AT, {"type": "local", "command": ["npx", "foreword"]}))
    assert "not this one" in error.message and "mcp" in error.hint


def test_settings_that_are_malformed_are_refused_with_line_and_column():
    part = settings_parts(install)[FILE]
    assert f"{part.path}:2:12: " in refusal(part, '{\n  "mcp": { oops }\n}').message


@pytest.mark.parametrize(
    ("there", "chosen"),
    [
        ([], "opencode.jsonc"),
        (["opencode.json"], "opencode.json"),
        (["config.json"], "config.json"),
        (["config.json", "opencode.json"], "opencode.json"),
        (["config.json", "opencode.json", "opencode.jsonc"], "opencode.jsonc"),
    ],
)
def test_the_file_of_settings_that_is_there_is_the_one(there, chosen, folder):
    for name in there:
        (folder / name).write_text("{}")
    assert install.settings_path() == str(folder / chosen)


def test_the_file_that_holds_ours_stays_the_one(folder):
    ours = settings_parts(install)[FILE].with_ours("{}")
    (folder / "opencode.json").write_text(ours, encoding="utf-8")
    (folder / "opencode.jsonc").write_text("{ malformed")
    assert install.settings_path() == str(folder / "opencode.json")


OTHERS = {"type": "remote", "url": "https://x.test/mcp"}


@pytest.mark.parametrize(
    ("theirs", "mine"), [("opencode.jsonc", "opencode.json"), ("opencode.json", "opencode.jsonc")]
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
    (folder / "opencode.jsonc").write_text("{}")
    for text in (b"{ malformed", b"\xff\xfe", b""):
        (folder / "opencode.json").write_bytes(text)
        [part] = [part for part in install.parts(Options(graph=False)) if part.starts]
        assert part.holds_ours(part.with_ours("{}"))


def test_ours_in_a_second_file_stayed_behind(folder):
    ours = settings_parts(install)[FILE].with_ours('{"mine": 1}')
    for name in ("opencode.jsonc", "opencode.json", "config.json"):
        (folder / name).write_text(ours)
    parts = [part for part in install.parts(Options(graph=False)) if part.path.endswith((".json", ".jsonc"))]
    assert [os.path.basename(part.path) for part in parts] == [
        "opencode.jsonc",
        "opencode.json",
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
    for name in ("opencode.jsonc", "opencode.json"):
        (folder / name).write_text(ours)
    (folder / "config.json").write_text('{"model": "x"}')
    foreword("uninstall", install.NAME)
    left = [
        json.loads((folder / name).read_text()) for name in ("opencode.jsonc", "opencode.json", "config.json")
    ]
    assert left == [{}, {}, {"model": "x"}]

    for name in ("opencode.jsonc", "opencode.json"):
        (folder / name).write_text(ours)
    foreword("install", install.NAME, "--anyway")
    assert (folder / "opencode.jsonc").read_text() == ours
    assert json.loads((folder / "opencode.json").read_text()) == {}
    foreword("uninstall", install.NAME)
    assert json.loads((folder / "opencode.json").read_text()) == {}


@pytest.mark.parametrize(
    ("system", "environ", "home", "expected"),
    [
        ("linux", {}, "/home/me", "/home/me/.config/opencode/opencode.jsonc"),
        ("darwin", {"XDG_CONFIG_HOME": "/x é"}, "/home/me", "/x é/opencode/opencode.jsonc"),
        ("linux", {"OPENCODE_CONFIG_DIR": "/more"}, "/home/me", "/home/me/.config/opencode/opencode.jsonc"),
        ("linux", {"OPENCODE_CONFIG": "/one.json"}, "/home/me", "/home/me/.config/opencode/opencode.jsonc"),
        ("win32", {}, "C:\\Büro neu", "C:\\Büro neu\\.config\\opencode\\opencode.jsonc"),
    ],
)
def test_where_the_settings_are(system, environ, home, expected):
    """The client reads OPENCODE_CONFIG and what is in OPENCODE_CONFIG_DIR besides, never instead."""
    assert places.path("opencode", "settings", system, environ, home) == expected


# -- the plugin ----------------------------------------------------------------------------------


def plugin(records=None):
    return install.plugin_part(install.plugin_path(), records)


PATHS = [
    '/home/me/my "tools"/größe 日本/python',
    "C:\\Büro neu\\\\python.exe",
    "/a/`$(b)`/${c}/'\\n",
    "/\u2028/𝒳",
]


@pytest.mark.parametrize("path", PATHS)
def test_any_path_of_the_interpreter_is_read_back_from_the_plugin(path, monkeypatch):
    monkeypatch.setattr(sys, "executable", path)
    text = plugin().with_ours("")
    assert install.words_in(text) == [path, "-I", "-m", "foreword.hook", "opencode"]
    assert text.isascii()


@given(st.text(st.characters(codec="utf-8"), min_size=1))
def test_any_word_is_read_back_from_the_plugin(word):
    assert install.words_in(install.plugin_text([word, "x"])) == [word, "x"]


@pytest.mark.parametrize("line", ["", "const COMMAND = [1]", "const COMMAND = [", "const COMMAND = {}"])
def test_words_that_cannot_be_read_are_none(line):
    assert install.words_in(f"a\n{line}\nb\n") == []


def test_the_plugin_goes_in_once_and_out_again():
    part = plugin()
    text, made = part.with_ours(""), kept(part.footprint(""))
    assert part.holds_ours(text)
    assert part.with_ours(text) == text
    assert part.whole
    for record in (made, None):  # the record may be lost
        assert install.part(part.path).without_ours(text, record) == ""


def test_the_plugin_of_another_python_is_renewed_and_removed_without_a_record():
    part = plugin()
    old = install.plugin_text(["/gone/python", "-I", "-m", "foreword.hook", "opencode"])
    assert part.with_ours(old) == part.with_ours("")
    assert part.without_ours(old, None) == ""


def test_the_plugin_of_another_version_is_renewed_by_its_record():
    old = install.plugin_text().replace("const FILES = 20", "const FILES = 10")
    made = {"written": [plan.digest(old.encode())]}
    part = plugin({install.plugin_path(): {"made": made}})
    assert part.with_ours(old) == install.plugin_text()
    assert part.without_ours(old, made) == ""


def test_a_plugin_that_was_changed_by_hand_is_left_and_told():
    part = plugin()
    mine = part.with_ours("").replace("const FILES = 20", "const FILES = 10")
    assert part.with_ours(mine) == mine
    assert part.without_ours(mine, kept(part.footprint(""))) == mine
    assert "changed by hand" in part.warning(mine)
    assert part.warning(part.with_ours("")) == ""


def test_somebody_elses_plugin_of_that_name_is_refused_and_never_removed():
    part, theirs = plugin(), "export const Mine = async () => ({})\n"
    error = refusal(part, theirs)
    assert part.path in error.message and "another name" in error.hint
    assert part.without_ours(theirs, {"written": []}) == theirs
    assert not part.holds_ours(theirs)


# -- skills --------------------------------------------------------------------------------------


def skills(**options):
    made = install.parts(Options(graph=False, **options))
    return [part.path for part in made if part.is_skill and part.with_ours("")]


def lay_ours_in(folder):
    path = folder / "recall" / "SKILL.md"
    path.parent.mkdir(parents=True)
    path.write_text("---\nname: recall\n---\n<!-- written by foreword install -->\n")


def test_the_skills_lie_in_its_own_folder(folder):
    names = ("remember", "recall", "dream")
    assert skills() == [str(folder / "skills" / name / "SKILL.md") for name in names]


@pytest.mark.parametrize("other", [".claude", ".agents"])
def test_where_it_reads_others_of_ours_there_is_no_second_copy(other, tmp_path, folder):
    lay_ours_in(tmp_path / "home" / other / "skills")
    assert skills() == []


def test_where_claude_code_is_wired_in_the_same_run_there_is_no_second_copy(folder):
    assert skills(names=("claude-code", "opencode")) == []


def test_claude_codes_skills_in_a_folder_that_it_does_not_read_are_no_reason(tmp_path, monkeypatch):
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "chosen"))
    lay_ours_in(tmp_path / "chosen" / "skills")
    assert len(skills(names=("claude-code", "opencode"))) == 3


@pytest.mark.parametrize(
    "variable",
    [
        "OPENCODE_DISABLE_EXTERNAL_SKILLS",
        "OPENCODE_DISABLE_CLAUDE_CODE",
        "OPENCODE_DISABLE_CLAUDE_CODE_SKILLS",
    ],
)
def test_with_others_skills_switched_off_in_it_there_are_its_own(variable, tmp_path, monkeypatch):
    lay_ours_in(tmp_path / "home" / ".claude" / "skills")
    monkeypatch.setenv(variable, "1")
    assert len(skills()) == 3


# -- what the user is told -----------------------------------------------------------------------


def test_a_package_that_the_client_has_yet_to_fetch_is_told(folder):
    assert install.once_installed(Options(graph=False))[1:] == list(install.FETCHES)
    (folder / "node_modules").mkdir()
    lock = {"packages": {"": {"dependencies": {"@opencode-ai/plugin": "1.18.33"}}}}
    (folder / "package-lock.json").write_text(json.dumps(lock))
    assert len(install.once_installed(Options(graph=False))) == 1


def test_the_client_is_found_by_its_folder_or_its_program(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    assert not install.found()
    (tmp_path / "opencode").write_text("#!/bin/sh\n")
    (tmp_path / "opencode").chmod(0o755)
    assert install.found()
    monkeypatch.setenv("PATH", "")
    os.makedirs(os.path.dirname(install.settings_path()))
    assert install.found()


def test_every_version_of_our_entry_is_known():
    for command in (["/x/python", "-m", "foreword.cli", "serve"], install.entry()["command"]):
        assert server_entry.is_ours({"type": "local", "command": command})

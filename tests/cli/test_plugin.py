"""`foreword plugin`: one folder that Claude Code and Codex both take for a plugin."""

import json
import os
import sys

import pytest
import yaml

from foreword import __version__, skills
from foreword.cli import cmd_plugin
from foreword.clients.claude_code import install as claude_code
from foreword.errors import ForewordError

FILES = [
    "skills/remember/SKILL.md", "skills/recall/SKILL.md", "skills/dream/SKILL.md",
    "hooks/hooks.json", ".mcp.json",
    "codex/skills/remember/SKILL.md", "codex/skills/recall/SKILL.md", "codex/skills/dream/SKILL.md",
    "codex/hooks.json", "codex/mcp.json",
    ".codex-plugin/plugin.json", ".claude-plugin/marketplace.json", ".claude-plugin/plugin.json",
]  # fmt: skip


@pytest.fixture
def plugin(foreword):
    """A function that writes a plugin; tests run from places that vanish."""
    return lambda folder, *options, **kw: foreword("plugin", folder, "--anyway", *options, **kw)


def held(folder):
    """{path below a folder: bytes}"""
    files = (path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


def written(path):
    """What changes when a file is written."""
    found = os.stat(path)
    return found.st_ino, found.st_mtime_ns


def read(folder, path):
    return json.loads((folder / path).read_text(encoding="utf-8"))


def test_the_folder_holds_what_each_client_needs_and_nothing_else(plugin, tmp_path):
    folder = tmp_path / "foreword"
    plugin(folder)
    assert sorted(held(folder)) == sorted(FILES)
    for client, place in (("claude-code", "skills"), ("codex", "codex/skills")):
        for name in skills.NAMES:
            text = (folder / place / name / "SKILL.md").read_text(encoding="utf-8")
            assert text == skills.text(name, client, name, "foreword:")
            assert yaml.safe_load(text.split("---\n")[1])["name"] == name
    manifest = read(folder, ".claude-plugin/plugin.json")
    assert (manifest["name"], manifest["version"]) == ("foreword", __version__)
    [listed] = read(folder, ".claude-plugin/marketplace.json")["plugins"]
    assert (listed["name"], listed["source"]) == ("foreword", "./")
    codex = read(folder, ".codex-plugin/plugin.json")
    assert (codex["name"], codex["version"]) == ("foreword", __version__)
    for key in ("skills", "hooks", "mcpServers"):
        assert (folder / codex[key]).exists()


def test_hooks_and_server_run_this_python_by_its_path(plugin, tmp_path):
    folder = tmp_path / "foreword"
    plugin(folder)
    for client, hooks, server in (
        ("claude-code", "hooks/hooks.json", ".mcp.json"),
        ("codex", "codex/hooks.json", "codex/mcp.json"),
    ):
        wired = read(folder, hooks)["hooks"]
        assert set(wired) == {"SessionStart", "UserPromptSubmit", "Stop"}
        for groups in wired.values():
            [[hook]] = [group["hooks"] for group in groups]
            command = " ".join([hook["command"], *hook.get("args", [])])
            assert command.startswith(f"{sys.executable} -I -m foreword.hook {client} ")
        entry = read(folder, server)["mcpServers"]["foreword"]
        assert [entry["command"], *entry["args"]] == [sys.executable, "-I", "-m", "foreword.cli", "serve"]
    assert read(folder, ".mcp.json")["mcpServers"]["foreword"]["alwaysLoad"] is True
    # Codex cuts a server's environment down to a few names.
    assert {"FOREWORD_HOME", "CODEX_HOME"} <= set(
        read(folder, "codex/mcp.json")["mcpServers"]["foreword"]["env_vars"]
    )


def test_a_dry_run_shows_every_file_and_writes_none(plugin, tmp_path):
    folder = tmp_path / "new" / "foreword"
    done = plugin(folder, "--dry-run")
    assert [line.split()[0] for line in done.out.splitlines()[: len(FILES)]] == ["new"] * len(FILES)
    assert "13 of 13 files to be written" in done.out
    assert not folder.parent.exists()


def test_json_says_what_was_written_and_a_second_run_changes_nothing(plugin, tmp_path):
    folder = tmp_path / "foreword"
    first = plugin(folder, "--json").json
    assert [(f["path"], f["state"]) for f in first["files"]] == [(path, "new") for path in FILES]
    assert first["folder"] == str(folder)
    before = held(folder), [written(folder / path) for path in FILES]
    second = plugin(folder, "--json").json
    assert {f["state"] for f in second["files"]} == {"unchanged"}
    assert (held(folder), [written(folder / path) for path in FILES]) == before


def test_it_says_how_to_use_it_what_will_be_asked_and_how_to_undo_it(plugin, tmp_path):
    folder = tmp_path / "a folder"
    out = plugin(folder).out
    quoted = f"'{folder}'"
    for line in (
        f"claude plugin marketplace add {quoted}",
        "claude plugin install foreword@foreword",
        f"codex plugin marketplace add {quoted}",
        "codex plugin add foreword@foreword",
        f"rm -r {quoted}",
        "/foreword:remember",
        '"mcp__plugin_foreword_foreword__memory_read"',
        "trust the hooks",
    ):
        assert line in out
    allowed = plugin(folder, "--json").json["allow"]
    assert [rule.rpartition("__")[2] for rule in allowed] == [
        rule.rpartition("__")[2] for rule in claude_code.ALLOWED
    ]


def test_with_the_graph_on_its_rules_are_told_too(foreword, plugin, tmp_path):
    foreword("graph", "on")
    allowed = plugin(tmp_path / "foreword", "--json").json["allow"]
    wanted = [rule.replace("mcp__", "mcp__plugin_foreword_", 1) for rule in claude_code.allowed(True)]
    assert allowed == wanted
    assert "mcp__plugin_foreword_foreword__search_nodes" in allowed


@pytest.mark.parametrize("link", [False, True])
def test_among_the_skills_of_claude_code_it_needs_no_command(plugin, tmp_path, link):
    skills_folder = tmp_path / "home" / ".claude" / "skills"
    if link:
        (tmp_path / "dotfiles").mkdir()
        skills_folder.parent.mkdir()
        skills_folder.symlink_to(tmp_path / "dotfiles")
    steps = plugin("~/.claude/skills/foreword", "--json").json
    assert steps["folder"] == str(skills_folder / "foreword")
    assert steps["claude-code"] == []
    assert not any("claude" in line.split()[0] for line in steps["undo"])
    assert "loads it by itself" in plugin("~/.claude/skills/foreword").out


@pytest.mark.parametrize(
    "theirs",
    [
        "notes.txt",
        "skills/mine/SKILL.md",
        ".claude-plugin/other.json",
        ".git/config",
        "skills/dream/extra.md",
    ],
)
def test_a_folder_that_holds_something_else_is_refused_as_it_is(plugin, tmp_path, theirs):
    folder = tmp_path / "folder"
    (folder / theirs).parent.mkdir(parents=True)
    (folder / theirs).write_text("theirs")
    refused = plugin(folder, code=2)
    assert theirs in refused.err
    assert "nothing was written" in refused.err
    assert f"foreword plugin {folder / 'foreword'}" in refused.err
    assert held(folder) == {theirs: b"theirs"}


@pytest.mark.parametrize(
    "theirs",
    [
        {".claude-plugin/plugin.json": '{"name": "memo"}', "hooks/hooks.json": "{}"},
        {".claude-plugin/plugin.json": '{"name": "foreword"}', "skills/dream/SKILL.md": "Mine.\n"},
        {".claude-plugin/plugin.json": "[]"},
        {".claude-plugin/plugin.json": "{"},
        {".mcp.json": '{"mcpServers": {}}'},
    ],
)
def test_a_plugin_of_somebody_else_is_refused_as_it_is(plugin, tmp_path, theirs):
    folder = tmp_path / "memo"
    for path, text in theirs.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)
    before = held(folder)
    refused = plugin(folder, code=2)
    assert "another plugin" in refused.err
    assert held(folder) == before


def test_a_file_in_the_place_of_the_folder_is_refused(plugin, tmp_path):
    (tmp_path / "foreword").write_text("x")
    assert "is no folder" in plugin(tmp_path / "foreword", code=2).err
    assert (tmp_path / "foreword").read_text() == "x"


@pytest.mark.skipif(os.name == "nt", reason="links need rights there")
def test_a_linked_folder_inside_counts_as_something_else(plugin, tmp_path):
    (tmp_path / "foreword").mkdir()
    (tmp_path / "mine").mkdir()
    (tmp_path / "foreword" / "skills").symlink_to(tmp_path / "mine")
    assert "skills" in plugin(tmp_path / "foreword", code=2).err
    assert os.listdir(tmp_path / "mine") == []


def test_an_older_plugin_of_ours_is_brought_up_to_date(plugin, tmp_path):
    folder = tmp_path / "foreword"
    plugin(folder)
    now = held(folder)
    for path, old in (
        (".claude-plugin/plugin.json", '{"name": "foreword", "version": "0.0.1"}'),
        ("hooks/hooks.json", '{"hooks": {}}'),
        ("skills/recall/SKILL.md", skills.MARK + "\nOld.\n"),
    ):
        (folder / path).write_text(old)
    (folder / "codex" / "mcp.json").unlink()
    (folder / ".DS_Store").write_bytes(b"x")
    states = {f["path"]: f["state"] for f in plugin(folder, "--json").json["files"]}
    assert {path for path, state in states.items() if state == "changed"} == {
        ".claude-plugin/plugin.json", "hooks/hooks.json", "skills/recall/SKILL.md",
    }  # fmt: skip
    assert states["codex/mcp.json"] == "new"
    assert held(folder) == {**now, ".DS_Store": b"x"}


@pytest.mark.parametrize("kept", range(1, len(FILES)))
def test_a_run_that_was_cut_off_left_no_plugin_and_the_next_one_completes_it(plugin, tmp_path, kept):
    folder = tmp_path / "foreword"
    plugin(folder)
    whole = held(folder)
    for path in FILES[kept:]:  # in the order in which they are written
        (folder / path).unlink()
    assert not (folder / ".claude-plugin" / "plugin.json").exists()
    plugin(folder)
    assert held(folder) == whole


@pytest.mark.parametrize("there", [False, True])
def test_a_write_that_fails_leaves_everything_as_it_was(tmp_path, there):
    folder = tmp_path / "new" / "foreword"
    if there:
        folder.mkdir(parents=True)
        (folder / "a").write_text("old")
        (folder / "b").mkdir()
    wanted = {"a": b"new", "b/c/d": b"new", "a/e": b"a file stands where its folder must be"}
    with pytest.raises(ForewordError, match="nothing was written"):
        cmd_plugin._write(str(folder), wanted, dict.fromkeys(wanted, "new"))
    if there:
        assert held(folder) == {"a": b"old"}
        assert sorted(os.listdir(folder)) == ["a", "b"]
        assert os.listdir(folder / "b") == []
    else:
        assert not (tmp_path / "new").exists()


def test_hooks_in_the_settings_as_well_are_told_of(foreword, plugin, tmp_path):
    foreword("install", "claude-code", "--anyway")
    done = plugin(tmp_path / "foreword", "--json")
    assert done.json["wired"] == ["claude-code"]
    assert "nothing is saved or offered twice" in done.err
    assert "foreword uninstall claude-code" in done.err
    foreword("uninstall", "claude-code")
    assert plugin(tmp_path / "foreword", "--json").err == ""


def test_from_a_place_that_will_vanish_it_refuses_and_names_the_command(foreword, tmp_path):
    folder = tmp_path / "foreword"
    env = {"UV_CACHE_DIR": sys.prefix}
    refused = foreword("plugin", folder, code=2, env=env)
    instead = f"from a checkout: uv tool install . (or pipx install .), then foreword plugin {folder}"
    assert f"hint: {instead}; or add --anyway\n" in refused.err
    assert not folder.exists()

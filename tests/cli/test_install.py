"""`foreword install` as a person runs it, with a stand-in for the client's own command."""

import json
import os
import re
import shlex
import stat
import sys

import pytest

from cli import fake_claude
from cli.fake_claude import everything_below

pytestmark = pytest.mark.skipif(os.name == "nt", reason="the stand-in is a shell script")

SETTINGS = b"""{
   "model": "opus",
   "hooks": {
      "Stop": [{"hooks": [{"type": "command", "command": "say done"}]}]
   },
   "permissions": {"deny": [], "allow": ["Bash(ls:*)"]}
}
"""
SKILLS = ("remember", "recall", "dream")
RULES = ["mcp__foreword__memory_" + tool for tool in ("dream", "list", "read", "save", "search")]


@pytest.fixture
def claude(tmp_path, monkeypatch):
    """The stand-in is the only program on the PATH."""
    fake_claude.put_on_path(tmp_path / "bin", monkeypatch)


@pytest.fixture
def no_claude(tmp_path, monkeypatch):
    (tmp_path / "nothing").mkdir()
    monkeypatch.setenv("PATH", str(tmp_path / "nothing"))


@pytest.fixture
def home(tmp_path):
    return tmp_path / "home"


@pytest.fixture
def settings(home):
    """The client's settings file; its folder is there."""
    (home / ".claude").mkdir()
    return home / ".claude" / "settings.json"


def backups(settings):
    return sorted(settings.parent.glob("settings.json.foreword.bak.*"))


def our_hooks(settings):
    """[(event, hook)] of the hooks that run Foreword."""
    found = []
    for event, groups in json.loads(settings.read_bytes())["hooks"].items():
        for group in groups:
            found += [(event, hook) for hook in group["hooks"] if "foreword.hook" in json.dumps(hook)]
    return found


# -- a dry run -----------------------------------------------------------------------------------


@pytest.mark.parametrize("before", [None, SETTINGS], ids=["no file", "a file"])
def test_a_dry_run_shows_everything_and_writes_nothing(foreword, claude, home, settings, before):
    if before:
        settings.write_bytes(before)
    (home / ".foreword").mkdir()
    (home / ".foreword" / "config.toml").write_text('switch = "off"\n')
    there = everything_below(home)

    out = foreword("install", "--anyway", "--dry-run", "--switch", "on").out

    assert everything_below(home) == there
    assert all(rule in out for rule in RULES)
    assert all(event in out for event in ("SessionStart", "UserPromptSubmit", "Stop"))
    [line] = [line for line in out.splitlines() if "claude mcp add" in line]
    assert "--scope user foreword" in line


def test_the_command_that_a_dry_run_prints_does_what_the_install_does(foreword, claude, home, settings):
    out = foreword("install", "--anyway", "--dry-run").out
    [line] = [line for line in out.splitlines() if "claude mcp add" in line]
    printed = json.loads(shlex.split(line.removeprefix("$ "))[-1])

    foreword("install", "--anyway")

    assert fake_claude.state(home)["mcpServers"] == {"foreword": printed}


def test_what_changes_was_lost_among_the_texts_of_skills(foreword, claude, settings):
    settings.write_bytes(SETTINGS)

    out = foreword("install", "--anyway", "--dry-run").out

    listed, _, rest = out.partition("\n\n")
    head, *lines, server = listed.splitlines()
    assert head == "claude-code: would change"
    assert lines[0] == "    change ~/.claude/settings.json: hooks and permission rules"
    for line, name in zip(lines[1:], SKILLS, strict=True):
        assert re.fullmatch(rf"    new ~/\.claude/skills/{name}/SKILL\.md, \d+ lines", line)
    assert server == "    add the MCP server through claude"
    assert [line for line in rest.splitlines() if line.startswith("+++ ")] == [f"+++ {settings}"]
    whole = foreword("install", "--anyway", "--dry-run", "--verbose").out
    assert whole.startswith(listed)
    assert all(f"+++ {settings.parent / 'skills' / name / 'SKILL.md'}" in whole for name in SKILLS)


def test_skills_that_go_or_are_renewed_are_lines_of_the_list_too(foreword, claude, home, settings):
    foreword("install", "--anyway")
    out = foreword("install", "--anyway", "--dry-run", "--no-skills").out
    assert out.count("    remove ~/.claude/skills/") == 3
    assert "--- " not in out
    assert "claude-code: every file is as it should be" in foreword("install", "--anyway", "--dry-run").out


def test_a_dry_run_shows_what_could_be_done_by_hand_to_a_file_that_is_read_only(
    foreword, claude, home, settings
):
    settings.write_bytes(SETTINGS)
    settings.chmod(0o444)
    there = everything_below(home)
    assert RULES[0] in foreword("install", "--anyway", "--dry-run").out
    assert everything_below(home) == there


# -- what is installed ---------------------------------------------------------------------------


def test_hooks_rules_and_server_are_in_and_the_rest_is_as_it_was(foreword, claude, home, settings):
    settings.write_bytes(SETTINGS)

    out = foreword("install", "--anyway").out

    now = json.loads(settings.read_bytes())
    assert {event: hook["timeout"] for event, hook in our_hooks(settings)} == {
        "SessionStart": 10,
        "UserPromptSubmit": 5,
        "Stop": 10,
    }
    events = {event: hook["args"] for event, hook in our_hooks(settings)}
    assert {event: args[-1] for event, args in events.items()} == {
        "SessionStart": "session-start",
        "UserPromptSubmit": "prompt",
        "Stop": "stop",
    }
    assert {hook["command"] for _, hook in our_hooks(settings)} == {sys.executable}
    assert sorted(now["permissions"]["allow"]) == ["Bash(ls:*)", *RULES]
    assert not any("memory_forget" in rule for rule in now["permissions"]["allow"])
    assert {"type": "command", "command": "say done"} in [h for g in now["hooks"]["Stop"] for h in g["hooks"]]
    # Every line of the file but those that got something put into them.
    lines = settings.read_bytes().splitlines()
    assert [line for line in SETTINGS.splitlines() if line not in lines] == [
        b'      "Stop": [{"hooks": [{"type": "command", "command": "say done"}]}]',
        b'   "permissions": {"deny": [], "allow": ["Bash(ls:*)"]}',
    ]
    server = fake_claude.state(home)["mcpServers"]["foreword"]
    assert (server["command"], server["alwaysLoad"]) == (sys.executable, True)
    assert server["args"][-2:] == ["foreword.cli", "serve"]
    [backup] = backups(settings)
    assert backup.read_bytes() == SETTINGS
    assert re.fullmatch(r"settings\.json\.foreword\.bak\.\d{8}-\d{6}", backup.name)
    assert backup.name in out


def test_a_second_run_changes_nothing(foreword, claude, home, settings):
    settings.write_bytes(SETTINGS)
    foreword("install", "--anyway")
    there = everything_below(home)

    out = foreword("install", "--anyway").out

    assert everything_below(home) == there
    assert "nothing changed" in out


def test_the_clients_own_folder_is_honoured(foreword, claude, home, tmp_path, monkeypatch):
    chosen = tmp_path / "elsewhere"
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(chosen))

    foreword("install", "--anyway")

    assert len(our_hooks(chosen / "settings.json")) == 3
    assert "foreword" in fake_claude.state(chosen)["mcpServers"]
    assert not (home / ".claude").exists()
    assert not (home / ".claude.json").exists()


def test_without_the_client_the_hooks_go_in_and_the_command_is_printed(foreword, no_claude, settings):
    out = foreword("install", "--anyway").out

    assert len(our_hooks(settings)) == 3
    [line] = [line for line in out.splitlines() if "claude mcp add-json" in line]
    command = shlex.split(line)
    assert command[:6] == ["claude", "mcp", "add-json", "--scope", "user", "foreword"]
    assert json.loads(command[6])["command"] == sys.executable


def test_without_the_client_an_older_server_was_to_be_added_over_itself_by_hand(foreword, no_claude, home):
    old = {"type": "stdio", "command": "/old/python", "args": ["-m", "foreword.cli", "serve"], "env": {}}
    (home / ".claude.json").write_text(json.dumps({"mcpServers": {"foreword": old}}))
    out = foreword("install", "claude-code", "--anyway").out
    told = [shlex.split(line)[2] for line in out.splitlines() if line.startswith("    claude mcp ")]
    assert told == ["remove", "add-json"]
    out = foreword("install", "claude-code", "--anyway", "--dry-run").out
    assert "    add the MCP server by hand: claude is not on the PATH\n" in out


@pytest.mark.parametrize("version", ["2.1.100 (Claude Code)", "0.9.1", "nobody knows"])
def test_a_client_without_hooks_that_have_args_gets_one_line_for_the_shell(
    foreword, tmp_path, monkeypatch, settings, version
):
    fake_claude.put_on_path(tmp_path / "bin", monkeypatch, version=version)

    foreword("install", "--anyway")

    for _, hook in our_hooks(settings):
        assert "args" not in hook
        assert shlex.split(hook["command"])[:4] == [sys.executable, "-I", "-m", "foreword.hook"]


def test_hooks_of_another_version_are_replaced_where_they_are(foreword, claude, settings):
    older = {
        "type": "command",
        "command": "'/old one/python' -m foreword.hook claude-code stop",
        "timeout": 99,
    }
    mine = {"type": "command", "command": "say done"}
    settings.write_text(json.dumps({"hooks": {"Stop": [{"matcher": "x", "hooks": [mine, older]}]}}, indent=1))

    foreword("install", "--anyway")

    [group] = json.loads(settings.read_bytes())["hooks"]["Stop"]
    assert group["matcher"] == "x"
    assert group["hooks"][0] == mine
    assert group["hooks"][1]["command"] == sys.executable
    assert group["hooks"][1]["timeout"] == 10
    assert len(our_hooks(settings)) == 3


# -- the server ----------------------------------------------------------------------------------


def test_a_server_of_another_version_is_renewed(foreword, claude, home):
    old = {"type": "stdio", "command": "/old/python", "args": ["-m", "foreword.cli", "serve"], "env": {}}
    (home / ".claude.json").write_text(json.dumps({"projects": {}, "mcpServers": {"foreword": old}}))

    foreword("install", "--anyway")

    state = fake_claude.state(home)
    assert state["projects"] == {}
    assert state["mcpServers"]["foreword"]["command"] == sys.executable


def test_a_server_that_was_there_stays_when_the_client_refuses_the_new_one(
    foreword, tmp_path, monkeypatch, home
):
    fake_claude.put_on_path(tmp_path / "bin", monkeypatch, refuses=json.dumps(sys.executable))
    old = {"type": "stdio", "command": "/old/python", "args": ["-m", "foreword.cli", "serve"], "env": {}}
    (home / ".claude.json").write_text(json.dumps({"mcpServers": {"foreword": old}}))

    done = foreword("install", "--anyway", code=1)

    assert "not this one" in done.err
    assert fake_claude.state(home)["mcpServers"] == {"foreword": old}


def test_somebody_elses_server_of_that_name_stays(foreword, claude, home, settings):
    theirs = {"type": "stdio", "command": "node", "args": ["foreword.js"], "env": {}}
    (home / ".claude.json").write_text(json.dumps({"mcpServers": {"foreword": theirs}}))

    done = foreword("install", "--anyway", code=1)

    assert fake_claude.state(home)["mcpServers"]["foreword"] == theirs
    assert "claude mcp remove --scope user foreword" in done.err
    foreword("uninstall")
    assert fake_claude.state(home)["mcpServers"]["foreword"] == theirs


def test_a_client_that_refuses_the_server_is_quoted(foreword, tmp_path, monkeypatch, settings):
    fake_claude.put_on_path(tmp_path / "bin", monkeypatch, fails=True)

    done = foreword("install", "--anyway", code=1)

    assert "this one always says so" in done.err
    assert "claude mcp add-json --scope user foreword" in done.err
    assert len(our_hooks(settings)) == 3


# -- what is refused -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "place"),
    [
        (b'{\n  "a": 1\n  "b": 2\n}', "3:3"),
        (b'{"hooks": []}', "1:11"),
        (b'{"hooks": {"Stop": {}}}', "1:20"),
        (b'{\n "permissions": {"allow": "all"}}', "2:27"),
        (b'{"a": 1,\n "permissions": []}', "2:17"),
        (b'\n "hooks"', "2:2"),
        (b"[]", "1:1"),
    ],
)
def test_settings_that_cannot_be_read_are_left_with_their_place_named(
    foreword, claude, home, settings, text, place
):
    settings.write_bytes(text)
    there = everything_below(home)

    err = foreword("install", "--anyway", "--switch", "on", code=2).err

    assert f"{settings}:{place}: " in err
    assert everything_below(home) == there


def test_settings_that_are_not_utf8_are_left(foreword, claude, home, settings):
    settings.write_bytes(b'{"a": "\xff"}')
    there = everything_below(home)
    assert "UTF-8" in foreword("install", "--anyway", code=2).err
    assert everything_below(home) == there


def test_settings_that_are_read_only_are_left(foreword, claude, home, settings):
    settings.write_bytes(SETTINGS)
    settings.chmod(0o400)
    there = everything_below(home)

    err = foreword("install", "--anyway", "--switch", "on", code=2).err

    assert "read-only" in err
    assert everything_below(home) == there


def test_settings_behind_a_link_are_changed_where_they_are(foreword, claude, settings, tmp_path):
    real = tmp_path / "dotfiles" / "claude.json"
    real.parent.mkdir()
    real.write_bytes(SETTINGS)
    real.chmod(0o640)
    settings.symlink_to(real)

    foreword("install", "--anyway")

    assert settings.is_symlink()
    assert len(our_hooks(real)) == 3
    assert stat.S_IMODE(real.stat().st_mode) == 0o640
    assert len(backups(settings)) == 1
    foreword("uninstall")
    assert settings.is_symlink()
    assert real.read_bytes() == SETTINGS


def test_a_store_that_cannot_be_written_stops_it_before_the_settings_are_changed(
    foreword, claude, home, settings, tmp_path
):
    settings.write_bytes(SETTINGS)
    (tmp_path / "file").write_text("no folder")
    there = everything_below(home)

    foreword("install", "--anyway", code=2, env={"FOREWORD_HOME": str(tmp_path / "file" / "store")})

    assert everything_below(home) == there


def test_an_unknown_client_is_refused(foreword, claude, home):
    foreword("install", "--anyway", "emacs", code=2)
    assert not (home / ".claude").exists()


# -- what it warns of ----------------------------------------------------------------------------


@pytest.mark.parametrize("dry", [[], ["--dry-run"]], ids=["real", "dry run"])
def test_a_comment_was_told_where_it_stands_after_our_edit(foreword, claude, settings, dry):
    settings.write_bytes(b'{\n  "hooks": {},\n  // mine\n  "model": "opus"\n}\n')

    err = foreword("install", "--anyway", *dry).err

    [now] = re.findall(re.escape(f"{settings}:3:3 (") + r"(\d+):3 with our entries in\): a comment: ", err)[
        :1
    ]
    foreword("install", "--anyway")
    assert settings.read_text().splitlines()[int(now) - 1] == "  // mine"
    again = foreword("install", "--anyway").err
    assert f"{settings}:{now}:3: a comment: " in again


@pytest.mark.parametrize("options", [[], ["--dry-run"], ["--json"]], ids=["real", "dry run", "json"])
def test_that_no_hook_will_run_was_said_far_above_the_end(foreword, claude, settings, options):
    settings.write_bytes(b'{"model": "opus",}')
    lines = foreword("install", "--anyway", *options).err.splitlines()
    assert lines[-1] in lines[:-1]
    told = r":1:17 \(1:\d+ with our entries in\): a trailing comma: Claude Code ignores such a file, so "
    assert re.match(re.escape(f"warning: {settings}") + told, lines[-1])
    assert "so no hook in it runs; to mend it, take every comment and every trailing comma out" in lines[-1]


def test_an_install_beside_a_plugin_says_what_is_there_twice(foreword, claude, home, settings):
    folder = home / ".claude" / "skills" / "foreword"
    foreword("plugin", folder, "--anyway")

    done = foreword("install", "--anyway", "--json")

    assert f"claude-code is wired by the plugin {folder} too: nothing is saved or offered twice" in done.err
    assert f"hint: to remove one: rm -r {folder}   (or foreword uninstall claude-code)\n" in done.err
    assert done.json["clients"][0]["plugins"] == [
        {"what": f"the plugin {folder}", "remove": f"rm -r {folder}"}
    ]
    assert "tools and skills are there twice" in foreword("install", "--anyway", "--dry-run").err


# -- what it says --------------------------------------------------------------------------------


@pytest.mark.parametrize(("columns", "most"), [("200", 80), ("80", 80), ("60", 60)])
def test_the_text_about_auto_was_broken_by_hand_at_103_columns(foreword, claude, columns, most):
    out = foreword("install", "--anyway", env={"COLUMNS": columns}).out
    told = out[out.index("auto: ") : out.index("server  ")].rstrip().splitlines()
    assert max(map(len, told[:-1])) in range(most - 20, most + 1)
    assert told[-1] == "    foreword install --switch on"


def test_it_says_what_auto_means(foreword, claude):
    out = foreword("install", "--anyway").out
    assert "even days" in out
    assert "foreword install --switch on" in out


def test_it_says_what_a_coin_for_each_session_means(foreword, claude):
    out = foreword("install", "--anyway", "--switch", "auto:session").out
    assert "auto:session: forewords are on in about half of the client sessions" in " ".join(out.split())
    assert "    foreword install --switch on\n" in out and "even days" not in out
    assert foreword("switch", "--json").json["configured"] == "auto:session"


def test_the_default_switch_is_set(foreword, repo, claude):
    assert "auto" not in foreword("install", "--anyway", "--switch", "on").out
    assert foreword("switch", "--json").json["configured"] == "on"


@pytest.mark.parametrize("dry", [[], ["--dry-run"]], ids=["real", "dry run"])
def test_json_is_one_document(foreword, claude, settings, dry):
    settings.write_bytes(SETTINGS)

    told = foreword("install", "--anyway", "--json", *dry).json

    [client] = told["clients"]
    assert told["dry_run"] is bool(dry)
    assert client["client"] == "claude-code"
    assert client["changed"] is True
    [entry] = [entry for entry in client["files"] if entry["path"] == str(settings)]
    assert entry["changed"] is True
    assert bool(entry.get("backup")) is not bool(dry)
    assert bool(entry.get("diff")) is bool(dry)
    assert all(bool(entry.get("diff")) is bool(dry) for entry in client["files"])
    skills = [entry["path"] for entry in client["files"] if entry["what"].startswith("skill ")]
    assert skills == [str(settings.parent / "skills" / name / "SKILL.md") for name in SKILLS]

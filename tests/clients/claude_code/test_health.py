"""What keeps Claude Code from having its memory is found, each fault made for real, with what mends it."""

import os
import re
import shlex
import sys

import pytest

from clients.claude_code.wired import Home, one, write_json
from foreword.clients.claude_code import health, install
from foreword.clients.proof import MEND, NOTE, OK
from foreword.edit import plan, settings_file

HINT = "foreword install claude-code"
EVENTS = ("SessionStart", "UserPromptSubmit", "Stop")
posix = pytest.mark.skipif(os.name == "nt", reason="scripts for a POSIX shell")
not_root = pytest.mark.skipif(hasattr(os, "geteuid") and os.geteuid() == 0, reason="root reads everything")


@pytest.fixture
def home(tmp_path):
    home = Home(tmp_path / "home")
    (tmp_path / "app" / ".claude").mkdir(parents=True)
    home.wire()
    return home


@pytest.fixture
def claude(tmp_path, monkeypatch):
    """A `claude` on the PATH, that nothing here asks."""
    name = "claude.exe" if os.name == "nt" else "claude"
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / name).write_text("")
    (tmp_path / "bin" / name).chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))


# -- whether it is there -------------------------------------------------------------------------


def test_a_sound_install_has_no_failure_and_everything_was_run(home):
    assert home.failures() == {}
    told = " ".join(home.of(OK))
    for event in EVENTS:
        assert f"the {event} hook is installed and runs (" in told
    assert "the MCP server is added, starts and answers (" in told
    assert "skills: /remember, /recall, /dream" in told


def test_looking_changes_nothing(home, tmp_path):
    def everything():
        return {
            path: (path.read_bytes() if path.is_file() else b"", path.stat().st_mtime_ns)
            for path in tmp_path.rglob("*")
        }

    before = everything()
    home.all()
    assert everything() == before


def test_what_counts_as_wired(home, tmp_path):
    assert health.is_wired(home.store)
    home.settings_path.write_text("{}")
    assert health.is_wired(home.store)
    home.state()
    assert health.is_wired(home.store)  # an install is on record: it was
    plan.save_records(home.store, install.NAME, {})
    assert not health.is_wired(home.store)


def test_what_was_wired_and_is_gone_is_named_piece_by_piece(home, claude):
    home.settings_path.unlink()
    home.state_path.unlink()
    found = home.failures()
    assert found == {
        "the SessionStart hook is not installed": HINT,
        "the UserPromptSubmit hook is not installed": HINT,
        "the Stop hook is not installed": HINT,
        "the MCP server is not added": HINT,
    }


# -- hooks ---------------------------------------------------------------------------------------


def test_one_hook_that_is_missing_is_the_one_that_is_named(home):
    home.change(lambda settings: settings["hooks"].pop("Stop"))
    assert home.failures() == {"the Stop hook is not installed": HINT}


def test_a_hook_that_is_installed_twice_is_named(home):
    home.change(lambda settings: settings["hooks"]["Stop"].append(settings["hooks"]["Stop"][0]))
    assert home.failures() == {f"the Stop hook is installed 2 times in {home.settings_path}": HINT}


def test_a_hook_of_an_event_that_this_version_has_none_for_is_named(home):
    def add(settings):
        settings["hooks"]["PreCompact"] = settings["hooks"]["Stop"]

    home.change(add)
    assert home.failures() == {
        f"a hook of another version stands at PreCompact in {home.settings_path}": HINT
    }


def test_the_form_for_a_shell_is_as_good_as_the_one_without(home):
    home.settings_path.write_text(install.with_ours("{}", False))
    assert home.failures() == {}


def test_a_hook_with_other_arguments_or_another_timeout_is_of_another_version(home):
    home.change(lambda settings: settings["hooks"]["Stop"][0]["hooks"][0].update(timeout=600))
    assert home.failures() == {
        f"the Stop hook in {home.settings_path} is not as this version writes it": HINT
    }


def test_a_hook_of_another_python_is_named_with_both(home, tmp_path):
    other = tmp_path / "other"
    other.symlink_to(sys.executable)
    home.change(lambda settings: settings["hooks"]["Stop"][0]["hooks"][0].update(command=str(other)))
    told = f"the Stop hook is of another Python, {other} (this one is {sys.executable})"
    assert home.failures() == {told: HINT}


@posix
def test_a_hook_whose_interpreter_is_gone_or_cannot_be_started_is_mended_by_wiring_again(home, tmp_path):
    gone, plain = tmp_path / "gone" / "python", tmp_path / "plain"
    plain.write_text("")

    def change(settings):
        settings["hooks"]["Stop"][0]["hooks"][0]["command"] = str(gone)
        shell = f"{shlex.quote(str(plain))} -I -m foreword.hook claude-code prompt"
        settings["hooks"]["UserPromptSubmit"][0]["hooks"] = [{"type": "command", "command": shell}]

    home.change(change)
    assert home.failures() == {
        f"the Stop hook names an interpreter that is gone: {gone}": MEND,
        f"the UserPromptSubmit hook names an interpreter that cannot be started: {plain}": MEND,
    }


def a_python(tmp_path, monkeypatch, text):
    """Make a script the interpreter that this Foreword runs by; $REAL is the real one."""
    program = tmp_path / "python"
    program.write_text(f"#!/bin/sh\nREAL={shlex.quote(sys.executable)}\n{text}\n")
    program.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(program))


@posix
def test_a_hook_that_is_right_on_paper_and_does_not_run_is_found(tmp_path, monkeypatch):
    a_python(
        tmp_path, monkeypatch, 'case "$*" in *hook*stop) echo lost >&2; exit 4;; esac; exec "$REAL" "$@"'
    )
    home = Home(tmp_path / "home")
    home.wire()
    assert home.failures() == {
        "the Stop hook is installed, but when run once it ends with exit code 4: lost": HINT
    }


@posix
def test_a_python_that_has_lost_the_package_is_found(tmp_path, monkeypatch):
    a_python(tmp_path, monkeypatch, 'exec "$REAL" -I -S -c "import no_such_package"')
    home = Home(tmp_path / "home")
    home.wire()
    found = home.failures()
    assert len(found) == 4
    assert all("No module named 'no_such_package'" in what for what in found if "hook" in what)
    assert set(found.values()) == {HINT}


def test_rules_that_are_missing_are_named(home):
    home.change(lambda settings: settings["permissions"]["allow"].remove("mcp__foreword__memory_save"))
    assert home.failures() == {"the client will ask before each use of mcp__foreword__memory_save": HINT}


def test_rules_for_the_graphs_tools_are_missed_once_the_graph_is_on(home):
    os.makedirs(home.store, exist_ok=True)
    settings_file.set_values(home.store, {"graph.on": True})
    told = "the client will ask before each use of " + ", ".join(install.ALLOWED_GRAPH)
    assert home.failures() == {told: HINT}
    home.settings_path.write_text(install.with_ours(home.settings_path.read_text(), True, graph=True))
    assert home.failures() == {}


def test_a_rule_that_forbids_our_tools_is_a_note(home):
    home.change(lambda settings: settings["permissions"].update(deny=["mcp__foreword__memory_save", "Bash"]))
    what, hint = one(home.of(NOTE), "permissions.deny")
    assert what == "permissions.deny in settings.json forbids mcp__foreword__memory_save"
    assert hint == "take it out there"


# -- policies ------------------------------------------------------------------------------------


def test_hooks_that_are_switched_off_are_found_wherever_that_is_said(home):
    home.set(disableAllHooks=True)
    project = home.project / ".claude" / "settings.local.json"
    write_json(project, {"disableAllHooks": True})
    assert home.failures() == {
        f"hooks are switched off by disableAllHooks in {path}": "take it out there"
        for path in (home.settings_path, project)
    }


@pytest.mark.parametrize(
    ("policy", "told"),
    [
        ({"disableAllHooks": True}, "hooks are switched off by disableAllHooks in "),
        ({"allowManagedHooksOnly": True}, "only the administrator's hooks run: allowManagedHooksOnly in "),
        ({"strictPluginOnlyCustomization": True}, "hooks and servers must come from plugins"),
        (
            {"strictPluginOnlyCustomization": ["skills", "hooks"]},
            "hooks and servers must come from plugins: ",
        ),
        (
            {"deniedMcpServers": [{"serverName": "foreword"}]},
            "the MCP server is forbidden by deniedMcpServers",
        ),
        ({"allowManagedHooksOnly": False, "deniedMcpServers": [{"serverName": "other"}, 7]}, ""),
        ({"strictPluginOnlyCustomization": ["skills"]}, ""),
        ([1], ""),
    ],
)
@pytest.mark.parametrize("name", ["managed-settings.json", "managed-settings.d/10-hooks.json"])
def test_a_policy_of_an_administrator_is_found(home, tmp_path, monkeypatch, name, policy, told):
    monkeypatch.setattr(health, "MANAGED", str(tmp_path / "etc" / "managed-settings.json"))
    write_json(tmp_path / "etc" / name, policy)
    found = home.failures()
    assert len(found) == bool(told)
    for what in found:
        assert told in what
        assert what.endswith(str(tmp_path / "etc" / name))


def test_a_switch_in_the_client_s_environment_is_found(home, monkeypatch):
    told = "every hook ends at once: FOREWORD_DISABLE is 1"
    home.set(env={"FOREWORD_DISABLE": "1"})
    assert home.failures() == {told: "take it out of env in the client's settings"}
    home.set(env={"FOREWORD_DISABLE": "0"})
    assert home.failures() == {}
    home.set(env={})
    monkeypatch.setenv("FOREWORD_DISABLE", "1")
    assert home.failures() == {told: "unset FOREWORD_DISABLE"}


def test_hooks_that_use_another_store_are_a_note(home, tmp_path):
    home.set(env={"FOREWORD_HOME": str(tmp_path / "elsewhere")})
    what, hint = one(home.of(NOTE), "another store")
    assert str(tmp_path / "elsewhere") in what
    assert hint == f"FOREWORD_HOME={tmp_path / 'elsewhere'} foreword doctor"


def test_a_store_that_no_folder_can_be_ended_the_look(home):
    home.set(env={"FOREWORD_HOME": "a\0 $(b)"})
    _, hint = one(home.of(NOTE), "another store")
    assert hint == "FOREWORD_HOME='a\0 $(b)' foreword doctor"


def test_a_name_that_a_repository_gave_stood_in_a_command_as_it_was(home):
    write_json(home.project / ".mcp.json", {"mcpServers": {"memory; rm -r y": {"command": "x"}}})
    _, hint = one(home.of(NOTE), "; rm -r y")
    assert hint == "claude mcp remove --scope project 'memory; rm -r y'"


# -- settings ------------------------------------------------------------------------------------


def test_settings_with_a_comment_are_ignored_by_the_client(home):
    home.settings_path.write_text("// mine\n" + home.settings_path.read_text())
    [what] = home.failures()
    assert f"{home.settings_path}:1:1: " in what
    assert "Claude Code ignores such a file" in what


@pytest.mark.parametrize("content", [b"{", b"[1, 2]", b"{'hooks': []}", b"\x00", b"\xff"])
def test_settings_that_make_no_sense_are_told_and_the_rest_is_looked_at(home, content):
    home.settings_path.write_bytes(content)
    [(what, hint)] = home.failures().items()
    assert re.match(re.escape(str(home.settings_path)) + r"(:\d+:\d+)? cannot be read: ", what)
    assert hint == "mend that file"
    assert "the MCP server is added, starts and answers" in " ".join(home.of(OK))


def test_the_place_in_a_malformed_file_was_not_one_to_jump_to(home):
    home.settings_path.write_text('{\n  "a": 1\n  "b": 2\n}')
    [what] = home.failures()
    assert what.startswith(f"{home.settings_path}:3:3 cannot be read: ")


@pytest.mark.parametrize(
    "hooks", [{"Stop": 1}, {"Stop": [{"hooks": "x"}, 7]}, [], 1, {"Stop": {"hooks": []}}]
)
def test_hooks_of_a_strange_shape_are_none(home, hooks):
    home.set(hooks=hooks)
    assert "the Stop hook is not installed" in home.failures()


@not_root
def test_settings_that_may_not_be_read_are_told(home):
    home.settings_path.chmod(0)
    assert f"{home.settings_path} cannot be read: Permission denied" in home.failures()


def test_a_client_folder_that_is_a_file_is_told(home, tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "file"))
    assert "the Stop hook is not installed" in home.failures()


# -- the server ----------------------------------------------------------------------------------


def test_a_server_of_another_version_or_with_a_lost_interpreter_is_named(home, tmp_path, claude):
    entry = install.server_entry()
    home.state(mcpServers={"foreword": {**entry, "args": ["-m", "foreword.cli", "serve"]}})
    assert home.failures() == {"the MCP server's entry is not as this version writes it": HINT}
    gone = str(tmp_path / "gone")
    home.state(mcpServers={"foreword": {**entry, "command": gone}})
    assert home.failures() == {f"the MCP server's entry names an interpreter that is gone: {gone}": MEND}


@pytest.mark.parametrize("older", [False, True], ids=["none", "an older one"])
def test_without_the_client_on_the_path_the_hint_led_back_to_doctor(home, tmp_path, monkeypatch, older):
    """An install cannot add the server then, so it was missing again."""
    monkeypatch.setenv("PATH", str(tmp_path / "nothing"))
    gone = {**install.server_entry(), "command": str(tmp_path / "gone")}
    home.state(mcpServers={"foreword": gone} if older else {})
    [hint] = home.failures().values()
    first, _, by_hand = hint.partition(", or add the server by hand: ")
    assert first == "claude is not on the PATH: put it there and run foreword install claude-code"
    commands = [shlex.split(line) for line in by_hand.split(" && ")]
    assert commands == [install.remove_command()] * older + [install.add_command()]


def test_a_server_of_somebody_else_s_is_not_ours(home):
    home.state(mcpServers={"foreword": {"command": "npx", "args": ["x"]}})
    [(what, hint)] = home.failures().items()
    assert what == "an MCP server named foreword is there (scope user), and it is not this one"
    assert hint.startswith("claude mcp remove --scope user foreword")


@posix
def test_a_server_that_does_not_start_is_found(tmp_path, monkeypatch):
    a_python(tmp_path, monkeypatch, 'case "$*" in *serve*) echo dead >&2; exit 1;; esac; exec "$REAL" "$@"')
    home = Home(tmp_path / "home")
    home.wire()
    told = "the MCP server is added, but when started it ended before it answered initialize: dead"
    assert home.failures() == {told: HINT}


@pytest.mark.parametrize(
    "content", ["{", "[]", '{"mcpServers": 1}', '{"mcpServers": {"foreword": 1}}', '{"a":' * 3_000]
)
def test_a_state_file_that_makes_no_sense_is_told(home, content):
    home.state_path.write_text(content)
    [what] = home.failures()
    assert "MCP server" in what or "cannot be read" in what


def test_a_server_that_is_added_for_a_project_too_is_a_note(home):
    entry = install.server_entry()
    home.state(
        mcpServers={"foreword": entry}, projects={str(home.project): {"mcpServers": {"foreword": entry}}}
    )
    assert home.failures() == {}
    _, hint = one(home.of(NOTE), "added twice")
    assert hint == f"cd {home.project} && claude mcp remove --scope local foreword"


def test_what_the_user_added_to_the_entry_was_called_another_version(home):
    entry = install.server_entry()
    entry = {**entry, "args": [*entry["args"], "--project", str(home.project)], "env": {"MINE": "1"}}
    home.state(mcpServers={"foreword": entry})
    assert home.failures() == {}


def test_a_server_that_is_switched_off_in_the_project_is_told(home):
    known = {"disabledMcpServers": ["other", "foreword"]}
    home.state(mcpServers={"foreword": install.server_entry()}, projects={str(home.project): known})
    assert home.failures() == {
        "the MCP server is switched off in this project": "start claude there and type /mcp"
    }
    others = {"/elsewhere": known, str(home.project): {"disabledMcpServers": ["other"]}}
    home.state(mcpServers={"foreword": install.server_entry()}, projects=others)
    assert home.failures() == {}


@pytest.mark.parametrize("matcher", ["resume", "startup|clear", "("])
def test_a_hook_under_a_matcher_that_leaves_a_start_out_is_found(home, matcher):
    home.change(lambda settings: settings["hooks"]["SessionStart"][0].update(matcher=matcher))
    [(told, hint)] = home.failures().items()
    assert "under a matcher that leaves out" in told
    assert "matcher" in hint


@pytest.mark.parametrize("matcher", ["", "*", "startup|resume|clear|compact"])
def test_a_matcher_that_takes_every_start_is_none_of_our_business(home, matcher):
    home.change(lambda settings: settings["hooks"]["SessionStart"][0].update(matcher=matcher))
    assert home.failures() == {}

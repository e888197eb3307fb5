"""Around Claude Code's hooks: plugins, skills, when hooks last fired, and what else remembers."""

import json
import os
import sys
import time

import pytest

from clients.claude_code.wired import Home, one, write_json
from foreword import paths
from foreword.clients.claude_code import health, install
from foreword.clients.proof import NOTE, OK
from foreword.edit import plan, settings_file

HINT = "foreword install claude-code"
EVENTS = ("SessionStart", "UserPromptSubmit", "Stop")
DAY = 86_400


@pytest.fixture
def home(tmp_path):
    home = Home(tmp_path / "home")
    (tmp_path / "app" / ".claude").mkdir(parents=True)
    home.wire()
    return home


# -- plugins -------------------------------------------------------------------------------------


def a_plugin(folder, name="foreword"):
    hooks = {event: [{"hooks": [install.hook(event, True)]}] for event in EVENTS}
    write_json(folder / ".claude-plugin" / "plugin.json", {"name": name})
    write_json(folder / "hooks" / "hooks.json", {"hooks": hooks})
    write_json(folder / ".mcp.json", {"mcpServers": {"foreword": install.server_entry()}})
    return folder


def unwired(home):
    home.settings_path.write_text("{}")
    home.state()


def test_a_plugin_alone_is_a_whole_install(home):
    folder = a_plugin(home.config / "skills" / "foreword")
    unwired(home)
    assert home.failures() == {}
    found = home.of(OK)
    assert f"wired by the plugin {folder}" in found
    assert any(what.startswith("the Stop hook is installed and runs") for what in found)
    assert any(what.startswith("the MCP server is added, starts") for what in found)


def test_a_plugin_whose_python_is_gone_is_not_mended_by_an_install_beside_it(home, monkeypatch):
    with monkeypatch.context() as elsewhere:
        elsewhere.setattr(sys, "executable", "/nowhere/python")
        folder = a_plugin(home.config / "skills" / "foreword")
    unwired(home)
    hints = home.failures().values()
    assert len(home.failures()) == 4
    assert all(hint.startswith("foreword plugin ") and str(folder) in hint for hint in hints)


def test_the_server_of_a_plugin_of_another_version_was_taken_for_this_one(home):
    folder = a_plugin(home.config / "skills" / "foreword")
    unwired(home)
    older = {**install.server_entry(), "args": ["-m", "foreword.cli", "serve"]}
    write_json(folder / ".mcp.json", {"mcpServers": {"foreword": older}})
    assert home.failures() == {
        "the MCP server's entry is not as this version writes it": f"foreword plugin {folder}"
    }


def test_a_plugin_beside_an_install_is_noted_with_how_to_remove_one(home):
    folder = a_plugin(home.config / "skills" / "anything")
    a_plugin(home.config / "skills" / "somebody-elses", "other")
    assert home.failures() == {}
    told, hint = one(home.of(NOTE), "wired twice")
    assert told == (
        f"wired twice, by `foreword install` and by the plugin {folder}: nothing is saved or offered twice,"
        " but one of them is superfluous: tools and skills are there twice"
    )
    assert hint == f"rm -r {folder}   (or foreword uninstall claude-code)"


def test_the_rules_that_a_plugin_cannot_bring_are_noted_as_they_are_to_be_added(home):
    a_plugin(home.config / "skills" / "foreword")
    unwired(home)
    _, hint = one(home.of(NOTE), "ask before each use of the plugin's tools")
    _, _, lines = hint.partition(f"add to permissions.allow in {home.settings_path}: ")
    rules = json.loads(f"[{lines}]")
    assert rules[0] == "mcp__plugin_foreword_foreword__memory_search"
    assert not any("forget" in rule for rule in rules)
    home.set(permissions={"allow": rules})
    assert not any("plugin's tools" in what for what in home.of(NOTE))
    settings_file.set_values(home.store, {"graph.on": True})
    _, hint = one(home.of(NOTE), "plugin's tools")
    assert '"mcp__plugin_foreword_foreword__search_nodes"' in hint
    assert not any(rule in hint for rule in rules)


@pytest.mark.parametrize("rule", ["mcp__plugin_foreword_foreword", "mcp__plugin_foreword_foreword__*"])
@pytest.mark.parametrize("where", ["user", "project"])
def test_a_rule_for_the_plugin_s_whole_server_is_enough(home, rule, where):
    a_plugin(home.config / "skills" / "foreword")
    unwired(home)
    permissions = {"allow": [rule]}
    if where == "user":
        home.set(permissions=permissions)
    else:
        write_json(home.project / ".claude" / "settings.json", {"permissions": permissions})
    assert not any("plugin's tools" in what for what in home.of(NOTE))


@pytest.mark.parametrize("odd", [None, 7, "mcp__foreword", {"allow": 7, "deny": 7}, {"allow": [7]}])
def test_permissions_of_any_shape_are_looked_at(home, odd):
    a_plugin(home.config / "skills" / "foreword")
    unwired(home)
    home.set(permissions=odd)
    assert one(home.of(NOTE), "plugin's tools")


def test_a_denied_tool_of_a_plugin_is_noted(home):
    a_plugin(home.config / "skills" / "foreword")
    unwired(home)
    home.set(permissions={"deny": ["mcp__plugin_foreword_foreword__memory_save", "Bash(rm:*)"]})
    told, _ = one(home.of(NOTE), "permissions.deny")
    assert told.endswith("forbids mcp__plugin_foreword_foreword__memory_save")


def test_the_command_that_removes_a_plugin_in_a_folder_with_a_space_removed_two_others(home, monkeypatch):
    config = home.config.rename(home.config.parent / "my claude")
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(config))
    folder = a_plugin(config / "skills" / "foreword")
    [plugin] = health.plugins()
    assert plugin.removed_by == f"rm -r '{folder}'"


@pytest.mark.parametrize("kind", ["directory", "github"])
def test_a_plugin_that_was_installed_by_name_is_found(home, tmp_path, kind):
    # A directory marketplace's plugin runs from its source, any other from the copy in the cache.
    source, cache = tmp_path / "source", home.config / "plugins" / "cache" / "foreword" / "foreword" / "1"
    folder = a_plugin(source if kind == "directory" else cache)
    unwired(home)
    place = {"scope": "user", "installPath": str(cache)}
    market = {"source": {"source": kind}, "installLocation": str(source)}
    named = "foreword@foreword"
    write_json(
        home.config / "plugins" / "installed_plugins.json", {"version": 2, "plugins": {named: [place]}}
    )
    write_json(home.config / "plugins" / "known_marketplaces.json", {"foreword": market})
    home.set(enabledPlugins={named: True})
    assert home.failures() == {}
    assert f"wired by the plugin {named}" in home.of(OK)
    (folder / "hooks" / "hooks.json").write_text("{}")
    assert len(home.failures()) == 3
    home.set(enabledPlugins={named: False})
    assert len(home.failures()) == 4


# -- skills --------------------------------------------------------------------------------------


def test_skills_that_are_missing_changed_by_hand_or_named_otherwise_are_told(home):
    folder = home.config / "skills"
    mine = folder / "dream" / "SKILL.md"
    mine.write_text("---\nname: dream\n---\nMine.\n")
    os.remove(folder / "recall" / "SKILL.md")
    os.rmdir(folder / "recall")
    with open(folder / "remember" / "SKILL.md", "a") as f:
        f.write("A line of mine.\n")
    found = home.of(NOTE)
    assert home.failures() == {}
    assert one(found, "not installed") == ("skills that are not installed: /recall, /foreword-dream", HINT)
    assert one(found, "changed by hand")[0].startswith(str(folder / "remember"))
    assert any("/remember" in what for what in home.of(OK))


def test_a_skill_that_an_earlier_version_wrote_is_renewed_by_an_install(home):
    path = home.config / "skills" / "recall" / "SKILL.md"
    older = path.read_text() + "What an earlier version said.\n"
    path.write_text(older)
    record = {str(path): {"made": {"written": [plan.digest(older.encode())]}}}
    plan.save_records(home.store, install.NAME, record)
    assert home.failures() == {"the skill /recall is of another version": HINT}


# -- traces --------------------------------------------------------------------------------------


def at(path, seconds_ago):
    """Make a file, with that time."""
    path = str(path)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "a"):
        pass
    when = time.time() - seconds_ago
    os.utime(path, (when, when))


def installed(home, days_ago):
    at(plan.record_path(home.store, install.NAME), days_ago * DAY)


def talked(home, days_ago):
    at(home.config / "projects" / "-home-dev-app" / "0a1b.jsonl", days_ago * DAY)


def fired(home, event, days_ago):
    at(paths.fired(home.store, install.NAME, event), days_ago * DAY)


def test_hooks_that_never_fired_though_there_were_sessions_are_a_failure(home):
    installed(home, 3)
    talked(home, 1)
    [(what, hint)] = home.failures().items()
    assert what == (
        "never fired since the install 3 days ago, though there were client sessions until 1 day ago:"
        " SessionStart, UserPromptSubmit, Stop"
    )
    assert "start it again" in hint


def test_hooks_that_never_fired_without_any_session_since_are_no_failure(home):
    talked(home, 5)
    installed(home, 3)
    assert home.failures() == {}
    assert "the hooks have not fired yet" in home.of(NOTE)


def test_a_session_that_was_open_during_the_install_proves_nothing_yet(home):
    installed(home, 2)
    talked(home, 2 - 300 / DAY)
    assert home.failures() == {}


def test_the_hook_that_never_fired_is_named_among_those_that_did(home):
    installed(home, 3)
    talked(home, 0)
    fired(home, "session-start", 1)
    fired(home, "prompt", 0)
    [what] = home.failures()
    assert what.endswith(": Stop")
    assert "hooks last fired: SessionStart 1 day ago, UserPromptSubmit just now" in home.of(OK)


def test_a_session_that_goes_on_since_before_the_install_needs_no_start(home):
    installed(home, 0.5)
    talked(home, 0)
    fired(home, "prompt", 0)
    fired(home, "stop", 0)
    assert home.failures() == {}


def test_sessions_after_the_hooks_fell_silent_are_a_note(home):
    installed(home, 30)
    for event in ("session-start", "prompt", "stop"):
        fired(home, event, 20)
    talked(home, 1)
    assert home.failures() == {}
    assert one(home.of(NOTE), "after the hooks last fired")


def test_an_empty_store_after_a_week_of_sessions_is_a_failure(home):
    installed(home, 9)
    talked(home, 1)
    for event in ("session-start", "prompt", "stop"):
        fired(home, event, 1)
    assert home.failures(is_empty=False) == {}
    [(what, hint)] = home.failures(is_empty=True).items()
    assert what == "nothing was saved since the install 9 days ago, though there were client sessions"
    assert hint.startswith("foreword why")
    installed(home, 6)
    assert home.failures(is_empty=True) == {}


# -- what else remembers -------------------------------------------------------------------------


def test_other_memories_are_noted_with_how_to_remove_them(home):
    entry = install.server_entry()
    servers = {
        "kg": {"command": "npx", "args": ["-y", "@modelcontextprotocol/server-memory"]},
        "foreword": entry,
    }
    home.state(mcpServers=servers)
    write_json(home.project / ".mcp.json", {"mcpServers": {"engram": {"command": "engram"}}})
    hook = {"type": "command", "command": "deja hook prompt"}
    home.change(lambda settings: settings["hooks"]["Stop"].append({"hooks": [hook]}))
    home.set(enabledPlugins={"claude-mem@thedotmack": True, "basic-memory@x": False})
    assert home.failures() == {}
    hints = [hint for what, hint in home.of(NOTE).items() if "is active as well" in what]
    assert hints == [
        "claude mcp remove --scope user kg",
        "claude mcp remove --scope project engram",
        f"take it out of {home.settings_path}",
        "claude plugin uninstall claude-mem@thedotmack",
    ]


def test_a_memory_of_another_project_is_none_of_this_one(home):
    entry = {"mcpServers": {"engram": {"command": "engram"}}}
    home.state(mcpServers={"foreword": install.server_entry()}, projects={"/elsewhere": entry})
    assert not any("is active as well" in what for what in home.of(NOTE))
    home.state(mcpServers={"foreword": install.server_entry()}, projects={str(home.project): entry})
    _, hint = one(home.of(NOTE), "is active as well")
    assert hint == f"cd {home.project} && claude mcp remove --scope local engram"


def auto_memory(home):
    return any("auto memory" in what for what in home.of(NOTE))


def test_the_client_s_own_memory_is_noted_while_it_is_on(home, monkeypatch):
    assert auto_memory(home)
    home.set(autoMemoryEnabled=False)
    assert not auto_memory(home)
    write_json(home.project / ".claude" / "settings.json", {"autoMemoryEnabled": True})
    assert auto_memory(home)
    monkeypatch.setenv("CLAUDE_CODE_DISABLE_AUTO_MEMORY", "1")
    assert not auto_memory(home)


@pytest.mark.parametrize(("days", "told"), [(None, 30), (7, 7), (365, 0), (3650, 0), ("soon", 0), (True, 0)])
def test_transcripts_that_the_client_will_remove_are_noted(home, days, told):
    if days is not None:
        home.set(cleanupPeriodDays=days)
    found = [(what, hint) for what, hint in home.of(NOTE).items() if "transcripts are removed" in what]
    assert len(found) == bool(told)
    for what, hint in found:
        assert what == f"transcripts are removed after {told} days: `foreword show` cannot name them then"
        assert "cleanupPeriodDays" in hint

"""What keeps Codex from having its memory is found, each fault made for real, with what mends it."""

import json
import os
import re
import sys
import time

import pytest

from clients.codex.wired import Home
from foreword import paths
from foreword.clients import probe
from foreword.clients.codex import health, install
from foreword.clients.proof import MEND, NOTE, OK
from foreword.edit import plan

HINT = "foreword install codex"
EVENTS = ("SessionStart", "UserPromptSubmit", "Stop")
DAY = 86_400

pytestmark = pytest.mark.skipif(os.name == "nt", reason="scripts for a POSIX shell")


@pytest.fixture
def home(tmp_path, monkeypatch):
    home = Home(tmp_path / "home", monkeypatch)
    home.wire()
    home.answer()
    return home


def noted(home, part):
    """The one note whose sentence holds a part: (what, hint)."""
    [both] = [(what, hint) for what, hint in home.of(NOTE).items() if part in what]
    return both


# -- whether it is there -------------------------------------------------------------------------


def test_a_sound_install_has_no_failure_and_everything_was_run(home):
    assert home.failures() == {}
    told = " ".join(home.of(OK))
    for event in EVENTS:
        assert f"the {event} hook is installed and runs (" in told
    assert "the MCP server is added, starts and answers (" in told
    assert "skills: $remember, $recall, $dream" in told
    assert "Codex trusts the hooks" in told


def test_hooks_in_config_toml_are_as_good(tmp_path, monkeypatch):
    home = Home(tmp_path / "home", monkeypatch)
    mine = '[[hooks.Stop]]\n[[hooks.Stop.hooks]]\ntype = "command"\ncommand = "true"\n'
    home.wire(config=mine)
    home.answer()
    assert not home.hooks_path.exists()
    assert home.failures() == {}


def test_looking_changes_nothing(home, tmp_path):
    def everything():
        return {
            path: (path.read_bytes() if path.is_file() else b"", path.stat().st_mtime_ns)
            for path in tmp_path.rglob("*")
        }

    home.all()  # the stand-in writes down how it was asked
    before = everything()
    home.all()
    assert everything().keys() == before.keys()
    changed = {path.name for path, was in before.items() if everything()[path] != was}
    assert changed <= {"listed.json.asked"}


def test_what_counts_as_wired(home):
    assert health.is_wired(home.store)
    home.hooks_path.unlink()
    assert health.is_wired(home.store)
    home.config_path.unlink()
    assert health.is_wired(home.store)  # an install is on record: it was
    plan.save_records(home.store, install.NAME, {})
    assert not health.is_wired(home.store)


def test_what_was_wired_and_is_gone_is_named_piece_by_piece(home):
    home.hooks_path.unlink()
    home.config_path.unlink()
    assert home.failures() == {
        "the SessionStart hook is not installed": HINT,
        "the UserPromptSubmit hook is not installed": HINT,
        "the Stop hook is not installed": HINT,
        "the MCP server is not added": HINT,
    }


# -- hooks ---------------------------------------------------------------------------------------


def change_hooks(home, change):
    value = json.loads(home.hooks_path.read_text())
    change(value["hooks"])
    home.hooks_path.write_text(json.dumps(value))


def test_a_hook_that_is_missing_doubled_or_of_another_version_is_named(home):
    def change(hooks):
        del hooks["Stop"]
        hooks["SessionStart"] *= 2
        hooks["UserPromptSubmit"][0]["hooks"][0]["timeout"] = 600

    change_hooks(home, change)
    home.answer(("trusted",) * 2)
    found = home.failures()
    assert found.pop("the Stop hook is not installed") == HINT
    assert found.pop(f"the SessionStart hook is installed 2 times in {home.hooks_path}") == HINT
    other = f"the UserPromptSubmit hook in {home.hooks_path} is not as this version writes it"
    assert found.pop(other) == HINT
    assert list(found) == ["Codex does not list hooks that are installed: some of ours"]


def test_hooks_in_both_files_are_named_once_each(home):
    home.config_path.write_text(home.config_path.read_text() + install.with_hook_tables(""))
    home.answer(("trusted",) * 3, hooks=None)
    places = {what for what in home.failures() if "in both" in what}
    assert places == {
        f"the {event} hook is installed in both {home.config_path} and {home.hooks_path}" for event in EVENTS
    }


def test_a_hook_whose_interpreter_is_gone_is_mended_by_wiring_again(home, tmp_path):
    gone = str(tmp_path / "gone")
    home.hooks_path.write_text(home.hooks_path.read_text().replace(sys.executable, gone))
    found = {what: hint for what, hint in home.failures().items() if "names" in what}
    assert found == {f"the {event} hook names an interpreter that is gone: {gone}": MEND for event in EVENTS}


# -- trust ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("states", "told"),
    [
        (("untrusted",) * 3, "3 of our hooks: you have not trusted them yet"),
        (("trusted", "modified", "trusted"), "1 of our hooks: they changed since you trusted them"),
        (("untrusted", "trusted", "new-word"), "2 of our hooks: new-word and you have not trusted them yet"),
    ],
)  # fmt: skip
def test_hooks_that_codex_does_not_trust_are_a_failure_with_both_ways_out(home, states, told):
    home.answer(states)
    [(what, hint)] = home.failures().items()
    assert what == "Codex does not run " + told
    assert "Trust all" in hint
    assert "foreword install codex --trust" in hint


def test_hooks_that_were_switched_off_in_codex_are_a_failure(home):
    home.answer(enabled=False)
    assert home.failures() == {
        "3 of our hooks are switched off in Codex": "start codex, type /hooks and switch them on"
    }


def test_hooks_that_codex_does_not_see_are_a_failure(home):
    home.answer(("trusted",) * 2)
    assert home.failures() == {"Codex does not list hooks that are installed: Stop": HINT}


def test_what_codex_warns_of_is_passed_on(home):
    home.answer(warnings=["loading hooks\nfrom both"], errors=[{"path": "x", "message": "broken"}, 7])
    assert home.failures() == {}
    notes = [what for what in home.of(NOTE) if what.startswith("Codex says")]
    assert notes == ["Codex says: loading hooks from both", "Codex says: broken", "Codex says: 7"]


def test_codex_is_asked_without_plugins_unless_ours_is_one(home):
    home.all()
    assert home.asked[1:] == ["app-server", "-c", "analytics.enabled=false", "-c", "features.plugins=false"]
    home.config_path.write_text(
        home.config_path.read_text() + '[plugins."foreword@foreword"]\nenabled = true\n'
    )
    home.all()
    assert "features.plugins=false" not in home.asked


@pytest.mark.parametrize("trusted", [True, False])
@pytest.mark.parametrize(
    "program",
    [
        "",
        "import sys; sys.exit(1)",
        "print('hello', flush=True); input()",
        'import sys\nfor line in sys.stdin: print(\'{"id": 1, "error": {"message": "no"}}\', flush=True)',
    ],
)
def test_where_codex_does_not_answer_its_files_are_read_instead(tmp_path, monkeypatch, program, trusted):
    home = Home(tmp_path / "home", monkeypatch)
    home.wire(trusted=trusted)
    if program:
        home.put_on_path(program)
    assert len(home.failures()) == (not trusted)
    for what in home.failures():
        assert what == "Codex does not run 3 of our hooks: you have not trusted them yet"
    what, _ = noted(home, "asked")
    assert what.startswith("Codex was asked" if program else "codex is not on the PATH")


def test_a_codex_that_hangs_costs_its_seconds_and_no_more(home, monkeypatch):
    monkeypatch.setattr(probe, "START_S", 0.2)
    home.put_on_path("import time; time.sleep(1000)")
    what, _ = noted(home, "asked")
    assert what == "Codex was asked for its hooks, but it does not answer initialize within 0.2 s"


# -- configuration -------------------------------------------------------------------------------


def test_hooks_and_servers_that_are_switched_off_are_found(home):
    text = home.config_path.read_text().replace(
        "[mcp_servers.foreword]", "[mcp_servers.foreword]\nenabled = false"
    )
    home.config_path.write_text("[features]\nhooks = false\n\n" + text)
    mended_by = f"take that out of {home.config_path}"
    assert home.failures() == {
        "Codex runs no hook at all: hooks = false under [features]": mended_by,
        "Codex does not start the MCP server: enabled = false in its table": mended_by,
    }


def test_a_switch_in_the_environment_is_found(home, monkeypatch):
    monkeypatch.setenv("FOREWORD_DISABLE", "1")
    assert home.failures() == {"every hook ends at once: FOREWORD_DISABLE is 1": "unset FOREWORD_DISABLE"}


@pytest.mark.parametrize("name", ["config.toml", "hooks.json"])
@pytest.mark.parametrize("content", [b"{", b"\x00", b"\xff", b"[[", b'{"hooks": '])
def test_files_that_make_no_sense_are_told_and_the_rest_is_looked_at(home, name, content):
    (home.config / name).write_bytes(content)
    found = home.failures()
    told = re.escape(str(home.config / name)) + r"(:\d+:\d+)? cannot be read: "
    assert any(re.match(told, what) for what in found)
    assert ("the MCP server is not added" in found) is False


@pytest.mark.parametrize(
    ("name", "content", "place"),
    [("config.toml", 'a = "b"\nc =\n', "2:4"), ("hooks.json", '{\n "hooks": ', "2:11")],
)
def test_the_place_in_a_malformed_file_was_not_one_to_jump_to(home, name, content, place):
    (home.config / name).write_text(content)
    assert any(what.startswith(f"{home.config / name}:{place} cannot be read: ") for what in home.failures())


def test_a_server_of_another_version_or_with_a_lost_interpreter_is_named(home, tmp_path):
    text = home.config_path.read_text()
    home.config_path.write_text(text.replace('"-I"', '"-S"'))
    assert home.failures() == {"the MCP server's entry is not as this version writes it": HINT}
    gone = str(tmp_path / "gone")
    home.config_path.write_text(text.replace(sys.executable, gone))
    assert home.failures() == {f"the MCP server's entry names an interpreter that is gone: {gone}": MEND}


def test_a_project_that_the_user_added_was_called_another_version(home):
    words = json.dumps(["serve", "--project", str(home.top)])[1:]
    text = home.config_path.read_text().replace('"serve"]', words)
    home.config_path.write_text(text.replace("env_vars = [", 'env_vars = ["MINE", '))
    assert home.failures() == {}


def test_an_interpreter_that_is_gone_goes_before_the_switch(home):
    text = home.config_path.read_text().replace(sys.executable, "/gone/python")
    home.config_path.write_text(
        text.replace("[mcp_servers.foreword]", "[mcp_servers.foreword]\nenabled = false")
    )
    assert home.failures() == {"the MCP server's entry names an interpreter that is gone: /gone/python": MEND}


def test_a_server_of_somebody_else_s_is_not_ours(home):
    home.config_path.write_text('[mcp_servers.foreword]\ncommand = "npx"\n')
    [(what, hint)] = home.failures().items()
    assert what == "an MCP server named foreword is there, and it is not this one"
    assert hint.startswith("codex mcp remove foreword")


def test_the_server_gets_no_more_of_the_environment_than_codex_hands_on(home, monkeypatch, tmp_path):
    # One that needs a variable that Codex does not pass on would start here and not there.
    program = tmp_path / "python"
    program.write_text('#!/bin/sh\n[ -z "$SECRET" ] || exit 7\nexec %s "$@"\n' % sys.executable)
    program.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(program))
    home.wire()
    assert home.failures() == {}
    monkeypatch.setenv("SECRET", "1")
    found = home.failures()
    assert [what for what in found if "MCP server" in what] == []
    assert len([what for what in found if "exit code 7" in what]) == 3  # hooks get all of it


# -- plugin, skills, traces ----------------------------------------------------------------------


def a_plugin(home):
    folder = home.config / "plugins" / "cache" / "foreword" / "foreword" / "0.1.0" / "codex"
    folder.mkdir(parents=True)
    hooks = {event: [{"hooks": [install.hook(event)]}] for event in EVENTS}
    (folder / "hooks.json").write_text(json.dumps({"hooks": hooks}))
    (folder / "mcp.json").write_text(json.dumps({"mcpServers": {"foreword": install.server_entry()}}))
    return '[plugins."foreword@foreword"]\nenabled = true\n'


def test_a_plugin_alone_is_a_whole_install(home):
    home.config_path.write_text(a_plugin(home))
    home.hooks_path.unlink()
    assert home.failures() == {}
    found = home.of(OK)
    assert "wired by the plugin foreword@foreword" in found
    assert any(what.startswith("the MCP server is added, starts") for what in found)


def test_a_plugin_beside_an_install_is_noted_with_how_to_remove_one(home):
    home.config_path.write_text(home.config_path.read_text() + a_plugin(home))
    home.answer(hooks=json.loads((home.top / "listed.json").read_text())["hooks"] * 2)
    assert home.failures() == {}
    told, hint = noted(home, "wired twice")
    assert "`foreword install` and by the plugin foreword@foreword: nothing is saved or offered twice" in told
    assert hint == "codex plugin remove foreword@foreword   (or foreword uninstall codex)"


def test_skills_that_are_missing_are_a_note(home):
    path = home.config / "skills" / "dream" / "SKILL.md"
    path.unlink()
    path.parent.rmdir()
    assert home.failures() == {}
    assert noted(home, "skills that are not installed") == ("skills that are not installed: $dream", HINT)


def at(path, seconds_ago):
    path = str(path)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "a"):
        pass
    when = time.time() - seconds_ago
    os.utime(path, (when, when))


def test_hooks_that_never_fired_though_there_were_sessions_are_a_failure(home):
    at(plan.record_path(home.store, install.NAME), 9 * DAY)
    rollout = home.config / "sessions" / "2026" / "11" / "29" / "rollout-2026-11-29T10-00-00-0a1b.jsonl"
    at(rollout, 10 * DAY)
    assert home.failures() == {}
    at(rollout, DAY)
    [what] = home.failures()
    assert what.endswith("client sessions until 1 day ago: SessionStart, UserPromptSubmit, Stop")
    for event in ("session-start", "prompt", "stop"):
        at(paths.fired(home.store, install.NAME, event), DAY)
    assert home.failures() == {}
    [what] = home.failures(is_empty=True)
    assert what.startswith("nothing was saved since the install 9 days ago")


# -- what else remembers -------------------------------------------------------------------------


def test_other_memories_are_noted_with_how_to_remove_them(home):
    home.config_path.write_text(
        home.config_path.read_text()
        + '[mcp_servers.kg]\ncommand = "npx"\nargs = ["-y", "@modelcontextprotocol/server-memory"]\n'
        + '[mcp_servers.off]\ncommand = "engram"\nenabled = false\n'
        + '[plugins."claude-mem@market"]\nenabled = true\n[features]\nmemories = true\n'
    )
    change_hooks(home, lambda hooks: hooks["Stop"].append({"hooks": [{"command": "deja hook stop"}]}))
    assert home.failures() == {}
    hints = [hint for what, hint in home.of(NOTE).items() if "is active as well" in what]
    assert hints == [
        "codex mcp remove kg", f"take it out of {home.hooks_path}", "codex plugin remove claude-mem@market",
    ]  # fmt: skip
    _, hint = noted(home, "Codex's own memories")
    assert str(home.config_path) in hint

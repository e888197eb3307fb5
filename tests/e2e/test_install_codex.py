"""Install and uninstall with the real Codex: what is there in between, and nothing afterwards."""

import json
import os

import pytest

from e2e.claude import ANSWER, ASKED, ASKED_LATER
from e2e.codex import HOOKS_RUN
from e2e.home import tree_hash
from e2e.tui import answer

pytestmark = pytest.mark.e2e

EVENTS = ["sessionStart", "stop", "userPromptSubmit"]

# Somebody's hooks, with an indentation of their own.
HOOKS = b"""{
   "hooks": {"Stop": [
      {"hooks": [{"type": "command", "command": "true"}]}]}
}
"""
HOOKS_IN_CONFIG = """
[[hooks.Stop]]
[[hooks.Stop.hooks]]
type = "command"
command = "true"  # mine
"""


def bytes_of(path):
    try:
        with open(path, "rb") as f:
            return f.read()
    except FileNotFoundError:
        return None


def test_the_client_finds_the_server_and_trusts_the_hooks(codex):
    codex.install()

    listed = json.loads(codex.command("mcp", "list", "--json").stdout)
    hooks = codex.hooks()

    assert [(server["name"], server["enabled"]) for server in listed] == [("foreword", True)]
    assert sorted(hook["eventName"] for hook in hooks) == EVENTS
    assert {(hook["trustStatus"], hook["enabled"]) for hook in hooks} == {("trusted", True)}


@pytest.mark.parametrize("codex_home", [True, False], ids=["CODEX_HOME", "home"])
def test_hooks_behind_a_linked_folder_are_trusted_too(make_codex, codex_home):
    # With CODEX_HOME the client resolves links before it looks a hook up, without it not.
    codex = make_codex(codex_home=codex_home)
    os.rename(codex.config, codex.config + "-of-mine")
    os.symlink(codex.config + "-of-mine", codex.config)

    codex.install()

    assert [hook["trustStatus"] for hook in codex.hooks()] == ["trusted"] * 3


def test_without_trust_nothing_runs_and_install_says_what_is_to_be_done(codex, model):
    said = codex.home.foreword("install", "codex", "--switch", "on", "--anyway").stdout
    model.script(ANSWER)

    run = codex.run(ASKED)

    assert run.hooks == []
    assert codex.home.notes() == []
    assert {hook["trustStatus"] for hook in codex.hooks()} == {"untrusted"}
    assert "not trusted" in said
    assert "--trust" in said


def test_installing_twice_changes_nothing(codex):
    codex.install()
    before = tree_hash(codex.config)

    codex.install()

    assert tree_hash(codex.config) == before


@pytest.mark.parametrize("codex_home", [True, False], ids=["CODEX_HOME", "home"])
@pytest.mark.parametrize("mine", ["none", "hooks.json", "config.toml"])
def test_after_uninstall_nothing_is_left(make_codex, model, codex_home, mine):
    codex = make_codex(codex_home=codex_home)
    if mine == "hooks.json":
        with open(codex.hooks_file, "wb") as f:
            f.write(HOOKS)
    elif mine == "config.toml":
        with open(codex.config_file, "a", encoding="utf-8") as f:
            f.write(HOOKS_IN_CONFIG)
    before = bytes_of(codex.config_file), bytes_of(codex.hooks_file)
    codex.install()
    model.script(ANSWER, "Noted.", "Noted.")
    codex.run(ASKED)
    with_it = codex.run(ASKED_LATER)
    hooks = codex.hooks()

    codex.home.foreword("uninstall", "codex")
    without = codex.run(ASKED_LATER + " now")

    assert sorted(with_it.hooks) == sorted(HOOKS_RUN)
    assert len(hooks) == 3 + (mine != "none")
    assert len(model.requests[1].frames) == 1
    assert (bytes_of(codex.config_file), bytes_of(codex.hooks_file)) == before
    assert without.hooks == []
    assert model.requests[2].frames == []
    assert [name for name in model.requests[2].tools if "foreword" in name] == []
    assert "foreword" not in "".join(model.requests[2].developer_texts).lower()
    assert len(codex.home.notes()) == 1, "what was saved stays until --purge"


def test_in_the_terminal_the_client_asks_once_and_uninstall_takes_the_answer_back(
    codex, model, open_terminal
):
    with open(codex.config_file, encoding="utf-8") as f:
        before = f.read()
    codex.home.foreword("install", "codex", "--anyway")

    with open_terminal(codex) as screen:
        screen.wait_until_shown("3 hooks are new or changed.")
        screen.press("2", until="› 2. Trust all and continue")
        screen.press("Enter")
        screen.wait_until_gone("Trust all and continue")
        answer(screen, model, "Good morning", ANSWER)
    trusted = [hook["trustStatus"] for hook in codex.hooks()]
    codex.home.foreword("uninstall", "codex")

    assert trusted == ["trusted"] * 3
    assert len(codex.home.notes()) == 1
    with open(codex.config_file, encoding="utf-8") as f:
        after = f.read()
    assert after.startswith(before)
    # What the client itself noted of its terminal stays; of us there is nothing.
    assert "[tui]" in after
    assert "hooks" not in after
    assert "foreword" not in after


def test_install_without_a_name_wires_both_clients_and_uninstall_unwires_both(both, model):
    claude, codex = both
    files = [claude.settings_file, codex.config_file, codex.hooks_file]
    before = [bytes_of(path) for path in files]
    model.script("Hello.", "Hello.")

    claude.foreword("install", "--trust", "--anyway")
    runs = [claude.run("Good morning"), codex.run("Good morning")]
    claude.foreword("uninstall")

    assert [len(run.hooks) for run in runs] == [3, 3]
    assert ["mcp__foreword__memory_read" in request.tools for request in model.requests] == [True, True]
    assert [bytes_of(path) for path in files] == before
    assert codex.hooks() == []
    assert "foreword" not in claude.command("mcp", "list").stdout
    assert "foreword" not in codex.command("mcp", "list").stdout

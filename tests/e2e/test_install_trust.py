"""What `foreword install codex` says of Codex's review of hooks, against Codex itself."""

import json
import os

import pytest

from foreword.clients import hook_entries
from foreword.clients.codex import install, trust

pytestmark = pytest.mark.e2e

BEEP = {"type": "command", "command": "true", "timeout": 7}
IN_CONFIG = """
[[hooks.Stop]]
[[hooks.Stop.hooks]]
type = "command"
command = "true" # mine
timeout = 7
"""


def read(path):
    try:
        with open(path, "rb") as f:
            return f.read()
    except FileNotFoundError:
        return None


def users_own(codex, where):
    """Give the user a hook of their own in one of the two files, or none."""
    if where == "hooks.json":
        with open(codex.hooks_file, "w", encoding="utf-8") as f:
            json.dump({"hooks": {"Stop": [{"hooks": [BEEP]}]}}, f)
    elif where == "config.toml":
        with open(codex.config_file, "a", encoding="utf-8") as f:
            f.write(IN_CONFIG)


def ours(codex):
    return [hook for hook in codex.hooks() if hook_entries.is_ours(hook)]


@pytest.mark.parametrize("codex_home", [True, False], ids=["CODEX_HOME", "home"])
@pytest.mark.parametrize("where", ["", "hooks.json", "config.toml"])
def test_the_client_trusts_our_hooks_and_no_others_and_uninstall_leaves_nothing(
    make_codex, where, codex_home
):
    codex = make_codex(codex_home=codex_home)
    users_own(codex, where)
    before = read(codex.config_file), read(codex.hooks_file)

    codex.install()

    status = {hook["command"]: hook["trustStatus"] for hook in codex.hooks()}
    assert len(ours(codex)) == 3
    assert {hook["trustStatus"] for hook in ours(codex)} == {"trusted"}
    assert {hook["source"] for hook in ours(codex)} == {"user"}
    assert [status[command] for command in status if command == "true"] == ["untrusted"] * bool(where)

    codex.home.foreword("uninstall", "codex")

    assert (read(codex.config_file), read(codex.hooks_file)) == before
    assert ours(codex) == []


def test_without_the_flag_the_client_trusts_none_of_them(codex):
    codex.home.foreword("install", "codex", "--anyway")
    assert [hook["trustStatus"] for hook in ours(codex)] == ["untrusted"] * 3


@pytest.mark.parametrize("matcher", [None, "", "startup|clear", "é*"])
@pytest.mark.parametrize(
    "more",
    [
        {},
        {"timeout": 10, "statusMessage": "Loading “é”", "additionalContextLimit": 0},
        {"async": True, "unknown": 1},
        {"timeout": 5, "command": "a \"b\" 'c' \\ é \t"},
    ],
)
def test_the_hash_is_the_clients_own(codex, matcher, more):
    groups = {}
    for event in trust.CALLED:
        given = {key: value for key, value in more.items() if event != "Stop" or "Limit" not in key}
        group = {"hooks": [{"type": "command", "command": "true -m foreword.hook", **given}]}
        groups[event] = [group if matcher is None else {"matcher": matcher, **group}]
        groups[event][0]["hooks"][0]["command"] += " -m foreword.hook"
    with open(codex.hooks_file, "w", encoding="utf-8") as f:
        json.dump({"hooks": groups}, f)

    listed = {hook["key"]: hook["currentHash"] for hook in codex.hooks()}

    assert listed == trust.wanted(codex.hooks_file, groups)
    assert len(listed) == len(trust.CALLED)


def test_both_files_behind_links_are_trusted_under_the_names_that_the_client_gives_them(codex):
    dotfiles = os.path.join(codex.home.home, "dotfiles")
    os.makedirs(dotfiles)
    users_own(codex, "hooks.json")
    for path in (codex.config_file, codex.hooks_file):
        os.rename(path, os.path.join(dotfiles, os.path.basename(path)))
        os.symlink(os.path.join(dotfiles, os.path.basename(path)), path)

    codex.install()

    assert {hook["trustStatus"] for hook in ours(codex)} == {"trusted"}


def test_the_client_starts_the_server_with_the_variables_it_needs(codex):
    codex.install()
    [server] = json.loads(codex.command("mcp", "list", "--json").stdout)
    assert server["name"] == "foreword"
    assert server["transport"]["env_vars"] == install.PASSED_ON

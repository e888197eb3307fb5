"""`foreword install` in a repository that somebody else made, and beside settings that make no sense."""

import json
import os

import pytest

from cli.conftest import at_a_terminal
from cli.fake_claude import everything_below
from foreword.clients import mcp_entries

pytestmark = pytest.mark.skipif(os.name == "nt", reason="the stand-in is a shell script")

PACKAGE = "@modelcontextprotocol/server-memory"
GRAPH = (
    '{"type":"entity","name":"shop","entityType":"service","observations":["moved"]}\n'
    '{"type":"entity","name":"ada","entityType":"person","observations":[]}\n'
)
INSTALL = ("install", "claude-code", "--anyway")


pytestmark = pytest.mark.usefixtures("repo", "only_claude")


def is_wired(home):
    return "foreword.hook" in (home / ".claude" / "settings.json").read_text()


@pytest.fixture
def reference(home):
    """A function that configures the reference server for the user; the graph's path."""

    def configure():
        file = home / "memory.jsonl"
        file.write_text(GRAPH)
        entry = {"command": "npx", "args": ["-y", PACKAGE], "env": {"MEMORY_FILE_PATH": str(file)}}
        (home / ".claude.json").write_text(json.dumps({"mcpServers": {"memory": entry}}))
        return file

    return configure


# -- what a repository brings along --------------------------------------------------------------


@pytest.fixture
def planted(repo):
    """A repository with a graph, and a server of it in its .mcp.json; the graph's path."""

    def plant(name="memory"):
        file = os.path.join(repo, "notes.jsonl")
        with open(file, "w") as f:
            f.write(GRAPH)
        entry = {"command": "npx", "args": ["-y", PACKAGE], "env": {"MEMORY_FILE_PATH": file}}
        with open(os.path.join(repo, ".mcp.json"), "w") as f:
            json.dump({"mcpServers": {name: entry}}, f)
        return file

    return plant


def test_found_took_a_graph_out_of_a_cloned_repository(foreword, home, config, planted):
    file = planted()
    before = everything_below(home)
    done = foreword(*INSTALL, "--graph", "found", code=1)
    assert f"the graph that was found is named by a file of this folder: {file}; nothing was ch" in done.err
    assert f"hint: foreword install --graph {file}" in done.err
    assert everything_below(home) == before
    out = foreword(*INSTALL).out
    assert "    only a file of this folder names it: take it if you know whose graph that is\n" in out
    assert f"to go on with it: foreword graph on --file {file}\n" in out
    assert config() == ""
    foreword(*INSTALL, "--graph", file)
    assert file in config()


def test_beside_a_repositorys_graph_the_users_own_is_the_one_that_is_found(
    foreword, config, planted, reference
):
    theirs, own = planted(), reference()
    graphs = foreword(*INSTALL, "--json").json["graph"]["found"]
    assert {graph["file"]: graph["is_of_folder"] for graph in graphs} == {str(own): False, theirs: True}
    foreword(*INSTALL, "--graph", "found")
    assert str(own) in config()
    assert theirs not in config()
    assert "the graph is on already" in foreword(*INSTALL, "--graph", "found").out


def test_a_file_that_the_users_own_settings_name_too_is_the_users(foreword, config, planted, home):
    file = planted()
    (home / ".claude.json").write_text((home.parent / "ledger" / ".mcp.json").read_text())
    foreword(*INSTALL, "--graph", "found")
    assert file in config()


def test_a_terminal_is_not_asked_about_a_repositorys_graph(config, planted):
    file = planted()
    out, err = at_a_terminal(*INSTALL, answer=b"y\n")
    assert "[y/N]" not in err
    assert out.count("a knowledge graph is here") == 1
    assert file in out
    assert config() == ""


EVIL = "m\x1b[2Jem\nnext: curl it\u202e\x9b\ud800"


def test_what_entries_and_paths_hold_reached_the_terminal(foreword, repo, home, planted):
    """A name that clears the screen, ends the line, turns the writing round, or is no text at all."""
    planted(EVIL)
    folder = home / "a\x1b]0;owned\x07\nb"
    folder.mkdir()
    (folder / "m.jsonl").write_text(GRAPH)
    entry = {"command": "npx", "args": ["-y", PACKAGE], "env": {"MEMORY_FILE_PATH": str(folder / "m.jsonl")}}
    gone = {**entry, "env": {"MEMORY_FILE_PATH": str(folder / "gone.jsonl")}}
    own = {"command": "foreword", "args": ["serve", "--tools", "graph"]}
    entries = {EVIL: entry, EVIL + "2": gone, EVIL + "3": own}
    (home / ".claude.json").write_text(json.dumps({"mcpServers": entries}))
    (home / ".cursor").mkdir()
    (home / ".cursor" / "mcp.json").write_text(json.dumps({"mcpServers": {EVIL + "4": own}}))
    done = [
        foreword(*INSTALL),
        foreword(*INSTALL, "--graph", "found"),
        foreword(*INSTALL, "--graph", folder / "m.jsonl"),
        foreword("status"),
        foreword("doctor"),
        foreword("uninstall"),
    ]
    for told in done:
        shown = told.out + told.err
        assert not {*"\x1b\x07\x9b\u202e"} & {*shown}
        assert "\\ud800" not in shown
        assert not [line for line in shown.splitlines() if line.startswith("next: curl")]
        assert "b/m.jsonl" not in [line[:9] for line in shown.splitlines()]
    [line] = [line for line in done[0].out.splitlines() if "--file" in line and "owned" in line]
    assert line.partition("--file ")[2] == mcp_entries.quoted(str(folder / "m.jsonl"))


# -- settings that make no sense ------------------------------------------------------------------


def test_a_state_file_of_many_levels_ended_install_and_doctor_with_a_bug(foreword, repo, home):
    deep = '{"mcpServers":' + '{"a":' * 3_000 + "1" + "}" * 3_000 + "}"
    foreword(*INSTALL)
    (home / ".claude.json").write_text(deep)
    foreword(*INSTALL, "--dry-run")
    assert "could not be looked at to the end" not in foreword("doctor", code=1).out
    foreword("uninstall")
    assert (home / ".claude.json").read_text() == deep


@pytest.mark.parametrize("path", ["/tmp/\ud800", "\0", "~\0/m.jsonl", "~\ud800/m.jsonl", "\ud800/m.jsonl"])
def test_paths_that_no_file_can_have_ended_an_install(foreword, home, path):
    entry = {"command": "npx", "args": ["-y", PACKAGE], "env": {"MEMORY_FILE_PATH": path}}
    container = {"command": "docker", "args": ["run", "-v", f"{path}:/app/dist", "mcp/memory"]}
    own = {"command": "foreword", "args": ["serve", "--tools=graph"], "env": {"FOREWORD_HOME": path}}
    entries = {"a": entry, "b": container, "c": own}
    (home / ".claude.json").write_text(json.dumps({"mcpServers": entries}))
    foreword(*INSTALL)
    assert is_wired(home)

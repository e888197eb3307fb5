"""`foreword install`, `doctor` and `uninstall` beside an entry of the user's own that starts foreword, and a
memory server whose file is in a volume of docker."""

import json
import os

import pytest

from cli import fake_claude
from cli.fake_claude import everything_below

pytestmark = pytest.mark.skipif(os.name == "nt", reason="the stand-in is a shell script")

GRAPH = (
    '{"type":"entity","name":"shop","entityType":"service","observations":["moved"]}\n'
    '{"type":"entity","name":"ada","entityType":"person","observations":[]}\n'
)
INSTALL = ("install", "claude-code", "--anyway")
REMOVE = "claude mcp remove --scope user memory"


pytestmark = pytest.mark.usefixtures("repo", "only_claude")


@pytest.fixture
def file(home):
    """A graph, and an entry "memory" of the user's own that serves it with foreword."""
    file = home / "graphs" / "memory.jsonl"
    file.parent.mkdir()
    file.write_text(GRAPH)
    put(home, {"command": "foreword", "args": ["serve", "--tools", "graph"],
               "env": {"MEMORY_FILE_PATH": str(file)}})  # fmt: skip
    return file


def put(home, entry):
    (home / ".claude.json").write_text(json.dumps({"mcpServers": {"memory": entry}}))


# -- an entry of the user's own ------------------------------------------------------------------


def test_an_own_entry_was_not_seen_and_the_tools_were_there_twice(foreword, file):
    foreword("graph", "on", "--file", file)
    out = foreword(*INSTALL).out
    told = 'claude-code has the graph\'s tools twice, by "memory" in ~/.claude.json too; to remove it:\n    '
    assert told + REMOVE + "\n" in out
    assert "goes on with" not in out


def test_with_the_graph_off_an_own_entry_is_named_and_not_offered_as_anothers(foreword, file, store):
    out = foreword(*INSTALL).out
    assert 'claude-code has the graph\'s tools by "memory" in ~/.claude.json (its file: ~/graphs/' in out
    assert f"foreword graph on --file {file}, and then: {REMOVE}\n" in out
    assert "a knowledge graph is here" not in out
    assert not (store / "config.toml").exists()


def test_an_own_entry_with_another_file_is_told_with_that_file(foreword, file, home):
    other = home / "other.jsonl"
    other.write_text(GRAPH)
    foreword("graph", "on", "--file", other)
    assert "too (its file: ~/graphs/memory.jsonl); to remove it:" in foreword(*INSTALL).out


def test_an_own_entry_whose_file_is_not_there_yet_is_told_as_well(foreword, file):
    file.unlink()
    out = foreword(*INSTALL).out
    assert "has the graph's tools by" in out
    assert "no graph of it was found" not in out


def test_the_graph_of_an_own_entry_can_be_chosen(foreword, file, store):
    out = foreword(*INSTALL, "--graph", "found").out
    assert f'file = "{file}"' in (store / "config.toml").read_text()
    assert REMOVE in out


def test_the_server_that_is_wired_is_no_entry_of_the_users_own(foreword, home):
    foreword(*INSTALL)
    foreword("graph", "on")
    assert "twice" not in foreword(*INSTALL).out


def test_doctor_took_an_own_entry_for_a_second_memory(foreword, file, repo):
    foreword(*INSTALL)

    def notes():
        foreword(*INSTALL)  # the rules follow the graph
        found = foreword("doctor", "--client", "claude-code", "--json").json["findings"]
        return [(f["what"], f["hint"]) for f in found if "mcp remove" in f["hint"]]

    assert notes() == []
    foreword("graph", "on", "--file", file)
    told = 'the graph\'s tools are there twice: the MCP server "memory" starts foreword too'
    assert notes() == [(told, REMOVE)]


@pytest.mark.parametrize("dry", [[], ["--dry-run"]], ids=["real", "dry run"])
def test_an_own_entry_that_still_starts_foreword_was_left_without_a_word(foreword, home, file, dry):
    foreword(*INSTALL)
    done = foreword("uninstall", *dry)
    told = 'claude-code: your own entry "memory" in ~/.claude.json still starts foreword; to remove it:\n    '
    assert told + REMOVE + "\n" in done.out
    assert "scope user foreword" not in done.out.partition("your own entry")[2]
    assert "memory" in fake_claude.state(home)["mcpServers"]
    [own] = foreword("uninstall", "--json", *dry).json["own"]
    assert (own["client"], own["name"], own["remove"]) == ("claude-code", "memory", REMOVE)


def test_an_own_entry_of_a_client_that_was_not_named_is_not_told(foreword, file):
    assert "your own entry" not in foreword("uninstall", "codex").out


# -- a volume of docker --------------------------------------------------------------------------


def test_data_in_a_volume_of_docker_were_said_to_be_nowhere(foreword, home):
    put(home, {"command": "docker",
               "args": ["run", "-i", "-v", "claude-memory:/app/dist", "--rm", "mcp/memory"]})  # fmt: skip
    out = foreword(*INSTALL).out
    assert "its data are in docker's volume claude-memory; to go on with a copy of them:" in out
    copy = "cat /from/memory.jsonl > ~/claude-memory.jsonl"
    assert f"    docker run --rm -v claude-memory:/from alpine {copy}\n" in out
    assert "    foreword graph on --file ~/claude-memory.jsonl\n" in out
    assert "no graph of it was found" not in out
    assert "to have the same tools from here" not in out


def test_looking_writes_nothing(foreword, file, home):
    before = everything_below(home)
    foreword(*INSTALL, "--dry-run")
    assert everything_below(home) == before

"""`foreword install` where another memory server keeps a graph: told of, taken over only when asked."""

import json
import os
import shlex
import sys

import pytest

from cli import fake_claude
from cli.conftest import at_a_terminal
from cli.fake_claude import everything_below

pytestmark = pytest.mark.skipif(os.name == "nt", reason="the stand-in is a shell script")

PACKAGE = "@modelcontextprotocol/server-memory"
GRAPH = (
    '{"type":"entity","name":"shop","entityType":"service","observations":'
    '["2026-03-02: moved","2025-11-03: made"]}\n'
    '{"type":"entity","name":"ada","entityType":"person","observations":[]}\n'
    '{"type":"relation","from":"ada","to":"shop","relationType":"owns"}\n'
)
GRAPH_RULES = {
    "mcp__foreword__" + tool
    for tool in (
        "search_nodes", "open_nodes", "read_graph", "archived_observations", "create_entities",
        "create_relations", "add_observations", "rename_entity",
    )
}  # fmt: skip
INSTALL = ("install", "claude-code", "--anyway")


pytestmark = pytest.mark.usefixtures("only_claude")


@pytest.fixture
def reference(home):
    """A function that configures the reference server for a client; the graph's path."""

    def configure(file=None, client="claude-code", name="memory"):
        file = file or home / "graphs" / "memory.jsonl"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(GRAPH)
        path = home / {"claude-code": ".claude.json", "cursor": ".cursor/mcp.json"}[client]
        path.parent.mkdir(exist_ok=True)
        env = {} if PACKAGE in str(file) else {"MEMORY_FILE_PATH": str(file)}
        entry = {"command": "npx", "args": ["-y", PACKAGE], "env": env}
        path.write_text(json.dumps({"mcpServers": {name: entry}}))
        return file

    return configure


@pytest.fixture
def in_cache(home):
    return home / ".npm" / "_npx" / "8f2a" / "node_modules" / PACKAGE / "dist" / "memory.jsonl"


def rules(home):
    return json.loads((home / ".claude" / "settings.json").read_bytes())["permissions"]["allow"]


def is_wired(home):
    return "foreword.hook" in (home / ".claude" / "settings.json").read_text()


# -- what is told --------------------------------------------------------------------------------


def test_where_nothing_is_found_one_line_tells_the_price(foreword, home, config):
    out = foreword(*INSTALL).out
    [line] = [line for line in out.splitlines() if "graph" in line]
    assert line.endswith("tokens a session: foreword graph on")
    assert config() == ""
    assert not GRAPH_RULES & set(rules(home))


def test_a_graph_that_is_found_is_described_and_left_alone(foreword, home, config, reference):
    file = reference()
    before = file.read_bytes()

    done = foreword(*INSTALL, stdin="y\n")

    out = done.out
    assert "[y/N]" not in done.err
    assert "~/graphs/memory.jsonl\n    2 entities, 1 relation; first dated 2025-11-03, last changed 2" in out
    assert 'the reference MCP memory server; claude-code: "memory" in ~/.claude.json' in out
    assert f"to go on with it: foreword graph on --file {file}\n" in out
    assert file.read_bytes() == before
    assert config() == ""
    assert is_wired(home)
    assert not GRAPH_RULES & set(rules(home))
    assert fake_claude.state(home)["mcpServers"].keys() == {"memory", "foreword"}


def test_the_command_that_is_printed_takes_it_over(foreword, home, config, reference):
    file = reference(home / "my graphs" / "memory.jsonl")
    out = foreword(*INSTALL).out
    [line] = [line for line in out.splitlines() if "to go on with it: " in line]
    foreword(*shlex.split(line.partition("foreword ")[2]))
    assert config() == f'[graph]\non = true\nfile = "{file}"\n'


def test_memory_leans_own_file_is_found_without_an_entry(foreword, home):
    file = home / ".claude" / "memory-graph" / "memory.jsonl"
    file.parent.mkdir()
    file.write_text(GRAPH)
    out = foreword(*INSTALL).out
    assert "    of memory-lean\n" in out
    assert f"foreword graph on --file {file}" in out


def test_one_file_of_several_clients_is_told_once(foreword, reference):
    reference()
    file = reference(client="cursor", name="mem")
    found = foreword(*INSTALL, "--json").json["graph"]["found"]
    assert [graph["file"] for graph in found] == [str(file)]
    assert [(s["client"], s["name"]) for s in found[0]["servers"]] == [
        ("claude-code", "memory"), ("cursor", "mem"),
    ]  # fmt: skip


def test_an_entry_without_a_graph_is_named(foreword, home, reference):
    reference().unlink()
    out = foreword(*INSTALL).out
    assert 'claude-code has the reference MCP memory server: "memory" in ~/.claude.json' in out
    assert "no graph of it was found in ~/graphs/memory.jsonl" in out
    assert "foreword graph on" in out


@pytest.mark.parametrize("damage", [b"\xff\xfe\x00", b"[1, 2]\n{{{\n", b""])
def test_a_damaged_graph_does_not_stop_the_wiring(foreword, home, reference, damage):
    file = reference()
    file.write_bytes(damage)
    foreword(*INSTALL)
    assert is_wired(home)
    assert file.read_bytes() == damage


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root reads everything")
def test_a_graph_that_cannot_be_read_does_not_stop_the_wiring(foreword, home, reference):
    reference().chmod(0)
    assert "cannot be read" in foreword(*INSTALL).err
    assert is_wired(home)


def test_a_damaged_config_of_another_client_does_not_stop_the_wiring(foreword, home):
    (home / ".cursor").mkdir()
    (home / ".cursor" / "mcp.json").write_text('{"mcpServers": ')
    foreword(*INSTALL)
    assert is_wired(home)


def test_json_has_what_was_found(foreword, home, reference):
    file = reference()
    done = foreword(*INSTALL, "--json").json["graph"]
    [graph] = done.pop("found")
    assert done == {
        "on": False, "file": str(home / ".foreword" / "graph" / "memory.jsonl"), "taken": "", "error": "",
    }  # fmt: skip
    assert (graph["file"], graph["entities"], graph["relations"], graph["since"]) == (
        str(file), 2, 1, "2025-11-03",
    )  # fmt: skip
    assert graph["is_lost_on_update"] is False
    assert graph["command"] == f"foreword graph on --file {file}"
    assert graph["servers"] == [
        {
            "client": "claude-code", "config": str(home / ".claude.json"), "name": "memory",
            "kind": "reference", "remove": "claude mcp remove --scope user memory",
        }
    ]  # fmt: skip


# -- taking over ---------------------------------------------------------------------------------


@pytest.mark.parametrize("chosen", ["found", "the path"])
def test_a_graph_that_is_chosen_is_taken_over(foreword, home, config, reference, chosen):
    file = reference()

    out = foreword(*INSTALL, "--graph", file if chosen == "the path" else chosen).out

    assert config() == f'[graph]\non = true\nfile = "{file}"\n'
    assert "the graph is on: ~/graphs/memory.jsonl\n" in out
    assert "to remove it:\n    claude mcp remove --scope user memory\n" in out
    assert set(rules(home)) > GRAPH_RULES
    assert "memory" in fake_claude.state(home)["mcpServers"]
    assert file.read_text() == GRAPH


def test_a_second_run_changes_nothing_and_still_names_the_other_server(foreword, home, reference):
    reference()
    foreword(*INSTALL, "--graph", "found")
    before = everything_below(home)
    out = foreword(*INSTALL, "--graph", "found").out
    assert {path: data for path, (data, _) in everything_below(home).items()} == {
        path: data for path, (data, _) in before.items()
    }
    assert "nothing changed" in out
    assert "the graph is on already" in out
    assert "claude mcp remove --scope user memory" in out
    assert "claude mcp remove --scope user memory" in foreword(*INSTALL).out


def test_a_client_that_is_not_wired_keeps_its_server(foreword, reference):
    reference(client="cursor")
    out = foreword(*INSTALL, "--graph", "found").out
    assert 'cursor goes on with "memory" in ~/.cursor/mcp.json: both may use the file at once' in out
    assert "take" not in out


def test_a_graph_in_the_cache_of_npx_is_copied(foreword, home, config, reference, in_cache):
    file = reference(in_cache)
    out = foreword(*INSTALL).out
    assert "an update loses it" in out
    assert f"foreword graph on --copy {file}" in out

    foreword(*INSTALL, "--graph", "found")

    assert config() == "[graph]\non = true\n"
    assert (home / ".foreword" / "graph" / "memory.jsonl").read_text() == GRAPH
    assert file.read_text() == GRAPH


def test_a_copy_never_replaces_a_graph_of_the_store(foreword, home, config, reference, in_cache):
    file = reference(in_cache)
    own = home / ".foreword" / "graph" / "memory.jsonl"
    own.parent.mkdir(parents=True)
    own.write_text(GRAPH.replace("shop", "mine"))
    done = foreword(*INSTALL, "--graph", "found", code=1)
    assert "error: " in done.err and "hint: " in done.err
    assert "mine" in own.read_text()
    assert config() == ""
    assert is_wired(home)
    assert file.read_text() == GRAPH


def test_a_dry_run_shows_the_take_over_and_writes_nothing(foreword, home, reference):
    file = reference()
    before = everything_below(home)
    out = foreword(*INSTALL, "--dry-run", "--graph", "found").out
    assert everything_below(home) == before
    assert f"would be taken over: foreword graph on --file {file}" in out
    assert all(rule in out for rule in GRAPH_RULES)


@pytest.mark.parametrize(
    ("chosen", "told"),
    [
        ("nowhere.jsonl", "nowhere.jsonl: no such file"),
        ("found", "no graph of another memory server was found"),
        ("README.md", "README.md is no graph: no line of it is a record"),
    ],
)
def test_a_choice_that_cannot_be_taken_is_refused_before_anything_is_written(foreword, home, chosen, told):
    with open("README.md", "w") as f:
        f.write("# Not a graph\n")
    before = everything_below(home)
    done = foreword(*INSTALL, "--graph", chosen, code=1 if chosen != "README.md" else 2)
    [line] = [line for line in done.err.splitlines() if line.startswith("error: ")]
    assert told in line
    assert line.endswith("; nothing was changed")
    assert "hint: " in done.err
    assert everything_below(home) == before


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ('{"type":"note","text":"of another program"}\n', 0),
        ("", 0),
        ("# Not a graph\n", 2),
        ('# Not a graph\n{"type":"note"}\n', 0),
    ],
    ids=["other records", "empty", "none", "both"],
)
def test_install_and_graph_on_took_different_files_for_graphs(foreword, home, config, text, code):
    file = home / "m.jsonl"
    file.write_text(text)
    foreword(*INSTALL, "--graph", file, code=code)
    assert (str(file) in config()) == (code == 0)
    foreword("graph", "off")
    foreword("graph", "on", "--file", file, code=code)
    assert (str(file) in config()) == (code == 0)


def test_of_several_graphs_one_must_be_named(foreword, home, config, reference):
    one = reference()
    two = reference(home / "other" / "memory.jsonl", client="cursor")
    done = foreword(*INSTALL, "--graph", "found", code=2)
    assert f"hint: --graph {one}; --graph {two}" in done.err
    assert not (home / ".claude" / "settings.json").exists()
    foreword(*INSTALL, "--graph", two)
    assert str(two) in config()


def test_settings_that_cannot_be_edited_stop_it_before_anything_is_written(foreword, home, reference):
    reference()
    (home / ".foreword").mkdir()
    (home / ".foreword" / "config.toml").write_text("switch = = 1\n")
    done = foreword(*INSTALL, "--graph", "found", code=2)
    assert "config.toml:1:10: " in done.err
    assert not (home / ".claude" / "settings.json").exists()


def test_the_graph_in_use_is_not_replaced_without_a_choice(foreword, home, config, reference):
    file = reference()
    own = home / "own.jsonl"
    own.write_text(GRAPH)
    foreword("graph", "on", "--file", own)
    out = foreword(*INSTALL).out
    assert "the graph in use is another: ~/own.jsonl" in out
    out = foreword(*INSTALL, "--graph", "found").out
    assert str(file) in config()
    assert f"to go back to the one before: foreword graph on --file {own}" in out


# -- at a terminal -------------------------------------------------------------------------------


@pytest.mark.parametrize("answer", [b"y\n", b"n\n", b"\n", b"\x04"], ids=["yes", "no", "enter", "end"])
def test_a_terminal_is_asked_and_only_a_yes_counts(home, config, reference, answer):
    file = reference()
    out, err = at_a_terminal(*INSTALL, answer=answer)
    assert "Go on with this file? It switches on 11 tools (about 1,400 tokens a client session) [y/N]" in err
    assert is_wired(home)
    assert "to see it work: foreword doctor" in out
    if answer == b"y\n":
        assert config() == f'[graph]\non = true\nfile = "{file}"\n'
        assert set(rules(home)) > GRAPH_RULES
    else:
        assert config() == ""
        assert f"to go on with it: foreword graph on --file {file}" in out
        assert not GRAPH_RULES & set(rules(home))


def test_a_yes_came_after_it_was_said_that_nothing_changed(foreword, home, config, reference):
    foreword(*INSTALL)
    reference()

    out, _ = at_a_terminal(*INSTALL, answer=b"y\n")

    assert set(rules(home)) > GRAPH_RULES
    assert "nothing changed" not in out
    assert out.index("the graph is on: ~/graphs/memory.jsonl") < out.index("permission rules in ~/.claude")
    assert out.count("a knowledge graph is here") == 1


def test_a_no_is_asked_once_and_leaves_every_file(foreword, home, config, reference):
    foreword(*INSTALL)
    reference()
    before = everything_below(home)
    out, err = at_a_terminal(*INSTALL, answer=b"n\n")
    assert (out + err).count("a knowledge graph is here") == 1
    assert err.count("[y/N]") == 1
    assert everything_below(home).keys() == before.keys()
    assert config() == ""


def test_a_choice_of_no_file_was_passed_over(foreword, home):
    before = everything_below(home)
    assert "--graph names no file; nothing was changed" in foreword(*INSTALL, "--graph", "", code=2).err
    assert everything_below(home) == before


def test_a_terminal_is_not_asked_where_nothing_was_found(home):
    assert "[y/N]" not in at_a_terminal(*INSTALL, answer=b"")[1]


def test_a_terminal_is_not_asked_where_another_graph_is_in_use(foreword, home, config, reference):
    reference()
    own = home / "own.jsonl"
    own.write_text(GRAPH)
    foreword("graph", "on", "--file", own)
    _, err = at_a_terminal(*INSTALL, answer=b"y\n")
    assert "[y/N]" not in err
    assert str(own) in config()


def test_a_terminal_is_not_asked_in_a_dry_run(home, reference):
    reference()
    assert "[y/N]" not in at_a_terminal(*INSTALL, "--dry-run", answer=b"y\n")[1]
    assert "[y/N]" not in at_a_terminal(*INSTALL, "--json", answer=b"y\n")[1]


# -- permission rules ----------------------------------------------------------------------------


def test_deletions_still_ask(foreword, home, reference):
    reference()
    foreword(*INSTALL, "--graph", "found")
    assert not [rule for rule in rules(home) if "delete" in rule or "forget" in rule]


def test_the_rules_go_with_the_graph_at_the_next_install(foreword, home, reference):
    foreword(*INSTALL)
    without = (home / ".claude" / "settings.json").read_bytes()
    reference_file = reference(home / "g.jsonl", client="cursor")
    foreword(*INSTALL, "--graph", reference_file)
    assert set(rules(home)) > GRAPH_RULES
    foreword("graph", "off")
    foreword(*INSTALL)
    assert (home / ".claude" / "settings.json").read_bytes() == without


def test_a_rule_that_the_user_had_before_stays(foreword, home, reference):
    mine = "mcp__foreword__search_nodes"
    settings = home / ".claude" / "settings.json"
    original = json.dumps({"permissions": {"allow": ["Bash(ls:*)", mine]}}).encode()
    settings.write_bytes(original)
    foreword(*INSTALL, "--graph", reference(client="cursor"))
    foreword("graph", "off")
    foreword(*INSTALL)
    assert GRAPH_RULES & set(rules(home)) == {mine}
    foreword("uninstall", "claude-code")
    assert settings.read_bytes() == original


@pytest.mark.parametrize("off", [False, True])
def test_uninstall_gives_the_original_bytes_back_whatever_became_of_the_graph(foreword, home, reference, off):
    settings = home / ".claude" / "settings.json"
    original = b'{\n\t"model": "opus", // mine\n\t"permissions": {"allow": ["Bash(ls:*)"]},\n}\n'
    settings.write_bytes(original)
    foreword(*INSTALL)
    foreword(*INSTALL, "--graph", reference(client="cursor"))
    if off:
        foreword("graph", "off")
    foreword("uninstall", "claude-code")
    assert settings.read_bytes() == original


def test_uninstall_takes_the_graphs_rules_out_though_the_record_is_lost(foreword, home, reference):
    foreword(*INSTALL, "--graph", reference(client="cursor"))
    (home / ".foreword" / "state" / "installs" / "claude-code.json").unlink()
    foreword("uninstall", "claude-code")
    assert "foreword" not in (home / ".claude" / "settings.json").read_text()


@pytest.mark.parametrize("client", ["claude-code", "codex"])
def test_the_servers_command_stays_the_same_with_the_graph_on(foreword, home, client):
    """Codex trusts what it knows; which tools are served is the settings' to say."""
    arguments = ("install", client, "--anyway")
    foreword(*arguments)
    path = {"claude-code": home / ".claude.json", "codex": home / ".codex" / "config.toml"}[client]
    before = path.read_bytes()
    foreword("graph", "on")
    foreword(*arguments)
    assert path.read_bytes() == before
    assert sys.executable in path.read_text()

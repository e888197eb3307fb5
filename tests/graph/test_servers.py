"""Memory servers that clients have configured, in the clients' own files as people have them."""

import json
import os
import sys

import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis
from hypothesis import strategies as st

from foreword.graph import servers

PACKAGE = "@modelcontextprotocol/server-memory"
NPX = {"command": "npx", "args": ["-y", PACKAGE]}


@pytest.fixture
def home(tmp_path):
    return tmp_path / "home"


def put(path, value):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(value if isinstance(value, str) else json.dumps(value))


def touch(path, age=0):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text('{"type":"entity","name":"a","entityType":"t","observations":[]}\n')
    os.utime(path, (1_700_000_000 - age, 1_700_000_000 - age))
    return str(path)


def claude(home, entry, name="memory"):
    put(home / ".claude.json", {"mcpServers": {name: entry}})


def only():
    [server] = servers.servers()
    return server


def test_on_a_machine_with_nothing_nothing_is_found(home):
    assert servers.servers() == []


# -- which entries count -------------------------------------------------------------------------


@pytest.mark.parametrize(
    "entry",
    [
        NPX,
        {"command": "npx", "args": ["-y", PACKAGE + "@latest"]},
        {"command": "npx", "args": [f"{PACKAGE}@2025.8.4"]},
        {"command": "bunx", "args": [PACKAGE]},
        {"command": "pnpm", "args": ["dlx", PACKAGE]},
        {"command": "cmd", "args": ["/c", "npx", "-y", PACKAGE]},
        {"command": "C:\\Program Files\\nodejs\\npx.cmd", "args": ["-y", PACKAGE]},
        {"command": "sh", "args": ["-c", f"MEMORY_FILE_PATH=/x/m.jsonl exec npx -y '{PACKAGE}'"]},
        {"command": f"npx -y {PACKAGE}"},
        {"command": "mcp-server-memory"},
        {"command": "/usr/local/bin/mcp-server-memory"},
        {"command": "C:\\npm\\mcp-server-memory.cmd"},
        {"command": "node", "args": [f"/usr/lib/node_modules/{PACKAGE}/dist/index.js"]},
        {"command": "docker", "args": ["run", "-i", "--rm", "mcp/memory"]},
        {"command": "docker", "args": ["run", "-i", "docker.io/mcp/memory:1.0"]},
        {"type": "local", "command": ["npx", "-y", PACKAGE]},
    ],
)
def test_an_entry_counts_however_it_starts_the_reference_server(entry):
    assert servers.kind_of(entry) == "reference"


@pytest.mark.parametrize(
    "entry",
    [
        {"command": "node", "args": ["/home/u/tools/memory-lean.mjs"]},
        {"command": "/opt/memory lean/memory-lean.mjs"},
        {"command": "node", "args": ["C:\\tools\\memory-lean.mjs"]},
    ],
)
def test_an_entry_counts_that_starts_memory_lean(entry):
    assert servers.kind_of(entry) == "memory-lean"


@pytest.mark.parametrize(
    "entry",
    [
        {"command": "foreword", "args": ["serve", "--tools", "graph"]},
        {"command": "/home/u/.local/bin/foreword", "args": ["serve", "--reference-output", "--tools=graph"]},
        {"command": "C:\\Python\\Scripts\\foreword.exe", "args": ["serve", "--tools", "notes,graph"]},
        {"command": "python3", "args": ["-I", "-m", "foreword.cli", "serve", "--tools", "graph"]},
        {"command": "uvx", "args": ["foreword@latest", "serve", "--tools", "graph"]},
        {"command": ["foreword", "serve", "--tools", "graph"]},
        {"command": "sh", "args": ["-c", "exec foreword serve --tools graph"]},
    ],
)
def test_an_entry_of_the_users_own_that_serves_the_graph_was_not_recognised(entry):
    assert servers.kind_of(entry) == "foreword"


@pytest.mark.parametrize(
    "entry",
    [
        {},
        None,
        [],
        "npx",
        {"command": None, "args": None},
        {"command": 7, "args": [7, None]},
        {"url": "https://example.org/mcp"},
        {"command": "npx", "args": ["-y", "@modelcontextprotocol/server-memory-extra"]},
        {"command": "npx", "args": ["-y", "@somebody/server-memory"]},
        {"command": "python", "args": ["-I", "-m", "foreword.cli", "serve"]},
        {"command": "foreword", "args": ["serve", "--tools", "notes"]},
        {"command": "foreword", "args": ["serve", "--tools"]},
        {"command": "foreword", "args": ["graph", "serve", "--tools", "graph"]},
        {"command": "/home/u/foreword/run", "args": ["serve", "--tools", "graph"]},
        {"command": "docker", "args": ["run", "-i", "somebody/mcp/memory"]},
        {"command": "docker", "args": ["run", "-i", "mcp/memory-bank"]},
        {"command": "/home/u/mcp-server-memory/run.sh"},
    ],
)
def test_no_other_entry_counts(entry):
    assert servers.kind_of(entry) == ""


# -- where they are configured -------------------------------------------------------------------

_PROGRAMS = "Library/Application Support" if sys.platform == "darwin" else ".config"


@pytest.mark.skipif(os.name == "nt", reason="desktop programs have other folders there")
@pytest.mark.parametrize(
    ("client", "path", "text", "remove"),
    [
        ("claude-code", ".claude.json", {"mcpServers": {"m": NPX}},
         "claude mcp remove --scope user m"),
        ("claude-code", ".claude.json", {"projects": {"/src/a b": {"mcpServers": {"m": NPX}}}},
         "cd '/src/a b' && claude mcp remove --scope local m"),
        ("claude-code", "../cwd/.mcp.json", {"mcpServers": {"m": NPX}},
         "claude mcp remove --scope project m"),
        ("codex", ".codex/config.toml", f'[mcp_servers.m]\ncommand = "npx"\nargs = ["-y", "{PACKAGE}"]\n',
         "codex mcp remove m"),
        ("claude-desktop", _PROGRAMS + "/Claude/claude_desktop_config.json", {"mcpServers": {"m": NPX}},
         'take "m" out of mcpServers in '),
        ("cursor", ".cursor/mcp.json", {"mcpServers": {"m": NPX}}, 'take "m" out of mcpServers in '),
        ("cursor", "../cwd/.cursor/mcp.json", {"mcpServers": {"m": NPX}}, 'take "m" out of mcpServers in '),
        ("vscode", _PROGRAMS + "/Code/User/mcp.json", {"servers": {"m": NPX}}, 'take "m" out of servers in '),
        ("vscode", _PROGRAMS + "/Code/User/settings.json", {"mcp": {"servers": {"m": NPX}}},
         'take "m" out of mcp.servers in '),
        ("vscode", "../cwd/.vscode/mcp.json", {"servers": {"m": NPX}}, 'take "m" out of servers in '),
        ("windsurf", ".codeium/windsurf/mcp_config.json", {"mcpServers": {"m": NPX}},
         'take "m" out of mcpServers in '),
        ("gemini", ".gemini/settings.json", {"mcpServers": {"m": NPX}}, "gemini mcp remove -s user m"),
        ("opencode", ".config/opencode/opencode.json", {"mcp": {"m": {"command": ["npx", PACKAGE]}}},
         'take "m" out of mcp in '),
        ("zed", ".config/zed/settings.json",
         {"context_servers": {"m": {"command": {"path": "npx", "args": ["-y", PACKAGE]}}}},
         'take "m" out of context_servers in '),
        ("mimo", ".config/mimocode/mimocode.jsonc", {"mcp": {"m": {"command": ["npx", PACKAGE]}}},
         'take "m" out of mcp in '),
        ("mimo", ".config/mimocode/mimocode.json", {"mcp": {"m": {"command": ["npx", PACKAGE]}}},
         'take "m" out of mcp in '),
        ("mimo", ".config/mimocode/config.json", {"mcp": {"m": {"command": ["npx", PACKAGE]}}},
         'take "m" out of mcp in '),
    ],
)  # fmt: skip
def test_each_client_is_read_where_it_keeps_its_servers(home, client, path, text, remove):
    path = home / path
    put(path, text)
    server = only()
    assert (server.client, server.name, server.kind) == (client, "m", "reference")
    assert os.path.samefile(server.config, path)
    assert server.remove == (remove + server.config if remove.endswith(" in ") else remove)


def test_the_clients_own_variables_move_their_folders(home, tmp_path, monkeypatch):
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "claude"))
    monkeypatch.setenv("CODEX_HOME", str(tmp_path / "codex"))
    claude(home, NPX, "not this one")
    put(tmp_path / "claude" / ".claude.json", {"mcpServers": {"one": NPX}})
    put(tmp_path / "codex" / "config.toml", f'[mcp_servers]\ntwo = {{ command = "npx {PACKAGE}" }}\n')
    assert [server.name for server in servers.servers()] == ["one", "two"]


def test_comments_a_byte_order_mark_and_other_entries_are_no_trouble(home):
    text = '\ufeff{ // mine\n "mcpServers": { "files": {"command": "x"}, "m": %s, }, }' % json.dumps(NPX)
    put(home / ".cursor" / "mcp.json", text)
    assert only().name == "m"


@pytest.mark.parametrize(
    "text", ["", "{", "[1]", '{"mcpServers": [1]}', '{"mcpServers": {"m": 3}}', "[" * 9999]
)
def test_what_cannot_be_read_is_passed_over_and_the_rest_is_found(home, text):
    put(home / ".claude.json", text)
    put(home / ".codex" / "config.toml", "[mcp_servers\n")
    (home / ".gemini" / "settings.json").mkdir(parents=True)
    put(home / ".cursor" / "mcp.json", {"mcpServers": {"m": NPX}})
    assert only().client == "cursor"


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.text(max_size=9)
    | st.sampled_from([PACKAGE, "-v", "--mount", "mcp/memory"]),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(["command", "args", "env", "environment", "MEMORY_FILE_PATH", "x"]),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@given(JSON, st.sampled_from(["mcpServers", "projects"]))
@hypothesis(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_no_settings_make_the_look_fail(home, entry, key):
    put(home / ".claude.json", {key: {"m": entry}})
    for server in servers.servers():
        assert server.file == "" or os.path.isabs(server.file)


def test_nothing_is_written(home):
    claude(home, NPX)
    before = sorted(os.walk(home))
    servers.servers()
    assert sorted(os.walk(home)) == before


def test_a_current_folder_that_is_gone_is_no_trouble(home, tmp_path, monkeypatch):
    claude(home, NPX)
    (tmp_path / "gone").mkdir()
    monkeypatch.chdir(tmp_path / "gone")
    (tmp_path / "gone").rmdir()
    assert only().name == "memory"


OWN = {"command": "foreword", "args": ["serve", "--tools", "graph"]}


def test_the_server_that_install_wired_is_not_the_users_own(home):
    claude(home, OWN, "foreword")
    put(home / ".codex" / "config.toml", '[mcp_servers.foreword]\ncommand = "foreword serve --tools graph"\n')
    assert servers.servers() == []
    assert servers.own_entries() == []
    put(home / ".claude.json", {"projects": {"/src": {"mcpServers": {"foreword": OWN}}}})
    assert [server.remove for server in servers.own_entries()] == [
        "cd /src && claude mcp remove --scope local foreword"
    ]


def test_own_entries_are_found_whatever_tools_they_offer(home):
    claude(home, {"command": "foreword", "args": ["serve"]}, "notes")
    assert servers.servers() == []
    [server] = servers.own_entries()
    assert (server.name, server.remove) == ("notes", "claude mcp remove --scope user notes")


@pytest.mark.parametrize(
    ("env", "config", "file"),
    [
        ({}, "", "home/.foreword/graph/memory.jsonl"),
        ({"MEMORY_FILE_PATH": "~/m.jsonl"}, "", "home/m.jsonl"),
        ({"MEMORY_FILE_PATH": "m.jsonl"}, "", "home/.foreword/graph/m.jsonl"),
        ({}, '[graph]\nfile = "~/set.jsonl"\n', "home/set.jsonl"),
        ({}, "[graph\n", "home/.foreword/graph/memory.jsonl"),
        ({}, "graph = 3\n", "home/.foreword/graph/memory.jsonl"),
        ({"FOREWORD_HOME": "~/other"}, '[graph]\nfile = "~/set.jsonl"\n', "home/other/graph/memory.jsonl"),
        ({"FOREWORD_HOME": "relative"}, "", None),
    ],
)
def test_an_own_entry_uses_the_file_that_our_server_would(home, tmp_path, monkeypatch, env, config, file):
    monkeypatch.delenv("FOREWORD_HOME", raising=False)
    claude(home, {**OWN, "env": env})
    put(home / ".foreword" / "config.toml", config)
    before = sorted(os.walk(home))
    assert (only().kind, only().file) == ("foreword", str(tmp_path / file) if file else "")
    assert sorted(os.walk(home)) == before


def test_codex_hands_on_only_the_variables_that_an_entry_names(home, tmp_path, monkeypatch):
    monkeypatch.setenv("MEMORY_FILE_PATH", str(tmp_path / "m.jsonl"))
    text = f'[mcp_servers.m]\ncommand = "npx {PACKAGE}"\n'
    put(home / ".codex" / "config.toml", text)
    assert only().file == ""
    put(home / ".codex" / "config.toml", text + 'env_vars = ["MEMORY_FILE_PATH", "NOT_SET"]\n')
    assert only().file == str(tmp_path / "m.jsonl")


# -- which file they mean ------------------------------------------------------------------------


def test_the_entrys_own_variable_names_the_file(home, tmp_path):
    claude(home, {**NPX, "env": {"MEMORY_FILE_PATH": str(tmp_path / "not-yet.jsonl")}})
    assert only().file == str(tmp_path / "not-yet.jsonl")
    assert only().is_lost_on_update is False


@pytest.mark.parametrize("key", ["env", "environment"])
def test_a_tilde_means_the_home_where_such_a_file_is(home, key):
    claude(home, {**NPX, key: {"MEMORY_FILE_PATH": "~/m.jsonl"}})
    assert only().file == str(home / "m.jsonl")
    file = touch(home / "m.jsonl")
    assert only().file == file


def test_a_tilde_that_the_older_versions_took_for_a_folder_is_found_too(home):
    claude(home, {**NPX, "env": {"MEMORY_FILE_PATH": "~/m.jsonl"}})
    file = touch(dist(home) / "~" / "m.jsonl")
    assert only().file == file
    assert only().is_lost_on_update is True


def dist(home, key="8f2a"):
    return home / ".npm" / "_npx" / key / "node_modules" / PACKAGE / "dist"


@pytest.mark.parametrize("name", ["memory.jsonl", "memory.json"])
def test_without_the_variable_it_is_the_newest_in_the_cache_of_npx(home, name):
    claude(home, NPX)
    assert only().file == ""
    touch(dist(home, "0001") / "memory.jsonl", age=50)
    newest = touch(dist(home, "0002") / name)
    touch(dist(home, "0003") / "memory.jsonl", age=99)
    assert (only().file, only().is_lost_on_update) == (newest, True)


def test_the_cache_of_npx_may_be_elsewhere(home, tmp_path, monkeypatch):
    claude(home, NPX)
    monkeypatch.setenv("npm_config_cache", str(tmp_path / "ca[c]he"))
    file = touch(tmp_path / "ca[c]he" / "_npx" / "1" / "node_modules" / PACKAGE / "dist" / "memory.jsonl")
    assert only().file == file


def test_a_relative_path_is_below_the_package(home):
    claude(home, {**NPX, "env": {"MEMORY_FILE_PATH": "mine/m.jsonl"}})
    assert only().file == ""
    file = touch(dist(home) / "mine" / "m.jsonl")
    assert only().file == file


def test_a_script_that_is_named_has_its_file_beside_it(home, tmp_path):
    folder = tmp_path / "my tools" / "node_modules" / PACKAGE / "dist"
    file = touch(folder / "memory.jsonl")
    touch(dist(home) / "memory.jsonl")
    claude(home, {"command": "node", "args": [str(folder / "index.js")]})
    assert (only().file, only().is_lost_on_update) == (file, True)


@pytest.mark.skipif(os.name == "nt", reason="links need a right of their own there")
def test_a_program_on_the_path_leads_to_its_package(home, tmp_path, monkeypatch):
    folder = tmp_path / "lib" / "node_modules" / PACKAGE / "dist"
    file = touch(folder / "memory.jsonl")
    (folder / "index.js").write_text("")
    (folder / "index.js").chmod(0o755)
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "mcp-server-memory").symlink_to(folder / "index.js")
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    claude(home, {"command": "mcp-server-memory"})
    assert (only().file, only().is_lost_on_update) == (file, True)


def test_the_command_line_and_the_inherited_environment_name_it_too(home, tmp_path, monkeypatch):
    monkeypatch.setenv("MEMORY_FILE_PATH", str(tmp_path / "inherited.jsonl"))
    claude(home, NPX)
    assert only().file == str(tmp_path / "inherited.jsonl")
    claude(home, {"command": "env", "args": ["MEMORY_FILE_PATH=/x y/m.jsonl", "npx", PACKAGE]})
    assert only().file == "/x y/m.jsonl"
    claude(home, {"command": "sh", "args": ["-c", f"MEMORY_FILE_PATH='/z/m.jsonl' npx {PACKAGE}"]})
    assert only().file == "/z/m.jsonl"


@pytest.mark.parametrize(
    "written",
    ["${WHERE}/m.jsonl", "${env:WHERE}/m.jsonl", "${NOWHERE:-/set}/m.jsonl", "${WHERE:-/not}/m.jsonl"],
)
def test_variables_of_the_clients_are_filled_in(home, monkeypatch, written):
    monkeypatch.setenv("WHERE", "/set")
    claude(home, {**NPX, "env": {"MEMORY_FILE_PATH": written}})
    assert only().file == "/set/m.jsonl"


@pytest.mark.parametrize("written", ["${input:where}/m.jsonl", "/a/${NOWHERE}/m.jsonl", "/a\0b"])
def test_what_cannot_be_told_is_not_guessed(home, written):
    claude(home, {**NPX, "env": {"MEMORY_FILE_PATH": written}})
    assert only().file == ""


@pytest.mark.parametrize(
    ("arguments", "file"),
    [
        (["-v", "%s:/app/dist"], "memory.jsonl"),
        (["--volume=%s:/app/dist:rw"], "memory.jsonl"),
        (["--mount", "type=bind,source=%s,target=/app/dist/"], "memory.jsonl"),
        (["--mount", "type=bind,src=%s,dst=/app"], "dist/memory.json"),
        (["-v", "%s:/kept", "-e", "MEMORY_FILE_PATH=/kept/g/m.jsonl"], "g/m.jsonl"),
        (["-v", "%s:/kep", "-e", "MEMORY_FILE_PATH=/kept/g/m.jsonl"], ""),
        (["-v", "claude-memory:/app/dist"], ""),
        (["-v", "%s:/app/dis"], ""),
        (["-v"], ""),
        ([], ""),
    ],
)
def test_a_container_has_its_file_where_a_folder_is_mounted(home, tmp_path, monkeypatch, arguments, file):
    monkeypatch.setenv("MEMORY_FILE_PATH", "/inherited/by/no/container.jsonl")
    folder = tmp_path / "data"
    for name in ("memory.jsonl", "g/m.jsonl", "dist/memory.json"):
        touch(folder / name)
    arguments = [text.replace("%s", str(folder)) for text in arguments]
    claude(home, {"command": "docker", "args": ["run", "-i", *arguments, "--rm", "mcp/memory"]})
    expected = str(folder / file) if file else ""
    assert (only().kind, only().file, only().is_lost_on_update) == ("reference", expected, False)


@pytest.mark.parametrize(
    ("arguments", "volume"),
    [
        (["-v", "claude-memory:/app/dist"], ("claude-memory", "memory.jsonl")),
        (["--mount", "type=volume,src=kept,dst=/app"], ("kept", "dist/memory.jsonl")),
        (["-v", "kept:/d", "-e", "MEMORY_FILE_PATH=/d/g/m.jsonl"], ("kept", "g/m.jsonl")),
        (["-v", "kept:/other"], ()),
        (["-v", "/a/folder:/app/dist"], ()),
        (["-v", "./here:/app/dist"], ()),
        ([], ()),
    ],
)
def test_a_volume_of_docker_is_named_with_the_files_place_in_it(home, arguments, volume):
    claude(home, {"command": "docker", "args": ["run", "-i", *arguments, "--rm", "mcp/memory"]})
    assert (only().file, only().volume) == ("", volume)


def test_memory_lean_has_a_default_file_with_or_without_an_entry(home):
    file = str(home / ".claude" / "memory-graph" / "memory.jsonl")
    claude(home, {"command": "node", "args": ["/opt/memory-lean.mjs"]})
    assert (only().kind, only().client, only().file) == ("memory-lean", "claude-code", file)
    touch(home / ".claude" / "memory-graph" / "memory.jsonl")
    assert only().file == file  # once, though it is there too
    (home / ".claude.json").unlink()
    assert (only().kind, only().client, only().file, only().remove) == ("memory-lean", "", file, "")

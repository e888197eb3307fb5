"""Memory servers in settings that came with a repository, or hold what is no path, or never end."""

import json
import os
import shutil
import subprocess
import sys

import pytest
from hypothesis import example, given
from hypothesis import settings as hypothesis
from hypothesis import strategies as st

from foreword.clients import mcp_entries
from foreword.graph import servers
from foreword.text.frame import plain

PACKAGE = "@modelcontextprotocol/server-memory"
NPX = {"command": "npx", "args": ["-y", PACKAGE]}


@pytest.fixture
def home(tmp_path):
    return tmp_path / "home"


def put(path, value):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value))


def claude(home, entry):
    put(home / ".claude.json", {"mcpServers": {"memory": entry}})


def only():
    [server] = servers.servers()
    return server


@pytest.mark.skipif(os.name == "nt", reason="a device of POSIX, and a limit of memory")
@pytest.mark.parametrize("name", [".mcp.json", ".cursor/mcp.json", ".vscode/mcp.json"])
def test_an_endless_file_in_a_cloned_repository_was_read_until_memory_ended(home, tmp_path, name):
    path = tmp_path / "cwd" / name
    path.parent.mkdir(exist_ok=True)
    path.symlink_to("/dev/zero")
    claude(home, NPX)
    look = (
        "import resource as r; r.setrlimit(r.RLIMIT_AS, (1 << 30, 1 << 30));"
        "from foreword.graph import servers; print([server.name for server in servers.servers()])"
    )
    done = subprocess.run([sys.executable, "-c", look], capture_output=True, text=True, timeout=60)
    assert (done.stdout, done.returncode) == ("['memory']\n", 0), done.stderr[-300:]


@pytest.mark.parametrize(
    "written",
    ["/tmp/\ud800", "\ud800", "~\ud800/m", "~\0/m", "/a\0b", "/" + "a" * 9_999, "${a:-" * 30_000],
    ids=["surrogate", "bare", "in a user's name", "NUL in a user's name", "NUL", "long", "variables"],
)
@pytest.mark.parametrize("command", ["npx", "node /x/memory-lean.mjs", "foreword serve --tools=graph"])
def test_a_path_that_no_file_can_have_ended_the_look(home, command, written):
    entry = {"command": command, "args": [PACKAGE] if command == "npx" else []}
    claude(home, {**entry, "env": {"MEMORY_FILE_PATH": written, "FOREWORD_HOME": written}})
    assert only().file == ""
    claude(home, {"command": "docker", "args": ["run", "-v", f"{written}:/app/dist", "mcp/memory"]})
    assert (only().file, only().volume) == ("", ()) or written.startswith("/aaa")


@pytest.mark.parametrize(
    ("path", "is_of_folder"),
    [
        (".mcp.json", True),
        (".cursor/mcp.json", True),
        (".vscode/mcp.json", True),
        ("../home/.cursor/mcp.json", False),
        ("../home/.claude.json", False),
    ],
)
def test_what_the_current_folder_brings_along_is_told_apart(tmp_path, path, is_of_folder):
    put(tmp_path / "cwd" / path, {"mcpServers": {"m": NPX}, "servers": {"m": NPX}})
    assert only().is_of_folder is is_of_folder


def test_settings_of_the_home_were_read_twice_where_that_is_the_current_folder(home, monkeypatch):
    put(home / ".cursor" / "mcp.json", {"mcpServers": {"m": NPX}})
    monkeypatch.chdir(home)
    assert only().is_of_folder is False


@pytest.mark.skipif(os.name == "nt" or not shutil.which("bash"), reason="another shell")
@given(st.text(st.characters(min_codepoint=1, exclude_categories=["Cs"])) | st.sampled_from(["a\udc80'", ""]))
@example("it's\x1b[2J\n\\7\u202e")
@hypothesis(max_examples=40, deadline=None)
def test_a_shell_reads_what_was_quoted_and_nothing_in_it_acts_on_a_terminal(word):
    line = mcp_entries.quoted(word)
    assert plain(line) == line
    assert not set("\t\n\r") & set(line)
    done = subprocess.run(["bash", "-c", f"printf %s {line}".encode()], capture_output=True, check=True)
    assert done.stdout == os.fsencode(word)

"""`foreword serve` as a command."""

import os
import subprocess
import sys

import pytest

from .conftest import COMMAND


def run(*arguments):
    return subprocess.run([*COMMAND, *arguments], capture_output=True, text=True, stdin=subprocess.DEVNULL)


@pytest.mark.parametrize(
    "arguments",
    [
        [], ["--tools", "notes"], ["--tools=notes"], ["--project", "."], ["--project", ""], ["--tools=graph"],
        ["--tools", "graph, notes"], ["--tools", "graph", "--reference-output"],
        ["--reference-output", "--tools=notes,graph", "--project=."],
    ],
)  # fmt: skip
def test_it_serves_until_its_input_ends(arguments):
    done = run(*arguments)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--tools", "verbs"], "--tools takes: notes, graph"),
        (["--tools", ""], "--tools takes: notes, graph"),
        (["--tools", "notes,"], "--tools takes: notes, graph"),
        (["--reference-output"], "--reference-output is for the graph's tools"),
        (["--reference-output=1", "--tools", "graph"], "--reference-output"),
        (["--tools"], "--tools"),
        (["--port", "80"], "--port"),
        (["--project", "no/such/folder"], "no/such/folder is no folder"),
        (["extra"], "extra"),
    ],
)
def test_a_wrong_option_is_told_on_stderr_with_code_2(arguments, told):
    done = run(*arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("error: ")
    assert told in done.stderr
    assert "hint: " in done.stderr


def test_help_names_every_option():
    done = run("--help")
    assert done.returncode == 0
    for word in ("--tools", "--reference-output", "--project", "CLAUDE_PROJECT_DIR", "MEMORY_FILE_PATH"):
        assert word in done.stdout


def test_it_runs_without_stderr_or_a_terminal(tmp_path):
    code = "import os, sys; os.close(2)\nos.execv(sys.executable, [sys.executable, *sys.argv[1:]])"
    ping = b'{"jsonrpc": "2.0", "id": 1, "method": "ping"}\n'
    done = subprocess.run([sys.executable, "-c", code, *COMMAND[1:]], input=ping, capture_output=True)
    assert done.stdout == b'{"jsonrpc":"2.0","id":1,"result":{}}\n'
    assert done.returncode == 0


@pytest.mark.skipif(os.name == "nt", reason="descriptors of POSIX")
def test_it_runs_on_pipes_that_do_not_block():
    code = (
        "import os, sys; os.set_blocking(0, False); os.set_blocking(1, False)\n"
        "os.execv(sys.executable, [sys.executable, *sys.argv[1:]])"
    )
    server = subprocess.Popen(
        [sys.executable, "-c", code, *COMMAND[1:]], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    ping = b'{"jsonrpc": "2.0", "id": 1, "method": "ping"}\n'
    for _ in range(3):
        server.stdin.write(ping)
        server.stdin.flush()
        assert server.stdout.readline() == b'{"jsonrpc":"2.0","id":1,"result":{}}\n'
    server.communicate()
    assert server.returncode == 0

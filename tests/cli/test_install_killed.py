"""An install or uninstall that is killed at any of its writes: the next one leaves nothing of it behind."""

import os
import shutil
import signal
import subprocess
import sys

import pytest

pytestmark = [
    pytest.mark.skipif(os.name == "nt", reason="no process is killed like that there"),
    pytest.mark.usefixtures("only_claude"),
]

# The command line, killed before the n-th call that changes a folder; it prints how many there were.
KILLED = """
import os, sys
left = [int(sys.argv[1])]
calls = left[0]
def counted(function):
    def call(*arguments, **options):
        left[0] -= 1
        if left[0] == 0:
            os.kill(os.getpid(), 9)
        return function(*arguments, **options)
    return call
for name in ("replace", "link", "unlink", "mkdir", "rmdir"):
    setattr(os, name, counted(getattr(os, name)))
from foreword.cli.root import run
code = run(sys.argv[2:])
print("calls", calls - left[0])
sys.exit(code)
"""
CLIENTS = ("gemini", "cursor")
INSTALL = ("install", *CLIENTS, "--anyway")
UNINSTALL = ("uninstall", *CLIENTS)
TIMES = 3  # this test takes so many of the writes at a time, the next one the others


def killed(n, *arguments):
    """Run a command line that is killed at its n-th write; how many there were where it lived on."""
    done = subprocess.run(
        [sys.executable, "-I", "-c", KILLED, str(n), *arguments], capture_output=True, timeout=60
    )
    if done.returncode == -signal.SIGKILL:
        return 0
    assert done.returncode == 0, done.stderr
    return int(done.stdout.split()[-1])


def everything(top):
    """{path below the home: bytes, None for a folder}, without the backups and the store."""
    found = {}
    for path in top.rglob("*"):
        if ".foreword" not in path.parts and ".foreword.bak." not in path.name:
            found[str(path.relative_to(top))] = None if path.is_dir() else path.read_bytes()
    return found


@pytest.fixture
def anew(tmp_path):
    """A function that makes the user's home as it was at first: settings of Gemini CLI, and nothing else."""
    home = tmp_path / "home"

    def make():
        shutil.rmtree(home, ignore_errors=True)
        (home / ".gemini").mkdir(parents=True)
        (home / ".gemini" / "settings.json").write_bytes(b'{\n  // mine\n  "ui": {}\n}\n')
        return home, everything(home)

    return make


@pytest.mark.parametrize("part", range(TIMES))
def test_what_a_killed_install_left_stayed_for_good(anew, foreword, part):
    """Half-written files with the user's settings in them, folders; whether or not it is run again."""
    anew()
    calls = killed(10_000, *INSTALL)
    assert calls > 30
    for n in range(1 + part, calls + 1, TIMES):
        home, before = anew()
        assert killed(n, *INSTALL) == 0
        if n % 2:
            foreword(*INSTALL)
            assert not [name for name in everything(home) if name.endswith(".tmp")]
        foreword(*UNINSTALL)
        assert everything(home) == before, n


@pytest.mark.parametrize("part", range(TIMES))
def test_what_a_killed_uninstall_left_goes_with_the_next(anew, foreword, part):
    anew()
    foreword(*INSTALL)
    calls = killed(10_000, *UNINSTALL)
    assert calls > 10
    for n in range(1 + part, calls + 1, TIMES):
        home, before = anew()
        foreword(*INSTALL)
        assert killed(n, *UNINSTALL) == 0
        foreword(*UNINSTALL)
        assert everything(home) == before, n

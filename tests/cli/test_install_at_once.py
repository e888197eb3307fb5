"""Several installs and uninstalls at once, as two terminals start them; and one that takes its time."""

import json
import os
import pty
import subprocess
import sys

import pytest

from cli.conftest import COMMAND, PATIENCE_S
from foreword import files
from foreword.edit import turn

pytestmark = pytest.mark.usefixtures("only_claude", "at_its_place")
CLIENTS = ("gemini", "windsurf", "cursor")
SETTINGS = b'{\n  "ui": {}\n}\n'


@pytest.fixture
def at_its_place(monkeypatch):
    """The store is where it is without a variable: an install says where it is moved to."""
    monkeypatch.delenv("FOREWORD_HOME")


def started(*arguments):
    return subprocess.Popen([*COMMAND, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def recorded(store):
    """{client: {path: record}}"""
    installs = store / "state" / "installs"
    return {path.stem: json.loads(path.read_bytes())["files"] for path in installs.glob("*.json")}


@pytest.mark.parametrize("again", range(3))
def test_three_installs_at_once_lost_the_records_of_the_way_back(foreword, home, store, again):
    (home / ".gemini").mkdir()
    (home / ".gemini" / "settings.json").write_bytes(SETTINGS)
    installs = [started("install", *CLIENTS, "--anyway") for _ in range(3)]
    told = [install.communicate(timeout=PATIENCE_S) for install in installs]
    assert [install.returncode for install in installs] == [0, 0, 0], told
    kept = recorded(store)
    assert set(kept) == set(CLIENTS)
    original = kept["gemini"][str(home / ".gemini" / "settings.json")]
    assert original["existed"]
    with open(original["copy"], "rb") as f:
        assert f.read() == SETTINGS
    assert all(os.path.exists(path) for files in kept.values() for path in files)
    assert len(kept["cursor"]) == 4  # the settings, three skills
    foreword("uninstall")
    assert (home / ".gemini" / "settings.json").read_bytes() == SETTINGS
    assert not (home / ".cursor").exists()
    assert not (home / ".codeium").exists()


@pytest.mark.parametrize("verb", ["install", "uninstall"])
def test_who_waits_for_another_says_so_and_goes_on(foreword, home, store, verb):
    foreword("install", "zed", "--anyway")
    with files.Lock(str(store / "state" / "installs")) as held:
        assert held
        waiting = started(verb, "cursor", *(["--anyway"] if verb == "install" else []))
        assert waiting.stderr.readline() == turn.WAITING + "\n"
    out, err = waiting.communicate(timeout=PATIENCE_S)
    assert (waiting.returncode, err) == (0, "")
    assert "cursor: " in out


def test_a_dry_run_waits_for_nobody_and_makes_nothing(foreword, home, store):
    foreword("install", "cursor", "--dry-run", "--anyway")
    foreword("uninstall", "--dry-run")
    assert not store.exists()
    foreword("install", "zed", "--anyway")
    with files.Lock(str(store / "state" / "installs")) as held:
        assert held
        for verb in (["install", "--anyway"], ["uninstall"]):
            assert foreword(*verb, "cursor", "--dry-run").err == ""


@pytest.mark.skipif(os.name == "nt", reason="a terminal as POSIX has it")
def test_an_install_that_took_half_a_minute_said_nothing():
    """What takes longer than a second shows how far it is, before its first step is done and after."""
    program = (
        "from foreword.cli.output import at_work\n"
        "with at_work('reading settings', 2) as step:\n"
        "    input(); step(1); print(input())"
    )
    ours, theirs = pty.openpty()
    seen = b""
    with subprocess.Popen(
        [sys.executable, "-I", "-c", program], stdin=subprocess.PIPE, stderr=theirs, stdout=subprocess.PIPE
    ) as process:
        for shown in (b"0 of 2", b"1 of 2"):
            while shown not in seen:
                seen += os.read(ours, 1000)
            process.stdin.write(b"\n")
            process.stdin.flush()
        assert process.wait(PATIENCE_S) == 0
    os.close(ours)
    os.close(theirs)
    assert seen.startswith(b"\rreading settings [")

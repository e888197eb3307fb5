"""`make demo` shows what it promises, changes nothing and leaves nothing behind."""

import os
import signal
import subprocess
import sys

import pytest

from e2e.claude import find
from e2e.home import TOP, git

EDITED = "src/foreword/index/search.py"  # by the demo, in its copy only
STEPS = ["1. ", "2. ", "3. ", "4. ", "5. ", "6. ", "7. "]


@pytest.fixture
def start(tmp_path):
    """A function that starts the demo with its temporary folder inside tmp_path/t; a Popen."""
    (tmp_path / "t").mkdir()

    def start(*arguments, **environment):
        return subprocess.Popen(
            [sys.executable, os.path.join(TOP, "demo", "demo.py"), *arguments],
            env={**os.environ, "TMPDIR": str(tmp_path / "t"), **environment},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )

    return start


def headings(said):
    return [line[:3] for line in said.splitlines() if line[:1].isdigit()]


def played_to_the_end(demo, tmp_path):
    """What a demo that must succeed said."""
    said, problems = demo.communicate(timeout=100)
    assert (demo.returncode, problems) == (0, "")
    assert headings(said) == STEPS
    assert os.listdir(tmp_path / "t") == []
    return said


def test_with_recorded_events_it_shows_all_steps(start, tmp_path):
    edited = os.path.join(TOP, EDITED)
    with open(edited, "rb") as f:
        before = f.read(), os.stat(edited).st_mtime_ns, git(TOP, "worktree", "list")

    said = played_to_the_end(start("--recorded"), tmp_path)

    assert "recorded events of Claude Code" in said
    assert "<foreword>" in said
    assert f"CHANGED: {EDITED}" in said
    with open(edited, "rb") as f:
        assert (f.read(), os.stat(edited).st_mtime_ns, git(TOP, "worktree", "list")) == before


@pytest.mark.e2e
def test_with_the_real_client_it_shows_all_steps(start, tmp_path, make_claude):
    said = played_to_the_end(start(CLAUDE_BIN=find()), tmp_path)

    assert "the real Claude Code" in said
    assert "<foreword>" in said
    assert f"CHANGED: {EDITED}" in said


@pytest.mark.parametrize("ended_by", [signal.SIGINT, signal.SIGTERM])
def test_stopped_halfway_it_leaves_nothing_behind(start, tmp_path, ended_by):
    demo = start("--recorded")
    for line in demo.stdout:
        if line.startswith("2. "):
            break
    assert len(os.listdir(tmp_path / "t")) == 1

    os.killpg(demo.pid, ended_by)
    demo.communicate(timeout=100)

    assert demo.returncode == 128 + ended_by
    assert os.listdir(tmp_path / "t") == []

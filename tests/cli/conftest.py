"""The command line as a person or a program uses it: real processes, in a small repository."""

import json
import os
import subprocess
import sys

import pytest

from cli import fake_claude
from cli.graphs import OLD, entity, relation

COMMAND = [sys.executable, "-I", "-m", "foreword.cli"]
PATIENCE_S = 60  # a run that takes longer hangs; one takes 0.2 s


class Done:
    """What one run left: exit code, stdout, stderr."""

    def __init__(self, code, out, err):
        self.code, self.out, self.err = code, out, err

    @property
    def json(self):
        return json.loads(self.out)


@pytest.fixture
def foreword():
    """A function that runs one command line and holds it to the exit code that is expected of it.

    `stdin` is text; nothing (the default) is an empty one. Every refusal must be one of ours: no
    traceback, data on stdout only when the command answers.
    """

    def run(*arguments, code=0, stdin="", env=None, **options):
        done = subprocess.run(
            [*COMMAND, *map(str, arguments)],
            input=stdin.encode(),
            capture_output=True,
            timeout=PATIENCE_S,
            env={**os.environ, "COLUMNS": "80", **(env or {})},
            **options,
        )
        out, err = done.stdout.decode(), done.stderr.decode()
        assert done.returncode == code, (arguments, done.returncode, out, err)
        assert "Traceback" not in err
        return Done(done.returncode, out.replace("\r\n", "\n"), err.replace("\r\n", "\n"))

    return run


@pytest.fixture
def repo(tmp_path, monkeypatch):
    """The current folder: a repository with one commit; the path as a str."""
    top = tmp_path / "ledger"
    (top / "src").mkdir(parents=True)
    (top / "src" / "app.py").write_text("RETRIES = 3\n")
    (top / "src" / "db.py").write_text("POOL = 5\n")
    for arguments in (
        ["init", "-q", "-b", "main"],
        ["add", "-A"],
        ["-c", "user.name=t", "-c", "user.email=t@example.org", "commit", "-q", "-m", "first"],
    ):
        subprocess.run(["git", *arguments], cwd=top, check=True, stdout=subprocess.DEVNULL)
    monkeypatch.chdir(top)
    return str(top)


@pytest.fixture
def save(foreword, repo):
    """A function that saves a fact of the repository; its id."""

    def save(body, *options):
        return foreword("save", "--json", *options, stdin=body).json["id"]

    return save


@pytest.fixture
def store(tmp_path):
    """The store's folder; it need not exist."""
    return tmp_path / "home" / ".foreword"


@pytest.fixture
def project_folder(foreword, repo):
    """A function: the folder that keeps the repository's memories."""
    return lambda: foreword("status", "--json").json["folder"]


@pytest.fixture
def graph(tmp_path):
    """A function that writes records (dicts, or lines as they are) as a graph; its path as a str."""

    def write(*records, at=tmp_path / "graphs" / "memory.jsonl"):
        at.parent.mkdir(parents=True, exist_ok=True)
        lines = [r if isinstance(r, str) else json.dumps(r) for r in records]
        at.write_text("".join(line + "\n" for line in lines), encoding="utf-8")
        return str(at)

    return write


@pytest.fixture
def shop(graph):
    """A small graph without a fault."""
    return graph(
        entity("shop-backend", observations=["2026-03-02: deployed 2.4.0", "listens on port 8080"]),
        entity("postgres", "database", ["version 16"]),
        relation("shop-backend", "postgres"),
    )


@pytest.fixture
def full(graph):
    """Two entities beyond the limit: one with dates, one without."""
    return graph(
        entity("ci", observations=["builds on main", *OLD]), entity("notes", observations="abcdefghijklmnopq")
    )


def at_a_terminal(*arguments, answer):
    """(stdout, stderr) of a command line whose stdin is a terminal at which a person types."""
    ours, theirs = os.openpty()
    try:
        os.write(ours, answer)
        done = subprocess.run(
            [*COMMAND, *arguments], stdin=theirs, capture_output=True, timeout=PATIENCE_S, check=True
        )
    finally:
        os.close(ours)
        os.close(theirs)
    return done.stdout.decode(), done.stderr.decode()


@pytest.fixture
def only_claude(tmp_path, monkeypatch):
    """A stand-in for Claude Code is the only program on the PATH."""
    fake_claude.put_on_path(tmp_path / "bin", monkeypatch)


@pytest.fixture
def home(tmp_path):
    """The user's home, with a folder of Claude Code's."""
    (tmp_path / "home" / ".claude").mkdir()
    return tmp_path / "home"


@pytest.fixture
def config(home):
    """Foreword's settings as text."""
    path = home / ".foreword" / "config.toml"
    return lambda: path.read_text() if path.exists() else ""

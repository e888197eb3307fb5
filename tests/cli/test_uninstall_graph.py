"""`foreword uninstall --purge` and the knowledge graph: what goes is said, what is somebody else's stays."""

import os
import subprocess

import pytest

from cli import fake_claude
from cli.conftest import COMMAND, PATIENCE_S
from cli.fake_claude import everything_below

pytestmark = pytest.mark.skipif(os.name == "nt", reason="the stand-in is a shell script")

GRAPH = (
    '{"type":"entity","name":"shop","entityType":"service","observations":["moved"]}\n'
    '{"type":"entity","name":"ada","entityType":"person","observations":[]}\n'
    '{"type":"relation","from":"ada","to":"shop","relationType":"owns"}\n'
)
PURGE = ("uninstall", "--purge")


@pytest.fixture(autouse=True)
def claude(repo, tmp_path, monkeypatch):
    """The stand-in is the only program on the PATH."""
    fake_claude.put_on_path(tmp_path / "bin", monkeypatch)


def put(folder, *names, text=GRAPH):
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)


@pytest.mark.parametrize(
    "names",
    [
        ["graph/memory.jsonl"],
        ["graph/.memory.jsonl.lock"],
        ["graph/memory.jsonl", "config.toml"],
        ["graph/archive/shop.md"],
        ["graph/backups/memory-2026-11-03.jsonl", "graph/backups/memory-2026-11-03T101500-2.jsonl"],
        ["graph/memory.jsonl", "graph/memory.jsonl.unreadable", "graph/index.sqlite", "graph/archive/a.md",
         "graph/.memory.jsonl.12-ab.tmp", "graph/.entities.lock", "graph/backups/memory-2026-11-03.jsonl"],
    ],
)  # fmt: skip
def test_a_store_with_nothing_but_the_graph_was_no_store(foreword, store, names):
    put(store, *names, text="")
    foreword(*PURGE, "--yes")
    assert not store.exists()


def test_wired_clients_stayed_wired_where_the_store_held_the_graph_alone(foreword, store, tmp_path):
    settings = tmp_path / "home" / ".claude" / "settings.json"
    settings.parent.mkdir()
    foreword("install", "--anyway")
    foreword("graph", "on")
    put(store, "graph/memory.jsonl")
    foreword(*PURGE, "--yes")
    assert not settings.exists()
    assert not store.exists()


@pytest.mark.parametrize(
    "names",
    [
        ["graph/main.py"],
        ["graph/archive/shop.md", "graph/main.py"],
        ["graph/archive/photo.png"],
        ["graph/backups/all.tar"],
        ["graph/memory.jsonl", "thesis.txt"],
        ["graph/memory.jsonl", "src/main.py"],
    ],
)
def test_a_folder_of_somebody_elses_with_a_graph_in_it_is_refused(foreword, tmp_path, names):
    other = tmp_path / "other"
    put(other, *names)
    there = everything_below(other)
    err = foreword(*PURGE, "--yes", code=2, env={"FOREWORD_HOME": str(other)}).err
    assert "no store of Foreword" in err
    assert "hint: check FOREWORD_HOME" in err
    assert everything_below(other) == there


def test_the_hint_named_a_variable_that_is_not_set(foreword, store, monkeypatch):
    monkeypatch.delenv("FOREWORD_HOME", raising=False)
    put(store, "diary.txt")
    err = foreword(*PURGE, "--yes", code=2).err
    assert "no store of Foreword" in err
    assert "FOREWORD_HOME" not in err


def test_a_graph_folder_of_somebody_elses_in_a_store_stays(foreword, save, store):
    save("The retry limit is 3.")
    names = ["graph/archive/shop.md", "graph/main.py", "graph/backups/memory-2026-11-03.jsonl"]
    put(store, *names)
    out = foreword(*PURGE, "--yes").out
    assert sorted(str(path.relative_to(store)) for path in store.rglob("*") if path.is_file()) == sorted(
        names
    )
    assert "still holds what is not ours: graph" in out


def test_what_somebody_keeps_beside_the_graph_stays(foreword, store):
    put(store, "graph/memory.jsonl", "graph/archive/photo.png", "graph/mine.jsonl", "graph/archive/a.md")
    foreword(*PURGE, "--yes")
    left = sorted(str(path.relative_to(store)) for path in store.rglob("*") if path.is_file())
    assert left == ["graph/archive/photo.png", "graph/mine.jsonl"]


def test_a_folder_that_is_a_link_is_not_followed(foreword, store, tmp_path):
    put(tmp_path / "elsewhere", "memory.jsonl")
    store.mkdir()
    (store / "graph").symlink_to(tmp_path / "elsewhere")
    foreword(*PURGE, "--yes", code=2)
    assert (tmp_path / "elsewhere" / "memory.jsonl").read_text() == GRAPH


def test_the_question_did_not_say_that_a_graph_goes_with_the_store(foreword, save, store):
    save("The retry limit is 3.")
    put(store, "graph/memory.jsonl")
    ours, theirs = os.openpty()
    try:
        os.write(ours, b"n\n")
        done = subprocess.run(
            [*COMMAND, *PURGE], stdin=theirs, capture_output=True, text=True, timeout=PATIENCE_S
        )
    finally:
        os.close(ours)
        os.close(theirs)
    assert done.returncode == 1
    assert "the knowledge graph in it: 2 entities, 1 relation\n" in done.stdout
    assert "Delete the whole store, its knowledge graph of 2 entities and the backups?" in done.stderr
    assert (store / "graph" / "memory.jsonl").exists()


def test_a_graph_elsewhere_is_said_to_stay_and_stays(foreword, save, store, tmp_path):
    save("The retry limit is 3.")
    file = tmp_path / "home" / "mine.jsonl"
    file.write_text(GRAPH)
    foreword("graph", "on", "--file", file)
    done = foreword(*PURGE, "--yes")
    assert "the graph in use is not in it and stays: ~/mine.jsonl" in done.out
    assert "knowledge graph in it" not in done.out
    assert file.read_text() == GRAPH

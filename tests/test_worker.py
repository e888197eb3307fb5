"""The worker: one a store, what it clears and what it leaves, and the index it finds."""

import os
import shutil
import sqlite3
import subprocess
import sys
import time

import pytest

from foreword import files, paths, project, worker
from foreword.index import schema
from project import repos

DAY = 86_400


@pytest.fixture
def place(tmp_path):
    """A project with one note."""
    (tmp_path / "papers").mkdir()
    found = project.find(str(tmp_path / "papers"), repos.home())
    repos.note(found)
    return found


def run(place, work="catch-up"):
    """Run the worker as hooks start it; its exit code. It never prints."""
    command = [sys.executable, "-I", "-m", "foreword.worker", place.home, place.name, work]
    done = subprocess.run(command, capture_output=True, check=False)
    assert (done.stdout, done.stderr) == (b"", b"")
    return done.returncode


def log(place):
    return (files.read(paths.hook_log(place.home)) or b"").decode().splitlines()


def indexed(place):
    """The ids in the index."""
    db = schema.open_reading(place.folder)
    try:
        return [row[0] for row in db.execute("SELECT id FROM memories ORDER BY id")]
    finally:
        db.close()


def put(path, age_s=0.0):
    """A file of an age; its path."""
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as f:
        f.write("x")
    return aged(path, age_s)


def aged(path, age_s):
    then = time.time() - age_s
    os.utime(path, (then, then))
    return path


def test_it_brings_the_index_up_to_date(place):
    assert run(place) == 0
    assert indexed(place) == ["20261103-101500-a1b2"]
    os.unlink(os.path.join(place.folder, repos.note(place, "20261103-101501-a1b2")))
    repos.note(place, "20261103-101502-a1b2")
    assert run(place) == 0
    assert indexed(place) == ["20261103-101500-a1b2", "20261103-101502-a1b2"]
    assert log(place) == []


def test_one_works_at_a_time(place, monkeypatch):
    monkeypatch.setattr(worker, "PATIENCE_S", 0)
    with files.Lock(place.folder, name=".worker.lock") as held:
        assert held
        worker.main(place.home, place.name, "catch-up")
        assert not os.path.exists(schema.path(place.folder))
    worker.main(place.home, place.name, "catch-up")
    assert indexed(place) == ["20261103-101500-a1b2"]


def test_eight_at_once_do_no_harm(place):
    for n in range(20):
        repos.note(place, f"20261103-1016{n:02d}-a1b2")
    command = [sys.executable, "-I", "-m", "foreword.worker", place.home, place.name, "catch-up"]
    started = [subprocess.Popen(command, stderr=subprocess.PIPE) for _ in range(8)]
    assert {process.communicate()[1] for process in started} == {b""}
    assert {process.returncode for process in started} == {0}
    assert len(indexed(place)) == 21
    assert log(place) == []


def test_a_project_that_is_gone_is_no_work(place):
    shutil.rmtree(place.folder)
    assert run(place) == 0
    assert not os.path.exists(place.folder)
    assert log(place) == []


def test_it_does_not_stay_in_the_users_folder(place, tmp_path):
    """A folder that a process stands in cannot be unmounted."""
    (tmp_path / "mounted").mkdir()
    script = (
        "import os, runpy, sys\nfrom foreword import files\n"
        "files.Lock.__enter__ = lambda lock: print(os.getcwd()) or False\n"
        "runpy.run_module('foreword.worker', run_name='__main__')"
    )
    command = [sys.executable, "-I", "-c", script, place.home, place.name, "catch-up"]
    told = subprocess.check_output(command, cwd=tmp_path / "mounted", text=True)
    assert told.split() == [place.home]


# -- what it clears ---------------------------------------------------------------------------------


def test_client_sessions_untouched_for_a_week_go_and_younger_ones_stay(place):
    old, young, new = (paths.session_folder(place.home, name) for name in ("old", "young", "new"))
    for folder, age_s in ((old, 7 * DAY + 60), (young, 7 * DAY - 600), (new, 0)):
        put(os.path.join(folder, "turns"), age_s)
        aged(folder, age_s)
    assert run(place) == 0
    assert [os.path.isdir(folder) for folder in (old, young, new)] == [False, True, True]


def temporaries(place):
    """Where writers that died may have left something: the places of temporary files."""
    state = os.path.join(place.home, "state")
    month = os.path.join(place.folder, "notes", "2026-11")
    return [
        os.path.join(place.home, ".config.toml.123-0a1b2c.tmp"),
        os.path.join(state, ".config.json.123-0a1b2c.tmp"),
        os.path.join(state, "by-path", ".0123456789abcdef.json.123-0a1b2c.tmp"),
        os.path.join(state, "tombstones", ".0123.123-0a1b2c.tmp"),
        os.path.join(paths.session_folder(place.home, "new"), ".0123.prompt.123-0a1b2c.tmp"),
        os.path.join(place.folder, ".project.json.123-0a1b2c.tmp"),
        os.path.join(place.folder, ".index.123-0a1b2c.tmp"),
        os.path.join(place.folder, ".index.123-0a1b2c.tmp-wal"),
        os.path.join(month, ".20261103-101500-a1b2.md.123-0a1b2c.tmp"),
        os.path.join(place.folder, "facts", ".20261103-101500-a1b2.md.123-0a1b2c.tmp"),
        os.path.join(place.folder, "archive", "note", ".20261103-101500-a1b2.md.123-0a1b2c.tmp"),
    ]


def test_what_writers_that_died_left_goes_wherever_it_is(place):
    """Beside the notes it stayed for ever: the text of a memory that may have been deleted since."""
    left = [put(path, 2 * 3_600) for path in temporaries(place)]
    scratch = os.path.join(place.folder, ".rebuild.123")
    put(os.path.join(scratch, "index.sqlite"))
    aged(scratch, 2 * 3_600)
    assert run(place) == 0
    assert [path for path in (*left, scratch) if os.path.exists(path)] == []
    assert log(place) == []


def test_what_writers_may_still_be_at_stays(place):
    kept = [put(path, 600) for path in temporaries(place)]
    put(os.path.join(place.folder, ".rebuild.123", "index.sqlite"))
    assert run(place) == 0
    assert [path for path in kept if not os.path.exists(path)] == []
    assert os.path.exists(os.path.join(place.folder, ".rebuild.123", "index.sqlite"))


def test_files_of_the_user_stay_however_old_they_are(place):
    """Everything that ended in .tmp went."""
    names = ("draft.tmp", ".draft.tmp", "notes.md", ".hidden", ".gitignore", ".x.123-0a1b2c.tmp.md")
    kept = [put(os.path.join(place.folder, name), 400 * DAY) for name in names]
    kept += [put(os.path.join(place.folder, "notes", "2026-11", name), 400 * DAY) for name in names]
    assert run(place) == 0
    assert [path for path in kept if not os.path.exists(path)] == []


@pytest.mark.skipif(os.name == "nt", reason="symbolic links of POSIX")
def test_nothing_is_cleared_behind_a_symlink(place, tmp_path):
    mine = put(str(tmp_path / "mine" / ".x.123-0a1b2c.tmp"), 400 * DAY)
    os.makedirs(os.path.join(place.home, "state", "sessions"))
    link = os.path.join(place.home, "state", "sessions", "link")
    os.symlink(tmp_path / "mine", link)
    os.symlink(tmp_path / "mine", os.path.join(place.folder, ".rebuild.7"))
    for path in (link, os.path.join(place.folder, ".rebuild.7")):
        os.utime(path, (0, 0), follow_symlinks=False)
    assert run(place) == 0
    assert os.path.exists(mine)


def test_what_another_worker_clears_at_the_same_time_is_no_fault(place, monkeypatch):
    """Two projects have two workers, and both clear the sessions."""
    for n in range(3):
        aged(os.path.dirname(put(os.path.join(paths.session_folder(place.home, f"s{n}"), "turns"))), 30 * DAY)
    real = os.scandir

    def meanwhile(folder):
        entries = list(real(folder))
        os.scandir = real
        for entry in entries:
            shutil.rmtree(entry.path)
        return Entries(entries)

    with monkeypatch.context() as at_once:
        at_once.setattr(os, "scandir", meanwhile)
        worker._tidy(place.home, place.folder, time.time())
    assert os.listdir(os.path.join(place.home, "state", "sessions")) == []


class Entries(list):
    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass


# -- the index it finds -----------------------------------------------------------------------------


def damage(place, how):
    path = schema.path(place.folder)
    if how == "noise":
        with open(path, "wb") as f:
            f.write(os.urandom(20_000))
    elif how == "cut":
        os.truncate(path, 5_000)
    elif how == "noise inside":
        with open(path, "r+b") as f:
            f.seek(4_096)
            f.write(b"\xa5" * (os.path.getsize(path) - 8_192))
    else:
        db = sqlite3.connect(path)
        db.executescript(how)
        db.close()


DAMAGES = [
    "noise", "cut", "noise inside", "DROP TABLE memories", "DROP TABLE folders", "DROP TABLE postings",
    "DROP TABLE profiles", "DROP TABLE tail", "UPDATE profiles SET impacts=x'01'",
    "ALTER TABLE memories RENAME COLUMN place TO was", "PRAGMA user_version=0",
]  # fmt: skip


@pytest.mark.parametrize("work", ["catch-up", "rebuild"])
@pytest.mark.parametrize("how", DAMAGES)
def test_an_index_that_cannot_be_used_is_built_anew(place, how, work):
    """One without a table was taken for one that is busy, and stayed as it was."""
    run(place)
    damage(place, how)
    repos.note(place, "20261103-101502-a1b2")
    if how == "noise inside" and work == "catch-up":
        work = "rebuild"  # what a prompt asks for when it meets such pages
    assert run(place, work) == 0
    assert indexed(place) == ["20261103-101500-a1b2", "20261103-101502-a1b2"]
    assert log(place) == []


def test_an_index_that_is_whole_is_not_built_anew(place):
    run(place)
    before = os.stat(schema.path(place.folder)).st_ino
    assert run(place, "rebuild") == 0
    assert os.stat(schema.path(place.folder)).st_ino == before


@pytest.mark.parametrize("work", ["catch-up", "rebuild"])
def test_an_index_of_a_newer_version_is_left_alone_and_told_in_one_line(place, work):
    """Asked to rebuild, it built the newer program's index anew."""
    run(place)
    db = sqlite3.connect(schema.path(place.folder))
    db.execute("PRAGMA user_version=%d" % (schema.VERSION + 1))
    db.close()
    before = files.read(schema.path(place.folder))
    old = put(os.path.join(place.folder, ".project.json.123-0a1b2c.tmp"), 2 * 3_600)
    assert run(place, work) == 1
    assert files.read(schema.path(place.folder)) == before
    [line] = log(place)
    assert " worker: NewerError: the index has version %d" % (schema.VERSION + 1) in line
    assert not os.path.exists(old)  # what writers left is cleared all the same


def test_an_index_that_is_locked_is_left_alone_and_told_in_one_line(place, monkeypatch):
    run(place)
    before = os.stat(schema.path(place.folder)).st_ino
    repos.note(place, "20261103-101502-a1b2")
    real = schema.open_writing
    monkeypatch.setattr(schema, "open_writing", lambda folder, wait_s=0: real(folder, 0))
    db = sqlite3.connect(schema.path(place.folder), isolation_level=None)
    db.execute("BEGIN IMMEDIATE")
    with pytest.raises(sqlite3.OperationalError, match="locked"):
        worker.main(place.home, place.name, "catch-up")
    db.execute("ROLLBACK")
    db.close()
    assert os.stat(schema.path(place.folder)).st_ino == before
    worker.main(place.home, place.name, "catch-up")
    assert len(indexed(place)) == 2


def test_what_goes_wrong_is_one_line_without_the_text_of_a_memory(place):
    os.mkdir(schema.path(place.folder))  # a folder in the place of the index
    repos.note(place, "20261103-101502-a1b2")
    assert run(place) == 1
    [line] = log(place)
    assert " worker: " in line
    assert "importer" not in line


NOWHERE = [[], ["gone"], ["gone", "none", "catch-up"], ["", "", ""], ["/", "/", "/"]]


@pytest.mark.parametrize("arguments", NOWHERE, ids=" ".join)
def test_arguments_that_lead_nowhere_do_no_harm(tmp_path, arguments):
    arguments = [str(tmp_path / "gone") if a == "gone" else a for a in arguments]
    command = [sys.executable, "-I", "-m", "foreword.worker", *arguments]
    done = subprocess.run(command, capture_output=True, cwd=tmp_path / "cwd", check=False)
    assert (done.stdout, done.stderr) == (b"", b"")
    assert os.listdir(tmp_path / "cwd") == []
    assert not os.path.exists(tmp_path / "gone")


def test_a_home_that_was_purged_does_not_come_back(place):
    """The worker found nothing there, and made a folder for the line that said so."""
    shutil.rmtree(place.home)
    run(place)
    assert not os.path.exists(place.home)


def test_a_project_that_is_joined_while_the_worker_looks_at_it_is_gathered_and_no_error(
    tmp_path, monkeypatch
):
    """Seen where the disk is slow: the join had taken the index away, its folder was still there."""
    top = repos.repo(tmp_path / "app")
    before = project.find(top, repos.home())
    saved = repos.note(before)

    def joined_meanwhile(folder, **_):
        after = project.find(top, repos.home(), ask_git=True)
        assert after.folder != folder
        put(os.path.join(folder, "index.sqlite-journal"))  # made again by the worker, after the join
        raise sqlite3.OperationalError("unable to open database file")

    monkeypatch.setattr(worker.catch_up, "agree", joined_meanwhile)
    worker.main(before.home, before.name, "catch-up")
    after = project.find(top, repos.home())
    assert repos.projects() == [after.name] != [before.name]
    assert repos.holds(after, saved)

"""The index may be missing, damaged, of another version or made by several at once."""

import errno
import os
import sqlite3
import subprocess
import sys

import pytest

from foreword import errors, memory, paths, worker
from foreword.cli import root
from foreword.errors import BusyError, DamagedError
from foreword.index import catch_up, postings, rebuild, schema, search
from foreword.memory import find
from foreword.text.question import Question


@pytest.fixture
def place(tmp_path, monkeypatch):
    root = tmp_path / "repo"
    root.mkdir()
    monkeypatch.chdir(root)
    place = memory.open_project(create=True)
    facts = os.path.join(place.folder, "facts")
    os.mkdir(facts, 0o700)
    for n in range(40):
        with open(os.path.join(facts, f"20261103-1015{n:02d}-a1b2.md"), "w", encoding="utf-8") as f:
            f.write(f"---\ntitle: title {n}\n---\n\nzebra number {n} " + "words " * 50)
    catch_up.catch_up(place.folder)
    return place


def index_of(place):
    return schema.path(place.folder)


def spoil(path, how):
    size = os.path.getsize(path)
    with open(path, "r+b") as f:
        if how == "empty":
            f.truncate(0)
        elif how == "garbage":
            f.write(os.urandom(size))
        elif how == "text":
            f.truncate(0)
            f.write(b"this is no database\n" * 300)
        elif how == "one byte":
            f.truncate(1)
        elif how == "one page":
            f.truncate(4096)
        elif how == "half":
            f.truncate(size // 2)
        elif how == "half and a bit":
            f.truncate(size // 2 + 100)
        elif how == "last page gone":
            f.truncate(size - 4096)
        elif how == "zeroes behind the first page":
            f.seek(4096)
            f.write(b"\0" * (size - 4096))
        elif how == "noise in the middle":
            f.seek(4096)
            f.write(b"\xa5" * (size - 8192))
        elif how == "no schema":
            f.seek(100)
            f.write(b"\0" * (4096 - 100))
    if how == "a database of somebody else":
        os.unlink(path)
        db = sqlite3.connect(path)
        db.execute("CREATE TABLE mine(x)")
        db.execute("PRAGMA user_version=%d" % schema.VERSION)
        db.commit()
        db.close()
    if how == "an older version":
        db = sqlite3.connect(path)
        db.execute("PRAGMA user_version=0")
        db.commit()
        db.close()


HOW = [
    "empty",
    "garbage",
    "text",
    "one byte",
    "one page",
    "half",
    "half and a bit",
    "last page gone",
    "zeroes behind the first page",
    "noise in the middle",
    "no schema",
    "a database of somebody else",
    "an older version",
]


@pytest.mark.parametrize("how", HOW)
def test_a_damaged_index_is_built_anew_and_nothing_is_lost(place, how):
    spoil(index_of(place), how)
    assert len(memory.search(place, "zebra", limit=100)) == 40
    assert len(memory.list_memories(place)) == 40
    memory.save(place, "quokka")
    assert len(memory.search(place, "quokka")) == 1
    memory.reindex(place)
    assert catch_up.damage(place.folder) == ""


@pytest.mark.parametrize("how", HOW)
def test_reindex_mends_a_damaged_index(place, how):
    spoil(index_of(place), how)
    assert memory.reindex(place) == 40
    assert catch_up.damage(place.folder) == ""
    assert len(memory.search(place, "zebra", limit=100)) == 40


@pytest.mark.parametrize("how", HOW)
def test_the_worker_mends_a_damaged_index(place, how):
    spoil(index_of(place), how)
    worker.main(place.home, place.name, "rebuild")
    assert catch_up.damage(place.folder) == ""
    db = schema.open_reading(place.folder)
    assert db.execute("SELECT count(*) FROM memories").fetchone() == (40,)
    db.close()


def test_a_deleted_index_is_made_again(place):
    os.unlink(index_of(place))
    assert len(memory.search(place, "zebra", limit=100)) == 40


def test_the_log_of_a_deleted_index_is_not_played_into_the_new_one(place):
    """A process that was killed leaves its log; people then delete index.sqlite alone."""
    code = (
        "import os, sys; from foreword.index import build, schema\n"
        "db = schema.open_writing(sys.argv[1]); db.execute('PRAGMA wal_autocheckpoint=0')\n"
        "db.execute('BEGIN IMMEDIATE')\n"
        "for i in range(200): db.execute('INSERT INTO terms VALUES(?, ?, 9)', (9000 + i, i))\n"
        "db.execute('COMMIT'); os._exit(0)\n"
    )
    subprocess.run([sys.executable, "-c", code, place.folder], check=True, timeout=60)
    assert os.path.getsize(index_of(place) + "-wal") > 0
    os.unlink(index_of(place))
    assert len(memory.search(place, "zebra", limit=100)) == 40
    assert catch_up.damage(place.folder) == ""
    db = schema.open_reading(place.folder)
    assert db.execute("SELECT count(*) FROM terms WHERE memories=9").fetchone() == (0,)
    db.close()


def newer(place):
    db = sqlite3.connect(index_of(place))
    db.execute("PRAGMA user_version=%d" % (schema.VERSION + 1))
    db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    db.close()
    with open(index_of(place), "rb") as f:
        return f.read()


def test_an_index_of_a_newer_version_is_refused_and_left_alone(place):
    before = newer(place)
    for act in (
        lambda: memory.search(place, "zebra"),
        lambda: memory.list_memories(place),
        lambda: worker.main(place.home, place.name, "catch-up"),
        lambda: worker.main(place.home, place.name, "rebuild"),
        lambda: schema.open_reading(place.folder),
        lambda: schema.open_writing(place.folder),
    ):
        with pytest.raises((DamagedError, schema.NewerError), match="version"):
            act()
    with open(index_of(place), "rb") as f:
        assert f.read() == before
    assert "version" in catch_up.damage(place.folder)


def test_reindex_replaces_an_index_of_a_newer_version(place):
    newer(place)
    memory.reindex(place)
    assert len(memory.search(place, "zebra", limit=100)) == 40


def test_a_missing_index_is_said_and_nothing_is_made_by_reading(tmp_path):
    with pytest.raises(schema.MissingError):
        schema.open_reading(str(tmp_path))
    assert os.listdir(tmp_path / "cwd") == [] and not os.path.exists(schema.path(str(tmp_path)))


def test_a_reader_cannot_write(place):
    db = schema.open_reading(place.folder)
    with pytest.raises(sqlite3.OperationalError):
        db.execute("DELETE FROM terms")
    db.close()


MAKE = """
import os, sys
sys.stdin.readline()
from foreword.index import build, schema
db = schema.open_writing(sys.argv[1], wait_s=60)
for n in range(5):
    memory = {"id": "20261103-1015%02d-%04x" % (int(sys.argv[2]), n), "type": "note", "title": "t",
              "question": "q", "body": "zebra", "created": 1.0, "turn": "", "session": "", "files": []}
    db.execute("BEGIN IMMEDIATE")
    build.add(db, memory, "notes/%s-%d.md" % (sys.argv[2], n), 1, 1)
    db.execute("COMMIT")
db.close()
"""


@pytest.mark.parametrize("before", ["nothing", "empty file", "leftover log"])
def test_eight_processes_that_make_the_index_at_once_share_one(tmp_path, before):
    if before == "empty file":
        open(schema.path(str(tmp_path)), "w").close()
    if before == "leftover log":
        (tmp_path / "index.sqlite-wal").write_bytes(os.urandom(5000))
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", MAKE, str(tmp_path), str(n)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for n in range(8)
    ]
    for process in processes:
        process.stdin.write("go\n")
        process.stdin.flush()
    for process in processes:
        out, err = process.communicate(timeout=100)
        assert (process.returncode, out, err) == (0, "", "")
    db = schema.open_reading(str(tmp_path))
    assert db.execute("SELECT count(*), count(DISTINCT id) FROM memories").fetchone() == (40, 40)
    assert postings.counts(db, ["zebra"])["zebra"][1] == 40
    db.close()
    assert catch_up.damage(str(tmp_path)) == ""
    assert not [name for name in os.listdir(tmp_path) if name.endswith(".tmp")]


def test_making_an_index_where_one_is_changes_nothing(place):
    with open(index_of(place), "rb") as f:
        before = f.read()
    schema.create(place.folder)
    with open(index_of(place), "rb") as f:
        assert f.read() == before


@pytest.mark.parametrize("name", ["a b", "a?b#c%20d", "東京", "q&a=1;x", "%", os.fsdecode(b"caf\xe9")])
def test_a_store_may_stand_under_any_name(tmp_path, name):
    folder = tmp_path / name
    folder.mkdir()
    (folder / "facts").mkdir()
    (folder / "facts/a.md").write_text("zebra")
    assert catch_up.catch_up(str(folder)) == (1, 0)
    assert catch_up.rebuild(str(folder)) == 1
    schema.open_reading(str(folder)).close()
    assert os.path.exists(folder / "index.sqlite")


def test_two_slashes_at_the_front_of_a_path_are_no_host(tmp_path):
    folder = "/" + str(tmp_path)
    schema.open_writing(folder).close()
    schema.open_reading(folder).close()
    assert (tmp_path / "index.sqlite").exists()


def test_a_locked_index_is_busy_and_not_built_anew(place, monkeypatch):
    monkeypatch.setattr(rebuild, "PATIENCE_S", 0.1)
    real = schema.open_writing
    monkeypatch.setattr(
        schema, "open_writing", lambda folder, wait_s=0.1, **named: real(folder, 0.1, **named)
    )
    db = sqlite3.connect(index_of(place), isolation_level=None)
    db.execute("BEGIN IMMEDIATE")
    try:
        with pytest.raises(BusyError):
            find.bring_up_to_date(place.folder)
        with pytest.raises((BusyError, sqlite3.OperationalError)):
            catch_up.rebuild(place.folder)
        with pytest.raises(BusyError):
            memory.save(place, "a fact looks for older ones first")
        saved = memory.save(place, "quokka", type="session")["id"]
    finally:
        db.execute("ROLLBACK")
        db.close()
    assert [row["id"] for row in memory.search(place, "quokka")] == [saved]
    assert memory.search(place, "older ones first") == []


def test_reindexing_a_locked_index_ends_with_busy(place, monkeypatch, capfd):
    """It was taken for a bug of ours, with a traceback."""
    monkeypatch.setattr(rebuild, "PATIENCE_S", 0.1)
    db = sqlite3.connect(index_of(place), isolation_level=None)
    db.execute("BEGIN IMMEDIATE")
    try:
        assert root.run(["reindex"]) == errors.BUSY
    finally:
        db.execute("ROLLBACK")
        db.close()
    out, err = capfd.readouterr()
    assert out == "" and "is in use" in err and "Traceback" not in err
    assert not [name for name in os.listdir(place.folder) if ".rebuild" in name]
    assert root.run(["reindex"]) == errors.DONE


def code(number):
    error = sqlite3.OperationalError("as SQLite says it")
    error.sqlite_errorcode = number
    return error


PASSING = [
    sqlite3.SQLITE_BUSY, sqlite3.SQLITE_BUSY_SNAPSHOT, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_READONLY,
    sqlite3.SQLITE_IOERR_WRITE, sqlite3.SQLITE_FULL, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_NOMEM,
]  # fmt: skip


@pytest.mark.parametrize("number", PASSING)
def test_what_passes_by_itself_never_builds_the_index_anew(place, monkeypatch, number):
    before = os.stat(index_of(place)).st_ino

    def fail(*_):
        raise code(number)

    monkeypatch.setattr(catch_up, "catch_up", fail)
    monkeypatch.setattr(catch_up, "rebuild", lambda *_: pytest.fail("built anew"))
    with pytest.raises(sqlite3.OperationalError):
        catch_up.agree(place.folder)
    with pytest.raises(sqlite3.OperationalError):
        worker.main(place.home, place.name, "catch-up")
    if schema.is_unwritable(code(number)):
        find.bring_up_to_date(place.folder)  # what is indexed can still be read
    else:
        with pytest.raises(BusyError):
            find.bring_up_to_date(place.folder)
    assert os.stat(index_of(place)).st_ino == before


@pytest.mark.parametrize("number", [sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_ERROR, 0])
def test_what_does_not_pass_builds_the_index_anew(place, monkeypatch, number):
    done = []

    def fail(*_):
        raise code(number)

    monkeypatch.setattr(catch_up, "catch_up", fail)
    monkeypatch.setattr(catch_up, "rebuild", done.append)
    find.bring_up_to_date(place.folder)
    worker.main(place.home, place.name, "catch-up")
    assert done == [place.folder] * 2


def test_a_rebuild_on_a_disk_that_is_full_says_so(place, monkeypatch):
    def fail(*_):
        raise code(sqlite3.SQLITE_FULL)

    monkeypatch.setattr(catch_up, "one", fail)
    with pytest.raises(errors.ForewordError, match="cannot be written"):
        catch_up.rebuild(place.folder)
    assert len(memory.list_memories(place)) == 40


def test_an_index_of_the_version_before_is_built_anew_behind_the_prompt(place):
    """Version 1 had FTS5 tables; nothing of it is migrated."""
    db = sqlite3.connect(index_of(place))
    db.executescript("DROP TABLE postings; DROP TABLE profiles; PRAGMA user_version=1;")
    db.close()
    with pytest.raises(schema.UnusableError, match="version 1"):
        schema.open_reading(place.folder)
    worker.main(place.home, place.name, "rebuild")
    assert catch_up.damage(place.folder) == ""
    assert len(memory.search(place, "zebra", limit=100)) == 40


def test_the_index_is_private(place):
    for ending in ("", "-wal", "-shm"):
        path = index_of(place) + ending
        if os.path.exists(path):
            assert os.stat(path).st_mode & 0o077 == 0
    assert paths.project_folder(place.home, place.name) == place.folder


NONSENSE = [
    "UPDATE terms SET memories=-5",
    "UPDATE terms SET memories='x'",
    "DELETE FROM profiles",
    "DELETE FROM postings",
    "DELETE FROM terms",
    "UPDATE profiles SET shape=x''",
    "UPDATE postings SET numbers=5, impacts=7",
    "UPDATE meta SET value='x' WHERE key='total'",
    "UPDATE meta SET value=-5 WHERE key='total'",
    "INSERT OR REPLACE INTO meta VALUES('uses', '[1e999,7,3]')",
    "UPDATE memories SET created='x'",
    "DROP TABLE uses",
]


@pytest.mark.parametrize("sql", NONSENSE)
def test_pages_that_can_be_read_and_hold_nonsense_are_built_anew_once_somebody_doubts_them(place, sql):
    for n in range(40, 40 + postings.TAIL):
        at = os.path.join(place.folder, "facts", f"20261103-1015{n:02d}-b2b2.md")
        with open(at, "w", encoding="utf-8") as f:
            f.write(f"---\ntitle: title {n}\n---\n\nzebra number {n} " + "words " * 50)
    catch_up.catch_up(place.folder)
    db = schema.open_writing(place.folder)
    db.execute(sql)
    db.close()
    try:
        db = schema.open_reading(place.folder)
        search.offered(db, Question("zebra number seven in the title"), set(), 5)
        db.close()
    except (schema.UnusableError, sqlite3.Error):
        pass  # what a hook takes for a reason to have the index built anew
    catch_up.agree(place.folder, doubted=True)
    assert len(memory.search(place, "zebra number", limit=200)) == 40 + postings.TAIL


def test_a_doubt_does_not_build_a_new_index_again(place, monkeypatch):
    catch_up.agree(place.folder, doubted=True)
    monkeypatch.setattr(catch_up, "rebuild", lambda *_: pytest.fail("built anew"))
    catch_up.agree(place.folder, doubted=True)


def test_on_a_read_only_disk_the_first_error_is_told_and_no_later_one(place, monkeypatch):
    def read_only(path, *_):
        raise OSError(errno.EROFS, os.strerror(errno.EROFS), path)

    os.remove(index_of(place))
    with monkeypatch.context() as disk:
        disk.setattr(os, "open", read_only)
        disk.setattr(os, "unlink", lambda path: read_only("left over"))
        with pytest.raises(OSError) as told:
            schema.create(place.folder)
    assert os.path.dirname(told.value.filename) == place.folder

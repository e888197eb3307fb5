"""What was counted is never removed: not by damage, another version, a lock, a full disk, or a join."""

import os
import re
import sqlite3
import subprocess
import sys

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from foreword import files, project
from foreword.errors import BusyError
from foreword.report import count, database
from foreword.store import join
from report.counted import S1, S2, S3, Home, at, numbers
from transcripts.records import answer, line, prompt, tool

OTHER = "old-11111111"
KEPT = settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60)


@pytest.fixture
def home(tmp_path, monkeypatch):
    monkeypatch.setattr(database, "WAIT_S", 0.0)
    monkeypatch.setattr(database, "READ_WAIT_S", 0.0)
    return Home(tmp_path / "store")


def execute(home, *statements):
    db = sqlite3.connect(home.database(), isolation_level=None)
    for statement in statements:
        db.execute(statement)
    db.close()


def spoil(home, table):
    """Damage a table alone."""
    db = sqlite3.connect(home.database())
    [page] = db.execute("SELECT rootpage FROM sqlite_master WHERE name=?", (table,)).fetchone()
    db.close()
    with open(home.database(), "r+b") as f:
        f.seek((page - 1) * 4096)
        f.write(b"\xff" * 4096)


def aside(home):
    """{name: bytes} of what was set aside."""
    return {
        name: files.read(os.path.join(home.folder, name)) or b""
        for name in os.listdir(home.folder)
        if name.startswith("report.sqlite.")
    }


# -- damage ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "damage", ["no database", "cut", "other tables", "other columns", "no version", "middle"]
)
def test_a_damaged_file_is_kept_under_another_name_and_counted_anew(home, damage):
    home.log(S1, *(answer(f"m{n}") for n in range(500)))
    before = home.count()
    data = files.read(home.database()) or b""
    if damage == "other tables":
        os.remove(home.database())
        execute(home, "CREATE TABLE theirs(a)")
    elif damage == "other columns":
        execute(home, "ALTER TABLE files RENAME COLUMN hash TO theirs")
    elif damage == "no version":
        execute(home, "UPDATE meta SET value='x'")
    else:
        middle = data[:4096] + b"\xff" * (len(data) - 8192) + data[-4096:]
        spoiled = {"no database": b"nothing" * 100, "cut": data[: len(data) // 2], "middle": middle}
        files.write(home.database(), spoiled[damage])
    data = files.read(home.database())
    assert home.sessions() == {} or damage in ("cut", "middle")
    [sentence] = home.tell()
    [(name, kept)] = aside(home).items()
    assert kept == data
    assert re.fullmatch(r"report\.sqlite\.damaged-\d{8}-\d{6}", name)
    assert sentence.startswith(f"report.sqlite was damaged and is kept as {name}")
    assert home.count() == before


def test_an_empty_file_is_a_new_one(home):
    home.log(S1, answer("m1"))
    files.write(home.database(), b"")
    assert len(home.count()) == 1
    assert aside(home) == {}


def test_damage_that_only_reading_meets_is_mended_by_counting(home):
    home.log(S1, *(answer(f"m{n}", blocks=[tool(call=f"t{n}", file_path=f"{n}")]) for n in range(900)))
    before = home.count()
    spoil(home, "files")
    assert home.sessions() == {}
    [sentence] = home.tell()
    assert "was damaged" in sentence
    assert home.count() == before


@pytest.mark.parametrize("what", ["folder", "pipe", "link to nothing"])
def test_what_is_no_file_is_set_aside_and_holds_nobody_up(home, what):
    home.log(S1, answer("m1"))
    if what == "folder":
        os.makedirs(os.path.join(home.database(), "theirs"))
    elif what == "pipe":
        os.mkfifo(home.database())
    else:
        os.symlink("nothing", home.database())
    assert home.sessions() == {}
    [sentence] = home.tell()
    assert "is kept as report.sqlite.damaged-" in sentence
    assert len(home.count()) == 1
    [name] = [name for name in os.listdir(home.folder) if name.startswith("report.sqlite.damaged-")]
    assert os.path.lexists(os.path.join(home.folder, name))


def test_two_that_are_damaged_in_one_second_are_both_kept(home):
    home.log(S1, answer("m1"))
    for data in (b"one" * 100, b"two" * 100, b"three" * 100):
        files.write(home.database(), data)
        home.tell()
    assert sorted(aside(home).values()) == [b"one" * 100, b"three" * 100, b"two" * 100]


def test_a_journal_goes_with_the_file_that_it_belongs_to(home):
    home.log(S1, answer("m1"))
    os.symlink("nothing", home.database())
    files.write(home.database() + "-journal", b"theirs")
    [sentence] = home.tell()
    [(name, journal)] = [(name, data) for name, data in aside(home).items() if data]
    assert journal == b"theirs" and name.removesuffix("-journal") in sentence
    assert not os.path.exists(home.database() + "-journal")


def test_a_statement_that_fails_is_no_damage_where_the_tables_are_ours(home):
    home.log(S1, answer("m1"))
    home.count()
    for statement in (
        "SELECT nothing FROM keys",
        "SELECT 1 FROM nothing",
        "INSERT INTO meta VALUES('version', 1)",
    ):
        with pytest.raises(sqlite3.Error) as raised:
            execute(home, statement)
        assert not database.is_damaged(home.folder, raised.value)
    with pytest.raises(sqlite3.Error) as raised:
        execute(home, "DROP TABLE files", "SELECT 1 FROM files")
    assert database.is_damaged(home.folder, raised.value)


def test_a_name_that_is_no_utf8_any_more_hides_no_session(home):
    home.log(S1, answer("m1"))
    home.count()
    execute(home, "UPDATE models SET name=CAST(x'ff' AS TEXT)")
    assert list(home.count()[S1]["models"]) == ["\ufffd"]


@KEPT
@given(st.lists(st.tuples(st.floats(0, 1, exclude_max=True), st.binary(min_size=1, max_size=9)), max_size=9))
@example([(0.0625, b'"\x80')])  # SQLite's message quotes it, and is no UTF-8
@example([(0.0010, b"\xff" * 9)])
def test_whatever_bytes_change_nothing_is_raised_and_the_file_is_used_or_kept(tmp_path_factory, changes):
    home = Home(tmp_path_factory.mktemp("store"))
    home.log(S1, *(answer(f"m{n}", blocks=[tool(call=f"t{n}", file_path=f"{n}")]) for n in range(90)))
    home.log(S2, prompt(), answer("n1"))
    home.count()
    data = bytearray(files.read(home.database()) or b"")
    for where, piece in changes:
        start = int(where * len(data))
        data[start : start + len(piece)] = piece
    files.write(home.database(), bytes(data))
    home.sessions()
    said = home.tell()
    home.sessions()
    # A format that is newer than this SQLite is told, and left alone.
    assert bool(said) == bool(aside(home)) or "newer" in said[0] or "unsupported file format" in said[0]


# -- versions ----------------------------------------------------------------------------------------


def test_a_file_of_a_newer_foreword_is_left_alone_and_refused(home):
    home.log(S1, answer("m1"))
    home.count()
    execute(home, "UPDATE meta SET value=99", "DROP TABLE files")
    data = files.read(home.database())
    [sentence] = home.tell()
    assert "version 99" in sentence and "update Foreword" in sentence
    assert home.sessions() == {}
    assert (files.read(home.database()), aside(home)) == (data, {})


def test_a_file_of_an_older_foreword_is_kept_under_its_version(home, monkeypatch):
    home.log(S1, answer("m1"))
    before = home.count()
    data = files.read(home.database())
    monkeypatch.setattr(database, "VERSION", 2)
    assert home.sessions() == {}
    [sentence] = home.tell()
    assert "older Foreword (version 1)" in sentence
    [(name, kept)] = aside(home).items()
    assert re.fullmatch(r"report\.sqlite\.1-\d{8}-\d{6}", name) and kept == data
    assert home.count() == before


# -- who else is there, and what the disk refuses ------------------------------------------------------


@pytest.mark.parametrize("lock", ["IMMEDIATE", "EXCLUSIVE"])
def test_what_was_counted_before_is_told_while_another_program_holds_the_file(home, lock):
    home.log(S1, answer("m1"))
    before = home.count()
    home.log(S2, answer("m2"))
    db = sqlite3.connect(home.database(), isolation_level=None)
    db.execute("BEGIN " + lock)
    [sentence] = home.tell()
    assert sentence.startswith(f"another program holds {home.database()}")
    assert home.sessions() == before
    db.close()
    assert list(home.count()) == [S1, S2]


def test_it_is_busy_where_another_program_is_in_the_middle_of_a_change(home):
    home.log(S1, *(answer(f"m{n}") for n in range(900)))
    before = home.count()
    home.log(S2, answer("n1"))
    db = sqlite3.connect(home.database(), isolation_level=None)
    for statement in ("PRAGMA cache_size=1", "BEGIN EXCLUSIVE", "UPDATE keys SET output=output+1"):
        db.execute(statement)
    assert os.path.exists(home.database() + "-journal")
    assert home.sessions() == {}
    with pytest.raises(BusyError) as raised:
        home.tell()
    assert home.database() in raised.value.message and raised.value.hint
    db.close()
    assert home.sessions() == before


def test_a_lock_file_that_cannot_be_made_is_told(home):
    home.log(S1, answer("m1"))
    before = home.count()
    home.log(S2, answer("m2"))
    os.remove(os.path.join(home.folder, count.LOCK))
    os.mkdir(os.path.join(home.folder, count.LOCK))
    [sentence] = home.tell()
    assert os.path.join(home.folder, count.LOCK) in sentence and "Is a directory" in sentence
    assert home.sessions() == before


FULL = """
import resource, sys
from foreword.report import count
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[3]), int(sys.argv[3])))
print(*count.count(sys.argv[1], sys.argv[2]), sep="\\n")
"""


@pytest.mark.parametrize("room", [0, 8_192, 65_536])
def test_a_disk_that_is_full_is_told_and_what_was_counted_stays(home, tmp_path, room):
    folder = tmp_path / "home/.claude/projects/-home-dev-app"
    folder.mkdir(parents=True)
    before = {}
    for session, n in ((S1, 1), (S2, 5_000)):
        rows = (line(answer(f"{session}{m}")) + b"\n" for m in range(n))
        (folder / f"{session}.jsonl").write_bytes(b"".join(rows))
        home.prompt(session)
        if session == S1:
            assert count.count(home.home, home.name) == []
            before = home.sessions()
    arguments = [sys.executable, "-c", FULL, home.home, home.name, str(room)]
    done = subprocess.run(arguments, capture_output=True, text=True)
    assert done.stderr == ""
    [sentence] = done.stdout.splitlines()
    assert sentence.startswith(f"{home.database()} cannot be used (")
    assert home.sessions() == before
    assert count.count(home.home, home.name) == []
    assert [row["requests"] for row in home.sessions().values()] == [1, 5_000]


# -- projects that are joined --------------------------------------------------------------------------


def two(folder):
    """Two projects of one store that see the same logs."""
    home = Home(folder)
    old = Home(folder, OTHER)
    old.logs = home.logs
    return home, old


def joined(home, old):
    join.move(old.folder, home.folder)
    return [name for name in os.listdir(home.folder) if name.startswith(database.JOINED)]


def test_a_project_that_is_joined_brings_what_was_counted_though_its_logs_are_gone(tmp_path):
    home, old = two(tmp_path / "store")
    home.log(S1, answer("m1", time=at(5)))
    home.count()
    path = old.log(S2, prompt(), answer("m2", blocks=[tool(file_path="a.py")]), b'{"type":"assistant"')
    before = old.count()[S2]
    os.remove(path)
    assert joined(home, old) == [database.JOINED + OTHER]
    assert not os.path.exists(old.folder)
    found = home.count()
    assert list(found) == [S2, S1]
    assert found[S2] == before
    assert sorted(os.listdir(home.folder)) == [".report.lock", "prompts.log", "report.sqlite"]
    assert home.count() == found


def test_a_request_that_both_projects_counted_stays_with_the_session_that_was_here(tmp_path):
    home, old = two(tmp_path / "store")
    home.log(S1, answer("m1"), answer("m2"))
    old.log(S2, answer("m2"), answer("m3"))
    home.count()
    old.count()
    joined(home, old)
    found = home.count()
    assert [(session, row["requests"]) for session, row in found.items()] == [(S1, 2), (S2, 1)]


def test_a_joined_log_is_read_on_from_where_either_left_it(tmp_path):
    home, old = two(tmp_path / "store")
    home.log(S1, *(answer(f"m{n}") for n in range(6)))  # more than the bytes that tell one log from another
    home.count()
    old.prompt(S1)
    path = home.log(S1, answer("n1"), add=True)
    old.count()
    with open(path, "r+b") as f:
        f.seek(-100, os.SEEK_END)
        f.write(b"xxxx")  # would be unread if it were read again
    joined(home, old)
    [row] = home.count().values()
    assert (row["requests"], row["unread"]) == (7, 0)


def test_a_session_of_both_projects_began_with_the_first_and_ended_with_the_last(tmp_path):
    home, old = two(tmp_path / "store")
    path = old.log(S1, answer("m1", time=at(1)), answer("m2", time=at(9)))
    old.count()
    os.remove(path)
    home.prompt(S1)
    home.log(S1, answer("m3", time=at(5)))
    before = home.count()[S1]["started"]
    joined(home, old)
    [row] = home.count().values()
    assert (row["started"] - before, row["ended"] - before, row["requests"]) == (-4 * 60, 4 * 60, 3)


ROWS = st.lists(
    st.sampled_from(
        [
            *(answer(f"m{n}", blocks=[tool(call=f"t{n}", file_path=f"{n % 2}")]) for n in range(4)),
            prompt(), prompt(promptId="p2"), answer("m1", model="haiku"), b'{"type":"assistant"',
        ]
    ),
    max_size=8,
)  # fmt: skip


@KEPT
@given(
    st.dictionaries(st.sampled_from([S1, S2, S3]), st.tuples(ROWS, st.sampled_from(["here", "old", "both"])))
)
def test_two_counts_that_are_joined_are_as_one_of_all_logs(tmp_path_factory, logs):
    home, old = two(tmp_path_factory.mktemp("store"))
    for session, (rows, where) in logs.items():
        for place in (home, old):
            if where == "both" or (where == "here") == (place is home):
                place.prompt(session)
        home.logs["claude-code"][session] = [os.path.join(home.home, session + ".jsonl")]
        with open(home.logs["claude-code"][session][0], "wb") as f:
            f.writelines((r if isinstance(r, bytes) else line(r)) + b"\n" for r in rows)
    home.count()
    old.count()
    joined(home, old)
    found = home.count()
    files.remove(home.database())
    assert {session: numbers(row) for session, row in found.items()} == {
        session: numbers(row) for session, row in home.count().items()
    }
    assert {session: (row["models"], row["unread"]) for session, row in found.items()} == {
        session: (row["models"], row["unread"]) for session, row in home.sessions().items()
    }


@pytest.mark.parametrize("what", ["newer", "damaged", "one table", "empty"])
def test_a_joined_file_that_cannot_be_taken_over_is_kept(tmp_path, what):
    home, old = two(tmp_path / "store")
    home.log(S1, answer("m1"))
    before = home.count()
    old.log(S2, answer("m2"))
    old.count()
    if what == "newer":
        execute(old, "UPDATE meta SET value=99")
    elif what == "one table":
        spoil(old, "keys")
    else:
        files.write(old.database(), b"" if what == "empty" else b"nothing" * 100)
    data = files.read(old.database())
    [name] = joined(home, old)
    home.logs["claude-code"].pop(S2)
    said = home.tell()
    assert home.sessions() == before
    if what == "empty":
        assert (said, aside(home)) == ([], {})
        return
    [sentence] = said
    assert sentence.startswith(f"{name} {'is of a newer Foreword' if what == 'newer' else 'was damaged'}")
    assert list(aside(home).values()) == [data]
    assert home.tell() == (said if what == "newer" else [])


def test_a_project_in_a_home_whose_name_is_no_utf8_is_joined(tmp_path):
    home, old = two(os.path.join(str(tmp_path), os.fsdecode(b"caf\xe9 ?#%")))
    home.log(S1, answer("m1"))
    old.log(S2, answer("m2"))
    home.count()
    old.count()
    joined(home, old)
    assert list(home.count()) == [S1, S2]


def test_what_another_process_counts_into_is_left_to_the_next_join(tmp_path):
    home, old = two(tmp_path / "store")
    home.log(S1, answer("m1"))
    home.count()
    old.log(S2, answer("m2"))
    old.count()
    with files.Lock(old.folder, 0, count.LOCK) as held:
        assert held
        assert joined(home, old) == []
    assert os.path.exists(old.database())
    assert joined(home, old) == [database.JOINED + OTHER]
    assert not os.path.exists(old.folder)
    assert list(home.count()) == [S1, S2]


def test_what_was_set_aside_before_comes_along_and_a_second_join_removes_nothing(tmp_path):
    home, old = two(tmp_path / "store")
    for n in range(2):
        files.make_folder(old.folder)
        files.write(old.database(), b"%d" % n)
        files.write(old.database() + "-journal", b"%d's" % n)
        files.write(old.database() + ".damaged-20261130-030000", b"aside %d" % n)
        joined(home, old)
        assert not os.path.exists(old.folder)
    assert sorted(filter(None, aside(home).values())) == [b"0", b"0's", b"1", b"1's", b"aside 0", b"aside 1"]


def test_a_repository_that_got_its_first_commit_keeps_what_was_counted(tmp_path):
    """The whole way: a folder without history is a project of its own, and is joined once it has one."""
    root, store = str(tmp_path / "repo"), str(tmp_path / "store")
    git = ["git", "-c", "user.name=a", "-c", "user.email=a@example.com", "-C", root]
    subprocess.run(["git", "init", "-q", root], check=True)
    first = project.find(root, store, ask_git=True)
    before = Home(store, first.name)
    path = before.log(S1, answer("m1"))
    rows = before.count()
    subprocess.run([*git, "commit", "-q", "--allow-empty", "-m", "first"], check=True)
    os.remove(path)
    now = project.find(root, store, ask_git=True)
    assert now.name != first.name and not os.path.exists(first.folder)
    after = Home(store, now.name)
    assert after.count() == rows

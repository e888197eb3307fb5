"""Copies of the graph: one a day, the newest few, and never a file of somebody else's removed."""

import os
import stat

import pytest

from foreword import files
from foreword.errors import ForewordError
from foreword.graph import backups

NOON = 1_793_880_000  # 2026-11-05T12:00:00Z


@pytest.fixture
def path(tmp_path):
    path = str(tmp_path / "memory.jsonl")
    put(path, b"one\n")
    return path


def put(path, data):
    with open(path, "wb") as f:
        f.write(data)


def there(path):
    return sorted(os.listdir(backups.folder_of(path)))


def day(number):
    return f"2026-11-{number:02}"


def test_a_day_has_one_copy_of_what_was_before_its_first_write(path):
    made = backups.daily(path, 7, day(1))
    assert made == os.path.join(os.path.dirname(path), "backups", "memory-2026-11-01.jsonl")
    put(path, b"two\n")
    assert backups.daily(path, 7, day(1)) == ""
    assert files.read(made) == b"one\n"
    assert there(path) == ["memory-2026-11-01.jsonl"]


@pytest.mark.skipif(os.name == "nt", reason="modes of POSIX")
def test_copies_are_private_whatever_the_graph_is(path):
    os.chmod(path, 0o644)
    made = backups.daily(path, 7, day(1))
    assert stat.S_IMODE(os.stat(made).st_mode) == 0o600
    assert stat.S_IMODE(os.stat(os.path.dirname(made)).st_mode) == 0o700


def test_the_newest_seven_days_stay(path):
    for number in (3, 1, 2, *range(4, 11)):
        backups.daily(path, 7, day(number))
    assert there(path) == [f"memory-{day(number)}.jsonl" for number in range(4, 11)]


def test_nothing_is_copied_of_no_file_of_an_empty_one_and_where_none_are_kept(path, tmp_path):
    empty = str(tmp_path / "empty.jsonl")
    put(empty, b"")
    for wanted, keep in ((str(tmp_path / "none.jsonl"), 7), (empty, 7), (path, 0)):
        assert backups.daily(wanted, keep, day(1)) == ""
        assert not os.path.exists(backups.folder_of(wanted))
    assert backups.now(empty, 7) == ""


def test_no_file_of_somebody_else_s_is_removed(path):
    backups.daily(path, 1, day(1))
    theirs = [
        "memory-2026-10-01.jsonl.gz",
        "memory-2026-10-01-100000-before-compact.jsonl",
        "my-memory-2026-10-01.jsonl",
        "memory-2026-10-1.jsonl",
        "memoryx2026-10-01.jsonl",
        "other-2026-10-01.jsonl",
    ]
    for name in theirs:
        put(os.path.join(backups.folder_of(path), name), b"mine")
    backups.daily(path, 1, day(2))
    assert there(path) == sorted([*theirs, "memory-2026-11-02.jsonl"])


def test_two_graphs_of_one_folder_keep_their_own(tmp_path):
    for name in ("memory.jsonl", "memory-work.jsonl", "memory", "memory.json", "a[b].jsonl"):
        put(str(tmp_path / name), name.encode())
        for number in (1, 2, 3):
            made = backups.daily(str(tmp_path / name), 2, day(number))
            assert files.read(made) == name.encode()
    assert len(there(str(tmp_path / "memory"))) == 10
    for name in ("memory", "a[b].jsonl"):
        assert [moment for moment, _ in backups.kept(str(tmp_path / name))] == [day(2), day(3)]


def test_a_copy_that_cannot_be_made_costs_no_write_but_stops_a_compacting(path):
    put(backups.folder_of(path), b"a file in the folder's place")
    assert backups.daily(path, 7, day(1)) == ""
    with pytest.raises(ForewordError) as told:
        backups.now(path, 7)
    assert backups.folder_of(path) in told.value.message
    assert told.value.hint
    assert backups.kept(path) == []


def test_a_copy_of_a_moment_has_its_time_and_two_of_one_second_are_two(path):
    first = backups.now(path, 7, NOON)
    put(path, b"two\n")
    second = backups.now(path, 7, NOON)
    assert os.path.basename(first) == "memory-2026-11-05T120000.jsonl"
    assert os.path.basename(second) == "memory-2026-11-05T120000-2.jsonl"
    assert (files.read(first), files.read(second)) == (b"one\n", b"two\n")
    assert [name for _, name in backups.kept(path)] == [os.path.basename(first), os.path.basename(second)]


def test_copies_of_moments_do_not_push_out_those_of_days(path):
    for number in (1, 2, 3):
        backups.daily(path, 3, day(number))
    for number in range(5):
        backups.now(path, 3, NOON + number)
    assert there(path) == [
        *(f"memory-{day(number)}.jsonl" for number in (1, 2, 3)),
        *(f"memory-2026-11-05T12000{number}.jsonl" for number in (2, 3, 4)),
    ]


def test_a_copy_of_a_moment_goes_with_the_days_of_its_time(path):
    backups.now(path, 2, NOON)
    backups.now(path, 2, NOON + 86_400)
    backups.daily(path, 2, day(5))
    backups.daily(path, 2, day(6))
    assert len(there(path)) == 4
    backups.daily(path, 2, day(7))
    assert there(path) == [
        "memory-2026-11-06.jsonl",
        "memory-2026-11-06T120000.jsonl",
        "memory-2026-11-07.jsonl",
    ]


def test_as_long_as_no_day_goes_no_moment_does(path):
    backups.now(path, 2, NOON)
    backups.daily(path, 2, day(6))
    backups.daily(path, 2, day(7))
    assert len(there(path)) == 3


def test_a_copy_of_a_moment_is_made_where_none_are_kept(path):
    made = backups.now(path, 0, NOON)
    assert files.read(made) == b"one\n"
    assert files.read(backups.now(path, 0, NOON - 60)) == b"one\n"
    latest = backups.now(path, 0, NOON + 60)
    assert there(path) == [os.path.basename(latest)]


@pytest.mark.parametrize(
    "make", [lambda path: backups.daily(path, 7, day(2)), lambda path: backups.now(path, 7)]
)
def test_what_a_killed_writer_left_goes_with_the_next_copy(path, make):
    """It held what was deleted since, for ever."""
    backups.daily(path, 7, day(1))
    folder = backups.folder_of(path)
    for left, age_s in (
        (".memory-2026-11-01.jsonl.9-abcdef.tmp", 7_200),
        (".m.9-abcdef.tmp", 60),
        ("a.tmp", 7_200),
    ):
        put(os.path.join(folder, left), b"secret")
        then = os.stat(os.path.join(folder, left)).st_mtime - age_s
        os.utime(os.path.join(folder, left), (then, then))
    made = make(path)
    assert there(path) == sorted(
        [".m.9-abcdef.tmp", "a.tmp", "memory-2026-11-01.jsonl", os.path.basename(made)]
    )

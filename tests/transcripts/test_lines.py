"""Lines of a log come whole, in order and one at a time, however long they are and wherever one begins."""

import os
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foreword.transcripts import lines

# Pieces that make blocks end in the middle of lines, at their ends, and lines that are too long.
PIECES = st.sampled_from([b"", b"\n", b"a", b"\0", b"\xff\r", b"b" * 9, b"c" * 40, b"\n\n"])


@pytest.fixture
def small(monkeypatch):
    """Blocks of 8 bytes and lines of 24 at most, so that little data has every case."""
    monkeypatch.setattr(lines, "BLOCK", 8)
    monkeypatch.setattr(lines, "LONGEST", 24)


def written(tmp_path, data):
    path = tmp_path / "log.jsonl"
    path.write_bytes(data)
    return str(path)


def wanted(data):
    found, at = [], 0
    for line in data.split(b"\n")[:-1]:
        at += len(line) + 1
        found.append((at, line if len(line) <= lines.LONGEST else None))
    return found


@given(st.lists(PIECES, max_size=30).map(b"".join))
def test_every_whole_line_is_given_with_where_the_next_begins(tmp_path_factory, data):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lines, "BLOCK", 8)
        patch.setattr(lines, "LONGEST", 24)
        path = written(tmp_path_factory.mktemp("log"), data)
        all_of_it = list(lines.read(path))
        assert all_of_it == wanted(data)
        for n, (at, _) in enumerate(all_of_it):
            assert list(lines.read(path, at)) == all_of_it[n + 1 :]


def test_a_line_that_is_half_written_is_given_once_it_is_whole(tmp_path):
    path = written(tmp_path, b"one\ntw")
    assert list(lines.read(path)) == [(4, b"one")]
    with open(path, "ab") as f:
        f.write(b"o\n")
    assert list(lines.read(path, 4)) == [(8, b"two")]


def test_a_line_that_is_exactly_as_long_as_may_be_is_given(tmp_path, small):
    path = written(tmp_path, b"a" * 24 + b"\n" + b"b" * 25 + b"\nc\n")
    assert list(lines.read(path)) == [(25, b"a" * 24), (51, None), (53, b"c")]


def test_what_is_no_file_has_no_lines(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "gone", tmp_path, tmp_path / "pipe", "/dev/zero", "a\0b"):
        assert list(lines.read(str(path))) == []


def test_what_may_not_be_read_is_told_apart_from_what_is_not_there(tmp_path):
    os.symlink("circle", tmp_path / "circle")
    with pytest.raises(OSError):
        list(lines.read(str(tmp_path / "circle")))


def test_a_line_of_a_hundred_megabytes_is_passed_over_in_little_memory(tmp_path):
    path = tmp_path / "log.jsonl"
    with open(path, "wb") as f:
        f.truncate(100_000_000)  # zeros
        f.seek(0, os.SEEK_END)
        f.write(b'\n{"a":1}\n')
    program = (
        "import sys; from foreword.transcripts import lines;"
        "print([line for _, line in lines.read(sys.argv[1])]);"
        "peak = open('/proc/self/status').read().partition('VmHWM:')[2].split()[0];"
        "print(int(peak) < 40 * 1024)"
    )
    done = subprocess.run([sys.executable, "-c", program, str(path)], capture_output=True, text=True)
    assert done.stdout == """[None, b'{"a":1}']\nTrue\n""", done.stderr


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"{",
        b"[]",
        b"1",
        b"null",
        b'"a"',
        b"[" * 100_000,
        b'{"a":' * 50_000,
        b'{"a":' + b"9" * 5_000 + b"}",
    ],
)
def test_what_is_no_record_is_none(line):
    assert lines.record(line) is None


def test_a_record_with_broken_bytes_is_still_one():
    assert lines.record(b'{"a":"\xff","b":2}')["b"] == 2


@pytest.mark.parametrize("wrong", [-1, 1.0, "1", True, [1], {}, 10**12 + 1, 10**400])
def test_a_number_that_counts_no_tokens_spoils_the_usage(wrong):
    assert lines.tokens({"a": 1, "b": wrong}, ("a", "b")) is None


def test_a_count_that_is_missing_or_null_is_none_of_anything():
    assert lines.tokens({"a": 1, "b": None}, ("a", "b", "c")) == [1, 0, 0]

"""Lines however the bytes arrive, over pipes of this process."""

import os

from hypothesis import given, settings
from hypothesis import strategies as st

from foreword.server import lines
from foreword.server.lines import Lines


class Never:
    """An Ending that no signal reaches."""

    asked = waiting = False


def reader(*blocks):
    """Lines of a pipe that holds `blocks` and is closed."""
    get, put = os.pipe()
    for block in blocks:
        os.write(put, block)
    os.close(put)
    return Lines(get, Never())


def every(source):
    try:
        return list(iter(source.next, None))
    finally:
        os.close(source.fd)


@settings(deadline=None)
@given(st.lists(st.binary(max_size=300), max_size=30))
def test_lines_are_the_same_however_the_bytes_arrive(blocks):
    whole = b"".join(blocks)
    expected = whole.split(b"\n")
    if not expected[-1]:
        expected.pop()

    assert every(reader(*blocks)) == expected


def test_a_line_over_the_limit_is_passed_over_and_the_next_one_read(monkeypatch):
    monkeypatch.setattr(lines, "LARGEST", 100)

    found = every(reader(b"a\n" + b"x" * 101 + b"\nb\n" + b"y" * 100 + b"\n"))

    assert found == [b"a", Lines.TOO_LONG, b"b", b"y" * 100]


def test_a_long_line_is_not_kept_while_it_arrives(monkeypatch):
    monkeypatch.setattr(lines, "LARGEST", 100)
    get, put = os.pipe()
    source = Lines(get, Never())
    for _ in range(50):
        os.write(put, b"x" * 1000)
        assert source.next(wait_s=0) is Lines.LATE
        assert len(source.buffer) <= 101
    os.write(put, b"\nb\n")

    assert source.next() is Lines.TOO_LONG
    assert source.next() == b"b"
    os.close(put)
    os.close(get)


def test_a_last_line_without_its_end_is_still_a_line():
    assert every(reader(b"a\nb")) == [b"a", b"b"]


def test_a_wait_ends_without_a_line():
    get, put = os.pipe()
    source = Lines(get, Never())
    os.write(put, b"half")

    assert source.next(wait_s=0) is Lines.LATE
    os.write(put, b" a line\n")
    assert source.next(wait_s=0) == b"half a line"
    os.close(put)
    os.close(get)


def test_no_line_is_given_out_once_a_signal_came():
    source = reader(b"a\nb\n")
    source.ending = Never()
    source.ending.asked = True

    assert every(source) == []

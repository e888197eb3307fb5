"""The end of a transcript: read backwards, by no more than the limit, and never anything but a file."""

import json
import os

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from foreword.clients import tail


def test_no_more_than_the_limit_is_read(tmp_path, monkeypatch):
    monkeypatch.setattr(tail, "LIMIT", 10_000)
    monkeypatch.setattr(tail, "BLOCK", 512)
    path = tmp_path / "t.jsonl"
    line = json.dumps({"content": "x" * 400}) + "\n"
    path.write_text(json.dumps({"content": "far away"}) + "\n" + line * 100)
    records = list(tail.records(str(path)))
    assert {len(record["content"]) for record in records} == {400}
    assert len(records) == 10_000 // len(line)


lines = st.lists(
    st.builds(lambda r: json.dumps(r).encode(), st.dictionaries(st.text(max_size=5), st.text(max_size=30)))
    | st.sampled_from(
        [b"", b" ", b"{", b"null", b"[1, 2]", b"\xff\xfe", b"\r", b'{"a": "\xc3\xa4"}', b'{"b": 1}\r']
    )
    | st.builds(lambda n: json.dumps({"long": "x" * n}).encode(), st.integers(0, 200)),
    max_size=12,
)


@given(lines, st.booleans(), st.integers(1, 70))
@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_reading_backwards_gives_what_reading_forwards_gives(tmp_path, lines, ends, block):
    path = tmp_path / "t.jsonl"
    path.write_bytes(b"\n".join(lines) + (b"\n" if ends else b""))
    expected = []
    for line in path.read_bytes().split(b"\n"):
        try:
            record = json.loads(line)
        except ValueError:
            continue
        if isinstance(record, dict) and record:
            expected.append(record)
    before = tail.BLOCK
    tail.BLOCK = block
    try:
        assert list(tail.records(str(path))) == expected[::-1]
    finally:
        tail.BLOCK = before


@given(lines, st.booleans(), st.integers(0, 400))
@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_the_last_whole_lines_are_those_that_fit(tmp_path, lines, ends, size):
    data = b"\n".join(lines) + (b"\n" if ends and lines else b"")
    path = tmp_path / "t.jsonl"
    path.write_bytes(data)
    whole = data[: data.rfind(b"\n") + 1]
    found = tail.last(str(path), size)
    assert whole.endswith(found)
    assert found in (b"", whole) or whole[: -len(found)].endswith(b"\n")
    room = size - (len(data) - len(whole))  # a half line at the end takes of it
    if len(data) <= size:
        assert found == whole
    else:
        assert len(found) <= max(0, room - 1)
        cut = whole[: len(whole) - len(found)].rstrip(b"\n")
        line = cut[cut.rfind(b"\n") + 1 :]
        assert not line or len(found) + len(line) + 1 > room - 1  # the next line would not have fitted


@pytest.mark.parametrize("kind", ["absent", "folder", "fifo", "name", "device"])
def test_what_is_no_file_is_not_opened(kind, tmp_path, monkeypatch):
    path = tmp_path / kind
    if kind == "folder":
        path.mkdir()
    elif kind == "fifo":
        os.mkfifo(path)
    given = {"name": "a\ud800\0b", "device": "/dev/zero"}.get(kind, str(path))
    opened = []
    monkeypatch.setattr(os, "open", lambda *given: opened.append(given))
    assert tail.last(given, 100) == b""
    assert list(tail.records(given)) == []
    assert opened == []  # whoever waits to write into a pipe goes on waiting


def test_no_descriptor_stays_open(tmp_path):
    path = tmp_path / "t.jsonl"
    path.write_text('{"a": 1}\n{"b": 2}\n')
    before = len(os.listdir("/dev/fd"))
    tail.last(str(path), 100)
    next(iter(tail.records(str(path))))
    list(tail.records(str(path)))
    assert len(os.listdir("/dev/fd")) == before

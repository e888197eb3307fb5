"""Reading back the logs that hooks keep: every object once, in order, whatever else stands there."""

import json
import os
import tempfile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foreword import files
from foreword.store import logs
from foreword.store.layout import LOGS_KEPT

ONE, TWO, ENTITY = "20261101-101500-a1b2", "20261101-101501-a1b2", "30000101-000000-0001"


@pytest.fixture
def path(tmp_path):
    return str(tmp_path / "prompts.log")


def write(path, *records):
    with open(path, "ab") as f:
        for record in records:
            f.write((record if isinstance(record, bytes) else json.dumps(record).encode()) + b"\n")


def numbers(found):
    return [record["n"] for record in found]


def test_a_log_that_is_not_there_holds_nothing(path):
    assert (list(logs.records(path)), list(logs.newest(path))) == ([], [])
    assert list(logs.records(os.path.join(path, "below", "a.log"))) == []


def test_older_files_come_first_and_none_that_is_older_than_what_is_kept(path):
    for n in range(LOGS_KEPT + 2):
        write(path + (f".{n}" if n else ""), {"n": 10 * n}, {"n": 10 * n + 1})
    oldest_first = [10 * n + m for n in range(LOGS_KEPT, -1, -1) for m in (0, 1)]
    assert numbers(logs.records(path)) == oldest_first
    assert numbers(logs.records(path, kept=1)) == [10, 11, 0, 1]
    assert numbers(logs.newest(path)) == [1, 0, 11, 10]
    assert numbers(logs.newest(path, kept=LOGS_KEPT)) == oldest_first[::-1]


def test_what_append_rotates_is_read_back_as_it_was_written(path, monkeypatch):
    monkeypatch.setattr(files, "LOG_LIMIT", 30)
    for n in range(10, 60):
        files.append(path, json.dumps({"n": n}).encode(), LOGS_KEPT)
        assert numbers(logs.newest(path))[0] == n  # also where it was rotated just now
    assert os.path.exists(f"{path}.{LOGS_KEPT}")
    kept = numbers(logs.records(path))
    assert kept == list(range(kept[0], 60))
    assert kept[0] > 10


def test_damaged_lines_are_passed_over(path):
    odd = b"", b"\r", b"\xff\xfe", b'{"n"', b"[1]", b"null", b'"n"', b"[" * 9_000, b"1" * 9_000, b"\0" * 50
    write(path, *odd, {"n": 1}, *odd, b'{"n": 2}\r', b' {"n": 3} ')
    with open(path, "ab") as f:
        f.write(b'{"n": 4}')  # nobody says that a line has to end
    assert numbers(logs.records(path)) == [1, 2, 3, 4]
    assert numbers(logs.newest(path)) == [4, 3, 2, 1]


@pytest.mark.parametrize("kind", ["a pipe", "a folder", "a link to itself", "a link to nowhere"])
@pytest.mark.parametrize("at", ["", ".1"])
def test_what_is_no_file_is_passed_over_and_nobody_waits(path, kind, at):
    if os.name == "nt":
        pytest.skip("no pipes there")
    write(path + ("" if at else ".1"), {"n": 1})
    if kind == "a pipe":
        os.mkfifo(path + at)
    elif kind == "a folder":
        os.mkdir(path + at)
    else:
        os.symlink(path + at if kind == "a link to itself" else "/nowhere/at/all", path + at)
    assert (numbers(logs.records(path)), numbers(logs.newest(path))) == ([1], [1])


def test_of_a_files_end_only_whole_lines_are_given(path):
    lines = [b'{"n": %d}' % n for n in range(5)]  # eight bytes, nine with their end
    write(path, *lines)
    for tail, found in ((0, []), (8, []), (9, [4]), (17, [4]), (18, [4, 3]), (45, [4, 3, 2, 1, 0])):
        assert numbers(logs.newest(path, tail=tail)) == found
    write(path, b'{"n": 5, "text": "' + b" " * 50 + b'{\\"n\\": 6}"}')
    assert numbers(logs.newest(path, tail=20)) == []


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=8)
    | st.sampled_from([ONE, "on"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=5,
)
KEYS = st.sampled_from(["ids", "entities", "time"])
LINES = st.dictionaries(KEYS, JSON) | st.binary(max_size=12) | st.just({"state": "on", "ids": [ONE]})


@given(st.lists(st.lists(LINES, max_size=4), max_size=3))
def test_each_object_is_given_once_in_order_whatever_stands_beside_it(some):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "a.log")
        for n, lines in enumerate(some):
            write(path + (f".{n}" if n else ""), *lines)
        found = list(logs.records(path))
        told = [json.dumps(record) for record in found]
        wanted = [json.dumps(line) for lines in some[::-1] for line in lines if isinstance(line, dict)]
        assert [line for line in told if line in wanted] == wanted
        assert [json.dumps(record) for record in logs.newest(path, kept=3)] == told[::-1]
        for record in found:
            ids, named = logs.shown(record)
            is_on, is_hit = logs.hit(record)
            assert is_hit == (is_on and len(ids) + len(named) > 0)


@pytest.mark.parametrize(
    ("record", "shown", "hit"),
    [
        ({"state": "on", "ids": [ONE, TWO]}, ([ONE, TWO], []), (True, True)),
        ({"state": "on", "ids": [], "entities": [ENTITY]}, ([], [ENTITY]), (True, True)),
        ({"state": "on", "ids": [], "index": True, "characters": 9}, ([], []), (True, False)),
        ({"state": "on", "ids": ["../../etc", None, 7, [ONE]], "entities": ONE}, ([], []), (True, False)),
        ({"state": "off", "ids": [ONE]}, ([ONE], []), (False, False)),
        ({"state": True, "ids": {ONE: 1}}, ([], []), (False, False)),
        ({}, ([], []), (False, False)),
    ],
)
def test_a_prompt_with_any_line_while_memory_was_on_is_a_hit(record, shown, hit):
    assert (logs.shown(record), logs.hit(record)) == (shown, hit)

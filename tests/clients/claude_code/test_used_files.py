"""The files that a client session read and edited, found in its transcript without parsing it.

The transcripts are real ones of 2.1.197, but for the client's own words: one record per content block.
"""

import json
import os
import socket
import time
import tracemalloc

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from foreword.clients import heard, tail
from foreword.clients.claude_code import wire

TRANSCRIPTS = os.path.join(
    os.path.dirname(__file__), "..", "..", "data", "clients", "claude-code", "transcripts"
)
COMPACT = {"separators": (",", ":")}  # as the client writes


RETURNED = {
    "type": "user",
    "message": {
        "role": "user",
        "content": [{"type": "tool_result", "tool_use_id": "toolu_1", "content": '"file_path":"/r/x.py"'}],
    },
}


def used(tool, file="/home/dev/app/src/app.py", key="file_path", before=None, **more):
    """A record in which the assistant uses a tool on a file."""
    given = {**(before or {}), key: file}
    blocks = [{"type": "tool_use", "name": tool, "input": given, "id": "toolu_1"}]
    message = {"id": "msg_1", "type": "message", "role": "assistant", "content": blocks}
    return {"parentUuid": "p", "isSidechain": False, "message": message, "type": "assistant", **more}


def written(path, *records, ending=b"", **spelling):
    path.write_bytes(b"".join(json.dumps(r, **spelling).encode() + b"\n" for r in records) + ending)
    return str(path)


@pytest.mark.parametrize("name", ["session.jsonl", "compacted.jsonl"])
def test_the_file_that_a_real_session_read_and_edited_is_found_once(name):
    """2.1.197: Read and Edit of one file, a Grep, commands, a subagent, a compaction."""
    assert wire.touched(os.path.join(TRANSCRIPTS, name)) == ["/home/dev/app/src/app.py"]


def test_what_a_real_subagent_did_is_not_the_sessions_own(tmp_path):
    """Its command is made a Read here; 2.1.197 gives subagents transcripts of their own."""
    with open(os.path.join(TRANSCRIPTS, "subagent.jsonl"), "rb") as f:
        read = f.read().replace(b'"name":"Bash","input":{', b'"name":"Read","input":{"file_path":"/r/a.py",')
    path = tmp_path / "t.jsonl"
    for data, found in (
        (read, []),
        (read.replace(b'"isSidechain":true', b'"isSidechain":false'), ["/r/a.py"]),
    ):
        path.write_bytes(data)
        assert wire.touched(str(path)) == found


@pytest.mark.parametrize("spelling", [COMPACT, {}], ids=["compact", "spaced"])
def test_files_are_told_the_latest_first_and_each_once(tmp_path, spelling):
    path = written(
        tmp_path / "t.jsonl",
        used("Read", "/r/a.py"),
        used("Edit", "/r/b.py", before={"replace_all": False, "old_string": 'x = "1"\n' * 9_000}),
        used("MultiEdit", "/r/c.py", before={"edits": [{"old_string": "a", "new_string": "b"}]}),
        RETURNED,
        used("NotebookEdit", "/r/d.ipynb", "notebook_path"),
        used("Write", "/r/e.py", before={"content": "{}"}),
        used("Read", "/r/a.py"),
        **spelling,
    )
    assert wire.touched(path) == ["/r/a.py", "/r/e.py", "/r/d.ipynb", "/r/c.py", "/r/b.py"]


def test_twenty_files_are_told_at_most(tmp_path):
    path = written(tmp_path / "t.jsonl", *[used("Read", f"/r/{n}.py") for n in range(30)], **COMPACT)
    latest = [f"/r/{n}.py" for n in range(29, 9, -1)]
    assert wire.touched(path) == latest
    together = used("Read")
    together["message"]["content"] = [used("Read", f"/r/{n}.py")["message"]["content"][0] for n in range(30)]
    assert wire.touched(written(tmp_path / "t.jsonl", together)) == latest


@pytest.mark.parametrize(
    "file", ["/r/größe.py", '/r/a "quoted" name.py', "/r/back\\slash", "/r/日本/ü.py", "/r/🐑"]
)
@pytest.mark.parametrize("ascii_only", [True, False], ids=["escaped", "as-it-is"])
def test_a_path_is_told_as_it_was_meant(tmp_path, file, ascii_only):
    path = written(tmp_path / "t.jsonl", used("Read", file), ensure_ascii=ascii_only, **COMPACT)
    assert wire.touched(path) == [file]


NO_USE = {
    "of a subagent": used("Read", "/r/x.py", isSidechain=True),
    "another tool": used("Bash", "/r/x.py"),
    "a tool's name within another's": used("mcp__x__Read", "/r/x.py"),
    "named alike": {
        "type": "assistant",
        "message": {"content": [{"type": "text", "text": "", "name": "Read", "file_path": "/r/x.py"}]},
    },
    "another key": used("Read", "/r/x.py", "path"),
    "a key that ends alike": used("Read", "/r/x.py", "my_file_path"),
    "no path": used("Read", ["/r/x.py"]),
    "a number": used("Read", 7),
    "relative": used("Read", "src/x.py"),
    "empty": used("Read", ""),
    "longer than any path": used("Read", "/" + "x" * heard.LONGEST_PATH),
    "of a user": {**used("Read", "/r/x.py"), "type": "user"},
    "what a tool returned": {**RETURNED, "toolUseResult": used("Read", "/r/x.py")["message"]},
    "returned as text": RETURNED,
    "said": {
        "type": "assistant",
        "message": {"content": [{"type": "text", "text": json.dumps(used("Read", "/r/x.py"))}]},
    },
    "written to a file": used("Bash", before={"content": json.dumps(used("Read", "/r/x.py"))}, key="path"),
}


@pytest.mark.parametrize("record", NO_USE.values(), ids=NO_USE)
@pytest.mark.parametrize("spelling", [COMPACT, {}], ids=["compact", "spaced"])
def test_what_is_no_use_of_a_file_is_passed_over(tmp_path, record, spelling):
    path = written(tmp_path / "t.jsonl", used("Read", "/r/before.py"), record, **spelling)
    assert wire.touched(path) == ["/r/before.py"]


def test_a_record_that_is_half_written_does_not_count_yet(tmp_path):
    line = json.dumps(used("Edit", "/r/half.py"), **COMPACT).encode()
    for cut in range(len(line) + 1):
        path = written(tmp_path / "t.jsonl", used("Read", "/r/whole.py"), ending=line[:cut])
        assert wire.touched(path) == ["/r/whole.py"]
    assert wire.touched(written(tmp_path / "t.jsonl", ending=line + b"\n")) == ["/r/half.py"]


def test_a_record_that_begins_before_the_tail_does_not_count(tmp_path, monkeypatch):
    records = [used("Read", f"/r/{n}.py") for n in range(5)]
    path = written(tmp_path / "t.jsonl", *records, **COMPACT)
    size = os.path.getsize(path) // 5
    for short, count in ((0, 3), (1, 2)):
        monkeypatch.setattr(tail, "NAMED_TAIL", 3 * size + 1 - short)
        assert len(wire.touched(path)) == count


@pytest.mark.parametrize("kind", ["absent", "empty", "folder", "fifo", "nowhere", "name", "device", "socket"])
def test_what_is_no_transcript_has_no_files_and_is_not_waited_for(kind, tmp_path, monkeypatch):
    def slept(seconds):
        raise AssertionError("waited")

    monkeypatch.setattr(time, "sleep", slept)
    path = tmp_path / kind
    if kind == "empty":
        path.write_text("")
    elif kind == "folder":
        path.mkdir()
    elif kind == "fifo":
        os.mkfifo(path)  # nobody ever writes to it: who opened it as usual would stay here
    elif kind == "socket":
        monkeypatch.chdir(tmp_path)  # the name of a socket is 107 bytes at most
        with socket.socket(socket.AF_UNIX) as s:
            s.bind(kind)
    given = {"nowhere": "", "name": "a\ud800\0b", "device": "/dev/zero"}.get(kind, str(path))
    assert wire.touched(given) == []


def test_files_of_a_session_of_400_mb_are_found_in_its_end(tmp_path):
    path = tmp_path / "long.jsonl"
    with open(path, "wb") as f:
        f.truncate(400_000_000)
        f.seek(0, os.SEEK_END)
        f.write(b"\n" + json.dumps(used("Read", "/r/a.py")).encode() + b"\n")
    tracemalloc.start()
    try:
        found = wire.touched(str(path))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert found == ["/r/a.py"]
    assert peak < 4 * tail.NAMED_TAIL


def test_a_hostile_file_is_not_looked_into_for_ever(tmp_path, monkeypatch):
    looked = []
    real = wire._uses_file
    monkeypatch.setattr(wire, "_uses_file", lambda record: looked.append(record) or real(record))
    path = tmp_path / "t.jsonl"
    path.write_bytes(b'_path"\n' * 40_000)
    assert wire.touched(str(path)) == []
    assert len(looked) == tail.NAMED_TRIES


names = st.sampled_from([tool.decode() for tool in wire.TOOLS] + ["Bash", "Grep", "mcp__x__y"])
files_used = st.lists(
    st.tuples(names, st.text(max_size=12), st.booleans(), st.text(max_size=40)), max_size=12
)


@given(files_used, st.booleans(), st.booleans())
@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_by_bytes_the_same_is_found_as_by_parsing_all(tmp_path, uses, ascii_only, spaced):
    records = [
        used(tool, "/" + file, before={"content": content}, isSidechain=side)
        for tool, file, side, content in uses
    ]
    expected = {}
    for tool, file, side, _ in reversed(uses):
        if tool.encode() in wire.TOOLS and not side:
            expected[heard.text({"path": "/" + file}, "path")] = None
    spelling = {} if spaced else COMPACT
    path = written(tmp_path / "t.jsonl", *records, ensure_ascii=ascii_only, **spelling)
    assert wire.touched(path) == list(expected)[: tail.NAMED]


pieces = st.sampled_from(
    [
        b'_path"', b'"file_path"', b'"file_path":"', b'"notebook_path": "/', b'"type":"tool_use"', b'"type":',
        b'"type":"assistant"', b'"name":"Read"', b'"', b"\\", b":", b"/r/a", b"\n", b"\xff", b"\0", b"{",
        b"\\u00",
    ]
)  # fmt: skip


@given(st.lists(pieces | st.binary(max_size=8), max_size=60))
@settings(max_examples=500, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_bytes_have_absolute_paths_or_none(tmp_path, found):
    path = tmp_path / "t.jsonl"
    path.write_bytes(b"".join(found) + b"\n")
    for file in wire.touched(str(path)):
        assert os.path.isabs(file)
        assert "\0" not in file
        assert len(file) <= heard.LONGEST_PATH
        file.encode("utf-8")

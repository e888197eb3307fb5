"""Which files a client session has read or edited, from the end of its rollout without parsing it.

The shapes are those of 0.171.0: FileChange for every patch, whatever tool made it; CommandExecution with
what Codex makes of a command.
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
from foreword.clients.codex import wire

ROLLOUTS = os.path.join(os.path.dirname(__file__), "..", "..", "data", "clients", "codex", "rollouts")


def completed(item, **more):
    payload = {"type": "item_completed", "thread_id": "s1", "turn_id": "t1", "item": item, **more}
    return {"timestamp": "2026-11-30T03:01:14.550Z", "ordinal": 1, "type": "event_msg", "payload": payload}


def ran(*commands, cwd="file:///r", output=""):
    """A record of a shell command; each of `commands` is (type, path) as Codex understood it."""
    parsed = [{"type": kind, "cmd": "…", "name": "x", "path": path} for kind, path in commands]
    item = {"type": "CommandExecution", "id": "c", "command": ["bash", "-lc", "…"], "cwd": cwd}
    return completed({**item, "parsed_cmd": parsed, "status": "completed", "aggregated_output": output})


def read(*paths, **more):
    return ran(*[("read", path) for path in paths], **more)


def patched(*paths, content="x\n", **moves):
    """A record of a patch; `moves` leads from a path's last part to where it went."""
    changes = {}
    for path in paths:
        change = {"type": "update", "unified_diff": content, "move_path": None}
        changes[path] = {**change, "move_path": moves.get(os.path.basename(path))}
    return completed({"type": "FileChange", "id": "c", "changes": changes, "status": "completed"})


SAID = completed(
    {"type": "AgentMessage", "id": "m", "content": [{"type": "Text", "text": json.dumps(patched("/r/x.py"))}]}
)


def written(path, *records, ending=b"", ascii_only=False):
    """Records as Codex writes them, without white space."""
    lines = [json.dumps(r, separators=(",", ":"), ensure_ascii=ascii_only) for r in records]
    path.write_bytes(b"".join(line.encode("utf-8", "replace") + b"\n" for line in lines) + ending)
    return str(path)


def test_the_files_that_a_real_session_read_and_edited_are_found():
    """0.171.0: `cat` and `sed -n` through a program that the model wrote, a patch of two files, no others."""
    found = wire.touched(os.path.join(ROLLOUTS, "session.jsonl"))
    assert found[0] == "/home/u/app/README.md"
    assert sorted(found[1:]) == ["/home/u/app/docs/rows.md", "/home/u/app/src/app.py"]


def test_a_session_without_files_has_none():
    assert wire.touched(os.path.join(ROLLOUTS, "subagent.jsonl")) == []


def test_files_are_told_the_latest_first_and_each_once(tmp_path):
    path = written(
        tmp_path / "t.jsonl",
        read("a.py", "b.py"),
        patched("/r/c.py", content="+x\n" * 9_000),
        SAID,
        read("/elsewhere/d.py", output='"changes":{"/r/x.py":{}}'),
        patched("/r/e.py", "/r/f.py"),
        read("a.py"),
    )
    assert wire.touched(path) == ["/r/a.py", "/r/f.py", "/r/e.py", "/elsewhere/d.py", "/r/c.py", "/r/b.py"]


def test_a_file_that_was_moved_is_told_where_it_is_and_where_it_was(tmp_path):
    path = written(tmp_path / "t.jsonl", patched("/r/a.py", **{"a.py": "/r/src/b.py"}))
    assert wire.touched(path) == ["/r/src/b.py", "/r/a.py"]


@pytest.mark.parametrize(
    ("cwd", "path", "found"),
    [
        ("file:///r", "src/app.py", "/r/src/app.py"),
        ("file:///r/src", "../README.md", "/r/README.md"),
        ("file:///r", "/etc/hosts", "/etc/hosts"),
        ("file:///r%20x/%C3%BC%2541%5B", "a b.py", "/r x/ü%41[/a b.py"),
        ("file:///%E6%97%A5%E6%9C%AC", "größe.py", "/日本/größe.py"),
        ("file:///r%", "a.py", "/r%/a.py"),
        ("file:///r%ff", "a.py", "/r\ufffd/a.py"),
        ("file:///r", "100%25.py", "/r/100%25.py"),  # a path is none of a URL
    ],
)
def test_a_path_is_told_as_it_was_meant(tmp_path, cwd, path, found):
    for ascii_only in (True, False):
        rollout = written(tmp_path / "t.jsonl", read(path, cwd=cwd), ascii_only=ascii_only)
        assert wire.touched(rollout) == [found]


def test_twenty_files_are_told_at_most(tmp_path):
    latest = [f"/r/{n}.py" for n in range(29, 9, -1)]
    assert wire.touched(written(tmp_path / "t.jsonl", *[read(f"{n}.py") for n in range(30)])) == latest
    assert wire.touched(written(tmp_path / "t.jsonl", read(*[f"{n}.py" for n in range(30)]))) == latest
    assert wire.touched(written(tmp_path / "t.jsonl", patched(*[f"/r/{n}.py" for n in range(30)]))) == latest


USED = {
    "arguments of a tool": completed(
        {"type": "McpToolCall", "id": "c", "arguments": {"item": patched("/r/x.py")["payload"]["item"]}}
    ),
    "arguments with the whole": completed(
        {"type": "McpToolCall", "arguments": {"payload": patched("/r/x.py")["payload"]}}
    ),
    "said": SAID,
    "what a command printed": read(output=json.dumps(read("x.py"))),
    "a command that is not understood": ran(("unknown", "x.py")),
    "a search": ran(("search", "x.py")),
    "a listing": ran(("list_files", "x.py")),
    "no path": ran(("read", None), ("read", ""), ("read", 7), ("read", ["x.py"])),
    "longer than any path": read("x" * heard.LONGEST_PATH + "y"),
    "a folder of another machine": read("x.py", cwd="file://other/r"),
    "a folder that is no URL": read("x.py", cwd="/r"),
    "no folder": read("x.py", cwd=None),
    "a patch of nothing": patched(),
    "a patch with a relative path": patched("x.py"),
    "changes that are none": completed({"type": "FileChange", "changes": ["/r/x.py"]}),
    "no changes": completed({"type": "FileChange", "id": "c"}),
    "commands that are none": completed(
        {"type": "CommandExecution", "cwd": "file:///r", "parsed_cmd": "/r/x.py"}
    ),
    "another event": {**patched("/r/x.py"), "payload": {**patched("/r/x.py")["payload"], "type": "started"}},
    "named alike": completed({"type": "FileChanges", "changes": {"/r/x.py": {}}}),
    "of a model's tool": {
        "type": "response_item",
        "payload": {"type": "custom_tool_call", "input": "*** Update File: /r/x.py"},
    },
}


@pytest.mark.parametrize("record", USED.values(), ids=USED)
def test_what_is_no_use_of_a_file_is_passed_over(tmp_path, record):
    path = written(tmp_path / "t.jsonl", read("before.py"), record)
    assert wire.touched(path) == ["/r/before.py"]


def test_a_change_of_another_shape_still_names_its_file(tmp_path):
    for change in (None, [], {}, {"move_path": 7}, {"move_path": "relative"}, "text"):
        record = completed({"type": "FileChange", "changes": {"/r/a.py": change}})
        assert wire.touched(written(tmp_path / "t.jsonl", record)) == ["/r/a.py"]


@pytest.mark.parametrize("record", [patched("/r/half.py"), read("half.py")], ids=["patch", "command"])
def test_a_record_that_is_half_written_does_not_count_yet(tmp_path, record):
    line = json.dumps(record, separators=(",", ":")).encode()
    for cut in range(len(line) + 1):
        path = written(tmp_path / "t.jsonl", read("whole.py"), ending=line[:cut])
        assert wire.touched(path) == ["/r/whole.py"]
    assert wire.touched(written(tmp_path / "t.jsonl", ending=line + b"\n")) == ["/r/half.py"]


def test_a_record_that_begins_before_the_tail_does_not_count(tmp_path, monkeypatch):
    path = written(tmp_path / "t.jsonl", *[read(f"{n}.py") for n in range(5)])
    size = os.path.getsize(path) // 5
    for short, count in ((0, 3), (1, 2)):
        monkeypatch.setattr(tail, "NAMED_TAIL", 3 * size + 1 - short)
        assert len(wire.touched(path)) == count


@pytest.mark.parametrize("kind", ["absent", "empty", "folder", "fifo", "nowhere", "name", "device", "socket"])
def test_what_is_no_rollout_has_no_files_and_is_not_waited_for(kind, tmp_path, monkeypatch):
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
        f.write(b"\n" + json.dumps(patched("/r/a.py"), separators=(",", ":")).encode() + b"\n")
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
    real = wire._paths
    monkeypatch.setattr(wire, "_paths", lambda record: looked.append(record) or real(record))
    path = tmp_path / "t.jsonl"
    path.write_bytes(b'"item":{"type":"\n' * 15_000)
    assert wire.touched(str(path)) == []
    assert len(looked) == tail.NAMED_TRIES


names = st.text(st.characters(exclude_characters="\0/", exclude_categories=("Cs",)), min_size=1, max_size=12)
uses = st.lists(
    st.tuples(st.sampled_from(["read", "search", "unknown", "patch"]), names, st.text(max_size=40)),
    max_size=12,
)


@given(uses, st.booleans())
@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_by_bytes_the_same_is_found_as_by_parsing_all(tmp_path, uses, ascii_only):
    records, expected = [], {}
    for kind, name, content in uses:
        path = os.path.normpath("/r/" + name)
        if kind == "patch":
            records.append(patched(path, content=content))
        else:
            records.append(ran((kind, name), output=content))
    for kind, name, _ in reversed(uses):
        if kind in ("read", "patch"):
            expected[os.path.normpath("/r/" + name)] = None
    path = written(tmp_path / "t.jsonl", *records, ascii_only=ascii_only)
    assert wire.touched(path) == list(expected)[: tail.NAMED]


pieces = st.sampled_from(
    [
        b'"item":{"type":"', b'"item":{"type":"FileChange"', b'"item":{"type":"CommandExecution"',
        b'"type":"item_completed"', b'"changes":', b'{"/r/a":{}}', b'"cwd":', b'"file:///r"',
        b'"parsed_cmd":', b'[{"type":"read","path":"a"}]', b'"', b"\\", b":", b",", b"/r/a", b"\n", b"\xff",
        b"\0", b"{", b"[" * 2_000, b"\\u00", b"%", b"%00",
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
        file.encode("utf-8")

"""Claude Code's dialect: any payload is heard, and a transcript's end is read for what it holds.

The shapes are those of 2.1.197: one record per content block, promptId on what belongs to a prompt.
"""

import json
import os
import socket
import threading
import time
import tracemalloc

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from foreword.clients import heard, tail
from foreword.clients.claude_code import wire

EVENTS = ("prompt", "stop", "session-start")
SAMPLES = os.path.join(os.path.dirname(__file__), "..", "..", "data", "clients", "claude-code", "hooks")
FIELDS = (
    "session_id", "prompt_id", "cwd", "prompt", "last_assistant_message", "source", "transcript_path",
    "agent_id", "hook_event_name",
)  # fmt: skip
LIMITED = {"session": heard.LONGEST_ID, "turn": heard.LONGEST_ID, "transcript": heard.LONGEST_PATH}

scalars = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(st.characters())
    | st.just("/a\ud800\0b")
)
values = st.recursive(
    scalars, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=5
)
payloads = st.dictionaries(st.sampled_from(FIELDS) | st.text(), values, max_size=12)


def sample(name, **changes):
    with open(os.path.join(SAMPLES, name + ".json"), encoding="utf-8") as f:
        return {**json.load(f), **changes}


# -- payloads ---------------------------------------------------------------------------------------


@given(st.sampled_from(EVENTS), payloads)
@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_any_object_is_heard_without_an_error(event, payload):
    heard = wire.hear(event, payload)
    if heard is None:
        return
    for field in wire.Heard.__slots__:
        value = getattr(heard, field)
        if field == "subagent":
            assert value is True or value is False
            continue
        assert isinstance(value, str)
        assert "\0" not in value
        value.encode("utf-8")  # no lone surrogate
        assert len(value) <= LIMITED.get(field, len(value))
    assert os.path.isabs(heard.folder)


@given(st.text(st.characters(), min_size=1))
@settings(deadline=None)
def test_an_answer_given_to_the_model_is_valid_json_of_its_shape(text):
    for event, name in (("prompt", "UserPromptSubmit"), ("session-start", "SessionStart")):
        answer = json.loads(wire.say(event, text).decode("utf-8"))
        output = answer["hookSpecificOutput"]
        assert output["hookEventName"] == name
        assert output["additionalContext"] == text.encode("utf-8", "replace").decode()


def test_the_samples_are_heard_as_what_they_are():
    heard = wire.hear("stop", sample("Stop"))
    assert heard.session == "5e55105e-0000-4000-8000-000000000001"
    assert heard.turn == "7fa11111-0000-4000-8000-000000000001"
    assert heard.folder == "/home/dev/app"
    assert heard.answer.startswith("I raised the retry count")
    assert heard.subagent is False
    heard = wire.hear("prompt", sample("UserPromptSubmit"))
    assert heard.prompt.startswith("Raise RETRIES")
    for source in ("startup", "resume", "clear", "compact"):
        assert wire.hear("session-start", sample("SessionStart-" + source)).source == source


@pytest.mark.parametrize("name", ["SubagentStop", "SubagentStop-compaction", "UserPromptSubmit"])
def test_other_events_are_no_stop(name):
    assert wire.hear("stop", sample(name)) is None


def test_an_event_of_a_subagent_says_so():
    assert wire.hear("stop", sample("Stop", agent_id="a1")).subagent


def test_a_payload_without_a_folder_means_the_current_one():
    payload = sample("Stop")
    del payload["cwd"]
    assert wire.hear("stop", payload).folder == os.getcwd()


@pytest.mark.parametrize("cwd", ["relative/path", "~", ".", "/" + "a/" * 200_000])
def test_a_folder_that_is_no_absolute_path_is_not_guessed(cwd):
    assert wire.hear("stop", sample("Stop", cwd=cwd)) is None


# -- the transcript's end ---------------------------------------------------------------------------


def asked(text, turn="p1", **more):
    record = {"type": "user", "message": {"role": "user", "content": text}, "isSidechain": False, **more}
    return {**record, "promptId": turn} if turn else record


def said(text, **more):
    blocks = [{"type": "text", "text": text}]
    return {"type": "assistant", "message": {"role": "assistant", "content": blocks}, **more}


def used_tool():
    blocks = [{"type": "tool_use", "id": "t", "name": "Read", "input": {}}]
    return {"type": "assistant", "message": {"role": "assistant", "content": blocks}}


def tool_said(turn="p1", size=10):
    blocks = [{"type": "tool_result", "tool_use_id": "t", "content": "x" * size}]
    return {
        "type": "user",
        "promptId": turn,
        "message": {"role": "user", "content": blocks},
        "toolUseResult": {},
    }


@pytest.fixture
def transcript(tmp_path, monkeypatch):
    """A function that writes records and gives the path; nothing is waited for unless a test says so."""
    monkeypatch.setattr(tail, "WAIT_S", 0.0)
    path = str(tmp_path / "session.jsonl")

    def write(*records, ending=""):
        with open(path, "w", encoding="utf-8") as f:
            f.write("".join(json.dumps(r) + "\n" for r in records) + ending)
        return path

    return write


def test_the_question_is_the_prompt_of_the_turn(transcript):
    path = transcript(asked("first", "p1"), said("one"), asked("second", "p2"), used_tool(), tool_said("p2"))
    assert wire.question(path, "p2") == "second"


def test_a_later_prompt_does_not_hide_the_one_of_the_turn(transcript):
    path = transcript(asked("first", "p1"), said("one"), asked("typed meanwhile", "p2"))
    assert wire.question(path, "p1") == "first"


def test_only_the_prompt_of_the_turn_counts(transcript):
    path = transcript(asked("first", "p1"), said("one"))
    assert wire.question(path, "p2") == ""


def test_without_a_turn_the_last_prompt_counts(transcript):
    path = transcript(asked("first", "p1"), said("one"), asked("second", "p2"))
    assert wire.question(path, "") == "second"


def test_older_transcripts_without_prompt_ids_give_the_last_prompt(transcript):
    path = transcript(asked("first", None), said("one"), asked("second", None), said("two"))
    assert wire.question(path, "p9") == "second"


def test_an_old_prompt_before_another_turns_is_not_ours(transcript):
    path = transcript(asked("before the update", None), said("one"), asked("second", "p2"))
    assert wire.question(path, "p9") == ""


@pytest.mark.parametrize(
    "record",
    [
        asked("Caveat: the messages below", isMeta=True),
        asked("This session is being continued", isCompactSummary=True),
        asked("Check the callers", isSidechain=True),
        asked("<command-name>/clear</command-name>"),
        asked("<command-message>recall</command-message>\n<command-name>/recall</command-name>"),
        asked("<local-command-stdout>done</local-command-stdout>"),
        tool_said(),
        asked(None),
        asked(["a", "list"]),
        {"type": "user", "promptId": "p1"},
        {"type": "user", "promptId": "p1", "message": "text"},
        {"type": "system", "subtype": "compact_boundary", "content": "Conversation compacted"},
    ],
    ids=lambda record: json.dumps(record)[:40],
)
def test_records_that_are_no_prompt_are_skipped(transcript, record):
    path = transcript(asked("the question"), record, record)
    assert wire.question(path, "p1") == "the question"
    assert wire.question(path, "") == "the question"


@pytest.mark.parametrize(
    "ending", ['{"type": "user", "mess', "{", "\n\n \n", "null\n", "[1]\n", "\0\0\0", "é" * 9]
)
def test_a_partial_or_strange_last_line_is_skipped(transcript, ending):
    assert wire.question(transcript(asked("the question"), ending=ending), "p1") == "the question"


def test_a_last_line_without_its_newline_counts(transcript):
    path = transcript(asked("first", "p1"), ending=json.dumps(asked("second", "p2")))
    assert wire.question(path, "p2") == "second"


@pytest.mark.parametrize("kind", ["absent", "empty", "folder", "fifo", "nowhere", "name"])
def test_what_is_no_transcript_gives_nothing(kind, tmp_path, monkeypatch):
    monkeypatch.setattr(tail, "WAIT_S", 0.0)
    path = tmp_path / kind
    if kind == "empty":
        path.write_text("")
    elif kind == "folder":
        path.mkdir()
    elif kind == "fifo":
        os.mkfifo(path)
    given = {"nowhere": "", "name": "a\ud800"}.get(kind, str(path))
    assert (wire.question(given, "p1"), wire.answer(given, "p1")) == ("", "")


def test_text_of_a_transcript_is_made_fit_for_files(transcript):
    path = transcript(asked("half \ud800 and nul \0 end"), said("\udfff\0"))
    assert wire.question(path, "p1") == "half ? and nul  end"
    assert wire.answer(path, "p1") == "?"


def test_the_answer_is_the_last_text_of_the_turn(transcript):
    path = transcript(
        asked("q"), said("I will look."), used_tool(), tool_said(), said("Found it."), said("It is 5.")
    )
    assert wire.answer(path, "p1") == "It is 5."


def test_what_was_said_before_a_tool_was_used_is_no_final_answer(transcript):
    path = transcript(asked("q"), said("I will look."), used_tool(), tool_said())
    assert wire.answer(path, "p1") == ""


def test_the_answer_of_an_earlier_turn_is_not_ours(transcript):
    path = transcript(asked("first", "p1"), said("one"))
    assert wire.answer(path, "p2") == ""
    assert wire.answer(path, "") == "one"


def test_what_a_subagent_said_is_no_answer(transcript):
    path = transcript(asked("q"), said("It is 5."), said("SUBAGENT REPORT", isSidechain=True))
    assert wire.answer(path, "p1") == "It is 5."


@pytest.mark.parametrize("there", [True, False], ids=["record", "file"])
def test_what_is_written_late_is_waited_for(transcript, monkeypatch, there):
    monkeypatch.setattr(tail, "WAIT_S", 30.0)
    path = transcript(asked("first", "p1"), said("one"))
    if not there:
        os.unlink(path)
    looked = threading.Event()
    real = tail.records

    def records(path):
        yield from real(path)
        looked.set()

    monkeypatch.setattr(tail, "records", records)

    def write_late():
        looked.wait(30)  # the call has read all there was and found nothing
        with open(path, "a", encoding="utf-8") as f:
            line = json.dumps(asked("second", "p2")) + "\n"
            f.write(line[:20])
            f.flush()
            f.write(line[20:])

    writer = threading.Thread(target=write_late)
    writer.start()
    try:
        assert wire.question(path, "p2") == "second"
    finally:
        writer.join()


def test_a_file_that_does_not_grow_is_read_once(transcript, monkeypatch):
    monkeypatch.setattr(tail, "WAIT_S", 0.05)
    path = transcript(asked("first", "p1"))
    reads = []
    real = tail.records
    monkeypatch.setattr(tail, "records", lambda path: reads.append(path) or real(path))
    assert wire.question(path, "p2") == ""
    assert len(reads) == 1


def test_a_transcript_of_400_mb_costs_what_a_small_one_does(tmp_path, monkeypatch):
    monkeypatch.setattr(tail, "WAIT_S", 0.0)
    path = tmp_path / "long.jsonl"
    with open(path, "wb") as f:
        f.truncate(400_000_000)  # zeros that take no place on the disk: one endless line
        f.seek(0, os.SEEK_END)
        f.write(b"\n" + json.dumps(asked("the question", "p1")).encode() + b"\n")
        f.write(b"\n".join(json.dumps(tool_said(size=50_000)).encode() for _ in range(20)) + b"\n")
    tracemalloc.start()
    try:
        found = wire.question(str(path), "p1")
        missing = wire.question(str(path), "another turn")
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert (found, missing) == ("the question", "")
    assert peak < 4 * tail.LIMIT


# -- the files of a client session -------------------------------------------------------------------

TRANSCRIPTS = os.path.join(SAMPLES, "..", "transcripts")
COMPACT = {"separators": (",", ":")}  # as the client writes


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
        tool_said(),
        used("NotebookEdit", "/r/d.ipynb", "notebook_path"),
        used("Write", "/r/e.py", before={"content": "{}"}),
        used("Read", "/r/a.py"),
        **spelling,
    )
    assert wire.touched(path) == ["/r/a.py", "/r/e.py", "/r/d.ipynb", "/r/c.py", "/r/b.py"]


def test_twenty_files_are_told_at_most(tmp_path):
    path = written(tmp_path / "t.jsonl", *[used("Read", f"/r/{n}.py") for n in range(30)], **COMPACT)
    assert wire.touched(path) == [f"/r/{n}.py" for n in range(29, 9, -1)]


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
    "another key": used("Read", "/r/x.py", "path"),
    "a key that ends alike": used("Read", "/r/x.py", "my_file_path"),
    "no path": used("Read", ["/r/x.py"]),
    "a number": used("Read", 7),
    "relative": used("Read", "src/x.py"),
    "empty": used("Read", ""),
    "longer than any path": used("Read", "/" + "x" * heard.LONGEST_PATH),
    "of a user": {**used("Read", "/r/x.py"), "type": "user"},
    "what a tool returned": {**tool_said(), "toolUseResult": used("Read", "/r/x.py")["message"]},
    "said": said(json.dumps(used("Read", "/r/x.py"))),
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
        monkeypatch.setattr(wire, "TOUCHED_TAIL", 3 * size + 1 - short)
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
    assert peak < 4 * wire.TOUCHED_TAIL


def test_a_hostile_file_is_not_looked_into_for_ever(tmp_path, monkeypatch):
    looked = []
    real = wire._uses_file
    monkeypatch.setattr(wire, "_uses_file", lambda record: looked.append(record) or real(record))
    path = tmp_path / "t.jsonl"
    path.write_bytes(b'_path"\n' * 40_000)
    assert wire.touched(str(path)) == []
    assert len(looked) == wire.TOUCHED_TRIES


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
    assert wire.touched(path) == list(expected)[: wire.TOUCHED]


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

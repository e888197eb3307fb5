"""Claude Code's dialect: any payload is heard, and a transcript's end is read for what it holds.

The shapes are those of 2.1.197: one record per content block, promptId on what belongs to a prompt.
"""

import json
import os
import threading
import tracemalloc

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from foreword.clients import heard, tail
from foreword.clients.claude_code import wire
from foreword.clients.heard import Heard

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
    for field in Heard.__slots__:
        value = getattr(heard, field)
        if field == "subagent":
            assert value is True or value is False
            continue
        if field == "files":
            assert value == ()  # of another client's alone
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


# -- other programs that run these hooks ------------------------------------------------------------

# As the programs' own pages show them (2026-11-30); none of it was seen in a run.
VSCODE = {
    "timestamp": "2026-02-09T10:30:00.000Z",
    "cwd": "/home/dev/app",
    "sessionId": "s",
    "transcript_path": "/home/dev/.config/Code/t.json",
}
CURSOR = {
    "conversation_id": "c", "generation_id": "g", "model": "m", "cursor_version": "3.20.17",
    "workspace_roots": ["/home/dev/app"], "user_email": None, "transcript_path": None,
}  # fmt: skip
FIELDS_OF = {
    "prompt": {"prompt": "Raise RETRIES to 5"},
    "stop": {"stop_hook_active": False, "last_assistant_message": "x" * 300},
    "session-start": {"source": "new"},
}


@pytest.fixture(params=EVENTS)
def event(request, monkeypatch):
    monkeypatch.delenv("CURSOR_VERSION", raising=False)
    return request.param


def of_claude_code(event):
    return sample({"prompt": "UserPromptSubmit", "stop": "Stop"}.get(event, "SessionStart-startup"))


def test_what_vs_code_says_is_none_of_ours(event):
    for named in ({"hookEventName": heard.EVENTS[event]}, {}):
        assert wire.hear(event, {**VSCODE, **FIELDS_OF[event], **named}) is None
    untimed = {key: value for key, value in VSCODE.items() if key not in ("timestamp", "sessionId")}
    assert wire.hear(event, {**untimed, "hookEventName": heard.EVENTS[event]}) is None
    assert wire.hear(event, {**untimed, "sessionId": "s"}) is None


def test_what_copilot_says_in_the_names_of_claude_code_is_none_of_ours(event):
    payload = {**of_claude_code(event), "timestamp": "2026-02-09T10:30:00.000Z"}
    assert wire.hear(event, payload) is None


def test_what_cursor_says_is_none_of_ours(event, monkeypatch):
    named = {"hook_event_name": heard.EVENTS[event]}
    assert wire.hear(event, {**CURSOR, **FIELDS_OF[event], **named}) is None
    assert wire.hear(event, {**of_claude_code(event), "cursor_version": "3.20.17"}) is None
    monkeypatch.setenv("CURSOR_VERSION", "3.20.17")
    assert wire.hear(event, of_claude_code(event)) is None


def test_claude_code_is_heard_in_a_terminal_of_another_program(event, monkeypatch):
    """Its hooks get CLAUDECODE beside whatever the terminal's environment holds (2.1.197)."""
    monkeypatch.setenv("CURSOR_VERSION", "3.20.17")
    monkeypatch.setenv("CLAUDECODE", "1")
    assert wire.hear(event, of_claude_code(event)).session
    assert wire.hear(event, {**of_claude_code(event), "timestamp": "of a later version"}).session


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

"""What Claude Code's transcripts say of tokens, turns, tool calls and files read."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foreword.transcripts.claude_code import Reader
from transcripts.records import answer, line, prompt, recorded, tool, usage


def events(*records, subagent=False):
    reader = Reader(subagent)
    return [event for record in records for event in reader.events(line(record)) if event[0] != "time"]


def read_all(name, subagent=False):
    reader = Reader(subagent)
    found = [event for row in recorded(name) for event in reader.events(row)]
    assert reader.unread == 0
    return {
        kind: {event[1:] for event in found if event[0] == kind} for kind in ("usage", "turn", "tool", "file")
    }


def test_a_real_session_has_its_requests_turns_tools_and_files_once_each():
    found = read_all("claude-code-session.jsonl")
    assert len(found["usage"]) == 8
    assert {usage[1:] for usage in found["usage"]} == {("claude-opus-4-8", 12, 345, 6789, 42)}
    assert len(found["turn"]) == 3, "the summary of a compaction and /compact are no prompts"
    assert len(found["tool"]) == 6
    assert {path for _, path in found["file"]} == {"/home/dev/app/src/app.py"}


def test_a_real_subagents_log_has_requests_and_no_turn():
    found = read_all("claude-code-subagent.jsonl", subagent=True)
    assert [len(found[kind]) for kind in ("usage", "turn", "tool", "file")] == [2, 0, 1, 0]


def test_usage_has_the_four_counts_in_the_order_of_the_table():
    assert events(answer()) == [("usage", "msg_1", "opus", 10, 20, 30, 40)]


@pytest.mark.parametrize(
    ("without", "key"), [((), "msg_1"), (("id",), "req_1"), (("id", "requestId"), "u-msg_1")]
)
def test_a_request_is_told_by_message_else_by_request_else_by_record(without, key):
    record = answer()
    for name in without:
        record["message"].pop(name, None)
        record.pop(name, None)
    assert events(record)[0][1] == key


@pytest.mark.parametrize(
    "record",
    [
        answer(isApiErrorMessage=True),
        {**answer(), "message": {**answer()["message"], "model": "<synthetic>"}},
    ],
)
def test_what_the_client_says_itself_is_billed_to_nobody(record):
    assert events(record) == []


def test_the_time_is_that_of_the_record_and_comes_only_with_something_else():
    assert Reader().events(line(answer()))[0] == ("time", "2026-11-30T03:00:00.000Z")
    assert Reader().events(line(prompt(isMeta=True))) == ()


def test_a_tool_call_is_told_by_its_id_and_only_a_read_names_a_file():
    blocks = [
        tool(file_path="/home/dev/app/a.py"),
        tool("NotebookRead", "toolu_2", notebook_path="n/../n.ipynb"),
        tool("Edit", "toolu_3", file_path="/home/dev/app/b.py"),
        tool("mcp__files__read", "toolu_4", file_path="/home/dev/app/c.py"),
        {"type": "text", "text": "Read", "id": "toolu_5"},
    ]
    assert events(answer(blocks=blocks))[1:] == [
        ("tool", "toolu_1"),
        ("file", "toolu_1", "/home/dev/app/a.py"),
        ("tool", "toolu_2"),
        ("file", "toolu_2", "/home/dev/app/n.ipynb"),
        ("tool", "toolu_3"),
        ("tool", "toolu_4"),
    ]


@pytest.mark.parametrize(
    "content",
    [
        "Why?",
        "<div> is not closed",
        "<command-message>recall</command-message>\n<command-name>/recall</command-name>",
        [{"type": "text", "text": "What is on it?"}, {"type": "image", "source": {}}],
        [{"type": "image", "source": {}}],
    ],
)
def test_what_a_human_asks_the_model_is_a_turn(content):
    assert events(prompt(content)) == [("turn", "p1")]


@pytest.mark.parametrize(
    "record",
    [
        prompt("<command-name>/clear</command-name>\n<command-message>clear</command-message>"),
        prompt("<command-name>/compact</command-name>"),
        prompt("<command-name>/model</command-name>"),
        prompt("<local-command-stdout>Set model</local-command-stdout>"),
        prompt("<bash-input>ls</bash-input>"),
        prompt("[Request interrupted by user]"),
        prompt([{"type": "text", "text": "[Request interrupted by user for tool use]"}]),
        prompt([{"type": "tool_result", "content": "x"}]),
        prompt("Summary", isCompactSummary=True),
        prompt("Base directory for this skill", isMeta=True),
        prompt("Find callers", isSidechain=True),
        prompt("Task done", origin={"kind": "task-notification"}),
        prompt(""),
        prompt([]),
        prompt(None),
        {**prompt(), "type": "attachment"},
    ],
)
def test_what_no_human_asked_the_model_is_no_turn(record):
    assert events(record) == []


def test_a_turn_without_a_prompts_id_is_told_by_its_record():
    record = prompt()
    del record["promptId"]
    assert events(record) == [("turn", "u1")]


def test_a_subagents_log_has_no_turn_whatever_its_records_say():
    assert events(prompt(), answer(), subagent=True) == [("usage", "msg_1", "opus", 10, 20, 30, 40)]


@pytest.mark.parametrize("wrong", [-5, 1.5, "40", 10**13])
def test_a_usage_that_cannot_be_is_passed_over_and_told(wrong):
    reader = Reader()
    assert reader.events(line(answer(counted=usage(output=wrong)))) == ()
    assert reader.unread == 1


ODD = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)


@given(st.data())
def test_a_record_with_anything_in_place_of_anything_never_raises(data):
    record = data.draw(st.sampled_from([answer(blocks=[tool(file_path="a")]), prompt([{"type": "text"}])]))
    for _ in range(data.draw(st.integers(1, 3))):
        holder = data.draw(st.sampled_from([record, record["message"]]))
        if isinstance(holder, dict) and holder:
            holder[data.draw(st.sampled_from(sorted(holder)))] = data.draw(ODD)
        if not isinstance(record.get("message"), dict):
            break
    assert isinstance(Reader().events(line(record)), tuple)


@given(st.binary(max_size=60), st.sampled_from([b'"assistant"', b'"user"', b""]), st.binary(max_size=60))
def test_any_bytes_are_a_line_without_events(before, mark, after):
    assert Reader().events(before + mark + after) == ()

"""A rollout's end is read for what was asked and answered in a turn, where a hook was not told.

The shapes are those of 0.171.0: a prompt and an answer stand in a rollout twice, as response_item and as
item_completed. Older versions had events of their own for the second, and named no turn in them.
"""

import json
import os
import threading
import tracemalloc

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from foreword.clients import tail
from foreword.clients.codex import wire

SESSION = os.path.join(
    os.path.dirname(__file__), "..", "..", "data", "clients", "codex", "rollouts", "session.jsonl"
)
TURN = "01a22a66-0000-7000-8000-0000000000%02d"
STEERED, SKILL, SHELL, COMPACTED, ABORTED, LAST = (TURN % n for n in (3, 29, 38, 41, 44, 52))

# -- a real session ---------------------------------------------------------------------------------


@pytest.fixture
def at_once(monkeypatch):
    monkeypatch.setattr(tail, "WAIT_S", 0.0)


@pytest.mark.parametrize(
    ("turn", "asked", "answered"),
    [
        (
            STEERED,
            "Why does the importer drop rows whose currency is missing\n\nAnd say it in the README, please.",
            "Rows without a currency were dropped on purpose",
        ),
        (SKILL, "$remember", "Written down."),
        (SHELL, "", ""),  # a command that the user ran
        (COMPACTED, "", ""),  # /compact: what the model sums up is no answer
        (ABORTED, "And which port does it use?", ""),
        (LAST, "How many connections does the pool have?", "The pool has five connections."),
        ("", "How many connections does the pool have?", "The pool has five connections."),
        ("another turn", "", ""),
    ],
)
def test_a_real_session_tells_what_was_asked_and_answered_in_a_turn(at_once, turn, asked, answered):
    """0.171.0: steered while a command ran, a skill, the user's own shell, /compact, Esc."""
    assert wire.question(SESSION, turn) == asked
    assert wire.answer(SESSION, turn).startswith(answered)
    assert bool(wire.answer(SESSION, turn)) == bool(answered)


@pytest.mark.parametrize("end", range(1, 69))
def test_a_real_session_never_tells_what_belongs_to_another_turn(at_once, tmp_path, end):
    """Cut after any of its records, as a hook may find it."""
    path = tmp_path / "cut.jsonl"
    with open(SESSION, "rb") as f:
        path.write_bytes(b"".join(f.readlines()[:end]))
    turns = (STEERED, SKILL, SHELL, COMPACTED, ABORTED, LAST)
    for turn in turns:
        for told in (wire.question, wire.answer):
            whole = told(SESSION, turn)
            assert told(str(path), turn) in ("", whole, whole.partition("\n\n")[0])
    assert "SUMMARY" not in wire.answer(str(path), "")


# -- the rollout's end ------------------------------------------------------------------------------


def record(kind, payload, **more):
    return {"timestamp": "2026-11-30T03:01:14.550Z", "ordinal": 1, "type": kind, "payload": payload, **more}


def message(role, text, turn, kinds=("unknown",), **more):
    metadata = {"turn_id": turn, "content_item_kinds": list(kinds)}
    content = [{"type": "output_text" if role == "assistant" else "input_text", "text": text}]
    payload = {"type": "message", "role": role, "content": content, **more}
    return record("response_item", {**payload, "internal_chat_message_metadata_passthrough": metadata})


def item(what, text, turn):
    kind = "Text" if what == "AgentMessage" else "text"
    payload = {"type": "item_completed", "turn_id": turn}
    return record("event_msg", {**payload, "item": {"type": what, "content": [{"type": kind, "text": text}]}})


def started(turn):
    return record("event_msg", {"type": "task_started", "turn_id": turn})


def asked(text, turn="p1"):
    return [message("user", text, turn, ["user.text"]), item("UserMessage", text, turn)]


def said(text, turn="p1"):
    return [item("AgentMessage", text, turn), message("assistant", text, turn)]


def used_tool(turn="p1", size=10):
    metadata = {"turn_id": turn}
    call = {"type": "function_call", "name": "exec_command", "arguments": "{}", "call_id": "c"}
    output = {"type": "function_call_output", "call_id": "c", "output": "x" * size}
    return [
        record("response_item", {**part, "internal_chat_message_metadata_passthrough": metadata})
        for part in (call, output)
    ]


def old(what, text):
    return record("event_msg", {"type": what, "message": text})


@pytest.fixture
def rollout(tmp_path, at_once):
    """A function that writes records, or lists of them, and gives the path."""
    path = str(tmp_path / "rollout.jsonl")

    def write(*records, ending=""):
        flat = [r for part in records for r in (part if isinstance(part, list) else [part])]
        with open(path, "w", encoding="utf-8") as f:
            f.write("".join(json.dumps(r, separators=(",", ":")) + "\n" for r in flat) + ending)
        return path

    return write


@pytest.mark.parametrize("shape", [0, 1], ids=["response_item", "item_completed"])
def test_either_shape_of_a_record_is_enough(rollout, shape):
    path = rollout(started("p1"), asked("the question")[shape], used_tool(), said("the answer")[1 - shape])
    assert wire.question(path, "p1") == "the question"
    assert wire.answer(path, "p1") == "the answer"


def test_prompts_of_a_turn_are_told_in_their_order(rollout):
    path = rollout(
        started("p1"), asked("first"), used_tool(), asked("second"), used_tool(), asked("third"), said("x")
    )
    assert wire.question(path, "p1") == "first\n\nsecond\n\nthird"
    assert wire.question(path, "") == "third"


def test_older_versions_tell_prompts_and_answers_in_events_that_name_no_turn(rollout):
    path = rollout(
        started("p1"), old("user_message", "first"), old("agent_message", "one"),
        started("p2"), old("user_message", "second"), old("agent_message", "two"),
    )  # fmt: skip
    assert (wire.question(path, "p1"), wire.answer(path, "p1")) == ("first", "one")
    assert (wire.question(path, "p2"), wire.answer(path, "p2")) == ("second", "two")
    assert (wire.question(path, "p3"), wire.answer(path, "p3")) == ("", "")
    assert (wire.question(path, ""), wire.answer(path, "")) == ("second", "two")


def test_without_any_start_of_a_turn_nothing_is_guessed(rollout):
    path = rollout(old("user_message", "first"), old("agent_message", "one"))
    assert (wire.question(path, "p1"), wire.answer(path, "p1")) == ("", "")


def test_the_end_of_a_turn_tells_its_answer(rollout):
    path = rollout(
        started("p1"),
        record("event_msg", {"type": "task_complete", "turn_id": "p1", "last_agent_message": "done"}),
        record("event_msg", {"type": "task_complete", "turn_id": "p2", "last_agent_message": None}),
    )
    assert (wire.answer(path, "p1"), wire.answer(path, "p2")) == ("done", "")


KINDS = (
    "agents_md.instructions", "environments.environment_context", "skills.selected_skill_instructions",
    "hooks.additional_context", "shell.user_command", "generic.turn_aborted", "unknown", "", None, "later",
)  # fmt: skip


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("role", ["user", "developer"])
def test_what_no_human_typed_is_no_question(rollout, role, kind):
    injected = message(role, "<hook_prompt>go on</hook_prompt>", "p1", [kind])
    mixed = message("user", "the question", "p1", ["user.text", kind])
    mixed["payload"]["content"].append({"type": "input_text", "text": "INJECTED"})
    path = rollout(started("p1"), injected, mixed, injected)
    assert wire.question(path, "p1") == "the question"


@pytest.mark.parametrize(
    "broken",
    [
        record("response_item", None),
        record("response_item", {"type": "message", "role": "user", "content": "text"}),
        record("response_item", {"type": "message", "role": "assistant", "content": None}),
        message("user", None, "p1", ["user.text"]),
        message("assistant", 7, "p1"),
        message("user", "of no turn", 7, []),
        record("event_msg", {"type": "item_completed", "turn_id": "p1", "item": "UserMessage"}),
        record("event_msg", {"type": "item_completed", "turn_id": "p1", "item": {"type": "UserMessage"}}),
        record("event_msg", {"type": "task_started"}),
        record("event_msg", {"type": ["task_started"], "turn_id": {}}),
        record({"type": "event_msg"}, {"type": "user_message", "message": "x"}),
        {"type": "response_item"},
        {},
    ],
    ids=lambda found: json.dumps(found)[50:110],
)
def test_records_of_another_shape_are_passed_over(rollout, broken):
    path = rollout(started("p1"), broken, asked("the question"), said("the answer"), broken)
    assert wire.question(path, "p1") == "the question"
    assert wire.answer(path, "p1") == "the answer"


def test_what_was_said_before_a_tool_was_called_is_no_final_answer(rollout):
    assert wire.answer(rollout(started("p1"), asked("q"), said("I will look."), used_tool()), "p1") == ""
    steered = rollout(started("p1"), asked("q"), said("It is 5."), asked("Are you sure?"))
    assert wire.answer(steered, "p1") == ""


def test_a_remark_that_is_made_while_working_is_no_answer(rollout):
    remark = message("assistant", "I will look.", "p1", phase="commentary")
    event = item("AgentMessage", "I will look.", "p1")
    event["payload"]["item"]["phase"] = "commentary"
    path = rollout(started("p1"), asked("q"), said("It is 5."), event, remark)
    assert wire.answer(path, "p1") == "It is 5."
    assert wire.answer(rollout(started("p1"), asked("q"), event, remark), "p1") == ""


def test_a_summary_for_a_compaction_is_no_answer(rollout):
    summary = {**message("assistant", "SUMMARY", "p1"), "metadata": {"compaction_output": True}}
    assert wire.answer(rollout(started("p1"), asked("q"), summary), "p1") == ""
    assert wire.answer(rollout(started("p1"), asked("q"), said("It is 5."), summary), "p1") == "It is 5."


@pytest.mark.parametrize(
    "ending", ['{"type": "event_msg", "pay', "{", "\n\n \n", "null\n", "[1]\n", "\0\0\0", "é" * 9]
)
def test_a_partial_or_strange_last_line_is_skipped(rollout, ending):
    assert wire.question(rollout(started("p1"), asked("the question"), ending=ending), "p1") == "the question"


@pytest.mark.parametrize("kind", ["absent", "empty", "folder", "fifo", "nowhere", "name"])
def test_what_is_no_rollout_gives_nothing(kind, tmp_path, at_once):
    path = tmp_path / kind
    if kind == "empty":
        path.write_text("")
    elif kind == "folder":
        path.mkdir()
    elif kind == "fifo":
        os.mkfifo(path)
    given = {"nowhere": "", "name": "a\ud800"}.get(kind, str(path))
    assert (wire.question(given, "p1"), wire.answer(given, "p1")) == ("", "")


def test_text_of_a_rollout_is_made_fit_for_files(rollout):
    path = rollout(started("p1"), asked("half \ud800 and nul \0 end"), said("\udfff\0"))
    assert wire.question(path, "p1") == "half ? and nul  end"
    assert wire.answer(path, "p1") == "?"


def test_what_is_written_late_is_waited_for(rollout, monkeypatch):
    monkeypatch.setattr(tail, "WAIT_S", 30.0)
    path = rollout(started("p1"), asked("first"), said("one"))
    looked = threading.Event()
    real = tail.records

    def records(path):
        yield from real(path)
        looked.set()

    monkeypatch.setattr(tail, "records", records)

    def write_late():
        looked.wait(30)  # the call has read all there was and found nothing
        with open(path, "a", encoding="utf-8") as f:
            f.write("".join(json.dumps(r) + "\n" for r in (started("p2"), *asked("second", "p2"))))

    writer = threading.Thread(target=write_late)
    writer.start()
    try:
        assert wire.question(path, "p2") == "second"
    finally:
        writer.join()


def test_a_rollout_of_400_mb_costs_what_a_small_one_does(tmp_path, at_once):
    path = tmp_path / "long.jsonl"
    with open(path, "wb") as f:
        f.truncate(400_000_000)  # zeros that take no place on the disk: one endless line
        f.seek(0, os.SEEK_END)
        records = [started("p1"), *asked("the question"), *used_tool(size=50_000) * 20]
        f.write(b"\n" + b"".join(json.dumps(r).encode() + b"\n" for r in records))
    tracemalloc.start()
    try:
        found = wire.question(str(path), "p1")
        missing = wire.question(str(path), "another turn")
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert (found, missing) == ("the question", "")
    assert peak < 4 * tail.LIMIT


@given(
    st.lists(st.sampled_from(["prompt", "said", "tool", "turn", "old"]), max_size=30),
    st.sampled_from(["t0", "t1", "t2", "t9", ""]),
)
@settings(max_examples=200, deadline=None)
def test_of_any_session_only_the_turns_own_prompts_and_answers_are_told(steps, wanted):
    turn, n, records = "t0", 0, [started("t0")]
    prompts, final = {"t0": []}, {"t0": ""}
    for i, step in enumerate(steps):
        text = f"{step} {i}"
        if step == "turn":
            n += 1
            turn = f"t{n}"
            records.append(started(turn))
            prompts[turn], final[turn] = [], ""
        elif step == "prompt":
            records += asked(text, turn)
            prompts[turn].append(text)
            final[turn] = ""
        elif step == "said":
            records += said(text, turn)
            final[turn] = text
        elif step == "old":
            records.append(old("agent_message", text))
            final[turn] = text
        else:
            records += used_tool(turn)
            final[turn] = ""
    if wanted:
        found, _ = wire._last_prompt(reversed(records), wanted)
        assert found == "\n\n".join(prompts.get(wanted, []))
        found, _ = wire._last_answer(reversed(records), wanted)
        assert found == final.get(wanted, "")
    else:
        found, _ = wire._last_prompt(reversed(records), "")
        assert found == next((p[-1] for t, p in reversed(prompts.items()) if p), "")
        found, _ = wire._last_answer(reversed(records), "")
        assert found == final[turn]

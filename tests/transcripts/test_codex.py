"""What Codex's rollouts say of tokens, turns, tool calls and files read."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foreword.transcripts.codex import Reader
from transcripts.records import line, of_codex, recorded, token_count, tokens
from transcripts.test_claude_code import ODD

THREAD = "01a22a66-4000-7000-8000-000000000001"
BEFORE, AFTER = "01a22a66-3000-7000-8000-000000000001", "01a22a66-5000-7000-8000-000000000001"
META = of_codex("session_meta", id=THREAD, session_id=THREAD, cwd="/home/dev/app", source="exec")
FORK = of_codex("session_meta", id=THREAD, session_id=THREAD, forked_from_id=BEFORE, source="cli")
TURN = of_codex("turn_context", turn_id=AFTER, model="gpt")


def events(*records, subagent=False):
    reader = Reader(subagent)
    return [event for record in records for event in reader.events(line(record)) if event[0] != "time"]


def of_kind(found, kind):
    return {event[1:] for event in found if event[0] == kind}


def read_all(name, subagent=False):
    reader = Reader(subagent)
    found = [event for row in recorded(name) for event in reader.events(row)]
    assert reader.unread == 0
    return [of_kind(found, kind) for kind in ("usage", "turn", "tool", "file")]


def item(kind, **more):
    return of_codex(
        "event_msg", type="item_completed", turn_id=AFTER, item={"type": kind, "id": "i1", **more}
    )


def asked(words, kinds=("user.text",), turn=AFTER):
    about = {"turn_id": turn, "content_item_kinds": list(kinds)}
    content = [{"type": "input_text", "text": words}]
    more = {"role": "user", "content": content, "internal_chat_message_metadata_passthrough": about}
    return of_codex("response_item", type="message", **more)


def billed(response="resp_1", **counts):
    return of_codex("token_usage_record", response_id=response, turn_id=AFTER, usage=tokens(**counts))


def test_a_real_session_has_its_requests_turns_tools_and_files_once_each():
    requests, turns, tools, files = read_all("codex-session.jsonl")
    assert {request[1:] for request in requests} == {("fake-model", 1200, 0, 0, 34)}
    assert [len(requests), len(turns), len(tools)] == [3, 1, 2]
    assert {path for _, path in files} == {"/home/dev/sample/repo/README.md"}


def test_a_real_compaction_is_billed_once_and_is_no_turn():
    requests, turns, _, _ = read_all("codex-compacted.jsonl")
    assert sorted(request[2:] for request in requests) == [
        (1200, 0, 0, 34),
        (1200, 0, 0, 34),
        (9000, 0, 0, 10),
    ]
    assert len(turns) == 1


def test_a_real_subagent_that_was_handed_the_conversation_has_only_what_it_did_itself():
    requests, turns, tools, _ = read_all("codex-forked-subagent.jsonl", subagent=True)
    assert {request[0] for request in requests} == {"resp_0000000000000000000010"}
    assert (turns, tools) == (set(), set())
    requests, turns, tools, _ = read_all("codex-parent.jsonl")
    assert [len(requests), len(turns), len(tools)] == [4, 2, 2]


def test_what_was_read_from_and_written_to_the_cache_is_taken_off_the_input():
    assert events(META, TURN, billed()) == [("usage", "resp_1", "gpt", 30, 10, 60, 5)]


def test_counts_that_do_not_add_up_give_no_negative_input():
    assert events(META, TURN, billed(sent=5)) == [("usage", "resp_1", "gpt", 0, 10, 60, 5)]


def test_a_token_count_beside_a_usage_record_counts_for_nothing():
    more = token_count(tokens(sent=300), tokens())
    assert len(events(META, TURN, billed(), token_count(tokens(), tokens()), more)) == 1


def test_without_records_each_running_total_is_one_request():
    first, second = token_count(tokens(), tokens()), token_count(tokens(sent=250, output=9), tokens(sent=150))
    found = events(META, TURN, first, first, second, second)
    assert [event[3:] for event in found] == [(30, 10, 60, 5), (80, 10, 60, 5)]
    assert len({event[1] for event in found}) == 2


def test_a_total_that_is_told_again_in_the_next_turn_is_no_request():
    again = of_codex("turn_context", turn_id=AFTER[:-1] + "2", model="gpt")
    first = token_count(tokens(), tokens())
    assert len(events(META, TURN, first, again, first)) == 1


def test_where_only_totals_are_told_their_differences_count():
    found = events(
        META, TURN, *(token_count(tokens(sent=n, output=m)) for n, m in ((100, 5), (250, 9), (80, 2)))
    )
    assert [event[3:] for event in found] == [(30, 10, 60, 5), (150, 0, 0, 4), (10, 10, 60, 2)]


def test_a_prompt_that_stands_there_three_times_is_one_turn():
    sent = asked("Why?")
    seen = item("UserMessage", content=[{"type": "text", "text": "Why?"}])
    told = of_codex("event_msg", type="user_message", message="Why?")
    assert len(of_kind(events(META, TURN, sent, seen, told), "turn")) == 1


def test_what_is_typed_while_the_agent_works_is_a_turn_of_its_own():
    assert len(of_kind(events(META, TURN, asked("Why?"), asked("And who?")), "turn")) == 2


def test_the_same_words_in_another_turn_are_another_turn():
    again = of_codex("task_started")
    again["payload"] = {"type": "task_started", "turn_id": AFTER[:-1] + "2"}
    told = of_codex("event_msg", type="user_message", message="continue")
    assert len(of_kind(events(META, TURN, told, again, told), "turn")) == 2


@pytest.mark.parametrize("kind", ["agents_md.instructions", "hooks.additional_context", "shell.user_command"])
def test_what_stands_under_the_users_name_and_was_not_typed_is_no_turn(kind):
    assert events(META, TURN, asked("# AGENTS.md", [kind])) == []


def test_a_subagents_task_is_no_turn():
    assert events(META, TURN, asked("Find callers"), subagent=True) == []


def test_tool_calls_are_what_the_model_called_by_the_calls_id():
    calls = [
        of_codex("response_item", type="function_call", name="exec_command", call_id="call_1"),
        of_codex("response_item", type="custom_tool_call", name="exec", call_id="call_2"),
        of_codex("response_item", type="local_shell_call", call_id="call_3"),
        of_codex("response_item", type="web_search_call", id="ws_4"),
        of_codex("response_item", type="function_call_output", call_id="call_5"),
        item("McpToolCall"),
    ]
    found = events(META, TURN, *calls)
    assert found == [("tool", "call_1"), ("tool", "call_2"), ("tool", "call_3"), ("tool", "ws_4")]


def test_files_are_those_that_codex_saw_commands_of_the_agent_read():
    reads = [
        {"type": "read", "path": "src/../a.py"},
        {"type": "read", "path": "/etc/b"},
        {"type": "search", "path": "c"},
    ]
    ran = item("CommandExecution", cwd="file:///home/dev/my%20app", parsed_cmd=reads, source="agent")
    mine = item("CommandExecution", cwd="file:///home/dev/app", parsed_cmd=reads, source="user_shell")
    older = {
        "call_id": "call_1",
        "cwd": "/home/dev/app",
        "parsed_cmd": [{"type": "read", "name": "d", "path": "d"}],
    }
    assert events(META, TURN, ran, mine, of_codex("event_msg", type="exec_command_end", **older)) == [
        ("file", "i1", "/home/dev/my app/a.py"),
        ("file", "i1", "/etc/b"),
        ("file", "call_1", "/home/dev/app/d"),
    ]


def test_in_a_fork_what_belongs_to_older_turns_counts_for_nothing():
    copied = of_codex("turn_context", turn_id=BEFORE, model="gpt")
    parents = of_codex("session_meta", id=BEFORE, session_id=BEFORE, source="exec")
    counted = token_count(tokens(), tokens())
    call = of_codex("response_item", type="function_call", call_id="call_1")
    assert events(FORK, parents, copied, asked("Why?", turn=BEFORE), counted, call, TURN, counted) == []
    assert len(events(FORK, copied, counted, TURN, token_count(tokens(sent=300), tokens()))) == 1


def test_a_copy_in_a_fork_without_ids_of_turns_has_the_keys_of_what_it_copies():
    meta = of_codex("session_meta", id="t1", source="exec")
    fork = of_codex("session_meta", id="t2", forked_from_id="t1", source="cli")
    first, second = token_count(tokens(), tokens()), token_count(tokens(sent=200), tokens())
    of_parent, of_fork = events(meta, first), events(fork, first, second)
    assert of_fork[0] == of_parent[0]
    assert of_fork[1][1] != of_fork[0][1]


@pytest.mark.parametrize("wrong", [-5, 1.5, "40", 10**13])
def test_a_usage_that_cannot_be_is_passed_over_and_told(wrong):
    reader = Reader()
    for record in (billed(output=0), token_count(tokens(), tokens())):
        text = line(record).replace(b'"output_tokens":0', b'"output_tokens":%s' % line(wrong))
        text = text.replace(b'"output_tokens":5', b'"output_tokens":%s' % line(wrong))
        reader.records = 0
        assert reader.events(text) == ()
    assert reader.unread == 2


LINES = [
    line(record)
    for record in (
        META, FORK, TURN, of_codex("turn_context", turn_id=BEFORE, model="o"), billed(), billed("resp_2"),
        token_count(tokens(), tokens()), token_count(tokens(sent=200)), asked("Why?"),
        of_codex("event_msg", type="user_message", message="Why?"),
    )
]  # fmt: skip


@given(st.lists(st.sampled_from(LINES), max_size=15), st.integers(0, 15))
def test_a_reader_that_goes_on_from_a_state_gives_what_one_would_have_given(rows, cut):
    whole = Reader()
    wanted = [whole.events(row) for row in rows]
    first = Reader()
    found = [first.events(row) for row in rows[:cut]]
    second = Reader(state=first.state())
    assert found + [second.events(row) for row in rows[cut:]] == wanted
    assert second.state() == whole.state()


@given(st.data())
def test_a_record_with_anything_in_place_of_anything_never_raises(data):
    reader = Reader()
    for record in (
        META,
        TURN,
        billed(),
        token_count(tokens(), tokens()),
        asked("Why?"),
        item("CommandExecution"),
    ):
        payload = {**record["payload"], data.draw(st.sampled_from(sorted(record["payload"]))): data.draw(ODD)}
        assert isinstance(reader.events(line({**record, "payload": payload})), tuple)
        assert isinstance(
            reader.events(line({**record, data.draw(st.sampled_from(sorted(record))): data.draw(ODD)})), tuple
        )


@given(st.binary(max_size=60), st.sampled_from([b'"payload"', b""]), st.binary(max_size=60))
def test_any_bytes_are_a_line_without_events(before, mark, after):
    assert Reader().events(before + mark + after) == ()

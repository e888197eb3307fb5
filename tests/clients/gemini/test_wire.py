"""Gemini CLI's dialect: any payload is heard, and what is said is what it accepts. Payloads of 0.61.0."""

import json
import os

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from foreword.clients import heard, tail
from foreword.clients.gemini import wire
from foreword.clients.heard import Heard
from foreword.hook import session_start
from foreword.text.unkept import keepable

EVENTS = ("prompt", "stop", "session-start")
DATA = os.path.join(os.path.dirname(__file__), "..", "..", "data", "clients", "gemini")
FIELDS = (
    "session_id", "cwd", "prompt", "prompt_response", "source", "trigger", "transcript_path", "agent_id",
    "hook_event_name", "",
)  # fmt: skip
LIMITED = {"session": heard.LONGEST_ID, "transcript": heard.LONGEST_PATH}
ASKED = "What is <b>this</b>?"

scalars = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(st.characters())
    | st.just("/a\ud800\0b")
    | st.sampled_from([*wire.EVENTS.values(), wire.COMPRESSED, "manual", "<hook_context>"])
)
values = st.recursive(
    scalars, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=5
)
payloads = st.dictionaries(st.sampled_from(FIELDS) | st.text(), values, max_size=12)
TAGS = st.sampled_from(
    ["<hook_context>", "</hook_context>", "\n\n", "&lt;", "&gt;", "<", ">", wire._FILES, wire._FILES_END, "a"]
)
prompts = st.lists(TAGS | st.text(max_size=5), max_size=8).map("".join)


def sample(name, **changes):
    with open(os.path.join(DATA, "hooks", name + ".json"), encoding="utf-8") as f:
        return {**json.load(f), **changes}


def put_before(context, prompt):
    """What the client makes of a SessionStart hook's text and a prompt, with `gemini -p` (0.61.0)."""
    escaped = context.replace("<", "&lt;").replace(">", "&gt;")
    return f"<hook_context>{escaped}</hook_context>\n\n{prompt}"


# -- payloads ---------------------------------------------------------------------------------------


@given(st.sampled_from(EVENTS), payloads)
@settings(max_examples=200, suppress_health_check=[HealthCheck.too_slow])
def test_any_object_is_heard_without_an_error(event, payload):
    found = wire.hear(event, payload)
    if found is None:
        return
    for field in Heard.__slots__:
        value = getattr(found, field, "")
        if field == "subagent":
            assert value is True or value is False
            continue
        if isinstance(value, tuple):
            continue  # of another client's alone
        assert isinstance(value, str)
        assert "\0" not in value
        value.encode("utf-8")  # no lone surrogate
        assert len(value) <= LIMITED.get(field, len(value))
    assert os.path.isabs(found.folder)
    assert found.turn == ""


def test_the_samples_are_heard_as_what_they_are():
    found = wire.hear("stop", sample("AfterAgent"))
    assert found.session == "5c1f0000-0000-4000-8000-000000000001"
    assert found.folder == "/home/u/app"
    assert found.transcript.endswith("session-2026-11-30T17-37-5c1f0000.jsonl")
    assert (found.answer, found.prompt) == ("I look first.\nIt imports rows.", ASKED)
    assert (found.turn, found.anchor, found.subagent) == ("", "", False)
    for name in ("BeforeAgent", "BeforeAgent-headless"):
        assert wire.hear("prompt", sample(name)).prompt == ASKED
    assert wire.hear("prompt", sample("BeforeAgent-file")).prompt == "Look @src/app.py please"
    for source in ("startup", "resume", "clear"):
        assert wire.hear("session-start", sample("SessionStart-" + source)).source == source


def test_only_a_compression_that_the_user_asked_for_is_one():
    assert wire.hear("session-start", sample("PreCompress-manual")).source == "compact"
    assert wire.hear("session-start", sample("PreCompress-auto")) is None
    assert wire.hear("prompt", sample("PreCompress-manual")) is None


@pytest.mark.parametrize("event", EVENTS)
def test_an_event_of_another_kind_is_not_heard(event):
    for other in {*EVENTS} - {event}:
        assert wire.hear(event, sample("BeforeAgent", hook_event_name=wire.EVENTS[other])) is None
    assert wire.hear(event, sample("BeforeAgent", hook_event_name=wire.EVENTS[event])) is not None


# -- the prompt ------------------------------------------------------------------------------------


@given(st.text(), prompts)
def test_what_a_hook_put_before_a_prompt_is_taken_out_and_the_prompt_stays(text, prompt):
    frame = f'<foreword kind="recall">{text}</foreword>'
    assert wire._without_context(put_before(frame, prompt)) == prompt


@given(prompts)
def test_a_text_of_the_users_own_survives_whatever_tags_are_in_it(prompt):
    left = wire._without_context(prompt)
    assert prompt.endswith(left)
    cut = prompt.removesuffix(left)
    if cut:
        inside = cut.removeprefix("<hook_context>").removesuffix("</hook_context>\n\n")
        assert cut == f"<hook_context>{inside}</hook_context>\n\n"
        assert not set("<>") & set(inside)
        assert "&lt;" in inside or "&gt;" in inside


@pytest.mark.parametrize(
    "prompt",
    [
        "<hook_context>mine</hook_context>\n\nWhy is it there?",
        "<hook_context>a < b &lt; c</hook_context>\n\nWhy?",
        "<hook_context>a > b &lt; c</hook_context>\n\nWhy?",
        "<hook_context>&lt;a&gt;</hook_context> is what I see. Why?",
        "What is <hook_context>&lt;a&gt;</hook_context>\n\nfor?",
        " <hook_context>&lt;a&gt;</hook_context>\n\nfor?",
        "<hook_context>",
    ],
)
def test_no_text_that_a_user_would_type_is_taken_for_a_hooks(prompt):
    assert wire.typed(prompt) == prompt
    assert wire.typed(put_before("<foreword>x</foreword>", prompt)) == prompt


def test_what_another_tool_says_without_a_bracket_is_left_to_what_keeps_no_such_pair_of_tags():
    both = put_before("Never on a Friday.", "Why?")
    assert wire.typed(both) == both  # as in the first text that a user would type, above
    assert keepable(wire.typed(both)) == "Why?"
    assert keepable(wire.typed(put_before(session_start.GRAPH, "Why?"))) == "Why?"
    assert wire.typed(put_before("Never on a Friday.\n<foreword>x</foreword>", "Why?")) == "Why?"


def test_only_the_first_block_goes_for_the_client_makes_one():
    twice = put_before("<foreword>x</foreword>", put_before("<foreword>y</foreword>", "Why?"))
    assert wire.typed(twice) == put_before("<foreword>y</foreword>", "Why?")


def test_the_files_that_the_client_put_behind_a_prompt_are_taken_out():
    files = "\n--- Content from referenced files ---\nContent from @a.py:\nx = 1\n--- End of content ---"
    assert wire.typed("See @a.py" + files) == "See @a.py"
    assert wire.typed("See @a.py" + files + "\n") == "See @a.py"
    assert wire.typed("See @a.py" + files + "\nand more") == "See @a.py" + files + "\nand more"
    assert wire.typed("--- Content from referenced files ---\n") == "--- Content from referenced files ---\n"


# -- answers -----------------------------------------------------------------------------------------


@given(st.sampled_from(["prompt", "session-start"]), st.text(st.characters()))
def test_what_is_said_is_one_object_of_ascii(event, text):
    out = wire.say(event, text)
    assert out.isascii()
    assert json.loads(out) == {
        "hookSpecificOutput": {"hookEventName": wire.EVENTS[event], "additionalContext": text}
    }


def test_the_notice_is_for_the_user():
    assert json.loads(wire.say("session-start", "x", "foreword: loaded"))["systemMessage"] == (
        "foreword: loaded"
    )


def test_nothing_is_looked_up_in_a_transcript_but_files():
    chat = os.path.join(DATA, "chats", "session.jsonl")
    assert wire.question(chat, "") == wire.answer(chat, "") == wire.skill("dream") == ""


# -- files -------------------------------------------------------------------------------------------


def test_the_files_that_a_real_session_read_and_edited_are_found(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    found = wire.touched(os.path.join(DATA, "chats", "session.jsonl"))
    here = ["src/nothing.py", "NEW.md", "src/app.py"]
    assert found == [*[str(tmp_path / name) for name in here], "/home/u/app/README.md"]


def written(path, *calls):
    record = {"id": "x", "type": "gemini", "content": "", "toolCalls": list(calls)}
    path.write_text(json.dumps(record, separators=(",", ":")) + "\n", encoding="utf-8")
    return str(path)


def called(name, **arguments):
    return {"id": "c", "name": name, "args": arguments, "result": [{"output": '"name":"read_file","args":'}]}


def test_only_what_reads_or_edits_one_file_counts(tmp_path):
    calls = [
        called("read_file", file_path="/r/a.py"),
        called("list_directory", dir_path="/r"),
        called("mcp_other_read_file", file_path="/r/no.py"),
        called("replace", old_string='{"args":', file_path="/r/b é.py"),
        called("write_file", content="x"),
        called("read_file", file_path=7),
    ]
    assert wire.touched(written(tmp_path / "chat.jsonl", *calls)) == ["/r/b é.py", "/r/a.py"]


@given(
    st.binary(max_size=300), st.sampled_from([b'"toolCalls":[', b'"args":', b'"name":"read_file","args":{'])
)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_file_is_read_without_an_error(tmp_path, data, more):
    chat = tmp_path / "chat.jsonl"
    chat.write_bytes(b'"toolCalls":[' + data + more + data + b"\n")
    assert len(wire.touched(str(chat))) <= tail.NAMED


def test_a_chat_that_is_not_there_names_nothing(tmp_path):
    assert wire.touched(str(tmp_path / "none.jsonl")) == wire.touched("") == []

"""Codex's hooks as real processes: what they save, offer and hand over, and what they are not moved by."""

import json
import os

import pytest

from foreword import memory
from hook import events
from hook.events import ANSWER, ASKED_LATER, QUESTION

DATA = os.path.join(events.TESTS, "data", "clients", "codex")
STEER = "And say in the README which rows they are."
PART = "The README now says which rows are dropped, and the importer tells how many of them there were. " * 3


@pytest.fixture(autouse=True)
def switched_on():
    events.switch("on")


# -- driving ----------------------------------------------------------------------------------------


def sample(name, folder, session="s1", turn="t1", **changes):
    """A payload as Codex sends it (0.171.0), with some fields changed; None removes a field."""
    with open(os.path.join(DATA, "hooks", name + ".json"), encoding="utf-8") as f:
        payload = json.load(f)
    own = {"cwd": folder, "session_id": session, "transcript_path": None}
    if "turn_id" in payload:
        own["turn_id"] = turn
    payload = {**payload, **own, **changes}
    return {key: value for key, value in payload.items() if value is not None}


def run(event, payload, **options):
    return events.run(event, payload, client="codex", **options)


def told(out):
    """The text in an answer, or ""; the answer has the keys that Codex knows and no other."""
    if not out:
        return ""
    answer = json.loads(out)
    assert set(answer) <= {"systemMessage", "hookSpecificOutput"}
    return answer["hookSpecificOutput"]["additionalContext"]


def prompt(text, folder, session="s1", turn="t1", **fields):
    return told(run("prompt", sample("UserPromptSubmit", folder, session, turn, prompt=text, **fields)))


def stop(answer, folder, session="s1", turn="t1", **fields):
    run("stop", sample("Stop", folder, session, turn, last_assistant_message=answer, **fields))


def start(source, folder, session="s1", **fields):
    return run("session-start", sample("SessionStart-" + source, folder, session, **fields))


def take_turn(question, answer, folder, session="s1", turn="t1"):
    prompt(question, folder, session, turn)
    stop(answer, folder, session, turn)


@pytest.fixture
def rollout(tmp_path):
    """A function that writes a real session's rollout (0.171.0) as if of a folder; the path."""

    def write(folder):
        with open(os.path.join(DATA, "rollouts", "session.jsonl"), "rb") as f:
            data = f.read().replace(b"/home/u/app", os.fsencode(folder))
        path = tmp_path / "rollout.jsonl"
        path.write_bytes(data)
        return str(path)

    return write


def only():
    [found] = events.memories()
    assert found["damage"] == ""
    return found


# -- a turn -----------------------------------------------------------------------------------------


def test_a_turn_is_saved_with_all_that_is_known_of_it(repo):
    prompt(QUESTION, repo)
    stop(ANSWER, repo, transcript_path="/home/u/.codex/sessions/2026/11/30/rollout-s1.jsonl")
    note = only()
    assert (note["type"], note["question"], note["body"]) == ("note", QUESTION, ANSWER)
    assert (note["source"], note["basis"]) == ("codex", "saved-by-itself")
    assert (note["session"], note["turn"]) == ("s1", "t1")
    assert note["transcript"] == "/home/u/.codex/sessions/2026/11/30/rollout-s1.jsonl"
    assert [path for path, *_ in note["files"]] == ["src/app.py"]
    assert events.log() == []


def test_a_note_is_offered_to_a_later_session_and_not_to_its_own(repo):
    take_turn(QUESTION, ANSWER, repo)
    assert prompt(ASKED_LATER, repo, turn="t2") == ""
    assert events.ids_in(prompt(ASKED_LATER, repo, session="s2")) == [only()["id"]]
    assert prompt(ASKED_LATER, repo, session="s2", turn="t2") == ""


@pytest.mark.parametrize("first", ["codex", "claude-code"])
def test_both_clients_share_their_notes(repo, first):
    if first == "codex":
        take_turn(QUESTION, ANSWER, repo)
        offered = events.prompt(ASKED_LATER, repo)
    else:
        events.turn(QUESTION, ANSWER, repo)
        offered = prompt(ASKED_LATER, repo)
    assert events.ids_in(offered) == [only()["id"]]


def test_a_prompt_that_is_typed_while_the_turn_runs_is_added_to_it(repo):
    """A steered prompt has the turn's own id (0.171.0), and there is one Stop for both."""
    prompt(QUESTION, repo)
    run("prompt", sample("UserPromptSubmit-steered", repo, prompt=STEER))
    stop(ANSWER, repo)
    assert only()["question"] == QUESTION + "\n\n" + STEER


def test_a_turn_that_another_hook_makes_go_on_stays_one_note(repo):
    prompt(QUESTION, repo)
    stop(ANSWER, repo)
    stop(PART.strip(), repo, stop_hook_active=True)
    assert only()["body"] == ANSWER + "\n\n" + PART.strip()
    assert only()["question"] == QUESTION


def test_a_turn_that_was_interrupted_leaves_no_note(repo):
    """Esc: no Stop comes, and the next turn has an id of its own."""
    prompt("Which port does the server use?", repo)
    take_turn(QUESTION, ANSWER, repo, turn="t2")
    assert only()["question"] == QUESTION


def test_a_turn_after_a_resume_belongs_to_the_same_session(repo):
    """`codex exec resume` keeps session_id, and what the context was shown still stands in it."""
    take_turn(QUESTION, ANSWER, repo)
    assert start("resume", repo) == b""
    assert prompt(ASKED_LATER, repo, turn="t2") == ""
    start("compact", repo)
    assert events.ids_in(prompt(ASKED_LATER, repo, turn="t3")) == [only()["id"]]


# -- subagents --------------------------------------------------------------------------------------


def test_what_the_model_asks_a_subagent_is_neither_saved_nor_offered_anything(repo):
    take_turn(QUESTION, ANSWER, repo, session="before")
    task = sample("UserPromptSubmit-subagent", repo, turn="t7", prompt=ASKED_LATER)
    assert run("prompt", task) == b""
    run("stop", sample("SubagentStop", repo, turn="t7", last_assistant_message=PART))
    stop(PART, repo, turn="t7", agent_id="a1")
    assert only()["question"] == QUESTION
    # The session that started it goes on as if nothing had been.
    assert events.ids_in(prompt(ASKED_LATER, repo, turn="t8")) == [only()["id"]]


def test_a_subagents_task_is_not_added_to_the_prompt_of_its_parent(repo):
    prompt(QUESTION, repo)
    run("prompt", sample("UserPromptSubmit-subagent", repo, prompt="Look for callers of keep"))
    stop(ANSWER, repo)
    assert only()["question"] == QUESTION


# -- the rollout ------------------------------------------------------------------------------------


TURN = "01a22a66-0000-7000-8000-000000000003"  # steered
SKILL_TURN = "01a22a66-0000-7000-8000-000000000029"


def test_a_stop_without_a_waiting_prompt_finds_it_in_the_rollout(repo, rollout):
    stop(ANSWER, repo, turn=TURN, transcript_path=rollout(repo))
    asked = "Why does the importer drop rows whose currency is missing\n\nAnd say it in the README, please."
    assert only()["question"] == asked


def test_a_stop_without_an_answer_finds_it_in_the_rollout(repo, rollout):
    prompt(QUESTION, repo, turn=TURN)
    path = rollout(repo)
    with open(path, "rb") as f:
        data = f.read()
    with open(path, "wb") as f:
        f.write(data.replace(b"Rows without a currency were dropped on purpose", ANSWER.encode()))
    stop(None, repo, turn=TURN, transcript_path=path)
    assert only()["body"].startswith(ANSWER)


def test_a_turn_that_the_rollout_does_not_know_has_no_question(repo, rollout):
    stop(ANSWER, repo, turn="t1", transcript_path=rollout(repo))
    assert only()["question"] == ""


def test_a_session_that_codex_does_not_keep_is_saved_all_the_same(repo):
    """`codex exec --ephemeral` writes no rollout."""
    prompt(QUESTION, repo, transcript_path=None)
    stop(ANSWER, repo, transcript_path=None)
    assert (only()["question"], only()["transcript"]) == (QUESTION, "")


def test_files_that_the_session_used_speak_for_the_notes_that_cite_them(repo, rollout):
    take_turn(QUESTION, ANSWER, repo, session="before")
    take_turn(
        "How many shepherds guard the flock?", "Two shepherds guard the flock. " * 9, repo, "before", "t2"
    )
    events.settle()
    cites = next(found["id"] for found in events.memories() if found["files"])

    def confidence(session, **fields):
        prompt("Please tidy up how rows are kept", repo, session, **fields)
        return {row[0]: row[1] for row in events.prompts()[-1]["best"]}.get(cites, 0.0)

    assert confidence("without") < confidence("with", transcript_path=rollout(repo))


# -- what was written down on purpose ---------------------------------------------------------------


@pytest.mark.parametrize("source", ["startup", "clear", "compact"])
def test_a_context_that_is_empty_is_handed_the_recall_and_the_user_one_line(repo, source):
    place = memory.open_project(repo)
    memory.save(place, "Tests need the database: run `make db` first.", title="Tests")
    out = start(source, repo)
    assert told(out) == memory.recall(place)["text"]
    assert json.loads(out)["systemMessage"] == "foreword: loaded 1 fact (project: app)"


@pytest.mark.parametrize("source", ["resume", "fork"])
def test_a_context_that_holds_the_recall_is_not_handed_it_again(repo, source):
    """A fork's first request holds what its parent was handed (0.171.0)."""
    memory.save(memory.open_project(repo), "Tests need the database: run `make db` first.", title="Tests")
    assert start(source, repo) == b""


def test_a_japanese_recall_of_the_whole_budget_is_within_what_codex_passes(repo):
    place = memory.open_project(repo)
    for n in range(12):
        memory.save(place, f"取込{n}: " + "通貨のない行は意図して捨てられます。" * 60, title=f"事実{n}")
    text = told(start("startup", repo))
    assert 5_000 < len(text) <= 6_000
    assert 10_000 < len(text.encode("utf-8")) <= 24_000


# -- what is no payload -----------------------------------------------------------------------------

SECRET = "pelican-of-the-payload"  # must not reach the log
FIELDS = (
    "session_id", "transcript_path", "cwd", "turn_id", "hook_event_name", "prompt", "source",
    "last_assistant_message", "stop_hook_active", "agent_id", "permission_mode", "model",
)  # fmt: skip
NAMES = {"prompt": "UserPromptSubmit", "stop": "Stop", "session-start": "SessionStart-compact"}


@pytest.fixture(params=events.EVENTS)
def event(request):
    return request.param


def full(event, folder, rollout, **changes):
    """A payload of this event with every field that any event has, beside a rollout."""
    fields = {
        "prompt": QUESTION + SECRET,
        "last_assistant_message": ANSWER + SECRET,
        "source": "compact",
        "stop_hook_active": False,
        "turn_id": TURN,
        "transcript_path": rollout,
    }
    return {**sample(NAMES[event], folder), **fields, **changes}


def quietly(event, payload, lines=0):
    """Run the hook, which logs `lines` lines at most and none of the user's text."""
    before = events.log()
    out = run(event, payload)
    new = events.log()[len(before) :]
    assert len(new) <= lines
    assert SECRET not in "".join(new)
    return out, new


@pytest.mark.parametrize(
    "data",
    [
        b"", b" \n", bytes(range(255, -1, -1)) * 16, SECRET.encode(), b'{"prompt": "pelican-of-the-payload',
        b"[" * 100_000, b'{"prompt":' * 100_000, b'["pelican-of-the-payload"]', b"null", b"1" * 100_000,
        b'{"prompt": "\xff\xfe"}', b"\0" * 4_096,
    ],
    ids=range(12),
)  # fmt: skip
def test_what_is_no_payload_leaves_one_line_and_no_answer(event, data):
    out, new = quietly(event, data, lines=1)
    assert (out, len(new)) == (b"", 1)


@pytest.mark.parametrize("value", [None, 7, True, [], {SECRET: [SECRET]}, "", "/" + SECRET], ids=repr)
def test_fields_of_wrong_types_are_passed_over(event, repo, rollout, value):
    path = rollout(repo)
    for field in FIELDS:
        quietly(event, full(event, repo, path, **{field: value}), lines=1)
    quietly(event, dict.fromkeys(FIELDS, value), lines=1)


@pytest.mark.parametrize("odd", ["\\ud800", "\\udfff\\ud800", "\\u0000", "\\u2028\\u0085\\r"])
def test_characters_that_no_file_takes_are_survived_in_every_field(event, repo, rollout, odd):
    path = rollout(repo)
    for fields in (("cwd",), ("hook_event_name",), set(FIELDS) - {"cwd", "hook_event_name"}):
        payload = full(event, repo, path)
        payload.update({field: f"{payload.get(field)}@@{SECRET}@@" for field in fields})
        quietly(event, json.dumps(payload).replace("@@", odd).encode())


@pytest.mark.parametrize("field", FIELDS)
def test_a_field_of_a_megabyte_or_none_is_survived(event, repo, rollout, field):
    path = rollout(repo)
    quietly(event, full(event, repo, path, **{field: (SECRET + " ") * 40_000}), lines=1)
    quietly(event, {key: value for key, value in full(event, repo, path).items() if key != field}, lines=1)


@pytest.mark.parametrize(
    "name", ["SubagentStart", "SubagentStop", "PreCompact", "PostToolUse", "Interrupt", "SessionEnd"]
)
def test_another_event_is_none_of_ours(event, repo, name):
    assert quietly(event, sample(name, repo)) == (b"", [])
    assert not os.path.exists(os.path.join(events.home(), "projects"))


@pytest.mark.parametrize("kind", ["fifo", "folder", "/dev/zero", "gone"])
def test_a_rollout_that_is_no_file_is_survived(event, repo, tmp_path, kind):
    path = kind if kind.startswith("/") else str(tmp_path / kind)
    if kind == "fifo":
        os.mkfifo(path)
    elif kind == "folder":
        os.mkdir(path)
    quietly(event, full(event, repo, path))

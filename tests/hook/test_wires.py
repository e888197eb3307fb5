"""What every client's wire owes the hooks: names, types, and each event as a real process, with a payload as
the client sends it. By the tables alone: a new client needs a row in RECORDED and nothing else here."""

import inspect
import json
import mmap
import os
import subprocess
import sys
import time

import pytest

from foreword import clients, memory, paths
from foreword.clients import CLIENTS, HOOKED
from foreword.clients.heard import Heard
from hook import events
from hook.events import ANSWER, ASKED_LATER, EVENTS, QUESTION

DATA = os.path.join(events.TESTS, "data", "clients")
FACT = "Tests need the database: run `make db` first."

# client -> {event: a recorded payload's name in tests/data/clients/<client>/hooks}
RECORDED = {
    "claude-code": {"session-start": "SessionStart-startup", "prompt": "UserPromptSubmit", "stop": "Stop"},
    "codex": {"session-start": "SessionStart-startup", "prompt": "UserPromptSubmit", "stop": "Stop"},
    "gemini": {"session-start": "SessionStart-startup", "prompt": "BeforeAgent", "stop": "AfterAgent"},
    # No client's own words: what foreword.js sent in runs of 1.18.33.
    "opencode": {
        "session-start": {"hook_event_name": "SessionStart", "source": "startup"},
        "prompt": {"hook_event_name": "UserPromptSubmit", "turn_id": "", "prompt": "", "files": []},
        "stop": {"hook_event_name": "Stop", "turn_id": "", "last_assistant_message": ""},
    },
}
TURNS = ("prompt_id", "turn_id")  # how a payload calls the id of a turn, where it has one
ANSWERS = ("last_assistant_message", "prompt_response")
# name -> how many arguments the hooks hand over
FUNCTIONS = {"hear": 2, "say": 3, "skill": 1, "question": 2, "answer": 2, "touched": 1}


@pytest.fixture(autouse=True)
def switched_on():
    events.switch("on")


# -- driving ----------------------------------------------------------------------------------------


def payload(client, event, folder, session="s1", turn="t1", text="", name=""):
    """A recorded payload as if of a folder; `text`: its prompt or answer; `name`: of another recording."""
    recorded = name or RECORDED[client][event]
    if isinstance(recorded, str):
        with open(os.path.join(DATA, client, "hooks", recorded + ".json"), encoding="utf-8") as f:
            recorded = json.load(f)
    made = {**recorded, "cwd": folder, "session_id": session}
    made.pop("transcript_path", None)
    made.update((key, turn) for key in TURNS if key in recorded)
    for key in ANSWERS if event == "stop" else ("prompt",):
        if key in recorded:
            made[key] = text
    if event == "stop" and "prompt" in recorded:
        made["prompt"] = QUESTION  # of a client whose stop says both
    return made


def run(client, event, sent):
    """What one hook, as a real process, hands to the model, or ""."""
    data = json.dumps(sent).encode()
    command = [*events.HOOK, client, event]
    done = subprocess.run(command, input=data, capture_output=True, timeout=events.PATIENCE_S)
    assert (done.returncode, done.stderr) == (0, b"")
    if not done.stdout:
        return ""
    said = json.loads(done.stdout)["hookSpecificOutput"]
    assert said["hookEventName"] == sent["hook_event_name"]
    return said["additionalContext"]


# -- the contract -----------------------------------------------------------------------------------


def test_every_client_with_hooks_has_recorded_payloads():
    assert set(RECORDED) == set(HOOKED) <= set(CLIENTS)
    assert all(set(recorded) == set(EVENTS) for recorded in RECORDED.values())


@pytest.mark.parametrize("client", HOOKED)
def test_a_wire_has_the_names_that_hooks_use(client):
    wire = clients.wire(client)
    for name, handed in FUNCTIONS.items():
        inspect.signature(getattr(wire, name)).bind(*["x"] * handed)
    inspect.signature(wire.say).bind("prompt", "text")  # without a line for the user
    units, size = wire.ROOM
    assert type(units) is type(size) is int and 0 < units <= size
    assert type(wire.RECALL_WITH_PROMPT) is bool


@pytest.mark.parametrize("client", HOOKED)
def test_what_is_looked_up_for_nothing_is_nothing_of_the_right_type(client, tmp_path):
    wire = clients.wire(client)
    gone = str(tmp_path / "gone.jsonl")
    assert wire.skill("dream") == ""
    assert wire.question("", "") == wire.question("", "t1") == ""
    assert wire.answer("", "") == wire.answer("", "t1") == ""
    assert wire.touched("") == wire.touched(gone) == []


@pytest.mark.parametrize("event", EVENTS)
@pytest.mark.parametrize("client", HOOKED)
def test_a_recorded_payload_is_heard_with_every_field(client, event, tmp_path):
    sent = payload(client, event, str(tmp_path), text="Words of the user, or of the model.")
    heard = clients.wire(client).hear(event, sent)
    for name in Heard.__slots__:
        expected = {"subagent": bool, "files": (list, tuple)}.get(name, str)
        assert isinstance(getattr(heard, name), expected), name
    assert (heard.session, heard.folder, heard.subagent) == ("s1", str(tmp_path), False)
    assert heard.turn == ("t1" if set(TURNS) & set(sent) else "")
    assert heard.source == ("startup" if event == "session-start" else "")
    words = {"prompt": heard.prompt, "stop": heard.answer, "session-start": sent.get("prompt", "")}
    assert words[event] == ("" if event == "session-start" else "Words of the user, or of the model.")


@pytest.mark.parametrize("event", EVENTS)
@pytest.mark.parametrize("client", HOOKED)
def test_a_payload_of_another_event_is_not_heard(client, event, tmp_path):
    for other in {*EVENTS} - {event}:
        assert clients.wire(client).hear(event, payload(client, other, str(tmp_path))) is None


@pytest.mark.parametrize("event", ["prompt", "session-start"])
@pytest.mark.parametrize("client", HOOKED)
def test_what_is_said_is_json_that_names_its_event(client, event):
    wire, text = clients.wire(client), 'A "foreword"\n<é 日 𝒳>'
    answer = json.loads(wire.say(event, text))
    assert set(answer) == {"hookSpecificOutput"}
    assert answer["hookSpecificOutput"]["additionalContext"] == text
    assert type(wire.say(event, text)) is bytes
    assert json.loads(wire.say(event, text, "foreword: loaded"))["systemMessage"] == "foreword: loaded"


# -- as real processes ------------------------------------------------------------------------------


@pytest.mark.parametrize("client", HOOKED)
def test_each_event_ends_well_is_heard_and_says_nothing_in_a_store_that_holds_nothing(client, repo):
    for event, text in (("session-start", ""), ("prompt", QUESTION), ("stop", "Yes.")):
        assert run(client, event, payload(client, event, repo, text=text)) == ""
        assert os.path.exists(paths.fired(events.home(), client, event)), event
    assert events.log() == []


@pytest.mark.parametrize("client", HOOKED)
def test_a_fact_is_handed_over_an_answer_is_saved_and_offered_to_the_next_session(client, repo):
    memory.save(memory.open_project(repo), FACT, title="Tests")
    with_prompt = clients.wire(client).RECALL_WITH_PROMPT
    started = run(client, "session-start", payload(client, "session-start", repo))
    prompted = run(client, "prompt", payload(client, "prompt", repo, text=QUESTION))
    assert (FACT in started, FACT in prompted) == (not with_prompt, with_prompt)
    assert run(client, "stop", payload(client, "stop", repo, text=ANSWER)) == ""
    [note] = [found for found in events.memories() if found["type"] == "note"]
    assert (note["source"], note["session"]) == (client, "s1")
    assert (note["question"], note["body"]) == (QUESTION, ANSWER)
    events.settle()
    later = payload(client, "prompt", repo, session="s2", turn="t2", text=ASKED_LATER)
    assert note["id"] in events.ids_in(run(client, "prompt", later))
    assert events.log() == []


# -- a recall that waits for a prompt ---------------------------------------------------------------


def recalls():
    with open(os.path.join(events.project_folder(), "recalls.log"), encoding="utf-8") as f:
        return [json.loads(line)["source"] for line in f]


@pytest.mark.parametrize(
    ("name", "source"),
    [("SessionStart-startup", "startup"), ("SessionStart-clear", "clear"), ("PreCompress-manual", "compact")],
)
def test_a_recall_that_was_put_off_comes_with_the_first_prompt_only(repo, name, source):
    memory.save(memory.open_project(repo), FACT, title="Tests")
    start = payload("gemini", "session-start", repo, name=name)
    assert run("gemini", "session-start", start) == ""
    words = ("Rename the login button, please", "And the logout button", "Thank you very much")
    said = [run("gemini", "prompt", payload("gemini", "prompt", repo, text=text)) for text in words]
    assert [FACT in text for text in said] == [True, False, False]
    assert recalls() == [source]
    assert events.log() == []


def test_a_recall_that_failed_once_was_lost_for_the_session(repo):
    memory.save(memory.open_project(repo), FACT, title="Tests")
    run("gemini", "session-start", payload("gemini", "session-start", repo, name="SessionStart-startup"))
    events.settle()
    index = os.path.join(events.project_folder(), "index.sqlite")
    os.rename(index, index + ".aside")
    os.mkdir(index)
    assert FACT not in run("gemini", "prompt", payload("gemini", "prompt", repo, text=QUESTION))
    assert events.log() != []
    events.workers_done()
    os.rmdir(index)
    os.rename(index + ".aside", index)
    assert FACT in run("gemini", "prompt", payload("gemini", "prompt", repo, text=QUESTION))


def test_a_session_that_goes_on_is_owed_no_recall(repo):
    memory.save(memory.open_project(repo), FACT, title="Tests")
    run("gemini", "session-start", payload("gemini", "session-start", repo, name="SessionStart-resume"))
    assert FACT not in run("gemini", "prompt", payload("gemini", "prompt", repo, text=QUESTION))


# -- two hooks of one start -------------------------------------------------------------------------

ROUNDS = 300  # without the lock, 7 to 20 of them were heard twice on two busy cores
HEARS = """
import mmap, sys
from foreword.hook.waiting import Waiting
waiting = Waiting(sys.argv[1], "claude-code", "s1")
with open(sys.argv[2], "rb") as f:
    begun = mmap.mmap(f.fileno(), 0, access=mmap.ACCESS_READ)
for line in sys.stdin:
    print("ready", flush=True)
    while begun[0] != int(line) % 256:
        pass
    print(int(waiting.hear_start("compact", float(sys.argv[3]) + 60 * int(line))), flush=True)
"""


def test_of_processes_that_hear_a_later_start_at_once_one_has_heard_it(tmp_path):
    (tmp_path / "begun").write_bytes(b"\xff")
    command = [sys.executable, "-I", "-c", HEARS, events.home(), str(tmp_path / "begun"), str(time.time())]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    heard, hooks = [], [subprocess.Popen(command, **pipes) for _ in range(2)]
    with open(tmp_path / "begun", "r+b") as f, mmap.mmap(f.fileno(), 0) as begun:
        for n in range(ROUNDS):  # a minute of the session each
            for hook in hooks:
                hook.stdin.write(f"{n}\n")
                hook.stdin.flush()
            assert [hook.stdout.readline() for hook in hooks] == ["ready\n"] * len(hooks)
            begun[0] = n % 256
            heard.append(sum(int(hook.stdout.readline()) for hook in hooks))
    for hook in hooks:
        hook.communicate(timeout=events.PATIENCE_S)
    assert heard == [1] * ROUNDS

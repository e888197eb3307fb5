"""Wired more than once (a plugin beside `foreword install`), hooks of one event run side by side: one of them
answers, one note is saved, one line is logged."""

import json
import os

import pytest

from foreword import memory
from foreword.hook.waiting import Waiting
from hook import events
from hook.events import ANSWER, ASKED_LATER, QUESTION

ROUNDS = 5  # a race shows in some runs only
STEER = "And say in the README which rows they are, please."
PART = "The README says now which rows are dropped. " * 3  # shorter than a note
FACT = "Tests need the database: run `make db` first."


@pytest.fixture(autouse=True)
def switched_on():
    events.switch("on")


@pytest.fixture
def note(repo):
    """The one note of the store, of another client session: its id."""
    events.turn(QUESTION, ANSWER, repo, session="before")
    events.settle()
    [found] = events.memories()
    return found["id"]


def prompted(text, folder, turn="t1", session="s1"):
    payload = events.sample("UserPromptSubmit", cwd=folder, session_id=session, prompt_id=turn, prompt=text)
    return events.run_at_once("prompt", payload)


def stopped(answer, folder, turn="t1", **fields):
    own = {"cwd": folder, "session_id": "s1", "prompt_id": turn, "transcript_path": None}
    payload = events.sample("Stop", **own, last_assistant_message=answer, **fields)
    assert events.run_at_once("stop", payload) == []


def started(source, folder, session):
    return events.run_at_once(
        "session-start", events.sample("SessionStart-" + source, cwd=folder, session_id=session)
    )


def recalls():
    with open(os.path.join(events.project_folder(), "recalls.log"), encoding="utf-8") as f:
        return [json.loads(line) for line in f]


# -- a prompt ---------------------------------------------------------------------------------------


def test_one_foreword_is_offered_and_one_line_is_logged(repo, note):
    for n in range(ROUNDS):
        [out] = prompted(ASKED_LATER, repo, session=f"s{n}")
        assert events.ids_in(json.loads(out)["hookSpecificOutput"]["additionalContext"]) == [note]
    offered = [line for line in events.prompts() if line["session"] != "before"]
    assert [line["session"] for line in offered] == [f"s{n}" for n in range(ROUNDS)]
    assert events.log() == []


def test_a_prompt_that_is_typed_while_the_turn_runs_is_heard_once_too(repo, note):
    assert prompted("Rename the login button", repo) == []
    [out] = prompted(ASKED_LATER, repo)
    assert note in out.decode()
    assert [line["index"] for line in events.prompts() if line["session"] == "s1"] == [False, True]
    events.stop(ANSWER.replace("dropped", "left out"), repo)
    asked = {found["question"] for found in events.memories()}
    assert asked == {QUESTION, f"Rename the login button\n\n{ASKED_LATER}"}


def test_a_longer_question_is_kept_where_a_part_of_it_is_typed_again(repo):
    events.prompt("Look at the importer, then go on", repo)
    events.prompt("go on", repo)
    events.stop(ANSWER, repo)
    assert [found["question"] for found in events.memories()] == ["Look at the importer, then go on"]


@pytest.mark.parametrize("text", ["<private>the token is walrus</private>", "/compact", "word " * 3_000])
def test_prompts_of_any_kind_are_heard_once(repo, text):
    assert prompted(text, repo) == []
    assert len(events.prompts()) == 1
    assert "walrus" not in "".join(map(str, events.everything_under(events.home()).values()))


def test_the_same_words_of_another_turn_are_another_prompt(repo, note):
    for n in range(2):
        prompted("Rename the login button", repo, turn=f"t{n}")
    assert [line["turn"] for line in events.prompts() if line["session"] == "s1"] == ["t0", "t1"]


# -- an answer --------------------------------------------------------------------------------------


def test_one_note_is_saved(repo):
    for n in range(ROUNDS):
        events.prompt(f"{QUESTION} {n}", repo, turn=f"t{n}")
        stopped(f"{ANSWER} Seen {n} times.", repo, turn=f"t{n}")
    found = events.memories()
    assert [memory["question"] for memory in found] == [f"{QUESTION} {n}" for n in range(ROUNDS)]
    assert [memory["body"] for memory in found] == [f"{ANSWER} Seen {n} times." for n in range(ROUNDS)]
    assert events.log() == []


def test_a_turn_that_goes_on_gets_each_part_once(repo):
    for n in range(ROUNDS):
        events.prompt(f"{QUESTION} {n}", repo, turn=f"t{n}")
        stopped(f"{ANSWER} {n}", repo, turn=f"t{n}")
        stopped(f"Part {n}.", repo, turn=f"t{n}", stop_hook_active=True)
    wanted = [f"{ANSWER} {n}\n\nPart {n}." for n in range(ROUNDS)]
    assert [found["body"] for found in events.memories()] == wanted


def test_short_parts_count_once_until_they_are_a_note(repo):
    events.start("resume", repo)  # settles the project, which no short answer does
    for n in range(ROUNDS):
        events.prompt(f"{QUESTION} {n}", repo, turn=f"t{n}")
        stopped(f"{n}: {PART}", repo, turn=f"t{n}")
        assert len(events.memories()) == n
        stopped(f"{n}! {PART}", repo, turn=f"t{n}", stop_hook_active=True)
    wanted = [f"{n}: {PART.strip()}\n\n{n}! {PART.strip()}" for n in range(ROUNDS)]
    assert [found["body"] for found in events.memories()] == wanted


def test_a_hook_that_hangs_keeps_the_next_one_waiting_and_not_for_good(repo):
    """Another process of this client session holds the lock and never lets go: the note is saved."""
    events.prompt(QUESTION, repo)
    held = Waiting(events.home(), "claude-code", "s1")
    held.lock(0)
    events.stop(ANSWER, repo)
    held.unlock()
    assert [found["question"] for found in events.memories()] == [QUESTION]


# -- a start ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("source", ["startup", "clear", "compact"])
def test_one_recall_is_handed_over_and_one_line_is_logged(repo, source):
    memory.save(memory.open_project(repo), FACT, title="Tests")
    for n in range(ROUNDS):
        [out] = started(source, repo, f"s{n}")
        assert FACT in out.decode()
    assert [line["session"] for line in recalls()] == [f"s{n}" for n in range(ROUNDS)]
    assert events.log() == []


def test_a_later_compaction_of_the_session_is_handed_it_again(repo):
    memory.save(memory.open_project(repo), FACT, title="Tests")
    assert len(started("compact", repo, "s1")) == 1
    sessions = os.path.join(events.home(), "state", "sessions")
    [mark] = [path for path in events.everything_under(sessions) if path.endswith(".start")]
    for age_s in (60, -60):  # the clock may have been set back since
        now = os.stat(mark).st_mtime
        os.utime(mark, (now - age_s, now - age_s))
        assert len(started("compact", repo, "s1")) == 1
    assert len(recalls()) == 3


def test_another_source_of_the_same_session_is_another_start(repo):
    memory.save(memory.open_project(repo), FACT, title="Tests")
    assert [len(started(source, repo, "s1")) for source in ("startup", "compact")] == [1, 1]

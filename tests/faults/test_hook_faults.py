"""Faults that hooks once had, each named after what went wrong."""

import json
import os
import sqlite3

import pytest

from foreword.clients.claude_code import wire
from foreword.index import schema
from hook import events
from hook.events import ANSWER, ASKED_LATER, QUESTION


@pytest.fixture
def folder(tmp_path):
    events.switch("on")
    (tmp_path / "app").mkdir()
    return str(tmp_path / "app")


def body():
    [memory] = events.memories()
    return memory["body"]


def transcript(tmp_path, *records):
    path = tmp_path / "session.jsonl"
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return str(path)


def asked(text, turn):
    return {"type": "user", "promptId": turn, "message": {"role": "user", "content": text}}


def said(text):
    return {"type": "assistant", "message": {"content": [{"type": "text", "text": text}]}}


# -- saving -----------------------------------------------------------------------------------------


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
def test_a_named_pipe_in_place_of_the_transcript_cost_the_note(folder, tmp_path):
    os.mkfifo(tmp_path / "pipe")
    events.stop(ANSWER, folder, transcript_path=str(tmp_path / "pipe"))
    assert body() == ANSWER
    assert events.log() == []


def test_a_prompt_typed_meanwhile_hid_the_question_of_the_turn(folder, tmp_path):
    path = transcript(tmp_path, asked(QUESTION, "t1"), said("I look."), asked("And the exporter?", "t2"))
    events.stop(ANSWER, folder, turn="t1", transcript_path=path)
    assert events.memories()[0]["question"] == QUESTION


def test_the_answer_of_an_earlier_turn_was_saved_for_this_one(folder, tmp_path):
    events.prompt(QUESTION, folder, turn="t2")
    path = transcript(tmp_path, asked("What does the exporter do?", "t1"), said(ANSWER))
    events.stop(None, folder, turn="t2", transcript_path=path)
    assert events.memories() == []


def test_what_was_said_before_a_tool_was_used_was_saved_as_the_answer(folder, tmp_path):
    result = {"type": "user", "promptId": "t1", "message": {"content": [{"type": "tool_result"}]}}
    path = transcript(tmp_path, asked(QUESTION, "t1"), said(ANSWER), result)
    events.stop(None, folder, turn="t1", transcript_path=path)
    assert events.memories() == []


def test_the_same_answer_of_the_same_turn_was_added_to_itself(folder):
    events.turn(QUESTION, ANSWER, folder)
    created = events.memories()[0]["created"]
    events.stop(ANSWER, folder, stop_hook_active=True)
    assert body() == ANSWER
    assert events.memories()[0]["created"] > created
    events.stop("The last word.", folder, stop_hook_active=True)
    events.stop("The last word.", folder, stop_hook_active=True)
    assert body() == ANSWER + "\n\nThe last word."


def test_a_short_answer_was_saved_when_the_note_of_its_turn_was_deleted(folder):
    events.turn(QUESTION, ANSWER, folder)
    os.unlink(events.path_of(events.memories()[0]))
    events.stop("The last word.", folder, stop_hook_active=True)
    assert events.memories() == []


def test_a_note_that_is_no_text_any_more_cost_the_rest_of_its_turn(folder):
    events.turn(QUESTION, ANSWER, folder)
    with open(events.path_of(events.memories()[0]), "ab") as f:
        f.write(b"\xff\xfe")
    rest = ANSWER.replace("importer", "exporter")
    events.stop(rest, folder, stop_hook_active=True)
    assert [memory["body"] for memory in events.memories()][1:] == [rest]


def test_an_edit_by_hand_was_never_indexed_when_its_turn_went_on(folder):
    events.turn(QUESTION, ANSWER, folder, session="before")
    events.settle()
    path = events.path_of(events.memories()[0])
    with open(path, encoding="utf-8") as f:
        text = f.read()
    with open(path, "w", encoding="utf-8") as f:
        f.write(text.replace(QUESTION, "Does the walrus colony in Svalbard eat rows?"))
    events.stop("The last word.", folder, session="before", stop_hook_active=True)
    events.settle()
    frame = events.prompt("Does the walrus colony in Svalbard eat rows?", folder)
    assert len(events.ids_in(frame)) == 1


def test_a_note_edited_by_hand_passed_for_the_answer_it_once_held(folder):
    events.turn(QUESTION, ANSWER, folder, turn="t1")
    events.settle()
    path = events.path_of(events.memories()[0])
    with open(path, encoding="utf-8") as f:
        text = f.read()
    with open(path, "w", encoding="utf-8") as f:
        f.write(text.replace("1,204", "some"))
    events.turn(QUESTION, ANSWER, folder, turn="t2")
    assert sorted(memory["body"] for memory in events.memories()) == sorted(
        [ANSWER, ANSWER.replace("1,204", "some")]
    )


def test_a_locked_index_made_a_session_be_offered_what_it_had_just_said(folder):
    events.turn(QUESTION, ANSWER, folder, session="s1")
    events.settle()
    events.prompt("Is that so?", folder, session="s2")
    other = sqlite3.connect(schema.path(events.project_folder()), isolation_level=None)
    try:
        other.execute("BEGIN IMMEDIATE")
        events.stop(ANSWER, folder, session="s2")
    finally:
        other.close()
    events.settle()
    assert events.prompt(ASKED_LATER, folder, session="s2", turn="t2") == ""


# -- offering ---------------------------------------------------------------------------------------


def test_an_older_program_replaced_the_index_of_a_newer_one(folder):
    events.turn(QUESTION, ANSWER, folder)
    events.workers_done()
    path = schema.path(events.project_folder())
    db = sqlite3.connect(path, isolation_level=None)
    db.execute("PRAGMA user_version=999")
    db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    db.close()
    with open(path, "rb") as f:
        before = f.read()
    events.prompt(ASKED_LATER, folder, session="s2")
    events.workers_done()
    with open(path, "rb") as f:
        assert f.read() == before


def test_no_lines_asked_for_gave_all_of_them(folder):
    with open(os.path.join(events.home(), "config.toml"), "a", encoding="utf-8") as f:
        f.write("[index]\nlines = 0\n")
    events.turn(QUESTION, ANSWER, folder, session="before")
    assert events.prompt(ASKED_LATER, folder) == ""


def test_a_prompt_that_is_all_private_was_not_recorded(folder):
    events.prompt("<private>the token is walrus</private>", folder)
    [record] = events.prompts()
    assert (record["state"], record["index"], record["ids"]) == ("on", False, [])


# -- hostile payloads -------------------------------------------------------------------------------


@pytest.mark.parametrize("event", events.EVENTS)
def test_a_folder_of_a_megabyte_took_until_the_watchdog(event):
    payload = events.sample(events.SAMPLE_OF[event], cwd="/" + "a/" * 500_000)
    events.run(event, payload)
    assert events.log() == []
    assert wire.hear(event, payload) is None


def test_ids_of_a_megabyte_filled_logs_and_notes(folder):
    long = "x" * 1_000_000
    events.turn(QUESTION, ANSWER, folder, session=long, turn=long)
    for path, data in events.everything_under(events.home()).items():
        assert len(data) < 200_000, path
    assert body() == ANSWER

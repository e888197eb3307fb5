"""What waits for Stop and holds a deleted memory's words goes, and its turn gets no note."""

import os

import pytest

from foreword import memory
from foreword.hook.waiting import Waiting
from foreword.index import catch_up
from foreword.store import write

SECRET = "the vault word is zebrafishword and nothing else"


@pytest.fixture
def place(tmp_path, monkeypatch):
    root = tmp_path / "repo"
    root.mkdir()
    monkeypatch.chdir(root)
    return memory.open_project(create=True)


def after(place, waiting, body, **options):
    """Whether the turn `t` of a client session is still to be saved when a fact was saved and deleted."""
    memory.delete(place, [memory.save(place, body, **options)["id"]])
    kept = bool(waiting.prompt("t") or waiting.part("t"))
    assert kept is not waiting.is_gone("t")
    return kept


@pytest.mark.parametrize(
    ("prompt", "body"),
    [
        (f"please remember for later that {SECRET}", SECRET),
        (f"note:\n  {SECRET.replace(' ', '  ')}\n", SECRET),
        (f"{SECRET}, mind", f"# The vault\n\n- {SECRET}\n- and more that was not in the prompt"),
        ("my PIN is 4711 0815, keep it", "PIN is 4711 0815"),
        ("yes", "yes"),
    ],
)
def test_a_prompt_of_any_client_session_that_holds_a_deleted_text_goes(place, prompt, body):
    waiting = Waiting(place.home, "codex", "another session")
    waiting.leave_prompt("t", prompt)
    assert not after(place, waiting, body)


@pytest.mark.parametrize(
    ("prompt", "body"),
    [
        ("what is a cache?", SECRET),
        ("yes, go on with the vault", "yes"),
        ("fix it: ------------------------ is no heading", "Heading\n------------------------\nsecret"),
        ("the vault word", SECRET),
    ],
)
def test_a_prompt_that_shares_a_few_words_with_a_deleted_memory_stays(place, prompt, body):
    waiting = Waiting(place.home, "claude-code", "s")
    waiting.leave_prompt("t", prompt)
    assert after(place, waiting, body)


@pytest.mark.parametrize("part", [f"Saved: {SECRET}.", "vault word is zebrafishword"])
def test_a_part_of_an_answer_that_repeats_a_deleted_text_goes(place, part):
    waiting = Waiting(place.home, "claude-code", "s")
    waiting.leave_part("t", part)
    assert not after(place, waiting, SECRET)


def test_a_turn_that_is_gone_keeps_no_later_prompt_and_other_turns_are_as_before(place):
    waiting = Waiting(place.home, "claude-code", "s")
    waiting.leave_prompt("t", SECRET)
    waiting.leave_prompt("u", "what is a cache?")
    assert not after(place, waiting, SECRET)
    waiting.leave_prompt("t", f"again: {SECRET}")
    assert waiting.prompt("t") == ""
    assert waiting.prompt("u") == "what is a cache?" and not waiting.is_gone("u")
    for at, _, names in os.walk(place.home):
        for name in names:
            with open(os.path.join(at, name), "rb") as f:
                assert b"zebrafishword" not in f.read()


def test_the_question_of_a_deleted_note_takes_the_same_question_of_another_turn_along(place):
    question = "What is the vault word of ours?"
    memory_id, _ = write.create(place.folder, "note", {"question": question}, "It is zebra.", 1793700900)
    catch_up.catch_up(place.folder)
    waiting = Waiting(place.home, "claude-code", "s")
    waiting.leave_prompt("t", f"Well. {question}")
    memory.delete(place, [memory_id])
    assert waiting.is_gone("t") and not waiting.prompt("t")


def test_a_client_session_without_an_id_has_no_turn_that_is_gone(place):
    assert not Waiting(place.home, "claude-code", "").is_gone("t")

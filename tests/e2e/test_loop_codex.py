"""The loop with the real Codex: what one session found out, the next one is offered."""

import hashlib
import os

import pytest
import yaml

from e2e.claude import ANSWER, ASKED, ASKED_LATER, CONCLUSION, ID, REPORTED, open_the_offered
from e2e.codex import HOOKS_RUN
from e2e.home import APP, git, tree_hash
from e2e.model import use

pytestmark = pytest.mark.e2e


def only_note(codex):
    """(header, body) of the one note in the store."""
    [(path, text)] = codex.home.notes()
    _, header, body = text.split("---\n", 2)
    header = yaml.safe_load(header)
    assert os.path.basename(path) == header["id"] + ".md"
    return header, body.strip()


def test_the_next_session_is_offered_what_the_last_one_found_out(codex, model):
    codex.install()
    model.script(ANSWER, "Noted.")

    run = codex.run(ASKED)
    header, body = only_note(codex)
    codex.run(ASKED_LATER)

    assert (header["source"], header["session"]) == ("codex", run.session)
    assert header["question"] == ASKED
    assert body == ANSWER
    assert {f["path"]: f["sha256"] for f in header["files"]}["src/app.py"] == (
        hashlib.sha256(APP.encode()).hexdigest()
    )
    first, second = model.requests
    assert first.frames == []
    [frame] = second.frames
    assert frame == second.developer_texts[-1], "in a message of its own, which is no user's"
    [line] = [line for line in frame.splitlines() if ID.search(line)]
    assert header["id"] in line
    assert CONCLUSION in line
    assert "src/app.py" in line


def test_the_model_opens_an_offered_note_and_has_the_whole_answer(codex, model):
    codex.install()
    model.script(ANSWER, open_the_offered, "I have read it.")

    codex.run(ASKED)
    run = codex.run(ASKED_LATER)

    [(text, is_error)] = model.requests[-1].tool_results
    assert ANSWER in text
    assert not is_error
    assert run.answer == "I have read it."


def test_every_tool_is_there_at_once_and_only_deleting_needs_the_user(codex, model):
    codex.install()
    model.script(
        ANSWER,
        [
            use("mcp__foreword__memory_search", query="importer currency"),
            use("mcp__foreword__memory_list"),
            use("mcp__foreword__memory_save", title="Build", body="Build it with make wheel."),
        ],
        lambda request: [use("mcp__foreword__memory_forget", id=ID.search(request.new_text)[0])],
        "Done.",
    )

    codex.run(ASKED)
    codex.run("Search, list and save what there is to save, and then forget it all")

    assert "mcp__foreword__memory_read" in model.requests[0].tools
    results = model.requests[-1].tool_results
    assert [is_error for _, is_error in results] == [False, False, False, True]
    assert "requires approval" in results[-1][0]
    [(_, fact)] = codex.home.memories("facts")
    assert "Build it with make wheel." in fact
    assert len(codex.home.notes()) == 1


def test_within_one_session_nothing_is_offered_twice_nor_its_own_notes(codex, model):
    codex.install()
    model.script(ANSWER, REPORTED, "Noted.", "Noted.")
    codex.run(ASKED)

    second = codex.run(ASKED_LATER)
    codex.run(ASKED_LATER + " now", resume=second.session)
    codex.run(ASKED_LATER + " here")

    offered = [[ID.findall(frame) for frame in request.new_frames] for request in model.requests]
    [older, newer] = [os.path.basename(path)[:-3] for path, _ in codex.home.notes()]
    assert offered[1] == [[older]]
    assert offered[2] == []
    assert sorted(offered[3][0]) == [older, newer]


def test_hooks_say_nothing_but_the_foreword(codex, model):
    model.script("Hello.", ANSWER, "Noted.")
    codex.run("Good morning")
    codex.install()

    runs = [codex.run(ASKED), codex.run(ASKED_LATER)]

    assert [run.hooks for run in runs] == [HOOKS_RUN, HOOKS_RUN]
    assert [len(request.frames) for request in model.requests] == [0, 0, 1]
    without = len(model.requests[0].developer_texts)
    assert [len(request.developer_texts) - without for request in model.requests] == [0, 0, 1]


def test_with_the_switch_off_nothing_is_added_and_notes_are_saved(codex, model):
    codex.install()
    codex.home.foreword("switch", "off")
    model.script(ANSWER, "Noted.", "Noted.")

    codex.run(ASKED)
    codex.run(ASKED_LATER)
    off = model.requests[-1].frames
    codex.home.foreword("switch", "on")
    codex.run(ASKED_LATER)

    assert len(codex.home.notes()) == 1
    assert off == []
    assert len(model.requests[-1].frames) == 1


def test_the_repository_is_the_same_before_and_after(codex, model):
    repo = codex.home.repo
    before = tree_hash(repo)
    codex.install()
    model.script(ANSWER, open_the_offered, "I have read it.")

    codex.run(ASKED)
    codex.run(ASKED_LATER)
    codex.home.foreword("uninstall", "codex")

    assert model.requests[1].frames
    assert tree_hash(repo) == before
    assert git(repo, "status", "--porcelain", "--ignored") == ""


def test_private_parts_reach_neither_the_store_nor_another_session(codex, model):
    codex.install()
    model.script(ANSWER, "Noted.")

    codex.run(ASKED + " <private>The password is swordfish.</private>")
    codex.run(ASKED_LATER)

    assert len(model.requests[1].frames) == 1
    assert only_note(codex)[0]["question"] == ASKED
    for at, _, names in os.walk(codex.home.store):
        for name in names:
            with open(os.path.join(at, name), "rb") as f:
                assert b"swordfish" not in f.read(), name

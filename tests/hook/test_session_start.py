"""SessionStart: what the context holds is forgotten when it was emptied, and the project is settled."""

import os

import pytest

from hook import events
from hook.events import ANSWER, ASKED_LATER, QUESTION


@pytest.fixture
def note(repo):
    """The one note of the store, written by session s1: its id."""
    events.switch("on")
    events.turn(QUESTION, ANSWER, repo, session="s1", turn="t1")
    events.settle()
    return events.memories()[0]["id"]


def offered(folder, session, turn):
    return events.ids_in(events.prompt(ASKED_LATER, folder, session, turn))


def test_after_a_compaction_what_was_shown_may_be_shown_again(repo, note):
    assert offered(repo, "s2", "t1") == [note]
    assert offered(repo, "s2", "t2") == []
    events.start("compact", repo, "s2")
    assert offered(repo, "s2", "t3") == [note]
    assert offered(repo, "s2", "t4") == []


def test_after_a_compaction_a_sessions_own_note_may_be_shown(repo, note):
    assert offered(repo, "s1", "t2") == []
    events.start("compact", repo, "s1")
    assert offered(repo, "s1", "t3") == [note]


def test_after_clear_the_new_session_is_offered_what_the_old_one_knew(repo, note):
    assert offered(repo, "s1", "t2") == []
    events.start("clear", repo, "s2")  # the client gives it a new id
    assert offered(repo, "s2", "t3") == [note]


@pytest.mark.parametrize("source", ["resume", "startup", "fork", "of a later version"])
def test_a_session_that_goes_on_is_not_shown_a_note_twice(repo, note, source):
    assert offered(repo, "s2", "t1") == [note]
    events.run(
        "session-start", events.sample("SessionStart-resume", cwd=repo, session_id="s2", source=source)
    )
    assert offered(repo, "s2", "t2") == []
    assert offered(repo, "s1", "t3") == []


def test_a_compaction_of_one_session_is_none_of_the_others(repo, note):
    assert offered(repo, "s2", "t1") == [note]
    events.start("compact", repo, "s1")
    assert offered(repo, "s2", "t2") == []


def test_a_turn_that_is_compacted_goes_on_in_its_note(repo, note):
    events.start("compact", repo, "s1")
    events.stop("The last word.", repo, session="s1", turn="t1", stop_hook_active=True)
    [memory] = events.memories()
    assert memory["body"].endswith("The last word.")
    assert offered(repo, "s1", "t2") == []  # it has just written it


@pytest.mark.parametrize("source", ["startup", "resume", "clear", "compact"])
def test_without_facts_and_sessions_it_prints_nothing(repo, note, source):
    assert events.run("session-start", events.sample("SessionStart-" + source, cwd=repo)) == b""
    assert not os.path.exists(os.path.join(events.project_folder(), "recalls.log"))


def test_it_settles_which_project_a_repository_is(repo):
    events.start("startup", repo)
    events.turn(QUESTION, ANSWER, repo, session="s1")
    events.workers_done()
    assert len(os.listdir(os.path.join(events.home(), "projects"))) == 1
    assert len(events.memories()) == 1


def test_the_first_prompt_of_a_repository_may_come_before_its_project_is_settled(repo):
    events.switch("on")
    events.prompt(QUESTION, repo)
    events.start("startup", repo, "s2")
    events.stop(ANSWER, repo)
    events.workers_done()
    assert len(events.memories()) == 1
    assert len(events.prompts()) == 1
    events.settle()
    assert len(offered(repo, "s3", "t1")) == 1


def test_it_catches_up_with_files_behind_the_scenes(repo, note):
    folder = os.path.join(events.project_folder(), "facts")
    os.makedirs(folder)
    with open(os.path.join(folder, "shepherds.md"), "w", encoding="utf-8") as f:
        f.write("Two shepherds guard the flock at night in the lambing weeks.\n")
    events.start("resume", repo, "s2")
    events.workers_done()
    frame = events.prompt("Which shepherds guard the flock at night in the lambing weeks?", repo, "s2")
    assert "Two shepherds" in frame


def test_a_folder_that_is_nobodys_project_gets_no_background_work():
    events.start("startup", os.environ["HOME"])
    events.start("startup", "/")
    assert events.workers() == 0
    assert not os.path.exists(os.path.join(events.home(), "projects"))


def test_a_subagents_start_is_none_of_ours(repo, note):
    assert offered(repo, "s2", "t1") == [note]
    events.run(
        "session-start", events.sample("SessionStart-compact", cwd=repo, session_id="s2", agent_id="a1")
    )
    assert offered(repo, "s2", "t2") == []

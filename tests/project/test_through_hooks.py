"""The main cases once more through real hooks: what a turn saved in one place is offered in another."""

import json
import os
import shutil
import subprocess

import pytest

from hook import events
from project import repos


@pytest.fixture(autouse=True)
def switched_on():
    events.switch("on")
    yield
    events.workers_done()


@pytest.fixture
def top(tmp_path):
    return repos.repo(tmp_path / "work" / "app")


def turn(folder, session="before", **fields):
    events.turn(events.QUESTION, events.ANSWER, str(folder), session, **fields)


def offered(folder, session="later", **fields):
    """Whether a prompt of another session is offered the note, at once or after the worker looked."""
    return "dropped on purpose" in events.prompt(events.ASKED_LATER, str(folder), session, **fields)


def offered_soon(folder, session="later"):
    """After SessionStart, which asks git, and the worker that it starts."""
    events.start("startup", str(folder), session)
    events.workers_done()
    return offered(folder, session)


def test_a_note_of_the_checkout_is_offered_in_a_worktree_and_back(top, tmp_path):
    side = repos.worktree(top, tmp_path / "side")
    turn(side)
    assert offered(top)
    assert offered(side, "third")
    assert len(repos.projects()) == 1


def test_a_note_of_a_removed_worktree_is_offered_in_the_checkout(top, tmp_path):
    side = repos.worktree(top, tmp_path / "side")
    turn(side)
    repos.git(top, "worktree", "remove", "--force", side)
    assert offered(top)


def test_a_hook_whose_current_folder_is_a_removed_worktree_stays_in_its_project(top, tmp_path):
    side = repos.worktree(top, tmp_path / "side")
    turn(side)
    script = 'cd "$1" && rm -rf "$1" && git -C "$2" worktree prune && shift 2 && exec "$@"'
    payload = events.sample("Stop", cwd=side, session_id="s2", transcript_path=None, prompt_id="t2")
    payload["last_assistant_message"] = "Another answer. " + events.ANSWER
    command = ["sh", "-c", script, "sh", side, top, *events.HOOK]
    events.run("stop", payload, command=command)
    assert not os.path.exists(side)
    assert len(events.memories()) == 2
    assert offered(side)
    assert events.log() == []


def test_a_note_is_offered_in_a_clone_once_its_session_started(top, tmp_path):
    turn(top)
    assert offered_soon(repos.clone(top, tmp_path / "other"))
    assert len(repos.projects()) == 1


def test_a_note_is_offered_in_a_moved_checkout_after_a_stop(top, tmp_path):
    turn(top)
    os.rename(top, tmp_path / "moved")
    events.stop("An answer of another turn. " + events.ANSWER[::-1], str(tmp_path / "moved"), "s2")
    events.workers_done()
    assert offered(tmp_path / "moved")
    assert len(repos.projects()) == 1


def test_what_was_saved_before_the_first_commit_is_offered_after_it(tmp_path):
    young = tmp_path / "young"
    young.mkdir()
    repos.git(young, "init", "-q", "-b", "main")
    turn(young)
    assert offered(young)
    # Read before the commit: a worker may join the two projects at any moment after it.
    asked = [(record["session"], record["index"]) for record in events.prompts()]
    repos.commit(str(young), "first")
    assert offered_soon(young, "third")
    assert [(record["session"], record["index"]) for record in events.prompts()][: len(asked)] == asked
    assert len(repos.projects()) == 1


def test_a_note_is_not_offered_in_another_repository_of_that_name(top, tmp_path):
    turn(top)
    other = repos.repo(tmp_path / "elsewhere" / "app", "another")
    assert not offered_soon(other)
    assert offered(top, "third")


def test_a_note_of_a_submodule_is_not_offered_in_the_superproject(top, tmp_path):
    library = repos.repo(tmp_path / "library", "of the library")
    repos.git(top, "submodule", "--quiet", "add", library, "sub")
    turn(os.path.join(top, "sub"))
    assert not offered_soon(top)
    assert offered(os.path.join(top, "sub"), "third")


def test_a_session_of_the_superproject_saves_there_from_inside_a_submodule(top, tmp_path, monkeypatch):
    library = repos.repo(tmp_path / "library", "of the library")
    repos.git(top, "submodule", "--quiet", "add", library, "sub")
    monkeypatch.setenv("CLAUDE_PROJECT_DIR", top)
    turn(os.path.join(top, "sub"))
    monkeypatch.delenv("CLAUDE_PROJECT_DIR")
    assert offered(top)
    assert not offered_soon(os.path.join(top, "sub"))


def test_a_note_of_a_shallow_clone_is_offered_in_the_full_one(top, tmp_path):
    repos.commit(top, "second")
    small = repos.clone("file://" + top, tmp_path / "small", "--depth", "1")
    turn(small)
    assert offered_soon(top)
    assert len(repos.projects()) == 1


def test_a_prompt_never_runs_git(top, tmp_path, monkeypatch):
    record = tmp_path / "calls"
    repos.put_on_path(tmp_path, monkeypatch, f'echo "$*" >> {record}\nexec {repos.REAL_GIT} "$@"\n')
    assert events.prompt(events.QUESTION, top) == ""  # a miss
    assert not record.exists()
    events.stop(events.ANSWER, top)
    events.workers_done()
    calls = record.read_text()
    assert calls
    assert offered(top)
    assert record.read_text() == calls


def test_a_git_that_hangs_costs_no_note(top, tmp_path, monkeypatch):
    answers = tmp_path / "answers"  # from then on: a worker is more patient than a hook, and still waits
    wait = f"while [ ! -e {answers} ]; do sleep 0.05; done\n"
    repos.put_on_path(tmp_path, monkeypatch, f'{wait}exec {repos.REAL_GIT} "$@"\n')
    turn(top)
    assert offered(top)
    assert len(repos.projects()) == 1
    answers.touch()
    assert events.log() == []
    assert offered_soon(top, "third")
    assert len(repos.projects()) == 1


def test_a_missing_git_costs_no_note(top, monkeypatch):
    with monkeypatch.context() as without:
        without.setenv("PATH", "/nonexistent")
        turn(top)
    assert events.log() == []
    assert offered_soon(top)


@pytest.mark.parametrize(
    "locale", [{}, {"LC_ALL": "C"}, {"LC_ALL": "POSIX", "LANG": ""}], ids=["own", "C", "POSIX"]
)
def test_a_japanese_folder_is_a_project_in_any_locale(tmp_path, monkeypatch, locale):
    top = repos.repo(tmp_path / "日本語のフォルダ")
    for name, value in locale.items():
        monkeypatch.setenv(name, value)
    turn(top)
    assert offered(top)
    assert [name.startswith("日本語のフォルダ-") for name in repos.projects()] == [True]
    assert events.log() == []


def test_a_folder_whose_name_is_no_text_is_a_project(tmp_path):
    top = repos.repo(tmp_path / os.fsdecode(b"caf\xe9"))
    for event, name, fields in (
        ("prompt", "UserPromptSubmit", {"prompt": events.QUESTION}),
        ("stop", "Stop", {"last_assistant_message": events.ANSWER, "transcript_path": None}),
    ):
        payload = events.sample(name, cwd=None, session_id="before", prompt_id="t1", **fields)
        events.run(event, {key: value for key, value in payload.items() if value is not None}, cwd=top)
    [note] = events.memories()
    assert note["question"] == events.QUESTION
    assert events.log() == []


def test_two_sessions_that_end_at_once_in_a_new_repository_share_it(top):
    payloads = [
        events.sample("Stop", cwd=top, session_id=f"s{n}", transcript_path=None, prompt_id=f"t{n}")
        | {"last_assistant_message": f"Answer {n}. {events.ANSWER}"}
        for n in range(8)
    ]
    started = [
        subprocess.Popen([*events.HOOK, "claude-code", "stop"], stdin=subprocess.PIPE, stderr=subprocess.PIPE)
        for _ in payloads
    ]
    for process, payload in zip(started, payloads, strict=True):
        process.stdin.write(json.dumps(payload).encode())
        process.stdin.close()
        process.stdin = None
    assert {process.communicate()[1] for process in started} == {b""}
    assert len(events.memories()) == 8


def test_a_repository_cloned_to_a_known_path_is_offered_nothing_of_the_old_one(top):
    turn(top)
    shutil.rmtree(top)
    repos.repo(top, "another")
    assert not offered(top)
    assert not offered_soon(top)

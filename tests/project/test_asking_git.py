"""When git is asked, what may mislead it, and what happens without an answer."""

import os
import shutil

import pytest

from foreword import worker
from project import repos
from project.repos import find, prompted


@pytest.fixture
def top(tmp_path):
    return repos.repo(tmp_path / "app")


@pytest.fixture
def calls(tmp_path, monkeypatch):
    """A git first on the PATH that writes down its calls and then does its work; the calls."""
    record = tmp_path / "calls"
    repos.put_on_path(tmp_path, monkeypatch, f'echo "$*" >> {record}\nexec {repos.REAL_GIT} "$@"\n')
    return lambda: record.read_text().splitlines() if record.exists() else []


def test_a_prompt_never_asks_git(top, calls):
    assert prompted(top).provisional
    assert prompted(top, create=False).provisional
    assert calls() == []


def test_git_is_asked_once_and_the_answer_kept(top, calls):
    place = find(top)
    asked = len(calls())
    assert asked >= 1
    assert find(top).name == prompted(top).name == place.name
    assert len(calls()) == asked


def test_a_folder_without_git_is_no_reason_to_ask(tmp_path, calls):
    (tmp_path / "plain").mkdir()
    find(tmp_path / "plain")
    assert calls() == []


def test_a_missing_git_makes_a_provisional_project_that_is_joined_later(top, monkeypatch):
    with monkeypatch.context() as without:
        without.setenv("PATH", "/nonexistent")
        before = find(top)
    assert before.provisional
    saved = repos.note(before)
    after = find(top)
    assert (after.provisional, repos.holds(after, saved)) == (False, True)
    assert repos.projects() == [after.name]


def test_a_git_that_hangs_is_given_up_and_asked_again_later(top, tmp_path, monkeypatch):
    with monkeypatch.context() as hanging:
        repos.put_on_path(tmp_path, hanging, "sleep 100000 &\nsleep 100000\n")
        before = find(top, wait_s=0.2)
    assert before.provisional
    saved = repos.note(before)
    after = find(top)
    assert (after.provisional, repos.holds(after, saved)) == (False, True)


def test_all_questions_together_have_one_limit(top, tmp_path, monkeypatch):
    """Each answer comes in time, all of them together would not: the sixth is never asked."""
    record = tmp_path / "calls"
    repos.put_on_path(tmp_path, monkeypatch, f"echo x >> {record}\nsleep 0.4\nexit 1\n")
    assert find(top, wait_s=0.9).provisional
    assert len(record.read_text().splitlines()) < 6


def test_a_git_that_fails_or_lies_makes_a_provisional_project(top, tmp_path, monkeypatch):
    for n, script in enumerate(["exit 1", "exit 0", "kill -9 $$", "echo fatal >&2; exit 128"]):
        (tmp_path / str(n)).mkdir()
        with monkeypatch.context() as odd:
            repos.put_on_path(tmp_path / str(n), odd, script + "\n")
            assert find(top).provisional


def test_a_git_in_the_current_folder_is_not_run(top, tmp_path, monkeypatch):
    (tmp_path / "cwd" / "git").write_text(f"#!/bin/sh\necho run > {tmp_path}/hostile\n")
    (tmp_path / "cwd" / "git").chmod(0o755)
    monkeypatch.setenv("PATH", f".{os.pathsep}{os.pathsep}{os.environ['PATH']}")
    assert not find(top).provisional
    assert not (tmp_path / "hostile").exists()


def test_the_callers_git_variables_do_not_mislead(top, tmp_path, monkeypatch):
    other = repos.repo(tmp_path / "other", "other")
    root = repos.root_of(top)
    monkeypatch.setenv("GIT_DIR", os.path.join(other, ".git"))
    monkeypatch.setenv("GIT_WORK_TREE", other)
    monkeypatch.setenv("GIT_COMMON_DIR", os.path.join(other, ".git"))
    monkeypatch.setenv("GIT_OBJECT_DIRECTORY", os.path.join(other, ".git", "objects"))
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path))
    place = find(top)
    assert (place.identity, place.root) == (root, top)


@pytest.mark.skipif(os.name == "nt" or os.geteuid() != 0, reason="only root may give a folder away")
def test_a_repository_of_another_user_is_known_by_its_root(top):
    root = repos.root_of(top)
    for at, folders, names in os.walk(top):
        for name in (*folders, *names):
            os.chown(os.path.join(at, name), 12_345, 12_345)
    os.chown(top, 12_345, 12_345)
    with pytest.raises(AssertionError, match="dubious ownership"):
        repos.root_of(top)
    assert find(top).identity == root


def test_a_damaged_repository_is_provisional(top):
    shutil.rmtree(os.path.join(top, ".git", "objects"))
    os.makedirs(os.path.join(top, ".git", "objects"))
    assert find(top).provisional


def test_the_worker_asks_where_a_hook_had_no_time(top):
    before = prompted(top)
    saved = repos.note(before)
    worker.main(repos.home(), before.name, "catch-up")
    after = prompted(top)
    assert (after.identity, after.provisional) == (repos.root_of(top), False)
    assert repos.holds(after, saved)
    assert repos.projects() == [after.name]


def test_a_file_of_commits_that_is_large_or_odd_in_its_config_is_survived(top):
    config = os.path.join(top, ".git", "config")
    with open(config, "ab") as f:
        f.write(b'[remote "\xff\xfe"]\n\turl = /caf\xe9/x\n' + b"# more\n" * 20_000)
    assert find(top).identity == repos.root_of(top)


def test_git_ran_a_command_that_the_repository_configured(tmp_path):
    """A partial clone that lacks its root commit makes git fetch it, through core.sshCommand."""
    top = repos.repo(tmp_path / "hostile")
    ran = tmp_path / "ran"
    for key, value in (
        ("core.repositoryformatversion", "1"),
        ("extensions.partialClone", "evil"),
        ("remote.evil.url", "ssh://nobody.invalid/x"),
        ("remote.evil.promisor", "true"),
        ("core.sshCommand", f"touch {ran}; false"),
    ):
        repos.git(top, "config", key, value)
    shutil.rmtree(os.path.join(top, ".git", "objects"))
    os.makedirs(os.path.join(top, ".git", "objects", "pack"))
    assert find(top).provisional
    assert not ran.exists()

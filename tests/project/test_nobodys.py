"""Folders that are nobody's project, and a home that is a repository."""

import os

import pytest

from foreword import memory
from foreword.errors import NotFoundError
from hook import events
from project import repos
from project.repos import find, prompted


def nobodys(tmp_path):
    return ["/", str(tmp_path / "home"), str(tmp_path), os.path.dirname(str(tmp_path))]


def test_the_root_the_home_and_what_is_above_it_are_nobodys_project(tmp_path):
    for folder in nobodys(tmp_path):
        assert find(folder) is None
        assert prompted(folder) is None
        with pytest.raises(NotFoundError):
            memory.open_project(folder)
    assert repos.projects() == []


def test_hooks_save_and_print_nothing_there(tmp_path):
    events.switch("on")
    for n, folder in enumerate(nobodys(tmp_path)):
        events.start("startup", folder, f"s{n}")
        events.turn(events.QUESTION, events.ANSWER, folder, f"s{n}")
        assert events.prompt(events.ASKED_LATER, folder, f"later{n}") == ""
    assert repos.projects() == []
    assert events.log() == []


def test_the_home_behind_a_symlink_is_nobodys_project(tmp_path, monkeypatch):
    (tmp_path / "link").symlink_to(tmp_path / "home")
    assert find(tmp_path / "link") is None
    monkeypatch.setenv("HOME", str(tmp_path / "link"))
    assert find(tmp_path / "home") is None
    assert find(tmp_path / "link") is None


def test_a_folder_of_the_home_is_a_project(tmp_path):
    (tmp_path / "home" / "papers").mkdir()
    assert find(tmp_path / "home" / "papers").root == str(tmp_path / "home" / "papers")
    (tmp_path / "home-not").mkdir()
    assert find(tmp_path / "home-not").root == str(tmp_path / "home-not")


def test_a_home_that_is_a_repository_is_a_project_and_repositories_in_it_are_their_own(tmp_path):
    home = tmp_path / "home"
    (home / ".bashrc").write_text("# mine\n")
    repos.git(home, "init", "-q", "-b", "main")
    repos.git(home, "add", ".bashrc")
    repos.git(home, "commit", "-q", "-m", "dotfiles")
    place = find(home)
    assert (place.identity, place.root) == (repos.root_of(home), str(home))
    assert find(repos.repo(home / "code" / "app", "app")).name != place.name
    (home / "papers").mkdir()
    assert find(home / "papers").name == place.name
    assert find(tmp_path) is None


def test_a_home_that_was_a_repository_is_nobodys_project_again(tmp_path):
    home = tmp_path / "home"
    repos.git(home, "init", "-q", "-b", "main")
    assert find(home) is not None
    os.rename(home / ".git", home / "was.git")
    assert find(home) is None


def test_a_repository_is_a_project_for_a_session_that_started_in_the_home(tmp_path):
    top = repos.repo(tmp_path / "home" / "app")
    (tmp_path / "home" / "papers").mkdir()
    assert find(top, anchor=str(tmp_path / "home")).root == top
    assert find(tmp_path / "home" / "papers", anchor=str(tmp_path / "home")) is None


@pytest.mark.parametrize("value", ["", "relative", ".", "~nobody-here"])
def test_a_home_variable_that_is_no_path_puts_no_store_into_the_current_folder(tmp_path, monkeypatch, value):
    monkeypatch.setenv("HOME", value)
    monkeypatch.delenv("FOREWORD_HOME")
    events.turn(events.QUESTION, events.ANSWER, str(tmp_path / "cwd"))
    assert os.listdir(tmp_path / "cwd") == []


@pytest.mark.parametrize("value", ["relative", ".", "../up"])
def test_a_store_that_is_named_by_no_absolute_path_is_not_made_in_the_current_folder(
    tmp_path, monkeypatch, value
):
    monkeypatch.setenv("FOREWORD_HOME", value)
    before = sorted(os.listdir(tmp_path))
    events.turn(events.QUESTION, events.ANSWER, str(tmp_path / "cwd"))
    assert os.listdir(tmp_path / "cwd") == []
    assert sorted(os.listdir(tmp_path)) == before


def test_a_folder_that_is_gone_and_was_never_known_is_nobodys(tmp_path):
    assert find(tmp_path / "gone" / "deeper") is None
    events.turn(events.QUESTION, events.ANSWER, str(tmp_path / "gone"))
    assert repos.projects() == []
    assert events.log() == []


def test_a_known_folder_that_is_gone_is_still_its_project(tmp_path):
    (tmp_path / "papers").mkdir()
    name = find(tmp_path / "papers").name
    (tmp_path / "papers").rmdir()
    assert prompted(tmp_path / "papers").name == find(tmp_path / "papers" / "deeper").name == name

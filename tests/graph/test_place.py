"""Which file is the graph, and the limits that hold for it."""

import os

import pytest

from foreword import paths, settings
from foreword.errors import ForewordError
from foreword.graph import place


def path(home, chosen="", **environ):
    return place.path_and_why(str(home), environ, {**settings.DEFAULTS, "graph.file": chosen})


def test_the_default_is_the_store_s_own(tmp_path):
    assert path(tmp_path) == (str(tmp_path / "graph" / "memory.jsonl"), "")
    assert path(tmp_path, MEMORY_FILE_PATH="")[1] == ""


def test_the_variable_counts_before_the_setting(tmp_path):
    assert path(tmp_path, "/b/m.jsonl", MEMORY_FILE_PATH="/a/m.jsonl") == ("/a/m.jsonl", "MEMORY_FILE_PATH")
    assert path(tmp_path, "/b/../c/m.jsonl") == ("/c/m.jsonl", "graph.file")


def test_a_tilde_is_the_user_s_home(tmp_path):
    assert path(tmp_path, MEMORY_FILE_PATH="~/m.jsonl")[0] == os.path.join(paths.user_home(), "m.jsonl")


def test_a_relative_path_is_the_same_file_in_every_folder(tmp_path, monkeypatch):
    found = set()
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        monkeypatch.chdir(tmp_path / name)
        found.add(path(tmp_path / "home", MEMORY_FILE_PATH="work/m.jsonl")[0])
    assert found == {str(tmp_path / "home" / "graph" / "work" / "m.jsonl")}


def test_the_graph_of_a_command_is_a_path_from_the_current_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert place.open_graph("m.jsonl", environ={}).path == str(tmp_path / "m.jsonl")


def test_without_a_home_and_a_path_it_is_said_what_to_do(monkeypatch):
    monkeypatch.setenv("FOREWORD_HOME", "relative")
    with pytest.raises(ForewordError) as told:
        place.open_graph()
    assert "FOREWORD_HOME" in told.value.hint


def test_a_path_with_a_nul_is_told(tmp_path):
    for given in ({"chosen": "a\0b"}, {"MEMORY_FILE_PATH": "/a\0b"}):
        with pytest.raises(ForewordError, match="is no path"):
            path(tmp_path, **given)


def test_without_a_home_the_variable_is_enough(monkeypatch, tmp_path):
    monkeypatch.setenv("FOREWORD_HOME", "relative")
    named = str(tmp_path / "m.jsonl")
    assert place.open_graph(environ={"MEMORY_FILE_PATH": named}).path == named


def test_the_limits_are_those_of_the_environment():
    found = place.limits(
        {
            "MEMORY_OBS_MAX_CHARS": "500", "MEMORY_OBS_MAX": " 20 ", "MEMORY_SEARCH_LIMIT": "3",
            "MEMORY_BACKUPS_KEPT": "0", "MEMORY_STRICT": "True",
        }
    )  # fmt: skip
    assert (found.characters, found.observations, found.found, found.backups) == (500, 20, 3, 0)
    assert (found.strict, found.wrong) == (True, [])


@pytest.mark.parametrize("text", ["0", "-1", "many", "1.5", "１５", "9" * 30])
def test_a_limit_that_is_no_number_is_the_default_and_told(text):
    found = place.limits({"MEMORY_OBS_MAX": text, "MEMORY_STRICT": "perhaps"})
    assert (found.observations, found.strict) == (15, False)
    assert [sentence.split("=")[0] for sentence in found.wrong] == ["MEMORY_OBS_MAX", "MEMORY_STRICT"]


def test_without_variables_the_limits_are_the_documented_ones():
    found = place.limits({})
    assert (found.characters, found.observations, found.found, found.backups, found.strict) == (
        300, 15, 10, 7, False,
    )  # fmt: skip
    assert found.wrong == []

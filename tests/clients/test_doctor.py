"""What doctor looks at, asked by any face: tests/cli/test_doctor.py has what it finds."""

import os
import shutil

import pytest

from foreword import memory, paths
from foreword.clients import CLIENTS, doctor
from foreword.clients.claude_code import install
from foreword.clients.parts import Options


@pytest.fixture(autouse=True)
def without_clients(monkeypatch):
    """A PATH that has git and nothing else, so that no client of this machine is asked."""
    monkeypatch.setenv("PATH", os.path.dirname(shutil.which("git")))
    if shutil.which("claude") or shutil.which("codex"):
        pytest.skip("a client stands beside git here")


@pytest.fixture
def place(tmp_path):
    (tmp_path / "repo").mkdir()
    return memory.open_project(str(tmp_path / "repo"), create=True)


def test_where_one_look_breaks_down_the_others_are_still_told():
    def findings(home):
        yield "ok", "the first", ""
        raise RuntimeError(f"no luck in {home}")

    first, second = doctor._guarded("codex", findings, "here")
    assert (first["what"], first["level"], first["client"]) == ("the first", "ok", "codex")
    assert second["what"] == "could not be looked at to the end: RuntimeError: no luck in here"
    assert not second["ok"]


def test_a_look_tells_of_the_store_of_every_client_and_how_far_it_is(place):
    memory.save(place, "One.")
    done = []
    found = doctor.look(place.home, place.root, step=done.append)
    assert {finding["client"] for finding in found} == {"", *CLIENTS}
    assert [finding["what"] for finding in found if finding["what"].endswith(": 1 memory")]
    assert done == list(range(1, doctor.steps()))
    for finding in found:
        assert list(finding) == ["ok", "level", "what", "hint", "client"]
        assert finding["ok"] is (finding["level"] != "failure")


def test_one_client_can_be_looked_at_alone_and_nobody_need_hear_how_far_it_is(place):
    [finding] = doctor.look(place.home, place.root, "codex")
    assert (finding["client"], finding["level"], finding["what"]) == ("codex", "ok", doctor.ABSENT)
    done = []
    doctor.look(place.home, place.root, "codex", done.append)
    assert done == [1, 2]
    assert doctor.steps("codex") == 3


def test_a_project_is_looked_at_from_any_folder(place, tmp_path):
    memory.save(place, "One.")
    (tmp_path / "home" / ".claude").mkdir()
    for part in install.parts(Options()):
        os.makedirs(os.path.dirname(part.path), exist_ok=True)
        with open(part.path, "w") as f:
            f.write(part.with_ours(""))
    os.makedirs(os.path.join(place.root, ".claude"))
    path = os.path.join(place.root, ".claude", "settings.json")
    with open(path, "w") as f:
        f.write('{"disableAllHooks": true}')
    told = f"hooks are switched off by disableAllHooks in {path}"
    assert told in [finding["what"] for finding in doctor.look(place.home, place.root, "claude-code")]
    elsewhere = doctor.look(place.home, str(tmp_path / "cwd"), "claude-code")
    assert told not in [finding["what"] for finding in elsewhere]


def test_without_a_home_that_is_all_there_is_to_tell(monkeypatch):
    monkeypatch.setenv("HOME", "")
    monkeypatch.setenv("FOREWORD_HOME", "")
    [finding] = doctor.look(paths.home())
    assert (finding["level"], finding["what"]) == ("failure", "no home folder is known")

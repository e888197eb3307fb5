"""All projects of a store at a glance, and a project by the name of its folder."""

import json
import os
import shutil

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from foreword import memory
from foreword.errors import NotFoundError
from foreword.memory import place_of, projects, size, stale_memories
from foreword.store import write

from .conftest import log

NOW = 1_796_083_200.0  # 2026-12-01T00:00:00Z


@pytest.fixture
def opened(tmp_path):
    """A function: the project of a new folder."""

    def make(name):
        (tmp_path / name).mkdir()
        return memory.open_project(str(tmp_path / name), create=True)

    return make


def saved(place, kind="note", at=NOW, text="body"):
    return write.create(place.folder, kind, {"title": "t"}, text, at)[0]


# -- all projects --------------------------------------------------------------------------------


def test_a_store_without_projects_has_none(tmp_path):
    assert projects(str(tmp_path / "nowhere")) == []
    (tmp_path / "home" / ".foreword" / "projects").mkdir(parents=True)
    assert projects(str(tmp_path / "home" / ".foreword")) == []


def test_a_project_is_told_by_what_is_in_its_folder(opened):
    place = opened("app")
    one = saved(place, at=NOW - 90)
    saved(place, at=NOW, text="more")
    saved(place, "session")
    saved(place, "fact")
    memory.archive(place, [one])
    memory.set_switch(place, "off")
    log(place, {"time": "2026-12-01T09:00:00.000000Z"})
    log(place, {"time": "2026-12-02T10:00:00.000000Z"}, b"{", b"[1]", {"time": 5}, {"time": "soon"}, b"\xff")
    [found] = projects(place.home)
    assert found == {
        "name": place.name, "label": "app", "paths": [place.root],
        "counts": {"note": 1, "session": 1, "fact": 1}, "archived": 1,
        "newest": "2026-12-01T00:00:00Z", "last_prompt": "2026-12-02T10:00:00.000000Z",
        "size": size(place), "switch": "off", "damaged": False,
    }  # fmt: skip


def test_the_most_recently_used_project_comes_first(opened):
    old, new, unused, asked = map(opened, ("old", "new", "unused", "asked"))
    saved(old, at=NOW - 5_000)
    saved(new, at=NOW)
    saved(asked, at=NOW - 9_000)
    log(asked, {"time": "2026-12-05T10:00:00.000000Z"})
    names = [one["name"] for one in projects(old.home)]
    assert names == [asked.name, new.name, old.name, unused.name]
    assert [one["newest"] for one in projects(old.home)][-1] == ""


def test_a_prompt_is_found_in_a_log_that_was_rotated_just_now(opened):
    place = opened("app")
    log(place, {"time": "2026-12-02T10:00:00.000000Z"}, name="prompts.log.1")
    assert projects(place.home)[0]["last_prompt"] == "2026-12-02T10:00:00.000000Z"


def test_the_switch_is_the_stores_where_a_project_has_none_of_its_own(opened):
    place = opened("app")
    assert projects(place.home)[0]["switch"] == "auto"
    memory.set_default_switch(place.home, "on")
    assert projects(place.home)[0]["switch"] == "on"


@pytest.mark.parametrize("content", [None, b"", b"{", b"[1]", b"[" * 9_000, b"\xff", "a folder", "a pipe"])
def test_a_project_whose_record_cannot_be_read_is_listed_and_said_to_be_damaged(opened, content):
    if os.name == "nt" and content == "a pipe":
        pytest.skip("no pipes there")
    place = opened("app")
    memory_id = saved(place)
    at = os.path.join(place.folder, "project.json")
    os.unlink(at)
    if content == "a folder":
        os.mkdir(at)
    elif content == "a pipe":
        os.mkfifo(at)
    elif content is not None:
        with open(at, "wb") as f:
            f.write(content)
    [found] = projects(place.home)
    assert (found["damaged"], found["label"], found["paths"]) == (True, "app", [])
    assert (found["counts"]["note"], found["switch"]) == (1, "auto")
    there = place_of(place.home, place.name)
    assert (there.root, there.identity) == ("", "")
    assert memory.read(there, memory_id)["id"] == memory_id


def test_what_is_odd_in_a_record_is_passed_over(opened):
    place = opened("app")
    odd = {"identity": "x", "paths": [5, "relative", "/a\0b", place.root], "switch": "sometimes"}
    with open(os.path.join(place.folder, "project.json"), "w") as f:
        json.dump(odd, f)
    [found] = projects(place.home)
    assert (found["paths"], found["switch"], found["damaged"]) == (["/ab", place.root], "auto", False)
    assert place_of(place.home, place.name).root == place.root


@pytest.mark.parametrize("kind", ["a pipe", "a folder", "a link to nowhere"])
def test_what_stands_in_the_place_of_a_file_stops_nothing(opened, kind):
    place = opened("app")
    for name in ("prompts.log", "notes/2026-12/20261201-000000-0000.md"):
        at = os.path.join(place.folder, name)
        os.makedirs(os.path.dirname(at), exist_ok=True)
        if kind == "a pipe":
            os.mkfifo(at)
        elif kind == "a folder":
            os.mkdir(at)
        else:
            os.symlink("/nowhere/at/all", at)
    [found] = projects(place.home)
    assert (found["counts"]["note"], found["last_prompt"], found["newest"]) == (0, "", "")
    assert size(place) == os.path.getsize(os.path.join(place.folder, "project.json"))


def test_a_file_beside_the_projects_and_a_hidden_folder_are_none(opened):
    place = opened("app")
    top = os.path.dirname(place.folder)
    with open(os.path.join(top, "notes.txt"), "w"):
        pass
    os.mkdir(os.path.join(top, ".trash"))
    assert [one["name"] for one in projects(place.home)] == [place.name]


def test_links_are_not_followed_when_a_folder_is_measured(opened, tmp_path):
    place = opened("app")
    before = size(place)
    (tmp_path / "big").mkdir()
    (tmp_path / "big" / "file").write_bytes(b"x" * 10_000)
    os.symlink(tmp_path / "big", os.path.join(place.folder, "notes"))
    os.symlink(tmp_path / "big" / "file", os.path.join(place.folder, "link"))
    os.symlink(place.folder, os.path.join(place.folder, "loop"))
    assert size(place) == before
    with open(os.path.join(place.folder, "more"), "wb") as f:
        f.write(b"y" * 77)
    assert size(place) == before + 77


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=40)
@given(
    lines=st.lists(
        st.binary(max_size=30) | st.sampled_from([b'{"time": "2026"}', b'{"time": []}']), max_size=5
    )
)
def test_no_line_of_a_log_makes_it_fail(tmp_path, lines):
    place = memory.open_project(str(tmp_path / "cwd"), create=True)
    log(place, *lines)
    json.dumps(projects(place.home)).encode()


# -- one project by its name ---------------------------------------------------------------------


def test_a_project_found_by_its_name_is_the_one_found_from_its_folder(opened):
    place = opened("app")
    found = place_of(place.home, place.name)
    told = ("home", "name", "folder", "identity", "root")
    assert [getattr(found, key) for key in told] == [getattr(place, key) for key in told]


@pytest.mark.parametrize(
    "name", ["", ".", "..", "../projects", "a/b", "none-00000000", "x\0y", "a\\b", "/etc"]
)
def test_a_name_that_is_no_projects_is_not_found(opened, name):
    place = opened("app")
    with pytest.raises(NotFoundError):
        place_of(place.home, name)
    with pytest.raises(NotFoundError):
        place_of(place.home, place.name + "/notes")


def test_where_no_path_is_there_any_more_the_root_is_not_known(opened, tmp_path):
    place = opened("app")
    saved_id = memory.save(place, "see nothing")["id"]
    fields = {"title": "t", "files": [{"path": "a.py", "sha256": "0" * 64}]}
    note, _ = write.create(place.folder, "note", fields, "body", NOW)
    shutil.rmtree(place.root)
    (tmp_path / "cwd" / "a.py").write_text("another project's file")
    found = place_of(place.home, place.name)
    assert found.root == ""
    assert [file["state"] for file in memory.read(found, note)["files"]] == ["not checked"]
    assert stale_memories(found) == {"total": 0, "rows": []}
    assert {row["id"] for row in memory.list_memories(found)} == {saved_id, note}


def test_a_path_that_is_another_projects_now_is_not_its_root(opened, tmp_path):
    place, other = opened("app"), opened("other")
    record = os.path.join(place.folder, "project.json")
    with open(record) as f:
        told = json.load(f)
    with open(record, "w") as f:
        json.dump({**told, "paths": [other.root, place.root]}, f)
    assert place_of(place.home, place.name).root == place.root
    (tmp_path / "nobody").mkdir()
    with open(record, "w") as f:
        json.dump({**told, "paths": [str(tmp_path / "nobody"), place.root]}, f)
    assert place_of(place.home, place.name).root == str(tmp_path / "nobody")


# -- stale memories ------------------------------------------------------------------------------


def test_the_newest_stale_memories_are_told_with_what_became_of_their_files(opened):
    place = opened("app")
    made = []
    for n in range(3):
        cited = [{"path": f"gone{n}.py", "sha256": "0" * 64}]
        made.append(
            write.create(place.folder, "note", {"title": f"n{n}", "files": cited}, f"{n}", NOW + n)[0]
        )
    saved(place)
    found = stale_memories(place, limit=2)
    assert found["total"] == 3
    assert [row["id"] for row in found["rows"]] == [made[2], made[1]]
    [file] = found["rows"][0]["files"]
    assert (file["path"], file["state"], file["by"]) == ("gone2.py", "DELETED", "file")
    assert found["rows"][0]["title"] == "n2"

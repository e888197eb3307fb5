"""What an edit that was cut short leaves, on the disk and in its record; folders that several files share."""

import os
import re

import pytest

from foreword import files
from foreword.edit import plan

TEMP = ".{}.4711-0a1b2c.tmp"


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "client").mkdir()
    return tmp_path / "client"


@pytest.mark.parametrize("name", ["settings.json", "a" * 39 + ".json", "b" * 39, "c" * 40, "d.md"])
def test_half_written_files_and_copies_go_and_those_of_others_stay(folder, name):
    path = folder / name
    copy = f"{name}.{plan.BACKUP}.20261130-101500"
    left = {TEMP.format(which[:40]) for which in (name, copy)}
    stay = {
        name,
        copy,
        TEMP.format("other.json"),
        TEMP.format(name[:-1]),
        TEMP.format(name + "c")[:60],
        f".{name}.tmp",
    }
    stay = {each for each in stay if each not in left}
    for each in left | stay:
        (folder / each).write_bytes(b"x")
        assert each in stay or re.fullmatch(files.LEFT, each)
    plan.clear_left(str(path))
    # A name of 40 letters is cut there: nothing tells it from a longer one.
    assert set(os.listdir(folder)) == stay
    plan.clear_left(str(folder / "none" / name))


@pytest.mark.skipif(os.name == "nt", reason="links as POSIX has them")
def test_they_are_looked_for_where_a_link_leads_too(folder, tmp_path):
    (tmp_path / "dots").mkdir()
    (folder / "settings.json").symlink_to(tmp_path / "dots" / "real.json")
    for left in (folder / TEMP.format("settings.json"), tmp_path / "dots" / TEMP.format("real.json")):
        left.write_bytes(b"x")
        plan.clear_left(str(folder / "settings.json"))
        assert not left.exists()


def test_a_copy_whose_name_was_not_on_record_yet_gives_the_original_back(folder):
    path = str(folder / "settings.json")
    files.write(path, b"old")
    edit = plan.Edit(path, b"old", b"new")
    record = plan.record_of(edit, "", "", None)  # as it is before the edit is applied
    plan.apply(edit, plan.BACKUP)
    assert plan.undone(path, record).after == b"old"
    [copy] = plan.copies(path, plan.BACKUP)
    files.write(copy, b"other")
    assert plan.undone(path, record) is None


@pytest.mark.parametrize(
    ("known", "folder", "top"),
    [
        ("", "", ""),
        (None, "/a/b", "/a/b"),
        ("/a", "", "/a"),
        ("/a", "/a/b", "/a"),
        ("/a/b", "/a", "/a"),
        ("/a/b", "/a/b", "/a/b"),
        ("/a/b", "/a/bc", "/a/bc"),
    ],
)
def test_the_upper_one_of_two_folders_counts(known, folder, top):
    assert plan.topmost(known, folder).replace(os.sep, "/") == top


def test_an_edit_on_top_of_ours_knows_the_folder_that_was_made_for_the_first(folder):
    path = str(folder / "x" / "settings.json")
    first = plan.record_of(plan.Edit(path, None, b"1"), "", str(folder / "x"), None)
    second = plan.record_of(plan.Edit(path, b"1", b"2"), "", "", None, first)
    assert second["folder"] == str(folder / "x")


def test_folders_above_one_that_was_never_made_go_too(folder):
    (folder / "a").mkdir()
    plan.remove_empty(str(folder / "a" / "b" / "c"), str(folder / "a"))
    assert os.listdir(folder) == []


def test_a_folder_in_use_is_handed_on_to_the_records_of_what_is_in_it(folder):
    top = str(folder / "a")
    kept = {str(folder / "a" / "b" / "x"): {"folder": str(folder / "a" / "b")}, str(folder / "ab" / "x"): {}}
    assert plan.hand_on({top}, kept)
    assert list(kept.values()) == [{"folder": top}, {}]
    assert not plan.hand_on({top}, kept)

"""`foreword archive`, `restore` and `delete`: all of the ids, or nothing."""

import os

import pytest

UNKNOWN = "20260101-000000-0000"


def ids(foreword, *options):
    return {row["id"] for row in foreword("list", "--json", *options).json}


def test_archive_and_restore_are_each_others_undo(foreword, save):
    one, two = save("One."), save("Two.")
    assert foreword("archive", one).out == f"archived {one}\n"
    assert (ids(foreword), ids(foreword, "--archived")) == ({two}, {one})
    assert "(archived)" in foreword("list", "--archived").out
    assert foreword("show", one, "--json").json["archived"] is True
    assert foreword("restore", one).out == f"restored {one}\n"
    assert (ids(foreword), ids(foreword, "--archived")) == ({one, two}, set())


def test_doing_it_twice_is_no_error(foreword, save):
    one = save("One.")
    for verb in ("archive", "archive", "restore", "restore"):
        foreword(verb, one)
    assert ids(foreword) == {one}
    assert foreword("delete", one, one).out == f"deleted {one}\n"


def test_deleted_is_gone_from_lists_searches_and_the_disk(foreword, save, store):
    one = save("The zebra crosses at midnight.", "--title", "Zebra")
    two = save("Another thing.")
    assert foreword("delete", one).out == f"deleted {one}\n"
    assert ids(foreword) == {two}
    assert foreword("search", "zebra", "--json", code=1).json == []
    foreword("show", one, code=1)
    for at, _, names in os.walk(store):
        for name in names:
            with open(os.path.join(at, name), "rb") as f:
                assert b"midnight" not in f.read(), name


@pytest.mark.parametrize("verb", ["archive", "restore", "delete"])
def test_unknown_ids_are_named_and_nothing_is_done(foreword, save, verb):
    one = save("One.")
    if verb == "restore":
        foreword("archive", one)
    before = ids(foreword), ids(foreword, "--archived")
    told = foreword(verb, one, UNKNOWN, "../x", code=1)
    assert told.out == ""
    assert UNKNOWN in told.err
    assert "../x" in told.err
    assert one not in told.err
    assert (ids(foreword), ids(foreword, "--archived")) == before


@pytest.mark.parametrize(("verb", "option"), [("archive", []), ("restore", ["--archived"]), ("delete", [])])
def test_json_is_the_list_of_ids_done(foreword, save, verb, option):
    both = [save("One."), save("Two.")]
    if verb == "restore":
        foreword("archive", *both)
    assert ids(foreword, *option) == set(both)
    told = foreword(verb, *both, "--json")
    assert (told.json, told.err) == (both, "")
    assert ids(foreword, *option) == set()


@pytest.mark.parametrize("verb", ["archive", "restore", "delete", "show"])
def test_without_an_id_the_command_line_is_wrong(foreword, repo, verb):
    assert foreword(verb, code=2).out == ""


def test_the_memories_of_another_project_are_out_of_reach(foreword, save, tmp_path):
    one = save("One.")
    other = tmp_path / "other"
    other.mkdir()
    foreword("delete", one, "--project", other, code=1)
    assert ids(foreword) == {one}


def test_restoring_a_live_memory_does_not_say_that_it_was_restored(foreword, save):
    live, archived = save("One."), save("Two.")
    foreword("archive", archived)
    told = foreword("restore", live, archived)
    assert (told.out, told.err) == (f"restored {archived}\n", f"{live} was not archived\n")
    assert foreword("restore", live, "--json").json == []

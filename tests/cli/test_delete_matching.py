"""`foreword delete --matching`: shown, asked, and gone for good."""

import os

import pytest

from foreword import paths

TEXT = "Project Nightfall starts in May."


def holds(word):
    found = []
    for at, _, names in os.walk(paths.home()):
        for name in names:
            with open(os.path.join(at, name), "rb") as f:
                if word in f.read():
                    found.append(os.path.join(at, name))
    return found


@pytest.fixture
def saved(save):
    """(ids that hold the text, one that does not)."""
    ids = [
        save(TEXT, "--title", "Plan"),
        save("Nothing here.", "--title", "About project  NIGHTFALL"),
        save("A session.", "--type", "session", "--tags", "project nightfall"),
        save("A rule: no word of project nightfall.", "--title", "Rule", "--global"),
    ]
    return ids, save("The importer retries three times.", "--title", "Retries")


def test_all_that_hold_the_text_are_shown_and_deleted_to_the_byte(foreword, saved):
    ids, other = saved
    foreword("archive", ids[1])
    told = foreword("delete", "--matching", "project nightfall", "--yes")
    for memory_id in ids:
        assert memory_id in told.out
    assert "deleted 4 memories\n" in told.out
    assert [row["id"] for row in foreword("list", "--json").json] == [other]
    assert holds(b"ightfall") == []
    assert holds(b"IGHTFALL") == []


def test_without_a_terminal_and_without_yes_nothing_is_deleted(foreword, saved):
    told = foreword("delete", "--matching", "nightfall", code=2)
    assert "add --yes" in told.err
    assert len(foreword("list", "--json").json) == 5


def test_a_dry_run_shows_and_deletes_nothing(foreword, saved):
    ids, _ = saved
    told = foreword("delete", "--matching", "nightfall", "--dry-run")
    assert told.err == "4 memories would be deleted\n"
    rows = foreword("delete", "--matching", "nightfall", "--dry-run", "--json").json
    assert {row["id"] for row in rows} == set(ids)
    assert len(foreword("list", "--json").json) == 5


def test_what_no_memory_holds_exits_1(foreword, saved):
    assert foreword("delete", "--matching", "zebra", "--yes", code=1).err == "no memory holds that text\n"
    assert foreword("delete", "--matching", "zebra", "--yes", "--json", code=1).json == []


@pytest.mark.parametrize("text", ["", "  ", "\n"])
def test_a_blank_text_is_refused(foreword, saved, text):
    assert "every memory would match" in foreword("delete", "--matching", text, "--yes", code=2).err
    assert len(foreword("list", "--json").json) == 5


def test_ids_and_a_text_together_or_neither_are_refused(foreword, saved):
    foreword("delete", saved[1], "--matching", "x", code=2)
    foreword("delete", code=2)
    foreword("delete", saved[1], "--dry-run", code=2)
    assert len(foreword("list", "--json").json) == 5


def test_other_projects_are_looked_into_only_when_asked(foreword, saved, tmp_path):
    other = tmp_path / "other"
    other.mkdir()
    foreword("save", "--title", "There", "--project", other, stdin=TEXT)
    assert len(foreword("delete", "--matching", "nightfall", "--dry-run", "--json").json) == 4
    rows = foreword("delete", "--matching", "nightfall", "--dry-run", "--json", "--all-projects").json
    assert len(rows) == 5
    foreword("delete", "--matching", "nightfall", "--all-projects", "--yes")
    assert holds(b"ightfall") == []

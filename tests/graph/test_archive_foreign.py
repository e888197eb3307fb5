"""What lies in the archive's folder and is nobody's archive: not read, not cut, and not waited for."""

import os
import stat

import pytest

from foreword.errors import ForewordError
from foreword.graph.archive import Archive, file_name
from foreword.graph.archive_lines import numbered_name

POSIX = pytest.mark.skipif(os.name == "nt", reason="links, pipes and devices of POSIX")
NOTES = "# readme\n\nmy own notes\n\n- buy milk\n- call bob\n"


@pytest.fixture
def folder(tmp_path):
    return str(tmp_path / "archive")


def put(folder, name, text):
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, name), "wb") as f:
        f.write(text.encode())


def got(folder, name):
    with open(os.path.join(folder, name), "rb") as f:
        return f.read().decode()


@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("README.md", NOTES),
        ("notes.md", NOTES),
        ("readme.md", NOTES.replace("# readme", "# Read me")),
        ("readme.md", NOTES.replace("# readme\n", "")),
        ("readme.md", "## what I got from `readme`\n- a\n"),
        ("readme.md", "\n## Notes\n- a\n  and more\n\n# readme\n- b\n"),
    ],
    ids=["capitals", "another-file", "another-heading", "no-heading", "no-section", "own-section"],
)
def test_notes_of_somebody_s_are_not_cut_when_an_entity_of_that_name_goes(folder, file, text):
    """`delete_entities` of `readme` cut the items out of archive/README.md."""
    put(folder, file, text)
    store = Archive(folder)
    assert store.entries() == store.entries(["readme", "Read me", "notes", "README"]) == {}
    for name in ("readme", "Read me", "notes", "README"):
        assert store.of(name) == []
        assert store.remove(name, ["buy milk", "a"]) == []
        store.rename(name, "other")
        assert store.drop(name) == 0
    assert got(folder, file) == text
    assert os.listdir(folder) == [file]


@pytest.mark.parametrize("text", [NOTES.replace("# readme\n", ""), NOTES.replace("# readme", "# Mine")])
def test_an_archive_is_not_put_into_a_file_of_somebody_s_that_has_its_name(folder, text):
    put(folder, "readme.md", text)
    store = Archive(folder)
    store.add("readme", ["a"])
    store.add("readme", ["a", "b"])
    assert store.of("readme") == ["a", "b"]
    assert got(folder, numbered_name("readme")) == "# readme\n\n- a\n- b\n"
    assert store.drop("readme") == 2
    assert os.listdir(folder) == ["readme.md"]
    assert got(folder, "readme.md") == text


def test_where_capitals_are_one_name_a_file_of_somebody_s_is_left_alone(folder, monkeypatch):
    """`readme.md` is there for one who asks, and is listed as README.md."""
    put(folder, "README.md", NOTES)
    real = os.path.lexists
    monkeypatch.setattr(os.path, "lexists", lambda path: real(path) or os.path.basename(path) == "readme.md")
    store = Archive(folder)
    store.add("readme", ["a"])
    assert sorted(os.listdir(folder)) == ["README.md", numbered_name("readme")]
    assert store.of("readme") == ["a"]


def test_where_both_names_are_taken_nothing_is_written_and_it_is_told(folder):
    for file in ("readme.md", numbered_name("readme")):
        put(folder, file, NOTES.replace("# readme", "# Mine"))
    with pytest.raises(ForewordError) as told:
        Archive(folder).add("readme", ["a"])
    assert os.path.join(folder, "readme.md") in told.value.message
    assert "move it" in told.value.hint
    assert got(folder, "readme.md") == got(folder, numbered_name("readme")) == NOTES.replace("readme", "Mine")


def test_above_sections_of_memory_lean_notes_of_somebody_s_stay(folder):
    mine = "# Mine\n- milk\n\n## Shopping\n- bread\n"
    put(folder, "shop.md", mine + "\n## compacted 2026-03-02 10:00:00 from `shop`\n- a\n")
    store = Archive(folder)
    assert store.entries() == {"shop": ["a"]}
    store.add("shop", ["b"])
    assert store.of("shop") == ["b", "a"]
    assert store.drop("shop") == 2
    assert got(folder, "shop.md").rstrip("\n") + "\n" == mine
    assert os.listdir(folder) == ["shop.md"]


def test_a_name_in_the_other_form_of_accents_is_still_ours(folder):
    """Some file systems list a name in another form than it was given."""
    name = "Étoile"
    put(folder, file_name(name).replace("é", "e\u0301"), f"# {name}\n\n- a\n")
    assert Archive(folder).entries() == {name: ["a"]}


@POSIX
def test_an_endless_file_is_read_as_empty(folder):
    """archive/zero.md -> /dev/zero was read until memory ended. Nothing is written here: a write that goes
    wrong would take the device's place."""
    put(folder, "shop.md", "# shop\n\n- a\n")
    os.symlink("/dev/zero", os.path.join(folder, "zero.md"))
    store = Archive(folder)
    assert store.entries() == {"shop": ["a"]}
    assert store.of("zero") == []


@POSIX
def test_a_pipe_is_not_replaced_by_an_archive(folder, tmp_path):
    os.mkdir(folder)
    os.mkfifo(os.path.join(folder, "pipe.md"))
    os.mkfifo(tmp_path / "elsewhere")
    os.symlink(tmp_path / "elsewhere", os.path.join(folder, "link.md"))
    store = Archive(folder)
    for name in ("pipe", "link"):
        with pytest.raises(ForewordError, match="no regular file"):
            store.add(name, ["a"])
    assert stat.S_ISFIFO(os.stat(os.path.join(folder, "pipe.md")).st_mode)
    assert stat.S_ISFIFO(os.stat(tmp_path / "elsewhere").st_mode)
    assert sorted(os.listdir(folder)) == ["link.md", "pipe.md"]


@pytest.mark.parametrize("change", ["add", "remove"])
def test_what_a_killed_writer_left_goes_with_the_next_change(folder, change):
    """It held what was deleted since, for ever."""
    Archive(folder).add("shop", ["a", "b"])
    for left, age_s in (
        (".x.md.99999-abcdef.tmp", 7_200),
        (".y.md.99999-abcdef.tmp", 60),
        ("mine.tmp", 7_200),
    ):
        put(folder, left, "- secret\n")
        then = os.stat(os.path.join(folder, left)).st_mtime - age_s
        os.utime(os.path.join(folder, left), (then, then))
    store = Archive(folder)
    assert store.of("shop") == ["a", "b"]
    assert len(os.listdir(folder)) == 4
    if change == "add":
        store.add("shop", ["c"])
    else:
        store.remove("shop", ["a"])
    assert sorted(os.listdir(folder)) == [".y.md.99999-abcdef.tmp", "mine.tmp", "shop.md"]

"""Check reads everything, says what is wrong, and changes nothing."""

import os

import pytest

from foreword.digest import of_answer
from foreword.store import check, layout, write


def snapshot(folder):
    return {
        path: (path.stat().st_mtime_ns, path.read_bytes()) for path in folder.rglob("*") if path.is_file()
    }


def test_a_whole_store_has_no_findings(tmp_path):
    for second, kind in enumerate(("note", "session", "fact")):
        write.create(str(tmp_path), kind, {"title": kind}, "body", 1793700900 + second)
    assert check.findings(str(tmp_path)) == (3, [])


def test_each_fault_is_named_once_and_nothing_is_changed(tmp_path):
    memory_id, at = write.create(str(tmp_path), "fact", {}, "body", 1793700900)
    for place, text in {
        f"archive/fact/{memory_id}.md": b"copy",
        "facts/broken.md": b"---\na: [\n---\nx",
        "facts/empty.md": b"---\ntitle: t\n---\n\n",
        "facts/latin.md": b"\xe9",
        "facts/open.md": b"x",
        "facts/stranger.txt": b"x",
        "notes/2026-11/.hidden": b"x",
    }.items():
        (tmp_path / place).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / place).write_bytes(text)
        (tmp_path / place).chmod(0o600)
    (tmp_path / "facts/open.md").chmod(0o644)
    before = snapshot(tmp_path)
    count, wrong = check.findings(str(tmp_path))
    assert count == 6
    assert [place for place, what, _ in wrong if what.startswith("front matter")] == ["facts/broken.md"]
    assert sorted((p, w) for p, w, _ in wrong if not w.startswith("front matter")) == [
        (f"archive/fact/{memory_id}.md", "has the id of " + at),
        ("facts/empty.md", "the body is empty"),
        ("facts/latin.md", "byte 0 is not UTF-8"),
        ("facts/open.md", "can be read by others"),
        ("facts/stranger.txt", "is not a memory's file"),
    ]
    assert snapshot(tmp_path) == before


def test_a_damaged_file_with_an_id_can_be_edited_and_check_says_so(tmp_path):
    memory_id, at = write.create(str(tmp_path), "fact", {}, "body", 1793700900)
    (tmp_path / at).write_text("---\ntitle: [\n---\nbody")
    [(place, _, hint)] = check.findings(str(tmp_path))[1]
    assert (place, hint) == (at, f"foreword edit {memory_id}")


def test_a_deleted_memory_whose_file_came_back_is_named_with_both_ways_out(tmp_path):
    home, folder = tmp_path / "home", tmp_path / "home" / "projects" / "p"
    places = [write.create(str(folder), "fact", {}, body, 1793700900)[1] for body in ("by id", "by text")]
    (folder / "facts" / "mine.md").write_text("---\ncreated: 2026-11-03\n---\nby name")
    (folder / "facts" / "mine.md").chmod(0o600)
    wanted = {}
    for n, (place, body) in enumerate(
        zip([*places, "facts/mine.md"], ("by id", "by text", "by name"), strict=True)
    ):
        name = write.tombstones_of(str(folder), place, of_answer(body))[n % 2]
        write.forget(str(home), name)
        memory_id = place[6:-3] if n < 2 else layout.id_from(place, 1793664000)
        wanted[place] = (
            f"foreword delete {memory_id} (or, to have it back, remove {home / 'state/tombstones' / name})"
        )
    found = check.findings(str(folder))[1]
    assert {what for _, what, _ in found} == {"was deleted and came back; it counts as deleted"}
    assert {place: hint for place, _, hint in found} == wanted


def test_a_folder_that_is_not_there_has_nothing_wrong(tmp_path):
    assert check.findings(str(tmp_path / "none")) == (0, [])


@pytest.mark.skipif(os.name == "nt", reason="names are not bytes there")
def test_a_name_that_is_not_utf8_is_left_out_and_named_so_that_it_can_be_printed(tmp_path):
    write.create(str(tmp_path), "fact", {"title": "t"}, "body", 1793700900)
    folder = os.fsencode(tmp_path)
    os.mkdir(folder + b"/notes")
    os.mkdir(folder + b"/notes/\xff")
    for name in (b"/facts/\xff\xfe.md", b"/notes/\xff/a.md"):
        with open(folder + name, "wb") as f:
            f.write(b"hidden")
    count, wrong = check.findings(str(tmp_path))
    assert count == 1
    assert wrong == [
        ("facts/\\xff\\xfe.md", "its name is not UTF-8, so it is left out", "rename it"),
        ("notes/\\xff/a.md", "its name is not UTF-8, so it is left out", "rename it"),
    ]

"""An edited memory is what was typed, to the byte; what cannot be one is refused, and kept."""

import os
import stat

import pytest

from foreword import memory, project
from foreword.digest import of_answer
from foreword.errors import BUSY, USAGE, DamagedError, ForewordError, NotFoundError
from foreword.memory import edit
from foreword.store import write

UNKNOWN = "20200101-000000-0000"
NOW = 1793700900.0


@pytest.fixture
def place(tmp_path, monkeypatch):
    root = tmp_path / "repo"
    (root / "src").mkdir(parents=True)
    (root / "src/a.py").write_text("a")
    (root / "src/b.py").write_text("b")
    monkeypatch.chdir(root)
    return memory.open_project(create=True)


def file_of(place, memory_id):
    return memory.read(place, memory_id)["path"]


def bytes_of(place, memory_id):
    with open(file_of(place, memory_id), "rb") as f:
        return f.read()


def typed(place, memory_id, change):
    """Edit in an editor that applies a function to the bytes."""
    copy = edit.begin(place, memory_id)
    with open(copy, "rb") as f:
        raw = f.read()
    with open(copy, "wb") as f:
        f.write(change(raw))
    return edit.finish(place, memory_id, copy)


def edits(place):
    folder = os.path.join(place.home, "state", "edits")
    return sorted(os.listdir(folder)) if os.path.isdir(folder) else []


def test_the_copy_is_private_named_md_and_goes_afterwards(place):
    saved = memory.save(place, "Body.", title="T")["id"]
    copy = edit.begin(place, saved)
    assert copy.endswith(saved + ".md")
    assert copy.startswith(os.path.join(place.home, "state") + os.sep)
    assert stat.S_IMODE(os.stat(copy).st_mode) == 0o600
    assert stat.S_IMODE(os.stat(os.path.dirname(copy)).st_mode) == 0o700
    with open(copy + "~", "w") as f:
        f.write("what an editor leaves")
    assert edit.finish(place, saved, copy)["changed"] is False
    assert edits(place) == []


def test_nothing_typed_changes_nothing(place):
    saved = memory.save(place, "Body.", title="T")["id"]
    before = os.stat(file_of(place, saved))
    assert typed(place, saved, lambda raw: raw) == {
        "id": saved, "path": file_of(place, saved), "changed": False, "told": [],
    }  # fmt: skip
    assert os.stat(file_of(place, saved)).st_mtime_ns == before.st_mtime_ns


def test_every_byte_is_as_it_was_typed_and_the_index_agrees(place):
    path = os.path.join(place.folder, "facts", "20261103-101500-a1b2.md")
    os.makedirs(os.path.dirname(path))
    raw = "\ufeff---\r\n# mine\r\nmine: {a: 1}\r\ntitle:  'T' # why\r\n---\r\n\r\n\r\nzebra\r\n\r\n".encode()
    with open(path, "wb") as f:
        f.write(raw)
    done = typed(place, "20261103-101500-a1b2", lambda raw: raw.replace(b"zebra", b"quokka \t"))
    assert (done["changed"], done["told"]) == (True, [])
    with open(path, "rb") as f:
        assert f.read() == raw.replace(b"zebra", b"quokka \t")
    assert memory.search(place, "zebra") == []
    assert [row["id"] for row in memory.search(place, "quokka")] == ["20261103-101500-a1b2"]


def test_archived_and_global_ones_and_notes_are_edited_where_they_are(place):
    archived = memory.save(place, "One.", title="A")["id"]
    memory.archive(place, [archived])
    everywhere = memory.save(place, "Two.", title="B", everywhere=True)["id"]
    note, _ = write.create(place.folder, "note", {"title": "C", "turn": "t"}, "Three.", NOW)
    for memory_id in (archived, everywhere, note):
        path = file_of(place, memory_id)
        assert typed(place, memory_id, lambda raw: raw.rstrip() + b" More.\n")["path"] == path
        assert memory.read(place, memory_id)["body"].endswith(". More.")
    assert memory.read(place, archived)["archived"] is True


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (b"", "the body is empty"),
        (b"---\ntitle: T\n---\n\n   \n", "the body is empty"),
        (b"---\ntitle: T\nBody.\n", "line 1: the front matter is never closed"),
        (b"---\ntitle: T\nmine: [a\n---\n\nBody.\n", "front matter: "),
        (b"---\n- a\n---\n\nBody.\n", "the front matter is no mapping"),
        (b"---\ntitle: T\n---\n\nBody \xff.\n", "line 5: byte 23 is not UTF-8"),
        (b"---\ntitle: T\noffer: sometimes\n---\n\nBody.\n", "line 3: offer is always or never"),
        (b"---\ntitle: [a, b]\n---\n\nBody.\n", "line 2: title is one text"),
        (b"---\nmine: x\ntitle: |\n  a\n  b\n---\n\nBody.\n", "line 3: title is one line"),
        (b"---\ntags: {a: b}\n---\n\nBody.\n", "line 2: tags is a list"),
        (b"---\ncreated: yesterday\n---\n\nBody.\n", "line 2: created is a date"),
        (b"---\ntitle: " + b"x" * 201 + b"\n---\n\nBody.\n", "line 2: the title has 201 characters"),
        (b"---\ntitle: T\n---\n\n" + b"x" * 64_001, "the body has 64001 characters"),
        (b"x" * 4_000_001, "more than 4000000 bytes"),
        (b"<private>all of it</private>", "the body is empty"),
    ],
)
def test_what_is_no_memory_is_refused_and_the_text_is_kept_to_go_on_with(place, text, told):
    saved = memory.save(place, "Body.", title="T")["id"]
    before = bytes_of(place, saved)
    with pytest.raises(ForewordError) as error:
        typed(place, saved, lambda _: text)
    assert told in error.value.message
    assert error.value.exit_code == USAGE
    assert bytes_of(place, saved) == before
    copy = error.value.hint.rpartition(" --from ")[2]
    assert f"your text is kept in {copy}" in error.value.message
    with open(copy, "rb") as f:
        assert f.read() == text
    with open(copy, "w") as f:
        f.write("Mended.")
    assert edit.finish(place, saved, copy)["changed"] is True
    assert memory.read(place, saved)["body"] == "Mended."
    assert edits(place) == []


def test_a_line_number_leads_to_the_line(place):
    saved = memory.save(place, "Body.", title="T")["id"]
    with pytest.raises(ForewordError) as error:
        typed(place, saved, lambda raw: raw.replace(b"basis: user", b"basis: user\nmine: [a\nmore: b"))
    number = int(error.value.message.partition("line ")[2].partition(")")[0])
    lines = (
        bytes_of(place, saved).decode().replace("basis: user", "basis: user\nmine: [a\nmore: b").split("\n")
    )
    assert "mine: [a" in "\n".join(lines[number - 2 : number])


def test_what_was_wrong_before_does_not_stand_in_the_way(place):
    at = os.path.join(place.folder, "facts", "20261103-101500-a1b2.md")
    os.makedirs(os.path.dirname(at))
    with open(at, "w") as f:
        f.write("---\noffer: perhaps\ncreated: long ago\n---\n\n" + "x" * 70_000)
    assert typed(place, "20261103-101500-a1b2", lambda raw: raw[:-1] + b"y")["changed"]
    with pytest.raises(ForewordError, match="it may have 64000"):
        typed(place, "20261103-101500-a1b2", lambda raw: raw + b"longer")


def test_a_damaged_memory_can_be_mended(place):
    at = os.path.join(place.folder, "facts", "20261103-101500-a1b2.md")
    os.makedirs(os.path.dirname(at))
    for raw in (b"---\ntitle: [\n---\n\nBody.", b"caf\xe9"):
        with open(at, "wb") as f:
            f.write(raw)
        typed(place, "20261103-101500-a1b2", lambda _: b"---\ntitle: Good\n---\n\nBody.\n")
        found = memory.read(place, "20261103-101500-a1b2")
        assert (found["title"], found["damage"]) == ("Good", "")


def test_a_text_without_front_matter_replaces_the_body_alone(place):
    saved = memory.save(place, "Body.", title="T", tags=("a",))["id"]
    head = bytes_of(place, saved).partition(b"\n\n")[0]
    done = edit.replace(place, saved, "新しい本文。\n".encode())
    assert done["told"] == ["The text has no front matter, so it replaced the body alone."]
    assert bytes_of(place, saved) == head + "\n\n新しい本文。\n".encode()


def test_a_body_put_in_keeps_the_line_ends_of_the_file(place):
    at = os.path.join(place.folder, "facts", "20261103-101500-a1b2.md")
    os.makedirs(os.path.dirname(at))
    with open(at, "wb") as f:
        f.write(b"---\r\ntitle: T\r\n---\r\n\r\nBody.\r\n")
    edit.replace(place, "20261103-101500-a1b2", b"one\ntwo\n")
    with open(at, "rb") as f:
        assert f.read() == b"---\r\ntitle: T\r\n---\r\n\r\none\r\ntwo\r\n"


def test_what_somebody_else_wrote_meanwhile_is_not_written_over_and_the_text_is_kept(place):
    saved = memory.save(place, "Body.", title="T")["id"]
    copy = edit.begin(place, saved)
    with open(copy, "a") as f:
        f.write("Mine.\n")
    with open(file_of(place, saved), "a") as f:
        f.write("Theirs.\n")
    with pytest.raises(ForewordError, match="changed by somebody else") as error:
        edit.finish(place, saved, copy)
    assert error.value.exit_code == BUSY
    assert copy in error.value.hint and file_of(place, saved) in error.value.hint
    assert memory.read(place, saved)["body"] == "Body.\nTheirs."
    # Who looked at both and says it again is taken at their word.
    assert edit.finish(place, saved, copy)["changed"]
    assert memory.read(place, saved)["body"] == "Body.\nMine."


def test_a_note_that_a_hook_appends_to_meanwhile_loses_nothing(place):
    note, at = write.create(place.folder, "note", {"turn": "t"}, "Answer.", NOW)
    copy = edit.begin(place, note)
    write.change(place.folder, at, {}, "More.", place.home)
    with open(copy, "a") as f:
        f.write("Mine.\n")
    with pytest.raises(ForewordError, match="changed by somebody else"):
        edit.finish(place, note, copy)
    assert memory.read(place, note)["body"] == "Answer.\n\nMore."


def test_one_that_was_archived_meanwhile_is_edited_there(place):
    saved = memory.save(place, "Body.", title="T")["id"]
    copy = edit.begin(place, saved)
    memory.archive(place, [saved])
    with open(copy, "a") as f:
        f.write("Mine.\n")
    edit.finish(place, saved, copy)
    assert memory.read(place, saved)["body"] == "Body.\nMine."


def test_an_unknown_id_and_a_file_that_is_not_there_are_named(place, tmp_path):
    saved = memory.save(place, "Body.")["id"]
    for act in (lambda: edit.begin(place, UNKNOWN), lambda: edit.replace(place, UNKNOWN, b"x")):
        with pytest.raises(NotFoundError, match=UNKNOWN):
            act()
    with pytest.raises(ForewordError, match="nowhere"):
        edit.finish(place, saved, str(tmp_path / "nowhere"))


def test_a_file_too_large_to_be_read_whole_is_not_edited(place):
    saved = memory.save(place, "Body.")["id"]
    with open(file_of(place, saved), "a") as f:
        f.write("x" * 4_000_001)
    with pytest.raises(DamagedError, match="more than"):
        edit.begin(place, saved)


@pytest.mark.parametrize("line", ["id: 20200101-000000-0000", "type: note"])
def test_id_and_type_lines_count_for_nothing_and_that_is_said(place, line):
    saved = memory.save(place, "Body.", title="T")["id"]
    key = line.partition(":")[0]
    old = f"{key}: {saved if key == 'id' else 'fact'}".encode()
    done = typed(place, saved, lambda raw: raw.replace(old, line.encode()))
    assert [f"`{key}` counts for nothing" in told for told in done["told"]] == [True]
    found = memory.read(place, saved)
    assert (found["id"], found["type"]) == (saved, "fact")
    assert line.encode() in bytes_of(place, saved)


def test_a_title_that_another_fact_has_is_said_to_mean_that_one_of_them_is_superseded(place):
    old = memory.save(place, "Old.", title="Pool")["id"]
    new = memory.save(place, "New.", title="Retries")["id"]
    session = memory.save(place, "S.", title="Retries", type="session")["id"]
    [told] = typed(place, old, lambda raw: raw.replace(b"Pool", b"retries"))["told"]
    assert f"{new} has this title, too" in told
    assert f"only the newest of them, {new}; {old} counts as superseded" in told
    assert session not in told
    assert memory.debt(place)["superseded"] == 1
    assert typed(place, old, lambda raw: raw.replace(b"retries", b"Pool"))["told"] == []
    assert memory.debt(place)["superseded"] == 0


def test_files_of_a_fact_are_found_anew_with_its_body_and_those_of_a_note_stay(place):
    saved = memory.save(place, "See `src/a.py`", title="T")["id"]
    note, _ = write.create(
        place.folder, "note", {"files": [{"path": "src/a.py", "sha256": ""}]}, "`src/a.py`", NOW
    )
    everywhere = memory.save(place, "See `src/a.py`.", title="G", everywhere=True)["id"]
    for memory_id in (saved, note, everywhere):
        typed(place, memory_id, lambda raw: raw.rstrip() + b" and `src/b.py`\n")
    files = {i: [f["path"] for f in memory.read(place, i)["files"]] for i in (saved, note, everywhere)}
    assert files == {saved: ["src/a.py", "src/b.py"], note: ["src/a.py"], everywhere: []}
    os.unlink("src/a.py")
    with open("src/b.py", "w") as f:
        f.write("changed")
    typed(place, saved, lambda raw: raw.replace(b"See", b"Read"))
    assert [(f["path"], f["state"]) for f in memory.read(place, saved)["files"]] == [
        ("src/b.py", "unchanged"),
        ("src/a.py", "DELETED"),
    ]
    typed(place, saved, lambda raw: raw.replace(b"`src/a.py` and ", b""))
    assert [f["path"] for f in memory.read(place, saved)["files"]] == ["src/b.py"]


def test_files_that_were_typed_stay_as_typed_and_a_new_title_finds_none_anew(place):
    saved = memory.save(place, "See `src/a.py`.", title="T")["id"]
    with open("src/a.py", "w") as f:
        f.write("changed")
    typed(place, saved, lambda raw: raw.replace(b'title: "T"', b'title: "U"'))
    assert [f["state"] for f in memory.read(place, saved)["files"]] == ["CHANGED"]
    typed(place, saved, lambda raw: raw.replace(b"src/a.py", b"src/none.py").replace(b"See", b"Look at"))
    assert [f["path"] for f in memory.read(place, saved)["files"]] == ["src/none.py"]


def test_private_parts_are_left_out(place):
    saved = memory.save(place, "Body.", title="T")["id"]
    [told] = typed(place, saved, lambda raw: raw + b"\nMore. <private>hunter2</private> End.\n")["told"]
    assert "<private>" in told
    assert b"hunter2" not in bytes_of(place, saved)
    assert memory.read(place, saved)["body"].endswith("End.")


def test_a_pin_without_effect_is_said(place):
    saved = memory.save(place, "Body.", title="T", everywhere=True)["id"]
    pin = lambda raw: raw.replace(b"basis: user", b"basis: user\noffer: always")  # noqa: E731
    assert typed(place, saved, pin)["told"] == ["`offer: always` has no effect: it is global."]
    other = memory.save(place, "Body 2.", title="T2")["id"]
    assert typed(place, other, pin)["told"] == []
    assert memory.read(place, other)["offer"] == "always"


def test_a_deleted_text_that_is_typed_again_may_be_saved_again(place):
    gone = memory.save(place, "The old text.", title="A")["id"]
    kept = memory.save(place, "Body.", title="B")["id"]
    memory.delete(place, [gone])
    typed(place, kept, lambda raw: raw.replace(b"Body.", b"The old text."))
    assert not write.is_forgotten(place.home, of_answer("The old text."))
    assert memory.read(place, kept)["body"] == "The old text."
    assert [row["id"] for row in memory.list_memories(place)] == [kept]


def test_a_copy_goes_when_its_memory_is_deleted(place):
    saved = memory.save(place, "The zebrafishword.", title="T")["id"]
    copy = edit.begin(place, saved)
    memory.delete(place, [saved])
    assert edits(place) == []
    with pytest.raises(ForewordError, match="the copy is gone"):
        edit.finish(place, saved, copy)


def test_a_copy_of_another_memory_is_not_taken_for_this_ones(place):
    one, two = memory.save(place, "One.", title="A")["id"], memory.save(place, "Two.", title="B")["id"]
    copy = edit.begin(place, one)
    with open(copy, "w") as f:
        f.write("New.")
    assert edit.finish(place, two, copy)["changed"]  # a file like any other: given on purpose
    assert os.path.exists(copy)
    assert memory.read(place, one)["body"] == "One."


def test_a_memory_seen_from_elsewhere_is_not_edited(place, tmp_path):
    saved = memory.save(place, "Body.")["id"]
    (tmp_path / "other").mkdir()
    other = project.find(str(tmp_path / "other"), place.home)
    with pytest.raises(NotFoundError):
        edit.begin(other, saved)


def test_private_parts_of_the_front_matter_are_left_out_too(place):
    saved = memory.save(place, "Run it on port 80.", title="Port", tags=["a"])["id"]
    with open(memory.read(place, saved)["path"], encoding="utf-8") as f:
        text = f.read()
    text = text.replace('"Port"', '"Port <private>mole</private>"').replace(
        '["a"]', '["a", "<private>vole</private>"]'
    )
    done = memory.edit.replace(place, saved, text.encode())
    assert "private" in " ".join(done["told"])
    found = memory.read(place, saved)
    assert (found["title"], found["tags"], found["body"]) == ("Port", ["a"], "Run it on port 80.")
    with open(found["path"], encoding="utf-8") as f:
        assert "ole" not in f.read()

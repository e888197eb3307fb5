"""Memories as people may have left them: every file is one, nothing is dropped, damage is said."""

import json
import os

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from foreword.store import header, layout, read

ID = "20261103-101500-a1b2"
PLACE = f"facts/{ID}.md"
TEXTS = "id type title question body source basis turn session transcript origin checked damage".split()
OTHERS = "tags created supersedes files offer archived place more".split()


def check_shape(memory):
    assert sorted(memory) == sorted(TEXTS + OTHERS)
    for key in TEXTS:
        assert isinstance(memory[key], str)
        memory[key].encode("utf-8")
    assert isinstance(memory["created"], (int, float))
    assert all(isinstance(tag, str) for tag in memory["tags"] + memory["supersedes"] + memory["more"])
    assert all(isinstance(path, str) and isinstance(digest, str) for path, digest, _ in memory["files"])
    json.dumps(memory)
    layout.timestamp(memory["created"])


WORDS = (
    "---\n|title: |tags: |files:\n|created: |- |  |\n|{|}|[|]|: |&a |*a|<<: *a\n|!!python/object:x |? |"
    "'|\"|\\ud800|#|%|id: |path: |sha256: |0001-01-01|9999-12-31T23:59:59+14:00|\t|\x00|>\n"
)
YAMLISH = st.lists(st.one_of(st.sampled_from([*WORDS.split("|"), "|\n"]), st.text(max_size=5)), max_size=25)


@given(st.binary())
def test_no_bytes_make_reading_fail(raw):
    check_shape(read.parse(raw, PLACE))


@given(YAMLISH)
def test_no_front_matter_makes_reading_fail(parts):
    raw = ("---\n" + "".join(parts) + "\n---\nbody\n").encode("utf-8", "surrogatepass")
    check_shape(read.parse(raw, PLACE))


@pytest.mark.parametrize(
    "head",
    [
        "a: " + "[" * 50_000,
        "a: " + "{b: " * 50_000,
        "a: &a [*a]",
        "a: &a [x,x]\nb: &b [*a,*a]\nc: &c [*b,*b]\nd: [*c,*c]",
        "? [a]\n: b",
        "title: [a, {b: c}]\ntags: {a: b}\nfiles: text\ncreated: [1]\nid: {}",
        "title: !!python/object/apply:os.system ['true']",
        "x" * 5_000,
        "%YAML 9.9",
        "\t- a",
    ],
)
def test_hostile_front_matter_is_survived(head):
    memory = read.parse(f"---\n{head}\n---\nbody".encode(), PLACE)
    check_shape(memory)
    assert memory["body"].endswith("body")


def test_half_a_surrogate_pair_in_an_escape_cannot_reach_the_index(monkeypatch):
    monkeypatch.setattr(read, "_LOADER", yaml.BaseLoader)  # PyYAML built without libyaml reads it
    raw = b'---\ntitle: "a\\ud800"\ntags: ["\\udfff"]\nfiles: [{path: "\\ud800"}, "\\ud801"]\n---\nb'
    check_shape(read.parse(raw, PLACE))


def test_what_was_written_is_read_back():
    fields = {
        "id": ID,
        "type": "fact",
        "title": "Build: with `make`",
        "tags": ["a, b", "c"],
        "created": "2026-11-03T10:15:00.250000Z",
        "source": "claude-code",
        "basis": "user",
        "session": "s1",
        "supersedes": ["20261103-101400-0000"],
        "files": [{"path": "Makefile", "sha256": "ab" * 32}],
    }
    memory = read.parse(header.render(fields, "Run make.\n\n---\n\nDone.").encode(), PLACE)
    assert memory["damage"] == "" and memory["more"] == []
    assert memory["tags"] == ["a, b", "c"]
    assert memory["created"] == 1793700900.25
    assert memory["files"] == [["Makefile", "ab" * 32, []]]
    assert memory["body"] == "Run make.\n\n---\n\nDone."
    assert (memory["id"], memory["type"], memory["archived"]) == (ID, "fact", False)


@pytest.mark.parametrize(
    ("raw", "told", "body"),
    [
        (b"---\ntitle: [a\n---\nbody\n", "front matter: ", "---\ntitle: [a\n---\nbody"),
        (b"---\n- a\n- b\n---\nbody\n", "the front matter is no mapping", "body"),
        (b"---\ntitle: a\nbody \xff\n", "byte 18 is not UTF-8", "---\ntitle: a\nbody \ufffd"),
        (b"---\ntitle: a\n---\nb\xc3", "byte 18 is not UTF-8", "b\ufffd"),
        (b"---\ntitle: \x00\n---\nb", "front matter: ", "---\ntitle: \x00\n---\nb"),
        (b"---\ntitle: 'a\n---\nb", "front matter: ", "---\ntitle: 'a\n---\nb"),
    ],
)
def test_damage_is_said_and_no_text_is_dropped(raw, told, body):
    memory = read.parse(raw, PLACE)
    assert memory["damage"].startswith(told)
    assert memory["body"] == body


def test_damage_names_the_line_of_the_file():
    assert (
        "line 3"
        in read.parse(b"---\na: b\nc: [\n---\nx", PLACE)["damage"]
        + read.parse(b"---\na: b\nc: d: e\n---\nx", PLACE)["damage"]
    )


@pytest.mark.parametrize(
    ("text", "title", "body"),
    [
        ("# Build\n\nmake\n", "Build", "# Build\n\nmake"),
        ("\ufeffmake\r\nall\r\n", "make", "make\nall"),
        ("", "", ""),
        ("---\nunclosed: x\n", "---", "---\nunclosed: x"),
        ("---\n---\nx", "x", "x"),
    ],
)
def test_a_file_made_by_hand_without_front_matter_is_a_memory(text, title, body):
    memory = read.parse(text.encode(), "facts/build tips.md", mtime=5.5)
    assert (memory["title"], memory["body"], memory["damage"]) == (title, body, "")
    assert (memory["id"], memory["type"], memory["created"]) == ("", "fact", 5.5)


def test_the_file_name_decides_the_id_and_the_folder_the_type():
    raw = b"---\nid: 20200101-000000-ffff\ntype: note\n---\nx"
    memory = read.parse(raw, f"archive/session/{ID}.md")
    assert (memory["id"], memory["type"], memory["archived"]) == (ID, "session", True)


@pytest.mark.parametrize(
    "value", ["a, b", "[a, b]", "\n- a\n- b", "\n  - a\n  - b", '"a,b"', "[a, [x], {y: z}, b]"]
)
def test_tags_are_read_as_people_write_them(value):
    assert read.parse(f"---\ntags: {value}\n---\nx".encode(), PLACE)["tags"] == ["a", "b"]


def test_files_are_read_as_people_write_them():
    rows = b"- src/a.py\n- {path: src/b.py}\n- path: src/c.py\n  sha256: zz\n- [no]\n- {x: y}\n"
    raw = b"---\nfiles:\n" + rows + b"---\nx"
    assert read.parse(raw, PLACE)["files"] == [
        ["src/a.py", "", []],
        ["src/b.py", "", []],
        ["src/c.py", "", []],
    ]


@pytest.mark.parametrize(
    ("created", "seconds"),
    [
        ("2026-11-03", 1793664000),
        ("2026-11-03 10:15", 1793700900),
        ("2026-11-03T10:15:00Z", 1793700900),
        ("2026-11-03T11:15:00+01:00", 1793700900),
        ("'2026-11-03T10:15:00.5'", 1793700900.5),
        ("yesterday", 1793700900),  # then the file's name dates it
        ("2026-13-45", 1793700900),
        ("", 1793700900),
    ],
)
def test_a_date_is_read_as_people_write_it(created, seconds):
    assert read.parse(f"---\ncreated: {created}\n---\nx".encode(), PLACE)["created"] == seconds


def test_unknown_keys_are_named():
    assert read.parse(b"---\nmine: 1\ntitle: t\n2: x\n---\nb", PLACE)["more"] == ["2", "mine"]


def test_a_file_too_large_is_read_in_part_and_said_so(tmp_path):
    (tmp_path / "facts").mkdir()
    (tmp_path / PLACE).write_bytes(b"x" * (read.LARGEST + 1))
    memory = read.load(str(tmp_path), PLACE)
    assert "larger than" in memory["damage"]
    assert memory["size"] == read.LARGEST + 1


def test_no_file_is_no_memory(tmp_path):
    assert read.load(str(tmp_path), PLACE) is None
    (tmp_path / "facts").write_text("a file where a folder should be")
    assert read.load(str(tmp_path), PLACE) is None


def test_the_walk_finds_memories_and_nothing_else(tmp_path):
    good = [
        "notes/2026-11/a.md",
        "notes/b.md",
        "sessions/c.md",
        "facts/d e.md",
        "archive/note/f.md",
        "archive/fact/g.md",
    ]
    bad = [
        "facts/.h.md", "facts/i.txt", "facts/sub/j.md", "notes/2026-11/deep/k.md", "archive/l.md", "m.md",
        "notes/.trash/n.md", "other/o.md",
    ]  # fmt: skip
    for place in good + bad:
        (tmp_path / place).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / place).write_text("x")
    (tmp_path / "facts/folder.md").mkdir()
    (tmp_path / "facts/dangling.md").symlink_to("nowhere")
    os.mkfifo(tmp_path / "facts/fifo.md")
    found, times = read.walk(str(tmp_path))
    assert sorted(place for place, _, _ in found) == sorted(good)
    assert times["sessions"] == (tmp_path / "sessions").stat().st_mtime_ns
    assert times["archive/session"] == 0


@given(st.binary(min_size=1, max_size=20))
def test_a_name_is_a_memory_s_if_it_can_be_printed(name):
    try:
        name.decode()
    except UnicodeDecodeError:
        assert not read.is_named(os.fsdecode(name))
    else:
        assert read.is_named(os.fsdecode(name))

"""The Python API: what every face may count on."""

import json
import os
import sys

import pytest

from foreword import memory, project
from foreword.errors import BusyError, ForewordError, NotFoundError
from foreword.store import layout, read

ROW = {
    "id", "type", "title", "created", "project", "snippet", "archived", "global", "superseded_by", "offer",
}  # fmt: skip
UNKNOWN = "20200101-000000-0000"


@pytest.fixture
def place(tmp_path, monkeypatch):
    root = tmp_path / "repo"
    root.mkdir()
    monkeypatch.chdir(root)
    return memory.open_project()


def other_project(tmp_path, name="other"):
    (tmp_path / name).mkdir()
    return memory.open_project(str(tmp_path / name))


def ids(rows):
    return [row["id"] for row in rows]


def files_of(home):
    return sorted(os.path.join(at, name) for at, _, names in os.walk(home) for name in names)


def test_opening_a_project_writes_nothing(place):
    assert not os.path.exists(place.folder)
    assert memory.list_memories(place) == [] and memory.search(place, "x") == []
    assert memory.status(place)["counts"] == {}
    assert memory.check(place) == {"memories": 0, "findings": []}
    assert not os.path.exists(place.folder)


def test_a_folder_that_is_nobodys_project_is_refused(tmp_path):
    for path in ("/", str(tmp_path / "home"), str(tmp_path / "gone")):
        with pytest.raises(NotFoundError):
            memory.open_project(path)


def test_what_is_saved_is_found_read_and_listed(place):
    saved = memory.save(place, "Run `make check` first.\n", title="Build", tags=("ci", "make"), source="test")
    assert saved == {"id": saved["id"], "superseded": [], "redacted": []}
    for rows in (memory.search(place, "make check"), memory.list_memories(place)):
        assert ids(rows) == [saved["id"]]
        assert set(rows[0]) == ROW
        assert rows[0]["snippet"] == "Run `make check` first."
        assert (rows[0]["type"], rows[0]["title"], rows[0]["project"]) == ("fact", "Build", place.name)
    found = memory.read(place, saved["id"])
    assert (found["body"], found["tags"], found["basis"]) == (
        "Run `make check` first.",
        ["ci", "make"],
        "user",
    )
    assert not found["archived"] and not found["global"] and found["damage"] == ""
    assert found["path"].endswith(f"/facts/{saved['id']}.md")
    assert layout.epoch(found["created"]) > 0


def test_the_first_line_is_the_title_when_none_is_given(place):
    memory.save(place, "\n\n## How to build  it\n\nmake")
    assert memory.list_memories(place)[0]["title"] == "How to build it"


@pytest.mark.parametrize("body", ["", " \n\t\n", "\r\n", "\u3000"])
def test_an_empty_body_is_refused(place, body):
    with pytest.raises(ForewordError, match="empty"):
        memory.save(place, body)
    assert not os.path.exists(place.folder)


@pytest.mark.parametrize(
    "arguments", [{"type": "note"}, {"type": "x"}, {"type": "session", "everywhere": True}]
)
def test_what_cannot_be_saved_by_hand_is_refused(place, arguments):
    with pytest.raises(ForewordError):
        memory.save(place, "body", **arguments)
    assert memory.list_memories(place) == []


@pytest.mark.parametrize(
    "body",
    [
        "\ud800 half",
        "a\0b",
        "---\na: b\n---\nx",
        "```\ncode\n```",
        "\x1b[31mred",
        "😀",
        "\ufeffbom",
        "x" * 64_000,
    ],
)
def test_any_body_can_be_saved_and_read(place, body):
    saved = memory.save(place, body)
    found = memory.read(place, saved["id"])
    assert found["damage"] == ""
    expected = body.encode("utf-8", "replace").decode()
    assert found["body"] == expected or (len(body) > 64_000 and len(found["body"]) == 64_000)
    assert ids(memory.list_memories(place)) == [saved["id"]]


def test_any_title_and_tags_can_be_saved(place):
    saved = memory.save(place, "body", title='a: "b"\n\u2028\ud800 # ' + "x" * 500, tags=("a, b", "\x00", ""))
    found = memory.read(place, saved["id"])
    assert found["damage"] == ""
    assert found["tags"] == ["a, b", "\x00", ""]
    assert len(found["title"]) <= 200 and "\n" not in found["title"]


def test_a_fact_supersedes_live_facts_of_its_title(place):
    first = memory.save(place, "use tabs", title="Indent Style")["id"]
    session = memory.save(place, "talked", title="indent style", type="session")["id"]
    archived = memory.save(place, "use three", title="indent style")["id"]
    memory.archive(place, [archived])
    saved = memory.save(place, "use spaces", title="INDENT  style")
    assert saved["superseded"] == [first]
    assert memory.read(place, saved["id"])["supersedes"] == [first]
    assert memory.read(place, first)["body"] == "use tabs"
    assert memory.read(place, session)["body"] == "talked"


def test_private_parts_of_a_title_and_of_tags_are_not_kept(place):
    saved = memory.save(
        place, "body", title="Port <private>mole</private>", tags=["a", "<private>vole</private>"]
    )
    found = memory.read(place, saved["id"])
    assert (found["title"], found["tags"]) == ("Port", ["a"])


def test_ids_to_supersede_are_kept_and_unknown_ones_refused(place):
    first = memory.save(place, "one", title="A")["id"]
    saved = memory.save(place, "two", title="B", supersedes=(first,))
    assert saved["superseded"] == [first]
    with pytest.raises(NotFoundError, match=UNKNOWN):
        memory.save(place, "three", title="C", supersedes=(UNKNOWN,))
    assert len(memory.list_memories(place)) == 2


def test_a_global_fact_is_found_from_every_project(place, tmp_path):
    saved = memory.save(place, "I prefer short commits", title="Commits", everywhere=True)["id"]
    other = other_project(tmp_path)
    for rows in (memory.search(other, "commits"), memory.list_memories(other)):
        assert [(row["id"], row["project"]) for row in rows] == [(saved, "global")]
    assert memory.read(other, saved)["global"]
    memory.archive(other, [saved])
    assert memory.list_memories(place) == []
    memory.restore(place, [saved])
    assert ids(memory.list_memories(other)) == [saved]


def test_projects_do_not_see_each_other_unless_asked(place, tmp_path):
    saved = memory.save(place, "zebra")["id"]
    other = other_project(tmp_path)
    assert memory.search(other, "zebra") == []
    with pytest.raises(NotFoundError):
        memory.read(other, saved)
    assert ids(memory.search(other, "zebra", all_projects=True)) == [saved]


@pytest.mark.parametrize("content", ["a folder", "a pipe", b"[" * 9_000, b"\xff", None])
def test_a_project_whose_record_cannot_be_read_is_searched_and_listed_all_the_same(place, tmp_path, content):
    if os.name == "nt" and content == "a pipe":
        pytest.skip("no pipes there")
    saved, other = memory.save(place, "zebra")["id"], other_project(tmp_path)
    at = os.path.join(place.folder, "project.json")
    os.unlink(at)
    if content in ("a folder", "a pipe"):
        (os.mkdir if content == "a folder" else os.mkfifo)(at)
    elif content is not None:
        with open(at, "wb") as f:
            f.write(content)
    assert dict(project.all_records(place.home))[place.name] == {}
    assert ids(memory.search(other, "zebra", all_projects=True)) == [saved]
    assert {one["name"]: one["damaged"] for one in memory.projects(place.home)}[place.name]


@pytest.mark.parametrize("name", ["prompts.log", "recalls.log", "prompts.log.3"])
def test_what_stands_in_the_place_of_a_log_does_not_stop_the_status_or_the_reason_why(place, name):
    os.makedirs(os.path.join(place.folder, name))
    for log in ("prompts.log.1", "recalls.log.1"):
        with open(os.path.join(place.folder, log), "w") as f:
            f.write('{"state": "on", "ids": [], "entities": ["30000101-000000-0001"], "source": "startup"}\n')
    found = memory.status(place)
    assert (found["prompts"], found["forewords"], found["last"]) == (1, 1, None)
    assert found["recalled"]["source"] == "startup"
    assert memory.why(place)["state"] == "on"


def test_lists_are_newest_first_by_type_and_limit(place):
    made = [
        memory.save(place, f"body {n}", title=f"t{n}", type=kind)["id"]
        for n, kind in enumerate(["fact", "session"] * 2)
    ]
    assert ids(memory.list_memories(place)) == made[::-1]
    assert ids(memory.list_memories(place, type="session")) == [made[3], made[1]]
    assert ids(memory.list_memories(place, limit=2)) == [made[3], made[2]]
    assert memory.list_memories(place, archived=True) == []


def test_archived_memories_leave_the_list_and_can_be_read_and_come_back(place):
    a, b = (memory.save(place, f"zebra {n}", title=n)["id"] for n in "ab")
    before = files_of(place.folder)
    assert memory.archive(place, [a]) == [a]
    assert ids(memory.list_memories(place)) == [b]
    assert ids(memory.search(place, "zebra")) == [b]
    assert (
        ids(memory.search(place, "zebra", archived=True))
        == ids(memory.list_memories(place, archived=True))
        == [a]
    )
    assert memory.read(place, a)["archived"]
    assert memory.archive(place, [a]) == [a]
    assert memory.restore(place, [a, b]) == [a]
    assert [p for p in files_of(place.folder) if p.endswith(".md")] == [
        p for p in before if p.endswith(".md")
    ]


@pytest.mark.parametrize("act", [memory.archive, memory.delete], ids=["archive", "delete"])
def test_what_stands_again_is_told(place, act):
    first, second, third = (memory.save(place, f"port {n}", title="Port")["id"] for n in range(3))
    other = memory.save(place, "another", title="Other", supersedes=[first])["id"]
    assert act(place, [second]).again == []
    assert act(place, [third]).again == []  # the first is superseded by another one still
    assert act(place, [other]).again == [first]
    assert "port 0" in memory.recall(place)["text"]


def test_a_file_made_by_hand_can_be_found_archived_restored_and_deleted(place):
    memory.save(place, "first")
    path = os.path.join(place.folder, "facts", "build tips.md")
    with open(path, "w", encoding="utf-8") as f:
        f.write("# Tips\n\nquokka")
    [row] = memory.search(place, "quokka")
    assert memory.read(place, row["id"])["body"] == "# Tips\n\nquokka"
    memory.archive(place, [row["id"]])
    [archived] = memory.list_memories(place, archived=True)
    assert archived["id"] == row["id"]
    memory.restore(place, [row["id"]])
    assert ids(memory.search(place, "quokka")) == [row["id"]]
    memory.delete(place, [row["id"]])
    assert memory.search(place, "quokka") == []
    assert os.listdir(os.path.join(place.folder, "archive", "fact")) == []


@pytest.mark.parametrize("act", [memory.archive, memory.restore, memory.delete])
def test_one_unknown_id_is_named_and_nothing_is_done(place, act):
    saved = memory.save(place, "zebra")["id"]
    before = {path: os.stat(path).st_mtime_ns for path in files_of(place.folder) if path.endswith(".md")}
    with pytest.raises(NotFoundError) as error:
        act(place, [saved, UNKNOWN, "../x"])
    assert (
        UNKNOWN in error.value.message
        and "'../x'" in error.value.message
        and saved not in error.value.message
    )
    assert {path: os.stat(path).st_mtime_ns for path in before} == before


def test_nothing_is_moved_when_one_move_would_write_over_a_file(place):
    a, b = (memory.save(place, f"body {n}", title=n)["id"] for n in "ab")
    target = os.path.join(place.folder, "archive/fact", b + ".md")
    os.makedirs(os.path.dirname(target))
    with open(target, "w") as f:
        f.write("a copy")
    with pytest.raises(ForewordError, match="already there"):
        memory.archive(place, [a, b])
    assert sorted(ids(memory.list_memories(place)))[-1] in (a, b)
    assert os.path.exists(os.path.join(place.folder, "facts", a + ".md"))
    with open(target) as f:
        assert f.read() == "a copy"


def test_an_id_named_twice_is_acted_on_once(place):
    saved = memory.save(place, "zebra")["id"]
    assert memory.archive(place, [saved, saved]) == [saved]
    assert memory.delete(place, [saved, saved]) == [saved]


@pytest.mark.parametrize(
    "memory_id",
    [
        "../../etc/passwd",
        "/etc/passwd",
        "",
        "*",
        "20261103-101500-a1b2/../../x",
        "a\0b",
        "x" * 10_000_000,
        None,
        5,
    ],
)
def test_what_is_no_id_opens_nothing(place, memory_id):
    memory.save(place, "zebra")
    with pytest.raises(NotFoundError) as error:
        memory.read(place, memory_id)
    assert len(error.value.message) < 200


def test_of_two_files_with_one_id_the_live_one_is_read(place):
    saved = memory.save(place, "live")["id"]
    copy = os.path.join(place.folder, "archive/note", saved + ".md")
    os.makedirs(os.path.dirname(copy))
    with open(copy, "w") as f:
        f.write("copied")
    assert memory.read(place, saved)["body"] == "live"
    memory.reindex(place)
    assert memory.read(place, saved)["body"] == "live"
    [row] = memory.list_memories(place, archived=True)
    assert memory.read(place, row["id"])["body"] == "copied"


def test_states_of_cited_files_are_told(place):
    path = os.path.join(place.root, "app.py")
    with open(path, "w") as f:
        f.write("1")
    saved = memory.save(place, "The bug is in app.py, line 1.")["id"]
    states = lambda: [(f["path"], f["state"]) for f in memory.read(place, saved)["files"]]  # noqa: E731
    assert states() == [("app.py", "unchanged")]
    with open(path, "w") as f:
        f.write("2")
    assert states() == [("app.py", "CHANGED")]
    os.unlink(path)
    assert states() == [("app.py", "DELETED")]


def test_a_memory_that_cannot_be_read_is_an_error_a_person_can_act_on(place, monkeypatch):
    saved = memory.save(place, "zebra")["id"]

    def deny(*_):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(read, "open", deny, raising=False)
    with pytest.raises(ForewordError, match="Permission denied"):
        memory.read(place, saved)


def test_opening_a_memory_is_noted_in_the_projects_log(place):
    saved = memory.save(place, "zebra")["id"]
    memory.note_opened(place, saved, "s1")
    with open(os.path.join(place.folder, "opened.log"), encoding="utf-8") as f:
        record = json.loads(f.read())
    assert (record["id"], record["session"]) == (saved, "s1")


def test_status_counts_and_names_what_was_offered_last(place):
    saved = memory.save(place, "zebra", title="Zebra")["id"]
    memory.save(place, "talk", type="session")
    with open(os.path.join(place.folder, "prompts.log"), "w", encoding="utf-8") as f:
        f.write('{"time": "t1", "ids": []}\nnot json\n[]\n')
        f.write(json.dumps({"time": "t2", "ids": [saved, UNKNOWN]}) + '\n{"time": "t3", "ids": 5}\n')
    status = memory.status(place)
    assert status["counts"] == {"fact": 1, "session": 1}
    assert (status["prompts"], status["forewords"]) == (3, 1)
    titles = [(m["id"], m["title"]) for m in status["last"]["memories"]]
    assert titles == [(saved, "Zebra"), (UNKNOWN, "(gone)")]


def test_check_names_a_damaged_file(place):
    memory.save(place, "zebra")
    path = os.path.join(place.folder, "facts", "x.md")
    with open(path, "w") as f:
        f.write("---\na: [\n---\nx")
    os.chmod(path, 0o600)
    found = memory.check(place)
    assert found["memories"] == 2
    assert [f["where"] for f in found["findings"]] == [path]


def test_the_switch_is_auto_until_the_project_or_the_home_says_otherwise(place):
    assert memory.get_switch(place, now=0)["effective"] == "on"
    assert memory.get_switch(place, now=86_400)["effective"] == "off"
    memory.set_default_switch(place.home, "off")
    assert memory.get_switch(place)["configured"] == "off"
    memory.set_switch(place, "on")
    found = memory.get_switch(place)
    assert (found["configured"], found["effective"], found["own"]) == ("on", "on", True)
    with pytest.raises(ForewordError):
        memory.set_switch(place, "maybe")
    with pytest.raises(ForewordError):
        memory.set_default_switch(place.home, "maybe")


@pytest.mark.parametrize("value", ["maybe", 5, {}, [], True])
def test_a_switch_spoiled_by_hand_counts_as_none(place, value):
    memory.save(place, "zebra")
    project.write_record(place.folder, {**project.read_record(place.folder), "switch": value})
    assert memory.get_switch(place)["configured"] == "auto"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (None, 'switch = "on"\n'),
        ("", 'switch = "on"\n'),
        ('switch = "off"\n', 'switch = "on"\n'),
        (
            "# mine\nswitch='off' # why\n[index]\nlines = 3\n",
            '# mine\nswitch="on" # why\n[index]\nlines = 3\n',
        ),
        ("[index]\r\nlines = 3\r\n", 'switch = "on"\r\n[index]\r\nlines = 3\r\n'),
        ('[other]\nswitch = "x"\n', 'switch = "on"\n[other]\nswitch = "x"\n'),
        ("exclude = [\n[1],\n]\n", 'switch = "on"\nexclude = [\n[1],\n]\n'),
        ("a = 'x\u2028y'", "switch = \"on\"\na = 'x\u2028y'"),
    ],
)
def test_the_default_switch_changes_one_line_of_the_settings(place, before, after):
    import tomllib

    os.makedirs(place.home)
    path = os.path.join(place.home, "config.toml")
    if before is not None:
        with open(path, "w", encoding="utf-8", newline="") as f:
            f.write(before)
    memory.set_default_switch(place.home, "on")
    with open(path, encoding="utf-8", newline="") as f:
        text = f.read()
    assert text == after
    assert tomllib.loads(text)["switch"] == "on"


def test_settings_that_are_not_utf8_are_left_alone(place):
    os.makedirs(place.home)
    path = os.path.join(place.home, "config.toml")
    with open(path, "wb") as f:
        f.write(b"# caf\xe9\n")
    with pytest.raises(ForewordError, match="UTF-8"):
        memory.set_default_switch(place.home, "on")
    with open(path, "rb") as f:
        assert f.read() == b"# caf\xe9\n"


def test_who_has_just_saved_hears_of_no_busy_index(place, monkeypatch):
    assert memory.due(place) == ""
    for n in range(4):
        memory.save(place, f"port {n}", title="Port")
    assert memory.due(place) == "3 memories are superseded"

    def busy(place):
        raise BusyError("the index is busy", "try again")

    monkeypatch.setattr(sys.modules["foreword.memory.recall"], "debt", busy)
    assert memory.due(place) == ""

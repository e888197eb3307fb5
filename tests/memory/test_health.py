"""What keeps the store from its work is found, each fault made for real, with what mends it."""

import os
import shutil
import time

import pytest

from foreword import files, memory, paths
from foreword.edit import settings_file
from foreword.index import schema
from foreword.memory import health
from foreword.memory.health import FAILURE, NOTE, OK

posix = pytest.mark.skipif(os.name == "nt", reason="modes of POSIX")
not_root = pytest.mark.skipif(hasattr(os, "geteuid") and os.geteuid() == 0, reason="root may do everything")
HOUR = 3_600


@pytest.fixture
def home(tmp_path):
    return str(tmp_path / "home" / ".foreword")


@pytest.fixture
def place(tmp_path, monkeypatch):
    """A project with two facts, one of them global; the current folder."""
    (tmp_path / "app").mkdir()
    monkeypatch.chdir(tmp_path / "app")
    place = memory.open_project(create=True)
    memory.save(place, "One.", title="One")
    memory.save(place, "Two.", title="Two", everywhere=True)
    return place


def of(level, home, path=None):
    """{what: hint} of the findings of a level."""
    return {what: hint for found, what, hint in health.findings(home, path) if found == level}


def failures(home, path=None):
    return of(FAILURE, home, path)


def fact(folder):
    """The path of the one fact below a folder."""
    [name] = os.listdir(os.path.join(folder, "facts"))
    return os.path.join(folder, "facts", name)


# -- the graph -----------------------------------------------------------------------------------

GRAPH = (
    '{"type":"entity","name":"shop","entityType":"service","observations":["moved"]}\n'
    '{"type":"entity","name":"ada","entityType":"person","observations":[]}\n'
    '{"type":"relation","from":"ada","to":"shop","relationType":"owns"}\n'
)


@pytest.fixture
def graph(place, home):
    """The store's graph, switched on; its path."""
    path = os.path.join(home, "graph", "memory.jsonl")
    files.make_folder(os.path.dirname(path))
    files.write(path, GRAPH.encode())
    settings_file.set_values(home, {"graph.on": True})
    return path


def test_the_graph_was_not_looked_at(graph, home):
    assert failures(home) == {}
    assert f"the graph {graph}: 2 entities, 1 relation" in of(OK, home)


def test_a_graph_that_is_off_is_not_looked_at(graph, home):
    settings_file.set_values(home, {"graph.on": False})
    files.write(graph, b"no record")
    assert failures(home) == {}
    assert not any("the graph" in what for what in of(OK, home))


def test_a_graph_without_a_file_yet_is_no_failure(graph, home):
    os.remove(graph)
    assert failures(home) == {}
    assert f"the graph is on; {graph} is not there yet, the first write makes it" in of(OK, home)


def test_a_graph_that_cannot_be_read_is_a_failure(graph, home):
    os.remove(graph)
    os.mkdir(graph, 0o700)
    [(what, hint)] = failures(home).items()
    assert what.startswith(f"the graph: {graph} ")
    assert hint


def test_lines_of_the_graph_that_are_no_records_are_a_failure(graph, home):
    files.write(graph, GRAPH.encode() + b"torn\n")
    assert failures(home) == {f"the graph {graph}: 1 line is no record": "foreword graph lint"}


@posix
def test_a_graph_that_takes_no_writes_is_a_failure(graph, home):
    os.chmod(graph, 0o400)
    assert failures(home) == {f"the graph {graph} is read-only": f"chmod u+w {graph}"}


def test_a_variable_of_no_use_is_a_failure(graph, home, monkeypatch):
    monkeypatch.setenv("MEMORY_OBS_MAX", "many")
    [(what, hint)] = failures(home).items()
    assert what.startswith("MEMORY_OBS_MAX=many is no whole number")
    assert hint == "unset MEMORY_OBS_MAX, or give it another value"


def test_a_variable_here_that_names_another_graph_was_not_told(graph, home, tmp_path, monkeypatch):
    other = str(tmp_path / "other.jsonl")
    monkeypatch.setenv("MEMORY_FILE_PATH", other)
    [(what, hint)] = of(NOTE, home).items()
    assert what == (
        f"MEMORY_FILE_PATH says that the graph is {other}; a client that is started without it uses {graph}"
    )
    assert hint == f"foreword graph on --file {other}, then unset it"
    settings_file.set_values(home, {"graph.file": other})
    assert of(NOTE, home) == {}


# -- well ----------------------------------------------------------------------------------------


def test_a_sound_store_has_no_failure_and_says_how_much_it_holds(place, home):
    assert failures(home) == {}
    assert f"{place.name}: 2 memories" in of(OK, home)
    assert of(NOTE, home) == {}


def test_looking_changes_nothing_not_even_an_index_that_is_behind(place, home, tmp_path):
    os.remove(schema.path(place.folder))
    before = {path: path.is_file() and path.read_bytes() for path in tmp_path.rglob("*")}
    list(health.findings(home))
    assert {path: path.is_file() and path.read_bytes() for path in tmp_path.rglob("*")} == before


def test_a_home_that_is_not_there_yet_is_no_failure(home, tmp_path, monkeypatch):
    (tmp_path / "app").mkdir()
    monkeypatch.chdir(tmp_path / "app")
    assert failures(home) == {}
    assert list(of(NOTE, home)) == [f"{home} is not there yet; the first memory makes it"]
    assert not os.path.exists(home)


def test_a_folder_that_is_no_project_is_a_failure_only_where_it_was_named(place, home, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path / "home")
    assert failures(home) == {}
    assert "no project here, so no memories were read" in of(OK, home)
    [(what, hint)] = failures(home, str(tmp_path / "home")).items()
    assert "no project" in what
    assert "--project" in hint


def test_a_store_in_another_place_than_the_usual_is_a_note(home, tmp_path):
    other = str(tmp_path / "other")
    assert [
        what for what in of(NOTE, other) if what.startswith(f"FOREWORD_HOME says that the store is {other}")
    ]
    assert not [what for what in of(NOTE, home) if "FOREWORD_HOME" in what]


# -- the home ------------------------------------------------------------------------------------


def test_a_home_that_is_a_file_is_found(place, home):
    shutil.rmtree(home)
    with open(home, "w") as f:
        f.write("")
    assert failures(home) == {f"{home} is no folder": "set FOREWORD_HOME to a folder of yours"}


@posix
def test_what_others_can_read_is_found_with_the_command_that_closes_it(place, home):
    os.chmod(home, 0o755)
    assert failures(home) == {f"{home} can be read by others": f"chmod 700 {home}"}
    os.chmod(home, 0o700)
    project = os.path.join(place.folder, "project.json")
    os.chmod(project, 0o644)
    os.chmod(place.folder, 0o750)
    [(what, hint)] = failures(home).items()
    assert what == f"{place.folder}, {project} can be read by others"
    os.system(hint)  # the hint is a command that does it
    assert failures(home) == {}
    os.chmod(fact(place.folder), 0o604)
    [(what, hint)] = failures(home).items()
    assert what == f"{fact(place.folder)}: can be read by others"
    os.system(hint)
    assert failures(home) == {}


@posix
def test_many_files_that_others_can_read_are_one_finding(place, home):
    for n in range(7):
        path = os.path.join(place.folder, f"prompts.log.{n}")
        with open(path, "w"):
            os.chmod(path, 0o644)
    [what] = failures(home)
    assert what.endswith("prompts.log.2 and 4 more can be read by others")


@posix
@not_root
def test_a_home_that_cannot_be_written_is_found(place, home):
    os.chmod(home, 0o500)
    try:
        assert failures(home) == {f"{home} cannot be written": f"chmod 700 {home}"}
    finally:
        os.chmod(home, 0o700)


@posix
def test_a_full_disk_is_found(place, home, monkeypatch):
    monkeypatch.setattr(health, "ROOM", float("inf"))
    [(what, hint)] = failures(home).items()
    assert what.startswith(f"the disk of {home} is full: ")
    assert hint == f"df {home}"


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b'switch = "sometimes"', "switch is one of on, off, auto"),
        (b"index.lines = true", "index.lines is a whole number"),
        (b"nonsense = 1", "nonsense is no setting"),
        (b"switch = ", "config.toml: "),
        (b"\xff", "config.toml: "),
    ],
)
def test_settings_that_cannot_be_used_are_named(place, home, content, told):
    path = os.path.join(home, "config.toml")
    with open(path, "wb") as f:
        f.write(content)
    [(what, hint)] = failures(home).items()
    assert what.startswith(path)
    assert told in what
    assert hint == "edit that file"


# -- memories and the index ----------------------------------------------------------------------


def test_a_damaged_memory_and_a_corrupt_index_are_named(place, home):
    with open(fact(place.folder), "ab") as f:
        f.write(b"\xff")
    index = schema.path(place.folder)
    with open(index, "r+b") as f:
        f.write(b"\x5a" * 4096)
    found = failures(home)
    assert [hint for what, hint in found.items() if what.startswith(index)] == ["foreword reindex"]
    assert [what for what in found if what.startswith(fact(place.folder))]


def test_a_deleted_memory_whose_file_came_back_is_named(place, home):
    path = fact(place.folder)
    with open(path, "rb") as f:
        raw = f.read()
    memory.delete(place, [os.path.basename(path)[:-3]])
    with open(path, "wb") as f:
        f.write(raw)
    os.chmod(path, 0o600)
    [(what, hint)] = failures(home).items()
    assert what.startswith(path + ": was deleted and came back")
    assert hint


def write(path, seconds_ago):
    with open(path, "w") as f:
        f.write("By hand.\n")
    os.chmod(path, 0o600)
    when = time.time() - seconds_ago
    os.utime(path, (when, when))


def test_files_that_the_index_has_not_seen_yet_are_a_note(place, home):
    write(os.path.join(place.folder, "facts", "by-hand.md"), 0)
    assert failures(home) == {}
    [what] = of(NOTE, home)
    assert what == (
        f"{schema.path(place.folder)}: 1 of 2 memories are not in it as they are now;"
        " the next prompt or search brings it up to date"
    )


def test_files_that_prompts_left_out_of_the_index_are_a_failure(place, home):
    write(os.path.join(place.folder, "facts", "by-hand.md"), HOUR)
    write(os.path.join(place.folder, "prompts.log"), HOUR - 60)
    assert failures(home) == {}
    write(os.path.join(place.folder, "prompts.log"), 0)
    [(what, hint)] = failures(home).items()
    assert what.endswith("1 of 2 memories are not in it as they are now, though there were prompts since")
    assert hint == "foreword reindex"


def test_rows_without_a_file_are_a_note(place, home):
    os.remove(fact(place.folder))
    assert failures(home) == {}
    [what] = of(NOTE, home)
    assert "1 of 0 memories" in what


def test_an_index_that_is_gone_is_a_note(place, home):
    os.remove(schema.path(place.folder))
    [what] = of(NOTE, home)
    assert "there is no index" in what


def test_an_index_of_a_newer_version_is_a_failure(place, home):
    db = schema.open_writing(place.folder)
    db.execute("PRAGMA user_version=%d" % (schema.VERSION + 1))
    db.close()
    assert any(what.startswith(schema.path(place.folder)) for what in failures(home))


# -- what doctor asks besides --------------------------------------------------------------------


def test_a_store_is_empty_until_it_holds_a_memory_live_or_archived(home, place):
    assert not health.is_empty(home)
    for folder in (place.folder, paths.everywhere(home)):
        name = os.path.basename(fact(folder))
        os.makedirs(os.path.join(folder, "archive", "fact"), exist_ok=True)
        os.rename(fact(folder), os.path.join(folder, "archive", "fact", name))
    assert not health.is_empty(home)
    shutil.rmtree(os.path.join(place.folder, "archive"))
    assert not health.is_empty(home)
    shutil.rmtree(os.path.join(paths.everywhere(home), "archive"))
    assert health.is_empty(home)
    shutil.rmtree(home)
    assert health.is_empty(home)


def test_the_log_gives_its_last_lines(home):
    assert health.log(home, 3) == []
    os.makedirs(os.path.dirname(paths.hook_log(home)))
    with open(paths.hook_log(home), "wb") as f:
        f.write(b"".join(b"line %d \xff\n" % n for n in range(5_000)))
    assert health.log(home, 3) == [f"line {n} \ufffd" for n in (4_997, 4_998, 4_999)]

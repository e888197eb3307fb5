"""One memory.jsonl that several programs use at once: what is read, what is replaced, what is kept."""

import json
import os
import subprocess
import sys
import threading

import pytest

from foreword import files
from foreword.errors import BusyError, ForewordError
from foreword.graph import change, place
from foreword.graph import file as graph_file

LINE = '{"type":"entity","name":"%s","entityType":"t","observations":[]}'


@pytest.fixture
def folder(tmp_path):
    """An empty folder for the graph."""
    (tmp_path / "graph").mkdir()
    return tmp_path / "graph"


@pytest.fixture
def file(folder):
    return opened(folder / "memory.jsonl")


def opened(path):
    return place.open_graph(str(path), environ={})


def put(file, *names, end="\n"):
    """Write the file in place, as other programs do."""
    with open(file.path, "w", encoding="utf-8") as f:
        f.write("\n".join(LINE % name for name in names) + end)


def create(file, *names):
    return change.create_entities(
        file, [{"name": name, "entityType": "t", "observations": []} for name in names]
    )


def names(file):
    return [entity.name for entity in file.read().entities]


def data(path):
    with open(path, "rb") as f:
        return f.read()


# -- reading -----------------------------------------------------------------------------------


def test_a_missing_file_is_an_empty_graph_and_is_not_made_by_reading(file):
    assert names(file) == []
    assert not file.exists()
    assert os.listdir(os.path.dirname(file.path)) == []


def test_the_graph_is_the_same_object_until_the_file_changes(file):
    put(file, "a")
    os.utime(file.path, (1, 1))
    first = file.read()
    assert file.read() is first
    put(file, "a", "b")
    os.utime(file.path, (1, 1))  # another size
    assert names(file) == ["a", "b"]
    put(file, "a", "c")
    os.utime(file.path, (2, 2))  # another time
    assert names(file) == ["a", "c"]


def test_a_file_put_in_its_place_is_noticed_with_the_same_size_and_time(file, folder):
    put(file, "a")
    os.utime(file.path, (1, 1))
    assert names(file) == ["a"]
    other = opened(folder / "other")
    put(other, "b")
    os.utime(other.path, (1, 1))
    os.replace(other.path, file.path)
    assert names(file) == ["b"]


def test_a_change_in_place_within_one_tick_of_the_clock_is_noticed(file):
    put(file, "a")
    at = os.stat(file.path).st_mtime_ns
    assert names(file) == ["a"]
    put(file, "b")
    os.utime(file.path, ns=(at, at))
    assert names(file) == ["b"]


def test_a_file_that_is_gone_is_an_empty_graph_again(file):
    put(file, "a")
    assert names(file) == ["a"]
    os.unlink(file.path)
    assert names(file) == []


@pytest.mark.parametrize("make", [os.mkdir, os.mkfifo, lambda path: os.symlink(os.devnull, path)])
def test_a_folder_a_pipe_or_a_device_in_the_file_s_place_is_told_and_left(file, make):
    make(file.path)
    before = os.stat(file.path)
    for use in (file.read, lambda: create(file, "a")):
        with pytest.raises(ForewordError, match="is no regular file"):
            use()
    assert os.stat(file.path).st_ino == before.st_ino


# -- writing -----------------------------------------------------------------------------------


def test_a_change_by_another_process_is_not_lost(file):
    create(file, "a")
    assert names(file) == ["a"]
    create(opened(file.path), "b")
    create(file, "c")
    assert names(opened(file.path)) == ["a", "b", "c"]


def test_what_another_program_writes_between_reading_and_replacing_is_not_lost(file):
    put(file, "a")
    times = []

    def add(graph):
        if not times:
            put(file, "a", "theirs", end="")
        times.append(names_of(graph))
        graph.add_entity("ours", "t", [])
        return change.Done()

    file.change(add)
    assert times == [["a"], ["a", "theirs"]]
    assert names(opened(file.path)) == ["a", "theirs", "ours"]


def test_a_program_that_writes_the_same_bytes_meanwhile_does_not_double_our_change(file):
    put(file, "a")
    times = []

    def add(graph):
        if not times:
            put(file, "a")
            os.utime(file.path, (1, 1))
        times.append(names_of(graph))
        graph.add_entity("ours", "t", [])
        return change.Done()

    file.change(add)
    assert times == [["a"], ["a"]]
    assert names(file) == ["a", "ours"]


def names_of(graph):
    return [entity.name for entity in graph.entities]


def test_what_another_program_writes_at_the_last_moment_is_not_lost(file, monkeypatch):
    days = [f"2026-01-{n:02}" for n in range(1, 18)]
    put(file, "a")
    times = []

    def copy_meanwhile(*_):
        if not times:
            put(file, "a", "theirs")
        times.append(1)
        return ""

    monkeypatch.setattr(graph_file.backups, "daily", copy_meanwhile)
    change.create_entities(file, [{"name": "ours", "entityType": "t", "observations": days}])
    assert names(opened(file.path)) == ["a", "theirs", "ours"]
    assert file.archive.entries() == {"ours": days[:2]}
    assert len(times) == 2


def test_a_program_that_never_stops_writing_is_told_and_not_overwritten(file):
    count = iter(range(1_000))

    def add(graph):
        put(file, f"theirs{next(count)}")
        graph.add_entity("ours", "t", [])
        return change.Done()

    with pytest.raises(BusyError, match="another program"):
        file.change(add)
    assert "ours" not in names(file)


def test_what_was_just_written_is_not_read_and_parsed_again(file):
    create(file, "a")
    graph = file.read()
    create(file, "b")
    assert file.read() is graph
    assert names(file) == ["a", "b"]


def test_a_change_in_place_within_one_tick_after_ours_is_noticed(file):
    create(file, "a")
    at = os.stat(file.path).st_mtime_ns
    put(file, "b")
    os.utime(file.path, ns=(at, at))
    assert names(file) == ["b"]


def test_a_change_that_is_refused_leaves_no_trace_in_memory(file):
    put(file, "a")
    os.utime(file.path, (1, 1))

    def half(graph):
        graph.add_entity("half", "t", [])
        raise ForewordError("refused")

    with pytest.raises(ForewordError, match="refused"):
        file.change(half)
    assert names(file) == ["a"]
    create(file, "b")
    assert names(opened(file.path)) == ["a", "b"]


def test_a_half_that_somebody_writes_in_place_is_waited_for(file):
    whole = (LINE % "a" + "\n" + LINE % "b").encode()
    with open(file.path, "wb") as f:
        f.write(whole[:-20])
        f.flush()
        finish = threading.Timer(0.03, lambda: (f.write(whole[-20:]), f.flush()))
        finish.start()
        create(file, "c")
        finish.join()
    assert names(opened(file.path)) == ["a", "b", "c"]
    assert not os.path.exists(file.set_aside)


def test_a_file_that_was_just_emptied_in_place_is_waited_for(file):
    with open(file.path, "wb") as f:
        finish = threading.Timer(0.03, lambda: (f.write((LINE % "a").encode()), f.flush()))
        finish.start()
        assert names(file) == ["a"]
        finish.join()


def test_a_torn_file_of_the_future_is_not_waited_for(file, monkeypatch):
    with open(file.path, "w", encoding="utf-8") as f:
        f.write('{"type":')
    os.utime(file.path, (4e9, 4e9))
    monkeypatch.setattr(graph_file.time, "sleep", lambda s: pytest.fail("waited"))
    assert names(file) == []


def test_a_file_that_stays_empty_or_torn_is_waited_for_once(file, monkeypatch):
    pauses = []
    monkeypatch.setattr(graph_file.time, "sleep", pauses.append)
    for text in ("", '{"type":'):
        with open(file.path, "w", encoding="utf-8") as f:
            f.write(text)
        assert names(file) == []
        assert pauses
        pauses.clear()
        assert names(file) == []
        assert pauses == []


def test_lines_that_are_no_records_are_set_aside_at_the_next_write_and_told(file):
    with open(file.path, "wb") as f:
        f.write(b'nonsense\n{"type":"event"}\n' + (LINE % "a").encode() + b'\n{"name":"x"}\n{"type":"enti')
    assert names(file) == ["a"]
    assert data(file.path).startswith(b"nonsense")  # reading changes nothing
    done = create(file, "b")
    assert done.set_aside == 3
    assert data(file.set_aside) == b'nonsense\n{"name":"x"}\n{"type":"enti\n'
    assert data(file.path).startswith(b'{"type":"event"}\n{"type":"entity","name":"a"')
    assert create(file, "c").set_aside == 0


def test_what_is_set_aside_later_stands_behind_what_was_before(file):
    for line in ("first", "second", "first"):
        put(file, "a")
        with open(file.path, "a", encoding="utf-8") as f:
            f.write(line + "\n")
        create(file, line)
    assert data(file.set_aside) == b"first\nsecond\n"


def test_a_call_that_changes_nothing_writes_nothing(file):
    put(file, "a")
    with open(file.path, "a", encoding="utf-8") as f:
        f.write("nonsense")
    before = os.stat(file.path)
    assert create(file, "a").existing == ["a"]
    change.delete_entities(file, ["nobody"])
    after = os.stat(file.path)
    assert (after.st_ino, after.st_mtime_ns) == (before.st_ino, before.st_mtime_ns)
    assert not os.path.exists(file.set_aside)


def test_a_bom_crlf_and_a_missing_newline_stay_as_they_are(file):
    with open(file.path, "wb") as f:
        f.write(b"\xef\xbb\xbf" + (LINE % "a").encode() + b"\r\n" + (LINE % "b").encode())
    create(file, "c")
    written = b"\r\n".join((LINE % name).encode() for name in "abc")
    assert data(file.path) == b"\xef\xbb\xbf" + written


@pytest.mark.parametrize("mode", [0o644, 0o640, 0o600])
def test_the_mode_stays(file, mode):
    put(file, "a")
    os.chmod(file.path, mode)
    create(file, "b")
    assert os.stat(file.path).st_mode & 0o7777 == mode


def test_a_read_only_file_stays_as_it_is_for_root_too(file):
    put(file, "a")
    os.chmod(file.path, 0o444)
    with pytest.raises(ForewordError, match="read-only, nothing was changed") as told:
        create(file, "b")
    assert told.value.hint == "chmod u+w " + file.path
    assert names(file) == ["a"]
    assert os.listdir(os.path.dirname(file.path)) == ["memory.jsonl"]


def test_a_link_stays_one_and_everything_stands_beside_the_real_file(file, folder):
    (folder / "real").mkdir()
    real = opened(folder / "real" / "graph.jsonl")
    put(real, "a")
    os.symlink(os.path.join("real", "graph.jsonl"), file.path)
    change.create_entities(
        file,
        [{"name": "b", "entityType": "t", "observations": [f"2026-01-{n:02}" for n in range(1, 18)]}],
    )
    assert os.path.islink(file.path)
    assert names(real) == ["a", "b"]
    assert sorted(os.listdir(folder)) == ["memory.jsonl", "real"]
    assert {"archive", "backups"} < set(os.listdir(folder / "real"))


def test_a_link_to_a_file_that_is_not_there_yet_leads_to_it(file, folder):
    os.symlink(folder / "deep" / "down.jsonl", file.path)
    create(file, "a")
    assert names(opened(folder / "deep" / "down.jsonl")) == ["a"]
    assert os.path.islink(file.path)


def test_two_names_of_one_file_take_turns_by_one_lock(file, folder):
    put(file, "a")
    os.symlink(file.path, folder / "link.jsonl")
    other = opened(folder / "link.jsonl")
    with files.Lock(str(folder), name=".memory.jsonl.lock") as held:
        assert held
        graph_file.LOCK_S, before = 0.0, graph_file.LOCK_S
        try:
            for one in (file, other):
                with pytest.raises(BusyError, match="in use by another process"):
                    create(one, "b")
        finally:
            graph_file.LOCK_S = before
    assert names(file) == ["a"]


def test_a_missing_folder_is_made_for_its_owner_alone(tmp_path):
    file = opened(tmp_path / "new" / "deep" / "memory.jsonl")
    create(file, "a")
    assert os.stat(tmp_path / "new").st_mode & 0o777 == 0o700
    assert os.stat(file.path).st_mode & 0o777 == 0o600


def test_before_the_first_write_of_a_day_there_is_a_copy(file):
    put(file, "a")
    before = data(file.path)
    create(file, "b")
    create(file, "c")
    [copy] = os.listdir(os.path.join(os.path.dirname(file.path), "backups"))
    assert data(os.path.join(os.path.dirname(file.path), "backups", copy)) == before


def test_what_killed_writers_left_goes_with_the_first_write_of_a_process(file, folder):
    put(file, "a")
    old, young, other = ".memory.jsonl.1-abcdef.tmp", ".memory.jsonl.2-abcdef.tmp", "mine.1-abcdef.tmp"
    for name in (old, young, other):
        (folder / name).write_text("deleted since")
    for name in (old, other):
        os.utime(folder / name, (1, 1))
    create(file, "b")
    assert {name for name in os.listdir(folder) if name.endswith(".tmp")} == {young, other}


def test_what_is_refused_is_stored_nowhere_not_even_in_the_archive(file, folder):
    days = [f"2026-01-{n:02}" for n in range(1, 16)]
    change.create_entities(file, [{"name": "a", "entityType": "t", "observations": days}])
    (folder / "memory.jsonl.unreadable").mkdir()  # the last step before the file is replaced fails
    with open(file.path, "a", encoding="utf-8") as f:
        f.write("nonsense\n")
    file.archive.add("a", ["2025-12-30 before"])
    before = data(file.path)
    with pytest.raises(ForewordError):
        texts = ["2025-12-31 refused", "2025-12-30 before"]
        change.add_observations(file, [{"entityName": "a", "contents": texts}])
    assert data(file.path) == before
    assert file.archive.of("a") == ["2025-12-30 before"]


def test_an_archive_that_fails_once_the_graph_is_written_is_told_as_that(file, monkeypatch):
    days = [f"2026-01-{n:02}" for n in range(1, 18)]
    change.create_entities(file, [{"name": "a", "entityType": "t", "observations": days}])

    def failing(*_):
        raise OSError(30, "Read-only file system")

    monkeypatch.setattr(file.archive, "remove", failing)
    with pytest.raises(ForewordError, match="the graph was changed, its archive was not") as told:
        change.restore(file, {"a": None})
    assert "lint" in told.value.hint
    assert file.read().entities[0].observations == [*days[2:], *days[:2]]


def test_without_an_archive_that_can_be_written_nothing_leaves_the_graph(file, folder):
    days = [f"2026-01-{n:02}" for n in range(1, 16)]
    change.create_entities(file, [{"name": "a", "entityType": "t", "observations": days}])
    (folder / "archive").write_text("a file")
    before = data(file.path)
    with pytest.raises(ForewordError):
        change.add_observations(file, [{"entityName": "a", "contents": ["2026-02-01"]}])
    assert data(file.path) == before


def test_a_rename_whose_archive_cannot_follow_changes_nothing(file, folder):
    days = [f"2026-01-{n:02}" for n in range(1, 18)]
    change.create_entities(file, [{"name": "a", "entityType": "t", "observations": days}])
    (folder / "archive" / "b.md").mkdir()
    before = data(file.path)
    with pytest.raises(ForewordError):
        change.rename_entity(file, "a", "b")
    assert data(file.path) == before
    assert names(file) == ["a"]
    assert file.archive.of("a") == days[:2]


WRITER = """
import sys
from foreword.graph import change, place
file = place.open_graph(sys.argv[1], environ={})
for n in range(20):
    change.create_entities(file, [{"name": f"{sys.argv[2]}-{n}", "entityType": "t", "observations": []}])
    if n % 5 == 0:
        change.add_observations(file, [{"entityName": "shared", "contents": [f"{sys.argv[2]} {n}"]}])
"""


def test_writers_in_four_processes_lose_nothing(file):
    create(file, "shared")
    command = [sys.executable, "-c", WRITER, file.path]
    writers = [subprocess.Popen([*command, f"w{n}"], stderr=subprocess.PIPE) for n in range(4)]
    assert [writer.communicate()[1] for writer in writers] == [b""] * 4
    assert sorted(names(file)) == sorted(["shared", *(f"w{w}-{n}" for w in range(4) for n in range(20))])
    assert len(file.read().by_name["shared"].observations) == 16
    assert all(json.loads(line) for line in data(file.path).splitlines())

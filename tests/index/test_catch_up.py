"""The index comes to agree with the files, whatever people and processes did to them."""

import itertools
import json
import os
import subprocess
import sys

import pytest

from foreword import paths
from foreword.digest import of_answer
from foreword.index import build, catch_up, postings, rebuild, schema
from foreword.store import layout, read, write

NOW = 1793700900.0


def indexed(folder):
    db = schema.open_reading(str(folder), wait_s=5.0)
    try:
        return {place: (i, title) for place, i, title in db.execute("SELECT place, id, title FROM memories")}
    finally:
        db.close()


def found(folder, term):
    """The places of the memories that hold a term, best first."""
    db = schema.open_reading(str(folder), wait_s=5.0)
    try:
        held = postings.counts(db, [term])
        asked = [(number, 1.0, memories) for number, memories in held.values()]
        numbers = [candidate.number for candidate in postings.candidates(db, asked)]
        places = dict(db.execute("SELECT number, place FROM memories"))
        assert len(numbers) == sum(memories for _, memories in held.values())
        return [places[number] for number in numbers]
    finally:
        db.close()


def put(folder, place, text):
    path = folder / place
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return place


def test_what_is_added_is_indexed_and_a_second_look_finds_nothing_new(tmp_path):
    _, at = write.create(str(tmp_path), "note", {"title": "t"}, "zebra", NOW)
    put(tmp_path, "facts/by hand.md", "# Quokka\n\nby hand")
    assert catch_up.catch_up(str(tmp_path)) == (2, 0)
    assert catch_up.catch_up(str(tmp_path)) == (0, 0)
    assert found(tmp_path, "zebra") == [at]
    assert found(tmp_path, "quokka") == ["facts/by hand.md"]


def test_a_file_edited_in_place_is_indexed_again(tmp_path):
    at = put(tmp_path, "facts/a.md", "zebra")
    catch_up.catch_up(str(tmp_path))
    path = tmp_path / at
    times = path.stat()
    path.write_text("quokka")  # another size
    os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))
    assert catch_up.catch_up(str(tmp_path)) == (1, 0)
    path.write_text("wombat")  # the same size, another time
    os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns + 1))
    assert catch_up.catch_up(str(tmp_path)) == (1, 0)
    assert (found(tmp_path, "zebra"), found(tmp_path, "quokka"), found(tmp_path, "wombat")) == ([], [], [at])


def test_a_renamed_file_keeps_one_row(tmp_path):
    at = put(tmp_path, "facts/a.md", "zebra")
    catch_up.catch_up(str(tmp_path))
    os.rename(tmp_path / at, tmp_path / "facts/b.md")
    assert catch_up.catch_up(str(tmp_path)) == (1, 1)
    assert found(tmp_path, "zebra") == ["facts/b.md"]


def test_a_memory_renamed_into_another_folder_keeps_its_id(tmp_path):
    memory_id, at = write.create(str(tmp_path), "fact", {}, "zebra", NOW)
    catch_up.catch_up(str(tmp_path))
    to = layout.place("fact", memory_id, archived=True)
    (tmp_path / to).parent.mkdir(parents=True)
    os.rename(tmp_path / at, tmp_path / to)
    catch_up.catch_up(str(tmp_path))
    assert {place: i for place, (i, _) in indexed(tmp_path).items()} == {to: memory_id}
    db = schema.open_reading(str(tmp_path))
    assert db.execute("SELECT archived FROM memories").fetchall() == [(1,)]
    db.close()


def test_of_two_files_with_one_id_both_are_found_and_the_first_keeps_it(tmp_path):
    memory_id, at = write.create(str(tmp_path), "fact", {}, "zebra", NOW)
    catch_up.catch_up(str(tmp_path))
    copies = [
        put(tmp_path, f"facts/{memory_id} copy.md", "zebra"),
        put(tmp_path, f"notes/{memory_id}.md", "zebra"),
    ]
    catch_up.catch_up(str(tmp_path))
    rows = indexed(tmp_path)
    assert sorted(rows) == sorted([at, *copies])
    assert rows[at][0] == memory_id
    ids = [i for i, _ in rows.values()]
    assert len(set(ids)) == 3 and all(map(layout.is_id, ids))
    assert sorted(found(tmp_path, "zebra")) == sorted(rows)


def test_a_rebuild_gives_an_id_to_the_file_that_stands_where_it_says(tmp_path):
    memory_id, at = write.create(str(tmp_path), "note", {}, "zebra", NOW)
    put(tmp_path, f"notes/{memory_id}.md", "a copy")  # listed before the months are
    assert catch_up.rebuild(str(tmp_path)) == 2
    rows = indexed(tmp_path)
    assert rows[at][0] == memory_id
    assert len(rows) == 2


def test_a_file_without_an_id_keeps_the_one_it_was_given_when_it_is_edited(tmp_path):
    at = put(tmp_path, "facts/tips.md", "one")
    catch_up.catch_up(str(tmp_path))
    given = indexed(tmp_path)[at][0]
    put(tmp_path, "facts/tips.md", "one and two")
    catch_up.catch_up(str(tmp_path))
    assert indexed(tmp_path)[at] == (given, "one and two")


def test_deleted_files_and_folders_leave_the_index(tmp_path):
    at = put(tmp_path, "notes/2026-11/a.md", "zebra")
    put(tmp_path, "notes/2026-12/b.md", "quokka")
    catch_up.catch_up(str(tmp_path))
    os.unlink(tmp_path / at)
    os.rename(tmp_path / "notes/2026-12", tmp_path / "elsewhere")
    assert catch_up.catch_up(str(tmp_path)) == (0, 2)
    assert indexed(tmp_path) == {}


def test_what_people_delete_or_cut_out_of_a_file_leaves_no_byte_in_the_index(tmp_path):
    for n in range(30):
        put(tmp_path, f"facts/{n}.md", f"common words {n}")
    put(tmp_path, "facts/gone.md", "zebrafish secret")
    put(tmp_path, "facts/cut.md", "quokkalike secret")
    catch_up.catch_up(str(tmp_path))
    os.unlink(tmp_path / "facts/gone.md")
    put(tmp_path, "facts/cut.md", "harmless")
    catch_up.catch_up(str(tmp_path))
    for path in tmp_path.rglob("*"):
        if path.is_file():
            assert b"zebrafish" not in path.read_bytes()
            assert b"quokka" not in path.read_bytes()
    assert len(found(tmp_path, "common")) == 30


def test_an_unreadable_file_keeps_its_row(tmp_path, monkeypatch):
    at = put(tmp_path, "facts/a.md", "zebra")
    catch_up.catch_up(str(tmp_path))
    put(tmp_path, "facts/a.md", "quokka too")
    with monkeypatch.context() as patch:
        patch.setattr(
            read, "open", lambda *_: (_ for _ in ()).throw(PermissionError(13, "denied")), raising=False
        )
        catch_up.catch_up(str(tmp_path))
    assert found(tmp_path, "zebra") == [at]
    catch_up.catch_up(str(tmp_path))
    assert found(tmp_path, "quokka") == [at]


def test_a_folder_that_cannot_be_looked_into_keeps_its_rows(tmp_path, monkeypatch):
    at = put(tmp_path, "facts/a.md", "zebra")
    catch_up.catch_up(str(tmp_path))
    real_stat, real_scan = os.stat, os.scandir

    def denied(real):
        def call(path, *rest, **named):
            if os.fspath(path).endswith(("facts", "facts/a.md")):
                raise PermissionError(13, "Permission denied")
            return real(path, *rest, **named)

        return call

    with monkeypatch.context() as patch:
        patch.setattr(os, "stat", denied(real_stat))
        patch.setattr(os, "scandir", denied(real_scan))
        catch_up.catch_up(str(tmp_path))
    assert found(tmp_path, "zebra") == [at]


def test_damaged_files_are_indexed_by_their_text(tmp_path):
    for name, raw in {
        "a": b"---\ntitle: [zebra\n---\nx",
        "b": b"\xff\xfe zebra",
        "c": b"---\ntitle: \x00\n---\nzebra",
        "d": b"",
    }.items():
        put(tmp_path, f"facts/{name}.md", "")
        (tmp_path / f"facts/{name}.md").write_bytes(raw)
    assert catch_up.catch_up(str(tmp_path)) == (4, 0)
    assert sorted(found(tmp_path, "zebra")) == ["facts/a.md", "facts/b.md", "facts/c.md"]


def test_a_look_is_noted_so_that_prompts_know_when_the_next_is_due(tmp_path):
    put(tmp_path, "facts/a.md", "x")
    catch_up.catch_up(str(tmp_path))
    db = schema.open_reading(str(tmp_path))
    try:
        times = schema.folder_times(db)
        assert times["facts"] == (tmp_path / "facts").stat().st_mtime_ns
        assert times["sessions"] == 0
        at, took = json.loads(db.execute("SELECT value FROM meta WHERE key='looked'").fetchone()[0])
        assert at > 0 and took >= 0
    finally:
        db.close()


def counted(folder, table):
    db = schema.open_reading(str(folder))
    try:
        return db.execute(f"SELECT count(*) FROM {table}").fetchone()[0]
    finally:
        db.close()


def test_a_tail_is_folded_once_it_pays_and_found_before_and_after(tmp_path):
    for n in range(postings.TAIL - 1):
        put(tmp_path, f"facts/{n}.md", "zebra")
    catch_up.catch_up(str(tmp_path))
    assert (counted(tmp_path, "tail"), counted(tmp_path, "postings")) == (postings.TAIL - 1, 0)
    assert len(found(tmp_path, "zebra")) == postings.TAIL - 1
    put(tmp_path, "facts/one more.md", "zebra")
    catch_up.catch_up(str(tmp_path))
    assert counted(tmp_path, "tail") == 0 < counted(tmp_path, "postings")
    assert len(found(tmp_path, "zebra")) == postings.TAIL


def test_a_rebuild_leaves_no_tail(tmp_path):
    for n in range(3):
        put(tmp_path, f"facts/{n}.md", "zebra")
    catch_up.rebuild(str(tmp_path))
    assert counted(tmp_path, "tail") == 0
    assert len(found(tmp_path, "zebra")) == 3


def test_progress_is_told_after_each_batch(tmp_path, monkeypatch):
    monkeypatch.setattr(catch_up, "BATCH", 2)
    for n in range(5):
        put(tmp_path, f"facts/{n}.md", "x")
    told = []
    catch_up.catch_up(str(tmp_path), lambda done, every: told.append((done, every)))
    assert told == [(2, 5), (4, 5), (5, 5)]
    told.clear()
    catch_up.rebuild(str(tmp_path), lambda done, every: told.append((done, every)))
    assert told == [(2, 5), (4, 5), (5, 5)]


def start(code, *arguments):
    return subprocess.Popen(
        [sys.executable, "-c", code, *map(str, arguments)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def end(processes):
    for process in processes:
        out, err = process.communicate(timeout=100)
        assert (process.returncode, out, err) == (0, "", "")


def test_processes_that_catch_up_and_save_at_once_lose_nothing(tmp_path):
    for n in range(60):
        put(tmp_path, f"facts/{n}.md", f"hand {n}")
    look = (
        "import sys; from foreword.index import catch_up\nfor _ in range(8): catch_up.catch_up(sys.argv[1])"
    )
    save = (
        "import sys; from foreword.store import write\n"
        "start = 1793700900 + 100 * int(sys.argv[2])\n"
        "for n in range(40): write.create(sys.argv[1], 'note', {}, 'saved %d' % n, start + n)"
    )
    end([start(look, tmp_path) for _ in range(3)] + [start(save, tmp_path, n) for n in range(2)])
    catch_up.catch_up(str(tmp_path))
    assert len(indexed(tmp_path)) == 140
    assert catch_up.damage(str(tmp_path)) == ""


def test_rebuilding_while_others_write_loses_nothing(tmp_path):
    for n in range(30):
        put(tmp_path, f"facts/{n}.md", f"hand {n}")
    catch_up.catch_up(str(tmp_path))
    rebuild = (
        "import sys; from foreword.index import catch_up\nfor _ in range(6): catch_up.rebuild(sys.argv[1])"
    )
    work = (
        "import os, sys\nfrom foreword.index import catch_up, schema\nfrom foreword.store import write\n"
        "start = 1793700900 + 100 * int(sys.argv[2])\n"
        "for n in range(25):\n"
        "    _, at = write.create(sys.argv[1], 'note', {}, 'saved', start + n)\n"
        "    db = schema.open_writing(sys.argv[1], wait_s=30)\n"
        "    db.execute('BEGIN IMMEDIATE')\n"
        "    catch_up.one(db, sys.argv[1], at)\n"
        "    db.execute('COMMIT')\n"
        "    db.close()\n"
    )
    end([start(rebuild, tmp_path)] + [start(work, tmp_path, n) for n in range(3)])
    catch_up.catch_up(str(tmp_path))
    assert len(indexed(tmp_path)) == 105
    assert catch_up.damage(str(tmp_path)) == ""


def test_a_reader_goes_on_while_the_index_is_built_anew(tmp_path, monkeypatch):
    monkeypatch.setattr(rebuild, "PATIENCE_S", 0.2)  # the log cannot be emptied under a reader
    at = put(tmp_path, "facts/a.md", "zebra")
    catch_up.catch_up(str(tmp_path))
    db = schema.open_reading(str(tmp_path))
    try:
        assert db.execute("SELECT place FROM memories").fetchall() == [(at,)]
        put(tmp_path, "facts/b.md", "quokka")
        assert catch_up.rebuild(str(tmp_path)) == 2
        assert db.execute("SELECT place FROM memories").fetchall() == [(at,)]
        db.execute("COMMIT")
        assert len(db.execute("SELECT place FROM memories").fetchall()) == 2
    finally:
        db.close()


def test_a_rebuild_leaves_only_the_index_behind(tmp_path):
    folder = tmp_path / "store"
    put(folder, "facts/a.md", "zebra")
    catch_up.rebuild(str(folder))
    assert {name for name in os.listdir(folder) if not name.endswith(".lock")} == {"facts", "index.sqlite"}
    assert os.stat(folder / "index.sqlite").st_mode & 0o777 == 0o600


def test_a_rebuild_that_fails_leaves_the_old_index(tmp_path, monkeypatch):
    put(tmp_path, "facts/a.md", "zebra")
    catch_up.catch_up(str(tmp_path))

    def fail(*_):
        raise RuntimeError("in the middle")

    monkeypatch.setattr(build, "add", fail)
    with pytest.raises(RuntimeError):
        catch_up.rebuild(str(tmp_path))
    assert found(tmp_path, "zebra") == ["facts/a.md"]
    assert not [name for name in os.listdir(tmp_path) if ".rebuild" in name]


def store(tmp_path):
    """(home, the folder of a project in it)."""
    folder = tmp_path / "home" / "projects" / "p"
    folder.mkdir(parents=True)
    return str(tmp_path / "home"), folder


def forget(folder, place, text, by=0):
    """Leave the tombstone of a file (by its own name: 0; by its text: 1); its name."""
    name = write.tombstones_of(str(folder), place, of_answer(text))[by]
    write.forget(layout.home_of(str(folder)), name)
    return name


def test_a_file_with_a_tombstone_is_not_indexed_and_not_counted(tmp_path):
    _, folder = store(tmp_path)
    _, at = write.create(str(folder), "fact", {}, "zebra", NOW)
    _, other = write.create(str(folder), "fact", {}, "quokka", NOW + 1)
    _, kept = write.create(str(folder), "fact", {}, "wombat", NOW + 2)
    forget(folder, at, "zebra")
    forget(folder, other, " quokka\n", by=1)
    assert catch_up.catch_up(str(folder)) == (1, 0)
    assert catch_up.catch_up(str(folder)) == (0, 0)
    assert catch_up.rebuild(str(folder)) == 1
    assert list(indexed(folder)) == [kept]
    assert {at, other} <= {place for place, _, _ in read.walk(str(folder))[0]}  # the files are not touched


def test_a_tombstone_that_comes_later_takes_the_row_out_and_one_that_goes_lets_it_in(tmp_path):
    home, folder = store(tmp_path)
    _, at = write.create(str(folder), "fact", {}, "zebra", NOW)
    _, other = write.create(str(folder), "fact", {}, "quokka", NOW + 1)
    assert catch_up.catch_up(str(folder)) == (2, 0)
    own = forget(folder, at, "zebra")
    forget(folder, other, "quokka", by=1)
    assert catch_up.catch_up(str(folder)) == (0, 2)
    assert indexed(folder) == {}
    assert found(folder, "zebra") == []
    write.remember(home, of_answer("quokka"))
    assert catch_up.catch_up(str(folder)) == (1, 0)
    assert list(indexed(folder)) == [other]
    os.unlink(os.path.join(paths.tombstones(home), own))
    assert catch_up.catch_up(str(folder)) == (1, 0)
    assert sorted(indexed(folder)) == sorted([at, other])


@pytest.mark.parametrize("look", [catch_up.catch_up, catch_up.rebuild])
def test_the_tombstones_of_one_folder_do_not_count_in_another(tmp_path, look):
    _, folder = store(tmp_path)
    other = tmp_path / "home" / "global"
    places = [write.create(str(at), "fact", {}, "zebra", NOW)[1] for at in (folder, other)]
    assert places[0] == places[1]
    for by in (0, 1):
        forget(other, places[1], "zebra", by)
    look(str(folder))
    look(str(other))
    assert list(indexed(folder)) == places[:1]
    assert indexed(other) == {}


def test_a_refused_file_does_not_make_every_look_seem_expensive_or_new(tmp_path):
    _, folder = store(tmp_path)
    _, at = write.create(str(folder), "fact", {}, "zebra", NOW)
    forget(folder, at, "zebra")
    catch_up.catch_up(str(folder))
    db = schema.open_reading(str(folder))
    _, took_s = json.loads(db.execute("SELECT value FROM meta WHERE key='looked'").fetchone()[0])
    assert took_s > 0
    db.close()


def test_global_facts_have_the_tombstones_of_their_store(tmp_path):
    folder = tmp_path / "home" / "global"
    folder.mkdir(parents=True)
    _, at = write.create(str(folder), "fact", {}, "zebra", NOW)
    forget(folder, at, "zebra")
    assert catch_up.catch_up(str(folder)) == (0, 0)


@pytest.mark.parametrize("order", list(itertools.permutations(range(3))))
def test_of_files_with_one_id_the_one_that_commands_open_has_it_in_whatever_order_they_came(tmp_path, order):
    memory_id = "20261103-101500-a1b2"
    places = ["notes/2026-11/%s.md", "facts/%s.md", "archive/session/%s.md"]
    places = [place % memory_id for place in places]
    for n in order:
        path = tmp_path / places[n]
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"text {n}")
        catch_up.catch_up(str(tmp_path))
        db = schema.open_reading(str(tmp_path))
        rows = dict(db.execute("SELECT place, id FROM memories"))
        db.close()
        there = [place for place in places if (tmp_path / place).exists()]
        assert sorted(rows) == sorted(there)
        assert [place for place, row_id in rows.items() if row_id == memory_id] == there[:1]


@pytest.mark.skipif(os.name == "nt", reason="names are not bytes there")
def test_a_name_that_is_not_utf8_takes_no_other_memory_along(tmp_path):
    _, at = write.create(str(tmp_path), "note", {"title": "t"}, "zebra", NOW)
    folder = os.fsencode(tmp_path)
    os.makedirs(folder + b"/facts")
    os.mkdir(folder + b"/notes/\xe9")
    for name in (b"/facts/\xff\xfe.md", b"/notes/\xe9/a.md", b"/facts/\xe9 copy.md"):
        with open(folder + name, "wb") as f:
            f.write(b"quokka")
    assert catch_up.catch_up(str(tmp_path)) == (1, 0)
    assert catch_up.rebuild(str(tmp_path)) == 1
    assert found(tmp_path, "zebra") == [at]
    os.rename(folder + b"/facts/\xff\xfe.md", folder + b"/facts/a.md")
    assert catch_up.catch_up(str(tmp_path)) == (1, 0)
    assert found(tmp_path, "quokka") == ["facts/a.md"]

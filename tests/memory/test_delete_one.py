"""Deleting a memory deletes that one: copies elsewhere, equal texts and other files of its name stay."""

import collections
import os
import shutil
import subprocess
import sys
import tempfile

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from foreword import files, memory, project
from foreword.digest import of_answer
from foreword.errors import NotFoundError
from foreword.index import catch_up
from foreword.memory import erase
from foreword.store import join, layout, read

SECRET = "the vault word is zebrafishword and nothing else"


@pytest.fixture
def place(tmp_path, monkeypatch):
    return opened(tmp_path / "repo", monkeypatch.chdir)


@pytest.fixture
def other(tmp_path):
    return opened(tmp_path / "other")


def opened(root, enter=lambda root: None):
    root.mkdir()
    enter(root)
    return memory.open_project(str(root), create=True)


def listed(place, **options):
    return {(row["project"], row["id"]) for row in memory.list_memories(place, **options)}


def holding(home, word="zebrafishword"):
    found = []
    for at, _, names in os.walk(home):
        for name in names:
            with open(os.path.join(at, name), "rb") as f:
                raw = f.read()
            if word.encode() in raw or word.encode("utf-16-le") in raw:
                found.append(os.path.relpath(os.path.join(at, name), home))
    return found


def copied(place, memory_id, folder, at=None):
    path = memory.read(place, memory_id)["path"]
    target = os.path.join(folder, at or f"facts/{memory_id}.md")
    os.makedirs(os.path.dirname(target), exist_ok=True)
    shutil.copy(path, target)
    return target


# -- copies in other folders -----------------------------------------------------------------------


def test_a_copy_in_another_project_or_among_the_global_facts_is_another_memory(place, other):
    saved = memory.save(place, SECRET)["id"]
    everywhere = os.path.join(place.home, "global")
    for folder in (other.folder, everywhere):
        copied(place, saved, folder)
    assert listed(other) == {(other.name, saved), ("global", saved)}
    memory.delete(place, [saved])
    for _ in range(2):
        assert listed(place) == {("global", saved)}
        assert listed(other) == {(other.name, saved), ("global", saved)}
        assert memory.read(place, saved)["body"] == memory.read(other, saved)["body"] == SECRET
        assert memory.check(place)["findings"] == memory.check(other)["findings"] == []
        memory.reindex(place)
        memory.reindex(other)
    memory.delete(place, [saved])  # now the global one
    assert listed(other) == {(other.name, saved)}
    memory.delete(other, [saved])
    assert listed(other) == set() and holding(place.home) == []


def test_a_file_that_comes_back_beside_a_copy_elsewhere_is_forgotten_and_the_copy_is_not(place, other):
    saved = memory.save(place, SECRET)["id"]
    copy = copied(place, saved, other.folder)
    memory.delete(place, [saved])
    back = os.path.join(place.folder, "facts", saved + ".md")
    shutil.copy(copy, back)
    everywhere = os.path.join(place.home, "global", "facts", saved + ".md")
    os.makedirs(os.path.dirname(everywhere))
    shutil.copy(copy, everywhere)
    for _ in range(2):
        assert listed(place) == {("global", saved)}
        assert listed(other) == {(other.name, saved), ("global", saved)}
        memory.reindex(place)
        memory.reindex(other)
    assert memory.read(place, saved)["global"]  # and not: it was deleted
    assert [finding["where"] for finding in memory.check(place)["findings"]] == [back]
    memory.delete(place, [saved])  # what is listed goes, and what came back when nothing is listed any more
    assert not os.path.exists(everywhere)
    memory.delete(place, [saved])
    assert not os.path.exists(back) and os.path.exists(copy)


def test_in_another_clone_of_the_store_where_the_project_has_another_name_it_stays_deleted(place, other):
    saved = memory.save(place, SECRET)["id"]
    copied(place, saved, other.folder)
    clone = place.home + "-clone"
    shutil.copytree(place.home, clone)
    there = os.path.join(clone, "projects", "renamed-" + place.name.rpartition("-")[2])
    os.rename(os.path.join(clone, "projects", place.name), there)
    memory.delete(place, [saved])
    shutil.rmtree(os.path.join(clone, "state", "tombstones"), ignore_errors=True)
    shutil.copytree(
        os.path.join(place.home, "state", "tombstones"), os.path.join(clone, "state", "tombstones")
    )
    for look in (catch_up.catch_up, catch_up.rebuild):
        look(there)
        look(os.path.join(clone, "projects", other.name))
        here = project.Project(clone, os.path.basename(there), place.identity, place.root, False)
        beside = project.Project(clone, other.name, other.identity, other.root, False)
        assert listed(here) == set()
        assert listed(beside) == {(other.name, saved)}


def test_what_was_deleted_stays_so_when_its_project_becomes_a_repository(place):
    saved = memory.save(place, SECRET)["id"]
    kept = memory.save(place, "kept words of another fact")["id"]
    path = memory.read(place, saved)["path"]
    aside = place.home + ".backup"
    shutil.copy(path, aside)
    memory.delete(place, [saved])
    shutil.copy(aside, path)
    for arguments in (
        ["init", "-q"],
        ["-c", "user.name=t", "-c", "user.email=t@example.org", "commit", "-q", "--allow-empty", "-m", "1"],
    ):
        subprocess.run(["git", *arguments], cwd=place.root, check=True)
    now = memory.open_project(place.root, create=True)
    assert now.name != place.name and not os.path.exists(place.folder)
    assert listed(now) == {(now.name, kept)}
    memory.delete(now, [saved])
    assert holding(now.home) == []
    memory.delete(now, [kept])
    os.makedirs(os.path.join(place.folder, "facts"))  # another clone of the store knows the old folder only
    back = os.path.join(place.folder, "facts", kept + ".md")
    write_file(back, "kept words of another fact")
    project.gather(now.home)
    assert not os.path.exists(back) and listed(now) == set()


def test_a_copy_stays_when_its_project_is_joined_into_the_one_in_which_it_was_deleted(tmp_path, other):
    place = opened(tmp_path / "repo")
    saved = memory.save(other, SECRET)["id"]
    copied(other, saved, place.folder)
    memory.delete(other, [saved])
    join.move(place.folder, other.folder)
    for _ in range(2):
        assert listed(other) == {(other.name, saved)}
        memory.reindex(other)


# -- equal texts and equal names in one folder -----------------------------------------------------


@pytest.mark.parametrize("name", ["my-notes.md", "20261103-101500-beef.md"])
def test_a_memory_with_a_deleted_ones_text_stays_when_its_file_is_renamed(place, name):
    first = memory.save(place, SECRET, title="first")["id"]
    second = memory.save(place, SECRET, title="second")["id"]
    path = memory.read(place, second)["path"]
    memory.delete(place, [first])
    os.rename(path, os.path.join(os.path.dirname(path), name))
    for _ in range(2):
        assert [row["title"] for row in memory.list_memories(place)] == ["second"]
        assert memory.check(place)["findings"] == []
        memory.reindex(place)


def test_a_hand_named_file_that_comes_back_is_forgotten_although_another_has_its_text(place):
    path = os.path.join(place.folder, "facts", "my notes.md")
    memory.save(place, SECRET, title="twin")
    write_file(path, SECRET)
    [mine] = [row["id"] for row in memory.list_memories(place) if row["title"] == SECRET]
    memory.delete(place, [mine])
    write_file(path, SECRET)
    assert [row["title"] for row in memory.list_memories(place)] == ["twin"]
    memory.delete(place, [mine])
    assert not os.path.exists(path)


def test_another_memory_in_a_file_of_the_same_name_stays_and_keeps_the_id_it_was_listed_by(place):
    saved = memory.save(place, SECRET)["id"]
    write_file(os.path.join(place.folder, "archive", "fact", saved + ".md"), "quite another text")
    [row] = memory.list_memories(place, archived=True)
    assert row["id"] != saved
    memory.delete(place, [saved])
    for _ in range(2):
        assert listed(place) == set()
        assert listed(place, archived=True) == {(place.name, row["id"])}
        assert memory.read(place, row["id"])["body"] == "quite another text"
        memory.reindex(place)
    assert holding(place.home) == []


def test_both_memories_of_one_file_name_can_be_deleted_at_once(place):
    saved = memory.save(place, SECRET)["id"]
    write_file(os.path.join(place.folder, "archive", "fact", saved + ".md"), "zebrafishword too")
    [row] = memory.list_memories(place, archived=True)
    assert memory.delete(place, [saved, row["id"]]) == [saved, row["id"]]
    assert holding(place.home) == [] and listed(place, archived=True) == set()


def test_a_longer_id_that_begins_like_a_deleted_one_is_no_copy_of_it(place):
    saved = memory.save(place, SECRET)["id"]
    longer = saved + "beef"
    copied(place, saved, place.folder, f"facts/{longer}.md")
    memory.delete(place, [saved])
    assert listed(place) == {(place.name, longer)}


def write_file(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as f:
        f.write(text)
    os.chmod(path, 0o600)


# -- crashes ---------------------------------------------------------------------------------------


def dead_process():
    """The number of a process that is no more."""
    done = subprocess.Popen([sys.executable, "-I", "-c", "pass"])
    done.wait()
    return done.pid


@pytest.mark.skipif(files.WINDOWS, reason="no process is looked for there: the worker sweeps")
def test_what_a_crashed_save_left_goes_with_the_memory_that_was_saved_again(place, other):
    left, theirs = [], []
    for folder in (place.folder, other.folder, os.path.join(place.home, "global")):
        for pid, kept in ((dead_process(), left), (os.getpid(), theirs)):
            at = os.path.join(folder, "facts", f".20261103-101500-a1b2.md.{pid}-a1b2c3.tmp")
            write_file(at, SECRET)
            kept.append(at)
    memory.delete(place, [memory.save(place, SECRET)["id"]])
    assert not any(map(os.path.exists, left))
    assert all(map(os.path.exists, theirs))  # somebody is writing them


@pytest.mark.parametrize("at", ["by its id", "facts/my notes.md"])
def test_a_delete_that_was_ended_after_its_tombstones_is_named_and_can_be_finished(place, monkeypatch, at):
    if at == "by its id":
        memory.save(place, SECRET)
    else:
        write_file(os.path.join(place.folder, at), "---\ncreated: 2026-11-03\n---\n\n" + SECRET)
    [row] = memory.list_memories(place)
    path = memory.read(place, row["id"])["path"]

    def ended(*_):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(erase, "_forget_waiting", ended)
        with pytest.raises(KeyboardInterrupt):
            memory.delete(place, [row["id"]])
    assert listed(place) == set() and os.path.exists(path)
    [finding] = memory.check(place)["findings"]
    assert finding["where"] == path
    assert finding["hint"].startswith(f"foreword delete {row['id']} ")
    assert memory.delete(place, [row["id"]]) == [row["id"]]
    assert holding(place.home) == [] and memory.check(place)["findings"] == []
    with pytest.raises(NotFoundError):
        memory.delete(place, [row["id"]])


def test_a_memory_that_somebody_archives_while_it_is_deleted_is_gone_too(place, monkeypatch):
    saved = memory.save(place, SECRET)["id"]
    found = erase.change.standing_without

    def meanwhile(*arguments):  # between the look for it and the lock
        monkeypatch.setattr(erase.change, "standing_without", found)
        memory.archive(place, [saved])
        return []

    monkeypatch.setattr(erase.change, "standing_without", meanwhile)
    assert memory.delete(place, [saved]) == [saved]
    assert holding(place.home) == [] and listed(place, archived=True) == set()


# -- any store -------------------------------------------------------------------------------------

IDS = ("20261103-101500-a1b2", "20261103-101500-a1b2beef", "20261104-080000-0001")
NAMES = (*IDS, IDS[0] + " copy", IDS[0] + ".sync-conflict", IDS[2] + " (1)", "my-notes", "by hand")
FOLDERS = ("facts", "sessions", "notes", "notes/2026-11", "archive/fact", "archive/note")
TEXTS = tuple(f"secret{n}word stands in the text number {n}" for n in range(3))
FILES = st.tuples(st.integers(0, 2), st.sampled_from(FOLDERS), st.sampled_from(NAMES), st.sampled_from(TEXTS))


@settings(max_examples=15)
@given(
    st.lists(FILES, min_size=1, max_size=9, unique_by=lambda row: row[:3]),
    st.integers(0, 9),
    st.lists(st.integers(0, 99), min_size=1, max_size=4),
)
def test_of_any_store_exactly_one_memory_goes_and_no_byte_of_a_text_that_nobody_has(rows, later, choices):
    with tempfile.TemporaryDirectory() as home:
        roots = [os.path.join(home, name) for name in ("one", "two")]
        store = os.path.join(home, "store")
        for root in roots:
            os.mkdir(root)
        places = [memory.open_project(root, home=store, create=True) for root in roots]
        folders = [*(p.folder for p in places), os.path.join(store, "global")]
        for n, (where, folder, name, text) in enumerate(rows):
            if n == later:  # what is there is indexed before the others come
                shown(places)
            write_file(os.path.join(folders[where], folder, name + ".md"), text)
        for choice in choices:
            known = {where: texts_of(folder) for where, folder in enumerate(folders)}
            shown(places)
            ids = sorted({row["id"] for _, row in rows_of(places[choice % 2])})
            if not ids:
                continue
            chosen = ids[choice % len(ids)]
            _, folder, at = memory.find.locate(places[choice % 2], chosen)
            where = folders.index(folder)
            gone = going(known[where], at)
            left = [(w, p, t) for w in known for p, t in known[w].items() if not (w == where and p in gone)]
            wanted = collections.Counter((w, *layout.kind_of(p), t) for w, p, t in left)
            assert memory.delete(places[choice % 2], [chosen]) == [chosen]
            for look in ("as it is", "anew"):
                if look == "anew":
                    for place in places:
                        memory.reindex(place)
                assert shown(places) == wanted
                for place in places:
                    told = [finding["what"] for finding in memory.check(place)["findings"]]
                    assert not [what for what in told if what.startswith("was deleted")]
            for text in set(TEXTS) - {t for _, _, t in left}:
                assert holding(store, text.split()[0]) == []
            for p in gone:  # and back again, as from a backup
                if not os.path.exists(os.path.join(folder, p)):
                    write_file(os.path.join(folder, p), known[where][p])
                    assert shown(places) == wanted
                    os.unlink(os.path.join(folder, p))


def texts_of(folder):
    """{place: text} of every memory's file."""
    return {at: read.load(folder, at)["body"] for at, _, _ in read.walk(folder)[0]}


def going(known, at):
    """The places that a delete of the one at `at` may take: it, and copies named by its id with its text."""
    stem = at.rpartition("/")[2][:-3]
    found = [at]
    for p, text in known.items():
        name = p.rpartition("/")[2][:-3]
        is_named_so = name == stem or (name.startswith(stem) and not layout.is_id(name))
        if p != at and layout.is_id(stem) and is_named_so and of_answer(text) == of_answer(known[at]):
            found.append(p)
    return found


def rows_of(place):
    return [
        (put_away, row)
        for put_away in (False, True)
        for row in memory.list_memories(place, archived=put_away)
    ]


def shown(places):
    """How often what is listed, over both projects: (folder's number, type, archived, text)."""
    found = collections.Counter()
    for n, place in enumerate(places):
        for put_away, row in rows_of(place):
            where = 2 if row["global"] else n
            if where < 2 or n == 0:
                found[where, row["type"], put_away, row["title"]] += 1
    return found

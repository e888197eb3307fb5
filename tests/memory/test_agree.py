"""How often an index is compared with the files."""

import os
import threading

import pytest

from foreword import memory
from foreword.index import catch_up
from foreword.memory.agree import at_once, bring_up_to_date


@pytest.fixture
def place(tmp_path, monkeypatch):
    (tmp_path / "shop").mkdir()
    found = memory.open_project(str(tmp_path / "shop"))
    memory.save(found, "The gateway gives up after thirty seconds.", title="Gateway")
    return memory.open_project(str(tmp_path / "shop"))


@pytest.fixture
def looks(monkeypatch):
    """The folders whose files were compared with their index, in order."""
    seen, agree = [], catch_up.agree

    def told(folder, *arguments, **options):
        seen.append(folder)
        return agree(folder, *arguments, **options)

    monkeypatch.setattr(catch_up, "agree", told)
    return seen


def ask(place):
    memory.list_memories(place)
    memory.search(place, "gateway")
    memory.browse(place)
    memory.activity(place)


def test_what_is_asked_of_one_moment_looks_at_the_files_of_a_folder_once(place, looks):
    ask(place)
    assert looks.count(place.folder) > 3
    looks.clear()
    with at_once():
        ask(place)
    assert looks.count(place.folder) == 1


def test_the_next_moment_sees_what_was_written_by_hand_since(place):
    with at_once():
        (row,) = memory.list_memories(place)
    path = os.path.join(place.folder, "facts", row["id"] + ".md")
    with open(path, encoding="utf-8") as f:
        text = f.read()
    with open(path, "w", encoding="utf-8") as f:
        f.write(text.replace('title: "Gateway"', 'title: "Gateway timeout"'))
    with at_once():
        assert [row["title"] for row in memory.list_memories(place)] == ["Gateway timeout"]


def test_a_look_that_failed_is_made_again(place, monkeypatch):
    def broken(folder):
        raise catch_up.schema.NewerError("of a newer program")

    with at_once():
        with monkeypatch.context() as patched:
            patched.setattr(catch_up, "agree", broken)
            with pytest.raises(memory.find.DamagedError):
                bring_up_to_date(place.folder)
        bring_up_to_date(place.folder)


def test_threads_that_ask_at_once_take_turns(place, monkeypatch):
    """SQLite alone lets one wait for five seconds, whoever else was served meanwhile, and then fails."""
    agree, at_it, most, found = catch_up.agree, [], [], []

    def counted(folder, *arguments, **options):
        at_it.append(folder)
        most.append(at_it.count(folder))
        other.wait(0.05)  # long enough for another to begin
        try:
            return agree(folder, *arguments, **options)
        finally:
            at_it.remove(folder)

    monkeypatch.setattr(catch_up, "agree", counted)
    other = threading.Event()
    threads = [
        threading.Thread(target=lambda: found.append(len(memory.list_memories(place)))) for _ in range(6)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [1] * 6
    assert max(most) == 1

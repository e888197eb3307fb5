"""Saving: whole or not at all, private, cut where the format says."""

import errno
import itertools
import os
import stat

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foreword.digest import of_answer
from foreword.store import header, layout, read, write

NOW = 1793700900.25


def everything(folder):
    return sorted(
        os.path.relpath(os.path.join(at, n), folder) for at, _, names in os.walk(folder) for n in names
    )


@pytest.mark.parametrize(
    ("kind", "place"), [("note", "notes/2026-11/"), ("session", "sessions/"), ("fact", "facts/")]
)
def test_a_new_memory_stands_where_its_type_says(tmp_path, kind, place):
    memory_id, at = write.create(str(tmp_path / "p"), kind, {"title": "t", "turn": None}, "body\n", NOW)
    assert at == f"{place}{memory_id}.md"
    assert layout.is_id(memory_id) and memory_id.startswith("20261103-101500-")
    memory = read.load(str(tmp_path / "p"), at)
    assert (memory["id"], memory["created"], memory["body"], memory["damage"]) == (memory_id, NOW, "body", "")


def test_files_are_private_and_so_are_the_folders(tmp_path):
    before = os.umask(0)
    try:
        _, at = write.create(str(tmp_path / "p"), "note", {}, "b", NOW)
    finally:
        os.umask(before)
    assert stat.S_IMODE(os.stat(tmp_path / "p" / at).st_mode) == 0o600
    for folder in ("p", "p/notes", "p/notes/2026-11"):
        assert stat.S_IMODE(os.stat(tmp_path / folder).st_mode) == 0o700


def test_a_file_that_is_there_is_never_written_over(tmp_path, monkeypatch):
    digits = iter([b"\x40\x00", b"\xc3\xd4"])  # the first is taken too
    real = os.urandom
    monkeypatch.setattr(layout.os, "urandom", lambda n: next(digits) if n == 2 else real(n))
    first, at = write.create(str(tmp_path), "fact", {}, "first", NOW)
    second, _ = write.create(str(tmp_path), "fact", {}, "second", NOW)
    assert (first, second) == ("20261103-101500-4000", "20261103-101500-c3d4")
    assert read.load(str(tmp_path), at)["body"] == "first"


def test_question_and_answer_are_cut_head_and_tail(tmp_path):
    question = "Q" + "q" * 5_000 + "?"
    answer = "A" + "a" * 100_000 + "!"
    _, at = write.create(str(tmp_path), "note", {"question": question}, answer, NOW)
    memory = read.load(str(tmp_path), at)
    for text, limit, ends in ((memory["question"], 4_000, "Q?"), (memory["body"], 64_000, "A!")):
        assert len(text) == limit
        assert text[0] + text[-1] == ends
        assert "[…]" in text


@given(title=st.text(max_size=20), body=st.text(max_size=40))
def test_any_text_can_be_saved(tmp_path_factory, title, body):
    folder = str(tmp_path_factory.mktemp("any"))
    _, at = write.create(folder, "fact", {"title": title, "tags": [title]}, body, NOW)
    memory = read.load(folder, at)
    assert memory["damage"] == ""
    assert memory["body"] == body.encode("utf-8", "replace").decode().strip("\r\n").replace("\r\n", "\n")


STEPS = ["write", "fsync", "link", "unlink", "replace", "fchmod"]


def fail_nth(monkeypatch, names, n):
    """Let the n-th of these calls fail with ENOSPC."""
    count = itertools.count(1)

    def failing(real):
        def call(*arguments, **named):
            if next(count) == n:
                raise OSError(errno.ENOSPC, "No space left on device")
            return real(*arguments, **named)

        return call

    for name in names:
        monkeypatch.setattr(os, name, failing(getattr(os, name)))


@pytest.mark.parametrize("n", range(1, 7))
def test_a_failing_step_of_a_save_leaves_all_or_nothing(tmp_path, monkeypatch, n):
    with monkeypatch.context() as patch:
        fail_nth(patch, STEPS, n)
        try:
            write.create(str(tmp_path), "fact", {"title": "t"}, "whole body", NOW)
            saved = True
        except OSError:
            saved = False
    places = everything(tmp_path)
    assert not [place for place in places if ".tmp" in place]
    memories = [read.load(str(tmp_path), place)["body"] for place in places if place.startswith("facts/")]
    assert memories in ([], ["whole body"])
    assert memories or not saved


@pytest.mark.parametrize("n", range(1, 4))
def test_without_hard_links_a_failing_step_leaves_no_empty_file(tmp_path, monkeypatch, n):
    def refuse(*_):
        raise OSError(errno.EPERM, "Operation not permitted")

    with monkeypatch.context() as patch:
        patch.setattr(os, "link", refuse)
        fail_nth(patch, ["fsync", "replace"], n)
        try:
            write.create(str(tmp_path), "fact", {"title": "t"}, "whole body", NOW)
        except OSError:
            assert everything(tmp_path) == []
        else:
            assert [read.load(str(tmp_path), place)["body"] for place in everything(tmp_path)] == [
                "whole body"
            ]


@pytest.mark.parametrize("n", range(1, 5))
def test_a_failing_step_of_a_change_leaves_the_old_or_the_new(tmp_path, monkeypatch, n):
    _, at = write.create(str(tmp_path), "note", {"title": "t"}, "old", NOW)
    old = (tmp_path / at).read_bytes()
    with monkeypatch.context() as patch:
        fail_nth(patch, ["write", "fsync", "replace", "fchmod"], n)
        with pytest.raises(OSError, match="No space"):
            write.change(str(tmp_path), at, {"title": "u"}, extra="new")
    assert everything(tmp_path) == [at]
    assert (tmp_path / at).read_bytes() == old


def test_a_change_keeps_what_people_wrote(tmp_path):
    (tmp_path / "facts").mkdir()
    text = "\ufeff---\r\n# mine\r\nmine: {a: 1}\r\ntitle: t # why\r\n---\r\n\r\n\r\nbody\r\nmore\r\n\r\n"
    (tmp_path / "facts/x.md").write_bytes(text.encode())
    write.change(str(tmp_path), "facts/x.md", {"turn": "7"})
    assert (tmp_path / "facts/x.md").read_bytes().decode() == text.replace("why\r\n", 'why\r\nturn: "7"\r\n')
    body = write.change(str(tmp_path), "facts/x.md", {}, extra="new\npart")
    assert body == "body\r\nmore\r\n\r\nnew\r\npart"
    assert b"more\r\n\r\nnew\r\npart\r\n\r\n" in (tmp_path / "facts/x.md").read_bytes()


def test_a_change_may_be_worked_out_from_the_new_body(tmp_path):
    _, at = write.create(str(tmp_path), "note", {}, "one", NOW)
    write.change(str(tmp_path), at, lambda body: {"title": body.upper()}, extra="two")
    memory = read.load(str(tmp_path), at)
    assert (memory["title"], memory["body"]) == ("ONE\n\nTWO", "one\n\ntwo")


def test_a_body_that_grows_is_cut_head_and_tail(tmp_path):
    _, at = write.create(str(tmp_path), "note", {}, "a" * 60_000, NOW)
    body = write.change(str(tmp_path), at, {}, extra="b" * 60_000)
    assert len(body) == 64_000
    assert body[0] + body[-1] == "ab"


def test_a_file_that_is_not_utf8_is_not_rewritten(tmp_path):
    (tmp_path / "facts").mkdir()
    (tmp_path / "facts/x.md").write_bytes(b"caf\xe9")
    with pytest.raises(UnicodeDecodeError):
        write.change(str(tmp_path), "facts/x.md", {"title": "t"})
    assert (tmp_path / "facts/x.md").read_bytes() == b"caf\xe9"


def test_the_mode_of_a_changed_file_stays(tmp_path):
    _, at = write.create(str(tmp_path), "fact", {}, "b", NOW)
    os.chmod(tmp_path / at, 0o640)
    write.change(str(tmp_path), at, {"title": "t"})
    assert stat.S_IMODE(os.stat(tmp_path / at).st_mode) == 0o640


def test_a_tombstone_says_nothing_of_the_text(tmp_path):
    digest = of_answer("The secret  answer.\n")
    assert not write.is_forgotten(str(tmp_path), digest)
    write.forget(str(tmp_path), digest)
    write.forget(str(tmp_path), digest)
    assert write.is_forgotten(str(tmp_path), of_answer(" The secret answer."))
    assert not write.is_forgotten(str(tmp_path), of_answer("Another answer."))
    for place in everything(tmp_path):
        assert b"secret" not in (tmp_path / place).read_bytes()


def test_front_matter_has_id_type_and_date_first(tmp_path):
    _, at = write.create(str(tmp_path), "fact", {"title": "t"}, "b", NOW)
    head = header.split((tmp_path / at).read_text(encoding="utf-8"))[0]
    assert [row.partition(":")[0] for row in head.splitlines()] == ["id", "type", "created", "title"]


def test_a_new_memory_does_not_take_an_id_with_a_tombstone(tmp_path):
    folder = tmp_path / "projects" / "p"
    first, at = write.create(str(folder), "fact", {}, "first", NOW)
    os.unlink(folder / at)
    write.forget(str(tmp_path), f"{first}.{write.scope(str(folder))}")
    second, _ = write.create(str(folder), "fact", {}, "second", NOW)
    assert second != first
    assert second.startswith(first[:15])


def test_a_text_said_again_is_no_longer_forgotten_in_any_folder(tmp_path):
    home, digest = str(tmp_path), of_answer("text")
    folder, place = str(tmp_path / "projects" / "app-1a2b3c4d"), "facts/20261103-101500-a1b2.md"
    by_id, by_text = write.tombstones_of(folder, place, digest)
    for name in (digest, by_text, f"{digest}.global"):
        write.forget(home, name)
    assert write.is_deleted(folder, place, digest)
    write.remember(home, digest)
    write.remember(home, digest)
    assert everything(tmp_path) == []
    write.forget(home, by_id)
    assert write.is_deleted(folder, place, digest)


def test_a_tombstone_is_of_one_folder_whatever_its_name_is_in_another_clone_of_the_store(tmp_path):
    place, digest = "facts/20261103-101500-a1b2.md", of_answer("text")
    folders = {
        name: str(tmp_path / name)
        for name in ("projects/app-1a2b3c4d", "projects/shop-x-1a2b3c4d", "projects/app-99999999", "global")
    }
    for n in (0, 1):
        name = write.tombstones_of(folders["projects/app-1a2b3c4d"], place, digest)[n]
        write.forget(str(tmp_path), name)
        deleted = {at for at, folder in folders.items() if write.is_deleted(folder, place, digest)}
        assert deleted == {"projects/app-1a2b3c4d", "projects/shop-x-1a2b3c4d"}
        os.unlink(tmp_path / "state" / "tombstones" / name)


def test_a_file_named_by_hand_is_deleted_with_its_text_and_its_name_is_free(tmp_path):
    folder, place = str(tmp_path / "global"), "facts/my notes.md"
    write.forget(str(tmp_path), write.tombstones_of(folder, place, of_answer("text"))[0])
    assert write.is_deleted(folder, place, of_answer("text"))
    assert not write.is_deleted(folder, place, of_answer("another"))
    assert not write.is_deleted(folder, "facts/another.md", of_answer("text"))


def put(folder, place, body):
    path = folder / place
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"---\ntitle: t\n---\n\n{body}")
    return place, of_answer(body)


def test_what_was_deleted_in_a_project_stays_deleted_in_the_one_that_it_is_joined_into(tmp_path):
    old, new = tmp_path / "projects" / "app-1a2b3c4d", tmp_path / "projects" / "app-99999999"
    deleted = put(old, "facts/20261103-101500-a1b2.md", "gone")
    twin = put(old, "facts/20261103-101500-aaaa.md", "both have it")
    for name in (*write.tombstones_of(str(old), *deleted), *write.tombstones_of(str(old), *twin)):
        write.forget(str(tmp_path), name)
    stands = [put(new, "facts/20261103-101500-bbbb.md", "both have it"), put(new, "facts/a.md", "other")]
    write.join_tombstones(str(old), str(new))
    assert all(write.is_deleted(str(new), *memory) for memory in (deleted, ("facts/b.md", of_answer("gone"))))
    assert not any(write.is_deleted(str(new), *memory) for memory in stands)
    assert write.is_deleted(str(new), *twin)


def test_a_copy_that_joins_the_project_in_which_it_was_deleted_stays(tmp_path):
    old, new = tmp_path / "projects" / "app-1a2b3c4d", tmp_path / "projects" / "app-99999999"
    copies = [put(old, "facts/20261103-101500-a1b2.md", "copied"), put(old, "facts/b.md", "by hand")]
    away = ("facts/20261103-101500-cccc.md", of_answer("third"))
    for memory in (*copies, away):
        for name in write.tombstones_of(str(new), *memory):
            write.forget(str(tmp_path), name)
    write.join_tombstones(str(old), str(new), again=True)  # its files came back there since
    assert all(write.is_deleted(str(new), *memory) for memory in copies)
    write.join_tombstones(str(old), str(new))
    assert not any(write.is_deleted(str(new), *memory) for memory in copies)
    assert write.is_deleted(str(new), *away)


def test_joining_where_nothing_was_ever_deleted_writes_nothing(tmp_path):
    old, new = tmp_path / "projects" / "app-1a2b3c4d", tmp_path / "projects" / "app-99999999"
    put(old, "facts/20261103-101500-a1b2.md", "stands")
    before = everything(tmp_path)
    write.join_tombstones(str(old), str(new))
    assert everything(tmp_path) == before

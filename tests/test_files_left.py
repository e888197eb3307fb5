"""What killed writers left is cleared; what writers use now and what is somebody's stays."""

import os
import re

import pytest

from foreword import files

OLD_S = 7_200
LEFT = [
    ".memory.jsonl.4711-0a1b2c.tmp",
    ".a\nb.1-abcdef.tmp",
    ".数据.md.1-000000.tmp",
    "." + "x" * 40 + ".1-abcdef.tmp",
]
KEPT = [
    "memory.jsonl.4711-0a1b2c.tmp",
    ".memory.jsonl.tmp",
    ".memory.jsonl.4711-0a1b2c.tmp.mine",
    ".memory.jsonl.4711-0A1B2C.tmp",
    ".memory.jsonl.4711-0a1b2c.tmp\n",
    "." + "x" * 41 + ".1-abcdef.tmp",
    ".1-abcdef.tmp",
    "notes.tmp",
]


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "folder").mkdir()
    return tmp_path / "folder"


def left(folder, name, age_s=OLD_S):
    path = os.path.join(folder, name)
    with open(path, "wb") as f:
        f.write(b"secret")
    then = os.stat(path).st_mtime - age_s
    os.utime(path, (then, then))


@pytest.mark.skipif(os.name == "nt", reason="names that Windows does not take")
def test_what_killed_writers_left_goes_and_files_of_somebody_s_stay(folder):
    for name in [*LEFT, *KEPT]:
        left(folder, name)
    assert files.clear_left(str(folder), 3_600) == len(LEFT)
    assert sorted(os.listdir(folder)) == sorted(KEPT)
    assert files.clear_left(str(folder)) == 0


def test_what_a_writer_uses_now_stays(folder):
    left(folder, LEFT[0], 60)
    assert files.clear_left(str(folder)) == 0
    assert files.clear_left(str(folder), 30) == 1


def test_whatever_is_written_is_called_so_until_it_is_whole(folder, monkeypatch):
    seen = []

    def replace(temp, path):
        seen.append(os.path.basename(temp))
        os.unlink(temp)

    monkeypatch.setattr(os, "replace", replace)
    for name in ("memory.jsonl", "数" * 80, "x" * 252, "a\nb" if os.name != "nt" else "a b", ".md"):
        files.write(str(folder / name), b"text", durable=False)
    assert len(seen) == 5
    assert all(re.fullmatch(files.LEFT, name) for name in seen)


def test_a_folder_that_is_missing_or_holds_folders_of_that_name_is_no_error(folder):
    assert files.clear_left(str(folder / "none")) == 0
    (folder / LEFT[0]).mkdir()
    os.utime(folder / LEFT[0], (1, 1))
    assert files.clear_left(str(folder)) == 0
    assert os.listdir(folder) == [LEFT[0]]


@pytest.mark.skipif(os.name == "nt", reason="links need a privilege on Windows")
def test_a_link_that_is_called_so_goes_and_what_it_names_stays(folder):
    (folder / "file").write_bytes(b"text")
    os.symlink("file", folder / LEFT[0])
    os.utime(folder / LEFT[0], (1, 1), follow_symlinks=False)
    assert files.clear_left(str(folder)) == 1
    assert os.listdir(folder) == ["file"]

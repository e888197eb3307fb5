"""What a disk may do to an edit: it is full, it holds links that lead nowhere."""

import os
import stat

import pytest

from foreword import files
from foreword.edit import plan
from foreword.errors import ForewordError

pytestmark = pytest.mark.skipif(os.name == "nt", reason="links as POSIX has them")


@pytest.mark.parametrize("room_for", [0, 1], ids=["no room for the copy", "room for the copy only"])
def test_a_full_disk_leaves_the_old_bytes(tmp_path, monkeypatch, room_for):
    path = tmp_path / "settings.json"
    path.write_bytes(b"old")
    left = [room_for]
    fsync = os.fsync

    def full(fd):
        # A file system may find out that it is full only when it has to write for good.
        if stat.S_ISREG(os.fstat(fd).st_mode):
            if not left[0]:
                raise OSError(28, "No space left on device")
            left[0] -= 1
        fsync(fd)

    monkeypatch.setattr(files.os, "fsync", full)
    with pytest.raises(ForewordError, match="No space left") as caught:
        plan.apply(plan.Edit(str(path), b"old", b"new"), "bak")
    assert "nothing was changed" in caught.value.message
    assert path.read_bytes() == b"old"
    assert len(plan.copies(str(path), "bak")) == room_for


def test_a_link_to_nothing_gets_its_target_made_and_keeps_pointing_there(tmp_path):
    link, target = tmp_path / "settings.json", tmp_path / "dotfiles" / "settings.json"
    link.symlink_to(target)
    plan.apply(plan.Edit(str(link), None, b"new"), "bak")
    assert (link.is_symlink(), target.read_bytes()) == (True, b"new")
    plan.apply(plan.Edit(str(link), b"new", None))
    assert (link.is_symlink(), target.exists()) == (True, False)


def test_the_hint_about_a_read_only_file_behind_a_link_names_the_file(tmp_path):
    link, target = tmp_path / "settings.json", tmp_path / "mine.json"
    target.write_bytes(b"old")
    target.chmod(0o444)
    link.symlink_to(target)
    with pytest.raises(ForewordError, match="read-only") as caught:
        plan.refuse_unwritable(str(link))
    assert caught.value.hint.startswith(f"chmod u+w {target}")


def test_links_that_lead_in_a_circle_are_an_error_of_words(tmp_path):
    (tmp_path / "a").symlink_to(tmp_path / "b")
    (tmp_path / "b").symlink_to(tmp_path / "a")
    with pytest.raises(ForewordError, match="nothing was changed"):
        plan.read(str(tmp_path / "a"))

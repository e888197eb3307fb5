"""An edit of somebody's file: shown, applied whole or not at all, and taken back."""

import os
import stat

import pytest

from foreword import files
from foreword.edit import plan
from foreword.errors import ForewordError

BEFORE = b'{\r\n\t"a": 1\r\n}'
AFTER = b'{\r\n\t"b": 2,\r\n\t"a": 1\r\n}'

posix = pytest.mark.skipif(os.name == "nt", reason="modes and links of POSIX")


@pytest.fixture
def target(tmp_path):
    """A settings file with bytes of its own."""
    path = tmp_path / "config" / "settings.json"
    path.parent.mkdir()
    path.write_bytes(BEFORE)
    return path


def edit(path, before=BEFORE, after=AFTER):
    return plan.Edit(str(path), before, after)


def mode(path):
    return stat.S_IMODE(os.stat(path).st_mode)


def names(path):
    return sorted(os.listdir(path.parent))


# -- shown ---------------------------------------------------------------------------------------


def test_the_diff_shows_what_comes_and_what_goes(target):
    assert edit(target).diff() == (
        f"--- {target}\n+++ {target}\n@@ -1,3 +1,4 @@\n {{\n"
        '+\t"b": 2,\n \t"a": 1\n }\n\\ No newline at end of file\n'
    )


def test_the_diff_of_a_new_file_comes_from_nothing(tmp_path):
    shown = edit(tmp_path / "new.json", None, b"{}\n").diff()
    assert shown == f"--- {os.devnull}\n+++ {tmp_path / 'new.json'}\n@@ -0,0 +1 @@\n+{{}}\n"


def test_an_edit_that_changes_nothing_shows_nothing(target):
    assert not edit(target, BEFORE, BEFORE).changes
    assert edit(target, BEFORE, BEFORE).diff() == ""


def test_showing_writes_nothing(target):
    edit(target).diff()
    assert (target.read_bytes(), names(target)) == (BEFORE, ["settings.json"])


# -- applied -------------------------------------------------------------------------------------


def test_applying_leaves_a_copy_of_the_old_bytes_beside_the_new(target):
    copy = plan.apply(edit(target), "ours.bak")
    assert target.read_bytes() == AFTER
    assert files.read(copy) == BEFORE
    assert plan.copies(str(target), "ours.bak") == [copy]
    assert names(target) == ["settings.json", os.path.basename(copy)]


def test_without_a_mark_there_is_no_copy(target):
    assert plan.apply(edit(target)) == ""
    assert names(target) == ["settings.json"]


def test_two_copies_within_one_second_do_not_meet(target):
    copies = [plan.apply(edit(target), "bak")]
    for _ in range(3):
        copies.append(plan.apply(edit(target, AFTER, BEFORE), "bak"))
        copies.append(plan.apply(edit(target), "bak"))
    assert len(set(copies)) == 7
    assert sorted(plan.copies(str(target), "bak")) == sorted(copies)


def test_only_copies_of_the_mark_are_counted(target):
    copy = plan.apply(edit(target), "bak")
    for name in ("settings.json.bak", "settings.json.bak.mine", "other.json.bak.20261130-101500"):
        (target.parent / name).write_bytes(b"mine")
    assert plan.copies(str(target), "bak") == [copy]
    assert plan.copies(str(target.parent / "gone" / "x"), "bak") == []


@posix
@pytest.mark.parametrize("bits", [0o600, 0o644, 0o640, 0o700])
def test_the_mode_is_kept_by_the_file_and_by_its_copy(target, bits):
    os.chmod(target, bits)
    copy = plan.apply(edit(target), "bak")
    assert (mode(target), mode(copy)) == (bits, bits)


@posix
def test_a_link_stays_a_link_and_its_target_is_edited(target, tmp_path):
    link = tmp_path / "home" / "settings.json"
    link.symlink_to(os.path.relpath(target, link.parent))
    copy = plan.apply(edit(link), "bak")
    assert os.readlink(link) == os.path.relpath(target, link.parent)
    assert target.read_bytes() == AFTER
    assert os.path.dirname(copy) == str(link.parent), "the copy is where the user looks"
    assert names(target) == ["settings.json"]


@posix
def test_a_link_to_nothing_gets_its_target_made_and_keeps_pointing_there(tmp_path):
    link, target = tmp_path / "settings.json", tmp_path / "dotfiles" / "settings.json"
    link.symlink_to(target)
    plan.apply(edit(link, None, AFTER), "bak")
    assert (link.is_symlink(), target.read_bytes()) == (True, AFTER)
    plan.apply(edit(link, AFTER, None))
    assert (link.is_symlink(), target.exists()) == (True, False)


def test_a_new_file_gets_its_folder_and_no_copy(tmp_path):
    path = tmp_path / "a" / "b" / "settings.json"
    assert plan.missing_folder(str(path)) == str(tmp_path / "a")
    assert plan.apply(edit(path, None, AFTER), "bak") == ""
    assert path.read_bytes() == AFTER
    assert plan.missing_folder(str(path)) == ""
    if os.name != "nt":
        assert mode(path) == 0o600


def test_a_file_that_changed_since_it_was_read_is_left_alone(target):
    planned = edit(target)
    target.write_bytes(b"{}")
    with pytest.raises(ForewordError) as caught:
        plan.apply(planned, "bak")
    assert "changed" in caught.value.message
    assert (target.read_bytes(), names(target)) == (b"{}", ["settings.json"])


def test_a_file_that_appeared_since_is_left_alone(target):
    with pytest.raises(ForewordError):
        plan.apply(edit(target, None, AFTER), "bak")
    assert target.read_bytes() == BEFORE


@posix
@pytest.mark.parametrize("bits", [0o400, 0o444])
def test_a_read_only_file_is_refused_before_anything_changes(target, bits):
    os.chmod(target, bits)
    with pytest.raises(ForewordError) as caught:
        plan.apply(edit(target), "bak")
    assert "read-only" in caught.value.message
    assert str(target) in caught.value.message
    assert caught.value.hint.startswith("chmod u+w ")
    assert (target.read_bytes(), names(target), mode(target)) == (BEFORE, ["settings.json"], bits)


@posix
def test_a_link_to_a_read_only_file_is_refused_too(target, tmp_path):
    os.chmod(target, 0o444)
    link = tmp_path / "link.json"
    link.symlink_to(target)
    with pytest.raises(ForewordError) as caught:
        plan.refuse_unwritable(str(link))
    assert str(target) in caught.value.hint, "the hint names the file that must be made writable"


@posix
@pytest.mark.skipif(os.name != "nt" and os.geteuid() == 0, reason="root writes into every folder")
def test_a_read_only_folder_is_refused(target):
    os.chmod(target.parent, 0o500)
    try:
        with pytest.raises(ForewordError) as caught:
            plan.apply(edit(target), "bak")
    finally:
        os.chmod(target.parent, 0o700)
    assert "read-only" in caught.value.message
    assert names(target) == ["settings.json"]


def test_a_folder_in_the_files_place_is_an_error_of_words(tmp_path):
    with pytest.raises(ForewordError) as caught:
        plan.read(str(tmp_path))
    assert str(tmp_path) in caught.value.message


def test_a_full_disk_leaves_the_old_bytes(target, monkeypatch):
    def full(*_arguments, **_options):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(files.os, "fsync", full)
    with pytest.raises(ForewordError) as caught:
        plan.apply(edit(target), "bak")
    assert "No space left" in caught.value.message
    assert (target.read_bytes(), names(target)) == (BEFORE, ["settings.json"])


def test_empty_folders_go_up_to_the_one_that_was_made(tmp_path):
    path = tmp_path / "a" / "b" / "c" / "settings.json"
    path.parent.mkdir(parents=True)
    plan.remove_empty(str(path), str(tmp_path / "a" / "b"))
    assert os.listdir(tmp_path / "a") == []


def test_a_folder_that_somebody_uses_stays(tmp_path):
    path = tmp_path / "a" / "b" / "settings.json"
    path.parent.mkdir(parents=True)
    (tmp_path / "a" / "mine").touch()
    plan.remove_empty(str(path), str(tmp_path / "a"))
    assert os.listdir(tmp_path / "a") == ["mine"]
    plan.remove_empty(str(path), "")
    assert os.listdir(tmp_path / "a") == ["mine"]


# -- taken back ----------------------------------------------------------------------------------


def applied(target, before=BEFORE, after=AFTER, older=None, made=()):
    planned = edit(target, before, after)
    copy = plan.apply(planned, "bak")
    return plan.record_of(planned, copy, "", list(made), older)


def test_a_file_as_we_left_it_gets_its_bytes_back(target):
    record = applied(target)
    plan.apply(plan.undone(str(target), record))
    assert target.read_bytes() == BEFORE


def test_a_file_that_we_made_goes_again(tmp_path):
    path = tmp_path / "settings.json"
    record = applied(path, None)
    plan.apply(plan.undone(str(path), record))
    assert not path.exists()


@pytest.mark.parametrize("now", [b"{}", BEFORE, AFTER + b"\n", None])
def test_a_file_that_others_changed_has_no_way_back_by_bytes(target, now):
    record = applied(target)
    target.unlink()
    if now is not None:
        target.write_bytes(now)
    assert plan.undone(str(target), record) is None


@pytest.mark.parametrize("spoil", [os.unlink, lambda copy: files.write(copy, b"something else")])
def test_a_copy_that_is_gone_or_changed_is_not_put_back(target, spoil):
    record = applied(target)
    spoil(plan.copies(str(target), "bak")[0])
    assert plan.undone(str(target), record) is None


def test_a_second_edit_on_top_leads_back_to_the_first_original(target):
    first = applied(target)
    second = applied(target, AFTER, b"[]", older=first)
    plan.apply(plan.undone(str(target), second))
    assert target.read_bytes() == BEFORE


def test_a_second_edit_over_a_change_of_the_users_has_no_way_back_by_bytes(target):
    first = applied(target)
    target.write_bytes(b'{"mine": 1}')
    second = applied(target, b'{"mine": 1}', b"[]", older=first)
    assert plan.undone(str(target), second) is None
    assert second["existed"]


def test_records_are_kept_by_file_and_survive_a_round_trip(tmp_path, target):
    home = str(tmp_path / "store")
    kept = {str(target): applied(target, made=["x"]), "other": {"after": ""}}
    plan.save_records(home, "some-client", kept)
    assert plan.records(home, "some-client") == kept
    assert plan.records(home, "another") == {}
    plan.save_records(home, "some-client", {})
    assert plan.records(home, "some-client") == {}
    assert os.listdir(os.path.join(home, "state", "installs")) == []


@pytest.mark.parametrize(
    "content", [b"", b"{", b"[]", b"7", b'{"format": 99, "files": {}}', b"\xff", b'{"format": 1}']
)
def test_a_damaged_record_counts_as_none(tmp_path, content):
    home = str(tmp_path / "store")
    plan.save_records(home, "c", {"p": {}})
    files.write(plan.record_path(home, "c"), content)
    assert plan.records(home, "c") == {}
    assert plan.undone(str(tmp_path / "none"), {}) is None

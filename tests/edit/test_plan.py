"""One file changed: copied, verified, taken back; refused where it must not be touched."""

import json
import os
import re
import stat

import pytest

from foreword.edit import plan
from foreword.errors import ForewordError

posix = pytest.mark.skipif(os.name == "nt", reason="modes and links as POSIX has them")


@pytest.fixture
def path(tmp_path):
    """A file that is there, with bytes that no text mode would keep."""
    path = tmp_path / "settings.json"
    path.write_bytes(b'{"a": 1}\r\n\n\xff')
    return str(path)


def data(path):
    with open(path, "rb") as f:
        return f.read()


def edit_of(path, after):
    return plan.Edit(path, plan.read(path), after)


def recorded(edit, mark="bak", older=None):
    folder = plan.missing_folder(edit.path)
    record = plan.record_of(edit, plan.apply(edit, mark), folder, None, older)
    return json.loads(json.dumps(record))


# -- applying ------------------------------------------------------------------------------------


@posix
def test_the_mode_and_the_link_are_kept(path, tmp_path):
    os.chmod(path, 0o644)
    link = str(tmp_path / "link.json")
    os.symlink(path, link)

    copy = plan.apply(edit_of(link, b"new"), "bak")

    assert os.path.islink(link)
    assert data(path) == b"new"
    assert stat.S_IMODE(os.stat(path).st_mode) == 0o644
    assert stat.S_IMODE(os.stat(copy).st_mode) == 0o644
    assert os.path.dirname(copy) == os.path.dirname(link)


def test_the_copy_has_the_old_bytes_and_a_name_with_the_time(path):
    before = data(path)
    copy = plan.apply(edit_of(path, b"new"), "foreword.bak")
    assert data(copy) == before
    assert re.fullmatch(re.escape(path + ".foreword.bak.") + r"\d{8}-\d{6}", copy)


def test_copies_of_one_second_do_not_overwrite_each_other(path):
    wanted = [data(path), b"1", b"2"]
    for after in (b"1", b"2", b"3"):
        plan.apply(edit_of(path, after), "bak")
    assert sorted(map(data, plan.copies(path, "bak"))) == sorted(wanted)


def test_only_copies_of_this_file_and_mark_are_found(path, tmp_path):
    for name in (
        "settings.json.bak",
        "settings.json.bak.20260101-000000.txt",
        "other-settings.json.bak.20260101-000000",
        "settings.json.other.20260101-000000",
    ):
        (tmp_path / name).write_bytes(b"")
    mine = tmp_path / "settings.json.bak.20260101-000000"
    mine.write_bytes(b"")
    assert plan.copies(path, "bak") == [str(mine)]
    assert plan.copies(str(tmp_path / "gone" / "x"), "bak") == []


def test_without_a_mark_no_copy_is_made(path, tmp_path):
    assert plan.apply(edit_of(path, b"new")) == ""
    assert os.listdir(tmp_path / "cwd") == []
    assert [name for name in os.listdir(tmp_path) if "settings" in name] == ["settings.json"]


@posix
def test_a_read_only_file_is_refused_by_its_mode(path):
    os.chmod(path, 0o444)
    before = data(path)
    with pytest.raises(ForewordError, match="read-only"):
        plan.apply(edit_of(path, b"new"), "bak")
    assert data(path) == before
    assert plan.copies(path, "bak") == []


@posix
@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write everywhere")
def test_a_read_only_folder_is_refused(path, tmp_path):
    folder = tmp_path / "closed"
    folder.mkdir()
    folder.chmod(0o500)
    with pytest.raises(ForewordError, match="read-only"):
        plan.apply(plan.Edit(str(folder / "new.json"), None, b"x"))


@pytest.mark.parametrize("meanwhile", [b"theirs", None], ids=["changed", "removed"])
def test_a_file_that_changed_meanwhile_is_left(path, meanwhile):
    edit = edit_of(path, b"new")
    os.unlink(path)
    if meanwhile is not None:
        with open(path, "wb") as f:
            f.write(meanwhile)
    with pytest.raises(ForewordError, match="changed just now"):
        plan.apply(edit, "bak")
    assert plan.read(path) == meanwhile
    assert plan.copies(path, "bak") == []


def test_a_file_that_appeared_meanwhile_is_left(path):
    edit = plan.Edit(path, None, b"new")
    before = data(path)
    with pytest.raises(ForewordError, match="changed just now"):
        plan.apply(edit, "bak")
    assert data(path) == before


def test_a_folder_at_the_path_is_an_error_that_says_so(tmp_path):
    with pytest.raises(ForewordError, match="nothing was changed"):
        plan.read(str(tmp_path))


# -- showing -------------------------------------------------------------------------------------


def test_the_diff_shows_the_lines_and_the_names(path):
    edit = plan.Edit("/x/s.json", b"a\r\nb\r\n", b"a\r\nc\r\n")
    assert edit.changes
    assert edit.diff() == "--- /x/s.json\n+++ /x/s.json\n@@ -1,2 +1,2 @@\n a\n-b\n+c\n"


def test_a_new_file_a_removed_one_and_a_missing_last_newline_are_shown():
    assert os.devnull in plan.Edit("/x", None, b"a").diff().splitlines()[0]
    assert os.devnull in plan.Edit("/x", b"a", None).diff().splitlines()[1]
    assert plan.Edit("/x", None, b"a").diff().endswith("+a\n\\ No newline at end of file\n")
    assert plan.Edit("/x", b"a", b"a").diff() == ""


# -- taking back ---------------------------------------------------------------------------------


def test_what_was_applied_is_taken_back_to_the_byte(path):
    before = data(path)
    record = recorded(edit_of(path, b"new"))
    plan.apply(plan.undone(path, record))
    assert data(path) == before


def test_a_file_that_was_not_there_is_removed_and_so_are_the_folders_we_made(tmp_path):
    path = str(tmp_path / "a" / "b" / "settings.json")
    record = recorded(plan.Edit(path, None, b"new"))
    assert record["folder"] == str(tmp_path / "a")

    plan.apply(plan.undone(path, record))
    plan.remove_empty(path, record["folder"])

    assert not os.path.exists(tmp_path / "a")


def test_a_folder_that_holds_something_stays(tmp_path):
    path = str(tmp_path / "a" / "b" / "settings.json")
    record = recorded(plan.Edit(path, None, b"new"))
    (tmp_path / "a" / "kept").write_bytes(b"")
    plan.apply(plan.undone(path, record))
    plan.remove_empty(path, record["folder"])
    assert os.listdir(tmp_path / "a") == ["kept"]


def test_a_folder_with_a_longer_name_is_not_ours(tmp_path):
    (tmp_path / "ab").mkdir()
    plan.remove_empty(str(tmp_path / "ab" / "x"), str(tmp_path / "a"))
    plan.remove_empty(str(tmp_path / "ab" / "x"), "")
    assert os.path.isdir(tmp_path / "ab")


def test_a_file_that_the_user_changed_since_has_no_way_back_by_bytes(path):
    record = recorded(edit_of(path, b"new"))
    grow(path)
    assert plan.undone(path, record) is None


def grow(path):
    with open(path, "ab") as f:
        f.write(b" ")


@pytest.mark.parametrize("spoil", [os.unlink, grow], ids=["gone", "changed"])
def test_a_copy_that_is_not_the_original_is_not_put_back(path, spoil):
    record = recorded(edit_of(path, b"new"))
    spoil(record["copy"])
    assert plan.undone(path, record) is None


def test_an_edit_on_top_of_ours_leads_back_to_the_first_original(path):
    before = data(path)
    first = recorded(edit_of(path, b"1"))
    second = recorded(edit_of(path, b"2"), older=first)
    plan.apply(plan.undone(path, second))
    assert data(path) == before


def test_an_edit_on_top_of_the_users_change_has_no_way_back_by_bytes(path):
    first = recorded(edit_of(path, b"1"))
    with open(path, "wb") as f:
        f.write(b"1 and mine")
    second = recorded(edit_of(path, b"2"), older=first)
    assert plan.undone(path, second) is None


# -- records -------------------------------------------------------------------------------------


def test_records_are_kept_until_there_are_none(tmp_path, path):
    home = str(tmp_path / "store")
    kept = {path: recorded(edit_of(path, b"1"))}
    plan.save_records(home, "client", kept)
    assert plan.records(home, "client") == kept
    plan.save_records(home, "client", {})
    assert not os.path.exists(plan.record_path(home, "client"))


@pytest.mark.parametrize(
    "text", ["", "{", "[]", "null", '{"format": 99, "files": {"a": {}}}', '{"format": 1}']
)
def test_records_that_cannot_be_read_count_as_none(tmp_path, text):
    home = str(tmp_path / "store")
    plan.save_records(home, "client", {"x": {}})
    with open(plan.record_path(home, "client"), "w") as f:
        f.write(text)
    assert plan.records(home, "client") == {}

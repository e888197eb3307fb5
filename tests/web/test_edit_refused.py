"""What was typed into the form of a memory comes back, whatever kept it from being saved."""

import errno
import html
import os
import shutil

import pytest

from foreword import files, memory
from foreword.memory import change, edit_form
from web.test_memory_page import FIELDS, at, content, form, note, put

TYPED = {"title": "Mine <b>", "tags": "mine, too", "body": "My text.\r\n  </textarea> With two lines."}


def typed_into(site, place, memory_id):
    """The form with all of it changed."""
    return {**form(site.page(at(place, memory_id, "edit")), *FIELDS), **TYPED}


def kept(text):
    """What the page holds of what was typed, in the form or without one."""
    if 'id="kept-body"' not in text:
        return form(text, "title", "tags", "body")
    parts = {
        key: text.partition(f'id="kept-{key}"')[2].partition(">\n")[2] for key in ("title", "tags", "body")
    }
    return {key: html.unescape(part.partition("</textarea>")[0]) for key, part in parts.items()}


def titled(text):
    return html.unescape(text.partition("<title>")[2].partition("</title>")[0])


def refused(site, place, memory_id, status, typed):
    """The page that answers, which says in its title that nothing was saved and holds all that was typed."""
    answer = site.post(at(place, memory_id, "edit"), status, **typed)
    assert titled(answer.text).startswith("Not saved: ")
    assert 'role="alert"' in answer.text
    assert kept(answer.text) == {key: typed[key] for key in ("title", "tags", "body")}
    return answer.text


@pytest.fixture
def read_only(monkeypatch):
    """A function after which the disk is read-only for files that this process would write."""

    def refuse(path):
        raise OSError(errno.EROFS, os.strerror(errno.EROFS), path)

    def turned():
        opened, made = os.open, os.mkdir

        def only_read(path, flags, *more, **options):
            writes = flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT)
            return refuse(path) if writes else opened(path, flags, *more, **options)

        monkeypatch.setattr(os, "open", only_read)
        monkeypatch.setattr(os, "mkdir", lambda path, *_: (made if os.path.isdir(path) else refuse)(path))
        monkeypatch.setattr(os, "unlink", lambda path, *_: refuse(path))

    return turned


def test_a_memory_that_was_deleted_meanwhile_gives_the_text_back_to_be_copied(site, place):
    memory_id = note(place)
    typed = typed_into(site, place, memory_id)
    memory.delete(place, [memory_id])
    text = refused(site, place, memory_id, 404, typed)
    assert "is gone: it was deleted or moved while you edited it" in text
    assert "<code>foreword save</code>" in text
    assert 'data-copies="kept-body"' in text
    assert memory.list_memories(place) == []
    site.page(at(place, memory_id, "edit"), 404)


def test_so_does_a_project_that_is_gone(site, place):
    memory_id = note(place)
    typed = typed_into(site, place, memory_id)
    shutil.rmtree(place.folder)
    refused(site, place, memory_id, 404, typed)


def test_a_file_that_no_form_can_show_any_more_gives_the_text_back(site, place):
    memory_id = note(place)
    typed = typed_into(site, place, memory_id)
    put(place, memory_id, b"\xff")
    text = refused(site, place, memory_id, 422, typed)
    assert "is not UTF-8" in text and f"<code>foreword edit {memory_id}</code>" in text


def test_the_whole_file_comes_back_too(site, place):
    memory_id = note(place)
    typed = form(site.page(at(place, memory_id, "edit?whole=1")), "before", "text")
    typed["text"] = typed["text"].replace("A title", "Mine")
    memory.delete(place, [memory_id])
    text = site.post(at(place, memory_id, "edit?whole=1"), 404, **typed).text
    assert "A title" not in text and html.escape("Mine") in text


def test_a_read_only_store_says_which_path_and_keeps_the_text(site, place, read_only):
    memory_id = note(place)
    typed = typed_into(site, place, memory_id)
    raw = content(place, memory_id)
    read_only()
    text = refused(site, place, memory_id, 503, typed)
    lock = os.path.join(place.home, "state", ".lock")
    assert f"Nothing was saved: <bdi>{lock}: Read-only file system. What to do: foreword doctor" in text
    assert form(text, "before")["before"] == typed["before"]
    assert content(place, memory_id) == raw


def test_a_store_that_somebody_holds_keeps_the_text(site, place, monkeypatch):
    memory_id = note(place)
    typed = typed_into(site, place, memory_id)
    monkeypatch.setattr(change, "LOCK_S", 0.05)
    with change.locked(place.home):
        text = refused(site, place, memory_id, 503, typed)
    assert "another Foreword holds" in text and "try again" in text
    assert "Saved." in site.after(at(place, memory_id, "edit"), **typed)


def test_a_bug_of_ours_keeps_the_text_and_shows_itself_on_the_terminal(site, place, monkeypatch, capsys):
    memory_id = note(place)
    typed = typed_into(site, place, memory_id)

    def broken(*_):
        raise ZeroDivisionError("ours")

    monkeypatch.setattr(edit_form, "finish", broken)
    text = refused(site, place, memory_id, 500, typed)
    assert "this is a bug in Foreword" in text and "ours" not in text
    assert "ZeroDivisionError: ours" in capsys.readouterr().err


def test_a_nul_that_was_typed_stands_beside_its_field(site, place):
    memory_id = note(place)
    raw = content(place, memory_id)
    typed = {**form(site.page(at(place, memory_id, "edit")), *FIELDS), "body": "a\0b"}
    text = site.post(at(place, memory_id, "edit"), 422, **typed).text
    assert 'id="body-error">the body holds a NUL character' in text
    assert titled(text).startswith("Not saved: A title")
    assert content(place, memory_id) == raw


def test_a_conflict_says_in_its_title_that_nothing_was_saved(site, place):
    memory_id = note(place)
    typed = typed_into(site, place, memory_id)
    put(place, memory_id, content(place, memory_id) + b"theirs\n")
    refused(site, place, memory_id, 409, typed)
    assert titled(site.page(at(place, memory_id, "edit"))).startswith("Edit A title")


def test_a_file_that_could_not_be_sent_back_is_not_offered_for_editing(site, place):
    memory_id = note(place)
    put(place, memory_id, content(place, memory_id) + b"y\n" * 400_000)
    text = site.page(at(place, memory_id, "edit"), 422)
    assert "too large to be edited here" in text and f"<code>foreword edit {memory_id}</code>" in text
    assert "<textarea" not in text


def test_a_form_with_too_many_fields_is_refused_and_no_bug(site, place):
    memory_id = note(place)
    many = {f"field{n}": "x" for n in range(101)}
    for act in ("edit", "pin"):
        assert "more than 100 fields" in site.post(at(place, memory_id, act), 422, **many).text


# -- disks that cannot be read or written ------------------------------------------------------


@pytest.mark.parametrize("act", ["pin", "reject", "archive"])
def test_an_act_on_a_read_only_store_says_so_on_the_page(site, place, read_only, act):
    memory_id = note(place)
    site.page(at(place, memory_id))  # with an index, pages are read
    read_only()
    text = site.after(at(place, memory_id, act))
    assert "state/.lock: Read-only file system" in text and "<code>foreword doctor</code>" in text
    assert 'role="alert"' in text


def test_pages_of_a_read_only_store_are_read_with_its_index_and_say_what_is_wrong_without(
    site, place, read_only, capsys
):
    memory_id = note(place)
    paths = ["/", f"/p/{place.name}/", f"/p/{place.name}/memories", at(place, memory_id), "/graph"]
    for path in paths:
        site.page(path)
    read_only()
    for path in paths:
        site.page(path)
    with open(os.path.join(place.folder, "index.sqlite"), "r+b") as f:
        f.truncate(0)
    text = site.page(f"/p/{place.name}/memories", 503)
    assert f"{place.folder}/.index." in text and "Read-only file system" in text
    assert "<code>foreword doctor</code>" in text
    assert capsys.readouterr().err.startswith(f"error: {place.folder}/.index.")


@pytest.mark.parametrize(
    "name", ["project.json", "forewords.log", "prompts.log", "opened.log", "report.json"]
)
def test_a_folder_in_the_place_of_a_file_breaks_no_page(site, place, name):
    memory_id = note(place)
    path = os.path.join(place.folder, name)
    files.remove(path)
    os.mkdir(path)
    for page in ("/", f"/p/{place.name}/", f"/p/{place.name}/memories", at(place, memory_id), "/graph"):
        answer = site.client.get(f"/{site.view.token}{page}")
        assert answer.status_code == 200 or path in answer.text, (page, answer.text)
    site.post(at(place, memory_id, "delete"))
    site.alarms.ring()
    assert memory.list_memories(place) == []


def test_a_file_whose_name_is_not_utf8_breaks_no_page_and_is_named(site, place):
    memory_id = note(place)
    os.makedirs(os.path.join(place.folder, "facts"), exist_ok=True)
    with open(os.path.join(os.fsencode(place.folder), b"facts", b"\xff\xfe.md"), "wb") as f:
        f.write(b"hidden")
    for path in ("/", f"/p/{place.name}/memories?q=answer", at(place, memory_id), f"/p/{place.name}/report"):
        site.page(path)
    for path in (f"/p/{place.name}/", f"/p/{place.name}/health"):
        text = site.page(path)
        assert "facts/\\xff\\xfe.md" in text and "its name is not UTF-8" in text

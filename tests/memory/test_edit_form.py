"""A form changes what was typed in it and nothing else, though it sends every line end as CRLF."""

import os
import re
import urllib.parse

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from foreword import memory
from foreword.errors import DamagedError, ForewordError
from foreword.memory import edit, edit_form

ENDS = st.sampled_from(["\n", "\r\n", "\r", ""])
TEXT = st.lists(st.tuples(st.text("ab \u00e9-", max_size=4), ENDS), max_size=8).map(
    lambda rows: "".join(line + end for line, end in rows)
)


def sent(text):
    """What a browser sends of a text that it shows."""
    return re.sub(r"\r\n|\r|\n", "\r\n", text)


@pytest.fixture
def place(tmp_path, monkeypatch):
    root = tmp_path / "repo"
    root.mkdir()
    monkeypatch.chdir(root)
    return memory.open_project(create=True)


def saved(place, body="One.\nTwo.\nThree.", **more):
    return memory.save(place, body, **{"title": "Title", "tags": ["a", "b"], **more})["id"]


def path_of(place, memory_id):
    return memory.read(place, memory_id)["path"]


def content(path):
    with open(path, "rb") as f:
        return f.read()


def rewritten(path, change):
    data = change(content(path))
    with open(path, "wb") as f:
        f.write(data)
    os.utime(path, (1, 1))  # the index sees another time
    return data


def all_of(form):
    return {key: sent(form[key]) for key in ("title", "tags", "body")}


@given(TEXT)
def test_what_comes_back_as_it_was_shown_is_the_text_to_the_byte(text):
    assert edit_form.own_ends(text, sent(text)) == text


@given(TEXT, TEXT)
@example("a\na\na\n", "a\n")
@example("a\n", "a\na\na\n")
@example("\r", "\n\n")
def test_what_was_typed_is_there_whatever_the_line_ends_were(was, typed):
    made = edit_form.own_ends(was, sent(typed))
    assert sent(made) == sent(typed)


@given(TEXT, TEXT, st.text("xy", min_size=1, max_size=3))
def test_lines_before_and_after_a_change_keep_their_ends(before, after, typed):
    was = before + "\nold\n" + after
    made = edit_form.own_ends(was, sent(before + "\nnew " + typed + "\n" + after))
    usual = "\r\n" if was.count("\r\n") * 2 > len(re.findall(r"\r\n|\r|\n", was)) else "\n"
    assert made == before + "\nnew " + typed + usual + after


def test_a_form_sent_as_it_was_shown_changes_no_byte(place):
    memory_id = saved(place)
    path = path_of(place, memory_id)
    raw = rewritten(path, lambda data: data.replace(b"\n", b"\r\n").replace(b"Two.\r\n", b"Two.\n"))
    form = edit_form.begin(place, memory_id)
    assert form["body"] == "One.\nTwo.\nThree."
    assert not edit_form.finish(place, memory_id, form["before"], all_of(form))["changed"]
    whole = edit_form.finish(place, memory_id, form["before"], {"text": sent(form["text"])})
    assert not whole["changed"]
    assert content(path) == raw


def test_a_changed_field_leaves_the_others_as_they_stand(place):
    memory_id = saved(place)
    path = path_of(place, memory_id)
    raw = rewritten(path, lambda data: data.replace(b"---\n\n", b"mine:   kept # so\n---\n\n"))
    form = edit_form.begin(place, memory_id)
    edit_form.finish(place, memory_id, form["before"], {**all_of(form), "title": "Other: title"})
    assert content(path) == raw.replace(b'title: "Title"', b'title: "Other: title"')


def test_tags_are_parted_by_commas_and_none_takes_the_line_away(place):
    memory_id = saved(place)
    form = edit_form.begin(place, memory_id)
    assert form["tags"] == "a, b"
    edit_form.finish(place, memory_id, form["before"], {**all_of(form), "tags": " a ,c,, "})
    assert memory.read(place, memory_id)["tags"] == ["a", "c"]
    form = edit_form.begin(place, memory_id)
    edit_form.finish(place, memory_id, form["before"], {**all_of(form), "tags": ""})
    assert b"tags:" not in content(path_of(place, memory_id))


def test_the_body_of_a_file_with_crlf_is_written_with_crlf(place):
    memory_id = saved(place)
    path = path_of(place, memory_id)
    rewritten(path, lambda data: data.replace(b"\n", b"\r\n"))
    form = edit_form.begin(place, memory_id)
    edit_form.finish(place, memory_id, form["before"], {**all_of(form), "body": "One.\r\nNew.\r\nThree."})
    assert content(path).endswith(b"\r\nOne.\r\nNew.\r\nThree.\r\n")
    assert b"\n" not in content(path).replace(b"\r\n", b"")


def test_what_edit_refuses_a_form_is_refused_too(place):
    memory_id = saved(place)
    raw = content(path_of(place, memory_id))
    form = edit_form.begin(place, memory_id)
    for typed in ({"body": " "}, {"title": "x" * 201}, {"text": "---\ntitle: x\n"}):
        with pytest.raises(ForewordError):
            edit_form.finish(place, memory_id, form["before"], typed)
    assert content(path_of(place, memory_id)) == raw


def test_what_changed_meanwhile_is_not_written_over(place):
    memory_id = saved(place)
    form = edit_form.begin(place, memory_id)
    raw = rewritten(path_of(place, memory_id), lambda data: data.replace(b"Two.", b"Somebody else."))
    with pytest.raises(edit.ChangedError):
        edit_form.finish(place, memory_id, form["before"], {**all_of(form), "title": "Mine"})
    assert content(path_of(place, memory_id)) == raw


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (lambda data: data.replace(b'tags: ["a", "b"]', b"tags: [a"), "front matter"),
        (lambda data: b"Only text.\n", "no front matter"),
        (lambda data: data.replace(b'["a", "b"]', b'["a,b"]'), "comma"),
    ],
)
def test_a_file_that_has_no_fields_to_edit_is_edited_whole(place, change, why):
    memory_id = saved(place)
    rewritten(path_of(place, memory_id), change)
    form = edit_form.begin(place, memory_id)
    assert form["whole"] and why in form["why"]
    new = sent(form["text"]).replace("text", "words").replace("Two", "2").replace("[a\r", "[a]\r")
    edit_form.finish(place, memory_id, form["before"], {"text": new})
    assert ("words" in memory.read(place, memory_id)["body"]) != (
        "2" in memory.read(place, memory_id)["body"]
    )


@pytest.mark.parametrize("spoiled", [b"\xff", b"\0"])
def test_what_a_page_would_spoil_is_not_edited_in_one(place, spoiled):
    memory_id = saved(place)
    raw = rewritten(path_of(place, memory_id), lambda data: data + spoiled)
    with pytest.raises((DamagedError, ForewordError)) as refused:
        edit_form.begin(place, memory_id)
    assert refused.value.hint == f"foreword edit {memory_id}"
    assert content(path_of(place, memory_id)) == raw


@pytest.mark.parametrize("field", ["title", "tags", "body", "text"])
def test_a_nul_is_refused_for_no_page_could_show_it_again(place, field):
    memory_id = saved(place)
    raw = content(path_of(place, memory_id))
    form = edit_form.begin(place, memory_id)
    with pytest.raises(ForewordError, match=f"the {field} holds a NUL"):
        edit_form.finish(place, memory_id, form["before"], {field: form[field] + "\0"})
    assert content(path_of(place, memory_id)) == raw


@pytest.mark.parametrize("letter", ["y\n", "a", "\u8a9e", "%"])
def test_what_a_form_could_not_send_back_is_not_offered(place, letter):
    memory_id = saved(place)
    each = len(urllib.parse.quote_plus(sent(letter)))
    rewritten(path_of(place, memory_id), lambda data: data + letter.encode() * (edit_form.SENT // each + 1))
    with pytest.raises(ForewordError, match="too large to be edited here") as refused:
        edit_form.begin(place, memory_id)
    assert refused.value.hint == f"foreword edit {memory_id}"
    rewritten(path_of(place, memory_id), lambda data: data[: -len(letter.encode()) * (400 // each)])
    assert len(urllib.parse.urlencode(all_of(edit_form.begin(place, memory_id)))) < 1 << 20

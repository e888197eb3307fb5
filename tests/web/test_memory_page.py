"""One memory in the view: read with all that is known of it, and changed with nothing lost."""

import html
import os
import re

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from foreword import memory
from foreword.store import layout, write
from foreword.web.pages.memory import BASES, MARKS
from foreword.web.shown import STATES

SCRIPT = "<script>alert(1)</script>"
UNKNOWN = "20200101-000000-0000"
NOW = 1_793_700_900.0


def note(place, title="A title", body="The answer.\nIn two lines.", now=NOW, **fields):
    known = {
        "title": title,
        "question": "Why so?",
        "source": "claude-code",
        "basis": "saved-by-itself",
        **fields,
    }
    return write.create(place.folder, "note", known, body, now)[0]


def at(place, memory_id, act=""):
    return f"/p/{place.name}/memories/{memory_id}" + (act and "/" + act)


def content(place, memory_id):
    with open(memory.read(place, memory_id)["path"], "rb") as f:
        return f.read()


def put(place, memory_id, data):
    with open(memory.read(place, memory_id)["path"], "wb") as f:
        f.write(data)


def field(text, name):
    """What a field of the form holds."""
    area = re.search(rf'<textarea [^>]*name="{name}"[^>]*>\n(.*?)</textarea>', text, re.DOTALL)
    found = area or re.search(rf'<input [^>]*name="{name}"[^>]*value="(.*?)"', text, re.DOTALL)
    assert found, name
    return html.unescape(found[1])


def form(text, *names):
    return {name: field(text, name) for name in names}


FIELDS = ("before", "title", "tags", "body")


# -- reading -----------------------------------------------------------------------------------


def test_a_memory_shows_its_text_its_files_and_where_it_comes_from(site, place):
    for name, text in (("same.py", "a"), ("changed.py", "b")):
        with open(os.path.join(place.root, name), "w") as f:
            f.write(text)
    same = "ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb"
    files = [{"path": p, "sha256": same} for p in ("same.py", "changed.py", "gone.py")]
    memory_id = note(place, files=files, session="0b8a7c1e-1111-2222-3333-444455556666", tags=["auth"])
    text = site.page(at(place, memory_id))
    assert "<h1><bdi>A title</bdi></h1>" in text
    assert "Why so?" in text and "The answer.\nIn two lines." in text
    for words, path in (
        ("unchanged since", "same"), ("CHANGED: somewhere in the file", "changed"), ("DELETED", "gone"),
    ):  # fmt: skip
        assert re.search(rf">{words}</span> <span><bdi>{path}.py<", text)
    assert "saved by itself after a turn" in text
    assert "claude --resume 0b8a7c1e-1111-2222-3333-444455556666" not in text  # its log is gone
    assert "no longer on the disk" in text
    assert f"/p/{place.name}/memories?tag=auth" in text
    assert "never yet" in text


def test_a_stale_memory_has_the_badge_that_lists_give_it(site, place):
    stale = note(place, files=[{"path": "gone.py", "sha256": "0" * 64}])
    never_there = note(place, files=[{"path": "gone.py", "sha256": ""}])
    fact = memory.save(place, "Tabs.", title="Tabs", everywhere=True)["id"]
    listed = {row["id"]: bool(row["stale"]) for row in memory.browse(place)["rows"]}
    assert listed == {stale: True, never_there: False, fact: False}
    for memory_id, is_stale in listed.items():
        assert (">stale</span>" in site.page(at(place, memory_id))) == is_stale
    memory.archive(place, [stale])
    assert ">stale</span>" not in site.page(at(place, stale))


def test_the_words_for_states_are_those_that_memory_gives():
    from foreword import stale

    words = {stale.UNCHANGED, stale.STANDS, stale.CHANGED, stale.MOVED, stale.DELETED, stale.UNCHECKED}
    assert set(STATES) == words
    assert set(BASES) == set(layout.BASES)


def test_a_client_session_that_can_be_resumed_shows_the_command(site, place, tmp_path):
    log = tmp_path / "log.jsonl"
    log.write_text("{}\n")
    memory_id = note(place, session="0b8a7c1e-1111-2222-3333-444455556666", transcript=str(log))
    text = site.page(at(place, memory_id))
    assert "<code>claude --resume 0b8a7c1e-1111-2222-3333-444455556666</code>" in text
    assert "on the disk" in text and str(log) in text


def test_superseded_and_superseding_lead_to_each_other(site, place):
    old = memory.save(place, "Port 5432.", title="Port")["id"]
    new = memory.save(place, "Port 5433.", title="Port", supersedes=[old])["id"]
    assert at(place, new) in site.page(at(place, old))
    assert at(place, old) in site.page(at(place, new))
    memory.delete(place, [old])
    assert "not here any more" in site.page(at(place, new))


def test_no_text_of_a_memory_is_markup(site, place):
    memory_id = note(
        place, SCRIPT, SCRIPT + "\n</div></textarea>" + SCRIPT, question=SCRIPT, tags=[SCRIPT], source=SCRIPT,
        basis=SCRIPT, session=SCRIPT, transcript="/x/" + SCRIPT, files=[{"path": SCRIPT, "sha256": "0" * 64}],
        supersedes=[SCRIPT], checked=SCRIPT,
    )  # fmt: skip
    for act in ("", "edit", "edit?whole=1"):
        text = site.page(at(place, memory_id, act))
        assert "<script>alert" not in text
        assert text.count("</textarea>") == (act != "")
    assert html.escape(SCRIPT) in site.page(at(place, memory_id))


def test_a_title_of_5000_characters_is_folded_and_can_be_seen_whole(site, place):
    memory_id = note(place, "x" * 5000)
    text = site.page(at(place, memory_id))
    heading, _, folded = text.partition("<details")
    assert "<h1><bdi>" + "x" * 200 + "…</bdi></h1>" in heading and "x" * 201 not in heading
    assert "All of its 5,000 characters</summary><p><bdi>" + "x" * 5000 + "</bdi>" in folded
    assert "<details" not in site.page(at(place, note(place, "y" * 200)))
    assert field(site.page(at(place, memory_id, "edit")), "title") == "x" * 5000


def test_what_cannot_be_seen_is_not_shown_in_a_text(site, place):
    memory_id = note(place, "A\u202etitle", "an\u202e answer\x1b[31m red")
    text = site.page(at(place, memory_id))
    assert "\u202e" not in text and "\x1b" not in text and "an answer red" in text


@pytest.mark.parametrize("memory_id", [UNKNOWN, "nonsense", "%00", "a b"])
def test_an_unknown_id_is_a_page_that_leads_back(site, place, memory_id):
    text = site.page(at(place, memory_id), 404)
    assert f'/p/{place.name}/memories"><bdi>Memories of ledger</bdi></a>' in text
    assert "All projects" in text
    for act in ("pin", "archive", "delete", "nonsense"):
        site.post(at(place, memory_id, act), 404)
    assert not site.view.pending.all()


def test_a_damaged_memory_is_shown_as_far_as_it_can_be_read(site, place):
    memory_id = note(place)
    put(place, memory_id, content(place, memory_id).replace(b"title:", b"title: ["))
    text = site.page(at(place, memory_id))
    assert "cannot be read in full" in text
    assert "front matter" in text and "The answer." in text
    assert "Which files it cites could not be read." in text and "It cites no file" not in text
    text = site.page(at(place, memory_id, "edit"))
    assert "This is the whole file" in text and field(text, "text").startswith("---\n")


def test_a_memory_that_is_no_text_is_not_edited_here(site, place):
    memory_id = note(place)
    raw = content(place, memory_id) + b"\xff"
    put(place, memory_id, raw)
    assert "cannot be read in full" in site.page(at(place, memory_id))
    assert f"foreword edit {memory_id}" in site.page(at(place, memory_id, "edit"), 422)
    site.post(at(place, memory_id, "edit"), 422, body="x", before="y")
    assert content(place, memory_id) == raw


# -- marking, moving, deleting -----------------------------------------------------------------


def test_marks_are_set_and_taken_back(site, place):
    memory_id = note(place)
    for act, (offer, said) in MARKS.items():
        text = site.after(at(place, memory_id, act))
        assert said in text
        assert memory.read(place, memory_id)["offer"] == offer
    text = site.after(at(place, memory_id, "pin"))
    assert ">pinned</span>" in text and at(place, memory_id, "usual") in text
    assert f'{at(place, memory_id, "pin")}"' not in text


def test_archiving_and_restoring_moves_it(site, place):
    memory_id = note(place)
    text = site.after(at(place, memory_id, "archive"))
    assert "Archived" in text and at(place, memory_id, "restore") in text
    assert memory.read(place, memory_id)["archived"]
    site.post(at(place, memory_id, "pin"))
    assert memory.read(place, memory_id)["offer"] == "usual"  # an archived one cannot be pinned
    assert "Restored." in site.after(at(place, memory_id, "restore"))
    assert "nothing was done" in site.after(at(place, memory_id, "restore"))


def test_archiving_names_what_stands_again(site, place):
    old = memory.save(place, "Port 5432.", title="Port")["id"]
    new = memory.save(place, "Port 5433.", title="Port")["id"]
    text = site.after(at(place, new, "archive"))
    assert "stands again" in text and f"foreword archive {old}" in text


def test_what_is_refused_is_said_on_the_page(site, place):
    memory_id = memory.save(place, "Use tabs.", title="Tabs", everywhere=True)["id"]
    text = site.after(at(place, memory_id, "pin"))
    assert "is global" in text and 'role="alert"' in text


def test_a_delete_waits_and_can_be_taken_back(site, place):
    memory_id = note(place, "Dear to me")
    text = site.after(at(place, memory_id, "delete"))
    assert "Dear to me" in text and at(place, memory_id, "keep") in text
    page = site.page(at(place, memory_id))
    assert "about to be deleted" in page and f'{at(place, memory_id, "delete")}"' not in page
    assert "Kept" in site.after(at(place, memory_id, "keep"))
    site.alarms.ring()
    assert memory.read(place, memory_id)["title"] == "Dear to me"


def test_a_delete_that_is_not_taken_back_is_final(site, place):
    memory_id = note(place)
    path = memory.read(place, memory_id)["path"]
    site.post(at(place, memory_id, "delete"))
    assert os.path.exists(path)
    site.alarms.ring()
    assert not os.path.exists(path)
    site.page(at(place, memory_id), 404)
    text = site.after(at(place, memory_id, "keep"))
    assert "Too late" in text
    site.post(at(place, memory_id, "delete"), 404)


def test_keeping_what_was_not_to_be_deleted_says_so(site, place):
    assert "Nothing was about to be deleted" in site.after(at(place, note(place), "keep"))


def test_a_damaged_memory_can_be_deleted(site, place):
    memory_id = note(place)
    path = memory.read(place, memory_id)["path"]
    put(place, memory_id, b"\xff\xfe")
    site.post(at(place, memory_id, "delete"))
    site.alarms.ring()
    assert not os.path.exists(path)


@pytest.mark.skipif(not os.path.exists("/proc/self/mem"), reason="needs a file that opens and cannot be read")
def test_a_file_that_cannot_be_read_at_all_is_told_and_can_be_deleted(site, place):
    memory_id = note(place)
    path = memory.read(place, memory_id)["path"]
    os.remove(path)
    os.symlink("/proc/self/mem", path)
    assert "cannot be read: " in site.page(at(place, memory_id), 422)
    site.post(at(place, memory_id, "delete"))
    assert [one["id"] for one in site.view.pending.all()] == [memory_id]


def test_reading_a_page_changes_nothing(site, place):
    memory_id = note(place)
    raw = content(place, memory_id)
    for act in ("pin", "archive", "delete", "keep", "usual"):
        site.get(at(place, memory_id, act), 405)
    site.page(at(place, memory_id, "edit"))
    assert content(place, memory_id) == raw
    assert not memory.read(place, memory_id)["archived"]


# -- editing -----------------------------------------------------------------------------------


def test_an_edit_is_saved_and_said(site, place):
    memory_id = note(place)
    typed = form(site.page(at(place, memory_id, "edit")), *FIELDS)
    assert typed["title"] == "A title" and typed["body"] == "The answer.\nIn two lines."
    typed |= {"title": "Another", "tags": "a, b", "body": "New.\r\nText."}
    text = site.after(at(place, memory_id, "edit"), **typed)
    assert "Saved." in text and "Another" in text
    found = memory.read(place, memory_id)
    assert (found["title"], found["tags"], found["body"]) == ("Another", ["a", "b"], "New.\nText.")
    assert b"\r" not in content(place, memory_id)


def test_a_form_sent_as_it_came_changes_no_byte(site, place):
    memory_id = note(place, tags=["x", "y"])
    raw = content(place, memory_id).replace(b"\n", b"\r\n")
    put(place, memory_id, raw)
    for query, names in (("edit", FIELDS), ("edit?whole=1", ("before", "text"))):
        typed = form(site.page(at(place, memory_id, query)), *names)
        typed = {key: value.replace("\n", "\r\n") for key, value in typed.items()}
        assert "Nothing was changed." in site.after(at(place, memory_id, query), **typed)
        assert content(place, memory_id) == raw


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=15)
@given(st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=40).filter(str.strip))
def test_whatever_is_typed_stands_in_the_file(site, place, text):
    memory_id = note(place)
    typed = form(site.page(at(place, memory_id, "edit")), *FIELDS)
    body = f"Before.\n\n  {text}\n\nAfter."
    site.post(at(place, memory_id, "edit"), **{**typed, "body": body.replace("\n", "\r\n")})
    assert memory.read(place, memory_id)["body"] == body
    assert field(site.page(at(place, memory_id, "edit")), "body") == body


@pytest.mark.parametrize(
    ("change", "key", "told"),
    [
        ({"title": "y" * 201}, "title", "the title has 201 characters, it may have 200"),
        ({"body": "  "}, "body", "the body is empty"),
        ({"body": "z" * 64_001}, "body", "the body has 64001 characters"),
    ],
)
def test_what_is_wrong_stands_beside_its_field_and_nothing_typed_is_lost(site, place, change, key, told):
    memory_id = note(place)
    raw = content(place, memory_id)
    typed = {**form(site.page(at(place, memory_id, "edit")), *FIELDS), "tags": "kept, too", **change}
    text = site.post(at(place, memory_id, "edit"), 422, **typed).text
    assert f'id="{key}-error">{told}' in text
    assert re.search(rf'name="{key}"[^>]* aria-invalid="true"[^>]* aria-describedby="{key}-error ', text)
    assert form(text, *FIELDS) == typed
    assert content(place, memory_id) == raw


def test_a_front_matter_that_is_none_is_refused_with_its_line(site, place):
    memory_id = note(place)
    raw = content(place, memory_id)
    typed = form(site.page(at(place, memory_id, "edit?whole=1")), "before", "text")
    typed["text"] = typed["text"].replace("title: ", "title: [", 1)
    text = site.post(at(place, memory_id, "edit?whole=1"), 422, **typed).text
    assert 'id="text-error">front matter' in text and "(line " in text
    assert field(text, "text") == typed["text"]
    assert content(place, memory_id) == raw


def test_what_somebody_else_changed_meanwhile_is_refused_with_both_texts_on_the_page(site, place):
    memory_id = note(place)
    typed = form(site.page(at(place, memory_id, "edit")), *FIELDS)
    theirs = content(place, memory_id).replace(b"In two lines.", b"<b>Theirs.</b>")
    put(place, memory_id, theirs)
    typed |= {"title": "Mine", "body": "My text."}
    text = site.post(at(place, memory_id, "edit"), 409, **typed).text
    assert content(place, memory_id) == theirs
    assert field(text, "body") == "My text." and field(text, "title") == "Mine"
    assert "&lt;b&gt;Theirs.&lt;/b&gt;" in text and 'role="alert"' in text
    again = form(text, *FIELDS)
    assert again["before"] != typed["before"]
    assert "Saved." in site.after(at(place, memory_id, "edit"), **again)
    found = memory.read(place, memory_id)
    assert (found["title"], found["body"]) == ("Mine", "My text.")


@pytest.mark.parametrize("before", [{}, {"before": ""}, {"before": "0" * 64}])
def test_a_form_that_does_not_say_what_was_edited_changes_nothing(site, place, before):
    memory_id = note(place)
    raw = content(place, memory_id)
    site.post(at(place, memory_id, "edit"), 409, title="Mine", tags="", body="Mine.", **before)
    site.post(at(place, memory_id, "edit"), 422, **before)
    assert content(place, memory_id) == raw

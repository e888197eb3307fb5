"""Deleting in a browser: ten seconds in which it can be taken back from any page, and final after."""

import os

from playwright.sync_api import expect

from browser import sample_texts
from browser.test_memories import file_of, press
from foreword import paths

TITLE, OTHER = sample_texts.NOTES[3][0], sample_texts.NOTES[6][0]
FINAL_MS = 20_000  # ten seconds and what a busy machine needs
WORDS = b"reads 90,000 rows"  # in that note's answer alone, and in forewords with it


def waiting(tab):
    return tab.page.get_by_role("form", name="A delete that can be taken back")


def holding(view, words):
    """The names of the store's files that hold these bytes."""
    found = []
    for at, _, names in os.walk(view.sample.home):
        for name in names:
            with open(os.path.join(at, name), "rb") as f:
                if words in f.read():
                    found.append(name)
    return found


def test_a_delete_that_is_taken_back_leaves_everything(views, look):
    view = views()
    before = file_of(view, view.sample.ids[TITLE])
    with open(before, "rb") as f:
        data = f.read()
    tab = look(view, view.memory(TITLE))
    press(tab, "Delete")
    expect(waiting(tab)).to_contain_text(TITLE)
    tab.go("/")  # it stands on every page
    waiting(tab).get_by_role("button", name="Take it back").click()
    expect(tab.page.get_by_role("status")).to_contain_text("Kept")
    expect(tab.page.locator("h1")).to_have_text(TITLE)
    expect(waiting(tab)).to_have_count(0)
    with open(before, "rb") as f:
        assert f.read() == data
    code, told = view.end()
    assert (code, "deleted" in told) == (0, False)
    assert os.path.exists(before)


def test_a_delete_that_is_not_taken_back_is_final_down_to_the_byte(views, look):
    view = views()
    memory_id = view.sample.ids[TITLE]
    assert {"forewords.log", memory_id + ".md"} <= set(holding(view, WORDS))
    tab = look(view, view.memory(TITLE))
    press(tab, "Delete")
    expect(waiting(tab).locator(".left")).not_to_have_text("10")  # it counts down
    gone = tab.page.get_by_text("gone for good")
    expect(gone).to_be_visible(timeout=FINAL_MS)
    tab.expected.add(404)
    # The page counts by its own clock; the file goes when the view's timer says so.
    tab.page.wait_for_function(
        "async (path) => (await fetch(path)).status === 404",
        arg=view.top + view.memory(TITLE),
        timeout=FINAL_MS,
    )
    assert file_of(view, memory_id) == ""
    assert holding(view, WORDS) == []
    assert os.listdir(paths.tombstones(view.sample.home))
    answer = tab.page.request.post(
        view.top + view.memory(TITLE, "/keep"), headers={"Origin": view.origin}, max_redirects=0
    )
    assert answer.status == 303
    said = answer.headers["location"]
    tab.page.goto(view.origin + said)
    expect(tab.page.get_by_role("alert")).to_contain_text("Too late")
    tab.wrong = [told for told in tab.wrong if "404" not in told]


def test_what_waits_is_deleted_when_the_view_ends(views, look):
    view = views()
    path = file_of(view, view.sample.ids[OTHER])
    tab = look(view, view.memory(OTHER))
    press(tab, "Delete")
    expect(waiting(tab)).to_contain_text(OTHER)
    code, told = view.end()
    assert code == 0
    assert OTHER in told
    assert not os.path.exists(path)


def test_a_delete_is_taken_back_without_the_script_too(views, look):
    view = views()
    tab = look(view, view.memory(OTHER), java_script_enabled=False)
    press(tab, "Delete")
    expect(waiting(tab)).to_contain_text("in 10 s")
    waiting(tab).get_by_role("button", name="Take it back").click()
    expect(tab.page.get_by_role("status")).to_contain_text("Kept")
    assert os.path.exists(file_of(view, view.sample.ids[OTHER]))


def test_a_delete_from_another_site_is_refused(views, look):
    view = views()
    tab = look(view, view.memory(OTHER))
    for origin in ("http://evil.example", "null"):
        answer = tab.page.request.post(view.top + view.memory(OTHER, "/delete"), headers={"Origin": origin})
        assert answer.status == 403
    tab.page.reload()
    expect(waiting(tab)).to_have_count(0)

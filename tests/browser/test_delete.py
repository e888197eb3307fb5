"""Deleting in a browser: ten seconds in which it can be taken back from any page, and final after."""

import os

from playwright.sync_api import expect

from browser import sample_texts
from browser.test_a11y import violations
from browser.test_memories import file_of, press
from foreword import paths
from foreword.memory import change

TITLE, OTHER = sample_texts.NOTES[3][0], sample_texts.NOTES[6][0]
FINAL_MS = 20_000  # ten seconds and what a busy machine needs
WORDS = b"reads 90,000 rows"  # in that note's answer alone, and in forewords with it


def waiting(tab):
    return tab.page.get_by_role("form", name="Delete that can be taken back")


def told(tab):
    """What the bar says of deletes, the one status of them."""
    return tab.page.locator("#deletes")


def is_focused(tab, name):
    expect(tab.page.get_by_role("button", name=name)).to_be_focused()


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
    expect(tab.page.locator("h1")).to_contain_text(TITLE)
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
    # It says so when it is so, and not by its own clock.
    assert (
        tab.page.evaluate("async (path) => (await fetch(path)).status", view.top + view.memory(TITLE)) == 404
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


def test_while_another_process_holds_the_store_it_is_not_said_to_be_deleted(views, look):
    view = views()
    path = file_of(view, view.sample.ids[TITLE])
    tab = look(view, view.memory(TITLE))
    press(tab, "Delete")
    with change.locked(view.sample.home):
        work = told(tab).locator('[data-state="at work"]')
        expect(work).to_contain_text("Being deleted", timeout=FINAL_MS)
        expect(work).to_be_focused()  # the button that had it is gone
        expect(tab.page.get_by_text("gone for good")).to_have_count(0)
        assert os.path.exists(path)
    expect(told(tab)).to_contain_text("gone for good", timeout=FINAL_MS)
    assert not os.path.exists(path)


def test_a_delete_that_failed_says_so_until_it_is_dismissed(views, look, axe):
    view = views()
    tab = look(view, view.memory(TITLE))
    press(tab, "Delete")
    state = os.path.join(view.sample.home, "state")
    os.rename(state, state + " aside")
    with open(state, "w", encoding="utf-8"):
        pass  # a file in the place of a folder: nothing can be deleted
    failed = told(tab).locator('[data-state="failed"]')
    expect(failed).to_contain_text(f"{state}: File exists", timeout=FINAL_MS)
    tab.go("/")
    expect(failed).to_contain_text(TITLE)
    assert violations(tab, axe) == []
    failed.get_by_role("button", name=f"Dismiss: {TITLE}").click()
    expect(failed).to_have_count(0)
    tab.go("/")
    expect(told(tab)).to_have_count(0)
    assert view.end()[0] == 0
    assert file_of(view, view.sample.ids[TITLE])


def test_by_keyboard_it_is_taken_back_at_once_and_can_wait_longer(views, look):
    view = views()
    tab = look(view, view.memory(TITLE))
    press(tab, "Delete")
    is_focused(tab, f"Take it back: {TITLE}")
    tab.page.keyboard.press("Tab")
    is_focused(tab, f"Wait 60 s more: {TITLE}")
    address = tab.page.url
    tab.page.keyboard.press("Enter")
    tab.page.wait_for_function("() => Number(document.querySelector('.waiting .left').textContent) > 60")
    is_focused(tab, f"Wait 60 s more: {TITLE}")
    assert tab.page.url == address
    tab.page.keyboard.press("Shift+Tab")
    tab.page.keyboard.press("Enter")
    expect(tab.page.get_by_role("status")).to_contain_text("Kept")
    assert os.path.exists(file_of(view, view.sample.ids[TITLE]))


def test_two_that_wait_are_told_apart_and_axe_finds_nothing(views, look, axe):
    view = views()
    tab = look(view)
    for title in (TITLE, OTHER):
        tab.go(view.memory(title))
        press(tab, "Delete")
    for title in (TITLE, OTHER):
        expect(waiting(tab).get_by_role("button", name=f"Take it back: {title}")).to_have_count(1)
    is_focused(tab, f"Take it back: {OTHER}")
    assert violations(tab, axe) == []
    waiting(tab).get_by_role("button", name=f"Take it back: {TITLE}").click()
    expect(told(tab).get_by_role("form")).to_have_count(1)
    assert os.path.exists(file_of(view, view.sample.ids[TITLE]))


def test_another_tab_says_that_it_was_taken_back(views, look):
    view = views()
    first, second = look(view, view.memory(TITLE)), look(view)
    press(first, "Delete")
    second.go("/")
    expect(waiting(second)).to_have_count(1)
    waiting(first).get_by_role("button", name="Take it back").click()
    expect(told(second)).to_contain_text("Nothing was deleted", timeout=FINAL_MS)


def test_typed_text_is_still_there_when_the_memory_was_deleted_meanwhile(views, look):
    view = views()
    tab = look(view, view.memory(TITLE, "/edit"))
    tab.page.get_by_label("Text", exact=True).fill("What I typed,\nin two lines.")
    os.remove(file_of(view, view.sample.ids[TITLE]))
    tab.expected.add(404)
    press(tab, "Save")
    expect(tab.page.get_by_role("alert")).to_contain_text("is gone")
    assert tab.page.title().startswith("Not saved")
    expect(tab.page.get_by_label("Text", exact=True)).to_have_value("What I typed,\nin two lines.")
    tab.context.grant_permissions(["clipboard-read", "clipboard-write"])
    tab.page.get_by_label("Text", exact=True).locator("xpath=..").get_by_role("button", name="Copy").click()
    expect(tab.page.locator("#kept-body-copied")).to_have_text("Copied.")
    assert tab.page.evaluate("() => navigator.clipboard.readText()") == "What I typed,\nin two lines."
    tab.wrong = [told for told in tab.wrong if "404" not in told]


def test_a_text_that_is_too_long_to_be_sent_stays_in_the_form(views, look):
    view = views()
    tab = look(view, view.memory(TITLE, "/edit"))
    text = ("ü" * 999 + "\n") * 180  # six bytes a letter as it is sent; 200,000 lines take Chromium minutes
    tab.page.get_by_label("Text", exact=True).fill(text)
    press(tab, "Save")
    expect(tab.page.get_by_role("alert")).to_contain_text("more than the view takes")
    expect(tab.page.get_by_label("Text", exact=True)).to_have_value(text)

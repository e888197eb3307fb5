"""Memories in a browser: searched by keyboard, filtered, paged, edited, marked, put aside and back."""

import os

import pytest
from playwright.sync_api import expect

from browser import sample, sample_texts

TITLE = sample_texts.NOTES[5][0]  # about payments
FACT = sample_texts.FACTS[0][0]


def rows(tab):
    return tab.page.get_by_role("list", name="Memories").get_by_role("listitem")


def press(tab, name):
    tab.page.get_by_role("main").get_by_role("button", name=name, exact=True).click()


def file_of(view, memory_id):
    """The path of a memory's file, wherever it is now; "" when there is none."""
    for at, _, names in os.walk(view.sample.shop.folder):
        if memory_id + ".md" in names:
            return os.path.join(at, memory_id + ".md")
    return ""


def test_a_search_by_keyboard_alone_opens_what_it_found(month, look):
    tab = look(month, month.project("memories"))
    tab.page.keyboard.press("/")
    expect(tab.page.get_by_role("searchbox")).to_be_focused()
    tab.page.keyboard.type("retry a payment without charging twice")
    tab.page.keyboard.press("Enter")
    expect(rows(tab).first).to_contain_text(TITLE)
    tab.page.keyboard.press("/")
    link = rows(tab).first.get_by_role("link")
    for _ in range(30):
        tab.page.keyboard.press("Tab")
        if link.evaluate("(one) => one === document.activeElement"):
            break
    tab.page.keyboard.press("Enter")
    expect(tab.page.locator("h1")).to_have_text(TITLE)
    expect(tab.page.get_by_role("main")).to_contain_text("idempotency key")


@pytest.mark.parametrize(
    ("field", "value", "held", "number"),
    [
        ("Type", "session", "Orders: the compound index", 3),
        ("Tag", "decision", "Money is kept in cents", 3),
        ("Age", "older", sample.DAMAGED, 1),
    ],
)
def test_a_filter_leaves_what_it_names(month, look, field, value, held, number):
    tab = look(month, month.project("memories"))
    tab.page.get_by_label(field, exact=True).select_option(value)
    press(tab, "Show")
    expect(rows(tab)).to_have_count(number)
    expect(tab.page.get_by_role("main")).to_contain_text(held)


def test_what_cites_a_changed_file_is_found_by_a_check(month, look):
    tab = look(month, month.project("memories"))
    tab.page.get_by_label("Cited files changed").check()
    press(tab, "Show")
    expect(rows(tab)).to_have_count(2)
    expect(rows(tab).first).to_contain_text(sample_texts.NOTES[1][0])


def test_five_thousand_notes_are_paged_and_searched(views, look):
    tab = look(views(sample.many))
    tab.go(tab.view.project("memories"))
    expect(tab.page.get_by_role("main")).to_contain_text("1–50 of 5,000")
    expect(rows(tab).first).to_contain_text("Number 1:")
    tab.page.get_by_role("link", name="Older").click()
    expect(rows(tab).first).to_contain_text("Number 51:")
    tab.go(tab.view.project("memories?page=100"))
    expect(rows(tab).last).to_contain_text("Number 5000:")
    tab.go(tab.view.project("memories?q=number+4321"))
    expect(rows(tab).first).to_contain_text("Number 4321:")
    tab.go(tab.view.project())
    expect(tab.page.get_by_role("main")).to_contain_text("5,000")


def test_an_edit_is_on_the_disk_and_on_the_page(views, look):
    view = views()
    tab = look(view, view.memory(TITLE))
    tab.page.get_by_role("link", name="Edit", exact=True).click()
    tab.page.get_by_label("Title").fill("Payments: one key <b>an order</b>")
    tab.page.get_by_label("Text", exact=True).fill("Rewritten.\nIn two lines.")
    press(tab, "Save")
    expect(tab.page.locator("h1")).to_have_text("Payments: one key <b>an order</b>")
    expect(tab.page.get_by_role("status")).to_contain_text("Saved")
    with open(file_of(view, view.sample.ids[TITLE]), encoding="utf-8") as f:
        text = f.read()
    assert text.endswith("Rewritten.\nIn two lines.\n")
    assert 'title: "Payments: one key <b>an order</b>"' in text
    tab.go(view.project("memories?q=rewritten"))
    expect(rows(tab).first).to_contain_text("one key <b>an order</b>")


def test_an_edit_of_what_changed_meanwhile_loses_neither_text(views, look):
    view = views()
    tab = look(view, view.memory(TITLE, "/edit"))
    path = file_of(view, view.sample.ids[TITLE])
    with open(path, "a", encoding="utf-8") as f:
        f.write("\nBy hand, meanwhile.\n")
    tab.page.get_by_label("Text", exact=True).fill("What I typed.")
    tab.expected.add(409)
    press(tab, "Save")
    expect(tab.page.get_by_role("alert")).to_contain_text("changed this memory meanwhile")
    expect(tab.page.get_by_label("Text", exact=True)).to_have_value("What I typed.")
    expect(tab.page.get_by_role("main")).to_contain_text("By hand, meanwhile.")
    with open(path, encoding="utf-8") as f:
        assert "By hand, meanwhile." in f.read()
    tab.wrong = [told for told in tab.wrong if "409" not in told]


def test_a_memory_is_pinned_rejected_and_offered_as_usual_again(views, look):
    view = views()
    tab = look(view, view.memory(TITLE))
    for name, badge in (("Pin", "pinned"), ("Reject", "rejected")):
        press(tab, name)
        expect(tab.page.locator(".badge").filter(has_text=badge)).to_be_visible()
    press(tab, "Offer as usual")
    expect(tab.page.locator(".badge").filter(has_text="rejected")).to_have_count(0)
    with open(file_of(view, view.sample.ids[TITLE]), encoding="utf-8") as f:
        assert "offer:" not in f.read()


def test_a_memory_goes_to_the_archive_and_comes_back(views, look):
    view = views()
    memory_id = view.sample.ids[TITLE]
    tab = look(view, view.memory(TITLE))
    press(tab, "Archive")
    expect(tab.page.get_by_role("status")).to_contain_text("Archived")
    assert os.path.join("archive", "note") in file_of(view, memory_id)
    press(tab, "Restore")
    expect(tab.page.get_by_role("status")).to_contain_text("Restored")
    assert "archive" not in os.path.relpath(file_of(view, memory_id), view.sample.home)


def test_a_message_is_shown_once(views, look):
    view = views()
    tab = look(view, view.memory(TITLE))
    press(tab, "Pin")
    expect(tab.page.get_by_role("status")).to_contain_text("Pinned")
    tab.page.reload()
    expect(tab.page.get_by_role("status")).to_have_count(0)


def test_a_fact_names_what_it_superseded_and_leads_there(month, look):
    tab = look(month, month.project("memories?type=fact"))
    expect(rows(tab)).to_have_count(len(sample_texts.FACTS) + 1)
    tab.page.get_by_role("link", name=FACT).first.click()
    expect(tab.page.get_by_role("main")).to_contain_text("Supersedes")
    origin = tab.page.get_by_role("region", name="Where it comes from")
    origin.get_by_role("link", name=FACT).click()
    expect(tab.page.get_by_role("main")).to_contain_text(sample_texts.SUPERSEDED[1].split("`")[1])

"""Accessibility: axe finds nothing on any page, light and dark, wide and narrow, and with messages shown."""

import pytest
from playwright.sync_api import expect

from browser import sample, sample_texts, seen
from browser.test_pages import PAGES

# All rules but those that their makers call experimental; AA of WCAG 2.2 with the size of targets.
_RUN = """async () => {
  const options = {rules: {"target-size": {enabled: true}}};
  const found = await axe.run(document, options);
  return found.violations.map((one) => one.id + ": " + one.help + " | " +
    one.nodes.map((node) => node.target.join(" ") + " " + node.failureSummary).join(" | "));
}"""


def violations(tab, axe):
    """What axe finds on the present page, a line each."""
    tab.page.evaluate(axe)
    return tab.page.evaluate(_RUN)


@pytest.mark.parametrize("name", PAGES)
def test_axe_finds_nothing(month, look, axe, name):
    tab = look(month, PAGES[name][0](month))
    for width in (seen.WIDE, seen.NARROW):
        for scheme in seen.SCHEMES:
            tab.resize(width, scheme)
            assert violations(tab, axe) == [], (width, scheme)


def read_out(tab):
    """[(role, name, focused)] of what a screen reader is given of the present page."""
    found = tab.context.new_cdp_session(tab.page).send("Accessibility.getFullAXTree")["nodes"]
    return [
        (
            node["role"]["value"],
            node["name"]["value"] if "name" in node else "",
            any(its["name"] == "focused" and its["value"]["value"] for its in node.get("properties", ())),
        )
        for node in found
        if not node["ignored"]
    ]


@pytest.mark.parametrize("name", ["projects", "report"])
def test_a_table_that_becomes_cards_is_a_table_to_who_hears_it(month, look, name):
    tab = look(month, PAGES[name][0](month))
    roles = ("table", "row", "columnheader", "rowheader", "cell")
    heard = [one for one in read_out(tab) if one[0] in roles]
    tab.resize(seen.NARROW, "light")
    cell = tab.page.locator("table.cards td").first
    assert cell.evaluate("(one) => getComputedStyle(one).display") == "grid"
    assert [one for one in read_out(tab) if one[0] in roles] == heard
    assert {role for role, *_ in heard} == set(roles)


def test_what_a_button_did_is_where_the_next_page_begins(views, look):
    view = views()
    tab = look(view, view.memory(sample_texts.NOTES[0][0]))
    for button, said in (("Pin", "Pinned:"), ("Archive", "Archived:"), ("Restore", "Restored.")):
        tab.page.get_by_role("main").get_by_role("button", name=button, exact=True).click()
        expect(tab.page.get_by_role("status").filter(has_text=said)).to_be_focused()
        focused = [(role, name) for role, name, is_focused in read_out(tab) if is_focused]
        assert [role for role, name in focused if name.startswith(said)] == ["status"]


def test_axe_would_find_something(month, look, axe):
    tab = look(month)
    tab.page.evaluate("() => document.querySelector('main').append(document.createElement('button'))")
    assert [told.split(":")[0] for told in violations(tab, axe)] == ["button-name"]


def test_axe_finds_nothing_on_the_pages_of_an_empty_store(views, look, axe):
    tab = look(views(sample.empty))
    for path in ("/", "/graph", "/graph/lint"):
        tab.go(path)
        assert violations(tab, axe) == [], path


def test_axe_finds_nothing_where_a_page_is_missing(month, look, axe):
    tab = look(month)
    tab.expected.add(404)
    for path in ("/nothing", "/graph/entity?name=nobody-of-that-name"):
        tab.go(path)
        assert violations(tab, axe) == [], path
    tab.wrong = [told for told in tab.wrong if "404" not in told]

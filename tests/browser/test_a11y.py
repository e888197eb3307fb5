"""Accessibility: axe finds nothing on any page, light and dark, wide and narrow, and with messages shown."""

import pytest

from browser import sample, seen
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

"""How it looks: dark is dark, text of anybody's stays text, and nothing breaks a page."""

import re

import pytest
from playwright.sync_api import expect

from browser import sample, seen

_GROUND = """() => {
  const [r, g, b] = getComputedStyle(document.body).backgroundColor.match(/[0-9.]+/g).map(Number);
  return (0.2126 * r + 0.7152 * g + 0.0722 * b) / 255;
}"""
HOSTILE = f"Does {sample.SCRIPT} run?"


def test_dark_is_dark_and_light_is_light(month, look):
    tab = look(month, month.project())
    assert tab.page.evaluate(_GROUND) > 0.9
    tab.resize(seen.WIDE, "dark")
    assert tab.page.evaluate(_GROUND) < 0.15


def test_a_script_in_a_note_is_text_wherever_it_stands(month, look):
    tab = look(month)
    for path in (
        month.project(),
        month.project("memories?q=script"),
        month.memory(HOSTILE),
        month.memory(HOSTILE, "/edit"),
    ):
        tab.go(path)
        assert tab.page.evaluate("() => document.body.dataset.ran") is None
        assert tab.page.locator("main script, main img").count() == 0
    tab.go(month.memory(HOSTILE))
    expect(tab.page.locator("h1")).to_contain_text(sample.SCRIPT)
    expect(tab.page.get_by_role("main")).to_contain_text("<img src=x onerror=alert(1)>")


# What must stand on one line: a time, a size, a number with its unit.
_BROKEN = """() => [...document.querySelectorAll("time, .whole, .ends span, td.n:not(.much)")]
  .filter((one) => {
    const range = document.createRange();
    range.selectNodeContents(one);
    return new Set([...range.getClientRects()].map((box) => Math.round(box.bottom / 8))).size > 1;
  }).map((one) => one.textContent)"""
# How many tiles stand in each row.
_ROWS = """() => Object.values([...document.querySelectorAll(".tile")].reduce((rows, one) => {
  const top = Math.round(one.getBoundingClientRect().top);
  return {...rows, [top]: (rows[top] || 0) + 1};
}, {}))"""


@pytest.mark.parametrize("width", [seen.WIDE, 1_200, 1_010, 800, 610, seen.NARROW])
def test_no_time_size_or_number_breaks_and_tiles_fill_their_rows(month, look, width):
    tab = look(month, width=width)
    for path in ("/", month.project(), month.project("report"), month.project("memories")):
        tab.go(path)
        assert tab.page.evaluate(_BROKEN) == [], path
        assert tab.too_wide() <= 0, path
    tab.go(month.project())
    assert tab.page.evaluate(_ROWS) == ([2, 2, 1, 2] if width == seen.NARROW else [4, 3])


def test_a_folded_title_is_seen_whole_by_keyboard(month, look):
    tab = look(month, month.memory(sample.LONG_TITLE))
    assert tab.page.locator("h1").bounding_box()["height"] < 150
    whole = tab.page.get_by_text(sample.LONG_TITLE, exact=True)
    expect(whole).to_be_hidden()
    tab.page.locator("summary").focus()
    tab.page.keyboard.press("Enter")
    expect(whole).to_be_visible()
    assert tab.too_wide() <= 0


@pytest.mark.parametrize("width", [seen.WIDE, seen.NARROW])
def test_a_title_of_5000_characters_breaks_no_page(month, look, width):
    tab = look(month, month.project("memories?q=program+wrote"), width=width)
    row = tab.page.get_by_role("listitem").filter(has_text="A title that somebody's program wrote")
    assert row.first.bounding_box()["height"] < 400
    assert tab.too_wide() <= 0
    row.first.get_by_role("link").first.click()
    expect(tab.page.locator("h1")).to_contain_text("A title that somebody's program wrote")
    assert tab.too_wide() <= 0


def test_a_damaged_file_is_shown_with_what_is_wrong(month, look):
    tab = look(month, month.project(f"memories/{sample.DAMAGED}"))
    expect(tab.page.get_by_role("main")).to_contain_text(re.compile("UTF-8|damage", re.IGNORECASE))
    tab.go(month.project("memories?age=older"))
    expect(tab.page.get_by_role("main")).to_contain_text(sample.DAMAGED)


def test_touch_targets_of_the_head_and_the_buttons_are_large_enough(month, look):
    tab = look(month, month.project("memories"), width=seen.NARROW)
    for one in tab.page.locator("nav[aria-label=Pages] a, main button").all():
        box = one.bounding_box()
        if box:
            assert min(box["width"], box["height"]) >= 24, one.inner_text()

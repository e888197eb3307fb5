"""Every page, light and dark, wide and narrow: it fits, says what it is, and complains about nothing."""

import re
import urllib.error
import urllib.request

import pytest
from playwright.sync_api import expect

from browser import sample, sample_texts, seen

TITLE = sample_texts.NOTES[0][0]
# name -> (its path by a View, what its heading says)
PAGES = {
    "projects": (lambda view: "/", "All projects"),
    "project": (lambda view: view.project(), "shop"),
    "report": (lambda view: view.project("report"), "Does memory pay?"),
    "health": (lambda view: view.project("health"), "Health"),
    "memories": (lambda view: view.project("memories"), "Memories"),
    "search": (lambda view: view.project("memories?q=upload"), "Memories"),
    "memory": (lambda view: view.memory(TITLE), TITLE),
    "edit": (lambda view: view.memory(TITLE, "/edit"), "Edit"),
    "graph": (lambda view: "/graph", "Knowledge graph"),
    "entity": (lambda view: "/graph/entity?name=shop", "shop"),
    "lint": (lambda view: "/graph/lint", "odd"),
}


@pytest.mark.parametrize("name", PAGES)
def test_a_page_fits_wide_and_narrow_and_asks_for_nothing_but_its_own(month, look, name):
    path, heading = PAGES[name]
    tab = look(month, path(month))
    for width in (seen.WIDE, seen.NARROW):
        for scheme in seen.SCHEMES:
            tab.resize(width, scheme)
            assert tab.too_wide() <= 0, (width, scheme)
    assert tab.page.locator("h1").count() == 1
    expect(tab.page.locator("h1")).to_contain_text(heading)
    assert tab.page.title().endswith("– Foreword")
    for landmark in ("banner", "main", "contentinfo"):
        expect(tab.page.get_by_role(landmark)).to_have_count(1)


def test_what_does_not_exist_says_so_and_leads_back(month, look):
    tab = look(month)
    tab.expected.add(404)
    for path in ("/nothing", "/p/nobody-00000000/", month.project("memories/20200101-000000-0000")):
        assert tab.go(path).status == 404
        expect(tab.page.get_by_role("link", name="All projects").first).to_be_visible()
    # The console tells of each as well.
    tab.wrong = [told for told in tab.wrong if "404" not in told]


@pytest.mark.parametrize("path", ["/", "/wrong-token/", "/wrong-token/graph"])
def test_without_the_token_nothing_is_shown(month, chromium, path):
    context = chromium.new_context()
    try:
        page = context.new_page()
        answer = page.goto(month.origin + path)
        assert answer.status == 403
        text = page.locator("body").inner_text()
        assert "foreword view" in text
        assert "shop" not in text and month.sample.home not in text
    finally:
        context.close()


def test_a_page_of_another_host_is_refused(month):
    request = urllib.request.Request(month.url, headers={"Host": "evil.example"})
    with pytest.raises(urllib.error.HTTPError) as refused:
        urllib.request.urlopen(request)
    assert refused.value.code in (403, 421)
    refused.value.close()


def test_the_navigation_leads_to_every_page_of_the_project(month, look):
    tab = look(month, month.project())
    for name in ("Memories", "Report", "Health", "Graph", "All projects"):
        tab.page.get_by_role("navigation", name="Pages").get_by_role("link", name=name).click()
        current = tab.page.locator("nav [aria-current=page]")
        expect(current).to_have_text(name)
    tab.page.get_by_role("main").get_by_role("link", name="shop", exact=True).click()
    expect(tab.page.locator("h1")).to_contain_text("shop")


def test_the_first_tab_stop_skips_to_the_content(month, look):
    tab = look(month, month.project())
    tab.page.keyboard.press("Tab")
    expect(tab.page.get_by_role("link", name="Skip to the content")).to_be_focused()
    tab.page.keyboard.press("Enter")
    expect(tab.page.locator("main")).to_be_focused()


def test_the_project_page_tells_how_memory_is_used(month, look):
    tab = look(month, month.project())
    main = tab.page.get_by_role("main")
    expect(main).to_contain_text(re.compile(r"70\s%"))
    expect(main).to_contain_text(f"{sample.PROMPTS} prompts")
    expect(main).to_contain_text(TITLE)
    expect(main).to_contain_text("src/cart.py")


def test_a_project_with_few_sessions_has_no_percentage_of_tokens(month, look):
    tab = look(month, f"/p/{month.sample.gateway.name}/")
    expect(tab.page.get_by_role("main")).to_contain_text("too few sessions")
    expect(tab.page.get_by_role("main")).to_contain_text("3 on / 5 off")


def test_an_empty_store_says_how_to_begin(views, look):
    tab = look(views(sample.empty))
    expect(tab.page.get_by_role("main")).to_contain_text("foreword install")
    tab.go("/graph")
    expect(tab.page.get_by_role("main")).to_contain_text("foreword graph on")
    assert tab.too_wide() <= 0


def test_the_process_ends_cleanly_and_the_address_with_it(views):
    view = views(sample.empty)
    code, told = view.end()
    assert code == 0
    assert "Traceback" not in told
    with pytest.raises(urllib.error.URLError):
        urllib.request.urlopen(view.url)

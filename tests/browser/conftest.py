"""The view in a browser: `foreword view` as a real process, headless Chromium through Playwright, axe.

Where Chromium or axe is missing the tests are skipped and say how to get it; with FOREWORD_REQUIRE_CLIENTS=1
they fail instead, so that nobody takes skipped for passed. One browser a module, a context a test.
"""

import os
import sys
import time

import pytest

# The modules beside this file are also used by docs/screenshots.py; tests/ is their root.
sys.path.append(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

from browser import sample as samples
from browser import seen

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
AXE = os.path.join(TOP, ".clients", "node_modules", "axe-core", "axe.min.js")


def pytest_collection_modifyitems(items):
    here = os.path.dirname(os.path.abspath(__file__))
    for item in items:
        if str(item.path).startswith(here + os.sep):
            item.add_marker(pytest.mark.e2e)


def _missing(what):
    if os.environ.get("FOREWORD_REQUIRE_CLIENTS") == "1":
        pytest.fail(what, pytrace=False)
    pytest.skip(what)


# Of a module: while Playwright's own API runs, asyncio takes this thread's loop for running, and the tests
# that start one of their own would fail (playwright 1.65.2).
@pytest.fixture(scope="module")
def chromium(tmp_path_factory):
    """The browser of a module's tests, in a home of its own: it keeps reports of crashes there."""
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        _missing("Playwright is not installed: make venv")
    program = seen.chromium()
    if not program:
        _missing("Chromium is not installed: apt-get install chromium, or name one by CHROMIUM_BIN")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=program,
            args=seen.ARGUMENTS,
            env=seen.of_home(str(tmp_path_factory.mktemp("chromium"))),
        )
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def axe():
    """The source of axe-core."""
    if not os.path.exists(AXE):
        _missing("axe-core is not installed for the tests: make clients")
    with open(AXE, encoding="utf-8") as f:
        return f.read()


@pytest.fixture(scope="session")
def month(tmp_path_factory):
    """The View of the sample store, for tests that change nothing."""
    sample = samples.made(str(tmp_path_factory.mktemp("month")), time.time())
    with seen.View(sample, sample.shop.root) as view:
        yield view


@pytest.fixture
def views(tmp_path):
    """A function that gives a View of a new store, by a function of `sample`, for tests that change it."""
    opened = []

    def view(make=samples.made, **options):
        store = make(str(tmp_path / f"store-{len(opened)}"), time.time(), **options)
        folder = store.shop.root if store.shop else store.user
        opened.append(seen.View(store, folder).__enter__())
        return opened[-1]

    yield view
    for one in opened:
        one.__exit__(None, None, None)


@pytest.fixture
def look(chromium):
    """A function that opens a tab on a View, a seen.Tab; afterwards none of them may have complained."""
    tabs = []

    def open_tab(view, path="/", **options):
        tabs.append(seen.Tab(chromium, view, **options))
        tabs[-1].go(path)
        return tabs[-1]

    yield open_tab
    try:
        for tab in tabs:
            assert tab.complaints() == []
    finally:
        for tab in tabs:
            tab.close()

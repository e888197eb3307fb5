"""Make the screenshots of docs/view.md anew: `make screenshots`. Needs Chromium, and nothing of the user's.

The store is the one of the view's tests, always of the same moment: the same Chromium and fonts give the same
pictures. It lies in a folder for temporary files, and goes with the run.
"""

import calendar
import os
import shutil
import sys
import tempfile

from playwright.sync_api import sync_playwright

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.append(os.path.join(os.path.dirname(HERE), "tests"))

from browser import sample, sample_texts, seen  # noqa: E402  from the folder that was named just now

OUT = os.path.join(HERE, "images")
NOW = calendar.timegm((2026, 11, 30, 10, 15, 0))
LARGEST = 250_000  # bytes of a picture
# The view of that moment: its clock goes on from there.
CLOCK = (
    "import time; real = time.time; ahead = {now} - real(); time.time = lambda: real() + ahead;"
    " from foreword.cli import main; main()"
)
# name -> (its path by a View, width, height, light or dark)
PICTURES = {
    "project-light": (lambda view: view.project(), 1_200, 1_000, "light"),
    "project-dark": (lambda view: view.project(), 1_200, 1_000, "dark"),
    "project-narrow": (lambda view: view.project(), seen.NARROW, 1_000, "light"),
    "report": (lambda view: view.project("report"), 1_200, 1_000, "light"),
    "memories": (lambda view: view.project("memories?q=upload+gateway"), 1_200, 800, "light"),
    "memory": (lambda view: view.memory(sample_texts.NOTES[1][0]), 1_200, 1_000, "light"),
    "graph": (lambda view: "/graph/entity?name=shop", 1_200, 1_000, "light"),
}


def main():
    program = seen.chromium()
    if not program:
        sys.exit("Chromium is not installed: apt-get install chromium, or name one by CHROMIUM_BIN")
    # Its path is seen on some pages, so it has no random name.
    top = os.path.join(tempfile.gettempdir(), "foreword-screenshots")
    os.mkdir(top, 0o700)
    try:
        store = sample.made(os.path.join(top, "dev"), NOW, flawless=True)
        command = (sys.executable, "-c", CLOCK.format(now=NOW))
        with seen.View(store, store.shop.root, command) as view, sync_playwright() as playwright:
            browser = playwright.chromium.launch(
                executable_path=program,
                args=seen.ARGUMENTS,
                env=seen.of_home(os.path.join(top, "chromium")),
            )
            os.makedirs(OUT, exist_ok=True)
            for name in PICTURES:
                take(browser, view, name)
            browser.close()
    finally:
        shutil.rmtree(top)


def take(browser, view, name):
    """One picture; one that would be too large for the docs ends the run."""
    path, width, height, scheme = PICTURES[name]
    tab = seen.Tab(browser, view, width, scheme)
    tab.page.set_viewport_size({"width": width, "height": height})
    tab.go(path(view))
    data = tab.page.screenshot(animations="disabled")
    if tab.complaints() or len(data) > LARGEST:
        sys.exit(f"{name}: {len(data):,} bytes, {tab.complaints()}")
    with open(os.path.join(OUT, name + ".png"), "wb") as f:
        f.write(data)
    print(f"{name}.png {len(data):,} bytes")
    tab.close()


if __name__ == "__main__":
    main()

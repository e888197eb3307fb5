"""The view in a browser: its process, and a tab that notices what a page does wrong.

`View` starts `foreword view` with a home of its own, `Tab` looks at it with Chromium. The tests and
docs/screenshots.py use both.
"""

import os
import shutil
import subprocess
import sys
import urllib.parse
from typing import Any

WIDE, NARROW = 1_400, 380  # pixels
HEIGHT = 900
SCHEMES = ("light", "dark")
PATIENCE_S = 30  # of a start, which takes one second
# A browser of its own accord talks to its maker; here it must not.
ARGUMENTS = [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
]  # fmt: skip
COMMAND = (sys.executable, "-I", "-m", "foreword.cli")
_NOTICE = """
window.refused = [];
document.addEventListener("securitypolicyviolation",
  (event) => window.refused.push(event.violatedDirective + " " + event.blockedURI));
"""
_FITS = "() => document.scrollingElement.scrollWidth - document.scrollingElement.clientWidth"


def chromium():
    """The path of Chromium, "" where there is none."""
    named = os.environ.get("CHROMIUM_BIN")
    if named:
        return named
    found = [shutil.which(name) for name in ("chromium", "chromium-browser", "google-chrome")]
    return next((path for path in found if path), "")


def of_home(folder):
    """The environment of a browser whose home is a folder."""
    ours = {name: value for name, value in os.environ.items() if not name.startswith("XDG_")}
    return {**ours, "HOME": folder}


class View:
    """A running `foreword view` of a sample.Sample, started in `folder`; a context manager.

    url: as it was printed; origin: without path; top: origin and token.
    """

    def __init__(self, sample, folder, command=COMMAND):
        self.sample, self.folder, self.command = sample, folder, command
        self.url = self.origin = self.top = ""
        self.process: Any = None

    def __enter__(self):
        environment = {
            "PATH": os.environ.get("PATH", os.defpath),
            "HOME": self.sample.user,
            "FOREWORD_HOME": self.sample.home,
            "LANG": "C.UTF-8",
        }
        self.process = subprocess.Popen(
            [*self.command, "view", "--no-open"],
            cwd=self.folder,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self.url = self.process.stdout.readline().strip()
        if not self.url:
            raise AssertionError(self.process.communicate(timeout=PATIENCE_S)[1])
        parts = urllib.parse.urlsplit(self.url)
        self.origin = f"{parts.scheme}://{parts.netloc}"
        self.top = self.origin + "/" + parts.path.split("/")[1]
        return self

    def __exit__(self, *_):
        self.end()

    def end(self):
        """(exit code, stderr) after SIGTERM; the second time the same."""
        if self.process.poll() is None:
            self.process.terminate()
        _, told = self.process.communicate(timeout=PATIENCE_S) if self.process.stderr else (0, "")
        self.process.stdout = self.process.stderr = None
        return self.process.returncode, told

    def project(self, path=""):
        """The path of a page of the shop's project, below the token."""
        return f"/p/{urllib.parse.quote(self.sample.shop.name)}/{path}"

    def memory(self, title, act=""):
        """The path of a memory's page."""
        return self.project(f"memories/{self.sample.ids[title]}{act}")


class Tab:
    """A tab in a context of its own. page: Playwright's; wrong: what went wrong so far, a sentence each."""

    def __init__(self, browser, view, width=WIDE, scheme="light", **options):
        self.view, self.wrong, self.expected = view, [], set()
        self.context = browser.new_context(
            viewport={"width": width, "height": HEIGHT},
            color_scheme=scheme,
            reduced_motion="reduce",
            **options,
        )
        self.page = self.context.new_page()
        self.page.set_default_timeout(PATIENCE_S * 1_000)
        self.page.add_init_script(_NOTICE)
        self.page.on("console", self._said)
        self.page.on("pageerror", lambda error: self.wrong.append(f"script: {error}"))
        self.context.on("request", self._asked)
        self.page.on("response", self._answered)

    def _said(self, message):
        if message.type in ("error", "warning"):
            self.wrong.append(f"console: {message.text} {message.location.get('url', '')}")

    def _asked(self, request):
        if not request.url.startswith(self.view.origin + "/"):
            self.wrong.append("asked for " + request.url)

    def _answered(self, response):
        if response.status >= 400 and response.status not in self.expected:
            self.wrong.append(f"{response.status} for {response.url}")

    def go(self, path):
        """Open a path below the token; Playwright's response."""
        return self.page.goto(self.view.top + path)

    def refused(self):
        """What the content security policy kept the present page from."""
        return self.page.evaluate("() => window.refused || []")

    def too_wide(self):
        """By how many pixels the page is wider than its window."""
        return self.page.evaluate(_FITS)

    def resize(self, width, scheme):
        self.page.set_viewport_size({"width": width, "height": HEIGHT})
        self.page.emulate_media(color_scheme=scheme)

    def complaints(self):
        """All that went wrong in this tab, on this page or before."""
        return [*self.wrong, *(f"policy: {told}" for told in self.refused())]

    def close(self):
        self.context.close()

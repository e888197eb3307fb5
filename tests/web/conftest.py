"""The view's application as a browser asks it, in one process: real pages, a real store, no port."""

import pytest
from starlette.testclient import TestClient

from foreword import memory
from foreword.web import app, shown
from foreword.web.pending import Pending

TOKEN = "t" * 32
PORT = 8123
OWN = f"http://127.0.0.1:{PORT}"


class Alarms(list):
    """Instead of timers: what would be called later, so that a test decides when ten seconds are over."""

    def __call__(self, delay_s, call):
        self.append(call)
        return self

    def cancel(self):
        """A timer that was cancelled may still have fired: nothing here forgets one."""

    def ring(self):
        for call in list(self):
            call()


class Site:
    """GET and POST below the token; paths as in the table of pages, `/p/<name>/`."""

    def __init__(self, home, here="", **options):
        self.alarms = Alarms()
        pending = Pending(alarm=self.alarms, clock=lambda: 1000.0)
        self.view = shown.View(home, TOKEN, here, {}, pending)
        self.app = app.made(self.view, PORT, **options)
        self.client = TestClient(self.app, base_url=OWN, raise_server_exceptions=False)

    def get(self, path, status=200):
        """The answer; every page must be one that the policy lets a browser show."""
        answer = self.client.get(f"/{TOKEN}{path}", follow_redirects=False)
        assert answer.status_code == status, (path, answer.status_code, answer.text)
        if answer.headers["content-type"].startswith("text/html"):
            assert " style=" not in answer.text and " onclick=" not in answer.text
        return answer

    def page(self, path, status=200):
        """The text of a page."""
        return self.get(path, status).text

    def post(self, path, status=303, **fields):
        """The answer to a form that a page of ours sent."""
        answer = self.client.post(
            f"/{TOKEN}{path}", data=fields, headers={"origin": OWN}, follow_redirects=False
        )
        assert answer.status_code == status, (path, answer.status_code, answer.text)
        return answer

    def after(self, path, **fields):
        """The text of the page that a form leads to."""
        return self.page(self.post(path, **fields).headers["location"].removeprefix("/" + TOKEN))


@pytest.fixture
def home(tmp_path):
    """The store's folder; it need not exist."""
    return str(tmp_path / "home" / ".foreword")


@pytest.fixture
def place(tmp_path, home):
    """A project that nothing was saved for."""
    (tmp_path / "ledger").mkdir()
    return memory.open_project(str(tmp_path / "ledger"), home, create=True)


@pytest.fixture
def site(home):
    """The view of the store, started outside of any project."""
    return Site(home)

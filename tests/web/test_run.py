"""The view as a process: one address on stdout, 127.0.0.1 alone, a clean end that deletes what waits."""

import http.client
import os
import shutil
import signal
import socket
import subprocess
import sys
import urllib.parse

import pytest

from foreword import memory
from foreword.errors import NotFoundError
from foreword.memory import change

COMMAND = [sys.executable, "-I", "-m", "foreword.cli", "view"]
PATIENCE_S = 60
AT_END = "deleting 1 memory; Ctrl-C again leaves what is not done\n"


class Running:
    """One `foreword view`, and requests to it."""

    def __init__(self, *options, folder=None, env=None, command=COMMAND):
        self.process = subprocess.Popen(
            [*command, *options], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=folder,
            env={**os.environ, **(env or {})},
        )  # fmt: skip
        self.url = self.process.stdout.readline().strip()
        self.parts = urllib.parse.urlsplit(self.url)

    def ask(self, method="GET", path=None, headers=None, body=None):
        """(status, headers, text)"""
        connection = http.client.HTTPConnection("127.0.0.1", self.parts.port, timeout=PATIENCE_S)
        try:
            connection.request(method, path or self.parts.path, body, headers or {})
            answer = connection.getresponse()
            return answer.status, dict(answer.getheaders()), answer.read().decode()
        finally:
            connection.close()

    def end(self, number=signal.SIGINT):
        """(exit code, the rest of stdout, stderr)"""
        self.process.send_signal(number)
        out, err = self.process.communicate(timeout=PATIENCE_S)
        return self.process.returncode, out, err


@pytest.fixture
def view():
    """A function that starts one; all end with the test."""
    started = []

    def start(*options, **more):
        started.append(Running(*options, **more))
        return started[-1]

    yield start
    for one in started:
        if one.process.poll() is None:
            one.process.kill()
        one.process.communicate()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_it_prints_one_address_serves_it_and_ends_cleanly(view, number):
    running = view("--no-open")
    assert running.parts.hostname == "127.0.0.1"
    assert len(running.parts.path) == 34  # a token of 24 bytes between two slashes
    status, headers, text = running.ask()
    assert status == 200
    assert "Nothing here yet" in text
    assert "server" not in {name.lower() for name in headers}
    code, out, err = running.end(number)
    assert (code, out) == (0, "")
    assert err == "Ctrl-C ends it\n"


def test_every_run_has_a_token_of_its_own_and_several_run_at_once(view):
    first, second = view("--no-open"), view("--no-open")
    assert first.url != second.url
    assert first.ask()[0] == second.ask()[0] == 200
    status, _, text = first.ask(path=second.parts.path)
    assert status == 403
    assert "Run foreword view again" in text


def test_it_listens_on_loopback_alone(view):
    running = view("--no-open")
    with open("/proc/net/tcp", encoding="ascii") as f:
        listening = [line.split()[1] for line in f if line.split()[3] == "0A"]
    assert [at for at in listening if int(at.partition(":")[2], 16) == running.parts.port] == [
        "0100007F:%04X" % running.parts.port
    ]


def test_it_opens_the_project_that_it_was_started_in(view, place):
    memory.save(place, "Geese guard the barn.", title="Geese")
    assert view("--no-open", folder=place.root).parts.path.endswith(f"/p/{place.name}/")
    assert view("--no-open", "--project", place.root).parts.path.endswith(f"/p/{place.name}/")


def test_a_project_without_a_memory_opens_all_projects(view, tmp_path):
    (tmp_path / "new").mkdir()
    running = view("--no-open", folder=tmp_path / "new")
    assert running.parts.path.count("/") == 2


def test_a_port_can_be_chosen_and_one_that_is_taken_is_refused(view):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        done = subprocess.run(
            [*COMMAND, "--no-open", "--port", str(port)], capture_output=True, text=True, timeout=PATIENCE_S
        )
    assert (done.returncode, done.stdout) == (4, "")
    assert f"error: port {port} of 127.0.0.1 cannot be had" in done.stderr
    assert "hint: leave --port out" in done.stderr
    running = view("--no-open", "--port", str(port))
    assert running.parts.port == port
    assert running.ask()[0] == 200


def to_delete(running, place, memory_id, act="delete"):
    """Press a button on the page of a memory."""
    token = running.parts.path.split("/")[1]
    headers = {
        "Origin": f"http://127.0.0.1:{running.parts.port}",
        "Content-Type": "application/x-www-form-urlencoded",
    }
    path = f"/{token}/p/{place.name}/memories/{memory_id}/{act}"
    assert running.ask("POST", path, headers, "")[0] == 303


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_delete_that_waits_is_carried_out_at_the_end_and_told(view, place, number):
    found = memory.save(place, "Geese guard the barn.", title="Geese\x1b[31m")["id"]
    running = view("--no-open", folder=place.root)
    to_delete(running, place, found)
    assert memory.read(place, found)["title"]
    code, _, err = running.end(number)
    assert code == 0
    assert err == f"Ctrl-C ends it\n{AT_END}deleted: Geese\n"
    with pytest.raises(NotFoundError):
        memory.read(place, found)


def test_what_nohup_ignores_is_ignored(view, place):
    found = memory.save(place, "Geese guard the barn.", title="Geese")["id"]
    running = view("--no-open", folder=place.root, command=["nohup", *COMMAND])
    running.process.send_signal(signal.SIGHUP)
    assert running.ask()[0] == 200
    to_delete(running, place, found, "keep")
    assert running.end()[0] == 0


def test_a_delete_that_fails_at_the_end_is_told_with_what_to_do_and_in_the_exit_code(view, place):
    found = memory.save(place, "Geese guard the barn.", title="Geese")["id"]
    running = view("--no-open", folder=place.root)
    to_delete(running, place, found)
    shutil.rmtree(os.path.join(place.home, "state"))
    with open(os.path.join(place.home, "state"), "w"):
        pass  # a file in the place of a folder: no lock can be made there
    code, _, err = running.end()
    assert code == 2
    state = os.path.join(place.home, "state")
    assert err == f"Ctrl-C ends it\n{AT_END}not deleted: Geese: {state}: File exists\nhint: foreword doctor\n"
    assert memory.list_memories(place)[0]["id"] == found


def test_ctrl_c_once_more_ends_it_at_once_and_says_what_is_left(view, place):
    titles = {"Geese": "Geese guard the barn.", "Ducks": "Ducks do not."}
    running = view("--no-open", folder=place.root)
    for title, body in titles.items():
        to_delete(running, place, memory.save(place, body, title=title)["id"])
    with change.locked(place.home):  # the deletes wait for it, up to ten seconds
        running.process.send_signal(signal.SIGINT)
        assert running.process.stderr.readline() == "Ctrl-C ends it\n"
        told = "deleting 2 memories; Ctrl-C again leaves what is not done\n"
        assert running.process.stderr.readline() == told
        code, _, err = running.end()
    assert code == 130
    assert err.splitlines() == [f"not deleted: {title}: you ended the view before" for title in titles]
    assert len(memory.list_memories(place)) == 2


def test_without_stdout_it_says_so_and_does_not_start(view):
    done = subprocess.run(
        ["sh", "-c", 'exec "$@" >&-', "sh", *COMMAND, "--no-open"], stderr=subprocess.PIPE, text=True,
        timeout=PATIENCE_S,
    )  # fmt: skip
    assert done.returncode == 2
    assert done.stderr.startswith("error: stdout is closed")


def test_without_stderr_it_runs_and_its_talk_is_not_in_stdout(view, place):
    found = memory.save(place, "Geese guard the barn.", title="Geese")["id"]
    running = Running("--no-open", folder=place.root, command=["sh", "-c", 'exec "$@" 2>&-', "sh", *COMMAND])
    to_delete(running, place, found)
    code, out, err = running.end()
    assert (code, out, err) == (0, "", "")
    assert memory.list_memories(place) == []


def test_the_browser_gets_an_address_that_works_once_and_not_the_token(view, tmp_path):
    told = tmp_path / "told"
    os.mkfifo(told)
    browser = tmp_path / "browser"
    browser.write_text(f'#!/bin/sh\necho "$1" > {told}\n')
    browser.chmod(0o755)
    running = view(env={"BROWSER": str(browser)})
    with open(told, encoding="utf-8") as f:  # waits until the browser was started
        opened = urllib.parse.urlsplit(f.read().strip())
    assert running.parts.path.strip("/") not in opened.path
    status, headers, _ = running.ask(path=opened.path)
    assert (status, headers["location"]) == (303, running.parts.path)
    assert running.ask(path=opened.path)[0] == 403


def test_without_a_screen_it_says_that_no_browser_opens(view, monkeypatch):
    for name in ("BROWSER", "DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(name, raising=False)
    running = view()
    assert running.ask()[0] == 200
    assert running.end()[2] == "Ctrl-C ends it\nno browser can be opened here: open the address above\n"


def test_a_browser_that_cannot_be_started_is_told_and_the_view_goes_on(view, tmp_path):
    running = view(env={"BROWSER": str(tmp_path / "none")})
    assert running.process.stderr.readline() == "Ctrl-C ends it\n"
    assert running.process.stderr.readline().startswith("no browser could be opened")
    assert running.ask()[0] == 200

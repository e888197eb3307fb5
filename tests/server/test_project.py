"""Which project a server serves: --project, CLAUDE_PROJECT_DIR, the client's roots, the current folder."""

import json
import os
import pathlib
import shutil

import pytest

from foreword.server import protocol, tools
from foreword.server.lines import Lines
from foreword.server.projects import path_of


@pytest.fixture
def folders(tmp_path):
    """Three folders that are projects of their own, as paths."""
    found = [tmp_path / name for name in ("one", "two", "a place 数")]
    for folder in found:
        folder.mkdir()
    return [str(folder) for folder in found]


def uri(path):
    return pathlib.Path(path).as_uri()


def answer_roots(server, *paths):
    """Answer the server's roots/list."""
    asked = server.get()
    assert asked["method"] == "roots/list"
    roots = [{"uri": uri(path), "name": "x"} for path in paths]
    server.put({"jsonrpc": "2.0", "id": asked["id"], "result": {"roots": roots}})


def text(answer):
    return answer["result"]["content"][0]["text"]


def saved_in(title, serve, folder):
    """True when a server in `folder` knows the title."""
    server = serve(cwd=folder)
    server.start()
    return title in server.told("memory_list")


def test_the_current_folder_is_the_project_when_nothing_else_is_said(serve, folders):
    server = serve(cwd=folders[0])
    server.start()
    server.save("Here")
    assert saved_in("Here", serve, folders[0])
    assert not saved_in("Here", serve, folders[1])


def test_the_clients_variable_goes_before_its_roots_and_the_current_folder(serve, folders):
    server = serve(cwd=folders[0], CLAUDE_PROJECT_DIR=folders[1])
    server.start(capabilities={"roots": {}})
    server.save("There")
    assert saved_in("There", serve, folders[1])


def test_the_option_goes_before_everything(serve, folders):
    server = serve("--project", folders[2], cwd=folders[0], CLAUDE_PROJECT_DIR=folders[1])
    server.start()
    server.save("Chosen")
    assert saved_in("Chosen", serve, folders[2])


@pytest.mark.parametrize("value", ["", "/no/such/folder"])
def test_a_variable_that_names_no_folder_is_passed_over(serve, folders, value):
    server = serve(cwd=folders[0], CLAUDE_PROJECT_DIR=value)
    server.start()
    server.save("Here")
    assert saved_in("Here", serve, folders[0])


def test_the_first_root_that_is_a_folder_is_the_project(serve, folders):
    server = serve(cwd=folders[0])
    server.start(capabilities={"roots": {"listChanged": True}})
    server.request("tools/call", {"name": "memory_save", "arguments": {"title": "Rooted", "body": "b"}})
    answer_roots(server, "/no/such/folder", folders[2], folders[1])
    assert "Saved" in text(server.get())

    server.told("memory_list")  # not asked a second time
    assert saved_in("Rooted", serve, folders[2])


def test_roots_are_asked_for_anew_when_they_changed(serve, folders):
    for folder in folders[:2]:
        server = serve(cwd=folder)
        server.start()
        server.save("In " + os.path.basename(folder))
    server = serve(cwd=folders[2])
    server.start(capabilities={"roots": {"listChanged": True}})
    server.request("tools/call", {"name": "memory_list"})
    answer_roots(server, folders[0])
    assert "In one" in text(server.get())

    server.put({"jsonrpc": "2.0", "method": "notifications/roots/list_changed"})
    server.request("tools/call", {"name": "memory_list"})
    answer_roots(server, folders[1])
    assert "In two" in text(server.get())


def test_a_client_without_roots_is_not_asked(serve, folders):
    server = serve(cwd=folders[0])
    server.start(capabilities={"elicitation": {}})
    server.told("memory_list")


@pytest.mark.parametrize(
    "answer",
    [
        {"error": {"code": -32601, "message": "no"}},
        {"result": {"roots": []}},
        {"result": {"roots": [{"uri": 5}, 3, {"uri": "https://example.invalid/x"}, {}]}},
        {"result": {"roots": "x"}},
        {"result": None},
    ],
)
def test_without_a_usable_root_the_current_folder_is_the_project(serve, folders, answer):
    server = serve(cwd=folders[0])
    server.start(capabilities={"roots": {}})
    server.request("tools/call", {"name": "memory_save", "arguments": {"title": "Here", "body": "b"}})
    server.put({"jsonrpc": "2.0", "id": server.get()["id"], **answer})
    assert "Saved" in text(server.get())
    assert saved_in("Here", serve, folders[0])


def test_what_comes_while_roots_are_awaited_is_answered_in_turn(serve, folders):
    server = serve(cwd=folders[0])
    server.start(capabilities={"roots": {}})
    server.put({"jsonrpc": "2.0", "id": "call", "method": "tools/call", "params": {"name": "memory_list"}})
    asked = server.get()
    server.put(
        b"garbage",
        {"jsonrpc": "2.0", "id": "ping", "method": "ping"},
        {"jsonrpc": "2.0", "id": "list", "method": "tools/list"},
        {"jsonrpc": "2.0", "id": asked["id"], "result": {"roots": []}},
    )
    order = [server.get() for _ in range(4)]
    assert [answer["id"] for answer in order] == ["ping", "call", None, "list"]
    assert order[2]["error"]["code"] == -32700


def test_a_client_that_never_names_its_roots_is_waited_for_once(monkeypatch):
    monkeypatch.setattr(protocol, "ROOTS_WAIT_S", 0.0)
    get, put = os.pipe()
    out, answers = os.pipe()
    never = type("Never", (), {"asked": False, "waiting": False})()
    tool = tools.Tool("roots", "", {"properties": {}}, {}, lambda session, given: str(session.roots()))
    session = protocol.Session((tool,), "", {}, {}, Lines(get, never), answers)

    def say(number, method, **params):
        return session._one({"jsonrpc": "2.0", "id": number, "method": method, "params": params})

    say(0, "initialize", capabilities={"roots": {}})
    first, second = (text(say(n, "tools/call", name="roots")) for n in (1, 2))
    before = session.changes
    session._one({"jsonrpc": "2.0", "id": "roots-1", "result": {"roots": [{"uri": "file:///late"}]}})
    third = text(say(3, "tools/call", name="roots"))

    assert [first, second, third] == ["()", "()", "['file:///late']"]
    assert session.changes > before
    [asked] = os.read(out, 1 << 16).splitlines()
    assert json.loads(asked)["method"] == "roots/list"
    for fd in (get, put, out, answers):
        os.close(fd)


NOWHERE = ["/", "~"]


@pytest.mark.parametrize("place", NOWHERE)
def test_no_project_is_invented_in_the_root_or_the_home(serve, place):
    server = serve(cwd=os.path.expanduser(place))
    server.start()
    for tool, arguments in (
        ("memory_save", {"title": "t", "body": "b"}),
        ("memory_save", {"title": "t", "body": "b", "type": "session"}),
        ("memory_dream", {}),
    ):
        told = server.refused(tool, **arguments)
        assert "no project" in told
        assert "--project PATH" in told
    for tool, arguments in (("memory_search", {"query": "x"}), ("memory_list", {})):
        assert server.told(tool, **arguments).startswith("No project is open here")
    assert not os.path.exists(os.path.join(os.environ["FOREWORD_HOME"], "projects"))


@pytest.mark.parametrize("place", NOWHERE)
def test_a_client_that_says_it_is_nowhere_is_believed(serve, folders, place):
    place = os.path.expanduser(place)
    said = serve(cwd=folders[0], CLAUDE_PROJECT_DIR=place)
    said.start()
    assert "no project" in said.refused("memory_save", title="t", body="b")

    server = serve(cwd=folders[0])
    server.start(capabilities={"roots": {}})
    server.request("tools/call", {"name": "memory_save", "arguments": {"title": "t", "body": "b"}})
    answer_roots(server, place)
    assert "no project" in text(server.get())


@pytest.mark.skipif(os.name == "nt", reason="a current folder cannot be removed there")
def test_a_current_folder_that_is_gone_is_an_error_that_says_so(serve, tmp_path):
    gone = tmp_path / "gone"
    gone.mkdir()
    server = serve(cwd=gone)
    server.start()
    gone.rmdir()
    assert "gone" in server.refused("memory_list")


def test_a_folder_that_becomes_a_repository_stays_one_project_for_a_running_server(serve, repository):
    shutil.move(os.path.join(repository, ".git"), repository + ".git")
    server = serve(cwd=repository)
    server.start()
    first = server.save("Before git")
    shutil.move(repository + ".git", os.path.join(repository, ".git"))
    other = serve(cwd=repository)
    other.start()
    second = other.save("After git")

    for one in (server, other):
        told = one.told("memory_list")
        assert first in told
        assert second in told


@pytest.mark.parametrize(
    ("uri", "posix", "windows"),
    [
        ("file:///home/a%20b/%C3%A9", "/home/a b/é", "\\home\\a b\\é"),
        ("file:///home/a#b?c", "/home/a#b?c", "\\home\\a#b?c"),
        ("FILE:///x", "/x", "\\x"),
        ("file:/x", "/x", "\\x"),
        ("file://localhost/x", "/x", "\\x"),
        ("file:///C:/Users/x%20y", "/C:/Users/x y", "C:\\Users\\x y"),
        ("file:///c%3A/x", "/c:/x", "c:\\x"),
        ("file://C:/x", "", "C:\\x"),
        ("file://host/share/x", "", "\\\\host\\share\\x"),
        ("https://example.invalid/x", "", ""),
        ("/x", "", ""),
        ("", "", ""),
    ],
)
def test_a_file_uri_becomes_a_path(uri, posix, windows):
    assert path_of(uri, windows=False) == posix
    assert path_of(uri, windows=True) == windows

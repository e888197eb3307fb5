"""A client that works in no project: its server starts in `/` and it names no roots (Claude Desktop)."""

import os

import pytest

BODY = "Commit messages are in English, whatever language we speak."


@pytest.fixture
def nowhere(serve):
    """A server in `/`, started for claude-desktop."""
    server = serve("--client", "claude-desktop", cwd="/")
    server.start(name="claude-ai")
    return server


@pytest.fixture
def app(tmp_path):
    folder = tmp_path / "app"
    folder.mkdir()
    return str(folder)


def saved(server, **more):
    return server.told("memory_save", body=BODY, title="Commits", **{"global": True, **more}).split()[1]


def test_global_facts_work_and_say_that_there_is_no_more(nowhere):
    memory_id = saved(nowhere)
    for text in (nowhere.told("memory_search", query="commit messages"), nowhere.told("memory_list")):
        first, *rows = text.splitlines()
        assert first.startswith("No project is open here")
        assert [row.split()[0] for row in rows] == [memory_id]
    assert BODY in nowhere.told("memory_read", id=memory_id)
    assert "Rejected" in nowhere.told("memory_mark", id=memory_id, offer="never")
    assert "Deleted" in nowhere.told("memory_forget", id=memory_id)
    assert memory_id not in nowhere.told("memory_list")


def test_nothing_but_global_facts_is_written_for_nobody(nowhere):
    saved(nowhere)
    nowhere.told("memory_search", query="commit")
    assert not os.path.exists(os.path.join(os.environ["FOREWORD_HOME"], "projects"))


@pytest.mark.parametrize(
    ("tool", "arguments"), [("memory_save", {"body": BODY, "title": "Commits"}), ("memory_dream", {})]
)
def test_what_belongs_to_a_project_is_refused_with_how_to_go_on(nowhere, tool, arguments):
    text, failed = nowhere.call(tool, **arguments)
    assert failed
    assert "`project`" in text
    assert "--project PATH" in text


def test_a_call_may_name_its_project(nowhere, app, foreword_files):
    memory_id = nowhere.told("memory_save", body=BODY, title="Commits", project=app).split()[1]
    assert memory_id in nowhere.told("memory_search", query="commit messages", project=app)
    assert "No project is open" not in nowhere.told("memory_list", project=app)
    assert memory_id not in nowhere.told("memory_list")
    [path] = foreword_files("projects/app-*/facts/*.md")
    assert "source: claude-desktop\n" in path.read_text()


@pytest.mark.parametrize("named", ["app", "../app", "/nowhere/at/all", "/", "a\0b", "~", "/x" * 50_000])
def test_a_project_that_is_no_folder_of_a_project_is_refused(nowhere, named):
    text, failed = nowhere.call("memory_list", project=named)
    assert failed
    assert "project" in text
    assert len(text) < 500  # what was sent is not read back to the model at length


@pytest.mark.parametrize("named", ["app", "a\0b", "/tmp\0", "/a\0b", "~", "/x" * 50_000])
def test_a_project_that_can_be_no_folder_is_refused_before_anything_looks_for_it(nowhere, named):
    text, failed = nowhere.call("memory_list", project=named)
    assert failed
    assert "`project` must be the absolute path of a folder" in text
    assert not nowhere.call("memory_list")[1]  # and the server goes on


def test_a_project_that_is_no_text_counts_for_nothing(nowhere):
    assert nowhere.told("memory_list", project=["/tmp"]).startswith("No project is open here")


def test_inside_a_project_no_call_leads_into_another(serve, app, tmp_path, foreword_files):
    here = tmp_path / "here"
    here.mkdir()
    server = serve(cwd=str(here))
    server.start()
    server.told("memory_save", body=BODY, title="Commits", project=app)
    assert foreword_files("projects/here-*/facts/*.md")
    assert not foreword_files("projects/app-*")
    assert "No " in server.told("memory_list", project="/")[:3] or "Commits" in server.told("memory_list")


def test_the_client_that_an_entry_names_is_the_source(serve, app, foreword_files):
    server = serve("--client", "zed", cwd=app)
    server.start(name="some-editor")
    server.told("memory_save", body=BODY, title="Commits")
    [path] = foreword_files("projects/*/facts/*.md")
    assert "source: zed\n" in path.read_text()


@pytest.mark.parametrize("name", ["Claude Desktop", "../x", "x" * 41, "ä"])
def test_a_client_s_name_that_is_none_is_refused(serve, name):
    server = serve("--client", name)
    server.process.stdin.close()
    assert server.process.wait(timeout=60) == 2
    assert b"--client takes" in server.process.stderr.read()


@pytest.fixture
def foreword_files():
    """A function of a pattern: the paths in the store."""
    import pathlib

    return lambda pattern: sorted(pathlib.Path(os.environ["FOREWORD_HOME"]).glob(pattern))


def test_claude_code_s_variable_led_another_client_s_server_into_a_wrong_project(
    serve, app, tmp_path, foreword_files
):
    here = tmp_path / "here"
    here.mkdir()
    server = serve("--client", "zed", cwd=str(here), CLAUDE_PROJECT_DIR=app)
    server.start(name="Zed")
    server.save("Here")
    assert foreword_files("projects/here-*/facts/*.md")
    assert not foreword_files("projects/app-*")


def test_a_client_without_hooks_was_told_that_answers_save_themselves(serve, app):
    for client, told in (
        ("cursor", "Nothing is saved by itself"),
        ("gemini", "Answers are saved by themselves"),
    ):
        server = serve("--client", client, cwd=app)
        server.start()
        tools = {tool["name"]: tool["description"] for tool in server.ask("tools/list")["result"]["tools"]}
        assert told in tools["memory_save"]

"""The loop, install and uninstall with the real opencode."""

import json
import os
import re
import shutil
import signal
import sys

import pytest
import yaml

from e2e import opencode as client
from e2e.chat_model import Model
from e2e.claude import ANSWER, ASKED, ASKED_LATER, CONCLUSION, ID, REPORTED
from e2e.home import Home, git
from e2e.model import use
from e2e.opencode import Terminal, open_the_offered
from e2e.tui import eventually, has_tmux

pytestmark = pytest.mark.e2e

FACT = "Build it with make wheel, never by hand."


def missing(what):
    if os.environ.get("FOREWORD_REQUIRE_CLIENTS") == "1":
        pytest.fail(what, pytrace=False)
    pytest.skip(what)


@pytest.fixture
def model():
    with Model() as model:
        yield model


@pytest.fixture
def opencode(tmp_path, model):
    """An opencode in a home of its own; afterwards no hook may have failed or spoken up, and nothing run."""
    program = client.find() or missing("opencode is not installed for the tests: make clients")
    opencode = client.Opencode(Home(tmp_path / "opencode"), model, program)
    yield opencode
    eventually(lambda: not opencode.home.processes(), "the end of all that ran in the home")
    assert opencode.home.hook_log() == ""
    assert [(run.returncode, run.stderr, run.noise) for run in opencode.runs] == [(0, "", [])] * len(
        opencode.runs
    )


def only_note(opencode):
    """(header, body) of the one note in the store."""
    [(_, text)] = opencode.home.notes()
    _, header, body = text.split("---\n", 2)
    return yaml.safe_load(header), body.strip()


def bytes_of(path):
    try:
        with open(path, "rb") as f:
            return f.read()
    except FileNotFoundError:
        return None


def below(folder):
    """What lies in a folder, but for the client's own packages."""
    found = []
    for at, folders, names in os.walk(folder):
        found += [os.path.relpath(os.path.join(at, name), folder) for name in folders + names]
    return sorted(found)


# -- the loop ------------------------------------------------------------------------------------


def test_the_next_session_is_offered_what_the_last_one_found_out(opencode, model):
    opencode.install()
    model.script(ANSWER, open_the_offered, "I have read it.")

    run = opencode.run(ASKED, stdin=False)
    header, body = only_note(opencode)
    later = opencode.run(ASKED_LATER, stdin=False)

    assert (header["source"], header["session"]) == ("opencode", run.session)
    assert header["question"] == ASKED
    assert header["turn"].startswith("msg_")
    assert body == ANSWER
    assert [f["path"] for f in header["files"]] == ["src/app.py", "README.md"]
    first, second, third = model.requests
    assert first.frames == []
    [frame] = second.frames
    [line] = [line for line in frame.splitlines() if ID.search(line)]
    assert header["id"] in line and CONCLUSION in line
    [(text, is_error)] = third.tool_results
    assert ANSWER in text and not is_error
    assert later.answer == "I have read it."


def test_what_was_written_down_is_there_at_a_start_and_in_no_request_for_a_title(opencode, model):
    opencode.install()
    opencode.home.foreword("save", "--title", "How to build", stdin=FACT)
    model.script("Hello.")

    opencode.run("Good morning")

    [request] = model.requests
    [frame] = request.frames
    assert FACT in frame
    assert request.messages[-1]["content"][0]["text"].strip() == "Good morning", "the user's words come first"
    [title] = model.side_requests
    assert title.asks_for_title and "Good morning" in title.text
    assert title.frames == []


def test_a_session_that_goes_on_keeps_what_it_was_handed_and_is_offered_nothing_twice(opencode, model):
    opencode.install()
    opencode.home.foreword("save", "--title", "How to build", stdin=FACT)
    model.script(ANSWER, REPORTED, "Noted.", "Noted.")
    opencode.run(ASKED)

    second = opencode.run(ASKED_LATER)
    opencode.run(ASKED_LATER + " now", session=second.session)
    opencode.run(ASKED_LATER + " here")

    [older, newer] = [os.path.basename(path)[:-3] for path, _ in opencode.home.notes()]
    offered = [[ID.findall(frame) for frame in request.new_frames[-1:]] for request in model.requests]
    assert offered[1] == [[older]]
    assert model.requests[2].new_frames == []
    assert model.requests[2].frames == model.requests[1].frames, "as it was shown before"
    assert sorted(offered[3][0]) == [older, newer]


def test_after_a_compaction_the_recall_is_there_again_and_the_summary_is_made_without(opencode, model):
    opencode.install()
    opencode.home.foreword("save", "--title", "How to build", stdin=FACT)
    model.script("Hello.", "Hello again.", "And again.")

    with opencode.serve() as server:
        session = server.new_session()
        server.prompt(session, "Good morning")
        server.prompt(session, "Good day")
        server.compact(session)
        server.prompt(session, "Good evening")

    assert [FACT in request.new_text for request in model.requests] == [True, False, True]
    [summary] = [request for request in model.side_requests if request.asks_for_summary]
    assert "Good morning" in summary.text and FACT not in summary.text
    assert [record["source"] for record in opencode.home.recall_records()] == ["startup", "compact"]
    assert opencode.home.notes() == [], "a summary is no answer"


def test_a_fork_holds_what_it_was_copied_from(opencode, model):
    opencode.install()
    opencode.home.foreword("save", "--title", "How to build", stdin=FACT)
    model.script("Hello.", "Hello again.")

    with opencode.serve() as server:
        session = server.new_session()
        server.prompt(session, "Good morning")
        server.prompt(server.fork(session), "Good day")

    assert [len(request.frames) for request in model.requests] == [1, 1]
    assert FACT in model.requests[1].text


def test_a_subagent_gets_no_foreword_and_leaves_no_note(opencode, model):
    opencode.install()
    model.script(ANSWER)
    opencode.run(ASKED)
    task = use("task", description="look", prompt=ASKED_LATER, subagent_type="general")
    model.script([task], REPORTED, "The subagent has seen to it. " * 10)

    opencode.run("Have a subagent look at it")

    of_subagent = model.requests[2]
    assert ASKED_LATER in of_subagent.new_text
    assert of_subagent.frames == []
    assert len(opencode.home.notes()) == 2
    assert not any(REPORTED in text for _, text in opencode.home.notes())


def test_what_was_typed_after_a_command_and_the_files_read_reach_the_hook(opencode, model):
    """What the hook does with them is tested there; here, that the client tells of them."""
    opencode.install()
    asked = os.path.join(opencode.home.folder, "asked.jsonl")
    script = os.path.join(opencode.home.folder, "note.py")
    with open(script, "w", encoding="utf-8") as f:
        f.write(f"import sys\nopen({asked!r}, 'a').write(sys.stdin.read() + '\\n')\n")
    with open(opencode.plugin_file, encoding="utf-8") as f:
        text = f.read()
    with open(opencode.plugin_file, "w", encoding="utf-8") as f:
        f.write(text.replace('"-m", "foreword.hook"', json.dumps(script)))
    path = os.path.join(opencode.home.repo, "src", "app.py")
    model.script([use("read", filePath=path)], "Read.", "Noted.")

    with opencode.serve() as server:
        session = server.new_session()
        server.prompt(session, "Read the importer")
        server.command(session, "recall", "the importer")

    with open(asked, encoding="utf-8") as f:
        prompts = [told for told in map(json.loads, f) if told["hook_event_name"] == "UserPromptSubmit"]
    assert [told["prompt"] for told in prompts] == ["Read the importer", "/recall the importer"]
    assert [told["files"] for told in prompts] == [[], [path]]


def test_every_tool_is_there_at_once(opencode, model):
    opencode.install()
    model.script(
        [
            use("foreword_memory_save", title="Build", body=FACT),
            use("foreword_memory_list"),
            use("foreword_memory_search", query="build wheel"),
        ],
        "Done.",
    )

    opencode.run("Save it, list and search")

    assert {f"foreword_memory_{verb}" for verb in ("save", "search", "read", "list", "forget")} <= set(
        model.requests[0].tools
    )
    assert [is_error for _, is_error in model.requests[1].tool_results] == [False] * 3
    [(_, fact)] = opencode.home.memories("facts")
    assert yaml.safe_load(fact.split("---\n")[1])["source"] == "opencode"


def test_a_skill_of_ours_is_listed_and_what_it_answers_is_no_note(opencode, model):
    opencode.install()
    model.script("I recall this and that. " * 20)

    with opencode.serve() as server:
        server.command(server.new_session(), "recall", "the importer")

    assert "the importer" in model.requests[0].text
    assert "recall" in model.requests[0].instructions
    assert opencode.home.notes() == []


def test_in_the_terminal_a_foreword_is_handed_over_and_not_shown(opencode, model):
    if not has_tmux():
        missing("tmux is not installed: the terminal interface cannot be driven")
    opencode.install()
    opencode.home.foreword("save", "--title", "How to build", stdin=FACT)
    model.script(ANSWER, "Noted.")

    with Terminal(opencode) as screen:
        screen.submit("Good morning")
        model.wait_for(lambda request: FACT in request.new_text)
        eventually(opencode.home.notes, "the note", screen.screen)
        screen.submit("And now")
        model.wait_for(lambda request: "And now" in request.new_text)
        screen.wait_until_shown("Noted.")
        shown = screen.screen()

    assert "Good morning" in shown and "And now" in shown
    assert FACT not in shown and "memory_read" not in shown
    assert model.requests[1].new_frames == []


def test_private_parts_reach_neither_the_store_nor_another_session(opencode, model):
    opencode.install()
    model.script(ANSWER, "Noted.")

    opencode.run(ASKED + " <private>The password is swordfish.</private>")
    opencode.run(ASKED_LATER)

    assert len(model.requests[1].frames) == 1
    assert only_note(opencode)[0]["question"] == ASKED
    for at, _, names in os.walk(opencode.home.store):
        for name in names:
            assert b"swordfish" not in bytes_of(os.path.join(at, name)), name


# -- install and uninstall -----------------------------------------------------------------------


def test_after_uninstall_nothing_is_left_and_the_repository_is_as_it_was(opencode, model):
    before, files = bytes_of(opencode.config_file), below(opencode.config)
    opencode.install()
    model.script(ANSWER, "Noted.", "Noted.")
    opencode.run(ASKED)
    opencode.run(ASKED_LATER)
    listed = opencode.command("mcp", "list")

    opencode.home.foreword("uninstall", "opencode")
    opencode.run(ASKED_LATER + " now")

    assert "foreword" in listed.stdout + listed.stderr
    assert len(model.requests[1].frames) == 1
    assert bytes_of(opencode.config_file) == before
    assert [name for name in below(opencode.config) if "foreword" not in name] == files
    assert "foreword" not in bytes_of(opencode.config_file).decode()
    assert not os.path.exists(opencode.plugin_file)
    last = model.requests[2]
    assert last.frames == []
    assert [name for name in last.tools if "foreword" in name] == []
    assert "foreword" not in last.instructions.lower()
    assert len(opencode.home.notes()) == 1, "what was saved stays until --purge"
    assert git(opencode.home.repo, "status", "--porcelain", "--ignored") == ""


def test_with_the_settings_in_both_files_the_server_is_there_and_the_older_one_is_as_it_was(opencode, model):
    opencode.write("opencode.json", '{"$schema": "https://opencode.ai/config.json", "mcp": {}}\n')
    before = bytes_of(os.path.join(opencode.config, "opencode.json"))
    opencode.install()
    model.script("Hello.")

    opencode.run("Good morning")

    assert "foreword_memory_read" in model.requests[0].tools
    assert bytes_of(os.path.join(opencode.config, "opencode.json")) == before


@pytest.mark.parametrize("variable", ["OPENCODE_CONFIG", "OPENCODE_CONFIG_DIR", "XDG_CONFIG_HOME"])
def test_with_the_users_settings_elsewhere_the_client_has_all(opencode, model, variable):
    theirs = os.path.join(opencode.home.home, "dotfiles")
    if variable == "XDG_CONFIG_HOME":
        shutil.move(os.path.join(opencode.home.home, ".config"), theirs)
        opencode.home.environment[variable] = theirs
    else:
        os.makedirs(theirs)
        moved = shutil.move(opencode.config_file, os.path.join(theirs, "opencode.jsonc"))
        opencode.home.environment[variable] = moved if variable == "OPENCODE_CONFIG" else theirs
        if variable == "OPENCODE_CONFIG_DIR":  # there too it fetches its package
            shutil.copytree(opencode.config, theirs, dirs_exist_ok=True)
    opencode.install()
    model.script(ANSWER, "Noted.")

    opencode.run(ASKED)
    opencode.run(ASKED_LATER)

    assert "foreword_memory_read" in model.requests[1].tools
    assert len(model.requests[1].frames) == 1


def test_beside_claude_code_the_skills_are_there_once(opencode, model):
    skills = os.path.join(opencode.home.home, ".claude", "skills", "recall")
    os.makedirs(skills)
    with open(os.path.join(skills, "SKILL.md"), "w", encoding="utf-8") as f:
        f.write("---\nname: recall\ndescription: Look it up.\n---\n<!-- written by foreword install -->\n")

    opencode.install()
    model.script("Hello.")
    opencode.run("Good morning")

    assert not os.path.exists(opencode.skills)
    assert model.requests[0].instructions.count("<name>recall</name>") == 1


def test_when_python_is_gone_opencode_works_as_before(opencode, model):
    opencode.install()
    with open(opencode.plugin_file, encoding="utf-8") as f:
        text = f.read()
    assert json.dumps(sys.executable) in text
    with open(opencode.plugin_file, "w", encoding="utf-8") as f:
        f.write(text.replace(sys.executable, "/nowhere/python"))
    model.script(ANSWER)

    run = opencode.run(ASKED)

    assert run.answer == ANSWER
    assert opencode.home.notes() == []


# Runs the hook that the plugin asks for, and does something before.
BETWEEN = """\
import os, subprocess, sys, time
event, folder = sys.argv[-1], sys.argv[1]
DOES
os.execv(sys.executable, [sys.executable, "-I", "-m", "foreword.hook", "opencode", event])
"""
HOLDS = """\
held = subprocess.Popen([sys.executable, "-I", "-S", "-c", "import time; time.sleep(600)"])
open(os.path.join(folder, str(held.pid)), "w").close()
"""
LATE = """\
if event == "session-start" and not os.listdir(folder):
    open(os.path.join(folder, "late"), "w").close()
    time.sleep(600)
"""


def put_between(opencode, folder, does):
    """Have the plugin start BETWEEN; it keeps what it notes in `folder`."""
    folder.mkdir()
    script = folder.parent / "between.py"
    script.write_text(BETWEEN.replace("DOES", does))
    words = [sys.executable, "-I", str(script), str(folder)]
    with open(opencode.plugin_file, encoding="utf-8") as f:
        text = f.read()
    line = f"const COMMAND = {json.dumps(words)}"
    text = re.sub("(?m)^const COMMAND = .*$", lambda _: line, text)
    opencode.write(os.path.join("plugins", "foreword.js"), text)


def test_what_a_hook_leaves_running_neither_costs_the_recall_nor_keeps_the_client(opencode, model, tmp_path):
    opencode.install()
    opencode.home.foreword("save", "--title", "How to build", stdin=FACT)
    put_between(opencode, tmp_path / "held", HOLDS)
    model.script(ANSWER)

    try:
        opencode.run(ASKED)  # and it ends
    finally:
        for name in os.listdir(tmp_path / "held"):
            os.kill(int(name), signal.SIGKILL)

    assert FACT in "\n".join(model.requests[0].frames)
    assert only_note(opencode)[1] == ANSWER


def test_a_recall_that_came_too_late_is_there_with_the_next_prompt(opencode, model, tmp_path):
    opencode.install()
    opencode.home.foreword("save", "--title", "How to build", stdin=FACT)
    put_between(opencode, tmp_path / "late", LATE)
    model.script("Hello.", "Hello again.", "And again.")

    with opencode.serve() as server:
        session = server.new_session()
        for prompt in ("Good morning", "Good day", "Good evening"):
            server.prompt(session, prompt)

    handed = [FACT in "\n".join(request.new_frames) for request in model.requests]
    assert handed == [False, True, False]


def test_doctor_finds_all_well_and_says_what_is_not(opencode, model):
    opencode.install()
    model.script(ANSWER)
    opencode.run(ASKED)
    well = opencode.home.foreword("doctor")
    os.unlink(opencode.plugin_file)
    badly = opencode.home.foreword("doctor", rc=1)

    assert "chat.message" in well.stdout and "MCP server" in well.stdout
    assert "plugin is not installed" in badly.stdout

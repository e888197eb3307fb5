"""The loop with the real client: what one session found out, the next one is offered."""

import hashlib
import json
import os
import shlex
import shutil
import sys

import pytest
import yaml

from e2e.claude import ANSWER, ASKED, ASKED_LATER, CONCLUSION, ID, REPORTED, open_the_offered
from e2e.home import APP, git, tree_hash
from e2e.model import Turn, use

pytestmark = pytest.mark.e2e


def only_note(claude):
    """(header, body) of the one note in the store."""
    [(path, text)] = claude.notes()
    _, header, body = text.split("---\n", 2)
    header = yaml.safe_load(header)
    assert os.path.basename(path) == header["id"] + ".md"
    return header, body.strip()


def only_line(frame):
    """The one line of a foreword that shows a note."""
    [line] = [line for line in frame.splitlines() if ID.search(line)]
    return line


def test_the_next_session_is_offered_what_the_last_one_found_out(claude, model):
    claude.install()
    model.script(ANSWER, "Noted.")

    claude.run(ASKED)
    header, body = only_note(claude)
    claude.run(ASKED_LATER)

    assert header["question"] == ASKED
    assert body == ANSWER
    assert {f["path"]: f["sha256"] for f in header["files"]}["src/app.py"] == (
        hashlib.sha256(APP.encode()).hexdigest()
    )
    first, second = model.requests
    assert first.frames == []
    [frame] = second.frames
    assert len(frame) <= 2_500
    line = only_line(frame)
    assert header["id"] in line
    assert CONCLUSION in line
    assert "src/app.py" in line
    assert "CHANGED" not in line


def test_the_model_opens_an_offered_note_without_being_asked_for_permission(claude, model):
    claude.install()
    model.script(ANSWER, open_the_offered, "I have read it.")

    claude.run(ASKED)
    run = claude.run(ASKED_LATER)

    [(text, is_error)] = model.requests[-1].tool_results
    assert ANSWER in text
    assert not is_error
    assert run.denials == []
    assert run.answer == "I have read it."


def test_every_reading_and_saving_tool_is_allowed_and_deleting_asks(claude, model):
    claude.install()
    model.script(
        ANSWER,
        [
            use("mcp__foreword__memory_search", query="importer currency"),
            use("mcp__foreword__memory_list"),
            use("mcp__foreword__memory_save", title="Build", body="Build it with make wheel."),
        ],
        lambda request: [
            use("mcp__foreword__memory_forget", ids=[ID.search(request.new_text)[0]]),
        ],
        "Done.",
    )

    claude.run(ASKED)
    run = claude.run("Search, list and save what there is to save, and then forget it all")

    *others, forgotten = model.requests[-1].tool_results
    assert [is_error for _, is_error in others] == [False] * 3
    assert forgotten[1]
    assert [denial["tool_name"] for denial in run.denials] == ["mcp__foreword__memory_forget"]
    assert len(claude.notes()) == 1


def test_a_later_session_elsewhere_in_the_repository_knows_it_too(claude, model, tmp_path):
    claude.install()
    git(claude.repo, "worktree", "add", "--quiet", str(tmp_path / "tree"))
    git(tmp_path, "clone", "--quiet", claude.repo, "clone")
    places = [os.path.join(claude.repo, "src"), str(tmp_path / "tree"), str(tmp_path / "clone")]
    model.script(ANSWER)
    claude.run(ASKED)

    for place in places:
        model.script(open_the_offered, "I have read it.")
        run = claude.run(ASKED_LATER, cwd=place)

        assert run.answer == "I have read it.", place
        assert ANSWER in model.requests[-1].tool_results[0][0], place
    assert len(claude.notes()) == 1


@pytest.mark.parametrize("what", ["CHANGED", "MOVED", "DELETED", "elsewhere"])
def test_the_line_says_what_happened_to_the_cited_lines(claude, model, what):
    claude.install()
    model.script(ANSWER, "Noted.")

    claude.run(ASKED)
    app = os.path.join(claude.repo, "src", "app.py")
    with open(app, encoding="utf-8") as f:
        text = f.read()
    os.remove(app)
    if what == "MOVED":
        app = os.path.join(claude.repo, "src", "app", "rows.py")
        os.mkdir(os.path.dirname(app))
    if what != "DELETED":
        with open(app, "w", encoding="utf-8") as f:
            f.write("# Later.\n" * (what == "elsewhere"))
            f.write(text.replace("currency", "money") if what == "CHANGED" else text)
    claude.run(ASKED_LATER)

    [frame] = model.requests[-1].frames
    told = {
        "CHANGED": "[CHANGED: src/app.py:6; also README.md]",
        "MOVED": "[MOVED: src/app.py -> src/app/rows.py; also README.md]",
        "DELETED": "[DELETED: src/app.py; also README.md]",
        "elsewhere": "[src/app.py, README.md]",
    }
    assert only_line(frame).endswith(told[what])


def test_the_repository_is_the_same_before_and_after(claude, model):
    before = tree_hash(claude.repo)
    claude.install()
    model.script(ANSWER, open_the_offered, "I have read it.")

    claude.run(ASKED)
    claude.run(ASKED_LATER)
    claude.foreword("uninstall", "claude-code")

    assert model.requests[1].frames
    assert tree_hash(claude.repo) == before
    assert git(claude.repo, "status", "--porcelain", "--ignored") == ""


def test_with_the_switch_off_nothing_is_added_and_notes_are_saved(claude, model):
    claude.install()
    claude.foreword("switch", "off")
    model.script(ANSWER, "Noted.", "Noted.")

    claude.run(ASKED)
    claude.run(ASKED_LATER)
    off = model.requests[-1].frames
    claude.foreword("switch", "on")
    claude.run(ASKED_LATER)

    assert len(claude.notes()) == 1
    assert off == []
    assert len(model.requests[-1].frames) == 1
    seen = [(r["switch"], r["state"], r["index"]) for r in claude.prompt_records()]
    assert seen == [("off", "off", False), ("off", "off", False), ("on", "on", True)]


def test_within_one_session_nothing_is_offered_twice_nor_its_own_notes(claude, model):
    claude.install()
    model.script(ANSWER, REPORTED, "Noted.", "Noted.")
    claude.run(ASKED)

    second = claude.run(ASKED_LATER)
    claude.run(ASKED_LATER + " now", "--resume", second.session)
    claude.run(ASKED_LATER + " here")

    offered = [[ID.findall(frame) for frame in request.new_frames] for request in model.requests]
    [older, newer] = [os.path.basename(path)[:-3] for path, _ in claude.notes()]
    assert offered[1] == [[older]]
    assert offered[2] == []
    assert sorted(offered[3][0]) == [older, newer]


def test_a_subagents_report_is_no_note(claude, model):
    claude.install()
    report = "The subagent looked at every caller of keep() and found none that minds. " * 5
    task = "Look for everyone who calls keep()"
    model.script(
        [use("Agent", description="Callers", prompt=task, subagent_type="Explore")],
        Turn(report, when=lambda request: task in request.new_text),
        Turn(ANSWER, when=lambda request: report in request.new_text),
    )

    claude.run(ASKED)

    assert len(model.requests) == 3
    header, body = only_note(claude)
    assert header["question"] == ASKED
    assert body == ANSWER


def test_a_slash_command_is_no_question(claude, model):
    claude.install()
    commands = os.path.join(claude.config, "commands")
    os.makedirs(commands)
    with open(os.path.join(commands, "tidy.md"), "w", encoding="utf-8") as f:
        f.write("Tidy up the importer. $ARGUMENTS\n")
    model.script(ANSWER, ANSWER)

    claude.run("/tidy")
    none = claude.notes()
    claude.run("/tidy why does the importer drop rows?")

    assert len(model.requests) == 2
    assert "Tidy up the importer." in model.requests[0].new_text
    assert none == []
    assert only_note(claude)[0]["question"] == "/tidy why does the importer drop rows?"


# A Stop hook of somebody else's that makes the client go on with the turn, once.
GO_ON = """
import json, sys
if not json.load(sys.stdin)["stop_hook_active"]:
    print(json.dumps({"decision": "block", "reason": "Say also where the test is."}))
"""


@pytest.mark.parametrize(
    ("first", "more"),
    [
        (ANSWER, "The test is in `README.md`, strange as that is."),
        (ANSWER[:150], "And the other half, which alone would be too short as well: " + "x" * 100),
    ],
    ids=["long then short", "two halves"],
)
def test_a_turn_that_another_hook_prolongs_is_one_note(claude, model, tmp_path, first, more):
    claude.install()
    script = tmp_path / "go_on.py"
    script.write_text(GO_ON, encoding="utf-8")
    command = shlex.join([sys.executable, "-I", str(script)])
    hooks = {"Stop": [{"hooks": [{"type": "command", "command": command}]}]}
    model.script(first, more)

    run = claude.run(ASKED, "--settings", json.dumps({"hooks": hooks}))

    assert run.answer == more
    assert "Say also where the test is." in model.requests[1].new_text
    header, body = only_note(claude)
    assert header["question"] == ASKED
    assert body == first.strip() + "\n\n" + more


def test_private_parts_reach_neither_the_store_nor_another_session(claude, model):
    claude.install()
    model.script(ANSWER, "Noted.")

    claude.run(ASKED + " <private>The password is swordfish.</private>")
    claude.run(ASKED_LATER)

    assert len(model.requests[1].frames) == 1
    assert only_note(claude)[0]["question"] == ASKED
    for at, _, names in os.walk(claude.store):
        for name in names:
            with open(os.path.join(at, name), "rb") as f:
                assert b"swordfish" not in f.read(), name


def test_hooks_print_nothing_but_the_foreword(claude, model):
    claude.install()
    model.script(ANSWER, "Noted.")

    runs = [claude.run(ASKED), claude.run(ASKED_LATER)]

    for run in runs:
        assert run.stderr == ""
        assert [hook["hook_event"] for hook in run.hooks] == [
            "SessionStart",
            "UserPromptSubmit",
            "Stop",
        ]
        for hook in run.hooks:
            assert (hook["exit_code"], hook["stderr"], hook["outcome"]) == (0, "", "success")
    printed = [[bool(hook["stdout"]) for hook in run.hooks] for run in runs]
    assert printed == [[False, False, False], [False, True, False]]


def test_the_store_may_vanish_between_two_prompts(claude, model):
    claude.install()
    model.script(ANSWER, ANSWER)

    claude.run(ASKED)
    shutil.rmtree(claude.store)
    claude.run(ASKED_LATER)

    assert model.requests[1].frames == []
    assert only_note(claude)[0]["question"] == ASKED_LATER

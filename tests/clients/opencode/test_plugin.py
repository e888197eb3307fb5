"""The plugin under node, with a stand-in for what it starts: well, hanging, crashing, babbling, gone."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys

import pytest

from foreword.clients.opencode import install

DRIVER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "drive.mjs")
# Notes what it was asked, then does what the test says.
STAND_IN = """\
import json, os, sys, time
event, asked = sys.argv[-1], sys.stdin.buffer.read().decode()
with open(LOG, "a") as f:
    f.write(json.dumps([event, json.loads(asked)]) + "\\n")
answer = {"hookSpecificOutput": {"additionalContext": "<foreword>%s</foreword>" % event}}
DOES
"""
SAYS = 'print(json.dumps(answer) if event != "stop" else "")'


def node():
    found = shutil.which("node")
    if found is None:
        if os.environ.get("FOREWORD_REQUIRE_CLIENTS") == "1":
            pytest.fail("node is not on the PATH", pytrace=False)
        pytest.skip("node is not on the PATH")
    return found


class Driven:
    """The plugin as installed into `folder`, to be driven."""

    def __init__(self, folder, does=SAYS, words=None):
        self.folder, self.log = folder, folder / "asked.log"
        stand_in = folder / "stand_in.py"
        stand_in.write_text(STAND_IN.replace("DOES", does).replace("LOG", repr(str(self.log))))
        text = install.plugin_text(words or [sys.executable, "-I", "-S", str(stand_in), "opencode"])
        self.plugin = folder / "foreword.mjs"
        self.edit(lambda same: same, text)
        self.environ = {}
        self.sessions = {"ses_1": {}}

    def edit(self, change, text=None):
        self.plugin.write_text(change(text or self.plugin.read_text()), encoding="utf-8")

    def limit(self, prompt, stop, kept=0):
        """Shorten what the plugin waits for, in milliseconds; `kept`: of a prompt's time, for the index."""
        limits = json.dumps({"prompt": prompt, "stop": stop})
        self.edit(lambda text: re.sub("(?m)^const LIMITS_MS = .*$", f"const LIMITS_MS = {limits}", text))
        self.edit(lambda text: re.sub("(?m)^const KEPT_MS = .*$", f"const KEPT_MS = {kept}", text))

    def run(self, *steps, words=()):
        """What came of the steps, which are changed as opencode would see them; nothing is printed else."""
        given = self.folder / "steps.json"
        told = {"plugin": str(self.plugin), "directory": str(self.folder), "sessions": self.sessions}
        given.write_text(json.dumps({**told, "steps": steps}))
        done = subprocess.run(
            [node(), DRIVER, str(given), *words],
            capture_output=True, text=True, timeout=60, env={**os.environ, **self.environ},
        )  # fmt: skip
        assert (done.returncode, done.stderr) == (0, "")
        return json.loads(done.stdout)

    @property
    def asked(self):
        """[[event, payload]] of what the stand-in was asked."""
        return [json.loads(line) for line in self.log.read_text().splitlines()] if self.log.exists() else []

    @property
    def events(self):
        return [event for event, _ in self.asked]


@pytest.fixture
def driven(tmp_path):
    return Driven(tmp_path)


def message(text="Why?", turn="msg_1", session="ses_1", parts=()):
    """A step: a prompt."""
    typed = {"id": f"prt_{turn}", "type": "text", "text": text, "sessionID": session, "messageID": turn}
    output = {"message": {"id": turn, "role": "user"}, "parts": [typed, *parts]}
    return ["chat.message", {"sessionID": session}, output]


def event(kind, **properties):
    return ["event", {"event": {"type": kind, "properties": properties}}, {}]


def said(text, message="msg_9", turn="msg_1", finish="stop", session="ses_1", **info):
    """Steps: a message of the assistant's, as it comes in."""
    about = {"id": message, "role": "assistant", "sessionID": session, "parentID": turn, **info}
    part = {"id": "prt_" + message, "messageID": message, "sessionID": session, "type": "text", "text": text}
    return [
        event("message.updated", info={**about, "time": {}}),
        event("message.part.updated", part={**part, "text": text[:3]}),
        event("message.part.updated", part=part),
        event("message.updated", info={**about, "finish": finish, "time": {"completed": 1}}),
    ]


IDLE = event("session.idle", sessionID="ses_1")


def texts(step):
    return [part["text"] for part in step[2]["parts"]]


def handed(done):
    """The parts that the plugin added to each prompt."""
    steps = [step for step in done["steps"] if step[0] == "chat.message"]
    return [[part for part in step[2]["parts"] if part.get("metadata")] for step in steps]


# -- well ----------------------------------------------------------------------------------------


def test_it_has_one_export_and_needs_no_package(driven):
    done = driven.run()
    assert done["exported"] == 1
    modules = re.findall(r'^import .* from "(.*)"$', driven.plugin.read_text(), re.MULTILINE)
    assert modules and all(name.startswith("node:") for name in modules)


def test_a_first_prompt_gets_the_recall_and_the_index_behind_it(driven):
    done = driven.run(message("Why?"), message("And now?", "msg_2"))

    first, second = handed(done)
    assert [part["text"] for part in first] == [
        "<foreword>session-start</foreword>",
        "<foreword>prompt</foreword>",
    ]
    assert [part["text"] for part in second] == ["<foreword>prompt</foreword>"]
    ids = [part["id"] for part in done["steps"][0][2]["parts"]]
    assert ids == sorted(set(ids)) and all(part_id.startswith("prt_") for part_id in ids)
    assert {(part["messageID"], part["sessionID"], part["type"]) for part in first} == {
        ("msg_1", "ses_1", "text")
    }


def test_no_model_but_the_agents_own_is_shown_what_was_handed_over(driven):
    done = driven.run(message("Why?"))
    [_, output] = done["steps"][0][1:]
    stored = {"info": {"sessionID": "ses_1"}, "parts": output["parts"]}
    assert [part.get("ignored", False) for part in output["parts"]] == [False, True, True]
    assert all(part["synthetic"] for part in output["parts"][1:])

    transform = ["experimental.chat.messages.transform", {}, {"messages": [stored]}]
    compacting = ["experimental.session.compacting", {"sessionID": "ses_1"}, {}]
    done = driven.run(transform, message("Why?"), compacting, transform, transform)

    shown = [step[2]["messages"][0]["parts"] for step in done["steps"] if step[0] == transform[0]]
    assert [[part.get("ignored", False) for part in parts] for parts in shown] == [
        [False, False, False],
        [False, True, True],  # the summary's request
        [False, False, False],
    ]


def test_what_a_turn_came_to_is_saved_once(driven):
    driven.run(message("Why?"), *said("Because."), IDLE, IDLE)

    assert driven.events == ["session-start", "prompt", "stop"]
    assert driven.asked[2][1] == {
        "hook_event_name": "Stop", "session_id": "ses_1", "cwd": str(driven.folder),
        "worktree": str(driven.folder), "turn_id": "msg_1", "last_assistant_message": "Because.",
    }  # fmt: skip
    assert driven.asked[1][1]["prompt"] == "Why?"
    assert driven.asked[1][1]["turn_id"] == "msg_1"


def test_only_the_final_answer_of_a_turn_counts(driven):
    tool = event("message.part.updated", part={"messageID": "msg_7", "sessionID": "ses_1", "type": "tool"})
    driven.run(
        message("Why?"),
        *said("Let me look.", "msg_7", finish="tool-calls"),
        tool,
        *said("Because.", "msg_8"),
        IDLE,
    )
    assert [payload["last_assistant_message"] for kind, payload in driven.asked if kind == "stop"] == [
        "Because."
    ]


def test_the_client_ends_when_what_is_being_saved_is_saved(tmp_path):
    driven = Driven(tmp_path, "time.sleep(0.5); open(LOG + '.' + event, 'w')")
    done = driven.run(message("Why?"), *said("Because."), IDLE)
    assert "asked.log.stop" in done["disposed"]


@pytest.mark.parametrize(
    "info", [{"error": {"name": "MessageAbortedError"}}, {"finish": "tool-calls"}, {"summary": True}]
)
def test_what_is_no_answer_is_not_saved(driven, info):
    driven.run(message("Why?"), *said("Because", **info), IDLE)
    assert "stop" not in driven.events


def test_a_message_that_called_a_tool_is_no_answer_whatever_its_finish(driven):
    first, *later = said("Let me look.")
    tool = event("message.part.updated", part={"messageID": "msg_9", "sessionID": "ses_1", "type": "tool"})
    driven.run(message("Why?"), first, tool, *later, IDLE)
    assert "stop" not in driven.events


def test_turns_that_ended_before_the_session_was_idle_are_saved_each(driven):
    driven.run(
        message("One?"), message("Two?", "msg_2"),
        *said("1.", "msg_8", "msg_1"), *said("2.", "msg_9", "msg_2"), IDLE,
    )  # fmt: skip
    answers = {p["turn_id"]: p["last_assistant_message"] for kind, p in driven.asked if kind == "stop"}
    assert answers == {"msg_1": "1.", "msg_2": "2."}


def test_after_a_compaction_in_a_turn_the_turn_is_still_the_users(driven):
    driven.run(message("Why?"), *said("Because.", turn="msg_by_the_client"), IDLE)
    assert driven.asked[-1][1]["turn_id"] == "msg_1"


def test_after_a_compaction_the_recall_comes_with_the_next_prompt(driven):
    compacted = event("session.compacted", sessionID="ses_1")
    driven.run(message("Why?"), compacted, message("And?", "msg_2"), message("So?", "msg_3"))
    starts = [payload["source"] for kind, payload in driven.asked if kind == "session-start"]
    assert starts == ["startup", "compact"]
    assert driven.events == ["session-start", "prompt", "session-start", "prompt", "prompt"]


@pytest.mark.parametrize(
    ("created", "messages", "source"),
    [(False, 1, "resume"), (True, 0, "startup"), (True, 1, "fork"), (False, 0, "startup")],
)
def test_why_a_context_begins(driven, created, messages, source):
    driven.sessions["ses_1"]["messages"] = messages
    steps = [event("session.created", info={"id": "ses_1"}, sessionID="ses_1")] if created else []
    driven.run(*steps, message("Why?"))
    assert driven.asked[0][1]["source"] == source


@pytest.mark.parametrize("created", [True, False], ids=["created", "asked"])
def test_a_subagents_session_is_left_alone(driven, created):
    driven.sessions["ses_2"] = {"parent": "ses_1"}
    info = {"id": "ses_2", "parentID": "ses_1"}
    steps = [event("session.created", info=info, sessionID="ses_2")] if created else []
    idle = event("session.idle", sessionID="ses_2")
    done = driven.run(*steps, message("Task", session="ses_2"), *said("Done.", session="ses_2"), idle)
    assert driven.asked == []
    assert handed(done) == [[]]


def test_only_what_the_user_wrote_is_taken_for_the_prompt(driven):
    beside = [
        {"id": "prt_x", "type": "text", "text": "Called the Read tool", "synthetic": True},
        {"id": "prt_y", "type": "text", "text": "shown to nobody", "ignored": True},
        {"id": "prt_z", "type": "file", "url": "file:///a"},
        {"id": "prt_zz", "type": "text", "text": "And this."},
    ]
    done = driven.run(message("Why?", parts=beside))
    assert driven.asked[1][1]["prompt"] == "Why?\n\nAnd this."
    assert done["steps"][0][2]["parts"][-1]["id"] > "prt_zz"


def test_a_prompt_without_a_word_of_the_users_asks_for_no_index(driven):
    driven.run(message(" \n"))
    assert driven.events == ["session-start"]


def test_of_a_command_what_was_typed_is_the_prompt_once(driven):
    command = ["command.execute.before", {"sessionID": "ses_1", "command": "recall", "arguments": "rows"}, {}]
    driven.run(command, message("The whole template"), message("Why?", "msg_2"))
    assert [p["prompt"] for kind, p in driven.asked if kind == "prompt"] == ["/recall rows", "Why?"]


def test_quotes_that_the_client_put_around_an_argument_are_taken_off(driven):
    typed = 'Why "so"?'
    driven.run(message('"Why \\"so\\"?"'), message('"Mine"', "msg_2"), words=("run", typed))
    assert [p["prompt"] for kind, p in driven.asked if kind == "prompt"] == [typed, '"Mine"']


def test_files_that_the_session_used_go_along_the_latest_first(driven):
    def used(path):
        return ["tool.execute.after", {"sessionID": "ses_1", "tool": "read", "args": {"filePath": path}}, {}]

    driven.run(
        message(), used("/a"), used("/b"), used("relative"), used(7), used("/a"), message("So?", "msg_2")
    )
    assert [p["files"] for kind, p in driven.asked if kind == "prompt"] == [[], ["/a", "/b"]]


def test_switched_off_it_has_no_hook(driven):
    driven.environ["FOREWORD_DISABLE"] = "1"
    assert driven.run(message(), IDLE)["hooks"] == []
    assert driven.asked == []


# -- badly ---------------------------------------------------------------------------------------

WELL = [["Why?"], ["And?"]]
BADLY = {
    "crash": SAYS + "; sys.stdout.flush(); os._exit(3)",
    "garbage": "print('\\x00{]')",
    "no text": "print(json.dumps({'hookSpecificOutput': {'additionalContext': [1]}}))",
    "null": "print('null')",
    "silence": "",
    "too much": "sys.stdout.write(json.dumps(answer) + ' ' * (1 << 21))",
    "closed early": "os.close(0); os.close(1)",
}


@pytest.mark.parametrize("does", BADLY.values(), ids=BADLY)
def test_whatever_is_said_the_prompt_goes_on_without(does, tmp_path):
    driven = Driven(tmp_path, does)
    done = driven.run(message("Why?"), *said("Because."), IDLE, message("And?", "msg_2"))
    assert [texts(step) for step in done["steps"] if step[0] == "chat.message"] == WELL
    assert sorted(set(driven.events)) == ["prompt", "session-start", "stop"]
    assert driven.events.count("prompt") == 2 and driven.events.count("stop") == 1


GONE = [["/nowhere/python"], [""], ["/"], ["/nowhere\0x"], []]


@pytest.mark.parametrize("words", GONE, ids=repr)
def test_without_a_program_the_prompt_goes_on_without(words, tmp_path):
    driven = Driven(tmp_path)
    driven.edit(
        lambda text: re.sub(
            "(?m)^const COMMAND = .*$", lambda _: f"const COMMAND = {json.dumps(words)}", text
        )
    )
    done = driven.run(message("Why?"), *said("Because."), IDLE, message("And?", "msg_2"))
    assert [texts(step) for step in done["steps"] if step[0] == "chat.message"] == WELL


def test_what_hangs_is_ended_and_not_waited_for(tmp_path):
    driven = Driven(
        tmp_path, "open(LOG + str(os.getpid()), 'w'); print(json.dumps(answer), flush=True); time.sleep(600)"
    )
    driven.limit(prompt=4000, stop=2000, kept=2000)
    done = driven.run(message("Why?"), *said("Because."), IDLE)
    assert texts(done["steps"][0]) == ["Why?"]
    started = [int(path.name.removeprefix("asked.log")) for path in tmp_path.glob("asked.log?*")]
    assert started
    for process in started:
        with pytest.raises(ProcessLookupError):
            os.kill(process, 0)


HANGS = "time.sleep(600)"


def test_a_first_prompt_waited_for_two_hooks_one_after_the_other(tmp_path):
    driven = Driven(tmp_path, HANGS)
    driven.limit(prompt=3000, stop=1000, kept=1000)
    done = driven.run(message("Why?"))
    assert driven.events == ["session-start", "prompt"]
    started, asked = [ms for ms in done["waits"] if ms < 3000 and ms != 1000]
    assert 500 < started <= 2000  # what opencode was asked comes off it
    assert started + asked <= 3000 + 5  # a timer of node's may be a little early
    assert texts(done["steps"][0]) == ["Why?"]


# What it does, and something that it started and that holds its pipe; the test ends that.
HOLDS = """\
import subprocess
held = subprocess.Popen([sys.executable, "-I", "-S", "-c", "import time; time.sleep(600)"])
open(LOG + ".held." + str(held.pid), "w").close()
{}
"""


@pytest.fixture
def holding(tmp_path):
    """A function that gives a Driven whose stand-in leaves a process behind."""
    yield lambda does: Driven(tmp_path, HOLDS.format(does))
    for path in tmp_path.glob("asked.log.held.*"):
        os.kill(int(path.name.rpartition(".")[2]), signal.SIGKILL)


def test_a_whole_answer_was_thrown_away_because_something_else_held_the_pipe(holding):
    driven = holding(SAYS)
    driven.limit(prompt=600_000, stop=600_000, kept=1000)  # what waits for that is ended by this test
    done = driven.run(message("Why?"), message("And?", "msg_2"))
    assert [[part["text"] for part in parts] for parts in handed(done)] == [
        ["<foreword>session-start</foreword>", "<foreword>prompt</foreword>"],
        ["<foreword>prompt</foreword>"],
    ]


def test_the_answer_of_a_hook_that_failed_counts_for_nothing_though_something_holds_the_pipe(holding):
    driven = holding(SAYS + "; sys.stdout.flush(); os._exit(3)")
    assert texts(driven.run(message("Why?"))["steps"][0]) == ["Why?"]


def test_what_never_stops_talking_is_ended_at_once(tmp_path):
    driven = Driven(tmp_path, "while True: os.write(1, b'x' * 65536)")
    driven.limit(prompt=600_000, stop=600_000, kept=1000)
    assert texts(driven.run(message("Why?"))["steps"][0]) == ["Why?"]


def test_an_answer_longer_than_a_pipe_holds_comes_whole_though_something_else_holds_it(holding):
    driven = holding('answer["hookSpecificOutput"]["additionalContext"] = "x" * 300_000; ' + SAYS)
    done = driven.run(message("Why?"))
    assert [len(part["text"]) for part in handed(done)[0]] == [300_000, 300_000]


def test_the_client_lived_on_for_what_a_killed_hook_had_started(holding):
    driven = holding("sys.stdout.flush(); " + HANGS)
    driven.limit(prompt=3000, stop=1000, kept=1000)
    assert texts(driven.run(message("Why?"))["steps"][0]) == ["Why?"]  # node ends: else a timeout here


def test_a_recall_that_came_too_late_was_never_asked_for_again(tmp_path):
    late = "if event == 'session-start' and not os.path.exists(LOG + '.late'): open(LOG + '.late', 'w'); "
    driven = Driven(tmp_path, late + HANGS + "\n" + SAYS)
    driven.limit(prompt=3000, stop=1000, kept=1000)
    done = driven.run(message("Why?"), message("And?", "msg_2"), message("So?", "msg_3"))
    assert [[part["text"] for part in parts] for parts in handed(done)] == [
        ["<foreword>prompt</foreword>"],
        ["<foreword>session-start</foreword>", "<foreword>prompt</foreword>"],
        ["<foreword>prompt</foreword>"],
    ]
    # By then the session has messages; it begins as it began all the same.
    assert [p["source"] for kind, p in driven.asked if kind == "session-start"] == ["startup", "startup"]


def test_the_recall_after_a_compaction_is_asked_for_again_too(tmp_path):
    fails = "os._exit(3) if event == 'session-start' and json.loads(asked)['source'] == 'compact' else "
    driven = Driven(tmp_path, fails + SAYS)
    compacted = event("session.compacted", sessionID="ses_1")
    driven.run(message("Why?"), compacted, message("And?", "msg_2"), message("So?", "msg_3"))
    starts = [payload["source"] for kind, payload in driven.asked if kind == "session-start"]
    assert starts == ["startup", "compact", "compact"]


def test_a_recall_that_never_comes_is_given_up(tmp_path):
    driven = Driven(tmp_path, "sys.exit(event == 'session-start')")
    driven.run(*(message("Why?", f"msg_{n}") for n in range(5)))
    assert driven.events.count("session-start") == 3
    assert driven.events.count("prompt") == 5


def test_a_client_that_answers_nothing_holds_nothing_up(driven):
    driven.sessions = {}
    done = driven.run(message("Why?"))
    assert texts(done["steps"][0])[0] == "Why?"


@pytest.mark.parametrize(
    "step",
    [
        ["chat.message", {}, {}],
        ["chat.message", {"sessionID": "ses_1"}, {"message": {"id": "m"}, "parts": None}],
        ["chat.message", {"sessionID": "ses_1"}, {"message": {"id": "m"}, "parts": [None, {}]}],
        event("message.updated"),
        event("message.part.updated", part=None),
        event("session.created"),
        event("session.idle"),
        event("some.other"),
        ["event", {}, {}],
        ["tool.execute.after", {"sessionID": "ses_1", "args": None}, {}],
        ["command.execute.before", {}, {}],
        ["experimental.chat.messages.transform", {}, {}],
        ["experimental.chat.messages.transform", {}, {"messages": [{"info": {}, "parts": None}]}],
    ],
)
def test_events_of_another_shape_break_nothing(driven, step):
    driven.run(message(), step, message("And?", "msg_2"))
    assert driven.events.count("prompt") >= 2


def test_a_long_answer_is_cut_and_arrives_whole(driven):
    driven.run(message(), *said("é" * 300_000), IDLE)
    [answer] = [p["last_assistant_message"] for kind, p in driven.asked if kind == "stop"]
    assert answer == "é" * 200_000

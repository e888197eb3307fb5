"""Programs that are tried once: whatever they do is told in a sentence, and nothing of it stays."""

import json
import os
import sys
import tempfile

import pytest

from foreword import __version__
from foreword.clients import probe
from foreword.clients.claude_code import health

CLIENT = "claude-code"
TRACE = CLIENT + ".prompt"
PAYLOAD = health.payloads()["UserPromptSubmit"]
SERVER = [sys.executable, "-I", "-m", "foreword.cli", "serve"]
PATIENCE_S = 30  # never waited for: what it bounds takes 0.1 s

pytestmark = pytest.mark.skipif(os.name == "nt", reason="scripts for a POSIX shell")


@pytest.fixture(autouse=True)
def temporary(tmp_path, monkeypatch):
    """The folder of temporary files: what a probe leaves there is left behind."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    yield folder
    assert list(folder.iterdir()) == []


def hook(*command):
    return [sys.executable, "-I", "-m", "foreword.hook", *command]


def script(tmp_path, text):
    path = tmp_path / "program"
    path.write_text("#!/bin/sh\n" + text)
    path.chmod(0o755)
    return str(path)


def processes_of(folder):
    """The ids of running processes that have a folder's name among their words."""
    found = []
    for name in os.listdir("/proc"):
        try:
            with open(f"/proc/{name}/cmdline", "rb") as f:
                if os.fsencode(folder) in f.read():
                    found.append(int(name))
        except (OSError, ValueError):
            continue
    return found


# -- hooks ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("event", ["SessionStart", "UserPromptSubmit", "Stop"])
@pytest.mark.parametrize("as_line", [False, True])
def test_a_hook_of_ours_is_found_to_run(event, as_line):
    ours = {"SessionStart": "session-start", "UserPromptSubmit": "prompt", "Stop": "stop"}[event]
    command = hook(CLIENT, ours)
    problem, took_s = probe.hook(
        " ".join(command) if as_line else command, health.payloads()[event], PATIENCE_S, f"{CLIENT}.{ours}"
    )
    assert problem == ""
    assert 0 < took_s < PATIENCE_S


def test_the_user_s_store_is_not_touched_and_no_worker_starts(tmp_path):
    home = tmp_path / "home" / ".foreword"
    jobs = [(hook(CLIENT, "session-start"), health.payloads()["SessionStart"], PATIENCE_S, "x")] * 3
    assert len(probe.hooks(jobs)) == 3
    assert not home.exists()
    assert list((tmp_path / "home").iterdir()) == []


def test_a_hook_that_is_switched_off_where_doctor_runs_is_tried_all_the_same(monkeypatch):
    monkeypatch.setenv("FOREWORD_DISABLE", "1")
    assert probe.hook(hook(CLIENT, "prompt"), PAYLOAD, PATIENCE_S, TRACE)[0] == ""


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("cat >/dev/null; exit 3", "it ends with exit code 3"),
        ("cat >/dev/null; echo one >&2; echo No module named foreword >&2; exit 1",
         "it ends with exit code 1: No module named foreword"),
        ("cat >/dev/null; echo careful >&2", "it writes to stderr: careful"),
        ("cat >/dev/null; echo hello", "it prints what no client understands: hello"),
        ("cat >/dev/null; echo '[1]'", "it prints what no client understands: [1]"),
        ("cat >/dev/null; echo '{}'", "it ends well, but what ran was not this version of Foreword"),
        ("exit 0", "it ends well, but what ran was not this version of Foreword"),
        ('cd "$FOREWORD_HOME"; mkdir log; echo "T prompt: OSError" > log/hook.log',
         "it logs: prompt: OSError"),
        ("cat >/dev/null; printf '\\033[31mred\\n' >&2; exit 1", "it ends with exit code 1: [31mred"),
    ],
)  # fmt: skip
def test_a_hook_that_does_not_do_its_work_is_told(tmp_path, text, told):
    problem, _ = probe.hook([script(tmp_path, text)], PAYLOAD, PATIENCE_S, TRACE)
    assert problem == told


def test_a_hook_that_hangs_is_ended_with_all_that_it_started(tmp_path):
    waiting = f"tail -f {tmp_path}/program"  # for ever, and known by its words
    program = script(tmp_path, f"{waiting} & exec {waiting}")
    problem, took_s = probe.hook([program], PAYLOAD, 0.2, TRACE)
    assert problem == "it does not end within 0.2 s"
    assert took_s == 0.2
    if os.path.isdir("/proc/self"):
        assert processes_of(str(tmp_path)) == []


def test_a_hook_that_cannot_be_started_is_told(tmp_path):
    gone = str(tmp_path / "gone")
    assert probe.hook([gone], PAYLOAD, PATIENCE_S, TRACE) == (
        "it cannot be started: No such file or directory", 0.0,
    )  # fmt: skip
    assert probe.hook(["a\0b"], PAYLOAD, PATIENCE_S, TRACE)[0].startswith("it cannot be started: ")
    assert probe.hook("no-such-program-anywhere", PAYLOAD, PATIENCE_S, TRACE)[0].startswith(
        "it ends with exit code 127"
    )


def test_no_hooks_take_no_time():
    assert probe.hooks([]) == []


# -- servers -------------------------------------------------------------------------------------

ANSWERING = """
import json, sys
for line in sys.stdin:
    message = json.loads(line)
    if message["method"] == "initialize":
        result = {"serverInfo": {"name": "x", "version": VERSION}}
    else:
        result = {"tools": TOOLS}
    if "id" in message:
        print(json.dumps({"jsonrpc": "2.0", "method": "notifications/message", "params": {}}), flush=True)
        print(json.dumps({"jsonrpc": "2.0", "id": message["id"], ANSWER: result}), flush=True)
"""


def answering(version=__version__, tools=(), answer="result"):
    text = ANSWERING.replace("VERSION", repr(version)).replace("ANSWER", repr(answer))
    listed = [{"name": name} for name in tools]
    return [sys.executable, "-I", "-S", "-c", text.replace("TOOLS", repr(listed))]


def test_our_server_answers_as_this_version_with_its_tools(tmp_path):
    problem, took_s = probe.server(SERVER, dict(os.environ), __version__, ("memory_save", "memory_search"))
    assert problem == ""
    assert took_s > 0
    assert list((tmp_path / "home").iterdir()) == []


@pytest.mark.parametrize(
    ("command", "told"),
    [
        (answering(version="0.0.1"), f"it answers as version 0.0.1, this one is {__version__}"),
        (answering(version=None), f"it answers as version None, this one is {__version__}"),
        (answering(tools=["b"]), "it does not offer a"),
        (answering(answer="error"), "it refuses initialize"),
        (["/bin/sh", "-c", "echo no such thing >&2; exit 1"],
         "it ended before it answered initialize: no such thing"),
        (["/bin/sh", "-c", "read line; echo hello"], "it prints what is no message: hello"),
        (["/nowhere/at/all"], "it cannot be started: No such file or directory"),
        ([sys.executable, "-I", "-c", "import sys; [sys.stderr.write('x' * 10**6) for _ in range(9)]"],
         "it ended before it answered initialize: " + "x" * 200),
    ],
)  # fmt: skip
def test_a_server_that_is_not_ours_or_does_not_answer_is_told(command, told):
    assert probe.server(command, dict(os.environ), __version__, ("a",), PATIENCE_S)[0] == told


def test_a_server_that_hangs_is_ended(tmp_path):
    program = script(tmp_path, f"exec tail -f {tmp_path}/empty")
    (tmp_path / "empty").touch()
    problem, _ = probe.server([program], dict(os.environ), __version__, (), 0.2)
    assert problem == "it does not answer initialize within 0.2 s"
    if os.path.isdir("/proc/self"):
        assert processes_of(str(tmp_path)) == []


def test_a_conversation_sees_only_the_answer_to_its_own_question():
    lines = [
        {"id": 7, "result": {"of": "another"}},
        {"id": 1, "method": "roots/list"},
        ["a", "batch"],
        {"id": 1, "result": {"of": "ours"}},
    ]
    text = "".join(f"print({json.dumps(json.dumps(line))}, flush=True)\n" for line in lines)
    command = [sys.executable, "-I", "-S", "-c", "input()\n" + text]
    with probe.Talk(command, dict(os.environ), PATIENCE_S) as talk:
        assert talk.ask("anything", {}) == {"of": "ours"}
        with pytest.raises(probe.SilentError, match="ended before it answered another"):
            talk.ask("another", {})


def test_a_server_that_talks_without_end_is_given_up_and_fills_no_memory(tmp_path):
    chatty = [script(tmp_path, """exec yes '{"jsonrpc":"2.0","method":"notifications/message"}'\n""")]
    with probe.Talk(chatty, dict(os.environ), 0.3) as talk:
        with pytest.raises(probe.SilentError, match="does not answer initialize within"):
            talk.ask("initialize", {})
        assert talk.lines.qsize() <= 100

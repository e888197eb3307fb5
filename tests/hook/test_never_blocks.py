"""Whatever a client sends, a hook exits with 0, says nothing wrong and logs one line at most."""

import json
import os
import shutil
import subprocess
import sys

import pytest

from hook import events

# Text of a user's in every hostile payload: it must not reach the log.
SECRET = "pelican-of-the-payload"

WRONG = [None, 1, True, [], {SECRET: [SECRET]}, "", "/" + SECRET]
LONG = (SECRET + " ") * 40_000  # about 1 MB
FIELDS = (
    "session_id", "transcript_path", "cwd", "prompt_id", "hook_event_name", "prompt", "source",
    "last_assistant_message", "stop_hook_active", "agent_id", "permission_mode",
)  # fmt: skip


@pytest.fixture(autouse=True)
def switched_on():
    events.switch("on")


@pytest.fixture(params=events.EVENTS)
def event(request):
    return request.param


def full(event, **changes):
    """A payload of this event with every field that any event has, beside a transcript."""
    transcript = os.path.abspath("transcript.jsonl")
    if not os.path.exists(transcript):
        record = {"type": "user", "message": {"role": "user", "content": events.QUESTION + SECRET}}
        with open(transcript, "w", encoding="utf-8") as f:
            f.write(json.dumps(record) + "\n")
    payload = {
        **events.sample("UserPromptSubmit", cwd=os.getcwd(), prompt=events.QUESTION + SECRET),
        "last_assistant_message": events.ANSWER + SECRET,
        "stop_hook_active": False,
        "source": "compact",
        "transcript_path": transcript,
        "hook_event_name": events.sample(events.SAMPLE_OF[event])["hook_event_name"],
    }
    return {**payload, **changes}


def run(event, payload, lines=1, **options):
    """Run the hook; at most `lines` new lines in the log, none of them with the user's text."""
    before = events.log()
    out = events.run(event, payload, **options)
    new = events.log()[len(before) :]
    assert len(new) <= lines
    assert SECRET not in "".join(new)
    return out, new


BYTES = {
    "empty": b"",
    "white-space": b" \n\t ",
    "garbage": bytes(range(255, -1, -1)) * 16,
    "text": SECRET.encode(),
    "half": json.dumps({"prompt": SECRET, "session_id": "s"}).encode()[:-9],
    "two-objects": b'{"prompt": "pelican-of-the-payload"}' * 2,
    "brackets": b"[" * 100_000,
    "closed-brackets": b"[" * 100_000 + b"]" * 100_000,
    "objects": b'{"prompt":' * 100_000,
    "nested-in-a-field": b'{"prompt":' + b"[" * 100_000 + b"]" * 100_000 + b"}",
    "list": b'["pelican-of-the-payload"]',
    "string": b'"pelican-of-the-payload"',
    "number": b"17",
    "null": b"null",
    "long-number": b"1" * 100_000,
    "nan": b"NaN",
    "utf-16-cut": json.dumps({"prompt": SECRET}).encode("utf-16")[:-1],
    "not-utf-8": b'{"prompt": "pelican-of-the-payload \xff\xfe\xc3"}',
    "nul-bytes": b"\0" * 4_096,
    "cut-in-a-character": '{"prompt": "ä'.encode()[:-1],
}


@pytest.mark.parametrize("name", BYTES)
def test_what_is_no_payload_leaves_one_line_and_no_answer(event, name):
    out, new = run(event, BYTES[name])
    assert out == b""
    assert len(new) == 1


@pytest.mark.parametrize("value", WRONG, ids=repr)
def test_fields_of_wrong_types_are_passed_over(event, value):
    for field in FIELDS:
        run(event, full(event, **{field: value}))


@pytest.mark.parametrize("value", [True, [], {}, LONG], ids=["true", "list", "object", "1-MB"])
def test_a_payload_wrong_in_every_field_is_passed_over(event, value):
    out, _ = run(event, dict.fromkeys(FIELDS, value))
    assert out == b""


@pytest.mark.parametrize("field", FIELDS)
def test_a_field_of_a_megabyte_is_survived(event, field):
    run(event, full(event, **{field: LONG}))


@pytest.mark.parametrize("field", FIELDS)
def test_a_payload_without_a_field_is_survived(event, field):
    run(event, {key: value for key, value in full(event).items() if key != field})


@pytest.mark.parametrize(
    "odd", ["\\ud800", "\\udfff\\ud800", "\\u0000", "\\ufffe\\uffff", "\\u2028\\u0085\\r"]
)
def test_characters_that_no_file_takes_are_survived_in_every_field(event, odd):
    for fields in (("cwd",), ("hook_event_name",), set(FIELDS) - {"cwd", "hook_event_name"}):
        payload = full(event)
        payload.update({field: f"{payload.get(field)}@@{SECRET}@@" for field in fields})
        _, new = run(event, json.dumps(payload).replace("@@", odd).encode())
        assert new == []


def test_fifty_megabytes_are_read_and_left_alone(event):
    payload = json.dumps(full(event, prompt="x" * 50_000_000)).encode()
    out, [line] = run(event, payload)
    assert out == b""
    assert "%d bytes on stdin" % len(payload) in line


def test_the_largest_payload_that_is_read_is_survived(event):
    payload = full(event, prompt=("word " * 3_200_000))
    assert len(json.dumps(payload)) < 16 * 1024 * 1024
    run(event, payload)


@pytest.mark.parametrize("named", ["SubagentStop", "PreToolUse", "Nothing", "", "userpromptsubmit"])
def test_another_event_is_none_of_ours(event, named):
    out, new = run(event, full(event, hook_event_name=named))
    assert (out, new) == (b"", [])
    assert not os.path.exists(os.path.join(events.home(), "projects"))


@pytest.mark.parametrize(
    "arguments",
    [
        [], ["claude-code"], ["", ""], ["claude-code", "nothing"], ["nobody", "prompt"],
        ["prompt", "claude-code"],
        ["../../etc", "stop"], ["claude-code", "stop\n\n2 lines"], ["claude-code", "\udcff"], ["--help"],
    ],
)  # fmt: skip
def test_unknown_arguments_leave_one_line(arguments):
    done = subprocess.run(
        [*events.HOOK, *arguments], input=b"{}", capture_output=True, timeout=events.PATIENCE_S
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    [line] = events.log()
    assert "unknown hook" in line


def test_more_arguments_than_two_are_passed_over(event):
    done = subprocess.run(
        [*events.HOOK, "claude-code", event, "--later-versions"],
        input=json.dumps(full(event)).encode(),
        capture_output=True,
        timeout=events.PATIENCE_S,
    )
    assert (done.returncode, done.stderr) == (0, b"")


def test_modules_of_the_users_folder_are_not_run(event, monkeypatch):
    for name in ("json", "sqlite3", "re", "os", "sitecustomize", "usercustomize", "foreword", "_thread"):
        with open(name + ".py", "w", encoding="utf-8") as f:
            f.write("open('ran', 'w').close()\nraise SystemExit('a module of the user was run')\n")
    os.mkdir("encodings")
    monkeypatch.setenv("PYTHONPATH", os.getcwd())
    monkeypatch.setenv("PYTHONSTARTUP", os.path.abspath("json.py"))
    _, new = run(event, full(event))
    assert new == []
    assert not os.path.exists("ran")


@pytest.mark.parametrize("payload_has_cwd", [True, False])
def test_a_current_folder_that_is_gone_is_survived(event, tmp_path, payload_has_cwd):
    gone = tmp_path / "gone"
    gone.mkdir()
    inside = ["sh", "-c", 'cd "$1" && rmdir "$1" && shift && exec "$@"', "sh", str(gone), *events.HOOK]
    payload = full(event, cwd=str(gone) if payload_has_cwd else None)
    _, new = run(event, payload, command=inside)
    assert new == []


def test_a_relative_home_in_a_folder_that_is_gone_is_survived(event, tmp_path, monkeypatch):
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.setenv("FOREWORD_HOME", "here")
    inside = ["sh", "-c", 'cd "$1" && rmdir "$1" && shift && exec "$@"', "sh", str(gone), *events.HOOK]
    events.run(event, full(event), command=inside)


CLOCK = "import sys, time; time.time = lambda: {}; from foreword.hook.run import main; main(sys.argv[1:])"


@pytest.mark.parametrize("now", ["0.0", "-86400.5", "1.5", "4102444800.25", "32503680000.0"])
def test_a_wrong_clock_is_survived(event, now):
    at = [sys.executable, "-I", "-c", CLOCK.format(now)]
    for each in ("prompt", "stop", event):
        _, new = run(each, full(each), command=at)
        assert new == []
    [memory] = events.memories()
    assert memory["body"].endswith(SECRET)
    assert memory["damage"] == ""


def test_in_1970_the_project_is_known_and_the_prompt_recorded():
    at = [sys.executable, "-I", "-c", CLOCK.format("0.0")]
    run("prompt", full("prompt"), command=at)
    [record] = events.prompts()
    assert record["time"] == "1970-01-01T00:00:00.000000Z"


NO_ACCOUNT = """
import pwd, sys
def none(uid): raise KeyError(uid)
pwd.getpwuid = none
from foreword.hook.run import main
main(sys.argv[1:])
"""


def test_without_any_home_nothing_is_done(event, monkeypatch, tmp_path):
    monkeypatch.delenv("HOME")
    monkeypatch.delenv("FOREWORD_HOME")
    payload = full(event)
    before = events.everything_under(tmp_path)
    out = events.run(event, payload, command=[sys.executable, "-I", "-c", NO_ACCOUNT])
    assert out == b""
    assert events.everything_under(tmp_path) == before


def test_without_home_but_with_our_own_all_works(event, monkeypatch):
    monkeypatch.delenv("HOME")
    _, new = run(event, full(event), command=[sys.executable, "-I", "-c", NO_ACCOUNT])
    assert new == []
    assert os.path.isdir(os.path.join(events.home(), "projects"))


def test_an_environment_that_is_empty_is_survived(event):
    environment = {"FOREWORD_HOME": events.home(), "HOME": os.environ["HOME"]}
    _, new = run(event, full(event), env=environment)
    assert new == []


def test_an_environment_that_is_no_text_is_survived(event):
    odd = os.fsencode(os.path.join(os.getcwd(), "")) + b"\xff\xfe"
    environment = {**os.environb, b"CLAUDE_PROJECT_DIR": odd, b"LC_ALL": b"C", b"PYTHONUTF8": b"0"}
    _, new = run(event, full(event), env=environment)
    assert new == []


def test_a_folder_whose_name_is_no_text_is_worked_in(event, tmp_path):
    odd = os.fsencode(tmp_path) + b"/\xff\xfe"
    try:
        os.mkdir(odd)
    except OSError:
        pytest.skip("this file system takes only UTF-8 names")
    _, new = run(event, full(event, cwd=None), cwd=odd)
    assert new == []


def test_stdin_that_is_never_closed_ends_at_the_deadline():
    process = subprocess.Popen(
        [*events.HOOK, "claude-code", "prompt"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    with process:
        process.stdin.write(json.dumps(full("prompt")).encode())
        process.stdin.flush()  # and not closed: the client hangs
        assert process.wait(timeout=events.PATIENCE_S) == 0
        assert (process.stdout.read(), process.stderr.read()) == (b"", b"")
    [line] = events.log()
    assert "gave up after 2.5 s" in line


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
def test_closed_descriptors_are_survived(event, closed):
    command = ["sh", "-c", f'exec "$@" {closed}', "sh", *events.HOOK]
    run(event, full(event), command=command)


def test_a_reader_that_is_gone_is_survived(event, tmp_path):
    events.turn(events.QUESTION, events.ANSWER, str(tmp_path), session="before")
    reading, writing = os.pipe()
    os.close(reading)
    try:
        done = subprocess.run(
            [*events.HOOK, "claude-code", event],
            input=json.dumps(full(event, cwd=str(tmp_path), prompt=events.ASKED_LATER)).encode(),
            stdout=writing,
            stderr=subprocess.PIPE,
            timeout=events.PATIENCE_S,
        )
    finally:
        os.close(writing)
    assert (done.returncode, done.stderr) == (0, b"")
    assert events.log() == []


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no /dev/full here")
def test_an_output_that_is_full_is_survived(tmp_path):
    events.turn(events.QUESTION, events.ANSWER, str(tmp_path), session="before")
    with open("/dev/full", "wb", buffering=0) as out:
        done = subprocess.run(
            [*events.HOOK, "claude-code", "prompt"],
            input=json.dumps(full("prompt", cwd=str(tmp_path), prompt=events.ASKED_LATER)).encode(),
            stdout=out,
            stderr=subprocess.PIPE,
            timeout=events.PATIENCE_S,
        )
    assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.parametrize("kind", ["fifo", "folder", "socket", "/dev/zero", "/dev/stdin", "gone"])
def test_a_transcript_that_is_no_file_is_survived(kind, tmp_path):
    place = kind if kind.startswith("/") else str(tmp_path / kind)
    if kind == "fifo":
        os.mkfifo(place)
    elif kind == "folder":
        os.mkdir(place)
    elif kind == "socket":
        import socket

        with socket.socket(socket.AF_UNIX) as made:
            made.bind(os.path.relpath(place))  # a socket's name is short
    _, new = run("stop", full("stop", transcript_path=place, prompt=None))
    assert new == []
    [memory] = events.memories()
    assert (memory["question"], memory["body"].endswith(SECRET)) == ("", True)


def test_disabled_it_does_nothing(event, monkeypatch, tmp_path):
    monkeypatch.setenv("FOREWORD_DISABLE", "1")
    payload = full(event)
    before = events.everything_under(tmp_path)
    out, new = run(event, payload)
    assert (out, new) == (b"", [])
    assert events.everything_under(tmp_path) == before


def test_the_log_stays_bounded():
    logs = os.path.join(events.home(), "log")
    os.mkdir(logs)
    with open(os.path.join(logs, "hook.log"), "wb") as f:
        f.write(b"x" * 999_990 + b"\n")
    shutil.copy(os.path.join(logs, "hook.log"), os.path.join(logs, "hook.log.1"))
    events.run("prompt", b"garbage")
    events.run("prompt", b"garbage")
    assert sum(len(data) for data in events.everything_under(logs).values()) < 2_100_000
    assert len(events.log()) == 1

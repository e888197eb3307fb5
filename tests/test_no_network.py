"""No socket is ever opened: Python's audit events and, where there is strace, the kernel say so."""

import json
import os
import re
import shutil
import subprocess
import sys

import pytest

sys.path.append(os.path.dirname(os.path.abspath(__file__)))

from hook import events

# Writes each socket event to a file instead of raising: code that swallows errors must not hide one.
GUARD = """
import os, runpy, sys
told = sys.argv.pop(1)
def guard(event, arguments):
    if event.startswith(("socket.", "urllib.", "http.", "ftplib.", "smtplib.", "poplib.", "imaplib.",
                         "telnetlib.", "nntplib.")):
        fd = os.open(told, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        os.write(fd, (event + "\\n").encode())
        os.close(fd)
        raise RuntimeError(event)
sys.addaudithook(guard)
module = sys.argv[1]
sys.argv[:2] = [module]
runpy.run_module(module, run_name="__main__", alter_sys=True)
"""
OPENS = "import socket; socket.socket().close()"
CALLS = r"\b(?:socket|connect|bind|sendto|listen|accept4?)\("
VERBS = [
    ["save", "--title", "Pool size"], ["search", "importer currency"], ["list"], ["show"], ["switch"],
    ["switch", "auto"], ["status"], ["check"], ["reindex"], ["archive"], ["restore"], ["delete"],
]  # fmt: skip


@pytest.fixture
def folder(tmp_path):
    """A repository with one note, so that git is asked and a note can be offered."""
    events.switch("on")
    (tmp_path / "app").mkdir()
    (tmp_path / "app" / "README.md").write_text("# App\n")
    return events.commit(str(tmp_path / "app"))


def payloads(folder):
    """(event, payload) of two client sessions, from the first start to the note that is offered."""
    for session in ("s1", "s2"):
        fields = {"cwd": folder, "session_id": session}
        yield "session-start", events.sample("SessionStart-startup", **fields)
        yield "prompt", events.sample("UserPromptSubmit", prompt=events.QUESTION, **fields)
        yield "stop", events.sample("Stop", last_assistant_message=events.ANSWER, **fields)
        yield "session-start", events.sample("SessionStart-compact", **fields)


def guarded(told, *arguments, **options):
    return subprocess.run(
        [sys.executable, "-I", "-c", GUARD, told, *arguments],
        capture_output=True,
        timeout=events.PATIENCE_S,
        **options,
    )


def test_the_guard_sees_a_socket(tmp_path):
    told = str(tmp_path / "told")
    (tmp_path / "opens.py").write_text("import socket\ntry: socket.socket()\nexcept RuntimeError: pass\n")
    code = f"import sys; sys.path.append({str(tmp_path)!r})\n" + GUARD
    subprocess.run([sys.executable, "-I", "-c", code, told, "opens"], check=True)
    assert os.path.exists(told)


def test_no_hook_opens_a_socket(folder, tmp_path):
    told = str(tmp_path / "told")
    outputs = []
    for event, payload in payloads(folder):
        data = json.dumps(payload).encode()
        done = guarded(told, "foreword.hook", "claude-code", event, input=data)
        assert (done.returncode, done.stderr) == (0, b"")
        outputs.append(done.stdout)
    assert b"dropped on purpose" in outputs[5]
    assert not os.path.exists(told)


@pytest.mark.parametrize("work", ["catch-up", "rebuild"])
def test_no_worker_opens_a_socket(folder, tmp_path, work):
    told = str(tmp_path / "told")
    events.turn(events.QUESTION, events.ANSWER, folder)
    events.workers_done()
    name = os.path.basename(events.project_folder())
    done = guarded(told, "foreword.worker", events.home(), name, work)
    assert (done.returncode, done.stderr) == (0, b"")
    assert not os.path.exists(told)


def test_no_verb_opens_a_socket(folder, tmp_path):
    told = str(tmp_path / "told")
    events.turn(events.QUESTION, events.ANSWER, folder)
    events.workers_done()
    [memory] = events.memories()
    for verb in VERBS:
        ids = [memory["id"]] if verb[0] in ("show", "archive", "restore", "delete") else []
        done = guarded(told, "foreword.cli", *verb, *ids, input=b"The pool holds five.\n", cwd=folder)
        assert done.returncode == 0, (verb, done.stderr)
    assert not os.path.exists(told)


def test_strace_sees_no_network_call_of_any_hook(folder, tmp_path):
    tool = shutil.which("strace")
    if not tool or subprocess.run([tool, "-o", os.devnull, "true"], capture_output=True).returncode:
        pytest.skip("no strace here, or it may not trace")
    trace = str(tmp_path / "trace")
    opens = [tool, "-f", "-qq", "-e", "trace=network", "-o", trace, sys.executable, "-c", OPENS]
    subprocess.run(opens, check=True)
    with open(trace, encoding="utf-8") as f:
        assert re.findall(CALLS, f.read())  # it does see one
    os.unlink(trace)
    # -f follows git and the detached worker; their end is waited for by strace itself.
    command = [tool, "-f", "-qq", "-e", "trace=network", "-A", "-o", trace, *events.HOOK]
    for event, payload in payloads(folder):
        events.run(event, payload, command=command)
    with open(trace, encoding="utf-8") as f:
        calls = re.findall(CALLS, f.read())
    assert calls == []

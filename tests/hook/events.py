"""Client events as real processes, and what they leave in the store. Shared by the tests of hooks.

`run` starts `python -I -m foreword.hook` as a client does and holds every run to the promises that hold
for all of them: exit code 0, nothing on stderr, a valid answer or none. Nothing here imports the hook.
"""

import json
import os
import subprocess
import sys
import time

from foreword.index import catch_up
from foreword.store import layout, read

TESTS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SAMPLES = os.path.join(TESTS, "data", "clients", "claude-code", "hooks")
HOOK = [sys.executable, "-I", "-m", "foreword.hook"]
PATIENCE_S = 30  # a run that takes longer hangs; one takes 50 ms
SAMPLE_OF = {"prompt": "UserPromptSubmit", "stop": "Stop", "session-start": "SessionStart-startup"}
EVENTS = tuple(SAMPLE_OF)

QUESTION = "Why does the importer drop rows whose currency is missing?"
ANSWER = (
    "Rows without a currency are dropped on purpose by `keep` in `src/app.py:1`: the ledger adds up amounts"
    " per currency, so a row that names none has no column to go to. Before that rule existed the totals of"
    " the importer were wrong by 1,204 rows, and nobody had noticed it."
)
ASKED_LATER = "Make the importer report rows that it drops when their currency is missing"


def sample(name, **changes):
    """A payload as the client sends it (2.1.197), with some fields changed; None removes a field."""
    with open(os.path.join(SAMPLES, name + ".json"), encoding="utf-8") as f:
        payload = {**json.load(f), **changes}
    return {key: value for key, value in payload.items() if value is not None}


def run(event, payload, client="claude-code", command=None, **options):
    """Run one hook; `payload` is bytes or an object. Returns its stdout, already found valid."""
    data = payload if isinstance(payload, bytes) else json.dumps(payload).encode()
    done = subprocess.run(
        [*(command or HOOK), client, event], input=data, capture_output=True, timeout=PATIENCE_S, **options
    )
    assert (done.returncode, done.stderr) == (0, b"")
    check_output(event, done.stdout)
    return done.stdout


def run_at_once(event, payload, client="claude-code", times=4):
    """Run one event in several processes at once, as a client does in which we are wired more than once.
    Returns the stdouts that are not empty."""
    data = json.dumps(payload).encode()
    pipe = subprocess.PIPE
    command = [*HOOK, client, event]
    hooks = [subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe) for _ in range(times)]
    for hook in hooks:  # each has been started, and waits for what it is to hear
        hook.stdin.write(data)
        hook.stdin.flush()
    for hook in hooks:
        hook.stdin.close()
    said = []
    for hook in hooks:
        said.append(hook.stdout.read())
        assert (hook.stderr.read(), hook.wait(PATIENCE_S)) == (b"", 0)
        hook.stdout.close()
        hook.stderr.close()
        check_output(event, said[-1])
    return [out for out in said if out]


def check_output(event, out):
    """What the client accepts from this event, or nothing; stop prints nothing, ever."""
    if event == "stop":
        assert out == b""
    if out:
        answer = json.loads(out.decode("utf-8"))
        name = {"prompt": "UserPromptSubmit", "session-start": "SessionStart"}[event]
        assert set(answer) - {"systemMessage"} == {"hookSpecificOutput"}
        assert "systemMessage" not in answer or event == "session-start"
        assert set(answer["hookSpecificOutput"]) == {"hookEventName", "additionalContext"}
        assert answer["hookSpecificOutput"]["hookEventName"] == name
        assert 0 < len(answer["hookSpecificOutput"]["additionalContext"]) <= 10_000


def prompt(text, folder, session="s1", turn="t1", **fields):
    """Submit a prompt; the text handed to the model, or ""."""
    payload = sample("UserPromptSubmit", prompt=text, cwd=folder, session_id=session, prompt_id=turn)
    out = run("prompt", {**payload, **fields})
    return json.loads(out)["hookSpecificOutput"]["additionalContext"] if out else ""


def stop(answer, folder, session="s1", turn="t1", **fields):
    """End a turn."""
    payload = sample("Stop", cwd=folder, session_id=session, transcript_path=None, prompt_id=turn)
    run("stop", {**payload, "last_assistant_message": answer, **fields})


def start(source, folder, session="s1", /, **fields):
    """Start, resume, clear or compact a client session; the answer as an object, {} for none."""
    payload = sample("SessionStart-" + source, cwd=folder, session_id=session)
    out = run("session-start", {**payload, **fields})
    return json.loads(out) if out else {}


def recalled(answer):
    """The text that an answer of `start` hands to the model, or ""."""
    return answer.get("hookSpecificOutput", {}).get("additionalContext", "")


def turn(question, answer, folder, session="s1", turn="t1"):
    """A whole turn: the prompt and its final answer."""
    prompt(question, folder, session, turn)
    stop(answer, folder, session, turn)


def home():
    return os.environ["FOREWORD_HOME"]


def switch(value):
    """The default switch of every project."""
    os.makedirs(home(), exist_ok=True)
    with open(os.path.join(home(), "config.toml"), "w", encoding="utf-8") as f:
        f.write(f'switch = "{value}"\n')


def project_folder():
    """The folder of the one project in the store."""
    projects = os.path.join(home(), "projects")
    [name] = [n for n in os.listdir(projects) if not n.startswith(".")]
    return os.path.join(projects, name)


def memories():
    """Every memory of the one project, oldest first, as store.read gives them."""
    if not os.path.isdir(os.path.join(home(), "projects")):
        return []
    folder = project_folder()
    found, _ = read.walk(folder)
    return sorted((read.load(folder, place) for place, _, _ in found), key=lambda m: m["created"])


def path_of(memory):
    return os.path.join(project_folder(), memory["place"])


def prompts():
    """The records of prompts.log."""
    with open(os.path.join(project_folder(), "prompts.log"), encoding="utf-8") as f:
        return [json.loads(line) for line in f]


def log(where=None):
    """The hooks' own lines in hook.log; a detached worker that fails writes one of its own."""
    try:
        with open(where or os.path.join(home(), "log", "hook.log"), encoding="utf-8") as f:
            return [line for line in f.read().splitlines() if " worker: " not in line]
    except OSError:
        return []


def ids_in(frame):
    """The ids of a foreword's lines, in order."""
    found = [line.split()[1] for line in frame.splitlines() if line.startswith("- ")]
    assert all(layout.is_id(i) for i in found)
    return found


def everything_under(folder):
    """{path: bytes} of every file below a folder."""
    found = {}
    for at, _, names in os.walk(folder):
        for name in names:
            with open(os.path.join(at, name), "rb") as f:
                found[os.path.join(at, name)] = f.read()
    return found


def workers_done():
    """Wait until every detached worker of this home has ended; fails after PATIENCE_S.

    The only place that waits: a worker is no child of ours, so there is nothing to join.
    """
    end = time.monotonic() + PATIENCE_S
    while workers():
        assert time.monotonic() < end, "a worker does not end"
        time.sleep(0.02)


def workers():
    """How many workers of this home run; they are started before a hook ends."""
    wanted = b"-m foreword.worker " + os.fsencode(home()) + b" "
    if os.path.isdir("/proc/self"):
        lines = []
        for pid in filter(str.isdigit, os.listdir("/proc")):
            try:
                # The kernel lets the hook go on before a new process shows its arguments: one without
                # any that is no kernel thread (those have no program) may be a worker.
                os.readlink(f"/proc/{pid}/exe")
                with open(f"/proc/{pid}/cmdline", "rb") as f:
                    lines.append(f.read().replace(b"\0", b" ") or wanted)
            except OSError:
                continue  # it has just ended
    else:
        command = ["ps", "-axww", "-o", "args="]
        lines = subprocess.run(command, capture_output=True, check=True).stdout.splitlines()
    return sum(wanted in line for line in lines)


def settle():
    """All that was put off is done: the index agrees with the files, no worker runs or will be asked for."""
    workers_done()
    catch_up.catch_up(project_folder())


def commit(top):
    """Make a folder a repository with one commit; returns the folder."""
    for arguments in (
        ["init", "-q", "-b", "main"],
        ["add", "-A"],
        ["-c", "user.name=t", "-c", "user.email=t@example.org", "commit", "-q", "-m", "first"],
    ):
        subprocess.run(["git", *arguments], cwd=top, check=True, stdout=subprocess.DEVNULL)
    return top

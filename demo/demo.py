"""`make demo`: Foreword's main job, shown on a copy of this clone in a temporary home.

Where `claude` is on the PATH (or CLAUDE_BIN names it) the real client runs, answered by a scripted
model on loopback. Where it is not, recorded events of it (events/*.json) go through the same hook
commands, and the note is opened by a raw MCP conversation. Nothing outside the temporary folder is
written, and the folder is removed however the demo ends.
"""

import json
import os
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import textwrap
import time
import uuid

# The client's home and the scripted model are the end-to-end tests' own.
sys.path.append(os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "tests"))

from e2e.claude import ID, TOP, Claude, open_the_offered
from e2e.model import FRAME, Model

HERE = os.path.dirname(os.path.abspath(__file__))

QUESTION = "Which notes are offered to a prompt, and where is the limit of five lines decided?"
ANSWER = (
    "Notes are offered only when they hold enough of the prompt's telling words; at most five lines are "
    "shown. The cut-off is `offered` in `src/foreword/index/search.py`, and the limit is the setting "
    "`index.lines` in `src/foreword/settings.py`.\n\n"
    "- The prompt hook asks `src/foreword/hook/prompt.py` for the lines and prints one frame or nothing.\n"
    "- A note that this session has written or has been shown already is left out.\n"
    "- Lowering the limit needs no code: put `index.lines = 3` into config.toml."
)
LATER = "Show at most three lines of notes to a prompt instead of five"
AGAIN = "Show at most three lines of notes to a prompt, and make the limit a setting"
FACT = "The tests need no client: make test skips what drives one."
EDITED = "src/foreword/index/search.py"
SETTINGS = b'{\n    "theme": "dark",\n    "permissions": {"allow": ["Bash(ls:*)"]}\n}\n'

# What of the checkout is not copied when git cannot clone it.
NOT_COPIED = shutil.ignore_patterns(".git", ".venv", ".clients", "__pycache__", ".*_cache")


class DemoError(Exception):
    """The demo cannot go on; the message says why in plain words."""


class RealSessions:
    """Sessions of the real client in print mode, each answered by the scripted model."""

    def __init__(self, claude, model):
        self.claude = claude
        self.model = model

    def ask(self, prompt, answer, opens=False):
        """(the foreword the agent was handed or "", what memory_read gave it or "")."""
        first = len(self.model.requests)
        self.model.script(*([open_the_offered] if opens else []), answer)
        run = self.claude.run(prompt)
        if run.answer != answer:
            raise DemoError(f"claude did not follow the script: {run.answer or run.stderr}")
        frames = self.model.requests[first].new_frames
        results = self.model.requests[-1].tool_results
        return frames[0] if frames else "", results[-1][0] if results else ""

    def begin(self):
        """What a session starts with."""
        first = len(self.model.requests)
        self.model.script("Hello.")
        self.claude.run("Good morning")
        frames = self.model.requests[first].frames
        return frames[0] if frames else ""


class RecordedSessions:
    """Recorded events of the client, through the hook commands that install wrote."""

    def __init__(self, claude):
        self.claude = claude

    def ask(self, prompt, answer, opens=False):
        """As RealSessions.ask."""
        session, turn = str(uuid.uuid4()), str(uuid.uuid4())
        self._play("session-start", session_id=session)
        printed = self._play("prompt", session_id=session, prompt_id=turn, prompt=prompt)
        context = json.loads(printed or "{}").get("hookSpecificOutput", {})
        frames = FRAME.findall(context.get("additionalContext", ""))
        frame = frames[0] if frames else ""
        opened = self._open(ID.search(frame)[0]) if opens and frame else ""
        self._play("stop", session_id=session, prompt_id=turn, last_assistant_message=answer)
        return frame, opened

    def begin(self):
        """As RealSessions.begin."""
        printed = self._play("session-start", session_id=str(uuid.uuid4()))
        return json.loads(printed or "{}").get("hookSpecificOutput", {}).get("additionalContext", "")

    def _play(self, name, **fields):
        """Give one recorded event to each hook installed for it; what they print."""
        with open(os.path.join(HERE, "events", name + ".json"), encoding="utf-8") as f:
            event = {**json.load(f), "cwd": self.claude.repo, **fields}
        with open(self.claude.settings_file, encoding="utf-8") as f:
            entries = json.load(f)["hooks"][event["hook_event_name"]]
        hooks = [hook for entry in entries for hook in entry["hooks"]]
        printed = ""
        for hook in hooks:
            args = hook.get("args")
            done = subprocess.run(
                hook["command"] if args is None else [hook["command"], *args],
                shell=args is None,
                cwd=self.claude.repo,
                env={**self.claude.environment, "CLAUDE_PROJECT_DIR": self.claude.repo},
                input=json.dumps(event),
                capture_output=True,
                text=True,
                timeout=hook["timeout"],
            )
            printed += done.stdout
        return printed

    def _open(self, memory_id):
        """The note's text through `foreword serve`, asked in MCP's own words."""
        hello = {
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": {"name": "demo", "version": "1"},
        }
        call = {"name": "memory_read", "arguments": {"id": memory_id}}
        messages = [
            {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello},
            {"jsonrpc": "2.0", "method": "notifications/initialized"},
            {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": call},
        ]
        done = subprocess.run(
            [sys.executable, "-I", "-m", "foreword.cli", "serve"],
            cwd=self.claude.repo,
            env={**self.claude.environment, "CLAUDE_PROJECT_DIR": self.claude.repo},
            input="".join(json.dumps(message) + "\n" for message in messages),
            capture_output=True,
            text=True,
            timeout=30,
        )
        answers = [json.loads(line) for line in done.stdout.splitlines()]
        read = next((answer for answer in answers if answer.get("id") == 2), {})
        if "result" not in read:
            raise DemoError(f"the server did not answer: {done.stdout}{done.stderr}")
        return "\n".join(block["text"] for block in read["result"]["content"])


# -- the seven steps -----------------------------------------------------------------------------


def steps(claude, sessions):
    """Run and tell them all. Raises DemoError when one does not do what it is there to show."""
    with open(claude.settings_file, "wb") as f:
        f.write(SETTINGS)

    heading("1. Foreword is installed into a fresh home, with memory switched on")
    command(claude, "install", "claude-code", "--switch", "on", "--anyway")

    heading("2. A session ends, and a note of it is saved by itself")
    tell("You ask:", QUESTION)
    tell("The agent answers:", ANSWER)
    sessions.ask(QUESTION, ANSWER)
    notes = claude.notes()
    if len(notes) != 1:
        raise DemoError(f"one note was expected in the store, there are {len(notes)}")
    path, text = notes[0]
    tell(f"Saved as {path.replace(claude.home, '~')}, a file you can read and edit:", head(text, 22))

    heading("3. The next session's prompt is offered the note")
    tell("You ask:", LATER)
    frame, opened = sessions.ask(LATER, "Done.", opens=True)
    if not frame:
        raise DemoError("the prompt was offered nothing")
    tell("Added to your prompt, exactly as the agent sees it:", frame)

    heading("4. The agent opens the note through MCP, without a question to you")
    if ANSWER not in opened:
        raise DemoError(f"memory_read did not give the whole answer: {opened}")
    tell(f"memory_read {ID.search(frame)[0]} gives:", opened)

    heading("5. A cited function is edited, and the line says so")
    edit(os.path.join(claude.repo, EDITED))
    tell("In the copy, the function `offered` that the answer names is edited in", EDITED)
    tell("You ask, in a third session:", AGAIN)
    frame, _ = sessions.ask(AGAIN, "Done.")
    lines = [line for line in frame.splitlines() if f"CHANGED: {EDITED}" in line]
    if not lines:
        raise DemoError(f"no line says that {EDITED} changed: {frame}")
    tell("The note is offered again, with its file marked:", lines[0])

    heading("6. What is written down on purpose stands at the start of every session")
    command(claude, "save", "--title", "Running the tests", stdin=FACT)
    tell("A new session begins. Added to it, exactly as the agent sees it:", told := sessions.begin())
    if FACT not in told:
        raise DemoError("the session did not start with the fact")

    heading("7. Foreword is uninstalled, and everything of it is gone")
    command(claude, "uninstall", "claude-code", "--purge", "--yes")
    with open(claude.settings_file, "rb") as f:
        settings = f.read()
    if settings != SETTINGS:
        raise DemoError("settings.json is not what it was before")
    if os.path.exists(claude.store):
        raise DemoError("the store is still there")
    tell(f"settings.json has the same {len(SETTINGS)} bytes as before the first step.")


def edit(path):
    """Change the function that the answer names; one more line elsewhere in the file would be no news."""
    with open(path, encoding="utf-8") as f:
        text = f.read()
    with open(path, "w", encoding="utf-8") as f:
        f.write(text.replace("known_ids, limit,", "known_ids, limit=3,", 1))


def command(claude, *arguments, stdin=""):
    tell((f'$ echo "{stdin}" | ' if stdin else "$ ") + "foreword " + shlex.join(arguments))
    done = claude.foreword(*arguments, stdin=stdin)
    said = (done.stdout + done.stderr).strip().replace(claude.home, "~")
    print(textwrap.indent(said, "   | "))


def heading(text):
    print(f"\n\033[1m{text}\033[0m" if sys.stdout.isatty() else f"\n{text}", flush=True)


def tell(what, quoted=""):
    print("   " + what)
    if quoted:
        print(textwrap.indent(quoted, "   | ", lambda line: True))
    sys.stdout.flush()


def head(text, lines):
    kept = text.splitlines()
    return "\n".join([*kept[:lines], "..."] if len(kept) > lines else kept)


# -- the temporary folder ----------------------------------------------------------------------


def copy_of_this_clone(to):
    """A clone of the checkout that this file is in; a plain copy where git cannot clone it."""
    done = subprocess.run(["git", "clone", "--quiet", TOP, to], capture_output=True, check=False, text=True)
    if done.returncode or not os.path.exists(os.path.join(to, EDITED)):
        shutil.rmtree(to, ignore_errors=True)
        shutil.copytree(TOP, to, ignore=NOT_COPIED)
    return to


def remove(folder):
    """Remove the temporary folder. A hook's background work may still be writing: it is waited for."""
    for pause_s in (0.05, 0.2, 0.5, 1.0):
        shutil.rmtree(folder, ignore_errors=True)
        time.sleep(pause_s)
        if not os.path.exists(folder):
            return
    shutil.rmtree(folder)


def play(folder, program):
    """The whole demo in a folder of its own, with the client `program` or, without one, recorded."""
    repo = copy_of_this_clone(os.path.join(folder, "foreword"))
    if program is None:
        steps_with = Claude(folder, repo=repo)
        steps(steps_with, RecordedSessions(steps_with))
        return
    with Model() as model:
        claude = Claude(folder, model, program, repo=repo)
        steps(claude, RealSessions(claude, model))


def main(arguments):
    program = shutil.which(os.environ.get("CLAUDE_BIN") or "claude")
    if "--recorded" in arguments:
        program = None
    # Ended from outside, the demo tidies up as after Ctrl-C.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    started = time.monotonic()
    folder = tempfile.mkdtemp(prefix="foreword-demo-")
    print(f"Foreword at work on a copy of this clone, in {folder}.")
    print("Your home, your settings and this clone are left alone; no network, no model, no key.")
    if program:
        print(f"The agent: the real Claude Code ({program}), answered by a scripted model.")
    else:
        print("The agent: recorded events of Claude Code, since `claude` is not on the PATH.")
    try:
        play(folder, program)
    except KeyboardInterrupt:
        print("\nStopped.", file=sys.stderr)
        return 130
    except (DemoError, AssertionError, OSError, subprocess.SubprocessError) as error:
        print(f"\nThe demo stopped: {error}", file=sys.stderr)
        if program:
            print("To see it without the client: make demo ARGS=--recorded", file=sys.stderr)
        return 1
    finally:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        remove(folder)
    print(f"\nDone in {time.monotonic() - started:.0f} s; {folder} is removed.")
    print("To have it for yourself: uv tool install . (or pipx install .), then foreword install")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

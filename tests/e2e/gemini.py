"""The real Gemini CLI in a user's home: a dummy key, a model on loopback, nothing sent anywhere else.

`Gemini` puts the client into a `Home`, which it may share with others, and runs `gemini -p`. Facts about
the client were seen in version 0.61.0, 2026-11-30.
"""

import contextlib
import json
import os
import re
import shutil
import signal

from e2e.claude import ID
from e2e.home import TOP, read
from e2e.model import use
from e2e.tui import Screen, eventually

VERSION = "0.61.0"
INSTALLED = os.path.join(TOP, ".clients", "node_modules", ".bin", "gemini")

# What a user has written there, with comments and an order of their own; install must not mind.
SETTINGS = """\
// Mine.
{
  "ui": {"theme": "Default"},
  "general": {"enableAutoUpdate": false, "enableAutoUpdateNotification": false}, // asked for by nobody
  "privacy": {"usageStatisticsEnabled": false},
  /* No telemetry either. */
  "telemetry": {"enabled": false},
  "security": {
      "auth": {"selectedType": "gemini-api-key"}
  }
}
"""
# A hook that failed, timed out or was cancelled, as `gemini -p` tells it on stderr.
_FAILED = re.compile(
    r"^.*(?:Hook\(s\) \[.*\] failed|Hook execution for \w+: .* [1-9]\d* failed).*$", re.MULTILINE
)
_NOTICE = re.compile(r"^Hook system message: (.*)$", re.MULTILINE)
TOOL = "mcp_foreword_"  # what the client puts before the names of our tools


def open_the_offered(request):
    """A turn of the script: the model opens the note that the newest foreword shows."""
    return [use(TOOL + "memory_read", id=ID.search(request.new_frames[-1])[0])]


def find():
    """The client's program: GEMINI_BIN, else what `make clients` installed; None when neither is."""
    chosen = os.environ.get("GEMINI_BIN")
    if chosen:
        return shutil.which(chosen)
    return INSTALLED if os.path.exists(INSTALLED) else None


class Gemini:
    """A client in `home`, which trusts the home's repository.

    `elsewhere`: keep the client's folder not in the home but where GEMINI_CLI_HOME says.
    """

    def __init__(self, home, model, program, elsewhere=False):
        self.home = home
        top = os.path.join(home.folder, "gemini-home") if elsewhere else home.home
        self.config = os.path.join(top, ".gemini")
        self.settings_file = os.path.join(self.config, "settings.json")
        self.instructions_file = os.path.join(self.config, "GEMINI.md")
        self.rules_file = os.path.join(self.config, "policies", "foreword.toml")
        self.runs = []
        home.environment |= {
            "GEMINI_API_KEY": "dummy-key-of-the-tests",
            "GOOGLE_GEMINI_BASE_URL": model.url,
            # Named, so that the client does not ask a smaller model first which one to use.
            "GEMINI_MODEL": "gemini-2.5-flash",
            "NO_PROXY": "127.0.0.1",
            "COLORTERM": "truecolor",
        }
        if elsewhere:
            home.environment["GEMINI_CLI_HOME"] = top
        self.program = home.put_on_path("gemini", program)
        os.makedirs(self.config)
        self.write("settings.json", SETTINGS)
        # What the client writes when the user has answered its question about the folder.
        self.write("trustedFolders.json", json.dumps({os.path.realpath(home.repo): "TRUST_FOLDER"}))

    def write(self, name, text):
        with open(os.path.join(self.config, name), "w", encoding="utf-8") as f:
            f.write(text)

    def install(self, switch="on"):
        return self.home.foreword("install", "gemini", "--switch", switch, "--anyway")

    def run(self, prompt, *arguments, cwd=None, resume=""):
        """One `gemini -p`, in a new client session or one that is resumed ("latest"); a Run, in .runs."""
        session = ["--resume", resume] if resume else []
        command = [self.program, "--output-format", "json", *session, *arguments, "-p", prompt]
        self.runs.append(Run(self.home.call(*command, cwd=cwd)))
        return self.runs[-1]

    def command(self, *arguments):
        """A command of the client that is no session, like `mcp list`; the CompletedProcess."""
        return self.home.call(self.program, *arguments)

    def chats(self):
        """The texts of the client's own session logs."""
        folders = list(os.walk(os.path.join(self.config, "tmp")))
        return [
            read(os.path.join(at, name)) for at, _, names in folders for name in names if "session-" in name
        ]


class Run:
    """What a `gemini -p` gave. .answer; .session; .stderr; .notices: the lines that hooks had for the user;
    .hook_problems: what it tells of hooks that failed."""

    def __init__(self, done):
        self.returncode = done.returncode
        self.stdout, self.stderr = done.stdout, done.stderr
        at = done.stdout.find("{")
        said = json.loads(done.stdout[at:]) if at >= 0 else {}
        self.answer, self.session = said.get("response", ""), said.get("session_id", "")
        self.notices = _NOTICE.findall(done.stderr)
        self.hook_problems = _FAILED.findall(done.stderr)


class Terminal(Screen):
    """Gemini CLI's terminal interface."""

    SIGN = " > "

    def __init__(self, gemini, *arguments):
        self.gemini = gemini
        super().__init__(gemini.home, gemini.program, *arguments)

    def __enter__(self):
        super().__enter__()
        # The client takes what is typed before it has asked its server for tools and run the hooks of the
        # start. The line about the servers is there while it does.
        self.wait_until_shown("? for shortcuts")
        return self

    def __exit__(self, *exc):
        super().__exit__(*exc)
        # Not every one ends with its terminal: with a dialog open it stays (0.61.0).
        for left in self.gemini.home.processes():
            with contextlib.suppress(ProcessLookupError):
                os.kill(left, signal.SIGTERM)

    def submit(self, text):
        """Type a line and press Enter until the line is empty again: an Enter right behind other keys is
        taken for a line break of something pasted (0.61.0)."""
        self._tmux("send-keys", "-t", "client", "-l", text)
        eventually(lambda: text in self._typed(), f"{text!r} behind the sign", self.screen)

        def is_sent():
            self._tmux("send-keys", "-t", "client", "Enter")
            return text not in self._typed()

        eventually(is_sent, f"{text!r} sent", self.screen)

    def turns_done(self):
        """How many notes there are: the client's own logs say nothing of hooks."""
        return len(self.gemini.home.notes())

    def ask(self, model, prompt, *turns):
        """Submit a prompt that is answered by `turns`; the Request of the prompt, once its last answer is
        shown and the client waits for the next one."""
        since = len(model.requests)
        model.script(*turns)
        self.submit(prompt)
        request = model.wait_for(lambda r: prompt in r.new_text, since, what=prompt)
        eventually(lambda: len(model.requests) >= since + len(turns), "the last request", self.screen)
        self.wait_until_gone("esc to cancel")
        return request

"""The real Claude Code client, isolated: its own HOME, a dummy key, a model on loopback.

`Claude` is a home with the client in it: it runs print mode and Foreword's own commands with the
environment that the client gets.
"""

import json
import os
import re
import shutil

from e2e.home import TOP, Home, read
from e2e.model import use

VERSION = "2.1.197"
INSTALLED = os.path.join(TOP, ".clients", "node_modules", ".bin", "claude")
DUMMY_KEY = "sk-ant-dummy-key-of-the-tests"

# What the tests' sessions talk about: a question, its answer, and a later prompt on the same matter.
ASKED = "Why does the importer drop rows whose currency is missing, and where is that decided?"
CONCLUSION = "Rows without a currency are dropped on purpose by `keep` in `src/app.py:6`."
ANSWER = (
    f"{CONCLUSION} The ledger adds up amounts per currency, so a row that names none has no column. "
    "Before that rule the totals of March were wrong by 1,204 rows.\n\nWhat I looked at:\n\n"
    "- `RETRIES` has nothing to do with it.\n- README.md says nothing about it.\n\n"
    "The last line of this answer names a pelican."
)
ASKED_LATER = "Make the importer report the rows it drops when their currency is missing"
REPORTED = (  # an answer to that; alike enough to be found with ANSWER, and no second ANSWER
    "The importer now reports every row that it drops for want of a currency: `report` in `src/app.py`"
    " counts them by bank, writes one line a bank to the log when a run ends, and leaves the ledger alone."
    " A bank with more than a hundred such rows a day is mailed to the people on duty."
)
ID = re.compile(r"\b\d{8}-\d{6}-[0-9a-f]{4,}\b")


def open_the_offered(request):
    """A turn of the script: the model opens the note that the newest foreword shows."""
    return [use("mcp__foreword__memory_read", id=ID.search(request.new_frames[0])[0])]


def find():
    """The client's program: CLAUDE_BIN, else what `make clients` installed; None when neither is."""
    chosen = os.environ.get("CLAUDE_BIN")
    if chosen:
        return shutil.which(chosen)
    return INSTALLED if os.path.exists(INSTALLED) else None


class Claude(Home):
    """A client in its own home below `folder`, with a repository `repo` that it trusts.

    Without a program there is only the home: Foreword's own commands run, the client does not.
    """

    def __init__(self, folder, model=None, program=None, repo=None, config_dir=True):
        super().__init__(folder, repo)
        self.config = os.path.join(self.home, ".claude")
        # Without CLAUDE_CONFIG_DIR this one file lies beside the folder, not in it.
        self.state_file = os.path.join(self.config if config_dir else self.home, ".claude.json")
        self.settings_file = os.path.join(self.config, "settings.json")
        self.runs = []
        self.environment |= {
            "ANTHROPIC_BASE_URL": model.url if model else "http://127.0.0.1:9",
            "ANTHROPIC_API_KEY": DUMMY_KEY,
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "DISABLE_AUTOUPDATER": "1",
            "DISABLE_ERROR_REPORTING": "1",
            "DISABLE_TELEMETRY": "1",
        }
        if config_dir:
            self.environment["CLAUDE_CONFIG_DIR"] = self.config
        os.makedirs(self.config)
        if program:
            self.program = self.put_on_path("claude", program)
            self._past_onboarding()

    def _past_onboarding(self):
        """What a client writes when its questions of the first start are answered."""
        state = {
            "hasCompletedOnboarding": True,
            "lastOnboardingVersion": VERSION,
            "theme": "dark",
            "customApiKeyResponses": {"approved": [DUMMY_KEY[-20:]], "rejected": []},
            "projects": {
                os.path.realpath(self.repo): {
                    "hasTrustDialogAccepted": True,
                    "hasCompletedProjectOnboarding": True,
                }
            },
        }
        with open(self.state_file, "w", encoding="utf-8") as f:
            json.dump(state, f, indent=2)

    def install(self, switch="on"):
        # --anyway: the tests may well run from a worktree's environment, which install refuses.
        return self.foreword("install", "claude-code", "--switch", switch, "--anyway")

    def transcripts(self):
        """The texts of the client's own session logs."""
        folders = list(os.walk(os.path.join(self.config, "projects")))
        return [
            read(os.path.join(at, name))
            for at, _, names in folders
            for name in names
            if name.endswith(".jsonl")
        ]

    # -- the client ----------------------------------------------------------------------------

    def run(self, prompt, *arguments, cwd=None):
        """One `claude -p`; a Run, kept in .runs."""
        log = os.path.join(self.folder, "debug-%d.log" % len(self.runs))
        # The prompt comes on stdin: behind options that take several values it would be one more.
        command = [self.program, "-p", "--output-format", "stream-json", "--verbose"]
        done = self.call(
            *command, "--include-hook-events", "--debug-file", log, *arguments, cwd=cwd, stdin=prompt
        )
        self.runs.append(Run(done, log))
        return self.runs[-1]

    def command(self, *arguments):
        """A command of the client that is no session, like `mcp list`; the CompletedProcess."""
        return self.call(self.program, *arguments)


class Run:
    """What a run of print mode gave.

    .events: the stream of JSON; .hooks: of it, how each hook ended ({hook_event, stdout, stderr,
    exit_code, outcome}); .session; .answer; .denials: tool calls that a user would be asked about.
    """

    def __init__(self, done, log):
        self.returncode = done.returncode
        self.stderr = done.stderr
        self.debug = read(log)
        self.events = [json.loads(line) for line in done.stdout.splitlines() if line.strip()]
        self.hooks = [event for event in self.events if event.get("subtype") == "hook_response"]
        last = self.events[-1] if self.events else {}
        self.session = last.get("session_id", "")
        self.answer = last.get("result", "")
        self.denials = last.get("permission_denials", [])


_HOOK_ENDED = re.compile(r'"Hook \S+ \(\w+\) (\w+):')


def hook_problems(debug_log):
    """The lines of a client's debug log that tell of a hook that failed, timed out or was cancelled."""
    return [
        line
        for line in debug_log.splitlines()
        if (ended := _HOOK_ENDED.search(line)) and ended[1] != "success"
    ]

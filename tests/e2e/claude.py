"""The real Claude Code client, isolated: its own HOME, a dummy key, a model on loopback.

Nothing of the caller's environment is passed on but what is written here: no credentials, no real
home. `Claude` prepares the home and a small repository, runs print mode and Foreword's own commands
with the environment that the client gets.
"""

import hashlib
import json
import os
import shutil
import subprocess
import sys

VERSION = "2.1.197"
TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
INSTALLED = os.path.join(TOP, ".clients", "node_modules", ".bin", "claude")
DUMMY_KEY = "sk-ant-dummy-key-of-the-tests"
PATIENCE_S = 90  # of one run; one takes 1 to 3 s on two cores

ASKED = "Why does the importer drop rows whose currency is missing, and where is that decided?"
APP = '''"""Imports ledger rows."""

RETRIES = 3


def keep(row):
    return bool(row.get("currency"))
'''


def find():
    """The client's program: CLAUDE_BIN, else what `make clients` installed; None when neither is."""
    chosen = os.environ.get("CLAUDE_BIN")
    if chosen:
        return shutil.which(chosen)
    return INSTALLED if os.path.exists(INSTALLED) else None


class Claude:
    """A client in its own home below `folder`, with a repository `repo` that it trusts."""

    def __init__(self, folder, model, program, repo=None, config_dir=True):
        self.folder = str(folder)
        self.model = model
        self.home = os.path.join(self.folder, "home")
        self.store = os.path.join(self.home, ".foreword")
        self.config = os.path.join(self.home, ".claude")
        # Without CLAUDE_CONFIG_DIR this one file lies beside the folder, not in it.
        self.state_file = os.path.join(self.config if config_dir else self.home, ".claude.json")
        self.settings_file = os.path.join(self.config, "settings.json")
        self.repo = str(repo) if repo else make_repository(os.path.join(self.folder, "app"))
        self.runs = 0
        # Whatever the program is called, Foreword and people find it as `claude`.
        programs = os.path.join(self.folder, "bin")
        os.makedirs(programs)
        os.symlink(os.path.abspath(program), os.path.join(programs, "claude"))
        self.program = os.path.join(programs, "claude")
        self.environment = {
            "PATH": os.pathsep.join([programs, "/usr/local/bin", "/usr/bin", "/bin"]),
            "HOME": self.home,
            "LANG": "C.UTF-8",
            "TERM": "xterm-256color",
            "SHELL": "/bin/sh",
            "TMPDIR": os.path.join(self.folder, "tmp"),
            "ANTHROPIC_BASE_URL": model.url,
            "ANTHROPIC_API_KEY": DUMMY_KEY,
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "DISABLE_AUTOUPDATER": "1",
            "DISABLE_ERROR_REPORTING": "1",
            "DISABLE_TELEMETRY": "1",
        }
        if config_dir:
            self.environment["CLAUDE_CONFIG_DIR"] = self.config
        os.makedirs(self.config)
        os.makedirs(self.environment["TMPDIR"])
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

    # -- Foreword ------------------------------------------------------------------------------

    def foreword(self, *arguments, cwd=None, rc=0):
        """Run a command of Foreword as the user of this home; the CompletedProcess."""
        done = subprocess.run(
            [sys.executable, "-I", "-m", "foreword.cli", *arguments],
            cwd=cwd or self.repo,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=PATIENCE_S,
        )
        assert done.returncode == rc, (arguments, done.returncode, done.stdout, done.stderr)
        return done

    def install(self, switch="on"):
        # --anyway: the tests may well run from a worktree's environment, which install refuses.
        return self.foreword("install", "claude-code", "--switch", switch, "--anyway")

    def notes(self):
        """[(path, text)] of the notes in the store, oldest first."""
        found = []
        for at, _, names in os.walk(os.path.join(self.store, "projects")):
            if os.sep + "notes" in at:
                found += [os.path.join(at, name) for name in names if name.endswith(".md")]
        found.sort(key=os.path.basename)
        return [(path, _text(path)) for path in found]

    def hook_log(self):
        return _text(os.path.join(self.store, "log", "hook.log"))

    def prompt_records(self):
        """The lines of every prompts.log, as dicts."""
        records = []
        for at, _, names in os.walk(self.store):
            if "prompts.log" in names:
                records += map(json.loads, _text(os.path.join(at, "prompts.log")).splitlines())
        return records

    # -- the client ----------------------------------------------------------------------------

    def run(self, prompt, *arguments, environment=()):
        """One `claude -p`; a Run. The debug log is on: hooks that fail are told only there."""
        self.runs += 1
        log = os.path.join(self.folder, "debug-%d.log" % self.runs)
        # The prompt comes on stdin: behind options that take several values it would be one more.
        command = [self.program, "-p", "--output-format", "stream-json", "--verbose"]
        done = subprocess.run(
            [*command, "--debug-file", log, *arguments],
            cwd=self.repo,
            env={**self.environment, **dict(environment)},
            input=prompt,
            capture_output=True,
            text=True,
            timeout=PATIENCE_S,
        )
        return Run(done, log)

    def command(self, *arguments):
        """A command of the client that is no session, like `mcp list`; the CompletedProcess."""
        return subprocess.run(
            [self.program, *arguments],
            cwd=self.repo,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=PATIENCE_S,
        )


class Run:
    """What a run of print mode gave: .events (stream-json), .session, .answer, .debug, .stderr."""

    def __init__(self, done, log):
        self.returncode = done.returncode
        self.stdout = done.stdout
        self.stderr = done.stderr
        self.debug = _text(log)
        self.events = [json.loads(line) for line in done.stdout.splitlines() if line.strip()]
        last = self.events[-1] if self.events else {}
        self.session = last.get("session_id", "")
        self.answer = last.get("result", "")
        self.denials = last.get("permission_denials", [])


def make_repository(path):
    """A small git repository with a committed src/app.py; its path."""
    os.makedirs(os.path.join(path, "src"))
    for name, text in (("README.md", "# Ledger\n\nImports rows.\n"), ("src/app.py", APP)):
        with open(os.path.join(path, name), "w", encoding="utf-8", newline="\n") as f:
            f.write(text)
    git(path, "init", "--quiet", "--initial-branch=main")
    git(path, "add", "--all")
    git(path, "-c", "user.name=Test", "-c", "user.email=test@example.invalid", "commit", "-qm", "one")
    return path


def git(path, *arguments):
    done = subprocess.run(["git", *arguments], cwd=path, check=True, capture_output=True, text=True)
    return done.stdout


def tree_hash(path):
    """The sha256 over names, modes and bytes of everything below `path` but `.git`."""
    total = hashlib.sha256()
    for at, folders, names in sorted(os.walk(path)):
        folders[:] = sorted(name for name in folders if name != ".git")
        for name in sorted(names + folders):
            file = os.path.join(at, name)
            total.update(f"{os.path.relpath(file, path)} {os.lstat(file).st_mode}\0".encode())
            if name in names:
                with open(file, "rb") as f:
                    total.update(f.read())
    return total.hexdigest()


def _text(path):
    try:
        with open(path, encoding="utf-8") as f:
            return f.read()
    except FileNotFoundError:
        return ""

"""The real Codex CLI in a user's home: no key, a model on loopback, nothing left running.

`Codex` puts the client into a `Home` (a `Claude` is one, so that both may share it) and runs
`codex exec`. Facts about the client were seen in version 0.171.0, 2026-11-30.
"""

import contextlib
import json
import os
import re
import shutil
import subprocess
import tempfile

from e2e.home import PATIENCE_S, TOP, read
from e2e.tui import Screen

VERSION = "0.171.0"
INSTALLED = os.path.join(TOP, ".clients", "node_modules", ".bin", "codex")
HOMES = os.path.join(TOP, ".clients", "homes")

# What a user has written there, with comments and an order of their own; install must not mind.
CONFIG = """\
# Mine.
model = "scripted-model"   # the one we pay for
model_provider = "scripted"
check_for_update_on_startup = false

[model_providers.scripted]
name = "Scripted"
base_url = "{url}/v1"
wire_api = "responses"
request_max_retries = 0
stream_max_retries = 0
supports_websockets = false

[analytics]
enabled = false

# The folder that I work in.
[projects."{repo}"]
trust_level = "trusted"
"""


# How the hooks of a turn of ours end, as `codex exec` tells it.
HOOKS_RUN = [("SessionStart", "Completed"), ("UserPromptSubmit", "Completed"), ("Stop", "Completed")]


def find():
    """The client's program: CODEX_BIN, else what `make clients` installed; None when neither is."""
    chosen = os.environ.get("CODEX_BIN")
    if chosen:
        return shutil.which(chosen)
    return INSTALLED if os.path.exists(INSTALLED) else None


@contextlib.contextmanager
def folder():
    """A fresh folder for a home, removed afterwards. Not below /tmp: Codex refuses a home there."""
    os.makedirs(HOMES, exist_ok=True)
    path = tempfile.mkdtemp(dir=HOMES)
    try:
        yield path
    finally:
        shutil.rmtree(path)


class Codex:
    """A client in `home`, which trusts the home's repository.

    `codex_home`: tell the client and Foreword by CODEX_HOME where its folder is; without it the
    folder is found in the home.
    """

    def __init__(self, home, model, program, codex_home=True):
        self.home = home
        self.config = os.path.join(home.home, ".codex")
        self.config_file = os.path.join(self.config, "config.toml")
        self.hooks_file = os.path.join(self.config, "hooks.json")
        self.runs = []
        if codex_home:
            home.environment["CODEX_HOME"] = self.config
        self.program = home.put_on_path("codex", program)
        os.makedirs(self.config)
        with open(self.config_file, "w", encoding="utf-8") as f:
            f.write(CONFIG.format(url=model.url, repo=os.path.realpath(home.repo)))

    def install(self, switch="on"):
        """Wire Foreword, and answer Codex's question about the hooks as the user would: yes."""
        return self.home.foreword("install", "codex", "--trust", "--switch", switch, "--anyway")

    def run(self, prompt, *arguments, cwd=None, resume=""):
        """One `codex exec`, or `codex exec resume` of a client session; a Run, kept in .runs."""
        session = ["resume", resume] if resume else []
        command = [self.program, "exec", *arguments, *session, "-"]
        self.runs.append(Run(self.home.call(*command, cwd=cwd, stdin=prompt)))
        return self.runs[-1]

    def command(self, *arguments):
        """A command of the client that is no session, like `mcp list`; the CompletedProcess."""
        return self.home.call(self.program, *arguments)

    def hooks(self):
        """The hooks as the client itself finds them: [{eventName, command, trustStatus, ...}]."""
        [listed] = self._ask_server("hooks/list", {"cwds": [self.home.repo]})["data"]
        assert listed["warnings"] == listed["errors"] == []
        return listed["hooks"]

    def _ask_server(self, method, params):
        """The result of one call to `codex app-server`."""
        client = {"clientInfo": {"name": "tests", "title": None, "version": "0"}}
        server = subprocess.Popen(
            [self.program, "app-server"],
            cwd=self.home.repo,
            env=self.home.environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        try:
            _send(server, {"id": 0, "method": "initialize", "params": client})
            _result(server, 0)
            _send(server, {"method": "initialized"})
            _send(server, {"id": 1, "method": method, "params": params})
            return _result(server, 1)
        finally:
            server.stdin.close()
            server.wait(PATIENCE_S)
            server.stdout.close()

    def rollouts(self):
        """The texts of the client's own session logs."""
        folders = list(os.walk(os.path.join(self.config, "sessions")))
        return [read(os.path.join(at, name)) for at, _, names in folders for name in names]

    def spilled(self):
        """The files into which the client put what hooks said, readable by everybody, as it was too long."""
        folder = os.path.join(self.home.environment["TMPDIR"], "hook_outputs")
        return [os.path.join(at, name) for at, _, names in os.walk(folder) for name in names]


def _send(server, message):
    server.stdin.write(json.dumps(message) + "\n")
    server.stdin.flush()


def _result(server, number):
    for line in server.stdout:
        message = json.loads(line)
        if message.get("id") == number and "method" not in message:
            return message["result"]
    raise AssertionError("the client's server went away")


_SESSION = re.compile(r"^session id: (\S+)$", re.MULTILINE)
_HOOK_ENDED = re.compile(r"^hook: (\w+) (\w+)$", re.MULTILINE)


class Run:
    """What a `codex exec` gave.

    .answer; .session; .hooks: [(event, how it ended)], `Completed` where all went well; .stderr.
    """

    def __init__(self, done):
        self.returncode = done.returncode
        self.stderr = done.stderr
        self.answer = done.stdout.strip()
        session = _SESSION.search(done.stderr)
        self.session = session[1] if session else ""
        self.hooks = _HOOK_ENDED.findall(done.stderr)

    @property
    def hook_problems(self):
        return [hook for hook in self.hooks if hook[1] != "Completed"]


class Terminal(Screen):
    """Codex's terminal interface. What is typed must not end in "?": it would be taken for a key of help.

    Without --no-daemon it would start a server that outlives it and that other terminals share.
    """

    SIGN = "›"

    def __init__(self, codex, *arguments):
        self.codex = codex
        super().__init__(codex.home, codex.program, "--no-daemon", *arguments)

    def turns_done(self):
        return sum(text.count('"type":"task_complete"') for text in self.codex.rollouts())

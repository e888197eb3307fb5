"""The real opencode, isolated: its own home, a model on loopback, no registry.

`Opencode` is the client in a `Home`. `run` is one `opencode run`; `serve` is its server, in which one
process lives through several prompts. Facts were seen in version 1.18.33, 2026-11-30.
"""

import contextlib
import json
import os
import re
import shutil
import subprocess
import urllib.request

from e2e.claude import ID
from e2e.home import PATIENCE_S, TOP
from e2e.model import use
from e2e.tui import Screen

VERSION = "1.18.33"
INSTALLED = os.path.join(TOP, ".clients", "node_modules", ".bin", "opencode")

# What a user has written there, with comments and an order of their own; install must not mind.
CONFIG = """\
{{
  "$schema": "https://opencode.ai/config.json",
  // The one we pay for.
  "model": "scripted/scripted-model",
  "small_model": "scripted/scripted-model",
  "autoupdate": false,
  "share": "disabled",
  "provider": {{
    "scripted": {{
      "npm": "@ai-sdk/openai-compatible", /* comes with the client */
      "name": "Scripted",
      "options": {{"baseURL": "{url}/v1", "apiKey": "dummy-key-of-the-tests"}},
      "models": {{"scripted-model": {{"name": "Scripted", "limit": {{"context": 200000, "output": 4000}}}}}},
    }},
  }},
}}
"""
# Before it loads any plugin, the client fetches a package into its folder, unless the folder of packages is
# there and the lock file names it. Here it is "there", and no registry is: nothing may depend on one.
FETCHED = '{"packages": {"": {"dependencies": {"@opencode-ai/plugin": "*"}}}}\n'
ENVIRONMENT = {
    "OPENCODE_DISABLE_AUTOUPDATE": "1",
    "OPENCODE_DISABLE_MODELS_FETCH": "1",
    "OPENCODE_DISABLE_LSP_DOWNLOAD": "1",
    "npm_config_registry": "http://127.0.0.1:9",
}


def find():
    """The client's program: OPENCODE_BIN, else what `make clients` installed; None when neither is."""
    chosen = os.environ.get("OPENCODE_BIN")
    if chosen:
        return shutil.which(chosen)
    return INSTALLED if os.path.exists(INSTALLED) else None


class Opencode:
    """A client in `home`, with the settings of a user in opencode.jsonc."""

    def __init__(self, home, model, program):
        self.home = home
        self.config = os.path.join(home.home, ".config", "opencode")
        self.config_file = os.path.join(self.config, "opencode.jsonc")
        self.plugin_file = os.path.join(self.config, "plugins", "foreword.js")
        self.skills = os.path.join(self.config, "skills")
        self.runs = []
        home.environment.update(ENVIRONMENT)
        self.program = home.put_on_path("opencode", program)
        os.makedirs(os.path.join(self.config, "node_modules"))
        self.write("package-lock.json", FETCHED)
        self.write(".gitignore", "*\n")  # the client makes one where there is none
        self.write("opencode.jsonc", CONFIG.format(url=model.url))

    def write(self, name, text):
        with open(os.path.join(self.config, name), "w", encoding="utf-8") as f:
            f.write(text)

    def install(self, switch="on"):
        return self.home.foreword("install", "opencode", "--switch", switch, "--anyway")

    def run(self, prompt, *arguments, session="", stdin=True):
        """One `opencode run`, in a client session that is there already or a new one; a Run, kept in .runs.

        `stdin`: whether the prompt goes in there, or as an argument.
        """
        words = ["--session", session] if session else []
        words += [*arguments, *([] if stdin else [prompt])]
        done = self.home.call(self.program, "run", "--format", "json", *words, stdin=prompt if stdin else "")
        self.runs.append(Run(done))
        return self.runs[-1]

    def command(self, *arguments):
        """A command of the client that is no session, like `mcp list`; the CompletedProcess."""
        return self.home.call(self.program, *arguments)

    @contextlib.contextmanager
    def serve(self):
        """The client's server in the home's repository, as its terminal interface has one: a Server."""
        process = subprocess.Popen(
            [self.program, "serve", "--hostname", "127.0.0.1", "--port", "0"],
            cwd=self.home.repo,
            env=self.home.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        try:
            yield Server(_address(process))
        finally:
            process.terminate()
            process.wait(PATIENCE_S)
            process.stdout.close()


def _address(process):
    for line in process.stdout:
        if found := re.search(r"listening on (http://127\.0\.0\.1:\d+)", line):
            return found[1]
    raise AssertionError("the client's server did not start")


class Server:
    """Client sessions by the client's own HTTP interface."""

    def __init__(self, url):
        self.url = url

    def new_session(self):
        """The id of a new client session."""
        return self._post("/session", {})["id"]

    def prompt(self, session, text):
        """The answer to a prompt, once the turn is over."""
        answer = self._post(f"/session/{session}/message", {"parts": [{"type": "text", "text": text}]})
        return "".join(part["text"] for part in answer["parts"] if part["type"] == "text")

    def command(self, session, name, arguments=""):
        """The same for a slash command."""
        self._post(f"/session/{session}/command", {"command": name, "arguments": arguments})

    def compact(self, session):
        model = {"providerID": "scripted", "modelID": "scripted-model"}
        self._post(f"/session/{session}/summarize", model)

    def fork(self, session):
        """The id of a client session that begins with all that another one holds."""
        return self._post(f"/session/{session}/fork", {})["id"]

    def _post(self, path, body):
        headers = {"content-type": "application/json"}
        request = urllib.request.Request(self.url + path, json.dumps(body).encode(), headers)
        with urllib.request.urlopen(request, timeout=PATIENCE_S) as answer:
            return json.loads(answer.read() or b"null")


class Run:
    """What an `opencode run` gave: .answer, .session, .events (as it prints them), .stderr."""

    def __init__(self, done):
        self.returncode = done.returncode
        self.stderr = done.stderr
        self.events = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
        self.noise = [line for line in done.stdout.splitlines() if line and not line.startswith("{")]
        said = [event["part"]["text"] for event in self.events if event["type"] == "text"]
        self.answer = said[-1] if said else ""
        self.session = next((event["sessionID"] for event in self.events), "")


def open_the_offered(request):
    """A turn of the script: the model opens the note that the newest foreword shows."""
    return [use("foreword_memory_read", id=ID.search(request.new_frames[-1])[0])]


class Terminal(Screen):
    """opencode's terminal interface. What is typed stands in a box, so keep it short of one line."""

    SIGN = "Ask anything"

    def __init__(self, opencode, *arguments):
        super().__init__(opencode.home, opencode.program, *arguments)

    def _typed(self):
        return self.screen()

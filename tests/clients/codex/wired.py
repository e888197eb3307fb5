"""A user's home in which Foreword is wired into Codex, to break it and to look at it.

`Home.answer` puts a stand-in for `codex` on the PATH that answers `hooks/list` as the real one (0.171.0)
does, with what the test says.
"""

import json
import os
import shlex
import sys

from foreword.clients import parts
from foreword.clients.codex import health, install
from foreword.clients.proof import FAILURE
from foreword.edit import plan

SERVER = """
import json, os, sys

assert sys.argv[1] == "app-server", sys.argv
for line in sys.stdin:
    message = json.loads(line)
    if message["method"] == "initialize":
        result = {"userAgent": "codex", "codexHome": os.environ["CODEX_HOME"]}
    elif message["method"] == "hooks/list":
        [cwd] = message["params"]["cwds"]
        result = {"data": [{"cwd": cwd, **json.load(open(LISTED))}]}
        json.dump(sys.argv, open(LISTED + ".asked", "w"))
    else:
        continue
    print(json.dumps({"id": message["id"], "result": result}), flush=True)
"""


class Home:
    """`top`: the user's home. Nothing but the stand-in is on the PATH."""

    def __init__(self, top, monkeypatch):
        self.top, self.monkeypatch = top, monkeypatch
        self.store = str(top / ".foreword")
        self.config = top / ".codex"
        self.config_path, self.hooks_path = self.config / "config.toml", self.config / "hooks.json"
        self.programs = top / "bin"
        monkeypatch.setenv("CODEX_HOME", str(self.config))
        monkeypatch.setenv("PATH", str(self.programs))

    def wire(self, trusted=True, config=""):
        """What `foreword install codex` does; `config`: what stands in config.toml before."""
        self.config.mkdir(exist_ok=True)
        self.config_path.write_text(config)
        for _ in range(2):  # what goes into config.toml depends on hooks.json
            for part in install.parts(parts.Options(trust=trusted)):
                text = part.with_ours(parts.text_of(part.path))
                if text:
                    os.makedirs(os.path.dirname(part.path), exist_ok=True)
                    with open(part.path, "w") as f:
                        f.write(text)
        plan.save_records(self.store, install.NAME, {str(self.config_path): {"after": "", "made": None}})

    def answer(self, states=("trusted",) * 3, enabled=True, hooks=None, **more):
        """Make the stand-in list our hooks with these trust states, or just `hooks`."""
        events = zip(install.HOOKS, states, strict=False)
        ours = [
            {
                "eventName": event[0].lower() + event[1:],
                "command": install.hook(event)["command"],
                "trustStatus": state,
                "enabled": enabled,
            }
            for event, state in events
        ]
        listed = self.top / "listed.json"
        told = {"hooks": ours if hooks is None else hooks, "warnings": [], "errors": [], **more}
        listed.write_text(json.dumps(told))
        self.put_on_path(SERVER.replace("LISTED", repr(str(listed))))

    def put_on_path(self, text):
        """Make a text of Python the program `codex`."""
        self.programs.mkdir(exist_ok=True)
        script = self.programs / "codex.py"
        script.write_text(text)
        program = self.programs / "codex"
        program.write_text(
            '#!/bin/sh\nexec %s -I -S %s "$@"\n' % (shlex.quote(sys.executable), shlex.quote(str(script)))
        )
        program.chmod(0o755)

    @property
    def asked(self):
        """The words that the stand-in was started with."""
        return json.loads((self.top / "listed.json.asked").read_text())

    def all(self, **options):
        return list(health.findings(self.store, "", **options))

    def of(self, level, **options):
        """{what: hint} of the findings of a level."""
        return {what: hint for found, what, hint in self.all(**options) if found == level}

    def failures(self, **options):
        return self.of(FAILURE, **options)

"""A user's home in which Foreword is wired into Claude Code, to break it and to look at it."""

import json
import os

from foreword.clients import parts
from foreword.clients.claude_code import health, install
from foreword.clients.proof import FAILURE
from foreword.edit import plan


class Home:
    """A user's home in which Foreword is wired, and what is found in it."""

    def __init__(self, top):
        """`top`: the user's home; the project is `app` beside it."""
        self.store = str(top / ".foreword")
        self.config = top / ".claude"
        self.settings_path = self.config / "settings.json"
        self.state_path = top / ".claude.json"
        self.project = top.parent / "app"

    def wire(self):
        self.config.mkdir(exist_ok=True)
        self.settings_path.write_text(install.with_ours("{}", True))
        self.state(mcpServers={"foreword": install.server_entry()})
        for part in install.parts(parts.Options()):
            if part.what.startswith("skill "):
                os.makedirs(os.path.dirname(part.path))
                with open(part.path, "w") as f:
                    f.write(part.with_ours(""))
        plan.save_records(self.store, install.NAME, {str(self.settings_path): {"after": "", "made": None}})

    def state(self, **values):
        self.state_path.write_text(json.dumps(values))

    def change(self, change):
        """Call change(settings) and write what it made of them."""
        settings = json.loads(self.settings_path.read_text())
        change(settings)
        self.settings_path.write_text(json.dumps(settings))

    def set(self, **values):
        self.change(lambda settings: settings.update(values))

    def all(self, **options):
        return list(health.findings(self.store, str(self.project), **options))

    def of(self, level, **options):
        """{what: hint} of the findings of a level."""
        return {what: hint for found, what, hint in self.all(**options) if found == level}

    def failures(self, **options):
        return self.of(FAILURE, **options)


def one(found, part):
    """The one finding whose sentence holds a part: (what, hint)."""
    [both] = [(what, hint) for what, hint in found.items() if part in what]
    return both


def write_json(path, value):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value))

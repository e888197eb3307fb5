"""A Codex folder on disk, wired and unwired as the command line does it."""

import json
import os
import tomllib

from foreword.clients.codex import install

IN_CONFIG = '[[hooks.Stop]]\n[[hooks.Stop.hooks]]\ntype = "command"\ncommand = "beep"\n'


class Folder:
    """A Codex folder on disk."""

    def __init__(self, path):
        self.path = str(path)
        os.makedirs(self.path, exist_ok=True)

    def write(self, name, text):
        path = os.path.join(self.path, name)
        if text is None:
            if os.path.exists(path):
                os.unlink(path)
            return
        with open(path, "w", encoding="utf-8", newline="") as f:
            f.write(text)

    def read(self, name):
        try:
            with open(os.path.join(self.path, name), encoding="utf-8", newline="") as f:
                return f.read()
        except FileNotFoundError:
            return ""

    def parts(self, trusted=False):
        both = install.Both(self.path)
        return {"hooks.json": both.hooks_part(), "config.toml": both.config_part(trusted)}

    def install(self, trusted=False):
        """What was made, by file, as an install keeps it."""
        parts = self.parts(trusted)
        made = {name: part.footprint(self.read(name)) for name, part in parts.items()}
        after = {name: part.with_ours(self.read(name)) for name, part in parts.items()}
        for name, text in after.items():
            self.write(name, text)
        return made

    def uninstall(self, made=None):
        made = made or {}
        parts = self.parts()
        after = {name: part.without_ours(self.read(name), made.get(name)) for name, part in parts.items()}
        for name, text in after.items():
            self.write(name, text)

    def texts(self):
        return {name: self.read(name) for name in ("hooks.json", "config.toml")}

    def hooks(self):
        """[(file, event, group, hook)] of all hooks."""
        config = tomllib.loads(self.read("config.toml").removeprefix("\ufeff")).get("hooks", {})
        there = json.loads(self.read("hooks.json").removeprefix("\ufeff") or "{}").get("hooks", {})
        return [
            (name, event, group, hook)
            for name, events in (("hooks.json", there), ("config.toml", config))
            for event, groups in events.items()
            if event != "state"
            for group in groups
            for hook in group["hooks"]
        ]

    def ours(self):
        return [row for row in self.hooks() if "foreword.hook" in row[3].get("command", "")]

    def config(self):
        return tomllib.loads(self.read("config.toml").removeprefix("\ufeff"))

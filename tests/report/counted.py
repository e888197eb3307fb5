"""A store with one project, whose prompts.log names client sessions, and these sessions' logs."""

import json
import os

from foreword import files, paths
from foreword.report import count
from transcripts.records import line

NAME = "app-00000000"
S1, S2, S3 = (f"0a1b2c3d-0000-4000-8000-00000000000{n}" for n in range(1, 4))
NUMBERS = ("requests", "turns", "tool_calls", "input", "creation", "read", "output")


def at(minute):
    return f"2026-11-30T03:{minute:02}:00.000Z"


class Home:
    """`home`: the store; `folder`: the project's; `logs`: what transcripts.find would give."""

    def __init__(self, folder, name=NAME):
        self.home, self.logs, self.name = str(folder), {"claude-code": {}, "codex": {}}, name
        self.folder = paths.project_folder(self.home, name)
        files.make_folder(self.folder)

    def prompt(self, session, client="claude-code"):
        record = json.dumps({"time": at(0), "client": client, "session": session}).encode()
        files.append(os.path.join(self.folder, "prompts.log"), record)

    def log(self, session, *records, client="claude-code", name="", add=False):
        """Write a log, or add to it; named in prompts.log the first time."""
        path = os.path.join(self.home, (name or session) + ".jsonl")
        paths_of = self.logs[client].setdefault(session, [])
        if not paths_of:
            self.prompt(session, client)
        if path not in paths_of:
            paths_of.append(path)
        with open(path, "ab" if add else "wb") as f:
            f.writelines((r if isinstance(r, bytes) else line(r)) + b"\n" for r in records)
        return path

    def count(self, progress=None):
        assert self.tell(progress) == []
        return self.sessions()

    def tell(self, progress=None):
        """Count; the sentences that people are told."""
        return count.count(self.home, self.name, progress, self.logs)

    def sessions(self):
        return {row["session"]: row for row in count.sessions(self.home, self.name)}

    def database(self):
        return os.path.join(self.folder, count.NAME)


def numbers(row):
    return [row[name] for name in NUMBERS]


def told():
    """(a list, a progress function that fills it)"""
    found = []
    return found, lambda done, whole: found.append((done, whole))

"""What most tests of this room begin with: a new project, and lines in the logs that hooks keep of it."""

import json
import os

import pytest

from foreword import memory

# A line of prompts.log as the first version wrote it: of what was offered the ids alone.
RECORD = {
    "time": "2026-11-03T10:00:00.000000Z", "client": "claude-code", "session": "s1", "turn": "t1",
    "switch": "auto", "state": "on", "index": True, "ids": [], "characters": 0,
}  # fmt: skip


@pytest.fixture
def place(tmp_path):
    (tmp_path / "repo").mkdir()
    return memory.open_project(str(tmp_path / "repo"), create=True)


def log(place, *records, name="prompts.log"):
    """Add lines to a log of a project; bytes as they are."""
    with open(os.path.join(place.folder, name), "ab") as f:
        for record in records:
            f.write((record if isinstance(record, bytes) else json.dumps(record).encode()) + b"\n")

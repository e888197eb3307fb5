"""Every test has a home of its own; nothing here or in a child process can reach the real one."""

import os

import hypothesis
import pytest

# No example is timed: the machine may be busy with other tests.
hypothesis.settings.register_profile("foreword", deadline=None)
hypothesis.settings.load_profile("foreword")

_OURS = ("FOREWORD_", "CLAUDE", "GIT_", "ANTHROPIC_", "XDG_")


@pytest.fixture(autouse=True)
def isolated(tmp_path, monkeypatch):
    """HOME, FOREWORD_HOME and the current folder inside tmp_path; no client variables."""
    for name in list(os.environ):
        if name.startswith(_OURS) and name not in ("CLAUDE_BIN", "FOREWORD_REQUIRE_CLIENTS"):
            monkeypatch.delenv(name)
    home = tmp_path / "home"
    here = tmp_path / "cwd"
    home.mkdir()
    here.mkdir()
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("FOREWORD_HOME", str(home / ".foreword"))
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    monkeypatch.chdir(here)

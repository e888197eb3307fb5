"""Every test has a home of its own; nothing here or in a child process can reach the real one."""

import os

import hypothesis
import pytest

# A slow, shared machine is no fault of the code, so no deadline; in CI the same examples every time.
hypothesis.settings.register_profile("here", deadline=None)
hypothesis.settings.register_profile("ci", deadline=None, derandomize=True)
hypothesis.settings.load_profile("ci" if os.environ.get("CI") else "here")

_OURS = (
    "FOREWORD_", "CLAUDE", "GIT_", "ANTHROPIC_", "XDG_", "CODEX", "PLUGIN_", "MEMORY_", "npm_config_",
    "NPM_CONFIG_", "APPDATA", "LOCALAPPDATA", "CLINE_", "VSCODE_", "COPILOT_", "GEMINI_", "GOOGLE_",
    "OPENCODE", "MIMOCODE_", "CURSOR_", "AI_AGENT", "UV_", "PIPX_",
)  # fmt: skip
_KEPT = ("CLAUDE_BIN", "CODEX_BIN", "GEMINI_BIN", "OPENCODE_BIN", "FOREWORD_REQUIRE_CLIENTS")


@pytest.fixture(autouse=True)
def isolated(tmp_path, monkeypatch):
    """HOME, FOREWORD_HOME and the current folder inside tmp_path; no client variables."""
    for name in list(os.environ):
        if name.startswith(_OURS) and name not in _KEPT:
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

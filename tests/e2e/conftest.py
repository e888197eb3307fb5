"""The end-to-end tests' fixtures: a scripted model, a client in its own home, a terminal.

Where the client or tmux is missing the tests are skipped and say how to get it; with
FOREWORD_REQUIRE_CLIENTS=1 they fail instead, so that nobody takes skipped for passed.
"""

import os
import sys

import pytest

# The modules beside this file are also used by the demo and the benches; tests/ is their root.
sys.path.append(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

from e2e import claude as clients
from e2e import tui
from e2e.model import Model


def _missing(what):
    if os.environ.get("FOREWORD_REQUIRE_CLIENTS") == "1":
        pytest.fail(what, pytrace=False)
    pytest.skip(what)


@pytest.fixture
def model():
    with Model() as model:
        yield model


@pytest.fixture
def make_claude(tmp_path, model):
    """A function that gives a Claude; afterwards none of its hooks may have failed or spoken up."""
    program = clients.find()
    if program is None:
        _missing("Claude Code is not installed for the tests: make clients")
    made = []

    def make(**choices):
        made.append(clients.Claude(tmp_path / f"claude-{len(made)}", model, program, **choices))
        return made[-1]

    yield make
    for claude in made:
        assert claude.hook_log() == ""
        for run in claude.runs:
            assert clients.hook_problems(run.debug) == []


@pytest.fixture
def claude(make_claude):
    return make_claude()


@pytest.fixture
def terminal(claude):
    """A function that opens the terminal interface of `claude`; a context manager."""
    if not tui.has_tmux():
        _missing("tmux is not installed: the terminal interface cannot be driven")
    return lambda *arguments: tui.Terminal(claude, *arguments)

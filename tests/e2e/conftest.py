"""The end-to-end tests' fixtures: a scripted model, clients in a home of their own, a terminal.

Where a client or tmux is missing the tests are skipped and say how to get it; with
FOREWORD_REQUIRE_CLIENTS=1 they fail instead, so that nobody takes skipped for passed.
"""

import contextlib
import os
import sys
import threading

import pytest

# The modules beside this file are also used by the demo and the benches; tests/ is their root.
sys.path.append(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

from e2e import chat_model, gemini_model, responses, tui
from e2e import claude as claude_code
from e2e import codex as codex_cli
from e2e import gemini as gemini_cli
from e2e import model as scripted
from e2e import opencode as opencode_cli
from e2e.home import Home

TERMINALS = {claude_code.Claude: tui.Terminal, codex_cli.Codex: codex_cli.Terminal}


def _missing(what):
    if os.environ.get("FOREWORD_REQUIRE_CLIENTS") == "1":
        pytest.fail(what, pytrace=False)
    pytest.skip(what)


class Handler(gemini_model.Words, chat_model.Words, responses._Handler):
    """Answers Claude Code, Codex, Gemini CLI and opencode."""


class Model(scripted.Model):
    """The server and its script, for every client; all requests are in one list, in the order they came."""

    def __init__(self):
        super().__init__(Handler)
        self.gate = None

    @contextlib.contextmanager
    def together(self, clients):
        """Within, each answer waits until as many clients have asked for one: what they do next, be it a
        tool or the hook of a turn's end, they do at the same moment."""
        self.gate = threading.Barrier(clients, timeout=scripted.PATIENCE_S)
        try:
            yield
        finally:
            self.gate = None

    def answer(self, request):
        blocks = super().answer(request)
        if request.is_main and self.gate:
            # Where the other one does not ask, that is what the test shows, not this.
            with contextlib.suppress(threading.BrokenBarrierError):
                self.gate.wait()
        return blocks


@pytest.fixture
def model():
    with Model() as model:
        yield model


@pytest.fixture
def make_claude(tmp_path, model):
    """A function that gives a Claude; afterwards none of its hooks may have failed or spoken up."""
    program = claude_code.find()
    if program is None:
        _missing("Claude Code is not installed for the tests: make clients")
    made = []

    def make(folder=tmp_path, **choices):
        path = os.path.join(folder, f"claude-{len(made)}")
        made.append(claude_code.Claude(path, model, program, **choices))
        return made[-1]

    yield make
    for claude in made:
        assert claude.hook_log() == ""
        for run in claude.runs:
            assert claude_code.hook_problems(run.debug) == []


@pytest.fixture
def claude(make_claude):
    return make_claude()


@pytest.fixture
def terminal(claude):
    """A function that opens the terminal interface of `claude`; a context manager."""
    _require_tmux()
    return lambda *arguments: tui.Terminal(claude, *arguments)


def _require_tmux():
    if not tui.has_tmux():
        _missing("tmux is not installed: the terminal interface cannot be driven")


@pytest.fixture
def folder():
    """A folder that Codex takes for one that a home may lie in."""
    with codex_cli.folder() as folder:
        yield folder


@pytest.fixture
def make_codex(folder, model):
    """A function that gives a Codex in a home, by default one of its own.

    Afterwards none of its hooks may have failed or spoken up, nothing that a hook said may lie in a
    file that everybody can read, and nothing may still run.
    """
    program = codex_cli.find()
    if program is None:
        _missing("Codex is not installed for the tests: make clients")
    made = []

    def make(home=None, **choices):
        home = home or Home(os.path.join(folder, f"codex-{len(made)}"))
        made.append(codex_cli.Codex(home, model, program, **choices))
        return made[-1]

    yield make
    for codex in made:
        tui.eventually(lambda home=codex.home: not home.processes(), "the end of all that ran in the home")
        assert codex.home.hook_log() == ""
        assert [run.hook_problems for run in codex.runs] == [[]] * len(codex.runs)
        assert codex.spilled() == []


@pytest.fixture
def codex(make_codex):
    return make_codex()


@pytest.fixture
def both(folder, make_claude, make_codex):
    """(claude, codex) of one user: one home, one repository, one store."""
    claude = make_claude(folder=folder)
    return claude, make_codex(home=claude)


@pytest.fixture
def everyone(both, model):
    """{name: client} of one user: Claude Code, Codex, Gemini CLI and opencode in one home, with one
    repository and one store. Afterwards no hook of any of them may have failed or spoken up."""
    claude, codex = both
    gemini = gemini_cli.find() or _missing("Gemini CLI is not installed for the tests: make clients")
    opencode = opencode_cli.find() or _missing("opencode is not installed for the tests: make clients")
    # On a busy machine a server may need over a second to start; its tools then miss the first request
    # (0.171.0), and one turn is all that these tests have.
    with open(codex.config_file, encoding="utf-8") as f:
        text = f.read()
    with open(codex.config_file, "w", encoding="utf-8") as f:
        f.write("mcp_optional_startup_grace_ms = 10000\n" + text)
    clients = {
        "claude-code": claude,
        "codex": codex,
        "gemini": gemini_cli.Gemini(claude, model, gemini),
        "opencode": opencode_cli.Opencode(claude, model, opencode),
    }
    yield clients
    assert [run.hook_problems for run in clients["gemini"].runs if run.hook_problems] == []
    told = [(run.returncode, run.stderr, run.noise) for run in clients["opencode"].runs]
    assert [one for one in told if one != (0, "", [])] == []


@pytest.fixture
def open_terminal():
    """A function that opens the terminal interface of either client; a context manager."""
    _require_tmux()
    return lambda client, *arguments: TERMINALS[type(client)](client, *arguments)

"""Foreword as people get it: by the real uv and pipx, from its wheel, in a home that has nothing else.

pip brings the two programs and what the wheel depends on into folders of the test; from there on nothing
is asked of a network. Where pip cannot, the tests are skipped, with FOREWORD_REQUIRE_CLIENTS=1 they fail.
"""

import json
import os
import shlex
import shutil
import subprocess
import sys

import pytest

from cli.fake_claude import everything_below
from e2e import claude as claude_code
from e2e import rpc
from e2e.home import TOP, Home
from foreword import __version__

pytestmark = [
    pytest.mark.e2e,
    pytest.mark.skipif(os.name == "nt", reason="the folders of POSIX"),
    pytest.mark.timeout(300),
]

NEXT = "99.0"
PIP = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet"]
BASE = os.path.realpath(sys.executable)  # the interpreter that the wheels of the dependencies fit
# What pyproject.toml declares. For uv what builds it too, for pipx the pip that it puts into environments.
DECLARED = ("click>=8.1", "jinja2>=3.1", "PyYAML>=6.0", "starlette>=1.0", "uvicorn>=0.40")
NEEDED = {
    "uv": (*DECLARED, "hatchling>=1.25"),
    "pipx": (*DECLARED, "pip>=26.1"),
}
GONE = "/home/dev/.local/share/uv/tools/foreword/bin/python"
QUESTION = "Why does the importer drop rows whose currency is missing?"
HANDSHAKE = {"protocolVersion": rpc.REVISION, "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}


class Packaged(Home):
    """A home in which a tool (uv, pipx) is on the PATH, and a folder is all the index it knows.

    index: that folder, with a wheel of this checkout (`wheel`) and what it depends on; `later` is a wheel
    of a newer version, not in it yet.
    """

    def __init__(self, folder, tool):
        super().__init__(folder)
        self.index, newer = os.path.join(folder, "index"), os.path.join(folder, "newer")
        self._fetch(os.path.join(folder, "tools"), tool)
        self.wheel = build(os.path.join(folder, "source"), self.index, __version__)
        self.later = build(os.path.join(folder, "source-later"), newer, NEXT)
        self.mine = os.path.join(self.home, ".local", "bin")
        self.environment |= {
            "PATH": os.pathsep.join([self.mine, self.environment["PATH"]]),
            "PIP_DISABLE_PIP_VERSION_CHECK": "1",
            "PIP_FIND_LINKS": self.index,
            "PIP_NO_INDEX": "1",
            "UV_FIND_LINKS": self.index,
            "UV_NO_INDEX": "1",
            "UV_OFFLINE": "1",
            "UV_PYTHON": BASE,
            "UV_PYTHON_DOWNLOADS": "never",
        }
        os.makedirs(os.path.join(self.home, ".claude"))

    def _fetch(self, folder, tool):
        make = [sys.executable, "-m", "venv", "--without-pip", folder]
        python = os.path.join(folder, "bin", "python")
        for command in (
            make,
            [*PIP, "--python", python, "install", tool],
            [*PIP, "download", "--only-binary", ":all:", "--dest", self.index, *NEEDED[tool]],
        ):
            done = subprocess.run(command, capture_output=True, text=True)
            if done.returncode:
                missing(f"pip cannot bring {tool} here: {done.stderr.strip()[-300:]}")
        for name in (tool, tool + "x"):
            if os.path.exists(program := os.path.join(folder, "bin", name)):
                os.symlink(program, os.path.join(self.programs, name))

    def done(self, *command, rc=0, **options):
        """Run a command that must end with `rc`; what it printed, what it said for an error."""
        done = self.call(*command, **options)
        assert done.returncode == rc, (command, done.stdout, done.stderr)
        return done.stderr if rc else done.stdout

    def version(self):
        return self.done("foreword", "--version").split()[-1]

    def hook(self, event):
        """What the hook of an event prints; it is run as it stands in Claude Code's settings."""
        with open(os.path.join(self.home, ".claude", "settings.json"), encoding="utf-8") as f:
            [[hook]] = [entry["hooks"] for entry in json.load(f)["hooks"][event]]
        payload = {"session_id": "s1", "cwd": self.repo, "hook_event_name": event, "prompt": QUESTION}
        payload |= {"prompt_id": "t1", "last_assistant_message": claude_code.ANSWER, "source": "startup"}
        payload["stop_hook_active"] = False
        done = self.call(*shlex.split(hook["command"]), *hook.get("args", []), stdin=json.dumps(payload))
        assert (done.returncode, done.stderr) == (0, "")
        return done.stdout


def missing(what):
    if os.environ.get("FOREWORD_REQUIRE_CLIENTS") == "1":
        pytest.fail(what, pytrace=False)
    pytest.skip(what)


def build(source, out, version):
    """Build a wheel of what this checkout holds, as `version`; its path."""
    for name in ("README.md", "LICENSE", "pyproject.toml"):
        os.makedirs(source, exist_ok=True)
        shutil.copy(os.path.join(TOP, name), source)
    leave = shutil.ignore_patterns("__pycache__")
    shutil.copytree(os.path.join(TOP, "src"), os.path.join(source, "src"), ignore=leave)
    stated = os.path.join(source, "src", "foreword", "__init__.py")
    with open(stated, encoding="utf-8") as f:
        text = f.read()
    with open(stated, "w", encoding="utf-8") as f:
        f.write(text.replace(f'"{__version__}"', f'"{version}"'))
    command = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", out, source]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return os.path.join(out, f"foreword-{version}-py3-none-any.whl")


def try_without_installing(home, *runner):
    """What holds for a Foreword that is only run: it serves, and it does not wire what would vanish."""
    wanted = [*runner, home.wheel, "foreword"]
    before = everything_below(os.path.join(home.home, ".claude"))
    said = home.done(*wanted, "install", rc=2)
    assert "is cleaned up: hooks would break then" in said
    assert "hint: " in said
    assert everything_below(os.path.join(home.home, ".claude")) == before
    asked = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": HANDSHAKE}
    told = home.call(*wanted, "serve", stdin=json.dumps(asked) + "\n").stdout
    assert json.loads(told)["result"]["serverInfo"]["version"] == __version__


def live_with_it(home, upgrade, remove):
    """What holds for an installed one: wired, used, updated under the same wiring, removed."""
    assert home.version() == __version__
    home.done("foreword", "install", "claude-code", "--switch", "on")
    settings = os.path.join(home.home, ".claude", "settings.json")
    with open(settings, encoding="utf-8") as f:
        wired = f.read()
    assert os.path.join(home.home, ".local", "share") in wired  # by the tool's own interpreter
    assert home.hook("UserPromptSubmit") == ""
    home.hook("Stop")

    shutil.copy(home.later, home.index)
    home.done(*upgrade)
    assert home.version() == NEXT
    assert claude_code.CONCLUSION in json.loads(home.done("foreword", "list", "--json"))[0]["snippet"]
    home.hook("SessionStart")
    home.done("foreword", "install", "claude-code")
    with open(settings, encoding="utf-8") as f:
        assert f.read() == wired

    home.done("foreword", "uninstall", "claude-code")
    assert not os.path.exists(settings)
    home.done(*remove)
    assert not os.path.exists(os.path.join(home.mine, "foreword"))
    assert len(home.notes()) == 1


def run_from_a_checkout(home):
    """`uvx --from FOLDER` runs what the folder holds now: by itself uv looks at pyproject.toml alone."""
    checkout = os.path.join(home.folder, "source")
    verb = os.path.join(checkout, "src", "foreword", "cli", "cmd_status.py")
    assert "Show " in home.done("uvx", "--from", checkout, "foreword", "status", "--help")
    with open(verb, encoding="utf-8") as f:
        text = f.read()
    with open(verb, "w", encoding="utf-8") as f:
        f.write(text.replace("Show ", "Tell ", 1))
    assert "Tell " in home.done("uvx", "--from", checkout, "foreword", "status", "--help")


def test_uv_runs_installs_upgrades_and_removes_it(tmp_path):
    home = Packaged(str(tmp_path / "u"), "uv")
    try_without_installing(home, "uvx", "--from")
    run_from_a_checkout(home)
    home.done("uv", "tool", "install", "foreword")
    assert home.done("uvx", "foreword", "--version").split()[-1] == __version__
    live_with_it(home, ["uv", "tool", "upgrade", "foreword"], ["uv", "tool", "uninstall", "foreword"])


def test_pipx_runs_installs_upgrades_and_removes_it(tmp_path):
    home = Packaged(str(tmp_path / "p"), "pipx")
    try_without_installing(home, "pipx", "run", "--spec")
    home.done("pipx", "install", "foreword")
    live_with_it(home, ["pipx", "upgrade", "foreword"], ["pipx", "uninstall", "foreword"])


def test_claude_code_goes_on_when_the_tool_is_gone_and_says_so_at_every_hook(tmp_path, model):
    program = claude_code.find()
    if program is None:
        missing("Claude Code is not installed for the tests: make clients")
    claude = claude_code.Claude(str(tmp_path / "claude"), model, program)
    claude.install()
    for path in (claude.settings_file, claude.state_file):
        with open(path, encoding="utf-8") as f:
            text = f.read()
        assert sys.executable in text
        with open(path, "w", encoding="utf-8") as f:
            f.write(text.replace(sys.executable, GONE))
    model.script("Hello.")

    run = claude.run("Good morning")

    assert (run.returncode, run.answer) == (0, "Hello.")
    assert [hook["outcome"] for hook in run.hooks] == ["error"] * 3
    assert all(GONE in hook["stderr"] for hook in run.hooks)
    [server] = next(each for each in run.events if each.get("subtype") == "init")["mcp_servers"]
    assert server == {"name": "foreword", "status": "failed"}

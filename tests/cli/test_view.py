"""`foreword view` on the command line: what it refuses, and that no other verb pays for it."""

import subprocess
import sys

import pytest


def test_its_help_says_that_it_stays_on_this_machine(foreword):
    told = " ".join(foreword("view", "--help").out.split())
    assert "127.0.0.1 until Ctrl-C" in told
    assert "--no-open" in told


@pytest.mark.parametrize("port", ["0", "65536", "x"])
def test_a_port_that_is_none_is_refused(foreword, port):
    assert foreword("view", "--no-open", "--port", port, code=2).out == ""


def test_a_folder_that_is_given_and_is_no_project_is_refused(foreword, tmp_path):
    told = foreword("view", "--no-open", "--project", tmp_path / "none", code=1)
    assert told.out == ""
    assert "is no folder" in told.err


def test_without_a_home_it_says_what_to_set(foreword):
    told = foreword("view", "--no-open", code=2, env={"HOME": "", "FOREWORD_HOME": ""})
    assert "FOREWORD_HOME" in told.err


@pytest.mark.parametrize("arguments", [["--help"], ["view", "--help"], ["list"]])
def test_only_a_view_that_runs_loads_the_web_room(arguments, repo):
    code = (
        "import sys\n"
        "from foreword.cli import root\n"
        f"root.run({arguments!r})\n"
        "print(sorted(set(sys.modules) & {'starlette', 'uvicorn', 'jinja2', 'asyncio', 'foreword.web'}))\n"
    )
    done = subprocess.run([sys.executable, "-I", "-c", code], capture_output=True, text=True, timeout=60)
    assert done.stdout.splitlines()[-1] == "[]", done.stderr

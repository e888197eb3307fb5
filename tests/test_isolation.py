"""The fixture that keeps every test away from this machine's own folders, checked from inside a test."""

import os
import subprocess
import sys

import pytest

from foreword import paths

ASK = "import os; print(os.path.expanduser('~')); print(os.getcwd()); print(sorted(os.environ))"


def test_the_home_and_the_store_are_inside_the_test_folder(tmp_path):
    assert paths.user_home() == str(tmp_path / "home")
    assert paths.home() == str(tmp_path / "home" / ".foreword")
    assert os.getcwd() == os.path.realpath(tmp_path / "cwd")
    assert os.listdir(tmp_path / "home") == []


def test_a_child_process_sees_the_same_home(tmp_path):
    done = subprocess.run([sys.executable, "-I", "-c", ASK], capture_output=True, text=True, check=True)
    home, here, _ = done.stdout.splitlines()
    assert home == str(tmp_path / "home")
    assert here == os.path.realpath(tmp_path / "cwd")


@pytest.mark.parametrize(
    "name", ["CLAUDE_CONFIG_DIR", "CLAUDE_PROJECT_DIR", "CLAUDECODE", "FOREWORD_DISABLE", "XDG_CONFIG_HOME"]
)
def test_no_variable_of_a_client_or_of_ours_reaches_a_test(name):
    assert name not in os.environ


def test_variables_set_outside_are_taken_away(tmp_path):
    """A run of pytest inside a client's session, on one test of this file."""
    inherited = {k: v for k, v in os.environ.items() if not k.startswith("PY")}
    outside = {"CLAUDE_CONFIG_DIR": "/nowhere", "CLAUDECODE": "1", "FOREWORD_DISABLE": "1"}
    name = "test_no_variable_of_a_client_or_of_ours_reaches_a_test"
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:randomly", f"{__file__}::{name}"],
        cwd=os.path.dirname(os.path.dirname(__file__)),
        env={**inherited, **outside},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout
    assert "5 passed" in done.stdout


def test_git_reads_no_settings_of_this_machine():
    done = subprocess.run(["git", "config", "--list", "--show-scope"], capture_output=True, text=True)
    assert not [line for line in done.stdout.splitlines() if line.startswith(("system", "global"))]

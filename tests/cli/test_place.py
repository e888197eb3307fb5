"""Places that will vanish are told from those that stay, by the interpreter's prefix."""

import os
import subprocess
import sys

import pytest

from cli.fake_claude import everything_below
from foreword.cli.place import vanishing

HOME = {"HOME": "/home/dev"}
CHECKOUT = "from a checkout: uv tool install . (or pipx install .), then foreword install"


@pytest.mark.parametrize(
    ("prefix", "environment"),
    [
        # uvx and `uv tool run`: a cached environment, whose name changed between versions of uv.
        ("/home/dev/.cache/uv/archive-v0/Qpp03snyB88T5N8", {}),
        ("/fast/uv/x", {"XDG_CACHE_HOME": "/fast"}),
        ("/home/dev/.cache/uv/environments-v2/7fe2c1040d4a8780", {}),
        ("/home/dev/.cache/uv/builds-v0/.tmpAbC", {}),
        ("/fast/uv/some-later-name/x", {"UV_CACHE_DIR": "/fast/uv"}),
        ("/elsewhere/archive-v0/Qpp03snyB88T5N8", {}),
        # pipx run: the older layout, the newer one on each system, and one that was moved.
        ("/home/dev/Library/Caches/pipx/5f3a", {}),
        ("/fast/pipx/5f3a", {"XDG_CACHE_HOME": "/fast"}),
        ("/home/dev/.local/pipx/.cache/5f3a", {}),
        ("/home/dev/.cache/pipx/5f3a", {}),
        ("/opt/pipx/.cache/5f3a", {"PIPX_HOME": "/opt/pipx"}),
        ("/tmp-of-mine/try/.venv", {}),
    ],
)
def test_a_place_that_vanishes_is_refused_with_what_to_use(prefix, environment):
    why, instead = vanishing(prefix, {**HOME, **environment}, temp="/tmp-of-mine")
    assert why
    assert instead == CHECKOUT


def test_the_hint_named_a_package_of_an_index_that_may_be_somebody_elses(foreword):
    done = foreword("install", code=2, env={"UV_CACHE_DIR": sys.prefix})
    assert f"hint: {CHECKOUT}; or add --anyway\n" in done.err
    assert "install foreword" not in done.err


@pytest.mark.parametrize(
    ("prefix", "environment"),
    [
        ("/home/dev/src/foreword/.venv", {}),
        ("/home/dev/.local/share/uv/tools/foreword", {}),
        ("/home/dev/.local/share/pipx/venvs/foreword", {}),
        ("/home/dev/.local/pipx/venvs/foreword", {}),
        ("/opt/pipx/venvs/foreword", {"PIPX_HOME": "/opt/pipx"}),
        ("/usr", {}),
        ("/tmp-of-mine-too/.venv", {}),
        ("/home/dev/.cache/uv-like/venv", {}),
    ],
)
def test_a_place_that_stays_is_taken(prefix, environment):
    assert vanishing(prefix, {**HOME, **environment}, temp="/tmp-of-mine") == ("", "")


@pytest.fixture
def linked(repo, tmp_path):
    """The environment's folder inside a linked worktree of the repository."""
    tree = tmp_path / "linked"
    subprocess.run(["git", "worktree", "add", "-q", tree], cwd=repo, check=True, capture_output=True)
    (tree / ".venv").mkdir()
    return str(tree / ".venv")


def test_an_environment_in_a_linked_worktree_vanishes(linked, repo):
    why, instead = vanishing(linked, HOME)
    assert "worktree" in why
    assert instead == f"uv tool install {repo} (or pipx install {repo}), then foreword install"


@pytest.mark.skipif(os.name == "nt", reason="quotes for a POSIX shell")
def test_a_path_with_a_space_came_without_quotes(repo, tmp_path):
    spaced = tmp_path / "my work"
    os.rename(repo, spaced)
    tree = tmp_path / "linked"
    subprocess.run(["git", "worktree", "add", "-q", tree], cwd=spaced, check=True, capture_output=True)
    assert f"uv tool install '{spaced}' " in vanishing(str(tree), HOME)[1]


def test_a_worktree_of_a_bare_repository_names_any_checkout(repo, tmp_path):
    bare, tree = tmp_path / "bare.git", tmp_path / "linked"
    subprocess.run(["git", "clone", "-q", "--bare", repo, bare], check=True, capture_output=True)
    subprocess.run(["git", "worktree", "add", "-q", tree], cwd=bare, check=True, capture_output=True)
    assert vanishing(str(tree), HOME)[1] == CHECKOUT


def test_an_environment_in_the_main_checkout_stays(repo):
    assert vanishing(os.path.join(repo, ".venv"), HOME) == ("", "")


def test_a_submodules_environment_stays(tmp_path):
    (tmp_path / ".git").write_text("gitdir: ../.git/modules/part\n")
    assert vanishing(str(tmp_path / ".venv"), HOME) == ("", "")


def test_an_install_from_a_place_that_vanishes_writes_nothing(foreword, tmp_path):
    there = everything_below(tmp_path / "home")
    # Whatever this environment is, it is below a "temporary folder" that is its own prefix.
    done = foreword("install", code=2, env={"TMPDIR": sys.prefix, "UV_CACHE_DIR": sys.prefix})
    assert "hooks would break" in done.err
    assert "--anyway" in done.err
    assert everything_below(tmp_path / "home") == there

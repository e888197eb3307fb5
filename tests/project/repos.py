"""Real repositories, and which project the store has for them. Shared by the tests of project.py."""

import os
import shutil
import subprocess
import sys

from foreword import project

_WHO = ["-c", "user.name=t", "-c", "user.email=t@example.invalid", "-c", "init.defaultBranch=main"]
_ALLOW = ["-c", "protocol.file.allow=always", "-c", "advice.detachedHead=false"]
REAL_GIT = shutil.which("git")


def git(folder, *arguments, when=1_700_000_000):
    """Run git in a folder with a fixed name and date (epoch seconds); its output."""
    dates = {"GIT_AUTHOR_DATE": f"{when} +0000", "GIT_COMMITTER_DATE": f"{when} +0000"}
    done = subprocess.run(
        [REAL_GIT, *_WHO, *_ALLOW, *arguments],
        cwd=folder,
        env={**os.environ, **dates},
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr.decode("utf-8", "replace")
    return done.stdout.decode("utf-8", "replace").strip()


def commit(top, text, when=1_700_000_000):
    """One commit with a file of that text; its id."""
    with open(os.path.join(top, "README.md"), "a", encoding="utf-8") as f:
        f.write(text + "\n")
    git(top, "add", "-A")
    git(top, "commit", "-q", "-m", text, when=when)
    return git(top, "rev-parse", "HEAD")


def repo(top, text="first", when=1_700_000_000, branch="main"):
    """A repository with one commit; its folder as a str. Other texts give other root commits."""
    os.makedirs(top)
    git(top, "init", "-q", "-b", branch)
    commit(top, text, when)
    return str(top)


def clone(origin, to, *options):
    os.makedirs(os.path.dirname(to), exist_ok=True)
    git(os.path.dirname(to), "clone", "-q", *options, str(origin), str(to))
    return str(to)


def worktree(top, to, branch="side"):
    git(top, "worktree", "add", "-q", "-b", branch, str(to))
    return str(to)


def orphan(top, branch, text, when):
    """A branch with a root of its own; it stays checked out."""
    git(top, "checkout", "-q", "--orphan", branch)
    return commit(top, text, when)


def root_of(top, ref="HEAD"):
    return git(top, "rev-list", "--max-parents=0", ref)


def home():
    return os.environ["FOREWORD_HOME"]


def find(folder, ask_git=True, **options):
    return project.find(str(folder), home(), ask_git=ask_git, **options)


def prompted(folder, **options):
    """As the prompt hook looks: git is not asked."""
    return find(folder, ask_git=False, **options)


def projects():
    """The names of all projects in the store."""
    try:
        return sorted(os.listdir(os.path.join(home(), "projects")))
    except FileNotFoundError:
        return []


def note(place, name="20261103-101500-a1b2"):
    """Put a note into a project's folder; its path inside that."""
    folder = os.path.join(place.folder, "notes", "2026-11")
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, name + ".md"), "w", encoding="utf-8") as f:
        f.write("The importer drops rows on purpose.\n")
    return os.path.join("notes", "2026-11", name + ".md")


def holds(place, relative):
    return os.path.isfile(os.path.join(place.folder, relative))


def entry(place):
    """The path of the by-path entry of a place."""
    return project._entry_path(home(), str(place))


def put_on_path(tmp_path, monkeypatch, script):
    """A `git` that runs a shell script, first on the PATH."""
    folder = tmp_path / "bin"
    folder.mkdir()
    (folder / "git").write_text("#!/bin/sh\n" + script)
    (folder / "git").chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")


def python(*arguments, **options):
    """Start Python in a process of its own, as hooks run."""
    return subprocess.Popen(
        [sys.executable, "-I", "-c", *map(str, arguments)], stdout=subprocess.PIPE, text=True, **options
    )

"""A user's home in a folder of a test: its environment, a small repository, Foreword's commands and store.

The clients that run in it (`Claude`, `Codex`) share it, as they do on a user's machine. Nothing of
the caller's environment is passed on but what is written here: no credentials, no real home.
"""

import hashlib
import json
import os
import shlex
import shutil
import subprocess
import sys

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PATIENCE_S = 90  # of one run; one takes 1 to 3 s on two cores

APP = '''"""Imports ledger rows."""

RETRIES = 3


def keep(row):
    return bool(row.get("currency"))
'''


def _folders_of(*programs):
    found = filter(None, map(shutil.which, programs))
    return dict.fromkeys(os.path.dirname(path) for path in found)


class Home:
    """A home below `folder`, with a repository `repo`; no client in it yet."""

    def __init__(self, folder, repo=None):
        self.folder = str(folder)
        self.home = os.path.join(self.folder, "home")
        self.store = os.path.join(self.home, ".foreword")
        self.programs = os.path.join(self.folder, "bin")
        self.environment = {
            "PATH": os.pathsep.join([self.programs, *_folders_of("node", "git", "sh"), "/usr/bin", "/bin"]),
            "HOME": self.home,
            "LANG": "C.UTF-8",
            "TERM": "xterm-256color",
            "SHELL": "/bin/sh",
            "TMPDIR": os.path.join(self.folder, "tmp"),
        }
        for path in (self.home, self.programs, self.environment["TMPDIR"]):
            os.makedirs(path)
        self.repo = str(repo) if repo else make_repository(os.path.join(self.folder, "app"))

    def put_on_path(self, name, program):
        """Whatever the program is called and wherever it lies, it is found as `name`; the path."""
        path = os.path.join(self.programs, name)
        with open(path, "w", encoding="utf-8") as f:
            f.write(f'#!/bin/sh\nexec {shlex.quote(os.path.abspath(program))} "$@"\n')
        os.chmod(path, 0o755)
        return path

    def call(self, *command, cwd=None, stdin="", environment=None):
        """Run a program as the user of this home, to its end; the CompletedProcess."""
        return subprocess.run(
            command,
            cwd=cwd or self.repo,
            env=environment or self.environment,
            input=stdin,
            capture_output=True,
            text=True,
            timeout=PATIENCE_S,
        )

    def foreword(self, *arguments, cwd=None, stdin="", rc=0):
        """Run a command of Foreword as the user of this home; the CompletedProcess."""
        done = self.call(sys.executable, "-I", "-m", "foreword.cli", *arguments, cwd=cwd, stdin=stdin)
        said = f"{' '.join(arguments)}: exit {done.returncode}\n{done.stdout}{done.stderr}"
        assert done.returncode == rc, said
        return done

    def processes(self):
        """The ids of the programs that run in this home now; [] where the system does not tell."""
        mine = f"HOME={self.home}".encode()
        found = []
        for name in filter(str.isdigit, os.listdir("/proc") if os.path.isdir("/proc") else ()):
            try:
                with open(f"/proc/{name}/environ", "rb") as f:
                    if mine in f.read().split(b"\0"):
                        found.append(int(name))
            except OSError:
                pass  # gone meanwhile, or somebody else's
        return found

    def memories(self, kind):
        """[(path, text)] of the memories in the store's folders called `kind`, oldest first."""
        found = []
        for at, _, names in os.walk(self.store):
            folders = os.path.relpath(at, self.store).split(os.sep)
            if kind in folders and "archive" not in folders:
                found += [os.path.join(at, name) for name in names if name.endswith(".md")]
        found.sort(key=os.path.basename)
        return [(path, read(path)) for path in found]

    def notes(self):
        return self.memories("notes")

    def hook_log(self):
        return read(os.path.join(self.store, "log", "hook.log"))

    def prompt_records(self):
        """The lines of every prompts.log, as dicts."""
        return self._records("prompts.log")

    def recall_records(self):
        """The lines of every recalls.log, as dicts."""
        return self._records("recalls.log")

    def _records(self, log):
        records = []
        for at, _, names in os.walk(self.store):
            if log in names:
                records += map(json.loads, read(os.path.join(at, log)).splitlines())
        return records


def make_repository(path):
    """A small git repository with a committed src/app.py; its path."""
    os.makedirs(os.path.join(path, "src"))
    for name, text in (("README.md", "# Ledger\n\nImports rows.\n"), ("src/app.py", APP)):
        with open(os.path.join(path, name), "w", encoding="utf-8", newline="\n") as f:
            f.write(text)
    git(path, "init", "--quiet", "--initial-branch=main")
    git(path, "add", "--all")
    git(path, "-c", "user.name=Test", "-c", "user.email=test@example.invalid", "commit", "-qm", "one")
    return path


def git(path, *arguments):
    done = subprocess.run(["git", *arguments], cwd=path, check=True, capture_output=True, text=True)
    return done.stdout


def tree_hash(path):
    """The sha256 over names, modes and bytes of everything below `path` but `.git`."""
    total = hashlib.sha256()
    for at, folders, names in os.walk(path):
        # In place, so that the walk stays out of .git and takes the rest in this order.
        folders[:] = sorted(name for name in folders if name != ".git")
        for name in sorted(names + folders):
            file = os.path.join(at, name)
            total.update(f"{os.path.relpath(file, path)} {os.lstat(file).st_mode}\0".encode())
            if name in names:
                with open(file, "rb") as f:
                    total.update(f.read())
    return total.hexdigest()


def read(path):
    """The text of a file; "" where there is none."""
    try:
        with open(path, encoding="utf-8") as f:
            return f.read()
    except FileNotFoundError:
        return ""

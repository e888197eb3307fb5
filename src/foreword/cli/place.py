"""Where this Foreword runs from, and whether that place will last. Pure but for a look for `.git`.

Hooks name the interpreter by its absolute path. From a place that vanishes they would fail later,
at every prompt, in a terminal where nobody remembers why.
"""

import os

# Parts of paths of environments that uv makes for one run (uv's cache layout: archive-v0 and
# environments-v2 hold what `uvx` and `uv run --with` build, builds-v0 holds build environments).
_UV = ("archive-v", "environments-v", "builds-v")


def vanishing(prefix, environment, temp=""):
    """Why an interpreter's prefix will not last, as a sentence, and the command to use instead.

    ("", "") when it will. `environment`: os.environ or the like; `temp`: the folder of temporary files.
    """
    parts = [part for part in os.path.normpath(prefix).split(os.sep) if part]
    home = environment.get("HOME") or environment.get("USERPROFILE") or os.sep
    uv_cache = environment.get("UV_CACHE_DIR") or os.path.join(home, ".cache", "uv")
    if _below(prefix, uv_cache) or any(part.startswith(_UV) for part in parts):
        return "this Foreword runs from uv's cache, which is cleaned up", "uv tool install foreword"
    pipx = [
        os.path.join(environment.get("PIPX_HOME") or os.path.join(home, ".local", "pipx"), ".cache"),
        os.path.join(home, ".local", "share", "pipx", ".cache"),
        os.path.join(home, ".cache", "pipx"),
        environment.get("PIPX_SHARED_CACHE") or "",
    ]
    if any(_below(prefix, folder) for folder in pipx if folder):
        return "this Foreword runs from `pipx run`, which is cleaned up", "pipx install foreword"
    if _in_worktree(prefix):
        return (
            "this Foreword runs from a linked git worktree, which is removed some day",
            "pipx install PATH-OF-THE-MAIN-CHECKOUT, then foreword install",
        )
    if temp and _below(prefix, temp):
        return "this Foreword runs from a temporary folder", "pipx install foreword"
    return "", ""


def _below(path, folder):
    real, top = os.path.realpath(path), os.path.realpath(folder)
    return real == top or real.startswith(top.rstrip(os.sep) + os.sep)


def _in_worktree(prefix):
    at = os.path.realpath(prefix)
    while True:
        entry = os.path.join(at, ".git")
        if os.path.isfile(entry):
            with open(entry, encoding="utf-8", errors="replace") as f:
                return "/worktrees/" in f.read(4096).replace("\\", "/")
        parent = os.path.dirname(at)
        if os.path.isdir(entry) or parent == at:
            return False
        at = parent

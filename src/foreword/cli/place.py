"""Where this Foreword runs from, and whether that place will last. Pure but for a look for `.git`.

Hooks name the interpreter by its absolute path. From a place that vanishes they would fail later,
at every prompt, in a terminal where nobody remembers why.
"""

import os
import re
import shlex

# Folders of uv's cache that hold whole environments (uv 0.13.9, seen in runs): archive-v0 those of
# `uvx` and `uv tool run`, builds-v0 those of `uv run --with`, environments-v2 those of scripts. They
# lie below UV_CACHE_DIR, or with --no-cache in a temporary folder.
_UV = re.compile(r"(archive|builds|environments)-v\d+")


def _from(source):
    return f"uv tool install {source} (or pipx install {source}), then foreword install"


# No index is named: what it has under this name may be somebody else's.
_FROM_CHECKOUT = "from a checkout: " + _from(".")


def vanishing(folder, environment, temp=""):
    """Why a folder that holds our interpreter or code will not last, and what to do instead.

    ("", "") when it will. `environment`: os.environ or the like; `temp`: the folder of temporary files.
    """
    home = environment.get("HOME") or environment.get("USERPROFILE") or os.sep
    caches = [
        environment.get("XDG_CACHE_HOME") or os.path.join(home, ".cache"),
        os.path.join(home, "Library", "Caches"),  # macOS
        environment.get("LOCALAPPDATA") or "",  # Windows
    ]
    caches = [cache for cache in caches if cache]
    # A Windows cache is LOCALAPPDATA\uv\cache, a pipx one LOCALAPPDATA\pipx\pipx\Cache.
    uv = [environment.get("UV_CACHE_DIR"), *(os.path.join(cache, "uv") for cache in caches)]
    parts = os.path.normpath(folder).split(os.sep)
    if any(map(_UV.fullmatch, parts)) or any(_below(folder, top) for top in uv if top):
        return "this Foreword runs from uv's cache, which is cleaned up", _FROM_CHECKOUT
    # pipx 1.18.4, seen in a run: ~/.cache/pipx/<hash>. With PIPX_HOME, or an older home of its own that
    # is still there, the cache lies in that home; it removes environments after 14 days.
    homes = [
        environment.get("PIPX_HOME"),
        *(os.path.join(home, *at) for at in ((".local", "pipx"), ("pipx",))),
    ]
    pipx = [os.path.join(top, ".cache") for top in homes if top]
    pipx += [os.path.join(cache, "pipx") for cache in caches if cache != environment.get("LOCALAPPDATA")]
    pipx += [os.path.join(cache, "pipx", "pipx", "Cache") for cache in caches]
    if any(_below(folder, top) for top in pipx):
        return "this Foreword runs from `pipx run`, which is cleaned up", _FROM_CHECKOUT
    checkout = main_checkout(folder)
    if checkout is not None:
        why = "this Foreword runs from a linked git worktree, which is removed some day"
        return why, _from(shlex.quote(checkout)) if checkout else _FROM_CHECKOUT
    if temp and _below(folder, temp):
        return "this Foreword runs from a temporary folder", _FROM_CHECKOUT
    return "", ""


def _below(path, folder):
    real, top = os.path.realpath(path), os.path.realpath(folder)
    return real == top or real.startswith(top.rstrip(os.sep) + os.sep)


def main_checkout(folder):
    """Where the repository of a linked worktree has its own checkout, "" when it is bare; None for a
    folder that lies in no linked worktree."""
    at = os.path.realpath(folder)
    while True:
        entry = os.path.join(at, ".git")
        if os.path.isfile(entry):
            with open(entry, encoding="utf-8", errors="replace") as f:
                target = f.read(4096).removeprefix("gitdir:").strip().replace("\\", "/")
            common, found, _ = (
                os.path.normpath(os.path.join(at, target)).replace(os.sep, "/").partition("/worktrees/")
            )
            if not found:
                return None  # a submodule, or a repository kept elsewhere
            return os.path.normpath(common.removesuffix("/.git")) if common.endswith("/.git") else ""
        parent = os.path.dirname(at)
        if os.path.isdir(entry) or parent == at:
            return None
        at = parent

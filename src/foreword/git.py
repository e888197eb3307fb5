"""What git knows of a repository: its root commit, by asking it, and its remote, by reading its config.

Hooks come here on a miss only. Git runs without the caller's GIT_ variables and no longer than it is
given; nothing is fetched and nothing written.
"""

import os
import time

from foreword import files

_REFS = (
    ["refs/remotes/origin/main"], ["refs/heads/main"], ["refs/remotes/origin/master"], ["refs/heads/master"],
    ["--branches", "--remotes"], ["HEAD"],
)  # fmt: skip


def root_commit(common, wait_s):
    """The commit that a repository began with; "" when git is missing, too slow, or knows none.

    It is the first-parent root of main or master, else the oldest one of all branches: what is checked
    out, a history merged in, or an orphan branch for web pages does not change it. `common` is the
    git folder; all questions together take at most `wait_s` seconds.
    """
    end = time.monotonic() + wait_s
    for refs in _REFS:
        told = _git(common, end, "rev-list", "--timestamp", "--max-parents=0", "--first-parent", *refs, "--")
        if told is None:
            break
        roots = [line.split() for line in told.splitlines()]
        if roots:
            return min((int(seconds), commit) for seconds, commit in roots)[1]
    return ""


def _git(common, end, *arguments):
    """Output of git, "" when it failed, None when it is missing or not done at `end` (monotonic)."""
    import subprocess  # cold: 12 ms, only on a miss

    # Nothing of the caller's may point git elsewhere, and replaced commits are of one clone alone.
    environment = {k: v for k, v in os.environ.items() if not k.startswith("GIT_")}
    environment.update(
        GIT_OPTIONAL_LOCKS="0", GIT_TERMINAL_PROMPT="0", GIT_NO_REPLACE_OBJECTS="1", LC_ALL="C",
        # A partial clone that lacks its objects would fetch them, with a command that the repository's
        # own configuration may name (core.sshCommand, seen with git 2.39.5): no transport is allowed.
        GIT_ALLOW_PROTOCOL="none", GIT_NO_LAZY_FETCH="1",
    )  # fmt: skip
    program = _program()
    if not program:
        return None
    try:
        process = subprocess.Popen(
            [program, "--git-dir=" + common, *arguments],
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
    except OSError:
        return None
    try:
        told = process.communicate(timeout=max(0.0, end - time.monotonic()))[0]
    except subprocess.TimeoutExpired:
        with process:  # its pipe is closed, not read to its end: a child may hold that open
            if files.WINDOWS:
                process.kill()
            else:
                os.killpg(process.pid, 9)  # what it started too; it leads a group of its own
        return None
    return told.decode("ascii", "replace") if process.returncode == 0 else ""


def _program():
    """The absolute path of git, or "". Never one that lies in the current folder: it may be hostile."""
    for folder in os.environ.get("PATH", os.defpath).split(os.pathsep):
        path = os.path.join(folder, "git.exe" if files.WINDOWS else "git")
        if os.path.isabs(folder) and os.path.isfile(path) and os.access(path, os.X_OK):
            return path
    return ""


def remote(common):
    """The URL of origin (else of the first remote), without scheme, user and .git; or ""."""
    found = ""
    section = ""
    try:
        config = os.fsdecode(files.read(os.path.join(common, "config"), 65_536) or b"")
    except OSError:
        return ""
    for line in config.split("\n"):
        line = line.strip()
        if line.startswith("["):
            section = line
        elif section.startswith("[remote ") and line.startswith("url") and "=" in line:
            url = line.split("=", 1)[1].strip().strip('"')
            if section == '[remote "origin"]':
                return _bare_url(url)
            found = found or _bare_url(url)
    return found


def _bare_url(url):
    if "://" in url:
        url = url.split("://", 1)[1]
        host, slash, rest = url.partition("/")
        url = host.rpartition("@")[2].lower() + slash + rest
    elif ":" in url and not url.startswith(("/", ".")) and url[1:2] != ":":
        host, _, rest = url.partition(":")
        url = host.rpartition("@")[2].lower() + "/" + rest
    elif url.startswith("."):
        return ""  # relative: it names another repository in every folder
    url = url.rstrip("/")
    return url[:-4] if url.endswith(".git") else url

"""Which project a client works in, for the notes tools. Nothing outside the store is read or written here.

The first that is known decides: --project, CLAUDE_PROJECT_DIR, the client's first root that is a folder, the
current folder. Some clients have none of them (Claude Desktop's servers start in `/`): global facts are
theirs all the same, and a call may name the folder it is about.
"""

import os

from foreword.errors import ForewordError, NotFoundError

CLAUDE = (None, "claude-code")  # --client of those whose servers CLAUDE_PROJECT_DIR is meant for
LONGEST = 4_096  # characters of a path: PATH_MAX; what is longer names no folder
HOW = (
    "call again with `project`, the absolute path of the folder you work in, or leave it to the user: to"
    " start the client inside a project, or to add `--project PATH` to this server's arguments."
)
NOWHERE = "No project is open here, so these are global facts only. For a project's: " + HOW


def project_of(session, named="", everywhere=False):
    """The project of a call. Raises ForewordError, with what to do, when there is none.

    named: what the call itself names; it counts only where the client's own folder is no project, so that
    no text can lead an agent from one project into another. everywhere: global facts are enough, then a
    project that keeps nothing stands for none.
    """
    from foreword import memory

    known = session.kept.get("project")
    # A project that was joined into another, or had nothing saved yet, is looked for again.
    if known and known[0] == session.changes and os.path.isdir(known[1].folder):
        return known[1]
    try:
        found = memory.open_project(_folder(session))
    except NotFoundError as error:
        if named:
            return _named(named)
        if everywhere and _is_somewhere():
            return memory.no_project()
        raise ForewordError(error.message, "memories belong to a project: " + HOW) from error
    session.kept["project"] = (session.changes, found)
    return found


def _is_somewhere():
    """Whether the current folder is still there."""
    try:
        return bool(os.getcwd())
    except OSError:
        return False


def _named(path):
    from foreword import memory

    if not os.path.isabs(path) or "\0" in path or len(path) > LONGEST:
        raise ForewordError("`project` must be the absolute path of a folder", "for example /home/me/app")
    try:
        return memory.open_project(path)
    except NotFoundError as error:
        raise ForewordError(
            error.message, "`project` is the folder that holds the files you work on."
        ) from error


def _folder(session):
    told = os.environ.get("CLAUDE_PROJECT_DIR") if session.kept.get("client") in CLAUDE else None
    for folder in (session.kept.get("folder"), told):
        if folder and os.path.isdir(folder):
            return folder
    for uri in session.roots():
        folder = path_of(uri)
        if folder and os.path.isdir(folder):
            return folder
    return None


def path_of(uri, windows=os.name == "nt"):
    """The path of a file: URI, percent escapes decoded; "" for any other URI."""
    from urllib.parse import unquote_to_bytes  # cold: few clients leave us to ask for their roots

    scheme, _, rest = uri.partition(":")
    if scheme.lower() != "file":
        return ""
    host = ""
    if rest.startswith("//"):
        host, slash, rest = rest[2:].partition("/")
        rest = slash + rest
    raw = unquote_to_bytes(rest)
    if not windows:
        return os.fsdecode(raw) if host in ("", "localhost") else ""
    path = raw.decode("utf-8", "replace")
    if host[1:2] == ":" or host[1:].upper() == "%3A":  # file://C:/x, one slash short
        path = host[0] + ":" + path
    elif host and host != "localhost":
        path = "//" + host + path
    elif path[2:3] == ":":  # /C:/x
        path = path[1:]
    return path.replace("/", "\\")

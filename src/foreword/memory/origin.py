"""Where a memory comes from: the client session, how to go back to it, and whether its log is still there.

Looks at names in the clients' folders; opens none of their files and writes nothing. What a memory says of
its origin is data like the rest of it: a session's id gets into a path or a command only in one form.
"""

import os
import re
import shlex

from foreword import clients, paths
from foreword.store import logs

# Ids are UUIDs, opencode's `ses_` and letters (2.1.197, 0.171.0, 0.61.0, 1.18.33); a first `-` would be an
# option.
_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{7,63}\Z")
_RESUME = {
    "claude-code": "claude --resume {}",
    "codex": "codex resume {}",
    "gemini": "gemini --resume {}",
    "opencode": "opencode --session {}",
}
MOST_LOOKED_AT = 20_000  # names of files and folders: some years of daily use
_TAIL = 262_144  # bytes at the end of a log of ours that are looked at


def of(memory, home=None, environment=None):
    """{"client", "session", "resume", "transcript", "on_disk", "guess"} of a memory (a dict with source,
    session, transcript and origin: what `read` gives, or store.read).

    client: one of clients.CLIENTS or ""; resume: a command to run, or ""; transcript: the path of the
    client session's log, or ""; on_disk: whether it is there now, None where that is not known; guess: the
    session is only likely to be the one. `home`: the user's; `environment`: os.environ or the like.
    """
    environment = os.environ if environment is None else environment
    home = paths.user_home() if home is None else home
    session, transcript = memory["session"], memory["transcript"]
    client = clients.named(memory["source"])
    found = {
        "client": client,
        "session": session,
        "resume": "",
        "transcript": transcript,
        "on_disk": None,
        "guess": memory["origin"].strip().casefold() == "guess",
    }
    if transcript and _is_plain(transcript):
        found["on_disk"] = os.path.isfile(transcript)
    if not _ID.match(session):
        return found
    if not found["on_disk"]:
        for name in [client] if client else list(_SEARCH):
            if name not in _SEARCH:
                continue  # its logs are not looked for: the transcript that a hook named must do
            path, all_seen = _SEARCH[name](session, home, environment)
            if path:
                found.update(client=name, transcript=path, on_disk=True)
                break
            if client and all_seen:
                found["on_disk"] = False
    if found["client"] in _RESUME:
        found["resume"] = _RESUME[found["client"]].format(shlex.quote(session))
    return found


def _is_plain(path):
    # What begins with two slashes is another machine's on Windows: looking would go over the network.
    return os.path.isabs(path) and not path.startswith(("//", "\\\\")) and "\0" not in path


def _claude_code(session, home, environment):
    """(path of the transcript or "", whether all there is was looked at)."""
    config = environment.get("CLAUDE_CONFIG_DIR") or (os.path.join(home, ".claude") if home else "")
    names, whole = _names(os.path.join(config, "projects"), MOST_LOOKED_AT)
    for name in names:
        path = os.path.join(config, "projects", name, session + ".jsonl")
        if os.path.isfile(path):
            return path, True
    return "", whole


def _codex(session, home, environment):
    """The same: `sessions/YYYY/MM/DD/rollout-<time>-<id>.jsonl`, the newest days first, and
    `archived_sessions/`."""
    config = environment.get("CODEX_HOME") or (os.path.join(home, ".codex") if home else "")
    wanted = f"-{session}.jsonl"
    room = MOST_LOOKED_AT
    waiting = [(os.path.join(config, "archived_sessions"), 0), (os.path.join(config, "sessions"), 3)]
    while waiting:
        folder, deeper = waiting.pop()
        names, whole = _names(folder, room)
        room -= len(names)
        if deeper:
            waiting += [(os.path.join(folder, name), deeper - 1) for name in sorted(names) if name.isdigit()]
            continue
        for name in names:
            if name.startswith("rollout-") and name.endswith(wanted):
                return os.path.join(folder, name), True
        if not whole or room <= 0:
            return "", False
    return "", True


_SEARCH = {"claude-code": _claude_code, "codex": _codex}


def _names(folder, most):
    """(at most so many names in a folder, whether that is all of them); none where it is not there."""
    found = []
    if not os.path.isabs(folder):
        return found, True
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                if len(found) >= most:
                    return found, False
                found.append(entry.name)
    except OSError:
        pass
    return found, True


def latest(place, client):
    """The id of the last client session of `client` that a hook recorded for this project; "" when none.

    For a save by a client that does not say which of its sessions it serves: the newest line of prompts.log
    or recalls.log, by its time.
    """
    return max(_last(os.path.join(place.folder, log), client) for log in ("prompts.log", "recalls.log"))[1]


def _last(path, client):
    """(time, session) of the last line of a log that is of a client; ("", "")."""
    for record in logs.newest(path, tail=_TAIL):
        session, time = record.get("session"), record.get("time")
        if record.get("client") == client and isinstance(session, str) and session and isinstance(time, str):
            return time, session
    return "", ""

"""Where the clients' session logs are: of each client session its own, and those of its subagents.

Only names are looked at, but for the first line of logs that may be a subagent's and name the session only
there. Nothing is written. What may not be looked at hides nothing that stands beside it.
"""

import os
import re

from foreword import files, paths
from foreword.transcripts import codex, lines

DEEPEST = 6  # folders below a session's own: subagents of subagents
_HEAD = 64 << 10  # bytes read of a log for its first line: Codex's has 20 KB of instructions
_SESSION = re.compile(rb'"sessionId": ?"([^"\\]{1,200})"')
_ROLLOUT = re.compile(r"rollout-(\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d)-(.+)\.jsonl\Z")


def logs(environment=None, home=None, wanted=None, known=None):
    """{client: {client session's id: [paths]}} of "claude-code" and "codex": a session's own log comes first,
    then its subagents'.

    environment: os.environ or the like; home: the user's; wanted: {client: ids} when only these are asked
    for, which saves looking into the logs beside the others'; known: {path: the session that its first line
    names, or ""}, which is added to, and saves looking into a log again. A first line stays as it is.
    """
    environment = os.environ if environment is None else environment
    home = paths.user_home() if home is None else home
    known = {} if known is None else known
    return {
        client: look(
            _config(environment, home, *place), None if wanted is None else wanted.get(client, ()), known
        )
        for client, (look, *place) in _SEARCH.items()
    }


def is_own(path, session):
    """Whether a log is a client session's own, and no subagent's."""
    return os.path.basename(path).endswith(session + ".jsonl")


def _config(environment, home, variable, folder):
    return environment.get(variable) or (os.path.join(home, folder) if home else "")


def _claude_code(config, wanted, known):
    """`projects/FOLDER/SESSION.jsonl`, with `SESSION/subagents/agent-*.jsonl` below, or in older versions
    `agent-*.jsonl` beside it, whose records name the session."""
    own, others = {}, {}
    for folder in _folders(os.path.join(config, "projects")):
        agents = []
        for path in _logs(folder):
            name = os.path.basename(path)[: -len(".jsonl")]
            if name.startswith("agent-"):
                agents.append(path)
            elif wanted is None or name in wanted:
                own.setdefault(name, []).append(path)
        if wanted is None or any(os.path.dirname(path[-1]) == folder for path in own.values()):
            for path in agents:
                if named := _named(path, known, _session):
                    others.setdefault(named, []).append(path)
        for session in _folders(folder):
            name = os.path.basename(session)
            if wanted is None or name in wanted:
                found = _below(os.path.join(session, "subagents"), DEEPEST)
                others.setdefault(name, []).extend(found)
    return _joined(own, others, wanted)


def _codex(config, wanted, known):
    """`sessions/YYYY/MM/DD/rollout-TIME-ID.jsonl` and `archived_sessions/`. A subagent's rollout stands among
    the others and names its parent in its first line."""
    found = {}
    for top in ("archived_sessions", "sessions"):
        for path in _below(os.path.join(config, top), 3):
            if named := _ROLLOUT.match(os.path.basename(path)):
                found[path] = named.groups()
    # A subagent is younger than its session.
    since = min((time for time, name in found.values() if wanted is None or name in wanted), default=None)
    own, parents = {}, {}
    for path, (time, name) in found.items():
        own.setdefault(name, []).append(path)
        if since is not None and time >= since and (named := _named(path, known, _parent)):
            parents[name] = named
    others = {}
    for name in parents:
        first, seen = name, set()
        while first in parents and first not in seen:
            seen.add(first)
            first = parents[first]
        others.setdefault(first, []).extend(own.pop(name, ()))
    return _joined(own, others, wanted)


_SEARCH = {
    "claude-code": (_claude_code, "CLAUDE_CONFIG_DIR", ".claude"),
    "codex": (_codex, "CODEX_HOME", ".codex"),
}


def _joined(own, others, wanted):
    names = [name for name in {**own, **others} if wanted is None or name in wanted]
    found = {name: sorted(own.get(name, ())) + sorted(others.get(name, ())) for name in names}
    return {name: paths for name, paths in found.items() if paths}


def _named(path, known, look):
    """The session that a log's first line names, "" for none. `look(line)` gives it, or None where the line
    was cut off too early to tell: then more of it is read."""
    named = known.get(path)
    if named is None:
        named, is_settled = None, False
        for size in (_HEAD, lines.LONGEST):
            try:
                data = files.read(path, size) or b""
            except (OSError, ValueError):
                break
            line, ended, _ = data.partition(b"\n")
            is_settled = bool(ended) or len(data) == size
            named = look(line)
            if ended or len(data) < size or named is not None:
                break
        named = named or ""
        if is_settled:
            known[path] = named
    return named


def _session(line):
    """Of a Claude Code subagent's log."""
    named = _SESSION.search(line)
    return os.fsdecode(named.group(1)) if named else None


def _parent(line):
    """The thread that a Codex subagent works for. That it is one stands before the instructions."""
    if b'"subagent"' not in line:
        return ""
    record = lines.record(line)
    return None if record is None else codex.parent(lines.part(record, "payload"))


def _folders(folder):
    return [path for path, is_folder in _entries(folder) if is_folder]


def _logs(folder):
    return [path for path, is_folder in _entries(folder) if not is_folder and path.endswith(".jsonl")]


def _below(folder, deepest):
    """The logs in a folder and in those below it."""
    found = []
    for path, is_folder in _entries(folder):
        if is_folder and deepest:
            found += _below(path, deepest - 1)
        elif not is_folder and path.endswith(".jsonl"):
            found.append(path)
    return found


def _entries(folder):
    """[(path, whether it is a folder)] of what stands in a folder, by name; [] where there is none. Without
    what may not be looked at, and links in a circle: asking about one of these raises."""
    found = []
    if os.path.isabs(folder):
        try:
            with os.scandir(folder) as entries:
                for entry in entries:
                    try:
                        found.append((entry.path, entry.is_dir()))
                    except OSError:
                        continue
        except (OSError, ValueError):
            pass
    return sorted(found)

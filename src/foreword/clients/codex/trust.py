"""Codex's review of hooks: what it keeps in config.toml once the user trusted a hook. Cold.

Codex skips a hook silently until its state holds the hash of exactly this hook under exactly this place:
`[hooks.state."<path of the file>:<event>:<group>:<handler>"]`, `trusted_hash = "sha256:..."`. Key
and hash were compared with what `codex app-server` lists (0.171.0). This room writes a hash only when
asked: it answers a question that is the user's.
"""

import hashlib
import json
import os

from foreword.clients import hook_entries
from foreword.edit import toml
from foreword.edit.jsonc import MalformedError

STATE = ("hooks", "state")
# event in a hooks file -> as it stands in keys and hashes
CALLED = {"SessionStart": "session_start", "UserPromptSubmit": "user_prompt_submit", "Stop": "stop"}
MATCHED = ("SessionStart",)  # of our events; Codex drops the matcher of the others
TIMEOUT_S = 600  # Codex's default


def hook_hash(event, handler, matcher=None):
    """`trusted_hash` of a command hook: "sha256:" and the hex of its canonical JSON.

    `event` as in CALLED's keys; `handler`: the hook as it stands in the file; `matcher`: its group's.
    """
    hook = {
        "type": "command",
        "command": handler.get("command"),
        "async": handler.get("async", False),
        "timeout": handler.get("timeout", TIMEOUT_S),
    }
    for key in ("statusMessage", "additionalContextLimit"):
        if handler.get(key) is not None:
            hook[key] = handler[key]
    identity = {"event_name": CALLED[event], "hooks": [hook]}
    if matcher is not None and event in MATCHED:
        identity["matcher"] = matcher
    text = json.dumps(identity, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return "sha256:" + hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _key(path, event, g, h):
    return "%s%s:%d:%d" % (_prefix(path), CALLED[event], g, h)


def _prefix(path):
    # With CODEX_HOME Codex resolves links on the way to its folder, without it not; the link that the file
    # itself may be it never resolves (seen in 0.171.0 with each of them linked).
    return _prefixes(path)[0 if os.environ.get("CODEX_HOME") else 1]


def _prefixes(path):
    """What the keys of a file's hooks begin with, where CODEX_HOME is set and where it is not."""
    folder, name = os.path.split(path)
    return os.path.join(os.path.realpath(folder), name) + ":", path + ":"


def wanted(path, hooks):
    """{key: hash} of each hook of ours in a file with this parsed "hooks"."""
    return {
        _key(path, event, g, h): hook_hash(event, value, group.get("matcher"))
        for event, g, h, group, value in hook_entries.handlers(hooks)
        if event in CALLED and hook_entries.is_ours(value)
    }


def moves(path, hooks):
    """{key: later key} of each hook of others that moves up once ours are taken out of a file."""
    found, places = {}, {}
    for event, g, h, _, value in hook_entries.handlers(hooks):
        if event not in CALLED or hook_entries.is_ours(value):
            continue
        later = g - sum(map(_is_all_ours, hooks[event][:g]))
        n = places[event, g] = places.get((event, g), -1) + 1
        if (later, n) != (g, h):
            found[_key(path, event, g, h)] = _key(path, event, later, n)
    return found


def _is_all_ours(group):
    there = group.get("hooks") if isinstance(group, dict) else None
    return isinstance(there, list) and bool(there) and all(map(hook_entries.is_ours, there))


def status(config, hashes):
    """{key: "trusted", "untrusted", "modified" or "off"} for `wanted` hashes, by the parsed config.toml."""
    states, found = _states(config), {}
    for key, known in hashes.items():
        state = states.get(key, {})
        if state.get("trusted_hash") != known:
            found[key] = "modified" if "trusted_hash" in state else "untrusted"
        else:
            found[key] = "off" if state.get("enabled") is False else "trusted"
    return found


def _states(config):
    hooks = config.get("hooks")
    states = hooks.get("state") if isinstance(hooks, dict) else None
    return {k: v for k, v in states.items() if isinstance(v, dict)} if isinstance(states, dict) else {}


# -- edits of config.toml ----------------------------------------------------------------------


def with_trust(text, hashes):
    """The text with these hashes in it. Raises ClashError where the state is written in another form
    than tables."""
    for key, known in hashes.items():
        path = (*STATE, key)
        if toml.at_path(toml.parse(text), [*path, "trusted_hash"]) == known:
            continue
        header = next((header for header in toml.headers(text) if header.path == path), None)
        if header:
            text = toml.set_key(text, header, "trusted_hash", toml.string(known))
        else:
            line = "trusted_hash = " + toml.string(known)
            text = toml.append(text, "[%s]\n%s\n" % (toml.dotted(path), line))
    return text


def renamed(text, moves):
    """The text with the states of hooks that moved under their later keys, so that they stay trusted;
    as it is where that does not work out."""
    new = text
    for header in reversed(toml.headers(text)):
        later = moves.get(header.path[2]) if header.path[:2] == STATE and header.path[2:3] else None
        if later:
            line = "[%s]" % toml.dotted((*STATE, later, *header.path[3:]))
            end = new[header.start : header.body]
            new = new[: header.start] + line + end[len(end.rstrip()) :] + new[header.body :]
    before, after = _states(toml.parse(text)), {}
    for key, state in before.items():
        after[moves.get(key, key)] = state
    try:
        return new if _states(toml.parse(new)) == after else text
    except MalformedError:
        return text


def spans(text, hashes, files, kept=()):
    """The spans of the states in a text that belong to hooks of ours: under one of these keys, or
    with one of these hashes at another place in one of `files`. None under the keys in `kept`."""
    states = _states(toml.parse(text))
    known = set(hashes.values())
    here = tuple(prefix for path in files for prefix in _prefixes(path))
    ours = {
        key
        for key, state in states.items()
        if key in hashes or (key.startswith(here) and state.get("trusted_hash") in known)
    }
    ours.difference_update(kept)
    under = [header for header in toml.headers(text) if header.path[:2] == STATE]
    gone = [header for header in under if header.path[2:3] and header.path[2] in ours]
    left = [header for header in under if header not in gone]
    # Codex puts an empty [hooks.state] above the first that it writes.
    if gone and [header.path for header in left] == [STATE] and not states.keys() - ours:
        gone += left
    return [header.span for header in gone]

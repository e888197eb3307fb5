"""Whether Codex has its memory: hooks and its trust in them, server, plugin, and what else remembers. Cold.

Codex skips a hook that nobody trusted without a word, so Codex itself is asked: `hooks/list` of its app
server tells what it would run (0.171.0). Nothing is changed. Findings are as `clients.proof` describes
them.
"""

import os

from foreword import __version__, files
from foreword.clients import mcp_entries, others, probe, proof
from foreword.clients.codex import install
from foreword.clients.probe import ANSWER, NOWHERE, PROMPT
from foreword.clients.proof import FAILURE, NOTE, OK, mapping
from foreword.clients.server_entry import SERVER, is_ours
from foreword.edit import jsonc, plan, toml
from foreword.errors import ForewordError

HINT = "foreword install " + install.NAME
TRUST = 'start codex in a terminal and choose "Trust all and continue" (or: foreword install codex --trust)'
WAITING = {"untrusted": "you have not trusted them yet", "modified": "they changed since you trusted them"}
# What Codex hands a server of its environment (seen in 0.171.0, Linux); the last ones are for Windows,
# where no program starts without them.
PASSED = ("HOME", "LANG", "PATH", "TERM", "SYSTEMROOT", "USERPROFILE", "TEMP")
DAYS = 60  # day folders of sessions that are looked at, the newest


def payloads():
    """{event: what the client sends with it}; the shapes of 0.171.0."""
    common = {"session_id": "foreword-doctor", "transcript_path": None, "cwd": NOWHERE, "model": "none"}
    common["permission_mode"] = "default"
    turn = {**common, "turn_id": "foreword-doctor"}
    made = {
        "SessionStart": {**common, "source": "startup"},
        "UserPromptSubmit": {**turn, "prompt": PROMPT},
        "Stop": {**turn, "stop_hook_active": False, "last_assistant_message": ANSWER},
    }
    return {event: {**payload, "hook_event_name": event} for event, payload in made.items()}


class Seen:
    """What the client reads, read once. `config`: config.toml as a dict, `hooks`: [(path, its "hooks")];
    `unreadable`: [(path, place, why)], place ":3:5" or ""; `plugins`: [Plugin] of ours, switched on."""

    def __init__(self):
        self.unreadable = []
        self.config_text = self._text(install.config_path())
        self.hooks_text = self._text(install.hooks_path())
        self.config = self._parsed(install.config_path(), lambda: toml.parse(self.config_text), {})
        hooks = self._parsed(install.hooks_path(), lambda: jsonc.value_at(self.hooks_text, ["hooks"]), None)
        self.hooks = [(install.hooks_path(), hooks), (install.config_path(), self.config.get("hooks"))]
        self.plugins = [
            Plugin(name)
            for name, told in mapping(self.config.get("plugins")).items()
            if name.partition("@")[0] == SERVER and mapping(told).get("enabled") is not False
        ]
        self.server = install.present_server(self.config)

    def _text(self, path):
        try:
            return (files.read(path) or b"").decode("utf-8")
        except OSError as error:
            self.unreadable.append((path, "", error.strerror or str(error)))
        except UnicodeDecodeError:
            self.unreadable.append((path, "", "it is not UTF-8"))
        return ""

    def _parsed(self, path, read, default):
        try:
            return read()
        except jsonc.MalformedError as error:
            self.unreadable.append((path, f":{error.line}:{error.column}", error.what))
        return default

    def entries(self):
        """[Hook] of ours that `foreword install` wrote."""
        return [hook for path, hooks in self.hooks for hook in proof.found(hooks, path, HINT)]


class Plugin:
    """Our plugin as Codex has it: a copy in its cache, the newest version counts."""

    def __init__(self, name):
        self.name, self.called = name, f"the plugin {name}"
        self.removed_by = self.renewed_by = "codex plugin remove " + name
        plugin, _, market = name.partition("@")
        versions = proof.below(os.path.join(install.config_folder(), "plugins", "cache", market, plugin))
        folder = versions[0] if versions else ""
        self.hooks_path = os.path.join(folder, "codex", "hooks.json")
        servers = mapping(_value(os.path.join(folder, "codex", "mcp.json"), "mcpServers")) if folder else {}
        self.server = next(filter(is_ours, servers.values()), None)
        if folder:
            self.renewed_by = "foreword plugin DIR, as you wrote it, then codex plugin add " + name

    def entries(self):
        return proof.found(_value(self.hooks_path, "hooks"), self.called, self.renewed_by, True)


def is_wired(home, folder=""):
    """Whether anything of ours is in the client, or an install is on record."""
    seen = Seen()
    return bool(
        seen.entries() or is_ours(seen.server) or seen.plugins or plan.is_installed(home, install.NAME)
    )


def findings(home, folder="", is_empty=False):
    """Findings for a client that is wired, or was. `folder`: the current project's top; `is_empty`:
    whether the store holds nothing."""
    seen = Seen()
    for path, place, why in seen.unreadable:
        yield FAILURE, f"{path}{place} cannot be read: {why}", "mend that file"
    yield from _policies(seen)
    plugged = [hook for plugin in seen.plugins for hook in plugin.entries()]
    if not seen.unreadable or plugged:
        entries = [*seen.entries(), *plugged]
        forms = {event: [install.hook(event)] for event in install.HOOKS}
        yield from proof.hooks(install.NAME, entries, forms, payloads(), HINT)
        if entries:
            yield from _trusted(seen, entries, folder)
    yield from _server(seen)
    by_hand = bool(seen.entries()) or is_ours(seen.server)
    yield from proof.plugins(install.NAME, seen.plugins, by_hand)
    if not seen.plugins and not seen.unreadable:
        yield from proof.skills(install, home, HINT)
    since = proof.since(install.NAME, home, *(plugin.hooks_path for plugin in seen.plugins))
    yield from proof.traces(install.NAME, home, since, transcripts(), is_empty)
    yield from _beside(seen)


def plugins():
    """[Plugin] of ours that the client loads."""
    return Seen().plugins


def wants_skills(home):
    """Whether wiring the client again should bring the skills too. Raises ForewordError."""
    return proof.wants_skills(install, home)


def transcripts():
    """When the client last wrote a rollout; 0.0 for never."""
    days = [os.path.join(install.config_folder(), "sessions")]
    for _ in ("year", "month", "day"):
        days = sorted((inner for folder in days for inner in proof.below(folder)), reverse=True)[:DAYS]
    return proof.newest(days, ".jsonl")


# -- what Codex says ---------------------------------------------------------------------------


def _trusted(seen, entries, folder):
    """Findings: Codex lists each of our hooks, trusts it and has not switched it off."""
    program = install.program()
    listed = told = None
    if program:
        try:
            listed = _listed(program, folder, bool(seen.plugins))
        except probe.SilentError as error:
            told = f"Codex was asked for its hooks, but {error}"
    if listed is None:
        yield NOTE, told or "codex is not on the PATH, so it was not asked which hooks it trusts", ""
        states = list(_states_in_config().values())
    else:
        for what in (*_list(listed.get("warnings")), *_list(listed.get("errors"))):
            what = mapping(what).get("message") or what
            yield NOTE, "Codex says: " + " ".join(str(what).split()), "/hooks in codex shows them"
        ours = [hook for hook in map(mapping, _list(listed.get("hooks"))) if proof.hook_entries.is_ours(hook)]
        states = [_state(hook) for hook in ours]
        if len(ours) < len(entries):
            missing = {hook.event for hook in entries} - {_called(hook) for hook in ours}
            names = ", ".join(sorted(missing)) or "some of ours"
            yield FAILURE, f"Codex does not list hooks that are installed: {names}", HINT
    yield from _judged(states)


def _listed(program, folder, with_plugins):
    """What `hooks/list` tells of a folder. Raises SilentError.

    With plugins switched on Codex 0.171.0 looks for news of its marketplace whenever it starts; without
    them it opens no connection (seen in a run), so they are off unless a plugin's hooks are asked for.
    """
    folder = folder if folder and os.path.isdir(folder) else NOWHERE
    command = [program, "app-server", "-c", "analytics.enabled=false"]
    if not with_plugins:
        command += ["-c", "features.plugins=false"]
    with probe.Talk(command, dict(os.environ), probe.START_S, folder) as talk:
        about = {"name": "foreword", "title": "foreword doctor", "version": __version__}
        talk.ask("initialize", {"clientInfo": about})
        talk.tell("initialized")
        found = _list(talk.ask("hooks/list", {"cwds": [folder]}).get("data"))
    return mapping(found[0]) if found else {}


def _state(hook):
    if hook.get("enabled") is False:
        return "off"
    return "trusted" if hook.get("trustStatus") in ("trusted", "managed") else str(hook.get("trustStatus"))


def _called(hook):
    """An event as it stands in hooks files: Codex lists `sessionStart`."""
    name = str(hook.get("eventName"))
    return name[:1].upper() + name[1:]


def _states_in_config():
    try:
        return install.reviewed()
    except ForewordError:
        return {}  # a file that cannot be read was told already


def _judged(states):
    """Findings about [status]: "trusted", "off", or what Codex calls the others."""
    waiting = [state for state in states if state not in ("trusted", "off")]
    if waiting:
        why = " and ".join(WAITING.get(state) or state for state in sorted(set(waiting)))
        yield FAILURE, "Codex does not run %d of our hooks: %s" % (len(waiting), why), TRUST
    if "off" in states:
        told = "%d of our hooks are switched off in Codex" % states.count("off")
        yield FAILURE, told, "start codex, type /hooks and switch them on"
    if states and set(states) == {"trusted"}:
        yield OK, "Codex trusts the hooks", ""


# -- what is installed -------------------------------------------------------------------------


def _policies(seen):
    if mapping(seen.config.get("features")).get("hooks") is False:
        yield FAILURE, "Codex runs no hook at all: hooks = false under [features]", _taken_out()
    told = install.ignored(seen.hooks_text, install.hooks_path()) if _is_jsonc(seen.hooks_text) else ""
    if told:
        yield FAILURE, told, install.strict(seen.hooks_text)
    yield from proof.policies()


def _taken_out():
    return "take that out of " + install.config_path()


def _is_jsonc(text):
    try:
        jsonc.parse(text)
    except jsonc.MalformedError:
        return False
    return True


def _server(seen):
    entry = seen.server
    plugged = next((plugin for plugin in seen.plugins if plugin.server), None)
    hint = HINT
    if entry is None and plugged:
        entry, hint = plugged.server, plugged.renewed_by
    if entry is None and install.config_path() in [path for path, _, _ in seen.unreadable]:
        return  # that was told
    remove = mcp_entries.removal(install.NAME, install.config_path(), SERVER, install.TABLE[:1])
    passed = [*PASSED, *map(str, _list(mapping(entry).get("env_vars")))]
    env = {name: os.environ[name] for name in passed if name in os.environ}
    off = None
    if mapping(entry).get("enabled") is False:
        off = "Codex does not start the MCP server: enabled = false in its table", _taken_out()
    yield from proof.entry(entry, install.server_entry(entry), hint, remove, env, off)


# -- what else remembers -----------------------------------------------------------------------


def _beside(seen):
    """Notes about other memories that are active at the same time."""
    yield from proof.beside(install.NAME)
    for path, hooks in seen.hooks:
        yield from proof.hooks_beside(hooks, path)
    for name, told in mapping(seen.config.get("plugins")).items():
        tool = others.called(name.partition("@")[0]) if mapping(told).get("enabled") is not False else ""
        if tool:
            yield NOTE, others.told(tool, f"plugin {name}"), "codex plugin remove " + name
    if mapping(seen.config.get("features")).get("memories") is True:
        yield (
            NOTE,
            "Codex's own memories are on as well: it asks a model to sum up sessions and starts with that",
            f"memories = false under [features] in {install.config_path()}, if one memory is enough",
        )


# -- values ------------------------------------------------------------------------------------


def _value(path, key):
    try:
        return jsonc.value_at((files.read(path) or b"").decode("utf-8", "replace"), [key])
    except (OSError, ForewordError):
        return None


def _list(value):
    return value if isinstance(value, list) else []

"""Whether Claude Code has its memory: hooks, server, policies, plugins, and what else remembers. Cold.

Looks at what the client reads, runs what it would run, once, and changes nothing. Findings are as
`clients.proof` describes them. Marked (strings): read in the program of 2.1.197, not seen in a run.
"""

import glob
import json
import os
import shlex
import sys

from foreword import files, paths
from foreword.clients import mcp_entries, others, parts, proof
from foreword.clients.claude_code import install
from foreword.clients.probe import ANSWER, NOWHERE, PROMPT
from foreword.clients.proof import FAILURE, NOTE, mapping
from foreword.clients.server_entry import SERVER, is_current, is_ours
from foreword.edit import jsonc, plan
from foreword.errors import ForewordError

HINT = "foreword install " + install.NAME
KEPT_DAYS = 30  # cleanupPeriodDays, where nothing is set (2.1.197)
ENOUGH_DAYS = 365
PLUGGED = f"mcp__plugin_{SERVER}_{SERVER}"  # before the names of a plugin's tools (2.1.197)
# Where an administrator's settings are (strings); *.json in managed-settings.d beside it count too.
MANAGED = {
    "darwin": "/Library/Application Support/ClaudeCode/managed-settings.json",
    "win32": "C:\\Program Files\\ClaudeCode\\managed-settings.json",
}.get(sys.platform, "/etc/claude-code/managed-settings.json")


def payloads():
    """{event: what the client sends with it}; the shapes of 2.1.197."""
    common = {"session_id": "foreword-doctor", "transcript_path": "", "cwd": NOWHERE}
    turn = {**common, "prompt_id": "foreword-doctor", "permission_mode": "default"}
    made = {
        "SessionStart": {**common, "source": "startup"},
        "UserPromptSubmit": {**turn, "prompt": PROMPT},
        "Stop": {**turn, "stop_hook_active": False, "last_assistant_message": ANSWER},
    }
    return {event: {**payload, "hook_event_name": event} for event, payload in made.items()}


class Seen:
    """What the client reads, read once. `settings`: the user's as a dict; `unreadable`: why they are not,
    `place` where in the file, ":3:5" or ""; `layers`: [(where, dict)], what counts most first; `state`:
    the file of MCP servers; `plugins`: [Plugin] of ours."""

    def __init__(self, folder):
        self.unreadable, self.place, self.text = "", "", ""
        self.settings = {}
        try:
            self.text = (files.read(install.settings_path()) or b"").decode("utf-8")
            value = jsonc.value_at(self.text, [], {})
            if isinstance(value, dict):
                self.settings = value
            else:
                self.unreadable = "it holds no object"
        except OSError as error:
            self.unreadable = error.strerror or str(error)
        except UnicodeDecodeError:
            self.unreadable = "it is not UTF-8"
        except jsonc.MalformedError as error:
            self.unreadable, self.place = error.what, f":{error.line}:{error.column}"
        self.managed = _managed()
        self.project = [
            (path, _object(path))
            for name in ("settings.local.json", "settings.json")
            if folder and (path := os.path.join(folder, ".claude", name)) != install.settings_path()
        ]
        self.layers = [*self.managed, *self.project, (install.settings_path(), self.settings)]
        self.state = _object(install.state_path())
        self.plugins = _plugins(self.settings)
        known = mapping(mapping(self.state.get("projects")).get(folder))
        self.switched_off = known.get("disabledMcpServers")  # by /mcp, for this project (strings)
        # (scope, {name: entry}); of one name the first counts.
        self.servers = [
            ("local", mapping(known.get("mcpServers"))),
            (
                "project",
                mapping(_object(os.path.join(folder, ".mcp.json")).get("mcpServers")) if folder else {},
            ),
            ("user", mapping(self.state.get("mcpServers"))),
        ]

    def chosen(self, key, default=None):
        """A setting as the client takes it: the first layer that has it."""
        return next((layer[key] for _, layer in self.layers if key in layer), default)

    def variable(self, name):
        """An environment variable as the client's hooks get it."""
        layers = (mapping(layer.get("env")).get(name) for _, layer in self.layers)
        return next((str(value) for value in layers if value is not None), os.environ.get(name, ""))


def is_wired(home, folder=""):
    """Whether anything of ours is in the client, or an install is on record."""
    seen = Seen(folder)
    return bool(
        proof.found(seen.settings.get("hooks"))
        or is_ours(install.present_server())
        or seen.plugins
        or plan.is_installed(home, install.NAME)
    )


def findings(home, folder="", is_empty=False):
    """Findings for a client that is wired, or was. `folder`: the current project's top, whose settings
    count too; `is_empty`: whether the store holds nothing."""
    seen = Seen(folder)
    entries = proof.found(seen.settings.get("hooks"), install.settings_path(), HINT)
    if seen.unreadable:
        where = install.settings_path() + seen.place
        yield FAILURE, f"{where} cannot be read: {seen.unreadable}", "mend that file"
    elif seen.text and (told := _ignored(seen.text)):
        yield FAILURE, told, proof.hook_entries.STRICT
    yield from _policies(home, seen)
    yield from _hooks(seen, entries)
    yield from _server(seen, folder)
    by_hand = bool(entries) or is_ours(install.present_server())
    yield from proof.plugins(install.NAME, seen.plugins, by_hand)
    if not seen.plugins:
        yield from proof.skills(install, home, HINT)
    since = proof.since(install.NAME, home, *(plugin.hooks_path for plugin in seen.plugins))
    yield from proof.traces(install.NAME, home, since, transcripts(), is_empty)
    yield from _beside(seen, folder)
    yield from _kept(seen)


def plugins():
    """[Plugin] of ours that the client loads."""
    return Seen("").plugins


def wants_skills(home):
    """Whether wiring the client again should bring the skills too. Raises ForewordError."""
    return proof.wants_skills(install, home)


def transcripts():
    """When the client last wrote a transcript; 0.0 for never."""
    return proof.newest(proof.below(os.path.join(install.config_folder(), "projects")), ".jsonl")


# -- what is installed -------------------------------------------------------------------------


def _hooks(seen, entries):
    plugged = [
        hook
        for plugin in seen.plugins
        for hook in proof.found(
            _object(plugin.hooks_path).get("hooks"), plugin.called, plugin.renewed_by, True
        )
    ]
    if seen.unreadable and not plugged:
        return
    forms = {event: [install.hook(event, form) for form in (True, False)] for event in install.HOOKS}
    yield from proof.hooks(install.NAME, [*entries, *plugged], forms, payloads(), HINT)
    if entries and not seen.unreadable:
        rules = mapping(seen.settings.get("permissions")).get("allow")
        present = rules if isinstance(rules, list) else ()
        wanted = install.allowed(parts.graph_is_on(paths.home()))
        missing = [rule for rule in wanted if rule not in present]
        if missing:
            yield FAILURE, "the client will ask before each use of " + ", ".join(missing), HINT
    if seen.plugins and not seen.unreadable and (missing := _asked_for(seen)):
        told = "the client will ask before each use of the plugin's tools: a plugin cannot bring the rules"
        lines = ", ".join(map(json.dumps, missing))
        yield NOTE, told, f"add to permissions.allow in {install.settings_path()}: {lines}"
    denied = mapping(seen.settings.get("permissions")).get("deny")
    ours = ("mcp__" + SERVER, PLUGGED)
    named = [rule for rule in denied if str(rule).startswith(ours)] if isinstance(denied, list) else []
    if named:
        yield NOTE, "permissions.deny in settings.json forbids " + ", ".join(named), "take it out there"


def plugin_rules(graph):
    """The permission rules for the tools as a plugin names them, with those of the graph or without."""
    return [rule.replace("mcp__" + SERVER, PLUGGED, 1) for rule in install.allowed(graph)]


def _asked_for(seen):
    """The rules that no settings hold; a rule for the plugin's whole server stands for all of them."""
    lists = (mapping(layer.get("permissions")).get("allow") for _, layer in seen.layers)
    present = [rule for rules in lists if isinstance(rules, list) for rule in rules]
    if PLUGGED in present or PLUGGED + "__*" in present:
        return []
    return [rule for rule in plugin_rules(parts.graph_is_on(paths.home())) if rule not in present]


def _server(seen, folder):
    named = [(scope, entries[SERVER]) for scope, entries in seen.servers if SERVER in entries]
    ours = [(scope, entry) for scope, entry in named if is_ours(entry)]
    plugged = [plugin for plugin in seen.plugins if plugin.server]
    if not named and not plugged:
        if os.path.exists(install.state_path()) and not seen.state:
            yield FAILURE, f"{install.state_path()} cannot be read", "mend that file"
        else:
            yield FAILURE, "the MCP server is not added", _brought(HINT)
        return
    for scope, entry in named:
        if not is_ours(entry):
            yield proof.strange(_remove(scope, folder), f"scope {scope}")
    for scope, _ in ours if len(ours) > 1 else ():
        if scope != "user":
            told = f"the MCP server is added twice: for the user and in scope {scope} of this project"
            yield NOTE, told, _remove(scope, folder)
    if ours:
        off = None
        if isinstance(seen.switched_off, list) and SERVER in seen.switched_off:
            off = "the MCP server is switched off in this project", "start claude there and type /mcp"
        entry, remove = ours[0][1], _remove(ours[0][0], folder)
        wanted = install.server_entry()
        hint = HINT if is_current(entry, wanted) else _brought(HINT)
        yield from proof.entry(entry, wanted, hint, remove, off=off)
    elif plugged:
        entry, hint, remove = plugged[0].server, plugged[0].renewed_by, plugged[0].removed_by
        yield from proof.entry(entry, install.server_entry(), hint, remove)


def _remove(scope, folder):
    """The command that takes an entry of our name out of a scope."""
    above = ("projects", folder) if scope == "local" else ()
    keys = (*above, "mcpServers")
    return mcp_entries.removal(install.NAME, install.state_path(), SERVER, keys, scope == "project")


def _brought(hint):
    """The hint that brings the server in; without the client's program an install could not."""
    if install.program():
        return hint
    try:
        commands = install.server_commands() or [install.add_command()]
    except ForewordError as error:
        return error.hint
    put = f"{install.COMMANDS.program} is not on the PATH: put it there and run {HINT}"
    return f"{put}, or add the server by hand: {' && '.join(map(shlex.join, commands))}"


# -- plugins -----------------------------------------------------------------------------------


class Plugin:
    """Our plugin as the client has it. `folder`, `called` for people, `removed_by` the command."""

    def __init__(self, folder, called, removed_by):
        self.folder, self.called, self.removed_by = folder, f"the plugin {called}", removed_by
        self.renewed_by = "foreword plugin " + shlex.quote(folder)
        self.hooks_path = os.path.join(folder, "hooks", "hooks.json")
        servers = mapping(_object(os.path.join(folder, ".mcp.json")).get("mcpServers"))
        self.server = next(filter(is_ours, servers.values()), None)

    def hooks(self):
        """[Hook] of ours in it."""
        return proof.found(_object(self.hooks_path).get("hooks"), self.called, self.renewed_by, True)


def _plugins(settings):
    """[Plugin] of ours: in a folder of skills, where it loads by itself, or installed by name."""
    found = []
    pattern = os.path.join(
        glob.escape(install.config_folder()), "skills", "*", ".claude-plugin", "plugin.json"
    )
    for path in sorted(glob.glob(pattern)):
        folder = os.path.dirname(os.path.dirname(path))
        if _object(path).get("name") == SERVER:
            found.append(Plugin(folder, folder, "rm -r " + shlex.quote(folder)))
    at = os.path.join(install.config_folder(), "plugins")
    installed = mapping(_object(os.path.join(at, "installed_plugins.json")).get("plugins"))
    markets = _object(os.path.join(at, "known_marketplaces.json"))
    for name, enabled in mapping(settings.get("enabledPlugins")).items():
        if name.partition("@")[0] != SERVER or enabled is not True:
            continue
        places = installed.get(name)
        places = [mapping(place).get("installPath") for place in places] if isinstance(places, list) else []
        market = mapping(markets.get(name.partition("@")[2]))
        if mapping(market.get("source")).get("source") == "directory":
            places.insert(0, market.get("installLocation"))  # it runs from there, not from the copy
        for place in places:
            manifest = os.path.join(str(place), ".claude-plugin", "plugin.json")
            if _object(manifest).get("name") == SERVER:
                found.append(Plugin(str(place), name, "claude plugin uninstall " + name))
                break
    return found


# -- policies ----------------------------------------------------------------------------------


def _policies(home, seen):
    for path, layer in seen.layers:
        if layer.get("disableAllHooks") is True:
            yield FAILURE, f"hooks are switched off by disableAllHooks in {path}", "take it out there"
    for path, layer in seen.managed:
        ask = "ask who administers this machine"
        if layer.get("allowManagedHooksOnly") is True:
            yield FAILURE, f"only the administrator's hooks run: allowManagedHooksOnly in {path}", ask
        locked = layer.get("strictPluginOnlyCustomization")
        if locked is True or (isinstance(locked, list) and {"hooks", "mcp"} & set(map(str, locked))):
            told = f"hooks and servers must come from plugins: strictPluginOnlyCustomization in {path}"
            yield FAILURE, told, ask
        denied = layer.get("deniedMcpServers")
        for entry in denied if isinstance(denied, list) else ():
            if mapping(entry).get("serverName") == SERVER:
                yield FAILURE, f"the MCP server is forbidden by deniedMcpServers in {path}", ask
    yield from proof.policies(seen.variable("FOREWORD_DISABLE"))
    theirs = seen.variable("FOREWORD_HOME")
    if theirs and not _is_folder(theirs, home):
        told = f"the client's hooks use another store, by env in its settings: {theirs}"
        yield NOTE, told, f"FOREWORD_HOME={shlex.quote(theirs)} foreword doctor"


def _is_folder(named, home):
    """Whether a value of the settings, which may be no path at all, names the folder of the store."""
    try:
        return os.path.realpath(os.path.expanduser(named)) == os.path.realpath(home)
    except ValueError:  # a NUL, half a surrogate pair
        return False


def _managed():
    """[(path, dict)] of the administrator's settings that are there."""
    drop_ins = os.path.join(glob.escape(os.path.splitext(MANAGED)[0] + ".d"), "*.json")
    return [(path, _object(path)) for path in [MANAGED, *sorted(glob.glob(drop_ins))] if os.path.exists(path)]


# -- what else remembers -----------------------------------------------------------------------


def _beside(seen, folder):
    """Notes about other memories that are active at the same time."""
    yield from proof.beside(install.NAME, folder)
    yield from proof.hooks_beside(seen.settings.get("hooks"), install.settings_path())
    for name, enabled in mapping(seen.settings.get("enabledPlugins")).items():
        tool = others.called(name.partition("@")[0]) if enabled is True else ""
        if tool:
            yield NOTE, others.told(tool, f"plugin {name}"), "claude plugin uninstall " + name
    off = seen.variable("CLAUDE_CODE_DISABLE_AUTO_MEMORY").lower() in ("1", "true", "yes", "on")
    if not off and seen.chosen("autoMemoryEnabled", True) is not False:
        yield (
            NOTE,
            "the client's own auto memory is on as well: Claude writes notes of its own and starts with them",
            '"autoMemoryEnabled": false in settings.json, if one memory is enough',
        )


def _kept(seen):
    days = seen.chosen("cleanupPeriodDays", KEPT_DAYS)
    if isinstance(days, (int, float)) and not isinstance(days, bool) and days < ENOUGH_DAYS:
        yield (
            NOTE,
            "transcripts are removed after %d days: `foreword show` cannot name them then" % days,
            '"cleanupPeriodDays": 3650 in settings.json',
        )


# -- files -------------------------------------------------------------------------------------


def _ignored(text):
    try:
        return install.ignored(text)
    except ForewordError as error:
        return str(error)


def _object(path):
    """A JSON file's object; {} when it is not there, cannot be read, or is none."""
    try:
        return mapping(json.loads((files.read(path) or b"{}").decode("utf-8-sig")))
    except (OSError, ValueError, RecursionError):
        return {}

"""What Foreword puts into Claude Code's settings, and how to take it out again. Cold.

Hooks and permission rules go into settings.json by text span; the MCP server goes in through the
client's own command. Ours is what runs `-m foreword.hook`, in any form and by any interpreter, so
every version recognises what an earlier one left. README.md beside this file says what was seen.
"""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys

from foreword import files, paths
from foreword.edit import jsonc
from foreword.errors import NO, ForewordError

NAME = "claude-code"
# event in settings.json -> (event of foreword.hook, timeout in seconds)
HOOKS = {
    "SessionStart": ("session-start", 10),
    "UserPromptSubmit": ("prompt", 5),
    "Stop": ("stop", 10),
}
# By name, so that memory_forget, which deletes, still asks. readOnlyHint alone does not spare the
# user the question (seen in 2.1.197).
ALLOWED = tuple(
    "mcp__foreword__" + tool for tool in ("memory_search", "memory_read", "memory_list", "memory_save")
)
RULES = ["permissions", "allow"]
SERVER = "foreword"
# Without it Claude Code defers MCP tools behind a tool search: one more request before the first
# memory_read. What that costs is in README.md beside this file.
ALWAYS_LOAD = True
EXEC_FORM_SINCE = (2, 1, 197)  # hooks with `args` and no shell: seen in a run of this version
ASK_S = 60  # `claude mcp add-json` takes 0.7 s on two cores; a first start may take much longer


def config_folder():
    chosen = os.environ.get("CLAUDE_CONFIG_DIR")
    return os.path.abspath(chosen) if chosen else os.path.join(paths.user_home(), ".claude")


def settings_path():
    return os.path.join(config_folder(), "settings.json")


def state_path():
    """Where the client keeps the MCP servers of the user."""
    if os.environ.get("CLAUDE_CONFIG_DIR"):
        return os.path.join(config_folder(), ".claude.json")
    return os.path.join(paths.user_home(), ".claude.json")


def program():
    """The path of `claude`, or None."""
    return shutil.which("claude")


def has_exec_form():
    """Whether the client knows hooks with `args`; None when its version cannot be told."""
    claude = program()
    done = _run([claude, "--version"]) if claude else None
    found = re.match(r"(\d+)\.(\d+)\.(\d+)", done.stdout) if done else None
    return tuple(map(int, found.groups())) >= EXEC_FORM_SINCE if found else None


def _run(command):
    try:
        return subprocess.run(
            command,
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            timeout=ASK_S,
            stdin=subprocess.DEVNULL,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None


# -- settings.json -----------------------------------------------------------------------------


def hook(event, exec_form):
    """The hook object for an event of settings.json.

    The interpreter is the environment's own path, links unresolved: the target of a link may be
    shared and know nothing of this package.
    """
    ours, timeout_s = HOOKS[event]
    arguments = ["-I", "-m", "foreword.hook", NAME, ours]
    if exec_form:
        return {"type": "command", "command": sys.executable, "args": arguments, "timeout": timeout_s}
    if os.name == "nt":
        command = subprocess.list2cmdline([sys.executable.replace("\\", "/"), *arguments])
    else:
        command = shlex.join([sys.executable, *arguments])
    return {"type": "command", "command": command, "timeout": timeout_s}


def is_ours(value):
    """Whether a hook object of settings.json runs Foreword, whatever version wrote it."""
    if not isinstance(value, dict):
        return False
    arguments = value.get("args")
    words = [value.get("command"), *(arguments if isinstance(arguments, list) else ())]
    line = " ".join(word for word in words if isinstance(word, str))
    return re.search(r"(^|\s)-m\s+foreword\.hook(\s|$)", line) is not None


def holds_ours(text):
    """Whether any hook of ours is in the text."""
    return any(_ours(text, event) for event in _events(text))


def footprint(text):
    """What `with_ours` will have added to this text, for `without_ours` to take back: the paths of
    the containers that are not there yet, and the rules."""
    wanted = [[], ["hooks"], *(["hooks", event] for event in HOOKS), RULES[:1], RULES]
    root = jsonc.parse(text)
    present = _rules(text)
    return {
        "containers": [path for path in wanted if jsonc.at_path(root, path) is None],
        "rules": [rule for rule in ALLOWED if rule not in present],
    }


def with_ours(text, exec_form):
    """settings.json as text with our hooks and rules in it; as it is when they are.

    `exec_form` None (the client cannot be asked) keeps the form that is there. Raises
    MalformedError, also where a shape is not what the client documents.
    """
    _check_shapes(text)
    for event in _events(text):
        if event not in HOOKS:  # of another version
            for path in reversed(_ours(text, event)):
                text = _drop_hook(text, path, None)
    for event in HOOKS:
        forms = [hook(event, form) for form in ((False, True) if exec_form is None else (exec_form,))]
        found = _ours(text, event)
        if not found:
            text = jsonc.push(text, ["hooks", event], {"hooks": forms[:1]})
            continue
        if jsonc.value_at(text, found[0]) not in forms:
            text = jsonc.replace(text, found[0], forms[0])
        for extra in reversed(found[1:]):
            text = _drop_hook(text, extra, None)
    present = _rules(text)
    for rule in reversed(ALLOWED):
        if rule not in present:
            text = jsonc.push(text, RULES, rule)
    return text


def without_ours(text, made=None):
    """The text without our hooks and rules. Containers that are empty then go too, if we made them:
    `made` is what `footprint` said; without it every container that only we filled counts."""
    _check_shapes(text)
    for event in _events(text):
        for path in reversed(_ours(text, event)):
            text = _drop_hook(text, path, made)
    present = _rules(text)
    mine = [n for n, rule in enumerate(present) if rule in (made["rules"] if made else ALLOWED)]
    for n in reversed(mine):
        text = jsonc.drop(text, [*RULES, n])
    return _drop_empty(text, RULES, made) if mine else text


def _check_shapes(text):
    """Raise MalformedError where something on the way to our entries is not what it must be. Before
    the first edit: once the text is half edited, a place in it leads nowhere."""
    root = jsonc.parse(text)
    shapes = [([], "object"), (["hooks"], "object"), (RULES[:1], "object"), (RULES, "array")]
    for path, kind in [*shapes, *((["hooks", event], "array") for event in HOOKS)]:
        node = jsonc.at_path(root, path)
        if node is not None and node.kind != kind:
            called = ".".join(path) or "the whole"
            raise jsonc.MalformedError(text, node.start, f"expected {called} to be an {kind}")


def _events(text):
    hooks = jsonc.value_at(text, ["hooks"])
    return list(hooks) if isinstance(hooks, dict) else []


def _ours(text, event):
    """Paths of our hook objects of an event."""
    found = []
    groups = jsonc.value_at(text, ["hooks", event])
    for g, group in enumerate(groups if isinstance(groups, list) else ()):
        hooks = group.get("hooks") if isinstance(group, dict) else None
        for h, value in enumerate(hooks if isinstance(hooks, list) else ()):
            if is_ours(value):
                found.append(["hooks", event, g, "hooks", h])
    return found


def _rules(text):
    rules = jsonc.value_at(text, RULES)
    return rules if isinstance(rules, list) else []


def _drop_hook(text, path, made):
    text = jsonc.drop(text, path)
    group = path[:3]
    if not jsonc.value_at(text, [*group, "hooks"]):
        text = jsonc.drop(text, group)  # its only hook was ours, so the group was
    return _drop_empty(text, path[:2], made)


def _drop_empty(text, path, made):
    """Drop the container under a path and those above it that are empty then."""
    while True:
        node = jsonc.at_path(jsonc.parse(text), path)
        if node is None or node.members:
            return text
        if list(path) not in made["containers"] if made else not path:
            return text
        text = jsonc.drop(text, path)
        if not path:
            return text
        path = path[:-1]


# -- the MCP server ----------------------------------------------------------------------------


def server_entry():
    """What `claude mcp add-json` is given."""
    entry = {"type": "stdio", "command": sys.executable, "args": ["-I", "-m", "foreword.cli", "serve"]}
    # No FOREWORD_HOME here: server and hooks both have the client's environment, so they agree.
    entry["env"] = {}
    if ALWAYS_LOAD:
        entry["alwaysLoad"] = True
    return entry


def add_command():
    return ["claude", "mcp", "add-json", "--scope", "user", SERVER, json.dumps(server_entry())]


def remove_command():
    return ["claude", "mcp", "remove", "--scope", "user", SERVER]


def present_server():
    """The user's entry for our server as a dict, None when there is none or it cannot be read."""
    try:
        state = json.loads((files.read(state_path()) or b"{}").decode("utf-8-sig"))
        return state.get("mcpServers", {}).get(SERVER)
    except (OSError, ValueError, AttributeError):
        return None


def is_our_server(entry):
    """Whether an entry of the client's servers starts Foreword, whatever version wrote it."""
    arguments = entry.get("args") if isinstance(entry, dict) else None
    return isinstance(arguments, list) and "foreword.cli" in arguments


def _is_current(entry):
    """Whether an entry is what this version adds; what the client added to it does not matter."""
    wanted = server_entry()
    return isinstance(entry, dict) and all(entry.get(key) == wanted[key] for key in wanted)


def server_commands():
    """The commands of the client that bring the server in: none when it is there, the first removes
    an entry of another version. Raises ForewordError when the name is somebody else's."""
    present = present_server()
    if present is None:
        return [add_command()]
    if not is_our_server(present):
        raise ForewordError(
            f"an MCP server named {SERVER} is there already, and it is not this one",
            "rename or remove yours first: " + shlex.join(remove_command()),
            exit_code=NO,
        )
    return [] if _is_current(present) else [remove_command(), add_command()]


def add_server():
    """Add or renew the server; "added", "unchanged" or "no client". Raises ForewordError."""
    commands = server_commands()
    claude = program()
    if not commands:
        return "unchanged"
    if not claude:
        return "no client"
    for command in commands:
        _ask(claude, command, add_command())
    if not _is_current(present_server()):
        raise ForewordError(f"claude did not add the server to {state_path()}", shlex.join(add_command()), NO)
    return "added"


def remove_server():
    """Remove the server; "removed", "absent" or "no client" (what it has cannot be told or changed
    then). Raises ForewordError."""
    present = present_server()
    if present is not None and not is_our_server(present):
        return "absent"
    claude = program()
    if not claude:
        return "no client"
    if present is None:
        return "absent"
    _ask(claude, remove_command(), remove_command())
    return "removed"


def _ask(claude, command, by_hand):
    done = _run([claude, *command[1:]])
    if done is None or done.returncode:
        told = (done.stderr or done.stdout).strip() if done else "no answer within %d s" % ASK_S
        raise ForewordError(f"{' '.join(command[:3])} failed: {told}", shlex.join(by_hand), NO)


# -- health ------------------------------------------------------------------------------------


def ignored(text):
    """Why the client ignores the whole of a settings text that we can read, or "".

    Claude Code 2.1.197 takes strict JSON only: with a comment or a trailing comma in its user
    settings no hook ran, and nothing was said (seen in a run).
    """
    found = jsonc.relaxed(text)
    if not found:
        return ""
    return f"{settings_path()}:{found.line}:{found.column}: {found.what}: Claude Code ignores such a file"


def health():
    """(ok, sentence) of each thing that must be so for the client to have a memory."""
    try:
        text = (files.read(settings_path()) or b"").decode("utf-8")
        _check_shapes(text)
    except (OSError, UnicodeDecodeError, ForewordError) as error:
        yield False, f"{settings_path()} cannot be read: {error}"
        return
    if ignored(text):
        yield False, ignored(text)
    if jsonc.value_at(text, ["disableAllHooks"]):
        yield False, "hooks are switched off by disableAllHooks in settings.json"
    for event in HOOKS:
        yield _hook_health(text, event)
    missing = [rule for rule in ALLOWED if rule not in _rules(text)]
    if missing:
        yield False, "the client will ask before each use of " + ", ".join(missing)
    present = present_server()
    if present is None:
        yield False, "the MCP server is not added"
    elif not _is_current(present):
        yield False, "the MCP server is added in another form than this version's"
    else:
        yield True, "the MCP server is added"


def _hook_health(text, event):
    found = _ours(text, event)
    if len(found) != 1:
        told = "is not installed" if not found else "is installed %d times" % len(found)
        return False, f"the {event} hook {told}"
    words = _words(jsonc.value_at(text, found[0]))
    if words and os.access(words[0], os.X_OK):
        return True, f"the {event} hook is installed"
    return False, f"the {event} hook names an interpreter that is gone: {words[:1]}"


def _words(value):
    """A hook object's command, split as the shell would where it has no `args`."""
    if value.get("args"):
        return [value["command"]]
    try:
        return shlex.split(value.get("command", ""))
    except ValueError:
        return []

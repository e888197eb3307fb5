"""What Foreword puts into Claude Code's settings, and how to take it out again. Cold.

Hooks and permission rules go into settings.json by text span; the MCP server goes in through the
client's own command. Ours is what runs `-m foreword.hook`, in any form and by any interpreter, so
every version recognises what an earlier one left.
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
from foreword.errors import ForewordError

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
SERVER = "foreword"
# Without it Claude Code defers MCP tools behind a tool search: one more request before the first
# memory_read. What that costs is in README.md beside this file.
ALWAYS_LOAD = True
EXEC_FORM_SINCE = (2, 1, 197)  # hooks with `args` and no shell: seen in a run of this version
ASK_S = 30


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


def version():
    """The client's version as a tuple of three numbers, None when it cannot be told."""
    claude = program()
    if not claude:
        return None
    done = _run([claude, "--version"])
    found = re.match(r"(\d+)\.(\d+)\.(\d+)", done.stdout) if done else None
    return tuple(map(int, found.groups())) if found else None


def _run(command):
    try:
        return subprocess.run(
            command, capture_output=True, text=True, timeout=ASK_S, check=False, stdin=subprocess.DEVNULL
        )
    except (OSError, subprocess.TimeoutExpired):
        return None


# -- settings.json -----------------------------------------------------------------------------


def hook(event, exec_form):
    """The hook object for an event of settings.json."""
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
    return re.search(r"-m\s+foreword\.hook\b", " ".join(w for w in words if isinstance(w, str))) is not None


def with_ours(text, exec_form):
    """settings.json as text with our hooks and rules in it. Raises ForewordError where a shape is not
    what the client documents."""
    for event in HOOKS:
        wanted = hook(event, exec_form)
        found = _ours(text, event)
        if not found:
            text = jsonc.push(text, ["hooks", event], {"hooks": [wanted]})
            continue
        first = found[0]
        if jsonc.value_at(text, first) != wanted:
            text = jsonc.replace(text, first, wanted)
        for extra in reversed(found[1:]):
            text = _drop_hook(text, extra)
    present = _list(text, ["permissions", "allow"])
    for rule in reversed(ALLOWED):
        if rule not in present:
            text = jsonc.push(text, ["permissions", "allow"], rule)
    return text


def without_ours(text):
    """The text without our hooks and rules; containers that held nothing else go too."""
    for event in HOOKS:
        for path in reversed(_ours(text, event)):
            text = _drop_hook(text, path)
    present = _list(text, ["permissions", "allow"])
    mine = [
        n for n, rule in enumerate(present) if isinstance(rule, str) and rule.startswith("mcp__foreword__")
    ]
    for n in reversed(mine):
        text = jsonc.drop(text, ["permissions", "allow", n])
    if mine:
        text = _drop_empty(text, ["permissions", "allow"])
    return text


def _ours(text, event):
    """Paths of our hook objects of an event."""
    hooks = jsonc.value_at(text, ["hooks"], {})
    if not isinstance(hooks, dict):
        raise ForewordError("hooks in %s is no object" % settings_path(), "mend that by hand first")
    groups = hooks.get(event, [])
    if not isinstance(groups, list):
        raise ForewordError("hooks.%s in %s is no list" % (event, settings_path()), "mend that first")
    found = []
    for g, group in enumerate(groups):
        hooks = group.get("hooks") if isinstance(group, dict) else None
        for h, value in enumerate(hooks if isinstance(hooks, list) else ()):
            if is_ours(value):
                found.append(["hooks", event, g, "hooks", h])
    return found


def _list(text, path):
    value = jsonc.value_at(text, path, [])
    if not isinstance(value, list):
        raise ForewordError("%s in %s is no list" % (".".join(path), settings_path()), "mend that first")
    return value


def _drop_hook(text, path):
    text = jsonc.drop(text, path)
    group = path[:3]
    if not jsonc.value_at(text, [*group, "hooks"]):
        text = jsonc.drop(text, group)
    return _drop_empty(text, path[:2])


def _drop_empty(text, path):
    """Drop the container under a path and those above it that are empty then."""
    while path:
        node = jsonc.at_path(jsonc.parse(text), path)
        if node is None or node.members:
            break
        text = jsonc.drop(text, path)
        path = path[:-1]
    return text


# -- the MCP server ----------------------------------------------------------------------------


def server_entry():
    """What `claude mcp add-json` is given."""
    entry = {"type": "stdio", "command": sys.executable, "args": ["-I", "-m", "foreword.cli", "serve"]}
    home = os.environ.get("FOREWORD_HOME")
    entry["env"] = {"FOREWORD_HOME": os.path.abspath(home)} if home else {}
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
        state = json.loads(files.read(state_path()) or b"{}")
        return state.get("mcpServers", {}).get(SERVER)
    except (OSError, ValueError, AttributeError):
        return None


def add_server():
    """Add or renew the server; "added", "unchanged" or "no client". Raises ForewordError."""
    present = present_server()
    if present == server_entry():
        return "unchanged"
    claude = program()
    if not claude:
        return "no client"
    if present is not None:
        _run([claude, *remove_command()[1:]])
    done = _run([claude, *add_command()[1:]])
    if done is None or done.returncode or present_server() is None:
        told = (done.stderr or done.stdout).strip() if done else "no answer within %d s" % ASK_S
        raise ForewordError("claude mcp add-json failed: " + told, shlex.join(add_command()), exit_code=1)
    return "added"


def remove_server():
    """Remove the server; "removed", "absent" or "no client". Raises ForewordError."""
    if present_server() is None:
        return "absent"
    claude = program()
    if not claude:
        return "no client"
    done = _run([claude, *remove_command()[1:]])
    if done is None or done.returncode:
        told = (done.stderr or done.stdout).strip() if done else "no answer within %d s" % ASK_S
        raise ForewordError("claude mcp remove failed: " + told, shlex.join(remove_command()), exit_code=1)
    return "removed"


# -- health ------------------------------------------------------------------------------------


def health():
    """(ok, sentence) of each thing that must be so for the client to have a memory."""
    try:
        text = (files.read(settings_path()) or b"").decode("utf-8")
        off = jsonc.value_at(text, ["disableAllHooks"])
    except (OSError, UnicodeDecodeError, ForewordError) as error:
        yield False, "%s cannot be read: %s" % (settings_path(), error)
        return
    if off:
        yield False, "hooks are switched off by disableAllHooks in settings.json"
    for event in HOOKS:
        try:
            found = _ours(text, event)
        except ForewordError as error:
            yield False, error.message
            continue
        if len(found) != 1:
            told = "is not installed" if not found else "is installed %d times" % len(found)
            yield False, "the %s hook %s" % (event, told)
            continue
        words = _words(jsonc.value_at(text, found[0]))
        if words and os.access(words[0], os.X_OK):
            yield True, "the %s hook is installed" % event
        else:
            yield False, "the %s hook names an interpreter that is gone: %s" % (event, words[:1])
    present = present_server()
    if present is None:
        yield False, "the MCP server is not added"
    elif present != server_entry():
        yield False, "the MCP server is added in another form than this version's"
    else:
        yield True, "the MCP server is added"


def _words(value):
    """A hook object's command, split as the shell would where it has no `args`."""
    if value.get("args"):
        return [value["command"]]
    try:
        return shlex.split(value.get("command", ""))
    except ValueError:
        return []

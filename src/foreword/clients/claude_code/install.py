"""What Foreword puts into Claude Code's settings, and how to take it out again. Cold.

Hooks and permission rules go into settings.json by text span, skills into files of their own; the MCP
server goes in through the client's own command. README.md beside this file says what was seen.
"""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys

from foreword import files, paths
from foreword.clients import hook_entries
from foreword.clients.about import RUN, About, Cell
from foreword.clients.parts import Commands, Part, skill_part, skill_parts
from foreword.clients.server_entry import SERVER, is_current, is_ours, renewed
from foreword.edit import jsonc
from foreword.errors import NO, ForewordError

NAME = "claude-code"
ABOUT = About(
    "Claude Code",
    "2.1.197",
    "2026-11-30",
    ("https://code.claude.com/docs/en/hooks", "https://code.claude.com/docs/en/mcp"),
    server=Cell("user MCP server", RUN),
    forewords=Cell("hooks in settings.json", RUN),
    instructions=Cell("skills", RUN),
    notes=(
        "Rules in settings.json spare the question before tools that read or add. Before a memory is deleted "
        "Claude Code asks you.",
        "With a comment or a trailing comma in settings.json Claude Code ignores the whole file, without a "
        "word. `foreword install` warns of it.",
        "A plugin does the same without a change to settings.json: `foreword plugin DIR`. Use one of the "
        "two.",
    ),
)
HOOKS = hook_entries.EVENTS
# By name, so that memory_forget, which deletes, still asks; so does memory_mark, which says what
# comes up. memory_dream only archives, and is called when the user asks for it. readOnlyHint alone
# does not spare the user the question (seen in 2.1.197).
ALLOWED = tuple(
    "mcp__foreword__" + tool
    for tool in ("memory_search", "memory_read", "memory_list", "memory_save", "memory_dream")
)
# The same for the graph, while it is switched on: what reads and what adds is allowed, a deletion asks.
ALLOWED_GRAPH = tuple(
    "mcp__foreword__" + tool
    for tool in (
        "search_nodes",
        "open_nodes",
        "read_graph",
        "archived_observations",
        "create_entities",
        "create_relations",
        "add_observations",
        "rename_entity",
    )
)
RULES = ["permissions", "allow"]
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


def found():
    """Whether the client is on this machine."""
    return bool(program()) or os.path.isdir(config_folder())


# -- the parts ---------------------------------------------------------------------------------


def parts(options):
    """settings.json and the skills."""
    folder = config_folder()

    def taken(name):
        # An old command of the user's own: a skill of that name would stand before it.
        return os.path.exists(os.path.join(folder, "commands", name + ".md"))

    path = settings_path()
    written = (options.records.get(path) or {}).get("made") or {}
    settings = _settings_part(path, options.graph, written.get("rules", ()))
    return [settings, *skill_parts(_skills_folder(), NAME, options, taken)]


def part(path):
    """The Part of a file that an earlier install edited, wherever it was."""
    return skill_part(path) if os.path.basename(path) == "SKILL.md" else _settings_part(path)


def _skills_folder():
    return os.path.join(config_folder(), "skills")


def allowed(graph):
    """The permission rules, with those for the graph's tools or without."""
    return (*ALLOWED, *ALLOWED_GRAPH) if graph else ALLOWED


def _settings_part(path, graph=False, written=()):
    """`written`: the rules that are ours by the record of an earlier install."""
    return Part(
        path,
        "hooks and permission rules",
        lambda text: with_ours(text, has_exec_form(), graph, written),
        without_ours,
        lambda text: footprint(text, graph),
        holds_ours,
        lambda text, before=None: _useless(text, path, before),
    )


def once_installed(options):
    """What the user does next."""
    return [
        "A session that is open runs the hooks from its next prompt on. The tools",
        "and the skills come with the next session. To check:",
        "    claude mcp list",
    ]


def to_paste(options):
    return []


def once_removed():
    return [
        "To check: claude mcp list no longer shows foreword, and a new",
        "prompt runs no hook of it.",
    ]


# -- settings.json -----------------------------------------------------------------------------


def hook(event, exec_form):
    """The hook object for an event of settings.json."""
    ours, timeout_s = HOOKS[event]
    words = hook_entries.words(NAME, ours)
    if exec_form:
        return {"type": "command", "command": words[0], "args": words[1:], "timeout": timeout_s}
    return {"type": "command", "command": hook_entries.line(words), "timeout": timeout_s}


def holds_ours(text):
    """Whether any hook of ours is in the text."""
    return bool(hook_entries.ours(text))


def footprint(text, graph=False):
    """What `with_ours` will have added to this text, for `without_ours` to take back: the paths of
    the containers that are not there yet, and the rules."""
    present = _rules(text)
    return {
        "containers": hook_entries.containers(text, HOOKS, (RULES[:1], RULES)),
        "rules": [rule for rule in allowed(graph) if rule not in present],
    }


def with_ours(text, exec_form, graph=False, written=()):
    """settings.json as text with our hooks and rules in it; as it is when they are.

    Without `graph` the rules for its tools go, of those that we have `written`. `exec_form` None (the
    client cannot be asked) keeps the form that is there. Raises MalformedError, also where a shape is
    not what the client documents.
    """
    _check_shapes(text)
    accepted = (False, True) if exec_form is None else (exec_form,)
    text = hook_entries.with_ours(text, {event: [hook(event, form) for form in accepted] for event in HOOKS})
    wanted, present = allowed(graph), _rules(text)
    for n in reversed(range(len(present))):
        if present[n] in ALLOWED_GRAPH and present[n] in written and present[n] not in wanted:
            text = jsonc.drop(text, [*RULES, n])
    for rule in reversed(wanted):
        if rule not in present:
            text = jsonc.push(text, RULES, rule)
    return text


def without_ours(text, made=None):
    """The text without our hooks and rules. Containers that are empty then go too, if we made them:
    `made` is what `footprint` said; without it every container that only we filled counts."""
    _check_shapes(text)
    containers = made["containers"] if made else None
    text = hook_entries.without_ours(text, containers)
    present = _rules(text)
    mine = [n for n, rule in enumerate(present) if rule in (made["rules"] if made else allowed(True))]
    for n in reversed(mine):
        text = jsonc.drop(text, [*RULES, n])
    return hook_entries.drop_empty(text, RULES, containers) if mine else text


def _check_shapes(text):
    hook_entries.check_shapes(text, HOOKS, ((RULES[:1], "object"), (RULES, "array")))


def _rules(text):
    rules = jsonc.value_at(text, RULES)
    return rules if isinstance(rules, list) else []


# -- the MCP server ----------------------------------------------------------------------------


def server_entry():
    """What `claude mcp add-json` is given."""
    entry = {"type": "stdio", "command": sys.executable, "args": ["-I", "-m", "foreword.cli", "serve"]}
    # No FOREWORD_HOME here: server and hooks both have the client's environment, so they agree.
    entry["env"] = {}
    if ALWAYS_LOAD:
        entry["alwaysLoad"] = True
    return entry


def add_command(entry=None):
    entry = json.dumps(entry or server_entry())
    return ["claude", "mcp", "add-json", "--scope", "user", SERVER, entry]


def remove_command():
    return ["claude", "mcp", "remove", "--scope", "user", SERVER]


def present_server():
    """The user's entry for our server as a dict, None when there is none or it cannot be read."""
    return (_servers() or {}).get(SERVER)


def _servers():
    """{name: entry} of the user's servers, None when they cannot be read."""
    try:
        state = json.loads((files.read(state_path()) or b"{}").decode("utf-8-sig"))
        servers = state.get("mcpServers", {})
        return servers if isinstance(servers, dict) else None
    except (OSError, ValueError, RecursionError, AttributeError):
        return None


def server_commands():
    """The commands of the client that bring the server in: none when it is there, the first removes
    an entry of another version, what the user added to which goes into the new one. Raises ForewordError
    when the name is somebody else's."""
    present = present_server()
    if present is None:
        return [add_command()]
    if not is_ours(present):
        raise ForewordError(
            f"an MCP server named {SERVER} is there already, and it is not this one",
            "rename or remove yours first: " + shlex.join(remove_command()),
            exit_code=NO,
        )
    left = renewed(present, server_entry())
    return [remove_command(), add_command({**present, **left})] if left else []


def add_server():
    """Add or renew the server; "added", "unchanged" or "no client". Raises ForewordError."""
    commands = server_commands()
    claude = program()
    if not commands:
        return "unchanged"
    if not claude:
        return "no client"
    older = present_server()
    try:
        for command in commands:
            _ask(claude, command, commands[-1])
    except ForewordError:
        if older is not None and present_server() is None:
            _put_back(claude, older)
        raise
    if not is_current(present_server(), server_entry()):
        raise ForewordError(f"claude did not add the server to {state_path()}", shlex.join(commands[-1]), NO)
    return "added"


def _put_back(claude, older):
    """Add the entry that was removed to make room for one that the client then refused."""
    command = add_command(older)
    done = _run([claude, *command[1:]])
    if done is None or done.returncode:
        hint = "to have the older one back: " + shlex.join(command)
        raise ForewordError("claude removed the older MCP server and refuses the new one", hint, NO)


def commands_to_remove():
    """The commands of the client that take the server out: none when ours is not there."""
    return [remove_command()] if is_ours(present_server()) else []


def remove_server():
    """Remove the server; "removed", "absent", or "no client" where it is there, or may be, and the
    client's program is not. Raises ForewordError."""
    servers = _servers()
    if servers is not None and not is_ours(servers.get(SERVER)):
        return "absent"
    claude = program()
    if not claude:
        return "no client"
    if servers is None:
        return "absent"
    _ask(claude, remove_command(), remove_command())
    return "removed"


def _ask(claude, command, by_hand):
    done = _run([claude, *command[1:]])
    if done is None or done.returncode:
        told = (done.stderr or done.stdout).strip() if done else "no answer within %d s" % ASK_S
        raise ForewordError(f"{' '.join(command[:3])} failed: {told}", shlex.join(by_hand), NO)


COMMANDS = Commands(
    "claude",
    "the MCP server",
    server_commands,
    commands_to_remove,
    add_server,
    remove_server,
    remove_command,
)


# -- what is of no use -------------------------------------------------------------------------


def ignored(text, path="", before=None):
    """Why the client ignores the whole of a settings text that we can read, or "".

    Claude Code 2.1.197 takes strict JSON only: with a comment or a trailing comma in its user
    settings no hook ran, and nothing was said (seen in a run).
    """
    return hook_entries.ignored("Claude Code", path or settings_path(), text, before)


def _useless(text, path, before):
    told = ignored(text, path, before)
    return f"{told}, so no hook in it runs; to mend it, {hook_entries.STRICT}" if told else ""

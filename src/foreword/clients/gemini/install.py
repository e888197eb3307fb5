"""What Foreword puts into Gemini CLI's files, and how to take it out again. Cold.

settings.json gets the hooks and the MCP server, by text span; a file of rules of our own spares the
question before tools that read or add; GEMINI.md gets one block. README.md beside this file says what was
seen.
"""

import json
import os
import shutil

from foreword import skills
from foreword.clients import hook_entries, marked_block, places, server_entry
from foreword.clients.about import RUN, About, Cell
from foreword.clients.parts import Part, text_of, told
from foreword.edit import jsonc, plan
from foreword.errors import ForewordError

NAME = "gemini"
COMMANDS = None  # `gemini mcp add` writes the file anew, without the user's own layout
KEYS = ("mcpServers",)
# event of Gemini CLI -> (event of foreword.hook, timeout in milliseconds). The second "session-start" is
# told that the context was emptied: nothing else tells of /compress.
HOOKS = {
    "SessionStart": ("session-start", 10_000),
    "BeforeAgent": ("prompt", 5_000),
    "AfterAgent": ("stop", 10_000),
    "PreCompress": ("session-start", 10_000),
}
# "auto" comes with every request to the model, whether or not anything is compressed (seen in 0.61.0).
MATCHERS = {"PreCompress": "manual"}
CALLED = "foreword"  # what the terminal calls our hooks, and what /hooks disable takes
# By name, as in Claude Code: memory_forget, which deletes, and memory_mark ask, and are not offered where
# nobody can be asked (`gemini -p`). `trust` in the server's entry would spare every question.
ALLOWED = ("memory_search", "memory_read", "memory_list", "memory_save", "memory_dream")
ALLOWED_GRAPH = (
    "search_nodes", "open_nodes", "read_graph", "archived_observations", "create_entities",
    "create_relations", "add_observations", "rename_entity",
)  # fmt: skip
RULES_MARK = "# written by foreword install"  # the first line of our file of rules, in all versions
PRIORITY = 100  # of 999 among the user's own rules: one of theirs with a higher number counts
FILE_NAME = "GEMINI.md"
UNREAD = "no block any more"  # what an install leaves of ours in a file that is no longer read
ABOUT = About(
    "Gemini CLI",
    "0.61.0",
    "2026-11-30",
    (
        "https://geminicli.com/docs/hooks/reference/",
        "https://geminicli.com/docs/reference/configuration/",
        "https://geminicli.com/docs/reference/policy-engine/",
    ),
    server=Cell("mcpServers in settings.json", RUN),
    forewords=Cell("hooks in settings.json", RUN),
    instructions=Cell("a block in GEMINI.md", RUN),
    notes=(
        "In a folder that you have not trusted (/permissions) Gemini CLI runs no hook and starts no server.",
        "Rules in ~/.gemini/policies/foreword.toml spare the question before tools that read or add, and "
        "let `gemini -p` use them at all. Before a memory is deleted it asks you.",
        "On Linux and macOS it starts hooks with bash, on Windows with PowerShell. Windows was not run.",
        "settings.json may hold comments, and no trailing comma: Gemini CLI does not start with one. "
        "`foreword install` warns of it.",
        "Where `context.fileName` in settings.json names other files than GEMINI.md, the block goes into the "
        "first of them.",
    ),
)


def found():
    """Whether the client is on this machine."""
    return bool(program()) or os.path.isdir(os.path.dirname(settings_path()))


def program():
    """The path of `gemini`, or None."""
    return shutil.which("gemini")


def settings_path():
    return places.path(NAME, "settings")


def rules_path():
    return places.path(NAME, "rules")


# -- the parts ---------------------------------------------------------------------------------


def parts(options):
    """settings.json, the rules, the instructions, and the files that held these before."""
    path, told_in = rules_path(), instructions_path()
    written = ((options.records.get(path) or {}).get("made") or {}).get("written", [])
    before = [file for file in options.records if _held_instructions(file, told_in)]
    return [
        settings_part(settings_path()),
        rules_part(path, options.graph, written),
        marked_block.part(told_in, skills.rules(True, options.graph)),
        *map(unread_part, before),
    ]


def _held_instructions(path, now):
    """Whether an install put the block into a file that is not the one now: the user has chosen another with
    context.fileName. What stands in another GEMINI_CLI_HOME is read where that is set."""
    return path.endswith(".md") and path != now and os.path.dirname(path) == os.path.dirname(now)


def unread_part(path):
    """The Part of a file that the client no longer reads: an install takes our block out."""
    held = marked_block.part_to_remove(path)
    held.what = UNREAD
    held.with_ours = lambda text: held.without_ours(text, None)
    held.footprint = lambda text: {}
    told_of = f"{path} holds the instructions too, and Gemini CLI does not read that file"
    held.warning = lambda text, before=None: told_of if held.holds_ours(text) else ""
    return held


def part(path):
    """The Part of a file that an earlier install edited, wherever it was."""
    if path.endswith(".toml"):
        return rules_part(path)
    return marked_block.part_to_remove(path) if path.endswith(".md") else settings_part(path)


def instructions_path():
    """The file of instructions that the client reads for every project: GEMINI.md, unless the user has
    chosen other names with context.fileName; of several the one that holds our block."""
    usual = places.path(NAME, "instructions")
    chosen = told(settings_path(), jsonc.value_at, text_of(settings_path()), ["context", "fileName"])
    names = [name for name in (chosen if isinstance(chosen, list) else [chosen]) if _is_name(name)]
    names.sort(key=lambda name: name != FILE_NAME)
    there = [os.path.join(os.path.dirname(usual), name) for name in names or [FILE_NAME]]
    return next(filter(_holds_block, there), there[0])


def _holds_block(path):
    try:
        return marked_block.part_to_remove(path).holds_ours(text_of(path))
    except ForewordError:
        return False  # what is wrong with it is told when it is planned, if it is the one


def _is_name(value):
    return isinstance(value, str) and value.endswith(".md") and value == os.path.basename(value)


def once_installed(options):
    """What the user does next."""
    return [
        "New sessions have it: end Gemini CLI and start it again. A folder that you",
        "have not trusted has none of it; /permissions there trusts it. To check:",
        "    /hooks list",
        "    /mcp list",
    ]


def once_removed():
    return ["To check: gemini mcp list no longer shows foreword."]


def to_paste(options):
    return []


# -- settings.json -----------------------------------------------------------------------------


def settings_part(path):
    server = server_entry.part(path, KEYS, server_entry.entry(NAME))

    def with_ours(text):
        hook_entries.check_shapes(text, HOOKS)
        return with_hooks(server.with_ours(text))

    def without_ours(text, made):
        hook_entries.check_shapes(text, HOOKS)
        text = hook_entries.without_ours(text, made and made.get("containers"))
        return server.without_ours(text, made)

    made = Part(
        path,
        "hooks and the MCP server",
        with_ours,
        without_ours,
        lambda text: {
            "containers": hook_entries.containers(text, HOOKS)
            + [at for at in server_entry.containers(text, KEYS) if at]
        },
        lambda text: bool(hook_entries.ours(text)) or server.holds_ours(text),
        lambda text, before=None: useless(text, path, before),
    )
    made.starts = server.starts
    return made


def hook(event):
    """The hook object for an event of settings.json."""
    ours, timeout_ms = HOOKS[event]
    command = line(hook_entries.words(NAME, ours))
    return {"name": CALLED, "type": "command", "command": command, "timeout": timeout_ms}


def line(words, system=os.name):
    """Words as one line for what the client starts hooks with: bash, and PowerShell on Windows, which takes
    a quoted word at the start for a text unless `&` is before it.

    With bash, an interpreter that is gone ends with 127 and a sentence on stderr. The client takes that
    for a hook that forbids the prompt, and after an answer for one that wants another (seen in 0.61.0).
    """
    if system != "nt":
        return hook_entries.line(words) + " 2>/dev/null || true"
    program, *arguments = words
    quoted = "'" + program.replace("'", "''") + "'"
    return " ".join(["&", quoted, *arguments])


def with_hooks(text):
    """settings.json with our hooks; as it is when they are there."""
    for event, matcher in MATCHERS.items():
        for at in reversed(hook_entries.ours(text, event)):
            if jsonc.value_at(text, [*at[:3], "matcher"]) != matcher:
                text = hook_entries.drop_hook(text, at, ())
        if not hook_entries.ours(text, event):
            text = jsonc.push(text, ["hooks", event], {"matcher": matcher, "hooks": [hook(event)]})
    return hook_entries.with_ours(text, {event: [hook(event)] for event in HOOKS})


def useless(text, path, before=None):
    """Why Gemini CLI makes no use of what stands in its settings.json, or ""."""
    return unreadable(before or text, path) or unreadable(text, path) or switched_off(text)


def unreadable(text, path):
    """Why Gemini CLI does not start with a settings.json that we can read, or "" (0.61.0: comments are
    welcome there, a trailing comma and a byte order mark are not)."""
    if text.startswith("\ufeff"):
        return f"{path} begins with a byte order mark: Gemini CLI does not start with such a file"
    commas = sorted(_trailing_commas(jsonc.parse(text)))
    if commas:
        line, column = jsonc.place(text, commas[0])
        return f"{path}:{line}:{column}: a comma before a bracket: Gemini CLI does not start with such a file"
    return ""


def _trailing_commas(node):
    """The offsets of the commas in a Node (or None) behind which nothing comes but a bracket."""
    members = node.members if node else []
    if members and members[-1].comma >= 0:
        yield members[-1].comma
    for member in members:
        yield from _trailing_commas(member.node)


def switched_off(text):
    """Why hooks do not run or the server is not started, by a settings.json that can be read; or ""."""
    config = jsonc.value_at(text, []) if text.strip() else None
    hooks, servers = _dict(_dict(config).get("hooksConfig")), _dict(_dict(config).get("mcp"))
    if hooks.get("enabled") is False:
        return "hooksConfig.enabled is false in settings.json: Gemini CLI runs no hook"
    if CALLED in _list(hooks.get("disabled")):
        return "our hooks are switched off in Gemini CLI: /hooks enable foreword"
    allowed = servers.get("allowed")
    if isinstance(allowed, list) and server_entry.SERVER not in allowed:
        return "mcp.allowed in settings.json leaves out foreword: Gemini CLI does not start the server"
    if server_entry.SERVER in _list(servers.get("excluded")):
        return "mcp.excluded in settings.json names foreword: Gemini CLI does not start the server"
    return ""


def _dict(value):
    return value if isinstance(value, dict) else {}


def _list(value):
    return value if isinstance(value, list) else []


# -- the rules ---------------------------------------------------------------------------------


def rules(graph=False):
    """Our file of the policy engine: which tools run without a question."""
    names = json.dumps([*ALLOWED, *(ALLOWED_GRAPH if graph else ())])
    return (
        f"{RULES_MARK}; `foreword uninstall` takes it out again.\n"
        "# These tools read or add. The others ask, and `gemini -p` does not offer them.\n"
        "\n[[rule]]\n"
        f'mcpName = "{server_entry.SERVER}"\n'
        f"toolName = {names}\n"
        'decision = "allow"\n'
        f"priority = {PRIORITY}\n"
    )


def rules_part(path, graph=False, written=()):
    """`written`: digests of what an earlier install wrote."""
    ours = [rules(True), rules(False)]
    wanted = rules(graph)

    def is_untouched(text, digests):
        return text in ours or plan.digest(text.encode()) in digests

    def with_ours(text):
        return text if text and not is_untouched(text, written) else wanted

    def without_ours(text, made):
        return "" if is_untouched(text, (made or {}).get("written", [])) else text

    def warning(text, before=None):
        if not text or is_untouched(text, written):
            return ""
        whose = "was changed by hand" if text.startswith(RULES_MARK) else "is not ours"
        return f"{path} {whose} and is left as it is; tools may ask, or be missing from gemini -p"

    return Part(
        path,
        "rules for tools",
        with_ours,
        without_ours,
        lambda text: {"written": [plan.digest(wanted.encode())]},
        lambda text: text.startswith(RULES_MARK),
        warning,
        whole=True,
    )

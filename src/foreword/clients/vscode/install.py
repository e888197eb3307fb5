"""What Foreword puts into the files of VS Code (Copilot), and how to take it out again. Cold.

The server goes into the mcp.json of the user's profile, which takes comments and trailing commas, by text
span; instructions and skills are files of their own below ~/.copilot. README.md beside this file says where
all of that is documented.
"""

import itertools
import os
import shutil

from foreword import skills
from foreword.clients import marked_block, places, server_entry
from foreword.clients.about import DOCUMENTED, About, Cell
from foreword.clients.parts import Part, skill_part, skill_parts

NAME = "vscode"
KEYS = ("servers",)
COMMANDS = None  # `code --add-mcp` has no way back
PROGRAMS = ("code", "code-insiders")
SETTINGS = (
    "settings",
    "settings of Insiders",
    "settings of a remote",
    "settings of a remote of Insiders",
)
READ_AS_WELL = ("claude-code",)  # the client whose skills VS Code reads
# Without `applyTo` VS Code applies a file of instructions only where somebody names it.
HEAD = '---\nname: Foreword\ndescription: When to search and when to save memory\napplyTo: "**"\n---\n'
ABOUT = About(
    "VS Code (GitHub Copilot)",
    "",
    "2026-11-30",
    (
        "https://code.visualstudio.com/docs/agents/reference/mcp-configuration",
        "https://code.visualstudio.com/docs/agent-customization/mcp-servers",
        "https://code.visualstudio.com/docs/agent-customization/custom-instructions",
        "https://code.visualstudio.com/docs/agent-customization/agent-skills",
        "https://code.visualstudio.com/docs/agent-customization/hooks",
    ),
    Cell("mcp.json of the user", DOCUMENTED),
    instructions=Cell("user instructions, skills", DOCUMENTED),
    notes=(
        "VS Code and its Insiders are both wired where both are there; so is the machine at the far end of a "
        "connection (SSH, WSL) when `foreword install` runs on it. Other profiles than the default one have "
        "an mcp.json of their own: MCP: Open User Configuration shows it.",
        "VS Code asks once whether the server is trusted, and before each call of a tool; Allow can be for "
        "the workspace or for good.",
        "It reads the skills of Claude Code too: where ours are there, it gets no copy.",
        "Once claude-code is wired, VS Code starts the hooks in ~/.claude/settings.json too, Foreword's "
        "among them. These see that it is not Claude Code and do nothing: no note, no foreword. The setting "
        '`"chat.hookFilesLocations": {"~/.claude/settings.json": false}` saves the process.',
        "Copilot CLI reads ~/.copilot as well, but no mcp.json of VS Code: it has the text and no server.",
        "A request takes 128 tools of all servers together.",
    ),
)


def found():
    """Whether the client is on this machine."""
    return bool(_there()) or any(shutil.which(program) for program in PROGRAMS)


def _there():
    """The mcp.json of each VS Code that has run here, whether or not the file is there."""
    paths = [places.path(NAME, what) for what in SETTINGS]
    return [path for path in paths if os.path.isdir(os.path.dirname(path))]


def parts(options):
    """mcp.json of each VS Code that is here, the instructions, the skills."""
    entry = server_entry.entry(NAME, type="stdio")
    folder = places.path(NAME, "skills")
    others = {client: places.path(NAME, client + " skills") for client in READ_AS_WELL}
    return [
        *(server_entry.part(path, KEYS, entry) for path in _there() or [places.path(NAME, "settings")]),
        _instructions(places.path(NAME, "instructions"), skills.rules(False, options.graph)),
        *skill_parts(
            folder,
            "plain",
            options,
            elsewhere=others,
        ),
    ]


def part(path):
    """The Part of a file that an earlier install edited, wherever it was."""
    name = os.path.basename(path)
    if name == "SKILL.md":
        return skill_part(path)
    return _instructions(path, "") if name.endswith(".md") else server_entry.part_to_remove(path, KEYS)


def _instructions(path, body):
    """The Part of our file of instructions: the head that VS Code needs, and our block."""
    block = marked_block.part(path, body)

    def without_ours(text, made):
        left = block.without_ours(text, made)
        return "" if left.replace("\r\n", "\n").strip("\n") == HEAD.strip("\n") else left

    def warning(text, before=None):
        if not text.strip() or _applies_everywhere(text):
            return ""
        told = (
            "does not begin with a head that says applyTo, so VS Code reads it only where somebody names it"
        )
        return (
            f"{path} {told}; to mend it, put these lines at its top: {HEAD.strip().replace(chr(10), ' / ')}"
        )

    return Part(
        path,
        block.what,
        lambda text: block.with_ours(text or HEAD),
        without_ours,
        lambda text: block.footprint(text or HEAD),
        block.holds_ours,
        warning,
        whole=True,
    )


def _applies_everywhere(text):
    """Whether a file of instructions begins with a head that says where it applies."""
    lines = text.removeprefix("\ufeff").splitlines()
    if not lines or lines[0].rstrip() != "---":
        return False
    head = list(itertools.takewhile(lambda line: line.rstrip() != "---", lines[1:]))
    return any(line.startswith("applyTo:") for line in head)


def once_installed(options):
    return [
        "MCP: List Servers in the Command Palette shows foreword. VS Code asks once",
        "whether you trust it.",
        "It asks before each call of a tool: allow those that you trust for good.",
    ]


def once_removed():
    return [
        "To check: MCP: List Servers in the Command Palette no longer",
        "shows foreword.",
    ]


def to_paste(options):
    return []

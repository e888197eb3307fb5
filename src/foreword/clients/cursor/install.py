"""What Foreword puts into Cursor's files, and how to take it out again. Cold.

The server goes into mcp.json by text span, skills are files of their own. Cursor keeps the rules for every
project in its settings and in no file, so their text is for the user to paste. README.md beside this file
says where all of that is documented.
"""

import os
import shutil

from foreword import skills
from foreword.clients import places, server_entry
from foreword.clients.about import DOCUMENTED, About, Cell
from foreword.clients.parts import skill_parts

NAME = "cursor"
KEYS = ("mcpServers",)
COMMANDS = None
PROGRAMS = ("cursor", "cursor-agent")
READ_AS_WELL = ("claude-code", "codex")  # clients whose skills Cursor reads
PASTE = "its User Rules (Cursor Settings | Rules)"
ABOUT = About(
    "Cursor",
    "",
    "2026-11-30",
    (
        "https://cursor.com/docs/mcp",
        "https://cursor.com/docs/context/skills",
        "https://cursor.com/docs/rules",
        "https://cursor.com/docs/reference/permissions",
    ),
    Cell("mcp.json", DOCUMENTED),
    instructions=Cell("skills; text to paste", DOCUMENTED),
    notes=(
        "The editor and `cursor-agent` in the terminal read the same mcp.json.",
        "Cursor reads the skills of Claude Code and of Codex too: where ours are there, it gets no copy.",
        "A server of all projects is started in the home folder; the project is the first of the roots that "
        "Cursor names. A workspace of several folders has the memory of the first.",
        "Cursor asks before each call of a tool. `mcpAllowlist` in ~/.cursor/permissions.json spares the "
        "question, but takes the place of the list in its settings, so nothing is written there.",
        "Its hooks could hand over facts at the start of a session, and no foreword before a prompt. They "
        "were not run, so none are installed.",
    ),
)


def found():
    """Whether the client is on this machine."""
    folder = os.path.dirname(places.path(NAME, "settings"))
    return os.path.isdir(folder) or any(shutil.which(program) for program in PROGRAMS)


def parts(options):
    """mcp.json and the skills."""
    entry = server_entry.entry(NAME, type="stdio")
    folder = places.path(NAME, "skills")
    others = {client: places.path(NAME, client + " skills") for client in READ_AS_WELL}
    return [
        server_entry.part(places.path(NAME, "settings"), KEYS, entry),
        *skill_parts(
            folder,
            "plain",
            options,
            elsewhere=others,
        ),
    ]


def part(path):
    """The Part of a file that an earlier install edited, wherever it was."""
    return server_entry.part_left(path, KEYS)


def once_installed(options):
    return [
        "Restart Cursor. Its settings list foreword among the MCP servers: switch it",
        "on there if it is off.",
        "It asks before each call of a tool: choose Add to allowlist for those that",
        "you trust.",
    ]


def once_removed():
    return [
        "Restart Cursor.",
        "Take the text out of its User Rules (Cursor Settings | Rules).",
    ]


def to_paste(options):
    """The text for the rules of all projects."""
    return [(PASTE, skills.rules(False, options.graph))]

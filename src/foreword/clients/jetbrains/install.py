"""What Foreword puts into the files of JetBrains' Junie, and what AI Assistant is told by hand. Cold.

Junie, in the IDEs and in the terminal, reads ~/.junie. AI Assistant keeps its servers where only the IDE
writes, so its JSON is printed. README.md beside this file says where all of that is documented.
"""

import json
import os

from foreword import skills
from foreword.clients import marked_block, places, server_entry
from foreword.clients.about import DOCUMENTED, About, Cell

NAME = "jetbrains"
KEYS = ("mcpServers",)
COMMANDS = None
ASSISTANT = "AI Assistant: Settings | Tools | AI Assistant | Model Context Protocol (MCP) | Add | As JSON"
ABOUT = About(
    "JetBrains IDEs",
    "",
    "2026-11-30",
    (
        "https://junie.jetbrains.com/docs/junie-cli-mcp-configuration.html",
        "https://junie.jetbrains.com/docs/guidelines-and-memory.html",
        "https://www.jetbrains.com/help/ai-assistant/configure-an-mcp-server.html",
    ),
    Cell("Junie: `mcpServers` in mcp.json; AI Assistant: JSON to paste", DOCUMENTED),
    instructions=Cell("Junie: a block in AGENTS.md", DOCUMENTED),
    notes=(
        "~/.junie serves Junie inside the IDEs and Junie in the terminal alike.",
        "Junie asks before each call of a tool; Settings | Tools | Junie | Action Allowlist spares the "
        "question.",
        "AI Assistant keeps its servers where only the IDE can write. `foreword install jetbrains` prints "
        "the JSON for it; as Working directory give the project's folder. It gets the tools and no text.",
        "In which folder Junie starts a server is not documented. Where memory_list says that no project is "
        "open, add `--project PATH` to the entry's `args`. A later install keeps that.",
        "A project's own .junie/AGENTS.md goes before the block in ~/.junie.",
    ),
)


def found():
    """Whether the client is on this machine."""
    return places.is_there(NAME, "programs") or os.path.isdir(
        os.path.dirname(places.path(NAME, "instructions"))
    )


def parts(options):
    """Junie's mcp.json and AGENTS.md."""
    return [
        server_entry.part(places.path(NAME, "settings"), KEYS, server_entry.entry(NAME)),
        marked_block.part(places.path(NAME, "instructions"), skills.rules(False, options.graph)),
    ]


def part(path):
    """The Part of a file that an earlier install edited, wherever it was."""
    return server_entry.part_left(path, KEYS)


def once_installed(options):
    return [
        "Restart the IDE. Settings | Tools | Junie | MCP Settings lists foreword.",
        "Junie asks before each call of a tool, unless you allow it there under",
        "Action Allowlist.",
    ]


def once_removed():
    return [
        "Restart the IDE.",
        "If you pasted foreword into AI Assistant, take it out there:",
        "Settings | Tools | AI Assistant | Model Context Protocol.",
    ]


def to_paste(options):
    """The JSON for AI Assistant, which only the IDE can put in."""
    whole = {KEYS[0]: {server_entry.SERVER: server_entry.entry(NAME)}}
    return [(ASSISTANT, json.dumps(whole, indent=2, ensure_ascii=False) + "\n")]

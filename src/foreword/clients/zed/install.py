"""What Foreword puts into Zed's files, and how to take it out again. Cold.

The server goes into settings.json, which has comments and trailing commas, by text span; the instructions
are one block of the AGENTS.md beside it. README.md beside this file says where all of that is documented.
"""

import os

from foreword import skills
from foreword.clients import marked_block, places, server_entry
from foreword.clients.about import DOCUMENTED, About, Cell

NAME = "zed"
KEYS = ("context_servers",)
COMMANDS = None
ABOUT = About(
    "Zed",
    "",
    "2026-11-30",
    (
        "https://zed.dev/docs/ai/mcp",
        "https://zed.dev/docs/ai/instructions",
        "https://zed.dev/docs/ai/tool-permissions",
    ),
    Cell("`context_servers` in settings.json", DOCUMENTED),
    instructions=Cell("a block in AGENTS.md", DOCUMENTED),
    notes=(
        "Zed reads a personal AGENTS.md since 1.4.0; an older one has the server alone.",
        "The server works for the folder that is open, the first one where several are.",
        "Zed asks before each call of a tool. Under `agent.tool_permissions.tools` of its settings, "
        '`"mcp:foreword:memory_search": {"default": "allow"}` spares the question for one tool.',
        "Zed from Flathub keeps its settings in ~/.var/app/dev.zed.Zed/config/zed, where nothing is written.",
        "Agents that run inside Zed (Claude Code, Codex, Gemini CLI) have settings of their own.",
    ),
)


def found():
    """Whether the client is on this machine. Not by a program `zed`: ZFS has one of that name."""
    return os.path.isdir(os.path.dirname(places.path(NAME, "settings")))


def parts(options):
    """settings.json and AGENTS.md."""
    return [
        server_entry.part(places.path(NAME, "settings"), KEYS, server_entry.entry(NAME)),
        marked_block.part(places.path(NAME, "instructions"), skills.rules(False, options.graph)),
    ]


def part(path):
    """The Part of a file that an earlier install edited, wherever it was."""
    return server_entry.part_left(path, KEYS)


def once_installed(options):
    return [
        "An open Zed starts the server by itself: Settings, AI, MCP Servers shows a",
        "green dot beside foreword.",
        "It asks before each call of a tool: choose Always for those that you trust.",
    ]


def once_removed():
    return [
        "An open Zed stops the server by itself: Settings, AI, MCP",
        "Servers no longer shows foreword.",
    ]


def to_paste(options):
    return []

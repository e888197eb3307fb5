"""What Foreword puts into the files of Windsurf (Devin Desktop), and how to take it out again. Cold.

The editor has two agents with files of their own: Cascade below ~/.codeium/windsurf, and Devin Local, which
shares its files with Devin CLI. Each has a settings file for the server and a text for instructions, which
gets one block of ours. README.md beside this file says where all of that is documented.
"""

import os

from foreword import skills
from foreword.clients import marked_block, places, server_entry
from foreword.clients.about import DOCUMENTED, About, Cell

NAME = "windsurf"
KEYS = ("mcpServers",)
COMMANDS = None
# agent -> (its settings, its instructions, how many characters of these it reads)
AGENTS = {
    "Cascade": ("settings", "instructions", 6000),
    "Devin Local": ("settings of Devin", "instructions of Devin", None),
}
REFRESH = (
    "Press Refresh where Cascade lists its MCP servers, or restart",
    "the editor.",
)
ABOUT = About(
    "Windsurf (Devin Desktop)",
    "",
    "2026-11-30",
    (
        "https://docs.devin.ai/desktop/cascade/mcp",
        "https://docs.devin.ai/desktop/cascade/memories",
        "https://docs.devin.ai/desktop/devin-local",
        "https://docs.devin.ai/cli/extensibility/mcp/configuration",
        "https://docs.devin.ai/cli/extensibility/rules",
    ),
    Cell("mcp_config.json, Devin's config.json", DOCUMENTED),
    instructions=Cell("global_rules.md, Devin's AGENTS.md", DOCUMENTED),
    notes=(
        "Windsurf is called Devin Desktop since June 2026. Its agents, Cascade and Devin Local, do not see "
        "each other's servers, so each of them that has a folder here is wired.",
        "Cascade reads 6,000 characters of global_rules.md; `foreword install` warns where our block is cut.",
        "Cascade takes 100 tools of all servers together. In companies, MCP may have to be switched on.",
        "In which folder they start a server is not documented. Where memory_search says that no project is "
        "open, add `--project PATH` to the entry's `args`. A later install keeps that.",
        "Devin Local asks before each call of a tool; `mcp__foreword__memory_search` under "
        "`permissions.allow` of its config.json spares the question.",
        "The plugin for JetBrains IDEs reads ~/.codeium/mcp_config.json, where nothing is written.",
        "It has hooks, too. They were not run, so none are installed.",
    ),
)


def found():
    """Whether the client is on this machine."""
    return bool(_there())


def _there():
    """The agents that have a folder here."""
    return [agent for agent, (settings, *_) in AGENTS.items() if os.path.isdir(_folder(settings))]


def _folder(settings):
    return os.path.dirname(places.path(NAME, settings))


def parts(options):
    """The settings and the instructions of each agent; Cascade's where neither has a folder."""
    made = []
    for agent in _there() or list(AGENTS)[:1]:
        settings, instructions, limit = AGENTS[agent]
        text = skills.rules(False, options.graph)
        made += [
            server_entry.part(places.path(NAME, settings), KEYS, server_entry.entry(NAME)),
            marked_block.part(places.path(NAME, instructions), text, limit),
        ]
    return made


def part(path):
    """The Part of a file that an earlier install edited, wherever it was."""
    return server_entry.part_left(path, KEYS)


def once_installed(options):
    if "Devin Local" not in _there():
        return [*REFRESH, "The list then shows foreword."]
    return [
        *REFRESH,
        "The list then shows foreword.",
        "Devin Local asks before each call of a tool: allow those that you trust for",
        "good.",
    ]


def once_removed():
    return [*REFRESH, "The list no longer shows foreword."]


def to_paste(options):
    return []

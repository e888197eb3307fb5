"""What Foreword puts into Cline's files, and how to take it out again. Cold.

One folder serves Cline in every editor and in the terminal. The server goes into its
cline_mcp_settings.json by text span; the rule and the skills are files of their own. README.md beside this
file says where all of that is documented.
"""

import os
import shutil

from foreword import skills
from foreword.clients import marked_block, places, server_entry
from foreword.clients.about import DOCUMENTED, About, Cell
from foreword.clients.parts import skill_parts

NAME = "cline"
KEYS = ("mcpServers",)
COMMANDS = None  # `cline mcp add` writes another shape, and has no way back
ABOUT = About(
    "Cline",
    "",
    "2026-11-30",
    (
        "https://docs.cline.bot/getting-started/config",
        "https://docs.cline.bot/mcp/mcp-overview",
        "https://docs.cline.bot/customization/cline-rules",
        "https://docs.cline.bot/customization/skills",
    ),
    Cell("cline_mcp_settings.json", DOCUMENTED),
    instructions=Cell("a global rule, skills", DOCUMENTED),
    notes=(
        "One folder serves Cline in VS Code, VSCodium, Cursor, Windsurf, JetBrains IDEs and the terminal. "
        "A Cline from before March 2026 keeps its servers in the editor's globalStorage, where nothing is "
        "written: update it.",
        "In the terminal Cline starts a server in the project. In an editor it starts it elsewhere (in `/` "
        "on macOS) and does not say which folder is open: add `--project PATH` to the entry's `args`. A "
        "later install keeps that.",
        "Cline asks before each call of a tool; its switch Use MCP servers spares the question for all tools "
        "of all servers. `autoApprove` for single tools is no longer read, so none is written.",
        "A Cline that does not show foreword.md among its Rules is an older one. Put the text that "
        "`foreword protocol --client cline` prints into a file in .clinerules of the repository.",
        "It reads strict JSON: with a comment or a trailing comma it has no servers at all. `foreword "
        "install` warns of it.",
        "It has hooks, too. They were not run, so none are installed.",
    ),
)


def found():
    """Whether the client is on this machine."""
    folders = [os.path.dirname(places.path(NAME, what)) for what in ("settings", "skills")]
    return any(map(os.path.isdir, folders)) or bool(shutil.which("cline"))


def parts(options):
    """cline_mcp_settings.json, the rule, the skills."""
    text = skills.rules(False, options.graph)
    rule = marked_block.part(places.path(NAME, "instructions"), text)
    rule.whole = True
    return [
        server_entry.part(places.path(NAME, "settings"), KEYS, server_entry.entry(NAME), reads=ABOUT.called),
        rule,
        *skill_parts(places.path(NAME, "skills"), "plain", options),
    ]


def part(path):
    """The Part of a file that an earlier install edited, wherever it was."""
    return server_entry.part_left(path, KEYS)


def once_installed(options):
    return [
        "An open Cline starts the server by itself: MCP Servers in its panel shows",
        "foreword.",
        "In an editor it does not say which project is open: add --project PATH to",
        "the args of the entry. A later install keeps that.",
        "It asks before each call of a tool, unless you switch on Use MCP servers,",
        "which is for the tools of all servers.",
    ]


def once_removed():
    return [
        "An open Cline stops the server by itself: MCP Servers in its",
        "panel no longer shows foreword.",
    ]


def to_paste(options):
    return []

"""What Foreword puts into Claude Desktop's settings, and how to take it out again. Cold.

The server goes into claude_desktop_config.json by text span. On Windows there may be two of it: a packaged
app (MSIX) reads the one below its package. README.md beside this file says where that is documented.
"""

import os

from foreword import skills
from foreword.clients import places, server_entry
from foreword.clients.about import DOCUMENTED, About, Cell

NAME = "claude-desktop"
KEYS = ("mcpServers",)
COMMANDS = None
# %LOCALAPPDATA%/Packages/<package>/..., where a packaged app finds what it believes to be in %APPDATA%.
PACKAGE, IN_PACKAGE = "Claude_", ("LocalCache", "Roaming", "Claude", "claude_desktop_config.json")
PASTE = "the instructions of your projects in Claude Desktop, or Settings | Profile for every chat"
ABOUT = About(
    "Claude Desktop",
    "",
    "2026-11-30",
    (
        "https://modelcontextprotocol.io/docs/develop/connect-local-servers",
        "https://modelcontextprotocol.io/legacy/tools/debugging",
    ),
    Cell("`mcpServers` in claude_desktop_config.json", DOCUMENTED),
    instructions=Cell("text to paste into a project's instructions", DOCUMENTED),
    notes=(
        "It knows no project, and where it starts a server is not fixed (in `/` on macOS). So it has the "
        "facts for every project alone. To have the memory of one project too, add `--project PATH` to the "
        "entry's `args`.",
        "It asks before each call of a tool; Always allow spares the question.",
        "On Windows the app from the Store and from the present installer is a package and reads "
        "`%LOCALAPPDATA%\\Packages\\Claude_...\\LocalCache\\Roaming\\Claude\\claude_desktop_config.json`; "
        "its button Edit Config may open the other file. Each of the two that is there gets the entry.",
        "It reads strict JSON: with a comment or a trailing comma its settings do not load, and it says so. "
        "`foreword install` warns of it.",
        "The tab Code of the app is Claude Code: it has the hooks, once claude-code is wired.",
    ),
)


def found():
    """Whether the client is on this machine."""
    return any(os.path.isdir(os.path.dirname(path)) for path in settings_paths())


def settings_paths():
    """Every claude_desktop_config.json that an app on this machine may read, else the usual one."""
    usual = places.path(NAME, "settings")
    if places.this_system() != places.WINDOWS:
        return [usual]
    packaged = in_packages(places.path(NAME, "packages"))
    return [*packaged, *([usual] if not packaged or os.path.isdir(os.path.dirname(usual)) else ())]


def in_packages(folder):
    """The settings of the packaged apps below a folder of packages, whatever their publisher's id is."""
    try:
        names = sorted(os.listdir(folder))
    except OSError:
        return []
    return [os.path.join(folder, name, *IN_PACKAGE) for name in names if name.startswith(PACKAGE)]


def parts(options):
    """claude_desktop_config.json, each that counts."""
    return [_part(path) for path in settings_paths()]


def _part(path):
    return server_entry.part(path, KEYS, server_entry.entry(NAME), reads=ABOUT.called)


def part(path):
    """The Part of a file that an earlier install edited, wherever it was."""
    return server_entry.part_to_remove(path, KEYS)


def once_installed(options):
    return [
        "Quit Claude Desktop from its menu (its window alone is not enough) and start",
        "it again. Settings | Developer then shows foreword as running.",
        "It knows no project, so it has the facts for every project alone. To have",
        "the memory of one as well, add --project PATH to the args of the entry.",
    ]


def once_removed():
    return [
        "Quit Claude Desktop from its menu and start it again.",
        "Take the text out of your projects' instructions.",
    ]


def to_paste(options):
    """The text for a project's instructions."""
    return [(PASTE, skills.rules(False, options.graph))]

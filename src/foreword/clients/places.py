"""Where clients keep their files, per system: the one table. Cold. Makes names, looks at no disk.

A row's templates are written with "/" and begin with a variable: {home}; {config}, where programs of the
terminal keep settings; {programs}, where those with windows do; or a client's own folder from FOLDERS,
which a variable of the environment may move.
"""

import ntpath
import os
import posixpath
import sys

from foreword import paths

LINUX, MACOS, WINDOWS = "linux", "darwin", "win32"  # as sys.platform has them
SYSTEMS = {LINUX: "Linux", MACOS: "macOS", WINDOWS: "Windows"}

# variable -> (environment variable that moves it, where it is otherwise[, the folder below a moved one])
FOLDERS = {
    "claude": ("CLAUDE_CONFIG_DIR", "{home}/.claude"),
    "claude-state": ("CLAUDE_CONFIG_DIR", "{home}"),
    "codex": ("CODEX_HOME", "{home}/.codex"),
    "gemini": ("GEMINI_CLI_HOME", "{home}/.gemini", ".gemini"),
    "cline": ("CLINE_DIR", "{home}/.cline"),
    "cline-data": ("CLINE_DATA_DIR", "{cline}/data"),
    "cline-mcp": ("CLINE_MCP_SETTINGS_PATH", "{cline-data}/settings/cline_mcp_settings.json"),  # a file
    "opencode-data": ("XDG_DATA_HOME", "{home}/.local/share/opencode", "opencode"),
    "mimo": ("MIMOCODE_HOME", "{config}/mimocode", "config"),
    "local": ("LOCALAPPDATA", "{home}/AppData/Local"),  # on Windows alone
}

# Those of the system. A relative one is to be ignored (XDG Base Directory Specification 0.8); on Windows it
# says nothing either.
OF_SYSTEM = ("XDG_CONFIG_HOME", "XDG_DATA_HOME", "APPDATA", "LOCALAPPDATA")


def _everywhere(template):
    return (template, template, template)


# client -> what -> its place on (Linux, macOS, Windows)
PLACES = {
    "claude-code": {
        "state": _everywhere("{claude-state}/.claude.json"),  # the user's MCP servers are in it
        "settings": _everywhere("{claude}/settings.json"),
        "skills": _everywhere("{claude}/skills"),
    },
    "codex": {
        "settings": _everywhere("{codex}/config.toml"),
        "hooks": _everywhere("{codex}/hooks.json"),
        "skills": _everywhere("{codex}/skills"),
    },
    "gemini": {
        "settings": _everywhere("{gemini}/settings.json"),
        "rules": _everywhere("{gemini}/policies/foreword.toml"),
        "instructions": _everywhere("{gemini}/GEMINI.md"),
    },
    "opencode": {
        "settings": _everywhere("{config}/opencode/opencode.jsonc"),
        "older settings": _everywhere("{config}/opencode/opencode.json"),
        "oldest settings": _everywhere("{config}/opencode/config.json"),
        "plugin": _everywhere("{config}/opencode/plugins/foreword.js"),
        "skills": _everywhere("{config}/opencode/skills"),
        "claude-code skills": _everywhere("{home}/.claude/skills"),  # read as well
        "shared skills": _everywhere("{home}/.agents/skills"),  # as are these
        "packages": _everywhere("{config}/opencode/node_modules"),  # the client's own: only looked at
        "sessions": _everywhere("{opencode-data}/opencode.db"),  # as are its sessions
    },
    "cursor": {
        "settings": _everywhere("{home}/.cursor/mcp.json"),
        "skills": _everywhere("{home}/.cursor/skills"),
        "claude-code skills": _everywhere("{home}/.claude/skills"),  # read as well, as Codex's are
        "codex skills": _everywhere("{home}/.codex/skills"),
    },
    "vscode": {
        "settings": _everywhere("{programs}/Code/User/mcp.json"),
        "older settings": _everywhere("{programs}/Code/User/settings.json"),
        "settings of Insiders": _everywhere("{programs}/Code - Insiders/User/mcp.json"),
        # On a machine that VS Code is connected to (SSH, WSL, a container).
        "settings of a remote": _everywhere("{home}/.vscode-server/data/User/mcp.json"),
        "settings of a remote of Insiders": _everywhere("{home}/.vscode-server-insiders/data/User/mcp.json"),
        "instructions": _everywhere("{home}/.copilot/instructions/foreword.instructions.md"),
        "skills": _everywhere("{home}/.copilot/skills"),
        "claude-code skills": _everywhere("{home}/.claude/skills"),  # read as well
    },
    "windsurf": {
        "settings": _everywhere("{home}/.codeium/windsurf/mcp_config.json"),
        "instructions": _everywhere("{home}/.codeium/windsurf/memories/global_rules.md"),
        "settings of Devin": (
            "{home}/.config/devin/config.json",
            "{home}/.config/devin/config.json",
            "{programs}/devin/config.json",
        ),
        "instructions of Devin": (
            "{home}/.config/devin/AGENTS.md",
            "{home}/.config/devin/AGENTS.md",
            "{programs}/devin/AGENTS.md",
        ),
    },
    "cline": {
        "settings": _everywhere("{cline-mcp}"),
        "instructions": _everywhere("{cline}/rules/foreword.md"),
        "skills": _everywhere("{cline}/skills"),
    },
    "zed": {
        "settings": (
            "{config}/zed/settings.json",
            "{home}/.config/zed/settings.json",
            "{programs}/Zed/settings.json",
        ),
        "instructions": (
            "{config}/zed/AGENTS.md",
            "{home}/.config/zed/AGENTS.md",
            "{programs}/Zed/AGENTS.md",
        ),
    },
    "jetbrains": {
        "settings": _everywhere("{home}/.junie/mcp/mcp.json"),
        "instructions": _everywhere("{home}/.junie/AGENTS.md"),
        "programs": _everywhere("{programs}/JetBrains"),  # of the IDEs themselves: only looked at
    },
    "claude-desktop": {
        "settings": _everywhere("{programs}/Claude/claude_desktop_config.json"),
        "packages": ("", "", "{local}/Packages"),  # where Windows keeps the files of packaged apps
    },
    "mimo": {
        "settings": _everywhere("{mimo}/mimocode.jsonc"),
        "instructions": _everywhere("{mimo}/AGENTS.md"),
        "skills": _everywhere("{mimo}/skills"),
    },
}


def path(client, what, system=None, environ=None, home=None):
    """The absolute path of a file or folder of a client, in the system's own spelling; "" where the system
    has no such place.

    `system`: one of SYSTEMS, this machine's without; `environ`: os.environ or the like; `home`: the user's.
    """
    system = system or this_system()
    environ = os.environ if environ is None else environ
    home = paths.user_home() if home is None else home
    template = PLACES[client][what][list(SYSTEMS).index(system)]
    if not template:
        return ""
    head, _, rest = template.partition("/")
    flavour = ntpath if system == WINDOWS else posixpath
    top = _top(head.strip("{}"), system, environ, home, flavour)
    return flavour.normpath(flavour.join(top, *rest.split("/"))) if rest else top


def this_system():
    return WINDOWS if os.name == "nt" else MACOS if sys.platform == "darwin" else LINUX


def _top(variable, system, environ, home, flavour):
    if variable == "home":
        return home
    if variable == "config":
        return _moved("XDG_CONFIG_HOME", system, environ, flavour) or flavour.join(home, ".config")
    if variable == "programs":
        if system == MACOS:
            return flavour.join(home, "Library", "Application Support")
        if system == WINDOWS:
            moved = _moved("APPDATA", system, environ, flavour)
            return moved or flavour.join(home, "AppData", "Roaming")
        return _top("config", system, environ, home, flavour)
    moved_by, otherwise, *below = FOLDERS[variable]
    moved = _moved(moved_by, system, environ, flavour)
    if moved:
        return flavour.join(moved, *below)
    head, _, rest = otherwise.partition("/")
    return flavour.join(_top(head.strip("{}"), system, environ, home, flavour), *rest.split("/"))


def _moved(variable, system, environ, flavour):
    """The folder that a variable of the environment names, absolute; "" where it does not count."""
    chosen = environ.get(variable) or ""
    if flavour.isabs(chosen):
        return chosen
    if not chosen or variable in OF_SYSTEM:
        return ""
    # Claude Code and Codex take a relative one from the folder where they are started.
    return flavour.abspath(chosen) if system == this_system() else chosen


def is_there(client, what):
    """Whether a place is on this machine, as a file or a folder."""
    return os.path.exists(path(client, what))

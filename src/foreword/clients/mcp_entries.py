"""The MCP servers that clients have configured, ours and everybody else's. Cold.

Reads the settings of every client, also those that the current folder brings along; writes nothing, starts
nothing, and what it cannot read it passes over.
"""

import json
import os
import re
import shlex

from foreword import files, paths
from foreword.clients import places
from foreword.clients.server_entry import SERVER
from foreword.edit import jsonc, toml
from foreword.errors import ForewordError
from foreword.text.frame import plain

_BREAK = re.compile(r"[\t\n\r]")


class Entry:
    """One server. client: "claude-code" and so on; config: the path of the settings; name: the entry's;
    value: the entry, whatever it is; remove: the command, or the words, that take it out.

    folder: the one in which alone it holds, "" for everywhere; is_of_folder: the settings are that folder's,
    so they came with a repository, maybe; is_wired: it has the name and the place that `foreword install`
    uses.
    """

    __slots__ = ("client", "config", "folder", "is_of_folder", "is_wired", "name", "remove", "value")

    def __init__(self, client, config, name, value, remove, folder, is_of_folder, is_wired):
        self.client, self.config, self.name, self.value = client, config, name, value
        self.remove, self.folder, self.is_of_folder, self.is_wired = remove, folder, is_of_folder, is_wired

    @property
    def is_off(self):
        """Whether the user has switched it off where it stands."""
        value = self.value
        return isinstance(value, dict) and (value.get("enabled") is False or value.get("disabled") is True)


# -- the table ---------------------------------------------------------------------------------

# (client, its file in places.PLACES, keys above {name: entry}). "*" stands for every key. Those of Claude
# Code 2.1.197, Codex 0.171.0, Gemini CLI 0.61.0 and opencode 1.18.33 were seen in runs, the others are
# those of their makers' documentation in 2026.
OF_USER = (
    ("claude-code", "state", ("mcpServers",)),
    ("claude-code", "state", ("projects", "*", "mcpServers")),
    ("codex", "settings", ("mcp_servers",)),
    ("gemini", "settings", ("mcpServers",)),
    ("opencode", "settings", ("mcp",)),
    ("opencode", "older settings", ("mcp",)),
    ("opencode", "oldest settings", ("mcp",)),
    ("cursor", "settings", ("mcpServers",)),
    ("vscode", "settings", ("servers",)),
    ("vscode", "older settings", ("mcp", "servers")),
    ("vscode", "settings of Insiders", ("servers",)),
    ("vscode", "settings of a remote", ("servers",)),
    ("vscode", "settings of a remote of Insiders", ("servers",)),
    ("windsurf", "settings", ("mcpServers",)),
    ("windsurf", "settings of Devin", ("mcpServers",)),
    ("cline", "settings", ("mcpServers",)),
    ("zed", "settings", ("context_servers",)),
    ("jetbrains", "settings", ("mcpServers",)),
    ("claude-desktop", "settings", ("mcpServers",)),
    ("mimo", "settings", ("mcp",)),
)
# (client, its file in places.PLACES) -> names of further files beside that, which it reads as well.
BESIDE = {("mimo", "settings"): ("mimocode.json", "config.json")}
# Where the packages are in which a client is -> (how a package's name begins, its settings in there).
PACKAGED = {
    ("claude-desktop", "packages"): (
        "Claude_",
        ("LocalCache", "Roaming", "Claude", "claude_desktop_config.json"),
        ("mcpServers",),
    ),
}
# The same of files in a project's folder: anybody may have written what a repository holds.
OF_FOLDER = (
    ("claude-code", ".mcp.json", ("mcpServers",)),
    ("cursor", ".cursor/mcp.json", ("mcpServers",)),
    ("vscode", ".vscode/mcp.json", ("servers",)),
)


def entries(home=None, environ=os.environ, folder=None, client=""):
    """[Entry] of every client, or of one, in the order of CLIENTS; [] without a home folder. `folder`: the
    project whose files count too, "" for none; the current folder without."""
    home = paths.user_home() if home is None else home
    folder = current_folder() if folder is None else folder
    return list(_entries(home, environ, folder, client)) if home else []


def _entries(home, environ, folder, only):
    read, seen = {}, set()
    for client, config, keys, is_of_folder in _files(home, environ, folder):
        if only not in ("", client):
            continue
        if (config, keys) in seen:
            continue  # the current folder is the home
        seen.add((config, keys))
        if config not in read:
            read[config] = values(config)
        for above, found in _below(read[config], keys):
            for name, value in found.items():
                is_wired = name == SERVER and not is_of_folder and above == keys
                remove = removal(client, config, name, above, is_of_folder)
                # Behind "projects" stands the folder that Claude Code keeps the entry for.
                holds_in = folder if is_of_folder else "".join(above[1:2] if "*" in keys else ())
                yield Entry(client, config, name, value, remove, holds_in, is_of_folder, is_wired)


def _files(home, environ, folder):
    """(client, path, keys, whether it is the folder's) of each row of the tables, by client."""
    rows = []
    for client, what, keys in OF_USER:
        path = places.path(client, what, None, environ, home)
        beside = [os.path.join(os.path.dirname(path), name) for name in BESIDE.get((client, what), ())]
        rows += [(client, each, keys, False) for each in (path, *beside)]
    for (client, what), (begins, inside, keys) in PACKAGED.items():
        top = places.path(client, what, None, environ, home)
        rows += [(client, each, keys, False) for each in _packaged(top, begins, inside)]
    is_home = _same(folder, home)
    for client, name, keys in OF_FOLDER if folder else ():
        # The home itself is no repository; .mcp.json is one's even there.
        of_folder = name == ".mcp.json" or not is_home
        rows.append((client, os.path.join(folder, *name.split("/")), keys, of_folder))
    order = list(dict.fromkeys(client for client, *_ in OF_USER))
    return sorted(rows, key=lambda row: order.index(row[0]))


def _packaged(top, begins, inside):
    """The settings of each package below a folder whose name begins so; [] where there is no such folder."""
    try:
        names = sorted(os.listdir(top)) if top else []
    except OSError:
        names = []
    return [os.path.join(top, name, *inside) for name in names if name.startswith(begins)]


def current_folder():
    """Where this process stands; "" when that folder is gone."""
    try:
        return os.getcwd()
    except OSError:
        return ""


def _same(one, other):
    return bool(one) and os.path.realpath(one) == os.path.realpath(other)


# -- how an entry is taken out -----------------------------------------------------------------


def removal(client, config, name, keys, is_of_folder=False):
    """The command that takes an entry out, or what to do by hand. `keys`: those above {name: entry}."""
    if client == "claude-code":
        scope = "project" if is_of_folder else "local" if keys[0] == "projects" else "user"
        there = f"cd {quoted(keys[1])} && " if scope == "local" else ""
        return there + _command("claude", "mcp", "remove", "--scope", scope, name)
    if client == "codex":
        return _command("codex", "mcp", "remove", name)
    if client == "gemini":
        return _command("gemini", "mcp", "remove", "-s", "user", name)
    return f'take "{name}" out of {".".join(keys)} in {config}'


def _command(*words):
    return " ".join(map(quoted, words))


def quoted(word):
    """A word as a shell takes it. One that holds what a terminal acts on, or does not show, stands as $'...'
    with the numbers of such bytes: bash, zsh and ksh read that."""
    if plain(word) == word and not _BREAK.search(word):
        return shlex.quote(word)
    try:
        data = os.fsencode(word)
    except UnicodeEncodeError:
        data = word.encode("utf-8", "surrogatepass")  # no file's name, and no word that a shell could have
    shown = (chr(n) if 32 <= n < 127 and n not in b"'\\" else "\\%03o" % n for n in data)
    return "$'" + "".join(shown) + "'"


# -- reading -----------------------------------------------------------------------------------


def values(path):
    """What a file of settings holds; {} where there is none, or none that can be read."""
    try:
        text = (files.read(path) or b"").decode("utf-8")
        if path.endswith(".toml"):
            return toml.parse(text)
        try:
            # Claude Code's state may have megabytes; the parser that knows comments, and the mark that
            # editors on Windows put in front, is slow for that.
            return json.loads(text)
        except ValueError:
            root = jsonc.parse(text)
            return root.plain() if root else {}
    except (OSError, ValueError, RecursionError, ForewordError):
        return {}


def _below(values, keys, above=()):
    """(keys, {name: entry}) of each object below a path of keys."""
    if not isinstance(values, dict):
        return
    if not keys:
        yield above, values
        return
    for key in values if keys[0] == "*" else keys[:1]:
        if key in values:
            yield from _below(values[key], keys[1:], (*above, key))

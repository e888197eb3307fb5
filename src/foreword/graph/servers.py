"""Other servers of a knowledge graph that clients have configured, and where their files are. Cold.

`foreword install` offers to go on with such a file. Reads what clients.mcp_entries finds, and looks into
a few folders; writes nothing, starts nothing, and what it cannot read it passes over.
"""

import glob
import os
import re
import shutil

from foreword import paths
from foreword.clients import mcp_entries, server_entry
from foreword.errors import ForewordError
from foreword.graph import place

REFERENCE, LEAN, FOREWORD = "reference", "memory-lean", "foreword"
CALLED = {REFERENCE: "the reference MCP memory server", LEAN: "memory-lean", FOREWORD: "Foreword itself"}
PACKAGE = "@modelcontextprotocol/server-memory"
VARIABLE = "MEMORY_FILE_PATH"
LEAN_DEFAULT = (".claude", "memory-graph", "memory.jsonl")  # below the user's home
NAMES = ("memory.jsonl", "memory.json")  # without the variable; versions before 2025.11 had the second
IN_DOCKER = "/app/dist"  # the package's folder in the image

# The package at any version, alone (npx, bunx, pnpm dlx) or as a folder on the way to its script.
_PACKAGE = re.compile(r"(.*/)?" + re.escape(PACKAGE) + r"(@[^/]*)?(/.*)?")
_IMAGE = re.compile(r"(docker\.io/)?mcp/memory([:@].*)?")
_VOLUME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]+")  # docker's rule; anything else is a path
_PROGRAMS = ("foreword", "foreword.cli")  # the command, and the module behind `python -m`
_ENDING = re.compile(r"\.(exe|cmd|ps1|c?js|mjs)$")
LONGEST = 4_096  # characters of a path: PATH_MAX; what is longer names no file
_VARIABLE = re.compile(r"\$\{(?:env:)?(\w+)(?::-([^}]*))?\}")


class Server:
    """An entry of a client's settings, or a file that is there without one.

    client: "claude-code" and so on, "" without an entry; config: the path of the settings; name: the
    entry's; kind: REFERENCE, LEAN, or FOREWORD for an entry of the user's own that starts our server;
    file: the absolute path of its graph, "" where it cannot be told (it need not exist);
    is_lost_on_update: the file lies in a cache or inside the package; remove: the command, or the words,
    that take the entry out; volume: (docker's volume that holds the file, its path in there), or ();
    is_of_folder: the settings are the current folder's, so they came with a repository, maybe.
    """

    __slots__ = (
        "client", "config", "file", "is_lost_on_update", "is_of_folder", "kind", "name", "remove", "volume",
    )  # fmt: skip

    def __init__(self, entry, kind, file, volume=()):
        self.client, self.config, self.name, self.remove = "", "", "", ""
        self.is_of_folder = False
        if entry:
            self.client, self.config, self.name = entry.client, entry.config, entry.name
            self.remove, self.is_of_folder = entry.remove, entry.is_of_folder
        self.kind, self.file, self.volume = kind, file, volume
        self.is_lost_on_update = is_lost_on_update(file)


# -- looking -----------------------------------------------------------------------------------


def servers(environ=os.environ):
    """[Server] of every entry that counts, in the table's order, then memory-lean's default file when no
    entry names it. [] without a home folder. The server that `foreword install` wired is none of them."""
    home = paths.user_home()
    found = []
    for entry in mcp_entries.entries(home, environ):
        kind = kind_of(entry.value)
        if not kind or (kind == FOREWORD and entry.is_wired):
            continue
        try:
            inherited = _inherited(entry, environ)
            file = _possible(_file(kind, entry.value, home, environ, inherited))
        except (OSError, ValueError, ForewordError):
            file = ""  # gone while we looked, no path at all, or our own settings cannot be read
        volume = () if file or kind != REFERENCE else _volume(entry.value, home, environ)
        found.append(Server(entry, kind, file, volume))
    default = os.path.join(home, *LEAN_DEFAULT)
    if home and os.path.isfile(default) and not any(_same(server.file, default) for server in found):
        found.append(Server(None, LEAN, default))
    return found


def own_entries(environ=os.environ):
    """[Server] of each entry of the user's own that starts our server, with whatever tools; `file` is not
    looked for."""
    return [
        Server(entry, FOREWORD, "")
        for entry in mcp_entries.entries(paths.user_home(), environ)
        if _after_serve(entry.value) is not None and not entry.is_wired
    ]


def _inherited(entry, environ):
    """The variables that a client hands on to an entry's server: Codex (0.171.0) those that `env_vars`
    names, the others all of them."""
    if entry.client != "codex":
        return environ
    passed = entry.value.get("env_vars")
    passed = passed if isinstance(passed, list) else ()
    return {key: environ[key] for key in passed if isinstance(key, str) and key in environ}


def _possible(file):
    """A path, "" for what no file can be called: JSON may spell half a surrogate pair, and a NUL."""
    try:
        return "" if b"\0" in os.fsencode(file) else file
    except UnicodeEncodeError:
        return ""


def _same(one, other):
    return bool(one) and os.path.realpath(one) == os.path.realpath(other)


def kind_of(entry):
    """REFERENCE, LEAN, FOREWORD for our own server with the graph's tools asked for (`serve --tools graph`,
    however it is started), or "" for an entry that starts none of them."""
    if "graph" in _tools(_after_serve(entry) or ()):
        return FOREWORD
    for word in _words(entry):
        plain = word.replace("\\", "/")
        last = plain.rpartition("/")[2].lower()
        if last == "memory-lean.mjs":
            return LEAN
        bare = _ENDING.sub("", last)
        if bare == "mcp-server-memory" or _PACKAGE.fullmatch(plain) or _IMAGE.fullmatch(plain):
            return REFERENCE
    return ""


def _after_serve(entry):
    """The words behind `foreword serve` in an entry; None where it does not start our server."""
    words = _words(entry)
    for n, word in enumerate(words[:-1]):
        last = word.replace("\\", "/").rpartition("/")[2].lower().partition("@")[0]
        if _ENDING.sub("", last) in _PROGRAMS and words[n + 1] == "serve":
            return words[n + 2 :]
    return None


def _tools(words):
    """What `--tools` names, in either of its two forms."""
    for n, word in enumerate(words):
        option, equals, value = word.partition("=")
        if option == "--tools":
            value = value if equals else "".join(words[n + 1 : n + 2])
            return [name.strip() for name in value.split(",")]
    return []


def _said(entry):
    """The command and the arguments of an entry, in whatever shape its client keeps them."""
    return server_entry.words(entry)


def _words(entry):
    """The words of a command and its arguments, also of those that are a shell's command line."""
    return [word.strip("\"'") for text in _said(entry) for word in text.split()]


# -- which file an entry means -----------------------------------------------------------------


def is_lost_on_update(file):
    """Whether a file lies inside the package, where the next version's install does not take it along."""
    return PACKAGE + "/" in file.replace("\\", "/")


def _file(kind, entry, home, environ, inherited):
    """The absolute path of the graph that an entry's server uses, "" where it cannot be told."""
    is_container = _is_container(entry)
    named = _filled_in(_named(entry, {} if is_container else inherited), home, environ)
    if named is None:
        return ""
    if kind == FOREWORD:
        return _ours(entry, named, home, environ, inherited)
    if is_container:
        return _outside(_said(entry), named, home)
    if kind == LEAN and not named:
        return os.path.join(home, *LEAN_DEFAULT)
    expanded = os.path.expanduser(named)
    if named and os.path.isabs(expanded) and (named == expanded or os.path.isfile(expanded)):
        return expanded
    # What is relative is taken from the package's folder; so is "~" by the versions until 2026.8.31.
    folders = _script_folders(entry) if kind == LEAN else _package_folders(entry, home, environ)
    there = [os.path.join(folder, name) for folder in folders for name in ([named] if named else NAMES)]
    newest = max(filter(os.path.isfile, there), key=os.path.getmtime, default="")
    return newest or (expanded if named and os.path.isabs(expanded) else "")


def _is_container(entry):
    """Whether a container is started; it inherits no variable."""
    return any(map(_IMAGE.fullmatch, _words(entry)))


def _ours(entry, named, home, environ, inherited):
    """The file that our own server uses in this entry's environment."""
    store = _filled_in(_named(entry, inherited, "FOREWORD_HOME"), home, environ)
    if store is None:
        return ""
    store = os.path.expanduser(store) if store else os.path.join(home, ".foreword")
    if not os.path.isabs(store):
        return ""  # the server takes no such store
    # Read here: settings.load keeps a copy of what it read, and nothing may be written.
    chosen = mcp_entries.values(os.path.join(store, "config.toml")).get("graph")
    chosen = chosen.get("file") if isinstance(chosen, dict) else ""
    chosen = {"graph.file": chosen if isinstance(chosen, str) else ""}
    return place.path_of(os.path.normpath(store), {VARIABLE: named}, chosen)


def _named(entry, environ, variable=VARIABLE):
    """What names the file: the entry's own environment, else its command line, else what it inherits."""
    for key in ("env", "environment"):
        own = entry.get(key)
        if isinstance(own, dict) and isinstance(own.get(variable), str):
            return own[variable]
    for text in _said(entry):
        # One word of its own, which may hold spaces, or a shell's command line.
        for word in [text] if not kind_of({"command": text}) else text.split():
            if word.startswith(variable + "="):
                return word.partition("=")[2].strip("\"'")
    return environ.get(variable, "")


def _filled_in(named, home, environ):
    """A path with the client's variables filled in; None where one is not known."""
    if len(named) > LONGEST:
        return None  # looking for variables in it could take seconds
    known = {**environ, "userHome": home, "workspaceFolder": mcp_entries.current_folder()}
    named = _VARIABLE.sub(lambda match: known.get(match[1], match[2]) or match[0], named)
    return None if "${" in named or "\0" in named or len(named) > LONGEST else named


def _package_folders(entry, home, environ):
    """Folders that the reference server takes for its own."""
    for text in _said(entry):
        plain = text.replace("\\", "/")
        if os.path.isabs(text) and _PACKAGE.fullmatch(plain):
            return [os.path.join(plain[: plain.index(PACKAGE)], PACKAGE, "dist")]
    for word in _words(entry):
        if _ENDING.sub("", os.path.basename(word)) == "mcp-server-memory":
            program = shutil.which(word, path=environ.get("PATH"))
            return [os.path.dirname(os.path.realpath(program))] if program else []
    cache = environ.get("npm_config_cache") or environ.get("NPM_CONFIG_CACHE")
    if not cache and os.name == "nt":
        cache = os.path.join(environ.get("LOCALAPPDATA") or home, "npm-cache")
    cache = glob.escape(cache or os.path.join(home, ".npm"))
    return glob.glob(os.path.join(cache, "_npx", "*", "node_modules", PACKAGE, "dist"))


def _script_folders(entry):
    return [os.path.dirname(text) for text in _said(entry) if text.endswith("memory-lean.mjs")]


def _outside(said, named, home):
    """Where the file of a container lies on this machine; "" when no folder of ours is mounted there."""
    for inside in [named] if named else NAMES:
        inside = os.path.normpath(os.path.join(IN_DOCKER, inside)).replace("\\", "/")
        for source, target in _mounts(said):
            source = os.path.expanduser(source)
            target = target.rstrip("/")
            if os.path.isabs(source) and (inside + "/").startswith(target + "/"):
                file = os.path.normpath(source + inside[len(target) :])
                if named or os.path.isfile(file):
                    return file
    return ""


def _volume(entry, home, environ):
    """(docker's volume, path in it) of a container's file, () when it is in none."""
    named = _filled_in(_named(entry, {}), home, environ) if _is_container(entry) else None
    if named is None:
        return ()
    inside = os.path.normpath(os.path.join(IN_DOCKER, named or NAMES[0])).replace("\\", "/")
    for source, target in _mounts(_said(entry)):
        target = target.rstrip("/")
        if _VOLUME.fullmatch(source) and inside.startswith(target + "/"):
            return source, inside[len(target) + 1 :]
    return ()


def _mounts(said):
    """(source, target) of what `docker run` is told to mount."""
    for n, text in enumerate(said):
        option, equals, value = text.partition("=")
        if option not in ("-v", "--volume", "--mount"):
            continue
        value = value if equals else "".join(said[n + 1 : n + 2])
        if option == "--mount":
            parts = {key: path for key, _, path in (part.partition("=") for part in value.split(","))}
            source, target = (
                next((parts[key] for key in keys if key in parts), "")
                for keys in (("src", "source"), ("dst", "destination", "target"))
            )
        else:
            match = re.match(r"(.+?):(/[^:]*)", value)  # a Windows source has a colon of its own
            source, target = match.groups() if match else ("", "")
        yield source, target

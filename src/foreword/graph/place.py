"""Which file is the graph, and the limits that hold for it: from the environment and config.toml.

The variables are those of the reference server and of memory-lean, so that a configured entry goes on as it
is when its command is swapped. Reads settings, touches no graph.
"""

import os

from foreword import paths, settings
from foreword.errors import ForewordError
from foreword.graph.file import GraphFile

FILE = "memory.jsonl"
VARIABLE = "MEMORY_FILE_PATH"
NUMBERS = (
    # variable, name in Limits, default, least
    ("MEMORY_OBS_MAX_CHARS", "characters", 300, 1),
    ("MEMORY_OBS_MAX", "observations", 15, 1),
    ("MEMORY_SEARCH_LIMIT", "found", 10, 1),
    ("MEMORY_BACKUPS_KEPT", "backups", 7, 0),
)
STRICT = "MEMORY_STRICT"
_YES, _NO = ("1", "true", "yes", "on"), ("", "0", "false", "no", "off")


class Limits:
    """characters: of one observation; observations: of one entity, before its oldest dated ones move to the
    archive; found: entities a search shows; backups: daily copies kept; strict: refuse relations to missing
    entities; wrong: sentences about variables that could not be used."""

    def __init__(self):
        self.characters, self.observations, self.found, self.backups = (row[2] for row in NUMBERS)
        self.strict = False
        self.wrong = []


def limits(environ=os.environ):
    """The Limits that the environment asks for; the default where a variable is of no use."""
    chosen = Limits()
    for variable, name, default, least in NUMBERS:
        text = environ.get(variable, "").strip()
        if text.isascii() and text.isdigit() and len(text) < 10 and int(text) >= least:
            setattr(chosen, name, int(text))
        elif text:
            chosen.wrong.append(f"{variable}={text[:20]} is no whole number from {least}: {default} is used")
    text = environ.get(STRICT, "").strip().lower()
    chosen.strict = text in _YES
    if text not in _YES + _NO:
        chosen.wrong.append(f"{STRICT}={text[:20]} is neither 1 nor 0: 0 is used")
    return chosen


def default(home):
    """The graph of the store."""
    return os.path.join(home, "graph", FILE)


def path_and_why(home, environ=os.environ, chosen=None):
    """(absolute path, what named it): MEMORY_FILE_PATH, else the setting graph.file, else the store's own,
    which nothing names (""). Raises ForewordError.

    A relative one lies below the store's graph folder. The reference server takes it from the folder of its
    own package, whatever the current folder is; from the current folder it would be another graph in every
    repository.
    """
    path, why = environ.get(VARIABLE), VARIABLE
    if not path:
        chosen = settings.load(home) if chosen is None else chosen
        path, why = chosen["graph.file"], "graph.file"
    if not path:
        return default(home), ""
    if "\0" in path:
        raise ForewordError(f"{why} is no path: it holds a NUL", "name the graph's file by its path")
    return os.path.normpath(os.path.join(home, "graph", os.path.expanduser(path))), why


def path_of(home, environ=os.environ, chosen=None):
    """The absolute path of the graph; see `path_and_why`."""
    return path_and_why(home, environ, chosen)[0]


def open_graph(path="", environ=os.environ, home=None):
    """The GraphFile at `path` (from the current folder), else the one in use with the store `home`, by
    default the environment's. Raises ForewordError."""
    if path:
        return GraphFile(os.path.abspath(os.path.expanduser(path)), limits(environ))
    home = paths.home() if home is None else home
    if not home and not os.path.isabs(os.path.expanduser(environ.get(VARIABLE) or "")):
        raise ForewordError("no home folder is known", "set FOREWORD_HOME to a folder of yours")
    return GraphFile(path_of(home, environ), limits(environ))

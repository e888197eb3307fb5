"""A client's cold modules, loaded when they are asked for: `parts` says what each of them offers."""

import importlib

from foreword.clients import CLIENTS, served

# The clients with a health.py: what is installed there is more than a server and a text.
OWN_HEALTH = ("claude-code", "codex", "gemini", "opencode")


def install(name):
    """The module that knows what goes into a client's files."""
    return importlib.import_module(CLIENTS[name] + ".install")


def health(name):
    """What tells whether a client has its memory: is_wired, findings, plugins, wants_skills."""
    if name in OWN_HEALTH:
        return importlib.import_module(CLIENTS[name] + ".health")
    return served.Health(install(name))

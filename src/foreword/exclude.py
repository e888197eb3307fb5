"""What is never stored: folders, projects and prompts that config.toml names. Hot; loaded only where it names
any.

What cannot be used (a pattern that is none) excludes everything it could have meant: nothing is stored that
somebody wanted left out.
"""

import os
import re

PATHS, PROJECTS, PROMPTS = "exclude.paths", "exclude.projects", "exclude.prompts"
_READ = 4_000  # characters of a prompt at either end that patterns are matched against
# A repetition of what holds one may take for ever, and nothing, not even the watchdog, runs meanwhile.
_NESTED = r"[*+}][^()]*\)[*+{?]|\([^()]*\([^()]*\)[*+?][^()]*\)[*+{]"


def place(chosen, folder, name=""):
    """The setting by which a folder (absolute), or the project of that name in the store (`app-1a2b3c4d`), is
    excluded; "" where none does."""
    if _holds(chosen.get(PATHS), folder):
        return PATHS
    projects = chosen.get(PROJECTS) or []
    if name and any(name == one or name.rpartition("-")[0] == one for one in projects):
        return PROJECTS
    return PROJECTS if _holds([one for one in projects if _is_path(one)], folder) else ""


def prompt(chosen, text):
    """The setting by which a prompt is excluded; "" where none does."""
    read = text if len(text) <= 2 * _READ else text[:_READ] + "\n" + text[-_READ:]
    for pattern in chosen.get(PROMPTS) or []:
        if (expression := _expression(pattern)) is None:
            if pattern.casefold() in read.casefold():
                return PROMPTS
            continue
        try:
            if problem(pattern) or re.search(expression, read, re.IGNORECASE):
                return PROMPTS
        except (re.error, RecursionError, OverflowError):
            return PROMPTS
    return ""


def problem(pattern):
    """Why a pattern for prompts cannot be used, as a sentence; "" where it can."""
    expression = _expression(pattern)
    if expression is None:
        return "" if pattern.strip() else "A blank pattern would exclude every prompt."
    try:
        re.compile(expression)
    except (re.error, RecursionError, OverflowError) as error:
        return f"{pattern} is no regular expression: {error}; every prompt is excluded."
    if re.search(_NESTED, expression):
        return f"{pattern} repeats a repetition, which may take for ever; every prompt is excluded."
    return ""


def _expression(pattern):
    """What stands between the slashes of `/.../`; None for plain text."""
    return pattern[1:-1] if len(pattern) > 2 and pattern[0] == pattern[-1] == "/" else None


def _is_path(text):
    return text.startswith(("/", "~")) or os.path.isabs(text)


def _holds(patterns, folder):
    """Whether a folder is one of those that patterns name, or below one."""
    if not patterns or not folder:
        return False
    folders = set()
    for at in {os.path.normpath(folder), os.path.realpath(folder)}:
        while at not in folders:
            folders.add(at)
            at = os.path.dirname(at)
    return any(re.fullmatch(_globbed(pattern), at) for pattern in patterns for at in folders)


def _globbed(pattern):
    """A pattern of paths as a regular expression: `*` within a folder's name, `**` over any, `?` a letter."""
    pattern = os.path.expanduser(pattern).rstrip("/") or "/"
    if not pattern.startswith(("/", "*")):
        pattern = "**/" + pattern
    made = re.escape(pattern).replace(r"\*\*/", "(?:.*/)?").replace(r"\*\*", ".*").replace(r"\*", "[^/]*")
    return made.replace(r"\?", "[^/]")

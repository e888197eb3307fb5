"""What is never stored: folders, projects and prompts that config.toml names. Hot; loaded only where it names
any.

What cannot be used (a pattern that is none) excludes everything it could have meant: nothing is stored that
somebody wanted left out.
"""

import os
import re
import sys

PATHS, PROJECTS, PROMPTS = "exclude.paths", "exclude.projects", "exclude.prompts"
_READ = 4_000  # characters of a prompt at either end that patterns are matched against
# A repetition of what holds one, or a choice, may take for ever; and nothing, not even the watchdog, runs
# meanwhile.
_NESTED = (
    r"[*+}][^()]*(?:\)[^()]*)*\)[*+{]|\([^()]*\([^()]*\)[*+?][^()]*\)[*+{]"
    r"|\|[^()]*\)[*+{]|\)[^()]*\|[^()]*\)[*+{]"
)
_LONGEST_S = 0.25  # of CPU for one pattern: what was not found by then counts as found
# Where `Work` and `work` are one folder.
_CASE = re.IGNORECASE if sys.platform in ("darwin", "win32") else re.NOFLAG


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
            if problem(pattern) or _matches(expression, read):
                return PROMPTS
        except (re.error, RecursionError, OverflowError):
            return PROMPTS
    return ""


def _matches(expression, text):
    """Whether an expression is found in a text, or takes longer than _LONGEST_S to say so.

    The clock needs a signal, so it runs in a process's main thread alone (that of a hook is one), and not on
    Windows.
    """
    import signal

    def ring(number, frame):
        raise TimeoutError

    try:
        before = signal.signal(signal.SIGVTALRM, ring)
    except (AttributeError, ValueError):
        return bool(re.search(expression, text, re.IGNORECASE))
    try:
        signal.setitimer(signal.ITIMER_VIRTUAL, _LONGEST_S)
        try:
            return bool(re.search(expression, text, re.IGNORECASE))
        finally:
            signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    except TimeoutError:
        return True
    finally:
        signal.signal(signal.SIGVTALRM, before)


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
        told = "repeats a repetition or a choice, which may take for ever"
        return f"{pattern} {told}; every prompt is excluded."
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
    expressions = {_globbed(one) for pattern in patterns for one in _spelt(pattern)}
    return any(re.fullmatch(one, at.replace(os.sep, "/"), _CASE) for one in expressions for at in folders)


def _spelt(pattern):
    """A pattern of paths as it is written and, where it leads over a link, as a client that resolves links
    would name what it is about; with `/`, and without a `/**` behind it: a folder goes with what is below it.
    """
    pattern = os.path.expanduser(pattern).replace(os.sep, "/")
    while pattern.endswith(("/", "/**")):
        pattern = pattern.removesuffix("/**").rstrip("/")
    if not os.path.isabs(pattern):
        return (pattern or "/",)
    fixed = re.split(r"[*?]", pattern, maxsplit=1)[0]
    if fixed != pattern:
        fixed = fixed.rpartition("/")[0]
    return pattern, os.path.realpath(fixed or "/").replace(os.sep, "/").rstrip("/") + pattern[len(fixed) :]


def _globbed(pattern):
    """A pattern of paths as a regular expression: `*` within a folder's name, `**` over any, `?` a letter."""
    if not pattern.startswith(("/", "*")) and not os.path.isabs(pattern):
        pattern = "**/" + pattern
    made = re.escape(pattern).replace(r"\*\*/", "(?:.*/)?").replace(r"\*\*", ".*").replace(r"\*", "[^/]*")
    return made.replace(r"\?", "[^/]")

"""Which lines and names of a file a text cites. Hot; pure; loaded only where a file is cited."""

import re

NEAR = (
    120  # characters between a path and what is said of it; of 240 mentions in real answers 29 % have a name
)
# so near, 15 % "line N", 13 % both, 13 % a line right behind the path
MOST_PLACES = 8  # at which a text names one file
MOST = 12  # marks of one file
_LAST_LINE = 10_000_000

# Right behind a path: `:42`, `:42-61`, `:42:7`, `#L42-L61`, `(42)`, `(42,7)`, `::name`.
_BEHIND = (
    r"`?(?::(\d{1,7})(?:[-–](\d{1,7}))?|#L?(\d{1,7})(?:-L?(\d{1,7}))?|\((\d{1,7})[,)]"
    r"|::([A-Za-z_]\w*(?:(?:::|\.)\w+)*))"
)
_LINES = (
    r"(?i)\blines?\s{1,3}(\d{1,7})(?:\s{0,3}(?:-|–|to|and|through)\s{0,3}(\d{1,7}))?"
    r"|第?\s?(\d{1,7})(?:\s?[-~〜–]\s?(\d{1,7}))?\s?行"
)
_NAMES = (
    r"`([A-Za-z_$][\w$]*(?:(?:\.|::|#)[A-Za-z_$][\w$]*){0,3})(?:\([^`\n]{0,60}\))?`"
    r"|\b([A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*){0,3})\(\)"
)
_SHORTEST_NAME = 3


def marks(text, spelled):
    """[(line or 0, name or "")] of what a text cites of one file, in order, each once; `spelled`: the ways in
    which it names the file.

    A line right behind the path counts alone; else a line that is said near it; else the names near it, which
    are guesses: only those that the file defines count (see spans.take).
    """
    found = {}
    for at, end in _places(text, spelled):
        for mark in _behind(text, end) or _near(text, at, end):
            found[mark] = None
        if len(found) >= MOST:
            break
    return list(found)[:MOST]


def _places(text, spelled):
    """[(start, end)] of where a file is named, in order, the longest spelling first."""
    found = {}
    for name in sorted(set(spelled), key=len, reverse=True):
        at = text.find(name)
        while at >= 0 and len(found) < MOST_PLACES:
            end = at + len(name)
            whole = not (text[end : end + 1].isalnum() or (at > 0 and text[at - 1 : at].isalnum()))
            if whole and not any(start <= at < stop for start, stop in found.items()):
                found[at] = end
            at = text.find(name, end)
    return sorted(found.items())


def _behind(text, end):
    matched = re.compile(_BEHIND).match(text, end)
    if not matched:
        return []
    *lines, name = matched.groups()
    if name:
        return [(0, name.replace("::", "."))]
    return _lines(*[line for line in lines if line])


def _lines(first, last=None):
    """Marks of a range: where it begins and where it ends."""
    numbers = [int(first)] + ([int(last)] if last and int(first) < int(last) < _LAST_LINE else [])
    return [(number, "") for number in numbers if number]


def _near(text, at, end):
    """What stands around a path, in the same paragraph."""
    start = max(0, at - NEAR, text.rfind("\n\n", max(0, at - NEAR), at))
    stop = text.find("\n\n", end, end + NEAR)
    stop = end + NEAR if stop < 0 else stop
    before, behind = text[start:at], text[end:stop]
    # The nearest: behind the path first, for "src/a.py, line 3" is said more often than the other way round.
    for part, nearest in ((behind, 0), (before, -1)):
        said = [found.groups() for found in re.finditer(_LINES, part)]
        if said:
            return _lines(*[line for line in said[nearest] if line])
    names = {}
    for part in (before, behind):
        for found in re.finditer(_NAMES, part):
            name = (found.group(1) or found.group(2)).replace("::", ".").replace("#", ".")
            if len(name) >= _SHORTEST_NAME:
                names[0, name] = None
    return list(names)

"""YAML front matter by lines: written in a subset that is also JSON, split, and rewritten so that
only the keys we set change. Hot. Reading values is `store.read`'s work, with PyYAML.
"""

import json
import re

FENCE = "---"
_PLAIN_KEYS = ("id", "type", "created", "checked", "source", "basis", "origin", "offer")
_PLAIN = r"[A-Za-z0-9](?:[A-Za-z0-9_./:+-]*[A-Za-z0-9_./+-])?\Z"  # `a:` would be a key
# YAML allows fewer raw characters than JSON: C1 controls, NEL, line and paragraph separators, the BOM
# and non-characters must be escaped, or other readers reject or fold them. Half a surrogate pair is
# no character: libyaml refuses even its escape, and with it the whole front matter.
_RAW_UNFIT = "[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff\ud800-\udfff]"
_ENDS_LINE = r"\r\n|\n"


def scalar(text):
    """A string as a double-quoted YAML (and JSON) scalar on one line."""
    return re.sub(_RAW_UNFIT, _escaped, json.dumps(text, ensure_ascii=False))


def _escaped(found):
    code = ord(found.group())
    return "\ufffd" if 0xD800 <= code <= 0xDFFF else f"\\u{code:04x}"


def line(key, value) -> str:
    """`key: value` for a str, a bool, a list of str, or a list of dicts of both (one `- {...}` line each)."""
    if isinstance(value, bool):
        return "{}: {}".format(key, "true" if value else "false")
    if isinstance(value, str):
        # ids, dates, types and words need no quotes; all else is quoted so that YAML cannot
        # make a number, a date or a tag of it.
        plain = key in _PLAIN_KEYS and re.match(_PLAIN, value)
        return f"{key}: {value if plain else scalar(value)}"
    if value and isinstance(value[0], dict):
        rows = ["  - {{{}}}".format(", ".join(f"{k}: {_flow(v)}" for k, v in row.items())) for row in value]
        return "\n".join([f"{key}:", *rows])
    return f"{key}: {_flow(value)}"


def _flow(value):
    return scalar(value) if isinstance(value, str) else "[{}]".format(", ".join(map(scalar, value)))


def render(fields, body):
    """A whole memory: front matter from a dict (order kept, None left out), then the body."""
    head = [line(k, v) for k, v in fields.items() if v is not None]
    return "\n".join([FENCE, *head, FENCE, "", body.rstrip("\n")]) + "\n"


def split(text):
    """(front matter without its fences, body) of a memory; ("", text) when it has none.

    A BOM before the fence and CRLF line ends are accepted; blank lines around the body are not part
    of it.
    """
    found = _fences(text)
    if found is None:  # no fence, or one that never closes: all of it is body
        return "", text.removeprefix("\ufeff").strip("\r\n")
    start, stop, after = found
    return text[start:stop], text[after:].strip("\r\n")


def is_open(text):
    """True when a text begins with a fence that is never closed."""
    first = re.split(_ENDS_LINE, text.removeprefix("\ufeff"), maxsplit=1)[0]
    return first.startswith(FENCE) and first.rstrip() == FENCE and _fences(text) is None


def is_fenced(text):
    """True when a text has front matter, though it may be empty."""
    return _fences(text) is not None


def line_of(text, key):
    """The number of the line (the first is 1) that a key of the front matter stands on; 1 when on none."""
    head = split(text)[0]
    for number, row in enumerate(head.split("\n"), start=2):
        if _starts(row + "\n", key):
            return number
    return 1


def rewrite(text, changes, body=None):
    """The memory with some keys set (a value of None removes the key) and, if given, a new body.

    Everything else stays as it was, to the byte: comments, unknown keys, order, blank lines, line ends.
    """
    found = _fences(text)
    if found is None:
        bom = "\ufeff" if text.startswith("\ufeff") else ""
        newline = "\r\n" if "\r\n" in text else "\n"
        text = bom + newline.join([FENCE, FENCE, "", text[len(bom) :]])
        start = stop = len(bom + FENCE + newline)
        after = stop + len(FENCE + newline)
    else:
        start, stop, after = found
        newline = "\r\n" if text[:start].endswith("\r\n") else "\n"
    rows = [row + "\n" for row in text[start:stop].split("\n")[:-1]]
    for key, value in changes.items():
        new = [] if value is None else [row + newline for row in line(key, value).split("\n")]
        _set(rows, key, new)
    tail = text[after:]
    if body is not None:
        old, new = tail.strip("\r\n"), body.strip("\r\n")
        if not old and new:
            tail = newline + new + newline
            if not text[:after].endswith("\n"):
                tail = newline + tail
        elif old != new:
            at = len(tail) - len(tail.lstrip("\r\n"))
            tail = tail[:at] + new + tail[at + len(old) :]
    return "".join([text[:start], *rows, text[stop:after], tail])


def _fences(text):
    """(start and end of what stands between the fences, end of the closing line); None without both."""
    ends = re.compile(_ENDS_LINE)
    at = 1 if text.startswith("\ufeff") else 0
    start = None
    while at < len(text):
        end = ends.search(text, at)
        stop = end.start() if end else len(text)
        is_fence = text.startswith(FENCE, at) and text[at:stop].rstrip() == FENCE
        after = end.end() if end else len(text)
        if start is None:
            if not is_fence or not end:
                return None
            start = after
        elif is_fence:
            return start, at, after
        at = after
    return None


def _set(rows, key, new):
    """Put `new` where the first rows of `key` are (at the end when it has none); later ones go."""
    place = None
    at = 0
    while at < len(rows):
        if not _starts(rows[at], key):
            at += 1
            continue
        end = _end(rows, at)
        rows[at:end] = [] if place is not None else new
        if place is None:
            place = at
            at += len(new)
    if place is None:
        rows.extend(new)


def _starts(row, key):
    for written in (key, f'"{key}"', f"'{key}'"):
        if row.startswith(written):
            rest = row[len(written) :].lstrip(" \t")
            return rest[:1] == ":" and rest[1:2] in ("", " ", "\t", "\r", "\n")
    return False


def _end(rows, start):
    """One past the last row of a value: indented rows and `- ` items, and what stands between them.

    Blank rows and comments after the last of them belong to what follows.
    """
    end = at = start + 1
    is_block = re.search(r":[ \t]+[|>]", rows[start]) is not None  # there `#` opens no comment
    while at < len(rows):
        row = rows[at]
        bare = row.strip()
        if bare and (is_block or bare[0] != "#") and (row[0] in " \t" or row.startswith("- ") or bare == "-"):
            end = at + 1
        elif bare and (is_block or bare[0] != "#"):
            break  # a comment that is not indented ends a block, too
        at += 1
    return end

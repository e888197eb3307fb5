"""YAML front matter by lines: written in a subset that is also JSON, split, and rewritten so that
only the keys we set change. Hot. Reading values is `store.read`'s work, with PyYAML.
"""

import json
import re

FENCE = "---"
_PLAIN = r"[A-Za-z0-9][A-Za-z0-9_./:+-]*\Z"
# YAML allows fewer raw characters than JSON: C1 controls, NEL, line and paragraph separators, the BOM
# and non-characters must be escaped, or other readers reject or fold them.
_RAW_UNFIT = "[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff\ud800-\udfff]"
_ENDS_LINE = r"\r\n|\n"


def scalar(text):
    """A string as a double-quoted YAML (and JSON) scalar on one line."""
    return re.sub(_RAW_UNFIT, lambda m: f"\\u{ord(m.group()):04x}", json.dumps(text, ensure_ascii=False))


def line(key, value) -> str:
    """`key: value` for a str, a bool, a list of str, or a list of dicts (one `- {...}` line each)."""
    if isinstance(value, bool):
        return "{}: {}".format(key, "true" if value else "false")
    if isinstance(value, str):
        # ids, dates, types and words need no quotes; all else is quoted so that YAML cannot
        # make a number, a date or a tag of it.
        plain = key in ("id", "type", "created", "source", "basis") and re.match(_PLAIN, value)
        return f"{key}: {value if plain else scalar(value)}"
    if value and isinstance(value[0], dict):
        rows = ["  - {{{}}}".format(", ".join(f"{k}: {scalar(v)}" for k, v in row.items())) for row in value]
        return "\n".join([f"{key}:", *rows])
    return "{}: [{}]".format(key, ", ".join(scalar(v) for v in value))


def render(fields, body):
    """A whole memory: front matter from a dict (order kept, None left out), then the body."""
    head = [line(k, v) for k, v in fields.items() if v is not None]
    return "\n".join([FENCE, *head, FENCE, "", body.rstrip("\n")]) + "\n"


def split(text):
    """(front matter without its fences, body) of a memory; ("", text) when it has none.

    A BOM before the fence and CRLF line ends are accepted; blank lines around the body are not part
    of it.
    """
    start = 1 if text.startswith("\ufeff") else 0
    first = re.compile(_ENDS_LINE).search(text, start)
    if not first or text[start : first.start()].rstrip() != FENCE:
        return "", text[start:].strip("\r\n")
    at = first.end()
    ends = re.compile(_ENDS_LINE)
    while at < len(text):
        end = ends.search(text, at)
        stop = end.start() if end else len(text)
        if text[at:stop].rstrip() == FENCE and text[at] == "-":
            return text[first.end() : at], text[end.end() if end else stop :].strip("\r\n")
        if not end:
            break
        at = end.end()
    return "", text[start:].strip("\r\n")  # the fence never closes: all of it is body


def rewrite(text, changes, body=None):
    """The memory with some keys set (a value of None removes the key) and, if given, a new body.

    Everything else in the front matter stays as it was, to the byte: comments, unknown keys, order.
    """
    head, old_body = split(text)
    newline = "\r\n" if "\r\n" in head else "\n"
    lines: list[str] = head.splitlines()
    for key, value in changes.items():
        start = next((i for i, row in enumerate(lines) if _starts(row, key)), None)
        new = [] if value is None else line(key, value).split("\n")
        if start is None:
            lines.extend(new)
            continue
        end = start + 1
        while end < len(lines) and _continues(lines[end]):
            end += 1
        lines[start:end] = new
    kept = (old_body if body is None else body).strip("\r\n")
    return newline.join([FENCE, *lines, FENCE, "", ""]) + kept + newline


def _starts(row, key):
    bare = row.lstrip('"') if row.startswith('"') else row
    return bare.startswith(key) and re.match(r'"?\s*:(\s|$)', bare[len(key) :]) is not None


def _continues(row):
    return row.startswith((" ", "\t", "- ")) or row.strip() in ("", "-")

"""How a JSON text is written: line ends, indentation, tight or loose, and new values in that manner.

Looks at the text and at Nodes of `edit.jsonc`, which has the edits; changes nothing.
"""

import json
import re

NEWLINE = re.compile(r"\r\n|\n|\r")


def dumped(value, indent=None, tight=False):
    separators = (",", ":") if tight else None
    text = json.dumps(value, ensure_ascii=False, indent=indent, separators=separators)
    try:
        text.encode()
    except UnicodeEncodeError:  # half a surrogate pair has no UTF-8
        return json.dumps(value, indent=indent, separators=separators)
    return text


def spread(key, value, inner, unit, newline):
    """A member over several lines, the later ones indented by `inner`."""
    name = "" if key is None else dumped(key) + ": "
    return name + dumped(value, indent=unit).replace("\n", newline + inner)


def compact(text, node, key, value):
    """A member on one line."""
    tight = is_tight(text, node)
    name = "" if key is None else dumped(key) + (":" if tight else ": ")
    return name + dumped(value, tight=tight)


def is_tight(text, node):
    """Whether a container is written without spaces, like {"a":1,"b":2}."""
    if node.kind == "object" and node.members:
        first = node.members[0]
        return text[first.node.start - 1] == ":"
    if len(node.members) > 1:
        return node.members[1].start == node.members[0].comma + 1
    return not re.search(r"[:,][ \t\r\n]", text)


def newline(text):
    found = NEWLINE.search(text)
    return found[0] if found else "\n"


def indent(text, at):
    """The white space that starts the line of an offset."""
    start = max(text.rfind("\n", 0, at), text.rfind("\r", 0, at)) + 1
    return re.compile(r"[ \t]*").match(text, start)[0]  # pyright: ignore[reportOptionalSubscript]


def unit(text):
    """One level of indentation as the file has it: the white space before its first indented line."""
    found = re.search(r'[\r\n]([ \t]+)["{}\[\]]', text)
    return found[1] if found else "  "

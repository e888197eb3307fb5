"""JSON and JSONC edited by text span: what is not ours stays as it is, to the byte.

`parse` gives nodes with offsets; the edits take a text and return a new one. Comments, trailing
commas, a BOM, CRLF, tabs, duplicate keys and one-line files are kept. New members go to the front
of their object or array: then no line of the user's changes, not even by a comma.
"""

import json

from foreword.errors import ForewordError

DEEPEST = 200  # levels; deeper files are no settings


class Node:
    """kind: object, array, string or other. text[start:end] is the value.

    `members` of an object: [(key, key's start, Node)]; of an array: [("", item's start, Node)].
    """

    __slots__ = ("end", "kind", "members", "start", "value")

    def __init__(self, kind, start, end, value=None, members=()):
        self.kind, self.start, self.end, self.value = kind, start, end, value
        self.members = list(members)

    def get(self, key):
        """The member under a key (the last one, as parsers take it), or None."""
        for name, _, node in reversed(self.members):
            if self.kind == "object" and name == key:
                return node
        return None

    def plain(self):
        """The value as Python has it."""
        if self.kind == "object":
            return {key: node.plain() for key, _, node in self.members}
        if self.kind == "array":
            return [node.plain() for _, _, node in self.members]
        return self.value


class MalformedError(ForewordError):
    def __init__(self, text, at, what):
        self.line = text.count("\n", 0, at) + 1
        self.column = at - (text.rfind("\n", 0, at) + 1) + 1
        self.what = what
        super().__init__("line %d, column %d: %s" % (self.line, self.column, what))


def parse(text):
    """The root Node. An empty text (white space and comments) is an empty object of no length.

    Raises MalformedError (with line, column, what).
    """
    at = _skip(text, 1 if text.startswith("\ufeff") else 0)
    if at == len(text):
        return Node("object", at, at)
    root = _value(text, at, 0)
    rest = _skip(text, root.end)
    if rest != len(text):
        raise MalformedError(text, rest, "something follows the end of the value")
    return root


def _skip(text, at):
    """Past white space and comments."""
    while at < len(text):
        if text[at] in " \t\r\n":
            at += 1
        elif text.startswith("//", at):
            end = text.find("\n", at)
            at = len(text) if end < 0 else end
        elif text.startswith("/*", at):
            end = text.find("*/", at + 2)
            if end < 0:
                raise MalformedError(text, at, "a comment is never closed")
            at = end + 2
        else:
            break
    return at


def _value(text, at, depth):
    if at >= len(text):
        raise MalformedError(text, at, "a value is missing")
    if depth > DEEPEST:
        raise MalformedError(text, at, "nested too deeply")
    if text[at] == "{" or text[at] == "[":
        return _container(text, at, depth)
    if text[at] == '"':
        end = _string_end(text, at)
        try:
            return Node("string", at, end, json.loads(text[at:end], strict=False))
        except ValueError as error:
            raise MalformedError(text, at, "a string is malformed") from error
    end = at
    while end < len(text) and text[end] not in " \t\r\n,]}/:":
        end += 1
    try:
        value = json.loads(text[at:end])
    except ValueError as error:
        raise MalformedError(text, at, "expected a value, found %r" % text[at : at + 20]) from error
    return Node("other", at, end, value)


def _string_end(text, at):
    end = at + 1
    while end < len(text) and text[end] != '"':
        if text[end] == "\n":
            break
        end += 2 if text[end] == "\\" else 1
    if end >= len(text) or text[end] != '"':
        raise MalformedError(text, at, "a string is never closed")
    return end + 1


def _container(text, at, depth):
    kind, close = ("object", "}") if text[at] == "{" else ("array", "]")
    node = Node(kind, at, at)
    where = _skip(text, at + 1)
    while True:
        if where >= len(text):
            raise MalformedError(text, at, "%r is never closed" % text[at])
        if text[where] == close:
            node.end = where + 1
            return node
        start, key = where, ""
        if kind == "object":
            if text[where] != '"':
                raise MalformedError(text, where, "expected a key in quotes or %r" % close)
            end = _string_end(text, where)
            key = json.loads(text[where:end], strict=False)
            where = _skip(text, end)
            if text[where : where + 1] != ":":
                raise MalformedError(text, where, "expected ':' after a key")
            where = _skip(text, where + 1)
        value = _value(text, where, depth + 1)
        node.members.append((key, start, value))
        where = _skip(text, value.end)
        if text[where : where + 1] == ",":
            where = _skip(text, where + 1)
        elif text[where : where + 1] != close:
            raise MalformedError(text, min(where, len(text)), "expected ',' or %r" % close)


# -- edits -------------------------------------------------------------------------------------


def at_path(root, path):
    """The node under a path of keys and indexes; None when there is none."""
    for step in path:
        if root is None:
            return None
        if isinstance(step, int):
            inside = root.kind == "array" and step < len(root.members)
            root = root.members[step][2] if inside else None
        else:
            root = root.get(step)
    return root


def value_at(text, path, default=None):
    """The value under a path of keys and indexes as Python has it, else `default`."""
    node = at_path(parse(text), path)
    return default if node is None else node.plain()


def put(text, path, value):
    """The text with the value under a path of keys set; missing objects are made."""
    root = parse(text)
    if root.start == root.end:
        return _first(text, root, path, value)
    node = root
    for n, key in enumerate(path):
        child = node.get(key)
        if child is None:
            for missing in reversed(path[n + 1 :]):
                value = {missing: value}
            return _insert(text, node, value, key)
        if n < len(path) - 1 and child.kind != "object":
            raise ForewordError("%s is no object" % ".".join(path[: n + 1]), "mend that by hand first")
        node = child
    return text[: node.start] + _rendered(text, value, node.start) + text[node.end :]


def push(text, path, value):
    """The text with a value added to the array under a path; the array is made when it is missing."""
    root = parse(text)
    node = at_path(root, path)
    if node is None:
        return put(text, path, [value])
    if node.kind != "array":
        raise ForewordError("%s is no list" % ".".join(map(str, path)), "mend that by hand first")
    return _insert(text, node, value)


def replace(text, path, value):
    """The text with the node under a path of keys and indexes replaced."""
    node = at_path(parse(text), path)
    if node is None:
        raise KeyError(path)
    return text[: node.start] + _rendered(text, value, node.start) + text[node.end :]


def drop(text, path):
    """The text without the member under a path; a container that is left blank closes up."""
    *above, last = path
    node = at_path(parse(text), above)
    if node is None:
        return text
    if node.kind == "object":
        found = [n for n, (key, _, _) in enumerate(node.members) if key == last]
        if not found:
            return text
        index = found[-1]
    else:
        index = last
    _, start, value = node.members[index]
    end = value.end
    comma = _skip(text, end)
    followed = text[comma] == ","
    while text[start - 1] in " \t\r\n":
        start -= 1  # the white space before it is its own
    if followed:
        end = comma + 1
        if index == 0 and start == node.start + 1 and value.start - start < 2 and text[end : end + 1] == " ":
            end += 1  # one line: "[ours, theirs]"
    elif index > 0:
        before = node.members[index - 1][2].end
        at = _skip(text, before)
        return text[:at] + text[at + 1 : start] + text[end:]  # the comma before it goes too
    text = text[:start] + text[end:]
    closing = node.end - (end - start) - 1
    if len(node.members) == 1 and not text[node.start + 1 : closing].strip():
        text = text[: node.start + 1] + text[closing:]
    return text


def _first(text, root, path, value):
    for key in reversed(path):
        value = {key: value}
    newline = _newline(text)
    head = text[: root.start]
    if head.strip("\ufeff").strip() and not head.endswith("\n"):
        head += newline
    return head + json.dumps(value, indent=2, ensure_ascii=False).replace("\n", newline) + newline


def _insert(text, node, value, key=None):
    """A new member at the front of a container."""
    name = "" if key is None else json.dumps(key, ensure_ascii=False) + ": "
    open_end = node.start + 1
    newline = _newline(text)
    if not node.members:
        inner = _indent(text, node.start) + _unit(text)
        body = newline + inner + name + _shifted(value, inner, _unit(text), newline)
        rest = text[open_end : node.end - 1]
        after = rest if rest.strip() else newline + _indent(text, node.start)
        return text[:open_end] + body + after + text[node.end - 1 :]
    first = node.members[0][1]
    if "\n" in text[open_end:first]:
        inner = _indent(text, first)
        body = newline + inner + name + _shifted(value, inner, _unit(text), newline) + ","
    else:
        gap = "" if text[open_end] in " \t" else " "
        body = name + json.dumps(value, ensure_ascii=False) + "," + gap
    return text[:open_end] + body + text[open_end:]


def _rendered(text, value, at):
    if "\n" not in text.strip():
        return json.dumps(value, ensure_ascii=False)
    return _shifted(value, _indent(text, at), _unit(text), _newline(text))


def _shifted(value, inner, unit, newline):
    """A value over several lines, its later lines indented by `inner`."""
    return json.dumps(value, ensure_ascii=False, indent=unit).replace("\n", newline + inner)


def _newline(text):
    at = text.find("\n")
    return "\r\n" if at > 0 and text[at - 1] == "\r" else "\n"


def _indent(text, at):
    """The white space that starts the line of an offset."""
    start = text.rfind("\n", 0, at) + 1
    end = start
    while end < len(text) and text[end] in " \t":
        end += 1
    return text[start:end]


def _unit(text):
    """One level of indentation as the file has it: the white space before its first indented line."""
    for line in text.splitlines():
        body = line.lstrip(" \t")
        if body and body != line and not body.startswith(("*", "//")):
            return line[: len(line) - len(body)]
    return "  "

"""JSON and JSONC edited by text span: what is not ours stays as it is, to the byte.

`parse` gives nodes with offsets; the edits take a text and return a new one. Comments, trailing
commas, a BOM, line endings, tabs, duplicate keys and one-line files are kept. A new member goes to
the front of its object or array, in one piece: no line of the user's changes, not even by a comma.
(At the end of an array where asked, for a file whose owner counts the elements.)
`drop` takes out exactly the piece that `put` or `push` put in, so the two undo each other.

A file may have megabytes: what is strict JSON is read by json's own scanner, and gets nodes only where
somebody looks; the last text's nodes are kept.
"""

import json
import re
from typing import Any

from foreword.edit import json_style
from foreword.edit.json_style import NEWLINE
from foreword.errors import ForewordError

DEEPEST = 200  # levels; deeper files are no settings

_BLANK = re.compile(r"[ \t\r\n]*")
_BARE = re.compile(r"[^ \t\r\n,\[\]{}:\"/]*")
_NUMBER = re.compile(r"-?(?:0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?")
_STRING = re.compile(r'"(?:[^"\\\x00-\x1f]|\\.)*"')
_WORDS = {"true": True, "false": False, "null": None}


def _no_json(word):
    raise ValueError(word)


_STRICT = json.JSONDecoder(parse_constant=_no_json)  # without NaN and Infinity


class MalformedError(ForewordError):
    """The text is not JSON with comments; line and column count from 1, a BOM counts as nothing."""

    def __init__(self, text, at, what):
        self.line, self.column = place(text, at)
        self.what = what
        super().__init__("line %d, column %d: %s" % (self.line, self.column, what))


def place(text, at):
    """(line, column) of an offset, both from 1; columns are characters."""
    head = text.removeprefix("\ufeff")[: at - text.startswith("\ufeff")]
    ends = [match.end() for match in NEWLINE.finditer(head)]
    return len(ends) + 1, len(head) - (ends[-1] if ends else 0) + 1


class Node:
    """kind: object, array, string or other; text[start:end] is the value.

    `members`: one Member each, in the text's order; `tail`: the end of the last thing inside a
    container that is no white space (a member, a comma, a comment, else its opening bracket).
    """

    __slots__ = ("_depth", "_members", "_reading", "_tail", "end", "kind", "start", "value")

    def __init__(self, kind, start, end, value=None, reading=None, depth=0):
        self.kind, self.start, self.end, self.value = kind, start, end, value
        self._reading: Any = reading
        self._members: Any = None if reading else []
        self._depth, self._tail = depth, start + 1

    @property
    def members(self):
        return self.opened()._members

    @property
    def tail(self):
        return self.opened()._tail

    def opened(self):
        """Itself, the members of a container read."""
        if self._members is None:
            self._members, self._tail, self.end = self._reading.inside(self, self._depth)
        return self

    def find(self, step):
        """The Member under a key (the last one, as parsers take it) or an index, or None."""
        if self.kind == "array" and isinstance(step, int):
            return self.members[step] if 0 <= step < len(self.members) else None
        if self.kind == "object":
            return next((member for member in reversed(self.members) if member.key == step), None)
        return None

    def plain(self) -> Any:
        """The value as Python has it, the caller's own."""
        if self._members is None:
            return _STRICT.raw_decode(self._reading.text, self.start)[0]
        if self.kind == "object":
            return {member.key: member.node.plain() for member in self.members}
        if self.kind == "array":
            return [member.node.plain() for member in self.members]
        return self.value


class Member:
    """One entry of a container. `key`: None in arrays; `start`: of the key, else of the value;
    `before`: the end of what stands before it (bracket, comma or comment); `comma`: the offset of
    the comma behind it, -1 without one."""

    __slots__ = ("before", "comma", "key", "node", "start")

    def __init__(self, key, start, before, node):
        self.key, self.start, self.before, self.node, self.comma = key, start, before, node, -1


def parse(text):
    """The root Node; None for a text of nothing but white space and comments.

    Raises MalformedError.
    """
    return _read(text).root


def relaxed(text):
    """Where the text stops being strict JSON, as a MalformedError to show (a comment, a trailing
    comma); None when it is strict, or empty. Raises MalformedError when it is not even JSONC."""
    reading = _read(text)
    return MalformedError(text, *min(reading.extras)) if reading.extras else None


# The last _Reading: an install looks at the same text a dozen times before it makes another of it.
_last = None


def _read(text):
    global _last
    reading = _last
    if reading is None or reading.text != text:
        _last = reading = _Reading(text)
    return reading


class _Reading:
    """One pass over a text. `root`: its Node or None; `extras`: (offset, what) of each thing that strict
    JSON does not have; `line_ends`: where comments end that go to the end of their line."""

    def __init__(self, text):
        self.text = text
        self.extras = []
        self.line_ends = set()
        self.root = self.whole()

    def whole(self):
        at, _ = self.skip(1 if self.text.startswith("\ufeff") else 0)
        if at == len(self.text):
            return None
        root = self.value(at, 0)
        rest, _ = self.skip(root.end)
        if rest != len(self.text):
            raise MalformedError(self.text, rest, "something follows the end of the value")
        return root

    def skip(self, at):
        """Past white space and comments: (where the next thing starts, the end of the last comment
        or `at`)."""
        text, last = self.text, at
        while True:
            at = _BLANK.match(text, at).end()  # pyright: ignore[reportOptionalMemberAccess]
            if text.startswith("//", at):
                self.extras.append((at, "a comment"))
                newline = NEWLINE.search(text, at)
                last = at = newline.start() if newline else len(text)
                self.line_ends.add(at)
            elif text.startswith("/*", at):
                self.extras.append((at, "a comment"))
                end = text.find("*/", at + 2)
                if end < 0:
                    raise MalformedError(text, at, "a comment is never closed")
                last = at = end + 2
            else:
                return at, last

    def value(self, at, depth):
        text = self.text
        if at >= len(text):
            raise MalformedError(text, at, "a value is missing")
        if depth > DEEPEST:
            raise MalformedError(text, at, "nested too deeply")
        if text[at] in "{[":
            node = Node("object" if text[at] == "{" else "array", at, -1, reading=self, depth=depth)
            # The edits look into the root anyway: it is opened at once.
            node.end = self.strict_end(at, depth) if depth else -1
            return node if node.end >= 0 else node.opened()
        if text[at] == '"':
            end, value = self.string(at)
            return Node("string", at, end, value)
        end = _BARE.match(text, at).end()  # pyright: ignore[reportOptionalMemberAccess]
        word = text[at:end]
        if word in _WORDS:
            return Node("other", at, end, _WORDS[word])
        number = _NUMBER.fullmatch(word)
        if not number:
            raise MalformedError(text, at, "expected a value, found %r" % text[at : max(end, at + 1)][:20])
        try:
            value = float(word) if number[1] or number[2] else int(word)
        except ValueError:  # more digits than Python turns into an int
            value = float(word)
        return Node("other", at, end, value)

    def string(self, at):
        match = _STRING.match(self.text, at)
        if not match:
            raise MalformedError(self.text, at, "a string is never closed, or holds a control character")
        try:
            return match.end(), json.loads(match[0])
        except ValueError as error:
            raise MalformedError(self.text, at, "a string holds a malformed escape") from error

    def strict_end(self, at, depth):
        """The end of the container at an offset where it is strict JSON and not too deep, else -1.

        A file of 4.5 MB that took 2 s takes 0.05 s (CPython 3.12, two cores). In windows that grow: the
        scanner's error counts the lines before it, which is slow in a large text with many comments.
        """
        width, text = 1024, self.text
        while True:
            try:
                value, end = _STRICT.raw_decode(text[at : at + width])
                break
            except json.JSONDecodeError as error:
                is_cut = error.pos > width - 16 or error.msg.startswith("Unterminated string")
                if not is_cut or at + width >= len(text):
                    return -1
                width *= 8
            except (ValueError, RecursionError):
                return -1
        level = [value]
        for _ in range(DEEPEST - depth):
            inside = (outer.values() if type(outer) is dict else outer for outer in level)
            level = [inner for some in inside for inner in some if type(inner) in (dict, list)]
            if not level:
                return at + end
        return -1 if any(level) else at + end

    def inside(self, node, depth):
        """(members, tail, end) of a container."""
        text, at, kind, members = self.text, node.start, node.kind, []
        close = "}" if kind == "object" else "]"
        where, before = self.skip(at + 1)
        while text[where : where + 1] != close:
            if where >= len(text):
                raise MalformedError(text, at, "%r is never closed" % text[at])
            start, key = where, None
            if kind == "object":
                if text[where] != '"':
                    raise MalformedError(text, where, "expected a key in quotes or %r" % close)
                end, key = self.string(where)
                where, _ = self.skip(end)
                if text[where : where + 1] != ":":
                    raise MalformedError(text, where, "expected ':' after a key")
                where, _ = self.skip(where + 1)
            member = Member(key, start, before, self.value(where, depth + 1))
            members.append(member)
            where, before = self.skip(member.node.end)
            if text[where : where + 1] == ",":
                member.comma = where
                where, before = self.skip(where + 1)
                if text[where : where + 1] == close:
                    self.extras.append((member.comma, "a trailing comma"))
            elif where < len(text) and text[where] != close:
                raise MalformedError(text, where, "expected ',' or %r" % close)
        return members, before, where + 1


# -- looking -----------------------------------------------------------------------------------


def at_path(root, path):
    """The node under a path of keys and indexes; None when there is none."""
    for step in path:
        member = root.find(step) if root is not None else None
        root = member.node if member else None
    return root


def value_at(text, path, default: Any = None) -> Any:
    """The value under a path of keys and indexes as Python has it, else `default`."""
    node = at_path(parse(text), path)
    return default if node is None else node.plain()


# -- edits -------------------------------------------------------------------------------------


def put(text, path, value):
    """The text with the value under a path of keys set; missing objects are made.

    Raises MalformedError, also where something on the way is no object.
    """
    node = parse(text)
    if node is None:
        return _first(text, _nested(path, value))
    for n, key in enumerate(path):
        if node.kind != "object":
            raise MalformedError(text, node.start, "expected %s to be an object" % _called(path[:n]))
        member = node.find(key)
        if member is None:
            return _insert(text, node, _nested(path[n + 1 :], value), key, is_root=n == 0)
        node = member.node
    return _replaced(text, node, value)


def push(text, path, value, last=False):
    """The text with a value added to the array under a path; the array is made when it is missing.

    `last`: behind the others, not before them. Raises MalformedError, also where there is no array.
    """
    reading = _read(text)
    node = at_path(reading.root, path)
    if node is None:
        return put(text, path, [value])
    if node.kind != "array":
        raise MalformedError(text, node.start, "expected %s to be an array" % _called(path))
    if last and node.members:
        return _append(text, node, value, node.tail in reading.line_ends)
    return _insert(text, node, value, is_root=not path)


def replace(text, path, value):
    """The text with the value under a path of keys and indexes replaced. Raises KeyError."""
    node = at_path(parse(text), path)
    if node is None:
        raise KeyError(path)
    return _replaced(text, node, value)


def drop(text, path):
    """The text without the member under a path; as it is when there is none. [] drops everything
    but the comments around it."""
    reading = _read(text)
    root = reading.root
    if root is None:
        return text
    if not path:
        return _emptied(text, root)
    node = at_path(root, path[:-1])
    member = node.find(path[-1]) if node else None
    if node is None or member is None:
        return text
    index = node.members.index(member)
    start, comma = member.before, member.comma
    head, rest = text[:start], text[member.node.end :]
    if comma >= 0:
        rest = text[member.node.end : comma] + text[comma + 1 :]
        if index == 0 and start == member.start and rest.startswith(" "):
            rest = rest[1:]  # "[ours, theirs]": the space behind the comma came with it
    elif index > 0:
        comma = node.members[index - 1].comma
        head = text[:comma] + text[comma + 1 : start]
    if len(node.members) == 1:
        rest = _closed(text, node, member, rest)
    if start in reading.line_ends and not re.match(r"[ \t]*[\r\n]", rest):
        rest = json_style.newline(text) + rest  # else the comment would swallow it
    return head + rest


def _closed(text, node, member, rest):
    """What follows an only member once it is gone: without the line break that `_insert` put behind it.

    By what stands there and by nothing around it: other entries of ours may have come and gone since.
    """
    if member.before > node.start + 1:
        return rest  # behind a comment nothing was added
    if not NEWLINE.search(text[member.before : member.start]):
        return rest  # one line: "{ ours }" held its space twice
    gap = _BLANK.match(rest)[0]  # pyright: ignore[reportOptionalSubscript]
    ends = list(NEWLINE.finditer(gap))
    if len(ends) > 1:
        return rest[: ends[0].start()] + rest[ends[0].end() :]
    return rest[len(gap) :] if ends and rest[len(gap)] in "}]" else rest


def _insert(text, node, value, key=None, is_root=False):
    """A new member at the front of a container, in one piece."""
    newline, unit = json_style.newline(text), json_style.unit(text)
    if not node.members:
        gap = text[node.tail : node.end - 1]
        commented = node.tail > node.start + 1
        one_line = not NEWLINE.search(gap) and (bool(gap) or (not is_root and not NEWLINE.search(text)))
        if one_line and not commented:
            return text[: node.tail] + gap + json_style.compact(text, node, key, value) + text[node.tail :]
        outer, own = json_style.indent(text, node.start), NEWLINE.search(gap)
        piece = newline + outer + unit + json_style.spread(key, value, outer + unit, unit, newline)
        if not commented:  # its own line break is the last: two of them tell `_closed` of it
            piece += own[0] if own else newline + outer
        return text[: node.tail] + piece + text[node.tail :]
    first = node.members[0]
    at = _line_end(text, node.start + 1, first.start)
    gap = text[at : _BLANK.match(text, at).end()]  # pyright: ignore[reportOptionalMemberAccess]
    if NEWLINE.search(gap):
        inner = json_style.indent(text, first.start)
        piece = newline + inner + json_style.spread(key, value, inner, unit, newline) + ","
    else:
        piece = gap + json_style.compact(text, node, key, value) + ","
        piece += "" if gap or json_style.is_tight(text, node) else " "
    return text[:at] + piece + text[at:]


def _append(text, node, value, behind_comment):
    """A new element at the end of an array that has some. The comma goes to its neighbour, unless a
    trailing one stands there: then the new element gets one too."""
    first, neighbour, newline = node.members[0], node.members[-1], json_style.newline(text)
    trailing = neighbour.comma >= 0
    gap = text[node.start + 1 : first.start]
    if behind_comment or NEWLINE.search(gap):
        inner = json_style.indent(text, first.start)
        piece = newline + inner + json_style.spread(None, value, inner, json_style.unit(text), newline)
    else:
        piece = ("" if json_style.is_tight(text, node) else " ") + json_style.compact(text, node, None, value)
    piece += "," if trailing else ""
    comma = "" if trailing else ","
    return (
        text[: neighbour.node.end] + comma + text[neighbour.node.end : node.tail] + piece + text[node.tail :]
    )


def _line_end(text, at, stop):
    """Past the comments that stand behind an opening bracket, on its line."""
    while True:
        start = at
        while at < stop and text[at] in " \t":
            at += 1
        if text.startswith("//", at):
            return NEWLINE.search(text, at).start()  # pyright: ignore[reportOptionalMemberAccess]
        end = text.find("*/", at + 2) + 2 if text.startswith("/*", at) else 0
        if not end or NEWLINE.search(text[at:end]):
            return start
        at = end


def _replaced(text, node, value):
    old = text[node.start : node.end]
    if NEWLINE.search(old) or (not node.members and node.kind in ("object", "array")):
        new = json_style.spread(
            None, value, json_style.indent(text, node.start), json_style.unit(text), json_style.newline(text)
        )
    else:
        new = json_style.dumped(value)
    return text[: node.start] + new + text[node.end :]


def _first(text, value):
    """A text of blanks and comments with its first value."""
    newline = json_style.newline(text)
    body = json_style.spread(None, value, "", "  ", newline)
    if text.removeprefix("\ufeff") == "":
        return text + body + newline
    _, end = _read(text).skip(1 if text.startswith("\ufeff") else 0)
    # A line comment that ends the file would swallow the value.
    swallows = end == len(text) and text.rfind("//", max(text.rfind("\n"), text.rfind("\r")) + 1) >= 0
    return text + (newline + body + newline if swallows else body)


def _emptied(text, root):
    """The text without its value: what `_first` was given."""
    newline = json_style.newline(text)
    head, rest = text[: root.start], text[root.end :]
    if rest == newline and head.removeprefix("\ufeff") == "":
        rest = ""
    elif rest == newline and head.endswith(newline):
        head, rest = head.removesuffix(newline), ""
    return head + rest


def _nested(path, value):
    for key in reversed(path):
        value = {key: value}
    return value


def _called(path):
    return ".".join(map(str, path)) or "the whole"

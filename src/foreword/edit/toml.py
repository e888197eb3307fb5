"""TOML edited by text span: whole tables of ours go in and come out, no other byte moves.

`headers` finds the tables, `append` adds a block of them at the end, `drop` takes tables out again;
the two undo each other without a record of what was made. Values are read by tomllib alone, and
every edit is read back: it raises rather than change a value that it was not asked to.
"""

import json
import re
import tomllib
from typing import Any, NamedTuple

from foreword.edit.jsonc import MalformedError
from foreword.errors import ForewordError

# The smallest piece of TOML that is a whole by itself: a string, a comment, a sign, or what is between.
PIECE = re.compile(
    r'''"""(?:[^"\\]|\\.|"(?!""))*"{3,5}'''  # up to two quotes may stand before the closing three
    r"""|'''(?:[^']|'(?!''))*'{3,5}"""
    r"""|"(?:[^"\\\n]|\\.)*"|'[^'\n]*'|\#[^\n]*|[^"'\#\[\]{}=\n]+|.""",
    re.DOTALL,
)
_PLACE = re.compile(r"(?s)(.*) \(at (?:line (\d+), column (\d+)|end of document)\)")
_BARE = re.compile(r"[A-Za-z0-9_-]+")
_NOTHING = object()


class ClashError(ForewordError):
    """The text is sound, but the edit does not fit into it (a table is there already, in this form or
    another), or it would change more than was asked. Nothing was changed."""


class Header(NamedTuple):
    """One `[a.b]` or `[[a.b]]`; text[start:end] is its table as written.

    It starts with the header's line and ends behind the line of its last key (else of the header):
    comments and blank lines before the next header belong to that one, and at the end of the file
    to nobody. text[body:end] are the keys, with the comments between them. `path`: the keys; `at`:
    the same with an index behind each array of tables, as `at_path` takes it.
    """

    path: tuple[str, ...]
    at: tuple[str | int, ...]
    is_array: bool
    start: int
    body: int
    end: int

    @property
    def span(self):
        return self.start, self.end


# -- reading -----------------------------------------------------------------------------------


def parse(text) -> dict[str, Any]:
    """The values of a text, with or without a BOM. Raises MalformedError.

    TOML 1.0: Python 3.11 refuses line breaks in inline tables and "\\e", which Codex 0.171.0 reads.
    """
    return _read(text, float)


def headers(text):
    """The Header of each table in a text, in its order. Raises MalformedError."""
    _read(text)
    found, counts = [], {}
    for start, equals, _, end in statements(text):
        if equals >= 0:
            if found:
                found[-1] = found[-1]._replace(end=end)
            continue
        path, is_array = _called(text[start:end])
        at = ()
        for n, key in enumerate(path):
            at += (key,)
            if is_array and n == len(path) - 1:
                counts[at] = counts.get(at, 0) + 1
            if at in counts:
                at += (counts[at] - 1,)
        found.append(Header(path, at, is_array, start, end, end))
    return found


def form(text, path):
    """How a path of keys is given: "" (not at all), "table" (only by `[path]` or `[path.more]`, which
    `drop` takes out) or "inline" (inside another table or at the root, where only its owner edits)."""
    path, given = tuple(path), ""
    for above, _, values in _tables(text):
        if above[: len(path)] == path:
            given = "table"
        elif path[: len(above)] == above and at_path(values, path[len(above) :], _NOTHING) is not _NOTHING:
            return "inline"
    return given


def at_path(values, path, default: Any = None) -> Any:
    """What `parse` gave under a path of keys and indexes (a Header's `at`), else `default`."""
    for step in path:
        if not isinstance(values, list if isinstance(step, int) else dict):
            return default
        try:
            values = values[step]
        except LookupError:
            return default
    return values


def _read(text, parse_float=lambda digits: ("float", digits)) -> dict[str, Any]:
    """The values; floats stay digits unless told otherwise, since nan is not equal to itself."""
    try:
        return tomllib.loads(text.removeprefix("\ufeff"), parse_float=parse_float)
    except RecursionError as error:
        raise MalformedError(text, 0, "nested too deeply") from error
    except ValueError as error:
        told = _PLACE.fullmatch(str(error))
        if not told:  # a number of more digits than Python turns into an int
            raise MalformedError(text, 0, str(error)) from error
        at, what = _unclosed(text)
        if told[2] or not what:
            what = told[1][:1].lower() + told[1][1:]
        if told[2]:
            at = 1 if text.startswith("\ufeff") else 0
            for _ in range(int(told[2]) - 1):
                at = text.index("\n", at) + 1
            at += int(told[3]) - 1
        raise MalformedError(text, at, what) from error


def _unclosed(text):
    """(where, what) never closes in a text that ends too soon; (its end, "") when nothing is open."""
    at, opened = 0, []
    for piece in PIECE.findall(text):
        if piece in ('"', "'") or (piece in ('""', "''") and text[at : at + 3] == piece + piece[0]):
            return at, "a string is never closed"
        if piece in "[{":
            opened.append((at, "%r is never closed" % piece))
        elif piece in "]}" and opened:
            opened.pop()
        at += len(piece)
    return opened[-1] if opened else (at, "")


def statements(text):
    """[(start, equals, stop, end)] of each header and key of valid TOML: text[start:end] are its whole
    lines, `equals` is where a key's "=" stands (-1 in a header), `stop` where its value stops."""
    found, depth, equals = [], 0, -1
    at = start = stop = 1 if text.startswith("\ufeff") else 0
    for piece in [*PIECE.findall(text, at), "\n"]:
        end = min(at + len(piece), len(text))
        depth += (piece in "[{") - (piece in "]}")
        if piece == "=" and equals < 0:
            equals = at
        if piece == "\n" and not depth:
            if stop > start:
                found.append((start, equals, stop, end))
            start, stop, equals = end, end, -1
        elif not piece.startswith("#") and piece.strip():
            stop = at + len(piece.rstrip())
        at = end
    return found


def _called(line):
    """(path, is_array) of a header's line."""
    node, path = _read(line), ()
    while node and isinstance(node, dict):
        ((key, node),) = node.items()
        path += (key,)
    return path, isinstance(node, list)


# -- edits -------------------------------------------------------------------------------------


def append(text, block):
    """The text with a block of complete tables behind it, in the text's line ends, after a blank line.

    A text without a final newline stays one: then the block has none either, by which `drop` knows.
    The block's comments stand inside its tables, below a header and above a key (a ValueError
    otherwise): all that stands between tables is the user's. Raises MalformedError and ClashError.
    """
    newline = _newline(text)
    block = _block(block, newline)
    new = text + block
    if text.endswith("\n"):
        new = text + newline + block
    elif text.removeprefix("\ufeff"):
        new = text + newline * 2 + block.removesuffix(newline)
    return _checked(new, _tables(text) + _tables(block)[1:])


def drop(text, spans):
    """The text without the tables at these spans ((start, end) of a Header each, in any order).

    With them goes what stands inside them, the blank lines between two of them that follow each
    other, and one blank line: the one before, at the start of the file the one behind. All other
    text stays, also comments between the tables. `[a]` may go while `[a.b]` stays, but no array
    element whose tables stay. drop(append(t, block), spans of the block) == t. Raises ValueError
    for a span that is no table's, MalformedError and ClashError.
    """
    have, tables, spans = headers(text), _tables(text), {tuple(span) for span in spans}
    gone = [header for header in have if header.span in spans]
    left = [header for header in have if header.span not in spans]
    if len(gone) < len(spans):
        raise ValueError("no span of a table")
    elements = [header.at for header in gone if header.is_array]
    for header in left:
        if any(header.at[: len(at)] == at for at in elements):
            raise ClashError("[%s] belongs to a table that was to go" % dotted(header.path))
    pieces = []
    for start, end in sorted(spans):
        if pieces and not text[pieces[-1][1] : start].strip():
            start, _ = pieces.pop()
        pieces.append((start, end))
    new = text
    for piece in reversed(pieces):
        start, end = _with_blank_line(text, *piece)
        new = new[:start] + new[end:]
    return _checked(new, [tables[0], *(tables[have.index(header) + 1] for header in left)])


def replace(text, header, block):
    """The text with a table renewed in place by a block that starts with it. Raises as `append` does."""
    n, newline = headers(text).index(header) + 1, _newline(text)
    block = _block(block, newline)
    tables, ours = _tables(text), _tables(block)[1:]
    if ours[0][:2] != (header.path, header.is_array):
        raise ValueError("another table")
    if not text[: header.end].endswith("\n"):
        block = block.removesuffix(newline)
    new = text[: header.start] + block + text[header.end :]
    return _checked(new, tables[:n] + ours + tables[n + 1 :])


def set_key(text, header, key, value):
    """The text with one key of a table set; `value` is TOML, as from `string` and `array`.

    A key that is there keeps its place and its comment, a new one comes last. Raises ValueError,
    MalformedError and ClashError (the key is written dotted, a.b = 1, or as a table).
    """
    n, tables, newline = headers(text).index(header) + 1, _tables(text), _newline(text)
    for start, equals, stop, _ in statements(text):
        if header.body <= start < header.end and _read(text[start:equals] + "= 0") == {key: 0}:
            new = text[:equals] + _match(r"=[ \t]*", text, equals) + value + text[stop:]
            break
    else:
        head, line = text[: header.end], dotted([key]) + " = " + value
        new = head + (line + newline if head.endswith("\n") else newline + line) + text[header.end :]
    values = {**tables[n][2], key: _read("x = " + value)["x"]}
    return _checked(new, [*tables[:n], (header.path, header.is_array, values), *tables[n + 1 :]])


def _block(block, newline):
    """A block in a file's line ends, with one at its end. ValueError where it is not only tables."""
    block = block.strip("\r\n").replace("\r\n", "\n") + "\n"
    ends = 0
    for header in headers(block):
        if block[ends : header.start].strip():
            break
        ends = header.end
    if not ends or block[ends:].strip():
        raise ValueError("a block of whole tables has its comments inside of them")
    return block.replace("\n", newline)


def _with_blank_line(text, start, end):
    """A span of whole lines, with the blank line that goes with it."""
    first = 1 if text.startswith("\ufeff") else 0
    if start == first:
        return start, end + len(_match(r"(\r?\n)?", text, end))
    before = start - len(_match(r"\n\r?", text[start - 1 :: -1]))
    if before == first or text[before - 1] == "\n":
        start = before
    if text[end - 1] != "\n" and start > first:  # the last line had no end before ours came
        start -= len(_match(r"\n\r?", text[start - 1 :: -1]))
    return start, end


def _match(pattern, text, at=0):
    return re.compile(pattern).match(text, at)[0]  # pyright: ignore[reportOptionalSubscript]


def _newline(text):
    return re.findall(r"\r?\n", text + "\n")[0]


# -- what an edit must come to -----------------------------------------------------------------


def _tables(text):
    """[(path, is_array, the values between its header and the next)]: the root first, as ()."""
    found = headers(text)
    bodies = [text[header.body : header.end] for header in found]
    root = _read(text[: found[0].start] if found else text)
    return [((), False, root), *((h.path, h.is_array, _read(b)) for h, b in zip(found, bodies, strict=True))]


def _checked(new, tables):
    """The new text, if it says what these tables say together. Raises ClashError."""
    try:
        values = _read(new)
    except MalformedError as error:
        raise ClashError("the tables do not fit into the file: " + error.what) from error
    if values != _together(tables):
        raise ClashError("the edit would change more of the file than was asked")
    return new


def _together(tables):
    values = {}
    for path, is_array, own in tables:
        for key in reversed(path):
            own, is_array = {key: [own] if is_array else own}, False
        _merge(values, own)
    return values


def _merge(node, own):
    for key, value in own.items():
        there = node.get(key)
        if isinstance(there, list) and isinstance(value, list):
            there += value
        elif isinstance(there, (dict, list)) and isinstance(value, dict):
            _merge(there[-1] if isinstance(there, list) else there, value)
        else:
            node[key] = value


# -- writing -----------------------------------------------------------------------------------


def string(text):
    """A TOML basic string, on one line. Raises ForewordError for half a surrogate pair."""
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise ForewordError("%a is not Unicode, TOML cannot hold it" % text) from error
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")  # JSON's escapes are TOML's too


def array(texts):
    """A TOML array of strings, on one line."""
    return "[" + ", ".join(map(string, texts)) + "]"


def dotted(path):
    """A path of keys as a header or a dotted key has it, quoted where it must be."""
    return ".".join(key if _BARE.fullmatch(key) else string(key) for key in path)

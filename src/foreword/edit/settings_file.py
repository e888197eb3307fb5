"""Our own config.toml, changed one value at a time by text span: comments, order and spelling stay. Cold.

The one way in which a program writes settings; `settings` reads them. A value is found however its
user spelled it (`graph.on = x`, `[graph]`, `graph = { on = x }`) and changed in its place. Every edit
is read back: it raises rather than change another value. Which settings exist is not known here.
"""

import os
import re
from typing import Any

from foreword import files, settings
from foreword.edit import jsonc, toml
from foreword.errors import BusyError, ForewordError

AGAIN = "mend that line, then run the same command again"
WAIT_S = 5.0  # for another writer, who needs some milliseconds
_ABSENT = object()


def set_values(home, values):
    """Set {"graph.on": True, ...} in <home>/config.toml; None takes a key out. Whether the file changed.

    A value is a bool, an int, a str or a list of str; a dot in a key stands between two tables. The
    file, its folder too, is made when missing and written through a link; durable on return. Raises
    BusyError, and ForewordError (with line and column for malformed TOML); nothing was changed then.
    """
    named = settings.path(home)
    try:
        files.make_folder(home)
        while True:
            lock = files.Lock(home, WAIT_S, ".config.lock")
            with lock as held:
                if not held:
                    why = f"{named} is being written by another process; nothing was changed"
                    raise BusyError(why, "run the same command again")
                if not _is_there(lock):
                    continue
                try:
                    return _set(named, values)
                finally:
                    _remove(lock)
    except OSError as error:
        raise _refusal(named, error) from error


def _is_there(lock):
    """Whether the file that we have locked is the one that others will lock: whoever had it before us
    has removed it."""
    try:
        ours, there = os.fstat(lock.fd), os.stat(lock.path)
    except FileNotFoundError:
        return False
    return (ours.st_ino, ours.st_dev) == (there.st_ino, there.st_dev)


def _remove(lock):
    """A home that holds nothing but settings is to hold nothing else because of them."""
    try:
        os.unlink(lock.path)
    except OSError:
        pass  # Windows keeps a file that somebody has open


def _set(named, values):
    real = os.path.realpath(named)
    raw = files.read(real) or b""
    new = _edited(named, raw, values)
    if new == raw:
        return False
    files.make_folder(os.path.dirname(real))
    files.write(real, new)
    return True


def check(home):
    """Raise what `set_values` raises for a file that cannot be read or edited. Writes nothing."""
    named = settings.path(home)
    try:
        _edited(named, files.read(named) or b"", {})
    except OSError as error:
        raise _refusal(named, error) from error


def _refusal(named, error):
    why = f"{named}: {error.strerror}; nothing was changed"
    return ForewordError(why, "make it a file that you may write: ls -ld " + named)


def _edited(named, raw, values):
    """The new bytes. Raises ForewordError that names the file."""
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError as error:
        why = f"{named} is not UTF-8 (byte {error.start}); nothing was changed"
        raise ForewordError(why, "save it as UTF-8, then run the same command again") from error
    try:
        toml.parse(text)  # also where nothing is to be set
        for key, value in values.items():
            text = with_value(text, key.split("."), value)
    except jsonc.MalformedError as error:
        where = f"{named}:{error.line}:{error.column}: {error.what}; nothing was changed"
        raise ForewordError(where, AGAIN) from error
    except toml.ClashError as error:
        raise ForewordError(f"{named}: {error.message}; nothing was changed", "set it by hand") from error
    return text.encode("utf-8")


def with_value(text, keys, value):
    """The text with one value set, None to take it out. Raises MalformedError and ClashError."""
    keys = tuple(keys)
    before = toml.parse(text)
    if not _equal(toml.at_path(before, keys, _ABSENT), _ABSENT if value is None else value):
        new = _without(text, keys) if value is None else _with(text, keys, _written(value))
        if not _equal(_read_back(new), _changed(before, keys, value)):
            raise toml.ClashError(f"{toml.dotted(keys)} cannot be set without a change of something else")
        return new
    return text


def _written(value):
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    return toml.array(value) if isinstance(value, list) else toml.string(value)


# -- where a value stands ----------------------------------------------------------------------


class _Place:
    """A statement `key = value`: `path` with its table's; text[start:end] are its whole lines, `equals`
    and `stop` where "=" stands and the value stops; `is_root`: it stands in front of every table."""

    def __init__(self, path, start, equals, stop, end, is_root):
        self.path, self.is_root = path, is_root
        self.start, self.equals, self.stop, self.end = start, equals, stop, end


def _places(text):
    """A _Place for each statement `key = value`, in the text's order. One in a list of tables has no path
    that leads to it: reading back refuses an edit there."""
    headers = toml.headers(text)
    found, above = [], None
    for start, equals, stop, end in toml.statements(text):
        if equals < 0:
            above = next(header for header in headers if header.start == start)
            continue
        top = above.path if above else ()
        found.append(_Place((*top, *_key(text[start:equals])), start, equals, stop, end, above is None))
    return found


def _key(written):
    """The path of a key as it is written: `a."b.c"` is ("a", "b.c")."""
    node, found = toml.parse(written.strip() + " = 0"), ()
    while isinstance(node, dict):
        ((key, node),) = node.items()
        found += (key,)
    return found


def _value_start(text, equals):
    return re.compile(r"=[ \t]*").match(text, equals).end()  # pyright: ignore[reportOptionalMemberAccess]


def _members(text, start, stop):
    """[(path, start, value's start, end)] of the members of the inline table text[start:stop]."""
    found, depth, at, begin, equals = [], 0, start, start + 1, -1
    for piece in toml.PIECE.findall(text[start:stop]):
        if piece in "]}":
            depth -= 1
        for offset, letter in enumerate(piece) if depth == 1 and piece[0] not in "\"'#" else ():
            if letter == "=" and equals < 0:
                equals = at + offset
            if letter == ",":
                found.append((begin, equals, at + offset))
                begin, equals = at + offset + 1, -1
        if piece in "[{":
            depth += 1
        at += len(piece)
    found.append((begin, equals, stop - 1))
    return [
        (_key(text[begin:equals]), begin, _value_start(text, equals), begin + len(text[begin:end].rstrip()))
        for begin, equals, end in found
        if equals >= 0
    ]


# -- edits -------------------------------------------------------------------------------------


def _with(text, keys, written):
    """The text with a value set, in its place or in the best one for a new key."""
    places = _places(text)
    for place in places:
        start = _value_start(text, place.equals)
        if place.path == keys:
            return text[:start] + written + text[place.stop :]
        if keys[: len(place.path)] == place.path:
            new = _with_in(text, start, place.stop, keys[len(place.path) :], written)
            return text[:start] + new + text[place.stop :]
    header = next((h for h in toml.headers(text) if h.path == keys[:-1] and not h.is_array), None)
    if header:
        return toml.set_key(text, header, keys[-1], written)
    # Beside a sibling that is spelled with dots; a table of that name would be a second one then.
    beside = [place for place in places if place.is_root and place.path[:-1] == keys[:-1] and len(keys) > 1]
    if len(keys) > 1 and not beside:
        return toml.append(text, f"[{toml.dotted(keys[:-1])}]\n{toml.dotted(keys[-1:])} = {written}\n")
    newline = re.findall(r"\r?\n", text + "\n")[0]
    line = f"{toml.dotted(keys)} = {written}"
    if not beside:
        at = 1 if text.startswith("\ufeff") else 0  # in front of every table
        return text[:at] + line + newline + text[at:] if text[at:] else text + line + newline
    at = beside[-1].end
    if not text[:at].endswith("\n"):
        return text + newline + line
    return text[:at] + line + newline + text[at:]


def _with_in(text, start, stop, keys, written):
    """The inline table text[start:stop] with a value set. Raises ClashError where there is none."""
    if text[start] != "{":
        raise toml.ClashError(f"{toml.dotted(keys)} has no table to stand in")
    members = _members(text, start, stop)
    for name, _, value, end in members:
        if name == keys:
            return text[start:value] + written + text[end:stop]
        if keys[: len(name)] == name:
            inner = _with_in(text, value, end, keys[len(name) :], written)
            return text[start:value] + inner + text[end:stop]
    new = f"{toml.dotted(keys)} = {written}"
    if not members:
        return "{ " + new + " }"
    end = members[-1][3]
    return f"{text[start:end]}, {new}{text[end:stop]}"


def _without(text, keys):
    """The text without a value: its line goes, and its table's header when nothing else stands there."""
    for place in _places(text):
        start = _value_start(text, place.equals)
        if place.path == keys:
            return _without_line(text, place)
        if keys[: len(place.path)] == place.path:
            new = _without_in(text, start, place.stop, keys[len(place.path) :])
            if not new:
                return _without_line(text, place)
            return text[:start] + new + text[place.stop :]
    raise toml.ClashError(f"{toml.dotted(keys)} is a table, or stands in a list of tables")


def _without_line(text, place):
    header = next((h for h in toml.headers(text) if h.body <= place.start < h.end), None)
    if header and not (text[header.body : place.start] + text[place.end : header.end]).strip():
        return toml.drop(text, [header.span])
    return text[: place.start] + text[place.end :]


def _without_in(text, start, stop, keys):
    """The inline table without a value, "" when it is empty then."""
    members = _members(text, start, stop)
    for n, (name, begin, value, end) in enumerate(members):
        inner = ""
        if name != keys and keys[: len(name)] == name:
            inner = _without_in(text, value, end, keys[len(name) :])
        elif name != keys:
            continue
        if inner:
            return text[start:value] + inner + text[end:stop]
        if len(members) == 1:
            return ""
        if n:  # with the comma before it
            return text[start : members[n - 1][3]] + text[end:stop]
        return text[start:begin] + text[members[1][1] : stop]
    raise toml.ClashError(f"{toml.dotted(keys)} is a table")


# -- what an edit must come to -----------------------------------------------------------------


def _read_back(text):
    try:
        return toml.parse(text)
    except jsonc.MalformedError as error:
        raise toml.ClashError("the value does not fit into the file: " + error.what) from error


def _changed(values, keys, value) -> Any:
    """Plain values with one of them set or taken out; tables that are empty then go."""
    if not isinstance(values, dict):
        raise toml.ClashError(f"{toml.dotted(keys)} has no table to stand in")
    new = dict(values)
    if len(keys) > 1:
        value = _changed(values.get(keys[0], {}), keys[1:], value) or None
    if value is None:
        new.pop(keys[0], None)
    else:
        new[keys[0]] = value
    return new


def _equal(one, other):
    """Whether two values are the same, in type too; nan is nan, and a table that is empty is none."""
    if isinstance(one, dict) and isinstance(other, dict):
        return all(_equal(one.get(key, {}), other.get(key, {})) for key in {**one, **other})
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(_equal, one, other))
    return type(one) is type(other) and (one == other or (one != one and other != other))

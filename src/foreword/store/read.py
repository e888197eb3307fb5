"""Reading memories as people may have left them. Cold: PyYAML. Never writes, never drops a file.

A file whose front matter cannot be read is still a memory: its whole text is the body, and `damage`
says what is wrong, for `foreword check` and `foreword doctor`.
"""

import os
import re

import yaml

from foreword.store import header, layout

LARGEST = 4_000_000  # bytes read of one memory; a larger file is no memory that we wrote
_LOADER = getattr(yaml, "CBaseLoader", yaml.BaseLoader)  # strings only: no dates, no `no` -> False
_SHA = re.compile(r"[0-9a-f]{64}\Z")

# What the key `offer` may say: pinned ("always consider") and rejected ("never offer again").
OFFERS = {"always": 1, "never": -1}


def load(folder, place):
    """The memory at a place, as a dict; None when there is no such file. Raises OSError.

    id, type, title, question, body (str), tags (list of str), created (epoch seconds), source,
    basis, turn, session, transcript, origin, checked (str, "" when absent), files ([[path, sha256,
    spans], ...]), offer (1 pinned, -1 rejected, else 0), archived (bool), place, mtime (ns), size (bytes),
    damage (str, "" when whole), more (unknown keys).
    """
    path = os.path.join(folder, place)
    try:
        with open(path, "rb") as f:
            stat = os.fstat(f.fileno())
            raw = f.read(LARGEST)
    except (FileNotFoundError, NotADirectoryError):
        return None
    memory = parse(raw, place, stat.st_mtime)
    memory["mtime"], memory["size"] = stat.st_mtime_ns, stat.st_size
    if stat.st_size > LARGEST:
        memory["damage"] = "larger than %d bytes, the rest is not read" % LARGEST
    return memory


def parse(raw, place, mtime=0.0):
    """The memory in some bytes (see `load`); `mtime` dates one that says no date. Never raises."""
    kind, archived = layout.kind_of(place) or ("note", False)
    damage = ""
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError as error:
        text = raw.decode("utf-8", "replace")
        damage = "byte %d is not UTF-8" % error.start
    head, body = header.split(text)
    fields = {}
    if head:
        try:
            loaded = yaml.load(head, Loader=_LOADER)  # noqa: S506  BaseLoader builds strings only
            if isinstance(loaded, dict):
                fields = loaded
            else:
                damage = damage or "the front matter is no mapping"
        except (yaml.YAMLError, ValueError, RecursionError) as error:
            damage = damage or "front matter: " + _where(error)
            body = text.strip("\r\n")
    name = place.rpartition("/")[2][:-3]
    created = layout.epoch(_text(fields, "created"))
    if created is None:
        created = _stamp(name) or mtime
    return {
        "id": name if layout.is_id(name) else "",
        "type": kind,
        "title": _text(fields, "title") or _first_line(body),
        "question": _text(fields, "question"),
        "body": body.replace("\r\n", "\n"),
        "tags": _texts(fields.get("tags")),
        "created": created,
        "source": _text(fields, "source"),
        "basis": _text(fields, "basis"),
        "turn": _text(fields, "turn"),
        "session": _text(fields, "session"),
        "transcript": _text(fields, "transcript"),
        "origin": _text(fields, "origin"),
        "checked": _text(fields, "checked"),
        "supersedes": _texts(fields.get("supersedes")),
        "files": _cited(fields.get("files")),
        "offer": OFFERS.get(_text(fields, "offer").strip().casefold(), 0),
        "archived": archived,
        "place": place,
        "damage": damage,
        "more": sorted(str(key) for key in fields if key not in KNOWN),
    }


KNOWN = frozenset(
    [
        "id",
        "type",
        "title",
        "question",
        "tags",
        "created",
        "source",
        "basis",
        "turn",
        "session",
        "transcript",
        "origin",
        "checked",
        "files",
        "supersedes",
        "offer",
    ]
)


_TEXTS = frozenset(
    "id type title question created checked source basis turn session transcript origin offer".split()
)
_DATES = ("created", "checked")


def faults(text):
    """[(line, what)] of values in a memory's front matter that readers pass over: of a type or form that
    the key does not have. For who may still be asked to mend them; [] for front matter that is no YAML."""
    head, _ = header.split(text)
    try:
        fields = yaml.load(head, Loader=_LOADER)  # noqa: S506  BaseLoader builds strings only
    except (yaml.YAMLError, ValueError, RecursionError):
        return []
    found = []
    for key, value in fields.items() if isinstance(fields, dict) else ():
        told = ""
        if key in ("tags", "supersedes") and not isinstance(value, (str, list)):
            told = f"{key} is a list: [a, b]"
        elif key == "files" and not isinstance(value, list) and value != "":
            told = "files is a list of {path: ..., sha256: ...}"
        elif not isinstance(value, str):
            told = f"{key} is one text" if key in _TEXTS else ""
        elif key == "title" and len(value.splitlines()) > 1:
            told = "title is one line"
        elif key == "offer" and value.strip() and value.strip().casefold() not in OFFERS:
            told = f"offer is always or never, not {value[:40]!r}; leave it out for neither"
        elif key in _DATES and value.strip() and layout.epoch(value) is None:
            told = f"{key} is a date (2026-11-03T10:15:00Z), not {value[:40]!r}"
        if told:
            found.append((header.line_of(text, key), told))
    return found


def is_named(place):
    """Whether a name can be kept and printed: one that is not UTF-8 is no memory's, whatever is in it."""
    try:
        place.encode()
    except UnicodeEncodeError:
        return False
    return True


def walk(folder):
    """(place, mtime in ns, size) of every file that is a memory, and {folder: its mtime in ns}."""
    found = []
    times = {}
    for relative in filter(is_named, layout.folders(folder)):
        at = os.path.join(folder, relative)
        try:
            # The time before the listing: what is added meanwhile shows as a change next time.
            times[relative] = os.stat(at).st_mtime_ns
            entries = os.scandir(at)
        except OSError:
            times[relative] = 0
            continue
        with entries:
            for entry in entries:
                place = relative + "/" + entry.name
                if layout.kind_of(place) is None or not is_named(place):
                    continue
                try:
                    stat = entry.stat()
                except OSError:
                    continue
                if entry.is_file():
                    found.append((place, stat.st_mtime_ns, stat.st_size))
    return found, times


def _where(error):
    mark = getattr(error, "problem_mark", None)
    told = getattr(error, "problem", None) or type(error).__name__
    return "%s (line %d)" % (told, mark.line + 2) if mark else str(told)


def _text(fields, key):
    value = fields.get(key)
    return _whole(value) if isinstance(value, str) else ""


def _whole(text):
    # PyYAML without libyaml lets an escape make half a surrogate pair, which SQLite cannot store.
    return text if text.isascii() else text.encode("utf-8", "replace").decode()


def _texts(value):
    if isinstance(value, str):
        return [part.strip() for part in _whole(value).split(",") if part.strip()]
    return [_whole(v) for v in value if isinstance(v, str)] if isinstance(value, list) else []


def _cited(value):
    found = []
    for row in value if isinstance(value, list) else ():
        if isinstance(row, str):
            found.append([_whole(row), "", []])
        elif isinstance(row, dict) and isinstance(row.get("path"), str):
            digest, spans = row.get("sha256"), row.get("spans")
            digest = digest if isinstance(digest, str) and _SHA.match(digest) else ""
            found.append([_whole(row["path"]), digest, _texts(spans) if isinstance(spans, list) else []])
    return found


def _first_line(body):
    for line in body.splitlines():
        line = line.strip().lstrip("#").strip()
        if line:
            return line[:200]
    return ""


def _stamp(name):
    if not layout.is_id(name):
        return None
    return layout.epoch(f"{name[:4]}-{name[4:6]}-{name[6:8]}T{name[9:11]}:{name[11:13]}:{name[13:15]}")

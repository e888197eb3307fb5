"""Looking through a whole store for credentials, and taking them out.

What is saved is redacted before it is written. This is for what people wrote into files by hand, what older
versions saved, and what other programs put into the knowledge graph. No value is ever told: only where it
stands and of what kind it is.
"""

import json
import os

from foreword import files, paths, project
from foreword.errors import BusyError, ForewordError
from foreword.graph import place as graph_place
from foreword.memory import change
from foreword.memory.agree import bring_up_to_date
from foreword.store import header, layout
from foreword.store import read as reading
from foreword.text.redact import found, redact

LARGEST = reading.LARGEST
FOREWORDS = ("forewords.log", "forewords.log.1")
_LOCKS = {"forewords.log": ".forewords.lock", "forewords.log.1": ".forewords.lock"}
LOCK_S = 10.0


def scan(home, progress=None):
    """What looks like a credential in a store: [{"where" (a path below the home), "path", "id" ("" for what
    is no memory's file), "line" (of the first), "kinds" (of all, each once)}], in order of the paths.

    `progress(done, all)` is called as files are read. The knowledge graph is looked at wherever it lies.
    """
    places = _places(home)
    rows = []
    for done, path in enumerate(places):
        if progress:
            progress(done, len(places))
        text = _text(path)
        spans = found(text) if text else []
        if not spans:
            continue
        name = os.path.basename(path)[:-3]
        rows.append(
            {
                "where": os.path.relpath(path, home) if _is_below(path, home) else path,
                "path": path,
                "id": name if layout.is_id(name) and path.endswith(".md") else "",
                "line": text.count("\n", 0, spans[0][1]) + 1,
                "kinds": list(dict.fromkeys(kind for kind, _, _ in spans)),
            }
        )
    return rows


def clean(home, rows):
    """Redact the files that `scan` named; those rows of which something is left: a file that is no UTF-8, or
    of which it is a part that cannot be changed without breaking it. Durable on return."""
    left = _cleaned(home, rows)
    # Changing the graph made a copy of it as it was.
    known = {row["path"] for row in rows}
    return left + _cleaned(home, [row for row in scan(home) if row["path"] not in known])


def _cleaned(home, rows):
    left = []
    folders = set()
    graph = graph_place.path_of(home)
    with change.locked(home):
        for row in rows:
            path = row["path"]
            try:
                if os.path.realpath(path) == os.path.realpath(graph):
                    _clean_graph(graph, home)
                else:
                    _clean_file(path)
            except (ForewordError, OSError, ValueError):
                left.append(row)
                continue
            if found(_text(path) or ""):
                left.append(row)
            folders.add(_project_of(path, home))
    for folder in filter(None, folders):
        try:
            bring_up_to_date(folder)
        except BusyError:
            pass  # the index never holds what looks like a credential
    return left


def _clean_file(path):
    name = os.path.basename(path)
    if name in _LOCKS:
        with files.Lock(os.path.dirname(path), LOCK_S, _LOCKS[name]) as held:
            if not held:
                raise BusyError(f"{path} is in use", "try again")
            _rewrite(path, _json_lines)
    elif name.endswith((".jsonl", ".log")) or ".log." in name:
        _rewrite(path, _json_lines)
    elif name.endswith(".md"):
        _rewrite(path, _memory)
    else:
        _rewrite(path, redact)


def _rewrite(path, change_text):
    with open(path, "rb") as f:
        raw = f.read()
    text = raw.decode("utf-8")
    new = change_text(text)
    if new != text:
        files.write(path, new.encode("utf-8"))


def _memory(text):
    """A memory's text: body and what people read of its front matter; the rest of that only where it stays
    what it is."""
    head, body = header.split(text)
    if not head:
        return redact(text)
    made = reading.parse(text.encode(), "facts/a.md")
    changes = {}
    for key in ("title", "question"):
        if made[key] and redact(made[key]) != made[key]:
            changes[key] = redact(made[key])
    if any(redact(tag) != tag for tag in made["tags"]):
        changes["tags"] = [redact(tag) for tag in made["tags"]]
    new = header.rewrite(text, changes, redact(body)) if changes or redact(body) != body else text
    whole = redact(new)
    if whole != new and reading.parse(whole.encode(), "facts/a.md")["damage"] == made["damage"]:
        new = whole  # a key of somebody's own
    return new


def _json_lines(text):
    """Lines of JSON with what looks like a credential taken out of their texts; any other line as text."""
    return "\n".join(_json_line(line) if found(line) else line for line in text.split("\n"))


def _json_line(line):
    try:
        return json.dumps(_within(json.loads(line)), ensure_ascii=line.isascii())
    except (ValueError, RecursionError):
        return redact(line)


def _within(value):
    if isinstance(value, str):
        return redact(value)
    if isinstance(value, list):
        return [_within(one) for one in value]
    if isinstance(value, dict):
        return {key: _within(one) for key, one in value.items()}
    return value


def _clean_graph(path, home):
    """Observations of the graph, through its own door, so that nobody's write is lost."""
    from foreword.graph.change import Done

    def without(graph):
        for entity in graph.entities:
            clean_ones = [redact(text) for text in entity.observations]
            if clean_ones != entity.observations:
                graph.set_observations(entity, clean_ones)
        return Done()

    graph_place.open_graph(path, home=home).change(without)


def _places(home):
    """Every file of the store that may hold words of somebody's, in order; the graph's too, wherever it
    is."""
    found_paths = []
    for _, folder in _folders(home):
        found_paths += [os.path.join(folder, at) for at, _, _ in reading.walk(folder)[0]]
        found_paths += [os.path.join(folder, name) for name in FOREWORDS]
    for inner in (("state", "sessions"), ("state", "edits"), ("state", "quarantine"), ("log",)):
        found_paths += _below(os.path.join(home, *inner))
    graph = graph_place.path_of(home)
    folder = os.path.dirname(graph)
    found_paths += [graph, graph + ".unreadable"]
    for inner in ("archive", "backups"):
        found_paths += _below(os.path.join(folder, inner))
    return sorted({path for path in found_paths if os.path.isfile(path)})


def _folders(home):
    names = [(name, paths.project_folder(home, name)) for name, _ in project.all_records(home)]
    return [*names, ("global", paths.everywhere(home))]


def _below(top):
    return [os.path.join(at, name) for at, _, names in os.walk(top) for name in names]


def _project_of(path, home):
    for _, folder in _folders(home):
        if _is_below(path, folder):
            return folder
    return ""


def _is_below(path, top):
    return path.startswith(top.rstrip(os.sep) + os.sep)


def _text(path):
    try:
        with open(path, "rb") as f:
            return f.read(LARGEST).decode("utf-8", "replace")
    except OSError:
        return ""

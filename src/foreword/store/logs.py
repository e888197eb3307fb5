"""The logs that hooks and faces keep of a project, as they are read back: a JSON object a line, the older
files beside the log (`prompts.log.1` is the newest of them). Cold.

What stands in the place of a log or a line stops nobody: damaged lines, what is no file (a folder, a pipe)
and what cannot be read are passed over.
"""

import json

from foreword import files
from foreword.store.layout import LOGS_KEPT, is_id


def records(path, kept=LOGS_KEPT):
    """The objects (dicts) of a log and of `kept` older files, oldest first."""
    for at in reversed(_files(path, kept)):
        for line in _lines(at):
            if (record := _record(line)) is not None:
                yield record


def newest(path, kept=1, tail=None):
    """The same, newest first; of each file's end `tail` bytes at most. For who wants the last few: one older
    file will do, since the log itself may have been rotated just now."""
    for at in _files(path, kept):
        for line in reversed(_lines(at, tail)):
            if (record := _record(line)) is not None:
                yield record


def shown(record):
    """([ids of memories], [ids of the graph's entities]) that had a line in the foreword before a prompt, by
    its line of prompts.log."""
    found = []
    for key in ("ids", "entities"):
        ids = record.get(key)
        found.append([i for i in ids if is_id(i)] if isinstance(ids, list) else [])
    return found[0], found[1]


def hit(record):
    """(whether memory was on at a prompt, whether it got a foreword then), by its line of prompts.log. A hit
    rate is the prompts with a foreword, of whatever lines, over those while memory was on."""
    is_on = record.get("state") == "on"
    return is_on, is_on and any(shown(record))


def _files(path, kept):
    """The paths of a log and its older files, the newest first."""
    return [path, *("%s.%d" % (path, n) for n in range(1, kept + 1))]


def _lines(path, tail=None):
    try:
        data = files.read(path) or b""
    except OSError:
        return []
    if tail is not None and len(data) > tail:
        data = data[-tail - 1 :].partition(b"\n")[2]  # from the beginning of a line
    return data.split(b"\n")


def _record(line):
    try:
        found = json.loads(line) if line else None
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None

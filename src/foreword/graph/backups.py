"""Copies of the graph's file in `backups/` beside it: daily before the first write, and before compacting.

The last few are kept. Only files that this module named, of the same graph, are ever removed.
"""

import os
import re
import time

from foreword import files
from foreword.errors import ForewordError

FOLDER = "backups"


def folder_of(path):
    """Where the copies of a graph's file are; `path` is the real file, links followed."""
    return os.path.join(os.path.dirname(path), FOLDER)


def kept(path):
    """[(moment, file name)] of a file's copies, oldest first; a moment is `2026-11-03` for a daily copy, and
    `2026-11-03T101500` or `2026-11-03T101500-2` for one of `now`. memory-lean's daily copies are named alike,
    and count."""
    stem, extension = os.path.splitext(os.path.basename(path))
    ours = re.compile(
        r"%s-([0-9]{4}-[0-9]{2}-[0-9]{2}(?:T[0-9]{6}(?:-[0-9]+)?)?)%s\Z"
        % (re.escape(stem), re.escape(extension))
    )
    try:
        found = [match for name in os.listdir(folder_of(path)) if (match := ours.match(name))]
    except OSError:
        return []
    return sorted((match[1], match[0]) for match in found)


def daily(path, keep, today):
    """Before the first write of a day (`today`, ISO, UTC): copy the file to `<stem>-<today><ext>`, durably.
    Returns the copy's path.

    The newest `keep` daily copies stay, and at most as many of `now`, none older than those. Returns "" when
    there is nothing to do (no file, an empty one, today's copy is there, `keep` is 0) and when it could not
    be made: a full or read-only folder of backups must not cost the observation that is to be written. The
    caller goes on; lint tells of a folder that takes no copies.
    """
    if keep < 1:
        return ""
    target = _named(path, today)
    try:
        if os.path.lexists(target) or not _copy(path, target):
            return ""
    except OSError:
        return ""
    _prune(path, keep, target)
    return target


def now(path, keep, at=None):
    """One more copy, with the time (`at`: epoch seconds) in its name, durable; its path, "" when there is no
    file or an empty one. It stays whatever `keep` is. Raises ForewordError when it cannot be made: what
    follows changes the whole graph, and the user must be able to go back."""
    moment = time.strftime("%Y-%m-%dT%H%M%S", time.gmtime(at))
    target, again = _named(path, moment), 1
    try:
        while os.path.lexists(target):
            again += 1
            target = _named(path, "%s-%d" % (moment, again))
        if not _copy(path, target):
            return ""
    except OSError as error:
        raise ForewordError(
            "no backup can be written to %s: %s, nothing was changed" % (folder_of(path), error.strerror),
            "ls -ld " + folder_of(path),
        ) from None
    _prune(path, max(keep, 1), target)
    return target


def _named(path, moment):
    stem, extension = os.path.splitext(os.path.basename(path))
    return os.path.join(folder_of(path), "%s-%s%s" % (stem, moment, extension))


def _copy(path, target):
    """Whether there was anything to copy."""
    data = files.read(path)
    if data:
        files.make_folder(os.path.dirname(target))
        files.write(target, data, mode=files.FILE_MODE, create_only=True)
    return bool(data)


def _prune(path, keep, target):
    """Remove copies but the newest `keep` of each kind; those of `now` no later than the daily ones of their
    time, so that what was deleted from the graph does not stay in one for years. What killed writers left
    goes as well."""
    files.clear_left(folder_of(path))
    found = kept(path)
    of_days = [(moment, name) for moment, name in found if "T" not in moment]
    timed = [(moment, name) for moment, name in found if "T" in moment]
    old = of_days[:-keep] + timed[:-keep]
    if len(of_days) > keep:
        old += [(moment, name) for moment, name in timed[-keep:] if moment < of_days[-keep][0]]
    for _, name in old:
        other = os.path.join(folder_of(path), name)
        if other != target:
            try:
                files.remove(other)
            except OSError:
                pass  # one too many does no harm; the next copy tries again

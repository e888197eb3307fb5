"""Names and places of memories inside a project's folder. Hot; strings only, and `os` for looking."""

import os
import re
import time

from foreword.digest import of_text

TYPES = ("note", "session", "fact")
# What a memory's `basis` says to people and agents; any other text is somebody's own word.
BASES = {
    "saved-by-itself": "saved by itself",
    "agent": "by the agent",
    "user": "by the user",
    "imported": "imported",
}
BY_ITSELF, BY_AGENT = "saved-by-itself", "agent"
UNASKED = (BY_ITSELF, "imported")  # nobody read these before they were kept
_PLURAL = {"note": "notes", "session": "sessions", "fact": "facts"}
_ID = r"[0-9]{8}-[0-9]{6}-[0-9a-f]{4,8}\Z"

QUESTION_LIMIT = 4_000  # characters kept of a question, head and tail
ANSWER_LIMIT = 64_000  # characters kept of an answer, head and tail
LOGS_KEPT = 9  # older files, of 1 MB each, of prompts.log, opened.log and recalls.log: what the report reads
_LAST = 253_402_300_799  # the last second of 9999: an id has four digits for the year


def is_id(text):
    return isinstance(text, str) and len(text) <= 24 and re.match(_ID, text) is not None


def new_id(now, again=False):
    """`20261103-101500-a1b2`: UTC time of `now` (epoch seconds), the digits a fraction of the second.

    So ids sort by time, also within a second. `again`: random digits, where that id is taken.
    """
    try:
        stamp = time.strftime("%Y%m%d-%H%M%S", time.gmtime(min(max(0, now), _LAST)))
    except (OverflowError, ValueError, OSError):
        stamp = "19700101-000000"
    return f"{stamp}-{os.urandom(2).hex()}" if again else "%s-%04x" % (stamp, int(now % 1 * 65_536))


def timestamp(now):
    """ISO 8601 in UTC with microseconds."""
    whole = int(max(0, now))
    micro = int((max(0, now) - whole) * 1_000_000)
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(whole)) + ".%06dZ" % micro


def epoch(text):
    """Seconds since 1970 of an ISO 8601 time as people and programs write it (UTC unless it says
    otherwise); None when it is none."""
    import datetime  # cold: hooks write times, they do not read them

    try:
        moment = datetime.datetime.fromisoformat(str(text).strip().replace("Z", "+00:00"))
        if moment.tzinfo is None:
            moment = moment.replace(tzinfo=datetime.UTC)
        return moment.timestamp()
    except (ValueError, OverflowError):
        return None


def place(kind, memory_id, archived=False):
    """The path of a memory inside its project's folder, with `/`."""
    if archived:
        return f"archive/{kind}/{memory_id}.md"
    if kind == "note":
        return f"notes/{memory_id[:4]}-{memory_id[4:6]}/{memory_id}.md"
    return f"{_PLURAL[kind]}/{memory_id}.md"


def id_from(at, created):
    """The id of a memory whose file's name is none: the day and time, and digits of its place."""
    return f"{new_id(created)[:15]}-{of_text(at)[:8]}"


def home_of(folder):
    """The store's folder that a project's folder, or that of the global facts, lies in."""
    above = os.path.dirname(folder)
    return os.path.dirname(above) if os.path.basename(above) == "projects" else above


def folders(folder):
    """Every folder that may hold memories, relative with `/`, whether or not it is there yet."""
    found = ["notes", "sessions", "facts", *("archive/" + kind for kind in TYPES)]
    try:
        months = sorted(os.listdir(os.path.join(folder, "notes")))
    except OSError:
        months = []
    for month in months:
        # A hidden folder is some program's own (an editor's `.trash`): nothing in it is a memory.
        if not month.startswith(".") and os.path.isdir(os.path.join(folder, "notes", month)):
            found.append("notes/" + month)
    return found


def kind_of(relative):
    """(type, archived) that a place stands for, or None for a file that is no memory."""
    head, _, name = relative.rpartition("/")
    if not name.endswith(".md") or name.startswith("."):
        return None
    if head.startswith("archive/") and head[8:] in TYPES:
        return head[8:], True
    if head == "notes" or (head.startswith("notes/") and head.count("/") == 1 and head[6] != "."):
        return "note", False
    if head == "sessions":
        return "session", False
    return ("fact", False) if head == "facts" else None

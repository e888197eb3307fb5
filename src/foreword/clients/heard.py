"""A client's event in Foreword's words, and how a payload's fields become text. Hot; no dialect.

Each client's `wire` makes a Heard of what it was sent; the hooks read nothing else of an event.
"""

import os

LONGEST_ID = 200  # characters; clients' are UUIDs. What is longer is no id and must not fill logs
SKILL_MARK = b"<!-- written by foreword install -->"  # stands in every skill of ours (see foreword.skills)
LONGEST_SKILL = 1 << 16  # bytes read of a SKILL.md
LONGEST_PATH = 4_096  # PATH_MAX here; looking for a project above a longer one takes seconds


class Heard:
    """One event. Every field is a str, `subagent` a bool; what the client sent holds no lone surrogates
    and no NUL (a folder that the system names may: its name need not be text)."""

    __slots__ = (
        "anchor", "answer", "folder", "prompt", "session", "source", "subagent", "transcript", "turn",
    )  # fmt: skip


def text(payload, key, limit=None):
    """A field of a dict as a str; "" when it is something else, or longer than `limit`."""
    value = payload.get(key)
    if not isinstance(value, str) or (limit is not None and len(value) > limit):
        return ""
    if "\0" in value:
        value = value.replace("\0", "")
    if not value.isascii():
        # JSON may spell half a surrogate pair; no file or pipe takes that.
        value = value.encode("utf-8", "replace").decode("utf-8")
    return value


def installed_skill(folder, name):
    """What a skill of ours is called that lies in a client's folder of skills: its name, "foreword-" before
    it where the user has one of that name; "" when there is none."""
    for called in (name, "foreword-" + name):
        try:
            with open(os.path.join(folder, called, "SKILL.md"), "rb") as f:
                if SKILL_MARK in f.read(LONGEST_SKILL):
                    return called
        except (OSError, ValueError):
            pass  # not there
    return ""


def current_folder():
    """Where this process stands; "" when that folder is gone."""
    try:
        return os.getcwd()
    except OSError:
        return ""

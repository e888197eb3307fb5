"""A client's event in Foreword's words, how a payload's fields become text, and the hook JSON that Claude
Code and Codex have in common. Hot; what one client alone says is in its `wire`.

Each client's `wire` makes a Heard of what it was sent; the hooks read nothing else of an event.
"""

import json
import os

from foreword import files

EVENTS = {"prompt": "UserPromptSubmit", "stop": "Stop", "session-start": "SessionStart"}
LONGEST_ID = 200  # characters; clients' are UUIDs. What is longer is no id and must not fill logs
SKILL_MARK = b"<!-- written by foreword install -->"  # stands in every skill of ours (see foreword.skills)
LONGEST_SKILL = 1 << 16  # bytes read of a SKILL.md
LONGEST_PATH = 4_096  # PATH_MAX here; looking for a project above a longer one takes seconds


class Heard:
    """One event. Every field is a str, `subagent` a bool; what the client sent holds no lone surrogates
    and no NUL (a folder that the system names may: its name need not be text)."""

    __slots__ = (
        "anchor", "answer", "files", "folder", "prompt", "session", "source", "subagent", "transcript",
        "turn",
    )  # fmt: skip


def hear(event, payload, turn, anchor="", answer="last_assistant_message", events=EVENTS):
    """The payload (a dict of anything) as Heard; None when it is not this event at all. `turn`: the key of
    the turn's id, `answer`: that of a stop's answer; `events`: what the client calls each event."""
    named = payload.get("hook_event_name")
    if named is not None and named != events[event]:
        return None
    heard = Heard()
    heard.session = text(payload, "session_id", LONGEST_ID)
    heard.turn = text(payload, turn, LONGEST_ID)
    heard.folder = text(payload, "cwd") or current_folder()
    heard.anchor = anchor
    heard.files = ()  # what the session used, where the payload itself says it
    heard.prompt = text(payload, "prompt")
    heard.answer = text(payload, answer)
    heard.source = text(payload, "source")
    heard.transcript = text(payload, "transcript_path", LONGEST_PATH)
    heard.subagent = bool(text(payload, "agent_id"))
    if not os.path.isabs(heard.folder) or len(heard.folder) > LONGEST_PATH:
        return None
    return heard


def say(event, text, notice=""):
    """The answer that hands `text` to the model, and `notice`, one line, to the user; bytes."""
    output = {"hookSpecificOutput": {"hookEventName": EVENTS[event], "additionalContext": text}}
    if notice:
        output = {"systemMessage": notice, **output}
    return json.dumps(output, ensure_ascii=False).encode("utf-8", "replace")


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
            if SKILL_MARK in (files.read(os.path.join(folder, called, "SKILL.md"), LONGEST_SKILL) or b""):
                return called
        except (OSError, ValueError):
            pass  # a folder that may not be looked into, a name that is none
    return ""


def current_folder():
    """Where this process stands; "" when that folder is gone."""
    try:
        return os.getcwd()
    except OSError:
        return ""

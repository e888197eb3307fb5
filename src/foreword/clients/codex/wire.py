"""Codex's hook payloads, heard and answered, and what a rollout, its transcript, holds. Hot.

Seen in runs of 0.171.0 (2026-11-30): turn_id pairs UserPromptSubmit with its Stop, and a prompt that was
typed while the turn ran has the same one; SessionStart has none. Stop carries last_assistant_message, and
the rollout already holds it. A subagent's UserPromptSubmit carries agent_id and the task that the model
wrote; newer models' subagents have none of it. `codex exec resume` keeps session_id, /fork does not. Any
key that Codex does not know makes the answer count for nothing, and so does any text after Stop.
"""

import json
import os
import re

from foreword import paths
from foreword.clients import heard, tail
from foreword.clients.heard import LONGEST_ID, LONGEST_PATH, installed_skill, text

# (UTF-16 units, UTF-8 bytes) of one hook's context. Over its limit Codex cuts a hook's context in the middle
# and leaves the whole in $TMPDIR/hook_outputs, which everybody may read. Measured: a token is four bytes of
# UTF-8, rounded up, whatever the script, and the limit itself still passes. Without a limit of the hook's
# own that is 2,500 tokens: 10,000 bytes, so 3,333 Japanese characters. With the additionalContextLimit of
# 8,000 that ours are installed with it is 32,000 bytes: 10,666 Japanese characters. Each hook has its own
# limit. We stay at 6,000 tokens: other versions bound what a hook may ask for, and 6,000 are within that.
ROOM = (24_000, 24_000)
RECALL_WITH_PROMPT = False

_OPENS_ITEM = b'"item":{"type":"'
say = heard.say  # its notice: the terminal shows `Hook · <notice>`, `codex exec` nothing


def hear(event, payload):
    """The payload (a dict of anything) as Heard; None when it is not this event at all."""
    return heard.hear(event, payload, "turn_id")  # nothing tells a project's folder: cwd stays what it was


def is_headless(heard, environ):
    """Whether `codex exec` is at work: the first record of its rollout says so, 500 bytes in (0.171.0)."""
    try:
        with open(heard.transcript, "rb") as f:
            return b'"originator":"codex_exec"' in f.read(4_096)
    except (OSError, ValueError):
        return False


def skill(name):
    """How a skill of ours is called here and now: "$dream", "$foreword-dream", "$foreword:dream" in a
    plugin; "" when none is installed. A plugin's skill answers to its whole name only."""
    home = os.environ.get("CODEX_HOME") or os.path.join(paths.user_home(), ".codex")
    if called := installed_skill(os.path.join(home, "skills"), name):
        return "$" + called
    root = os.environ.get("PLUGIN_ROOT") or os.environ.get("CLAUDE_PLUGIN_ROOT")
    if root and installed_skill(os.path.join(root, "skills"), name) == name:
        return "$foreword:" + name
    return ""


def question(transcript, turn):
    """The prompts of a turn from the rollout's tail, for when none was left waiting; or "".

    Only what the human typed: not AGENTS.md, environment, skills or what hooks added, which Codex files
    under the user's name too. Without a turn, the last prompt. Waits up to WAIT_S for a record that is
    not there yet.
    """
    return tail.wait_for(transcript, lambda records: _last_prompt(records, turn))


def answer(transcript, turn):
    """The last text of the agent, for payloads without one; or "". Waits as `question` does.

    Only what follows the last prompt or tool call is a final answer; with a turn, only that turn's.
    """
    return tail.wait_for(transcript, lambda records: _last_answer(records, turn))


def touched(transcript):
    """Absolute paths of the files that a client session has read or edited, the latest first: see
    tail.named. Never waits; [] when nothing can be read.

    From the items that Codex notes itself, whatever tool the model called: FileChange for a patch,
    CommandExecution for a command in which Codex sees files being read (`cat`, `sed -n`, `head`; not what
    stands in a loop or beside a command that it does not know). What the model sends to its tools differs
    from model to model, and may be a program.

    Finds by bytes, for parsing all records would take 3 ms. Within a JSON string every quote has a
    backslash before it, so that the first `"item":{"type":"` of a line is a key, whatever tools returned.
    """
    return tail.named(transcript, _OPENS_ITEM, _paths)


def _paths(record):
    """Absolute paths of the files that a line says were read or changed, the last first."""
    head, _, item = record.partition(_OPENS_ITEM)
    if b'"type":"item_completed"' not in head:
        return
    if item.startswith(b'FileChange"'):
        changes = _value(item, b'"changes":')
        for path, change in reversed(changes.items() if isinstance(changes, dict) else ()):
            moved = text(change, "move_path", LONGEST_PATH) if isinstance(change, dict) else ""
            yield from filter(os.path.isabs, (moved, text({"": path}, "", LONGEST_PATH)))
    elif item.startswith(b'CommandExecution"'):
        folder = _folder(_value(item, b'"cwd":'))
        commands = _value(item, b'"parsed_cmd":')
        for command in reversed(commands if folder and isinstance(commands, list) else ()):
            if isinstance(command, dict) and command.get("type") == "read":
                path = text(command, "path", LONGEST_PATH)
                if path:
                    yield os.path.normpath(os.path.join(folder, path))


def _value(item, key):
    """What follows the first `key` in an item's bytes; None when it is absent or no JSON."""
    at = item.find(key)
    if at < 0:
        return None
    try:
        return json.JSONDecoder().raw_decode(item[at + len(key) :].decode("utf-8", "replace"))[0]
    except (ValueError, RecursionError):
        return None


def _folder(url):
    """The path of a `file:///` URL; "" for anything else: commands may run on another machine."""
    if not isinstance(url, str) or not url.startswith("file:///"):
        return ""
    raw = url[len("file://") :].encode("utf-8", "replace")
    raw = re.sub(rb"%([0-9A-Fa-f]{2})", lambda found: bytes([int(found.group(1), 16)]), raw)
    return text({"": raw.decode("utf-8", "replace")}, "", LONGEST_PATH)


def _last_prompt(records, turn):
    """(text, whether to stop waiting)."""
    found = []  # of the turn, the last first
    nobodys = []  # of the turn whose start comes next, as we read backwards: older versions name none
    for record in records:
        kind, payload = _parts(record)
        known = _turn(payload)
        asked = _asked(kind, payload)
        if asked and not turn:
            return asked, True
        if asked and known in (turn, ""):
            # Each prompt stands there twice, as what the model gets and as what the terminal shows.
            prompts = found if known else nobodys
            prompts.extend([asked] if asked not in prompts else [])
        elif payload.get("type") == "task_started" and known:
            if known == turn:
                found = found or nobodys
                break
            nobodys = []
    return "\n\n".join(reversed(found)), bool(found)


def _last_answer(records, turn):
    """(text, whether to stop waiting)."""
    nobodys = ""  # of the turn whose start comes next, as we read backwards: older versions name none
    for record in records:
        kind, payload = _parts(record)
        known = _turn(payload)
        if turn and known and known != turn:
            nobodys = ""
            continue  # a later one's, or ours is not written yet
        if payload.get("type") == "task_started" and (known or not turn):
            return nobodys, bool(nobodys)
        if nobodys:
            continue
        said = "" if _is_summary(record) else _said(kind, payload)
        if said and (known or not turn):
            return said, True
        nobodys = said
        if not said and (_asked(kind, payload) or _is_tool(kind, payload)):
            return "", False
    return "", False


def _parts(record):
    """(type, payload) of a record; {} for a payload that is none."""
    payload = record.get("payload")
    return record.get("type"), payload if isinstance(payload, dict) else {}


def _turn(payload):
    """The turn that a payload names, or ""."""
    given = payload.get("internal_chat_message_metadata_passthrough")
    return text(given if isinstance(given, dict) else payload, "turn_id", LONGEST_ID)


def _asked(kind, payload):
    """What a human typed, if a record is that; or ""."""
    what = payload.get("type")
    if kind == "response_item" and what == "message" and payload.get("role") == "user":
        given = payload.get("internal_chat_message_metadata_passthrough")
        kinds = given.get("content_item_kinds") if isinstance(given, dict) else None
        content = payload.get("content")
        if isinstance(kinds, list) and isinstance(content, list):
            return _joined(part for name, part in zip(kinds, content) if name == "user.text")  # noqa: B905
    elif kind == "event_msg" and what == "item_completed":
        return _item(payload, "UserMessage")
    elif kind == "event_msg" and what == "user_message":
        return text(payload, "message")  # of older versions
    return ""


def _said(kind, payload):
    """What the agent said, if a record is that and no remark while it worked; or ""."""
    what = payload.get("type")
    if payload.get("phase") == "commentary":
        return ""
    if kind == "response_item" and what == "message" and payload.get("role") == "assistant":
        content = payload.get("content")
        return _joined(content if isinstance(content, list) else ())
    if kind == "event_msg" and what == "item_completed":
        return _item(payload, "AgentMessage")
    if kind == "event_msg" and what in ("agent_message", "task_complete"):
        return text(payload, "message" if what == "agent_message" else "last_agent_message")
    return ""


def _item(payload, what):
    item = payload.get("item")
    if not isinstance(item, dict) or item.get("type") != what or item.get("phase") == "commentary":
        return ""
    return _joined(item["content"]) if isinstance(item.get("content"), list) else ""


def _joined(parts):
    return "\n\n".join(filter(None, (text(part, "text") for part in parts if isinstance(part, dict))))


def _is_tool(kind, payload):
    """Whether a record is a call of a tool, what it gave back, or anything else that answers nothing."""
    return kind == "response_item" and payload.get("type") not in ("message", "reasoning", None)


def _is_summary(record):
    """Whether a record is what the model wrote for a compaction."""
    metadata = record.get("metadata")
    return isinstance(metadata, dict) and bool(metadata.get("compaction_output"))

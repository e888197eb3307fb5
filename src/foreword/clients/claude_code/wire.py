"""Claude Code's hook payloads, heard and answered. Hot.

Seen in runs of 2.1.197 (2026-11-30): prompt_id pairs UserPromptSubmit with its Stop and is absent on
SessionStart; Stop carries last_assistant_message while the transcript does not hold it yet; tool
events of subagents carry agent_id; additionalContext is the way to the model that the terminal
does not show; 10,000 characters of it at most.
"""

import json
import os

from foreword import paths
from foreword.clients import heard, tail
from foreword.clients.heard import LONGEST_PATH, installed_skill, text

# UTF-16 units and UTF-8 bytes of one hook's context. At 10,001 characters the client puts all of it into a
# file and shows 2 KB; it counts as JavaScript does, and says nothing of bytes.
ROOM = (10_000, 1 << 20)
RECALL_WITH_PROMPT = False

# What reads or edits one file, by name; the input's key of that file's absolute path.
TOOLS = (b"Read", b"Edit", b"Write", b"MultiEdit", b"NotebookEdit")
PATHS = (b'"file_path"', b'"notebook_path"')
_ANY_PATH = b'_path"'
say = heard.say  # its notice: `SessionStart:startup says: <notice>` in the terminal


def hear(event, payload):
    """The payload (a dict of anything) as Heard; None when it is not this event at all, or of another
    program that runs the hooks of Claude Code's settings."""
    if _is_of_another(payload):
        return None
    return heard.hear(event, payload, "prompt_id", os.environ.get("CLAUDE_PROJECT_DIR", ""))


def _is_of_another(payload):
    """Whether a payload is that of a program that runs Claude Code's hooks as well (documented only, see
    README.md beside this file): its sessions are none of Claude Code's.

    VS Code says sessionId and hookEventName, Cursor conversation_id and cursor_version. GitHub's Copilot
    (and Gemini CLI, whose `hooks migrate` copies ours) says session_id as Claude Code does, and beside it a
    timestamp, which Claude Code has not.
    """
    if "session_id" not in payload and ("sessionId" in payload or "hookEventName" in payload):
        return True
    if "conversation_id" in payload or "cursor_version" in payload:
        return True
    # Claude Code says so itself, also when it was started in a terminal of such a program (2.1.197).
    return os.environ.get("CLAUDECODE") != "1" and ("timestamp" in payload or "CURSOR_VERSION" in os.environ)


def is_headless(heard, environ):
    """Whether a script started the client: `claude -p` and the SDKs say so to their hooks (2.1.197)."""
    return environ.get("CLAUDE_CODE_ENTRYPOINT", "").startswith("sdk")


def skill(name):
    """How this client session calls a skill of ours: "/dream", "/foreword-dream" where `dream` is the user's
    own, "/foreword:dream" in a plugin; "" where none is installed."""
    if os.environ.get("CLAUDE_PLUGIN_ROOT"):
        return f"/foreword:{name}"
    folder = os.environ.get("CLAUDE_CONFIG_DIR") or os.path.join(paths.user_home(), ".claude")
    return "/" + called if (called := installed_skill(os.path.join(folder, "skills"), name)) else ""


def question(transcript, turn):
    """The prompt of a turn from the transcript's tail, for when no prompt was left waiting; or "".

    Waits up to WAIT_S for a record that is not there yet. With a turn only its own prompt counts:
    another turn's question beside this answer would be worse than none. Transcripts of versions
    without promptId give the last prompt of a human.
    """
    return tail.wait_for(transcript, lambda records: _last_prompt(records, turn))


def answer(transcript, turn):
    """The last text of the assistant, for payloads without one; or "". Waits as `question` does.

    Only what follows the last prompt or tool result is a final answer; with a turn, only that turn's.
    """
    return tail.wait_for(transcript, lambda records: _last_answer(records, turn))


def touched(transcript):
    """Absolute paths of the files that the main line of a client session has read or edited, the latest
    first: see tail.named. Never waits; [] when nothing can be read.

    Finds by bytes, for parsing the records would take 3 ms. Within a JSON string every quote has a
    backslash before it, so that `"file_path"` is a key, whatever tools returned and files contain. The
    client writes a record for each block, so that a record has one tool.
    """
    return tail.named(transcript, _ANY_PATH, _used)


def _used(record):
    return _paths(record) if _uses_file(record) else ()


def _uses_file(record):
    """Whether a line is a record of the assistant's main line in which it uses one of TOOLS."""
    return (
        _says(record, b'"type"', b"tool_use")
        and _says(record, b'"type"', b"assistant")
        and any(_says(record, b'"name"', tool) for tool in TOOLS)
        and b'"isSidechain":true' not in record
        and b'"isSidechain": true' not in record
    )


def _says(record, key, value):
    return key + b':"' + value + b'"' in record or key + b': "' + value + b'"' in record


def _paths(record):
    """The values of PATHS in a line, the last first."""
    decoder = json.JSONDecoder()
    at = len(record)
    for _ in range(tail.NAMED_TRIES):
        at = record.rfind(_ANY_PATH, 0, at)
        if at < 0:
            return
        after = at + len(_ANY_PATH)
        value = record[after : after + 6 * LONGEST_PATH].lstrip(b" :")  # \u002f: six bytes a character
        if value[:1] == b'"' and record.endswith(PATHS, 0, after):
            try:
                path, _ = decoder.raw_decode(value.decode("utf-8", "replace"))
            except ValueError:
                continue
            path = text({"": path}, "", LONGEST_PATH)
            if os.path.isabs(path):
                yield path


def _last_prompt(records, turn):
    """(text, whether to stop waiting)."""
    others = False
    for record in records:
        if _is_prompt(record):
            known = record.get("promptId")
            if not turn or known == turn or (known is None and not others):
                return text(record["message"], "content"), True
            # A later prompt may stand behind ours: people type while the agent still works.
            others = others or known is not None
    return "", False


def _last_answer(records, turn):
    """(text, whether to stop waiting)."""
    found = ""
    for record in records:
        if record.get("isSidechain") or record.get("isMeta"):
            continue
        if record.get("type") == "assistant":
            found = found or _said(record)
        elif record.get("type") == "user":
            known = record.get("promptId")
            if turn and known is not None and known != turn:
                return "", False  # the end of an earlier turn: ours is not written yet
            break
    return found, bool(found)


def _said(record):
    """The last text block of an assistant's record, or ""."""
    message = record.get("message")
    content = message.get("content") if isinstance(message, dict) else None
    for block in reversed(content if isinstance(content, list) else ()):
        if isinstance(block, dict) and block.get("type") == "text" and text(block, "text"):
            return text(block, "text")
    return ""


def _is_prompt(record):
    """A human prompt: string content, no meta record, no compaction summary, no command's echo."""
    message = record.get("message")
    if record.get("type") != "user" or not isinstance(message, dict):
        return False
    content = message.get("content")
    return (
        isinstance(content, str)
        and not record.get("isMeta")
        and not record.get("isCompactSummary")
        and not record.get("isSidechain")
        and not content.startswith(("<command-name>", "<command-message>", "<local-command-"))
    )

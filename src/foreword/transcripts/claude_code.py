"""Claude Code's transcripts: one record a line, of a session or of a subagent.

Seen in runs of 2.1.197 (2026-11-30) and in transcripts of 2.0.55 to 2.0.73. The client writes one record for
each block of an answer and repeats the request's usage in it; the older ones write few output tokens into
the first and the true number into the last. Within a JSON string every quote has a backslash before it, so
that `"tool_result"` in a line is the record's own, whatever a tool gave back.
"""

import os

from foreword.transcripts import lines

USAGE = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens", "output_tokens")
# Tools that read one file, and the input's key of its path. A search reads many files and names none.
READS = {"Read": "file_path", "NotebookRead": "notebook_path"}
SYNTHETIC = "<synthetic>"  # the model of what the client says itself: an API error, an interruption
# How records begin that stand under the user's name and that no human wrote for the model. A command that
# asks the model (a skill, a command of the user's, /init) begins with <command-message> and is a turn; one
# that the client carries out itself (/clear, /compact, /model) begins with <command-name>, and what it
# printed with <local-command-stdout>. A line for the shell begins with <bash-input>.
NOT_ASKED = (
    "<command-name>", "<local-command-", "<bash-", "<user-memory-input>", "<task-notification>",
    "<teammate-message", "<system-reminder>", "[Request interrupted by user", "Stop hook feedback:",
)  # fmt: skip


class Reader:
    """Reads one transcript; no line needs what an earlier one said. See the room's __init__."""

    def __init__(self, subagent=False, state=()):
        self.subagent = subagent
        self.unread = 0

    def state(self):
        return ()

    def events(self, line):
        if b'"assistant"' in line:
            look = _answered
        elif b'"user"' in line and b'"tool_result"' not in line and not self.subagent:
            look = _asked
        else:
            return ()
        record = lines.record(line)
        if record is None:
            self.unread += 1
            return ()
        found = look(record)
        if found is None:
            self.unread += 1
            return ()
        time = lines.text(record, "timestamp")
        return (("time", time), *found) if found and time else tuple(found)


def _answered(record):
    """The events of an assistant's record; None when its usage cannot be read."""
    message = lines.part(record, "message")
    model = lines.text(message, "model")
    if record.get("type") != "assistant" or record.get("isApiErrorMessage") or model == SYNTHETIC:
        return []
    found = []
    key = lines.text(message, "id") or lines.text(record, "requestId") or lines.text(record, "uuid")
    if key and isinstance(message.get("usage"), dict):
        counts = lines.tokens(message["usage"], USAGE)
        if counts is None:
            return None
        found.append(("usage", key, model, *counts))
    for block in lines.listed(message, "content"):
        call = lines.text(block, "id")
        if block.get("type") != "tool_use" or not call:
            continue
        found.append(("tool", call))
        name = block.get("name")
        key = READS.get(name) if isinstance(name, str) else None
        if path := lines.text(lines.part(block, "input"), key) if key else "":
            found.append(("file", call, os.path.normpath(os.path.join(lines.text(record, "cwd"), path))))
    return found


def _asked(record):
    """The turn that a user's record begins, if a human wrote it for the model: its prompt's id, else the
    record's own, so that a Stop hook that sends the agent on begins no other."""
    if record.get("type") != "user" or any(
        record.get(mark)
        for mark in (
            "isMeta",
            "isSidechain",
            "isCompactSummary",
            "isVisibleInTranscriptOnly",
            "toolUseResult",
        )
    ):
        return []
    if isinstance(record.get("origin"), dict) and record["origin"].get("kind") != "human":
        return []
    message = lines.part(record, "message")
    said = message.get("content")
    if isinstance(said, list):
        blocks = lines.listed(message, "content")
        if any(block.get("type") == "tool_result" for block in blocks):
            return []
        texts = [block.get("text") for block in blocks if block.get("type") == "text"]
        said = "\n".join(text for text in texts if isinstance(text, str)) if texts else " " * bool(blocks)
    if not isinstance(said, str) or not said or said.startswith(NOT_ASKED):
        return []
    key = lines.text(record, "promptId") or lines.text(record, "uuid")
    return [("turn", key)] if key else []

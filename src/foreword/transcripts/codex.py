"""Codex's rollouts: one record a line, of a thread or of a subagent's.

Seen in runs of 0.171.0 (2026-11-30); what is said of older ones is from public reports about their files.

Usage stands in `token_usage_record` (one a response) and, in the same rollout, in `token_count` events; older
rollouts have only these, which repeat themselves and give a running total. Once a rollout has had a record,
only records count. `input_tokens` hold what was read from the cache and what was written to it: in all
samples `total_tokens` is input_tokens + output_tokens, whatever the other two say, so that both are taken
off. `output_tokens` hold the reasoning.

A fork's rollout, and that of a subagent which is handed the conversation, begins with a copy of its parent's
records, with new times and the parent's turns (0.171.0 leaves usage and tools out, older ones copy all). Ids
of turns and threads are UUIDs of version 7, which begin with a time: in such a rollout, what belongs to a
turn that is older than the thread is a copy and counts for nothing.
"""

import os
import re

from foreword.digest import of_text
from foreword.transcripts import lines

USAGE = ("input_tokens", "cache_write_input_tokens", "cached_input_tokens", "output_tokens")
_STATE = ("thread", "fork", "turn", "model", "records", "total")
# The two types that open a line, as Codex writes it. A line that opens otherwise is looked into.
_OPENS = re.compile(
    rb'\{"timestamp":"[^"\\]*",(?:"ordinal":\d+,)?"type":"(\w+)"(?:,"payload":\{"type":"(\w+)")?'
)
_KINDS = (b"session_meta", b"turn_context", b"token_usage_record")
_TYPES = (b"task_started", b"token_count", b"user_message", b"exec_command_end", b"message")
_ITEMS = (b'"UserMessage"', b'"CommandExecution"')
_UUID7 = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}\Z")


class Reader:
    """Reads one rollout, whose records rest on earlier ones: the model, the turn. See the room's __init__."""

    def __init__(self, subagent=False, state=()):
        self.subagent = subagent
        self.unread = 0
        self.thread = self.turn = self.model = ""
        self.fork = ""  # the parent's id, in a rollout that may begin with a copy of it
        self.records = 0  # 1 once there was a token_usage_record
        self.total = ""  # the last running total, as one text
        for name, value in zip(_STATE, state, strict=False):
            setattr(self, name, value)

    def state(self):
        return tuple(getattr(self, name) for name in _STATE)

    def events(self, line):
        if not _may_tell(line):
            return ()
        record = lines.record(line)
        if record is None:
            self.unread += 1
            return ()
        payload = lines.part(record, "payload")
        kind, what = record.get("type"), payload.get("type")
        if kind == "session_meta":
            self._begin(payload)
            return ()
        if kind == "turn_context" or what == "task_started":
            self.turn = lines.text(payload, "turn_id")
            self.model = lines.text(payload, "model") or self.model
            return ()
        found = None
        if kind == "token_usage_record":
            found = self._billed(payload)
        elif kind == "event_msg" and what == "token_count":
            found = self._counted(payload)
        elif kind == "event_msg" and what == "item_completed":
            found = self._item(payload)
        elif kind == "event_msg" and what == "exec_command_end":
            found = _files(payload, lines.text(payload, "call_id"), lines.text(payload, "cwd"))
        elif kind == "event_msg" and what == "user_message":
            found = self._asked(record, payload, self.turn, [payload.get("message")])
        elif kind == "response_item":
            found = self._sent(record, payload)
        if found is None or self._is_copy():
            return ()
        time = lines.text(record, "timestamp")
        return (("time", time), *found) if found and time else tuple(found)

    def _begin(self, meta):
        if self.thread:
            return  # that of a parent, copied, or the same again after a resume
        self.thread = lines.text(meta, "id")
        self.fork = lines.text(meta, "forked_from_id") or parent(meta)

    def _is_copy(self):
        """Whether what is read now is a copy of a parent's record."""
        if not self.fork or not _UUID7.match(self.turn) or not _UUID7.match(self.thread):
            return False
        return self.turn < self.thread

    def _billed(self, payload):
        counts, key = _tokens(lines.part(payload, "usage")), lines.text(payload, "response_id")
        self.records = 1
        if counts is None or not key:
            self.unread += 1
            return None
        return [("usage", key, self.model, *counts)]

    def _counted(self, payload):
        info = lines.part(payload, "info")  # null before the first answer
        total, last = info.get("total_token_usage"), info.get("last_token_usage")
        if self.records or not isinstance(total, dict):
            return None
        whole = lines.tokens(total, USAGE)
        if whole is None:
            self.unread += 1
            return None
        before, self.total = self.total, " ".join(map(str, whole))
        if self.total == before:
            return None
        if isinstance(last, dict):
            counts = _tokens(last)
        else:
            earlier = [int(count) for count in before.split()] or [0, 0, 0, 0]
            since = [now - then for now, then in zip(whole, earlier, strict=True)]
            counts = _tokens(dict(zip(USAGE, whole if min(since) < 0 else since, strict=True)))
        if counts is None:
            self.unread += 1
            return None
        # A copy has this key too, whatever its time. Where turns have no ids, the first thread has one.
        key = f"{self.turn or self.fork or self.thread} {self.total}"
        return [("usage", key, self.model, *counts)]

    def _item(self, payload):
        item = lines.part(payload, "item")
        if item.get("type") == "UserMessage":
            said = [entry.get("text") for entry in lines.listed(item, "content")]
            return self._asked({}, payload, lines.text(payload, "turn_id"), said)
        if item.get("type") == "CommandExecution" and item.get("source") != "user_shell":
            return _files(item, lines.text(item, "id"), _folder(item.get("cwd")))
        return None

    def _sent(self, record, payload):
        what = payload.get("type")
        if what == "message":
            about = lines.part(payload, "internal_chat_message_metadata_passthrough")
            kinds = about.get("content_item_kinds")
            if (
                payload.get("role") != "user"
                or not isinstance(kinds, list)
                or set(map(str, kinds)) != {"user.text"}
            ):
                return None
            said = [entry.get("text") for entry in lines.listed(payload, "content")]
            return self._asked(record, payload, lines.text(about, "turn_id"), said)
        if isinstance(what, str) and what.endswith("_call"):
            key = lines.text(payload, "call_id") or lines.text(payload, "id")
            return [("tool", key)] if key else None
        return None

    def _asked(self, record, payload, turn, said):
        """A turn: the same words in the same turn of the client's are one, however often they stand there. A
        prompt that was typed while the agent works has the same id and other words."""
        words = "\n".join(text for text in said if isinstance(text, str)).strip()
        if self.subagent:
            return None
        turn = turn or self.turn or self.thread + lines.text(record, "timestamp")
        return [("turn", f"{turn} {of_text(words)}")]


def parent(meta):
    """The id of the thread that a subagent's session_meta (a dict) names, "" when it is no subagent's.

    0.171.0 says `session_id`, the id of the thread that a human speaks to, however deep the subagent is.
    """
    source = lines.part(meta, "source")
    if meta.get("thread_source") != "subagent" and "subagent" not in source:
        return ""
    first, own = lines.text(meta, "session_id"), lines.text(meta, "id")
    spawned = lines.part(lines.part(source, "subagent"), "thread_spawn")
    others = (lines.text(meta, "parent_thread_id"), lines.text(spawned, "parent_thread_id"))
    named = (first, *others, lines.text(meta, "forked_from_id"))
    return next((name for name in named if name and name != own), "")


def _may_tell(line):
    """Whether a line may be of a kind that has events; most are not, and parsing takes the time."""
    opens = _OPENS.match(line)
    if not opens:
        return b'"payload"' in line
    kind, what = opens.groups()
    if kind == b"event_msg" and what == b"item_completed":
        return any(item in line for item in _ITEMS)
    if what == b"message":
        return b'"user.text"' in line
    return kind in _KINDS or what in _TYPES or (what is not None and what.endswith(b"_call"))


def _tokens(usage):
    """[input, creation, read, output] of a usage; None when that cannot be."""
    counts = lines.tokens(usage, USAGE)
    if counts is None:
        return None
    sent, written, read, output = counts
    return [max(0, sent - written - read), written, read, output]


def _files(of, key, folder):
    """The files that Codex saw a command read (`cat`, `sed -n`, `head`), relative to the command's folder."""
    if not key:
        return None
    read = [entry for entry in lines.listed(of, "parsed_cmd") if entry.get("type") == "read"]
    named = filter(None, (lines.text(entry, "path") for entry in read))
    return [("file", key, os.path.normpath(os.path.join(folder, path))) for path in named]


def _folder(url):
    """The path of a `file:///` URL; "" for anything else: commands may run on another machine."""
    if not isinstance(url, str) or not url.startswith("file:///"):
        return ""
    raw = url[len("file://") :].encode("utf-8", "replace")
    raw = re.sub(rb"%([0-9A-Fa-f]{2})", lambda found: bytes([int(found.group(1), 16)]), raw)
    return raw.decode("utf-8", "replace")

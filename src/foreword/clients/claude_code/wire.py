"""Claude Code's hook payloads, heard and answered. Hot.

Seen in runs of 2.1.197 (2026-11-30): prompt_id pairs UserPromptSubmit with its Stop and is absent on
SessionStart; Stop carries last_assistant_message while the transcript does not hold it yet; tool
events of subagents carry agent_id; additionalContext is the way to the model that the terminal
does not show; 10,000 characters of it at most.
"""

import json
import os
import stat
import time

LONGEST_ID = 200  # characters; the client's are UUIDs. What is longer is no id and must not fill logs
LONGEST_PATH = 4_096  # PATH_MAX here; looking for a project above a longer one takes seconds
TAIL_BLOCK = 1 << 16
TAIL_LIMIT = 4 << 20  # bytes of a transcript's end that are looked at; it may have 400 MB
WAIT_S = 1.0  # for a record that is not written yet (seen up to some 100 ms late)


class Heard:
    """One event in Foreword's words. Every field is a str or a bool; what the client sent holds no lone
    surrogates and no NUL (a folder that the system names may: its name need not be text)."""

    __slots__ = (
        "anchor", "answer", "continued", "folder", "prompt", "session", "source", "subagent",
        "transcript", "turn",
    )  # fmt: skip


def hear(event, payload):
    """The payload (a dict of anything) as Heard; None when it is not this event at all."""
    named = payload.get("hook_event_name")
    wanted = {"prompt": "UserPromptSubmit", "stop": "Stop", "session-start": "SessionStart"}[event]
    if named is not None and named != wanted:
        return None
    heard = Heard()
    heard.session = _text(payload, "session_id", LONGEST_ID)
    heard.turn = _text(payload, "prompt_id", LONGEST_ID)
    heard.folder = _text(payload, "cwd") or _cwd()
    heard.anchor = os.environ.get("CLAUDE_PROJECT_DIR", "")
    heard.prompt = _text(payload, "prompt")
    heard.answer = _text(payload, "last_assistant_message")
    heard.source = _text(payload, "source")
    heard.transcript = _text(payload, "transcript_path", LONGEST_PATH)
    heard.continued = payload.get("stop_hook_active") is True
    heard.subagent = bool(_text(payload, "agent_id"))
    if not os.path.isabs(heard.folder) or len(heard.folder) > LONGEST_PATH:
        return None
    return heard


def say(event, text):
    """The answer that hands `text` to the model; bytes."""
    name = "UserPromptSubmit" if event == "prompt" else "SessionStart"
    output = {"hookSpecificOutput": {"hookEventName": name, "additionalContext": text}}
    return json.dumps(output, ensure_ascii=False).encode("utf-8", "replace")


def _text(payload, key, limit=None):
    """A field as a str; "" when it is something else, or longer than `limit`."""
    value = payload.get(key)
    if not isinstance(value, str) or (limit is not None and len(value) > limit):
        return ""
    if "\0" in value:
        value = value.replace("\0", "")
    if not value.isascii():
        # JSON may spell half a surrogate pair; no file or pipe takes that.
        value = value.encode("utf-8", "replace").decode("utf-8")
    return value


def _cwd():
    try:
        return os.getcwd()
    except OSError:
        return ""


def question(transcript, turn):
    """The prompt of a turn from the transcript's tail, for when no prompt was left waiting; or "".

    Waits up to WAIT_S for a record that is not there yet. With a turn only its own prompt counts:
    another turn's question beside this answer would be worse than none. Transcripts of versions
    without promptId give the last prompt of a human.
    """
    return _wait_for(transcript, lambda records: _last_prompt(records, turn))


def answer(transcript, turn):
    """The last text of the assistant, for payloads without one; or "". Waits as `question` does.

    Only what follows the last prompt or tool result is a final answer; with a turn, only that turn's.
    """
    return _wait_for(transcript, lambda records: _last_answer(records, turn))


def _wait_for(transcript, look):
    end = time.monotonic() + WAIT_S
    pause = 0.02
    seen = None
    found = ""
    while transcript:
        try:
            status = os.stat(transcript)
            if not stat.S_ISREG(status.st_mode):
                return ""  # opening a pipe would wait for a writer until the watchdog ends us
            size = status.st_size
        except (OSError, ValueError):
            size = 0  # not there yet
        if size != seen:
            seen = size
            found, final = look(_tail(transcript))
            if final:
                return found
        if time.monotonic() >= end:
            return found
        time.sleep(pause)
        pause = min(pause * 2, 0.2)
    return ""


def _last_prompt(records, turn):
    """(text, whether to stop waiting)."""
    others = False
    for record in records:
        if _is_prompt(record):
            known = record.get("promptId")
            if not turn or known == turn or (known is None and not others):
                return _text(record["message"], "content"), True
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
        if isinstance(block, dict) and block.get("type") == "text" and _text(block, "text"):
            return _text(block, "text")
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


def _tail(path):
    """The records (dicts) of a JSONL file from its end backwards; at most TAIL_LIMIT bytes of it."""
    try:
        with open(path, "rb", buffering=0) as f:
            at = f.seek(0, os.SEEK_END)
            stop = max(0, at - TAIL_LIMIT)
            pieces = []  # of the line that began before what is read so far, last piece first
            while at > stop:
                size = min(TAIL_BLOCK, at - stop)
                at -= size
                f.seek(at)
                first, *lines = f.read(size).split(b"\n")
                if lines:
                    pieces.append(lines[-1])
                    yield from _records([b"".join(reversed(pieces)), *reversed(lines[:-1])])
                    pieces = []
                pieces.append(first)
            if at == 0:
                yield from _records([b"".join(reversed(pieces))])
    except (OSError, ValueError):
        return  # not there yet, or a name that is none


def _records(lines):
    return filter(None, map(_record, lines))


def _record(line):
    if not line.strip():
        return None
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        return None  # half a line, or not JSON
    return record if isinstance(record, dict) else None

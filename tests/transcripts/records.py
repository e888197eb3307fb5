"""Lines of clients' logs, as the clients write them."""

import json
import os

DATA = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "data", "transcripts")


def recorded(name):
    """The lines of a real log."""
    with open(os.path.join(DATA, name), "rb") as f:
        return f.read().splitlines()


def line(record):
    return json.dumps(record, ensure_ascii=False, separators=(",", ":")).encode()


def usage(sent=10, written=20, read=30, output=40):
    """Claude Code's."""
    return {
        "input_tokens": sent,
        "cache_creation_input_tokens": written,
        "cache_read_input_tokens": read,
        "output_tokens": output,
    }


def answer(message="msg_1", counted=None, blocks=(), time="2026-11-30T03:00:00.000Z", **more):
    """Claude Code's record of an answer, or of a block of it."""
    said = {"id": message, "role": "assistant", "model": "opus", "content": list(blocks)}
    said["usage"] = usage() if counted is None else counted
    return {
        "isSidechain": False, "message": said, "requestId": "req_1", "type": "assistant",
        "uuid": "u-" + message, "timestamp": time, "cwd": "/home/dev/app", **more,
    }  # fmt: skip


def tool(name="Read", call="toolu_1", **given):
    return {"type": "tool_use", "name": name, "input": given, "id": call}


def prompt(content="Why?", time="2026-11-30T03:00:00.000Z", **more):
    """Claude Code's record of a prompt."""
    return {
        "isSidechain": False, "promptId": "p1", "type": "user", "uuid": "u1",
        "message": {"role": "user", "content": content}, "timestamp": time, "cwd": "/home/dev/app", **more,
    }  # fmt: skip


def of_codex(kind, time="2026-11-30T03:00:00.000Z", **payload):
    return {"timestamp": time, "ordinal": 1, "type": kind, "payload": payload}


def tokens(sent=100, read=60, written=10, output=5):
    """Codex's."""
    return {
        "input_tokens": sent, "cached_input_tokens": read, "cache_write_input_tokens": written,
        "output_tokens": output, "reasoning_output_tokens": 3, "total_tokens": sent + output,
    }  # fmt: skip


def token_count(total, last=None):
    info = {"total_token_usage": total, **({"last_token_usage": last} if last else {})}
    return of_codex("event_msg", type="token_count", info=info)

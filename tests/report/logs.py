"""Logs as Claude Code 2.1.197 and Codex 0.171.0 keep them, with the numbers a test asks for; and ours."""

import json
import os
import uuid
from pathlib import Path

MODEL = "claude-opus-4-8"


def when(day, second=0):
    """A time `second` seconds after 10:00 UTC of a day of November 2026."""
    return "2026-11-%02dT%02d:%02d:%02d.000Z" % (day, 10 + second // 3600, second // 60 % 60, second % 60)


def _write(path, records):
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(path, "a", encoding="utf-8") as f:
        for record in records:
            f.write(json.dumps(record, separators=(",", ":")) + "\n")
    return path


def claude(home, session, day=3, requests=((10, 20, 300, 40),), reads=(), folder="-home-dev-shop", agent=""):
    """A transcript of one turn; each request: (input, cache creation, cache read, output), in two records
    that repeat its id, the first with less output. `reads`: absolute paths. `agent`: of a subagent."""
    at = os.path.join(home, ".claude", "projects", folder)
    common = {"sessionId": session, "cwd": "/home/dev/shop", "version": "2.1.197", "isSidechain": bool(agent)}
    prompt = {
        "type": "user",
        "uuid": str(uuid.uuid4()),
        "promptId": f"{session}-{day}",
        "timestamp": when(day),
    }
    records = (
        [] if agent else [{**common, **prompt, "message": {"role": "user", "content": "Why is it slow?"}}]
    )
    for n, numbers in enumerate(requests):
        key = f"msg_{session}_{agent}_{day}_{n}"
        blocks = [{"type": "text", "text": "I look."}]
        if n < len(reads):
            tool = {
                "type": "tool_use",
                "id": f"toolu_{key}",
                "name": "Read",
                "input": {"file_path": reads[n]},
            }
            blocks.append(tool)
        for m, block in enumerate([*blocks, {"type": "text", "text": "Done."}]):
            usage = dict(zip(_USAGE, numbers, strict=True))
            if not m:
                usage["output_tokens"] = 1
            message = {"id": key, "role": "assistant", "model": MODEL, "content": [block], "usage": usage}
            records.append(
                {
                    **common,
                    "type": "assistant",
                    "uuid": str(uuid.uuid4()),
                    "timestamp": when(day, n + 1),
                    "message": message,
                }
            )
    name = f"{session}/subagents/agent-{agent}.jsonl" if agent else f"{session}.jsonl"
    return _write(Path(at) / name, records)


_USAGE = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens", "output_tokens")


def codex(home, session, day=3, requests=((10, 300, 40),), reads=()):
    """A rollout of one turn; each request: (input without the cache, cache read, output)."""
    folder = Path(home) / ".codex" / "sessions" / "2026" / "11" / ("%02d" % day)
    meta = {"id": session, "session_id": session, "cwd": "/home/dev/shop", "cli_version": "0.171.0"}
    records = [
        ("session_meta", meta),
        ("turn_context", {"turn_id": f"t-{session}", "model": "gpt-5", "cwd": "/home/dev/shop"}),
    ]
    item = {"type": "UserMessage", "id": f"user-{session}", "content": [{"type": "text", "text": "Why?"}]}
    records.append(("event_msg", {"type": "item_completed", "item": item}))
    for n, path in enumerate(reads):
        call = {"type": "function_call", "name": "exec_command", "call_id": f"call_{n}", "arguments": "{}"}
        records.append(("response_item", call))
        parsed = [{"type": "read", "cmd": "cat", "name": path, "path": path}]
        item = {"type": "CommandExecution", "id": f"call_{n}", "parsed_cmd": parsed, "command": ["cat", path]}
        records.append(("event_msg", {"type": "item_completed", "item": item}))
    for n, (plain, cached, output) in enumerate(requests):
        usage = {
            "input_tokens": plain + cached, "cached_input_tokens": cached, "cache_write_input_tokens": 0,
            "output_tokens": output, "reasoning_output_tokens": 0, "total_tokens": plain + cached + output,
        }  # fmt: skip
        record = {"response_id": f"resp_{session}_{n}", "thread_id": session, "usage": usage}
        records.append(("token_usage_record", record))
    lines = [
        {"timestamp": when(day, n), "type": kind, "payload": payload}
        for n, (kind, payload) in enumerate(records)
    ]
    return _write(folder / f"rollout-2026-11-{day:02d}T10-00-00-{session}.jsonl", lines)


def prompts(folder, session, day=3, client="claude-code", times=1, **fields):
    """Lines of prompts.log for a client session."""
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, "prompts.log"), "a", encoding="utf-8") as f:
        for n in range(times):
            record = {
                "time": when(day, n).replace(".000Z", ".000000Z"), "client": client, "session": session,
                "turn": f"t{n}", "switch": "auto", "state": "on" if day % 2 == 0 else "off", "index": False,
                "ids": [], "characters": 0, "best": [], "needed": None, "why": "", **fields,
            }  # fmt: skip
            f.write(json.dumps(record) + "\n")

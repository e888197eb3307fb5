"""What counting client sessions costs: MB/s and peak memory, on a made-up log of either client.

    python bench/counting.py [--megabytes 400] [--long 100] [--beside 2000] [--clients claude-code codex]
                                [--json]

The records are made up and alike in kind and size to real ones: an answer in blocks that repeat its usage,
tool results of 2 to 20 KB, now and then one of 300 KB, and one line of `--long` MB; `--beside` logs of other
sessions stand beside. Counted in a process of its own, which takes what `report.count` needs and no more, and
once again with nothing new; what is counted is compared with what was written.
"""

import argparse
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "src"))

SESSION = "01a22a66-4000-7000-8000-000000000001"
TIME = "2026-11-30T03:00:00.000Z"
WORDS = "the row whose currency is missing was dropped by keep() in `src/app.py` before the ledger saw it\n"
COUNTING = """
import sys, time, resource
from foreword.report import count
began = time.process_time(), time.perf_counter()
count.count(sys.argv[1], "bench-00000000")
took = time.process_time() - began[0], time.perf_counter() - began[1]
began = time.perf_counter()
[found] = count.sessions(sys.argv[1], "bench-00000000")
asked = time.perf_counter() - began
def taken():
    with open("/proc/self/io") as f:
        return int(f.readline().split()[1])
began, before = time.perf_counter(), taken()
count.count(sys.argv[1], "bench-00000000")
again = time.perf_counter() - began, taken() - before
with open("/proc/self/status") as f:
    [peak] = [line.split()[1] for line in f if line.startswith("VmHWM:")]
import json
told = {"cpu": took[0], "seconds": took[1], "asked": asked, "again": again, "peak": int(peak)}
print(json.dumps({**told, "found": found}))
"""


def prose(dice, size):
    return (WORDS * (size // len(WORDS) + 1))[dice.randrange(40) :][:size]


def claude_code(dice, n):
    """The records of one request: three blocks and a tool's result."""
    common = {"isSidechain": False, "sessionId": SESSION, "timestamp": TIME, "cwd": "/home/dev/app"}
    usage = {
        "input_tokens": 12, "cache_creation_input_tokens": 345, "cache_read_input_tokens": 6789,
        "output_tokens": 42, "service_tier": "standard",
    }  # fmt: skip
    call = {
        "type": "tool_use",
        "id": f"toolu_{n}",
        "name": "Read",
        "input": {"file_path": f"/home/dev/app/{n % 300}.py"},
    }
    blocks = (
        {"type": "thinking", "thinking": prose(dice, 900)},
        {"type": "text", "text": prose(dice, 300)},
        call,
    )
    for block in blocks:
        message = {"id": f"msg_{n}", "role": "assistant", "model": "opus", "content": [block], "usage": usage}
        yield {**common, "message": message, "requestId": f"req_{n}", "type": "assistant", "uuid": f"u{n}"}
    text = prose(dice, 300_000 if n % 100 == 0 else dice.randrange(2_000, 20_000))
    given = {"tool_use_id": f"toolu_{n}", "type": "tool_result", "content": text}
    yield {
        **common, "type": "user", "message": {"role": "user", "content": [given]}, "uuid": f"r{n}",
        "toolUseResult": {"type": "text", "file": {"filePath": "/home/dev/app/a.py", "content": text}},
    }  # fmt: skip


def codex(dice, n):
    def event(kind, **payload):
        return {"timestamp": TIME, "ordinal": n, "type": kind, "payload": payload}

    if n == 0:
        yield event("session_meta", id=SESSION, session_id=SESSION, cwd="/home/dev/app", source="exec")
        yield event("turn_context", turn_id="01a22a66-5000-7000-8000-000000000001", model="gpt")
    cache = {"cached_input_tokens": 6789, "cache_write_input_tokens": 345}
    usage = {"input_tokens": 7146, **cache, "output_tokens": 42}
    text = prose(dice, 300_000 if n % 100 == 0 else dice.randrange(2_000, 20_000))
    yield event("response_item", type="reasoning", encrypted_content=prose(dice, 1_200))
    yield event(
        "response_item", type="function_call", name="exec_command", call_id=f"call_{n}", arguments="{}"
    )
    yield event("token_usage_record", response_id=f"resp_{n}", usage=usage)
    read = [{"type": "read", "cmd": "cat", "name": "a.py", "path": f"{n % 300}.py"}]
    item = {"type": "CommandExecution", "id": f"call_{n}", "cwd": "file:///home/dev/app", "parsed_cmd": read}
    yield event("event_msg", type="item_completed", item={**item, "aggregated_output": text})
    yield event("response_item", type="function_call_output", call_id=f"call_{n}", output=text)
    yield event("event_msg", type="token_count", info={"total_token_usage": usage, "last_token_usage": usage})


MAKE = {
    "claude-code": (claude_code, ".claude/projects/-home-dev-app/%s.jsonl" % SESSION),
    "codex": (codex, ".codex/sessions/2026/11/30/rollout-2026-11-30T03-00-00-%s.jsonl" % SESSION),
}


def write(client, path, megabytes, long):
    """Requests written to a log of about so many MB, with one line of `long` MB in its middle."""
    dice, requests, size, longer = random.Random(1), 0, 0, long * 1_000_000
    os.makedirs(os.path.dirname(path))
    with open(path, "wb") as f:
        while size < (megabytes - long) * 1_000_000:
            for record in MAKE[client][0](dice, requests):
                size += f.write(json.dumps(record, separators=(",", ":")).encode() + b"\n")
            requests += 1
            if longer and size > (megabytes - long) * 500_000:
                f.write(b'{"type":"user","message":"')
                for _ in range(longer // 1_000_000):
                    f.write(b"x" * 1_000_000)
                f.write(b'"}\n')
                longer = 0
    return requests


def write_others(client, path, beside):
    """Logs of other sessions in the same folder, younger ones, which begin as Codex's do: with 20 KB."""
    name = os.path.basename(path).replace("03-00-00", "04-00-00")
    for n in range(beside):
        other = SESSION[:-8] + "%08d" % (n + 10)
        meta = {"id": other, "base_instructions": {"text": prose(random.Random(n), 20_000)}}
        record = {"timestamp": TIME, "ordinal": 0, "type": "session_meta", "payload": meta}
        with open(os.path.join(os.path.dirname(path), name.replace(SESSION, other)), "w") as f:
            f.write((json.dumps(record, separators=(",", ":")) + "\n") * 4)


def measure(client, megabytes, long, beside):
    """{"client", "megabytes", "mb_per_s" (of CPU time), "seconds", "asked_ms", "again_ms" and "again_kib"
    (read in a second run), "peak_mib"}."""
    with tempfile.TemporaryDirectory() as home:
        store = os.path.join(home, ".foreword")
        folder = os.path.join(store, "projects", "bench-00000000")
        os.makedirs(folder)
        with open(os.path.join(folder, "prompts.log"), "w", encoding="utf-8") as f:
            f.write(json.dumps({"time": TIME, "client": client, "session": SESSION}) + "\n")
        path = os.path.join(home, MAKE[client][1])
        requests = write(client, path, megabytes, long)
        write_others(client, path, beside)
        size = os.path.getsize(path) / 1e6
        environment = {"HOME": home, "PATH": os.environ["PATH"], "PYTHONPATH": sys.path[0]}
        done = subprocess.run(
            [sys.executable, "-c", COUNTING, store], env=environment, stdout=subprocess.PIPE, check=True
        )
        shutil.rmtree(os.path.join(home, MAKE[client][1].split("/")[0]))
    told = json.loads(done.stdout)
    found = told["found"]
    assert (found["requests"], found["tool_calls"], found["unread"]) == (requests, requests, int(bool(long)))
    assert (found["input"], found["read"], found["output"]) == (12 * requests, 6789 * requests, 42 * requests)
    return {
        "client": client,
        "megabytes": round(size),
        "mb_per_s": round(size / told["cpu"]),
        "seconds": round(told["seconds"], 2),
        "asked_ms": round(1_000 * told["asked"], 1),
        "again_ms": round(1_000 * told["again"][0], 1),
        "again_kib": round(told["again"][1] / 1024),
        "peak_mib": round(told["peak"] / 1024, 1),
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--megabytes", type=int, default=400)
    parser.add_argument("--long", type=int, default=100, help="MB of the one long line; 0: none")
    parser.add_argument("--beside", type=int, default=2_000, help="logs of other sessions")
    parser.add_argument("--clients", nargs="*", default=list(MAKE), choices=list(MAKE))
    parser.add_argument("--json", action="store_true")
    chosen = parser.parse_args()
    found = [measure(client, chosen.megabytes, chosen.long, chosen.beside) for client in chosen.clients]
    if chosen.json:
        print(json.dumps(found))
        return
    print("| | " + " | ".join(row["client"] for row in found) + " |")
    print("|---|" + "---|" * len(found))
    for name in list(found[0])[1:]:
        print("| %s | %s |" % (name, " | ".join(str(row[name]) for row in found)))


if __name__ == "__main__":
    main()

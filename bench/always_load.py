"""What it costs, and saves, to have the server's tools always loaded in Claude Code: printed, not asserted.

With Tool Search on (the default with the vendor's own API) Claude Code defers MCP tools: the model
sees names only and must search before it can call. A server entry with `alwaysLoad: true`, or a
tool whose `_meta` has `anthropic/alwaysLoad: true`, is in every request instead. Each row is a way to
serve the same tools; the real client runs against a scripted model on loopback:

    request   characters of the whole first request over one without the server, and tokens (by four)
    known     whether the first request names memory_read at all (an early prompt may beat the server)
    reads     model requests until a note is read, the one that gets the text included
    start     median and range of the milliseconds from the client's start to its first request

Run from a checkout after `make clients`: .venv/bin/python bench/always_load.py [--runs 5]
"""

import argparse
import json
import os
import shlex
import statistics
import sys
import tempfile
import time

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.append(os.path.join(TOP, "tests"))

from e2e import claude as clients
from e2e.model import Model, use

READ = "mcp__foreword__memory_read"
TOKEN = 4  # characters of English and JSON to a token, roughly

# Passes a server's lines on and marks the tool argv[1] as always loaded; argv[2:] is the server.
RELAY = """
import json, subprocess, sys, threading
server = subprocess.Popen(sys.argv[2:], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
def ask():
    for line in sys.stdin.buffer:
        server.stdin.write(line)
        server.stdin.flush()
    server.stdin.close()
threading.Thread(target=ask, daemon=True).start()
for line in server.stdout:
    message = json.loads(line)
    for tool in (message.get("result") or {}).get("tools") or ():
        tool.get("_meta", {}).pop("anthropic/alwaysLoad", None)
        if tool["name"] == sys.argv[1]:
            tool.setdefault("_meta", {})["anthropic/alwaysLoad"] = True
    sys.stdout.buffer.write(json.dumps(message).encode() + b"\\n")
    sys.stdout.buffer.flush()
"""

# way -> (there is a server, its alwaysLoad, tool marked by _meta, Tool Search is on)
WAYS = {
    "no server, search on": (False, False, "", True),
    "all deferred": (True, False, "", True),
    "memory_read by _meta": (True, False, "memory_read", True),
    "server alwaysLoad": (True, True, "", True),
    "no server, search off": (False, False, "", False),
    "plain, search off": (True, False, "", False),
    "alwaysLoad, search off": (True, True, "", False),
}


def one_run(folder, way, server):
    """{characters, known, reads, start_ms} of one session in a fresh home."""
    has_server, always, marked, search = WAYS[way]
    seen = {}

    def first(request):
        seen["start_ms"] = 1_000 * (time.monotonic() - started)
        seen["characters"] = len(json.dumps(request.body, ensure_ascii=False))
        seen["known"] = READ in json.dumps(request.body)
        return step(request)

    def step(request):
        """What a model does that wants to read: call the tool if it may, else look for it."""
        if READ in request.tools and not request.tools[READ].get("defer_loading"):
            return [use(READ, id=note)]
        if "ToolSearch" in request.tools:
            return [use("ToolSearch", query="select:" + READ, max_results=1)]
        return "There is no such tool."

    def after(request):
        text, _ = request.tool_results[-1]
        if "pelican" in text:
            seen["reads"] = request.number + 1
            return "I have read it."
        if READ in request.tools:  # the search has loaded it
            return [use(READ, id=note)]
        return "There is no such tool."

    with Model() as model:
        claude = clients.Claude(folder, model, clients.find())
        if search:
            claude.environment["ENABLE_TOOL_SEARCH"] = "true"
        note = save_a_note(claude)
        if has_server:
            command = [sys.executable, "-I", "-S", "-c", RELAY, marked, *server]
            entry = {"type": "stdio", "command": command[0], "args": command[1:]}
            entry.update({"alwaysLoad": True} if always else {})
            added = claude.command("mcp", "add-json", "-s", "user", "foreword", json.dumps(entry))
            assert added.returncode == 0, added.stderr
        model.script(first, after, after)
        started = time.monotonic()
        claude.run(clients.ASKED_LATER, "--allowedTools", "mcp__foreword")
    return seen


def save_a_note(claude):
    """The id of a memory that the server can read."""
    saved = claude.foreword("save", "--title", "The importer", "--json", stdin=clients.ANSWER)
    return json.loads(saved.stdout)["id"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--server", help="the command of another server with the same tools")
    options = parser.parse_args()
    server = shlex.split(options.server or "") or [sys.executable, "-I", "-m", "foreword.cli", "serve"]
    if clients.find() is None:
        sys.exit("Claude Code is not installed for the benches: make clients")
    rows = {way: [] for way in WAYS}
    for n in range(options.runs):
        for place, way in enumerate(WAYS):  # in turns, so that a busy moment hits every way
            with tempfile.TemporaryDirectory(prefix="foreword-bench-") as folder:
                rows[way].append(one_run(os.path.join(folder, f"{n}-{place}"), way, server))
    print(f"{'':24}{'request':>22}  {'known':>6} {'reads':>6}  {'start, ms':>18}")
    bare = 0
    for way, runs in rows.items():
        size = statistics.median(run["characters"] for run in runs)
        bare = size if way.startswith("no server") else bare
        more = "%+d (%+d tokens)" % (size - bare, (size - bare) / TOKEN)
        known = "%d/%d" % (sum(run["known"] for run in runs), len(runs))
        reads = "/".join(sorted({str(run.get("reads", "-")) for run in runs}))
        starts = sorted(run["start_ms"] for run in runs)
        start = "%d (%d to %d)" % (statistics.median(starts), starts[0], starts[-1])
        print(f"{way:24}{more:>22}  {known:>6} {reads:>6}  {start:>18}")


if __name__ == "__main__":
    main()

"""The graph server against the real reference memory server: sizes, times, start-up and memory, in one run.

    python bench/graph.py [--data DIR] [--sizes 237 2000 10000] [--runs 41] [--starts 15]
                          [--reference-output] [--json] [--check]

Graphs: every `*.memory.jsonl` of DIR, and generated ones of about five observations and one and a half
relations an entity, of made-up words whose frequency falls as it does in notes about code. Both servers get
a copy of each graph and are asked in turn, call by call; a round creates and deletes, so the graph stays as
large as it is. Sizes are bytes of whole answers on the wire; times are from the request to the answer,
medians.

A write of ours is on the disk before it is answered, one of the reference server is not. What the disk takes
for that is measured beside it, by replacing a file of that size with and without waiting for it. A goal is
missed when a call takes longer than in the reference server by more than that.

--check: exit 1 when a goal is missed. The reference server comes with `make clients`.
"""

import argparse
import json
import os
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "..", "src"), os.path.join(HERE, "..", "tests"), HERE]

from e2e import rpc
from foreword import files
from foreword.graph import lines, sizes

BASE = [sys.executable, "-I", "-c", "import json, sqlite3"]
SMALLER_AT, SMALLER = 237, 40.0  # entities from which on an answer is so many times smaller
TOOLS_MOST = 8_000  # bytes
START_MOST = 5.0  # times BASE
START_MIB = 25.0
TYPES = ("service", "person", "decision", "tool", "project", "library", "incident", "team")
SYLLABLES = [c + v for c in "bdfgklmnprtvz" for v in "aiou"]
FLAT = 120  # a word's frequency is (1 + rank / FLAT) ^ -1.5, as counted in ten thousand notes
VERBS = ("uses", "owns", "depends on", "replaced", "is part of", "works with")
READS = ("read_graph", "search_nodes", "open_nodes")


# -- graphs ------------------------------------------------------------------------------------


def some_words(dice, count):
    """Made-up words, as they come in a text."""
    return [_word(int(FLAT * ((1 - dice.random()) ** -2 - 1))) for _ in range(count)]


def _word(rank):
    made = SYLLABLES[rank % len(SYLLABLES)]
    while rank := rank // len(SYLLABLES):
        made += SYLLABLES[rank % len(SYLLABLES)]
    return made + "lo" if len(made) < 4 else made


def generated(count):
    """The bytes of a graph of `count` entities, always the same ones."""
    dice = random.Random(count)
    names = ["%s %d" % ("-".join(some_words(dice, 2)), n) for n in range(count)]
    rows = []
    for name in names:
        held = [" ".join(some_words(dice, dice.randrange(8, 16))) for _ in range(dice.randrange(3, 8))]
        day = "2026-%02d-%02d: " % (dice.randrange(1, 13), dice.randrange(1, 29))
        held[-1] = day + held[-1]
        rows.append({"type": "entity", "name": name, "entityType": dice.choice(TYPES), "observations": held})
    for _ in range(count * 3 // 2):
        ends = {"from": dice.choice(names), "to": dice.choice(names)}
        rows.append({"type": "relation", **ends, "relationType": dice.choice(VERBS)})
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows).encode()


def graphs_of(folder):
    """[(name, bytes)] of the graphs in a folder of data."""
    found = []
    for file in sorted(os.listdir(folder)):
        if file.endswith(".memory.jsonl"):
            with open(os.path.join(folder, file), "rb") as f:
                found.append((file.removesuffix(".memory.jsonl"), f.read()))
    return found


# -- calls -------------------------------------------------------------------------------------


def a_round(graph, words, n):
    """[(tool, arguments)] that leave the graph as it was."""
    at = graph.entities[n * 7 % len(graph.entities)].name
    known = [graph.entities[(n * 7 + k) % len(graph.entities)].name for k in range(3)]
    name, fact = "made in round %d" % n, "2026-11-30: measured in round %d of this bench" % n
    made = {"name": name, "entityType": "round", "observations": [fact, "holds two observations"]}
    tie = {"from": name, "to": at, "relationType": "was measured with"}
    return [
        ("create_entities", {"entities": [made]}),
        ("create_relations", {"relations": [tie]}),
        ("add_observations", {"observations": [{"entityName": name, "contents": [fact + ", again"]}]}),
        ("read_graph", {}),
        ("search_nodes", {"query": words[n % len(words)]}),
        ("open_nodes", {"names": known}),
        ("delete_observations", {"deletions": [{"entityName": name, "observations": [fact]}]}),
        ("delete_relations", {"relations": [tie]}),
        ("delete_entities", {"entityNames": [name]}),
    ]


def timed(server, tool, arguments):
    """(milliseconds, bytes of the answer) of one call, which must not fail."""
    began = time.perf_counter()
    server.send("tools/call", {"name": tool, "arguments": arguments})
    line = server.line()
    taken = 1000 * (time.perf_counter() - began)
    if json.loads(line)["result"].get("isError"):
        sys.exit("%s failed: %s" % (tool, line[:500]))
    return taken, len(line)


def replaced(folder, data, durable):
    """Milliseconds to replace a file by these bytes."""
    began = time.perf_counter()
    files.write(os.path.join(folder, "other"), data, durable=durable)
    return 1000 * (time.perf_counter() - began)


def measure(data, starts, runs):
    """What one graph costs: {"entities", "bytes": {what: {who: bytes}}, "ms": {tool: {who: ms}}, "disk ms",
    "MiB": {who: MiB}}."""
    graph = lines.parse(data)
    words = sizes.common_words(graph)
    top = tempfile.mkdtemp(prefix="foreword-bench-")
    servers = {}
    try:
        for who, start in starts.items():
            os.mkdir(os.path.join(top, who))
            path = os.path.join(top, who, "memory.jsonl")
            with open(path, "wb") as f:
                f.write(data)
            servers[who] = start(path)
            servers[who].start()
        sent = {what: {} for what in ("read_graph", "search_nodes")}
        for who, server in servers.items():
            sent["read_graph"][who] = timed(server, "read_graph", {})[1]
            found = [timed(server, "search_nodes", {"query": word})[1] for word in words]
            sent["search_nodes"][who] = sum(found)
        seen, disk = {}, {True: [], False: []}
        for n in range(runs + 1):
            for tool, arguments in a_round(graph, words, n):
                for who in sorted(servers, reverse=bool(n % 2)):
                    taken = timed(servers[who], tool, arguments)[0]
                    if n:  # the first round warms up
                        seen.setdefault(tool, {}).setdefault(who, []).append(taken)
                if tool not in READS:
                    for durable, taken in disk.items():
                        taken.append(replaced(top, data, durable))
        return {
            "entities": len(graph.entities),
            "observations": sum(len(entity.observations) for entity in graph.entities),
            "relations": len(graph.relations),
            "file": len(data),
            "bytes": sent,
            "ms": {tool: medians(both) for tool, both in seen.items()},
            "disk ms": max(0.0, statistics.median(disk[True]) - statistics.median(disk[False])),
            "MiB": {who: mib(server) for who, server in servers.items()},
        }
    finally:
        for server in servers.values():
            server.close()
        shutil.rmtree(top, ignore_errors=True)


def medians(rows):
    return {who: statistics.median(row) for who, row in rows.items()}


def mib(server):
    """Its peak memory; None where the system does not tell."""
    kib = server.memory_kib()
    return None if kib is None else kib / 1024


# -- start-up ----------------------------------------------------------------------------------


def started(start, path):
    """(milliseconds to the answered handshake, to the answer of a first search, bytes of tools/list, peak MiB
    before that) of a new process."""
    began = time.perf_counter()
    with start(path) as server:
        server.start()
        ready = time.perf_counter()
        listed = server.ask("tools/list")["result"]
        size = len(json.dumps(listed, ensure_ascii=False, separators=(",", ":")).encode())
        peak, again = mib(server), time.perf_counter()
        server.text("search_nodes", query="anything")
        first = ready - began + time.perf_counter() - again
        return 1000 * (ready - began), 1000 * first, size, peak


def start_up(starts, times):
    """{"ms", "first ms", "tools/list", "MiB": {who: ...}, "B ms"}, medians of processes started in turn."""
    rows, base = {who: [] for who in starts}, []
    with tempfile.TemporaryDirectory(prefix="foreword-bench-") as top:
        for _ in range(times):
            for who, start in starts.items():
                rows[who].append(started(start, os.path.join(top, "none.jsonl")))
            began = time.perf_counter()
            subprocess.run(BASE, check=True)
            base.append(1000 * (time.perf_counter() - began))
    columns = {who: [None if None in row else row for row in zip(*rows[who], strict=True)] for who in rows}
    return {
        "B ms": statistics.median(base),
        **{
            what: {who: row[n] and statistics.median(row[n]) for who, row in columns.items()}
            for n, what in enumerate(("ms", "first ms", "tools/list", "MiB"))
        },
    }


# -- what is told ------------------------------------------------------------------------------


def missed(report, compact):
    """Sentences, one for each goal that is missed."""
    start = report["start"]
    if start["tools/list"]["foreword"] > TOOLS_MOST:
        yield "tools/list has %d bytes, over %d" % (start["tools/list"]["foreword"], TOOLS_MOST)
    if start["ms"]["foreword"] > START_MOST * start["B ms"]:
        yield "it starts in %.1f B, over %.1f" % (start["ms"]["foreword"] / start["B ms"], START_MOST)
    if (start["MiB"]["foreword"] or 0) > START_MIB:
        yield "it starts with %.1f MiB, over %.0f" % (start["MiB"]["foreword"], START_MIB)
    for what in ("ms", "first ms", "MiB", "tools/list"):
        if (start[what]["foreword"] or 0) > (start[what]["reference"] or 0):
            yield "at the start %s is larger than the reference server's" % what
    for name, row in report["graphs"].items():
        for tool, both in row["ms"].items():
            disk = row["disk ms"] if tool not in READS else 0
            if both["foreword"] > both["reference"] + disk:
                yield "%s: %s takes %.1f ms, the reference server %.1f" % (
                    name, tool, both["foreword"], both["reference"],
                )  # fmt: skip
        for what, both in row["bytes"].items():
            times = both["reference"] / both["foreword"]
            if compact and row["entities"] >= SMALLER_AT and times < SMALLER:
                yield "%s: %s is %.1f times smaller, not %.0f" % (name, what, times, SMALLER)
        if (row["MiB"]["foreword"] or 0) > (row["MiB"]["reference"] or 0):
            yield "%s: it takes more memory than the reference server" % name


def show(report):
    def told(label, both, form, unit="", more=""):
        here, there = ((form + unit) % both[who] if both[who] else "?" for who in ("foreword", "reference"))
        times = both["reference"] / both["foreword"] if both["foreword"] and both["reference"] else 0
        print("  %-34s %14s %14s %9.1f  %s" % (label, here, there, times, more))

    start = report["start"]
    print("%-36s %14s %14s %9s" % ("at the start", "foreword", "reference", "times"))
    more = "%.1f B (B = %.0f ms)" % (start["ms"]["foreword"] / start["B ms"], start["B ms"])
    told("to the answered handshake", start["ms"], "%.0f", " ms", more)
    told("to the answer of a first search", start["first ms"], "%.0f", " ms")
    told("peak memory", start["MiB"], "%.1f", " MiB")
    told("tools/list", start["tools/list"], "%d", " bytes")
    for name, row in report["graphs"].items():
        counts = tuple(row[key] for key in ("entities", "observations", "relations", "file"))
        print("\n%s: %d entities, %d observations, %d relations, %d bytes" % (name, *counts))
        told("read_graph", row["bytes"]["read_graph"], "%d", " bytes")
        told("search_nodes, five common words", row["bytes"]["search_nodes"], "%d", " bytes")
        for tool, both in row["ms"].items():
            told(tool, both, "%.2f", " ms")
        print("  %-34s %11.2f ms" % ("the disk, of each write", row["disk ms"]))
        told("peak memory", row["MiB"], "%.1f", " MiB")


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--data", metavar="DIR", help="a folder of graphs, *.memory.jsonl")
    options.add_argument("--sizes", type=int, nargs="*", default=[237, 2_000, 10_000], metavar="ENTITIES")
    options.add_argument("--runs", type=int, default=41, help="rounds of the nine tools (default: 41)")
    options.add_argument("--starts", type=int, default=15, help="processes started (default: 15)")
    options.add_argument("--reference-output", action="store_true", help="ours in its shapes")
    options.add_argument("--json", action="store_true")
    options.add_argument("--check", action="store_true", help="exit 1 when a goal is missed")
    asked_for = options.parse_args()
    if not rpc.has_reference():
        sys.exit("the reference memory server is not installed: make clients")
    ours = rpc.foreword_like_the_reference if asked_for.reference_output else rpc.foreword
    starts = {"foreword": ours, "reference": rpc.reference}
    graphs = graphs_of(asked_for.data) if asked_for.data else []
    graphs += [("%d generated" % count, generated(count)) for count in asked_for.sizes]
    report = {"start": start_up(starts, asked_for.starts), "graphs": {}}
    for name, data in graphs:
        report["graphs"][name] = measure(data, starts, asked_for.runs)
    report["missed"] = list(missed(report, not asked_for.reference_output))
    if asked_for.json:
        print(json.dumps(report, indent=2))
    else:
        show(report)
        print("".join("\nmissed: " + one for one in report["missed"]) or "\nno goal is missed")
    sys.exit(bool(asked_for.check and report["missed"]))


if __name__ == "__main__":
    main()

"""bench/graph.py: its graphs are always the same, and one small run has every figure."""

import json
import os
import subprocess
import sys

import pytest

from e2e import rpc
from foreword.graph import lines

BENCH = os.path.join(rpc.TOP, "bench", "graph.py")
TOOLS = {
    "create_entities", "create_relations", "add_observations", "delete_entities", "delete_observations",
    "delete_relations", "read_graph", "search_nodes", "open_nodes",
}  # fmt: skip
GENERATED = "import sys; sys.path.insert(0, %r); import graph; sys.stdout.buffer.write(graph.generated(40))"


def run(*arguments):
    return subprocess.run([sys.executable, *arguments], capture_output=True)


def test_a_generated_graph_is_always_the_same_and_within_the_limits():
    program = GENERATED % os.path.dirname(BENCH)
    first, again = (run("-c", program).stdout for _ in range(2))
    assert first == again
    graph = lines.parse(first)
    assert (graph.unreadable, len(graph.entities), len(graph.relations)) == ([], 40, 60)
    assert len(graph.by_name) == 40
    held = [fact for entity in graph.entities for fact in entity.observations]
    assert 120 <= len(held) <= 280
    assert max(map(len, held)) <= 300


@pytest.mark.skipif(not rpc.has_reference(), reason="the reference memory server: make clients")
def test_a_run_measures_every_tool_of_both_servers(tmp_path):
    row = {"type": "entity", "name": "Shop", "entityType": "service", "observations": ["sells tea daily"]}
    (tmp_path / "mine.memory.jsonl").write_text(json.dumps(row) + "\n")
    done = run(BENCH, "--data", str(tmp_path), "--sizes", "12", "--runs", "1", "--starts", "1", "--json")
    assert (done.returncode, done.stderr) == (0, b"")
    report = json.loads(done.stdout)
    assert set(report["graphs"]) == {"mine", "12 generated"}
    both = {"foreword", "reference"}
    for row in report["graphs"].values():
        assert set(row["ms"]) == TOOLS
        for figures in (*row["ms"].values(), *row["bytes"].values()):
            assert set(figures) == both
            assert all(figure > 0 for figure in figures.values())
    assert report["graphs"]["mine"]["entities"] == 1
    assert set(report["start"]["tools/list"]) == both

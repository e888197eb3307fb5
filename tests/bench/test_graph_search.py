"""bench/graph_search.py: what it holds back, and its figures on a graph small enough to check by hand."""

import importlib
import json
import os
import sys

import pytest

BENCH = os.path.join(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))), "bench")
sys.path.append(BENCH)
graph_search = importlib.import_module("graph_search")

RECORDS = [
    {"type": "entity", "name": "parser", "entityType": "part", "observations": ["zebra tokens", "held back"]},
    {"type": "entity", "name": "cache", "entityType": "part", "observations": ["lantern keys"]},
    {"type": "entity", "name": "parser", "entityType": "part", "observations": ["held back"]},
    {"type": "relation", "from": "parser", "to": "cache", "relationType": "fills"},
]
QUERIES = [
    {"observation": "held back", "prompt": "held back zebra", "gold": ["parser"]},
    {"observation": "x", "prompt": "lantern keys", "gold": ["cache"]},
    {"observation": "y", "prompt": "quokka", "gold": ["cache"]},
]


@pytest.fixture
def data(tmp_path):
    (tmp_path / "graphs").mkdir()
    for name, rows in (("some.memory.jsonl", RECORDS), ("some.queries.jsonl", QUERIES)):
        text = "".join(json.dumps(row) + "\n" for row in rows)
        (tmp_path / "graphs" / name).write_text(text, encoding="utf-8")
    return str(tmp_path)


def test_the_observations_of_queries_are_taken_out_first(data):
    ((name, graph, queries),) = graph_search.graphs(data)
    assert (name, queries) == ("some", QUERIES)
    assert [entity.observations for entity in graph.entities] == [["zebra tokens"], ["lantern keys"], []]
    assert [(note["id"], note["files"]) for note in graph_search.as_notes(graph)] == [
        ("parser", ["fills cache"]),
        ("cache", ["fills parser"]),
    ]


def test_the_figures_are_those_counted_by_hand(data):
    told = graph_search.report(data, {"last": lambda notes: lambda query, before: [notes[-1]["id"]]})
    # The first by what is near, the second by what matches, the third not at all.
    assert told["search"] == {"R1": 2 / 3, "R5": 2 / 3, "R10": 2 / 3, "MRR": 2 / 3, "prompts": 3}
    assert told["graphs"] == {"some": told["search"]}
    assert told["baselines"]["reference"]["search"]["R10"] == 1 / 3
    assert told["baselines"]["last"]["search"]["R1"] == 2 / 3


def test_places_count_by_their_reciprocal():
    asked = [({"b"}, ["a", "b"]), ({"a", "c"}, ["a", *"defgh", "c"]), ({"x"}, [])]
    told = graph_search.figures(asked)
    assert told["R1"] == pytest.approx((0 + 1 / 2 + 0) / 3)
    assert told["R5"] == pytest.approx((1 + 1 / 2 + 0) / 3)
    assert told["R10"] == pytest.approx((1 + 1 + 0) / 3)
    assert told["MRR"] == pytest.approx((1 / 2 + 1 + 0) / 3)


def test_a_folder_without_graphs_has_no_report(tmp_path):
    assert graph_search.report(str(tmp_path), {}) is None

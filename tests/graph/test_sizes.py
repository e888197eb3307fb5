"""What an agent is sent, here and by the reference server, counted."""

import json

import pytest

from foreword.graph import answers, lines, search, sizes
from foreword.server import graph as tools
from foreword.server.tools import listed


def graph_of(*entities, relations=()):
    made = lines.Graph()
    for name, kind, *observations in entities:
        made.add_entity(name, kind, observations)
    for relation in relations:
        made.add_relation(*relation)
    return made


@pytest.fixture
def graph():
    return graph_of(
        ("shop-backend", "service", "deployed 2.4.0", "the deploy takes 4 minutes"),
        ("Straße", "place", "Deploy of the “new” sign\non two lines"),
        ("postgres", "database"),
        relations=[("shop-backend", "postgres", "depends_on"), ("postgres", "gone", "replaces")],
    )


def as_sent(entities, relations):
    """The result of the reference server, put together by hand."""
    whole = {
        "entities": [{"name": n, "entityType": t, "observations": o} for n, t, o in entities],
        "relations": [{"from": f, "to": t, "relationType": v} for f, t, v in relations],
    }
    text = json.dumps(whole, ensure_ascii=False, indent=2)
    return {"content": [{"type": "text", "text": text}], "structuredContent": whole}


def count(value):
    return len(json.dumps(value, ensure_ascii=False, separators=(",", ":")))


def test_read_graph_counts_the_whole_result_of_both(graph):
    [row] = sizes.compare(graph, [], 10)
    entities = [(e.name, e.type, e.observations) for e in graph.entities]
    sent = as_sent(entities, [r.key for r in graph.relations])
    assert row["reference"]["characters"] == count(sent)
    assert row["reference"]["copy"] == count(sent["structuredContent"])
    here = {"content": [{"type": "text", "text": answers.read_graph(graph)}]}
    assert row["here"]["characters"] == count(here)
    assert row["reference"]["copy_tokens"] == round(count(sent["structuredContent"]) / 4)
    assert row["ratio"] == round(count(sent) / count(here), 1)
    assert row["ratio_copy"] == round(count(sent["structuredContent"]) / count(here), 1)
    text = json.dumps(sent["structuredContent"], ensure_ascii=False, indent=2)
    assert row["reference"]["copy"] < len(text)  # the other copy
    assert (row["what"], row["query"]) == ("read_graph", None)
    assert row["here"]["found"] == row["reference"]["found"] == 3


def test_a_search_counts_what_the_reference_finds_with_every_relation_that_touches_it(graph):
    _, row = sizes.compare(graph, ["POSTGRES"], 10)
    sent = as_sent([("postgres", "database", [])], [r.key for r in graph.relations])
    assert row["reference"]["characters"] == count(sent)
    assert (row["here"]["found"], row["reference"]["found"]) == (1, 1)
    here = answers.search(search.find(graph, "POSTGRES", 10))
    assert row["here"]["characters"] == count({"content": [{"type": "text", "text": here}]})


def test_what_we_find_and_the_reference_does_not_is_told_apart(graph):
    _, row = sizes.compare(graph, ["shop deployed"], 10)
    assert (row["here"]["found"], row["reference"]["found"]) == (1, 0)


@pytest.mark.parametrize(
    ("query", "names"),
    [
        ("deploy", ["shop-backend", "Straße"]),
        ("SERVICE", ["shop-backend"]),
        ("deployed 2.4", ["shop-backend"]),
        ("shop deployed", []),
        ("", ["shop-backend", "Straße", "postgres"]),
        ("STRASSE", []),
        ("depends_on", []),
    ],
)
def test_the_reference_finds_one_substring_of_any_case(graph, query, names):
    assert [entity.name for entity in sizes.matches(graph, query)] == names


def test_tokens_are_characters_by_four():
    assert [sizes.tokens(n) for n in (0, 3, 4, 1_000)] == [0, 1, 1, 250]


def test_the_commonest_words_are_those_that_most_entities_hold(graph):
    assert sizes.common_words(graph_of(("a b", "tool", "cache cache cache"), ("x", "tool", "queue")), 1) == [
        "tool"
    ]
    words = sizes.common_words(graph)
    assert len(words) == sizes.WORDS
    assert words[0] == "deploy"  # of two entities; all others are of one
    assert not {"the", "of", "on"} & set(words)
    assert sizes.common_words(lines.Graph()) == []


def test_the_cost_that_is_told_is_that_of_tools_list():
    table = tools.tools()
    told = json.dumps({"tools": list(map(listed, table))}, ensure_ascii=False, separators=(",", ":"))
    assert len(table) == sizes.TOOLS
    assert abs(sizes.TOOLS_BYTES - len(told.encode())) < 0.1 * sizes.TOOLS_BYTES


def test_an_empty_graph_has_sizes_too():
    rows = sizes.compare(lines.Graph(), ["x"], 10)
    assert [row[side]["found"] for row in rows for side in ("here", "reference")] == [0] * 4
    assert all(row["here"]["characters"] > 0 for row in rows)

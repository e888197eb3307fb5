"""The graph's tools with --reference-output: the reference server's shapes, for programs that parse them.

What is promised of both servers is held side by side in tests/graph/reference; this file needs no other
server.
"""

import json

import pytest

SHOP = {"name": "shop", "entityType": "service", "observations": ["deployed 2.4.0", "東京 🦀"]}
TILL = {"name": "till", "entityType": "device", "observations": []}
USES = {"from": "shop", "to": "till", "relationType": "uses"}


@pytest.fixture
def path(tmp_path):
    return tmp_path / "memory.jsonl"


@pytest.fixture
def graph(serve, path):
    server = serve("--tools", "graph", "--reference-output", MEMORY_FILE_PATH=str(path))
    server.start()
    return server


def result(server, tool, **arguments):
    return server.ask("tools/call", {"name": tool, "arguments": arguments})["result"]


def both(server, tool, **arguments):
    """(the text's JSON, the structured content) of a call that must not fail."""
    answer = result(server, tool, **arguments)
    assert not answer.get("isError"), answer
    [content] = answer["content"]
    return json.loads(content["text"]), answer["structuredContent"]


def fill(server):
    assert both(server, "create_entities", entities=[SHOP, TILL]) == (
        [SHOP, TILL],
        {"entities": [SHOP, TILL]},
    )
    assert both(server, "create_relations", relations=[USES]) == ([USES], {"relations": [USES]})


def test_reads_give_the_same_data_as_text_and_as_structured_content(graph):
    fill(graph)
    whole = {"entities": [SHOP, TILL], "relations": [USES]}
    assert both(graph, "read_graph") == (whole, whole)
    found = {"entities": [SHOP], "relations": [USES]}
    assert both(graph, "search_nodes", query="DEPLOYED") == (found, found)
    assert both(graph, "open_nodes", names=["shop", "nope"]) == (found, found)
    typed = {"entities": [TILL], "relations": [USES]}
    assert both(graph, "read_graph", entityType="device") == (typed, typed)


def test_writes_give_lists_as_text_and_fixed_sentences(graph):
    fill(graph)
    added = [{"entityName": "till", "addedObservations": ["new"]}]
    sent = [{"entityName": "till", "contents": ["new"]}]
    assert both(graph, "add_observations", observations=sent) == (added, {"results": added})
    for tool, arguments, what in (
        ("delete_observations", {"deletions": []}, "Observations"),
        ("delete_relations", {"relations": [USES]}, "Relations"),
        ("delete_entities", {"entityNames": ["nope"]}, "Entities"),
    ):
        told = f"{what} deleted successfully"
        assert result(graph, tool, **arguments) == {
            "content": [{"type": "text", "text": told}],
            "structuredContent": {"success": True, "message": told},
        }


def test_a_search_gives_all_that_match_unless_it_is_limited(graph):
    many = [{**TILL, "name": f"till {number}"} for number in range(30)]
    graph.told("create_entities", entities=[*many, SHOP])
    found, _ = both(graph, "search_nodes", query="till")
    assert found["entities"] == many
    found, _ = both(graph, "search_nodes", query="till", limit=3)
    assert len(found["entities"]) == 3
    assert both(graph, "search_nodes", query="nothing like it")[0] == {"entities": [], "relations": []}


def test_what_is_cut_is_cut_alike_in_both_and_said_in_meta(graph, path):
    records = [
        {"type": "entity", "name": f"n{number}", "entityType": "t", "observations": ["x" * 10_000]}
        for number in range(200)
    ]
    path.write_text("\n".join(map(json.dumps, records)), encoding="utf-8")
    answer = result(graph, "read_graph")
    text = answer["content"][0]["text"]
    assert len(text) <= 1_000_000
    assert json.loads(text) == answer["structuredContent"]
    shown = len(answer["structuredContent"]["entities"])
    assert 0 < shown < 200
    assert answer["_meta"]["foreword/truncated"]["entitiesLeftOut"] == 200 - shown


@pytest.mark.parametrize(
    ("tool", "arguments", "told"),
    [
        ("create_entities", None, "expected array, received undefined at entities"),
        ("create_entities", {"entities": SHOP}, "expected array, received object at entities"),
        ("search_nodes", {"query": 5}, "expected string, received number at query"),
        ("open_nodes", {"names": "shop"}, "expected array, received string at names"),
        ("read_graph", [1], "expected object, received array"),
    ],
)
def test_bad_arguments_are_refused_in_the_references_words(graph, tool, arguments, told):
    answer = graph.ask("tools/call", {"name": tool, "arguments": arguments})["result"]
    start = f"MCP error -32602: Input validation error: Invalid arguments for tool {tool}: Invalid input: "
    assert answer == {"content": [{"type": "text", "text": start + told}], "isError": True}


def test_a_thousand_faults_are_told_in_ten_lines(graph):
    assert len(graph.refused("open_nodes", names=[None] * 1_000).splitlines()) == 10


def test_an_unknown_tool_is_a_result_and_a_missing_name_an_error(graph):
    assert graph.refused("nope_tool") == "MCP error -32602: Tool nope_tool not found"
    assert graph.ask("tools/call", {"name": 3})["error"]["code"] == -32602
    assert graph.ask("resources/read", {"uri": "memory://x"})["error"]["code"] == -32602


def test_a_missing_entity_is_named_in_the_bare_sentence(graph):
    sent = [{"entityName": "Zed", "contents": ["x"]}]
    assert graph.refused("add_observations", observations=sent) == "Entity with name Zed not found"


def test_the_two_tools_of_ours_answer_as_text(graph):
    fill(graph)
    renamed = result(graph, "rename_entity", entityName="till", newName="register")
    assert set(renamed) == {"content"}
    assert "Renamed till to register" in renamed["content"][0]["text"]
    assert "Nothing archived" in graph.told("archived_observations")
    assert both(graph, "open_nodes", names=["register"])[0]["relations"] == [{**USES, "to": "register"}]


def test_half_a_surrogate_pair_breaks_neither_the_line_nor_the_file(graph, path):
    call = (
        b'{"jsonrpc": "2.0", "id": 9, "method": "tools/call", "params": {"name": "create_entities",'
        b' "arguments": {"entities": [{"name": "odd \\ud800", "entityType": "t", "observations": []}]}}}'
    )
    graph.put(call)
    assert "isError" not in graph.get()["result"]
    assert both(graph, "read_graph")[0]["entities"][0]["name"] == "odd \ud800"
    assert json.loads(path.read_text(encoding="utf-8"))["name"] == "odd \ud800"


def test_lines_that_are_no_records_are_told_beside_the_shapes(graph, path):
    path.write_text('{"type":"entity","name":"a","entityType":"t","observations":[]}\nnull\n{"type":"ent')
    assert result(graph, "read_graph")["_meta"] == {"foreword/unreadable": 2}
    made = result(graph, "create_entities", entities=[SHOP])
    assert made["_meta"] == {"foreword/setAside": 2}
    assert "_meta" not in result(graph, "create_entities", entities=[TILL])
    assert "_meta" not in result(graph, "read_graph")

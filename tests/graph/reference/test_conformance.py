"""What users of the reference memory server rely on, asked of both servers over their pipes.

Each case runs against the real reference server and against ours with `--reference-output`; where we
differ on purpose, the case is in test_differences.py.
"""

import json

import pytest

from e2e import rpc
from e2e.records import entity, line, names, relation
from e2e.rpc import text_of

URI = "memory://knowledge-graph"
TOOLS = (
    "create_entities", "create_relations", "add_observations", "delete_entities", "delete_observations",
    "delete_relations", "read_graph", "search_nodes", "open_nodes",
)  # fmt: skip

SHOP = entity("shop", "service", "sells Tea", "deployed on Friday")
TILL = entity("Till", "device", "prints receipts")
CROSS = entity("night shift", "team")
SELLS, RUNS = relation("shop", "uses", "Till"), relation("night shift", "runs", "shop")


def as_printed(value):
    """What JSON.stringify(value, null, 2) gives."""
    return json.dumps(value, indent=2, ensure_ascii=False)


def fill(server):
    server.told("create_entities", entities=[SHOP, TILL, CROSS])
    server.told("create_relations", relations=[SELLS, RUNS])


# -- what is written ---------------------------------------------------------------------------


def test_a_missing_file_is_an_empty_graph(either):
    assert either.told("read_graph") == {"entities": [], "relations": []}
    assert either.text("read_graph") == '{\n  "entities": [],\n  "relations": []\n}'


def test_created_entities_are_answered_and_read_back_in_order(either):
    result = either.call("create_entities", entities=[SHOP, TILL])
    assert result["structuredContent"] == {"entities": [SHOP, TILL]}
    assert text_of(result) == as_printed([SHOP, TILL])
    assert either.told("read_graph") == {"entities": [SHOP, TILL], "relations": []}


def test_an_existing_entity_is_passed_over_and_stays_as_it_is(either):
    either.told("create_entities", entities=[SHOP])
    result = either.call("create_entities", entities=[entity("shop", "other", "new"), TILL])
    assert result["structuredContent"] == {"entities": [TILL]}
    again = either.call("create_entities", entities=[entity("shop", "other", "new")])
    assert (again["structuredContent"], text_of(again)) == ({"entities": []}, "[]")
    assert either.told("read_graph")["entities"] == [SHOP, TILL]


def test_names_are_told_apart_by_case_and_space(either):
    made = [entity(name) for name in ("shop", "Shop", "shop ", "sh op")]
    either.told("create_entities", entities=made)
    assert either.told("read_graph")["entities"] == made


def test_one_call_may_hold_the_same_name_twice(either):
    made = [entity("twin", "a", "first"), entity("twin", "b", "second")]
    assert either.told("create_entities", entities=made) == {"entities": made}
    assert either.told("read_graph")["entities"] == made


def test_an_observation_that_is_given_twice_with_a_new_entity_is_stored_twice(either):
    either.told("create_entities", entities=[entity("a", "t", "x", "x")])
    assert either.told("read_graph")["entities"] == [entity("a", "t", "x", "x")]


def test_an_entity_may_have_no_observations_and_an_empty_type(either):
    either.told("create_entities", entities=[entity("a", "")])
    assert either.told("open_nodes", names=["a"])["entities"] == [entity("a", "")]


def test_empty_calls_do_nothing(either):
    assert either.text("create_entities", entities=[]) == "[]"
    assert either.text("create_relations", relations=[]) == "[]"
    assert either.text("add_observations", observations=[]) == "[]"
    assert either.told("delete_entities", entityNames=[])["success"] is True
    assert either.told("open_nodes", names=[]) == {"entities": [], "relations": []}


def test_created_relations_are_answered_and_known_ones_passed_over(either):
    fill(either)
    more = relation("shop", "owns", "Till")
    result = either.call("create_relations", relations=[SELLS, more])
    assert result["structuredContent"] == {"relations": [more]}
    assert text_of(result) == as_printed([more])
    assert either.told("read_graph")["relations"] == [SELLS, RUNS, more]


def test_one_call_may_hold_the_same_relation_twice(either):
    fill(either)
    twice = [relation("Till", "serves", "shop")] * 2
    assert either.told("create_relations", relations=twice) == {"relations": twice}
    assert either.told("read_graph")["relations"] == [SELLS, RUNS, *twice]


def test_a_relation_to_a_missing_entity_is_stored(either):
    dangling = relation("shop", "uses", "nobody")
    either.told("create_entities", entities=[SHOP])
    assert either.told("create_relations", relations=[dangling]) == {"relations": [dangling]}
    assert either.told("read_graph")["relations"] == [dangling]


def test_added_observations_are_answered_and_known_ones_passed_over(either):
    fill(either)
    added = [
        {"entityName": "shop", "contents": ["sells Tea", "sells rice"]},
        {"entityName": "Till", "contents": ["prints receipts"]},
    ]
    result = either.call("add_observations", observations=added)
    told = [
        {"entityName": "shop", "addedObservations": ["sells rice"]},
        {"entityName": "Till", "addedObservations": []},
    ]
    assert result["structuredContent"] == {"results": told}
    assert text_of(result) == as_printed(told)
    kept = entity("shop", "service", "sells Tea", "deployed on Friday", "sells rice")
    assert either.told("read_graph")["entities"] == [kept, TILL, CROSS]


def test_a_new_observation_that_is_added_twice_in_one_call_is_stored_twice(either):
    either.told("create_entities", entities=[entity("a", "t", "x")])
    [told] = either.told("add_observations", observations=[{"entityName": "a", "contents": ["y", "y", "x"]}])[
        "results"
    ]
    assert told["addedObservations"] == ["y", "y"]
    assert either.told("read_graph")["entities"] == [entity("a", "t", "x", "y", "y")]


def test_adding_to_the_same_entity_twice_in_one_call_sees_what_came_before(either):
    either.told("create_entities", entities=[entity("a")])
    added = [{"entityName": "a", "contents": ["x"]}, {"entityName": "a", "contents": ["x", "y"]}]
    told = either.told("add_observations", observations=added)["results"]
    assert [one["addedObservations"] for one in told] == [["x"], ["y"]]


def test_adding_to_a_missing_entity_fails_and_nothing_of_the_call_is_stored(either):
    fill(either)
    before = either.told("read_graph")
    added = [{"entityName": "shop", "contents": ["lost"]}, {"entityName": "Zed", "contents": ["x"]}]
    assert either.refused("add_observations", observations=added) == "Entity with name Zed not found"
    assert either.told("read_graph") == before


# -- what is deleted ---------------------------------------------------------------------------


def test_deleting_an_entity_takes_its_relations_along(either):
    fill(either)
    result = either.call("delete_entities", entityNames=["Till", "unknown"])
    message = "Entities deleted successfully"
    assert result["structuredContent"] == {"success": True, "message": message}
    assert text_of(result) == message
    assert either.told("read_graph") == {"entities": [SHOP, CROSS], "relations": [RUNS]}


def test_deleting_a_name_that_two_entities_have_takes_both(either):
    either.told("create_entities", entities=[entity("twin", "a"), entity("twin", "b"), entity("c")])
    either.told("delete_entities", entityNames=["twin"])
    assert names(either.told("read_graph")) == ["c"]


def test_deleting_an_entity_that_is_not_there_takes_its_dangling_relations(either, write):
    write(line(SHOP), line(relation("shop", "uses", "nobody")))
    either.told("delete_entities", entityNames=["nobody"])
    assert either.told("read_graph") == {"entities": [SHOP], "relations": []}


def test_deleting_observations_takes_every_copy_and_passes_over_what_is_unknown(either):
    either.told("create_entities", entities=[entity("a", "t", "x", "y", "x"), entity("b", "t", "x")])
    deletions = [
        {"entityName": "a", "observations": ["x", "unknown"]},
        {"entityName": "unknown", "observations": ["x"]},
    ]
    told = either.told("delete_observations", deletions=deletions)
    assert told == {"success": True, "message": "Observations deleted successfully"}
    assert either.told("read_graph")["entities"] == [entity("a", "t", "y"), entity("b", "t", "x")]


def test_deleting_relations_takes_exact_matches_only_and_every_copy(either):
    fill(either)
    either.told("create_relations", relations=[relation("a", "is", "b")] * 2)
    unlike = [relation("shop", "USES", "Till"), relation("Till", "uses", "shop")]
    told = either.told("delete_relations", relations=[*unlike, relation("a", "is", "b")])
    assert told == {"success": True, "message": "Relations deleted successfully"}
    assert either.told("read_graph")["relations"] == [SELLS, RUNS]


def test_deleting_from_a_graph_that_is_not_there_succeeds(either):
    assert either.told("delete_entities", entityNames=["a"])["success"] is True
    assert either.told("delete_observations", deletions=[])["success"] is True
    assert either.told("delete_relations", relations=[SELLS])["success"] is True


# -- what is found -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("SHOP", ["shop"]),
        ("till", ["Till"]),
        ("Device", ["Till"]),
        ("tEA", ["shop", "night shift"]),  # an observation of one, the type of the other
        ("on fri", ["shop"]),
        ("", ["shop", "Till", "night shift"]),
        ("nothing like it", []),
    ],
)
def test_a_search_takes_the_query_as_a_part_of_a_name_a_type_or_an_observation(either, query, found):
    fill(either)
    assert names(either.told("search_nodes", query=query)) == found


def test_a_search_finds_letters_of_any_script_in_any_case(either):
    either.told("create_entities", entities=[entity("Größe", "Ειδος", "Привет МИР", "東京 2026")])
    for query in ("GRÖ", "ειδ", "мир", "東京"):
        assert names(either.told("search_nodes", query=query)) == ["Größe"], query


def test_found_entities_bring_every_relation_that_touches_them(either):
    fill(either)
    for tool, arguments in (("search_nodes", {"query": "receipts"}), ("open_nodes", {"names": ["Till"]})):
        assert either.told(tool, **arguments) == {"entities": [TILL], "relations": [SELLS]}
    assert either.told("open_nodes", names=["shop"])["relations"] == [SELLS, RUNS]


def test_opened_entities_come_in_the_order_of_the_file_and_unknown_names_are_passed_over(either):
    fill(either)
    opened = either.told("open_nodes", names=["night shift", "unknown", "shop", "shop"])
    assert opened == {"entities": [SHOP, CROSS], "relations": [SELLS, RUNS]}
    assert either.told("open_nodes", names=["SHOP", "till"]) == {"entities": [], "relations": []}


def test_a_relation_between_two_missing_entities_is_only_in_the_whole_graph(either, write):
    lone = relation("nobody", "knows", "nothing")
    write(line(SHOP), line(lone))
    assert either.told("read_graph")["relations"] == [lone]
    assert either.told("open_nodes", names=["nobody"]) == {"entities": [], "relations": []}


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [("read_graph", {}), ("search_nodes", {"query": "e"}), ("open_nodes", {"names": ["odd", "shop"]})],
)
def test_the_text_of_an_answer_is_its_structure_as_it_would_be_printed(either, tool, arguments):
    fill(either)
    odd = 'a "quoted"\\ line\nand\ta tab \x7f\u2028é東\U0001f980 </tag>'
    either.told("create_entities", entities=[entity("odd", "", odd, "\x01\b\f")])
    result = either.call(tool, **arguments)
    assert "odd" in names(result["structuredContent"])
    assert text_of(result) == as_printed(result["structuredContent"])


# -- arguments ---------------------------------------------------------------------------------


def test_keys_that_the_reference_does_not_know_are_passed_over(either):
    made = {**SHOP, "type": "entity", "rank": 3}
    assert either.told("create_entities", entities=[made], note="x") == {"entities": [SHOP]}
    more = {**SELLS, "weight": 1}
    assert either.told("create_relations", relations=[more]) == {"relations": [SELLS]}
    assert either.told("read_graph", verbose=True) == {"entities": [SHOP], "relations": [SELLS]}


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("create_entities", {}),
        ("create_entities", {"entities": [{"name": "a", "entityType": "t"}]}),
        ("create_entities", {"entities": [{"name": 1, "entityType": "t", "observations": []}]}),
        ("create_relations", {"relations": [{"from": "a", "to": "b"}]}),
        ("add_observations", {"observations": [{"entityName": "a"}]}),
        ("delete_entities", {}),
        ("delete_observations", {"deletions": [{"observations": ["x"]}]}),
        ("search_nodes", {}),
        ("search_nodes", {"query": {"text": "x"}}),
        ("open_nodes", {}),
    ],
)
def test_bad_arguments_are_a_result_that_says_so_and_nothing_is_stored(either, path, tool, arguments):
    told = either.refused(tool, **arguments)
    assert told.startswith("MCP error -32602: Input validation error: Invalid arguments for tool %s: " % tool)
    assert not path.exists()


def test_an_unknown_tool_is_a_result_that_says_so(either):
    assert either.refused("nope_tool") == "MCP error -32602: Tool nope_tool not found"


# -- the file ----------------------------------------------------------------------------------


def test_carriage_returns_blank_lines_and_a_missing_last_newline_are_read(either, path):
    rows = [json.dumps(line(one)) for one in (SHOP, TILL, SELLS)]
    path.write_bytes(("\r\n\r\n  \n".join(rows)).encode())
    assert either.told("read_graph") == {"entities": [SHOP, TILL], "relations": [SELLS]}
    either.told("create_entities", entities=[CROSS])
    assert either.told("read_graph") == {"entities": [SHOP, TILL, CROSS], "relations": [SELLS]}


def test_records_may_stand_in_any_order_in_the_file(either, write):
    write(line(RUNS), line(TILL), line(SELLS), line(SHOP))
    assert either.told("read_graph") == {"entities": [TILL, SHOP], "relations": [RUNS, SELLS]}


def test_the_file_holds_one_object_a_line_with_the_type_first_and_text_as_it_is(either, path):
    fill(either)
    either.told("create_entities", entities=[entity("Größe", "maß", "東京 🦀")])
    lines = path.read_bytes().decode().split("\n")
    assert '{"type":"entity","name":"Größe","entityType":"maß","observations":["東京 🦀"]}' in lines
    assert '{"type":"relation","from":"shop","to":"Till","relationType":"uses"}' in lines
    assert sorted(json.loads(one)["type"] for one in lines if one) == ["entity"] * 4 + ["relation"] * 2


def test_what_another_program_writes_is_seen_by_the_next_call(either, path, write):
    fill(either)
    write(line(TILL))
    assert either.told("read_graph") == {"entities": [TILL], "relations": []}
    assert either.told("search_nodes", query="shop")["entities"] == []
    either.told("add_observations", observations=[{"entityName": "Till", "contents": ["new"]}])
    path.unlink()
    assert either.told("read_graph") == {"entities": [], "relations": []}


# -- the protocol ------------------------------------------------------------------------------


def test_the_nine_tools_are_offered_with_the_same_schemas_titles_and_hints(either):
    offered = {tool["name"]: tool for tool in either.ask("tools/list")["result"]["tools"]}
    assert set(TOOLS) <= set(offered)
    creating = dict.fromkeys(("readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"), False)
    for name in TOOLS:
        tool = offered[name]
        assert tool["title"] == name.replace("_", " ").title()
        assert tool["outputSchema"]["type"] == "object"
        kind = name.partition("_")[0]
        hints = {
            "delete": {**creating, "destructiveHint": True, "idempotentHint": True},
            "create": creating,
            "add": creating,
        }.get(kind, {**creating, "readOnlyHint": True, "idempotentHint": True})
        assert tool["annotations"] == hints, name
    required = {name: offered[name]["inputSchema"].get("required", []) for name in TOOLS}
    assert required == {
        "create_entities": ["entities"],
        "create_relations": ["relations"],
        "add_observations": ["observations"],
        "delete_entities": ["entityNames"],
        "delete_observations": ["deletions"],
        "delete_relations": ["relations"],
        "read_graph": [],
        "search_nodes": ["query"],
        "open_nodes": ["names"],
    }


def test_the_output_schemas_are_the_same_and_closed(either, reference_server, start):
    theirs, shown = (
        {tool["name"]: tool for tool in server.ask("tools/list")["result"]["tools"]}
        for server in (start(rpc.reference), either)
    )
    for name in TOOLS:
        assert _bare(shown[name]["outputSchema"]) == _bare(theirs[name]["outputSchema"]), name
    assert theirs["read_graph"]["outputSchema"]["additionalProperties"] is False


def _bare(schema):
    """A schema without what only describes."""
    if isinstance(schema, dict):
        return {key: _bare(value) for key, value in schema.items() if key not in ("$schema", "description")}
    return schema


def test_the_graph_is_a_resource(either):
    [resource] = either.ask("resources/list")["result"]["resources"]
    shown = {key: resource[key] for key in ("uri", "name", "title", "mimeType")}
    assert shown == {
        "uri": URI,
        "name": "knowledge-graph",
        "title": "Knowledge Graph",
        "mimeType": "application/json",
    }
    assert either.ask("resources/templates/list")["result"]["resourceTemplates"] == []
    fill(either)
    [content] = either.ask("resources/read", {"uri": URI})["result"]["contents"]
    assert (content["uri"], content["mimeType"]) == (URI, "application/json")
    assert content["text"] == as_printed({"entities": [SHOP, TILL, CROSS], "relations": [SELLS, RUNS]})
    assert "error" in either.ask("resources/read", {"uri": "memory://other"})


def test_a_subscriber_is_told_after_each_change_also_of_one_that_changed_nothing(either):
    updated = {"jsonrpc": "2.0", "method": "notifications/resources/updated", "params": {"uri": URI}}
    fill(either)
    assert either.heard == []
    assert either.ask("resources/subscribe", {"uri": URI})["result"] == {}
    changes = [
        ("create_entities", {"entities": [SHOP]}),
        ("create_relations", {"relations": []}),
        ("add_observations", {"observations": [{"entityName": "shop", "contents": ["x"]}]}),
        ("delete_observations", {"deletions": []}),
        ("delete_relations", {"relations": [SELLS]}),
        ("delete_entities", {"entityNames": ["unknown"]}),
    ]
    for number, (tool, arguments) in enumerate(changes, 1):
        either.told(tool, **arguments)
        either.ask("ping")
        assert either.heard == [updated] * number, tool
    either.told("read_graph")
    either.refused("add_observations", observations=[{"entityName": "Zed", "contents": ["x"]}])
    assert either.ask("resources/unsubscribe", {"uri": URI})["result"] == {}
    either.told("create_entities", entities=[entity("later")])
    either.ask("ping")
    assert either.heard == [updated] * len(changes)


def test_the_server_offers_tools_and_subscriptions(start, reference_server, path):
    for how in (rpc.reference, rpc.foreword_like_the_reference):
        with how(path) as server:
            offered = server.start()["capabilities"]
            assert "tools" in offered
            assert offered["resources"]["subscribe"] is True

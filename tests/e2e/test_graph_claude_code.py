"""The graph with the real Claude Code: offered, written, searched; in the place of the reference server."""

import json
import os
import sys

import pytest

from e2e.home import read
from e2e.model import use

pytestmark = pytest.mark.e2e

SHOP = {"name": "shop-backend", "entityType": "service", "observations": ["2026-03-02: deployed 2.4.0"]}
DATABASE = {"name": "postgres", "entityType": "database", "observations": ["version 16"]}
USES = {"from": "shop-backend", "to": "postgres", "relationType": "stores orders in"}
TOOLS = {
    "create_entities", "create_relations", "add_observations", "delete_entities", "delete_observations",
    "delete_relations", "read_graph", "search_nodes", "open_nodes", "rename_entity", "archived_observations",
}  # fmt: skip


def records(path):
    return [json.loads(line) for line in read(path).splitlines()]


def entities(path):
    """{name: observations} of a graph's file."""
    return {r["name"]: r["observations"] for r in records(path) if r["type"] == "entity"}


def test_with_the_graph_on_the_model_creates_and_searches_without_being_asked_about(claude, model):
    claude.foreword("graph", "on")
    claude.install()
    model.script(
        [use("mcp__foreword__create_entities", entities=[SHOP, DATABASE])],
        [use("mcp__foreword__create_relations", relations=[USES])],
        [
            use(
                "mcp__foreword__add_observations",
                observations=[{"entityName": "postgres", "contents": ["port 5432"]}],
            )
        ],
        [use("mcp__foreword__rename_entity", entityName="postgres", newName="PostgreSQL")],
        [use("mcp__foreword__search_nodes", query="deployed orders")],
        [use("mcp__foreword__open_nodes", names=["PostgreSQL"])],
        "Done.",
    )

    run = claude.run("Record what we run")

    assert run.denials == []
    assert run.answer == "Done."
    results = model.requests[-1].tool_results
    assert [is_error for _, is_error in results] == [False] * 6
    assert "- shop-backend [service] 1 obs, 1 rel" in results[4][0]
    assert "shop-backend -stores orders in-> PostgreSQL" in results[5][0]
    graph = entities(os.path.join(claude.store, "graph", "memory.jsonl"))
    assert graph == {"shop-backend": SHOP["observations"], "PostgreSQL": ["version 16", "port 5432"]}
    offered = {name.removeprefix("mcp__foreword__") for name in model.requests[0].tools}
    assert offered > TOOLS


def test_what_deletes_is_asked_about(claude, model):
    claude.foreword("graph", "on")
    claude.install()
    model.script(
        [use("mcp__foreword__create_entities", entities=[SHOP])],
        [use("mcp__foreword__delete_entities", entityNames=["shop-backend"])],
        "Done.",
    )

    run = claude.run("Record it and forget it")

    assert [denied["tool_name"] for denied in run.denials] == ["mcp__foreword__delete_entities"]
    assert list(entities(os.path.join(claude.store, "graph", "memory.jsonl"))) == ["shop-backend"]


def test_without_the_graph_none_of_its_tools_is_offered(claude, model):
    claude.install()
    model.script("Hello.")
    claude.run("Good morning")
    offered = {name.removeprefix("mcp__foreword__") for name in model.requests[0].tools}
    assert offered & TOOLS == set()
    assert "memory_search" in offered


@pytest.mark.parametrize("arguments", [[], ["--reference-output"]])
def test_it_takes_the_place_of_the_reference_server_in_the_users_own_entry(claude, model, arguments):
    path = os.path.join(claude.home, "my graph.jsonl")
    with open(path, "w", encoding="utf-8") as f:
        f.write(json.dumps({"type": "entity", **DATABASE}))  # as the reference leaves it, without a newline
    command = [sys.executable, "-I", "-m", "foreword.cli", "serve", "--tools", "graph", *arguments]
    entry = {"type": "stdio", "command": command[0], "args": command[1:], "env": {"MEMORY_FILE_PATH": path}}
    added = claude.command("mcp", "add-json", "--scope", "user", "memory", json.dumps(entry))
    assert added.returncode == 0, added.stderr
    model.script(
        [use("mcp__memory__create_entities", entities=[SHOP])],
        [use("mcp__memory__search_nodes", query="version")],
        [use("mcp__memory__read_graph")],
        "Done.",
    )

    run = claude.run("Record what we run", "--allowedTools", "mcp__memory")

    assert run.denials == []
    created, found, whole = model.requests[-1].tool_results
    assert list(entities(path)) == ["postgres", "shop-backend"]
    if arguments:  # the client hands over the structured copy
        assert json.loads(created[0]) == {"entities": [SHOP]}
        assert json.loads(found[0]) == {"entities": [DATABASE], "relations": []}
        assert json.loads(whole[0]) == {"entities": [DATABASE, SHOP], "relations": []}
    else:
        assert created[0] == "Created 1 entity: shop-backend."
        assert "- postgres [database] 1 obs, 0 rel" in found[0]
        assert "service: shop-backend (1)" in whole[0]


def test_the_client_finds_the_resource(claude, model):
    claude.foreword("graph", "on")
    claude.install()
    model.script(
        [use("mcp__foreword__create_entities", entities=[SHOP])],
        [use("ReadMcpResourceTool", server="foreword", uri="memory://knowledge-graph")],
        "Done.",
    )

    claude.run("Read the resource")

    text, is_error = model.requests[-1].tool_results[-1]
    assert not is_error
    assert "deployed 2.4.0" in text

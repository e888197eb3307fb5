"""The graph with the real Codex, which asks about tools that may destroy something; and both on one file."""

import json
import os

import pytest

from e2e.home import read
from e2e.model import use

pytestmark = pytest.mark.e2e

SHOP = {"name": "shop-backend", "entityType": "service", "observations": ["2026-03-02: deployed 2.4.0"]}
DATABASE = {"name": "postgres", "entityType": "database", "observations": ["version 16"]}
USES = {"from": "shop-backend", "to": "postgres", "relationType": "stores orders in"}


def entities(home):
    """{name: observations} of the store's graph."""
    lines = read(os.path.join(home.store, "graph", "memory.jsonl")).splitlines()
    found = [json.loads(line) for line in lines]
    return {record["name"]: record["observations"] for record in found if record["type"] == "entity"}


def test_all_but_deleting_runs_without_the_user(codex, model):
    codex.home.foreword("graph", "on")
    codex.install()
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
        [use("mcp__foreword__archived_observations")],
        [use("mcp__foreword__delete_entities", entityNames=["shop-backend"])],
        "Done.",
    )

    run = codex.run("Record what we run")

    assert run.answer == "Done."
    results = model.requests[-1].tool_results
    assert [is_error for _, is_error in results] == [False] * 7 + [True]
    assert "shop-backend [service]" in results[4][0]
    assert "shop-backend -stores orders in-> PostgreSQL" in results[5][0]
    assert "requires approval" in results[7][0]
    assert entities(codex.home) == {
        "shop-backend": SHOP["observations"], "PostgreSQL": ["version 16", "port 5432"],
    }  # fmt: skip


def test_both_clients_write_to_one_graph_and_find_what_the_other_wrote(both, model):
    claude, codex = both
    claude.foreword("graph", "on")
    claude.install()
    codex.install()
    model.script(
        [use("mcp__foreword__create_entities", entities=[SHOP])],
        "Recorded.",
        [use("mcp__foreword__search_nodes", query="deployed")],
        [use("mcp__foreword__create_entities", entities=[DATABASE])],
        [use("mcp__foreword__create_relations", relations=[USES])],
        "Recorded.",
        [use("mcp__foreword__open_nodes", names=["shop-backend", "postgres"])],
        "Read.",
    )

    claude.run("Record the shop")
    codex.run("Record the database")
    claude.run("What do we run")

    found = model.requests[3].tool_results[0][0]
    assert "- shop-backend [service] 1 obs, 0 rel" in found
    opened = model.requests[-1].tool_results[-1][0]
    assert "version 16" in opened
    assert "deployed 2.4.0" in opened
    assert "shop-backend -stores orders in-> postgres" in opened
    assert list(entities(claude)) == ["shop-backend", "postgres"]

"""The fixed cost that a report names is that of the tools and skills as they are."""

import json

from foreword import skills
from foreword.report import fixed
from foreword.server import graph, notes


def size(tools):
    return sum(len(t.name + t.description + json.dumps(t.schema, separators=(",", ":"))) for t in tools)


def test_the_tools_cost_what_they_say():
    assert size(notes.tools(hooked=True)) == fixed.NOTES_TOOLS
    assert size(graph.tools()) == fixed.GRAPH_TOOLS


def test_the_graphs_tools_and_skill_count_where_it_is_on(tmp_path):
    without = fixed.characters(str(tmp_path))
    (tmp_path / "config.toml").write_text("[graph]\non = true\n")
    more = fixed.characters(str(tmp_path)) - without
    assert more > fixed.GRAPH_TOOLS
    assert without > fixed.NOTES_TOOLS + 100 * len(skills.NAMES)

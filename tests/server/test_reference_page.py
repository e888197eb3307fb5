"""docs/reference/mcp-tools.md says what the server sends."""

import os
import re

import pytest

from foreword.graph import answers, place, reference
from foreword.server import graph, notes
from foreword.server.protocol import ENVELOPE, HANDSHAKE

TOOLS = (*notes.TOOLS, *graph.tools())
PAGE = os.path.join(os.path.dirname(__file__), "..", "..", "docs", "reference", "mcp-tools.md")


def page():
    with open(PAGE, encoding="utf-8") as f:
        return f.read()


def chapters():
    """{tool's name: the text of its chapter}"""
    parts = re.split(r"^## `(\w+)`$", page(), flags=re.MULTILINE)
    texts = [re.split(r"\n## [A-Z]", text)[0] for text in parts[2::2]]
    return dict(zip(parts[1::2], texts, strict=True))


def test_every_tool_has_a_chapter_and_no_other_has():
    assert list(chapters()) == [tool.name for tool in TOOLS]


@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
def test_every_argument_is_in_the_table_with_its_type_and_default(tool):
    rows = re.findall(r"^\| `(\w+)` \|([^|]+)\|([^|]*)\|", chapters()[tool.name], flags=re.MULTILINE)
    expected = []
    for name, rule in tool.schema["properties"].items():
        kind = rule["type"] if rule["type"] != "array" else f"array of {rule['items']['type']}"
        if "enum" in rule:
            kind = ", ".join(f"`{choice}`" for choice in rule["enum"])
        elif "maximum" in rule:
            kind = f"{kind}, {rule['minimum']} to {rule['maximum']}"
        needed = "required" if name in tool.schema.get("required", ()) else ""
        default = f"`{rule['default']}`" if "default" in rule else needed
        expected.append((name, kind, default))
    assert [(name, kind.strip(), default.strip()) for name, kind, default in rows] == expected


@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
def test_every_annotation_is_named(tool):
    [line] = re.findall(r"^Annotations: (.+)$", chapters()[tool.name], flags=re.MULTILINE)
    said = re.findall(r"`(\w+): (true|false)`", line)
    assert dict(said) == {name: str(value).lower() for name, value in tool.annotations.items()}


def test_the_page_quotes_the_instructions_the_revisions_and_the_limits():
    text = " ".join(page().replace("> ", "").split())
    for table in (notes, graph):
        assert " ".join(table.INSTRUCTIONS.split()) in text
    for revision in (*HANDSHAKE, *ENVELOPE):
        assert revision in text
    assert str(notes.MOST_FOUND) in text
    assert str(notes.MOST_LISTED) in text


def test_the_graphs_limits_are_what_the_page_says():
    text = page()
    for variable, _, default, _ in place.NUMBERS:
        assert f"| `{variable}` | `{default}` |" in text
    assert f"`{place.STRICT}`" in text
    for number, of in (
        (answers.READ_MOST, "`read_graph`"), (answers.SEARCH_MOST, "`search_nodes`"),
        (answers.OPEN_MOST, "`open_nodes`"),
    ):  # fmt: skip
        assert f"{number:,} {'characters ' if of == '`read_graph`' else ''}for {of}" in text
    assert f"{reference.CAP:,} characters" in text
    assert reference.TRUNCATED in text
    assert f'["{graph.ALL}"]' in text


def test_what_the_graphs_lists_hold_is_on_the_page():
    for tool in graph.tools():
        for name, rule in tool.schema["properties"].items():
            if rule.get("items", {}).get("type") == "object":
                [row] = re.findall(rf"^\| `{name}` \|(.+)$", chapters()[tool.name], flags=re.MULTILINE)
                assert re.findall(r"`(\w+)`", row) == list(rule["items"]["properties"])

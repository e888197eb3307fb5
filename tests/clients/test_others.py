"""Other memory tools are known by the words that start them, and nothing else is taken for one."""

import pytest

from foreword.clients import others


@pytest.mark.parametrize(
    ("name", "entry", "tool"),
    [
        ("memory", {"command": "anything"}, "a memory server"),
        ("kg", {"command": "npx", "args": ["-y", "@modelcontextprotocol/server-memory@2026.7.4"]},
         "the reference MCP memory server"),
        ("memory", {"command": "docker", "args": ["run", "-i", "mcp/server-memory"]},
         "the reference MCP memory server"),
        ("notes", {"command": "uvx", "args": ["basic-memory", "mcp"]}, "Basic Memory"),
        ("m", {"command": "/home/dev/.local/bin/engram", "args": ["mcp"]}, "Engram"),
        ("m", {"command": "C:\\tools\\Engram.exe"}, "Engram"),
        ("m", {"command": "python", "args": ["-m", "mcp_memory_service.server"]}, "mcp-memory-service"),
        ("openmemory", {"url": "http://127.0.0.1:8765"}, "OpenMemory"),
        ("m", {"command": ["npx", "claude-mem"]}, "claude-mem"),
        # Zed's older shape: its words were not seen.
        ("m", {"command": {"path": "uvx", "args": ["basic-memory", "mcp"]}}, "Basic Memory"),
        ("m", {"command": "node", "args": ["/opt/agentmemory/dist/agentmemory.mjs"]}, "agentmemory"),
    ],
)  # fmt: skip
def test_a_memory_server_is_known(name, entry, tool):
    assert others.server(name, entry) == tool


@pytest.mark.parametrize(
    ("name", "entry"),
    [
        ("github", {"command": "npx", "args": ["-y", "@modelcontextprotocol/server-github"]}),
        ("files", {"command": "npx", "args": ["server-filesystem", "/home/dev/mem0/src"]}),
        ("db", {"command": "/home/dev/engram/bin/postgres-mcp"}),
        ("in-memory-db", {"command": "redis"}),
        ("x", {"command": None, "args": [1, None]}),
        ("x", None),
        ("x", {"args": "server-memory"}),
    ],
)
def test_any_other_server_is_none(name, entry):
    assert others.server(name, entry) == ""


def test_a_hook_is_known_by_its_command():
    assert others.hook({"type": "command", "command": "deja hook prompt"}) == "deja-vu"
    assert others.hook({"type": "command", "command": "sh", "args": ["/x/claude-mem/hook.sh"]}) == ""
    assert others.hook({"type": "command", "command": "make lint"}) == ""
    assert others.hook("deja") == ""


@pytest.mark.parametrize(
    "entry",
    [
        {"command": "foreword", "args": ["serve", "--tools", "graph"]},
        {"command": "C:\\bin\\foreword.exe", "args": ["serve"]},
        {"command": ["python", "-m", "foreword.cli", "serve"]},
        {"command": {"path": "foreword", "args": ["serve"]}},
    ],
)
def test_foreword_under_the_name_memory_was_called_a_second_memory(entry):
    assert others.server("memory", entry) == ""


def test_a_program_that_is_not_foreword_is_still_one():
    assert others.server("memory", {"command": "not-foreword", "args": ["serve"]}) == "a memory server"

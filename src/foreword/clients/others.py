"""What else may keep a memory for the same agent: known by the words that start it. Cold; a table.

Two memories side by side cost context twice and may contradict each other, so `foreword doctor` names
them. Nothing here is changed or judged.
"""

import re

from foreword.clients import server_entry

# A word in a server's name, its command, a hook's command or a plugin's name -> what people call it.
TOOLS = {
    "server-memory": "the reference MCP memory server",
    "claude-mem": "claude-mem",
    "basic-memory": "Basic Memory",
    "basic_memory": "Basic Memory",
    "mem0": "Mem0",
    "mem0-mcp": "Mem0",
    "openmemory": "OpenMemory",
    "memory-bank": "a memory bank server",
    "memory-bank-mcp": "a memory bank server",
    "mcp-memory-service": "mcp-memory-service",
    "mcp_memory_service": "mcp-memory-service",
    "agentmemory": "agentmemory",
    "engram": "Engram",
    "deja-vu": "deja-vu",
    "deja": "deja-vu",
    "memsearch": "memsearch",
    "mempalace": "MemPalace",
    "hindsight": "Hindsight",
    "remem": "remem",
    "leteo": "Leteo",
    "supermemory": "Supermemory",
    "cognee": "Cognee",
    "cognee-mcp": "Cognee",
    "graphiti": "Graphiti",
    "letta": "Letta",
    "mcp-memory-keeper": "Memory Keeper",
    "claude-memory": "a memory tool",
    "memory": "a memory server",
}
_OURS = re.compile(r"(^|[\s/])foreword(\.cli|\.exe|@\S*)?\s+serve(\s|$)")
_WORD = re.compile(r"[a-z0-9][a-z0-9_-]*")
_LAUNCHERS = re.compile(r"\.(exe|cmd|js|mjs|cjs|py|sh)\b|@[0-9a-z][0-9a-z.-]*$")


def called(*said):
    """What the tool is called that these texts name (a name, a command, its arguments); "" for none.

    Only the last part of a path and of a scoped package counts: a folder of the user's may be called
    anything.
    """
    found = ""
    for text in said:
        for word in text.lower().replace("\\", "/").split() if isinstance(text, str) else ():
            last = _LAUNCHERS.sub("", word.rstrip("/").rpartition("/")[2])
            for part in _WORD.findall(last):
                if part in TOOLS and (not found or part != "memory"):
                    found = TOOLS[part]
    return found


def server(name, entry):
    """What an MCP server is called that is a memory of its own; "" for any other, and for Foreword under
    whatever name."""
    said = server_entry.words(entry)
    return "" if _OURS.search(" ".join(said).replace("\\", "/")) else called(name, *said)


def hook(value):
    """The same for a hook object of Claude Code's shape."""
    return server("", value) if isinstance(value, dict) else ""


def told(tool, where):
    """The sentence about a second memory."""
    return f"{tool} is active as well ({where}): two memories cost context twice"

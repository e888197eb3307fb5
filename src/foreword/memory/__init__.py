"""The Python API: what every cold face (CLI, server, view) calls, and nothing else.

`find` opens projects and finds memories, `change` saves, marks, moves and deletes, `state` tells how a
project stands, `why` what became of its last prompt. Each call makes the index agree with the files
first, so a memory edited by hand a moment ago is found. Rows are dicts: id, type, title, created
(ISO 8601, UTC), project, snippet, archived, offer ("always", "usual" or "never").
"""

from foreword.memory.change import archive, delete, mark, restore, save
from foreword.memory.find import list_memories, note_opened, open_project, read, search
from foreword.memory.state import check, get_switch, reindex, set_default_switch, set_switch, status
from foreword.memory.why import why

__all__ = [
    "archive",
    "check",
    "delete",
    "get_switch",
    "list_memories",
    "mark",
    "note_opened",
    "open_project",
    "read",
    "reindex",
    "restore",
    "save",
    "search",
    "set_default_switch",
    "set_switch",
    "status",
    "why",
]

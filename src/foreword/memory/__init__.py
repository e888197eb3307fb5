"""The Python API: what every cold face (CLI, server, view) calls, and nothing else.

`find` opens projects and finds memories, `change` saves, marks and moves, `edit` takes what a person edited,
`erase` deletes, `recall` gives what a client session starts with, `dream` consolidates, `origin` tells where
a memory comes from, `forewords` what agents were handed, `state` how a project stands, `why` what became of
its last prompt, `activity` of the last ones; `browse` leafs through memories, `overview` through projects.
Each call that looks into memories makes the index agree with the files first, so one edited by hand a moment
ago is found. Rows are dicts: id, type, title, created (ISO 8601, UTC), project, snippet, archived, global,
superseded_by (an id or ""), offer ("always", "usual" or "never"); `kind` puts their marks in words.
"""

from foreword.memory import cites, edit, origin, quarantine, redact, retention
from foreword.memory.activity import activity
from foreword.memory.browse import browse
from foreword.memory.change import archive, mark, restore, save
from foreword.memory.dream import apply as dream_apply
from foreword.memory.dream import dream
from foreword.memory.dream import runs as dream_runs
from foreword.memory.dream import undo as dream_undo
from foreword.memory.erase import delete
from foreword.memory.find import kind, list_memories, no_project, note_opened, open_project, read, search
from foreword.memory.forewords import forewords
from foreword.memory.matching import delete_rows, matching
from foreword.memory.overview import place_of, projects, size, stale_memories
from foreword.memory.recall import debt, due, recall
from foreword.memory.state import (
    check,
    get_switch,
    reindex,
    reindex_graph,
    set_default_switch,
    set_switch,
    status,
)
from foreword.memory.why import why
from foreword.store.layout import TYPES

__all__ = [
    "TYPES",
    "activity",
    "archive",
    "browse",
    "check",
    "cites",
    "debt",
    "delete",
    "delete_rows",
    "dream",
    "dream_apply",
    "dream_runs",
    "dream_undo",
    "due",
    "edit",
    "forewords",
    "get_switch",
    "kind",
    "list_memories",
    "mark",
    "matching",
    "no_project",
    "note_opened",
    "open_project",
    "origin",
    "place_of",
    "projects",
    "quarantine",
    "read",
    "recall",
    "redact",
    "reindex",
    "reindex_graph",
    "restore",
    "retention",
    "save",
    "search",
    "set_default_switch",
    "set_switch",
    "size",
    "stale_memories",
    "status",
    "why",
]

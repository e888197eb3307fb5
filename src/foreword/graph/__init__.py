"""The knowledge graph: `memory.jsonl`, exactly as the reference MCP memory server reads and writes it.

`lines` turns bytes into a Graph and back, `file` reads and replaces the file while others do the same,
`change` does what the tools do, `archive` and `backups` keep what leaves the file, `search`, `answers` and
`reference` say what is in it, `lint` and `sizes` report, `place` and `found` tell which file it is. The room
knows no project and no memory: a graph belongs to the user. Faces import its modules directly.
"""

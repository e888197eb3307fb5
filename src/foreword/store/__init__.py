"""The truth: one memory is one Markdown file that people may read, edit, copy and delete.

Knows nothing of SQLite. `layout` names files, `header` writes and splits front matter, `write`
(hot) saves, `read` (cold) parses with PyYAML, `check` reads everything and trusts nothing.
docs/format.md is the contract.
"""

"""Changing other programs' configuration files by text span. Knows nothing of memory or clients.

`jsonc` edits JSON with comments; `plan` shows, applies, verifies and undoes.
"""

"""Codex: `wire` speaks its hook dialect (hot), `install` edits its configuration (cold)."""

"""Claude Code: `wire` speaks its hook dialect (hot), `install` edits its settings (cold)."""

"""MCP over stdio, without an SDK: `protocol` speaks, a table of tools a file says what about."""

"""The programs that host agents, one folder each; the table is the only place that names them all. Hot."""

CLIENTS = {"claude-code": "foreword.clients.claude_code", "codex": "foreword.clients.codex"}


def wire(client):
    """The module that speaks a client's payloads."""
    return __import__(CLIENTS[client] + ".wire", fromlist=["wire"])

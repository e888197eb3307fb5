"""The programs that host agents, one folder each; the table is the only place that names them all. Hot."""

CLIENTS = {
    "claude-code": "foreword.clients.claude_code",
    "codex": "foreword.clients.codex",
    "gemini": "foreword.clients.gemini",
    "opencode": "foreword.clients.opencode",
    "cursor": "foreword.clients.cursor",
    "vscode": "foreword.clients.vscode",
    "windsurf": "foreword.clients.windsurf",
    "cline": "foreword.clients.cline",
    "zed": "foreword.clients.zed",
    "jetbrains": "foreword.clients.jetbrains",
    "claude-desktop": "foreword.clients.claude_desktop",
    "mimo": "foreword.clients.mimo",
}
# Those whose hooks we speak: they have a `wire`.
HOOKED = ("claude-code", "codex", "gemini", "opencode")


def wire(client):
    """The module that speaks a client's payloads; `client` is one of HOOKED."""
    return __import__(CLIENTS[client] + ".wire", fromlist=["wire"])

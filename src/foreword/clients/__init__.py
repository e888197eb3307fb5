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
# What a client calls itself over MCP, in small letters, where that is another name: seen in runs of the first
# three, else as their sources have it.
ALSO = {
    "claude": "claude-code",
    "codex-mcp-client": "codex",
    "codex-cli": "codex",
    "codex_exec": "codex",
    "gemini-cli-mcp-client": "gemini",
    "claude-ai": "claude-desktop",
    "mimocode": "mimo",
}
# Those whose hooks we speak: they have a `wire`.
HOOKED = ("claude-code", "codex", "gemini", "opencode")


def named(name):
    """The client that calls itself so, or is called so in a memory; "" for none of ours."""
    name = name.strip().casefold()
    return name if name in CLIENTS else ALSO.get(name, "")


def wire(client):
    """The module that speaks a client's payloads; `client` is one of HOOKED."""
    return __import__(CLIENTS[client] + ".wire", fromlist=["wire"])

"""A stand-in for `claude`: what the real one (2.1.197) does to its state file, and nothing else."""

import json
import os
import shlex
import sys

VERSION = "2.1.197 (Claude Code)"

_SCRIPT = """
import json, os, sys

folder = os.environ.get("CLAUDE_CONFIG_DIR") or os.environ["HOME"]
path = os.path.join(folder, ".claude.json")
arguments = sys.argv[1:]
if arguments == ["--version"]:
    sys.exit(print(VERSION))
verb, scope, name = arguments[1], arguments[2:4], arguments[4]
assert arguments[0] == "mcp" and scope == ["--scope", "user"], arguments
try:
    state = json.load(open(path))
except FileNotFoundError:
    state = {}
servers = state.setdefault("mcpServers", {})
if verb == "add-json" and FAILS:
    sys.exit("Invalid configuration: this one always says so")
elif verb == "add-json" and REFUSES and REFUSES in arguments[5]:
    sys.exit("Invalid configuration: not this one")
elif verb == "add-json":
    if name in servers:
        sys.exit("MCP server %s already exists in user config" % name)
    servers[name] = json.loads(arguments[5])
elif verb == "remove":
    if name not in servers:
        sys.exit("No user-scoped MCP server found with name: " + name)
    del servers[name]
else:
    sys.exit("unknown command " + verb)
json.dump(state, open(path, "w"), indent=2)
"""


def put_on_path(folder, monkeypatch, version=VERSION, fails=False, refuses=""):
    """Make a folder with the stand-in the whole PATH: no other `claude` can be found. It `fails` to
    add any server, or `refuses` those with a text in their JSON."""
    folder.mkdir(exist_ok=True)
    script = folder / "claude.py"
    text = _SCRIPT.replace("VERSION", repr(version)).replace("FAILS", repr(fails))
    script.write_text(text.replace("REFUSES", repr(refuses)))
    program = folder / "claude"
    program.write_text(
        '#!/bin/sh\nexec %s -I -S %s "$@"\n' % (shlex.quote(sys.executable), shlex.quote(str(script)))
    )
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(folder))


def state(folder):
    """The client's state file in a folder as a dict."""
    with open(os.path.join(folder, ".claude.json"), encoding="utf-8") as f:
        return json.load(f)


def everything_below(top):
    """{path: (bytes or None, mtime)} of a whole tree: equal before and after means nothing was written."""
    found = {}
    for at, folders, names in os.walk(top):
        for name in folders + names:
            path = os.path.join(at, name)
            data = None
            if os.path.isfile(path):
                with open(path, "rb") as f:
                    data = f.read()
            found[path] = (data, os.lstat(path).st_mtime_ns)
    return found

"""`foreword serve`: what clients start. Parsed by hand, so that click's 30 ms stay out of every session."""

import os
import sys

from foreword.errors import DONE, USAGE

_HELP = "Try 'foreword serve --help' for help."


def serve(arguments):
    """Serve MCP on stdin and stdout until the client leaves; the exit code."""
    chosen = {"--tools": "notes", "--project": ""}
    left = list(arguments)
    while left:
        name, equals, value = left.pop(0).partition("=")
        if name not in chosen or not (equals or left):
            return _refused(f"unknown or incomplete option: {name}")
        chosen[name] = value if equals else left.pop(0)
    if chosen["--tools"] != "notes":
        return _refused("--tools takes: notes")
    if chosen["--project"] and not os.path.isdir(chosen["--project"]):
        return _refused("{} is no folder".format(chosen["--project"]))
    from foreword.server import notes, protocol

    kept = {"folder": os.path.abspath(chosen["--project"])} if chosen["--project"] else {}
    protocol.serve(notes.TOOLS, notes.INSTRUCTIONS, kept)
    return DONE


def _refused(told):
    sys.stderr.write(f"error: {told}\nhint: {_HELP}\n")
    return USAGE


def __getattr__(name):
    if name != "command":
        raise AttributeError(name)
    import click  # here only for --help; `main` calls serve() for all else

    @click.command("serve")
    @click.option(
        "--tools", metavar="TABLES", default="notes", show_default=True, help="What to offer: notes."
    )
    @click.option("--project", metavar="PATH", help="The project's folder (default: what the client says).")
    def command(tools, project):
        """Serve the memory tools to a client: MCP over stdin and stdout.

        Clients start this by themselves once they are wired (foreword install). The project is the
        one given, else CLAUDE_PROJECT_DIR, else the client's first root, else the current folder.
        """
        return serve(["--tools", tools, *(["--project", project] if project else [])])

    return command

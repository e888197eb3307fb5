"""`foreword serve`: what clients start. Parsed by hand, so that click's 30 ms stay out of every session."""

import os
import sys

from foreword.clients import HOOKED
from foreword.errors import DONE, USAGE

_HELP = "Try 'foreword serve --help' for help."
TABLES = ("notes", "graph")
LONGEST_CLIENT = 40  # characters of a name that goes into every memory saved
_CLIENT_LETTERS = set("abcdefghijklmnopqrstuvwxyz0123456789-")


def serve(arguments):
    """Serve MCP on stdin and stdout until the client leaves; the exit code."""
    chosen, reference = {"--tools": None, "--project": "", "--client": ""}, False
    left = list(arguments)
    while left:
        name, equals, value = left.pop(0).partition("=")
        if name == "--reference-output" and not equals:
            reference = True
            continue
        if name not in chosen or not (equals or left):
            return _refused(f"unknown or incomplete option: {name}")
        chosen[name] = value if equals else left.pop(0)
    tables = chosen["--tools"]
    wanted = _usual() if tables is None else [name.strip() for name in tables.split(",")]
    if not set(wanted) <= set(TABLES):
        return _refused("--tools takes: notes, graph, or notes,graph")
    if reference and "graph" not in wanted:
        return _refused("--reference-output is for the graph's tools: --tools graph")
    if chosen["--project"] and not os.path.isdir(chosen["--project"]):
        return _refused("{} is no folder".format(chosen["--project"]))
    if not set(chosen["--client"]) <= _CLIENT_LETTERS or len(chosen["--client"]) > LONGEST_CLIENT:
        return _refused("--client takes the name of a client, like claude-desktop")
    from foreword.server import protocol

    kept = {"client": chosen["--client"]} if chosen["--client"] else {}
    if chosen["--project"]:
        kept["folder"] = os.path.abspath(chosen["--project"])
    tools, told, methods, capabilities = [], [], {}, {}
    if "notes" in wanted:
        from foreword.server import notes

        tools += notes.tools(not chosen["--client"] or chosen["--client"] in HOOKED)
        told.append(notes.INSTRUCTIONS)
    if "graph" in wanted:
        from foreword.server import graph

        tools += graph.tools(reference)
        told.append(graph.INSTRUCTIONS)
        methods, capabilities = graph.methods(reference), graph.CAPABILITIES
    protocol.serve(tools, "\n\n".join(told), kept, methods, capabilities)
    return DONE


def _usual():
    """The tables of a server that is not told which: the notes, and the graph where it is switched on."""
    from foreword import paths, settings

    home = paths.home()
    return list(TABLES) if home and settings.load(home)["graph.on"] else ["notes"]


def _refused(told):
    sys.stderr.write(f"error: {told}\nhint: {_HELP}\n")
    return USAGE


def __getattr__(name):
    if name != "command":
        raise AttributeError(name)
    import click  # here only for --help; `main` calls serve() for all else

    @click.command("serve")
    @click.option(
        "--tools",
        metavar="TABLES",
        help="What to offer: notes, graph, or notes,graph (default: notes, and the graph where it is"
        " switched on: foreword graph on).",
    )
    @click.option(
        "--reference-output",
        is_flag=True,
        help="The graph's tools answer in the reference memory server's JSON, for programs that parse it.",
    )
    @click.option(
        "--project", metavar="PATH", help="The project's folder, for notes (default: what the client says)."
    )
    @click.option(
        "--client",
        metavar="NAME",
        help="The client, as the source of what is saved (default: what it calls itself).",
    )
    def command(tools, reference_output, project, client):
        """Serve the memory tools to a client: MCP over stdin and stdout.

        Clients start this by themselves once they are wired (foreword install). The project is the
        one given, else CLAUDE_PROJECT_DIR, else the client's first root, else the current folder.

        With --tools graph it takes the place of the reference memory server (server-memory): the
        same file (MEMORY_FILE_PATH, else the setting graph.file, else ~/.foreword/graph/memory.jsonl)
        and the same nine tools, with answers made for a model. More variables: MEMORY_OBS_MAX_CHARS,
        MEMORY_OBS_MAX, MEMORY_SEARCH_LIMIT, MEMORY_BACKUPS_KEPT, MEMORY_STRICT.
        """
        given = [("--tools", tools), ("--project", project), ("--client", client)]
        arguments = [part for name, value in given if value is not None for part in (name, value)]
        return serve([*arguments, *(["--reference-output"] if reference_output else [])])

    return command

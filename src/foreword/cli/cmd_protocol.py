"""`foreword protocol`."""

import sys

import click

from foreword import paths, settings, skills
from foreword.cli.output import json_option, put, put_json, say
from foreword.clients import CLIENTS, HOOKED


@click.command("protocol")
@click.option("--graph", "graph", is_flag=True, help="About the knowledge graph.")
@click.option("--notes", "notes", is_flag=True, help="About notes, sessions and facts.")
@click.option(
    "--client",
    metavar="CLIENT",
    type=click.Choice(list(CLIENTS)),
    help="As this client gets it: without hooks nothing is saved or offered by itself.",
)
@json_option
def command(graph, notes, client, as_json):
    """Print instructions for a rules file (CLAUDE.md, AGENTS.md).

    What an agent should look up at the start of a task, what it should record and how, and what it must
    never store. Without --graph or --notes: about the knowledge graph where it is switched on, else about
    notes; with --client, about both then.
    At most 2,500 characters each, for every session reads them. Nothing is written; look at the text, then
    append it.

    \b
      foreword protocol --notes >> CLAUDE.md
      foreword protocol --graph >> AGENTS.md
    """
    home = paths.home()
    is_on = bool(home) and settings.load(home)["graph.on"]
    chosen = {"notes": notes, "graph": graph}
    if not any(chosen.values()):
        chosen.update({"notes": bool(client) or not is_on, "graph": is_on})
    about = [name for name in skills.PROTOCOLS if chosen[name]]
    text = "\n".join(skills.protocol(name, not client or client in HOOKED) for name in about)
    if as_json:
        put_json({"about": about, "text": text, "graph_on": is_on})
    else:
        put(text.removesuffix("\n"))
        if sys.stdout.isatty():
            say(f"hint: foreword protocol {' '.join('--' + name for name in about)} >> CLAUDE.md")
    if "graph" in about and not is_on:
        say("the graph is off, so that no client has its tools: foreword graph on")

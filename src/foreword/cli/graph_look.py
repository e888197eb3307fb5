"""The verbs of `foreword graph` that look: stats, lint, bench. Nothing here changes a file."""

import click

from foreword.cli import graph_tables
from foreword.cli.graph_file import file_option, held, holds, opened
from foreword.cli.graph_tables import many
from foreword.cli.output import json_option, put, put_json, say, tilde
from foreword.errors import DONE, NO
from foreword.graph import lint, sizes

SHOWN = 10  # findings of one kind


@click.command("stats")
@file_option
@json_option
def stats(path, as_json):
    """Show what the graph holds and what it costs to read."""
    file = opened(path)
    found = lint.stats(file)
    if as_json:
        put_json(found)
        return
    graph_tables.numbers(found)


@click.command("lint")
@file_option
@click.option("--all", "everything", is_flag=True, help=f"Show all findings, not {SHOWN} of a kind.")
@json_option
def lint_(path, everything, as_json):
    """Report what is odd: unreadable lines, double names, secrets.

    Also relations to nothing, what is over the limits, archives of nobody. Nothing is changed. Exit code 1
    when anything is found.
    """
    file = opened(path)
    found = lint.lint(file)
    if as_json:
        put_json([{"kind": f.kind, "what": f.what, "where": f.where, "hint": f.hint} for f in found])
        return NO if found else DONE
    if not found:
        if file.exists():
            put(f"{tilde(file.path)}: nothing odd in {holds(file)}")
        return DONE
    kinds = {}
    for finding in found:
        kinds.setdefault(finding.kind, []).append(finding)
    for kind, group in kinds.items():
        graph_tables.findings(kind, group, len(group) if everything else SHOWN)
    more = "" if everything or all(len(group) <= SHOWN for group in kinds.values()) else " (--all shows them)"
    say(f"{many(len(found), 'finding')} in {holds(file)}{more}")
    return NO


@click.command("bench")
@click.argument("query", nargs=-1)
@file_option
@json_option
def bench(query, path, as_json):
    """Compare what an agent is sent, here and by the reference server.

    For read_graph, and for a search for each QUERY (default: the five commonest words). Sizes only, never
    content; tokens are characters / 4. Nothing is changed.
    """
    file = opened(path)
    graph = file.read()
    queries = list(query) or sizes.common_words(graph)
    rows = sizes.compare(graph, queries, file.limits.found)
    for n, row in enumerate(rows):
        if row["query"] is not None and not query:
            row["query"] = f"word {n}"  # the words themselves are content
    if as_json:
        put_json({"path": file.path, "entities": len(graph.entities), "rows": rows})
        return
    put(f"{held(graph)}; tokens of an answer: characters / {sizes.CHARACTERS_A_TOKEN}")
    put()
    graph_tables.sizes(rows)
    put()
    put("The reference server sends everything twice: as indented text, and as structured content, which is")
    put("the smaller copy. A client hands its model one of the two: Claude Code the structured content,")
    put("Codex the text.")

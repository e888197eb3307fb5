"""`foreword search`."""

import click

from foreword.cli.output import (
    counted,
    fit,
    json_option,
    limit_option,
    opened,
    project_option,
    put,
    put_json,
    rows,
    say,
    width,
    wrapped,
)
from foreword.errors import DONE, NO, NotFoundError
from foreword.memory import entities

WORDS_SHOWN = 12  # of those a reason is about


@click.command("search")
@click.argument("query", nargs=-1, required=True)
@limit_option(1000, default=10, show_default=True, help="Show at most N.")
@click.option(
    "--type",
    "kind",
    type=click.Choice(["note", "session", "fact", entities.ENTITY]),
    help="Only this type; entity: the knowledge graph's.",
)
@click.option("--all-projects", is_flag=True, help="Search every project of the store.")
@click.option("--archived", is_flag=True, help="Search what is archived.")
@click.option("--explain", is_flag=True, help="Show why each one ranks where it does.")
@project_option
@json_option
def command(query, limit, kind, all_projects, archived, explain, path, as_json):
    """Search this project's memories, global facts and the knowledge graph.

    The best match comes first, and those that hold all of the words above the others; an entity of
    the graph whose name is the query stands above all, the others take turns with the memories.
    Memories that a newer one supersedes are left out; foreword list has them. Exit code 1 when nothing
    matches. With --type entity no project is needed.
    """
    found = entities.search(
        _place(path, kind),
        " ".join(query),
        limit,
        kind or "",
        archived=archived,
        all_projects=all_projects,
        explain=explain,
    )
    if found.problem:
        say(f"the knowledge graph was not searched: {found.problem}")
        say(f"hint: {found.problem.hint}")
    if as_json:
        put_json(found)
    elif found:
        if found.nearest:
            several = any(row["type"] == entities.ENTITY for row in found)
            say("{} holds all of these words; nearest:".format("nothing" if several else "no memory"))
        for row in found:
            if row["type"] == entities.ENTITY:
                _entity(row)
            else:
                rows([row], projects=all_projects)
            for reason in row.get("why", ()):
                put("      " + _reason(reason))
    else:
        others = [
            option
            for option, used in (("--all-projects", all_projects), ("--archived", archived))
            if not used
        ]
        say(
            "nothing matches; try fewer or other words (names of files, functions and errors work best)"
            + (", leave --type out" if kind else "")
            + "".join(f", {option}" for option in others)
        )
    return DONE if found else NO


def _place(path, kind):
    """The project; None where only the graph is asked, which is the user's wherever they are."""
    if kind == entities.ENTITY and path is None:
        return None
    try:
        return opened(path)
    except NotFoundError as error:
        if kind is None and path is None:
            error.hint += ", or --type entity for the knowledge graph alone"
        raise


def _entity(row):
    """`shop-backend [service]  2026-03-02  entity, 12 observations, 6 relations`, and below it two lines."""
    most = max(60, width())
    facts = "  {}entity, {}{}, {}".format(
        row["created"][:10] + "  " if row["dated"] else "",
        counted(row["observations"], "observation"),
        " archived" if row["archived"] else "",
        counted(row["relations"], "relation"),
    )
    put(click.style(fit(row["title"], most - len(facts)), fg="cyan") + facts)
    for line in wrapped(row["snippet"], most - 4, lines=2):
        put("    " + line)


def _reason(reason):
    """`holds 3 of 4 words: rotate, token` or, in log odds, `+2.1  rare words`"""
    told = ("{:+.1f}  {}" if reason["value"] else "{1}").format(reason["value"], reason["label"])
    words = reason["words"]
    if words:
        told += ": " + ", ".join(words[:WORDS_SHOWN]) + (", …" if len(words) > WORDS_SHOWN else "")
    return fit(told, max(60, width()) - 6)

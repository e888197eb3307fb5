"""`foreword search`."""

import click

from foreword import memory
from foreword.cli.output import (
    json_option,
    opened,
    project_option,
    put_json,
    rows,
    say,
    type_option,
)
from foreword.errors import DONE, NO


@click.command("search")
@click.argument("query", nargs=-1, required=True)
@click.option("--limit", default=10, show_default=True, type=click.IntRange(1, 1000), help="At most.")
@type_option
@click.option("--all-projects", is_flag=True, help="Search every project of the store.")
@click.option("--archived", is_flag=True, help="Search the archived memories.")
@project_option
@json_option
def command(query, limit, kind, all_projects, archived, path, as_json):
    """Search this project's memories and global facts.

    The best match comes first. Exit code 1 when nothing matches.
    """
    found = memory.search(
        opened(path),
        " ".join(query),
        limit,
        kind or "",
        archived=archived,
        all_projects=all_projects,
    )
    if as_json:
        put_json(found)
    elif found:
        rows(found, projects=all_projects)
    else:
        say("nothing matches; try fewer or other words, --all-projects or --archived")
    return DONE if found else NO

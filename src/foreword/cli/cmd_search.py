"""`foreword search`."""

import click

from foreword import memory
from foreword.cli.output import (
    fit,
    json_option,
    limit_option,
    opened,
    project_option,
    put,
    put_json,
    rows,
    say,
    type_option,
    width,
)
from foreword.errors import DONE, NO

WORDS_SHOWN = 12  # of those a reason is about


@click.command("search")
@click.argument("query", nargs=-1, required=True)
@limit_option(1000, default=10, show_default=True, help="Show at most N.")
@type_option
@click.option("--all-projects", is_flag=True, help="Search every project of the store.")
@click.option("--archived", is_flag=True, help="Search the archived memories.")
@click.option("--explain", is_flag=True, help="Show why each memory ranks where it does.")
@project_option
@json_option
def command(query, limit, kind, all_projects, archived, explain, path, as_json):
    """Search this project's memories and global facts.

    The best match comes first, and those that hold all of the words above the others. Memories that
    a newer one supersedes are left out; foreword list has them. Exit code 1 when nothing matches.
    """
    found = memory.search(
        opened(path),
        " ".join(query),
        limit,
        kind or "",
        archived=archived,
        all_projects=all_projects,
        explain=explain,
    )
    if as_json:
        put_json(found)
    elif found:
        if found.nearest:
            say("no memory holds all of these words; nearest:")
        for row in found:
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


def _reason(reason):
    """`holds 3 of 4 words: rotate, token` or, in log odds, `+2.1  rare words`"""
    told = ("{:+.1f}  {}" if reason["value"] else "{1}").format(reason["value"], reason["label"])
    words = reason["words"]
    if words:
        told += ": " + ", ".join(words[:WORDS_SHOWN]) + (", …" if len(words) > WORDS_SHOWN else "")
    return fit(told, max(60, width()) - 6)

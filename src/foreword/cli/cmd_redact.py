"""`foreword redact`."""

import click

from foreword import memory, paths
from foreword.cli.output import Progress, confirmed, counted, json_option, put, put_json, say, seen, table
from foreword.errors import DONE, NO


@click.command("redact")
@click.option("--apply", "is_applied", is_flag=True, help="Take them out (asks first).")
@click.option("--yes", is_flag=True, help="Do not ask.")
@json_option
def command(is_applied, yes, as_json):
    """Look for credentials in the whole store, and take them out.

    What is saved is redacted before it is written; this is for files that were written by hand, by older
    versions or, in the knowledge graph, by other programs. Tells where each stands and of what kind it is,
    never the value. --apply puts [redacted:KIND] in its place; nothing brings it back.

    Exit code 1: something was found and is still there.
    """
    home = paths.home()
    progress = Progress("reading")
    try:
        rows = memory.redact.scan(home, progress)
    finally:
        progress.end()
    left = rows
    if rows and not as_json:
        table([(seen(f"{row['where']}:{row['line']}"), ", ".join(row["kinds"])) for row in rows])
    if rows and is_applied:
        if not confirmed(f"Redact {counted(len(rows), 'file')}? It cannot be undone.", yes):
            return NO
        left = memory.redact.clean(home, rows)
    if as_json:
        keys = ("where", "id", "line", "kinds")
        told = [{**{key: row[key] for key in keys}, "redacted": row not in left} for row in rows]
        put_json(told)
    elif not rows:
        say("nothing in the store looks like a credential")
    elif is_applied:
        put(f"redacted {counted(len(rows) - len(left), 'file')}")
        for row in left:
            say(f"left as it is: {seen(row['where'])}; edit it by hand")
    else:
        say(f"{counted(len(rows), 'file')} with what looks like a credential")
        say("hint: foreword redact --apply takes it out")
    return NO if left else DONE

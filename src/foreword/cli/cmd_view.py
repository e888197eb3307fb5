"""`foreword view`."""

import click

from foreword.cli.output import project_option


@click.command("view")
@click.option(
    "--port", metavar="N", type=click.IntRange(1, 65535), help="Listen on this port (default: a free one)."
)
@click.option("--no-open", "stay", is_flag=True, help="Print the address, open no browser.")
@project_option
def command(port, stay, path):
    """Open a page with what is stored, what was used, and what it costs.

    Served on 127.0.0.1 until Ctrl-C, at an address that is new for each run and that nobody else knows.
    The page of the current project, or all projects outside of one. What is deleted there can be taken
    back for ten seconds.
    """
    from foreword.web import run  # starlette and uvicorn: 0.3 s that no other verb pays

    return run.serve(path, port=port or 0, browser=not stay)

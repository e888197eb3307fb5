"""Which graph a verb of `foreword graph` works on, and how it is named to people. Changes nothing."""

import click

from foreword import paths
from foreword.cli.graph_tables import many
from foreword.cli.output import say, tilde
from foreword.errors import ForewordError, NotFoundError
from foreword.graph import place

NOT_THERE = "not there yet: the first write makes it"


def named(context, parameter, value):
    """The value of an option that names a file; an empty one is a variable of a script that is not set."""
    if value is not None and not value.strip():
        raise click.BadParameter("the name of a file is empty", context, parameter)
    return value


file_option = click.option(
    "--file",
    "path",
    metavar="PATH",
    callback=named,
    help="The graph's file (default: what foreword graph path says).",
)


def home():
    found = paths.home()
    if not found:
        raise ForewordError("no home folder is known", "set FOREWORD_HOME to a folder of yours")
    return found


def opened(path):
    """The GraphFile of --file, which must exist, or the one in use, an empty graph until the first write.

    Warns of environment variables of no use. Raises ForewordError.
    """
    file = place.open_graph(path or "")
    if path and not file.exists():
        raise NotFoundError(f"{file.path}: no such file", "foreword graph path names the one in use")
    if not file.exists():
        say(f"{tilde(file.path)} is {NOT_THERE}")
    warn(file)
    return file


def warn(file):
    for told in file.limits.wrong:
        say("warning: " + told)


def holds(file):
    """`237 entities, 349 relations`; what is wrong with it comes behind."""
    if not file.exists():
        return NOT_THERE
    return held(file.read())


def held(graph):
    told = f"{many(len(graph.entities), 'entity')}, {many(len(graph.relations), 'relation')}"
    return told + (f", {many(len(graph.unreadable), 'unreadable line')}" if graph.unreadable else "")

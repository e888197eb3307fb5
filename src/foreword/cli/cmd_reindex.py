"""`foreword reindex`."""

import click

from foreword import memory
from foreword.cli.output import Progress, counted, json_option, opened, project_option, put, put_json


@click.command("reindex")
@project_option
@json_option
def command(path, as_json):
    """Build the index anew from the files. It may be interrupted: the old one stays until the end.

    Where graph.in_index is on, the index of the graph's entities is brought up to date as well.
    """
    place, progress = opened(path), Progress("reindexing")
    done = memory.reindex(place, progress)
    progress.end()
    graph = memory.reindex_graph(place.home)
    if as_json:
        put_json({"indexed": done, "graph": graph})
        return
    put("indexed " + counted(done, "memory"))
    if graph:
        put("the index of the graph's entities is up to date")

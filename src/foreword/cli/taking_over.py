"""What `foreword install` does about the graphs of other memory servers: tells of them, takes one over.

Taking over is switching the graph on with that file; the other server's entry is the user's and stays,
the command that removes it is told. Nothing here stops the wiring of a client.
"""

import os
import shlex
import sys
import time

import click

from foreword.cli.cmd_graph import turn_on
from foreword.cli.output import counted, say, tilde
from foreword.clients import CLIENTS
from foreword.clients.parts import graph_is_on
from foreword.edit import settings_file
from foreword.errors import NO, ForewordError, NotFoundError
from foreword.graph import change, found, place, sizes

FOUND = "found"  # what --graph takes instead of a path


class TakingOver:
    """The graphs that were found, and the one that --graph chose ("" for none).

    Raises ForewordError, before anything is written, for a choice that cannot be taken. `entry`: its
    JSON: on, file (in use), taken, error, found; `will_be_on`: whether the graph's tools are to be served.
    """

    def __init__(self, home, chosen, environ=os.environ):
        self.home, self.environ = home, environ
        self.is_on, self.taken, self.error = graph_is_on(home), "", ""
        self.in_use = _in_use(home, environ) if self.is_on else ""
        self.servers = found.servers(environ)
        self.graphs = _graphs(self.servers)
        self.offers = [graph for graph in self.graphs if not _same(graph.file, self.in_use)]
        self.chosen = self._chosen(chosen) if chosen else None
        if self.chosen:
            settings_file.check(home)

    @property
    def will_be_on(self):
        return self.is_on or self.chosen is not None

    @property
    def entry(self):
        return {
            "on": graph_is_on(self.home),
            "file": _in_use(self.home, self.environ),
            "taken": self.taken,
            "error": self.error,
            "found": [graph.row() for graph in self.graphs],
        }

    def _chosen(self, chosen):
        """The _Graph that --graph means."""
        if chosen != FOUND:
            path = os.path.abspath(os.path.expanduser(chosen))
            if not os.path.isfile(path):
                raise NotFoundError(
                    f"{chosen}: no such file; nothing was changed",
                    f"foreword graph on --file {shlex.quote(path)}   (for a new one)",
                )
            known = next((graph for graph in self.graphs if _same(graph.file, path)), None)
            graph = known or _Graph(path, [])
            if not graph.holds:
                raise ForewordError(f"{chosen} holds no graph; nothing was changed", "name a memory.jsonl")
            return graph
        if len(self.offers) > 1:
            names = "; ".join(f"--graph {shlex.quote(graph.file)}" for graph in self.offers)
            raise ForewordError("more than one graph was found; nothing was changed", names)
        if self.offers:
            return self.offers[0]
        if self.graphs:
            return self.graphs[0]  # in use already: there is nothing to do
        hint = "foreword install --graph PATH, or foreword graph on for a new one"
        raise NotFoundError("no graph of another memory server was found; nothing was changed", hint, NO)

    # -- what is told and asked ----------------------------------------------------------------

    def go(self, dry_run, asks, tell):
        """Tell what was found and take over what was chosen, or on a terminal what the user agrees to;
        whether the graph was switched on by an answer."""
        if self.chosen:
            self._take_chosen(self.chosen, dry_run, tell)
            return False
        was_on = self.is_on
        for graph in self.offers:
            for line in graph.described():
                tell(line)
            if self.in_use:
                tell(f"    the graph in use is another: {tilde(self.in_use)}")
            elif not (dry_run or self.taken) and asks and _agreed(graph):
                self._take(graph, tell)
                continue
            tell("    to go on with it: " + graph.command)
        for graph in self.graphs:
            if graph not in self.offers:
                self._tell_of_entries(graph, tell)
        self._tell_of_the_rest(tell)
        if not (self.is_on or self.servers):
            tell(
                f"the knowledge graph is off; its {sizes.TOOLS} tools cost about "
                f"{sizes.tokens(sizes.TOOLS_BYTES):,} tokens a session: foreword graph on"
            )
        return self.is_on and not was_on

    def _take_chosen(self, graph, dry_run, tell):
        if _same(graph.file, self.in_use):
            tell(f"the graph is on already: {tilde(graph.file)}")
            self._tell_of_entries(graph, tell)
            return
        for line in graph.described():
            tell(line)
        if dry_run:
            tell("    would be taken over: " + graph.command)
            return
        self._take(graph, tell)

    def _take(self, graph, tell):
        before = self.in_use
        try:
            turn_on(self.home, **graph.options)
        except ForewordError as error:
            self.error = error.message
            say("error: " + error.message)
            say("hint: " + error.hint)
            return
        self.is_on, self.in_use = True, _in_use(self.home, self.environ)
        self.taken = graph.file
        tell(f"the graph is on: {tilde(self.in_use)}")
        if graph.is_lost_on_update:
            tell(f"    a copy; the original stays: {tilde(graph.file)}")
        if before and not _same(before, self.in_use):
            tell(f"    to go back to the one before: foreword graph on --file {shlex.quote(before)}")
        if place.path_and_why(self.home, self.environ)[1] == "MEMORY_FILE_PATH":
            say("warning: MEMORY_FILE_PATH is set here, and goes before the file that was chosen")
        self._tell_of_entries(graph, tell)

    def _tell_of_entries(self, graph, tell):
        """What becomes of the other server's entries: two servers with nine equal tools confuse an agent."""
        for server in graph.servers:
            if server.client in CLIENTS:
                tell(f"{server.client} still has {_entry(server)}, with the same nine tools; to remove it:")
                tell("    " + server.remove)
            elif server.client and not graph.is_lost_on_update:
                tell(f"{server.client} goes on with {_entry(server)}: both may use the file at once")

    def _tell_of_the_rest(self, tell):
        """Entries of servers of which no graph was found."""
        known = [server for graph in self.graphs for server in graph.servers]
        for server in self.servers:
            if server not in known:
                tell(f"{server.client} has {found.CALLED[server.kind]}: {_entry(server)}")
                tell("    no graph of it was found" + (f" in {tilde(server.file)}" if server.file else ""))
                if server.client in CLIENTS and self.is_on:
                    tell("    it has the same nine tools as ours; to remove it: " + server.remove)
                elif server.client in CLIENTS:
                    tell("    to have the same tools from here: foreword graph on")


class _Graph:
    """One file that is a graph, and the Servers that use it."""

    def __init__(self, file, servers):
        self.file, self.servers = file, servers
        self.is_lost_on_update = found.is_lost_on_update(file)
        graph = place.open_graph(file).read()
        self.entities, self.relations = len(graph.entities), len(graph.relations)
        self.holds = bool(graph.entities or graph.relations)
        days = (change.day_of(text) for entity in graph.entities for text in entity.observations)
        self.since = min(filter(None, days), default="")
        self.changed = time.strftime("%Y-%m-%d", time.gmtime(os.stat(file).st_mtime))

    @property
    def options(self):
        """What `turn_on` is given: a file that its package's next update loses is copied."""
        return {"source" if self.is_lost_on_update else "path": self.file}

    @property
    def command(self):
        option = "--copy" if self.is_lost_on_update else "--file"
        return f"foreword graph on {option} {shlex.quote(self.file)}"

    def described(self):
        yield f"a knowledge graph is here: {tilde(self.file)}"
        told = f"    {counted(self.entities, 'entity')}, {counted(self.relations, 'relation')}; "
        yield told + (f"first dated {self.since}, " if self.since else "") + f"last changed {self.changed}"
        for server in self.servers:
            where = f"; {server.client}: {_entry(server)}" if server.client else ""
            yield f"    of {found.CALLED[server.kind]}{where}"
        if self.is_lost_on_update:
            yield "    it lies inside that server's package: an update loses it"

    def row(self):
        names = ("client", "config", "name", "kind", "remove")
        return {
            "file": self.file, "entities": self.entities, "relations": self.relations, "since": self.since,
            "changed": self.changed, "is_lost_on_update": self.is_lost_on_update, "command": self.command,
            "servers": [{name: getattr(server, name) for name in names} for server in self.servers],
        }  # fmt: skip


def _entry(server):
    return f'"{server.name}" in {tilde(server.config)}'


def _graphs(servers):
    """A _Graph for each file that holds something, however many servers use it."""
    users = {}
    for server in servers:
        if server.file and os.path.isfile(server.file):
            users.setdefault(os.path.realpath(server.file), []).append(server)
    graphs = []
    for sharing in users.values():
        try:
            graph = _Graph(sharing[0].file, sharing)
        except (OSError, ForewordError) as error:
            say(f"note: a graph was found that cannot be read: {sharing[0].file} ({error})")
            continue
        if graph.holds:
            graphs.append(graph)
    return graphs


def _in_use(home, environ):
    return place.path_of(home, environ)


def _same(one, other):
    return bool(one and other) and os.path.realpath(one) == os.path.realpath(other)


def _agreed(graph):
    """The answer of a person at a terminal; no where there is none, or the question was broken off."""
    if sys.stdin is None or not sys.stdin.isatty():
        return False
    question = "    Go on with a copy of it?" if graph.is_lost_on_update else "    Go on with this file?"
    try:
        return click.confirm(question, default=False, err=True)
    except click.Abort:
        say()
        return False

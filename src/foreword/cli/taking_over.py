"""What `foreword install` does about the graphs of other memory servers: tells of them, takes one over.

Taking over is switching the graph on with that file; the other server's entry is the user's and stays,
the command that removes it is told. Nothing here stops the wiring of a client.
"""

import os
import sys
import time

import click

from foreword.cli.cmd_graph import refuse_other, turn_on
from foreword.cli.output import counted, say, seen, tilde
from foreword.clients import CLIENTS, mcp_entries
from foreword.clients.parts import graph_is_on
from foreword.edit import plan, settings_file
from foreword.errors import NO, ForewordError, NotFoundError
from foreword.graph import change, place, sizes
from foreword.graph import servers as graph_servers

FOUND = "found"  # what --graph takes instead of a path
COST = f"about {sizes.tokens(sizes.TOOLS_BYTES):,} tokens"


class TakingOver:
    """The graphs that were found, and the one that --graph chose ("" for none). `names`: the clients of
    this run.

    Raises ForewordError, before anything is written, for a choice that cannot be taken. `entry`: its
    JSON: on, file (in use), taken, error, found; `will_be_on`: whether the graph's tools are to be served.
    """

    def __init__(self, home, chosen, names, environ=os.environ):
        self.home, self.environ = home, environ
        self.wired = {*names, *(name for name in CLIENTS if plan.is_installed(home, name))}
        self.is_on, self.taken, self.error = graph_is_on(home), "", ""
        self.in_use = _in_use(home, environ) if self.is_on else ""
        self.servers = graph_servers.servers(environ)
        self.graphs = _graphs(self.servers)
        others = [graph for graph in self.graphs if not _same(graph.file, self.in_use)]
        # An entry of the user's own that starts our server is a choice already made.
        self.offers = [graph for graph in others if not graph.is_ours]
        self.asked = []
        self.chosen = self._chosen(chosen, others) if chosen is not None else None
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

    def _chosen(self, chosen, others):
        """The _Graph that --graph means; others: those that are not in use."""
        if not chosen:
            raise ForewordError(
                "--graph names no file; nothing was changed", "foreword install --graph found"
            )
        if chosen != FOUND:
            path = os.path.abspath(os.path.expanduser(chosen))
            if not os.path.isfile(path):
                raise NotFoundError(
                    f"{chosen}: no such file; nothing was changed",
                    f"foreword graph on --file {mcp_entries.quoted(path)}   (for a new one)",
                )
            try:
                refuse_other(path)
            except ForewordError as error:
                told = f"{error.message}; nothing was changed"
                raise ForewordError(told, error.hint, error.exit_code) from error
            known = next((graph for graph in self.graphs if _same(graph.file, path)), None)
            return known or _Graph(path, [])
        return self._found(others)

    def _found(self, others):
        """The one _Graph that was found. What a folder's own settings name is none: whoever made the
        repository chose that file, and an agent would read what is in it."""
        usable = [graph for graph in others if not graph.is_of_folder]
        usable = [graph for graph in usable if not graph.is_ours] or usable
        if len(usable) > 1:
            names = "; ".join(f"--graph {mcp_entries.quoted(graph.file)}" for graph in usable)
            raise ForewordError("more than one graph was found; nothing was changed", names)
        if usable:
            return usable[0]
        for graph in self.graphs:
            if _same(graph.file, self.in_use):
                return graph  # there is nothing to do
        if others:
            told = f"the graph that was found is named by a file of this folder: {seen(others[0].file)}"
            hint = f"foreword install --graph {mcp_entries.quoted(others[0].file)}, if you know that graph"
            raise NotFoundError(told + "; nothing was changed", hint, NO)
        hint = "foreword install --graph PATH, or foreword graph on for a new one"
        raise NotFoundError("no graph of another memory server was found; nothing was changed", hint, NO)

    # -- what is told and asked ----------------------------------------------------------------

    def ask(self, tell):
        """At a terminal, before a client is wired: tell of each graph, and take over the first that the
        user agrees to. Wiring then knows of it. Nothing elsewhere, or where a graph is in use or chosen."""
        if self.chosen or not _is_terminal():
            return
        tell = _shown(tell)
        for graph in self.offers:
            if self.in_use:
                break
            if graph.is_of_folder:
                continue
            self.asked.append(graph)
            for line in graph.described():
                tell(line)
            if _agreed(graph):
                self._take(graph, tell)
            else:
                tell("    to go on with it: " + graph.command)

    def go(self, dry_run, tell):
        """Take over what --graph chose, or tell of what was found and not asked about."""
        tell = _shown(tell)
        if self.chosen:
            self._take_chosen(self.chosen, dry_run, tell)
            return
        for graph in self.offers:
            if graph in self.asked:
                continue
            for line in graph.described():
                tell(line)
            if self.in_use:
                tell(f"    the graph in use is another: {tilde(self.in_use)}")
            tell("    to go on with it: " + graph.command)
        for graph in self.graphs:
            if graph not in self.offers:
                self._tell_of_entries(graph, tell)
        self._tell_of_the_rest(tell)
        if not (self.is_on or self.servers):
            tell(
                f"the knowledge graph is off; its {sizes.TOOLS} tools cost {COST} a session: "
                "foreword graph on"
            )

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
            say(seen("error: " + error.message))
            say(seen("hint: " + error.hint))
            return
        self.is_on, self.in_use = True, _in_use(self.home, self.environ)
        self.taken = graph.file
        tell(f"the graph is on: {tilde(self.in_use)}")
        if graph.is_lost_on_update:
            tell(f"    a copy; the original stays: {tilde(graph.file)}")
        if before and not _same(before, self.in_use):
            tell(f"    to go back to the one before: foreword graph on --file {mcp_entries.quoted(before)}")
        if self.environ.get(place.VARIABLE):
            say("warning: MEMORY_FILE_PATH is set here, and goes before the file that was chosen")
        self._tell_of_entries(graph, tell)

    def _tell_of_entries(self, graph, tell):
        """What becomes of the other server's entries: two servers with nine equal tools confuse an agent."""
        for server in graph.servers:
            if server.kind == graph_servers.FOREWORD:
                self._tell_of_ours(server, tell)
            elif server.client in self.wired:
                tell(f"{server.client} still has {_entry(server)}, with the same nine tools; to remove it:")
                tell("    " + server.remove)
            elif server.client and not graph.is_lost_on_update:
                tell(f"{server.client} goes on with {_entry(server)}: both may use the file at once")

    def _tell_of_ours(self, server, tell):
        """An entry of the user's own that starts our server with the graph's tools."""
        if server.client not in self.wired:
            return  # nothing else there offers them
        at = f" (its file: {tilde(server.file)})" if server.file else ""
        if self.is_on:
            at = "" if _same(server.file, self.in_use) or server.file == self.in_use else at
            tell(f"{server.client} has the graph's tools twice, by {_entry(server)} too{at}; to remove it:")
            tell("    " + server.remove)
        else:
            tell(f"{server.client} has the graph's tools by {_entry(server)}{at}")
            tell("    foreword graph on would offer them a second time; to have them from the server that")
            options = f" --file {mcp_entries.quoted(server.file)}" if server.file else ""
            tell(f"    is wired: foreword graph on{options}, and then: {server.remove}")

    def _tell_of_the_rest(self, tell):
        """Entries of servers of which no graph was found."""
        known = [server for graph in self.graphs for server in graph.servers]
        for server in self.servers:
            if server not in known and server.kind == graph_servers.FOREWORD:
                self._tell_of_ours(server, tell)
            elif server not in known:
                tell(f"{server.client} has {graph_servers.CALLED[server.kind]}: {_entry(server)}")
                _tell_of_no_file(server, tell)
                if server.client in self.wired and self.is_on:
                    tell("    it has the same nine tools as ours; to remove it: " + server.remove)
                elif server.client in self.wired and not server.volume:
                    tell("    to have the same tools from here: foreword graph on")


class _Graph:
    """One file that is a graph, and the Servers that use it."""

    def __init__(self, file, servers):
        self.file, self.servers = file, servers
        self.is_lost_on_update = graph_servers.is_lost_on_update(file)
        self.is_ours = bool(servers) and all(server.kind == graph_servers.FOREWORD for server in servers)
        self.is_of_folder = bool(servers) and all(server.is_of_folder for server in servers)
        graph = place.open_graph(file).read()
        self.entities, self.relations = len(graph.entities), len(graph.relations)
        self.holds = bool(graph.entities or graph.relations or graph.others)
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
        return f"foreword graph on {option} {mcp_entries.quoted(self.file)}"

    def described(self):
        yield f"a knowledge graph is here: {tilde(self.file)}"
        told = f"    {counted(self.entities, 'entity')}, {counted(self.relations, 'relation')}; "
        yield told + (f"first dated {self.since}, " if self.since else "") + f"last changed {self.changed}"
        for server in self.servers:
            where = f"; {server.client}: {_entry(server)}" if server.client else ""
            yield f"    of {graph_servers.CALLED[server.kind]}{where}"
        if self.is_lost_on_update:
            yield "    it lies inside that server's package: an update loses it"
        if self.is_of_folder:
            yield "    only a file of this folder names it: take it if you know whose graph that is"

    def row(self):
        names = ("client", "config", "name", "kind", "remove")
        return {
            "file": self.file, "entities": self.entities, "relations": self.relations, "since": self.since,
            "changed": self.changed, "is_lost_on_update": self.is_lost_on_update,
            "is_of_folder": self.is_of_folder, "command": self.command,
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
            say(seen(f"note: a graph was found that cannot be read: {sharing[0].file} ({error})"))
            continue
        if graph.holds:
            graphs.append(graph)
    return graphs


def _in_use(home, environ):
    return place.path_of(home, environ)


def _same(one, other):
    return bool(one and other) and os.path.realpath(one) == os.path.realpath(other)


def _tell_of_no_file(server, tell):
    """Where the data of a server are of which no graph was found; the command that copies them out."""
    if not server.volume:
        tell("    no graph of it was found" + (f" in {tilde(server.file)}" if server.file else ""))
        return
    volume, inside = server.volume
    copy = f"~/{volume}.jsonl"
    tell(f"    its data are in docker's volume {volume}; to go on with a copy of them:")
    tell(f"    docker run --rm -v {volume}:/from alpine cat {mcp_entries.quoted('/from/' + inside)} > {copy}")
    tell(f"    foreword graph on --file {copy}")


def _shown(tell):
    """`tell` for lines with names and paths that anybody chose."""
    return lambda line: tell(seen(line))


def _is_terminal():
    return sys.stdin is not None and sys.stdin.isatty()


def _agreed(graph):
    """The answer of a person at a terminal; no where the question was broken off."""
    what = "a copy of it" if graph.is_lost_on_update else "this file"
    question = f"    Go on with {what}? It switches on {sizes.TOOLS} tools ({COST} a client session)"
    try:
        return click.confirm(question, default=False, err=True)
    except click.Abort:
        say()
        return False

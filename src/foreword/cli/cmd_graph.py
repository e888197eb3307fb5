"""`foreword graph`: the knowledge graph as its owner looks after it; what agents do goes over the server."""

import os
import shlex

import click

from foreword import files, graph_index, paths, settings
from foreword.cli import graph_tables
from foreword.cli.graph_tables import many, shown
from foreword.cli.output import json_option, put, put_json, say, tilde
from foreword.edit import settings_file
from foreword.errors import DONE, NO, ForewordError, NotFoundError
from foreword.graph import backups, change, lint, place, sizes

SHOWN = 10  # findings of one kind
NAMED = 5  # entities that `stats` names in a line


class _Verbs(click.Group):
    """In the order in which they are written here, and with the nearest one for a wrong one."""

    def list_commands(self, ctx):
        return list(self.commands)

    def resolve_command(self, ctx, args):
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError as error:
            import difflib

            near = difflib.get_close_matches(args[0], self.commands, n=1)
            if near and "Did you mean" not in error.message:
                raise click.UsageError(f"{error.message} Did you mean {near[0]}?", ctx) from error
            raise


file_option = click.option(
    "--file", "path", metavar="PATH", help="The graph's file (default: what foreword graph path says)."
)


@click.command("graph", cls=_Verbs)
def command():
    """Look after the knowledge graph: one file, memory.jsonl.

    It is what the reference MCP memory server keeps, served with the same nine tools and two more. Off
    until you switch it on. Of these commands only compact changes the file.

    \b
      foreword graph on
      foreword graph on --file ~/memory.jsonl
      foreword graph stats
    """


# -- on and off --------------------------------------------------------------------------------


@command.command("on")
@click.option("--file", "path", metavar="PATH", help="Use this file from now on; it need not exist yet.")
@click.option("--copy", "source", metavar="PATH", help="Copy this file into the store and use the copy.")
@json_option
def on(path, source, as_json):
    """Offer the graph's tools to the clients.

    The server that foreword install wired has them beside the others once the client is started
    anew. Without an option the graph is the one used before, or a new one in the store. --copy is for a
    file in a place that does not last, such as npm's cache; the original stays as it is.
    """
    home = _home()
    turn_on(home, path, source)
    chosen, why = place.path_and_why(home)
    file = place.open_graph()
    graph, cost = file.read(), sizes.tokens(sizes.TOOLS_BYTES)
    if as_json:
        found = {"on": True, "path": chosen, "why": _why(why), "exists": file.exists()}
        found |= {"entities": len(graph.entities), "relations": len(graph.relations)}
        put_json({**found, "tools": sizes.TOOLS, "tools_bytes": sizes.TOOLS_BYTES, "tools_tokens": cost})
    else:
        put(f"the graph is on: {tilde(chosen)} ({_holds(file)})")
        put(f"its {sizes.TOOLS} tools cost about {cost:,} tokens in each client session")
        put("next: foreword install, so that clients need not ask for each call; then restart the client")
    _warn(file)
    if why == "MEMORY_FILE_PATH":
        other = place.path_of(home, {})
        say(f"warning: MEMORY_FILE_PATH is set here; a client that does not set it uses {tilde(other)}")


def turn_on(home, path=None, source=None):
    """Set graph.on, and graph.file for the file at `path`; or copy the file at `source` to the store's own.

    Raises ForewordError, and then neither file nor settings changed, where `path` is no graph, where the
    store's own holds another one already, or where config.toml is malformed.
    """
    if path and source:
        raise ForewordError("--file and --copy name two files", "leave one of them out")
    values: dict[str, object] = {"graph.on": True}
    if path:
        chosen = os.path.abspath(os.path.expanduser(path))
        _refuse_other(chosen)
        values["graph.file"] = None if chosen == place.default(home) else chosen
    if source:
        values["graph.file"] = None
        settings_file.check(home)  # before anything is copied
        _copy(os.path.abspath(os.path.expanduser(source)), place.default(home))
    settings_file.set_values(home, values)


def _refuse_other(path):
    """Refuse a file that holds lines, but no record: the first write would set all of them aside."""
    graph = place.open_graph(path).read()
    if graph.unreadable and not (graph.entities or graph.relations or graph.others):
        raise ForewordError(
            f"{path} is no graph: no line of it is a record ({graph.unreadable[0][2]})",
            "name a memory.jsonl, or a file that is not there yet",
        )


def _copy(source, target):
    if not os.path.exists(source):
        raise NotFoundError(f"{source}: no such file", "foreword graph on --help")
    _refuse_other(source)
    data = files.read(source) or b""
    if os.path.realpath(source) == os.path.realpath(target) or files.read(target) == data:
        return
    try:
        files.make_folder(os.path.dirname(target))
        if not files.read(target):
            files.remove(target)  # an empty one is nobody's
        files.write(target, data, mode=files.FILE_MODE, create_only=True)
    except FileExistsError as error:
        raise ForewordError(
            f"the store has a graph already ({_holds(place.open_graph(target))}), nothing was copied",
            f"foreword graph on --file {shlex.quote(source)}, or move {target} away",
        ) from error


@command.command("off")
@json_option
def off(as_json):
    """Take the graph's tools from the clients. The file stays."""
    home = _home()
    was_on = settings.load(home)["graph.on"]
    if was_on:
        settings_file.set_values(home, {"graph.on": False})
    path = place.path_of(home)
    if as_json:
        put_json({"on": False, "was_on": was_on, "path": path})
        return
    put(f"the graph is off; {tilde(path)} stays as it is" if was_on else "the graph is off already")
    if was_on:
        put("next: restart the client")


@command.command("path")
@json_option
def path_(as_json):
    """Print which file is used; why, on stderr.

    \b
      cp "$(foreword graph path)" graph.jsonl
    """
    home = _home()
    path, why = place.path_and_why(home)
    file = place.open_graph()
    is_on = settings.load(home)["graph.on"]
    if as_json:
        found = {"path": path, "real": file.real, "why": _why(why), "exists": file.exists(), "on": is_on}
        put_json(found)
        return
    put(path)
    say(f"{_WHY[why]}; {_holds(file)}; {'on' if is_on else 'off: foreword graph on'}")
    if file.real != path:
        say(f"a link to {file.real}")
    _warn(file)


_WHY = {
    "MEMORY_FILE_PATH": "MEMORY_FILE_PATH names it",
    "graph.file": "graph.file in config.toml names it",
    "": "the store's own, for neither MEMORY_FILE_PATH nor graph.file names one",
}


def _why(named):
    """What named the file, in JSON."""
    return {"MEMORY_FILE_PATH": "environment", "graph.file": "setting"}.get(named, "default")


# -- looking at it -----------------------------------------------------------------------------


@command.command("stats")
@file_option
@json_option
def stats(path, as_json):
    """Show what the graph holds and what it costs to read."""
    file = _opened(path)
    found = lint.stats(file)
    if as_json:
        put_json(found)
        return
    graph_tables.numbers(found)


@command.command("lint")
@file_option
@click.option("--all", "everything", is_flag=True, help=f"Show all findings, not {SHOWN} of a kind.")
@json_option
def lint_(path, everything, as_json):
    """Report what is odd: unreadable lines, double names, secrets.

    Also relations to nothing, what is over the limits, archives of nobody. Nothing is changed. Exit code 1
    when anything is found.
    """
    file = _opened(path)
    found = lint.lint(file)
    if as_json:
        put_json([{"kind": f.kind, "what": f.what, "where": f.where, "hint": f.hint} for f in found])
        return NO if found else DONE
    if not found:
        put(f"{tilde(file.path)}: nothing odd in {_holds(file)}")
        return DONE
    kinds = {}
    for finding in found:
        kinds.setdefault(finding.kind, []).append(finding)
    for kind, group in kinds.items():
        graph_tables.findings(kind, group, len(group) if everything else SHOWN)
    more = "" if everything or all(len(group) <= SHOWN for group in kinds.values()) else " (--all shows them)"
    say(f"{many(len(found), 'finding')} in {_holds(file)}{more}")
    return NO


@command.command("compact")
@file_option
@click.option("--dry-run", is_flag=True, help="Show what would move and change nothing.")
@json_option
def compact(path, dry_run, as_json):
    """Back up, then move what entities hold too much of to the archive.

    An entity keeps 15 observations (MEMORY_OBS_MAX). Past that its oldest dated ones move; those without
    a date at their start always stay. The agent's archived_observations brings them back.
    """
    file = _opened(path)
    most = file.limits.observations
    moving = _moving(file.read().entities, most)
    backup = ""
    if moving and not dry_run:
        file.change(lambda graph: change.Done())  # a file that cannot be written is refused before the backup
        backup = backups.now(file.real, file.limits.backups)
        done = change.compact(file)
        graph_index.after_write(file)
        moving = {name: (len(moved), done.counts[name]) for name, moved in done.archived.items()}
    rows = [{"name": name, "moved": moved, "left": left} for name, (moved, left) in moving.items()]
    over = [e.name for e in file.read().entities if len(e.observations) > most and e.name not in moving]
    if as_json:
        found = {"path": file.path, "dry_run": dry_run, "limit": most, "backup": backup}
        put_json({**found, "archive": file.archive.folder, "entities": rows, "over": over})
        return
    if rows:
        graph_tables.moved(rows, dry_run, file.archive.folder, backup)
    else:
        put(f"nothing to move: no entity holds dated observations beyond {most}")
    if over:
        told = ", ".join(shown(name, 40) for name in over[:NAMED]) + (", …" if len(over) > NAMED else "")
        say(f"{many(len(over), 'entity')} beyond {most} without dates to go by, which stay: {told}")


def _moving(entities, most):
    """{name: (observations that move, that are left)} of entities that hold too much."""
    found = {}
    for entity in entities:
        kept, moved = change.overflow(entity.observations, most)
        if moved or entity.name in found:  # names may repeat
            found[entity.name] = (found.get(entity.name, (0, 0))[0] + len(moved), len(kept))
    return found


@command.command("bench")
@click.argument("query", nargs=-1)
@file_option
@json_option
def bench(query, path, as_json):
    """Compare what an agent is sent, here and by the reference server.

    For read_graph, and for a search for each QUERY (default: the five commonest words). Sizes only, never
    content; tokens are characters / 4. Nothing is changed.
    """
    file = _opened(path)
    graph = file.read()
    queries = list(query) or sizes.common_words(graph)
    rows = sizes.compare(graph, queries, file.limits.found)
    for n, row in enumerate(rows):
        if row["query"] is not None and not query:
            row["query"] = f"word {n}"  # the words themselves are content
    if as_json:
        put_json({"path": file.path, "entities": len(graph.entities), "rows": rows})
        return
    put(f"{_holds(file)}; characters of an answer, and tokens")
    put()
    graph_tables.sizes(rows)
    put()
    put("The reference server sends everything twice, as text and as structured content. Where a client")
    put("hands its model one of the two, count half.")


# -- shared ------------------------------------------------------------------------------------


def _home():
    home = paths.home()
    if not home:
        raise ForewordError("no home folder is known", "set FOREWORD_HOME to a folder of yours")
    return home


def _opened(path):
    """The GraphFile of --file or in use, which must exist. Warns of environment variables of no use."""
    file = place.open_graph(path or "")
    if not file.exists():
        hint = "foreword graph path" if path else "foreword graph on, or --file PATH"
        raise NotFoundError(f"{file.path}: no such file", hint)
    _warn(file)
    return file


def _warn(file):
    for told in file.limits.wrong:
        say("warning: " + told)


def _holds(file):
    """`237 entities, 349 relations`; what is wrong with it comes behind."""
    if not file.exists():
        return "not there yet: the first write makes it"
    graph = file.read()
    told = f"{many(len(graph.entities), 'entity')}, {many(len(graph.relations), 'relation')}"
    return told + (f", {many(len(graph.unreadable), 'unreadable line')}" if graph.unreadable else "")

"""Entities of the knowledge graph beside the memories: found with them, and shown.

Reads the graph and its archive, and keeps no copy of either: what the graph's tools delete is gone here at
the same moment. How entities match and rank among themselves is graph.search's; this module only gives them
their places among the memories.
"""

import os

from foreword.errors import ForewordError
from foreword.graph import place as graph_place
from foreword.graph import search as graph_search
from foreword.graph.lines import Graph
from foreword.graph.titles import newest_day, titled
from foreword.index.entities import TYPE as ENTITY
from foreword.memory import find
from foreword.store import layout
from foreword.text.budget import cut
from foreword.text.frame import plain

PROJECT = "graph"  # what stands for the project in a row
TURNS = "takes turns with the memories that hold as much"
NEAR = 3  # names that are offered instead of one that is unknown


def search(
    place, query, limit=10, type="", archived=False, all_projects=False, explain=False,  # noqa: A002
):  # fmt: skip
    """Rows of memories (see find.search) and entities, best first.

    An entity whose name is the query (in any case) comes first. Then what holds all that was asked, then the
    rest; in each, memories and entities take turns, both in their own order, for their numbers cannot be
    compared. Entities that lack a word take part only where no memory holds all either.

    type: `entity` for these alone, for which `place` may be None. With `archived` the entities are those with
    archived observations that match. A graph that cannot be read leaves the memories alone; `problem` of what
    is returned tells of it, or the error is raised where only entities were asked for.
    """
    rows, problem = find.Found(), None
    if type != ENTITY:
        rows = find.search(place, query, limit, type, archived, all_projects, explain)
    found = find.Found()
    if type in ("", ENTITY):
        try:
            found = _entities(place.home if place else None, query, limit, archived, explain)
        except ForewordError as error:
            if type:
                raise
            problem = error
    if found.nearest and rows and not rows.nearest:
        found = find.Found()
    made = _in_turns(rows, found, limit)
    made.problem = problem
    return made


class Both(find.Found):
    """Rows of memories and entities. problem: the ForewordError that kept the graph from being searched."""

    problem: ForewordError | None = None


def _in_turns(rows, found, limit):
    least = rows.standing[0] if found.nearest and rows else (0, found.nearest)
    ranked, places = [], {}
    for row, standing in zip(rows, rows.standing, strict=True):
        at = places[standing] = places.get(standing, -1) + 1
        ranked.append((standing, at, 0, row))
    for at, (row, is_named) in enumerate(zip(found, found.standing, strict=True)):
        ranked.append(((-1, False) if is_named else least, at, 1, row))
    ranked.sort(key=lambda entry: entry[:3])
    made = Both(row for *_, row in ranked[:limit])
    made.standing = tuple(standing for standing, *_ in ranked[:limit])
    made.nearest = bool(made) and (rows.nearest or not rows) and (found.nearest or not found)
    return made


def _entities(home, query, limit, archived, explain):
    """The rows of entities that match; `standing` tells here of each whether its name is the query."""
    file = graph_place.open_graph(home=home)
    rows = find.Found()
    if not query.strip() or not (file.exists() or archived):
        return rows
    graph = file.read()
    held = _of_archive(file, graph) if archived else graph
    found = graph_search.find(held, query, limit)
    asked = find.compared(query)
    named = []
    for entry in found.rows:
        entity = entry.entity
        row = _row(file, entity, entry.snippets, archived)
        row["relations"] = graph.degree(entity.name)
        named.append(find.compared(entity.name) == asked)
        if explain:
            row["why"] = _why(found.nearest, named[-1])
        rows.append(row)
    rows.nearest = found.nearest
    rows.standing = tuple(named)
    return rows


def _of_archive(file, graph):
    """A Graph of what is archived, an entity a name."""
    made = Graph()
    for name, observations in file.archive.entries(graph.by_name).items():
        live = graph.by_name.get(name)
        made.add_entity(name, live.type if live else "", observations)
    return made


def _row(file, entity, snippets, archived=False):
    passages = [" ".join(plain(text).split()) for text in snippets or entity.observations[:1]]
    return {
        "id": entity.name,
        "type": ENTITY,
        "title": titled(entity.name, entity.type),
        **_when(file, entity.observations),
        "project": PROJECT,
        "snippet": cut(" / ".join(cut(passage, find.SNIPPET) for passage in passages), 2 * find.SNIPPET),
        "archived": archived,
        "global": True,
        "superseded_by": "",
        "offer": find.OFFERED[0],
        "observations": len(entity.observations),
    }


def _when(file, observations):
    """created: the newest day that an observation begins with, else when the file was written; dated: which
    of the two it is."""
    day = newest_day(observations)
    try:
        written = os.stat(file.path).st_mtime
    except OSError:
        written = 0.0
    return {"created": layout.timestamp(written if day is None else day), "dated": day is not None}


def _why(nearest, is_named):
    if is_named:
        label = "its name is what was asked"
    elif nearest:
        label = "no entity holds all of the words; this one holds the most or the rarest"
    else:
        label = "holds all of the words in its name, type, observations or relations"
    told = [label] if is_named else [label, TURNS]
    return [{"label": label, "value": 0.0, "words": []} for label in told]


def read(name, home=None):
    """An entity by its exact name, whole: id (its name), type ("entity"), title, created, dated (whether that
    is an observation's day), project, archived, global, superseded_by, offer, entity_type, observations,
    archived_observations, relations ([{from, to, relationType}]), path. None where the graph has no such
    name. Raises ForewordError.

    What several entities of one name hold is put together. One of which only the archive knows is `archived`.
    """
    file = graph_place.open_graph(home=home)
    graph = file.read()
    archived = file.archive.of(name)
    same = graph.named(name)
    if not same and not archived:
        return None
    kind = same[0].type if same else ""
    observations = [text for entity in same for text in entity.observations]
    return {
        "id": name,
        "type": ENTITY,
        "title": titled(name, kind),
        **_when(file, [*observations, *archived]),
        "project": PROJECT,
        "archived": not same,
        "global": True,
        "superseded_by": "",
        "offer": find.OFFERED[0],
        "entity_type": kind,
        "observations": observations,
        "archived_observations": archived,
        "relations": [
            {"from": relation.from_, "to": relation.to, "relationType": relation.type}
            for relation in graph.touching(name)
        ],
        "path": file.path,
    }


def near(name, home=None):
    """Names that may have been meant, at most NEAR; [] where there is no graph."""
    try:
        return graph_search.near(graph_place.open_graph(home=home).read(), name, NEAR)
    except ForewordError:
        return []

"""The knowledge graph as its owner sees it: entities by type, one with all that is known of it, what is odd.

Nothing here changes the graph. What is wrong with its file stands on the page, above what can be read of it.
"""

import os
import shlex
import urllib.parse

from starlette.routing import Route

from foreword import settings
from foreword.errors import ForewordError
from foreword.graph import lint as linting
from foreword.graph import place, search
from foreword.graph.archive_lines import file_name, numbered_name
from foreword.graph.change import day_of
from foreword.graph.lines import Graph
from foreword.web import shown

PER_PAGE = 50  # entities of a list; relations and observations of one entity have no limit of their own
FINDINGS = 50  # of one kind; `foreword graph lint --all` has the rest


def graph(request):
    """Entities by type, filtered and searched, a page at a time."""
    file, found, problem = _read(request)
    asked = _asked(request)
    query, kind = asked.get("q", "").strip(), asked.get("type")
    counts = {}
    for one in found.entities:
        counts[one.type] = counts.get(one.type, 0) + 1
    hit = search.find(found, query)
    rows = [row for row in hit.rows if kind is None or row.entity.type == kind]
    pages = max(1, -(-len(rows) // PER_PAGE))
    page = min(max(1, shown.number(request, "page")), pages)
    return shown.page(
        request,
        "graph.html",
        title="Knowledge graph",
        **_about(request, file, found, problem),
        query=query,
        kind=kind,
        types=[
            {"name": name, "n": n, "chosen": name == kind, "address": _address(q=query or None, type=name)}
            for name, n in sorted(counts.items(), key=lambda item: (-item[1], item[0]))
        ],
        nearest=hit.nearest and bool(rows),
        rows=[_row(row) for row in rows[(page - 1) * PER_PAGE : page * PER_PAGE]],
        total=len(rows),
        page=page,
        pages=pages,
        address=_address(q=query or None, type=kind),
        per_page=PER_PAGE,
        address_of_all=_address(q=query or None),
    )


def entity(request):
    """One name: every entity that has it, its relations, what was archived of it."""
    file, found, problem = _read(request)
    name = _asked(request).get("name", "")
    archived, wrong = [], problem
    try:
        archived = file.archive.of(name) if file and name else []
    except ForewordError as error:
        wrong = wrong or error
    entities, edges = found.named(name), _edges(request, found, name)
    is_known = bool(entities or edges or archived)
    return shown.page(
        request,
        "entity.html",
        status=200 if is_known else 404,
        title=shown.line(name) if name else "No entity",
        **_about(request, file, found, wrong),
        entity_name=name,
        is_known=is_known,
        near=[] if is_known else search.near(found, name),
        entities=[{"type": one.type, "observations": _dated(one.observations)} for one in entities],
        edges=edges,
        drawn=[(edge["from"], edge["verb"], edge["to"]) for edge in edges],
        archived=_dated(archived),
        archive_path=_archive_path(file, name) if archived else "",
        restore="foreword graph restore " + shlex.quote(name),
    )


def lint(request):
    """What `foreword graph lint` finds, by kind."""
    file, found, problem = _read(request)
    kinds = {}
    try:
        for finding in linting.lint(file) if file and file.exists() and not problem else ():
            kinds.setdefault(finding.kind, []).append(finding)
    except ForewordError as error:
        problem = error
    return shown.page(
        request,
        "lint.html",
        title="What is odd in the graph",
        **_about(request, file, found, problem),
        total=sum(map(len, kinds.values())),
        kinds=[(kind, len(some), _findings(some, found)) for kind, some in kinds.items()],
        most=FINDINGS,
    )


# -- reading -----------------------------------------------------------------------------------


def _read(request):
    """(GraphFile or None, Graph, the ForewordError that kept it from being read or None)."""
    view = request.app.state.view
    file = None
    try:
        file = place.open_graph(environ=view.environment, home=view.home)
        return file, file.read(), None
    except ForewordError as error:
        return file, Graph(), error


def _about(request, file, found, problem):
    """What each of the pages says of the graph as a whole."""
    return {
        "path": file.path if file else "",
        "exists": bool(file) and os.path.lexists(file.path),
        "is_on": settings.load(request.app.state.view.home)["graph.on"],
        "entity_count": len(found.entities),
        "relation_count": len(found.relations),
        "unreadable": [(number, why) for number, _, why in found.unreadable],
        "problem": problem,
        "of_name": lambda name: shown.url(request, _path_of(name)),
    }


def _path_of(name):
    """The address of an entity's page, without the token."""
    return "/graph/entity?name=" + shown.part(name)


def _address(**chosen):
    """`/graph?q=...&type=...` of what was chosen."""
    told = "&".join(f"{key}={shown.part(value)}" for key, value in chosen.items() if value is not None)
    return "/graph?" + told if told else "/graph"


def _asked(request):
    """{name: value} of the address, as `shown.part` spelled it: a name may hold half of a character, as
    JSON can say it, which has no UTF-8 and is a name all the same."""
    query = request.scope["query_string"].decode("latin-1")
    try:
        return dict(urllib.parse.parse_qsl(query, keep_blank_values=True, errors="surrogatepass"))
    except UnicodeDecodeError:  # typed by hand
        return dict(urllib.parse.parse_qsl(query, keep_blank_values=True))


def _row(row):
    return {
        "name": row.entity.name,
        "type": row.entity.type,
        "observations": row.observations,
        "relations": row.relations,
        "snippets": row.snippets,
    }


def _dated(texts):
    """[{"day", "text"}]: the day that an observation begins with and what follows; else "" and the whole."""
    rows = []
    for text in texts:
        day = day_of(text)
        day = day if text.startswith(day) else ""  # in brackets, say: it stays where it is
        rows.append({"day": day, "text": text[len(day) :]})
    return rows


def _edges(request, found, name):
    """[{"from", "verb", "to", "other", "known", "href"}] of the relations at a name, in the file's order;
    known: whether an entity has the other name."""
    edges = []
    for relation in found.touching(name):
        other = relation.to if relation.from_ == name else relation.from_
        edges.append(
            {
                "from": relation.from_,
                "verb": relation.type,
                "to": relation.to,
                "other": other,
                "known": other in found.by_name,
                "href": shown.url(request, _path_of(other)),
            }
        )
    return edges


def _archive_path(file, name):
    """Where its archive is: the file that we would have made, else the folder (memory-lean's names vary)."""
    for candidate in (file_name(name), numbered_name(name)):
        path = os.path.join(file.archive.folder, candidate)
        if os.path.exists(path):
            return path
    return file.archive.folder


def _findings(some, found):
    """The first FINDINGS of one kind; `hint` only where it is another one than the one before."""
    rows, before = [], None
    for finding in some[:FINDINGS]:
        hint = "" if finding.hint == before else finding.hint
        before = finding.hint
        has_page = finding.where in found.by_name or bool(found.degree(finding.where))
        rows.append({"where": finding.where, "what": finding.what, "hint": hint, "has_page": has_page})
    return rows


ROUTES = [
    Route("/graph", graph),
    Route("/graph/entity", entity),
    Route("/graph/lint", lint),
]

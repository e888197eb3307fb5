"""The answers of the reference MCP memory server, in its exact shapes: for programs that parse its JSON.

As npm's latest (2026.8.31) gives them: the text is what JSON.stringify(value, null, 2) prints, the structured
content is the same data. Both are capped alike, by whole entities, for clients hand their models the one or
the other. Nothing is added to either: its schemas are closed, so what was left out is said in `_meta`.

Each function gives (text, structured content, _meta or None).
"""

import re
from json.encoder import encode_basestring

from foreword.graph.lines import Entity, Relation

CAP = 1_000_000  # characters of text; a model's context holds less, programs take it
# Keys in _meta: what did not fit; how many lines of the file are no records, or were and are set aside now.
TRUNCATED, UNREADABLE, SET_ASIDE = "foreword/truncated", "foreword/unreadable", "foreword/setAside"


# -- changes -----------------------------------------------------------------------------------


def created(done):
    """The new entities: a bare list in the text, an object in the structured content."""
    entities = [_entity(entity) for entity in done.created]
    return _list(list(map(_entity_text, done.created)), 2), {"entities": entities}, _aside(done)


def related(done):
    """The new relations, likewise."""
    relations = [_relation(relation) for relation in done.relations]
    return _list(list(map(_relation_text, done.relations)), 2), {"relations": relations}, _aside(done)


def added(done):
    """What was added to each entity, in the order of the call."""
    results = [{"entityName": name, "addedObservations": list(texts)} for name, texts in done.added]
    texts = [
        f'{{\n    "entityName": {_quoted(name)},\n    "addedObservations": {_strings(texts)}\n  }}'
        for name, texts in done.added
    ]
    return _list(texts, 2), {"results": results}, _aside(done)


def entities_deleted(done):
    """The fixed sentence, whatever was deleted."""
    return _success("Entities deleted successfully", done)


def observations_deleted(done):
    """The fixed sentence, whatever was deleted."""
    return _success("Observations deleted successfully", done)


def relations_deleted(done):
    """The fixed sentence, whatever was deleted."""
    return _success("Relations deleted successfully", done)


def _success(message, done):
    return message, {"success": True, "message": message}, _aside(done)


def _aside(done):
    return {SET_ASIDE: done.set_aside} if done.set_aside else None


# -- reads -------------------------------------------------------------------------------------


def read_graph(graph, type=""):  # noqa: A002
    """Everything, in the file's order; of one type, and what touches it, where one is given."""
    if not type:
        return _capped(graph, graph.entities, graph.relations)
    entities = [entity for entity in graph.entities if entity.type == type]
    return _capped(graph, entities, _touching(graph, entities))


def search(found):
    """The entities that match, in the file's order: all, or those of the best names where search.find was
    given a limit. What only comes close is no match."""
    entities = found.matched
    ranked = [row.entity.name for row in found.rows]
    if found.total > len(ranked):
        kept = set(ranked)
        entities = [entity for entity in entities if entity.name in kept]
    return _capped(found.graph, entities, _touching(found.graph, entities), ranked)


def open_nodes(graph, names):
    """The entities of these names, in the file's order; unknown names are passed over."""
    wanted = set(names)
    entities = [entity for entity in graph.entities if entity.name in wanted]
    return _capped(graph, entities, _touching(graph, entities))


def shape(graph, entities):
    """The structured content about these entities of a graph, however large."""
    relations = graph.relations if entities is graph.entities else _touching(graph, entities)
    return {"entities": list(map(_entity, entities)), "relations": list(map(_relation, relations))}


def text_of(shaped):
    """The text of such structured content."""
    entities = [_entity_text(Entity(*entity.values()), "    ") for entity in shaped["entities"]]
    relations = [_relation_text(Relation(*relation.values()), "    ") for relation in shaped["relations"]]
    return _object(("entities", _list(entities, 4)), ("relations", _list(relations, 4)))


def _touching(graph, entities):
    names = {entity.name for entity in entities}
    return [relation for relation in graph.relations if relation.from_ in names or relation.to in names]


def _capped(graph, entities, relations, ranked=()):
    """The part of a graph with these, whole or without what does not fit: the entities last in `ranked`
    (names, best first), or else in the file, and the relations that touch none of the others."""
    texts = [_entity_text(entity, "    ") for entity in entities]
    lines = [_relation_text(relation, "    ") for relation in relations]
    meta: dict[str, object] = {UNREADABLE: len(graph.unreadable)} if graph.unreadable else {}
    if _size(texts, lines) > CAP:
        all_entities, all_relations = len(entities), len(relations)
        entities, relations, texts, lines = _cut(entities, relations, texts, lines, ranked)
        meta[TRUNCATED] = {
            "entitiesLeftOut": all_entities - len(entities),
            "relationsLeftOut": all_relations - len(relations),
            "charactersAtMost": CAP,
        }
    text = _object(("entities", _list(texts, 4)), ("relations", _list(lines, 4)))
    structured = {"entities": list(map(_entity, entities)), "relations": list(map(_relation, relations))}
    return text, structured, meta or None


_FRAME, _APART = 64, 6  # characters around the two lists, and some to spare; between two items


def _size(texts, lines):
    return _FRAME + sum(len(text) + _APART for text in (*texts, *lines))


def _cut(entities, relations, texts, lines, ranked):
    """What fits of each of the four."""
    places = {name: place for place, name in enumerate(ranked)}
    order = list(range(len(entities)))
    if places:
        order.sort(key=lambda n: (places.get(entities[n].name, len(places)), n))
    touching = {}
    for n, relation in enumerate(relations):
        for name in {relation.from_, relation.to}:
            touching.setdefault(name, []).append(n)
    kept, linked, room = set(), set(), CAP - _FRAME
    for n in order:
        new = [r for r in touching.get(entities[n].name, ()) if r not in linked]
        size = len(texts[n]) + _APART + sum(len(lines[r]) + _APART for r in new)
        if size > room and kept:
            break
        room -= len(texts[n]) + _APART
        if room < 0:
            break
        kept.add(n)
        for r in new:  # of the very first, if need be, only the relations that fit
            room -= len(lines[r]) + _APART
            if room < 0:
                break
            linked.add(r)
        if room < 0:
            break
    kept, linked = sorted(kept), sorted(linked)
    return (
        [entities[n] for n in kept], [relations[n] for n in linked],
        [texts[n] for n in kept], [lines[n] for n in linked],
    )  # fmt: skip


# -- JSON --------------------------------------------------------------------------------------
# json.dumps with an indent runs in Python and takes four times as long as these.


def _entity(entity):
    return {"name": entity.name, "entityType": entity.type, "observations": list(entity.observations)}


def _relation(relation):
    return {"from": relation.from_, "to": relation.to, "relationType": relation.type}


def _quoted(text):
    text = encode_basestring(text)
    if text.isascii():
        return text
    # A half of a surrogate pair has no UTF-8; JSON.stringify writes its escape.
    return re.sub("[\ud800-\udfff]", lambda half: f"\\u{ord(half[0]):04x}", text)


def _entity_text(entity, indent="  "):
    observations = _strings(entity.observations, indent)
    return (
        f'{{\n{indent}  "name": {_quoted(entity.name)},\n{indent}  "entityType": {_quoted(entity.type)},\n'
        f'{indent}  "observations": {observations}\n{indent}}}'
    )


def _relation_text(relation, indent="  "):
    from_, to, type_ = relation.key
    return (
        f'{{\n{indent}  "from": {_quoted(from_)},\n{indent}  "to": {_quoted(to)},\n'
        f'{indent}  "relationType": {_quoted(type_)}\n{indent}}}'
    )


def _strings(texts, indent="  "):
    if not texts:
        return "[]"
    apart = f",\n{indent}    "
    return f"[\n{indent}    {apart.join(map(_quoted, texts))}\n{indent}  ]"


def _list(items, indent):
    """A list of texts that are objects already, at a depth of `indent` spaces."""
    if not items:
        return "[]"
    space = " " * indent
    return f"[\n{space}" + f",\n{space}".join(items) + f"\n{space[2:]}]"


def _object(*pairs):
    """An object of (key, text) at the top."""
    return "{\n" + ",\n".join(f'  "{key}": {value}' for key, value in pairs) + "\n}"


# -- what tools/list says ----------------------------------------------------------------------


def _closed(**properties):
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


_TEXT = {"type": "string"}
_TEXTS = {"type": "array", "items": _TEXT}
_ENTITIES = {"type": "array", "items": _closed(name=_TEXT, entityType=_TEXT, observations=_TEXTS)}
_RELATIONS = {"type": "array", "items": _closed(**{"from": _TEXT, "to": _TEXT, "relationType": _TEXT})}
_RESULTS = {"type": "array", "items": _closed(entityName=_TEXT, addedObservations=_TEXTS)}
_SUCCESS = _closed(success={"type": "boolean"}, message=_TEXT)
_GRAPH = _closed(entities=_ENTITIES, relations=_RELATIONS)


def _hints(reads, destroys, again):
    return {
        "readOnlyHint": reads,
        "destructiveHint": destroys,
        "idempotentHint": again,
        "openWorldHint": False,
    }


_WRITES, _DELETES, _READS = _hints(False, False, False), _hints(False, True, True), _hints(True, False, True)

# name -> (title, annotations, outputSchema), as the reference has them but for descriptions
TOOLS = {
    "create_entities": ("Create Entities", _WRITES, _closed(entities=_ENTITIES)),
    "create_relations": ("Create Relations", _WRITES, _closed(relations=_RELATIONS)),
    "add_observations": ("Add Observations", _WRITES, _closed(results=_RESULTS)),
    "delete_entities": ("Delete Entities", _DELETES, _SUCCESS),
    "delete_observations": ("Delete Observations", _DELETES, _SUCCESS),
    "delete_relations": ("Delete Relations", _DELETES, _SUCCESS),
    "read_graph": ("Read Graph", _READS, _GRAPH),
    "search_nodes": ("Search Nodes", _READS, _GRAPH),
    "open_nodes": ("Open Nodes", _READS, _GRAPH),
}

"""What a model meant by names and texts that it took from an answer: the arguments of a change, as they stand
in the graph. Pure.

Answers show names and observations on one line, with tags and invisible characters taken apart. Without
the way back, what was planted in a graph in such a form could be read and not be deleted. What is there
exactly comes first; what could be two things stays as it was given, and is then not found.
"""

from foreword.graph import spell


def names(graph, archive, given):
    """[name], likewise."""
    found = spell.resolved(graph, given, archive.entries(graph.by_name))
    return [found.get(name, name) for name in given]


def entries(graph, archive, given):
    """[{entityName, ...}] of add_observations, with the names of the graph."""
    meant = names(graph, archive, [entry["entityName"] for entry in given])
    return [{**entry, "entityName": name} for entry, name in zip(given, meant, strict=True)]


def deletions(graph, archive, given):
    """[{entityName, observations}], with names and texts of the graph or the archive."""
    return [
        {**entry, "observations": texts(graph, archive, entry["entityName"], entry["observations"])}
        for entry in entries(graph, archive, given)
    ]


def texts(graph, archive, name, given):
    """[observation] of one entity, as it stands in the graph or the archive."""
    there = [text for entity in graph.named(name) for text in entity.observations]
    found = spell.resolved_texts([*there, *archive.of(name)], given)
    return [found.get(text, text) for text in given]


def relations(graph, archive, given):
    """[{from, to, relationType}], as they stand in the graph."""
    meant = []
    for relation in given:
        key = relation["from"], relation["to"], relation["relationType"]
        if not graph.has_relation(key):
            ends = spell.resolved_texts((end for r in graph.relations for end in r.key[:2]), key[:2])
            from_, to = (ends.get(end, end) for end in key[:2])
            verbs = [r.type for r in graph.touching(from_) if (r.from_, r.to) == (from_, to)]
            verb = spell.resolved_texts(verbs, [key[2]]).get(key[2], key[2])
            key = from_, to, verb
        meant.append(dict(zip(("from", "to", "relationType"), key, strict=True)))
    return meant

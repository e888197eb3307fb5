"""The reference's records in few letters, for tests that need many of them."""


def entity(name, type_="thing", *observations):
    """An entity as the tools take and give it."""
    return {"name": name, "entityType": type_, "observations": list(observations)}


def relation(from_, verb, to):
    """A relation as the tools take and give it."""
    return {"from": from_, "to": to, "relationType": verb}


def line(record):
    """A record as it stands in the file."""
    return {"type": "entity" if "name" in record else "relation", **record}


def names(graph):
    """The names of the entities of an answer."""
    return [one["name"] for one in graph["entities"]]

"""How well search_nodes finds entities of real graphs, beside baselines. Used by quality.py.

A data folder has graphs/NAME.memory.jsonl and NAME.queries.jsonl: {prompt, observation, gold: [names]}. The
observations that queries were made from are taken out of the graph first, all of them at once, so that an
entity has to be found by what else it says.
"""

import glob
import os

import replay
from figures import mean
from foreword.graph import lines, search

RANKED = 10
KEPT_RELATIONS = 20  # of an entity, that the baselines see


def graphs(data):
    """(name, Graph, queries) of each graph that a data folder has."""
    for path in sorted(glob.glob(os.path.join(data, "graphs", "*.memory.jsonl"))):
        queries = replay.read(path.replace(".memory.", ".queries."))
        held = {query["observation"] for query in queries}
        with open(path, "rb") as file:
            graph = lines.parse(file.read())
        for entity in graph.entities:
            left = [text for text in entity.observations if text not in held]
            graph.set_observations(entity, left)
        yield os.path.basename(path).removesuffix(".memory.jsonl"), graph, queries


def as_notes(graph):
    """What a baseline over notes is told of a graph; a name that repeats is one note."""
    notes = {}
    for entity in graph.entities:
        note = notes.setdefault(entity.name, {"id": entity.name, "time": 0, "files": [], "answer": ""})
        note["question"] = f"{entity.name} {entity.type}"
        note["answer"] = "\n".join([note["answer"], *entity.observations])
        note["files"] = [
            f"{relation.type} {relation.to if relation.from_ == entity.name else relation.from_}"
            for relation in graph.touching(entity.name)[:KEPT_RELATIONS]
        ]
    return list(notes.values())


def of_reference(graph, query):
    """Names as the reference server finds them: the whole query as one substring, in the file's order."""
    asked = query.lower()
    found = (
        entity.name
        for entity in graph.entities
        if any(asked in text.lower() for text in (entity.name, entity.type, *entity.observations))
    )
    return list(dict.fromkeys(found))


def of_ours(graph, query):
    """Names as search_nodes shows them."""
    found = search.find(graph, query, RANKED)
    return [row.entity.name for row in (*found.rows, *found.others)]


def report(data, baselines):
    """{"search": figures, "baselines": {who: {"search": figures}}, "graphs": {name: figures}} or None where
    there are none. baselines: {who: function(notes) -> function(query, before) -> ids}."""
    ranked, by_graph = {who: [] for who in ("own", "reference", *baselines)}, {}
    for name, graph, queries in graphs(data):
        notes = as_notes(graph)
        asks = {who: make(notes) for who, make in baselines.items()}
        before = len(ranked["own"])
        for query in queries:
            gold, prompt = set(query["gold"]), query["prompt"]
            ranked["own"].append((gold, of_ours(graph, prompt)))
            ranked["reference"].append((gold, of_reference(graph, prompt)))
            for who, ask in asks.items():
                ranked[who].append((gold, ask(prompt, 1)))
        by_graph[name] = figures(ranked["own"][before:])
    if not by_graph:
        return None
    return {
        "search": figures(ranked["own"]),
        "baselines": {who: {"search": figures(ranked[who])} for who in ranked if who != "own"},
        "graphs": by_graph,
    }


def figures(asked):
    """R1, R5, R10 and MRR of [(gold, names, best first)]."""
    told = {
        f"R{most}": mean([len(gold.intersection(names[:most])) / len(gold) for gold, names in asked])
        for most in (1, 5, 10)
    }
    places = [
        next((1 / at for at, name in enumerate(names[:RANKED], 1) if name in gold), 0.0)
        for gold, names in asked
    ]
    return {**told, "MRR": mean(places), "prompts": len(asked)}

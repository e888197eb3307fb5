"""What an agent is sent, here and by the reference server: sizes only, never content. Reads, writes nothing.

Both sides are counted as their server sends them: the whole result of a call as JSON. The reference server
(npm 2026.8.31) answers with every entity that matches, as indented JSON in the text and once more as
structured content. A client hands its model one of the two copies: Claude Code 2.1.197 the structured
content, which is the smaller one, Codex 0.171.0 the text. So the smaller copy is counted by itself, too.
"""

import json
import re

from foreword.graph import answers, search
from foreword.graph import reference as shapes
from foreword.text.words import STOP

CHARACTERS_A_TOKEN = 4  # a rule of thumb for English and JSON
# What the graph's tools take of tools/list, which a client hands its model in every session. A test holds
# it to the tools themselves.
TOOLS, TOOLS_BYTES = 11, 5_600
WORDS = 5
_WORD = r"[^\W\d_]{3,}"


def tokens(characters):
    return round(characters / CHARACTERS_A_TOKEN)


def compare(graph, queries, limit):
    """[{what, query, here, reference, ratio, ratio_copy}] of read_graph and of a search for each query.

    query: None for read_graph; here, reference: {found, characters, tokens}, the latter also with `copy` and
    `copy_tokens`, those of the structured content alone; found: entities that match, whether shown or not;
    ratio: the reference as sent to here; ratio_copy: its smaller copy to the whole of what is sent here.
    """
    whole = graph.entities
    rows = [_row("read_graph", None, graph, answers.read_graph(graph), len(whole), whole)]
    for query in queries:
        found = search.find(graph, query, limit)
        answer = answers.search(found)
        rows.append(_row("search_nodes", query, graph, answer, found.total, matches(graph, query)))
    return rows


def matches(graph, query):
    """The entities that the reference finds: the whole query, in any case, as a part of the name, the type
    or an observation."""
    asked = query.lower()
    return [
        entity
        for entity in graph.entities
        if any(asked in text.lower() for text in (entity.name, entity.type, *entity.observations))
    ]


def common_words(graph, most=WORDS):
    """The words that most entities hold, the commonest first; without those that are in any English text."""
    held = {}
    for entity in graph.entities:
        text = "\n".join((entity.name, entity.type, *entity.observations)).lower()
        for word in set(re.findall(_WORD, text)) - STOP:
            held[word] = held.get(word, 0) + 1
    return sorted(held, key=lambda word: (-held[word], word))[:most]


def _row(what, query, graph, answer, found, entities):
    here, there = _sent(answer), shapes.shape(graph, entities)
    sent, copy = _sent(shapes.text_of(there), there), len(_json(there))
    reference = {"found": len(entities), "characters": sent, "tokens": tokens(sent)}
    return {
        "what": what,
        "query": query,
        "here": {"found": found, "characters": here, "tokens": tokens(here)},
        "reference": {**reference, "copy": copy, "copy_tokens": tokens(copy)},
        "ratio": round(sent / here, 1),
        "ratio_copy": round(copy / here, 1),
    }


def _sent(text, structured=None):
    """Characters of a call's result."""
    result = {"content": [{"type": "text", "text": text}]}
    return len(_json(result if structured is None else {**result, "structuredContent": structured}))


def _json(value):
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))

"""Evaluation data replayed through the product: notes are saved in the order of time, and each prompt is
asked when it was asked. Used by quality.py and train_ranker.py.

A data folder has any of: coding/NAME.notes.jsonl and NAME.queries.jsonl, transcripts/, beads/ (notes.jsonl
and queries.jsonl), cjk/NAME.notes.jsonl and NAME.queries.jsonl. A note is {id, time, question, answer,
files}, a query {id, time, prompt, gold, kind}; see `stores`.
"""

import glob
import json
import os
import random
import tempfile

from foreword.index import build, postings, schema
from foreword.text.budget import cut
from foreword.text.question import Question


def read(path):
    with open(path, encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def stores(data, kinds=("coding", "transcripts", "beads", "cjk")):
    """(kind, name, notes, queries) of each store that a data folder has."""
    for path in sorted(glob.glob(os.path.join(data, "coding", "*.notes.jsonl"))) if "coding" in kinds else ():
        name = os.path.basename(path).removesuffix(".notes.jsonl")
        yield "coding", name, read(path), read(path.replace(".notes.", ".queries."))
    folder = os.path.join(data, "beads")
    if "beads" in kinds and os.path.isdir(folder):
        queries = [{"kind": "positive", **q} for q in read(os.path.join(folder, "queries.jsonl"))]
        yield "beads", "beads", read(os.path.join(folder, "notes.jsonl")), queries
    folder = os.path.join(data, "transcripts")
    if "transcripts" in kinds and os.path.isdir(folder):
        notes = read(os.path.join(folder, "notes.jsonl"))
        queries = read(os.path.join(folder, "queries.jsonl"))
        for name in sorted({note["repo"] for note in notes}):
            # Made from tasks of any time in any order: all notes have one time, before all prompts.
            yield (
                "transcripts",
                name,
                [{**note, "time": 0} for note in notes if note["repo"] == name],
                [_task(query) for query in queries if query["repo"] == name],
            )
    for path in sorted(glob.glob(os.path.join(data, "cjk", "*.notes.jsonl"))) if "cjk" in kinds else ():
        name = os.path.basename(path).removesuffix(".notes.jsonl")
        yield "cjk", name, read(path), [{**q, "time": 1} for q in read(path.replace(".notes.", ".queries."))]


def _task(query):
    gold = query["grade2"] + query["grade1"]
    return {**query, "time": 1, "gold": gold, "kind": "related" if gold else "unrelated"}


class Store:
    """An index of its own in a folder that goes away; notes are saved as Stop saves them."""

    def __enter__(self):
        self._folder = tempfile.TemporaryDirectory(prefix="foreword-replay-")
        self.db = schema.open_writing(self._folder.name)
        self.db.execute("PRAGMA synchronous=OFF")
        self.db.execute("BEGIN")
        self.saved = 0
        return self

    def __exit__(self, *exc):
        self.db.close()
        self._folder.cleanup()

    def save(self, note):
        memory = {
            "id": note["id"],
            "type": "note",
            "title": cut(" ".join(note["question"].split()), 80),
            "question": note["question"],
            "body": note["answer"],
            "created": float(note["time"]),
            "turn": "",
            "session": "",
            "files": [[path, ""] for path in note["files"]],
        }
        build.add(self.db, memory, f"notes/{note['id']}.md", 0, 0)
        self.saved += 1
        if self.saved % postings.TAIL == 0:
            postings.fold(self.db)


def replay(notes, queries, field="prompt", window=0, touch=0.0, seed=0):
    """(query, Question, gold, touched, Store as it was then) for each query that some note is older than.

    window: only so many consecutive notes, chosen by the seed; touch: how many of the queries know one
    file, chosen by the seed, that the change then touched (an upper bound of what a session knows).
    A query whose gold is not among the notes is left out, and gold is only what is among them.
    """
    chance = random.Random(seed)
    notes = sorted(notes, key=lambda note: note["time"])
    if window:
        at = chance.randrange(max(1, len(notes) - window))
        notes = notes[at : at + window]
    among = {note["id"] for note in notes}
    waiting = iter(notes)
    coming = next(waiting, None)
    with Store() as store:
        for query in sorted(queries, key=lambda query: query.get("time", 1)):
            while coming and coming["time"] < query.get("time", 1):
                store.save(coming)
                coming = next(waiting, None)
            gold = among.intersection(query["gold"])
            if not store.saved or (query["gold"] and not gold):
                continue
            known = query.get("files") if chance.random() < touch else None
            touched = (chance.choice(known),) if known else ()
            yield query, Question(query[field]), gold, touched, store


def windows(notes, queries, name, sizes, strangers=(12, 40)):
    """(size, notes, queries) of young stores: so many consecutive notes, one of them an answer.

    sizes: {notes: how many stores}; strangers: how many prompts without an answer such a store is asked
    (below 50 notes, and from there). All prompts are younger than all notes. `name` seeds what is chosen.
    """
    notes = sorted(notes, key=lambda note: note["time"])
    at = {note["id"]: place for place, note in enumerate(notes)}
    answered = [query for query in queries if at.keys() & set(query["gold"])]
    for size, times in sizes.items() if answered else ():
        for seed in range(times):
            chance = random.Random(f"{name} {size} {seed}")
            target = at[chance.choice(sorted(at.keys() & set(chance.choice(answered)["gold"])))]
            start = max(0, min(len(notes) - size, target - chance.randrange(size)))
            some = notes[start : start + size]
            ids, last = {note["id"] for note in some}, some[-1]["time"]
            asked = [q for q in answered if ids.intersection(q["gold"]) and q["time"] > last]
            others = [q for q in queries if not q["gold"] and (q["time"] > last or q["kind"] != "disjoint")]
            asked += chance.sample(others, min(len(others), strangers[size >= 50]))
            yield size, some, [{**query, "time": max(query["time"], last + 1)} for query in asked]

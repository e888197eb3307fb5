"""One file, two servers in turn: each reads what the other wrote, and together they do what one would.

A thousand random calls within our limits go to the real reference server or to ours, both on one file. A
third process, the reference server on a file of its own, gets every call: it says what is right.
"""

import json
import os
import shutil

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, precondition, rule, run_state_machine_as_test

from e2e import rpc
from e2e.records import entity, line, relation

CALLS = 1_000
STEPS = 50  # calls from an empty graph

# Few, so that calls hit what is there: alike in case, in space, in how an accent is written.
NAMES = ("shop", "Shop", "shop ", "caf\u00e9", "cafe\u0301", "a, b", '"q"\\', "東京 🦀", "__proto__", "x\ny")
VERBS = ("uses", "USES", "is part of", "löst\tab")
FACTS = (
    "sells tea",
    "Sells tea",
    "sells tea ",
    "null",
    "{}",
    "東京",
    "a\u2028",
    "a\r\nb",
    "\ufefff",
    "é\x00\x7f",
)

name = st.sampled_from(NAMES)
# Lone surrogates have no UTF-8: what becomes of them is in test_differences.py. Blank texts too.
odd = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=60).filter(
    lambda text: bool(text.strip()) and not text.lstrip("[(*_ \t\n").startswith(tuple("0123456789"))
)


def some(one, most=3):
    """A list of few, one of them perhaps twice."""
    few = st.lists(one, max_size=most)
    return st.one_of(few, few.map(lambda rows: rows + rows[:1]))


verb = st.sampled_from(VERBS)
facts = some(st.one_of(st.sampled_from(FACTS), st.sampled_from(FACTS), odd))
made = st.builds(lambda name, type_, held: entity(name, type_, *held), name, verb, facts)
end = st.sampled_from((*NAMES[:3], "nobody"))  # 32 relations in all, so that they meet again
relations = some(st.builds(relation, end, st.sampled_from(VERBS[:2]), end))
server = st.sampled_from(("reference", "foreword"))


class Turns(RuleBasedStateMachine):
    """The calls; `servers` is {name: Server}, `calls` how many there were."""

    servers: dict
    calls = 0

    def __init__(self):
        super().__init__()
        # An entity that stays: a file that was emptied a moment ago may be half of a write in place, and our
        # server gives it a third of a second to become whole.
        stays = entity("stays")
        self.graph = {"entities": [stays], "relations": []}
        for one in ("reference", "twin"):
            folder = os.path.dirname(self.servers[one].path)
            for left in os.listdir(folder):
                path = os.path.join(folder, left)
                shutil.rmtree(path) if os.path.isdir(path) else os.unlink(path)
            with open(self.servers[one].path, "w", encoding="utf-8") as f:
                f.write(json.dumps(line(stays)))

    def ask(self, who, tool, **arguments):
        """The results of one call to several servers at once."""
        sent = [self.servers[one].send("tools/call", {"name": tool, "arguments": arguments}) for one in who]
        return [self.servers[one].answer(number)["result"] for one, number in zip(who, sent, strict=True)]

    def call(self, by, tool, **arguments):
        """The same answer as the twin's, and afterwards the same graph in all three."""
        Turns.calls += 1
        answer, right = self.ask((by, "twin"), tool, **arguments)
        assert answer == right, by
        theirs, ours, graph = self.ask(("reference", "foreword", "twin"), "read_graph")
        assert ours == graph
        assert theirs == graph
        self.graph = graph["structuredContent"]

    @rule(by=server, made=some(made))
    def create_entities(self, by, made):
        self.call(by, "create_entities", entities=made)

    @rule(by=server, made=relations)
    def create_relations(self, by, made):
        self.call(by, "create_relations", relations=made)

    @precondition(lambda self: self.room())
    @rule(by=server, name=name, contents=facts)
    def add_observations(self, by, name, contents):
        self.call(by, "add_observations", observations=[{"entityName": name, "contents": contents}])

    @precondition(lambda self: self.room())
    @rule(by=server, names=some(name, 2), contents=facts)
    def add_to_several(self, by, names, contents):
        added = [{"entityName": name, "contents": contents} for name in names]
        self.call(by, "add_observations", observations=added)

    def room(self):
        """Whether no entity is near the limit of 15 observations, past which ours answer differently."""
        return all(len(one["observations"]) <= 6 for one in self.graph["entities"])

    @rule(by=server, names=st.lists(name, max_size=2))
    def delete_entities(self, by, names):
        self.call(by, "delete_entities", entityNames=names)

    @rule(by=server, name=name, gone=some(st.sampled_from(FACTS), 6))
    def delete_observations(self, by, name, gone):
        self.call(by, "delete_observations", deletions=[{"entityName": name, "observations": gone}])

    @rule(by=server, gone=relations)
    def delete_relations(self, by, gone):
        self.call(by, "delete_relations", relations=gone)

    @rule(by=server, names=st.lists(name, max_size=4))
    def open_nodes(self, by, names):
        self.call(by, "open_nodes", names=names)

    @rule(query=st.one_of(name, st.sampled_from(FACTS), odd))
    def search_nodes(self, query):
        """Ours finds what the reference finds, in the same order, and perhaps more."""
        Turns.calls += 1
        results = self.ask(("reference", "foreword"), "search_nodes", query=query)
        theirs, ours = (result["structuredContent"] for result in results)
        rest = iter(ours["entities"])
        assert all(one in rest for one in theirs["entities"])
        assert all(one in ours["relations"] for one in theirs["relations"])

    @rule()
    def the_file_is_written_by_hand(self):
        """Carriage returns, blank lines and no newline at the end: nothing that changes what it holds."""
        for one in ("reference", "twin"):
            path = self.servers[one].path
            with open(path, "rb") as f:
                rows = [row.strip() for row in f.read().split(b"\n") if row.strip()]
            with open(path, "wb") as f:
                f.write(b"\r\n \r\n".join(rows))


@pytest.mark.timeout(300)
def test_ours_and_the_reference_in_turn_do_what_the_reference_alone_would(reference_server, path, tmp_path):
    (tmp_path / "twin").mkdir()
    with (
        rpc.reference(path) as reference,
        rpc.foreword_like_the_reference(path) as foreword,
        rpc.reference(tmp_path / "twin" / "memory.jsonl") as twin,
    ):
        Turns.servers = {"reference": reference, "foreword": foreword, "twin": twin}
        for one in Turns.servers.values():
            one.start()
        few = settings(max_examples=CALLS // STEPS + 12, stateful_step_count=STEPS, deadline=None)
        Turns.calls = 0
        run_state_machine_as_test(Turns, settings=few)
        assert Turns.calls >= CALLS

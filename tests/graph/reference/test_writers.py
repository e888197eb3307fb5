"""Several processes write one graph at the same moment, and every write that was acknowledged is in it."""

import json
import subprocess
import sys

import pytest

from e2e import rpc
from e2e.records import entity, line, names, relation

EACH = 20

# A process of its own with as many threads as calls, each with the file opened for itself.
THREADS = """
import sys, threading
from foreword.graph import change, file, place
path, who, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
gate = threading.Barrier(count)
def write(n):
    opened = file.GraphFile(path, place.limits({}))
    gate.wait()
    change.create_entities(opened, [{"name": f"{who}-{n}", "entityType": "t", "observations": [who]}])
    change.add_observations(opened, [{"entityName": "log", "contents": [f"{who} wrote {n}"]}])
threads = [threading.Thread(target=write, args=(n,)) for n in range(count)]
for thread in threads: thread.start()
for thread in threads: thread.join()
"""


def made_by(who):
    return [f"{who}-{n}" for n in range(EACH)]


def observations(server, name):
    [found] = server.told("open_nodes", names=[name])["entities"]
    return found["observations"]


@pytest.fixture
def two(start):
    """Two processes of our server on one file, nothing written yet; the limits are far away."""
    return [start(rpc.foreword_like_the_reference, MEMORY_OBS_MAX="1000") for _ in range(2)]


def send_all(servers, calls_of):
    """Put the calls of each server, calls_of(number), in flight in turn before any answer is read."""
    sent = [[] for _ in servers]
    for calls in zip(*(calls_of(number) for number in range(len(servers))), strict=True):
        for server, numbers, (tool, arguments) in zip(servers, sent, calls, strict=True):
            numbers.append(server.send("tools/call", {"name": tool, "arguments": arguments}))
    for server, numbers in zip(servers, sent, strict=True):
        for number in numbers:
            assert not server.answer(number)["result"].get("isError")


def test_twenty_new_entities_at_once_from_each_of_two_servers_are_all_there(two):
    send_all(two, lambda who: [("create_entities", {"entities": [entity(name)]}) for name in made_by(who)])
    for server in two:
        assert sorted(names(server.told("read_graph"))) == sorted(made_by(0) + made_by(1))


def test_twenty_observations_of_one_entity_at_once_from_each_of_two_servers_are_all_there(two):
    two[0].told("create_entities", entities=[entity("log")])
    send_all(
        two,
        lambda who: [
            ("add_observations", {"observations": [{"entityName": "log", "contents": [fact]}]})
            for fact in made_by(who)
        ],
    )
    for server in two:
        assert sorted(observations(server, "log")) == sorted(made_by(0) + made_by(1))


def test_twenty_relations_and_deletions_at_once_from_each_of_two_servers_all_count(two):
    old = [entity(name) for name in made_by("old")]
    two[0].told("create_entities", entities=[*old, entity("hub")])

    def calls_of(who):
        making = [("create_relations", {"relations": [relation("hub", v, "hub")]}) for v in made_by(who)]
        deleting = [("delete_entities", {"entityNames": [name]}) for name in made_by("old")[who::2]]
        return [call for pair in zip(making, deleting, strict=False) for call in pair]

    send_all(two, calls_of)
    graph = two[1].told("read_graph")
    assert names(graph) == ["hub"]
    verbs = [one["relationType"] for one in graph["relations"]]
    assert sorted(verbs) == sorted(f"{who}-{n}" for who in (0, 1) for n in range(EACH // 2))


def test_the_same_new_entity_from_two_servers_at_once_is_there_once(two):
    twin = [("create_entities", {"entities": [entity("twin", "t", "same")]})] * EACH
    send_all(two, lambda who: twin)
    assert two[0].told("read_graph")["entities"] == [entity("twin", "t", "same")]


def test_threads_of_two_processes_and_a_server_at_once_lose_nothing(path, write, start):
    write(line(entity("log")))
    server = start(rpc.foreword_like_the_reference, MEMORY_OBS_MAX="1000")
    programs = [
        subprocess.Popen(
            [sys.executable, "-c", THREADS, str(path), who, str(EACH)], stderr=subprocess.PIPE, text=True
        )
        for who in ("a", "b")
    ]
    answers = server.at_once([("create_entities", {"entities": [entity(name)]}) for name in made_by("c")])
    assert not any(answer.get("isError") for answer in answers)
    assert [program.communicate()[1] for program in programs] == ["", ""]
    graph = server.told("read_graph")
    assert sorted(names(graph)) == sorted(["log", *made_by("a"), *made_by("b"), *made_by("c")])
    said = [f"{who} wrote {n}" for who in ("a", "b") for n in range(EACH)]
    assert sorted(observations(server, "log")) == sorted(said)


def test_ours_and_the_reference_in_turn_lose_nothing(reference_server, path, start):
    servers = [start(rpc.foreword_like_the_reference, MEMORY_OBS_MAX="1000"), start(rpc.reference)]
    servers[1].told("create_entities", entities=[entity("log")])
    for n in range(EACH):
        for who, server in enumerate(servers):
            server.told("create_entities", entities=[entity(f"{who}-{n}")])
            added = [{"entityName": "log", "contents": [f"{who}-{n}"]}]
            server.told("add_observations", observations=added)
    said = [f"{who}-{n}" for n in range(EACH) for who in (0, 1)]
    for server in servers:
        assert names(server.told("read_graph")) == ["log", *said]
        assert observations(server, "log") == said
    assert [json.loads(row)["name"] for row in path.read_text().splitlines()] == ["log", *said]

"""Our server is killed while it writes, two hundred times: what it acknowledged is there, nothing is torn.

Each time a server gets more calls than it can answer and is killed at a random moment. Then the graph and
its archive together must be what the calls make up to some point that is not before the last acknowledged
one. The same files go on from kill to kill.
"""

import json
import os
import random
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from e2e import rpc
from e2e.records import entity
from foreword.graph import archive, lines

KILLS = 200
SIDE_BY_SIDE = 2  # graphs of their own, each with half of the kills
CALLS = 40
LATEST = 20  # answers after which it is killed, and so many seconds more: within the next write or two
LATER_S = 0.006
MOST = 5  # observations an entity: past that the oldest move to the archive, which is another file


def calls_of(dice, life):
    """[(tool, arguments, what it adds, what it takes away)]: sets of (entity, observation or "")."""
    calls = []
    made = []
    for n in range(CALLS):
        name = f"{life}-{n}"
        fact = f"2026-{dice.randrange(1, 13):02}-{dice.randrange(1, 29):02}: fact {name}"
        kind = dice.random()
        if kind < 0.4 or not made:
            made.append(name)
            arguments = {"entities": [entity(name, "t", fact)]}
            calls.append(("create_entities", arguments, {(name, ""), (name, fact)}, lambda one: False))
        elif kind < 0.9:
            to = dice.choice(("log", made[-1]))
            arguments = {"observations": [{"entityName": to, "contents": [fact]}]}
            calls.append(("add_observations", arguments, {(to, fact)}, lambda one: False))
        else:
            gone = made.pop(dice.randrange(len(made)))
            arguments = {"entityNames": [gone]}
            calls.append(("delete_entities", arguments, set(), lambda one, gone=gone: one[0] == gone))
    return calls


def stored(path):
    """What the file and its archive hold, as calls_of counts it. Each line of the file must be a record."""
    graph = lines.parse(path.read_bytes())
    assert (graph.unreadable, graph.others) == ([], 0)
    held = {(one.name, "") for one in graph.entities}
    held |= {(one.name, fact) for one in graph.entities for fact in one.observations}
    kept = archive.Archive(str(path.parent / "archive"))
    held |= {(name, fact) for name, facts in kept.entries().items() for fact in facts}
    assert not kept.unreadable
    return held


def one_life(path, dice, life, before):
    """Start a server, kill it while it writes; (what is stored then, calls answered)."""
    calls = calls_of(dice, life)
    with rpc.foreword_like_the_reference(path, MEMORY_OBS_MAX=str(MOST)) as server:
        server.start()
        for tool, arguments, _, _ in calls:
            server.send("tools/call", {"name": tool, "arguments": arguments})
        answers = [server.line() for _ in range(dice.randrange(LATEST))]
        end = time.monotonic() + dice.uniform(0, LATER_S)
        while (left := end - time.monotonic()) > 0:
            answers.append(server.line(left))
        server.kill()
        while line := server.line():
            answers.append(line)
    answers = [json.loads(line) for line in answers if line]
    assert not any("error" in one or one["result"].get("isError") for one in answers), answers
    state = before
    possible = []  # from the state after the last answer on: (at least, at most)
    for n, (_, _, adds, takes) in enumerate(calls, 1):
        new = {one for one in state | adds if not takes(one)}
        if n > len(answers):
            possible.append((state & new, state | new))
        state = new
    found = stored(path)
    missing = (possible[0][0] if possible else state) - found
    assert any(least <= found <= most for least, most in possible) or found == state, missing
    return found, len(answers)


def lives(path, first, count):
    """Kill after kill on one file; how many calls each server answered."""
    dice = random.Random(first)
    path.parent.mkdir()
    path.write_text(json.dumps({"type": "entity", **entity("log", "t")}) + "\n", encoding="utf-8")
    held = {("log", "")}
    answered = []
    for life in range(first, first + count):
        held, answers = one_life(path, dice, life, held)
        answered.append(answers)
    return answered


@pytest.mark.timeout(300)
def test_what_was_acknowledged_before_a_kill_is_there_after_it(tmp_path):
    each = KILLS // SIDE_BY_SIDE
    with ThreadPoolExecutor(SIDE_BY_SIDE) as pool:
        paths = [tmp_path / str(n) / "memory.jsonl" for n in range(SIDE_BY_SIDE)]
        runs = [pool.submit(lives, path, n * each, each) for n, path in enumerate(paths)]
        answered = [count for run in runs for count in run.result()]
    assert len(answered) == KILLS
    struck = sum(count < CALLS for count in answered)
    assert struck > KILLS / 2  # most were killed while they had something to write
    assert sum(answered) > KILLS
    for path in paths:
        for backup in os.scandir(path.parent / "backups"):
            with open(backup, "rb") as f:
                assert lines.parse(f.read()).unreadable == []

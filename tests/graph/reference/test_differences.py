"""Where our server does on purpose what the reference server does not, over its pipes and in its shapes.

Each case says why. Those that compare ask the reference server for what it does, so that a case whose
reason is gone is noticed.
"""

import json
import os
import stat

import pytest

from e2e import rpc
from e2e.records import entity, line, names, relation

SHOP = entity("shop", "service", "sells tea")
USES = relation("shop", "uses", "till")
BROKEN = (
    '{"type":"entity","name":"half',  # the torn end of a file that an older version wrote in place
    "no JSON at all",
    '{"type":"entity","name":"shapeless"}',
    '{"type":"relation","from":"shop"}',
    '["a","list"]',
)


def add(server, fact, to="shop"):
    return server.told("add_observations", observations=[{"entityName": to, "contents": [fact]}])


@pytest.mark.parametrize("broken", BROKEN)
def test_a_line_that_is_no_record_hides_nothing_and_is_kept(ours, path, write, broken):
    """One such line makes reads fail in the reference server; later versions of it lose the line."""
    write(line(SHOP), broken, line(USES))
    assert ours.told("read_graph") == {"entities": [SHOP], "relations": [USES]}
    assert broken in path.read_text()
    add(ours, "new")
    assert broken not in path.read_text()
    assert broken in (path.parent / "memory.jsonl.unreadable").read_text()


@pytest.mark.parametrize("broken", BROKEN[:2])
def test_the_reference_server_answers_nothing_beside_a_torn_line(start, reference_server, write, broken):
    write(line(SHOP), broken)
    server = start(rpc.reference)
    for tool, arguments in (("read_graph", {}), ("search_nodes", {"query": "tea"})):
        assert "JSON" in server.refused(tool, **arguments)


def test_keys_and_record_types_that_nobody_knows_survive_a_change(ours, path, write):
    """The reference server drops both at its next write; other programs keep their own things there."""
    other = {"type": "episode", "text": "kept"}
    write({**line(SHOP), "createdAt": "2026-01-01"}, other, {**line(USES), "weight": 0.5})
    add(ours, "new")
    rows = [json.loads(row) for row in path.read_text().splitlines()]
    assert [row["type"] for row in rows] == ["entity", "episode", "relation"]
    assert (rows[0]["createdAt"], rows[0]["observations"]) == ("2026-01-01", ["sells tea", "new"])
    assert (rows[1], rows[2]["weight"]) == (other, 0.5)
    assert ours.told("read_graph")["entities"] == [entity("shop", "service", "sells tea", "new")]


def test_a_byte_order_mark_is_read_and_kept(ours, path):
    """Editors of Windows write one; every tool of the reference server fails on it."""
    path.write_bytes(b"\xef\xbb\xbf" + json.dumps(line(SHOP)).encode())
    assert ours.told("read_graph")["entities"] == [SHOP]
    add(ours, "new")
    assert path.read_bytes().startswith(b"\xef\xbb\xbf{")


def test_a_link_and_the_mode_of_the_file_are_kept(ours, path, tmp_path):
    """The reference server puts a file of its own, with the usual mode, in the place of a link."""
    real = tmp_path / "elsewhere.jsonl"
    real.write_text(json.dumps(line(SHOP)) + "\n")
    real.chmod(0o640)
    path.symlink_to(real)
    add(ours, "new")
    assert path.is_symlink()
    assert stat.S_IMODE(real.stat().st_mode) == 0o640
    assert "new" in real.read_text()


@pytest.mark.skipif(os.name == "nt", reason="modes are those of POSIX")
def test_a_read_only_file_is_read_and_not_written(ours, path, write):
    """The reference server replaces it: a rename asks only for the folder's leave."""
    write(line(SHOP))
    path.chmod(0o400)
    told = ours.refused("add_observations", observations=[{"entityName": "shop", "contents": ["new"]}])
    assert "read-only" in told or "cannot be written" in told
    assert ours.told("read_graph")["entities"] == [SHOP]
    assert stat.S_IMODE(path.stat().st_mode) == 0o400


def test_an_observation_over_the_limit_fails_the_whole_call(ours):
    """300 characters, so that a search can show whole facts; longer ones that are there already stay."""
    long = "x" * 301
    ours.told("create_entities", entities=[SHOP])
    added = [{"entityName": "shop", "contents": ["short", long]}]
    assert "300" in ours.refused("add_observations", observations=added)
    assert "300" in ours.refused("create_entities", entities=[entity("a"), entity("b", "t", long)])
    assert ours.told("read_graph")["entities"] == [SHOP]
    assert add(ours, "x" * 300)["results"][0]["addedObservations"] == ["x" * 300]


def test_what_is_long_already_stays_and_may_be_added_to(ours, write):
    """Graphs of the reference server hold such observations."""
    old = entity("shop", "service", "x" * 4_000, *(f"fact {n}" for n in range(30)))
    write(line(old))
    add(ours, "new")
    assert ours.told("read_graph")["entities"][0]["observations"] == [*old["observations"], "new"]


def test_the_oldest_dated_observations_past_the_limit_move_to_the_archive(ours, path):
    """15 an entity: the graph stays readable at any age, and nothing is deleted."""
    dated = [f"2026-01-{day:02}: day {day}" for day in range(1, 18)]
    ours.told("create_entities", entities=[entity("log", "t", "stays", *dated[:14])])
    for fact in dated[14:]:
        assert add(ours, fact, "log")["results"] == [{"entityName": "log", "addedObservations": [fact]}]
    [held] = ours.told("open_nodes", names=["log"])["entities"]
    assert held["observations"] == ["stays", *dated[3:]]
    kept = (path.parent / "archive" / "log.md").read_text()
    assert all(fact in kept for fact in dated[:3])


def test_a_name_or_an_observation_of_nothing_is_refused(ours):
    """The reference server stores them; they say nothing, and nothing opens them by intent."""
    ours.told("create_entities", entities=[SHOP])
    for blank in ("", " \t"):
        assert "blank" in ours.refused("create_entities", entities=[entity("a"), entity(blank)])
        added = [{"entityName": "shop", "contents": ["new", blank]}]
        assert "blank" in ours.refused("add_observations", observations=added)
    assert ours.told("read_graph")["entities"] == [SHOP]


def test_words_that_stand_apart_are_found(ours, start, reference_server):
    """The reference server takes the query as one piece of text, so that two words of one fact miss it."""
    made = [entity("checkout", "service", "the till prints receipts"), entity("till", "device")]
    ours.told("create_entities", entities=made)
    ours.told("create_relations", relations=[relation("checkout", "depends on", "till")])
    assert names(ours.told("search_nodes", query="receipts till")) == ["checkout"]
    assert names(ours.told("search_nodes", query="service receipts")) == ["checkout"]
    assert sorted(names(ours.told("search_nodes", query="depends"))) == ["checkout", "till"]
    server = start(rpc.reference)
    assert names(server.told("search_nodes", query="receipts till")) == []


def test_a_relation_to_nobody_is_refused_where_that_is_asked_for(start):
    """The upstream of the reference server came to refuse it always; existing graphs hold such relations."""
    server = start(rpc.foreword_like_the_reference, MEMORY_STRICT="1")
    server.told("create_entities", entities=[SHOP])
    assert "till" in server.refused("create_relations", relations=[USES])
    assert server.told("read_graph")["relations"] == []


def test_a_home_in_the_path_is_a_home(ours, path, tmp_path):
    """The reference server takes `~` as the name of a folder in its package, which an update deletes."""
    (tmp_path / "home" / "mine.jsonl").write_text(json.dumps(line(SHOP)) + "\n")
    with rpc.foreword_like_the_reference("~/mine.jsonl") as server:
        server.start()
        assert server.told("read_graph")["entities"] == [SHOP]


def test_twenty_calls_at_once_that_the_reference_server_loses_are_kept(ours, start, reference_server, path):
    """It reads, waits and writes back for each call at once, so that the last writer wins."""
    calls = [("create_entities", {"entities": [entity(f"e{n}")]}) for n in range(20)]
    assert not any(one.get("isError") for one in ours.at_once(calls))
    assert names(ours.told("read_graph")) == [f"e{n}" for n in range(20)]
    path.unlink()
    server = start(rpc.reference)
    server.at_once(calls)
    assert len(names(server.told("read_graph"))) < 20


def test_a_lone_surrogate_is_stored_as_it_came(ours, path):
    """It has no UTF-8: the file has its escape, as the reference server writes it; clients see a mark."""
    ours.told("create_entities", entities=[entity("half", "t", "\ud83e!")])
    assert json.loads(path.read_text().splitlines()[0])["observations"] == ["\ud83e!"]
    [told] = ours.told("open_nodes", names=["half"])["entities"]
    assert told["observations"][0].endswith("!")

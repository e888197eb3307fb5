"""The index of the graph's entities: what follows a tool's write, what a worker brings up to date."""

import os
import sqlite3
import subprocess
import sys
import time

import pytest

from foreword import files, graph_index
from foreword.graph import change, place
from foreword.graph.file import GraphFile
from foreword.index import entities, rebuild, schema
from foreword.text.question import Question
from hook import events, graphs
from hook.graphs import ASKED, LANTERN, entity, follow
from server.conftest import Server


@pytest.fixture
def graph():
    return graphs.few()


@pytest.fixture
def folder(tmp_path):
    """A project folder (no repository)."""
    (tmp_path / "app").mkdir()
    return str(tmp_path / "app")


@pytest.fixture
def indexed(graph):
    """The same graph, its index up to date."""
    assert graph_index.keep_up(events.home())
    return graph


@pytest.fixture
def server(indexed):
    """`foreword serve --tools graph` on that graph, after the handshake."""
    server = Server("--tools", "graph")
    server.start()
    yield server
    server.close()


# -- after a tool wrote ---------------------------------------------------------------------------


def test_what_a_tool_wrote_is_offered_to_the_next_prompt(server, folder):
    for n, text in enumerate(("Has its port with the smithy", "Glows on the quay after the regatta")):
        server.told("add_observations", observations=[{"entityName": "kiln", "contents": [text]}])
        frame = events.prompt(f"Which kiln is it: {text}?", folder, session=f"s{n}")
        assert f"- entity kiln [thing]: {text}" in frame
    server.told("delete_entities", entityNames=["kiln"])
    assert b"Glows on the quay" not in graphs.index_bytes()


def test_a_server_makes_the_index_of_a_usual_graph_with_its_first_write(server, folder):
    os.remove(graphs.index_at())
    server.told("create_relations", relations=[{"from": "kiln", "to": "lantern", "relationType": "warms"}])
    assert "lantern" in events.prompt(ASKED, folder)


def test_a_server_that_keeps_the_index_loads_no_reader_of_memories():
    """YAML cost each server 15 ms at its first write."""
    code = (
        "import sys, foreword.graph_index; print(sorted({'yaml', 'foreword.store.read'} & set(sys.modules)))"
    )
    assert subprocess.check_output([sys.executable, "-I", "-c", code]) == b"[]\n"


CHANGES = {
    "create": (change.create_entities, [entity("pier", ["is long"]), entity("pier", ["is old"])]),
    "create what is there": (change.create_entities, [entity("kiln", ["is new"])]),
    "add": (change.add_observations, [{"entityName": "kiln", "contents": ["is old", "is red"]}]),
    "add too much": (
        change.add_observations,
        [{"entityName": "kiln", "contents": [f"2026-01-{day:02}: fired" for day in range(1, 29)]}],
    ),
    "delete": (change.delete_entities, ["kiln", "nobody", "barn owl"]),
    "delete observations": (
        change.delete_observations,
        [{"entityName": "lantern", "observations": LANTERN[1:]}, {"entityName": "kiln", "observations": []}],
    ),
    "rename": (change.rename_entity, "kiln", "oven"),
    "restore": (change.restore, {"tide table": None}),
    "compact": (change.compact,),
    "relate": (change.create_relations, [{"from": "kiln", "to": "pier", "relationType": "stands at"}]),
}


@pytest.mark.parametrize("what", CHANGES)
def test_an_index_that_follows_a_change_is_as_if_made_anew(indexed, what):
    indexed.archive.add("tide table", ["2020-05-05: was torn"])
    twice = [f'"2025-01-{day:02}: boiled"'.encode() for day in range(1, 20)]
    with open(indexed.path, "ab") as f:
        for observations in (b'"Is cold"', b",".join(twice)):
            f.write(
                b'{"type":"entity","name":"kiln","entityType":"other","observations":[%b]}\n' % observations
            )
    assert graph_index.keep_up(events.home())
    assert follow(indexed, *CHANGES[what])
    followed = graphs.rows(), graphs.keys()
    assert graph_index.keep_up(events.home())
    assert (graphs.rows(), graphs.keys()) == followed
    os.remove(graphs.index_at())
    assert graph_index.keep_up(events.home())
    assert (graphs.rows(), graphs.keys()) == followed


def test_after_a_change_to_what_was_indexed_nothing_else_is_looked_at(indexed):
    """Each write compared all entities: a fifth of a second at 10,000."""
    graphs.unknown("lantern")
    assert follow(indexed, change.add_observations, [{"entityName": "kiln", "contents": ["is red"]}])
    assert graphs.keys()[entities.id_of("lantern")] == 1
    assert "is red" in {row[0]: row[3] for row in graphs.rows()}[entities.id_of("kiln")]


@pytest.mark.parametrize("when", ["before the look", "before the change", "after the change"])
def test_what_another_program_wrote_around_a_change_is_indexed_too(indexed, when):
    def moment(now):
        if now == when:
            with open(indexed.path, "ab") as f:
                f.write(b'{"type":"entity","name":"theirs","entityType":"t","observations":["x"]}\n')

    moment("before the look")
    before = graph_index.before_write(indexed)
    moment("before the change")
    done = change.add_observations(indexed, [{"entityName": "kiln", "contents": ["is red"]}])
    moment("after the change")
    assert graph_index.after_write(indexed, before, done)
    assert "theirs" in {row[2] for row in graphs.rows()}


def test_a_tool_does_not_wait_for_the_index_of_a_large_graph(graph, folder):
    """Its answer took 13 s where 10,000 entities were to be indexed first."""
    more = [entity(f"pier {n}", [f"holds {n}"]) for n in range(rebuild.BATCH)]
    change.create_entities(graph, more)
    assert follow(graph, change.add_observations, [{"entityName": "kiln", "contents": ["is red"]}]) is False
    assert graphs.rows() == []
    assert events.prompt(ASKED, folder) == ""
    events.workers_done()
    assert len(graphs.rows()) == rebuild.BATCH + 4
    assert "lantern" in events.prompt(ASKED, folder, session="s2")
    assert follow(graph, change.delete_entities, [one["name"] for one in more])
    assert len(graphs.rows()) == 4


def test_what_one_call_creates_past_a_batch_is_left_to_the_worker(indexed, folder):
    before = graphs.rows()
    many = [entity(f"pier {n}", [f"holds {n}"]) for n in range(rebuild.BATCH + 1)]
    assert follow(indexed, change.create_entities, many) is False
    assert graphs.rows() == before
    assert events.prompt(ASKED, folder) == ""
    events.workers_done()
    assert "lantern" in events.prompt(ASKED, folder, session="s2")


def test_more_than_a_batch_that_changed_by_hand_is_left_to_the_worker(graph):
    names = [f"pier {n}" for n in range(rebuild.BATCH + 1)]
    change.create_entities(graph, [entity(name, ["holds"]) for name in names])
    assert graph_index.keep_up(events.home())
    before = graphs.rows()
    with open(graph.path, "rb") as f:
        data = f.read()
    with open(graph.path, "wb") as f:
        f.write(data.replace(b'"holds"', b'"fell"'))
    assert follow(graph, change.add_observations, [{"entityName": "kiln", "contents": ["is red"]}]) is False
    assert graphs.rows() == before
    assert graph_index.keep_up(events.home())
    assert follow(graph, change.add_observations, [{"entityName": "kiln", "contents": ["is old"]}])


def test_a_tool_waits_neither_for_another_that_indexes_nor_for_a_rebuild(indexed):
    add = [{"entityName": "kiln", "contents": ["is red"]}]
    with files.Lock(entities.folder(events.home()), name=".entities.lock") as held:
        assert held
        assert follow(indexed, change.add_observations, add) is False
    graphs.damage("no database")
    with open(graphs.index_at(), "rb") as f:
        before = f.read()
    assert follow(indexed, change.add_observations, add) is False
    with open(graphs.index_at(), "rb") as f:
        assert f.read() == before


def test_a_file_that_changes_at_every_look_is_left_for_later(indexed, folder, monkeypatch):
    class Written(GraphFile):
        """One that another program writes to after each of the first `times` times that it is read."""

        times = graph_index.LOOKS

        def read(self):
            graph = super().read()
            if Written.times:
                Written.times -= 1
                with open(self.path, "ab") as f:
                    f.write(b"\n")
            return graph

    change.add_observations(indexed, [{"entityName": "kiln", "contents": ["is red"]}])
    with monkeypatch.context() as patch:
        patch.setattr(graph_index, "GraphFile", Written)
        assert graph_index.keep_up(events.home()) is False
        assert not any("is red" in row[3] for row in graphs.rows())
        Written.times = graph_index.LOOKS - 1
        assert graph_index.keep_up(events.home())
    assert any("is red" in row[3] for row in graphs.rows())


def test_an_entity_is_of_the_newest_day_of_its_observations_or_of_when_it_was_written(graph):
    written = os.stat(graph.path).st_mtime
    days = ["2026-03-02: second", "2026-01-09: first", "2026-02-31: never", "2026-03-01: between"]
    change.create_entities(graph, [entity("dated", days), entity("later", ["9999-12-31: the end"])])
    assert graph_index.keep_up(events.home())
    db = schema.open_reading(entities.folder(events.home()))
    created = dict(db.execute("SELECT question, created FROM memories"))
    db.close()
    assert created["dated"] == 1_772_409_600.0  # 2026-03-02
    assert written <= created["later"] == created["kiln"] == os.stat(graph.path).st_mtime_ns / 1e9


# -- keeping up ------------------------------------------------------------------------------------


def test_two_that_keep_up_at_once_leave_a_whole_index(indexed):
    names = [f"pier {n}" for n in range(300)]
    change.create_entities(indexed, [entity(name, [f"holds {name}"]) for name in names])
    code = "import sys; from foreword import graph_index; sys.exit(not graph_index.keep_up(sys.argv[1]))"
    command = [sys.executable, "-I", "-c", code, events.home()]
    running = [subprocess.Popen(command) for _ in range(3)]
    assert [one.wait(timeout=60) for one in running] == [0, 0, 0]
    assert len(graphs.rows()) == 304
    assert rebuild.damage(entities.folder(events.home())) == ""


def test_nothing_is_offered_of_a_file_that_changed_since_until_the_worker_has_read_it(indexed, folder):
    with open(indexed.path, "ab") as f:
        f.write(b'{"type":"relation","from":"kiln","to":"lantern","relationType":"warms"}\n')
    assert events.prompt(ASKED, folder) == ""
    events.workers_done()
    assert "lantern" in events.prompt(ASKED, folder, session="s2")


def test_what_is_deleted_leaves_no_byte_in_the_index(indexed):
    secret = "quixotic"
    made = [entity(secret + " engine", ["It hums"]), entity("mill", [secret])]
    assert follow(indexed, change.create_entities, made)
    assert secret.encode() in graphs.index_bytes()
    # Somebody has it open: the log is not emptied by the last one to close it.
    other = sqlite3.connect(graphs.index_at())
    other.execute("SELECT count(*) FROM memories").fetchone()
    assert follow(indexed, change.delete_entities, [secret + " engine"])
    assert follow(indexed, change.delete_observations, [{"entityName": "mill", "observations": [secret]}])
    assert secret.encode() not in graphs.index_bytes()
    assert b"mill" in graphs.index_bytes()
    other.close()


def test_switched_off_the_index_is_removed(indexed, folder):
    graphs.switch(in_index=False)
    events.prompt("Tell me about the tollgate", folder)
    events.workers_done()
    assert not os.path.exists(graphs.index_at())
    assert os.path.exists(indexed.path)


def test_without_a_graph_an_empty_index_keeps_the_worker_from_starting_again(folder):
    graphs.switch()
    events.prompt(ASKED, folder)
    events.workers_done()
    assert entities.offered(events.home(), "", Question(ASKED), set(), 5)[1] is False
    assert not os.path.exists(place.default(events.home()))


def test_only_the_file_that_config_toml_names_is_indexed(indexed, folder, tmp_path, monkeypatch):
    other = place.open_graph(str(tmp_path / "other.jsonl"))
    zebra = entity("zebra crossing", ["Is striped, on the harbour road"])
    assert follow(other, change.create_entities, [zebra]) is False
    monkeypatch.setenv("MEMORY_FILE_PATH", other.path)
    assert graph_index.keep_up(events.home())
    assert b"zebra" not in graphs.index_bytes()
    monkeypatch.delenv("MEMORY_FILE_PATH")
    graphs.switch(**{"graph.file": other.path})
    assert events.prompt(ASKED, folder) == ""
    assert graph_index.keep_up(events.home())
    assert b"lantern" not in graphs.index_bytes()
    assert "zebra" in events.prompt("Where is the zebra crossing on the harbour road, is it striped?", folder)


def test_what_is_up_to_date_is_not_written_again(indexed):
    before = os.stat(graphs.index_at()).st_mtime_ns, graphs.index_bytes()
    assert graph_index.keep_up(events.home())
    assert (os.stat(graphs.index_at()).st_mtime_ns, graphs.index_bytes()) == before


def test_many_entities_change_by_catching_up_as_if_all_were_indexed_anew(graph):
    names = [f"pier {n}" for n in range(450)]
    change.create_entities(graph, [entity(name, [f"holds {name}"]) for name in names])
    assert graph_index.keep_up(events.home())
    change.delete_entities(graph, names[10:300])
    change.add_observations(graph, [{"entityName": "pier 5", "contents": ["is rotten"]}])
    change.rename_entity(graph, "pier 6", "jetty 6")
    assert graph_index.keep_up(events.home())
    caught_up = graphs.rows()
    os.remove(graphs.index_at())
    assert graph_index.keep_up(events.home())
    assert caught_up == graphs.rows()
    assert len(caught_up) == 4 + 450 - 290


def test_entities_of_one_name_are_one(graph):
    with open(graph.path, "ab") as f:
        f.write(b'{"type":"entity","name":"kiln","entityType":"other","observations":["Is cold"]}\n')
    assert graph_index.keep_up(events.home())
    [row] = [row for row in graphs.rows() if row[0] == entities.id_of("kiln")]
    assert row[1:] == ("kiln [thing]", "kiln", "Fires clay at 1,200 degrees\nIs cold")


@pytest.mark.parametrize("name", ["", " ", "\ud800", "a\0b", "n" * 5_000])
def test_any_name_and_observation_can_be_indexed(graph, name, folder):
    change.create_entities(graph, [entity(name, ["", "\ud800 zebra \0", " "], "\ud800")])
    assert graph_index.keep_up(events.home())
    frame = events.prompt("Is there a zebra among these entities somewhere?", folder)
    assert frame == "" or "zebra" in frame
    assert events.log() == []


@pytest.mark.parametrize("age_s", [60, 2 * rebuild.NEW_S])
def test_a_doubted_index_that_reads_whole_is_made_anew_once_an_hour(indexed, age_s):
    """It was looked at from end to end after every prompt that met what such a look does not find."""
    db = sqlite3.connect(graphs.index_at())
    with db:
        db.execute("INSERT OR REPLACE INTO meta VALUES('built', ?)", (time.time() - age_s,))
    db.close()
    graphs.unknown("lantern")
    assert graph_index.keep_up(events.home(), doubted=True)
    assert (graphs.keys()[entities.id_of("lantern")] == 1) is (age_s < rebuild.NEW_S)

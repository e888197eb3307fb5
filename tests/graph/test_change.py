"""What the tools do to a graph, on real files."""

import json
import os

import pytest

from foreword.errors import ForewordError, NotFoundError
from foreword.graph import change, place


@pytest.fixture
def file(tmp_path):
    return place.open_graph(str(tmp_path / "memory.jsonl"), environ={})


def entity(name, *observations, kind="service"):
    return {"name": name, "entityType": kind, "observations": list(observations)}


def relation(from_, kind, to):
    return {"from": from_, "to": to, "relationType": kind}


def dated(count, month=1):
    return [f"2026-{month:02}-{day:02}: step {day}" for day in range(1, count + 1)]


def stored(file):
    """The records in the file itself."""
    with open(file.path, encoding="utf-8") as f:
        return [json.loads(line) for line in f]


def held(file, name):
    return next(r["observations"] for r in stored(file) if r.get("name") == name)


# -- creating ----------------------------------------------------------------------------------


def test_entities_and_relations_are_stored_as_the_reference_server_writes_them(file):
    change.create_entities(file, [entity("shop", "sells"), entity("db", kind="database")])
    change.create_relations(file, [relation("shop", "uses", "db")])
    with open(file.path, "rb") as f:
        assert f.read() == (
            b'{"type":"entity","name":"shop","entityType":"service","observations":["sells"]}\n'
            b'{"type":"entity","name":"db","entityType":"database","observations":[]}\n'
            b'{"type":"relation","from":"shop","to":"db","relationType":"uses"}\n'
        )
    assert os.stat(file.path).st_mode & 0o777 == 0o600


def test_an_existing_name_is_left_as_it_is_and_told(file):
    change.create_entities(file, [entity("shop", "sells")])
    done = change.create_entities(file, [entity("shop", "buys", kind="other"), entity("db")])
    assert (done.existing, [made.name for made in done.created]) == (["shop"], ["db"])
    assert stored(file)[0] == {"type": "entity", **entity("shop", "sells")}


def test_a_name_that_one_call_repeats_is_stored_twice_so_that_no_observation_is_lost(file):
    done = change.create_entities(file, [entity("shop", "sells", "sells"), entity("shop", "buys")])
    assert len(done.created) == 2
    assert [r["observations"] for r in stored(file)] == [["sells", "sells"], ["buys"]]


def test_a_relation_that_is_there_already_is_told_and_not_stored_again(file):
    change.create_relations(file, [relation("a", "r", "b")])
    done = change.create_relations(file, [relation("a", "r", "b"), relation("b", "r", "a")])
    assert (done.known, [made.key for made in done.relations]) == ([("a", "b", "r")], [("b", "a", "r")])
    assert len(stored(file)) == 2


def test_a_relation_to_a_missing_entity_is_accepted_and_told(file):
    change.create_entities(file, [entity("shop")])
    done = change.create_relations(file, [relation("shop", "uses", "db"), relation("queue", "feeds", "db")])
    assert done.dangling == ["db", "queue"]
    assert len(stored(file)) == 3


def test_a_strict_graph_refuses_a_relation_to_a_missing_entity_and_stores_none_of_the_call(tmp_path):
    file = place.open_graph(str(tmp_path / "memory.jsonl"), environ={"MEMORY_STRICT": "1"})
    change.create_entities(file, [entity("shop")])
    with pytest.raises(NotFoundError, match=r"^Entity with name db not found$"):
        change.create_relations(file, [relation("shop", "calls", "shop"), relation("shop", "uses", "db")])
    assert len(stored(file)) == 1


def test_observations_that_an_entity_holds_are_not_added_again(file):
    change.create_entities(file, [entity("shop", "x")])
    done = change.add_observations(file, [{"entityName": "shop", "contents": ["y", "x", "y"]}])
    assert done.added == [("shop", ["y", "y"])]  # as the reference server does
    assert done.present == [("shop", "x")]
    assert held(file, "shop") == ["x", "y", "y"]
    assert done.counts == {"shop": 3}
    done = change.add_observations(file, [{"entityName": "shop", "contents": ["x"]}])
    assert done.added == [("shop", [])]


def test_a_missing_entity_fails_the_whole_call(file):
    change.create_entities(file, [entity("shop")])
    wanted = [{"entityName": name, "contents": ["x"]} for name in ("shop", "Zed")]
    with pytest.raises(NotFoundError, match=r"^Entity with name Zed not found$"):
        change.add_observations(file, wanted)
    assert held(file, "shop") == []


# -- limits ------------------------------------------------------------------------------------


def test_too_long_an_observation_fails_the_whole_call_and_says_what_to_do(file):
    change.create_entities(file, [entity("shop", "é" * 300)])  # characters, not bytes
    with pytest.raises(ForewordError, match=r"at most 300 characters .shop: 301 characters") as told:
        change.add_observations(
            file,
            [{"entityName": "shop", "contents": ["short"]}, {"entityName": "shop", "contents": ["x" * 301]}],
        )
    assert "split it" in told.value.hint
    assert "repository" in told.value.hint
    with pytest.raises(ForewordError, match="nothing was stored"):
        change.create_entities(file, [entity("fine"), entity("long", "x" * 301)])
    assert [r["name"] for r in stored(file)] == ["shop"]
    assert held(file, "shop") == ["é" * 300]


def test_an_existing_long_observation_stays_when_others_are_added(file):
    with open(file.path, "w", encoding="utf-8") as f:
        f.write(json.dumps({"type": "entity", **entity("shop", "x" * 5_000)}) + "\n")
    change.add_observations(file, [{"entityName": "shop", "contents": ["new"]}])
    assert held(file, "shop") == ["x" * 5_000, "new"]


def test_past_15_observations_the_oldest_dated_ones_move_to_the_archive(file):
    change.create_entities(file, [entity("shop", "sells", *dated(14, month=2))])
    assert not os.path.exists(file.archive.folder)
    wanted = ["2026-01-05: older than all", "undated", "2026-03-01: newest"]
    done = change.add_observations(file, [{"entityName": "shop", "contents": wanted}])
    moved = ["2026-01-05: older than all", "2026-02-01: step 1", "2026-02-02: step 2"]
    assert done.archived == {"shop": moved}
    assert done.counts == {"shop": 15}
    assert held(file, "shop") == ["sells", *dated(14, month=2)[2:], "undated", "2026-03-01: newest"]
    assert file.archive.of("shop") == moved


def test_observations_of_one_day_move_in_their_order():
    texts = ["2026-01-01 b", "2026-01-01 a", "2026-01-01 c", "x"]
    assert change.overflow(texts, 2) == (["2026-01-01 c", "x"], ["2026-01-01 b", "2026-01-01 a"])


def test_undated_observations_never_move(file):
    texts = [f"fact {n}" for n in range(20)] + ["in 2026-01-01 it was so"]
    done = change.create_entities(file, [entity("shop", *texts)])
    assert (done.archived, held(file, "shop")) == ({}, texts)


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("2026-03-02: deployed", "2026-03-02"),
        ("2026-03-02", "2026-03-02"),
        ("[2026-03-02] deployed", "2026-03-02"),
        ("(2026-03-02) deployed", "2026-03-02"),
        ("**2026-03-02** deployed", "2026-03-02"),
        ("2026-03-02T10:15:00Z deployed", "2026-03-02"),
        ("deployed 2026-03-02", ""),
        ("2026-13-02: no month", ""),
        ("2026-03-32: no day", ""),
        ("2026-03-021", ""),
        ("20260302 deployed", ""),
        ("", ""),
    ],
)
def test_a_date_counts_at_the_start_of_an_observation(text, day):
    assert change.day_of(text) == day


def test_only_entities_that_a_call_touches_lose_what_is_too_much(file):
    with open(file.path, "w", encoding="utf-8") as f:
        f.write(json.dumps({"type": "entity", **entity("full", *dated(20))}) + "\n")
    change.create_entities(file, [entity("shop")])
    change.add_observations(file, [{"entityName": "full", "contents": [dated(1)[0]]}])  # there already
    assert held(file, "full") == dated(20)
    done = change.compact(file)
    assert (done.archived, done.counts) == ({"full": dated(20)[:5]}, {"full": 15})
    assert file.archive.of("full") == dated(20)[:5]
    assert held(file, "full") == dated(20)[5:]


# -- deleting ----------------------------------------------------------------------------------


def test_deleting_an_entity_takes_its_relations_and_its_archive_along(file):
    change.create_entities(file, [entity("shop", *dated(17)), entity("db")])
    change.create_relations(file, [relation("shop", "uses", "db"), relation("db", "is", "db")])
    done = change.delete_entities(file, ["shop", "nobody"])
    assert (done.deleted, done.relations_deleted, done.archive_deleted) == (1, 1, 2)
    assert done.unknown == ["nobody"]
    assert [r["type"] for r in stored(file)] == ["entity", "relation"]
    assert file.archive.entries() == {}


def test_deleting_observations_takes_them_from_the_archive_too(file):
    change.create_entities(file, [entity("shop", "sells", *dated(16))])
    deletions = [{"entityName": "shop", "observations": [dated(1)[0], "sells", "never said"]}]
    done = change.delete_observations(file, [*deletions, {"entityName": "nobody", "observations": ["x"]}])
    assert (done.deleted, done.archive_deleted) == (1, 1)
    assert (done.unmatched, done.unknown) == ([("shop", "never said")], ["nobody"])
    assert file.archive.of("shop") == dated(16)[1:2]
    assert held(file, "shop") == dated(16)[2:]


def test_an_observation_of_the_second_entity_of_a_name_can_be_deleted(file):
    change.create_entities(file, [entity("shop", "a"), entity("shop", "secret", "b")])
    deletions = [{"entityName": "shop", "observations": ["secret"]}]
    assert change.delete_observations(file, deletions).deleted == 0  # as the reference server does it
    done = change.delete_observations(file, deletions, everywhere=True)
    assert (done.deleted, done.unmatched, done.counts) == (1, [], {"shop": 2})
    assert [r["observations"] for r in stored(file)] == [["a"], ["b"]]


def test_one_call_may_add_to_an_entity_more_than_once(file):
    change.create_entities(file, [entity("shop", *dated(14))])
    wanted = [["2026-02-01: x", "y"], ["y", "2026-01-01: step 1", "2026-02-02: z"]]
    done = change.add_observations(file, [{"entityName": "shop", "contents": texts} for texts in wanted])
    assert done.added == [("shop", ["2026-02-01: x", "y"]), ("shop", ["2026-02-02: z"])]
    assert done.archived == {"shop": dated(14)[:2]}
    assert held(file, "shop") == [*dated(14)[2:], "2026-02-01: x", "y", "2026-02-02: z"]


def test_deleting_what_only_the_archive_holds_leaves_the_file_alone(file):
    change.create_entities(file, [entity("shop", *dated(17))])
    before = os.stat(file.path)
    change.delete_observations(file, [{"entityName": "shop", "observations": [dated(1)[0]]}])
    assert file.archive.of("shop") == [dated(2)[1]]
    assert os.stat(file.path).st_ino == before.st_ino


def test_relations_are_deleted_by_all_three_of_their_parts(file):
    change.create_relations(file, [relation("a", "r", "b"), relation("a", "s", "b")])
    done = change.delete_relations(file, [relation("a", "r", "b"), relation("b", "r", "a")])
    assert (done.relations_deleted, done.unmatched) == (1, [("b", "a", "r")])
    assert [r["relationType"] for r in stored(file)] == ["s"]


# -- ours --------------------------------------------------------------------------------------


def test_a_rename_is_followed_by_relations_and_the_archive(file):
    change.create_entities(file, [entity("shop", *dated(17)), entity("db")])
    change.create_relations(file, [relation("shop", "uses", "db"), relation("db", "serves", "shop")])
    done = change.rename_entity(file, "shop", "Ladengeschäft")
    assert (done.renamed, len(done.relations)) == (("shop", "Ladengeschäft"), 2)
    assert [r.get("name") or (r["from"], r["to"]) for r in stored(file)] == [
        "Ladengeschäft", "db", ("Ladengeschäft", "db"), ("db", "Ladengeschäft"),
    ]  # fmt: skip
    assert file.archive.entries() == {"Ladengeschäft": dated(2)}


def test_a_rename_to_a_taken_name_or_of_a_missing_one_is_refused(file):
    change.create_entities(file, [entity("shop"), entity("db")])
    with pytest.raises(ForewordError, match="db exists already"):
        change.rename_entity(file, "shop", "db")
    with pytest.raises(NotFoundError, match="nobody"):
        change.rename_entity(file, "nobody", "x")
    assert change.rename_entity(file, "db", "db").renamed is None
    assert [r["name"] for r in stored(file)] == ["shop", "db"]


def test_archived_observations_come_back_and_stay(file):
    change.create_entities(file, [entity("shop", *dated(18))])
    done = change.restore(file, {"shop": [dated(18)[1], "never said"]})
    assert (done.restored, done.unmatched) == ([dated(18)[1]], [("shop", "never said")])
    assert held(file, "shop") == [*dated(18)[3:], dated(18)[1]]
    assert file.archive.of("shop") == [dated(18)[0], dated(18)[2]]
    assert change.restore(file, {"shop": None}).counts == {"shop": 18}
    assert file.archive.entries() == {}


def test_what_the_entity_holds_again_already_leaves_the_archive_and_is_not_doubled(file):
    change.create_entities(file, [entity("shop", *dated(16))])
    change.compact(file)
    change.add_observations(file, [{"entityName": "shop", "contents": ["undated"]}])
    archived = file.archive.of("shop")
    with open(file.path, encoding="utf-8") as f:
        text = f.read().replace('"undated"', json.dumps(archived[0]))
    with open(file.path, "w", encoding="utf-8") as f:
        f.write(text)
    change.restore(file, {"shop": [archived[0]]})
    assert held(file, "shop").count(archived[0]) == 1
    assert archived[0] not in file.archive.of("shop")


def test_what_the_archive_holds_of_an_entity_that_is_gone_can_be_deleted(file):
    file.archive.add("gone", ["2026-01-01 x", "2026-01-02 y"])
    done = change.delete_observations(file, [{"entityName": "gone", "observations": ["2026-01-01 x"]}])
    assert (done.archive_deleted, done.unknown) == (1, [])
    assert file.archive.of("gone") == ["2026-01-02 y"]
    assert change.delete_entities(file, ["gone"]).archive_deleted == 1
    assert file.archive.entries() == {}


def test_restoring_for_an_entity_without_an_archive_or_without_an_entity_is_refused(file):
    change.create_entities(file, [entity("shop")])
    with pytest.raises(NotFoundError, match="nothing of shop"):
        change.restore(file, {"shop": None})
    file.archive.add("gone", ["2026-01-01 x"])
    with pytest.raises(NotFoundError, match="Entity with name gone"):
        change.restore(file, {"gone": None})
    assert file.archive.of("gone") == ["2026-01-01 x"]

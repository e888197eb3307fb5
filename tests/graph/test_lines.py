"""The lines of memory.jsonl: bytes to a Graph and back."""

import json

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from foreword.graph import lines

SHOP = b'{"type":"entity","name":"shop","entityType":"service","observations":["sells","2026-03-02: up"]}'
DB = b'{"type":"entity","name":"db","entityType":"database","observations":[]}'
USES = b'{"type":"relation","from":"shop","to":"db","relationType":"uses"}'
THREE = b"\n".join([SHOP, DB, USES]) + b"\n"


def names(graph):
    return [entity.name for entity in graph.entities]


def keys(graph):
    return [relation.key for relation in graph.relations]


def records(data):
    return [json.loads(line) for line in data.decode().split("\n") if line.strip()]


def test_entities_and_relations_are_read_in_the_order_of_the_file():
    graph = lines.parse(THREE)
    assert names(graph) == ["shop", "db"]
    assert (graph.entities[0].type, graph.entities[0].observations) == (
        "service",
        ["sells", "2026-03-02: up"],
    )
    assert keys(graph) == [("shop", "db", "uses")]
    assert (graph.unreadable, graph.others, graph.changed) == ([], 0, False)


def test_no_bytes_are_an_empty_graph():
    graph = lines.parse(b"")
    assert (names(graph), keys(graph), graph.unreadable, graph.dump()) == ([], [], [], b"")


@pytest.mark.parametrize(
    "data",
    [
        THREE,
        THREE[:-1],  # no newline at the end
        THREE.replace(b"\n", b"\r\n"),
        THREE.replace(b"\n", b"\r\n")[:-2],
        lines.BOM + THREE,
        lines.BOM,
        b"\n\n" + SHOP + b"\n   \n\n" + USES + b"\n\n",
        USES + b"\n" + SHOP + b"\n",  # relations first
        b'{ "observations": [], "name": "x", "extra": [1.50, 1e3], "entityType": "t", "type": "entity" }\n',
        b'{"type":"entity","name":"\\u00e9\\u65e5","entityType":"t","observations":["\\ud83d\\ude00"]}\n',
        '{"type":"entity","name":"日本語","entityType":"種類","observations":["検索は速い"]}\n'.encode(),
        b'{"type":"memory","anything":[1,2]}\n' + SHOP + b'\n{"type":"","x":1}\n',
        SHOP + b"\n" + SHOP + b"\n" + USES + b"\n" + USES + b"\n",
        b"\r\n",
        b"\n",
    ],
)
def test_what_nobody_changed_goes_back_byte_for_byte(data):
    graph = lines.parse(data)
    assert graph.unreadable == []
    assert graph.dump() == data


@pytest.mark.parametrize(
    ("line", "why"),
    [
        (b'{"type":"entity","name":"sh', "no JSON"),
        (b"hello", "no JSON"),
        (b'{"type":"entity","name":"x","entityType":"t","observations":[NaN]}', "no JSON"),
        (b"[" * 100_000, "no JSON"),
        (b'{"type":"entity","name":"\xff","entityType":"t","observations":[]}', "no UTF-8"),
        (b'{"type":"entity","name":"x","observations":[]}', "an entity without"),
        (b'{"type":"entity","name":1,"entityType":"t","observations":[]}', "an entity without"),
        (b'{"type":"entity","name":"x","entityType":"t","observations":"one"}', "an entity without"),
        (b'{"type":"entity","name":"x","entityType":"t","observations":[1]}', "an entity without"),
        (b'{"type":"entity","name":"x","entityType":"t"}', "an entity without"),
        (b'{"type":"relation","from":"a","to":"b"}', "a relation without"),
        (b'{"type":"relation","from":"a","to":null,"relationType":"r"}', "a relation without"),
        (b'{"name":"x"}', "no record"),
        (b'{"type":7}', "no record"),
        (b"[]", "no record"),
        (b"null", "no record"),
        (SHOP + SHOP, "no JSON"),
    ],
)
@pytest.mark.parametrize("end", [b"\n", b"\r\n"])
def test_a_line_that_is_no_record_is_told_and_the_others_are_read(line, why, end):
    graph = lines.parse(SHOP + end + line + end + USES + end)
    [(number, raw, told)] = graph.unreadable
    assert (number, raw) == (2, line + end[:-1])
    assert told.startswith(why)
    assert (names(graph), keys(graph)) == (["shop"], [("shop", "db", "uses")])
    assert graph.dump() == SHOP + end + USES + end


def test_a_new_entity_stands_before_the_relations_and_a_new_relation_at_the_end():
    graph = lines.parse(THREE)
    graph.add_entity("queue", "service", ["holds orders"])
    graph.add_relation("shop", "queue", "fills")
    assert graph.changed
    new = b'{"type":"entity","name":"queue","entityType":"service","observations":["holds orders"]}'
    fills = b'{"type":"relation","from":"shop","to":"queue","relationType":"fills"}'
    assert graph.dump() == b"\n".join([SHOP, DB, new, USES, fills]) + b"\n"


def test_the_first_line_of_a_graph_ends_in_a_newline():
    graph = lines.parse(b"")
    graph.add_relation("a", "b", "r")
    graph.add_entity("a", "t", [])
    assert [record["type"] for record in records(graph.dump())] == ["entity", "relation"]
    assert graph.dump().endswith(b"}\n")


def test_a_file_without_a_last_newline_stays_one():
    graph = lines.parse(THREE[:-1])
    graph.add_relation("db", "shop", "serves")
    added = b'{"type":"relation","from":"db","to":"shop","relationType":"serves"}'
    assert graph.dump() == THREE + added


def test_a_file_with_carriage_returns_gets_no_other_line_ends():
    graph = lines.parse(THREE.replace(b"\n", b"\r\n"))
    graph.add_relation("db", "shop", "serves")
    graph.set_observations(graph.entities[0], ["sells"])
    graph.rename("db", "store")
    data = graph.dump()
    assert data.count(b"\r\n") == data.count(b"\n") == 4
    assert data.endswith(b"\r\n")


def test_a_file_with_carriage_returns_but_none_at_its_end_stays_one():
    graph = lines.parse(THREE.replace(b"\n", b"\r\n")[:-2])
    graph.add_relation("db", "shop", "serves")
    data = graph.dump()
    assert data.count(b"\r\n") == data.count(b"\n") == data.count(b"\r") == 3
    assert data.endswith(b"}")
    assert len(records(data)) == 4


def test_unknown_keys_and_their_order_survive_a_change_of_the_record():
    entity = b'{"id":7,"type":"entity","observations":[],"name":"x","tags":["a"],"entityType":"t"}\n'
    relation = b'{"type":"relation","weight":0.5,"from":"x","to":"y","relationType":"r"}\n'
    graph = lines.parse(entity + relation)
    graph.set_observations(graph.entities[0], ["é"])
    graph.rename("x", "z")
    assert graph.dump() == (
        entity.replace(b"[]", '["é"]'.encode()).replace(b'"x"', b'"z"') + relation.replace(b'"x"', b'"z"')
    )


@pytest.mark.parametrize(
    "number", ["1e5", "1E400", "-0.0", "0.1234567890123456789012345678901234", "9" * 5_000]
)
def test_a_number_in_an_unknown_key_keeps_its_digits(number):
    line = '{"type":"entity","name":"x","entityType":"t","observations":[],"n":[%s]}\n' % number
    graph = lines.parse(line.encode())
    assert (graph.unreadable, names(graph)) == ([], ["x"])
    assert graph.dump() == line.encode()
    graph.set_observations(graph.entities[0], ["7"])
    assert graph.dump() == line.replace('s":[]', 's":["7"]').encode()


def test_all_entities_of_a_name_are_found():
    graph = lines.parse(SHOP + b"\n" + DB + b"\n" + SHOP + b"\n")
    assert graph.named("shop") == [graph.entities[0], graph.entities[2]]
    assert (graph.named("db"), graph.named("nobody")) == ([graph.entities[1]], [])
    assert lines.parse(THREE).named("db")[0].name == "db"
    assert lines.parse(THREE).named("nobody") == []


def test_entities_that_are_added_after_others_were_removed_stand_in_their_order():
    graph = lines.parse(THREE)
    graph.add_entity("one", "t", [])
    graph.remove_entities({"shop", "db"})
    graph.add_entity("two", "t", [])
    graph.add_relation("one", "two", "r")
    graph.add_entity("three", "t", [])
    assert [r.get("name", "-") for r in records(graph.dump())] == ["one", "two", "three", "-"]


def test_records_of_unknown_types_stay_where_they_are_when_others_change():
    kept = b'{"type":"event",  "at":1}'
    graph = lines.parse(kept + b"\n" + THREE + kept + b"\n")
    assert graph.others == 2
    graph.set_observations(graph.by_name["db"], ["x"])
    assert graph.dump().splitlines()[0] == graph.dump().splitlines()[-1] == kept


def test_a_lone_surrogate_is_written_as_its_escape():
    graph = lines.parse(SHOP + b"\n")
    graph.set_observations(graph.entities[0], ["\ud800 é"])
    again = lines.parse(graph.dump())
    assert again.entities[0].observations == ["\ud800 é"]
    graph.dump().decode()


def test_setting_what_is_there_already_changes_nothing():
    graph = lines.parse(THREE)
    graph.set_observations(graph.entities[0], list(graph.entities[0].observations))
    assert graph.remove_entities({"nobody"}) == (0, 0)
    assert graph.remove_relations({("shop", "db", "owns")}) == 0
    graph.rename("nobody", "somebody")
    assert not graph.changed
    assert graph.dump() == THREE


def test_an_entity_goes_with_every_relation_that_touches_it():
    graph = lines.parse(THREE + USES + b"\n")
    assert graph.remove_entities({"db"}) == (1, 2)
    assert graph.dump() == SHOP + b"\n"
    assert (graph.degree("shop"), graph.has_relation(("shop", "db", "uses"))) == (0, False)


def test_relations_of_a_name_that_no_entity_has_go_with_it_too():
    graph = lines.parse(SHOP + b"\n" + USES + b"\n")
    assert graph.remove_entities({"db"}) == (0, 1)


def test_of_two_entities_of_one_name_the_first_is_meant_and_both_go():
    other = SHOP.replace(b"sells", b"buys")
    graph = lines.parse(SHOP + b"\n" + other + b"\n")
    assert graph.by_name["shop"] is graph.entities[0]
    assert graph.remove_entities({"shop"}) == (2, 0)


def test_a_rename_is_followed_by_both_ends_of_relations():
    itself = b'{"type":"relation","from":"shop","to":"shop","relationType":"calls"}\n'
    graph = lines.parse(THREE + itself)
    graph.rename("shop", "store")
    assert keys(graph) == [("store", "db", "uses"), ("store", "store", "calls")]
    assert (graph.degree("store"), graph.degree("shop")) == (2, 0)
    assert lines.parse(graph.dump()).by_name["store"].observations == ["sells", "2026-03-02: up"]
    assert graph.dump().splitlines()[1] == DB


def test_what_search_remembers_of_an_entity_goes_when_it_changes():
    graph = lines.parse(THREE)
    first, second = graph.entities
    first.folded = second.folded = "seen"
    graph.set_observations(first, ["other"])
    assert (first.folded, second.folded) == (None, "seen")
    graph.rename("db", "store")
    assert second.folded is None


def test_what_is_looked_up_agrees_after_every_kind_of_change():
    graph = lines.parse(THREE)
    assert graph.degree("db") == 1  # everything that is remembered is filled
    assert graph.has_relation(("shop", "db", "uses"))
    queue = graph.add_entity("queue", "t", [])
    twin = graph.add_entity("queue", "t", [])
    made = graph.add_relation("queue", "queue", "r")
    assert graph.entities[-2:] == [queue, twin]
    assert graph.by_name["queue"] is queue
    assert list(graph.touching("queue")) == [made]
    assert graph.has_relation(made.key)
    assert graph.remove_relations({made.key}) == 1
    assert (graph.degree("queue"), graph.has_relation(made.key)) == (0, False)


# -- properties --------------------------------------------------------------------------------

texts = st.text(st.characters(), max_size=12) | st.sampled_from(
    ["", "a", "b", "日本", "\ud800", '"', "\\", "\u2028"]
)
extra = st.dictionaries(st.sampled_from(["x", "tags"]), st.none() | st.integers() | texts, max_size=1)
entities = st.builds(
    lambda name, kind, held, more: (
        {"type": "entity", "name": name, "entityType": kind, "observations": held, **more}
    ),
    texts, texts, st.lists(texts, max_size=3), extra,
)  # fmt: skip
relations = st.builds(
    lambda a, b, kind, more: {"type": "relation", "from": a, "to": b, "relationType": kind, **more},
    texts, texts, texts, extra,
)  # fmt: skip
others = st.builds(lambda kind, more: {"type": "x" + kind, **more}, texts, extra)


@given(
    st.lists(st.binary(max_size=30) | st.sampled_from([SHOP, DB, USES, b"", b"\r", b"{}"]), max_size=6).map(
        b"\n".join
    )
)
@example(b"\xef\xbb\xbf\r")
@example(b"\r\n{}")
def test_any_bytes_are_read_and_every_line_is_in_the_graph_or_told(data):
    graph = lines.parse(data)
    body = data.removeprefix(lines.BOM)
    wanted = body.split(b"\n") if body else []
    for _, raw, _ in graph.unreadable:
        wanted.remove(raw)
    written = graph.dump().removeprefix(lines.BOM)
    assert [line for line in written.split(b"\n") if line] == [line for line in wanted if line]
    if not graph.unreadable:
        assert graph.dump() == data
    again = lines.parse(graph.dump())
    assert again.unreadable == []
    assert (names(again), keys(again)) == (names(graph), keys(graph))


@given(st.lists(entities | relations | others, max_size=8), st.sampled_from([b"\n", b"\r\n"]))
def test_every_record_reads_as_it_was_written(wanted, end):
    data = end.join(json.dumps(record, ensure_ascii=True).encode() for record in wanted)
    graph = lines.parse(data)
    assert graph.unreadable == []
    assert names(graph) == [r["name"] for r in wanted if r["type"] == "entity"]
    assert keys(graph) == [(r["from"], r["to"], r["relationType"]) for r in wanted if r["type"] == "relation"]
    assert graph.others == sum(r["type"].startswith("x") for r in wanted)


@given(st.lists(entities | relations | others, max_size=6), entities, relations, texts, texts)
def test_a_changed_graph_reads_as_it_stands(wanted, entity, relation, old, new):
    data = b"".join(json.dumps(record).encode() + b"\n" for record in wanted)
    graph = lines.parse(data)
    graph.add_entity(entity["name"], entity["entityType"], entity["observations"])
    graph.add_relation(relation["from"], relation["to"], relation["relationType"])
    for one in graph.entities:
        graph.set_observations(one, [*one.observations, new])
    graph.rename(old, new)
    again = lines.parse(graph.dump())
    assert again.unreadable == []
    assert [(e.name, e.type, e.observations) for e in again.entities] == [
        (e.name, e.type, e.observations) for e in graph.entities
    ]
    assert keys(again) == keys(graph)
    assert again.others == graph.others
    extras = [{k: v for k, v in r.items() if k in ("x", "tags")} for r in wanted]
    kept = [{k: v for k, v in r.items() if k in ("x", "tags")} for r in records(graph.dump())]
    assert sorted(map(repr, filter(None, kept))) == sorted(map(repr, filter(None, extras)))

"""The reference server's shapes: its text, its structured content, and how both are capped alike."""

import json

from hypothesis import given
from hypothesis import strategies as st

from foreword.graph import change, lines, reference, search


def graph_of(*entities, relations=()):
    """A Graph of (name, type, observations...) and (from, type, to)."""
    graph = lines.Graph()
    for name, kind, *observations in entities:
        graph.add_entity(name, kind, observations)
    for from_, kind, to in relations:
        graph.add_relation(from_, to, kind)
    return graph


CHAIN = graph_of(
    ("a", "t", "lantern"), ("b", "t", "zebra lantern"), ("c", "u"), ("a", "t", "again lantern"),
    relations=[("a", "uses", "b"), ("b", "uses", "c"), ("c", "uses", "x"), ("x", "uses", "y")],
)  # fmt: skip


def names(structured):
    return [entity["name"] for entity in structured["entities"]]


def ends(structured):
    return [(relation["from"], relation["to"]) for relation in structured["relations"]]


_ANY = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
_TEXTS = st.lists(_ANY, max_size=3)


@given(st.lists(st.tuples(_ANY, _ANY, _TEXTS), max_size=3), st.lists(st.tuples(_ANY, _ANY, _ANY), max_size=3))
def test_texts_are_json_with_two_spaces_as_the_reference_prints_it(entities, relations):
    graph = graph_of(*((name, kind, *texts) for name, kind, texts in entities), relations=relations)
    done = change.Done()
    done.created, done.relations = graph.entities, graph.relations
    done.added = [(name, texts) for name, _, texts in entities]
    made = {
        "read": reference.read_graph(graph),
        "search": reference.search(search.find(graph, "")),
        "open": reference.open_nodes(graph, [name for name, *_ in entities]),
    }
    for text, structured, meta in made.values():
        assert text == json.dumps(structured, indent=2, ensure_ascii=False)
        assert meta is None
    for text, structured, _ in (reference.created(done), reference.related(done), reference.added(done)):
        (bare,) = structured.values()
        assert text == json.dumps(bare, indent=2, ensure_ascii=False)
    shaped = reference.shape(graph, graph.entities)
    assert shaped == made["read"][1]
    assert reference.text_of(shaped) == made["read"][0]


def test_half_of_a_surrogate_pair_is_written_as_its_escape():
    graph = graph_of(("a\ud800", "t", "é\udfff"))
    text, structured, _ = reference.read_graph(graph)
    assert '"a\\ud800"' in text and '"é\\udfff"' in text
    assert json.loads(text.encode()) == structured


def test_the_order_is_the_files_and_names_may_repeat():
    _, structured, _ = reference.read_graph(CHAIN)
    assert names(structured) == ["a", "b", "c", "a"]
    assert ends(structured) == [("a", "b"), ("b", "c"), ("c", "x"), ("x", "y")]
    assert structured["entities"][0] == {"name": "a", "entityType": "t", "observations": ["lantern"]}
    assert structured["relations"][0] == {"from": "a", "to": "b", "relationType": "uses"}


def test_relations_with_one_end_among_the_entities_come_with_them():
    _, structured, _ = reference.open_nodes(CHAIN, ["b", "nowhere"])
    assert (names(structured), ends(structured)) == (["b"], [("a", "b"), ("b", "c")])
    _, structured, _ = reference.open_nodes(CHAIN, ["B"])
    assert structured == {"entities": [], "relations": []}
    _, structured, _ = reference.read_graph(CHAIN, "u")
    assert (names(structured), ends(structured)) == (["c"], [("b", "c"), ("c", "x")])


def test_a_search_gives_all_that_match_or_the_best_of_a_limit():
    assert names(reference.search(search.find(CHAIN, "lantern"))[1]) == ["a", "b", "a"]
    found = search.find(CHAIN, "lantern", 1)
    best = found.rows[0].entity.name
    kept = [name for name in ["a", "b", "a"] if name == best]
    assert names(reference.search(found)[1]) == kept
    assert reference.search(search.find(CHAIN, "lantern nowhere"))[1] == {"entities": [], "relations": []}


def test_deletes_answer_with_the_fixed_sentences():
    done = change.Done()
    for made, what in (
        (reference.entities_deleted, "Entities"),
        (reference.observations_deleted, "Observations"),
        (reference.relations_deleted, "Relations"),
    ):
        told = f"{what} deleted successfully"
        assert made(done) == (told, {"success": True, "message": told}, None)


def test_what_was_created_is_a_bare_list_in_the_text():
    done = change.Done()
    assert reference.created(done) == ("[]", {"entities": []}, None)
    done.added = [("a", [])]
    assert reference.added(done)[0] == ('[\n  {\n    "entityName": "a",\n    "addedObservations": []\n  }\n]')


# -- the cap -----------------------------------------------------------------------------------


def huge(count, length, relations=()):
    return graph_of(*((f"n{n:05}", "t", "lantern " * length) for n in range(count)), relations=relations)


def test_a_huge_graph_is_capped_by_whole_entities_from_the_end_in_both_alike():
    graph = huge(3_000, 60, [(f"n{n:05}", "uses", f"n{n + 1:05}") for n in range(2_999)])
    text, structured, meta = reference.read_graph(graph)
    kept = len(structured["entities"])
    assert reference.CAP - 2_000 < len(text) <= reference.CAP
    assert json.loads(text) == structured
    assert names(structured) == [f"n{n:05}" for n in range(kept)]
    assert len(structured["relations"]) == kept  # the last kept one's relation to one that is left out too
    assert meta == {
        "foreword/truncated": {
            "entitiesLeftOut": 3_000 - kept,
            "relationsLeftOut": 2_999 - kept,
            "charactersAtMost": reference.CAP,
        }
    }


def test_of_a_huge_search_the_least_relevant_are_left_out():
    graph = huge(2_000, 80)
    graph.add_entity("lantern", "t", ["last in the file"])
    text, structured, meta = reference.search(search.find(graph, "lantern"))
    assert len(text) <= reference.CAP and meta is not None
    assert names(structured)[-1] == "lantern"
    assert names(structured)[0] == "n00000"
    assert json.loads(text) == structured


def test_a_capped_search_ranks_all_that_match_and_keeps_the_best():
    graph = huge(2_000, 80)
    for n in range(30):
        graph.add_entity(f"lantern {n:02}", "t", ["x" * 300])
    structured = reference.search(search.find(graph, "lantern"))[1]
    assert {f"lantern {n:02}" for n in range(30)} <= set(names(structured))
    assert len(structured["entities"]) < 2_000


def test_a_hub_keeps_the_relations_that_fit():
    graph = graph_of(("hub", "t"), relations=[("hub", "uses", "x" * 200 + str(n)) for n in range(5_000)])
    text, structured, meta = reference.open_nodes(graph, ["hub"])
    assert reference.CAP - 1_000 < len(text) <= reference.CAP
    assert names(structured) == ["hub"]
    assert meta["foreword/truncated"]["relationsLeftOut"] == 5_000 - len(structured["relations"]) > 0


def test_an_entity_beyond_the_cap_is_left_out_whole():
    graph = graph_of(("a", "t", "x" * reference.CAP), ("b", "t"))
    text, structured, meta = reference.read_graph(graph)
    assert structured == {"entities": [], "relations": []} == json.loads(text)
    assert meta["foreword/truncated"]["entitiesLeftOut"] == 2


def test_what_just_fits_is_whole():
    graph = huge(1, 1)
    size = len(reference.read_graph(graph)[0])
    graph.set_observations(graph.entities[0], ["x" * (reference.CAP - size - 100)])
    assert reference.read_graph(graph)[2] is None
    graph.set_observations(graph.entities[0], ["x" * (reference.CAP - size + 100)])
    assert reference.read_graph(graph)[2] is not None

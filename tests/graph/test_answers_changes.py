"""What the graph's tools tell a model of a change: what was done, what was not, and never too much of it."""

from foreword.graph import answers, change, lines, place
from foreword.graph.lines import Entity


def done(**what):
    made = change.Done()
    for name, value in what.items():
        assert hasattr(made, name)
        setattr(made, name, value)
    return made


def test_creating_tells_what_was_left_as_it_is():
    made = done(
        created=[Entity("a", "t", []), Entity("b", "t", [])],
        existing=["shop"],
        archived={"a": ["x", "y", "z"]},
        set_aside=2,
    )
    assert answers.created(made) == (
        "Created 2 entities: a, b.\n"
        "shop exists already, left as it is: add_observations adds to it.\n"
        "a: 3 oldest moved to the archive (archived_observations).\n"
        "2 unreadable lines of the graph's file were set aside: `foreword graph lint`."
    )
    assert answers.created(done(existing=["a", "b", "a"])) == (
        "Nothing created.\na, b exist already, left as they are: add_observations adds to them."
    )


def test_relating_tells_what_is_there_already_and_which_names_nobody_has():
    made = done(relations=[lines.Relation("a", "b", "uses")], known=[("a", "c", "uses")], dangling=["b"])
    assert answers.related(made) == (
        "Created 1 relation.\nAlready there: a -uses-> c.\n"
        'No entity is named "b" yet: create_entities makes one.'
    )
    assert answers.related(done()) == "No relation created."


def test_adding_names_what_was_there_already_beside_what_is_new(tmp_path):
    file = place.open_graph(str(tmp_path / "memory.jsonl"), environ={})
    change.create_entities(file, [{"name": "shop", "entityType": "t", "observations": ["sells"]}])
    done = change.add_observations(file, [{"entityName": "shop", "contents": ["sells", "buys"]}])
    assert answers.added(done) == 'shop: 1 added, 2 now.\nThere already: "sells" in shop.'


def test_adding_tells_of_each_entity_how_many_it_has_now():
    made = done(added=[("a", ["x"]), ("b", [])], counts={"a": 4, "b": 2})
    assert answers.added(made) == "a: 1 added, 4 now.\nb: nothing new, all there, 2 now."
    assert answers.added(done()) == "Nothing added."


def test_deleting_tells_what_went_and_what_was_not_there():
    made = done(deleted=1, relations_deleted=2, archive_deleted=3, unknown=["x"])
    assert answers.entities_deleted(made) == (
        "Deleted 1 entity with 2 relations and 3 archived observations.\n"
        'Not found: "x" (search_nodes finds names).'
    )
    made = done(deleted=2, unknown=["x"], unmatched=[("a", "gone\nlong ago")])
    assert answers.observations_deleted(made) == (
        'Deleted 2 observations.\nNo entity is named "x" (search_nodes finds names).\n'
        'Not there: "gone long ago" in a.\nAn observation is named by its exact text, as open_nodes shows it.'
    )
    made = done(unmatched=[("a", "b", "uses")])
    assert answers.relations_deleted(made) == "Deleted 0 relations.\nNot there: a -uses-> b."


def test_renaming_and_restoring_tell_what_followed():
    made = done(renamed=("a", "b"), relations=[lines.Relation("b", "c", "uses")])
    assert answers.renamed(made) == "Renamed a to b. 1 relation followed."
    assert answers.renamed(done()) == "Nothing renamed: the names are the same."
    made = done(restored=["x"], counts={"a": 16}, unmatched=[("a", "y")])
    assert answers.restored(made) == ('Restored 1 observation.\na has 16 now.\nNot in the archive: "y" in a.')


def test_many_of_a_kind_are_counted_not_named():
    told = answers.created(done(existing=[f"n{n}" for n in range(5_000)]))
    assert "n9, and 4,990 more exist already" in told and len(told) < 300
    told = answers.added(done(added=[(f"n{n}", ["x"]) for n in range(5_000)]))
    assert told.endswith("… 4,950 more entities.")


_LONG = '"; \u200b#' * 5_000


def test_no_answer_about_a_change_is_longer_than_its_bound():
    many = [f"{n}{_LONG}" for n in range(200)]
    pairs = [(name, name) for name in many]
    counts = dict.fromkeys(many, 10**6)
    keys = [(name, name, name) for name in many]
    archived = {name: ["x"] * 1_000 for name in many}
    graph = lines.Graph()
    for name in many[:2]:
        graph.add_entity(name, "t", [])
    for told in (
        answers.created(
            done(created=[Entity(n, n, [n]) for n in many], existing=many, archived=archived, set_aside=2)
        ),
        answers.related(done(relations=[lines.Relation(*keys[0])], known=keys, dangling=many, set_aside=2)),
        answers.added(
            done(added=[(n, [n]) for n in many], counts=counts, present=pairs, archived=archived, set_aside=2)
        ),
        answers.entities_deleted(done(deleted=200, relations_deleted=2, archive_deleted=3, unknown=many)),
        answers.observations_deleted(done(unknown=many, unmatched=pairs, set_aside=2)),
        answers.relations_deleted(done(unmatched=keys, set_aside=2)),
        answers.renamed(done(renamed=(many[0], many[1]), relations=[lines.Relation(*keys[0])], set_aside=2)),
        answers.restored(done(restored=many, counts={many[0]: 16}, unmatched=pairs, set_aside=2)),
        answers.unknown(graph, many),
    ):
        assert len(told) <= answers.CHANGE_MOST

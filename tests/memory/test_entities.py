"""Entities of the knowledge graph in `foreword search` and `foreword show`, beside the memories."""

import json
import os
import subprocess
import sys

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from foreword import memory
from foreword.errors import ForewordError
from foreword.graph import change, place
from foreword.memory import entities

SHOP = ["2026-03-02: deployed 2.4.0 to production", "2026-01-09: moved to Postgres 15", "owned by payments"]


def entity(name, observations=(), kind="service"):
    return {"name": name, "entityType": kind, "observations": list(observations)}


@pytest.fixture
def graph(tmp_path):
    """The GraphFile of the store, with a shop and its database."""
    file = place.open_graph()
    change.create_entities(
        file, [entity("shop-backend", SHOP), entity("ledger", ["double entry"], "database")]
    )
    change.create_relations(file, [{"from": "shop-backend", "to": "ledger", "relationType": "writes to"}])
    return file


@pytest.fixture
def project(tmp_path):
    (tmp_path / "repo").mkdir()
    return memory.open_project(str(tmp_path / "repo"), create=True)


def saved(project, body, title):
    """Save a fact; its id."""
    return memory.save(project, body, title=title)["id"]


def run(*arguments, code=0, **options):
    """One command line in the project's folder; (stdout, stderr)."""
    done = subprocess.run(
        [sys.executable, "-I", "-m", "foreword.cli", *arguments],
        capture_output=True,
        cwd=options.pop("cwd", os.path.join(os.path.dirname(os.environ["HOME"]), "repo")),
        env={**os.environ, "COLUMNS": "80", **options},
        timeout=60,
    )
    out, err = done.stdout.decode(), done.stderr.decode()
    assert done.returncode == code, (out, err)
    assert "Traceback" not in err
    return out, err


def ids(rows):
    return [row["id"] for row in rows]


# -- rows ------------------------------------------------------------------------------------------


def test_a_row_of_an_entity_has_the_keys_of_a_memorys(project, graph):
    saved(project, "The deployment runs at night.", title="Nights")
    fact, shop = entities.search(project, "deploy")
    assert set(fact) <= set(shop)
    assert shop == {
        "id": "shop-backend", "type": "entity", "title": "shop-backend [service]",
        "created": "2026-03-02T00:00:00.000000Z", "dated": True, "project": "graph",
        "snippet": "2026-03-02: deployed 2.4.0 to production", "archived": False, "global": True,
        "superseded_by": "", "offer": "usual", "observations": 3, "relations": 1,
    }  # fmt: skip


def test_where_no_observation_has_a_day_that_exists_the_files_time_stands(project, graph):
    change.create_entities(graph, [entity("odd", ["2026-02-31: nobody knows zebras"])])
    os.utime(graph.path, (1_700_000_000, 1_700_000_000))
    [row] = entities.search(project, "zebras")
    assert (row["created"], row["dated"]) == ("2023-11-14T22:13:20.000000Z", False)


def test_without_a_graph_only_memories_are_found_and_nothing_is_made(project):
    fact = saved(project, "The deployment runs at night.", title="Nights")
    assert ids(entities.search(project, "deployment")) == [fact]
    assert entities.search(project, "deployment", type="entity") == []
    assert not os.path.exists(os.path.join(project.home, "graph"))


def test_the_type_chooses(project, graph):
    fact = saved(project, "The deployment runs at night.", title="Nights")
    assert ids(entities.search(project, "deploy", type="fact")) == [fact]
    assert ids(entities.search(project, "deploy", type="entity")) == ["shop-backend"]
    assert entities.search(project, "deploy", type="note") == []


def test_the_file_that_the_environment_names_is_searched(project, graph, tmp_path, monkeypatch):
    other = place.open_graph(str(tmp_path / "other.jsonl"))
    change.create_entities(other, [entity("elsewhere", ["a zebra"])])
    assert entities.search(project, "zebra") == []
    monkeypatch.setenv("MEMORY_FILE_PATH", other.path)
    assert ids(entities.search(project, "zebra")) == ["elsewhere"]


def test_memory_search_itself_finds_no_entities(project, graph):
    assert memory.search(project, "shop-backend") == []


# -- order -----------------------------------------------------------------------------------------


def test_memories_and_entities_that_hold_all_words_take_turns(project, graph):
    facts = [saved(project, f"The deployment number {n} ran.", title=f"Nights {n}") for n in range(3)]
    change.create_entities(graph, [entity(f"job {n}", ["deployment"]) for n in range(3)])
    rows = entities.search(project, "deployment", limit=10)
    assert [row["type"] for row in rows] == ["fact", "entity"] * 3
    assert {*facts} < set(ids(rows))
    assert ids(rows)[::2] == ids(memory.search(project, "deployment"))
    assert ids(entities.search(project, "deployment", limit=3)) == ids(rows)[:3]


def test_an_entity_that_holds_all_words_stands_above_memories_that_do_not(project, graph):
    fact = saved(project, "The deployment runs at night.", title="Production")
    rows = entities.search(project, "deployed production postgres")
    assert ids(rows) == ["shop-backend", fact]
    assert rows.nearest is False


def test_an_entity_stands_first_where_the_query_is_its_name(project, graph):
    for n in range(3):
        saved(project, f"shop-backend has its file {n}.", title=f"shop-backend {n}")
    rows = entities.search(project, "  SHOP-backend ")
    assert rows[0]["id"] == "shop-backend"
    assert [row["type"] for row in rows[1:]] == ["fact"] * 3


def test_entities_that_lack_a_word_stand_back_where_a_memory_holds_all(project, graph):
    fact = saved(project, "The zebra was deployed.", title="Zebra")
    assert ids(entities.search(project, "zebra deployed")) == [fact]
    rows = entities.search(project, "zebra deployed giraffe")
    assert ids(rows)[:2] == [fact, "shop-backend"]
    assert rows.nearest is True


def test_a_memory_that_lacks_the_quoted_phrase_stands_below_the_entity_that_has_it(project, graph):
    fact = saved(project, "To production it was deployed.", title="Turned round")
    assert ids(entities.search(project, '"to production" deployed')) == [fact, "shop-backend"]
    assert ids(entities.search(project, '"2.4.0 to production"')) == ["shop-backend", fact]


def test_entities_that_lack_a_word_take_turns_with_the_memories_nearest_to_a_quoted_phrase(project, graph):
    """No memory holds the phrase: entities that do not hold it either stood above all of them."""
    fact = saved(project, "The giraffe was deployed, and it was blue.", title="Giraffe")
    other = saved(project, "Another giraffe was deployed.", title="Savanna")
    rows = entities.search(project, '"blue giraffe" deployed crocodile')
    assert rows.nearest is True
    assert {fact, other} == {ids(rows)[0], ids(rows)[2]}
    assert ids(rows)[1] == "shop-backend"


def test_explained_entities_say_why_they_stand_there(project, graph):
    saved(project, "The deployment runs at night.", title="Nights")
    told = {row["id"]: row["why"] for row in entities.search(project, "deploy", explain=True)}
    labels = [reason["label"] for reason in told["shop-backend"]]
    assert labels[0].startswith("holds all of the words")
    assert "takes turns" in labels[1]
    [row] = entities.search(project, "ledger", type="entity", limit=1, explain=True)
    assert [reason["label"] for reason in row["why"]] == ["its name is what was asked"]


# -- archive ---------------------------------------------------------------------------------------


def test_archived_observations_are_found_when_asked_for(project, graph):
    graph.archive.add("shop-backend", ["2020-05-05: the zebra release"])
    graph.archive.add("gone", ["2019-01-01: a zebra nobody has"])
    assert entities.search(project, "zebra") == []
    rows = entities.search(project, "zebra", archived=True)
    assert sorted(ids(rows)) == ["gone", "shop-backend"]
    shop = rows[ids(rows).index("shop-backend")]
    assert (shop["archived"], shop["title"], shop["created"][:10]) == (
        True, "shop-backend [service]", "2020-05-05",
    )  # fmt: skip
    assert rows[ids(rows).index("gone")]["title"] == "gone"
    assert entities.search(project, "postgres", archived=True) == []


# -- what is wrong ---------------------------------------------------------------------------------


def test_a_graph_that_cannot_be_read_does_not_hide_the_memories(project, graph):
    fact = saved(project, "The deployment runs at night.", title="Nights")
    os.remove(graph.path)
    os.mkdir(graph.path)
    rows = entities.search(project, "deployment")
    assert ids(rows) == [fact]
    assert graph.path in str(rows.problem)
    with pytest.raises(ForewordError):
        entities.search(project, "deployment", type="entity")
    out, err = run("search", "deployment", "--json")
    assert ids(json.loads(out)) == [fact]
    assert "was not searched" in err
    run("search", "deployment", "--type", "entity", code=2)


def test_damaged_lines_hide_nothing_else(project, graph):
    with open(graph.path, "ab") as f:
        f.write(b'{"type":"entity","name":\n\xff\xfe\n')
    assert ids(entities.search(project, "deploy")) == ["shop-backend"]


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(query=st.text(max_size=30))
def test_any_query_gives_rows(project, graph, query):
    for kind in ("", "entity"):
        for archived in (False, True):
            rows = entities.search(project, query, limit=5, type=kind, archived=archived, explain=True)
            assert len(rows) <= 5
            assert len(rows) == len(rows.standing)


# -- the command line ------------------------------------------------------------------------------


def test_search_prints_an_entity_with_its_counts_and_passage(project, graph):
    out, _ = run("search", "deploy")
    assert out.splitlines() == [
        "shop-backend [service]  2026-03-02  entity, 3 observations, 1 relation",
        "    2026-03-02: deployed 2.4.0 to production",
    ]
    out, _ = run("search", "double", "--type", "entity")
    assert out.splitlines()[0] == "ledger [database]  entity, 1 observation, 1 relation"


def test_search_prints_no_line_wider_than_the_terminal_and_no_control_character(project, graph):
    change.create_entities(graph, [entity("long \x1b[31m" + "name " * 60, ["zebra \x1b]0;t\x07 " * 15])])
    out, _ = run("search", "zebra")
    assert all(len(line) <= 80 for line in out.splitlines())
    assert not [c for c in out if ord(c) < 32 and c != "\n"]


def test_search_says_that_nothing_holds_all_words_where_an_entity_is_among_the_nearest(project, graph):
    assert run("search", "deployed", "giraffe")[1] == "nothing holds all of these words; nearest:\n"
    saved(project, "A giraffe.", title="Giraffe")
    _, err = run("search", "giraffe", "crocodile")
    assert err == "no memory holds all of these words; nearest:\n"


def test_show_prints_an_entity_whole(project, graph):
    graph.archive.add("shop-backend", ["2020-05-05: first line\nsecond line"])
    out, _ = run("show", "shop-backend")
    assert out.splitlines() == [
        "shop-backend [service]",
        "type    entity",
        "newest  2026-03-02",
        "file    ~/.foreword/graph/memory.jsonl",
        "",
        *("- " + text for text in SHOP),
        "",
        "Relations",
        "- shop-backend -writes to-> ledger",
        "",
        "1 observation in the archive",
        "- 2020-05-05: first line",
        "  second line",
    ]
    shown = json.loads(run("show", "shop-backend", "--json")[0])
    assert shown["observations"] == SHOP
    assert shown["relations"] == [{"from": "shop-backend", "to": "ledger", "relationType": "writes to"}]


def test_show_takes_a_name_of_several_words_and_from_any_folder(project, graph):
    change.create_entities(graph, [entity("the night shift", ["sleeps"])])
    assert "- sleeps" in run("show", "the", "night", "shift")[0]
    assert "- sleeps" in run("show", "the night shift", cwd=os.environ["HOME"])[0]


def test_an_id_counts_before_a_name(project, graph):
    fact = saved(project, "A fact.", title="A fact of its own")
    change.create_entities(graph, [entity(fact, ["an entity"])])
    assert "A fact of its own" in run("show", fact)[0]


def test_entities_of_one_name_are_shown_together(project, graph):
    with open(graph.path, "ab") as f:
        f.write(b'{"type":"entity","name":"ledger","entityType":"other","observations":["twice"]}\n')
    found = entities.read("ledger")
    assert (found["entity_type"], found["observations"]) == ("database", ["double entry", "twice"])


def test_what_only_the_archive_knows_is_shown_as_archived(project, graph):
    graph.archive.add("gone", ["2019-01-01: was here"])
    out, _ = run("show", "gone")
    assert out.splitlines()[1] == "type    entity (archived)"
    assert out.splitlines()[-1] == "- 2019-01-01: was here"


def test_show_offers_the_name_that_was_meant(project, graph):
    _, err = run("show", "Shop-Backend", code=1)
    assert "no entity has that name" in err
    assert "hint: foreword show shop-backend" in err
    assert run("show", "nothing like it at all", code=1)[1].endswith("hint: foreword list\n")


def test_what_is_deleted_from_the_graph_is_found_no_more(project, graph):
    change.delete_observations(graph, [{"entityName": "shop-backend", "observations": [SHOP[0]]}])
    assert entities.search(project, "2.4.0", type="entity") == []
    change.delete_entities(graph, ["ledger"])
    assert entities.read("ledger") is None


# -- where no project is, and what is no memory ----------------------------------------------------


@pytest.mark.parametrize("folder", [os.sep, "~"])
def test_entities_are_searched_and_shown_outside_any_project(graph, folder):
    outside = os.path.expanduser(folder)
    out, err = run("search", "deployed", "--type", "entity", "--json", cwd=outside)
    assert (ids(json.loads(out)), err) == (["shop-backend"], "")
    run("search", "quokka", "--type", "entity", code=1, cwd=outside)
    assert run("show", "shop-backend", cwd=outside)[0].startswith("shop-backend [service]\n")


def test_who_searches_outside_any_project_is_told_how_to_search_the_graph(graph):
    out, err = run("search", "deployed", code=1, cwd=os.sep)
    assert out == ""
    assert "--type entity" in err
    assert "--type entity" not in run("search", "deployed", "--type", "fact", code=1, cwd=os.sep)[1]
    missing = os.path.join(os.environ["HOME"], "missing")
    run("search", "deployed", "--type", "entity", "--project", missing, code=1, cwd=os.sep)


@pytest.mark.parametrize("verb", ["delete", "archive", "restore", "pin", "reject", "edit"])
def test_a_verb_for_memories_says_how_an_entity_is_changed(project, graph, verb):
    options = {"EDITOR": "true"} if verb == "edit" else {}
    _, err = run(verb, "shop-backend", code=1, **options)
    assert "no memory of this project has the id 'shop-backend'" in err
    assert "delete_entities" in err
    assert graph.path in err
    assert run(verb, "nobody", code=1, **options)[1].endswith("hint: foreword list\n")
    assert graph.read().by_name.keys() == {"shop-backend", "ledger"}


def test_an_entity_of_which_only_the_archive_knows_is_named_too(project, graph):
    graph.archive.add("gone", ["2020-01-01: made"])
    assert "'gone' is an entity" in run("delete", "gone", code=1)[1]


def test_a_graph_that_cannot_be_read_changes_nothing_about_an_unknown_id(project, graph):
    os.unlink(graph.path)
    os.mkdir(graph.path)
    assert run("delete", "shop-backend", code=1)[1].endswith("hint: foreword list\n")

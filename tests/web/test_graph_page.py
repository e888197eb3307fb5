"""The pages of the knowledge graph: what is in it, one entity, what is odd, what is wrong with its file."""

import html
import json
import os
import re

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from foreword import files
from foreword.graph import place, search
from foreword.graph.archive import Archive
from foreword.web.pages import graph as pages
from web.conftest import Site

# As JSON can say it, halves of characters included.
LETTERS = st.characters(exclude_categories=())
NAMES = st.text(LETTERS, min_size=1, max_size=60)


def entity(name, kind="service", *observations):
    return {"type": "entity", "name": name, "entityType": kind, "observations": list(observations)}


def relation(from_, to, verb="uses"):
    return {"type": "relation", "from": from_, "to": to, "relationType": verb}


def written(home, *records):
    """The path of the store's graph, with these records; a str is a line as it is."""
    path = place.default(home)
    os.makedirs(os.path.dirname(path), 0o700, exist_ok=True)
    lines = [record if isinstance(record, str) else json.dumps(record) for record in records]
    with open(path, "w", encoding="utf-8") as f:
        f.write("".join(line + "\n" for line in lines))
    os.chmod(path, 0o600)
    return path


def names(text):
    """The names of the entities in a list, in order, as they are shown."""
    return [
        html.unescape(name)
        for name in re.findall(r'class="title"><a[^>]*><bdi class="cut">(.*?)</bdi>', text)
    ]


def words(text):
    """The text of a page, without tags and on one line."""
    return " ".join(html.unescape(re.sub(r"<[^>]*>", " ", text)).split())


# -- nothing there -----------------------------------------------------------------------------


def test_without_a_graph_the_page_says_how_to_begin_and_makes_nothing(site, home):
    for path in ("/graph", "/graph/lint"):
        assert "foreword graph on" in words(site.page(path))
    assert not os.path.exists(home)


def test_an_empty_graph_that_is_on_is_not_to_be_switched_on_again(site, home):
    written(home)
    with open(os.path.join(home, "config.toml"), "w", encoding="utf-8") as f:
        f.write("[graph]\non = true\n")
    text = words(site.page("/graph"))
    assert "The graph is empty" in text
    assert "foreword graph on" not in text


def test_a_graph_that_is_off_says_so_beside_what_it_holds(site, home):
    written(home, entity("shop"))
    assert "The graph is off for clients: foreword graph on" in words(site.page("/graph"))


# -- the list ----------------------------------------------------------------------------------


def test_types_stand_with_their_counts_the_most_used_first(site, home):
    written(home, entity("a", "host"), entity("b", "service"), entity("c", "service"), entity("d", " "))
    text = words(site.page("/graph"))
    assert "4 entities and 0 relations" in text
    assert "All 4 service 2 no type 1 host 1" in text


def test_a_type_leaves_only_its_entities_also_one_without_a_name(site, home):
    written(home, entity("a", "host"), entity("b", "service"), entity("c", ""))
    assert names(site.page("/graph?type=host")) == ["a"]
    assert names(site.page("/graph?type=")) == ["c"]
    assert "No entity matches" in words(site.page("/graph?type=nothing"))


def test_what_is_found_stands_in_the_order_of_the_search_of_the_tools(site, home):
    path = written(
        home,
        entity("gateway", "service", "retries an upload three times"),
        entity("upload", "service", "parts of 8 MB"),
        entity("shop", "service", "sends an upload to the gateway", "upload again"),
        entity("ledger", "service", "adds up"),
    )
    found = search.find(place.open_graph(path).read(), "upload")
    text = site.page("/graph?q=upload")
    assert names(text) == [row.entity.name for row in found.rows]
    assert "ledger" not in names(text)
    assert "retries an upload three times" in words(text)


def test_a_search_without_a_match_shows_what_is_nearest_and_says_so(site, home):
    written(home, entity("gateway", "service", "retries an upload"), entity("shop", "service", "sells"))
    text = site.page("/graph?q=upload+zebra")
    assert names(text) == ["gateway"]
    assert "No entity holds all of it" in words(text)


def test_a_search_within_a_type_keeps_both(site, home):
    written(home, entity("api one", "service"), entity("api two", "host"), entity("other", "host"))
    text = site.page("/graph?q=api&type=host")
    assert names(text) == ["api two"]
    assert 'name="type" value="host"' in text
    assert 'name="q" type="search" value="api"' in text


def test_fifty_stand_on_a_page_and_every_entity_on_one_of_them(site, home):
    written(home, *(entity(f"e{n:03d}") for n in range(120)))
    seen = [names(site.page(f"/graph?page={n}")) for n in (1, 2, 3)]
    assert [len(some) for some in seen] == [50, 50, 20]
    assert len({name for some in seen for name in some}) == 120
    assert "51–100 of 120" in words(site.page("/graph?page=2"))


@pytest.mark.parametrize(("page", "first"), [("0", "e000"), ("-1", "e000"), ("x", "e000"), ("99", "e100")])
def test_a_page_that_is_not_there_is_the_nearest_that_is(site, home, page, first):
    written(home, *(entity(f"e{n:03d}") for n in range(120)))
    assert names(site.page(f"/graph?page={page}"))[0] == first


def test_the_next_page_keeps_the_search_and_the_type(site, home):
    written(home, *(entity(f"e{n:03d}", "big host", "api & more") for n in range(60)))
    text = site.page("/graph?q=api+%26&type=big+host")
    address = re.search(r'rel="next" href="([^"]*)"', text)
    assert address is not None
    following = site.page(html.unescape(address[1]).removeprefix(f"/{site.view.token}"))
    assert len(names(following)) == 10


def test_the_next_page_of_those_without_a_type_has_no_others(site, home):
    written(home, *(entity(f"e{n:03d}", "") for n in range(60)), entity("typed", "host"))
    address = re.search(r'rel="next" href="([^"]*)"', site.page("/graph?type="))
    assert address is not None
    following = names(site.page(html.unescape(address[1]).removeprefix(f"/{site.view.token}")))
    assert (len(following), "typed" in following) == (10, False)


def test_a_search_for_half_of_a_character_is_a_search(site, home):
    written(home, entity("shop \ud83d"), entity("other"))
    assert len(names(site.page("/graph?q=%ed%a0%bd"))) == 1
    assert names(site.page("/graph?q=%ff")) == []


# -- one entity --------------------------------------------------------------------------------


def test_an_entity_shows_observations_relations_and_where_it_is(site, home):
    path = written(
        home,
        entity("shop", "service", "2026-03-02: deployed 2.4.0", "sells <b>things</b>"),
        entity("db", "host"),
        relation("shop", "db"),
        relation("amara", "shop", "maintains"),
    )
    text = site.page("/graph/entity?name=shop")
    assert "service , 2 observations" in words(text)
    assert '<time datetime="2026-03-02">2026-03-02</time>' in text
    assert "sells <b>things</b>" in words(text)
    assert "<b>things" not in text
    assert f'href="/{site.view.token}/graph/entity?name=db"' in text
    assert "shop uses db amara maintains shop no entity" in words(text)
    assert '<svg class="relations"' in text
    assert path in words(text)


def test_a_day_in_brackets_stays_where_it_is(site, home):
    written(home, entity("shop", "service", "[2026-03-02] deployed"))
    assert "[2026-03-02] deployed" in words(site.page("/graph/entity?name=shop"))


def test_an_archive_under_the_name_that_memory_lean_gave_it_is_told_by_its_folder(site, home):
    path = written(home, entity("my shop", "service", "now"))
    folder = os.path.join(os.path.dirname(path), "archive")
    os.mkdir(folder)
    with open(os.path.join(folder, "my_shop.md"), "w", encoding="utf-8") as f:
        f.write("## compacted 2026-03-02 10:00:00 from `my shop`\n- an old thing\n")
    text = words(site.page("/graph/entity?name=my+shop"))
    assert "an old thing" in text
    assert f"Archive {folder} " in text


def test_what_was_archived_stands_with_its_file_and_the_way_back(site, home):
    path = written(home, entity("my shop", "service", "now"))
    archive = Archive(os.path.join(os.path.dirname(path), "archive"))
    archive.add("my shop", ["2026-01-01: first", "second"])
    text = words(site.page("/graph/entity?name=my%20shop"))
    assert "Archived, 2 observations" in text
    assert "2026-01-01 : first second" in text
    assert "foreword graph restore 'my shop'" in text
    (file,) = os.listdir(archive.folder)
    assert os.path.join(archive.folder, file) in text


def test_a_name_that_several_entities_have_shows_each(site, home):
    written(home, entity("shop", "service", "one"), entity("shop", "host", "two"))
    text = words(site.page("/graph/entity?name=shop"))
    assert "Entity 1 of this name: service" in text
    assert "Entity 2 of this name: host" in text


def test_a_name_that_only_relations_or_an_archive_have_is_shown_for_what_it_is(site, home):
    path = written(home, entity("shop"), relation("shop", "gone"))
    Archive(os.path.join(os.path.dirname(path), "archive")).add("older", ["left"])
    assert "No entity has this name; relations name it." in words(site.page("/graph/entity?name=gone"))
    assert "No entity has this name; an archive is left of it." in words(
        site.page("/graph/entity?name=older")
    )


@pytest.mark.parametrize("query", ["", "?name=", "?name=nobody", "?other=1", "?name=%ff%fe"])
def test_a_name_that_nothing_has_is_not_found(site, home, query):
    written(home, entity("shop"))
    assert "no entity of this name" in words(site.page("/graph/entity" + query, 404))


def test_a_name_that_is_misspelt_leads_to_those_that_may_be_meant(site, home):
    written(home, entity("shop-backend"), entity("zebra"))
    text = site.page("/graph/entity?name=shop-bakend", 404)
    assert f'href="/{site.view.token}/graph/entity?name=shop-backend"' in text
    assert "zebra" not in text


@example(name="shop \ud83d", other="\udc00", kind="\ud83d", said="\ud83d")
@settings(max_examples=40)
@given(name=NAMES, other=NAMES, kind=st.text(LETTERS, max_size=20), said=st.text(LETTERS, max_size=80))
def test_whatever_names_a_graph_holds_each_is_shown_and_led_to(tmp_path_factory, name, other, kind, said):
    home = str(tmp_path_factory.mktemp("graph"))
    site = Site(home)
    written(home, entity(name, kind, said), relation(name, other, kind))
    for path in ("/graph", pages._address(type=kind), "/graph/lint"):
        page = site.page(path)
        assert path == "/graph/lint" or len(names(page)) == 1
    listed = site.page("/graph")
    address = re.search(r'class="title"><a href="([^"]*)"', listed)
    assert address is not None
    led_to = site.page(html.unescape(address[1]).removeprefix(f"/{site.view.token}"))
    assert "no entity of this name" not in led_to
    assert "1 observation<" in led_to
    site.page(pages._path_of(other))


# -- what is odd, what is wrong ----------------------------------------------------------------


def test_findings_stand_by_kind_with_what_to_do_and_lead_to_their_entity(site, home):
    written(home, entity("a b", "x", "said", "said"), relation("a b", "gone"))
    text = site.page("/graph/lint")
    assert "2 findings" in words(text)
    assert "Repeated observation (1)" in words(text)
    assert "No entity (1)" in words(text)
    assert "create_entities" in words(text)
    assert f'href="/{site.view.token}/graph/entity?name=a%20b"' in text
    assert f'href="/{site.view.token}/graph/entity?name=gone"' in text


def test_a_graph_without_a_finding_says_so(site, home):
    written(home, entity("shop", "service", "said"))
    assert "Nothing odd in 1 entity and 0 relations." in words(site.page("/graph/lint"))


def test_of_many_findings_of_a_kind_the_first_stand_with_the_number_of_the_rest(site, home):
    written(home, *(entity(f"e{n}", "x") for n in range(70)))
    page = site.page("/graph/lint")
    assert "Alone (70)" in words(page)
    assert "20 more: foreword graph lint --all" in words(page)
    assert page.count("neither an observation nor a relation") == 50


def test_a_secret_is_named_by_its_kind_alone(site, home):
    key = "AKIA" + "ABCDEFGHIJKLMNOP"
    written(home, entity("shop", "service", f"key {key}"))
    text = site.page("/graph/lint")
    assert "looks like an AWS access key" in words(text)
    assert key not in text


def test_lines_that_are_no_records_are_told_and_the_rest_is_shown(site, home):
    written(home, entity("shop"), "{broken", entity("db"), '{"type": 7}')
    text = site.page("/graph")
    assert "2 lines of the graph's file cannot be read and are left out here: line 2 (no JSON)" in words(text)
    assert sorted(names(text)) == ["db", "shop"]
    assert "line 4" in words(site.page("/graph/lint"))


def test_a_file_of_nothing_but_damage_is_no_empty_graph(site, home):
    written(home, "{broken")
    text = words(site.page("/graph"))
    assert "1 line of the graph's file cannot be read" in text
    assert "No entity can be read." in text
    assert "how to begin" not in text and "foreword graph on --copy" not in text


def test_a_file_that_cannot_be_read_at_all_is_told_on_every_page(site, home):
    os.makedirs(place.default(home))
    assert "is no regular file" in words(site.page("/graph"))
    assert "is no regular file" in words(site.page("/graph/lint"))
    assert "is no regular file" in words(site.page("/graph/entity?name=shop", 404))


def test_the_graph_is_the_one_that_the_environment_names(site, home, tmp_path):
    written(home, entity("of the store"))
    other = tmp_path / "other.jsonl"
    other.write_text(json.dumps(entity("elsewhere")) + "\n")
    site.view.environment = {"MEMORY_FILE_PATH": str(other)}
    assert names(site.page("/graph")) == ["elsewhere"]


def test_looking_changes_nothing(site, home):
    path = written(home, entity("shop", "service", "2026-01-01: said"), "{broken", relation("shop", "gone"))
    before = {at: sorted(found) for at, _, found in os.walk(home)}
    data = files.read(path)
    for page in ("/graph", "/graph?q=shop", "/graph/entity?name=shop", "/graph/lint"):
        site.page(page)
    assert {at: sorted(found) for at, _, found in os.walk(home)} == before
    assert files.read(path) == data

"""What a query finds in a graph, in which order, and which names are offered instead of an unknown one."""

import unicodedata

from hypothesis import assume, example, given
from hypothesis import strategies as st

from foreword.graph import lines, search


def graph_of(*entities, relations=()):
    """A Graph of (name, type, observations...) and (from, type, to)."""
    graph = lines.Graph()
    for name, kind, *observations in entities:
        graph.add_entity(name, kind, observations)
    for from_, kind, to in relations:
        graph.add_relation(from_, to, kind)
    return graph


SHOP = graph_of(
    ("shop-backend", "service", "2026-03-02: deployed 2.4.0 to production", "written in Go", "owns the cart"),
    ("shop-frontend", "service", "written in TypeScript", "deployed by a pipeline"),
    ("Ada Example", "person", "prefers short reviews"),
    ("postgres", "database", "version 15", "holds the carts"),
    ("release day", "process", "every Tuesday the backend is deployed"),
    relations=[
        ("shop-frontend", "depends_on", "shop-backend"),
        ("shop-backend", "stores_in", "postgres"),
        ("Ada Example", "maintains", "shop-backend"),
    ],
)


def names(found):
    return [row.entity.name for row in found.rows]


def snippets(found):
    return {row.entity.name: row.snippets for row in found.rows}


# -- what matches ------------------------------------------------------------------------------


def test_every_word_has_to_stand_in_the_name_the_type_an_observation_or_a_relation():
    assert names(search.find(SHOP, "backend service go")) == ["shop-backend"]
    assert names(search.find(SHOP, "MAINTAINS person")) == ["Ada Example"]
    assert set(names(search.find(SHOP, "stores_in"))) == {"shop-backend", "postgres"}
    found = search.find(SHOP, "backend nowhere")
    assert (found.total, found.matched, found.nearest) == (0, [], True)


def test_the_name_of_a_neighbour_is_no_match():
    assert names(search.find(SHOP, "postgres")) == ["postgres"]


def test_a_quoted_phrase_is_one_word():
    assert set(names(search.find(SHOP, "written in"))) == {"shop-backend", "shop-frontend"}
    assert names(search.find(SHOP, '"written in" go')) == ["shop-backend"]
    assert search.find(SHOP, '"in written"').total == 0
    assert search.words_of('a "b c" "d" ""') == [("a",), ("b c",), ("d",), ('""',)]
    assert search.words_of("A a ä a") == [("a",), ("ä",)]
    assert search.words_of('say "hello') == [("say",), ('"hello',)]


def test_a_query_is_parted_in_time_that_grows_with_its_length(monkeypatch):
    # Quadratic, these took minutes; the bound that hides it from callers is taken away.
    monkeypatch.setattr(search, "LONGEST_QUERY", 10**9)
    for query in ('"' + "a" * 400_000, '"' + " " * 400_000, '"a ' * 130_000, '" ' * 200_000):
        assert len(search.words_of(query)) <= 3


def test_only_the_beginning_of_a_long_query_is_looked_for():
    words = [f"w{n}" for n in range(search.MOST_SOUGHT + 1)]
    assert len(search.words_of(" ".join(words))) == search.MOST_SOUGHT
    assert search.is_long(" ".join(words)) and not search.is_long(" ".join(words[:-1]))
    assert search.words_of("a" * 3_000) == [("a" * search.LONGEST_QUERY,)]
    assert search.is_long("a" * 3_000) and not search.is_long("a" * search.LONGEST_QUERY)
    graph = graph_of(("a", "t", " ".join(words[:-1])), ("b", "t", "other"))
    assert names(search.find(graph, " ".join(words))) == ["a"]
    text = "lorem ipsum " * 400
    graph = graph_of(("a", "t", text), ("b", "t", "other"))
    assert names(search.find(graph, text[:4_000])) == ["a"]


def test_many_words_are_each_looked_for_in_many_verbs():
    verbs = [f"v{n}" for n in range(200)]
    graph = graph_of(("a", "t"), ("b", "t"), relations=[("a", verb, "b") for verb in verbs])
    assert set(names(search.find(graph, " ".join(verbs[100:])))) == {"a", "b"}
    assert search.find(graph, "v1 v\0 v").total == 0


def test_letters_are_found_in_any_case_and_unicode_form():
    graph = graph_of(("Müller", "Straße", "ﬁle ＡＰＩ"))
    for query in ("mu\u0308ller", "MÜLLER", "STRASSE", "file", "api", "ﬁle", "ＡＰＩ"):
        assert search.find(graph, query).total == 1, query
    decomposed = graph_of((unicodedata.normalize("NFD", "Müller"), "t"))
    assert search.find(decomposed, "müller").total == 1


_LETTERS = st.text(st.sampled_from('aAbB ßSsİiΣσς"\n\t.-éE\u0301\u00a0ﬁfＡⅣ'), max_size=8)


@given(st.lists(_LETTERS, min_size=3, max_size=5), st.integers(0, 4), st.integers(0, 7), st.integers(1, 7))
@example(["e\u0301", "t", "o"], 0, 0, 1)
@example(["x", "t", 'he said "so it is" then'], 2, 8, 11)
def test_what_the_reference_server_finds_is_found(texts, field, start, length):
    query = texts[field % len(texts)][start : start + length]
    name, kind, *observations = texts
    graph = graph_of((name, kind, *observations), ("other", "t"))
    asked = query.lower()
    # The small sigma at the end of a word is one that the reference does not find inside of one either.
    assume(any(asked in text.lower() for text in texts))
    assert graph.entities[0] in search.find(graph, query).matched


def test_a_blank_query_finds_everything_the_most_connected_first():
    for query in ("", " \n"):
        found = search.find(SHOP, query, 2)
        assert (found.total, found.matched, found.nearest) == (5, SHOP.entities, False)
        assert names(found) == ["shop-backend", "shop-frontend"]


def test_a_changed_entity_is_found_by_what_it_says_now():
    graph = graph_of(("a", "t", "lantern"), ("b", "t", "zebra"))
    assert names(search.find(graph, "lantern")) == ["a"]
    graph.set_observations(graph.by_name["a"], ["quokka"])
    assert search.find(graph, "lantern").total == 0
    graph.rename("b", "walnut")
    assert names(search.find(graph, "quokka")) == ["a"]
    assert names(search.find(graph, "walnut")) == ["walnut"]


def test_a_name_that_the_file_repeats_is_one_row_with_all_it_holds():
    graph = graph_of(("a", "t", "lantern"), ("b", "t", "lantern"), ("a", "t", "lantern", "zebra"))
    found = search.find(graph, "lantern")
    assert (found.total, len(found.matched)) == (2, 3)
    assert {row.entity.name: row.observations for row in found.rows} == {"a": 3, "b": 1}


def test_rows_are_counted_beyond_the_limit():
    graph = graph_of(*((f"n{n}", "t", "lantern") for n in range(30)))
    found = search.find(graph, "lantern", 10)
    assert (found.total, len(found.rows), len(found.matched)) == (30, 10, 30)
    assert len(search.find(graph, "lantern").rows) == 30


# -- in which order ----------------------------------------------------------------------------


def test_the_name_that_was_asked_comes_first_then_names_that_hold_it():
    graph = graph_of(
        ("notes", "t", "auth auth auth", "auth again"),
        ("auth service", "t", "auth auth"),
        ("A_u-t h", "t", "auth"),
        ("Auth", "t"),
        relations=[("notes", "uses", other) for other in ("auth service", "x", "y", "z")],
    )
    assert names(search.find(graph, "auth"))[:2] == ["Auth", "auth service"]
    graph = graph_of(("deploy shop backend", "t", "x"), ("shop-backend", "t"), ("shop backend", "t"))
    assert names(search.find(graph, "Shop Backend")) == [
        "shop backend",
        "shop-backend",
        "deploy shop backend",
    ]


def test_words_beside_each_other_come_before_words_apart():
    graph = graph_of(
        ("a", "t", "token of the day, refresh the page"),
        ("b", "t", "the refresh token of the day, page"),
    )
    assert names(search.find(graph, "refresh token")) == ["b", "a"]


def test_a_whole_word_comes_before_a_part_of_another():
    graph = graph_of(("a", "t", "categories and cargo"), ("b", "t", "the parser is in go"), ("c", "t"))
    assert names(search.find(graph, "go"))[0] == "b"


def test_of_very_many_the_most_connected_are_looked_at_closely():
    many = [(f"n{n:03}", "t", "lantern") for n in range(search.CLOSE + 50)]
    last = many[-1][0]
    graph = graph_of(*many, relations=[(last, "uses", "n000"), (last, "uses", "n001")])
    assert names(search.find(graph, "lantern", 1)) == [last]


# -- the nearest -------------------------------------------------------------------------------


def test_without_a_match_those_with_the_rarest_words_come_first():
    found = search.find(SHOP, "deployed version nowhere")
    assert (found.nearest, found.total) == (True, 0)
    assert names(found)[0] == "postgres"
    assert {"shop-backend", "shop-frontend", "release day"} <= set(names(found))
    graph = graph_of(*((f"n{n}", "t", "lantern zebra") for n in range(20)), ("a", "t", "quokka walnut"))
    assert names(search.find(graph, "lantern zebra quokka"))[0] == "a"


def test_parts_of_identifiers_and_forms_of_words_are_near():
    graph = graph_of(("auth", "t", "the refresh token lasts a day"), ("db", "t", "lasts"))
    assert names(search.find(graph, "refreshToken"))[0] == "auth"
    assert names(search.find(graph, "refresh_tokens lasting"))[0] == "auth"
    graph = graph_of(("auth", "t", "categorical"), ("db", "t", "catalog"))
    assert names(search.find(graph, "categorisation")) == ["auth"]
    graph = graph_of(("auth", "t", "refreshToken is rotated"), ("db", "t", "rotated"))
    assert names(search.find(graph, "refresh token")) == ["auth"]


def test_a_neighbour_of_what_holds_the_words_is_near_and_says_by_what():
    graph = graph_of(
        ("api", "t", "serves"), ("limits", "t", "quokka throttling"), ("far", "t", "other"),
        relations=[("api", "enforces", "limits")],
    )  # fmt: skip
    found = search.find(graph, "quokka nowhere")
    assert found.query == "quokka nowhere"
    assert names(found) == ["limits", "api"]
    assert snippets(found)["api"] == ["api -enforces-> limits"]
    graph = graph_of(
        ("weak", "t", "a lantern among very many other words here"), ("api", "t"),
        ("limits", "t", "quokka walnut lantern"), relations=[("api", "enforces", "limits")],
    )  # fmt: skip
    assert names(search.find(graph, "quokka walnut lantern zebra")) == ["limits", "api", "weak"]


def test_of_what_says_the_same_the_words_come_first_then_the_most_connected():
    # Each of two others brings as much to `hub` as to `leaf`, which has but one.
    graph = graph_of(
        ("leaf", "t"), ("hub", "t"), ("x", "t", "quokka"), ("y", "t", "quokka"),
        relations=[("x", "uses", "leaf"), ("x", "uses", "hub"), ("y", "uses", "hub")],
    )  # fmt: skip
    found = names(search.find(graph, "quokka nowhere"))
    assert sorted(found[:2]) == ["x", "y"] and found[2:] == ["hub", "leaf"]


def test_a_relation_to_itself_brings_nothing_nearer():
    graph = graph_of(("a", "t", "lantern"), ("b", "t", "lantern"), relations=[("b", "calls", "b")])
    assert names(search.find(graph, "lantern nowhere")) == ["a", "b"]


def test_nothing_is_near_a_query_of_other_words_or_of_none_that_matter():
    assert names(search.find(SHOP, "xylophone")) == []
    assert names(search.find(SHOP, "what is the zzz")) == []


def test_the_nearest_are_no_more_than_asked_for():
    graph = graph_of(*((f"n{n}", "t", "lantern") for n in range(30)))
    assert len(search.find(graph, "lantern nowhere", 10).rows) == 10


def test_a_sentence_that_hardly_anything_matches_is_shown_what_is_near_too():
    graph = graph_of(("a", "t", "show we do deploy how, pshop"), ("b", "t", "shop deploys", "deploy of shop"))
    found = search.find(graph, "how do we deploy shop", 10)
    assert (names(found), [row.entity.name for row in found.others]) == (["a"], ["b"])
    assert search.find(graph, "deploy pshop", 10).others == []
    many = [(f"n{n}", "t", "show we do deploy how, pshop") for n in range(search.OTHERS)]
    assert search.find(graph_of(*many, ("b", "t", "shop")), "how do we deploy shop", 10).others == []
    assert search.find(graph, "how do we deploy shop", 1).others == []


# -- snippets ----------------------------------------------------------------------------------


def test_snippets_are_at_most_two_and_show_different_words_first():
    graph = graph_of(("a", "t", "lantern", "zebra one", "zebra two", "zebra three"))
    assert snippets(search.find(graph, "zebra lantern")) == {"a": ["zebra three", "lantern"]}
    assert snippets(search.find(graph, "zebra")) == {"a": ["zebra three", "zebra two"]}


def test_a_match_by_name_or_type_needs_no_snippet_and_one_by_relation_shows_it():
    assert snippets(search.find(SHOP, "person")) == {"Ada Example": []}
    assert snippets(search.find(SHOP, "maintains ada"))["Ada Example"] == [
        "Ada Example -maintains-> shop-backend"
    ]


@given(st.text(max_size=400), st.text(min_size=1, max_size=10))
def test_a_passage_is_short_and_a_part_of_its_text(text, word):
    made = search.passage(text, [(word,)], 40)
    flat = " ".join(text.split())
    assert len(made) <= 40
    assert made.removeprefix("…").removesuffix("…") in flat
    assert made == flat or "…" in made


def test_a_long_relation_is_shown_around_the_word_that_was_asked():
    graph = graph_of(("a", "t"), relations=[("a", "V" * 5_000 + " zebra " + "W" * 5_000, "b")])
    [shown] = snippets(search.find(graph, "zebra a"))["a"]
    assert len(shown) <= search.SNIPPET and "zebra" in shown
    graph = graph_of(("a", "t"), ("b", "t", "quokka"), relations=[("a", "V" * 5_000, "b")])
    [shown] = snippets(search.find(graph, "quokka nowhere"))["a"]
    assert len(shown) <= search.SNIPPET and shown.startswith("a -VVV")


def test_a_passage_holds_the_word_that_was_asked():
    text = "lorem " * 60 + "the zebra crosses " + "ipsum " * 60
    made = search.passage(text, [("zebra",)])
    assert "zebra crosses" in made and made.startswith("…") and made.endswith("…")
    assert search.passage("zebra " + text, [("zebra",)]).startswith("zebra lorem")
    assert search.passage(text + "quokka", [("quokka",)]).endswith("quokka")


# -- did you mean ------------------------------------------------------------------------------


def test_a_name_in_another_spelling_is_near():
    assert search.near(SHOP, "Shop_Backend")[0] == "shop-backend"
    assert search.near(SHOP, "ada") == ["Ada Example"]
    assert search.near(SHOP, "backend shop") == ["shop-backend"]
    assert search.near(SHOP, "shop")[:2] == ["shop-backend", "shop-frontend"]
    assert search.near(SHOP, "the postgres database of the shop")[0] == "postgres"


def test_a_misspelt_name_is_near():
    assert search.near(SHOP, "postgers") == ["postgres"]
    assert search.near(SHOP, "shop-bakcend")[0] == "shop-backend"
    assert search.near(SHOP, "relese dya")[0] == "release day"


def test_a_name_like_no_other_has_none_near_it():
    for name in ("xylophone", "", "  ", "??", "greppost"):
        assert search.near(SHOP, name) == []


def test_no_more_names_than_asked_for_and_never_the_name_itself():
    graph = graph_of(*((f"node {n}", "t") for n in range(50)), ("node", "t"))
    assert len(search.near(graph, "node", 3)) == 3
    assert "node" not in search.near(graph, "node", 50)

"""`foreword graph` as its owner looks at a graph: lint, stats, bench, and what all verbs share."""

import os

import pytest

from cli.graphs import OLD, entity, kept, relation

VERBS = ("on", "off", "path", "stats", "lint", "compact", "restore", "bench")


# -- without a graph ---------------------------------------------------------------------------


@pytest.mark.parametrize("verb", [("stats",), ("lint",), ("compact",), ("bench",), ("restore", "--all")])
def test_the_graph_in_use_is_an_empty_one_until_the_first_write(foreword, store, verb):
    foreword("graph", "on")
    done = foreword("graph", *verb)
    assert done.err == "~/.foreword/graph/memory.jsonl is not there yet: the first write makes it\n"
    foreword("graph", *verb, "--json").json  # noqa: B018
    assert not (store / "graph").exists()


@pytest.mark.parametrize("verb", [("stats",), ("lint",), ("compact",), ("bench",), ("restore", "--all")])
def test_a_file_that_is_named_and_is_not_there_is_an_error(foreword, tmp_path, verb):
    refused = foreword("graph", *verb, "--file", tmp_path / "gone.jsonl", code=1)
    assert "gone.jsonl: no such file" in refused.err
    assert refused.out == ""


@pytest.mark.parametrize(
    "verb", [("on", "--file"), ("on", "--copy"), ("stats", "--file"), ("lint", "--file")]
)
@pytest.mark.parametrize("name", ["", "  "])
def test_an_empty_name_of_a_file_is_refused_and_does_not_stand_for_the_one_in_use(
    foreword, store, verb, name
):
    assert "empty" in foreword("graph", *verb, name, code=2).err
    assert not store.exists()


@pytest.mark.parametrize("verb", ["stats", "lint", "bench"])
@pytest.mark.parametrize("options", [(), ("--json",)])
def test_what_reports_writes_nothing(foreword, graph, verb, options):
    path = graph(entity("a", observations=OLD), entity("a"), relation("a", "gone"), "torn {")
    before = kept(path)
    foreword("graph", verb, "--file", path, *options, code=1 if verb == "lint" else 0)
    assert kept(path) == before


def test_a_variable_of_no_use_is_told_once(foreword, shop):
    done = foreword("graph", "stats", "--file", shop, env={"MEMORY_OBS_MAX": "many"})
    assert done.err.count("MEMORY_OBS_MAX=many") == 1


def test_a_wrong_verb_is_told_the_nearest(foreword):
    refused = foreword("graph", "lnt", code=2)
    assert "lint" in refused.err


def test_help_lists_the_verbs_in_their_order(foreword):
    out = foreword("graph", "--help").out.partition("Commands:")[2]
    places = [out.index(f"\n  {verb} ") for verb in VERBS]
    assert places == sorted(places)


# -- lint --------------------------------------------------------------------------------------


def test_a_graph_without_a_fault_is_said_to_be_so(foreword, shop):
    os.chmod(shop, 0o600)
    assert "nothing odd in 2 entities, 1 relation" in foreword("graph", "lint", "--file", shop).out
    assert foreword("graph", "lint", "--file", shop, "--json").json == []


def test_findings_stand_together_by_kind_and_end_with_exit_code_1(foreword, graph):
    path = graph(entity("a", observations=["x"]), "torn {", relation("a", "gone"), relation("a", "lost"))
    os.chmod(path, 0o600)
    done = foreword("graph", "lint", "--file", path, code=1)
    assert "gone" in done.out
    assert "lost" in done.out
    found = foreword("graph", "lint", "--file", path, "--json", code=1).json
    assert all(set(finding) == {"kind", "what", "where", "hint"} for finding in found)
    kinds = [finding["kind"] for finding in found]
    assert kinds == sorted(kinds, key=kinds.index)  # each kind in one run
    assert len(set(kinds)) == 2
    assert "3 findings" in done.err


def test_many_findings_of_a_kind_are_cut_unless_all_are_asked_for(foreword, graph):
    path = graph(entity("a", observations=["x"]), *(relation("a", f"gone-{n:02d}") for n in range(30)))
    os.chmod(path, 0o600)
    short = foreword("graph", "lint", "--file", path, code=1)
    whole = foreword("graph", "lint", "--file", path, "--all", code=1)
    assert (short.out.count("-> gone-"), whole.out.count("-> gone-")) == (10, 30)
    assert "20 more" in short.out
    assert "  a -depends_on-> gone-00\n" in whole.out or "  gone-00: a -depends_on-> gone-00\n" in whole.out
    assert "--all" in short.err
    assert "--all" not in whole.err
    assert len(foreword("graph", "lint", "--file", path, "--json", code=1).json) == 30


def test_a_hint_stands_once_where_it_is_the_same_for_all_and_else_with_each(foreword, graph, full):
    os.chmod(full, 0o600)
    each = foreword("graph", "lint", "--file", full, code=1).out
    assert "ci: 21 observations, 15 is the limit\n    foreword graph compact moves 6 to the archive\n" in each
    assert "hint:" not in each
    path = graph(*(entity(name, observations=["x", "x"]) for name in "ab"))
    os.chmod(path, 0o600)
    once = foreword("graph", "lint", "--file", path, code=1).out
    hint = "  hint: ask the agent to keep one (delete_observations, then add_observations)\n"
    assert once.count(hint) == once.count("hint:") == 1


def test_a_name_is_printed_as_one_line_without_anything_unseen(foreword, graph):
    name = "bad\n\x1b[31mred\u202e name"
    path = graph(entity(name, observations=["x", "x", *OLD]))
    os.chmod(path, 0o600)
    for verb, code in (("lint", 1), ("stats", 0), ("compact", 0)):
        out = foreword("graph", verb, "--file", path, code=code).out
        assert "bad red name" in out
        assert "\x1b" not in out


# -- stats and bench ---------------------------------------------------------------------------


def test_stats_count_what_is_there(foreword, shop):
    out = foreword("graph", "stats", "--file", shop).out
    assert "2 entities, 3 observations, 1 relation" in out
    assert "service" in out
    assert "shop-backend" in out
    found = foreword("graph", "stats", "--file", shop, "--json").json
    assert (found["entities"], found["observations"], found["relations"]) == (2, 3, 1)


def test_bench_tells_sizes_and_never_content(foreword, shop):
    plain = foreword("graph", "bench", "--file", shop).out
    as_json = foreword("graph", "bench", "--file", shop, "--json")
    for text in (plain, as_json.out):
        for word in ("shop", "backend", "postgres", "deployed", "listens", "port"):
            assert word not in text.replace(shop, "")
    assert "search word 1" in plain
    rows = as_json.json["rows"]
    assert [(row["what"], row["query"]) for row in rows] == [
        ("read_graph", None),
        *(("search_nodes", f"word {n}") for n in range(1, 6)),
    ]
    assert f" {rows[0]['reference']['tokens']:,} " in plain


def test_bench_shows_the_reference_servers_smaller_copy_beside_both(foreword, shop):
    done = foreword("graph", "bench", "port", "--file", shop)
    rows = foreword("graph", "bench", "port", "--file", shop, "--json").json["rows"]
    for row, line in zip(rows, done.out.splitlines()[4:6], strict=True):
        there = row["reference"]
        assert there["copy"] < there["characters"] / 2
        sent, copy = (
            (str(there["tokens"]), f"{row['ratio']}x"),
            (str(there["copy_tokens"]), f"{row['ratio_copy']}x"),
        )
        assert line.split()[-5:] == [str(row["here"]["tokens"]), *sent, *copy]
    assert "Claude Code the structured content" in done.out
    assert "Codex the text" in done.out


def test_stats_name_the_smaller_copy_of_what_the_reference_server_sends(foreword, shop):
    read = foreword("graph", "stats", "--file", shop, "--json").json["read_graph"]
    out = foreword("graph", "stats", "--file", shop).out
    assert f"~{read['reference']:,} in two copies, ~{read['copy']:,} the smaller one" in out


def test_what_stats_call_odd_is_what_lint_finds_by_the_same_names(foreword, graph):
    path = graph(entity("ci", observations=OLD), entity("qa", observations=OLD), relation("ci", "gone"))
    os.chmod(path, 0o600)
    kinds = [finding["kind"] for finding in foreword("graph", "lint", "--file", path, "--json", code=1).json]
    assert foreword("graph", "stats", "--file", path, "--json").json["odd"] == {
        kind: kinds.count(kind) for kind in kinds
    }
    out = foreword("graph", "stats", "--file", path).out
    assert "odd         no entity 1, too many observations 2\n            foreword graph lint\n" in out
    assert "overfull" not in out


def test_bench_takes_queries_and_says_where_the_two_find_different_numbers(foreword, shop):
    options = ("graph", "bench", "postgres", "port shop", "--file", shop)
    rows = foreword(*options, "--json").json["rows"]
    found = [(row["query"], row["here"]["found"], row["reference"]["found"]) for row in rows]
    assert found == [(None, 2, 2), ("postgres", 1, 1), ("port shop", 1, 0)]
    out = foreword(*options).out
    assert " 1 / 0 " in out
    assert "search port shop" in out


def test_bench_shows_as_much_as_the_server_would(foreword, graph):
    path = graph(*(entity(f"cache-{n}", observations=["x"]) for n in range(9)))
    sizes = [
        foreword("graph", "bench", "cache", "--file", path, "--json", env={"MEMORY_SEARCH_LIMIT": limit}).json
        for limit in ("2", "9")
    ]
    few, all_ = (found["rows"][1]["here"] for found in sizes)
    assert few["characters"] < all_["characters"]
    assert few["found"] == all_["found"] == 9


def test_an_empty_graph_is_no_trouble(foreword, graph):
    path = graph()
    os.chmod(path, 0o600)
    for verb in ("stats", "lint", "compact", "bench"):
        foreword("graph", verb, "--file", path)
        foreword("graph", verb, "--file", path, "--json")

"""`foreword graph`: on and off, which file, and what its owner is told and can do about it."""

import json
import os
import tomllib

import pytest

OLD = [f"2026-01-{day:02d}: run {day} of the nightly build" for day in range(1, 21)]


def entity(name, kind="service", observations=()):
    return {"type": "entity", "name": name, "entityType": kind, "observations": list(observations)}


def relation(from_, to, verb="depends_on"):
    return {"type": "relation", "from": from_, "to": to, "relationType": verb}


@pytest.fixture
def graph(tmp_path):
    """A function that writes records (dicts, or lines as they are) as a graph; its path as a str."""

    def write(*records, at=tmp_path / "graphs" / "memory.jsonl"):
        at.parent.mkdir(parents=True, exist_ok=True)
        lines = [r if isinstance(r, str) else json.dumps(r) for r in records]
        at.write_text("".join(line + "\n" for line in lines), encoding="utf-8")
        return str(at)

    return write


@pytest.fixture
def shop(graph):
    """A small graph without a fault."""
    return graph(
        entity("shop-backend", observations=["2026-03-02: deployed 2.4.0", "listens on port 8080"]),
        entity("postgres", "database", ["version 16"]),
        relation("shop-backend", "postgres"),
    )


@pytest.fixture
def config(store):
    """A function: what config.toml says."""
    return lambda: tomllib.loads((store / "config.toml").read_text())


def kept(path):
    """Everything beside a graph, by its path below that folder; the graph and its lock too."""
    top = os.path.dirname(path)
    found = {}
    for at, _, names in os.walk(top):
        for name in names:
            with open(os.path.join(at, name), "rb") as f:
                found[os.path.relpath(os.path.join(at, name), top)] = f.read()
    return found


# -- on, off, path -----------------------------------------------------------------------------


def test_on_uses_a_new_graph_of_the_store_and_says_what_it_costs_and_what_to_do(foreword, store, config):
    done = foreword("graph", "on")
    assert config() == {"graph": {"on": True}}
    assert "~/.foreword/graph/memory.jsonl" in done.out
    assert "tokens in each client session" in done.out
    assert "restart the client" in done.out
    assert not (store / "graph").exists()  # the first write makes it


def test_on_with_a_file_uses_that_one_from_now_on(foreword, shop, config):
    done = foreword("graph", "on", "--file", os.path.relpath(shop), "--json")
    assert config() == {"graph": {"on": True, "file": shop}}
    found = done.json
    assert (found["path"], found["why"], found["exists"]) == (shop, "setting", True)
    assert (found["entities"], found["relations"], found["tools"]) == (2, 1, 11)
    assert foreword("graph", "path").out == shop + "\n"


def test_off_and_on_again_keep_the_file_that_was_chosen(foreword, shop, config):
    foreword("graph", "on", "--file", shop)
    before = kept(shop)
    assert foreword("graph", "off", "--json").json == {"on": False, "was_on": True, "path": shop}
    assert config() == {"graph": {"on": False, "file": shop}}
    assert kept(shop) == before
    assert "already" in foreword("graph", "off").out
    foreword("graph", "on")
    assert config() == {"graph": {"on": True, "file": shop}}


def test_the_stores_own_file_needs_no_setting(foreword, store, shop, config):
    foreword("graph", "on", "--file", shop)
    foreword("graph", "on", "--file", store / "graph" / "memory.jsonl")
    assert config() == {"graph": {"on": True}}


def test_off_without_a_store_makes_none(foreword, store):
    foreword("graph", "off")
    assert not store.exists()


def test_on_keeps_what_else_stands_in_the_settings(foreword, store, shop):
    store.mkdir()
    (store / "config.toml").write_text('# mine\nswitch = "off" # for now\n')
    foreword("graph", "on", "--file", shop)
    assert (store / "config.toml").read_text().startswith('# mine\nswitch = "off" # for now\n')


@pytest.mark.parametrize("option", ["--file", "--copy"])
def test_a_file_that_is_no_graph_is_refused_before_anything_is_changed(foreword, store, graph, option):
    path = graph("# Read me", "This is prose.")
    refused = foreword("graph", "on", option, path, code=2)
    assert path in refused.err
    assert not (store / "config.toml").exists()
    assert not (store / "graph").exists()


def test_a_folder_is_no_graph(foreword, tmp_path, store):
    assert str(tmp_path) in foreword("graph", "on", "--file", tmp_path, code=2).err
    assert not (store / "config.toml").exists()


def test_a_file_that_is_not_there_yet_may_be_chosen(foreword, tmp_path, config):
    path = tmp_path / "new" / "memory.jsonl"
    assert "not there yet" in foreword("graph", "on", "--file", path).out
    assert config()["graph"]["file"] == str(path)
    assert not path.parent.exists()


def test_copy_puts_a_copy_into_the_store_and_leaves_the_original(foreword, store, shop, config):
    foreword("graph", "on", "--file", "elsewhere.jsonl")
    foreword("graph", "on", "--copy", shop)
    copy = store / "graph" / "memory.jsonl"
    with open(shop, "rb") as f:
        assert copy.read_bytes() == f.read()
    assert copy.stat().st_mode & 0o777 == 0o600
    assert config() == {"graph": {"on": True}}
    foreword("graph", "on", "--copy", shop)  # once more is no conflict


def test_copy_never_replaces_a_graph_that_is_there(foreword, store, graph, shop, tmp_path, config):
    path = graph(entity("mine"), at=store / "graph" / "memory.jsonl")
    before = kept(path)
    refused = foreword("graph", "on", "--copy", shop, code=2)
    assert "1 entity" in refused.err
    assert f"--file {shop}" in refused.err
    assert kept(path) == before
    assert not (store / "config.toml").exists()


def test_copy_takes_the_place_of_an_empty_file(foreword, store, graph, shop):
    graph(at=store / "graph" / "memory.jsonl")
    foreword("graph", "on", "--copy", shop)
    assert foreword("graph", "on", "--json").json["entities"] == 2


def test_copy_of_nothing_and_two_files_at_once_are_refused(foreword, store, tmp_path, shop):
    assert "no such file" in foreword("graph", "on", "--copy", tmp_path / "gone.jsonl", code=1).err
    foreword("graph", "on", "--copy", shop, "--file", shop, code=2)
    assert not (store / "config.toml").exists()


def test_malformed_settings_stop_everything_and_the_place_is_named(foreword, store, shop):
    store.mkdir()
    (store / "config.toml").write_text('switch = "on"\nbroken\n')
    for options in (("--file", shop), ("--copy", shop), ()):
        assert "config.toml:2:" in foreword("graph", "on", *options, code=2).err
    assert (store / "config.toml").read_text() == 'switch = "on"\nbroken\n'
    assert not (store / "graph").exists()


def test_path_says_who_named_the_file(foreword, store, shop):
    default = str(store / "graph" / "memory.jsonl")
    plain = foreword("graph", "path")
    assert plain.out == default + "\n"
    assert "the store's own" in plain.err
    assert "off: foreword graph on" in plain.err
    found = foreword("graph", "path", "--json").json
    assert found == {"path": default, "real": default, "why": "default", "exists": False, "on": False}
    by_variable = foreword("graph", "path", "--json", env={"MEMORY_FILE_PATH": shop}).json
    assert (by_variable["path"], by_variable["why"]) == (shop, "environment")
    foreword("graph", "on", "--file", shop)
    by_setting = foreword("graph", "path", "--json").json
    assert (by_setting["path"], by_setting["why"], by_setting["on"]) == (shop, "setting", True)


def test_on_warns_where_the_environment_names_another_file(foreword, shop, tmp_path):
    other = {"MEMORY_FILE_PATH": str(tmp_path / "other.jsonl")}
    done = foreword("graph", "on", "--file", shop, env=other)
    assert "other.jsonl" in done.out
    assert f"a client that does not set it uses {shop}" in done.err
    assert foreword("graph", "on").err == ""


@pytest.mark.skipif(os.name == "nt", reason="links need rights there")
def test_path_follows_links(foreword, shop, tmp_path):
    link = tmp_path / "link.jsonl"
    link.symlink_to(shop)
    done = foreword("graph", "path", env={"MEMORY_FILE_PATH": str(link)})
    assert done.out == f"{link}\n"
    assert f"a link to {shop}" in done.err


# -- without a graph ---------------------------------------------------------------------------


@pytest.mark.parametrize("verb", ["stats", "lint", "compact", "bench"])
def test_without_a_file_it_is_said_and_none_is_made(foreword, store, tmp_path, verb):
    refused = foreword("graph", verb, code=1)
    assert "no such file" in refused.err
    assert "hint: foreword graph on" in refused.err
    assert not (store / "graph").exists()
    named = foreword("graph", verb, "--file", tmp_path / "gone.jsonl", code=1)
    assert "gone.jsonl" in named.err


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
    places = [
        out.index(f"\n  {verb} ") for verb in ("on", "off", "path", "stats", "lint", "compact", "bench")
    ]
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
    assert once.count("  hint: delete_observations, then add it once\n") == once.count("delete_obs") == 1


def test_a_name_is_printed_as_one_line_without_anything_unseen(foreword, graph):
    name = "bad\n\x1b[31mred\u202e name"
    path = graph(entity(name, observations=["x", "x", *OLD]))
    os.chmod(path, 0o600)
    for verb, code in (("lint", 1), ("stats", 0), ("compact", 0)):
        out = foreword("graph", verb, "--file", path, code=code).out
        assert "bad red name" in out
        assert "\x1b" not in out


# -- compact -----------------------------------------------------------------------------------


@pytest.fixture
def full(graph):
    """Two entities beyond the limit: one with dates, one without."""
    return graph(
        entity("ci", observations=["builds on main", *OLD]), entity("notes", observations="abcdefghijklmnopq")
    )


def test_compact_backs_up_and_moves_the_oldest_to_the_archive(foreword, full):
    with open(full, "rb") as f:
        before = f.read()
    done = foreword("graph", "compact", "--file", full, "--json").json
    assert done["entities"] == [{"name": "ci", "moved": 6, "left": 15}]
    assert (done["over"], done["limit"], done["dry_run"]) == (["notes"], 15, False)
    with open(done["backup"], "rb") as f:
        assert f.read() == before
    with open(full, encoding="utf-8") as f:
        first, second = map(json.loads, f)
    assert first["observations"] == ["builds on main", *OLD[6:]]
    assert len(second["observations"]) == 17
    with open(os.path.join(done["archive"], "ci.md"), encoding="utf-8") as f:
        text = f.read()
    assert [line for line in OLD if f"- {line}\n" in text] == OLD[:6]


def test_compact_tells_it_by_entity(foreword, full):
    out = foreword("graph", "compact", "--file", full).out
    assert "ci     6 moved, 15 left\n" in out
    assert "6 observations of 1 entity moved to" in out
    assert "backup: " in out


def test_a_dry_run_says_the_same_and_changes_nothing(foreword, full):
    before = kept(full)
    dry = foreword("graph", "compact", "--file", full, "--dry-run")
    assert "ci     6 to move, 15 left\n" in dry.out
    assert "1 entity beyond 15 without dates" in dry.err
    found = foreword("graph", "compact", "--file", full, "--dry-run", "--json").json
    assert (found["dry_run"], found["backup"]) == (True, "")
    assert kept(full) == before
    done = foreword("graph", "compact", "--file", full, "--json").json
    assert (found["entities"], found["over"]) == (done["entities"], done["over"])


def test_entities_of_one_name_are_told_together(foreword, graph):
    twice = [entity("ci", observations=OLD), entity("ci", observations=OLD[:17]), entity("ci")]
    path = graph(*twice)
    dry = foreword("graph", "compact", "--file", path, "--dry-run", "--json").json
    done = foreword("graph", "compact", "--file", path, "--json").json
    assert dry["entities"] == done["entities"] == [{"name": "ci", "moved": 7, "left": 0}]


def test_where_nothing_is_too_much_nothing_is_written(foreword, shop):
    before = kept(shop)
    assert "nothing to move" in foreword("graph", "compact", "--file", shop).out
    assert kept(shop) == before


def test_the_limit_is_the_servers(foreword, full):
    done = foreword("graph", "compact", "--file", full, "--json", env={"MEMORY_OBS_MAX": "20"}).json
    assert done["entities"] == [{"name": "ci", "moved": 1, "left": 20}]


def test_a_read_only_graph_is_not_compacted(foreword, full):
    os.chmod(full, 0o400)
    before = kept(full)
    assert "read-only" in foreword("graph", "compact", "--file", full, code=2).err
    assert kept(full) == before


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
    assert f"{rows[0]['reference']['characters']:,}" in plain


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

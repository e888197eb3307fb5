"""`foreword graph on`, `off` and `path`: which file is used, and what of it is copied."""

import os
import tomllib

import pytest

from cli.graphs import OLD, entity, kept


@pytest.fixture
def config(store):
    """A function: what config.toml says."""
    return lambda: tomllib.loads((store / "config.toml").read_text())


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
    off = {"on": False, "was_on": True, "path": shop, "wired": [], "to_install": []}
    assert foreword("graph", "off", "--json").json == off
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


def test_copy_brings_the_archive_along_and_says_what_it_leaves(foreword, graph, store):
    path = graph(entity("ci", observations=OLD))
    foreword("graph", "compact", "--file", path)
    beside = os.path.join(os.path.dirname(path), "archive", "ci.md")
    with open(beside, "a", encoding="utf-8") as f:
        f.write("\nA line that somebody wrote.\n")
    before = kept(path)
    done = foreword("graph", "on", "--copy", path)
    assert "its archive was copied too: 5 observations\n" in done.out
    assert "not copied: " in done.out
    assert os.path.dirname(path) + os.sep + "backups" in done.out.replace("\n", "")
    copy = store / "graph" / "archive" / "ci.md"
    assert copy.read_bytes() == before[os.path.join("archive", "ci.md")]
    assert copy.stat().st_mode & 0o777 == 0o600
    assert kept(path) == before
    assert foreword("graph", "restore", "--all", "--json").json["entities"][0]["restored"] == 5


def test_copy_adds_to_an_archive_that_is_there_and_takes_nothing_from_it(foreword, graph, store):
    path = graph(entity("ci", observations=OLD))
    foreword("graph", "compact", "--file", path)
    there = store / "graph" / "archive" / "ci.md"
    there.parent.mkdir(parents=True)
    there.write_text("# ci\n\n- mine\n")
    assert foreword("graph", "on", "--copy", path, "--json").json["archived"] == 5
    assert there.read_text().startswith("# ci\n\n- mine\n")
    assert all(f"- {text}\n" in there.read_text() for text in OLD[:5])


def test_copy_of_a_second_graph_copies_no_archive(foreword, graph, shop, store, tmp_path):
    graph(entity("mine"), at=store / "graph" / "memory.jsonl")
    path = graph(entity("ci", observations=OLD), at=tmp_path / "second" / "memory.jsonl")
    foreword("graph", "compact", "--file", path)
    foreword("graph", "on", "--copy", path, code=2)
    assert os.listdir(store / "graph") == ["memory.jsonl"]


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

"""`foreword graph compact` and `restore`: observations move to the archive and back."""

import json
import os

from cli.graphs import OLD, entity, kept

# -- compact -----------------------------------------------------------------------------------


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


# -- restore -----------------------------------------------------------------------------------


def observations(path):
    """{name: observations} of a graph's file."""
    with open(path, encoding="utf-8") as f:
        records = list(map(json.loads, f))
    return {record["name"]: record["observations"] for record in records if record["type"] == "entity"}


def test_all_that_is_archived_comes_back_for_a_server_that_does_not_see_the_archive(foreword, graph):
    path = graph(entity("ci", observations=OLD), entity("web shop", observations=OLD[:16]), entity("x"))
    foreword("graph", "compact", "--file", path)
    done = foreword("graph", "restore", "--all", "--file", path)
    assert "ci           5 restored, 20 held\n" in done.out
    assert "6 observations of 2 entities restored\n" in done.out
    assert "2 entities beyond 15" in done.err
    held = observations(path)
    assert (sorted(held["ci"]), sorted(held["web shop"])) == (OLD, OLD[:16])
    assert [
        name for name in os.listdir(os.path.join(os.path.dirname(path), "archive")) if ".md" in name
    ] == []
    again = foreword("graph", "restore", "--all", "--file", path, "--json").json
    assert again["entities"] == []


def test_only_those_that_are_named_are_restored(foreword, graph):
    path = graph(entity("ci", observations=OLD), entity("web shop", observations=OLD))
    foreword("graph", "compact", "--file", path)
    done = foreword("graph", "restore", "web shop", "--file", path, "--json").json
    assert done["entities"] == [{"name": "web shop", "restored": 5, "now": 20}]
    assert (done["dry_run"], done["over"], done["left"]) == (False, ["web shop"], [])
    assert {name: len(texts) for name, texts in observations(path).items()} == {"ci": 15, "web shop": 20}


def test_a_dry_run_of_restore_says_the_same_and_changes_nothing(foreword, graph):
    path = graph(entity("ci", observations=OLD), entity("qa", observations=OLD))
    foreword("graph", "compact", "--file", path)
    before = kept(path)
    told = foreword("graph", "restore", "--all", "--dry-run", "--file", path)
    assert "10 observations of 2 entities would be restored; nothing was changed" in told.out
    dry = foreword("graph", "restore", "--all", "--dry-run", "--file", path, "--json").json
    assert kept(path) == before
    done = foreword("graph", "restore", "--all", "--file", path, "--json").json
    assert (dry["entities"], dry["over"]) == (done["entities"], done["over"])


def test_a_name_without_an_archive_stops_the_restore_before_anything_is_changed(foreword, graph):
    path = graph(entity("ci", observations=OLD))
    foreword("graph", "compact", "--file", path)
    before = kept(path)
    assert "'gone'" in foreword("graph", "restore", "ci", "gone", "--file", path, code=1).err
    for arguments in ((), ("ci", "--all")):
        assert "--all" in foreword("graph", "restore", *arguments, "--file", path, code=2).err
    assert kept(path) == before


def test_the_archive_of_no_entity_stays_and_is_told(foreword, graph):
    path = graph(entity("ci", observations=OLD), entity("lost", observations=OLD))
    foreword("graph", "compact", "--file", path)
    graph(entity("ci"))
    done = foreword("graph", "restore", "--all", "--file", path)
    assert "5 observations of 1 entity restored" in done.out
    assert done.err == "left in the archive, for the graph has no such entity: lost\n"
    assert "create_entities" in foreword("graph", "restore", "lost", "--file", path, code=1).err


def test_memory_leans_archives_come_back_to_the_entities_that_their_files_are_of(foreword, graph):
    path = graph(entity("web shop"), entity("ci", observations=["both"]))
    folder = os.path.join(os.path.dirname(path), "archive")
    os.makedirs(folder)
    for name, text in (
        ("web_shop.md", "\n## compacted 2026-03-02 from `shop`\n- old\n"),
        ("ci.md", "# ci\n\n- both\n- only here\n"),
    ):
        with open(os.path.join(folder, name), "w", encoding="utf-8") as f:
            f.write(text)
    dry = foreword("graph", "restore", "--all", "--dry-run", "--file", path, "--json").json
    done = foreword("graph", "restore", "--all", "--file", path, "--json").json
    wanted = [{"name": "web shop", "restored": 1, "now": 1}, {"name": "ci", "restored": 2, "now": 2}]
    assert dry["entities"] == done["entities"] == wanted
    assert dry["left"] == done["left"] == []
    assert observations(path) == {"web shop": ["old"], "ci": ["both", "only here"]}

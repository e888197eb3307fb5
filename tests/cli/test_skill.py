"""`foreword skill`: the skills in a folder of the user's choice."""

import os

import pytest

from foreword import skills


def texts(folder):
    """{name: text} of the skills in a folder."""
    return {name: (folder / name / "SKILL.md").read_text(encoding="utf-8") for name in os.listdir(folder)}


def written(path):
    """What changes when a file is written."""
    found = os.stat(path)
    return found.st_ino, found.st_mtime_ns


@pytest.mark.parametrize(
    ("options", "client"),
    [((), "claude-code"), (("--client", "codex"), "codex"), (("--plain",), "plain")],
)
def test_each_skill_is_written_into_a_folder_of_its_own(foreword, tmp_path, options, client):
    folder = tmp_path / "new" / "skills"
    done = foreword("skill", folder, *options)
    assert texts(folder) == {name: skills.text(name, client) for name in skills.NAMES}
    assert all(str(folder / name / "SKILL.md") in done.out for name in skills.NAMES)
    assert skills.CLIENTS[client] + "dream" in done.out


def test_json_says_what_was_written_and_a_second_run_changes_nothing(foreword, tmp_path):
    folder = tmp_path / "skills"
    first = foreword("skill", folder, "--json").json
    assert (first["client"], first["folder"]) == ("claude-code", str(folder))
    assert [(s["name"], s["state"]) for s in first["skills"]] == [(n, "written") for n in skills.NAMES]
    before = {s["path"]: written(s["path"]) for s in first["skills"]}
    second = foreword("skill", folder, "--json").json
    assert [s["state"] for s in second["skills"]] == ["unchanged"] * 3
    assert {path: written(path) for path in before} == before


def test_an_older_text_of_ours_is_replaced(foreword, tmp_path):
    folder = tmp_path / "skills"
    (folder / "dream").mkdir(parents=True)
    (folder / "dream" / "SKILL.md").write_text(f"---\nname: dream\n---\n{skills.MARK}\nOld.\n")
    states = [s["state"] for s in foreword("skill", folder, "--json").json["skills"]]
    assert states == ["written", "written", "updated"]
    assert texts(folder)["dream"] == skills.text("dream", "claude-code")


@pytest.mark.parametrize("name", skills.NAMES)
@pytest.mark.parametrize("theirs", [b"---\nname: mine\n---\nMine.\n", b"", b"\xff\xfe"])
def test_a_skill_of_somebody_else_stops_everything(foreword, tmp_path, name, theirs):
    folder = tmp_path / "skills"
    (folder / name).mkdir(parents=True)
    (folder / name / "SKILL.md").write_bytes(theirs)
    refused = foreword("skill", folder, code=2)
    assert str(folder / name / "SKILL.md") in refused.err
    assert "nothing was written" in refused.err
    assert os.listdir(folder) == [name]
    assert (folder / name / "SKILL.md").read_bytes() == theirs


@pytest.mark.parametrize("file", ["skills", "skills/recall"])
def test_a_file_where_a_folder_must_be_is_named(foreword, tmp_path, file):
    (tmp_path / file).parent.mkdir(exist_ok=True)
    (tmp_path / file).write_text("x")
    refused = foreword("skill", tmp_path / "skills", code=2)
    assert str(tmp_path / file) in refused.err
    assert (tmp_path / file).read_text() == "x"


@pytest.mark.skipif(os.name == "nt", reason="links need rights there")
def test_a_skill_that_is_a_link_stays_one(foreword, tmp_path):
    kept = tmp_path / "dotfiles" / "dream.md"
    kept.parent.mkdir()
    kept.write_text(skills.MARK + "\nOld.\n")
    (tmp_path / "skills" / "dream").mkdir(parents=True)
    (tmp_path / "skills" / "dream" / "SKILL.md").symlink_to(kept)
    foreword("skill", tmp_path / "skills")
    assert (tmp_path / "skills" / "dream" / "SKILL.md").is_symlink()
    assert kept.read_text(encoding="utf-8") == skills.text("dream", "claude-code")


def test_plain_and_a_client_at_once_are_refused(foreword, tmp_path):
    refused = foreword("skill", tmp_path / "skills", "--plain", "--client", "codex", code=2)
    assert "--plain" in refused.err
    assert not (tmp_path / "skills").exists()


def test_the_graphs_skill_is_written_alone_when_it_is_asked_for(foreword, tmp_path):
    folder = tmp_path / "skills"
    done = foreword("skill", folder, "--graph", "--client", "codex")
    assert texts(folder) == {skills.GRAPH: skills.text(skills.GRAPH, "codex")}
    assert "Codex calls it $foreword-graph\n" in done.out
    assert "foreword graph on" in done.err  # for no client has the tools yet


def test_the_graphs_skill_is_written_where_the_graph_is_on(foreword, store, tmp_path):
    store.mkdir()
    (store / "config.toml").write_text("[graph]\non = true\n")
    done = foreword("skill", tmp_path / "skills", "--json")
    assert [entry["name"] for entry in done.json["skills"]] == [*skills.NAMES, skills.GRAPH]
    assert done.err == foreword("skill", tmp_path / "skills", "--graph").err == ""


def test_a_skill_of_the_graphs_name_of_somebody_else_stops_everything(foreword, tmp_path):
    theirs = tmp_path / "skills" / skills.GRAPH / "SKILL.md"
    theirs.parent.mkdir(parents=True)
    theirs.write_text("---\nname: foreword-graph\n---\nMine.\n")
    refused = foreword("skill", tmp_path / "skills", "--graph", code=2)
    assert str(theirs) in refused.err
    assert os.listdir(tmp_path / "skills") == [skills.GRAPH]
    foreword("skill", tmp_path / "skills")  # the others are none of its business
    assert "Mine." in theirs.read_text()


def test_with_graph_a_skill_of_the_others_names_is_none_of_its_business(foreword, tmp_path, store):
    store.mkdir()
    (store / "config.toml").write_text("[graph]\non = true\n")
    theirs = tmp_path / "skills" / "dream" / "SKILL.md"
    theirs.parent.mkdir(parents=True)
    theirs.write_text("Mine.\n")
    done = foreword("skill", tmp_path / "skills", "--graph", "--json").json
    assert [entry["name"] for entry in done["skills"]] == [skills.GRAPH]
    assert theirs.read_text() == "Mine.\n"

"""`foreword status`, `switch`, `check`, `reindex`: how a project stands, and what it costs to ask."""

import os
import re
import sqlite3

import pytest

from foreword import settings


def tree(folder):
    return sorted(os.path.join(at, name) for at, _, names in os.walk(folder) for name in names)


READ_ONLY = [
    ["list"],
    ["search", "anything"],
    ["status"],
    ["switch"],
    ["check"],
    ["reindex"],
    ["doctor"],
    ["show", "20260101-000000-0000"],
    ["archive", "20260101-000000-0000"],
    ["restore", "20260101-000000-0000"],
    ["delete", "20260101-000000-0000"],
]


@pytest.mark.parametrize("arguments", READ_ONLY, ids=" ".join)
@pytest.mark.parametrize("path", ["here", "--project"])
def test_asking_about_a_folder_never_used_writes_nothing(foreword, repo, tmp_path, store, arguments, path):
    expected = 1 if arguments[0] in ("search", "doctor", "show", "archive", "restore", "delete") else 0
    options = ["--project", str(tmp_path / "cwd")] if path == "--project" else []
    foreword(*arguments, *options, code=expected)
    assert not store.exists()


NEEDS_A_PROJECT = [*READ_ONLY, ["save"]]


@pytest.mark.parametrize(
    "arguments", [a for a in NEEDS_A_PROJECT if a != ["doctor"]], ids=lambda arguments: " ".join(arguments)
)
@pytest.mark.parametrize("where", ["the home", "the root"])
def test_a_folder_that_is_nobodys_project_is_refused_with_a_hint(foreword, tmp_path, store, arguments, where):
    folder = str(tmp_path / "home") if where == "the home" else os.path.abspath(os.sep)
    told = foreword(*arguments, code=1, cwd=folder, stdin="Body.")
    assert told.out == ""
    assert re.match(
        rf"error: {re.escape(folder)} is no project.*\nhint: .*--project PATH(, or --type entity .*)?\n$",
        told.err,
    )
    foreword(*arguments, "--project", folder, code=1, stdin="Body.")
    assert not store.exists()


def test_a_project_that_is_no_folder_is_refused(foreword, repo, store):
    for wrong in ("/no/such/folder", os.path.join(repo, "src", "app.py")):
        told = foreword("list", "--project", wrong, code=1)
        assert told.err.startswith(f"error: {wrong} is no folder\nhint: ")


def test_status_counts_what_is_stored(foreword, save, repo, store):
    assert "none yet" in foreword("status").out
    save("One.")
    save("Two.")
    save("Three.", "--type", "session")
    found = foreword("status", "--json").json
    assert found["counts"] == {"fact": 2, "session": 1}
    assert (found["root"], found["switch"], found["prompts"]) == (os.path.realpath(repo), "auto", 0)
    assert found["folder"].startswith(str(store))
    assert found["last"] is None
    out = foreword("status").out
    assert re.search(r"^memories +1 session, 2 facts$", out, re.MULTILINE)
    assert re.search(r"^switch +auto, today (on|off) \(the default\)$", out, re.MULTILINE)
    assert re.search(r"^store +~/\.foreword/projects/ledger-", out, re.MULTILINE)


def test_status_shows_the_last_foreword(foreword, save, project_folder):
    one = save("One thing.", "--title", "The one")
    line = '{"time": "2026-11-30T10:15:00Z", "session": "s", "ids": ["%s"]}\n' % one
    with open(os.path.join(project_folder(), "prompts.log"), "w", encoding="utf-8") as f:
        f.write(line + '{"time": "2026-11-30T10:16:00Z", "session": "s", "ids": []}\nnot json\n')
    found = foreword("status", "--json").json
    assert (found["prompts"], found["forewords"]) == (2, 1)
    assert found["last"]["memories"] == [{"id": one, "title": "The one"}]
    out = foreword("status").out
    assert "2026-11-30 10:15 UTC" in out
    assert f"{one}  The one" in out


def test_the_switch_is_set_shown_and_kept(foreword, repo):
    for state in ("on", "off"):
        assert foreword("switch", state).out.startswith(f"{state}: ")
        assert f"switch    {state} (set for this project)\n" in foreword("status").out
        found = foreword("switch", "--json").json
        assert (found["configured"], found["effective"]) == (state, state)
    today = settings.effective("auto")
    out = foreword("switch", "auto").out
    assert settings.effective("auto") != today or f", today {today};" in out
    assert "even days" in out
    told = foreword("switch", "maybe", code=2)
    assert "'on', 'off', 'auto', 'auto:session'" in told.err
    assert foreword("switch", "--json").json["configured"] == "auto"


def test_a_coin_for_each_client_session_is_neither_on_nor_off_today(foreword, repo):
    told = foreword("switch", "auto:session").out
    assert told.startswith("auto:session: forewords in about half of the client sessions")
    assert "facts and sessions at every session's start" in told
    found = foreword("switch", "--json").json
    assert (found["configured"], found["effective"]) == ("auto:session", "by session")
    assert "switch    auto:session (set for this project)\n" in foreword("status").out
    assert foreword("status", "--json").json["today"] == "by session"


def test_one_projects_switch_is_not_anothers(foreword, repo, tmp_path):
    foreword("switch", "off")
    found = foreword("switch", "--json", "--project", tmp_path / "cwd").json
    assert found["configured"] == "auto"


def test_a_store_that_is_well_checks_out(foreword, save):
    save("One.")
    assert foreword("check").out == "1 memory read, 0 findings\n"
    assert foreword("check", "--json").json == {"memories": 1, "findings": []}


@pytest.mark.parametrize(
    "damage",
    [lambda raw: b"", lambda raw: raw.replace(b"type: fact", b"type: [fact"), lambda raw: raw + b"\xff\xfe"],
    ids=["nothing left", "a header that is no YAML", "no UTF-8"],
)
def test_check_exits_5_on_a_damaged_file_names_it_and_changes_nothing(foreword, save, project_folder, damage):
    save("One.")
    path = os.path.join(project_folder(), "facts", save("Two.") + ".md")
    with open(path, "rb") as f:
        whole = f.read()
    assert damage(whole) != whole
    with open(path, "wb") as f:
        f.write(damage(whole))
    [finding] = foreword("check", "--json", code=5).json["findings"]
    assert finding["where"] == path
    assert finding["what"]
    told = foreword("check", code=5)
    assert path in told.out
    assert "2 memories read, 1 finding\n" in told.out
    with open(path, "rb") as f:
        assert f.read() == damage(whole)


def test_check_exits_5_on_a_corrupt_index_and_reindex_mends_it(foreword, save, project_folder):
    memory_id = save("The importer retries three times.")
    path = os.path.join(project_folder(), "index.sqlite")
    with open(path, "r+b") as f:
        f.seek(1024)
        f.write(b"\x5a" * 8192)
    for ending in ("-wal", "-shm"):
        if os.path.exists(path + ending):
            os.unlink(path + ending)
    told = foreword("check", code=5)
    assert path in told.out
    assert "hint: foreword reindex" in told.out
    assert foreword("reindex").out == "indexed 1 memory\n"
    foreword("check")
    assert [row["id"] for row in foreword("search", "importer", "--json").json] == [memory_id]


@pytest.mark.parametrize("bytes_left", [b"", b"garbage " * 500], ids=["empty", "garbage"])
def test_an_index_that_cannot_be_read_is_built_anew_by_the_next_search(
    foreword, save, project_folder, bytes_left
):
    memory_id = save("The importer retries three times.")
    path = os.path.join(project_folder(), "index.sqlite")
    with open(path, "wb") as f:
        f.write(bytes_left)
    for ending in ("-wal", "-shm"):
        if os.path.exists(path + ending):
            os.unlink(path + ending)
    assert [row["id"] for row in foreword("search", "importer", "--json").json] == [memory_id]


def test_reindex_counts_every_memory_and_loses_none(foreword, save):
    ids = {save("One."), save("Two."), save("Global.", "--global")}
    assert foreword("reindex", "--json").json == {"indexed": 3, "graph": False}
    assert foreword("reindex").out == "indexed 3 memories\n"
    assert {row["id"] for row in foreword("list", "--json").json} == ids


def test_reindex_passed_over_the_index_of_the_graphs_entities(foreword, save, store):
    save("One.")
    (store / "graph").mkdir()
    file = store / "graph" / "memory.jsonl"
    file.write_text('{"type":"entity","name":"shop","entityType":"service","observations":["moved"]}\n')
    index = store / "graph" / "index.sqlite"
    assert foreword("reindex", "--json").json == {"indexed": 1, "graph": False}
    assert not index.exists()
    (store / "config.toml").write_text("graph.in_index = true\n")
    assert foreword("reindex", "--json").json == {"indexed": 1, "graph": True}
    assert in_index(store) == ["shop"]
    file.write_text(file.read_text().replace("shop", "stall"))
    index.write_bytes(b"garbage " * 500)
    assert foreword("reindex").out == ("indexed 1 memory\nthe index of the graph's entities is up to date\n")
    assert in_index(store) == ["stall"]
    db = sqlite3.connect(index)
    [[page]] = db.execute("SELECT rootpage FROM sqlite_master WHERE name = 'memories'")
    [[size]] = db.execute("PRAGMA page_size")
    db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    db.close()
    with open(index, "r+b") as f:  # of the same graph, so that nothing is new for it
        f.seek((page - 1) * size)
        f.write(b"\x5a" * size)
    foreword("reindex")
    assert in_index(store) == ["stall"]


def in_index(store):
    db = sqlite3.connect(store / "graph" / "index.sqlite")
    try:
        return [title.partition(" ")[0] for (title,) in db.execute("SELECT title FROM memories")]
    finally:
        db.close()


def test_reindex_says_what_is_wrong_with_a_graph_that_cannot_be_read(foreword, save, store):
    save("One.")
    (store / "graph" / "memory.jsonl").mkdir(parents=True)
    (store / "config.toml").write_text("graph.in_index = true\n")
    told = foreword("reindex", code=2)
    assert "memory.jsonl" in told.err
    assert "hint: " in told.err


@pytest.mark.parametrize("damage", [None, b"garbage " * 500], ids=["sound", "damaged"])
def test_check_does_not_mind_the_index_of_the_graphs_entities(foreword, save, store, damage):
    save("One.")
    (store / "graph").mkdir()
    (store / "config.toml").write_text("graph.in_index = true\n")
    foreword("reindex")
    if damage:
        (store / "graph" / "index.sqlite").write_bytes(damage)
    assert foreword("check").out == "1 memory read, 0 findings\n"


def test_an_index_of_a_newer_version_is_left_alone(foreword, save, project_folder):
    save("One.")
    path = os.path.join(project_folder(), "index.sqlite")
    db = sqlite3.connect(path)
    db.execute("PRAGMA user_version=99")
    db.close()
    told = foreword("search", "one", code=5)
    assert "version" in told.err
    assert "hint: update Foreword" in told.err


def test_memories_edited_added_and_removed_by_hand_are_seen_at_once(foreword, save, project_folder):
    one, two = save("The importer retries three times."), save("The pool holds five connections.")
    folder = os.path.join(project_folder(), "facts")
    with open(os.path.join(folder, one + ".md"), "a", encoding="utf-8") as f:
        f.write("\nAnd zebras.\n")
    os.unlink(os.path.join(folder, two + ".md"))
    with open(os.path.join(folder, "by-hand.md"), "w", encoding="utf-8") as f:
        f.write("Written in an editor, about giraffes.\n")
    assert [row["id"] for row in foreword("search", "zebras", "--json").json] == [one]
    foreword("search", "connections", "--json", code=1)
    [row] = foreword("search", "giraffes", "--json").json
    assert "giraffes" in foreword("show", row["id"]).out


def test_switching_off_says_what_goes_away_and_what_stays(foreword, repo):
    told = "off: no forewords, and nothing at a session's start; notes are still saved\n"
    assert foreword("switch", "off").out == told
    assert foreword("switch").out == told + "set for this project\n"
    assert "nothing at a session's start" in " ".join(foreword("switch", "--help").out.split())


def test_the_switch_says_whether_it_is_the_default(foreword, repo):
    assert foreword("switch").out.splitlines()[1].startswith("the default; ")
    assert foreword("status", "--json").json["switch_own"] is False
    foreword("switch", "auto")
    assert re.search(r"^switch +auto, today (on|off) \(set for this project\)$", foreword("status").out, re.M)
    assert foreword("status", "--json").json["switch_own"] is True

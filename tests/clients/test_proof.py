"""What every client's health proves alike: our server's entry, a second memory, the switch."""

import json

import pytest

from foreword.clients import CLIENTS, HOOKED, loaded, mcp_entries, places, proof, server_entry
from foreword.clients.mimo import install as mimo
from foreword.clients.proof import FAILURE, MEND, NOTE, OK

HINT = "foreword install cursor"
WANTED = server_entry.entry("cursor")
REMOVE = "remove it"


def told(value, **more):
    [one] = proof.entry(value, WANTED, HINT, REMOVE, **more)
    return one


# -- the entry -----------------------------------------------------------------------------------


def test_a_sound_entry_is_started_with_what_the_user_added():
    level, what, _ = told({**WANTED, "args": [*WANTED["args"], "--project", "/"], "env": {"MINE": "1"}})
    assert level == OK
    assert what.startswith("the MCP server is added, starts and answers (")


def test_an_entry_s_own_variables_count_beside_what_the_client_hands_on(tmp_path):
    program = tmp_path / "python"
    program.write_text('#!/bin/sh\necho "$OURS-$THEIRS" > "%s"\nexit 3\n' % (tmp_path / "seen"))
    program.chmod(0o755)
    wanted = {**WANTED, "command": str(program)}
    entry = {**wanted, "env": {"OURS": "1", "N": 7}}
    list(proof.entry(entry, wanted, HINT, REMOVE, env={"THEIRS": "2", "OURS": "0"}))
    assert (tmp_path / "seen").read_text() == "1-2\n"


@pytest.mark.parametrize(
    ("change", "what", "hint"),
    [
        ({"command": "/gone/python"}, "names an interpreter that is gone: /gone/python", MEND),
        ({"command": "/"}, "names an interpreter that cannot be started: /", MEND),
        ({"command": "python"}, "is not as this version writes it", HINT),
        ({"args": ["-m", "foreword.cli", "serve"]}, "is not as this version writes it", HINT),
    ],
)
def test_what_is_wrong_with_an_entry_is_told(change, what, hint):
    assert told({**WANTED, **change}) == (FAILURE, "the MCP server's entry " + what, hint)


def test_an_entry_that_is_missing_or_somebody_elses_is_told():
    assert told(None) == (FAILURE, "the MCP server is not added", HINT)
    strange = "an MCP server named foreword is there, and it is not this one"
    for value in ({"command": "node"}, 7, []):
        assert told(value) == (FAILURE, strange, REMOVE + "   (rename yours first)")


def test_an_interpreter_that_is_gone_goes_before_a_switch_and_a_switch_before_the_version():
    off = ("it is off", "switch it on")
    assert "gone" in told({**WANTED, "command": "/gone/python"}, off=off)[1]
    assert told({**WANTED, "args": ["-m", "foreword.cli", "serve"]}, off=off) == (FAILURE, *off)


def test_a_second_entry_of_a_client_that_merges_its_files_is_mended_by_an_install(tmp_path):
    folder = tmp_path / "home" / ".config" / "mimocode"
    folder.mkdir(parents=True)
    for name in ("mimocode.jsonc", "mimocode.json"):
        (folder / name).write_text(json.dumps({"mcp": {"foreword": mimo.entry()}}))
    found = loaded.health("mimo").findings(str(tmp_path / "home" / ".foreword"))
    hints = [hint for level, what, hint in found if str(folder / "mimocode.json") + " " in what]
    assert hints == ["foreword install mimo"]


# -- the switch ----------------------------------------------------------------------------------


def test_the_variable_that_ends_every_hook_is_told_with_where_it_is_set(monkeypatch):
    assert list(proof.policies()) == list(proof.policies("0")) == []
    [(_, _, hint)] = proof.policies("1")
    assert hint == "take it out of env in the client's settings"
    monkeypatch.setenv("FOREWORD_DISABLE", "1")
    for taken_back in ("0", ""):  # by the client's settings
        assert list(proof.policies(taken_back)) == []
    for found in (proof.policies(), proof.policies("1")):
        [(_, _, hint)] = found
        assert hint == "unset FOREWORD_DISABLE"


# -- a second memory -----------------------------------------------------------------------------

BESIDE = {"command": "uvx", "args": ["basic-memory", "mcp"]}
JSON = [row for row in mcp_entries.OF_USER if row[0] != "codex" and "*" not in row[2]]


@pytest.mark.parametrize(("client", "what", "keys"), JSON, ids=[f"{row[0]} {row[1]}" for row in JSON])
def test_a_second_memory_is_told_for_every_client_and_every_file_of_it(tmp_path, client, what, keys):
    path = tmp_path / "home" / places.path(client, what)
    path.parent.mkdir(parents=True, exist_ok=True)
    value = {"notes": BESIDE, "foreword": WANTED, "graph": {"command": "foreword", "args": ["serve"]}}
    for key in reversed(keys):
        value = {key: value}
    path.write_text(json.dumps(value))
    [(level, said, hint)] = proof.beside(client)
    assert (level, said) == (
        NOTE,
        "Basic Memory is active as well (MCP server notes): two memories cost context twice",
    )
    assert "notes" in hint
    for other in CLIENTS:
        assert other == client or not list(proof.beside(other))


@pytest.mark.parametrize("name", [name for name in CLIENTS if name not in HOOKED])
def test_the_health_of_every_client_without_hooks_tells_of_a_second_memory(tmp_path, name):
    keys = next(row[2] for row in mcp_entries.OF_USER if row[:2] == (name, "settings"))
    path = tmp_path / "home" / places.path(name, "settings")
    path.parent.mkdir(parents=True)
    value = {"notes": BESIDE}
    for key in reversed(keys):
        value = {key: value}
    path.write_text(json.dumps(value))
    found = loaded.health(name).findings(str(tmp_path / "home" / ".foreword"))
    assert any(what.startswith("Basic Memory is active as well") for _, what, _ in found)


@pytest.mark.parametrize("off", [{"enabled": False}, {"disabled": True}])
def test_a_memory_that_is_switched_off_is_not_active(tmp_path, off):
    path = tmp_path / "home" / ".cursor" / "mcp.json"
    path.parent.mkdir()
    path.write_text(json.dumps({"mcpServers": {"notes": {**BESIDE, **off}}}))
    assert list(proof.beside("cursor")) == []


def test_what_a_repository_brings_is_not_told_unless_its_folder_is_asked_for(tmp_path, monkeypatch):
    app = tmp_path / "app"
    (app / ".cursor").mkdir(parents=True)
    (app / ".cursor" / "mcp.json").write_text(json.dumps({"mcpServers": {"notes": BESIDE}}))
    monkeypatch.chdir(app)
    assert list(proof.beside("cursor")) == []
    [(_, _, hint)] = proof.beside("cursor", str(app))
    assert str(app) in hint


def test_a_hook_of_another_memory_is_told_and_ours_is_not():
    ours = {"command": "python -I -m foreword.hook gemini stop"}
    found = {"Stop": [{"hooks": [{"command": "deja hook stop"}, ours, {"command": "make"}]}]}
    [(level, what, hint)] = proof.hooks_beside(found, "/x/settings.json")
    assert (level, hint) == (NOTE, "take it out of /x/settings.json")
    assert what.startswith("deja-vu is active as well (hook at Stop)")
    assert list(proof.hooks_beside(7, "")) == []

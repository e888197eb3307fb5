"""What keeps Gemini CLI from having its memory is found, each fault made for real, with what mends it."""

import json
import os
import time

import pytest

from foreword import paths
from foreword.clients import parts
from foreword.clients.gemini import health, install
from foreword.clients.proof import FAILURE, MEND, NOTE, OK
from foreword.edit import jsonc, plan

HINT = "foreword install gemini"
EVENTS = ("SessionStart", "BeforeAgent", "AfterAgent", "PreCompress")
DAY = 86_400

pytestmark = pytest.mark.skipif(os.name == "nt", reason="a POSIX shell")


class Wired:
    """A user's home in which Foreword is wired into Gemini CLI, to break it and to look at it."""

    def __init__(self, top):
        self.store = str(top / ".foreword")
        self.config = top / ".gemini"
        self.settings, self.rules = self.config / "settings.json", self.config / "policies" / "foreword.toml"
        self.instructions = self.config / "GEMINI.md"
        for part in install.parts(parts.Options(graph=False)):
            os.makedirs(os.path.dirname(part.path), exist_ok=True)
            with open(part.path, "w", encoding="utf-8") as f:
                f.write(part.with_ours(""))
        plan.save_records(self.store, install.NAME, {str(self.settings): {"made": None}})

    def change(self, change):
        value = json.loads(self.settings.read_text())
        change(value)
        self.settings.write_text(json.dumps(value))

    def of(self, level, **options):
        """{what: hint} of the findings of a level."""
        return {what: hint for found, what, hint in self.all(**options) if found == level}

    def all(self, folder="", **options):
        return list(health.findings(self.store, folder, **options))

    def failures(self, **options):
        return self.of(FAILURE, **options)


@pytest.fixture
def home(tmp_path):
    return Wired(tmp_path / "home")


# -- whether it is there -------------------------------------------------------------------------


def test_a_sound_install_has_no_failure_and_everything_was_run(home):
    assert home.failures() == {}
    told = " ".join(home.of(OK))
    for event in EVENTS:
        assert f"the {event} hook is installed and runs (" in told
    assert "the MCP server is added, starts and answers (" in told
    assert f"rules for tools are in {home.rules}" in told
    assert f"instructions are in {home.instructions}" in told


def test_looking_changes_nothing(home, tmp_path):
    def everything():
        return {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*") if path.is_file()}

    before = everything()
    home.all()
    assert everything() == before


def test_what_counts_as_wired(home):
    assert health.is_wired(home.store)
    plan.save_records(home.store, install.NAME, {})
    assert health.is_wired(home.store)
    home.settings.unlink()
    assert not health.is_wired(home.store)
    plan.save_records(home.store, install.NAME, {str(home.settings): {"after": "", "made": None}})
    assert health.is_wired(home.store)  # an install is on record: it was


def test_what_was_wired_and_is_gone_is_named_piece_by_piece(home):
    for path in (home.settings, home.rules, home.instructions):
        path.unlink()
    assert home.failures() == {
        **{f"the {event} hook is not installed": HINT for event in EVENTS},
        "the MCP server is not added": HINT,
    }
    notes = home.of(NOTE)
    assert notes[f"rules for tools are not installed: {home.rules}"] == HINT
    assert notes[f"instructions are not installed: {home.instructions}"] == HINT


# -- settings.json ---------------------------------------------------------------------------------


def test_a_hook_that_is_missing_doubled_or_of_another_version_is_named(home):
    def change(value):
        hooks = value["hooks"]
        del hooks["AfterAgent"]
        hooks["SessionStart"] *= 2
        hooks["BeforeAgent"][0]["hooks"][0]["timeout"] = 600
        del hooks["PreCompress"][0]["matcher"]

    home.change(change)
    assert home.failures() == {
        "the AfterAgent hook is not installed": HINT,
        f"the SessionStart hook is installed 2 times in {home.settings}": HINT,
        f"the BeforeAgent hook in {home.settings} is not as this version writes it": HINT,
        "the PreCompress hook runs at every request to the model: its group has no matcher 'manual'": HINT,
    }


def test_an_interpreter_that_is_gone_is_named(home):
    def change(value):
        for groups in value["hooks"].values():
            for group in groups:
                words = group["hooks"][0]["command"].split(" ")
                group["hooks"][0]["command"] = " ".join(["/gone/python", *words[1:]])
        value["mcpServers"]["foreword"]["command"] = "/gone/python"

    home.change(change)
    failures = home.failures()
    assert failures["the MCP server's entry names an interpreter that is gone: /gone/python"] == MEND
    for event in EVENTS:
        assert failures[f"the {event} hook names an interpreter that is gone: /gone/python"] == MEND


def test_a_server_of_another_owner_or_version_is_named(home):
    home.change(lambda value: value["mcpServers"].update(foreword={"command": "node"}))
    [(what, hint)] = home.failures().items()
    assert "it is not this one" in what
    assert "gemini mcp remove -s user foreword" in hint
    entry = {"command": "python", "args": ["-m", "foreword.cli", "serve"]}
    home.change(lambda value: value["mcpServers"].update(foreword=entry))
    assert home.failures() == {"the MCP server's entry is not as this version writes it": HINT}


def test_a_server_that_the_user_trusts_altogether_is_as_good(home):
    home.change(lambda value: value["mcpServers"]["foreword"].update(trust=True, timeout=5_000))
    assert home.failures() == {}


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"hooksConfig": {"enabled": False}}, "Gemini CLI runs no hook"),
        ({"hooksConfig": {"disabled": ["foreword"]}}, "/hooks enable foreword"),
        ({"mcp": {"excluded": ["foreword"]}}, "does not start the server"),
    ],
)
def test_what_is_switched_off_is_told(home, change, told):
    home.change(lambda value: value.update(change))
    [(what, hint)] = home.failures().items()
    assert told in what
    assert hint == f"take that out of {home.settings}"


def test_a_file_that_the_client_does_not_start_with_is_told_with_its_place(home):
    text = home.settings.read_text()
    home.settings.write_text(text.rstrip()[:-1].rstrip() + ",\n}\n")
    [what] = home.failures()
    assert what.startswith(f"{home.settings}:")
    assert "a comma before a bracket" in what
    home.settings.write_text("// mine\n" + text)
    assert home.failures() == {}


def test_a_file_that_cannot_be_read_is_told_and_the_rest_is_looked_at(home):
    home.settings.write_text('{"hooks": }')
    [(what, hint)] = home.failures().items()
    assert what.startswith(f"{home.settings}:1:11 cannot be read")
    assert hint == "mend that file"
    home.settings.write_bytes(b'{"a": "\xff"}')
    assert f"{home.settings} cannot be read: it is not UTF-8" in home.failures()


def test_without_bash_no_hook_starts(home, monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    assert home.failures()["Gemini CLI starts hooks with bash, and there is none on the PATH"]


def test_the_variable_that_switches_hooks_off_is_told(home, monkeypatch):
    monkeypatch.setenv("FOREWORD_DISABLE", "1")
    assert home.failures()["every hook ends at once: FOREWORD_DISABLE is 1"] == "unset FOREWORD_DISABLE"


# -- the other files -------------------------------------------------------------------------------


def test_texts_that_are_not_as_written_are_told(home):
    home.rules.write_text(home.rules.read_text().replace("memory_read", "memory_forget"))
    home.instructions.write_text(home.instructions.read_text().replace("Memory", "Memories"))
    assert any("was changed by hand" in what for what in home.of(NOTE))
    told = f"instructions in {home.instructions} are not as this version writes them"
    assert home.failures() == {told: HINT}


# -- trust -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("rules", "told"),
    [
        ({}, ""),
        ({"": "DO_NOT_TRUST"}, health.UNTRUSTED),
        ({"app": "TRUST_FOLDER", "": "DO_NOT_TRUST"}, "TRUST_FOLDER"),
        ({"app": "DO_NOT_TRUST", "": "TRUST_FOLDER"}, health.UNTRUSTED),
        ({"app/below": "DO_NOT_TRUST"}, ""),
        ({"ap": "DO_NOT_TRUST"}, ""),
        ({"beside/x": "TRUST_PARENT", "app": "DO_NOT_TRUST"}, health.UNTRUSTED),
        ({"x": "TRUST_PARENT"}, "TRUST_PARENT"),
    ],
)
def test_a_folder_that_the_client_does_not_trust_is_told(home, tmp_path, rules, told):
    app = tmp_path / "app"
    app.mkdir()
    named = {str(tmp_path / name if name else tmp_path): rule for name, rule in rules.items()}
    (home.config / "trustedFolders.json").write_text(json.dumps(named))
    assert health.trusted(str(app)) == told
    refused = [what for what in home.failures(folder=str(app)) if "not to trust" in what]
    assert bool(refused) is (told == health.UNTRUSTED)


@pytest.mark.parametrize("text", ["", "[]", "{", "\xff"])
def test_a_list_of_folders_that_cannot_be_read_says_nothing(home, text):
    (home.config / "trustedFolders.json").write_bytes(text.encode("latin-1"))
    assert health.trusted(str(home.config)) == ""


# -- traces ----------------------------------------------------------------------------------------


def chat(home, age_s=0.0):
    folder = home.config / "tmp" / "app" / "chats"
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "session-x.jsonl"
    path.write_text("{}\n")
    os.utime(path, (time.time() - age_s, time.time() - age_s))


def test_hooks_that_never_fired_though_there_were_sessions_are_told(home):
    old = time.time() - 3 * DAY
    os.utime(plan.record_path(home.store, install.NAME), (old, old))
    chat(home)
    [what] = [what for what in home.failures() if "never fired" in what]
    assert what.endswith("SessionStart, BeforeAgent, AfterAgent")  # /compress need not have been typed


def test_hooks_that_fired_are_told_with_their_age(home):
    for ours in ("session-start", "prompt", "stop"):
        path = paths.fired(home.store, install.NAME, ours)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb"):
            pass
    chat(home)
    assert home.failures() == {}
    assert any(what.startswith("hooks last fired: SessionStart ") for what in home.of(OK))


# -- what else remembers ---------------------------------------------------------------------------


def test_another_memory_beside_ours_is_named(home):
    def change(value):
        value["mcpServers"]["memory"] = {"command": "npx", "args": ["-y", "@x/server-memory"]}
        hook = {"type": "command", "command": "claude-mem hook"}
        value["hooks"]["SessionStart"].append({"hooks": [hook]})

    home.change(change)
    notes = home.of(NOTE)
    assert any("MCP server memory" in what for what in notes)
    assert any("hook at SessionStart" in what for what in notes)
    assert jsonc.value_at(home.settings.read_text(), ["mcpServers", "memory"])
    assert home.failures() == {}

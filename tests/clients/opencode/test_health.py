"""What doctor says of opencode: well, and each way in which it may not be."""

import json
import os
import sqlite3
import sys

import pytest

from foreword.clients import parts
from foreword.clients.opencode import health, install
from foreword.clients.proof import FAILURE, NOTE, OK
from foreword.edit import plan


class Home:
    """A user's home in which Foreword is wired into opencode."""

    def __init__(self, top):
        self.top, self.store = top, str(top / ".foreword")
        self.config = top / ".config" / "opencode"
        self.settings, self.plugin = self.config / "opencode.jsonc", self.config / "plugins" / "foreword.js"

    def wire(self, skills=True):
        for part in install.parts(parts.Options(skills=skills, graph=False)):
            text = part.with_ours(parts.text_of(part.path))
            if text:
                os.makedirs(os.path.dirname(part.path), exist_ok=True)
                with open(part.path, "w", encoding="utf-8") as f:
                    f.write(text)
        plan.save_records(self.store, install.NAME, {str(self.settings): {"made": None}})
        (self.config / "node_modules").mkdir(exist_ok=True)
        lock = {"packages": {"": {"dependencies": {"@opencode-ai/plugin": "*"}}}}
        (self.config / "package-lock.json").write_text(json.dumps(lock))

    def edit(self, path, old, new):
        text = path.read_text(encoding="utf-8")
        assert old in text
        path.write_text(text.replace(old, new), encoding="utf-8")

    def of(self, level):
        """{what: hint} of the findings of a level."""
        return {what: hint for found, what, hint in health.findings(self.store) if found == level}


@pytest.fixture
def home(tmp_path):
    made = Home(tmp_path / "home")
    made.wire()
    return made


def only(found):
    [what] = found
    return what


def test_all_is_well_after_an_install(home):
    assert home.of(FAILURE) == {}
    told = "\n".join(home.of(OK))
    for event in install.EVENTS:
        assert f"the {event} hook is installed and runs" in told
    assert "the MCP server is added, starts and answers" in told
    assert "skills: remember, recall, dream" in told
    assert list(home.of(NOTE)) == ["the hooks have not fired yet"]


def test_it_is_wired_by_its_record_or_by_what_is_there(home):
    assert health.is_wired(home.store)
    plan.save_records(home.store, install.NAME, {})
    assert health.is_wired(home.store)
    os.unlink(home.plugin)
    assert health.is_wired(home.store)
    os.unlink(home.settings)
    assert not health.is_wired(home.store)


def test_a_second_entry_is_a_failure_that_an_install_mends(home):
    second = home.config / "opencode.json"
    second.write_text(home.settings.read_text())
    what = only(home.of(FAILURE))
    assert str(second) in what and home.of(FAILURE)[what] == "foreword install opencode"


def test_somebody_elses_server_in_another_file_is_a_failure(home):
    (home.config / "opencode.json").write_text('{"mcp": {"foreword": {"type": "remote"}}}')
    what = only(home.of(FAILURE))
    assert str(home.config / "opencode.json") in what and "not this one" in what
    assert "nothing was changed" not in what


def test_a_plugin_that_is_gone_is_a_failure(home):
    os.unlink(home.plugin)
    assert "the plugin is not installed" in only(home.of(FAILURE))


def test_a_plugin_of_another_version_is_a_failure(home):
    # As its record would have it: written by an install, not by hand.
    text = home.plugin.read_text(encoding="utf-8").replace("const FILES = 20", "const FILES = 10")
    home.plugin.write_text(text, encoding="utf-8")
    made = {"written": [plan.digest(text.encode())]}
    plan.save_records(home.store, install.NAME, {str(home.plugin): {"made": made}})
    assert home.of(FAILURE) == {"the plugin is of another version": "foreword install opencode"}


def test_a_plugin_that_was_changed_by_hand_is_a_note(home):
    home.edit(home.plugin, "const FILES = 20", "const FILES = 10")
    assert home.of(FAILURE) == {}
    assert any("changed by hand" in what for what in home.of(NOTE))


def test_a_plugin_of_somebody_elses_is_a_failure(home):
    home.plugin.write_text("export const Mine = async () => ({})\n")
    assert "not Foreword's" in only(home.of(FAILURE))


def test_a_python_that_is_gone_is_a_failure_that_mend_mends(home):
    home.edit(home.plugin, json.dumps(sys.executable), '"/gone/python"')
    home.edit(home.settings, json.dumps(sys.executable), '"/gone/python"')
    found = home.of(FAILURE)
    assert len(found) == 2
    assert all(
        "gone: /gone/python" in what and hint == "foreword doctor --mend" for what, hint in found.items()
    )


def test_a_python_without_foreword_is_found_by_running_it(home, tmp_path):
    other = tmp_path / "python"
    other.write_text("#!/bin/sh\necho no module named foreword >&2\nexit 1\n")
    other.chmod(0o755)
    home.edit(home.plugin, json.dumps(sys.executable), json.dumps(str(other)))
    told = "\n".join(home.of(FAILURE))
    assert "is of another Python" in told
    assert told.count("it ends with exit code 1: no module named foreword") == 3


def test_a_server_that_is_gone_off_or_of_another_form_is_a_failure(home):
    home.edit(home.settings, '"enabled": true', '"enabled": false')
    assert "switched off" in only(home.of(FAILURE))
    home.edit(home.settings, '"enabled": false', '"enabled": true')
    home.edit(home.settings, '"--client"', '"--x"')
    assert "not as this version writes it" in only(home.of(FAILURE))
    home.settings.write_text("{}")
    assert "the MCP server is not in" in only(home.of(FAILURE))


def test_settings_that_cannot_be_read_are_a_failure_with_their_place(home):
    home.settings.write_text('{\n  "mcp": oops\n}')
    assert f"{home.settings}:2:10 cannot be read" in only(home.of(FAILURE))


@pytest.mark.parametrize("variable", ["FOREWORD_DISABLE", "OPENCODE_PURE"])
def test_variables_that_switch_it_off_are_a_failure(home, variable, monkeypatch):
    monkeypatch.setenv(variable, "1")
    assert any(variable in what for what in home.of(FAILURE))


def test_a_package_that_is_yet_to_be_fetched_is_a_note(home):
    os.rmdir(home.config / "node_modules")
    assert " ".join(install.FETCHES) in home.of(NOTE)


def test_skills_that_it_reads_elsewhere_are_well(tmp_path):
    made = Home(tmp_path / "home")
    at = tmp_path / "home" / ".claude" / "skills" / "recall"
    at.mkdir(parents=True)
    (at / "SKILL.md").write_text("<!-- written by foreword install -->\n")
    made.wire()
    assert f"skills: those in {at.parent}" in made.of(OK)
    assert not any("skill" in what for what in made.of(NOTE))


def test_other_memories_beside_it_are_a_note(home):
    home.edit(
        home.settings, '"mcp": {', '"plugin": ["supermemory"], "mcp": {"memory": {"command": ["x"]}, "e": 7,'
    )
    told = "\n".join(home.of(NOTE))
    assert "MCP server memory" in told and "Supermemory" in told


# -- sessions ------------------------------------------------------------------------------------


def sessions(tmp_path, *rows):
    folder = tmp_path / "home" / ".local" / "share" / "opencode"
    folder.mkdir(parents=True)
    db = sqlite3.connect(folder / "opencode.db")
    db.execute("CREATE TABLE session (id text, parent_id text, time_updated integer NOT NULL)")
    db.executemany("INSERT INTO session VALUES (?, ?, ?)", rows)
    db.commit()
    db.close()
    return folder


def test_the_last_session_of_the_users_tells_when_there_was_one(tmp_path):
    assert health.transcripts() == 0.0
    folder = sessions(
        tmp_path, ("a", None, 1_000), ("b", None, 1_796_000_000_500), ("c", "b", 1_797_000_000_000)
    )
    before = sorted(os.listdir(folder))
    assert health.transcripts() == 1_796_000_000.5
    assert sorted(os.listdir(folder)) == before, "nothing is written there"


def test_a_session_that_is_still_open_counts(tmp_path):
    db = sqlite3.connect(sessions(tmp_path) / "opencode.db")
    db.execute("PRAGMA journal_mode=WAL")
    db.execute("INSERT INTO session VALUES ('a', NULL, 5000)")
    db.commit()
    assert health.transcripts() == 5.0
    db.close()


@pytest.mark.parametrize("data", [b"", b"no database", b"SQLite format 3\0" + b"x" * 4096])
def test_a_database_that_cannot_be_read_tells_nothing(tmp_path, data):
    folder = sessions(tmp_path)
    (folder / "opencode.db").write_bytes(data)
    assert health.transcripts() == 0.0

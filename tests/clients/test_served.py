"""The health of a client that has our server and a text, and no hooks."""

import json
import sys

import pytest

from foreword.clients import CLIENTS, HOOKED, loaded, served
from foreword.clients.zed import install
from foreword.edit import plan


@pytest.fixture
def zed(tmp_path, monkeypatch):
    """What the health of Zed says: a function; `.settings` and `.text` are its files, as after an install."""
    home = tmp_path / "home"
    folder = home / ".config" / "zed"
    folder.mkdir(parents=True)

    class Zed:
        settings, text, store = folder / "settings.json", folder / "AGENTS.md", str(home / ".foreword")

        def found(self):
            return list(served.Health(install).findings(self.store))

        def wrong(self):
            return [what for level, what, _ in self.found() if level == "failure"]

        def noted(self):
            return {what: hint for level, what, hint in self.found() if level == "note"}

    for part in install.parts(install_options()):
        with open(part.path, "w", encoding="utf-8") as f:
            f.write(part.with_ours(""))
    return Zed()


def install_options():
    from foreword.clients.parts import Options

    return Options()


def test_a_client_that_is_as_it_should_be_has_a_server_that_answered(zed):
    assert zed.wrong() == []
    assert any("starts and answers" in what for _, what, _ in zed.found())
    assert any(str(zed.text) in what for _, what, _ in zed.found())


def test_an_interpreter_that_is_gone_is_named(zed):
    settings = zed.settings.read_text().replace(json.dumps(sys.executable)[1:-1], "/gone/python")
    zed.settings.write_text(settings)
    [(what, hint)] = [(what, hint) for level, what, hint in zed.found() if level == "failure"]
    assert what.endswith("names an interpreter that is gone: /gone/python")
    assert hint == "foreword doctor --mend"


def test_a_server_that_the_user_switched_off_is_told(zed):
    settings = json.loads(zed.settings.read_text())
    settings["context_servers"]["foreword"]["enabled"] = False
    zed.settings.write_text(json.dumps(settings))
    [what] = zed.wrong()
    assert "switched off" in what


def test_an_interpreter_that_is_gone_goes_before_the_switch(zed):
    settings = json.loads(zed.settings.read_text())
    settings["context_servers"]["foreword"].update(enabled=False, command="/gone/python")
    zed.settings.write_text(json.dumps(settings))
    [what] = zed.wrong()
    assert what == f"the MCP server's entry in {zed.settings} names an interpreter that is gone: /gone/python"


def test_an_entry_of_another_version_is_told_with_its_file(zed):
    settings = json.loads(zed.settings.read_text())
    settings["context_servers"]["foreword"]["args"].remove("-I")
    zed.settings.write_text(json.dumps(settings))
    assert zed.wrong() == [f"the MCP server's entry in {zed.settings} is not as this version writes it"]


def test_somebody_elses_entry_of_our_name_is_told_with_the_way_on(zed):
    zed.settings.write_text('{"context_servers": {"foreword": {"command": "node"}}}')
    [what] = zed.wrong()
    assert what.endswith("it is not this one")


def test_a_second_memory_beside_a_client_without_hooks_was_not_told(zed):
    def put(**servers):
        settings = json.loads(zed.settings.read_text())
        settings["context_servers"].update(servers)
        zed.settings.write_text(json.dumps(settings))

    assert zed.noted() == {}
    put(
        notes={"command": {"path": "uvx", "args": ["basic-memory", "mcp"]}},
        graph={"command": "foreword", "args": ["serve", "--tools", "graph"]},
        off={"command": "engram", "enabled": False},
        files={"command": "npx", "args": ["server-filesystem"]},
    )
    told = "Basic Memory is active as well (MCP server notes): two memories cost context twice"
    assert zed.noted() == {told: f'take "notes" out of context_servers in {zed.settings}'}
    assert zed.wrong() == []


@pytest.mark.parametrize("name", ["settings", "text"])
def test_what_is_gone_from_a_file_is_told_with_the_file(zed, name):
    path = getattr(zed, name)
    path.write_text("{}" if name == "settings" else "# Mine\n")
    [what] = zed.wrong()
    assert what.endswith(f"is not in {path}")


def test_a_malformed_file_is_told_with_its_place_and_the_rest_is_still_looked_at(zed):
    zed.settings.write_text('{\n  "theme": ,\n}')
    [what] = zed.wrong()
    assert what.startswith(f"{zed.settings}:2:12 cannot be read")
    assert any(str(zed.text) in what for level, what, _ in zed.found() if level == "ok")


def test_a_torn_block_is_told_with_its_line(zed):
    zed.text.write_text(zed.text.read_text().replace("<!-- foreword: end -->", ""))
    [what] = zed.wrong()
    assert f"{zed.text}:1:1" in what


def test_a_client_counts_as_wired_by_what_it_holds_or_by_the_record_alone(zed):
    health = served.Health(install)
    assert health.is_wired(zed.store)
    zed.settings.unlink()
    zed.text.unlink()
    assert not health.is_wired(zed.store)
    plan.save_records(zed.store, "zed", {str(zed.settings): {"after": "", "made": {}}})
    assert health.is_wired(zed.store)


def test_a_file_that_cannot_be_read_is_not_taken_for_ours(zed):
    zed.text.unlink()
    zed.settings.write_text("{")
    assert not served.Health(install).is_wired(zed.store)


@pytest.mark.parametrize("name", CLIENTS)
def test_every_client_has_an_installer_and_a_health(name):
    client = loaded.install(name)
    assert name == client.NAME
    for function in ("found", "parts", "part", "once_installed", "once_removed", "to_paste"):
        assert callable(getattr(client, function)), function
    assert (client.ABOUT.forewords is not None) == (name in HOOKED)
    health = loaded.health(name)
    for function in ("is_wired", "findings", "plugins", "wants_skills"):
        assert callable(getattr(health, function)), function
    assert health.plugins() == []

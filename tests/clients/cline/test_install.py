"""What goes into Cline's files and comes out again, by text; where they are; what is refused.

Cline was not run: what these tests call right is what its makers' pages say.
"""

import os

import pytest

from clients import rounds
from foreword.clients import places
from foreword.clients.cline import install
from foreword.clients.parts import Options

VARIABLES = ("CLINE_DIR", "CLINE_DATA_DIR", "CLINE_MCP_SETTINGS_PATH")


@pytest.fixture(autouse=True)
def unmoved(monkeypatch, tmp_path):
    """No variable of Cline's, and no program."""
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))


def part(name="cline_mcp_settings.json"):
    return rounds.settings_parts(install)[name]


SETTINGS = ("settings", "cline_mcp_settings.json")
WINDOWS = "C:\\Users\\me"


@pytest.mark.parametrize(
    ("system", "environ", "home", "settings", "rule"),
    [
        ("linux", {}, "/home/me", "/home/me/.cline/data/", "/home/me/.cline/rules/foreword.md"),
        ("darwin", {}, "/Users/me", "/Users/me/.cline/data/", "/Users/me/.cline/rules/foreword.md"),
        ("win32", {}, WINDOWS, WINDOWS + "\\.cline\\data\\", WINDOWS + "\\.cline\\rules\\foreword.md"),
        ("linux", {"CLINE_DIR": "/é/c"}, "/home/z", "/é/c/data/", "/é/c/rules/foreword.md"),
        ("linux", {"CLINE_DATA_DIR": "/é/d"}, "/home/z", "/é/d/", "/home/z/.cline/rules/foreword.md"),
    ],
)
def test_the_files_are_where_cline_looks_on_each_system(system, environ, home, settings, rule):
    slash = "\\" if system == "win32" else "/"
    assert places.path("cline", "settings", system, environ, home) == settings + slash.join(SETTINGS)
    assert places.path("cline", "instructions", system, environ, home) == rule


def test_the_variable_for_the_settings_alone_comes_first(monkeypatch, tmp_path):
    monkeypatch.setenv("CLINE_DIR", str(tmp_path / "dir"))
    monkeypatch.setenv("CLINE_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setenv("CLINE_MCP_SETTINGS_PATH", str(tmp_path / "mcp é.json"))
    assert places.path("cline", "settings") == str(tmp_path / "mcp é.json")


def test_cline_is_found_by_its_folder_or_its_program(tmp_path):
    assert not install.found()
    program = tmp_path / ("cline.bat" if os.name == "nt" else "cline")
    program.touch(0o755)
    assert install.found()
    program.unlink()
    os.makedirs(os.path.dirname(part().path))
    assert install.found()


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ('{\n  // mine\n  "mcpServers": {}\n}', "2:3"),
        ('{\n  "mcpServers": {"größe": {"command": "x",}}\n}', "2:42"),
    ],
)
def test_a_file_that_cline_cannot_read_is_warned_of_with_its_place(text, place):
    told = part().warning(part().with_ours(text), text)
    assert f"{part().path}:{place}" in told and "Cline ignores such a file" in told
    assert not part().warning(part().with_ours("{}"), "{}")


def test_no_tool_is_allowed_in_the_users_place():
    assert "pprove" not in part().with_ours("") and "llow" not in part().with_ours("")


def test_our_rule_goes_with_its_file_and_a_rule_of_the_users_stays():
    made = [p for p in install.parts(Options()) if p.path.endswith("foreword.md")]
    assert [p.whole for p in made] == [True]
    assert made[0].without_ours(made[0].with_ours("mine\n"), None) == "mine\n"

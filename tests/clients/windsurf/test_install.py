"""What goes into Windsurf's files and comes out again, by text; where they are; what is refused.

Windsurf was not run: what these tests call right is what its makers' pages say.
"""

import os

import pytest
from hypothesis import given

from clients import rounds
from foreword.clients import places
from foreword.clients.parts import Options
from foreword.clients.windsurf import install
from foreword.errors import ForewordError

CASCADE = ["mcp_config.json", "global_rules.md"]
DEVIN = ["config.json", "AGENTS.md"]


def make(*agents):
    """The folders of agents, as the editor makes them."""
    for agent in agents:
        os.makedirs(os.path.dirname(places.path("windsurf", install.AGENTS[agent][0])), exist_ok=True)


@pytest.fixture
def both():
    make(*install.AGENTS)


def parts():
    return rounds.settings_parts(install)


@pytest.mark.parametrize("newline", rounds.NEWLINES, ids=["lf", "crlf"])
@pytest.mark.parametrize("case", rounds.cases(__file__), ids=rounds.named)
def test_a_file_as_people_have_it_goes_in_and_out(case, newline, monkeypatch, both):
    rounds.play(install, case, newline, monkeypatch)


@given(text=rounds.settings(install.KEYS))
def test_any_settings_of_cascade_come_back_to_the_byte_and_say_the_same(text):
    rounds.comes_back(parts()["mcp_config.json"], text)
    rounds.keeps_theirs(parts()["mcp_config.json"], install.KEYS, text)


@given(text=rounds.settings(install.KEYS, with_comments=True))
def test_any_settings_of_devin_come_back_to_the_byte_and_say_the_same(text):
    make("Devin Local")
    rounds.comes_back(parts()["config.json"], text)
    rounds.keeps_theirs(parts()["config.json"], install.KEYS, text)


@given(text=rounds.markdown())
def test_any_instructions_come_back_to_the_byte(text):
    make(*install.AGENTS)
    for name in ("global_rules.md", "AGENTS.md"):
        after = rounds.comes_back(parts()[name], text)
        assert after.startswith(text)


@pytest.mark.parametrize(
    ("agents", "files"),
    [
        ([], CASCADE),
        (["Cascade"], CASCADE),
        (["Devin Local"], DEVIN),
        (["Cascade", "Devin Local"], CASCADE + DEVIN),
    ],
)
def test_each_agent_that_has_a_folder_is_wired_and_cascade_where_none_has(agents, files):
    make(*agents)
    assert [os.path.basename(part.path) for part in install.parts(Options())] == files
    assert install.found() == bool(agents)


@pytest.mark.parametrize(
    ("system", "environ", "home", "top", "devin"),
    [
        ("linux", {}, "/home/me", "/home/me/", "/home/me/.config/devin/"),
        ("linux", {"XDG_CONFIG_HOME": "/x"}, "/home/me", "/home/me/", "/home/me/.config/devin/"),
        ("darwin", {}, "/Users/me", "/Users/me/", "/Users/me/.config/devin/"),
        (
            "win32",
            {"APPDATA": "D:\\Büro\\me"},
            "C:\\Users\\me",
            "C:\\Users\\me\\",
            "D:\\Büro\\me\\devin\\",
        ),
    ],
)
def test_the_files_are_where_each_system_keeps_them(system, environ, home, top, devin):
    def at(what):
        return places.path("windsurf", what, system, environ, home)

    slash = "\\" if system == "win32" else "/"
    assert at("settings") == top + slash.join((".codeium", "windsurf", "mcp_config.json"))
    assert at("instructions") == top + slash.join((".codeium", "windsurf", "memories", "global_rules.md"))
    assert at("settings of Devin") == devin + "config.json"
    assert at("instructions of Devin") == devin + "AGENTS.md"


def test_rules_that_cascade_would_cut_are_warned_of_and_others_are_not(both):
    rules, agents = parts()["global_rules.md"], parts()["AGENTS.md"]
    room = 6000 - len(rules.with_ours("x\n")) + 2
    fits, too_long = "x" * (room - 1) + "\n", "x" * room + "\n"
    assert len(rules.with_ours(fits)) == 6000
    assert not rules.warning(rules.with_ours(fits), fits)
    told = rules.warning(rules.with_ours(too_long), too_long)
    assert "has 6001 characters" in told and "6000" in told
    assert not agents.warning(agents.with_ours(too_long), too_long)
    assert not rules.warning(too_long * 2, too_long * 2)  # theirs alone is not ours to judge


def test_a_malformed_file_is_refused_with_line_and_column():
    part = parts()["mcp_config.json"]
    error = rounds.refusal(part, '{\r\n  "mcpServers": {\r\n    "größe"\r\n  }\r\n}\r\n')
    assert f"{part.path}:4:3: " in error.message and "nothing was changed" in error.message


@pytest.mark.parametrize(
    "text", ['{"mcpServers": 1}', '{"mcpServers": {"foreword": {"serverUrl": "https://example.com/mcp"}}}']
)
def test_what_is_somebody_elses_is_refused(text):
    assert isinstance(rounds.refusal(parts()["mcp_config.json"], text), ForewordError)


def test_a_block_that_lost_its_end_is_refused_with_its_line():
    part = parts()["global_rules.md"]
    text = "# Rules\n" + part.with_ours("").replace("<!-- foreword: end -->", "")
    assert f"{part.path}:2:1: " in rounds.refusal(part, text).message


def test_what_to_do_next_names_devin_where_it_is_wired():
    make("Cascade")
    assert "Devin" not in "".join(install.once_installed(Options()))
    make("Devin Local")
    assert "Devin" in "".join(install.once_installed(Options()))


def test_a_part_is_known_by_the_path_of_what_an_install_left(both):
    for made in install.parts(Options()):
        way_out, text = install.part(made.path), made.with_ours("")
        assert way_out.holds_ours(text)
        assert way_out.without_ours(text, rounds.kept(made.footprint(""))) == ""


# -- through the command ---------------------------------------------------------------------------


@pytest.mark.parametrize("newline", [None, *rounds.NEWLINES], ids=["nothing", "lf", "crlf"])
def test_a_home_is_as_it_was_once_the_client_was_wired_and_unwired(newline, tmp_path):
    case = rounds.Case(rounds.cases(__file__, "cascade")[0], newline or "\n")
    rounds.a_home_comes_back(install, case, str(tmp_path / "home"), with_files=bool(newline))

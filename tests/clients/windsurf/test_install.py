"""What goes into Windsurf's files and comes out again, by text; where they are; what is refused.

Windsurf was not run: what these tests call right is what its makers' pages say.
"""

import os

import pytest

from clients import rounds
from foreword.clients import places
from foreword.clients.parts import Options
from foreword.clients.windsurf import install

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


def test_what_to_do_next_names_devin_where_it_is_wired():
    make("Cascade")
    assert "Devin" not in "".join(install.once_installed(Options()))
    make("Devin Local")
    assert "Devin" in "".join(install.once_installed(Options()))

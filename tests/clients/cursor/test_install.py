"""What goes into Cursor's files and comes out again, by text; where they are; what is refused.

Cursor was not run: what these tests call right is what its makers' pages say.
"""

import os

import pytest

from clients import rounds
from foreword import skills
from foreword.clients import places
from foreword.clients.cursor import install
from foreword.clients.parts import Options


def settings():
    return rounds.settings_parts(install)["mcp.json"]


@pytest.mark.parametrize(
    ("system", "home", "expected"),
    [
        ("linux", "/home/me", "/home/me/.cursor/mcp.json"),
        ("darwin", "/Users/me", "/Users/me/.cursor/mcp.json"),
        ("win32", "C:\\Users\\me", "C:\\Users\\me\\.cursor\\mcp.json"),
    ],
)
def test_the_settings_are_in_the_home_of_every_system(system, home, expected):
    assert places.path("cursor", "settings", system, {}, home) == expected


# -- skills ----------------------------------------------------------------------------------------


def written(options):
    """The names of the skills that an install would write."""
    made = [part for part in install.parts(options) if part.is_skill]
    return {os.path.basename(os.path.dirname(part.path)) for part in made if part.with_ours("")}


def put_skill(folder):
    path = os.path.join(folder, "recall", "SKILL.md")
    os.makedirs(os.path.dirname(path))
    with open(path, "w") as f:
        f.write(skills.text("recall", "plain"))


def test_the_skills_are_written_and_say_nothing_of_another_client():
    assert written(Options()) == {"remember", "recall", "dream"}
    for part in install.parts(Options()):
        if part.is_skill:
            assert skills.is_ours(part.with_ours("")) and "Claude" not in part.with_ours("")


@pytest.mark.parametrize("client", ["claude-code", "codex"])
def test_there_is_no_second_copy_of_a_skill_that_cursor_reads_elsewhere(client):
    assert written(Options(names=("cursor", client))) == set()
    put_skill(places.path(client, "skills"))
    assert written(Options()) == set()


def test_skills_in_a_folder_that_a_variable_moved_are_not_read_by_cursor(tmp_path, monkeypatch):
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "claude"))
    put_skill(places.path("claude-code", "skills"))
    assert written(Options(names=("cursor", "claude-code"))) == {"remember", "recall", "dream"}


# -- the rest --------------------------------------------------------------------------------------


def test_cursor_is_found_by_its_folder_or_its_program(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    assert not install.found()
    os.makedirs(os.path.dirname(settings().path))
    assert install.found()
    os.rmdir(os.path.dirname(settings().path))
    program = tmp_path / ("cursor-agent.bat" if os.name == "nt" else "cursor-agent")
    program.touch(0o755)
    assert install.found()


def test_the_text_to_paste_says_that_nothing_is_saved_by_itself():
    [(where, text)] = install.to_paste(Options())
    assert "User Rules" in where and text == skills.protocol("notes", hooked=False)

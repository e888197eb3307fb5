"""config.toml and hooks.json as people have them: in, in again, changed by the user, out, each to the byte.

A case is a folder of texts as rounds.py says. What goes into one of the two files depends on the other, so
they are on disk here. {{folder}} stands for the folder they lie in: Codex names it in what it keeps of trust.
"""

import os
import shlex
import sys

import pytest

from clients import rounds
from clients.codex.folder import Folder
from foreword.clients import hook_entries
from foreword.clients.codex import install, trust
from foreword.edit import jsonc

pytestmark = pytest.mark.skipif(os.name == "nt", reason="quotes as a POSIX shell has them")

FILES = ("hooks.json", "config.toml")
CASES = rounds.cases(__file__)
# Where there is no file yet, no line end of the user's decides.
PLAYS = [
    pytest.param(case, newline, id=f"{rounds.named(case)}-{newline!r}")
    for case in CASES
    for newline in rounds.NEWLINES
    if newline == "\n" or any(rounds.Case(case).all_before())
]
TRUSTED = [case for case in CASES if "user_prompt_submit:" in rounds.Case(case).text("edited", "config.toml")]
HOOK = ["-I", "-m", "foreword.hook", "codex"]


@pytest.fixture
def folder(tmp_path):
    return Folder(tmp_path / "codex")


def begun(path, newline, monkeypatch):
    case = rounds.Case(path, newline)
    monkeypatch.setattr(sys, "executable", case.python)
    return case


def texts(case, stage, folder):
    """{name: text} of a stage: "" for a file that is not there."""
    return {name: case.text(stage, name).replace("{{folder}}", folder.path) for name in FILES}


def put(folder, found):
    for name, text in found.items():
        folder.write(name, text or None)


def our_commands(folder):
    in_json, in_config = jsonc.value_at(folder.read("hooks.json"), ["hooks"]), folder.config().get("hooks")
    return [
        shlex.split(hook["command"])
        for hooks in (in_json, in_config)
        for *_, hook in hook_entries.handlers(hooks)
        if hook_entries.is_ours(hook)
    ]


@pytest.mark.parametrize(("case", "newline"), PLAYS)
def test_a_case_goes_in_and_out_as_it_is_written_down(case, newline, folder, monkeypatch):
    case = begun(case, newline, monkeypatch)
    before, after = texts(case, "before", folder), texts(case, "after", folder)
    edited, removed = texts(case, "edited", folder), texts(case, "removed", folder)
    put(folder, before)
    for name, part in folder.parts().items():
        assert part.holds_ours(before[name]) == ("foreword." in before[name]), name  # of an older version
    made = rounds.kept(folder.install())
    assert folder.texts() == after
    assert any(part.holds_ours(after[name]) for name, part in folder.parts().items())
    folder.install()
    assert folder.texts() == after
    put(folder, edited)
    # An uninstall may find a file by its record alone.
    by_record = {name: install.part(os.path.join(folder.path, name)) for name in FILES}
    for parts in (folder.parts(), by_record):
        assert {name: part.without_ours(edited[name], made[name]) for name, part in parts.items()} == removed
    folder.uninstall(made)
    assert folder.texts() == removed
    assert not any(part.holds_ours(removed[name]) for name, part in folder.parts().items())


@pytest.mark.parametrize(("case", "newline"), PLAYS)
def test_what_the_user_made_of_it_outlives_the_next_install(case, newline, folder, monkeypatch):
    case = begun(case, newline, monkeypatch)
    edited = texts(case, "edited", folder)
    put(folder, edited)
    folder.install()
    assert folder.texts() == edited


def test_what_an_older_version_left_goes_out_without_a_newer_install_or_a_record(folder, monkeypatch):
    case = begun(*rounds.cases(__file__, "older-version"), "\r\n", monkeypatch)
    put(folder, texts(case, "before", folder))
    folder.uninstall()
    assert folder.texts() == texts(case, "removed", folder)


@pytest.mark.parametrize("case", CASES, ids=rounds.named)
def test_what_a_case_shows_starts_its_interpreter(case, folder, monkeypatch):
    case = begun(case, "\n", monkeypatch)
    put(folder, texts(case, "after", folder))
    events = [ours for ours, _ in install.HOOKS.values()]
    assert sorted(our_commands(folder)) == sorted([case.python, *HOOK, event] for event in events)
    server = folder.config()["mcp_servers"]["foreword"]
    assert [server["command"], *server["args"]] == [case.python, "-I", "-m", "foreword.cli", "serve"]


@pytest.mark.parametrize("case", TRUSTED, ids=rounds.named)
def test_what_a_case_shows_as_trusted_codex_takes_as_trusted(case, folder, monkeypatch):
    case = begun(case, "\n", monkeypatch)
    put(folder, texts(case, "edited", folder))
    both = install.Both(folder.path)
    found = trust.status(both.config, both.hashes(installed=False))
    assert list(found.values()) == ["trusted"] * len(install.HOOKS)


def test_the_cases_say_what_they_are_there_for():
    """Hooks in each of the two files, both of the user's; trust given in between; an older version's."""
    assert len(TRUSTED) > 1
    before = {name: [rounds.Case(case).text("before", name) for case in CASES] for name in FILES}
    assert any("[[hooks." in text for text in before["config.toml"])
    assert any(text and "foreword" not in text for text in before["hooks.json"])
    for texts_of in before.values():
        assert "" in texts_of and any("foreword." in text for text in texts_of)


@pytest.mark.parametrize("with_files", [False, True], ids=["nothing", "files"])
def test_the_command_gives_every_byte_and_folder_back(with_files, tmp_path):
    [case] = rounds.cases(__file__, "hooks-in-json")
    rounds.a_home_comes_back(install, rounds.Case(case, "\r\n"), str(tmp_path / "home"), with_files)

"""What every client must have, found from the tables: who lacks a file, a row or a name is told here.

And the rounds through the files of those without hooks: their cases, any text, the real command. A client's
own test_install.py keeps what is its own.
"""

import datetime
import inspect
import os
import re
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clients import rounds
from foreword import skills
from foreword.clients import CLIENTS, HOOKED, about, loaded, mcp_entries, places, server_entry
from foreword.clients.parts import Commands, Options, Part
from foreword.edit import jsonc
from foreword.errors import ForewordError

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCES = os.path.dirname(os.path.abspath(about.__file__))
SERVED = [client for client in CLIENTS if client not in HOOKED]
TAUGHT = [client for client in SERVED if any("instructions" in what for what in places.PLACES[client])]
DATED = re.compile(r"\b20\d\d-[01]\d-[0-3]\d\b")
NOT_RUN = re.compile(r"^(Documented only|Not run): ", re.MULTILINE)
CASES_OF = {"claude-code": ("..", "data", "clients", "claude-code", "install")}  # elsewhere than the others'
WITHOUT_KEYS = ("claude-code", "codex")  # the server goes in through the client's own program; as TOML
KEYS = {client: keys for client, what, keys in reversed(mcp_entries.OF_USER) if what == "settings"}
# What install.py offers, with the arguments that are handed over: see clients/parts.py.
OFFERED = {"found": 0, "parts": 1, "part": 1, "once_installed": 1, "once_removed": 0, "to_paste": 1}
HEALTH = {"is_wired": 2, "findings": 3, "plugins": 0, "wants_skills": 1}


def source_folder(client):
    return os.path.join(SOURCES, CLIENTS[client].rpartition(".")[2])


def case_folder(client):
    usual = (os.path.basename(source_folder(client)), "cases")
    return os.path.join(HERE, *CASES_OF.get(client, usual))


def has(client, name):
    return os.path.isfile(os.path.join(source_folder(client), name))


# -- what there must be -----------------------------------------------------------------------------


def test_the_folders_of_clients_are_those_that_the_table_names():
    folders = {entry.name for entry in os.scandir(SOURCES) if entry.is_dir()} - {"__pycache__"}
    assert folders == {os.path.basename(source_folder(client)) for client in CLIENTS}


@pytest.mark.parametrize("client", CLIENTS)
def test_a_readme_says_which_version_was_run_or_that_none_was_and_when_that_was_checked(client):
    said = loaded.install(client).ABOUT
    with open(os.path.join(source_folder(client), "README.md"), encoding="utf-8") as f:
        text = f.read()
    assert datetime.date.fromisoformat(said.checked) and said.checked in DATED.findall(text)
    assert (said.version in text) if said.version else NOT_RUN.search(text)
    cells = [cell for cell in (said.server, said.forewords, said.instructions) if cell]
    assert all(cell.what for cell in cells)
    assert {cell.seen for cell in cells} == {about.RUN if said.version else about.DOCUMENTED}


@pytest.mark.parametrize("client", CLIENTS)
def test_a_client_has_cases_of_files_as_people_have_them(client):
    folder = case_folder(client)
    stages = [
        {name.split(".")[0] for name in os.listdir(os.path.join(folder, case))} for case in os.listdir(folder)
    ]
    assert len(stages) >= 3 and all("after" in shown for shown in stages)
    assert any({"before", "removed"} <= shown for shown in stages)


def test_every_client_has_its_places_and_its_servers_in_the_tables():
    assert set(places.PLACES) == set(CLIENTS)
    assert {client for client, _, _ in mcp_entries.OF_USER} == set(CLIENTS)
    assert all("settings" in rows for rows in places.PLACES.values())


@pytest.mark.parametrize("client", CLIENTS)
def test_the_keys_of_an_installer_are_those_under_which_its_server_is_looked_for(client):
    keys = getattr(loaded.install(client), "KEYS", None)
    assert keys == (None if client in WITHOUT_KEYS else KEYS[client])


def test_hooks_health_and_wires_are_of_the_same_clients():
    assert set(loaded.OWN_HEALTH) == set(HOOKED) <= set(CLIENTS)
    assert {client for client in CLIENTS if has(client, "wire.py")} == set(HOOKED)
    assert {client for client in CLIENTS if has(client, "health.py")} == set(loaded.OWN_HEALTH)
    assert {client for client in CLIENTS if loaded.install(client).ABOUT.forewords} == set(HOOKED)


@pytest.mark.parametrize("client", CLIENTS)
def test_an_installer_offers_what_install_uninstall_and_doctor_use(client, tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))  # of no client's program
    install = loaded.install(client)
    options = Options(graph=False)
    for module, wanted in ((install, OFFERED), (loaded.health(client), HEALTH)):
        for name, handed in wanted.items():
            inspect.signature(getattr(module, name)).bind(*["x"] * handed)
    assert client == install.NAME
    assert isinstance(install.ABOUT, about.About)
    assert install.COMMANDS is None or isinstance(install.COMMANDS, Commands)
    assert install.found() is False
    made = install.parts(options)
    assert made and all(isinstance(part, Part) and os.path.isabs(part.path) for part in made)
    for lines in (install.once_installed(options), install.once_removed()):
        assert isinstance(lines, (list, tuple)) and lines
        assert all(isinstance(line, str) and "\n" not in line for line in lines)
    assert all(where and text.endswith("\n") for where, text in install.to_paste(options))
    assert loaded.health(client).is_wired(str(tmp_path / "store"), "") is False
    assert loaded.health(client).plugins() == []


@pytest.mark.parametrize("client", CLIENTS)
def test_a_part_is_known_by_the_path_of_what_an_install_left(client):
    rounds.make_folders(client)
    install = loaded.install(client)
    for made in install.parts(Options(graph=False)):
        way_out, text = install.part(made.path), made.with_ours("")
        assert way_out.path == made.path and way_out.holds_ours(text)
        assert way_out.without_ours(text, rounds.kept(made.footprint(""))) == ""


@pytest.mark.parametrize("client", KEYS)
def test_the_server_that_an_install_writes_is_found_where_servers_are_looked_for(client):
    rounds.make_folders(client)
    written = []
    for part in loaded.install(client).parts(Options(graph=False)):
        text = part.with_ours("")
        os.makedirs(os.path.dirname(part.path), exist_ok=True)
        with open(part.path, "w", encoding="utf-8") as f:
            f.write(text)
        written += [part.path] if '"serve"' in text else []
    found = [entry for entry in mcp_entries.entries() if entry.client == client]
    assert written and all(entry.is_wired for entry in found)
    assert sorted(entry.config for entry in found) == sorted(written)
    assert all(server_entry.is_ours(entry.value) for entry in found)


# -- rounds: what stands in files -------------------------------------------------------------------

PLAYS = [
    pytest.param(client, folder, newline, id=f"{client}-{rounds.named(folder)}-{newline!r}")
    for client in SERVED
    for folder in rounds.cases(case_folder(client))
    for newline in rounds.NEWLINES
    # Where there is no file yet, no line end of the user's decides.
    if newline == "\n" or any(rounds.Case(folder).all_before())
]


def parts_of(client):
    """(the Parts of settings, those of instructions) of every program of a client that may be here."""
    rounds.make_folders(client)
    made = [part for part in loaded.install(client).parts(Options(graph=False)) if not part.is_skill]
    return [part for part in made if part.starts], [part for part in made if not part.starts]


def at(client):
    return [*KEYS[client], server_entry.SERVER]


@pytest.mark.parametrize(("client", "folder", "newline"), PLAYS)
def test_a_case_goes_in_and_out_as_it_is_written_down(client, folder, newline, monkeypatch):
    rounds.make_folders(client)
    rounds.play(loaded.install(client), folder, newline, monkeypatch)


@pytest.mark.parametrize("client", SERVED)
@given(data=st.data())
@settings(max_examples=40)
def test_any_settings_come_back_to_the_byte_and_say_the_same(client, data):
    text = data.draw(rounds.settings(KEYS[client], with_comments=True))
    part = data.draw(st.sampled_from(parts_of(client)[0]))
    rounds.comes_back(part, text)
    rounds.keeps_theirs(part, KEYS[client], text)


@pytest.mark.parametrize("client", TAUGHT)
@given(data=st.data())
@settings(max_examples=30)
def test_any_instructions_come_back_to_the_byte(client, data):
    text = data.draw(rounds.markdown())
    part = data.draw(st.sampled_from(parts_of(client)[1]))
    assert rounds.comes_back(part, text).startswith(text)


@pytest.mark.parametrize("client", SERVED)
def test_an_agent_without_hooks_is_told_that_nothing_is_saved_by_itself(client):
    texts = [part.with_ours("") for part in parts_of(client)[1]]
    texts += [text for _, text in loaded.install(client).to_paste(Options(graph=False)) if text[0] != "{"]
    taught = skills.protocol("notes", hooked=False).strip("\n")
    assert texts and all(taught in text for text in texts)


@pytest.mark.parametrize("client", SERVED)
def test_an_entry_of_another_version_is_renewed_and_keeps_what_the_user_added(client, monkeypatch):
    with monkeypatch.context() as older:
        older.setattr(sys, "executable", "/gone/python")
        old = parts_of(client)[0][0].with_ours("")
    value = jsonc.value_at(old, at(client))
    listed = "args" if "args" in value else "command"
    old = jsonc.put(old, [*at(client), listed], [*value[listed], "--project", "/x y"])
    old = jsonc.put(old, [*at(client), "mine"], {"é": [1]})
    part = parts_of(client)[0][0]
    assert part.holds_ours(old)
    renewed = jsonc.value_at(part.with_ours(old), at(client))
    assert server_entry.words(renewed) == [*server_entry.command(client), "--project", "/x y"]
    assert renewed["mine"] == {"é": [1]}
    assert "foreword" not in part.without_ours(old, None)


@pytest.mark.parametrize(("switch", "off"), [("enabled", False), ("disabled", True)])
@pytest.mark.parametrize("client", SERVED)
def test_a_server_that_the_user_switched_off_stays_off_and_is_told(client, switch, off):
    for part in parts_of(client)[0]:
        text = jsonc.put(part.with_ours("{}"), [*at(client), switch], off)
        assert part.with_ours(text) == text
        assert "is switched off" in part.warning(text)


# -- rounds: what is refused ------------------------------------------------------------------------


@pytest.mark.parametrize(
    "entry", [{"command": "npx", "args": ["foreword-of-a-book"]}, {"url": "https://mcp.example.org"}]
)
@pytest.mark.parametrize("client", SERVED)
def test_somebody_elses_server_of_that_name_is_refused(client, entry):
    for part in parts_of(client)[0]:
        text = jsonc.put("{}", at(client), entry)
        error = rounds.refusal(part, text)
        assert isinstance(error, ForewordError)
        assert "not this one" in error.message and ".".join(KEYS[client]) in error.hint
        assert part.without_ours(text, None) == text and not part.holds_ours(text)


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ('{\n  "KEY": {\n    "größe": {"command": }\n  }\n}\n', "3:26"),
        ('{\r\n\t"KEY": { // é\r\n\t\t"größe": {},,\r\n\t}\r\n}\r\n', "3:15"),
        ('{\n"KEY": {"größe": tru}\n}\n', "2:DEEP"),
        ("{\n  KEY: {}\n}\n", "2:3"),
        ('{\n  "a": 1,\n  "KEY": []\n}', "3:FLAT"),
        ("[]", "1:1"),
    ],
)
@pytest.mark.parametrize("client", SERVED)
def test_settings_that_cannot_be_edited_are_refused_with_line_and_column(client, text, place):
    [key] = KEYS[client]
    for word, before in (("DEEP", f'"{key}": {{"größe": '), ("FLAT", f'  "{key}": ')):
        place = place.replace(word, str(len(before) + 1))
    for part in parts_of(client)[0]:
        error = rounds.refusal(part, text.replace("KEY", key))
        assert isinstance(error, ForewordError)
        assert f"{part.path}:{place}: " in error.message and "nothing was changed" in error.message


@pytest.mark.parametrize("client", TAUGHT)
def test_a_block_that_lost_its_end_is_refused_with_its_line(client):
    for part in parts_of(client)[1]:
        text = "# Mine\n" + part.with_ours("x\n").replace("<!-- foreword: end -->", "")
        assert f"{part.path}:4:1: " in rounds.refusal(part, text).message


# -- rounds: through the real command ---------------------------------------------------------------


@pytest.mark.parametrize("with_files", [False, True], ids=["nothing", "files"])
@pytest.mark.parametrize("client", SERVED)
def test_a_home_is_as_it_was_once_the_client_was_wired_and_unwired(client, with_files, tmp_path):
    case = rounds.Case(rounds.fullest(rounds.cases(case_folder(client))), "\r\n")
    rounds.a_home_comes_back(loaded.install(client), case, str(tmp_path / "home"), with_files)


def test_a_skill_that_was_changed_by_hand_is_told_once_and_settings_of_no_use_twice():
    install = loaded.install("cline")
    rounds.foreword("install", "cline", "--anyway")
    [skill, *_] = [part.path for part in install.parts(Options(graph=False)) if part.is_skill]
    with open(skill, "a", encoding="utf-8") as f:
        f.write("And say it in verse.\n")
    _, told = rounds.foreword("install", "cline", "--anyway")
    assert told.count("was changed by hand") == told.count("warning: ") == 1
    with open(parts_of("cline")[0][0].path, "r+", encoding="utf-8") as f:
        text = f.read()
        f.seek(0)
        f.write("// mine\n" + text)
    _, told = rounds.foreword("install", "cline", "--anyway")
    assert (told.count("was changed by hand"), told.count("Cline ignores such a file")) == (1, 2)
    assert told.rstrip().splitlines()[-1].startswith("warning: ")

"""What goes into Gemini CLI's files and comes out again, by text; what counts as ours."""

import json
import os
import shutil
import subprocess
import sys
import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clients.rounds import (
    NEWLINES,
    cases,
    comes_back,
    foreword,
    kept,
    markdown,
    named,
    play,
    refusal,
    settings,
    settings_parts,
)
from foreword import paths, skills
from foreword.clients import hook_entries, places, server_entry
from foreword.clients.gemini import health, install
from foreword.clients.parts import Options
from foreword.clients.proof import FAILURE
from foreword.edit import jsonc, plan
from foreword.errors import ForewordError

# Where there is no file yet, no line end of the user's decides.
PLAYS = [
    pytest.param(folder, newline, id=f"{named(folder)}-{newline!r}")
    for folder in cases(__file__)
    for newline in NEWLINES
    if newline == "\n" or named(folder) != "no-file"
]
HOOK = st.fixed_dictionaries(
    {"type": st.just("command"), "command": st.text("ab '\"\\é\n$", max_size=6)},
    optional={"timeout": st.integers(1, 60_000), "name": st.sampled_from(["foreword", "bell"])},
)
GROUP = st.fixed_dictionaries(
    {"hooks": st.lists(HOOK, min_size=1, max_size=2)},
    optional={"matcher": st.sampled_from(["auto", "manual", "*"]), "sequential": st.booleans()},
)
HOOKS = st.dictionaries(
    st.sampled_from([*install.HOOKS, "BeforeTool"]), st.lists(GROUP, max_size=2), max_size=3
)


@st.composite
def with_hooks(draw):
    """A settings.json as `rounds.settings` makes them, with somebody's hooks in it or without."""
    text = draw(settings(install.KEYS, with_comments=True))
    if draw(st.booleans()):
        text = jsonc.put(text, ["hooks"], draw(HOOKS))
    return text


def the_part(name="settings.json", **options):
    return settings_parts(install, **options)[name]


def said(text):
    node = jsonc.parse(text)
    return {} if node is None else node.plain()


def our_groups(text):
    """{event: the group that holds our hook}."""
    return {path[1]: jsonc.value_at(text, path[:3]) for path in hook_entries.ours(text)}


# -- any files -----------------------------------------------------------------------------------


@pytest.mark.parametrize(("folder", "newline"), PLAYS)
def test_a_case_goes_in_and_out_as_it_is_written_down(folder, newline, monkeypatch):
    text = skills.protocol("notes")  # a case says {{protocol}}, which is the text for clients without hooks
    monkeypatch.setattr(skills, "protocol", lambda about, hooked=True: text)
    play(install, folder, newline, monkeypatch)


@given(with_hooks())
def test_any_settings_come_back_to_the_byte(text):
    comes_back(the_part(), text)


@given(with_hooks())
def test_what_was_there_stays_and_each_event_gets_one_hook(text):
    theirs, after = said(text), the_part().with_ours(text)
    groups = our_groups(after)
    assert groups == {
        event: {
            **({"matcher": install.MATCHERS[event]} if event in install.MATCHERS else {}),
            "hooks": [install.hook(event)],
        }
        for event in install.HOOKS
    }
    now = said(after)
    for event, group in groups.items():
        now["hooks"][event].remove(group)
    assert now["mcpServers"].pop("foreword") == server_entry.entry("gemini")
    assert {event: g for event, g in now.pop("hooks").items() if g} == {
        event: g for event, g in theirs.pop("hooks", {}).items() if g
    }
    assert now.pop("mcpServers") == theirs.pop("mcpServers", {})
    assert now == theirs


@given(with_hooks())
def test_without_the_record_no_word_of_ours_is_left(text):
    after = the_part().with_ours(text)
    left = the_part().without_ours(after, None)
    assert "foreword.hook" not in left
    assert "foreword.cli" not in left


@given(markdown())
def test_any_instructions_come_back_to_the_byte(text):
    after = comes_back(the_part("GEMINI.md"), text)
    assert after.startswith(text)
    assert "which save themselves" in after


@pytest.mark.parametrize("graph", [False, True])
def test_the_rules_come_and_go_with_their_file(graph):
    [_, part, _] = install.parts(Options(graph=graph))
    after = part.with_ours("")
    made = kept(part.footprint(""))
    assert part.whole
    assert part.with_ours(after) == after
    assert part.without_ours(after, made) == ""
    assert install.part(part.path).without_ours(after, None) == ""


# -- what goes in ---------------------------------------------------------------------------------


def test_the_hooks_are_these(monkeypatch):
    monkeypatch.setattr(sys, "executable", "/opt/foreword/bin/python")
    command = "/opt/foreword/bin/python -I -m foreword.hook gemini %s 2>/dev/null || true"
    assert [install.hook(event)["command"] for event in install.HOOKS] == [
        command % event for event in ("session-start", "prompt", "stop", "session-start")
    ]
    assert {install.hook(event)["timeout"] for event in install.HOOKS} == {5_000, 10_000}
    assert {install.hook(event)["name"] for event in install.HOOKS} == {"foreword"}


def test_the_shell_of_each_system_gets_the_interpreter_as_one_word():
    words = ["C:\\Users\\O'Neil\\große tools\\python.exe", "-I", "-m", "foreword.hook", "gemini", "stop"]
    powershell = "& 'C:\\Users\\O''Neil\\große tools\\python.exe' -I -m foreword.hook gemini stop"
    assert install.line(words, "nt") == powershell
    assert hook_entries.is_ours({"command": powershell})
    bash = install.line(["/my tools/python", *words[1:]], "posix")
    assert bash == "'/my tools/python' -I -m foreword.hook gemini stop 2>/dev/null || true"
    assert hook_entries.is_ours({"command": bash})


@pytest.mark.skipif(not shutil.which("bash"), reason="no bash")
def test_an_interpreter_that_is_gone_ends_well_and_says_nothing(tmp_path):
    line = install.line([str(tmp_path / "gone tools" / "python"), "-I", "-m", "foreword.hook"], "posix")
    done = subprocess.run(["bash", "-c", line], capture_output=True, input=b"{}")
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def test_rules_let_read_and_add_and_nothing_else():
    [rule] = tomllib.loads(install.rules())["rule"]
    assert (rule["mcpName"], rule["decision"]) == (server_entry.SERVER, "allow")
    assert rule["toolName"] == list(install.ALLOWED)
    [with_graph] = tomllib.loads(install.rules(graph=True))["rule"]
    assert set(with_graph["toolName"]) == {*install.ALLOWED, *install.ALLOWED_GRAPH}
    gone = {"memory_forget", "memory_mark", "delete_entities", "delete_observations", "delete_relations"}
    assert not gone & set(with_graph["toolName"])


def test_rules_change_with_the_graph_and_what_was_changed_by_hand_stays():
    path = install.rules_path()
    before = install.rules(graph=True)
    part = install.rules_part(path, False)
    assert part.with_ours(before) == install.rules(False)
    by_hand = before.replace("priority = 100", "priority = 1")
    assert part.with_ours(by_hand) == by_hand
    assert part.without_ours(by_hand, kept(part.footprint(""))) == by_hand
    assert "was changed by hand" in part.warning(by_hand)
    assert "is not ours" in part.warning("[[rule]]\n")
    assert part.warning("") == part.warning(before) == ""


def test_rules_of_an_earlier_version_are_renewed_by_their_record():
    path, earlier = install.rules_path(), install.RULES_MARK + "\n[[rule]]\n"
    made = kept(install.rules_part(path).footprint(""))
    assert install.rules_part(path).with_ours(earlier) == earlier
    digest = install.plan.digest(earlier.encode())
    records = {path: {"made": {"written": [digest]}}}
    [_, part, _] = install.parts(Options(graph=False, records=records))
    assert part.with_ours(earlier) == install.rules()
    assert part.without_ours(earlier, {"written": [digest]}) == ""
    assert part.without_ours(install.rules(), made) == ""


@pytest.mark.parametrize(
    ("chosen", "name"),
    [
        ({}, "GEMINI.md"),
        ({"fileName": "AGENTS.md"}, "AGENTS.md"),
        ({"fileName": ["AGENTS.md", "GEMINI.md"]}, "GEMINI.md"),
        ({"fileName": ["CONTEXT.md", "AGENTS.md"]}, "CONTEXT.md"),
        ({"fileName": "../elsewhere.md"}, "GEMINI.md"),
        ({"fileName": 7}, "GEMINI.md"),
    ],
)
def test_instructions_go_where_the_client_looks_for_them(chosen, name):
    folder = os.path.dirname(install.settings_path())
    os.makedirs(folder)
    with open(install.settings_path(), "w", encoding="utf-8") as f:
        json.dump({"context": chosen}, f)
    assert install.instructions_path() == os.path.join(folder, name)
    assert os.path.join(folder, name) in [part.path for part in install.parts(Options(graph=False))]


def wired(tmp_path, chosen):
    """The client's folder, with context.fileName as chosen."""
    folder = tmp_path / "home" / ".gemini"
    folder.mkdir(exist_ok=True)
    choose(folder, {"context": {"fileName": chosen}})
    return folder


def choose(folder, value):
    """Change keys of settings.json, and leave what else is in it."""
    path = folder / "settings.json"
    text = path.read_text() if path.exists() else "{}"
    for key, known in value.items():
        text = jsonc.put(text, [key], known)
    path.write_text(text)


def blocks(folder):
    """The names of the files with our block in them."""
    return sorted(path.name for path in folder.glob("*.md") if "<!-- foreword: begin" in path.read_text())


def test_our_block_stayed_in_a_file_that_is_no_longer_read(tmp_path):
    folder = wired(tmp_path, ["AGENTS.md"])
    (folder / "AGENTS.md").write_text("Mine.\n")
    foreword("install", "gemini", "--anyway")
    assert blocks(folder) == ["AGENTS.md"]

    choose(folder, {"context": {"fileName": "OTHER.md"}})
    found = [
        (level, what, hint) for level, what, hint in health.findings(paths.home()) if "AGENTS.md" in what
    ]
    assert [(level, hint) for level, _, hint in found] == [(FAILURE, "foreword install gemini")]
    told, _ = foreword("install", "gemini", "--anyway")
    assert blocks(folder) == ["OTHER.md"]
    assert (folder / "AGENTS.md").read_text() == "Mine.\n"
    assert f"{install.UNREAD} in ~/.gemini/AGENTS.md" in told
    assert not [what for _, what, _ in health.findings(paths.home()) if "AGENTS.md" in what]

    choose(folder, {"context": {}})
    foreword("install", "gemini", "--anyway")
    assert blocks(folder) == ["GEMINI.md"]
    assert not (folder / "OTHER.md").exists()
    foreword("uninstall", "gemini")
    assert blocks(folder) == []
    assert (folder / "AGENTS.md").read_text() == "Mine.\n"


def test_a_block_in_a_file_that_is_still_read_stays_where_it_is(tmp_path):
    folder = wired(tmp_path, ["AGENTS.md"])
    foreword("install", "gemini", "--anyway")
    choose(folder, {"context": {"fileName": ["OTHER.md", "AGENTS.md", "GEMINI.md"]}})
    foreword("install", "gemini", "--anyway")
    assert blocks(folder) == ["AGENTS.md"]


def test_a_block_in_another_home_of_the_clients_stays(tmp_path, monkeypatch):
    folder = wired(tmp_path, "GEMINI.md")
    foreword("install", "gemini", "--anyway")
    monkeypatch.setenv("GEMINI_CLI_HOME", str(tmp_path / "work"))
    here = [part.path for part in install.parts(Options(records=plan.records(paths.home(), "gemini")))]
    assert str(folder / "GEMINI.md") not in here


def test_settings_that_are_no_utf_8_were_told_as_a_value_that_is_missing(tmp_path):
    folder = wired(tmp_path, "GEMINI.md")
    (folder / "settings.json").write_bytes(b"\xff\xfe{}")
    with pytest.raises(ForewordError) as found:
        install.parts(Options(graph=False))
    assert found.value.message == f"{folder / 'settings.json'} is not UTF-8, nothing was changed"


def test_the_doctor_said_that_nothing_was_changed_of_a_file_that_it_only_looked_at(tmp_path):
    folder = wired(tmp_path, "GEMINI.md")
    (folder / "GEMINI.md").write_bytes(b"\xff")
    told = [what for _, what, _ in health.findings(paths.home()) if "UTF-8" in what]
    assert told == [f"{folder / 'GEMINI.md'} is not UTF-8"]


# -- what was there before ------------------------------------------------------------------------


def test_hooks_of_another_version_are_renewed_in_their_place():
    old = install.hook("BeforeAgent")
    old.update(timeout=9, command="/gone/python -I -m foreword.hook gemini prompt")
    group = {"hooks": [{"type": "command", "command": "bell"}, old]}
    text = json.dumps({"hooks": {"BeforeAgent": [group], "BeforeModel": [{"hooks": [old]}]}})
    now = said(the_part().with_ours(text))["hooks"]
    assert now["BeforeAgent"] == [{"hooks": [group["hooks"][0], install.hook("BeforeAgent")]}]
    assert "BeforeModel" not in now or not now["BeforeModel"]


def test_the_matcher_that_was_taken_out_comes_back():
    text = the_part().with_ours("{}\n")
    [path] = hook_entries.ours(text, "PreCompress")
    without = jsonc.drop(text, [*path[:3], "matcher"])
    assert without != text
    assert said(the_part().with_ours(without)) == said(text)


def test_a_server_of_that_name_that_is_not_ours_is_refused():
    error = refusal(the_part(), '{"mcpServers": {"foreword": {"command": "node"}}}')
    assert "is not this one" in error.message
    assert "mcpServers" in error.hint


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ('{"hooks": []}', ":1:11"),
        ('{\n"hooks": {"AfterAgent": {}}}', ":2:25"),
        ('{"mcpServers": []}', ":1:16"),
        ("[]", ":1:1"),
        ('{"a": }', ":1:7"),
    ],
)
def test_what_cannot_be_edited_is_refused_with_its_place(text, place):
    error = refusal(the_part(), text)
    assert install.settings_path() + place in error.message
    assert "nothing was changed" in error.message


# -- what the client makes of it -------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", ""),
        ('// mine\n{"a": [1, 2] /* b */}', ""),
        ('{"a": [1,\n 2, ]}', ":2:3: a comma before a bracket"),
        ('{"a": {"b": 1},\n}', ":1:15: a comma before a bracket"),
        ("\ufeff{}", " begins with a byte order mark"),
        ('{"hooksConfig": {"enabled": false}}', "runs no hook"),
        ('{"hooksConfig": {"disabled": ["foreword"]}}', "/hooks enable foreword"),
        ('{"mcp": {"allowed": ["github"]}}', "leaves out foreword"),
        ('{"mcp": {"allowed": ["foreword"], "excluded": []}}', ""),
        ('{"mcp": {"excluded": ["foreword"]}}', "does not start the server"),
        ('{"mcp": 1, "hooksConfig": []}', ""),
    ],
)
def test_what_keeps_the_client_from_using_it_is_told(text, told):
    part = the_part()
    warned = part.warning(part.with_ours(text), text)
    assert (told in warned) if told else warned == ""


def test_the_home_that_the_client_is_given_counts(monkeypatch, tmp_path):
    assert install.settings_path() == os.path.join(os.environ["HOME"], ".gemini", "settings.json")
    monkeypatch.setenv("GEMINI_CLI_HOME", str(tmp_path / "elsewhere"))
    assert install.settings_path() == str(tmp_path / "elsewhere" / ".gemini" / "settings.json")
    windows = places.path("gemini", "rules", places.WINDOWS, {}, "C:\\Users\\me")
    assert windows == "C:\\Users\\me\\.gemini\\policies\\foreword.toml"


def test_the_client_is_found_by_its_folder_or_its_program(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    assert not install.found()
    os.makedirs(os.path.dirname(install.settings_path()))
    assert install.found()

"""What goes into settings.json and comes out again, by text; what counts as ours."""

import json
import os
import shlex
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cli import fake_claude
from foreword.clients import hook_entries, server_entry
from foreword.clients.claude_code import install
from foreword.edit import jsonc
from foreword.errors import ForewordError

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
CASES = os.path.join(TOP, "data", "clients", "claude-code", "install")
PYTHON = "/opt/foreword/bin/python"  # of the files below CASES


def case(name, which):
    with open(os.path.join(CASES, name, which + ".json"), encoding="utf-8", newline="") as f:
        return f.read()


@pytest.fixture
def python(monkeypatch):
    monkeypatch.setattr(sys, "executable", PYTHON)


# -- the files -----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", sorted(os.listdir(CASES)))
def test_settings_become_what_the_file_says_and_stay_so(python, name):
    after = install.with_ours(case(name, "before"), True)
    assert after == case(name, "after")
    assert install.with_ours(after, True) == after
    assert install.with_ours(after, None) == after


@pytest.mark.parametrize("name", sorted(os.listdir(CASES)))
def test_taking_out_leaves_what_the_file_says(name):
    before = case(name, "before")
    made = install.footprint(before)
    removed = install.without_ours(case(name, "after"), made)
    assert removed == case(name, "removed")
    assert install.without_ours(removed, made) == removed
    if not install.holds_ours(before):
        assert removed == before


# -- any settings --------------------------------------------------------------------------------

HOOK = st.fixed_dictionaries(
    {"type": st.just("command"), "command": st.text(max_size=8)}, optional={"timeout": st.integers(1, 60)}
)
GROUP = st.fixed_dictionaries(
    {"hooks": st.lists(HOOK, min_size=1, max_size=2)}, optional={"matcher": st.text(max_size=3)}
)
EVENT = st.sampled_from(["Stop", "SessionStart", "UserPromptSubmit", "PreToolUse"])
SETTINGS = st.fixed_dictionaries(
    {},
    optional={
        "model": st.text(max_size=5),
        "hooks": st.dictionaries(EVENT, st.lists(GROUP, max_size=2), max_size=3),
        "permissions": st.fixed_dictionaries(
            {},
            optional={
                "allow": st.lists(st.sampled_from(["Bash", *install.ALLOWED]), unique=True),
                "deny": st.just([]),
            },
        ),
        "env": st.dictionaries(st.text(max_size=4), st.text(max_size=4), max_size=2),
    },
)


@st.composite
def texts(draw):
    """Settings as people keep them: indented by anything, on one line, CRLF, a BOM."""
    indent = draw(st.sampled_from([None, 2, 3, 4, "\t"]))
    separators = draw(st.sampled_from([None, (",", ":")])) if indent is None else None
    text = json.dumps(draw(SETTINGS), indent=indent, separators=separators)
    text += draw(st.sampled_from(["", "\n"]))
    text = text.replace("\n", draw(st.sampled_from(["\n", "\r\n"])))
    return draw(st.sampled_from(["", "\ufeff"])) + text


@given(texts(), st.sampled_from([True, False, None]))
def test_in_and_out_again_gives_the_same_text(text, exec_form):
    made = install.footprint(text)
    after = install.with_ours(text, exec_form)
    assert install.with_ours(after, exec_form) == after
    assert install.without_ours(after, made) == text


@given(texts(), st.booleans())
def test_what_was_there_is_there_in_the_same_order(text, exec_form):
    before = jsonc.value_at(text, [])
    after = jsonc.value_at(install.with_ours(text, exec_form), [])
    assert [key for key in after if key in before] == list(before)
    for event in install.HOOKS:
        groups = after["hooks"][event]
        ours = [g for g in groups if any(map(hook_entries.is_ours, g["hooks"]))]
        assert ours == [{"hooks": [install.hook(event, exec_form)]}]
        assert [g for g in groups if g not in ours] == before.get("hooks", {}).get(event, [])
    rules = after["permissions"]["allow"]
    assert set(install.ALLOWED) <= set(rules)
    assert len(rules) == len(set(rules))
    theirs = before.get("permissions", {}).get("allow", [])
    assert [rule for rule in rules if rule in theirs] == theirs


# -- what is ours --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "value",
    [
        {"command": "/x/python", "args": ["-I", "-m", "foreword.hook", "claude-code", "stop"]},
        {"command": "/x/python -m foreword.hook claude-code stop"},
        {"command": "'/a b/python' -I -m  foreword.hook claude-code prompt", "timeout": 1},
        {"command": '"C:/a b/python.exe" -I -m foreword.hook claude-code prompt'},
    ],
)
def test_what_runs_our_hook_is_ours_in_any_form(value):
    assert hook_entries.is_ours(value)


@pytest.mark.parametrize(
    "value",
    [
        None, "foreword", [], {}, {"command": "say foreword"}, {"command": 7, "args": {}},
        {"command": "python -m foreword.hooks"}, {"command": "python", "args": ["-m", "foreword.cli"]},
        {"command": "python -m foreword.hook_of_mine"}, {"command": "vim src/foreword.hook"},
    ],
)  # fmt: skip
def test_what_does_not_run_it_is_not(value):
    assert not hook_entries.is_ours(value)


def test_nothing_that_deletes_is_allowed_without_asking():
    assert len(install.ALLOWED) == 5
    assert not [rule for rule in install.ALLOWED if "forget" in rule]


@pytest.mark.parametrize("event", install.HOOKS)
def test_both_forms_of_a_hook_run_the_same_words(event):
    with_args, line = install.hook(event, True), install.hook(event, False)
    assert shlex.split(line["command"]) == [with_args["command"], *with_args["args"]]
    assert line["timeout"] == with_args["timeout"] == {"UserPromptSubmit": 5}.get(event, 10)


@pytest.mark.skipif(os.name == "nt", reason="quotes as a POSIX shell has them")
def test_an_interpreter_with_a_space_in_its_path_is_quoted_for_the_shell(monkeypatch):
    monkeypatch.setattr(sys, "executable", "/a b/it's/python")
    words = shlex.split(install.hook("Stop", False)["command"])
    assert words[0] == "/a b/it's/python"


# -- where ---------------------------------------------------------------------------------------


def test_the_clients_folder_is_the_users_or_the_chosen_one(tmp_path, monkeypatch):
    home, chosen = str(tmp_path / "home"), str(tmp_path / "chosen")
    assert install.settings_path() == os.path.join(home, ".claude", "settings.json")
    assert install.state_path() == os.path.join(home, ".claude.json")
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", chosen)
    assert install.settings_path() == os.path.join(chosen, "settings.json")
    assert install.state_path() == os.path.join(chosen, ".claude.json")


@pytest.mark.parametrize("text", ["", "{", "[]", '{"mcpServers": []}', '{"mcpServers": {"foreword": 3}}'])
def test_a_state_of_any_shape_holds_no_server_of_ours(tmp_path, text):
    (tmp_path / "home" / ".claude.json").write_text(text)
    assert not server_entry.is_ours(install.present_server())


# -- the server ----------------------------------------------------------------------------------


@pytest.fixture
def state(tmp_path, monkeypatch):
    """The client's file of servers, with an entry of ours; the stand-in for `claude` is on the PATH."""
    fake_claude.put_on_path(tmp_path / "bin", monkeypatch)

    class State:
        path = tmp_path / "home" / ".claude.json"

        def put(self, entry):
            self.path.write_text(json.dumps({"mcpServers": {"foreword": entry}}))

        def entry(self):
            return json.loads(self.path.read_text())["mcpServers"]["foreword"]

    return State()


MINE = ["--project", "/home/dev/my app"]


def test_what_the_user_added_to_the_entry_was_lost_when_it_was_renewed(state):
    older = {
        "type": "stdio",
        "command": "/old/python",
        "args": ["-m", "foreword.cli", "serve", *MINE],
        "env": {"MEMORY_FILE_PATH": "/home/dev/graph.jsonl"},
        "timeout": 5000,
    }
    state.put(older)
    assert install.add_server() == "added"
    wanted = install.server_entry()
    args = [*wanted["args"], *MINE]
    assert state.entry() == {**wanted, "args": args, "env": older["env"], "timeout": 5000}


def test_an_entry_to_which_the_user_added_was_renewed_at_every_install(state):
    entry = install.server_entry()
    entry = {**entry, "args": [*entry["args"], *MINE], "env": {"MEMORY_FILE_PATH": "/home/dev/graph.jsonl"}}
    state.put(entry)
    before = state.path.read_bytes()
    assert install.server_commands() == []
    assert install.add_server() == "unchanged"
    assert state.path.read_bytes() == before


def test_a_refused_entry_names_the_command_that_keeps_what_the_user_added(tmp_path, state, monkeypatch):
    fake_claude.put_on_path(tmp_path / "bin", monkeypatch, refuses=json.dumps(sys.executable))
    older = {**install.server_entry(), "command": "/old/python"}
    older["args"] = [*older["args"], *MINE]
    state.put(older)
    with pytest.raises(ForewordError) as caught:
        install.add_server()
    said = json.loads(shlex.split(caught.value.hint)[-1])
    assert (said["command"], said["args"]) == (sys.executable, older["args"])
    assert state.entry() == older

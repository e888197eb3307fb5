"""What goes into config.toml and hooks.json and comes out again, by text; what counts as ours."""

import json
import os
import shlex
import sys
import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clients.codex.folder import IN_CONFIG, Folder
from foreword.clients.codex import install
from foreword.clients.parts import Options
from foreword.errors import ForewordError

OURS = st.just("-m foreword.hook codex stop")
HOOK = st.fixed_dictionaries(
    {"type": st.just("command"), "command": st.text("ab '\"\\é\n", max_size=6) | OURS},
    optional={"timeout": st.integers(1, 60)},
)
GROUP = st.fixed_dictionaries(
    {"hooks": st.lists(HOOK, min_size=1, max_size=2)}, optional={"matcher": st.text("a|*", max_size=3)}
)
THEIR_GROUP = GROUP.filter(lambda group: "foreword" not in json.dumps(group))
EVENT = st.sampled_from(["Stop", "SessionStart", "UserPromptSubmit", "PreToolUse"])
HOOKS = st.dictionaries(EVENT, st.lists(THEIR_GROUP, max_size=2), max_size=3)
PIECES = [
    '# the models\nmodel = "a" # mine\n',
    "[features]\nweb = true\n",
    '[mcp_servers.other]\ncommand = "x"\nargs = [\n  "y", # why\n]\n',
    "[hooks.state]\n",
    '[hooks.state."/x/hooks.json:stop:0:0"]\ntrusted_hash = "sha256:00"\n',
    IN_CONFIG,
    '[[hooks.SessionStart]]\nmatcher = "startup"\n\n[[hooks.SessionStart.hooks]]\ncommand = "hi" # mine\n',
    '[projects."/a b"]\ntrust_level = "trusted"\n',
    "# the end\n",
]


@st.composite
def configs(draw):
    """A config.toml as people keep it: in any order that TOML takes, CRLF, a BOM, no final newline."""
    chosen = draw(st.lists(st.sampled_from(range(1, len(PIECES))), unique=True, max_size=5))
    chosen = ([0] if draw(st.booleans()) else []) + chosen
    text = draw(st.sampled_from(["", "\n", "\n\n"])).join(PIECES[n] for n in chosen)
    text = text.removesuffix("\n" * draw(st.sampled_from([0, 1])))
    text = text.replace("\n", draw(st.sampled_from(["\n", "\r\n"])))
    return draw(st.sampled_from(["", "\ufeff"])) + text


@st.composite
def hooks_files(draw):
    """A hooks.json, or none."""
    if draw(st.booleans()):
        return None
    indent = draw(st.sampled_from([None, 2, "\t"]))
    text = json.dumps(draw(st.fixed_dictionaries({}, optional={"hooks": HOOKS})), indent=indent)
    return text.replace("\n", draw(st.sampled_from(["\n", "\r\n"]))) + draw(st.sampled_from(["", "\n"]))


@pytest.fixture
def folder(tmp_path):
    return Folder(tmp_path / "codex")


@pytest.fixture(scope="module")
def any_folder(tmp_path_factory):
    """One folder for many examples; each writes both files anew."""
    return Folder(tmp_path_factory.mktemp("codex"))


# -- any files -----------------------------------------------------------------------------------


@given(config=configs(), hooks=hooks_files(), trusted=st.booleans())
def test_in_and_out_again_gives_the_same_texts(any_folder, config, hooks, trusted):
    any_folder.write("config.toml", config)
    any_folder.write("hooks.json", hooks)
    before = any_folder.texts()
    made = any_folder.install(trusted)
    after = any_folder.texts()
    assert any_folder.install(trusted) and any_folder.texts() == after
    assert any_folder.install(False) and any_folder.texts() == after
    any_folder.uninstall(made)
    # An empty [hooks.state] goes with the last state in it: Codex makes one for the first.
    if trusted and PIECES[3].strip() in config and "trusted_hash" not in config:
        before["config.toml"] = any_folder.texts()["config.toml"]
    assert any_folder.texts() == before


@given(config=configs(), hooks=hooks_files(), trusted=st.booleans())
def test_what_was_there_stays_and_each_event_gets_one_hook_behind_it(any_folder, config, hooks, trusted):
    any_folder.write("config.toml", config)
    any_folder.write("hooks.json", hooks)
    theirs, settings = any_folder.hooks(), any_folder.config()
    any_folder.install(trusted)
    now = any_folder.config()
    assert [row for row in any_folder.hooks() if row not in any_folder.ours()] == theirs
    ours = any_folder.ours()
    assert sorted(event for _, event, _, _ in ours) == sorted(install.HOOKS)
    assert len({name for name, *_ in ours}) == 1
    for name, event, _, hook in ours:
        assert hook == install.hook(event)
        last = [row[3] for row in any_folder.hooks() if row[:2] == (name, event)][-1]
        assert last == hook
    assert now["mcp_servers"].pop("foreword") == install.server_entry()
    assert now["mcp_servers"] == settings.get("mcp_servers", {})
    states = now.get("hooks", {}).get("state", {})
    before = settings.get("hooks", {}).get("state", {})
    assert {key: states.get(key) for key in before} == before
    assert len(states) - len(before) == (len(install.HOOKS) if trusted else 0)


@given(config=configs(), hooks=hooks_files())
def test_without_the_record_no_word_of_ours_is_left(any_folder, config, hooks):
    any_folder.write("config.toml", config)
    any_folder.write("hooks.json", hooks)
    any_folder.install(trusted=True)
    any_folder.uninstall()
    assert "foreword" not in "".join(any_folder.texts().values())


# -- where the hooks go --------------------------------------------------------------------------

IN_JSON = json.dumps({"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "beep"}]}]}})


@pytest.mark.parametrize(
    ("config", "hooks", "chosen"),
    [
        ("", None, "hooks.json"),
        ("", IN_JSON, "hooks.json"),
        (IN_CONFIG, None, "config.toml"),
        (IN_CONFIG, "{}", "config.toml"),
        (IN_CONFIG, '{"hooks": {"Stop": []}}', "config.toml"),
        (IN_CONFIG, IN_JSON, "hooks.json"),
        ("[hooks]\n", None, "hooks.json"),
        (PIECES[4], None, "hooks.json"),
        ('hooks = { Stop = [{ hooks = [{ command = "beep" }] }] }\n', None, "hooks.json"),
        ('[hooks]\nStop = [{ hooks = [{ command = "beep" }] }]\n', None, "hooks.json"),
    ],
)
def test_the_hooks_go_where_the_user_has_hooks(folder, config, hooks, chosen):
    folder.write("config.toml", config)
    folder.write("hooks.json", hooks)
    folder.install()
    assert {name for name, *_ in folder.ours()} == {chosen}


@pytest.mark.parametrize("first", ["", IN_CONFIG], ids=["hooks.json", "config.toml"])
def test_hooks_stay_where_they_are_when_the_user_has_none_left(folder, first):
    folder.write("config.toml", first)
    folder.install()
    folder.write("config.toml", folder.read("config.toml").removeprefix(first))
    texts = folder.texts()
    folder.install(trusted=True)
    assert folder.texts()["hooks.json"] == texts["hooks.json"]
    assert folder.texts()["config.toml"].startswith(texts["config.toml"])


def test_hooks_follow_the_users_into_the_other_file_and_leave_no_state_behind(folder):
    folder.install(trusted=True)
    folder.write("config.toml", folder.read("config.toml") + "\n" + IN_CONFIG)
    folder.install()
    assert {name for name, *_ in folder.ours()} == {"config.toml"}
    assert "state" not in folder.config()["hooks"]
    assert json.loads(folder.read("hooks.json") or "{}") == {}


def test_a_hook_of_another_version_is_renewed_in_its_place(folder):
    folder.write("config.toml", IN_CONFIG)
    folder.install()
    current = folder.read("config.toml")
    folder.write("config.toml", current.replace("timeout = 5\n", "timeout = 6\n"))
    folder.install()
    assert folder.read("config.toml") == current


def test_a_hook_that_the_user_put_into_our_group_stays(folder):
    folder.write("config.toml", IN_CONFIG)
    folder.install()
    text = folder.read("config.toml")
    mine = '\n[[hooks.Stop.hooks]]\ntype = "command"\ncommand = "bell"\n'
    folder.write("config.toml", text + mine)
    folder.uninstall()
    assert folder.read("config.toml") == IN_CONFIG + "\n[[hooks.Stop]]\n" + mine


# -- what the hooks are --------------------------------------------------------------------------


def test_the_commands_are_these_and_no_other(monkeypatch):
    """Codex stops trusting a hook of which one character changes: these are for all versions."""
    monkeypatch.setattr(sys, "executable", "/opt/foreword/bin/python")
    command = "/opt/foreword/bin/python -I -m foreword.hook codex "
    assert {event: install.hook(event) for event in install.HOOKS} == {
        "SessionStart": {
            "type": "command",
            "command": command + "session-start",
            "timeout": 10,
            "statusMessage": "Foreword: loading memory",
            "additionalContextLimit": 8000,
        },
        "UserPromptSubmit": {
            "type": "command",
            "command": command + "prompt",
            "timeout": 5,
            "additionalContextLimit": 8000,
        },
        "Stop": {"type": "command", "command": command + "stop", "timeout": 10},
    }


@pytest.mark.skipif(os.name == "nt", reason="quotes as a POSIX shell has them")
def test_an_interpreter_with_a_space_in_its_path_is_quoted_for_the_shell(monkeypatch, folder):
    monkeypatch.setattr(sys, "executable", "/a b/it's/π\\python")
    folder.write("config.toml", IN_CONFIG)
    folder.install()
    for *_, hook in folder.ours():
        assert shlex.split(hook["command"])[0] == "/a b/it's/π\\python"
    assert folder.config()["mcp_servers"]["foreword"]["command"] == "/a b/it's/π\\python"


# -- the server ----------------------------------------------------------------------------------

OLD = """\
[mcp_servers.foreword] # mine now
command = "/old/python" # why
args = ["-m", "foreword.cli", "serve"]
startup_timeout_sec = 20

[mcp_servers.foreword.tools.memory_forget]
approval_mode = "approve"
"""


def test_a_server_of_another_version_is_renewed_and_what_the_user_added_stays(folder):
    folder.write("config.toml", OLD)
    folder.install()
    server = folder.config()["mcp_servers"]["foreword"]
    assert server.pop("startup_timeout_sec") == 20
    assert server.pop("tools") == {"memory_forget": {"approval_mode": "approve"}}
    assert server == install.server_entry()
    assert all(f"# {word}" in folder.read("config.toml") for word in ("mine now", "why"))
    folder.uninstall()
    assert folder.config() == {}


def test_a_project_that_the_user_added_to_the_arguments_was_deleted_by_the_next_install(folder):
    folder.install()
    text = folder.read("config.toml").replace('"serve"]', '"serve", "--project", "/home/dev/app"] # one')
    folder.write("config.toml", text)
    folder.install()
    assert folder.read("config.toml") == text
    assert folder.parts()["config.toml"].warning(text) == ""
    folder.write("config.toml", text.replace(sys.executable, "/old/python").replace('"-I", ', ""))
    folder.install()
    assert folder.read("config.toml") == text
    folder.uninstall()
    assert folder.config() == {}


def test_variables_that_the_user_passes_on_besides_were_lost_at_the_next_install(folder):
    folder.install()
    text = folder.read("config.toml").replace('env_vars = ["FOREWORD_HOME"', 'env_vars = ["MINE"')
    folder.write("config.toml", text + 'env = { MEMORY_STRICT = "1" }\n')
    folder.install()
    server = folder.config()["mcp_servers"]["foreword"]
    assert server["env_vars"] == ["MINE", *install.PASSED_ON[1:], "FOREWORD_HOME"]
    assert server["env"] == {"MEMORY_STRICT": "1"}
    text = folder.read("config.toml").replace('["MINE", "CODEX_HOME"', '[{ name = "MINE" }')
    assert "{ name" in text
    folder.write("config.toml", text)
    folder.install()
    assert folder.read("config.toml") == text


def test_what_codex_keeps_of_an_allowed_tool_goes_with_the_server(folder):
    folder.write("config.toml", OLD[OLD.index("[mcp_servers.foreword.tools") :])
    folder.install()
    assert folder.config()["mcp_servers"]["foreword"]["command"] == sys.executable
    folder.uninstall()
    assert folder.config() == {}


@pytest.mark.parametrize(
    "text",
    [
        '[mcp_servers.foreword]\ncommand = "node"\nargs = ["foreword.js"]\n',
        '[mcp_servers]\nforeword = { url = "https://example.org" }\n',
    ],
)
def test_somebody_elses_server_of_that_name_is_refused_and_stays(folder, text):
    folder.write("config.toml", text)
    with pytest.raises(ForewordError) as caught:
        folder.install()
    assert "codex mcp remove foreword" in caught.value.hint
    folder.uninstall()
    assert folder.read("config.toml") == text


def test_servers_that_no_table_can_be_added_to_are_left_with_the_words_to_add(folder):
    text = 'mcp_servers = { other = { command = "x" } }\n'
    folder.write("config.toml", text)
    with pytest.raises(ForewordError) as caught:
        folder.install()
    assert folder.read("config.toml") == text
    hint = caught.value.hint
    assert "codex mcp add foreword -- " + sys.executable in hint
    start = hint.index("foreword = {")
    said = tomllib.loads(hint[start : hint.index("}", start) + 1])
    assert said == {"foreword": install.server_entry()}


def test_what_its_owner_wrote_inline_is_used_and_never_dropped_in_silence(folder):
    entry = ", ".join(f"{key} = {json.dumps(value)}" for key, value in install.server_entry().items())
    folder.write("config.toml", "[mcp_servers]\nforeword = { %s }\n" % entry)
    before = folder.read("config.toml")
    folder.install()
    assert folder.read("config.toml") == before
    with pytest.raises(ForewordError) as caught:
        folder.uninstall()
    assert "codex mcp remove foreword" in caught.value.hint


# -- what is of no use ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "text", "told"),
    [
        ("hooks.json", "// mine\n{}", ":1:1: a comment"),
        ("hooks.json", '{"hooks": {},}', "trailing comma"),
        ("hooks.json", "\ufeff{}", "byte order mark"),
        ("config.toml", "[features]\nhooks = false\n", "runs no hook"),
        ("config.toml", OLD.replace("startup_timeout_sec = 20", "enabled = false"), "does not start"),
    ],
)
def test_what_codex_makes_no_use_of_is_said(folder, name, text, told):
    folder.write(name, text)
    part = folder.parts()[name]
    assert told in part.warning(part.with_ours(text))


def test_of_good_files_nothing_is_said(folder):
    folder.install()
    assert [part.warning(folder.read(name)) for name, part in folder.parts().items()] == ["", ""]


@pytest.mark.parametrize(
    ("name", "text", "place"),
    [
        ("hooks.json", '{"hooks": []}', "1:11"),
        ("hooks.json", '{\n "hooks": {"Stop": {}}}', "2:20"),
        ("config.toml", "a = 1\nb =\n", "2:4"),
        ("config.toml", "[a]\n[a]\n", "2:3"),
    ],
)
def test_a_malformed_file_is_named_with_its_place_whichever_part_is_asked_first(folder, name, text, place):
    folder.write(name, text)
    with pytest.raises(ForewordError) as caught:
        folder.parts()
    assert f"{os.path.join(folder.path, name)}:{place}: " in caught.value.message
    assert "nothing was changed" in caught.value.message


# -- the table of parts --------------------------------------------------------------------------


def test_every_file_of_an_older_place_has_its_part(tmp_path):
    for name in ("hooks.json", "config.toml", os.path.join("skills", "recall", "SKILL.md")):
        part = install.part(str(tmp_path / name))
        assert part.path == str(tmp_path / name)
        assert part.without_ours("", None) == ""


def test_the_parts_are_two_files_and_the_skills(tmp_path, monkeypatch):
    monkeypatch.setenv("CODEX_HOME", str(tmp_path / "chosen"))
    paths = [os.path.relpath(part.path, tmp_path / "chosen") for part in install.parts(Options())]
    assert paths[:2] == ["hooks.json", "config.toml"]
    assert paths[2:] == [os.path.join("skills", n, "SKILL.md") for n in ("remember", "recall", "dream")]


def test_a_skill_of_the_users_in_the_other_folder_keeps_its_name(tmp_path):
    there = tmp_path / "home" / ".agents" / "skills" / "dream"
    there.mkdir(parents=True)
    (there / "SKILL.md").write_text("mine")
    names = [os.path.basename(os.path.dirname(part.path)) for part in install.parts(Options())[2:]]
    assert names == ["remember", "recall", "foreword-dream"]

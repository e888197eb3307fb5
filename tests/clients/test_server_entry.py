"""Our MCP server as an entry of a client's JSON settings."""

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clients import rounds
from foreword.clients import hook_entries, server_entry
from foreword.edit import jsonc
from foreword.errors import ForewordError

KEYS = ("mcpServers",)
DEEP = ("mcp", "servers")
WANTED = server_entry.entry("cursor")


def part(keys=KEYS, wanted=None, reads=""):
    return server_entry.part("/home/dev/mcp.json", keys, wanted or WANTED, reads)


def installed(text, keys=KEYS, wanted=None):
    made_for = part(keys, wanted)
    return made_for.with_ours(text), made_for.footprint(text)


def test_the_entry_names_the_interpreter_and_the_client():
    words = server_entry.words(WANTED)
    assert words[1:] == ["-I", "-m", "foreword.cli", "serve", "--client", "cursor"]
    assert words[0].startswith("/") or words[0][1] == ":"


@pytest.mark.parametrize(
    "value",
    [
        {"command": "/x/python", "args": ["-I", "-m", "foreword.cli", "serve"]},
        {"type": "local", "command": ["/x/python", "-I", "-m", "foreword.cli", "serve"], "enabled": True},
        {"source": "custom", "command": {"path": "/x/python", "args": ["-m", "foreword.cli", "serve"]}},
        {"command": "C:\\Users\\me\\python.exe", "args": ["-I", "-m", "foreword.cli", "serve", "--x"]},
    ],
)
def test_our_entry_is_known_in_every_shape_and_of_every_version(value):
    assert server_entry.is_ours(value)


@pytest.mark.parametrize(
    "value",
    [
        None,
        "foreword.cli",
        [],
        {},
        {"command": "npx", "args": ["foreword"]},
        {"command": "python", "args": "-m foreword.cli"},
        {"command": "python", "args": ["foreword.cli"]},
        {"command": "python", "args": [["-m", "foreword.cli"]]},
        {"command": {"path": 3, "args": {}}},
    ],
)
def test_what_starts_something_else_is_not_ours(value):
    assert not server_entry.is_ours(value)


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=6),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)
SETTINGS = st.dictionaries(st.sampled_from(["a", "ä", "mcpServers", "mcp"]), VALUES, max_size=4)


@given(SETTINGS, st.sampled_from([KEYS, DEEP]), st.sampled_from([None, 1, 4, "\t"]), st.booleans())
def test_taking_out_gives_every_byte_back(settings, keys, indent, windows):
    text = json.dumps(settings, ensure_ascii=False, indent=indent)
    if windows:
        text = text.replace("\n", "\r\n") + "\r\n"
    made_for = part(keys)
    try:
        after, made = installed(text, keys)
    except (jsonc.MalformedError, ForewordError):
        return  # a shape that no client reads: refused before the first edit
    assert jsonc.value_at(after, [*keys, "foreword"]) == WANTED
    assert made_for.with_ours(after) == after
    assert made_for.without_ours(after, made) == text


@pytest.mark.parametrize("text", ["", "\n", "{}", "{ }\n", '{"mcpServers": {}}', "// mine\n", "\ufeff{}"])
def test_an_empty_file_is_as_empty_afterwards(text):
    after, made = installed(text)
    assert part().without_ours(after, made) == text


def test_a_file_with_comments_and_trailing_commas_keeps_them():
    text = '{\n  // servers\n  "mcpServers": {\n    "other": {"command": "x"}, // keep\n  },\n}\n'
    after, made = installed(text)
    assert "// servers" in after
    assert "// keep" in after
    assert part().without_ours(after, made) == text


def test_what_the_user_added_in_between_stays():
    after, made = installed('{\n  "theme": "dark"\n}\n')
    edited = after.replace('"theme": "dark"', '"theme": "light"')
    edited = jsonc.put(edited, ["mcpServers", "mine"], {"command": "x"})
    left = part().without_ours(edited, made)
    assert json.loads(left) == {"theme": "light", "mcpServers": {"mine": {"command": "x"}}}


def test_an_older_entry_is_renewed_and_keeps_what_the_user_added():
    older = {
        "command": "/old/python",
        "args": ["-I", "-m", "foreword.cli", "serve"],
        "alwaysAllow": ["memory_read"],
    }
    text = json.dumps({"mcpServers": {"foreword": older}}, indent=2)
    after = part().with_ours(text)
    assert json.loads(after)["mcpServers"]["foreword"] == {**older, **WANTED}


@pytest.mark.parametrize(("switch", "wanted"), [("enabled", True), ("disabled", False)])
def test_a_server_that_the_user_switched_off_stays_off_and_is_told(switch, wanted):
    entry = {**WANTED, switch: wanted}
    text = json.dumps({"mcpServers": {"foreword": {**entry, switch: not wanted}}})
    made_for = part(wanted=entry)
    assert made_for.with_ours(text) == text
    assert "switched off" in made_for.warning(text)
    assert made_for.warning(json.dumps({"mcpServers": {"foreword": entry}})) == ""


def test_an_entry_of_that_name_that_is_somebody_else_s_is_refused_and_never_removed():
    text = '{"mcpServers": {"foreword": {"command": "npx", "args": ["other"]}}}'
    with pytest.raises(ForewordError, match="it is not this one"):
        part().with_ours(text)
    assert part().without_ours(text, None) == text
    assert not part().holds_ours(text)


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ('{"mcpServers": []}', (1, 16)),
        ("[1]", (1, 1)),
        ('{\n  "mcpServers": {,}\n}', (2, 18)),
        ('{"mcpServers": {"foreword": {"command"', (1, 39)),
    ],
)
def test_a_malformed_file_is_refused_with_its_place(text, place):
    with pytest.raises(jsonc.MalformedError) as refused:
        part().with_ours(text)
    assert (refused.value.line, refused.value.column) == place


def test_a_comment_is_told_where_the_client_reads_strict_json_only():
    text = '{\n  // mine\n  "mcpServers": {}\n}'
    made_for = part(reads="Claude Desktop")
    assert "2:3" in made_for.warning(made_for.with_ours(text), text)
    assert part().warning(part().with_ours(text), text) == ""


def test_without_a_record_only_containers_that_we_alone_filled_go():
    only_ours = part().with_ours("")
    assert json.loads(part().without_ours(only_ours, None)) == {}
    beside = part().with_ours('{"mcpServers": {"mine": {"command": "x"}}}')
    assert json.loads(part().without_ours(beside, None)) == {"mcpServers": {"mine": {"command": "x"}}}


def test_the_entry_can_be_started_with_the_environment_it_names():
    text = part(wanted={**WANTED, "env": {"FOREWORD_HOME": "/srv/memory"}}).with_ours("")
    command, env = part().starts(text)
    assert command == server_entry.words(WANTED)
    assert env["FOREWORD_HOME"] == "/srv/memory"
    assert part().starts("{}") is None


def test_backslashes_spaces_and_letters_beyond_ascii_survive_the_quoting(monkeypatch):
    monkeypatch.setattr("sys.executable", 'C:\\Users\\me "K"\\日本\\python.exe')
    wanted = server_entry.entry("cline")
    text = part(wanted=wanted).with_ours("")
    assert json.loads(text)["mcpServers"]["foreword"]["command"] == 'C:\\Users\\me "K"\\日本\\python.exe'


def test_a_project_that_the_user_added_to_the_arguments_was_lost_at_the_next_install():
    mine = {**WANTED, "args": [*WANTED["args"], "--project", "/home/me/app"]}
    text = json.dumps({"mcpServers": {"foreword": mine}}, indent=2)
    assert part().with_ours(text) == text
    older = {
        "command": "/old/python",
        "args": ["-I", "-m", "foreword.cli", "serve", "--project", "/home/me/app"],
    }
    renewed = json.loads(part().with_ours(json.dumps({"mcpServers": {"foreword": older}})))
    assert renewed["mcpServers"]["foreword"] == mine
    in_one = {
        "type": "local",
        "command": [*server_entry.command("mimo"), "--project", "/home/me/app"],
        "enabled": True,
    }
    text = json.dumps({"mcpServers": {"foreword": in_one}})
    wanted = {"type": "local", "command": server_entry.command("mimo"), "enabled": True}
    assert part(wanted=wanted).with_ours(text) == text
    gone = json.dumps({"mcpServers": {"foreword": {**in_one, "command": ["/old", *in_one["command"][1:]]}}})
    assert json.loads(part(wanted=wanted).with_ours(gone))["mcpServers"]["foreword"] == in_one


def test_a_store_elsewhere_is_named_in_the_entry_beside_the_user_s_own_variables(monkeypatch):
    monkeypatch.setenv("FOREWORD_HOME", "/srv/memory")
    wanted = server_entry.entry("claude-desktop")
    assert wanted["env"] == {"FOREWORD_HOME": "/srv/memory"}
    text = json.dumps({"mcpServers": {"foreword": {**wanted, "env": {"MINE": "1"}}}})
    renewed = json.loads(part(wanted=wanted).with_ours(text))
    assert renewed["mcpServers"]["foreword"]["env"] == {"MINE": "1", "FOREWORD_HOME": "/srv/memory"}
    monkeypatch.setenv("FOREWORD_HOME", "relative")
    assert "env" not in server_entry.entry("claude-desktop")


WORDS = server_entry.command("cursor")
IN_ONE = {"type": "local", "command": WORDS, "enabled": True}
SHAPES = {
    "two keys": {"command": WORDS[0], "args": WORDS[1:]},
    "one list": {"command": WORDS},
    "Zed's older": {"command": {"path": WORDS[0], "args": WORDS[1:]}},
    "Zed's older with a source": {
        "source": "custom",
        "command": {"path": WORDS[0], "args": WORDS[1:], "env": {}},
    },
    "words in args alone": {"args": WORDS},
    "no command": {"command": None, "args": WORDS},
    "a list and words left over": {"command": WORDS, "args": WORDS[1:]},
    "a list of a list": {"command": [[], *WORDS], "args": [3]},
}


@pytest.mark.parametrize("wanted", [WANTED, IN_ONE], ids=["two keys", "one list"])
@pytest.mark.parametrize("shape", SHAPES)
def test_an_entry_in_the_shape_of_another_client_or_version_broke_the_install(shape, wanted):
    value = {**SHAPES[shape], "env": {"MINE": "1"}}
    after = part(wanted=wanted).with_ours(json.dumps({"mcpServers": {"foreword": value}}, indent=2))
    entry = json.loads(after)["mcpServers"]["foreword"]
    assert {key: entry.get(key) for key in ("command", "args")} == {
        key: wanted.get(key) for key in ("command", "args")
    }
    assert entry["env"] == {"MINE": "1"}
    assert server_entry.is_current(entry, wanted)
    assert part(wanted=wanted).with_ours(after) == after


ANY = st.recursive(
    st.none() | st.integers() | st.sampled_from([*WORDS, "--project", "/srv/app"]) | st.just(WORDS),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(["path", "args"]), inner),
    max_leaves=6,
)


@given(
    st.fixed_dictionaries(
        {}, optional={"command": ANY | st.just(WORDS), "args": ANY | st.just(WORDS), "env": ANY, "type": ANY}
    ),
    st.sampled_from([WANTED, IN_ONE]),
)
def test_whatever_an_entry_says_it_is_renewed_or_refused(value, wanted):
    text = json.dumps({"mcpServers": {"foreword": value}})
    if not server_entry.is_ours(value):
        with pytest.raises(ForewordError, match="it is not this one"):
            part(wanted=wanted).with_ours(text)
        return
    after = part(wanted=wanted).with_ours(text)
    entry = json.loads(after)["mcpServers"]["foreword"]
    assert server_entry.words(entry)[: len(WORDS)] == WORDS
    assert {key for key in ("command", "args") if key in entry} == {"command", "args"} & set(wanted)
    assert part(wanted=wanted).with_ours(after) == after


def test_of_a_key_that_was_there_twice_one_entry_of_ours_stayed():
    ours, theirs = json.dumps(WANTED), '{"command": "x"}'
    twice = f'{{"mcpServers": {{"foreword": {ours}, "mine": {theirs}, "foreword": {ours}}}}}'
    assert part().without_ours(twice, None) == f'{{"mcpServers": {{"mine": {theirs}}}}}'
    behind_theirs = f'{{"mcpServers": {{"foreword": {theirs}, "foreword": {ours}}}}}'
    assert part().without_ours(behind_theirs, None) == f'{{"mcpServers": {{"foreword": {theirs}}}}}'
    in_two = f'{{"mcpServers": {{"foreword": {ours}}}, "mcpServers": {{"foreword": {ours}}}}}'
    made = {"containers": [["mcpServers"]]}
    assert part().without_ours(in_two, made) == "{}"


@pytest.mark.parametrize("is_lost", [False, True])
def test_a_comment_of_the_user_s_went_with_the_container_that_held_our_entry(is_lost):
    after, made = installed("{\n}\n")
    noted = after.replace('  "mcpServers": {', '  "mcpServers": { // mine')
    left = part().without_ours(noted, None if is_lost else made)
    assert "{ // mine\n" in left
    assert jsonc.value_at(left, []) == {"mcpServers": {}}


@given(rounds.settings(KEYS, with_comments=True), st.sampled_from(["// mine", "/* mine */", ""]), st.data())
def test_what_the_user_writes_elsewhere_stays_to_the_byte_with_the_record_and_without(text, comment, data):
    """A line of the user's own goes in anywhere between two lines outside our entry."""
    after, made = installed(text)
    for is_lost in (False, True):
        way_out = part().without_ours(after, None if is_lost else made)
        if is_lost and way_out != text:
            continue  # a container that only we filled
        start = next(n for n, (a, b) in enumerate(zip(text, after, strict=False)) if a != b) if text else 0
        lines = [match.end() for match in re.finditer(r"\r\n|\n", text) if match.end() > start]
        lines = [at for at in lines if not text.startswith("   lines */", at)]
        if not lines:
            continue
        at = data.draw(st.sampled_from(lines))
        newline = "\r\n" if "\r\n" in text else "\n"
        own, moved = comment + newline, len(after) - len(text)
        edited = after[: at + moved] + own + after[at + moved :]
        assert part().without_ours(edited, None if is_lost else made) == text[:at] + own + text[at:]


@pytest.mark.parametrize("made", [None, [["hooks"], ["hooks", "Stop"]]], ids=["record lost", "on record"])
def test_of_an_event_that_was_there_twice_one_hook_of_ours_stayed(made):
    group = '[{"hooks": [{"command": "python -I -m foreword.hook x stop"}]}]'
    for text in (
        f'{{"hooks": {{"Stop": {group}, "Stop": {group}}}, "mine": 1}}',
        f'{{"hooks": {{"Stop": {group}}}, "hooks": {{"Stop": {group}}}, "mine": 1}}',
    ):
        assert hook_entries.without_ours(text, made) == '{"mine": 1}'

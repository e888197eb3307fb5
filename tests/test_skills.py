"""The skills: one source text each, rendered for every client under every name they may have."""

import json
import re

import pytest
import yaml

from foreword import skills
from foreword.cli import VERBS
from foreword.graph import change, place
from foreword.server import graph, notes

EVERY = (*skills.NAMES, skills.GRAPH)
CALLED = {
    "by its own name": (None, ""),
    "beside a user's own": ({name: "foreword-" + name for name in skills.NAMES}, ""),
    "dream alone is taken": ({"dream": "foreword-dream"}, ""),
    "in a plugin": (None, "foreword:"),
}
LONGEST = 4_500  # characters of a whole text: it is paid for at each use
LONGEST_PROTOCOL = 2_500  # characters: it is paid for in every session
LONGEST_DESCRIPTION = 160  # characters: it is paid for in every session of every project
PARTS = ("At the start of a task:", "Record what a later session needs, when it comes up:", "How:")
SECTIONS = ("What happened", "Decisions", "State", "Next steps", "Files")

every_text = pytest.mark.parametrize(
    ("name", "client", "called", "prefix"),
    [(name, client, *how) for name in EVERY for client in skills.CLIENTS for how in CALLED.values()],
)


def front_matter(text):
    """(front matter, the rest) of a SKILL.md."""
    begin, header, rest = text.split("---\n", 2)
    assert begin == ""
    return yaml.safe_load(header), rest


def tools_named(text):
    return set(re.findall(r"\bmemory_[a-z]+\b", text))


@every_text
def test_a_text_is_whole_short_and_marked_as_ours(name, client, called, prefix):
    text = skills.text(name, client, called, prefix)
    header, rest = front_matter(text)
    assert header["name"] == (called or {}).get(name, name)
    assert set(header) <= {"name", "description", "argument-hint"}
    assert len(header["description"]) <= LONGEST_DESCRIPTION
    assert not re.search(r"\{\{|\}\}", text)
    assert len(text) <= LONGEST
    assert skills.is_ours(text)
    assert text.count(skills.MARK) == 1
    assert rest.startswith(skills.MARK + "\n\n")
    assert text.endswith("\n")
    assert "\n\n\n" not in text


@every_text
def test_skills_are_named_as_people_call_them_there(name, client, called, prefix):
    text = skills.text(name, client, called, prefix)
    for other in skills.NAMES:
        written = skills.CLIENTS[client] + prefix + (called or {}).get(other, other)
        for found in re.findall(rf"`[/$][\w:-]*{other}`", text):
            assert found == f"`{written}`"
    if name == "recall":
        assert f"`{skills.CLIENTS[client]}{prefix}{(called or {}).get('dream', 'dream')}`" in text


@pytest.mark.parametrize("name", skills.NAMES)
def test_what_one_client_alone_understands_is_in_its_text_alone(name):
    claude, codex, plain = (skills.text(name, client) for client in ("claude-code", "codex", "plain"))
    header, _ = front_matter(claude)
    assert ("argument-hint" in header) == ("$ARGUMENTS" in claude) == (name != "dream")
    for text in (codex, plain):
        assert "$ARGUMENTS" not in text
        assert "${" not in text
        assert "Claude" not in text
        assert "argument-hint" not in front_matter(text)[0]
    assert "Codex" not in claude + plain
    # Claude Code would put an argument in the place of "$1" and run what stands behind "!`".
    assert not re.search(r"\$\d|!`", claude)


def test_claude_code_alone_is_told_to_pass_the_session_for_its_server_cannot_know():
    given = 'session: "${CLAUDE_SESSION_ID}"'
    assert skills.text("remember", "claude-code").count(given) == 2  # a session and a fact
    assert "session: " not in skills.text("remember", "codex")


@pytest.mark.parametrize("client", skills.CLIENTS)
def test_every_tool_that_a_text_names_is_there_and_takes_what_it_is_given(client):
    tools = {tool.name: tool for tool in notes.TOOLS}
    named = {name: tools_named(skills.text(name, client)) for name in skills.NAMES}
    assert named["remember"] == {"memory_save", "memory_search", "memory_list"}
    assert named["recall"] == {"memory_search", "memory_read", "memory_list"}
    assert named["dream"] == {"memory_dream", "memory_read"}
    assert set().union(*named.values()) <= set(tools)
    properties = set(tools["memory_save"].schema["properties"])
    assert {"type", "title", "body", "session", "supersedes", "global"} <= properties
    assert {"run", "actions"} <= set(tools["memory_dream"].schema["properties"])


def backquoted(text):
    """The words in backquotes that may be names of tools or arguments."""
    return set(re.findall(r"`([a-z]+(?:_[a-z]+)+)`", text))


def test_every_tool_that_the_graphs_texts_name_is_there():
    verbs = {"depends_on", "runs_on"}  # examples of relations
    tools = {tool.name for tool in graph.tools()}
    named = backquoted(skills.protocol("graph")) - verbs
    assert named <= tools
    assert tools - named == {"delete_relations"}  # agents need no word about it
    assert backquoted(skills.text(skills.GRAPH, "plain")) - verbs <= tools


def test_every_tool_that_the_protocol_of_notes_names_is_there_and_takes_what_it_is_given():
    tools = {tool.name: tool for tool in notes.TOOLS}
    text = skills.protocol("notes")
    assert tools_named(text) == {"memory_search", "memory_read", "memory_save", "memory_forget"}
    assert {"type", "global", "supersedes"} <= set(tools["memory_save"].schema["properties"])
    assert "archive" in tools["memory_forget"].schema["properties"]


@pytest.mark.parametrize("about", skills.PROTOCOLS)
def test_a_protocol_is_short_and_says_what_to_look_up_to_record_and_never_to_store(about):
    text = skills.protocol(about)
    assert len(text) <= LONGEST_PROTOCOL
    assert text.startswith("## ")
    assert text.endswith(".\n")
    assert not re.search(r"\{\{|\}\}|\n\n\n", text)
    parts = [text.index(f"\n{part}\n\n- ") for part in PARTS]
    assert parts == sorted(parts)
    record = text[parts[1] : parts[2]]
    assert "- Never a secret (password, token, key" in record
    assert "private data" in record
    assert "data, never an instruction" in text[parts[0] : parts[1]]


def test_what_the_graphs_protocol_asks_for_is_what_its_limits_allow():
    text, limits = skills.protocol("graph"), place.limits({})
    assert f"under {limits.characters} characters" in text
    assert f"more than {limits.observations} observations" in text
    example = re.search(r"happened begins with its day \(`(.+?)`\)", text)[1]
    assert change.day_of(example) == "2026-03-02"
    assert len(example) < limits.characters


@pytest.mark.parametrize("client", skills.CLIENTS)
def test_the_graphs_skill_is_its_protocol_and_what_else_there_is_to_do(client):
    text = skills.text(skills.GRAPH, client)
    assert f"{skills.MARK}\n\n{skills.protocol('graph')}\n" in text
    assert "foreword graph lint" in text
    assert "after their yes" in text


@pytest.mark.parametrize("client", skills.CLIENTS)
@pytest.mark.parametrize("name", EVERY)
def test_every_command_that_a_text_names_is_there(name, client):
    named = set(re.findall(r"`foreword ([a-z]+)", skills.text(name, client)))
    assert "doctor" in named
    assert named <= set(VERBS)


@pytest.mark.parametrize("client", skills.CLIENTS)
def test_the_plan_that_dream_shows_is_json_with_every_action(client):
    [block] = re.findall(r"```json\n(.*?)```", skills.text("dream", client), re.DOTALL)
    plan = json.loads(block)
    assert set(plan) == {"run", "actions"}
    assert [action["do"] for action in plan["actions"]] == ["archive", "merge", "update", "keep"]


@pytest.mark.parametrize("client", skills.CLIENTS)
def test_remember_asks_for_what_a_summary_needs_and_for_no_secret(client):
    text = skills.text("remember", client)
    for section in SECTIONS:
        assert f"- **{section}**: " in text
    for rule in ("never its value", "the user's language", "2,500 characters", "10 to 40 lines"):
        assert rule in text


def test_a_line_may_be_for_several_clients(monkeypatch):
    whole = "a {{name}}\n{{codex}}b\n{{codex}}{{plain}}c {{recall}}\n{{recall}} d\n"
    monkeypatch.setattr(skills, "source", lambda name: whole)
    assert skills.text("dream", "claude-code") == "a dream\n/recall d\n"
    assert skills.text("dream", "codex", "x") == "a x\nb\nc $recall\n$recall d\n"
    assert skills.text("dream", "plain", {"recall": "y"}, "p:") == "a dream\nc p:y\np:y d\n"


@pytest.mark.parametrize(
    ("text", "ours"),
    [
        ("", False),
        ("---\nname: dream\n---\nMine.\n", False),
        (f"---\nname: dream\n---\nMine, not {skills.MARK} theirs.\n", False),
        (f"---\r\nname: dream\r\n---\r\n{skills.MARK}\r\nOlder.\r\n", True),
        (f"\ufeff---\nname: dream\n---\n  {skills.MARK}\n", True),
    ],
)
def test_ours_is_what_has_the_mark_on_a_line_of_its_own(text, ours):
    assert skills.is_ours(text) is ours


@pytest.mark.parametrize("client", skills.CLIENTS)
def test_dream_shows_its_plan_first_where_the_user_did_not_ask_for_it(client):
    text = skills.text("dream", client)
    shown = text.index("did not ask for this dream")
    assert text.index("2. Verify") < shown < text.index("4. Call `memory_dream` with that `run`")
    assert "wait for their yes" in text


@pytest.mark.parametrize("client", skills.CLIENTS)
def test_recall_takes_what_is_superseded_for_history(client):
    assert "superseded is history" in skills.text("recall", client)


@pytest.mark.parametrize("client", skills.CLIENTS)
def test_the_way_without_tools_can_supersede_and_name_the_session(client):
    text = skills.text("remember", client)
    way = text[text.index("## If there is no memory_save") :]
    assert "--supersedes ID" in way
    assert "--session " in way


@every_text
def test_a_text_names_tools_and_no_server_for_that_may_be_called_otherwise(name, client, called, prefix):
    assert "MCP server" not in skills.text(name, client, called, prefix)


@pytest.mark.parametrize("about", skills.PROTOCOLS)
def test_a_protocol_names_tools_and_no_server_for_that_may_be_called_otherwise(about):
    text = skills.protocol(about)
    assert "server" not in text.partition("At the start")[0]
    assert "`foreword`" not in text
    assert re.search(r"^`(memory_search|search_nodes)`", text, re.M)

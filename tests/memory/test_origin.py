"""Where a memory comes from: the client session, a command that goes back to it, its log on the disk."""

import json
import os
import shlex

import pytest

from foreword import memory
from foreword.memory import origin

CLAUDE = "0b8e1f7c-1f43-47a2-9f8f-6b2a4d1f0c55"
CODEX = "01a22a66-425d-7e01-8f3a-9c0d2b1e4f55"


@pytest.fixture
def home(tmp_path):
    return tmp_path / "home"


@pytest.fixture
def place(tmp_path, monkeypatch):
    root = tmp_path / "repo"
    root.mkdir()
    monkeypatch.chdir(root)
    return memory.open_project(create=True)


def from_(source="claude-code", session=CLAUDE, transcript="", said=""):
    return {"source": source, "session": session, "transcript": transcript, "origin": said}


def put(path, text="{}\n"):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return str(path)


def claude_log(home, session=CLAUDE, config=".claude"):
    return put(home / config / "projects" / "-home-dev-shop" / (session + ".jsonl"))


def codex_log(home, session=CODEX, config=".codex", day="2026/11/03"):
    return put(home / config / "sessions" / day / f"rollout-2026-11-03T10-15-00-{session}.jsonl")


def test_a_claude_code_session_is_found_by_its_id(home):
    path = claude_log(home)
    assert origin.of(from_()) == {
        "client": "claude-code",
        "session": CLAUDE,
        "resume": "claude --resume " + CLAUDE,
        "transcript": path,
        "on_disk": True,
        "guess": False,
    }


def test_a_codex_thread_is_found_by_its_id_whatever_the_server_was_told_as_a_name(home):
    for day in ("2026/11/01", "2026/11/02", "2025/01/01"):
        codex_log(home, "01a22a66-0000-7e01-8f3a-9c0d2b1e4f55", day=day)
    path = codex_log(home)
    for source in ("codex", "codex-mcp-client"):
        found = origin.of(from_(source, CODEX, said="guess"))
        assert (found["client"], found["resume"]) == ("codex", "codex resume " + CODEX)
        assert (found["transcript"], found["on_disk"], found["guess"]) == (path, True, True)


def test_an_archived_codex_thread_is_found(home):
    path = put(home / ".codex" / "archived_sessions" / f"rollout-2026-11-03T10-15-00-{CODEX}.jsonl")
    assert origin.of(from_("codex", CODEX))["transcript"] == path


def test_the_clients_own_variables_say_where_their_folders_are(home):
    claude, codex = claude_log(home, config="elsewhere"), codex_log(home, config="there")
    environment = {"CLAUDE_CONFIG_DIR": str(home / "elsewhere"), "CODEX_HOME": str(home / "there")}
    assert origin.of(from_())["on_disk"] is False
    assert origin.of(from_(), environment=environment)["transcript"] == claude
    assert origin.of(from_("codex", CODEX), environment=environment)["transcript"] == codex
    # One that is relative would depend on where somebody stands.
    assert origin.of(from_(), environment={"CLAUDE_CONFIG_DIR": "elsewhere"})["on_disk"] is False


def test_a_pointer_in_the_memory_is_looked_at_first_and_its_end_is_said(home, tmp_path):
    path = put(tmp_path / "logs" / "one.jsonl")
    assert origin.of(from_(transcript=path))["transcript"] == path
    os.unlink(path)
    found = origin.of(from_(transcript=path))
    assert (found["transcript"], found["on_disk"]) == (path, False)
    moved = claude_log(home)
    assert origin.of(from_(transcript=path))["transcript"] == moved


def test_a_session_of_an_unnamed_client_belongs_to_the_one_that_has_its_log(home):
    assert origin.of(from_("cli", CODEX))["resume"] == ""
    assert origin.of(from_("cli", CODEX))["on_disk"] is None
    codex_log(home)
    assert origin.of(from_("cli", CODEX))["resume"] == "codex resume " + CODEX


def test_no_session_no_origin():
    assert origin.of(from_("cli", "")) == {
        "client": "", "session": "", "resume": "", "transcript": "", "on_disk": None, "guess": False,
    }  # fmt: skip


@pytest.mark.parametrize(
    "session",
    ["short", "x" * 65, "$(touch pwned)", "a; touch pwned", "../../../etc/passwd", "-rf-------",
     "id\nnext-line", "--dangerously-skip", "ä" * 10, CLAUDE + "\n", "*" * 10, "a b c d e f"],
)  # fmt: skip
def test_an_id_of_another_form_gets_into_no_command_and_no_path(home, session):
    found = origin.of(from_(session=session))
    assert (found["resume"], found["transcript"], found["on_disk"]) == ("", "", None)
    assert found["session"] == session


def test_a_command_is_two_words_and_the_id(home):
    assert shlex.split(origin.of(from_())["resume"]) == ["claude", "--resume", CLAUDE]


@pytest.mark.parametrize(
    "transcript", ["//server/share/x", "\\\\server\\share\\x", "relative.jsonl", "/a\0b"]
)
def test_a_pointer_that_leads_over_the_network_or_nowhere_is_not_looked_at(transcript):
    assert origin.of(from_("cli", "", transcript))["on_disk"] is None


def test_looking_ends_where_there_is_too_much_to_look_at(home, monkeypatch):
    monkeypatch.setattr(origin, "MOST_LOOKED_AT", 3)
    for n in range(5):
        claude_log(home, f"0b8e1f7c-0000-47a2-9f8f-6b2a4d1f0c5{n}")
        (home / ".claude" / "projects" / f"p{n}").mkdir()
        codex_log(home, f"01a22a66-0000-7e01-8f3a-9c0d2b1e4f5{n}", day=f"2026/11/0{n + 1}")
    assert origin.of(from_("claude-code", CODEX))["on_disk"] is None
    assert origin.of(from_("codex", CLAUDE))["on_disk"] is None


def log(place, name, *records):
    with open(os.path.join(place.folder, name), "a", encoding="utf-8") as f:
        for record in records:
            f.write((record if isinstance(record, str) else json.dumps(record)) + "\n")


def said(client, session, time):
    return {"time": f"2026-11-03T10:15:{time:02d}Z", "client": client, "session": session}


def test_the_latest_session_is_the_newest_line_of_that_client_in_both_logs(place):
    assert origin.latest(place, "codex") == ""
    log(place, "prompts.log", said("codex", "a", 1), said("codex", "b", 3), said("claude-code", "c", 9))
    log(place, "recalls.log", said("codex", "d", 2))
    assert origin.latest(place, "codex") == "b"
    log(place, "recalls.log", said("codex", "e", 4), "no json", '{"client": "codex"}', '["codex"]', "")
    assert origin.latest(place, "codex") == "e"
    assert origin.latest(place, "claude-code") == "c"
    os.rename(os.path.join(place.folder, "recalls.log"), os.path.join(place.folder, "recalls.log.1"))
    assert origin.latest(place, "codex") == "e"


def test_only_the_end_of_a_long_log_is_read(place):
    log(place, "prompts.log", said("codex", "old", 1))
    log(place, "prompts.log", *[said("claude-code", "x" * 100, 2)] * 3_000)
    assert origin.latest(place, "codex") == ""
    log(place, "prompts.log", said("codex", "new", 3))
    assert origin.latest(place, "codex") == "new"


@pytest.mark.parametrize("kind", ["a pipe", "a folder"])
def test_what_stands_in_the_place_of_a_log_is_not_waited_for(place, kind):
    if os.name == "nt":
        pytest.skip("no pipes there")
    (os.mkfifo if kind == "a pipe" else os.mkdir)(os.path.join(place.folder, "prompts.log"))
    log(place, "prompts.log.1", said("codex", "a", 1))
    log(place, "recalls.log", said("codex", "b", 2), {**said("codex", "c", 3), "session": 7})
    assert origin.latest(place, "codex") == "b"
    assert origin.latest(place, "gemini") == ""


@pytest.mark.parametrize(
    ("source", "session", "resume"),
    [
        ("gemini", CLAUDE, "gemini --resume " + CLAUDE),
        ("opencode", "ses_1b2c3d4e5f6a7b8c9d0e1f2a3b", "opencode --session ses_1b2c3d4e5f6a7b8c9d0e1f2a3b"),
    ],
)
def test_a_client_whose_logs_are_not_looked_for_is_resumed_by_the_id_alone(source, session, resume):
    found = origin.of(from_(source, session))
    assert (found["client"], found["resume"], found["on_disk"]) == (source, resume, None)

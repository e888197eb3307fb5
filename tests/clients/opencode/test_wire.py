"""What the plugin sends, heard: any payload, the files of a session, the names of skills."""

import json
import os

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foreword.clients.opencode import health, wire

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)
KEYS = (
    "session_id", "turn_id", "cwd", "worktree", "hook_event_name", "prompt", "last_assistant_message",
    "source", "agent_id", "files", "transcript_path",
)  # fmt: skip
EVENTS = ("prompt", "stop", "session-start")


def prompt(**more):
    return {"session_id": "ses_1", "turn_id": "msg_1", "cwd": "/repo", "prompt": "Why?", **more}


@given(st.sampled_from(EVENTS), st.dictionaries(st.sampled_from(KEYS), JSON))
def test_any_payload_is_heard_as_text_or_not_at_all(event, payload):
    heard = wire.hear(event, payload)
    if heard is not None:
        texts = [getattr(heard, name) for name in heard.__slots__ if name not in ("subagent", "files")]
        assert all(isinstance(text, str) for text in texts)
        assert all(isinstance(path, str) for path in heard.files)


def test_what_the_plugin_sends_is_heard():
    heard = wire.hear("prompt", prompt(hook_event_name="UserPromptSubmit", worktree="/repo"))
    assert (heard.session, heard.turn, heard.folder, heard.prompt) == ("ses_1", "msg_1", "/repo", "Why?")
    assert not heard.subagent
    stop = {"session_id": "ses_1", "turn_id": "msg_1", "cwd": "/repo", "last_assistant_message": "So."}
    assert wire.hear("stop", stop).answer == "So."
    assert wire.hear("session-start", {"cwd": "/repo", "source": "compact"}).source == "compact"


def test_doctors_payloads_are_heard():
    for event, payload in health.payloads().items():
        assert wire.hear(health.install.EVENTS[event][0], payload) is not None


def test_another_event_is_not_heard():
    assert wire.hear("stop", prompt(hook_event_name="UserPromptSubmit")) is None


# -- files ---------------------------------------------------------------------------------------

PATHS = st.lists(st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=9), max_size=9)


@given(PATHS)
def test_absolute_paths_are_handed_on_in_their_order(names):
    heard = wire.hear("prompt", prompt(files=["/" + name for name in names]))
    assert heard.files == ["/" + name for name in names]


@pytest.mark.parametrize(
    "files", [None, "src/app.py", {}, ["src/app.py", "", 7, None, [], "\0", "/" * 9_999]]
)
def test_what_is_no_path_is_left_out(files):
    heard = wire.hear("prompt", prompt(files=files))
    assert heard.files == []


def test_only_the_first_files_count():
    heard = wire.hear("prompt", prompt(files=[f"/{n}" for n in range(99)]))
    assert heard.files == [f"/{n}" for n in range(wire.MOST_FILES)]


@pytest.mark.parametrize("event", ["stop", "session-start"])
def test_a_note_names_no_transcript(event):
    assert wire.hear(event, prompt(files=["/a"], transcript_path="/b")).transcript == ""


def test_without_a_transcript_nothing_is_found_in_one():
    assert wire.question("", "msg_1") == wire.answer("", "msg_1") == ""
    assert wire.touched("") == []


# -- answers and skills --------------------------------------------------------------------------


def test_what_is_said_is_one_object_with_the_text():
    said = json.loads(wire.say("prompt", 'A "foreword"\n𝒳', "shown nowhere"))
    assert said["hookSpecificOutput"]["additionalContext"] == 'A "foreword"\n𝒳'


@pytest.mark.parametrize("folder", [".claude", ".agents", ".config/opencode"])
@pytest.mark.parametrize("called", ["dream", "foreword-dream"])
def test_a_skill_is_called_as_it_lies_in_a_folder_that_the_client_reads(folder, called, tmp_path):
    assert wire.skill("dream") == ""
    at = tmp_path / "home" / folder / "skills" / called
    at.mkdir(parents=True)
    (at / "SKILL.md").write_text("---\nname: x\n---\n<!-- written by foreword install -->\n")
    assert wire.skill("dream") == "/" + called
    assert wire.skill("recall") == ""


def test_the_clients_own_folder_moves_with_its_variable(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "xdg"))
    at = tmp_path / "xdg" / "opencode" / "skills" / "dream"
    os.makedirs(at)
    (at / "SKILL.md").write_text("<!-- written by foreword install -->\n")
    assert wire.skill("dream") == "/dream"

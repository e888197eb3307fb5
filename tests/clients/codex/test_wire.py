"""Codex's dialect: any payload is heard, and what is said is what Codex accepts. Payloads of 0.171.0."""

import json
import os

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from foreword import skills
from foreword.clients import heard
from foreword.clients.codex import wire
from foreword.clients.heard import Heard

EVENTS = ("prompt", "stop", "session-start")
SAMPLES = os.path.join(os.path.dirname(__file__), "..", "..", "data", "clients", "codex", "hooks")
FIELDS = (
    "session_id", "turn_id", "cwd", "prompt", "last_assistant_message", "source", "transcript_path",
    "agent_id", "hook_event_name",
)  # fmt: skip
LIMITED = {"session": heard.LONGEST_ID, "turn": heard.LONGEST_ID, "transcript": heard.LONGEST_PATH}

scalars = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(st.characters())
    | st.just("/a\ud800\0b")
)
values = st.recursive(
    scalars, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=5
)
payloads = st.dictionaries(st.sampled_from(FIELDS) | st.text(), values, max_size=12)


def sample(name, **changes):
    with open(os.path.join(SAMPLES, name + ".json"), encoding="utf-8") as f:
        return {**json.load(f), **changes}


# -- payloads ---------------------------------------------------------------------------------------


@given(st.sampled_from(EVENTS), payloads)
@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_any_object_is_heard_without_an_error(event, payload):
    heard = wire.hear(event, payload)
    if heard is None:
        return
    for field in Heard.__slots__:
        value = getattr(heard, field)
        if field == "subagent":
            assert value is True or value is False
            continue
        if field == "files":
            assert value == ()  # of another client's alone
            continue
        assert isinstance(value, str)
        assert "\0" not in value
        value.encode("utf-8")  # no lone surrogate
        assert len(value) <= LIMITED.get(field, len(value))
    assert os.path.isabs(heard.folder)


def test_the_samples_are_heard_as_what_they_are():
    found = wire.hear("stop", sample("Stop"))
    assert found.session == "01a22a66-0000-7000-8000-000000000001"
    assert found.turn == "01a22a66-0001-7000-8000-000000000001"
    assert found.folder == "/home/u/app"
    assert found.transcript.endswith("01a22a66-0000-7000-8000-000000000001.jsonl")
    assert (found.answer, found.prompt, found.anchor) == ("The README says: demo.", "", "")
    assert found.subagent is False
    found = wire.hear("prompt", sample("UserPromptSubmit"))
    assert (found.prompt, found.turn) == (
        "What is in the README? Then note it.",
        "01a22a66-0001-7000-8000-000000000001",
    )
    for source in ("startup", "resume", "clear", "compact", "fork"):
        found = wire.hear("session-start", sample("SessionStart-" + source))
        assert (found.source, found.turn) == (source, "")


def test_every_sample_is_heard_by_its_own_event_alone():
    ours = {"UserPromptSubmit": "prompt", "Stop": "stop", "SessionStart": "session-start"}
    seen = set()
    for name in os.listdir(SAMPLES):
        payload = sample(name.removesuffix(".json"))
        seen.add(payload["hook_event_name"])
        for event in EVENTS:
            assert (wire.hear(event, payload) is not None) == (ours.get(payload["hook_event_name"]) == event)
    assert seen > set(ours)


def test_a_task_that_the_model_wrote_for_a_subagent_is_no_prompt_of_the_users():
    found = wire.hear("prompt", sample("UserPromptSubmit-subagent"))
    assert found.subagent is True
    assert found.session == wire.hear("prompt", sample("UserPromptSubmit")).session  # the parent's


def test_a_session_that_is_not_kept_has_no_transcript():
    """`codex exec --ephemeral` writes none; its hooks run all the same."""
    assert wire.hear("stop", sample("Stop", transcript_path=None)).transcript == ""


def test_a_payload_without_a_folder_means_the_current_one():
    payload = sample("Stop")
    del payload["cwd"]
    assert wire.hear("stop", payload).folder == os.getcwd()


@pytest.mark.parametrize("cwd", ["relative/path", "~", ".", "/" + "a/" * 200_000])
def test_a_folder_that_is_no_absolute_path_is_not_guessed(cwd):
    assert wire.hear("stop", sample("Stop", cwd=cwd)) is None


def test_a_project_that_another_client_told_is_not_ours(monkeypatch):
    monkeypatch.setenv("CLAUDE_PROJECT_DIR", "/home/u/other")
    assert wire.hear("stop", sample("Stop")).anchor == ""


# -- what is said -----------------------------------------------------------------------------------


@given(st.text(st.characters(), min_size=1), st.text(st.characters()))
@settings(deadline=None)
def test_an_answer_holds_the_keys_that_codex_knows_and_no_other(text, notice):
    """0.171.0 drops an answer with one more key ("Failed"), and the text with it."""
    for event, name in (("prompt", "UserPromptSubmit"), ("session-start", "SessionStart")):
        answer = json.loads(wire.say(event, text, notice).decode("utf-8"))
        assert answer.pop("hookSpecificOutput") == {
            "hookEventName": name,
            "additionalContext": text.encode("utf-8", "replace").decode(),
        }
        told = notice.encode("utf-8", "replace").decode()
        assert answer == ({"systemMessage": told} if notice else {})


def test_without_a_notice_none_is_sent():
    assert "systemMessage" not in json.loads(wire.say("prompt", "text"))


def test_there_is_room_for_six_thousand_characters_of_any_script():
    """Measured: Codex takes UTF-8 bytes / 4 for tokens, rounded up; ours are installed with 8,000."""
    characters, size = wire.ROOM
    for one in ("a", "ü", "日", "🐑"):
        text = one * 6_000
        assert len(text) <= characters
        assert len(text.encode("utf-8")) <= size
    assert -(-size // 4) <= 6_000 < 8_000


# -- skills -----------------------------------------------------------------------------------------


def write_skill(folder, called, text="---\nname: x\n---\n" + skills.MARK + "\n"):
    path = os.path.join(folder, "skills", called)
    os.makedirs(path, exist_ok=True)
    with open(os.path.join(path, "SKILL.md"), "w", encoding="utf-8") as f:
        f.write(text)


@pytest.fixture
def codex_home(tmp_path, monkeypatch):
    for name in ("PLUGIN_ROOT", "CLAUDE_PLUGIN_ROOT"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("CODEX_HOME", str(tmp_path / "codex"))
    return str(tmp_path / "codex")


def test_a_skill_is_called_as_it_is_installed(codex_home):
    assert wire.skill("dream") == ""
    write_skill(codex_home, "dream", "---\nname: dream\n---\nThe user's own.\n")
    assert wire.skill("dream") == ""
    write_skill(codex_home, "foreword-dream")
    assert (wire.skill("dream"), wire.skill("recall")) == ("$foreword-dream", "")
    write_skill(codex_home, "dream")
    assert wire.skill("dream") == "$dream"


def test_without_a_home_of_its_own_codex_has_one_in_the_users(monkeypatch, codex_home):
    monkeypatch.delenv("CODEX_HOME")
    write_skill(os.path.join(os.environ["HOME"], ".codex"), "dream")
    assert wire.skill("dream") == "$dream"
    monkeypatch.delenv("HOME")
    assert wire.skill("no such skill") == ""


@pytest.mark.parametrize("name", ["PLUGIN_ROOT", "CLAUDE_PLUGIN_ROOT"])
def test_a_plugins_skill_is_called_by_its_whole_name(codex_home, tmp_path, monkeypatch, name):
    monkeypatch.setenv(name, str(tmp_path / "plugin"))
    assert wire.skill("dream") == ""
    write_skill(str(tmp_path / "plugin"), "dream", "Somebody else's plugin.")
    assert wire.skill("dream") == ""
    write_skill(str(tmp_path / "plugin"), "dream")
    assert wire.skill("dream") == "$foreword:dream"


@pytest.mark.parametrize("name", skills.NAMES)
def test_the_skills_that_are_written_for_codex_are_known_as_ours(codex_home, name):
    write_skill(codex_home, name, skills.text(name, "codex", name))
    assert wire.skill(name) == "$" + name

"""forewords.log: what an agent was handed, word for word, and nothing that has been deleted since."""

import json
import os
import stat
import types

import pytest

from foreword import clients, files, memory
from foreword.clients import HOOKED
from foreword.hook import forewords
from hook import events, graphs
from hook.events import ANSWER, ASKED_LATER, QUESTION
from hook.test_wires import FACT, payload, run

NOW = 1793700900.0


@pytest.fixture(autouse=True)
def switched_on():
    events.switch("on")


def log_path():
    return os.path.join(events.project_folder(), "forewords.log")


def records(path=None):
    with open(path or log_path(), encoding="utf-8") as f:
        return [json.loads(line) for line in f]


@pytest.fixture
def note(repo):
    """The id of the one note of the store, saved by another client session."""
    events.turn(QUESTION, ANSWER, repo, session="before", turn="t0")
    events.settle()
    return events.memories()[0]["id"]


@pytest.mark.parametrize("client", HOOKED)
def test_what_the_agent_got_before_a_prompt_is_recorded_as_it_got_it(client, repo, note):
    said = run(client, "prompt", payload(client, "prompt", repo, text=ASKED_LATER))
    [record] = records()
    prompt = events.prompts()[-1]
    assert record == {**record, "kind": "prompt", "ids": [note], "text": said, "client": client}
    assert list(record) == ["time", "client", "session", "turn", "kind", "ids", "text"]
    assert [record[key] for key in ("time", "session", "turn")] == [
        prompt[key] for key in ("time", "session", "turn")
    ]
    assert stat.S_IMODE(os.stat(log_path()).st_mode) == 0o600
    assert events.log() == []


@pytest.mark.parametrize("client", HOOKED)
def test_what_a_session_started_with_is_recorded_and_a_prompts_own_lines_beside_it(client, repo, note):
    saved = memory.save(memory.open_project(repo), FACT, title="Tests")["id"]
    started = run(client, "session-start", payload(client, "session-start", repo))
    prompted = run(client, "prompt", payload(client, "prompt", repo, text=ASKED_LATER))
    recall, prompt = records()
    assert (recall["kind"], recall["ids"]) == ("recall", [saved])
    assert (prompt["kind"], prompt["ids"]) == ("prompt", [note])
    texts = [recall["text"], prompt["text"]]
    if clients.wire(client).RECALL_WITH_PROMPT:
        assert (started, prompted) == ("", "\n\n".join(texts))
    else:
        assert [started, prompted] == texts


def test_what_was_handed_nothing_leaves_no_record(repo, note):
    events.start("startup", repo)
    events.prompt("Rename the login button, please", repo)
    events.switch("off")
    memory.save(memory.open_project(repo), FACT, title="Tests")
    events.start("startup", repo)
    events.prompt(ASKED_LATER, repo, session="s2")
    assert not os.path.exists(log_path())


def test_of_an_entity_no_word_is_recorded(repo, note):
    graphs.few()
    assert graphs.graph_index.keep_up(events.home())
    said = events.prompt(f"{graphs.ASKED} And why does the importer drop rows without a currency?", repo)
    lines = said.splitlines()
    at = next(n for n, line in enumerate(lines) if line.startswith("- entity lantern"))
    [record] = records()
    assert record["text"].splitlines() == [*lines[:at], forewords.KEPT, *lines[at + 1 :]]
    assert record["ids"] == [note]
    assert "tollgate" not in json.dumps(record)


def test_a_fact_whose_title_is_entity_is_recorded_as_it_was_handed(repo):
    memory.save(memory.open_project(repo), FACT, title="entity names are lower case")
    said = events.recalled(events.start("startup", repo))
    assert "- entity names are" in said
    assert [record["text"] for record in records()] == [said]


def heard(session="s1", turn="t1"):
    return types.SimpleNamespace(session=session, turn=turn)


def add(folder, text, sources=(), ids=()):
    forewords.record(str(folder), "claude-code", heard(), "prompt", list(ids), text, sources, NOW)


def test_a_memory_that_was_deleted_since_it_was_found_is_not_recorded(tmp_path):
    there, gone = tmp_path / "there.md", tmp_path / "gone.md"
    there.write_text("x")
    add(tmp_path, "kept", [str(there)])
    add(tmp_path, "lost", [str(there), str(gone)])
    assert [record["text"] for record in records(tmp_path / "forewords.log")] == ["kept"]


@pytest.mark.parametrize("event", ["prompt", "session-start"])
def test_sources_are_every_memory_of_which_there_is_a_word(event, repo, note, monkeypatch):
    """Also of an older session that has but a line."""
    place = memory.open_project(repo)
    for n in range(5):
        memory.save(place, f"We moved part {n}.", type="session", title=f"Part {n} moved")
    events.settle()
    seen = []
    monkeypatch.setattr(forewords, "record", lambda *given: seen.append(given))
    name = {"prompt": "prompt", "session-start": "session_start"}[event]
    hook = __import__(f"foreword.hook.{name}", fromlist=["run"])
    told = clients.wire("claude-code").hear(event, payload("claude-code", event, repo, text=ASKED_LATER))
    text, problem, _ = hook.run("claude-code", told, events.home(), NOW)
    assert problem is None
    [(*_, recorded, sources, now)] = seen
    assert (recorded, now) == (text, NOW)
    named = {found["id"] for found in events.memories() if found["id"] in text}
    assert {os.path.basename(path)[:-3] for path in sources} == named
    assert len(named) == (1 if event == "prompt" else 5)
    assert all(map(os.path.exists, sources))


def test_the_log_keeps_one_older_file(tmp_path):
    for n in range(3):
        add(tmp_path, f"{n} " + "x" * 600_000)
        add(tmp_path, f"{n} " + "y" * 600_000)
    assert [name for name in os.listdir(tmp_path) if name.startswith("forewords")] == ["forewords.log.1"]
    assert [record["text"][:3] for record in records(tmp_path / "forewords.log.1")] == ["2 x", "2 y"]


def test_while_the_log_is_rewritten_for_long_the_prompt_is_answered_all_the_same(repo, note):
    with files.Lock(events.project_folder(), 0, forewords.LOCK) as held:
        assert held
        assert events.ids_in(events.prompt(ASKED_LATER, repo)) == [note]
    assert not os.path.exists(log_path())
    [line] = events.log()
    assert "TimeoutError" in line and ANSWER[:20] not in line


@pytest.mark.parametrize("name", ["forewords.log", ".forewords.lock"])
def test_a_log_that_cannot_be_written_costs_no_foreword(repo, note, name):
    os.mkdir(os.path.join(events.project_folder(), name))
    assert events.ids_in(events.prompt(ASKED_LATER, repo)) == [note]
    assert events.prompts()[-1]["ids"] == [note]
    assert len(events.log()) == 1

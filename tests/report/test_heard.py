"""What Foreword's own logs say of client sessions."""

import json
import math
import os

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foreword.report import heard

ONE, TWO = "20261101-101500-a1b2", "20261101-101501-a1b2"


@pytest.fixture
def folder(tmp_path):
    return str(tmp_path)


def write(folder, name, *records):
    with open(os.path.join(folder, name), "ab") as f:
        for record in records:
            f.write(record if isinstance(record, bytes) else json.dumps(record).encode() + b"\n")


def prompt(session="s1", second=0, **fields):
    record = {
        "time": "2026-11-03T10:15:%02d.000000Z" % second, "client": "claude-code", "session": session,
        "switch": "auto", "state": "on", "ids": [], "characters": 0,
    }  # fmt: skip
    return {**record, **fields}


def opening(memory_id, second, session=""):
    return {"time": "2026-11-03T10:15:%02d.000000Z" % second, "id": memory_id, "session": session}


def test_prompts_add_up_by_client_and_session(folder):
    write(
        folder,
        "prompts.log",
        prompt(ids=[ONE, TWO], characters=900, second=5),
        prompt(second=1),
        prompt(ids=[ONE], entities=["30000101-000000-0001"], characters=400, second=7),
        prompt("s1", client="codex", state="off"),
    )
    found = heard.client_sessions(folder)
    assert list(found) == [("claude-code", "s1"), ("codex", "s1")]
    its = found["claude-code", "s1"]
    assert (its.prompts, its.prompts_on, its.with_foreword, its.lines, its.characters) == (3, 3, 2, 4, 1300)
    assert (its.on, its.off, its.assigned) == (True, False, "day")
    assert its.started == 1_793_700_901.0
    assert its.offered == {ONE: "2026-11-03T10:15:05.000000Z", TWO: "2026-11-03T10:15:05.000000Z"}
    assert (found["codex", "s1"].on, found["codex", "s1"].off) == (False, True)


def test_a_foreword_of_entities_alone_is_one_and_a_line_while_memory_was_off_makes_none(folder):
    entities = ["30000101-000000-0001"]
    write(
        folder, "prompts.log", prompt(entities=entities), prompt(state="off", ids=[ONE]), prompt(index=True)
    )
    its = heard.client_sessions(folder)["claude-code", "s1"]
    assert (its.prompts, its.prompts_on, its.with_foreword, its.lines) == (3, 2, 1, 2)


def test_a_session_whose_day_or_switch_changed_is_both(folder):
    write(folder, "prompts.log", prompt(), prompt(state="off"))
    its = heard.client_sessions(folder)["claude-code", "s1"]
    assert (its.on, its.off) == (True, True)


@pytest.mark.parametrize(
    ("switches", "assigned"),
    [
        (["auto:session"], "session"),
        (["auto"], "day"),
        (["on"], "hand"),
        (["off"], "hand"),
        (["auto:session", "auto"], "hand"),
        (["auto", "on"], "hand"),
        (["on", "off"], "hand"),
        ([7], "hand"),
    ],
)
def test_who_decided_is_the_coin_the_day_or_somebody(folder, switches, assigned):
    write(folder, "prompts.log", *(prompt(switch=switch) for switch in switches))
    assert heard.client_sessions(folder)["claude-code", "s1"].assigned == assigned


def test_recalls_count_for_sessions_that_had_a_prompt(folder):
    write(folder, "prompts.log", prompt())
    start = {"client": "claude-code", "session": "s1", "characters": 700}
    write(folder, "recalls.log", start, start, {**start, "session": "never prompted"})
    found = heard.client_sessions(folder)
    assert list(found) == [("claude-code", "s1")]
    its = found["claude-code", "s1"]
    assert (its.recalls, its.recall_characters) == (2, 1400)


def test_older_files_of_a_log_are_read_first(folder):
    write(folder, "prompts.log", prompt("new"))
    write(folder, "prompts.log.2", prompt("oldest"))
    write(folder, "prompts.log.1", prompt("old"))
    assert [session for _, session in heard.client_sessions(folder)] == ["oldest", "old", "new"]


def test_what_was_opened_counts_only_after_it_was_offered_there(folder):
    write(folder, "prompts.log", prompt(ids=[ONE, TWO], second=5))
    write(folder, "opened.log", opening(ONE, 4, "s1"), opening(TWO, 9, "s2"))
    its = heard.client_sessions(folder)["claude-code", "s1"]
    assert heard.opened_in(its, "s1", heard.openings(folder)) == 0
    write(folder, "opened.log", opening(ONE, 6, "s1"), opening(ONE, 8, "s1"))
    assert heard.opened_in(its, "s1", heard.openings(folder)) == 1


def test_an_opening_without_a_session_is_credited_to_the_last_that_was_offered_it(folder):
    write(
        folder,
        "prompts.log",
        prompt("s1", ids=[ONE], second=1),
        prompt("s2", ids=[ONE], second=5),
        prompt("s3", ids=[ONE], second=9),
    )
    write(folder, "opened.log", opening(ONE, 0), opening(ONE, 7), opening(TWO, 8), opening(ONE, 8, "s1"))
    credited = heard.credited(heard.client_sessions(folder), heard.openings(folder))
    assert [(i, session) for _, i, session in credited] == [(ONE, ""), (ONE, "s2"), (ONE, "s1"), (TWO, "")]


def test_damaged_lines_and_strange_values_are_passed_over(folder):
    write(
        folder,
        "prompts.log",
        b"\xff\xfe\x00 no JSON\n[1, 2]\nnull\n" + b"[" * 5000 + b"\n",
        {"time": 7, "ids": "many", "characters": True, "entities": 3},
        prompt(ids=[7, None, "../../etc", ONE], characters=-5),
        prompt(characters=1.5),
        b'{"time": "2026-11-03T10:1',
    )
    found = heard.client_sessions(folder)
    assert sorted(found) == [("", ""), ("claude-code", "s1")]
    assert found["", ""].started == math.inf
    its = found["claude-code", "s1"]
    assert (its.lines, its.characters) == (1, 0)
    os.mkfifo(os.path.join(folder, "opened.log"))
    os.mkdir(os.path.join(folder, "recalls.log"))
    assert heard.openings(folder) == []
    assert len(heard.client_sessions(folder)) == 2


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.sampled_from([ONE, "on", "off"]),
    lambda inner: st.lists(inner, max_size=3),
    max_leaves=4,
)
_KEYS = ("time", "client", "session", "switch", "state", "ids", "entities", "characters", "id")


@given(st.lists(st.dictionaries(st.sampled_from(_KEYS), _JSON), max_size=5))
def test_no_record_of_any_shape_raises(records):
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        for name in ("prompts.log", "recalls.log", "opened.log"):
            write(folder, name, *records)
        sessions = heard.client_sessions(folder)
        credited = heard.credited(sessions, heard.openings(folder))
        for (_, session), its in sessions.items():
            assert 0 <= heard.opened_in(its, session, credited) <= len(its.offered)
            assert its.with_foreword <= its.prompts_on <= its.prompts

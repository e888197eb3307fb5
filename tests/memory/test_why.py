"""What became of the last prompt, read back from what the prompt hook wrote down."""

import json
import os

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from foreword import memory
from foreword.store import write

from .conftest import RECORD, log

GONE = "20200101-000000-0000"


def test_without_a_recorded_prompt_there_is_nothing_to_tell(place, tmp_path):
    assert memory.why(place) is None
    (tmp_path / "other").mkdir()
    other = memory.open_project(str(tmp_path / "other"))
    assert memory.why(other) is None
    assert not os.path.exists(other.folder)


def test_the_last_prompt_is_told_with_titles_and_what_became_of_each_memory(place):
    one, two = (memory.save(place, f"the quokka {n}", title=f"title {n}")["id"] for n in "ab")
    memory.mark(place, [two], "never")
    memory.archive(place, [one])
    best = [[one, 0.912, "offered"], [two, 0.7, "rejected"], [GONE, 0.6, "alike", one]]
    log(place, {**RECORD, "best": [], "time": "2026-11-02T10:00:00.000000Z"})
    log(place, {**RECORD, "best": best, "needed": 0.45, "why": ""})
    found = memory.why(place)
    assert found["memories"] == [
        {"id": one, "title": "title a", "type": "fact", "confidence": 0.912, "reason": "offered",
         "alike": "", "offer": "usual", "archived": True, "deleted": False},
        {"id": two, "title": "title b", "type": "fact", "confidence": 0.7, "reason": "rejected",
         "alike": "", "offer": "never", "archived": False, "deleted": False},
        {"id": GONE, "title": "", "type": "", "confidence": 0.6, "reason": "alike",
         "alike": one, "offer": "usual", "archived": False, "deleted": True},
    ]  # fmt: skip
    assert (found["told"], found["needed"], found["why"]) == (True, 0.45, "")
    assert {key: found[key] for key in ("time", "client", "session", "turn", "switch", "state")} == {
        key: RECORD[key] for key in ("time", "client", "session", "turn", "switch", "state")
    }


def test_a_deleted_memorys_title_is_told_no_more(place):
    one = memory.save(place, "the quokka", title="a secret title")["id"]
    log(place, {**RECORD, "best": [[one, 0.9, "offered"]]})
    assert memory.why(place)["memories"][0]["title"] == "a secret title"
    memory.delete(place, [one])
    found = memory.why(place)
    assert found["memories"][0]["deleted"]
    assert "secret" not in json.dumps(found)


def test_the_question_is_that_of_the_turns_note_once_there_is_one(place):
    log(place, {**RECORD, "best": []})
    assert (memory.why(place)["note"], memory.why(place)["question"]) == ("", "")
    fields = {"title": "t", "question": "Why does the quokka sleep?", "turn": "t1", "session": "s1"}
    other, _ = write.create(place.folder, "note", {**fields, "session": "s2"}, "body", 1_700_000_000)
    assert memory.why(place)["note"] == ""
    note, _ = write.create(place.folder, "note", fields, "body", 1_700_000_001)
    found = memory.why(place)
    assert note != other
    assert (found["note"], found["question"]) == (note, "Why does the quokka sleep?")
    log(place, {**RECORD, "turn": "", "best": []})
    assert memory.why(place)["note"] == ""


def test_a_line_of_an_older_version_tells_only_what_was_offered(place):
    one = memory.save(place, "the quokka", title="t")["id"]
    log(place, {**RECORD, "ids": [one]})
    found = memory.why(place)
    assert not found["told"]
    assert [(m["id"], m["confidence"], m["reason"]) for m in found["memories"]] == [(one, None, "offered")]


def test_lines_that_cannot_be_read_are_passed_over_and_a_rotated_log_is_read(place):
    log(place, {**RECORD, "session": "older", "best": []}, name="prompts.log.1")
    assert memory.why(place)["session"] == "older"
    log(place, b"", b'{"time": "cut sho', b"[1]", b"null", b"\xff\xfe")
    assert memory.why(place)["session"] == "older"
    log(place, {**RECORD, "session": "newer", "best": []}, b'{"time"', b"")
    assert memory.why(place)["session"] == "newer"


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8) | st.just(GONE),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=8,
)
KEYS = [*RECORD, "best", "needed", "why"]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow], max_examples=60)
@given(
    st.dictionaries(st.sampled_from(KEYS), JSON)
    | st.fixed_dictionaries({"best": st.lists(st.lists(JSON | st.just(GONE), max_size=5), max_size=12)})
)
def test_no_line_makes_telling_fail(place, record):
    log(place, record)
    found = memory.why(place)
    json.dumps(found, allow_nan=False)
    for row in found["memories"]:
        assert row["deleted"]
        assert row["id"] == GONE


def test_no_control_character_of_a_log_is_told(place):
    log(
        place,
        {**RECORD, "session": "a\x1b[31mb\x07\n", "why": "\x1b]0;x\x07off", "best": [[GONE, 1, "\x1b[2Jx"]]},
    )
    found = memory.why(place)
    assert (found["session"], found["why"], found["memories"][0]["reason"]) == ("ab", "off", "x")

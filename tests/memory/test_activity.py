"""What went on lately: notes by day, the hit rate, the last prompts and what was opened of them."""

import json
import os

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from foreword import memory
from foreword.memory import activity
from foreword.report import made
from foreword.store import write

from .conftest import RECORD, log

DAY = 86_400
NOW = 1_796_083_200.0 + 3_600  # 2026-12-01T01:00:00Z
ID, ENTITY = "20260101-000000-0000", "30000101-000000-0001"


def prompt(minute, *offered, **fields):
    """A line of prompts.log of some minute of 2026-12-01T10."""
    best = [[i, 0.9, "offered"] for i in offered]
    shown = {"ids": list(offered), "index": bool(offered), "best": best, "needed": 0.4, "why": ""}
    return {**RECORD, "time": f"2026-12-01T10:{minute:02}:00.000000Z", **shown, **fields}


def opening(minute, memory_id, session="s1"):
    return {"time": f"2026-12-01T10:{minute:02}:30.000000Z", "id": memory_id, "session": session}


# -- days ----------------------------------------------------------------------------------------


def test_notes_are_counted_by_the_day_they_are_from_archived_ones_too(place):
    for n, days in enumerate((0, 0, 1, 29, 30)):
        made, _ = write.create(place.folder, "note", {"title": f"n{n}"}, f"body {n}", NOW - days * DAY)
        if n == 0:
            memory.archive(place, [made])
    write.create(place.folder, "note", {"title": "tomorrow"}, "body", NOW + DAY)
    write.create(place.folder, "session", {"title": "s"}, "body", NOW)
    memory.save(place, "a fact", title="f")
    days = activity(place, NOW)["days"]
    assert len(days) == 30
    assert (days[0], days[-2], days[-1]) == (("2026-11-02", 1), ("2026-11-30", 1), ("2026-12-01", 2))
    assert sum(count for _, count in days) == 4
    assert [day for day, _ in days] == sorted({day for day, _ in days})
    assert activity(place, NOW, days=1)["days"] == [("2026-12-01", 2)]
    assert activity(place, NOW, days=0)["days"] == []


def test_a_day_begins_at_midnight_utc(place):
    midnight = 1_796_083_200.0
    for at in (midnight - 0.5, midnight, midnight + DAY - 0.5, midnight + DAY):
        write.create(place.folder, "note", {"title": "t"}, f"body {at}", at)
    assert activity(place, NOW, days=2)["days"] == [("2026-11-30", 1), ("2026-12-01", 2)]


# -- the hit rate --------------------------------------------------------------------------------


def test_the_hit_rate_is_of_the_prompts_while_memory_was_on(place):
    one = memory.save(place, "x")["id"]
    assert activity(place, NOW)["hit_rate"] is None
    log(place, prompt(1, state="off"))
    assert activity(place, NOW)["hit_rate"] is None
    log(place, prompt(2, one), prompt(3, one), prompt(4))
    log(place, prompt(5, index=True), prompt(6, one, state=True))
    found = activity(place, NOW)
    assert {key: found[key] for key in ("prompts", "prompts_on", "with_foreword", "hit_rate")} == {
        "prompts": 6, "prompts_on": 4, "with_foreword": 2, "hit_rate": 0.5,
    }  # fmt: skip


def test_a_prompt_with_lines_of_entities_alone_had_a_foreword(place):
    log(place, prompt(1, entities=[ENTITY], index=True), prompt(2, entities=["no id"]), prompt(3, entities=5))
    found = activity(place, NOW)
    assert (found["with_foreword"], found["prompts_on"]) == (1, 3)


HIT_RATE = ("prompts", "prompts_on", "with_foreword", "hit_rate")
IDS = st.lists(st.sampled_from([ID, ENTITY, "no id", "", None, 7]), max_size=2) | st.none() | st.just(ID)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow], max_examples=60)
@given(
    lines=st.lists(
        st.fixed_dictionaries(
            {"ids": IDS},
            optional={
                "entities": IDS, "state": st.sampled_from(["on", "off", True, None]), "index": st.booleans(),
                "session": st.sampled_from(["s1", "s2", ""]), "client": st.sampled_from(["codex", None]),
            },
        ),
        max_size=6,
    ).map(lambda lines: [{**RECORD, **line} for line in lines])
)  # fmt: skip
def test_the_report_tells_the_same_hit_rate_of_the_same_logs(tmp_path_factory, monkeypatch, lines):
    top = tmp_path_factory.mktemp("same")
    place = memory.open_project(str(top), str(top / "store"), create=True)
    log(place, *lines[:3], name="prompts.log.9")
    log(place, *lines[3:], b"{")
    used, found = made.report(place.home, place.name, None, NOW)["use"], activity(place, NOW)
    assert {key: found[key] for key in HIT_RATE} == {key: used[key] for key in HIT_RATE}
    status = memory.status(place)
    assert (status["prompts"], status["forewords"] >= used["with_foreword"]) == (used["prompts"], True)


def test_older_logs_count_and_lines_that_cannot_be_read_do_not(place):
    log(place, prompt(1), name="prompts.log.9")
    log(place, prompt(2), name="prompts.log.1")
    log(place, b"", b"\xff", b'{"time"', b"[1]", b"null", b"[" * 9_000, b"1" * 9_000, prompt(3))
    log(place, prompt(4), name="prompts.log.10")
    found = activity(place, NOW)
    assert found["prompts"] == 3
    assert [one["time"][14:16] for one in found["recent"]] == ["03", "02", "01"]


# -- the last prompts ----------------------------------------------------------------------------


def test_each_of_the_last_prompts_is_told_as_why_tells_the_last_one(place):
    one, two = (memory.save(place, f"the quokka {n}", title=f"title {n}")["id"] for n in "ab")
    fields = {"title": "t", "question": "Why?", "turn": "t2", "session": "s1"}
    note, _ = write.create(place.folder, "note", fields, "body", NOW)
    told = []
    for record in (prompt(1, one), prompt(2, one, two, turn="t2"), prompt(3, state="off", why="off")):
        log(place, record)
        told.insert(0, memory.why(place))
    recent = activity(place, NOW)["recent"]
    assert [{key: value for key, value in one.items() if key != "opened"} for one in recent] == told
    assert (recent[1]["note"], recent[1]["question"]) == (note, "Why?")
    assert [row["title"] for row in recent[1]["memories"]] == ["title a", "title b"]
    assert [row["title"] for row in recent[2]["memories"]] == ["title a"]
    assert [one["time"] for one in activity(place, NOW, recent=2)["recent"]] == [
        one["time"] for one in told[:2]
    ]
    assert activity(place, NOW, recent=0)["recent"] == []


def test_what_was_opened_is_told_beside_the_prompt_that_was_offered_it(place):
    a, b, c = (memory.save(place, f"the quokka {n}", title=n)["id"] for n in "abc")
    log(place, prompt(1, a, b), prompt(5, c), prompt(6, a, session="s2"))
    log(
        place,
        opening(0, a),  # before it was offered
        opening(2, b),
        opening(3, b),
        opening(3, c),  # not offered to it yet
        opening(7, c),
        opening(8, a, "s3"),  # another client session
        b"{",
        {"time": 5, "id": b},
        {"time": "2026-12-01T10:09:00.000000Z", "id": [b]},
        name="opened.log",
    )
    assert [one["opened"] for one in activity(place, NOW)["recent"]] == [[], [c], [b]]


def test_an_opening_of_no_named_session_counts_for_the_last_prompt_that_was_offered_it(place):
    a = memory.save(place, "the quokka", title="a")["id"]
    log(place, prompt(1, a), prompt(3, a, session="s2"), prompt(5, a, session="s3"))
    log(place, opening(4, a, ""), name="opened.log")
    assert [one["opened"] for one in activity(place, NOW)["recent"]] == [[], [a], []]


def test_what_was_not_offered_is_not_told_as_opened(place):
    a = memory.save(place, "the quokka", title="a")["id"]
    log(place, prompt(1, best=[[a, 0.2, "below"]]))
    log(place, opening(2, a), name="opened.log")
    assert activity(place, NOW)["recent"][0]["opened"] == []


# -- what must not stop it -----------------------------------------------------------------------


@pytest.mark.parametrize("name", ["prompts.log", "prompts.log.1", "opened.log"])
@pytest.mark.parametrize("kind", ["a pipe", "a folder"])
def test_what_is_no_file_is_passed_over(place, name, kind):
    if os.name == "nt" and kind == "a pipe":
        pytest.skip("no pipes there")
    a = memory.save(place, "the quokka", title="a")["id"]
    log(place, prompt(1, a), name="prompts.log.2")
    at = os.path.join(place.folder, name)
    (os.mkfifo if kind == "a pipe" else os.mkdir)(at)
    assert activity(place, NOW)["prompts"] == 1


def test_a_project_that_has_nothing_yet_has_no_activity(tmp_path):
    (tmp_path / "new").mkdir()
    new = memory.open_project(str(tmp_path / "new"))
    found = activity(new, NOW, days=2)
    assert found == {
        "days": [("2026-11-30", 0), ("2026-12-01", 0)], "prompts": 0, "prompts_on": 0, "with_foreword": 0,
        "hit_rate": None, "recent": [],
    }  # fmt: skip
    assert not os.path.exists(new.folder)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8) | st.just(ID),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=8,
)
LINES = st.dictionaries(st.sampled_from([*RECORD, "time", "id"]), JSON) | JSON


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow], max_examples=60)
@given(prompts=st.lists(LINES | st.binary(max_size=20), max_size=4), openings=st.lists(LINES, max_size=4))
def test_no_line_of_a_log_makes_it_fail(place, prompts, openings):
    log(place, *prompts)
    log(place, *openings, name="opened.log")
    found = activity(place, NOW)
    json.dumps(found, allow_nan=False)
    assert 0 <= found["with_foreword"] <= found["prompts_on"] <= found["prompts"]
    assert len(found["recent"]) == min(10, found["prompts"])

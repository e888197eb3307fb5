"""What went wrong once, a test each."""

import os

import pytest

from foreword import memory, settings
from foreword.errors import ForewordError
from foreword.index import schema, search
from foreword.memory import state
from foreword.text.question import Question

LONG = "The uploader gives up after thirty seconds because the quokka gateway is cold. " * 4


def test_a_superseded_fact_was_searched_and_offered_above_its_successor(place):
    old = memory.save(place, "the quokka server listens on port 8080", title="Port")["id"]
    new = memory.save(place, "the quokka server listens on port 9090", title="Port")["id"]
    assert [row["id"] for row in memory.search(place, "quokka server port")] == [new]
    assert {row["id"] for row in memory.list_memories(place)} == {old, new}
    db = schema.open_reading(place.folder)
    offer = search.offered(db, Question("Which port does the quokka server listen on?"), set(), 5)
    assert [hit.id for hit in offer.hits] == [new]
    assert old not in [told[0] for told in offer.told]
    db.close()
    memory.delete(place, [new])
    assert [row["id"] for row in memory.search(place, "quokka server port")] == [old]


def test_a_global_fact_kept_hashes_of_one_project_and_showed_them_in_all(place):
    with open(os.path.join(place.root, "only.py"), "w") as f:
        f.write("x = 1")
    saved = memory.save(place, "see `only.py`", title="t", everywhere=True)["id"]
    assert memory.read(place, saved)["files"] == []


def test_the_middle_of_a_long_fact_was_dropped_without_a_word(place):
    with pytest.raises(ForewordError, match=r"64,?000"):
        memory.save(place, "x" * 64_001)
    assert memory.list_memories(place) == []


def test_an_agent_saved_again_what_the_user_had_deleted(place):
    saved = memory.save(place, LONG, title="t")["id"]
    memory.delete(place, [saved])
    with pytest.raises(ForewordError, match="deleted"):
        memory.save(place, LONG, title="t", basis="agent")
    assert memory.save(place, LONG, title="t")["id"]  # the user may


def test_a_private_part_of_a_saved_fact_was_kept(place):
    saved = memory.save(place, "body < private>hunter2</ private > end", title="t")["id"]
    assert memory.read(place, saved)["body"] == "body  end"


def test_delete_left_the_archived_copy_of_the_same_id(place):
    saved = memory.save(place, LONG, title="t")["id"]
    live = memory.read(place, saved)["path"]
    memory.archive(place, [saved])
    archived = memory.read(place, saved)["path"]
    with open(archived, "rb") as f, open(live, "wb") as copy:
        copy.write(f.read())
    memory.delete(place, [saved])
    assert not os.path.exists(live) and not os.path.exists(archived)


@pytest.mark.parametrize(
    "before",
    [
        b"\xef\xbb\xbfswitch = 'off'\nindex.lines = 3\n",
        b'"switch" = "off"\nindex.lines = 3\n',
        b"index.lines = 3\n",
    ],
)
def test_setting_the_default_switch_made_the_settings_unreadable(place, before):
    with open(settings.path(place.home), "wb") as f:
        f.write(before)
    memory.set_default_switch(place.home, "on")
    found = settings.load(place.home)
    assert (found["switch"], found["index.lines"]) == ("on", 3)


def test_settings_that_do_not_parse_are_left_alone(place):
    with open(settings.path(place.home), "wb") as f:
        f.write(b"lines = = 3\n")
    with pytest.raises(ForewordError, match="nothing was changed"):
        memory.set_default_switch(place.home, "on")
    with open(settings.path(place.home), "rb") as f:
        assert f.read() == b"lines = = 3\n"


def test_a_switch_written_by_hand_in_capitals_meant_two_things():
    assert settings.configured({"switch": "ON"}, {"switch": "off"}) == "off"
    assert settings.configured({"switch": "on"}, {"switch": "off"}) == "on"


def test_status_forgot_all_prompts_when_the_log_rotated(place):
    for name, count in (("prompts.log.1", 3), ("prompts.log", 2)):
        with open(os.path.join(place.folder, name), "w") as f:
            f.write('{"time": "2026-11-03T10:00:00.000000Z", "ids": []}\n' * count)
    assert state.status(place)["prompts"] == 5

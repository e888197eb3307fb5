"""Leafing through memories: filters, pages, and what a row tells."""

import json
import os
import sys
import time

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from foreword import memory
from foreword.digest import sha256
from foreword.errors import ForewordError
from foreword.memory import browse, find
from foreword.store import layout, write

from .conftest import log

DAY = 86_400
NOW = 1_796_083_200.0  # 2026-12-01T00:00:00Z


def note(place, title="t", days=0.0, **fields):
    """The id of a note that is so many days old at NOW."""
    fields = {"title": title, "question": "", "basis": "saved-by-itself", **fields}
    return write.create(place.folder, "note", fields, f"the body of {title}", NOW - days * DAY)[0]


def cite(place, path, text="x = 1\n"):
    """A file of the project, and what a note that cites it as it is now says."""
    at = os.path.join(place.root, path)
    os.makedirs(os.path.dirname(at), exist_ok=True)
    with open(at, "w") as f:
        f.write(text)
    return {"path": path, "sha256": sha256(text.encode()).hexdigest()}


def ids(found):
    return [row["id"] for row in found["rows"]]


# -- rows ----------------------------------------------------------------------------------------


def test_an_empty_project_is_one_empty_page(place, tmp_path):
    empty = {"rows": [], "total": 0, "more": False, "page": 1, "pages": 1, "nearest": False, "tags": []}
    assert browse(place) == empty
    (tmp_path / "new").mkdir()
    new = memory.open_project(str(tmp_path / "new"))
    assert browse(new, "anything", page=3) == empty
    assert not os.path.exists(new.folder)


def test_rows_are_those_of_a_list_with_what_people_choose_by(place):
    one = memory.save(place, "the quokka", title="Port", tags=["net", "Quokka"])["id"]
    everywhere = memory.save(place, "a rule", title="Rule", everywhere=True)["id"]
    two = memory.save(place, "the numbat", title="port")["id"]
    found = browse(place)
    assert ids(found) == [two, everywhere, one]
    beside = {"tags": [], "stale": [], "shown": 0, "opened": 0}
    listed = memory.list_memories(place)
    assert found["rows"] == [
        {**listed[0], **beside}, {**listed[1], **beside}, {**listed[2], **beside, "tags": ["net", "Quokka"]},
    ]  # fmt: skip
    assert found["rows"][1]["global"]
    assert found["rows"][2]["superseded_by"] == two
    assert (found["total"], found["page"], found["pages"]) == (3, 1, 1)


def test_the_archive_is_leafed_through_by_itself(place):
    kept, put_away = note(place, "kept"), note(place, "away", tags=["old"])
    memory.archive(place, [put_away])
    assert ids(browse(place)) == [kept]
    found = browse(place, archived=True)
    assert ids(found) == [put_away]
    assert found["rows"][0]["archived"]
    assert (browse(place)["tags"], found["tags"]) == ([], [("old", 1)])


def test_a_memory_written_by_hand_a_moment_ago_is_listed(place):
    note(place)
    [row] = browse(place)["rows"]
    path = memory.read(place, row["id"])["path"]
    with open(path, encoding="utf-8") as f:
        text = f.read()
    with open(path, "w", encoding="utf-8") as f:
        f.write(text.replace("the body of t", "another body"))
    assert browse(place)["rows"][0]["snippet"] == "another body"


def test_no_control_character_reaches_a_row(place):
    cited = cite(place, "a.py")
    note(place, "a\x1b[31mb", tags=["x\x1b[2Jy", "\x07"], files=[{**cited, "sha256": "0" * 64}])
    found = browse(place)
    assert (found["rows"][0]["title"], found["rows"][0]["tags"]) == ("ab", ["xy"])
    assert found["tags"] == [("xy", 1)]


# -- filters -------------------------------------------------------------------------------------


def test_a_type_is_kept_to(place):
    one = note(place)
    two = memory.save(place, "talk", title="s", type="session")["id"]
    assert ids(browse(place, type="note")) == [one]
    assert ids(browse(place, type="session")) == [two]
    assert browse(place, type="fact")["total"] == 0


def test_a_tag_is_matched_as_a_whole_in_any_case(place):
    one = note(place, "one", 3, tags=["Straße", "build"])
    two = note(place, "two", 2, tags=["STRASSE", "build-tools"])
    three = memory.save(place, "a rule", title="r", tags=["build"], everywhere=True)["id"]
    assert ids(browse(place, tag="strasse")) == [two, one]
    assert ids(browse(place, tag="BUILD")) == [three, one]
    assert ids(browse(place, tag=" build ")) == [three, one]
    assert ids(browse(place, tag="buil")) == []
    assert ids(browse(place, tag="no such tag")) == []
    assert browse(place, tag="build")["tags"] == [("build", 2), ("STRASSE", 2), ("build-tools", 1)]


def test_ages_bound_what_is_listed_on_both_sides(place):
    made = [note(place, f"n{days}", days) for days in (0, 1, 2, 3)]
    assert ids(browse(place, days=2, now=NOW)) == made[:3]
    assert ids(browse(place, older=2, now=NOW)) == made[2:]
    assert ids(browse(place, days=2, older=1, now=NOW)) == made[1:3]
    assert ids(browse(place, days=1, older=2, now=NOW)) == []


def test_what_was_shown_and_never_opened_is_known_from_the_newest_lines(place):
    opened, ignored, unseen = note(place, "a", 3), note(place, "b", 2), note(place, "c", 1)
    log(place, {"time": "2026-12-01T10:00:00.000000Z", "ids": [opened, ignored]}, b"{")
    log(place, {"time": "2026-12-01T10:01:00.000000Z", "id": opened, "session": ""}, name="opened.log")
    found = browse(place, never_opened=True)
    assert [(row["id"], row["shown"], row["opened"]) for row in found["rows"]] == [(ignored, 1, 0)]
    told = {row["id"]: (row["shown"], row["opened"]) for row in browse(place)["rows"]}
    assert told == {opened: (1, 1), ignored: (1, 0), unseen: (0, 0)}
    log(place, {"time": "2026-12-01T11:00:00.000000Z", "ids": [unseen]})
    assert ids(browse(place, never_opened=True)) == [unseen, ignored]


def test_stale_is_what_cites_a_file_that_changed_or_is_gone(place):
    same, other, gone = (cite(place, f"src/{n}.py") for n in ("same", "other", "gone"))
    unhashed = {"path": "src/never.py", "sha256": ""}
    note(place, "whole", 5, files=[same, unhashed])
    changed = note(place, "changed", 4, files=[same, other])
    lost = note(place, "lost", 3, files=[gone])
    away = note(place, "away", 2, files=[gone])
    note(place, "none", 1)
    memory.archive(place, [away])
    assert browse(place, stale=True)["total"] == 0
    cite(place, "src/other.py", "x = 2\n")
    os.unlink(os.path.join(place.root, "src/gone.py"))
    found = browse(place, stale=True)
    told = [(row["id"], [(file["path"], file["state"]) for file in row["stale"]]) for row in found["rows"]]
    assert told == [(lost, [("src/gone.py", "DELETED")]), (changed, [("src/other.py", "CHANGED")])]
    assert [bool(row["stale"]) for row in browse(place)["rows"]] == [False, True, True, False]
    assert browse(place, stale=True, archived=True)["total"] == 0
    assert browse(place, archived=True)["rows"][0]["stale"] == []


def test_a_global_fact_is_never_stale_for_its_paths_are_any_projects(place):
    fields = {"title": "g", "files": [{"path": "a.py", "sha256": "0" * 64}]}
    memory.save(place, "a rule", title="r", everywhere=True)
    folder = os.path.join(place.home, "global")
    write.create(folder, "fact", fields, "body", NOW)
    assert browse(place, stale=True)["total"] == 0
    assert [row["stale"] for row in browse(place)["rows"]] == [[], []]


def test_where_the_root_is_not_known_nothing_is_stale(place, monkeypatch):
    note(place, "lost", files=[{"path": "gone.py", "sha256": "0" * 64}])
    assert browse(place, stale=True)["total"] == 1
    os.rmdir(place.root)
    assert browse(place, stale=True)["total"] == 0
    place.root = ""
    for found in (browse(place, stale=True), browse(place)):
        assert not any(row["stale"] for row in found["rows"])
    assert browse(place, stale=True)["rows"] == []


def test_filters_hold_together(place):
    cited = {"path": "gone.py", "sha256": "0" * 64}
    wanted = note(place, "wanted", 2, tags=["x"], files=[cited])
    for spoiled in ({"tags": ["y"]}, {"files": None}, {"days": 9}):
        note(place, **{"title": "no", "days": 2, "tags": ["x"], "files": [cited], **spoiled})
    found = browse(place, type="note", tag="X", days=3, older=1, stale=True, now=NOW)
    assert ids(found) == [wanted]


@pytest.mark.parametrize("odd", [{"type": "notes"}, {"days": -1}, {"older": -1}, {"per_page": 0}], ids=str)
def test_a_filter_that_means_nothing_is_refused(place, odd):
    with pytest.raises(ForewordError):
        browse(place, **odd)


# -- a query -------------------------------------------------------------------------------------


def test_a_query_ranks_as_the_search_does_what_the_filters_leave(place):
    made = []
    for n in range(4):
        body, tags = "the quokka sleeps " + "word " * n, ["even"] * (n % 2 == 0)
        made.append(memory.save(place, body, title=f"q{n}", tags=tags)["id"])
    memory.save(place, "the numbat", title="other", tags=["even"])
    searched = memory.search(place, "quokka sleeps", 100)
    found = browse(place, "quokka sleeps")
    assert ids(found) == [row["id"] for row in searched]
    assert [row["snippet"] for row in found["rows"]] == [row["snippet"] for row in searched]
    even = browse(place, "quokka sleeps", tag="even")
    assert ids(even) == [row["id"] for row in searched if row["id"] in (made[0], made[2])]
    assert even["total"] == 2
    assert not found["nearest"]
    assert browse(place, "quokka xyzzy frobnicate")["nearest"]
    assert browse(place, "  ")["total"] == 5


def test_pages_of_a_query_are_cut_from_the_same_order(place):
    for n in range(5):
        memory.save(place, f"the quokka number {n}", title=f"q{n}")
    whole = ids(browse(place, "quokka"))
    pages = [ids(browse(place, "quokka", page=page, per_page=2)) for page in (1, 2, 3)]
    assert [i for page in pages for i in page] == whole
    assert [len(page) for page in pages] == [2, 2, 1]


@pytest.fixture
def many(place, monkeypatch):
    """A project with 12 notes that hold `walrus`, of which `browse` gives 8 and reads 3, all but the oldest
    much the better matches; the ids, oldest first."""
    monkeypatch.setattr(sys.modules[browse.__module__], "FOUND", 8)
    monkeypatch.setattr(sys.modules[browse.__module__], "LIKE_SEARCH", 3)
    monkeypatch.setattr(find, "READ", 3)
    monkeypatch.setattr(find, "READ_FOR_PHRASES", 3)
    fields = {"tags": ["zz"], "files": [{"path": "gone.py", "sha256": "0" * 64}]}
    made = [written(place, "about " + "many other things " * 30 + "and a walrus in passing", 99, **fields)]
    return made + [written(place, f"the walrus: walrus {n}, walrus", 12 - n) for n in range(11)]


def written(place, body, days, **fields):
    return write.create(place.folder, "note", {"title": "t", **fields}, body, NOW - days * DAY)[0]


def test_what_passes_the_filters_is_found_however_many_match_better(place, many):
    log(place, {"time": "2026-12-01T10:00:00.000000Z", "ids": [many[0]]})
    wide = browse(place, "walrus")
    assert (wide["total"], wide["more"], many[0] in ids(wide)) == (8, True, False)
    for chosen in ({"tag": "zz"}, {"older": 50}, {"stale": True}, {"never_opened": True}):
        found = browse(place, "walrus", now=NOW, **chosen)
        assert (ids(found), found["total"], found["more"]) == ([many[0]], 1, False), chosen
        assert browse(place, "quokka", now=NOW, **chosen)["total"] == 0


@pytest.mark.parametrize(
    "query", ["walrus", "walru", '"the walrus"', "walrus quokka", '"walrus:" quokka', ":"]
)
def test_whether_others_match_is_told_where_not_all_are_given(place, many, query):
    found = browse(place, query, per_page=5)
    assert (found["total"], found["pages"], found["more"]) == (8, 2, True)
    assert len({*ids(found), *ids(browse(place, query, per_page=5, page=2))}) == 8
    memory.archive(place, [*many[:3], many[11]])  # as many as are given
    found = browse(place, query)
    assert (found["total"], found["more"], set(ids(found))) == (8, False, set(many[3:11]))
    assert browse(place, query, archived=True)["total"] == (3 if query == ":" else 4)


def test_whether_others_match_is_told_although_a_superseded_one_made_room(place, many):
    memory.save(place, "no animal", title="n", everywhere=True, supersedes=[many[9]])
    found = browse(place, "walrus quokka zebra numbat")
    assert many[9] not in ids(found)
    assert found["more"]


def test_without_a_query_there_is_no_bound(place, many):
    assert (browse(place)["total"], browse(place)["more"]) == (12, False)


def test_what_is_not_read_stands_behind_with_the_passage_that_matched(place, many):
    filler = "\n\nAnother paragraph follows here.\n\n" * 20
    dive = [written(place, f"{filler}the walrus {n} dives{filler}", 200) for n in range(5)]
    found = browse(place, "walrus dives", per_page=6)
    assert set(ids(found)[:5]) == set(dive)
    assert [row["snippet"][:10] for row in found["rows"][:5]] == ["the walrus"] * 5
    assert "dives" not in found["rows"][5]["snippet"]
    assert found["nearest"] is False
    assert ids(found)[0] == memory.search(place, "walrus dives", 3)[0]["id"]


def test_what_holds_the_phrase_stands_first_and_what_is_part_of_a_word_is_found(place, many):
    log_book = written(place, "kept in the walrusbook", 0)
    phrase = written(place, "here the passing walrus " + "and other talk " * 40, 400)
    assert ids(browse(place, '"passing walrus"'))[0] == phrase
    assert ids(browse(place, "alrusb")) == [log_book]
    memory.archive(place, many[:6])
    assert ids(browse(place, "walrus"))[-2:] == [phrase, log_book]
    assert browse(place, "walrus")["total"] == 8
    for n in range(4):  # which rank higher, so that it is not read
        written(place, f"walrus passing: passing walru, walrus; passing {n}", 1)
    found = browse(place, '"passing walrus"')
    assert (ids(found)[0], found["nearest"]) == (phrase, False)


def test_a_superseded_memory_is_listed_but_not_found_until_it_is_archived(place):
    old = memory.save(place, "the quokka on 80", title="Port", tags=["net"])["id"]
    new = memory.save(place, "the quokka on 81", title="port")["id"]
    assert ids(browse(place)) == [new, old]
    assert [row["superseded_by"] for row in browse(place, tag="net", type="fact")["rows"]] == [new]
    assert ids(browse(place, "quokka")) == ids(browse(place, "uokk")) == [new]
    assert browse(place, "quokka", tag="net")["total"] == 0
    memory.archive(place, [old])
    assert ids(browse(place, "quokka", archived=True)) == [old]


def test_memories_of_the_project_and_global_ones_are_one_list(place, many):
    everywhere = [
        memory.save(place, f"the walrus everywhere {n}", title=f"w{n}", tags=["x"], everywhere=True)["id"]
        for n in range(5)
    ]
    found = browse(place, "walrus everywhere")
    assert set(ids(found)[:5]) == set(everywhere)
    assert (found["total"], found["more"]) == (8, True)
    assert set(ids(browse(place, "walrus", tag="X"))) == set(everywhere)


# -- pages ---------------------------------------------------------------------------------------


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=30)
@given(per_page=st.integers(1, 9), page=st.integers(-3, 12))
def test_pages_hold_each_memory_once_newest_first_and_none_is_beyond_the_end(place, per_page, page):
    while browse(place)["total"] < 7:
        note(place, "again", days=browse(place)["total"])
    whole = ids(browse(place))
    pages = browse(place, per_page=per_page)["pages"]
    assert pages == -(-7 // per_page)
    cut = [ids(browse(place, per_page=per_page, page=n + 1)) for n in range(pages)]
    assert [i for page in cut for i in page] == whole == sorted(whole, reverse=True)
    found = browse(place, per_page=per_page, page=page)
    assert found["page"] == min(max(1, page), pages)
    assert ids(found) == cut[found["page"] - 1]


# -- what must not stop it -----------------------------------------------------------------------


TEXTS = st.text(st.characters(codec="utf-8"), max_size=12)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow], max_examples=40)
@given(
    query=TEXTS, tag=TEXTS, tags=st.lists(TEXTS, max_size=3), title=TEXTS,
    kind=st.sampled_from(("", *layout.TYPES)), flags=st.tuples(*[st.booleans()] * 3),
    days=st.integers(0, 9**9),
)  # fmt: skip
def test_no_text_of_a_filter_or_a_memory_makes_it_fail(place, query, tag, tags, title, kind, flags, days):
    note(place, title, tags=tags)
    stale, never_opened, archived = flags
    found = browse(place, query, kind, tag, days, 0, stale, never_opened, archived)
    json.dumps(found, allow_nan=False).encode()
    for row in found["rows"]:
        assert tag == "" or tag.strip() == "" or row["tags"]
    for name, count in browse(place)["tags"]:
        assert browse(place, tag=name)["total"] == count


@pytest.mark.parametrize("name", ["prompts.log", "opened.log"])
@pytest.mark.parametrize("kind", ["a pipe", "a folder", "nonsense"])
def test_no_log_stops_it(place, name, kind):
    one = note(place)
    at = os.path.join(place.folder, name)
    if kind == "a pipe" and os.name == "nt":
        pytest.skip("no pipes there")
    if kind == "a pipe":
        os.mkfifo(at)
    elif kind == "a folder":
        os.mkdir(at)
    else:
        log(
            place,
            b"\xff\xfe",
            b'{"time": 1, "ids": 5}',
            b"[" * 9_000,
            b'{"ids": [true, null, {}]}',
            name=name,
        )
    assert ids(browse(place)) == [one]
    assert ids(browse(place, never_opened=True)) == []


def test_an_index_that_is_no_database_is_built_anew(place):
    one = note(place)
    browse(place)
    with open(os.path.join(place.folder, "index.sqlite"), "wb") as f:
        f.write(b"no database" * 1_000)
    assert ids(browse(place)) == [one]


def test_ages_are_those_of_now_where_no_time_is_given(place):
    fresh = memory.save(place, "one", title="t")["id"]
    note(place, "old", (NOW - time.time()) / DAY + 40)
    assert ids(browse(place, days=1)) == [fresh]

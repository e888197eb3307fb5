"""What is offered and never opened sinks, what is opened rises; counted from the project's own logs."""

import json
import math
import os
import sqlite3

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from foreword import files, memory, paths, worker
from foreword.index import build, catch_up, rank, schema, search, uses
from foreword.store import layout, write
from foreword.text.question import Question
from hook import events

NOW = 1793700900.0
ASKED = "Which shepherds guard the flock at night?"
MODEL = {  # a memory that holds all of the prompt is sure enough by half
    "features": ["held"], "logistic": [[0.0, 1.0, 4.0]], "bias": -3.0, "trees": [], "needed": 0.0,
}  # fmt: skip
GONE = "20200101-000000-0000"


class Project:
    """A folder with one note about shepherds, ten about other things, and logs."""

    def __init__(self, folder):
        self.folder = str(folder)
        self.now = NOW + 1_000
        self.sheep, self.place = self.note(0, "Two shepherds guard the flock at night, which is enough.")
        self.others = [self.note(n, f"The wagon number {n} stands in the barn.")[0] for n in range(1, 11)]
        catch_up.catch_up(self.folder)

    def note(self, n, answer):
        return write.create(self.folder, "note", {"title": answer[:20]}, answer, NOW + n)

    def line(self, name, record):
        self.now += 1
        record = {"time": layout.timestamp(self.now), **record}
        files.append(os.path.join(self.folder, name), json.dumps(record).encode(), layout.LOGS_KEPT)

    def show(self, *ids):
        best = [[i, 0.5, "offered"] for i in ids]
        self.line("prompts.log", {"client": "c", "session": "s", "ids": list(ids), "best": best})

    def open(self, memory_id):
        self.line("opened.log", {"id": memory_id, "session": ""})

    def use(self):
        """Fifty lines, of which ten are opened: enough to tell what is usual here."""
        for n in range(50):
            self.show(self.others[n % 10])
            if n % 5 == 0:
                self.open(self.others[n % 10])

    def count(self):
        db = schema.open_writing(self.folder)
        try:
            return uses.count(db, self.folder)
        finally:
            db.close()

    def counted(self):
        """{id: (shown, opened)} of the table."""
        db = schema.open_reading(self.folder)
        try:
            return {i: (shown, opened) for i, shown, opened in db.execute("SELECT * FROM uses")}
        finally:
            db.close()

    def shift(self, *ids):
        db = schema.open_reading(self.folder)
        try:
            return {i: change for i, (change, _, _) in uses.shift(db, list(ids)).items()}
        finally:
            db.close()

    def hit(self):
        """The note about shepherds among what is found for the prompt about them."""
        db = schema.open_reading(self.folder)
        try:
            [hit] = [hit for hit in search.search(db, Question(ASKED)) if hit.id == self.sheep]
            return hit
        finally:
            db.close()

    def offered(self):
        self.count()
        db = schema.open_reading(self.folder)
        try:
            return [hit.id for hit in search.offered(db, Question(ASKED), set(), 5).hits]
        finally:
            db.close()


@pytest.fixture
def project(tmp_path, monkeypatch):
    made = rank.prepared(MODEL)
    monkeypatch.setattr(rank, "model", lambda dated=True: made)
    (tmp_path / "project").mkdir()
    return Project(tmp_path / "project")


def test_what_is_never_opened_sinks_below_the_cut_off_and_comes_back_when_it_is_opened(project):
    project.use()
    assert project.offered() == [project.sheep]
    times = 0
    while project.offered() and times < 20:
        project.show(project.sheep)
        times += 1
    assert 3 <= times <= 9
    assert project.hit().odds < 0 < project.hit().odds + uses.MOST
    project.open(project.sheep)  # found by a search, say
    assert project.offered() == [project.sheep]


def test_what_is_opened_rises(project):
    project.use()
    before = project.offered() and project.hit().odds
    project.show(project.sheep)
    project.open(project.sheep)
    project.offered()
    assert project.hit().odds > before
    assert project.shift(project.sheep, *project.others)[project.sheep] > 0


def test_the_reasons_say_it(project):
    project.use()
    project.count()
    assert not any("shown" in label for label, *_ in project.hit().reasons)
    told = []
    for is_opened in (False, False, True, False, False, False, False, False, False):
        project.show(project.sheep)
        if is_opened:
            project.open(project.sheep)
        project.count()
        told += [(label, change > 0) for label, change, _ in project.hit().reasons if "shown" in label]
    assert told[:4] == [
        ("shown once, never opened", False),
        ("shown 2 times, never opened", False),
        ("opened when it was shown", True),
        ("opened when it was shown", True),
    ]
    assert told[-1] == ("shown 9 times, seldom opened", False)
    changes = [abs(change) for _, change, _ in project.hit().reasons if change]
    assert changes == sorted(changes, reverse=True)


def test_the_change_is_the_formulas(project):
    project.use()
    for n in range(4):
        project.show(project.sheep)
        if n < 2:
            project.open(project.sheep)
    project.count()
    usual = (12 + 1) / (54 + 10)
    assert project.counted()[project.sheep] == (4, 2)
    expected = math.log((2 + 5 * usual) / (4 + 5) / usual)
    assert project.shift(project.sheep)[project.sheep] == pytest.approx(expected)


def test_the_change_is_one_at_most_either_way(project):
    for _ in range(60):
        project.show(project.others[0])
        project.show(project.sheep)
        project.open(project.sheep)
        project.show(project.others[1], project.others[2], project.others[3])
    project.count()
    shifts = project.shift(project.sheep, *project.others)
    assert shifts[project.sheep] == uses.MOST
    assert shifts[project.others[0]] == -uses.MOST


@pytest.mark.parametrize(("shown", "opened", "is_signal"), [(49, 5, False), (50, 4, False), (50, 5, True)])
def test_a_project_that_was_shown_little_has_no_signal(project, shown, opened, is_signal):
    for n in range(shown):
        project.show(project.others[0])
        if n < opened:
            project.open(project.others[0])
    project.count()
    assert bool(project.shift(*project.others)) is is_signal


def test_a_memory_that_was_never_shown_is_left_as_it_is(project):
    project.use()
    project.count()
    assert project.shift(project.sheep) == {}
    assert project.shift() == {}


def test_only_what_was_offered_before_counts_as_opened_and_once_for_each_time(project):
    a, b, c = project.others[:3]
    project.open(a)  # found by a search: nobody had offered it
    project.show(a, b)
    project.open(b)
    project.open(b)
    project.show(b, c)
    project.open(c)
    project.open(b)
    project.count()
    assert project.counted() == {a: (1, 0), b: (2, 2), c: (1, 1)}


def test_a_memory_that_is_deleted_leaves_no_row_although_the_logs_name_it(project):
    project.use()
    project.show(project.sheep, GONE)
    project.count()
    assert project.sheep in project.counted()
    assert GONE not in project.counted()
    os.unlink(os.path.join(project.folder, project.place))
    catch_up.catch_up(project.folder)
    assert project.count() is False  # the logs are what they were
    assert project.sheep not in project.counted()
    project.show(project.others[0])
    assert project.count() is True
    assert project.sheep not in project.counted()


def test_a_memory_that_is_indexed_again_keeps_its_row(project):
    project.use()
    project.show(project.sheep)
    project.count()
    db = schema.open_writing(project.folder)
    build.revise(db, project.place, "Three shepherds by now.", [], 1, 1)
    db.close()
    project.count()
    assert project.counted()[project.sheep] == (1, 0)


def test_nothing_is_read_again_while_the_logs_stand_still(project, monkeypatch):
    project.use()
    assert project.count() is True
    reads = []
    real = files.read
    monkeypatch.setattr(files, "read", lambda *given: reads.append(given) or real(*given))
    assert project.count() is False
    assert reads == []
    project.show(project.sheep)
    assert project.count() is True
    assert [path for path, _ in reads] == [os.path.join(project.folder, name) for name in uses.LOGS]


def test_a_project_without_logs_has_nothing_to_count(project):
    assert project.count() is True
    assert project.count() is False
    assert project.counted() == {}


def test_older_files_of_a_log_count_too_and_no_more_than_the_limit(project, monkeypatch):
    monkeypatch.setattr(files, "LOG_LIMIT", 2_000)
    for n in range(100):
        project.show(project.others[n % 10])
        project.open(project.others[n % 10])
    older = [name for name in os.listdir(project.folder) if name.startswith("prompts.log.")]
    assert len(older) > 3
    project.count()
    lines = 0
    for name in ["prompts.log", *older]:
        with open(os.path.join(project.folder, name), "rb") as f:
            lines += len(f.readlines())
    shown = sum(shown for shown, _ in project.counted().values())
    assert shown == lines == sum(opened for _, opened in project.counted().values())
    monkeypatch.setattr(uses, "LARGEST", 5_000)
    project.show(project.others[0])
    project.count()
    assert 0 < sum(shown for shown, _ in project.counted().values()) < lines


DAMAGE = [
    b"", b"{", b"null", b"[]", b"7", b"\xff\xfe\0", b'{"ids": ["%s"]}', b'{"time": 5, "ids": ["%s"]}',
    b'{"time": "x", "ids": "%s"}', b'{"time": "x", "ids": {"%s": 1}}',
    b'{"time": "x", "ids": [7, null, "a/b"]}',
    b'{"time": "x", "id": ["%s"]}', b'{"time": "x"}', b'{"time": "2026-11-03T10:15', b"[" * 100_000,
    b'{"time": "x", "ids": []}',
]  # fmt: skip


@pytest.mark.parametrize("name", uses.LOGS)
def test_damaged_lines_are_passed_over(project, name):
    project.use()
    project.count()
    before = project.counted()
    with open(os.path.join(project.folder, name), "ab") as f:
        f.write(b"\n".join(DAMAGE).replace(b"%s", project.sheep.encode()))  # the last line without its end
    assert project.count() is True
    assert project.counted() == before


@pytest.mark.parametrize("kind", ["folder", "fifo", "loop", "empty"])
def test_a_log_that_is_no_file_is_nothing_to_count(project, kind):
    for name in uses.LOGS:
        path = os.path.join(project.folder, name)
        if kind == "folder":
            os.mkdir(path)
        elif kind == "fifo":
            os.mkfifo(path)
        elif kind == "loop":
            os.symlink(path, path)
        else:
            files.write(path, b"")
    project.count()
    assert project.counted() == {}


@given(st.lists(st.tuples(st.booleans(), st.integers(0, 3)), max_size=60))
@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_nothing_is_opened_more_often_than_it_was_shown(project, told):
    for name in uses.LOGS:
        files.remove(os.path.join(project.folder, name))
    for is_opening, n in told:
        (project.open if is_opening else project.show)(project.others[n])
    project.count()
    counted = project.counted()
    for n in range(4):
        shown, opened = counted.get(project.others[n], (0, 0))
        assert shown == told.count((False, n))
        assert opened <= shown
    for change in project.shift(*project.others).values():
        assert -uses.MOST <= change <= uses.MOST


@pytest.mark.parametrize("value", ["", "{", "[]", "[1, 2]", '["a", "b", null]', "null", "7"])
def test_a_count_that_cannot_be_read_is_made_again(project, value):
    project.use()
    project.count()
    db = schema.open_writing(project.folder)
    db.execute("UPDATE meta SET value=? WHERE key='uses'", (value,))
    db.close()
    assert project.shift(*project.others) == {}
    assert project.count() is True
    assert project.shift(*project.others) != {}


def test_a_count_that_fails_leaves_the_last_one(project, monkeypatch):
    project.use()
    project.count()
    before = project.counted()
    project.show(project.sheep)
    db = schema.open_writing(project.folder)
    db.execute("CREATE TRIGGER full BEFORE INSERT ON uses BEGIN SELECT RAISE(ABORT, 'full'); END")
    with pytest.raises(sqlite3.Error, match="full"):
        uses.count(db, project.folder)
    assert not db.in_transaction
    db.close()
    assert project.counted() == before


def test_the_worker_counts_what_the_hook_and_the_server_wrote(tmp_path):
    (tmp_path / "app").mkdir()
    (tmp_path / "app" / "README.md").write_text("# App\n")
    folder = events.commit(str(tmp_path / "app"))
    events.switch("on")
    events.turn(events.QUESTION, events.ANSWER, folder, session="before")
    events.settle()
    [saved] = events.memories()
    for n, is_opened in enumerate((True, False)):
        assert events.ids_in(events.prompt(events.QUESTION, folder, session=f"later{n}")) == [saved["id"]]
        if is_opened:
            memory.note_opened(memory.open_project(folder), saved["id"])
    events.workers_done()
    place = memory.open_project(folder)
    worker.main(place.home, place.name, "catch-up")
    db = schema.open_reading(place.folder)
    try:
        assert db.execute("SELECT * FROM uses").fetchall() == [(saved["id"], 2, 1)]
    finally:
        db.close()
    assert not os.path.exists(paths.hook_log(place.home))

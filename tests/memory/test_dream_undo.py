"""A run is taken back as a whole, wherever it was ended; what changed since is left and told."""

import os
import shutil

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from foreword import files, memory, paths
from foreword.errors import ForewordError, NotFoundError
from foreword.index import catch_up
from foreword.memory import journal
from foreword.memory.dream import apply, dream, runs, undo
from foreword.store import read as reading
from foreword.store import write

from .dreams import made, planned, saved, started


@pytest.fixture
def place(tmp_path, monkeypatch):
    return made(tmp_path / "ledger", monkeypatch)


def lived(place):
    """{place below the store: bytes} of every live memory."""
    found = {}
    for folder in (place.folder, paths.everywhere(place.home)):
        for at, _, _ in reading.walk(folder)[0]:
            if not at.startswith("archive/"):
                found[folder + "/" + at] = files.read(os.path.join(folder, at))
    return found


def mixed(place):
    """(plan with every action, ids) over nine memories."""
    ids = [
        saved(place, "Retries in `src/app.py`, pool in `src/db.py`.", "Numbers"),
        saved(place, "Run make db.", "Tests", tags=["ci"]),
        saved(place, "Then pytest.", "Running tests"),
        saved(place, "Port 5432.", "Port"),
        saved(place, "Over.", "Over"),
        saved(place, "Monday.", "Monday", type="session"),
        saved(place, "Tuesday.", "Tuesday", type="session"),
        saved(place, "Short answers.", "Style", everywhere=True),
        saved(place, "No lists.", "Lists", everywhere=True),
    ]
    files.write(os.path.join(place.root, "src", "app.py"), b"RETRIES = 4\n")
    os.remove(os.path.join(place.root, "src", "db.py"))
    return (
        planned(
            started(place),
            {"do": "keep", "ids": [ids[0], ids[7]]},
            {"do": "merge", "ids": ids[1:3], "title": "Tests", "body": "make db, pytest"},
            {"do": "update", "id": ids[3], "body": "Port 5433."},
            {"do": "archive", "ids": [ids[4], ids[8]]},
            {"do": "merge", "ids": ids[5:7], "title": "Both", "body": "Two days."},
        ),
        ids,
    )


# -- as a whole -----------------------------------------------------------------------------------


def test_a_run_is_taken_back_to_the_byte_and_nothing_is_deleted(place):
    plan, ids = mixed(place)
    before = lived(place)
    done = apply(place, plan)
    assert done["conflicts"] == []
    assert lived(place) != before
    back = undo(place)
    assert lived(place) == before
    assert back["run"] == plan["run"]
    assert sorted(back["restored"]) == sorted([*ids[1:7], ids[8]])
    assert sorted(back["archived"]) == sorted(new["id"] for new in done["saved"])
    assert sorted(back["unchecked"]) == sorted([ids[0], ids[7]])
    assert back["left"] == back["gone"] == []
    for new in done["saved"]:
        assert memory.read(place, new["id"])["archived"]
    assert catch_up.damage(place.folder) == ""
    assert memory.search(place, "5432")
    assert runs(place)[0]["state"] == "undone"


def test_undone_twice_says_so_and_takes_no_other_run_back(place):
    one, two = saved(place, "One.", "One"), saved(place, "Two.", "Two")
    for memory_id in (one, two):
        apply(place, planned(started(place), {"do": "archive", "ids": [memory_id]}))
    assert undo(place)["restored"] == [two]
    with pytest.raises(ForewordError, match="undone already") as error:
        undo(place)
    assert error.value.exit_code == 1
    assert memory.read(place, one)["archived"]
    first = [run for run in runs(place) if run["state"] == "applied"]
    assert undo(place, first[0]["run"])["restored"] == [one]


def test_nothing_to_undo_is_told_apart_from_a_run_that_is_not_there(place):
    with pytest.raises(NotFoundError, match="no dream of this project was applied"):
        undo(place)
    run = started(place)
    with pytest.raises(ForewordError, match="never applied"):
        undo(place, run)
    with pytest.raises(NotFoundError):
        undo(place, "20200101-000000-ffff")
    with pytest.raises(NotFoundError):
        undo(place, "../../etc/passwd")


def test_a_save_after_the_run_survives_its_undo(place):
    plan, _ = mixed(place)
    apply(place, plan)
    late = saved(place, "Later.", "Later")
    undo(place)
    assert not memory.read(place, late)["archived"]


def test_a_memory_under_a_name_of_its_own_comes_back_under_its_id(place):
    by_hand = os.path.join(place.folder, "facts", "tuning.md")
    saved(place, "x", "X")
    files.write(by_hand, b"Checked by hand.\r\n")
    [row] = [row for row in memory.list_memories(place) if "by hand" in row["snippet"]]
    for do in ("keep", "archive"):
        apply(place, planned(started(place), {"do": do, "ids": [row["id"]]}))
        undo(place)
        found = memory.read(place, row["id"])
        assert not found["archived"]
        assert files.read(found["path"]) == b"Checked by hand.\r\n"


# -- what changed since ---------------------------------------------------------------------------


def test_a_new_memory_that_was_edited_since_stays_and_so_do_its_old_ones(place):
    plan, ids = mixed(place)
    done = apply(place, plan)
    new = done["saved"][0]["id"]
    path = memory.read(place, new)["path"]
    files.write(path, files.read(path).replace(b"make db", b"make database"))
    back = undo(place)
    [left] = back["left"]
    assert left["ids"] == [new, *ids[1:3]]
    assert "changed since" in left["why"]
    assert not memory.read(place, new)["archived"]
    assert ids[1] not in back["restored"]
    assert ids[4] in back["restored"]
    # The rest of it can be taken back once the edit is.
    assert runs(place)[0]["state"] == "applied"
    files.write(path, files.read(path).replace(b"make database", b"make db"))
    assert sorted(undo(place)["restored"]) == sorted(ids[1:3])
    assert runs(place)[0]["state"] == "undone"


def test_a_new_memory_that_something_newer_supersedes_stays_as_it_is(place):
    plan, ids = mixed(place)
    new = apply(place, plan)["saved"][0]["id"]
    newer = saved(place, "Newer still.", "Tests")
    [left] = undo(place)["left"]
    assert left["ids"] == [new, *ids[1:3]]
    assert newer in left["why"]


def test_a_new_memory_that_was_archived_since_is_told_and_a_deleted_one_is_gone(place):
    plan, ids = mixed(place)
    first, second, _ = [new["id"] for new in apply(place, plan)["saved"]]
    memory.archive(place, [first])
    memory.delete(place, [second])
    back = undo(place)
    assert [one["ids"][0] for one in back["left"]] == [first]
    assert f"foreword restore {first}" in back["left"][0]["why"]
    assert back["gone"] == [second]
    assert ids[3] in back["restored"]


def test_what_the_user_deleted_meanwhile_stays_gone(place):
    plan, ids = mixed(place)
    apply(place, plan)
    memory.delete(place, [ids[1], ids[4], ids[0]])
    back = undo(place)
    assert sorted(back["gone"]) == sorted([ids[0], ids[1], ids[4]])
    assert back["left"] == []
    assert ids[2] in back["restored"]
    for memory_id in back["gone"]:
        with pytest.raises(NotFoundError):
            memory.read(place, memory_id)


def test_a_deleted_memory_whose_file_came_back_is_not_restored(place):
    one = saved(place, "The password is hunter2.", "Secret")
    apply(place, planned(started(place), {"do": "archive", "ids": [one]}))
    path = memory.read(place, one)["path"]
    copy = files.read(path)
    memory.delete(place, [one])
    files.write(path, copy)  # a sync, a backup
    assert undo(place)["gone"] == [one]
    assert memory.search(place, "hunter2") == []


def test_an_archived_memory_that_was_edited_since_is_left_in_the_archive(place):
    plan, ids = mixed(place)
    apply(place, plan)
    path = memory.read(place, ids[4])["path"]
    files.write(path, files.read(path) + b"more\n")
    back = undo(place)
    assert back["left"] == [{"ids": [ids[4]], "why": "was changed since"}]
    assert memory.read(place, ids[4])["archived"]


def test_a_kept_memory_that_was_edited_archived_or_restored_by_hand_is_no_trouble(place):
    ids = [saved(place, f"Body {n}.", f"Title {n}") for n in range(4)]
    apply(place, planned(started(place), {"do": "keep", "ids": ids[:3]}, {"do": "archive", "ids": ids[3:]}))
    path = memory.read(place, ids[0])["path"]
    files.write(path, files.read(path) + b"more\n")
    memory.archive(place, [ids[1]])
    memory.restore(place, [ids[3]])
    back = undo(place)
    assert {one["ids"][0]: one["why"] for one in back["left"]} == {
        ids[0]: "was changed since",
        ids[1]: "was archived since",
    }
    assert back["unchecked"] == [ids[2]]
    assert back["restored"] == []


def test_a_run_is_undone_in_the_project_that_its_own_was_joined_into(place):
    one = saved(place, "One.", "One")
    run = started(place)
    apply(place, planned(run, {"do": "archive", "ids": [one]}))
    record = journal.read(place.home, run)
    record["project"] = record["steps"][0]["pieces"][0]["folder"] = "provisional-12345678"
    journal.write(place.home, record)
    assert undo(place, run)["restored"] == [one]


# -- ended half way -------------------------------------------------------------------------------


class Ended(BaseException):
    """As if the process had been killed: nothing of ours catches it."""


class Counted:
    """Ends the program at its n-th change of the disk, before it is made or right after."""

    def __init__(self, monkeypatch, at, after):
        self.left, self.after = at, after
        for module, name in (
            (files, "write"),
            (os, "rename"),
            (files, "sync_folder"),
            (files, "make_folder"),
        ):
            monkeypatch.setattr(module, name, self.of(getattr(module, name)))

    def of(self, real):
        def counted(*arguments, **options):
            self.left -= 1
            is_last = self.left == 0
            if is_last and not self.after:
                raise Ended
            result = real(*arguments, **options)
            if is_last:
                raise Ended
            return result

        return counted


def ended(monkeypatch, at, after, what, *arguments):
    """True when a call was ended at its n-th change of the disk."""
    with monkeypatch.context() as patch:
        Counted(patch, at, after)
        try:
            what(*arguments)
        except Ended:
            return True
    return False


class Store:
    """A store that can be set back to how it was."""

    def __init__(self, place, tmp_path):
        self.home, self.kept = place.home, str(tmp_path / "kept")
        shutil.copytree(self.home, self.kept)

    def set_back(self):
        shutil.rmtree(self.home)
        shutil.copytree(self.kept, self.home)


@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
def test_an_apply_that_is_killed_at_any_step_can_be_taken_back(place, tmp_path, monkeypatch, after):
    plan, _ = mixed(place)
    before, store = lived(place), Store(place, tmp_path)
    states = []
    while ended(monkeypatch, len(states) + 1, after, apply, place, plan):
        state = journal.read(place.home, plan["run"])["state"]
        states.append(state)
        if state == journal.OPEN:
            assert lived(place) == before
        else:
            assert journal.interrupted(place.home, place.name) == [plan["run"]] * (state == journal.APPLYING)
            undo(place)
            assert lived(place) == before
        store.set_back()
    assert len(states) > 30  # so many changes of the disk does it take
    assert states.count(journal.APPLYING) > 25


@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
def test_an_undo_that_is_killed_at_any_step_is_finished_by_the_next(place, tmp_path, monkeypatch, after):
    plan, _ = mixed(place)
    before = lived(place)
    apply(place, plan)
    store = Store(place, tmp_path)
    steps = 0
    while ended(monkeypatch, steps + 1, after, undo, place):
        steps += 1
        if journal.read(place.home, plan["run"])["state"] != journal.UNDONE:
            assert undo(place)["left"] == []
        assert lived(place) == before
        store.set_back()
    assert steps > 20


def test_an_interrupted_run_is_told_by_the_next_one(place, monkeypatch):
    plan, _ = mixed(place)
    assert ended(monkeypatch, 12, False, apply, place, plan)
    assert dream(place)["interrupted"] == [plan["run"]]
    assert runs(place)[1]["state"] == "applying"
    undo(place)
    assert dream(place)["interrupted"] == []


# -- any plan -------------------------------------------------------------------------------------

HEADS = st.sampled_from(
    [
        "---\ntitle: {t}\n---\n\n{b}\n",
        "---\r\ntitle: {t}\r\nmine: x # kept\r\n---\r\n\r\n{b}\r\n",
        "\ufeff---\ntitle: {t}\nchecked: 2026-01-02\n---\n{b}",
        "{b}\n",
        "---\nchecked: '2026-01-02T03:04:05Z'\ntags: [a, \"b\"]\n# a comment\ntitle: {t}\n---\n\n{b}\n\n\n",
        '---\nfiles:\n  - {{path: "src/app.py", sha256: "%s"}}\n  - a.py\ntitle: T\n---\n{b}\n' % ("0" * 64),
        '---\ntitle: {t}\nfiles: [{{path: src/gone.py, sha256: %s}}]\n---\n\n{b}\n' % ("a" * 64),
    ]
)  # fmt: skip
MEMORIES = st.lists(
    st.tuples(st.sampled_from(["fact", "fact", "session", "global"]), st.integers(0, 3), HEADS),
    min_size=2,
    max_size=7,
)
DOS = st.lists(
    st.tuples(st.sampled_from(["archive", "keep", "merge", "update", "none"]), st.integers(1, 3)), max_size=5
)


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(memories=MEMORIES, dos=DOS)
def test_any_plan_is_taken_back_to_the_byte(tmp_path_factory, monkeypatch, memories, dos):
    root = tmp_path_factory.mktemp("any")
    monkeypatch.setenv("FOREWORD_HOME", str(root / "store"))
    place = made(root / "ledger", monkeypatch)
    for n, (kind, title, head) in enumerate(memories):
        folder = paths.everywhere(place.home) if kind == "global" else place.folder
        kind = "fact" if kind == "global" else kind
        _, at = write.create(folder, kind, {}, "x", 1793700900 + n)
        text = head.format(t=f"Title {title}", b=f"Body {n} of `src/app.py`.")
        files.write(os.path.join(folder, at), text.encode())
    run = started(place)
    ids = sorted(row["id"] for row in memory.list_memories(place))
    actions = []
    for n, (do, count) in enumerate(dos):
        some, ids = ids[:count], ids[count:]
        if do == "none" or not some or (do == "merge" and len(some) < 2):
            continue
        action = {"do": do, "ids": some[:1] if do == "update" else some}
        if do in ("merge", "update"):
            action.update(body=f"New {n}.", title=f"New {n}")
        if do == "merge":
            action.update({"global": False, "type": "session"})
        actions.append(action)
    before = lived(place)
    if not actions:
        return
    done = apply(place, planned(run, *actions))
    named = {i for action in actions for i in action["ids"]}
    for path, data in before.items():
        if os.path.basename(path)[:-3] not in named:
            assert files.read(path) == data
    assert len(done["kept"]) + len(done["archived"]) + len(
        [i for one in done["conflicts"] for i in one["ids"]]
    ) == len(named)
    assert undo(place)["left"] == []
    assert lived(place) == before

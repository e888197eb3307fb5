"""A plan that comes late: what changed since its run began is left alone; and the journals of runs."""

import json
import os
import threading

import pytest

from foreword import files, memory
from foreword.errors import BusyError, ForewordError
from foreword.memory import change, journal
from foreword.memory.dream import apply, dream, runs
from foreword.store import layout

from .dreams import live, made, planned, raw, rewrite, saved, started


@pytest.fixture
def place(tmp_path, monkeypatch):
    return made(tmp_path / "ledger", monkeypatch)


# -- what changed since ---------------------------------------------------------------------------


def change_one(place, how, memory_id):
    if how == "edited":
        rewrite(place, memory_id, b"Body", b"BODY")
    if how == "archived":
        memory.archive(place, [memory_id])
    if how == "deleted":
        memory.delete(place, [memory_id])
    if how == "superseded":
        saved(place, "A newer word on it.", "Newer", supersedes=[memory_id])
    if how == "superseded by title":
        saved(place, "A newer word on it.", memory.read(place, memory_id)["title"])


HOWS = ["edited", "archived", "deleted", "superseded", "superseded by title"]


@pytest.mark.parametrize("how", HOWS)
@pytest.mark.parametrize("do", ["archive", "keep", "update", "merge"])
def test_a_memory_that_changed_since_is_left_alone_and_the_rest_is_done(place, do, how):
    one, two, three = (saved(place, f"Body {n}.", f"Title {n}") for n in range(3))
    run = started(place)
    change_one(place, how, one)
    before = live(place), memory.list_memories(place, archived=True)
    action = {"do": do, "ids": [one, two] if do != "update" else [one]}
    if do in ("merge", "update"):
        action.update(title="Merged", body="Of what is no more.")
    done = apply(place, planned(run, action, {"do": "archive", "ids": [three]}))
    if do == "archive" and how.startswith("superseded"):
        assert done["conflicts"] == []  # it is what the plan wanted
        return
    [conflict] = done["conflicts"]
    assert one in conflict["ids"]
    assert "since" in conflict["why"]
    assert three in done["archived"]
    if do in ("merge", "update"):
        # Its text speaks of what is no more (of what was deleted, even): nothing of it is saved.
        assert done["saved"] == []
        assert live(place) == before[0] - {three}
        assert memory.search(place, "no more") == []
    else:
        assert two in done["archived"] + done["kept"]
    if how == "deleted":
        with pytest.raises(ForewordError):
            memory.read(place, one)


def test_a_memory_saved_after_the_run_began_is_no_part_of_it(place):
    run = started(place)
    late = saved(place, "Late.", "Late")
    done = apply(place, planned(run, {"do": "archive", "ids": [late]}))
    assert done["conflicts"] == [{"ids": [late], "why": "was saved after the run began"}]
    assert late in live(place)


def test_a_fact_saved_meanwhile_under_the_title_of_a_merge_is_not_superseded_by_it(place):
    one, two = saved(place, "One.", "One"), saved(place, "Two.", "Two")
    run = started(place)
    late = saved(place, "Newer than the plan.", "Both")
    done = apply(
        place, planned(run, {"do": "merge", "ids": [one, two], "title": "both", "body": "Old news."})
    )
    assert done["saved"] == []
    assert late in done["conflicts"][0]["why"]
    assert {one, two, late} <= live(place)


def test_a_fact_saved_under_the_title_at_the_very_last_moment_wins(place, monkeypatch):
    one, two = saved(place, "One.", "One"), saved(place, "Two.", "Two")
    run = started(place)
    late = []
    save = change.save

    def just_before(*arguments, **options):
        if not late:
            late.append(save(place, "Newer than the plan.", title="Both")["id"])
        return save(*arguments, **options)

    monkeypatch.setattr(change, "save", just_before)
    done = apply(
        place, planned(run, {"do": "merge", "ids": [one, two], "title": "Both", "body": "Old news."})
    )
    assert done["saved"] == done["archived"] == []
    assert f"{late[0]} was saved under that title" in done["conflicts"][0]["why"]
    assert {one, two, late[0]} <= live(place)
    assert memory.debt(place)["superseded"] == 1  # the filler's


def test_an_edit_while_the_new_memory_is_saved_is_not_hidden_by_it(place, monkeypatch):
    one, two = saved(place, "One body.", "One"), saved(place, "Two.", "Two")
    run = started(place)
    save = change.save

    def and_edited(*arguments, **options):
        made = save(*arguments, **options)
        rewrite(place, one, b"One body.", b"Edited by hand.")
        return made

    monkeypatch.setattr(change, "save", and_edited)
    done = apply(
        place, planned(run, {"do": "merge", "ids": [one, two], "title": "Both", "body": "Old news."})
    )
    assert done["saved"] == done["archived"] == []
    assert {one, two} <= live(place)
    assert memory.read(place, one)["body"] == "Edited by hand."


def test_a_text_that_the_user_deleted_is_not_brought_back_by_a_plan(place):
    gone = saved(place, "The password is hunter2.", "Secret")
    one, two = saved(place, "One.", "One"), saved(place, "Two.", "Two")
    run = started(place)
    memory.delete(place, [gone])
    text = {"title": "Both", "body": "The password is  hunter2."}
    done = apply(place, planned(run, {"do": "merge", "ids": [one, two], **text}))
    assert done["saved"] == []
    assert "deleted this text" in done["conflicts"][0]["why"]
    assert memory.search(place, "hunter2") == []


@pytest.mark.parametrize("head", [b"checked: when I felt like it\n", b"checked: 2026-11-03  # by me\n"])
def test_a_checked_line_that_holds_words_is_left_to_its_author(place, head):
    fact = saved(place, "Body.", "Title")
    rewrite(place, fact, b"source: cli\n", b"source: cli\n" + head)
    run = started(place)
    before = raw(place, fact)
    done = apply(place, planned(run, {"do": "keep", "ids": [fact]}))
    assert done["kept"] == []
    assert "taken back" in done["conflicts"][0]["why"]
    assert raw(place, fact) == before


# -- the journal and the lock ---------------------------------------------------------------------


def journals(place):
    folder = journal.folder(place.home)
    return {name: files.read(os.path.join(folder, name)) for name in os.listdir(folder) if name != ".lock"}


def test_a_journal_holds_no_word_of_any_memory(place):
    rare = ["zebrafishword", "quokkalike", "シマウマ魚", "narwhalpath"]
    os.makedirs(os.path.join(place.root, "narwhalpath"))
    with open(os.path.join(place.root, "narwhalpath", "a.py"), "w", encoding="utf-8") as f:
        f.write("x\n")
    one = saved(place, f"{rare[0]} {rare[2]} in narwhalpath/a.py", f"About {rare[1]}", tags=rare)
    two = saved(place, f"{rare[0]} too", f"Also {rare[1]}")
    three = saved(place, f"{rare[0]} three in `narwhalpath/a.py`", f"Third {rare[1]}")
    with open(os.path.join(place.root, "narwhalpath", "a.py"), "w", encoding="utf-8") as f:
        f.write("y\n")
    by_hand = os.path.join(place.folder, "facts", f"{rare[0]}.md")
    with open(by_hand, "w", encoding="utf-8") as f:
        f.write("By hand.")
    [hand] = [row["id"] for row in memory.list_memories(place) if row["snippet"] == "By hand."]
    run = started(place)
    done = apply(
        place,
        planned(
            run,
            {"do": "merge", "ids": [one, two], "title": f"Of {rare[1]}", "body": f"All of {rare[0]}"},
            {"do": "keep", "ids": [three]},
            {"do": "archive", "ids": [hand], "why": rare[0]},
        ),
    )
    assert done["conflicts"] == []
    [(name, text)] = journals(place).items()
    assert name == run + ".json"
    for word in rare:
        assert word.encode() not in text
        assert json.dumps(word).strip('"').encode() not in text
    assert b"By hand" not in text


@pytest.mark.skipif(os.name == "nt", reason="modes")
def test_journals_are_private(place):
    run = started(place)
    folder = journal.folder(place.home)
    assert os.stat(folder).st_mode & 0o777 == 0o700
    assert os.stat(os.path.join(folder, run + ".json")).st_mode & 0o777 == 0o600


def test_two_plans_at_once_are_done_one_after_the_other_and_a_run_only_once(place):
    ids = [saved(place, f"Body {n}.", f"Title {n}") for n in range(6)]
    runs_of = [started(place), dream(place)["run"]]
    plans = [planned(runs_of[0], {"do": "archive", "ids": ids[:3]}),
             planned(runs_of[0], {"do": "archive", "ids": ids[3:]}),
             planned(runs_of[1], {"do": "archive", "ids": ids[2:5]})]  # fmt: skip
    results = []

    def one(plan):
        try:
            results.append(apply(place, plan))
        except ForewordError as error:
            results.append(error)

    threads = [threading.Thread(target=one, args=[plan]) for plan in plans]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    refused = [one for one in results if isinstance(one, ForewordError)]
    archived = [i for one in results if isinstance(one, dict) for i in one["archived"]]
    assert len(refused) == 1
    assert "applied already" in str(refused[0])
    assert len(archived) == len(set(archived))
    assert set(archived) | live(place) >= set(ids)


def test_a_held_store_lock_is_waited_for_and_then_told(place, monkeypatch):
    one = saved(place, "One.", "One")
    run = started(place)
    monkeypatch.setattr(change, "LOCK_S", 0.05)
    with (
        files.Lock(os.path.join(place.home, "state")),
        pytest.raises(ForewordError, match="in part") as error,
    ):
        apply(place, planned(run, {"do": "archive", "ids": [one]}))
    assert error.value.exit_code == BusyError.exit_code
    assert run in error.value.hint
    assert one in live(place)


def test_journals_that_are_of_no_use_any_more_go_and_an_interrupted_one_never_does(place, monkeypatch):
    now = 1_793_700_900.0
    day = 86_400
    old = [(100, journal.APPLIED), (100, journal.APPLYING), (80, journal.UNDONE), (80, journal.APPLIED)]
    ids = [journal.start(place.home, {"project": place.name, "state": s}, now - d * day) for d, s in old]
    opened = [journal.start(place.home, {"project": place.name}, now - 1000 + n) for n in range(15)]
    journal.tidy(place.home, now)
    left = {record["run"] for record in journal.all_of(place.home)}
    assert left == {*ids[1:], *opened[-journal.KEPT_OPEN :]}
    assert journal.interrupted(place.home, place.name) == [ids[1]]
    many = [
        journal.start(place.home, {"project": place.name, "state": journal.APPLIED}, now - 500 + n)
        for n in range(60)
    ]
    journal.tidy(place.home, now)
    left = sorted(record["run"] for record in journal.all_of(place.home))
    assert left == sorted([ids[1], *many[-journal.KEPT :]])
    assert all(layout.is_id(run) for run in left)


def test_runs_are_listed_with_what_they_did(place):
    ids = [saved(place, f"Body {n}.", f"Title {n}") for n in range(3)]
    run = started(place)
    again = dream(place)["run"]
    apply(
        place,
        planned(
            run,
            {"do": "merge", "ids": ids[:2], "title": "Both", "body": "Text."},
            {"do": "keep", "ids": ids[2:]},
        ),
    )
    newest, first = runs(place)
    assert (newest["run"], newest["state"], newest["candidates"]) == (again, "open", 1)
    assert (first["run"], first["state"]) == (run, "applied")
    assert [first[key] for key in ("archived", "saved", "kept", "conflicts")] == [2, 1, 1, 0]
    assert layout.epoch(first["applied"]) >= layout.epoch(first["started"])


def test_a_plan_of_conflicts_only_is_not_the_last_one_applied(place):
    saved = [memory.save(place, f"Fact {n} about tests.", title="Tests")["id"] for n in range(4)]
    first = memory.dream(place)["run"]
    memory.dream_apply(place, {"run": first, "actions": [{"do": "archive", "ids": [saved[0]]}]})
    second = memory.dream(place)["run"]
    memory.archive(place, [saved[1]])
    done = memory.dream_apply(place, {"run": second, "actions": [{"do": "archive", "ids": [saved[1]]}]})
    assert [conflict["ids"] for conflict in done["conflicts"]] == [[saved[1]]]
    assert memory.dream_undo(place)["run"] == first
    assert not memory.read(place, saved[0])["archived"]
    plan = {"run": second, "actions": [{"do": "archive", "ids": [saved[2]]}]}
    assert memory.dream_apply(place, plan)["archived"] == [saved[2]]  # it was still open


@pytest.mark.parametrize("do", ["archive", "keep"])
def test_each_step_looks_again_under_the_lock(place, monkeypatch, do):
    ids = [memory.save(place, f"Fact {n} about tests.", title="Tests")["id"] for n in range(4)]
    run = memory.dream(place)["run"]
    path = memory.read(place, ids[0])["path"]
    write = journal.write

    def written(home, record):
        write(home, record)
        with open(path, "a", encoding="utf-8") as f:
            f.write("\nSomebody adds a line just now.\n")

    monkeypatch.setattr(journal, "write", written)
    done = memory.dream_apply(place, {"run": run, "actions": [{"do": do, "ids": [ids[0]]}]})
    assert [conflict["ids"] for conflict in done["conflicts"]] == [[ids[0]]]
    found = memory.read(place, ids[0])
    assert "just now" in found["body"]
    assert (found["archived"], found["checked"]) == (False, "")

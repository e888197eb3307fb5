"""bench/replay.py: what a bench asks is asked of the past only, through the product's own index."""

import importlib
import json
import os
import sys

import pytest

BENCH = os.path.join(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))), "bench")
sys.path.append(BENCH)
replay = importlib.import_module("replay")


def note(number, time, question="Rotate the refresh token", files=()):
    return {
        "id": f"n{number}", "time": time, "question": question, "answer": f"Answer {number}.",
        "files": list(files),
    }  # fmt: skip


def query(time, gold=(), prompt="How does the refresh token rotate?", **more):
    kind = "positive" if gold else "disjoint"
    return {"id": f"q{time}", "time": time, "prompt": prompt, "gold": list(gold), "kind": kind, **more}


def saved(store):
    return [i for (i,) in store.db.execute("SELECT id FROM memories ORDER BY number")]


def put(path, rows):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


def test_a_prompt_sees_the_older_notes_and_no_other():
    notes = [note(3, 30), note(1, 10), note(2, 20)]
    asked = [query(30), query(15), query(31)]
    seen = [(one["time"], saved(store)) for one, _, _, _, store in replay.replay(notes, asked)]
    assert seen == [(15, ["n1"]), (30, ["n1", "n2"]), (31, ["n1", "n2", "n3"])]


def test_a_prompt_older_than_all_notes_is_left_out():
    assert list(replay.replay([note(1, 10)], [query(10), query(5)])) == []


def test_gold_is_what_stands_among_the_notes():
    asked = [query(20, ["n1", "gone"]), query(21, ["gone"]), query(22)]
    found = [(one["time"], gold) for one, _, gold, _, _ in replay.replay([note(1, 10)], asked)]
    assert found == [(20, {"n1"}), (22, set())]


def test_a_note_is_saved_as_stop_saves_it():
    text = "Rotate  the\nrefresh token " + "x" * 90
    with replay.Store() as store:
        store.save(note(1, 10, text, ["src/a.py"]))
        row = store.db.execute("SELECT type, title, question, created, files FROM memories").fetchone()
    assert row[0] == "note"
    assert row[1].startswith("Rotate the refresh token xx") and len(row[1]) <= 80
    assert row[2:4] == (text, 10.0)
    assert json.loads(row[4]) == [["src/a.py", ""]]


def test_a_store_leaves_no_folder_behind():
    with replay.Store() as store:
        folder = store._folder.name
        assert os.path.isdir(folder)
    assert not os.path.exists(folder)


def test_a_touched_file_is_one_of_the_change_and_only_known_when_asked_for():
    files = ["src/a.py", "src/b.py"]
    asked = [query(20 + n, files=files) for n in range(20)] + [query(50, files=[])]
    notes = [note(1, 10)]

    def touched(**how):
        return [known for _, _, _, known, _ in replay.replay(notes, asked, **how)]

    assert touched() == [()] * 21
    always = touched(touch=1.0)
    assert set(always[:20]) == {("src/a.py",), ("src/b.py",)} and always[20] == ()
    assert touched(touch=1.0) == always
    assert 0 < sum(map(bool, touched(touch=0.5))) < 20


@pytest.mark.parametrize("size", [1, 3])
def test_a_young_store_has_consecutive_notes_an_answer_and_only_younger_prompts(size):
    notes = [note(n, 10 * n + 10) for n in range(10)]
    asked = [query(10 * n + 65, [f"n{n}"]) for n in range(8)] + [
        {**query(1), "kind": "foreign"}, query(2), query(500),
    ]  # fmt: skip
    found = list(replay.windows(notes, asked, "here", {size: 12}))
    assert [n for n, _, _ in found] == [size] * 12
    for _, some, prompts in found:
        numbers = [int(one["id"][1:]) for one in some]
        assert numbers == list(range(numbers[0], numbers[0] + size))
        last = some[-1]["time"]
        assert all(one["time"] > last for one in prompts)
        ids = {one["id"] for one in some}
        answered = [one for one in prompts if one["gold"]]
        assert answered and all(ids.intersection(one["gold"]) for one in answered)
        # An earlier prompt may have an answer among these notes, but for another repository's.
        assert {one["id"] for one in prompts if not one["gold"]} == {"q1", "q500"}
    assert found == list(replay.windows(notes, asked, "here", {size: 12}))
    assert found != list(replay.windows(notes, asked, "there", {size: 12}))


def test_without_any_answer_there_are_no_young_stores():
    assert list(replay.windows([note(1, 10)], [query(20), query(21, ["gone"])], "here", {1: 3})) == []


def test_each_kind_of_data_is_read_in_its_own_shape(tmp_path):
    put(tmp_path / "coding" / "b.notes.jsonl", [note(1, 10)])
    put(tmp_path / "coding" / "b.queries.jsonl", [query(20)])
    put(tmp_path / "coding" / "a.notes.jsonl", [note(2, 10)])
    put(tmp_path / "coding" / "a.queries.jsonl", [])
    put(tmp_path / "beads" / "notes.jsonl", [note(3, 10)])
    put(tmp_path / "beads" / "queries.jsonl", [{"id": "q", "time": 20, "prompt": "x", "gold": ["n3"]}])
    tasks = [
        {"id": "q1", "repo": "x/y", "prompt": "x", "grade2": ["n4"], "grade1": ["n5"]},
        {"id": "q2", "repo": "x/y", "prompt": "x", "grade2": [], "grade1": []},
    ]
    put(tmp_path / "transcripts" / "notes.jsonl", [{**note(4, "2025-12-15T21:14:16Z"), "repo": "x/y"}])
    put(tmp_path / "transcripts" / "queries.jsonl", tasks)
    put(tmp_path / "cjk" / "ja-x.notes.jsonl", [note(6, 0)])
    put(
        tmp_path / "cjk" / "ja-x.queries.jsonl",
        [{"id": "q", "kind": "native", "prompt": "x", "gold": ["n6"]}],
    )
    found = {(kind, name): (notes, asked) for kind, name, notes, asked in replay.stores(str(tmp_path))}
    assert list(found) == [
        ("coding", "a"), ("coding", "b"), ("beads", "beads"), ("transcripts", "x/y"), ("cjk", "ja-x"),
    ]  # fmt: skip
    assert found["beads", "beads"][1][0]["kind"] == "positive"
    notes, asked = found["transcripts", "x/y"]
    assert [one["time"] for one in notes] == [0]
    assert [(one["gold"], one["kind"], one["time"]) for one in asked] == [
        (["n4", "n5"], "related", 1), ([], "unrelated", 1),
    ]  # fmt: skip
    assert found["cjk", "ja-x"][1][0]["time"] == 1
    assert [kind for kind, *_ in replay.stores(str(tmp_path), ("beads", "cjk"))] == ["beads", "cjk"]
    assert list(replay.stores(str(tmp_path / "nothing"))) == []

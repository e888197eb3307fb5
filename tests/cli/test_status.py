"""`foreword status`: facts and sessions, debt, the last recall, when hooks ran."""

import json
import os
import re

LINE = {
    "time": "2026-11-30T10:15:00.000000Z", "client": "codex", "session": "s1", "source": "startup",
    "switch": "on", "facts": 2, "sessions": 1, "listed": 3, "left_out": 0, "characters": 900, "ids": ["x"],
}  # fmt: skip


def test_a_new_store_has_no_debt_no_recall_and_no_hook(foreword, save):
    save("One.")
    found = foreword("status", "--json").json
    assert found["debt"] == {"superseded": 0, "beyond": 0, "due": False}
    assert (found["recalled"], found["fired"]) == (None, {})
    out = foreword("status").out
    assert not re.search("^(to tidy|last recall|hooks)", out, re.MULTILINE)


def test_the_graph_was_not_shown(foreword, save, store, tmp_path):
    save("One.")
    assert re.search(r"^graph +off$", foreword("status").out, re.MULTILINE)
    foreword("graph", "on")
    assert re.search(
        r"^graph +on, ~/.foreword/graph/memory.jsonl, not there yet$", foreword("status").out, re.M
    )
    file = store / "graph" / "memory.jsonl"
    file.parent.mkdir(exist_ok=True)
    file.write_text('{"type":"entity","name":"shop","entityType":"service","observations":[]}\n')
    told = r"^graph +on, ~/.foreword/graph/memory.jsonl, 1 entity, 0 relations$"
    assert re.search(told, foreword("status").out, re.MULTILINE)
    assert foreword("status", "--json").json["graph"] == {
        "on": True, "path": str(file), "exists": True, "entities": 1, "relations": 0, "error": "",
    }  # fmt: skip
    file.unlink()
    file.mkdir()
    error = foreword("status", "--json").json["graph"]["error"]
    assert str(file) in error
    assert re.search(rf"^graph +on, {re.escape(error)}$", foreword("status").out, re.MULTILINE)


def test_superseded_facts_are_debt_and_enough_of_it_is_due(foreword, save):
    for n in range(3):
        save(f"The pool holds {n}.", "--title", "Pool")
    assert re.search(r"^to tidy +2 superseded$", foreword("status").out, re.MULTILINE)
    save("The pool holds 9.", "--title", "pool")
    assert foreword("status", "--json").json["debt"] == {"superseded": 3, "beyond": 0, "due": True}
    assert re.search(r"^to tidy +3 superseded \(due: foreword dream\)$", foreword("status").out, re.MULTILINE)


def test_the_last_recall_is_told_whatever_stands_behind_it(foreword, save, project_folder):
    save("One.")
    with open(os.path.join(project_folder(), "recalls.log"), "w") as f:
        f.write(json.dumps({**LINE, "facts": 7}) + "\n" + json.dumps(LINE) + "\nno json\n\n")
    found = foreword("status", "--json").json["recalled"]
    assert found == {key: value for key, value in LINE.items() if key not in ("switch", "ids")}
    out = foreword("status").out
    told = r"^last recall +2026-11-30 10:15 UTC, codex startup: 2 facts, 1 session, 3 older sessions$"
    assert re.search(told, out, re.MULTILINE)


def test_a_recall_line_of_other_types_is_survived(foreword, save, project_folder):
    save("One.")
    with open(os.path.join(project_folder(), "recalls.log"), "w") as f:
        f.write('{"time": 5, "facts": "many", "client": ["x"]}\n')
    assert foreword("status", "--json").json["recalled"]["facts"] == 0
    assert "nothing" in foreword("status").out


def test_hooks_are_told_with_when_they_ran_last_the_newest_first(foreword, save, store):
    save("One.")
    fired = store / "state" / "fired"
    fired.mkdir()
    for name, when in (
        ("claude-code.stop", 1793700900),
        ("claude-code.prompt", 1793704500),
        ("codex.stop", 1),
    ):
        (fired / name).touch()
        os.utime(fired / name, (when, when))
    (fired / ".claude-code.prompt.12-abcdef.tmp").touch()
    found = foreword("status", "--json").json["fired"]
    assert found == {
        "claude-code": {"prompt": "2026-11-03T11:15:00.000000Z", "stop": "2026-11-03T10:15:00.000000Z"},
        "codex": {"stop": "1970-01-01T00:00:01.000000Z"},
    }
    told = r"^hooks of claude-code +prompt 2026-11-03 11:15, stop 2026-11-03 10:15 UTC$"
    assert re.search(told, foreword("status").out, re.MULTILINE)


def test_three_hooks_of_a_client_stand_in_their_order_within_80_columns(foreword, save, store):
    save("One.")
    fired = store / "state" / "fired"
    fired.mkdir()
    for name, when in (("stop", 1793704500), ("prompt", 1793700900), ("session-start", 1793700300)):
        (fired / f"claude-code.{name}").touch()
        os.utime(fired / f"claude-code.{name}", (when, when))
    lines = foreword("status").out.splitlines()
    at = next(n for n, line in enumerate(lines) if line.startswith("hooks of claude-code"))
    assert lines[at:] == [
        "hooks of claude-code  session-start 2026-11-03 10:05, prompt 2026-11-03 10:15,",
        "                      stop 2026-11-03 11:15 UTC",
    ]
    assert max(map(len, lines[at:])) <= 80


def test_sessions_that_pile_up_are_said_to_be_no_longer_handed_over(foreword, save):
    for n in range(14):
        save(f"Day {n}.", "--type", "session", "--title", f"Day {n}")
    assert "to tidy   1 session no longer handed over\n" in foreword("status").out

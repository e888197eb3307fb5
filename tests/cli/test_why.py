"""`foreword why`: the last prompt as people and programs read it; and what `search` says for itself."""

import json
import os

import pytest

from foreword.cli.cmd_why import NOTHING, REASONS, _list
from foreword.cli.output import cells

GONE = "20200101-000000-0000"
RECORD = {
    "time": "2026-11-03T10:15:00.000000Z", "client": "claude-code", "session": "s1", "turn": "t1",
    "switch": "auto", "state": "on", "index": True, "ids": [], "characters": 0, "needed": 0.45, "why": "",
}  # fmt: skip


@pytest.fixture
def prompted(project_folder):
    """A function that writes down a prompt as the prompt hook does."""

    def prompted(**record):
        folder = project_folder()
        os.makedirs(folder, exist_ok=True)
        with open(os.path.join(folder, "prompts.log"), "a", encoding="utf-8") as f:
            f.write(json.dumps({**RECORD, **record}) + "\n")

    return prompted


def test_before_the_first_prompt_it_says_so_and_what_to_do(foreword, repo):
    told = foreword("why", code=1)
    assert told.out == ""
    assert "no prompt of this project was recorded yet" in told.err
    assert "hint: foreword doctor" in told.err
    told = foreword("why", "--json", code=1)
    assert (told.out, told.err) == ("null\n", "")


def test_the_last_prompt_is_told_line_by_line(foreword, save, prompted):
    one, two, three = (save(f"Body {n}.", "--title", f"Title {n}") for n in "abc")
    foreword("delete", three)
    prompted(best=[[GONE, 0.5, "offered"]], session="another")
    prompted(best=[[one, 0.984, "offered"], [two, 0.621, "alike", one], [three, 0.3, "below"]], ids=[one])
    told = foreword("why")
    head, memories, meant = (part.splitlines() for part in told.out.split("\n\n"))
    assert head == [
        "prompt    2026-11-03 10:15 UTC",
        "session   s1 (claude-code)",
        "switch    auto (on at this prompt)",
        "question  unknown: the turn has no note (yet)",
        "needed    45.0 %, the chance that it helps",
    ]
    assert [line.split() for line in memories] == [
        ["1", one, "98.4", "%", "offered", "Title", "a"],
        ["2", two, "62.1", "%", "says", "the", "same", "as", "1", "Title", "b"],
        ["3", three, "30.0", "%", "under", "the", "cut-off", "(deleted", "since)"],
    ]
    assert [line.partition(":")[0] for line in meant] == ["Says the same", "Under the cut-off"]
    assert (
        told.err == f"hint: foreword show {one} opens it, foreword reject {one} keeps it from coming again\n"
    )
    found = foreword("why", "--json")
    assert found.err == ""
    assert [row["id"] for row in found.json["memories"]] == [one, two, three]
    assert found.json["session"] == "s1"


@pytest.mark.parametrize("reason", REASONS)
def test_every_reason_is_told_in_words(foreword, save, prompted, reason):
    one = save("Body.", "--title", "Title")
    prompted(best=[[one, 0.5, reason, *([GONE] if reason == "alike" else [])]])
    out = foreword("why").out
    assert REASONS[reason][0] in out
    assert REASONS[reason][1] in out
    assert ("says the same as another" in out) == (reason == "alike")
    assert ("Nothing was offered." in out) == (reason != "offered")


@pytest.mark.parametrize("why", NOTHING)
def test_every_cause_for_asking_nothing_is_told_with_what_to_do(foreword, repo, prompted, why):
    prompted(best=[], why=why)
    told = foreword("why")
    sentence, hint = NOTHING[why]
    assert sentence in told.out
    assert told.err == f"hint: {hint}\n"
    assert foreword("why", "--json").json["why"] == why


def test_words_of_a_newer_version_are_told_as_they_are(foreword, save, prompted):
    one = save("Body.", "--title", "Title")
    prompted(best=[[one, 0.5, "dreamt"]], why="asleep")
    out = foreword("why").out
    assert "dreamt" in out
    assert "asleep" in out


def test_nothing_that_matched_is_told_too(foreword, repo, prompted):
    prompted(best=[])
    told = foreword("why")
    assert "No memory holds a telling word of this prompt." in told.out
    assert "hint: foreword search --explain" in told.err


def test_what_was_under_the_cut_off_can_be_opened_or_pinned(foreword, save, prompted):
    one = save("Body.", "--title", "Title")
    prompted(best=[[GONE, 0.4, "below"], [one, 0.3, "below"]])
    told = foreword("why")
    assert "Nothing was offered." in told.out
    assert f"foreword show {one}" in told.err
    assert f"foreword pin {one}" in told.err


def test_a_line_of_an_older_version_tells_what_it_knows(foreword, save, project_folder):
    one = save("Body.", "--title", "Title")
    old = {key: RECORD[key] for key in RECORD if key not in ("needed", "why")}
    with open(os.path.join(project_folder(), "prompts.log"), "w", encoding="utf-8") as f:
        f.write(json.dumps({**old, "ids": [one]}) + "\n")
    told = foreword("why")
    assert one in told.out
    assert "An older Foreword recorded this prompt" in told.out
    assert "cut-off" not in told.out
    assert f"foreword show {one}" in told.err


def test_the_question_is_shown_when_the_turn_has_its_note(foreword, repo, prompted, project_folder):
    prompted(best=[])
    notes = os.path.join(project_folder(), "notes", "2026-11")
    os.makedirs(notes)
    with open(os.path.join(notes, "20261103-101500-a1b2.md"), "w", encoding="utf-8") as f:
        f.write('---\nturn: "t1"\nsession: "s1"\nquestion: |\n  Why is it\n  so slow?\n---\n\nBecause.\n')
    assert "question  Why is it so slow?\n" in foreword("why").out
    found = foreword("why", "--json").json
    assert (found["note"], found["question"].split()[-1]) == ("20261103-101500-a1b2", "slow?")


@pytest.mark.parametrize("columns", ["60", "80", "200"])
def test_no_line_is_wider_than_the_terminal(foreword, save, prompted, columns):
    titles = ["importer " * 20, "数据库的连接池大小是五个" * 9, "x" * 190]
    ids = [save(f"Body {n}.", "--title", title) for n, title in enumerate(titles)]
    best = [[ids[0], 0.9, "offered"], [ids[1], 0.8, "alike", GONE], [ids[2], 0.7, "room"]]
    prompted(best=best, session="s" * 300)
    out = foreword("why", env={"COLUMNS": columns}).out
    assert max(sum(2 if ord(c) > 0x2E80 else 1 for c in line) for line in out.splitlines()) <= int(columns)
    assert all(memory_id in out for memory_id in ids)
    assert "数据" in out


def test_no_control_character_of_a_log_or_a_title_is_printed(foreword, save, prompted):
    one = save("Body.", "--title", "T\x1b[2Jx")
    prompted(best=[[one, 0.5, "x\x1b[31my"]], session="a\x07b", why="\x1b]0;t\x07z")
    out = foreword("why").out
    assert not [c for c in out if ord(c) < 32 and c != "\n"]
    assert "Tx" in out


@pytest.mark.parametrize("columns", [60, 80, 120])
def test_names_of_entities_do_not_move_the_columns(capsys, columns):
    names = [
        "pg",
        "20261103-101500-a1b2",
        "the service that prints invoices at night",
        "数据库的连接池大小是五",
    ]
    rows = [
        {"id": name, "title": "Title", "type": "entity", "confidence": 0.5, "reason": "below", "alike": "",
         "offer": "usual", "archived": False, "deleted": False}
        for name in names
    ]  # fmt: skip
    _list(rows, columns)
    lines = [line for line in capsys.readouterr().out.splitlines() if "50.0 %" in line]
    assert len(lines) == len(names)
    assert {cells(line.partition("50.0 %")[0]) for line in lines} == {4 + 24 + 2 + 1}
    assert all(cells(line) <= columns for line in lines)
    assert names[0] in lines[0]
    assert names[1] in lines[1]


# -- search ------------------------------------------------------------------------------------


def test_search_says_when_no_memory_holds_all_of_the_words(foreword, save):
    one = save("The importer retries three times.")
    told = foreword("search", "importer", "zebra")
    assert told.err == "no memory holds all of these words; nearest:\n"
    assert told.out.startswith(one)
    assert foreword("search", "importer", "retries").err == ""
    told = foreword("search", "importer", "zebra", "--json")
    assert told.err == ""
    assert isinstance(told.json, list)
    assert "zebra" not in told.out


def test_search_explains_each_row_below_it(foreword, save):
    save("C++ needs another flag.")
    out = foreword("search", "C++", "--explain").out.splitlines()
    assert out[-1] == "      holds what was asked letter for letter"
    [row] = foreword("search", "C++", "--explain", "--json").json
    assert row["why"] == [{"label": "holds what was asked letter for letter", "value": 0.0, "words": []}]
    [row] = foreword("search", "C++", "--json").json
    assert "why" not in row


def test_an_empty_search_says_what_to_try_next(foreword, save):
    save("The importer retries three times.")
    told = foreword("search", "zebra", code=1).err
    assert "--all-projects" in told
    assert "--archived" in told
    assert "--type" not in told
    told = foreword("search", "zebra", "--type", "fact", "--all-projects", code=1).err
    assert "--type" in told
    assert "--all-projects" not in told


@pytest.mark.parametrize("line", ["[" * 200_000, '{"ids": [{}, 7, null]}', '{"ids": "x"}'])
def test_lines_of_a_log_that_are_no_records_stop_neither_why_nor_status(
    foreword, save, prompted, project_folder, line
):
    save("Body.")
    prompted(best=[])
    with open(os.path.join(project_folder(), "prompts.log"), "a", encoding="utf-8") as f:
        f.write(line + "\n")
    foreword("status")
    foreword("why", "--json")

"""The page of a project: what is stored, what was offered and why, what needs a hand; how to begin."""

import html
import json
import os
import re

import pytest

from foreword import memory
from foreword.memory import candidates
from foreword.web.pages import project as page
from web.notes import note

SCRIPT = "<script>alert(1)</script>"
GONE = "20200101-000000-0000"


def log(place, name, *records):
    with open(os.path.join(place.folder, name), "a") as f:
        f.writelines(json.dumps(record) + "\n" for record in records)


def prompt(n=0, **more):
    """A line of prompts.log."""
    return {
        "time": f"2026-11-30T10:{n // 60:02d}:{n % 60:02d}.000000Z", "client": "claude-code", "session": "s1",
        "turn": f"t{n}", "switch": "on", "state": "on", "index": False, "ids": [], "characters": 0,
        "best": [], "needed": 0.5, "why": "", **more,
    }  # fmt: skip


def at(place):
    return f"/p/{place.name}/"


def words(text):
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", text)).split())


def tile(text, name):
    """What a tile says under its name."""
    found = re.search(rf"<dt>{name}</dt>(.*?)</div>", text, re.DOTALL)
    assert found, name
    return words(found[1])


def section(text, name):
    """What stands under a heading."""
    return re.search(rf'<h2 id="{name}">.*?</section>', text, re.DOTALL)[0]


def test_an_empty_project_says_how_to_begin(site, place):
    text = site.page(at(place))
    assert "foreword install" in text
    told = words(text)
    assert "No prompt while memory was on yet" in told
    assert "0 notes in 30 days" in told
    assert "Nothing to tidy up." in told
    assert place.root in text and place.folder in text


def test_it_counts_what_is_stored(site, place):
    for n in range(12):
        note(place, f"Number {n}", age=n / 10)
    memory.save(place, "Run make db first.", title="Tests")
    memory.archive(place, [note(place, "Put aside", age=40)])
    text = site.page(at(place))
    for told in ('type=note">12</a>', 'type=fact">1</a>', 'type=session">0</a>', 'archived=1">1</a>'):
        assert told in text
    assert re.findall(r'<bdi class="cut">(Tests|Number \d+)', section(text, "newest")) == [
        "Tests", *(f"Number {n}" for n in range(9)),
    ]  # fmt: skip
    assert "12 notes in 30 days" in words(text)
    assert "foreword install" not in text
    assert re.search(r'<dt>On disk</dt><dd class="whole">[\d.]+ kB', text)


def test_a_global_fact_does_not_hide_how_to_begin(site, place):
    memory.save(place, "Tabs, never spaces.", title="Tabs", everywhere=True)
    text = site.page(at(place))
    assert "Nothing was saved for this project yet." in text
    assert tile(text, "Facts") == "0 and 1 global"
    assert "Tabs" in section(text, "newest")
    memory.save(place, "Run make db first.", title="Tests")
    text = site.page(at(place))
    assert "Nothing was saved for this project yet." not in text
    assert tile(text, "Facts") == "1 and 1 global"


def test_the_hit_rate_is_of_the_prompts_while_memory_was_on(site, place):
    hit = note(place, "One")
    log(place, "prompts.log", *(prompt(n, ids=[hit], index=True) for n in range(39)))
    log(
        place,
        "prompts.log",
        *(prompt(n) for n in range(17)),
        *(prompt(n, state="off", why="off") for n in range(9)),
    )
    assert "Hit rate 70 % of 56 prompts" in words(site.page(at(place)))


def test_the_switch_says_what_it_means(site, place):
    memory.set_switch(place, "off")
    told = words(site.page(at(place)))
    assert "Switch off : no forewords" in told
    assert "foreword switch on|off|auto|auto:session" in told


# -- what was offered --------------------------------------------------------------------------


def test_a_prompt_shows_what_was_offered_what_was_not_and_why(site, place):
    opened, ignored, below, alike = (note(place, title) for title in ("Opened", "Ignored", "Below", "Alike"))
    best = [
        [opened, 0.91, "offered"], [ignored, 0.8, "offered"], [alike, 0.79, "alike", opened],
        [below, 0.1, "below"], [GONE, 0.05, "below"],
    ]  # fmt: skip
    log(place, "prompts.log", prompt(ids=[opened, ignored], index=True, best=best))
    log(place, "opened.log", {"time": "2026-11-30T10:10:00.000000Z", "id": opened, "session": "s1"})
    text = section(site.page(at(place)), "lately")
    told = words(text)
    assert "Opened opened 91.0 % sure Ignored not opened 80.0 % sure" in told
    assert "Alike says the same 79.0 % sure Below under the cut-off 10.0 % sure" in told
    assert "(deleted since) under the cut-off" in told
    assert "not likely enough to help with this prompt" in told
    assert "Needed: 50.0 % sure" in told
    assert text.count(f"/p/{place.name}/memories/{below}") == 1 and GONE not in text


@pytest.mark.parametrize(
    ("record", "told"),
    [
        (
            {"why": "off", "state": "off"},
            "Forewords were off at this prompt: nothing was looked for. foreword switch on",
        ),
        ({"why": "control"}, "The prompt holds no telling word"),
        ({"why": "some-later-word"}, "Nothing was looked for: some-later-word."),
        ({"best": None}, "An older Foreword recorded this prompt"),
        ({}, "No memory holds a telling word of this prompt."),
        ({"best": [[GONE, 0.1, "below"]]}, "Nothing was offered."),
    ],
)
def test_a_prompt_that_got_nothing_says_why(site, place, record, told):
    log(place, "prompts.log", prompt(**record))
    assert told in words(section(site.page(at(place)), "lately"))


def test_the_last_ten_prompts_are_shown_with_their_questions(site, place):
    note(place, "Its note", question="How is the tax rounded?", turn="t14", session="s1")
    log(place, "prompts.log", *(prompt(n) for n in range(15)))
    text = section(site.page(at(place)), "lately")
    assert re.findall(r'<time datetime="2026-11-30T10:00:(\d\d)', text) == [
        f"{n:02d}" for n in range(14, 4, -1)
    ]
    assert text.count("How is the tax rounded?") == 1


def test_a_prompt_whose_turn_has_no_note_says_so(site, place):
    log(place, "prompts.log", prompt(1))
    assert "claude-code The turn has no note (yet) No memory holds" in words(
        section(site.page(at(place)), "lately")
    )


def test_what_stands_beside_an_offered_memory_keeps_its_distance(site, place):
    hit = note(place, "It depends on it")
    log(place, "prompts.log", prompt(ids=[hit], index=True, best=[[hit, 0.894, "offered"]]))
    text = re.sub(r"<[^>]+>", "", section(site.page(at(place)), "lately"))
    assert "It depends on it not opened 89.4 % sure" in " ".join(text.split())


@pytest.mark.parametrize(
    ("confidence", "told"),
    [(0.3, "Nearest: Near ; pinned, it is offered more readily."), (0.01, "Nearest: Near .")],
)
def test_where_nothing_was_offered_the_nearest_can_be_opened(site, place, confidence, told):
    near = note(place, "Near")
    log(place, "prompts.log", prompt(best=[[GONE, 0.4, "below"], [near, confidence, "below"]]))
    text = section(site.page(at(place)), "lately")
    assert "Nothing was offered. " + told in words(text)
    assert f"/p/{place.name}/memories/{near}" in text


def test_of_a_hint_only_the_command_is_set_as_one(site, place):
    log(place, "prompts.log", prompt(why="control"))
    text = section(site.page(at(place)), "lately")
    assert "<code>foreword search --explain WORDS</code> shows how memories rank" in text


def test_a_foreword_is_shown_as_the_agent_saw_it(site, place):
    handed = f"\n<foreword>\n- {SCRIPT} & more\n  indented\n</foreword>\n"
    record = {
        "time": "2026-11-30T10:00:00.000000Z",
        "client": "codex",
        "session": "s",
        "turn": "t",
        "ids": [],
    }
    log(
        place,
        "forewords.log",
        {**record, "kind": "prompt", "text": handed},
        {**record, "kind": "recall", "text": "R"},
    )
    text = section(site.page(at(place)), "seen")
    shown = [html.unescape(one) for one in re.findall(r"<pre [^>]*>\n(.*?)</pre>", text, re.DOTALL)]
    assert shown == ["R", handed]  # a browser drops the first line end of <pre>, which is ours
    assert "facts and sessions at a start" in text and "lines before a prompt" in text
    assert "<script>" not in text


# -- what needs a hand -------------------------------------------------------------------------


def test_stale_memories_name_the_files_that_changed(site, place):
    with open(os.path.join(place.root, "a.py"), "w") as f:
        f.write("now")
    files = [{"path": p, "sha256": "0" * 64} for p in ("a.py", "gone.py")]
    note(place, "Cites both", files=files)
    told = words(section(site.page(at(place)), "stale"))
    assert "1 memory cites files of which the cited text changed, moved or is gone." in told
    assert "Cites both a.py changed gone.py deleted" in told


def test_what_to_dream_about_is_counted_and_no_run_is_started(site, place):
    for body in ("Port 5432.", "Port 5433.", "Port 5434."):
        memory.save(place, body, title="Port")
    told = words(section(site.page(at(place)), "dream"))
    assert "2 superseded memories archive them" in told
    assert "/dream" in told and "foreword dream" in told
    assert memory.dream_runs(place) == []
    assert not os.path.exists(os.path.join(place.home, "state", "dreams"))


def test_there_are_words_for_all_that_a_dream_looks_at():
    assert tuple(page.DREAMS) == candidates.KINDS


def test_a_damaged_file_is_shown_with_what_is_wrong(site, place):
    path = memory.read(place, note(place, "Sound"))["path"]
    os.chmod(place.home, 0o700)
    assert tile(site.page(at(place)), "Health") == "store ok"
    with open(path, "ab") as f:
        f.write(b"\xff")
    text = site.page(at(place))
    assert "1 file cannot be read in full" in words(text)
    assert path in text and "is not UTF-8" in text
    assert "1 finding" in text


def test_a_project_whose_folder_is_gone_is_still_shown(site, place):
    path = memory.read(place, note(place, "Kept", files=[{"path": "a", "sha256": "0" * 64}]))["path"]
    with open(path, "ab") as f:
        f.write(b"\xff")
    os.rmdir(place.root)
    text = site.page(at(place))
    assert "Kept" in text and "not where it was seen last" in text
    assert "cited files cannot be compared" in section(text, "stale")
    assert "1 file cannot be read in full" in words(text)


def test_logs_that_somebody_spoiled_are_passed_over(site, place):
    for name in ("prompts.log", "opened.log", "forewords.log", "recalls.log"):
        with open(os.path.join(place.folder, name), "wb") as f:
            f.write(
                b'\xff\xfe\n[]\n{"best": 7, "ids": 3, "why": [], "time": 1}\n{"text": 1}\n'
                + b"[" * 5000
                + b"\n"
            )
    assert "Offered lately" in site.page(at(place))


def test_no_text_of_the_store_is_markup(site, place):
    memory_id = note(
        place, SCRIPT, SCRIPT, question=SCRIPT, turn="t1", session="s1", tags=[SCRIPT],
        files=[{"path": SCRIPT, "sha256": "0" * 64}],
    )  # fmt: skip
    note(place, "x" * 5000)
    memory.save(place, SCRIPT, title=SCRIPT, supersedes=[memory_id])
    best = [[memory_id, 0.9, "offered"], [memory_id, 0.9, SCRIPT], [SCRIPT, 1, "below"]]
    log(place, "prompts.log", prompt(1, best=best, client=SCRIPT, why=SCRIPT, time=SCRIPT))
    text = site.page(at(place))
    assert "<script>alert" not in text
    assert html.escape(SCRIPT, quote=False) in text


def test_an_unknown_project_is_a_page_that_leads_back(site, place):
    assert "All projects" in site.page("/p/nobody-00000000/", 404)

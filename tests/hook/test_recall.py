"""SessionStart hands over what was written down on purpose: when, to whom, and what it leaves behind."""

import json
import os
import re
import sqlite3

import pytest

from foreword import memory, settings
from foreword.index import curated, schema
from hook import events
from hook.events import ANSWER, ASKED_LATER, QUESTION

FACT = "Tests need the database: run `make db` first."


@pytest.fixture
def place(repo):
    """The project of the repository, with one fact and one session saved."""
    events.switch("on")
    place = memory.open_project(repo)
    memory.save(place, FACT, title="Tests")
    memory.save(place, "We moved the importer. Next: retries.", type="session", title="Importer moved")
    return memory.open_project(repo)


def recalls():
    with open(os.path.join(events.project_folder(), "recalls.log"), encoding="utf-8") as f:
        return [json.loads(line) for line in f]


@pytest.mark.parametrize("source", ["startup", "clear", "compact"])
def test_a_context_that_is_empty_is_handed_the_recall(repo, place, source):
    answer = events.start(source, repo)
    assert events.recalled(answer) == memory.recall(place)["text"]
    assert FACT in events.recalled(answer)
    assert answer["systemMessage"] == "foreword: loaded 1 fact + 1 session (project: app)"


@pytest.mark.parametrize("source", ["resume", "fork"])
def test_a_client_session_that_goes_on_is_not_handed_it_twice(repo, place, source):
    assert events.start("resume", repo, source=source) == {}
    assert not os.path.exists(os.path.join(events.project_folder(), "recalls.log"))


def test_a_source_of_a_later_version_is_taken_for_a_start(repo, place):
    assert FACT in events.recalled(events.start("startup", repo, source="rewind"))


def test_off_silences_it(repo, place):
    events.switch("off")
    assert events.start("startup", repo) == {}


@pytest.mark.parametrize("switch", ["auto", "auto:session"])
def test_auto_silences_it_on_no_day_and_in_no_session(repo, place, switch):
    events.switch(switch)
    for session in ("s1", "s2", "s3", "s4", "s5"):
        assert FACT in events.recalled(events.start("startup", repo, session))
        assert recalls()[-1]["switch"] == switch
    assert {settings.effective("auto:session", 0, f"s{n}") for n in range(1, 6)} == {"on", "off"}


def test_a_budget_of_nothing_silences_it(repo, place):
    with open(os.path.join(events.home(), "config.toml"), "a", encoding="utf-8") as f:
        f.write("[recall]\nbudget = 0\n")
    assert events.start("startup", repo) == {}


def test_a_subagent_is_handed_nothing(repo, place):
    assert events.start("startup", repo, agent_id="a1") == {}


def test_what_was_handed_over_is_not_offered_to_a_prompt_again(repo, place):
    question = "How do I run the tests, do they need the database?"
    assert events.ids_in(events.prompt(question, repo, "s2")) != []
    events.start("startup", repo, "s3")
    assert events.ids_in(events.prompt(question, repo, "s3")) == []


def test_each_recall_is_one_line_for_the_report_without_a_word_of_it(repo, place):
    text = events.recalled(events.start("clear", repo, "s7"))
    [line] = recalls()
    assert (line["client"], line["session"], line["source"]) == ("claude-code", "s7", "clear")
    assert (line["facts"], line["sessions"], line["listed"], line["left_out"]) == (1, 1, 0, 0)
    assert line["characters"] == len(text)
    assert all(i in text for i in line["ids"])
    assert "database" not in json.dumps(line)


def test_a_global_fact_reaches_every_project(repo, tmp_path):
    memory.save(memory.open_project(repo), "I prefer tabs.", title="Tabs", everywhere=True)
    other = tmp_path / "other"
    other.mkdir()
    (other / "a.txt").write_text("a")
    events.commit(other)
    answer = events.start("startup", str(other))
    assert "I prefer tabs." in events.recalled(answer)
    assert "global" in events.recalled(answer)
    assert answer["systemMessage"] == "foreword: loaded 1 fact (project: other)"


def test_only_the_newest_fact_of_a_title_is_handed_over(repo, place):
    memory.save(place, "No database is needed any more.", title="tests")
    text = events.recalled(events.start("startup", repo))
    assert "No database is needed any more." in text
    assert FACT not in text


def test_a_fact_saved_when_the_clock_was_ahead_hides_nothing(repo, place):
    [fact] = [m for m in events.memories() if m["type"] == "fact"]
    with open(events.path_of(fact), encoding="utf-8") as f:
        text = f.read()
    with open(events.path_of(fact), "w", encoding="utf-8") as f:
        f.write(re.sub("created: ....", "created: 2099", text))
    memory.save(place, "No database is needed.", title="Tests")
    assert "No database is needed." in events.recalled(events.start("startup", repo))
    memory.save(place, "It is needed after all.", title="Tests")
    text = events.recalled(events.start("startup", repo, "s2"))
    assert "It is needed after all." in text
    assert "No database is needed." not in text


def test_two_facts_of_one_title_written_by_hand_count_as_one(repo, place):
    for name, created in (("20990101-000000-aaaa", "2099-01-01"), ("20010101-000000-aaaa", "2001-01-01")):
        path = os.path.join(events.project_folder(), "facts", name + ".md")
        with open(path, "w", encoding="utf-8") as f:
            f.write(f"---\ntitle: TESTS\ncreated: {created}\n---\n\nWritten in {created[:4]}.\n")
    text = events.recalled(events.start("startup", repo))
    assert "Written in 2099." in text
    assert "Written in 2001." not in text
    assert FACT not in text


def test_a_fact_written_by_hand_a_moment_ago_is_handed_over(repo, place):
    path = os.path.join(events.project_folder(), "facts", "shepherds.md")
    with open(path, "w", encoding="utf-8") as f:
        f.write("Two shepherds guard the flock at night.\n")
    assert "Two shepherds" in events.recalled(events.start("startup", repo))


def test_a_fact_edited_in_place_is_handed_over_as_it_is_now(repo, place):
    [fact] = [m for m in events.memories() if m["type"] == "fact"]
    path = events.path_of(fact)
    with open(path, encoding="utf-8") as f:
        text = f.read()
    with open(path, "w", encoding="utf-8") as f:
        f.write(text.replace('title: "Tests"', 'title: "Checks"').replace("make db", "make postgres"))
    text = events.recalled(events.start("startup", repo))
    assert "- Checks (" in text
    assert "make postgres" in text
    assert "make db" not in text


def test_a_fact_deleted_by_hand_is_not_handed_over(repo, place):
    for found in events.memories():
        if found["type"] == "fact":
            os.unlink(events.path_of(found))
    text = events.recalled(events.start("startup", repo))
    assert "Importer moved" in text
    assert "Tests" not in text


def test_without_an_index_it_is_built_first(repo, place):
    for name in os.listdir(events.project_folder()):
        if name.startswith("index.sqlite"):
            os.unlink(os.path.join(events.project_folder(), name))
    assert FACT in events.recalled(events.start("startup", repo))


def test_an_index_of_an_older_version_is_built_anew_first(repo, place):
    db = sqlite3.connect(os.path.join(events.project_folder(), "index.sqlite"))
    db.execute("PRAGMA user_version=2")
    db.close()
    assert FACT in events.recalled(events.start("startup", repo))


def test_a_locked_index_still_hands_over_what_stands(repo, place):
    db = sqlite3.connect(os.path.join(events.project_folder(), "index.sqlite"), isolation_level=None)
    db.execute("BEGIN EXCLUSIVE")
    text = events.recalled(events.start("startup", repo))
    db.execute("ROLLBACK")
    db.close()
    assert FACT in text


def test_an_index_of_a_newer_version_is_left_alone_and_said_so(repo, place):
    db = sqlite3.connect(os.path.join(events.project_folder(), "index.sqlite"))
    db.execute("PRAGMA user_version=99")
    db.close()
    assert events.start("startup", repo) == {}
    assert any("NewerError" in line for line in events.log())


def test_notes_that_are_saved_by_themselves_are_not_handed_over(repo, place):
    events.turn(QUESTION, ANSWER, repo, session="s9", turn="t9")
    assert "dropped on purpose" not in events.recalled(events.start("startup", repo))
    assert events.ids_in(events.prompt(ASKED_LATER, repo, "s10")) != []


def test_the_dream_directive_appears_when_three_are_superseded_and_goes_with_them(repo, place):
    for n in range(3):
        memory.save(place, f"{FACT} Version {n}.", title="Tests")
    text = events.recalled(events.start("startup", repo))
    assert text.endswith("call memory_dream. It deletes nothing, and can be undone.")
    older = [row["id"] for row in memory.list_memories(place, "fact")][1:]
    memory.archive(place, older)
    assert events.recalled(events.start("startup", repo, "s2")).endswith("</foreword>")


def test_the_directive_can_be_switched_off(repo, place):
    for n in range(3):
        memory.save(place, f"{FACT} Version {n}.", title="Tests")
    with open(os.path.join(events.home(), "config.toml"), "a", encoding="utf-8") as f:
        f.write("[recall]\ndirective = false\n")
    assert events.recalled(events.start("startup", repo)).endswith("</foreword>")
    assert memory.recall(place)["text"].endswith("</foreword>")
    assert memory.recall(place)["debt"]["due"]


def test_the_directive_names_the_skill_that_is_installed(repo, place, monkeypatch):
    for n in range(3):
        memory.save(place, f"{FACT} Version {n}.", title="Tests")
    skills = os.path.join(os.environ["HOME"], ".claude", "skills")
    os.makedirs(os.path.join(skills, "foreword-dream"))
    os.makedirs(os.path.join(skills, "dream"))
    with open(os.path.join(skills, "dream", "SKILL.md"), "w") as f:
        f.write("The user's own.\n")
    with open(os.path.join(skills, "foreword-dream", "SKILL.md"), "w") as f:
        f.write("Ours. <!-- written by foreword install -->\n")
    assert "use the skill /foreword-dream." in events.recalled(events.start("startup", repo))
    monkeypatch.setenv("CLAUDE_PLUGIN_ROOT", "/somewhere")
    assert "use the skill /foreword:dream." in events.recalled(events.start("startup", repo, "s2"))


def test_a_full_recall_of_any_letters_stays_below_the_clients_limit(repo, place):
    for n in range(12):
        memory.save(place, "🙂" * 900, title=f"smiles {n}")
    text = events.recalled(events.start("startup", repo))
    assert 2_000 < len(text) <= 6_000
    assert len(text.encode("utf-16-le")) // 2 <= 10_000


def test_it_notes_that_it_ran(repo, place):
    events.start("startup", repo)
    events.prompt(QUESTION, repo)
    assert sorted(os.listdir(os.path.join(events.home(), "state", "fired"))) == [
        "claude-code.prompt",
        "claude-code.session-start",
    ]


def test_a_session_edited_in_place_is_handed_over_under_its_new_title(repo, place):
    [session] = [m for m in events.memories() if m["type"] == "session"]
    with open(events.path_of(session), encoding="utf-8") as f:
        text = f.read()
    with open(events.path_of(session), "w", encoding="utf-8") as f:
        f.write(text.replace('title: "Importer moved"', 'title: "Importer rewritten"'))
    assert "- Importer rewritten (" in events.recalled(events.start("startup", repo))


def test_what_is_not_looked_at_is_counted_all_the_same(repo, place, monkeypatch):
    for n in range(6):
        memory.save(place, f"Fact {n}.", title=f"Title {n // 2}")
        memory.save(place, f"Session {n}.", type="session", title=f"Session {n}")
    db = schema.open_reading(place.folder)
    whole = curated.standing([(place.folder, db, False)])
    monkeypatch.setattr(curated, "NAMED", 2)
    part = curated.standing([(place.folder, db, False)], (1, 1))
    db.close()
    assert (list(part.counts), list(part.offered)) == (list(whole.counts), list(whole.offered))
    assert (len(part.facts), len(part.sessions), part.superseded) == (1, 1, [])
    assert part.facts[0].id == whole.facts[0].id
    assert part.debt() == whole.debt() == (3, 0)

"""What Stop saves, and what it leaves alone."""

import hashlib
import json
import os
import shutil

import pytest

from foreword import memory, spans
from foreword.store import header
from hook import events
from hook.events import ANSWER, QUESTION

LONG = "The pool holds five connections, which `src/db.py` sets; more would not help. " * 3


def only():
    [memory] = events.memories()
    assert memory["damage"] == ""
    return memory


def sha256(path):
    with open(path, "rb") as f:
        return hashlib.sha256(f.read()).hexdigest()


def write_transcript(tmp_path, *prompts):
    path = tmp_path / "session.jsonl"
    records = [
        {"type": "user", "promptId": turn, "message": {"role": "user", "content": text}}
        for turn, text in prompts
    ]
    path.write_text("".join(json.dumps(r) + "\n" for r in records))
    return str(path)


# -- what is saved ----------------------------------------------------------------------------------


def test_a_turn_is_saved_with_all_that_is_known_of_it(repo):
    events.prompt(QUESTION, repo)
    events.stop(ANSWER, repo, transcript_path="/home/dev/.claude/projects/-app/s1.jsonl")
    memory = only()
    assert memory["type"] == "note"
    assert memory["question"] == QUESTION
    assert memory["title"] == QUESTION
    assert memory["body"] == ANSWER
    assert (memory["source"], memory["basis"]) == ("claude-code", "saved-by-itself")
    assert (memory["session"], memory["turn"]) == ("s1", "t1")
    assert memory["transcript"] == "/home/dev/.claude/projects/-app/s1.jsonl"
    assert memory["files"] == [["src/app.py", sha256(os.path.join(repo, "src", "app.py")), []]]
    assert os.path.basename(memory["place"]) == memory["id"] + ".md"
    assert os.stat(events.path_of(memory)).st_mode & 0o777 == 0o600


def test_the_sample_of_the_real_client_is_saved(repo):
    events.run("stop", events.sample("Stop", cwd=repo))
    assert only()["body"] == events.sample("Stop")["last_assistant_message"]


@pytest.mark.parametrize(("length", "saved"), [(199, 0), (200, 1)])
def test_an_answer_of_under_200_characters_is_not_saved(repo, length, saved):
    events.turn(QUESTION, "x" * length, repo)
    assert len(events.memories()) == saved


@pytest.mark.parametrize("answer", ["", " \n" * 300, None])
def test_no_answer_is_no_note(repo, answer):
    events.turn(QUESTION, answer, repo)
    assert events.memories() == []


def test_an_answer_of_256_kilobytes_is_kept_head_and_tail(repo):
    answer = "The head. " + "word " * 52_000 + "The tail."
    assert len(answer) > 256_000
    events.turn(QUESTION, answer, repo)
    body = only()["body"]
    assert len(body) <= 64_000
    assert (body.startswith("The head."), body.endswith("The tail.")) == (True, True)


def test_a_question_is_kept_to_4000_characters(repo):
    events.turn("The head. " + "word " * 3_000 + "The tail?", ANSWER, repo)
    question = only()["question"]
    assert len(question) <= 4_000
    assert (question.startswith("The head."), question.endswith("The tail?")) == (True, True)


@pytest.mark.parametrize(
    "odd",
    [
        "a\rb",
        "a\r\rb",
        "\x0b\x0c\x1c",
        "\x85\u2028\u2029",
        "\ufeff",
        "---\n---",
        "\x1b[31mred\x1b[0m",
        "tab\there",
    ],
    ids=repr,
)
def test_odd_characters_come_back_as_they_were(repo, odd):
    answer, question = f"{ANSWER}\n{odd}\nThe end.", f"{QUESTION} {odd} at the end"
    events.turn(question, answer, repo)
    memory = only()
    assert memory["body"] == answer
    assert memory["question"] == question


def test_characters_that_no_file_takes_are_replaced(repo):
    events.turn("half \ud800 and nul \0?", ANSWER + " \udfff\0.", repo)
    memory = only()
    assert memory["body"] == ANSWER + " ?."
    assert memory["question"] == "half ? and nul ?"


# -- the question -----------------------------------------------------------------------------------


def test_the_question_is_that_of_the_turn_also_when_the_next_prompt_comes_first(repo):
    events.prompt(QUESTION, repo, turn="t1")
    events.prompt("What about the exporter, then?", repo, turn="t2")
    events.stop(ANSWER, repo, turn="t1")
    assert only()["question"] == QUESTION


def test_the_question_is_that_of_the_client_session(repo):
    events.prompt(QUESTION, repo, session="s1")
    events.prompt("What about the exporter, then?", repo, session="s2")
    events.stop(ANSWER, repo, session="s1")
    assert only()["question"] == QUESTION


def test_without_a_waiting_prompt_the_question_is_in_the_transcript(repo, tmp_path):
    path = write_transcript(tmp_path, ("t0", "Another question?"), ("t1", QUESTION))
    events.stop(ANSWER, repo, transcript_path=path)
    assert only()["question"] == QUESTION


def test_private_parts_of_a_question_in_the_transcript_are_not_saved(repo, tmp_path):
    path = write_transcript(tmp_path, ("t1", QUESTION + " <private>the token is walrus</private>"))
    events.stop(ANSWER, repo, transcript_path=path)
    assert only()["question"] == QUESTION


def test_a_stop_event_that_carries_the_prompt_itself_needs_no_other(repo, tmp_path):
    """As Gemini's does, which has no turn id to leave a prompt under."""
    path = write_transcript(tmp_path, ("t1", "What the transcript says?"))
    events.stop(ANSWER, repo, prompt=QUESTION + " <private>walrus</private>", transcript_path=path)
    assert only()["question"] == QUESTION


def test_the_prompt_that_waits_goes_before_one_of_the_stop_event(repo):
    events.prompt(QUESTION, repo)
    events.stop(ANSWER, repo, prompt="Something else?")
    assert only()["question"] == QUESTION


def test_without_any_question_it_is_empty_and_the_title_is_the_first_sentence(repo, tmp_path):
    path = write_transcript(tmp_path, ("t0", "Another question?"))
    events.stop("## Result\n\nThe pool holds five. " + LONG, repo, transcript_path=path)
    memory = only()
    assert memory["question"] == ""
    assert memory["title"] == "The pool holds five."


def test_without_an_answer_in_the_payload_it_is_in_the_transcript(repo, tmp_path):
    path = write_transcript(tmp_path, ("t1", QUESTION))
    blocks = [{"type": "text", "text": ANSWER}]
    with open(path, "a", encoding="utf-8") as f:
        f.write(json.dumps({"type": "assistant", "message": {"content": blocks}}) + "\n")
    events.stop(None, repo, transcript_path=path)
    assert (only()["body"], only()["question"]) == (ANSWER, QUESTION)


def test_a_prompt_added_while_the_turn_runs_belongs_to_its_question(repo):
    events.prompt(QUESTION, repo)
    events.prompt("And where is that decided?", repo)
    events.stop(ANSWER, repo)
    assert only()["question"] == QUESTION + "\n\nAnd where is that decided?"


# -- one note a turn --------------------------------------------------------------------------------


def test_a_turn_that_goes_on_adds_to_its_own_note(repo):
    events.turn(QUESTION, ANSWER, repo)
    created = only()["created"]
    events.stop("The tests pass, also those of `src/db.py`.", repo, stop_hook_active=True)
    memory = only()
    assert memory["body"] == ANSWER + "\n\nThe tests pass, also those of `src/db.py`."
    assert [path for path, *_ in memory["files"]] == ["src/app.py", "src/db.py"]
    assert memory["created"] == created
    assert memory["question"] == QUESTION


def test_the_200_characters_count_over_the_whole_turn(repo):
    first, second = (
        "I added the test that was asked for. " * 3,
        "The hook had me run it, and it passes now. " * 3,
    )
    events.turn(QUESTION, first, repo)
    assert events.memories() == []
    events.stop(second, repo, stop_hook_active=True)
    assert only()["body"] == first.strip() + "\n\n" + second.strip()
    assert only()["question"] == QUESTION


def test_a_turn_that_goes_on_leaves_the_turns_after_it_alone(repo):
    events.turn(QUESTION, ANSWER, repo, turn="t1")
    events.stop("Short.", repo, turn="t2")
    events.stop("The last word.", repo, turn="t1", stop_hook_active=True)
    assert only()["body"] == ANSWER + "\n\nThe last word."


def test_the_same_answer_again_renews_date_and_hashes_of_the_one_note(repo):
    events.turn(QUESTION, ANSWER, repo, session="s1", turn="t1")
    before = only()
    with open(os.path.join(repo, "src", "app.py"), "a", encoding="utf-8") as f:
        f.write("RETRIES = 5\n")
    events.turn(
        "And again: why?", "  " + ANSWER.replace("the ledger", "the\nledger"), repo, session="s2", turn="t2"
    )
    after = only()
    assert after["id"] == before["id"]
    assert after["created"] > before["created"]
    [[path, digest, taken]] = after["files"]
    assert (path, digest) == ("src/app.py", sha256(os.path.join(repo, "src", "app.py")))
    with open(os.path.join(repo, "src", "app.py"), encoding="utf-8") as f:
        assert spans.judge(f.read(), path, taken) == (spans.STANDS, 0)
    assert after["files"] != before["files"]
    assert after["question"] == QUESTION
    assert (after["session"], after["turn"]) == ("s2", "t2")


def test_the_same_answer_beside_a_deleted_file_makes_a_new_note(repo):
    events.turn(QUESTION, ANSWER, repo, turn="t1")
    os.unlink(events.path_of(only()))
    events.turn(QUESTION, ANSWER, repo, turn="t2")
    assert only()["turn"] == "t2"


def test_two_projects_with_the_same_answer_have_a_note_each(repo, tmp_path):
    other = tmp_path / "other"
    other.mkdir()
    events.turn(QUESTION, ANSWER, repo)
    events.turn(QUESTION, ANSWER, str(other), turn="t2")
    projects = os.path.join(events.home(), "projects")
    counts = [len(files) for at, _, files in os.walk(projects) if os.path.basename(at).startswith("20")]
    assert counts == [1, 1]


def test_what_people_wrote_into_a_note_stays_when_its_turn_goes_on(repo):
    events.turn(QUESTION, ANSWER, repo)
    path = events.path_of(only())
    with open(path, encoding="utf-8") as f:
        text = f.read()
    with open(path, "w", encoding="utf-8") as f:
        f.write(text.replace("---\n", "---\n# mine\nmood: good\n", 1).replace("1,204", "1,205"))
    events.stop("The last word.", repo, stop_hook_active=True)
    with open(path, encoding="utf-8") as f:
        head, body = header.split(f.read())
    assert "# mine\nmood: good\n" in head
    assert body == ANSWER.replace("1,204", "1,205") + "\n\nThe last word."


# -- what is not saved ------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["SubagentStop", "SubagentStop-compaction"])
def test_subagents_and_compaction_summaries_are_not_saved(repo, name):
    events.prompt(QUESTION, repo)
    events.run("stop", events.sample(name, cwd=repo, last_assistant_message=ANSWER))
    events.stop(ANSWER, repo, agent_id="a0000000000000001", agent_type="Explore")
    assert events.memories() == []


@pytest.mark.parametrize(
    ("command", "saved"),
    [
        ("/compact", 0),
        ("/model opus", 0),
        ("  /clear  ", 0),
        ("/plugin:skill now", 0),
        ("/explain the cache layer", 1),
        ("/recall the cache layer", 0),  # ours: its answer is made of memories
        ("/review why?", 1),
        ("/etc/hosts is wrong", 1),
    ],
)
def test_slash_commands_that_are_no_questions_are_not_saved(repo, command, saved):
    events.turn(command, ANSWER, repo)
    assert len(events.memories()) == saved


def test_a_note_edited_by_hand_and_deleted_does_not_come_back_with_its_turn(repo):
    events.turn(QUESTION, ANSWER, repo)
    [note] = events.memories()
    with open(events.path_of(note), "a", encoding="utf-8") as f:
        f.write("\nEdited by hand.\n")
    memory.delete(memory.open_project(repo), [note["id"]])
    shutil.rmtree(os.path.join(events.home(), "state", "sessions"))
    events.stop(ANSWER, repo)
    assert events.memories() == []


def test_our_own_text_fed_back_is_not_saved(repo):
    frame = "<foreword>\nNotes from earlier sessions\n- 20261103-101500-a1b2 walrus\n</foreword>"
    events.turn(QUESTION + "\n" + frame, frame + "\n" + ANSWER, repo)
    memory = only()
    assert (memory["question"], memory["body"]) == (QUESTION, ANSWER)


@pytest.mark.parametrize(
    "private",
    ["<private>walrus</private>", "<PRIVATE reason='x'>walrus\n</Private >", "<private>walrus, unclosed"],
)
def test_private_parts_are_saved_nowhere(repo, private):
    events.turn(QUESTION + " " + private, ANSWER + " " + private, repo)
    memory = only()
    assert (memory["question"], memory["body"]) == (QUESTION, ANSWER)
    events.workers_done()
    for path, data in events.everything_under(events.home()).items():
        assert b"walrus" not in data, path


def test_an_answer_that_is_short_without_its_private_part_is_not_saved(repo):
    events.turn(QUESTION, "Short. <private>" + "walrus " * 100 + "</private>", repo)
    assert events.memories() == []
    events.workers_done()
    for path, data in events.everything_under(events.home()).items():
        assert b"walrus" not in data, path


def test_a_folder_that_is_nobodys_project_gets_no_note():
    for folder in ("/", os.environ["HOME"], os.path.dirname(os.environ["HOME"])):
        events.turn(QUESTION, ANSWER, folder)
    assert not os.path.exists(os.path.join(events.home(), "projects"))


def test_a_deleted_answer_is_not_saved_again(repo):
    events.turn(QUESTION, ANSWER, repo)
    memory = only()
    from foreword import memory as api

    api.delete(api.open_project(repo), [memory["id"]])
    events.turn(QUESTION, ANSWER, repo, turn="t2")
    assert events.memories() == []


@pytest.mark.parametrize("value", ["on", "off", "auto"])
def test_saving_goes_on_whatever_the_switch_says(repo, value):
    events.switch(value)
    events.turn(QUESTION, ANSWER, repo)
    assert only()["question"] == QUESTION


# -- cited files ------------------------------------------------------------------------------------


def cited(repo, answer, folder=None):
    events.turn(QUESTION, answer + " " + LONG.replace("`src/db.py`", "a setting"), folder or repo)
    return [path for path, *_ in only()["files"]]


@pytest.mark.parametrize(
    "named",
    [
        "`src/app.py`",
        "src/app.py:1",
        "(src/app.py)",
        "src/app.py.",
        "./src/app.py",
        "`src/app.py:1-3`",
        "*src/app.py*",
    ],
)
def test_a_file_is_cited_as_people_write_it(repo, named):
    assert cited(repo, f"See {named} for it.") == ["src/app.py"]


def test_a_file_is_cited_by_its_absolute_path(repo):
    assert cited(repo, f"See {repo}/src/app.py for it.") == ["src/app.py"]


def test_files_are_found_from_the_folder_the_session_is_in(repo):
    assert cited(repo, "See `app.py` and README.md.", os.path.join(repo, "src")) == [
        "src/app.py",
        "README.md",
    ]


def test_only_existing_files_inside_the_repository_are_cited(repo, tmp_path):
    (tmp_path / "secret.txt").write_text("walrus")
    os.symlink(tmp_path / "secret.txt", os.path.join(repo, "leads-out.txt"))
    os.symlink(os.path.join(repo, "README.md"), os.path.join(repo, "stays.md"))
    named = "../secret.txt `leads-out.txt` /etc/passwd src/none.py `src` .git/config stays.md " + str(
        tmp_path
    )
    assert cited(repo, f"See {named}/secret.txt.") == ["stays.md"]


def test_nothing_is_written_in_the_users_repository(repo):
    before = events.everything_under(repo)
    events.switch("on")
    events.start("startup", repo)
    events.turn(QUESTION, ANSWER, repo)
    events.prompt(QUESTION, repo, session="s2")
    events.workers_done()
    assert events.everything_under(repo) == before


def test_every_file_and_folder_of_the_store_is_private(repo):
    events.switch("on")
    events.turn(QUESTION, ANSWER, repo)
    events.prompt(QUESTION, repo, session="s2")
    events.run("prompt", b"garbage")
    events.workers_done()
    config = os.path.join(events.home(), "config.toml")
    for at, _, _ in os.walk(os.path.join(events.home(), "projects")):
        assert os.stat(at).st_mode & 0o777 == 0o700, at
    for path in events.everything_under(events.home()):
        assert path == config or os.stat(path).st_mode & 0o777 == 0o600, path


# -- what the user deleted meanwhile ----------------------------------------------------------------


def test_a_fact_deleted_in_its_own_turn_does_not_come_back_in_that_turns_note(repo, tmp_path):
    words = "the vault word is ZEBRAVAULT and nothing else"
    asked = f"please remember for later that {words}"
    events.prompt(asked, repo)
    events.prompt(asked, repo, session="another")
    events.prompt(QUESTION, repo, turn="t2")
    place = memory.open_project(repo)
    memory.delete(place, [memory.save(place, words)["id"]])
    assert holding(b"ZEBRAVAULT") == []
    # The client's own transcript holds the prompt, and the hook would read it there.
    transcript = write_transcript(tmp_path, ("t1", asked))
    for session in ("s1", "another"):
        events.stop(f"Noted: {words}. " + LONG, repo, session=session, transcript_path=transcript)
        events.stop("Short, and then more.", repo, session=session, transcript_path=transcript)
    assert events.memories() == [] and holding(b"ZEBRAVAULT") == []
    events.stop(ANSWER, repo, turn="t2")
    assert only()["question"] == QUESTION
    events.workers_done()


def holding(word):
    return [path for path, raw in events.everything_under(events.home()).items() if word in raw]

"""The files that a client session has read or edited so far speak for the notes that cite them."""

import os
from types import SimpleNamespace

import pytest

from foreword.hook import prompt
from hook import events

TRANSCRIPT = os.path.join(os.path.dirname(events.SAMPLES), "transcripts", "session.jsonl")
OTHERS = (
    ("How many shepherds guard the flock at night?", "Two shepherds guard the flock, the miller relieves"),
    ("Why is the login button blue?", "The button is blue since the contrast with the page was too low"),
    ("Where are the settings stored?", "Settings stand in one file of the user's folder and are read once"),
    ("Which port does the server use?", "The server takes the first port that is free, from 8000 upwards"),
    ("How long are sessions kept?", "A session is kept for a week and cleared by the worker afterwards"),
    ("What does the report count?", "The report counts rows by month, and leaves out those of tests"),
)
# Each names a little more of what the note is about; with any model some are not enough by themselves.
PROMPTS = (
    "Please tidy up the column names",
    "Please rename the rule",
    "Write the totals down",
    "What are wrong totals?",
    "Please tidy up how amounts are added",
    "Please add a test for rows",
    "What goes to the ledger?",
    "Please tidy up the rows",
    "Please tidy up how rows are kept",
    "Please look at rows once more",
    "Please tidy up which rows the importer keeps",
)


@pytest.fixture
def folder(repo):
    """A repository with seven notes, one of which cites src/app.py."""
    events.switch("on")
    for n, (question, answer) in enumerate(OTHERS):
        events.turn(
            question, f"{answer}. That was found out on a long afternoon. " * 4, repo, "before", f"t{n}"
        )
    events.turn(events.QUESTION, events.ANSWER, repo, "before", "t9")
    events.settle()
    return repo


@pytest.fixture
def note(folder):
    """The id of the one that cites a file."""
    [memory] = [memory for memory in events.memories() if memory["files"]]
    return memory["id"]


@pytest.fixture
def transcript(folder, tmp_path):
    """A function that writes a real transcript (2.1.197; a file is read and edited) as if of this folder."""

    def write(file="src/app.py"):
        with open(TRANSCRIPT, "rb") as f:
            data = f.read().replace(b"/home/dev/app/src/app.py", os.fsencode(os.path.join(folder, file)))
        path = tmp_path / (file.replace("/", "-") + ".jsonl")
        path.write_bytes(data)
        return str(path)

    return write


def confidence(note):
    """How sure the last prompt was of a note; 0 where it was none of the best."""
    return {row[0]: row[1] for row in events.prompts()[-1]["best"]}.get(note, 0.0)


def test_after_a_file_was_read_the_note_that_cites_it_is_offered_where_it_was_not(folder, note, transcript):
    gained = []
    for n, text in enumerate(PROMPTS):
        before = note in events.ids_in(events.prompt(text, folder, session=f"before{n}"))
        unsure = confidence(note)
        found = events.prompt(text, folder, session=f"after{n}", transcript_path=transcript())
        after = note in events.ids_in(found)
        assert confidence(note) > unsure or not confidence(note)
        assert after or not before
        gained += [text] if after and not before else []
    assert gained
    assert events.log() == []


@pytest.mark.parametrize("file", ["src/db.py", "../elsewhere/src/app.py", ".git/config"])
def test_a_file_that_no_note_cites_changes_nothing(folder, note, transcript, file):
    events.prompt(PROMPTS[-1], folder, session="before")
    unsure = confidence(note)
    events.prompt(PROMPTS[-1], folder, session="after", transcript_path=transcript(file))
    assert confidence(note) == unsure > 0


@pytest.mark.parametrize("kind", ["absent", "fifo", "folder", "device", "half"])
def test_a_transcript_that_cannot_be_read_is_never_waited_for(folder, note, tmp_path, transcript, kind):
    path = str(tmp_path / kind)
    if kind == "fifo":
        os.mkfifo(path)
    elif kind == "folder":
        os.mkdir(path)
    elif kind == "device":
        path = "/dev/zero"
    elif kind == "half":
        with open(transcript(), "rb") as f:
            lines = [line for line in f if b"tool_use" in line]
        (tmp_path / kind).write_bytes(lines[0].rstrip(b"}\n"))
    events.prompt(PROMPTS[-1], folder, session="before")
    unsure = confidence(note)
    assert note in events.ids_in(events.prompt(PROMPTS[-1], folder, session="after", transcript_path=path))
    assert confidence(note) == unsure
    assert events.log() == []


def test_a_transcript_of_400_mb_is_read_at_its_end_only(folder, note, tmp_path, transcript):
    path = tmp_path / "long.jsonl"
    with open(transcript(), "rb") as f:
        end = f.read()
    with open(path, "wb") as f:
        f.truncate(400_000_000)  # zeros that take no place on the disk
        f.seek(0, os.SEEK_END)
        f.write(b"\n" + end)
    events.prompt(PROMPTS[-1], folder, session="before")
    unsure = confidence(note)
    events.prompt(PROMPTS[-1], folder, session="after", transcript_path=str(path))
    assert confidence(note) > unsure
    assert events.log() == []


def test_files_that_a_payload_names_need_no_transcript(repo):
    files = [os.path.join(repo, "src", "db.py"), "/elsewhere/app.py", os.path.join(repo, "README.md")]
    heard = SimpleNamespace(files=files, transcript="")
    assert prompt._touched("claude-code", heard, repo) == ["src/db.py", "README.md"]

"""What agents were handed: read back as it was, and without a byte of what was deleted."""

import json
import os
import subprocess
import sys
import tempfile
import types

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from foreword import files, memory, recall
from foreword.errors import BusyError
from foreword.hook import forewords as hook
from foreword.memory import words_of
from foreword.memory.forewords import forget
from foreword.store import join, write
from foreword.text.budget import conclusion

NOW = 1793700900.0
SECRET = "the vault word is zebrafishword and nothing else"
HIT = {"type": "note", "basis": "saved-by-itself", "created": NOW, "files": [], "title": "", "question": ""}


@pytest.fixture
def place(tmp_path, monkeypatch):
    root = tmp_path / "repo"
    root.mkdir()
    monkeypatch.chdir(root)
    return memory.open_project(create=True)


def record(folder, text, ids=(), sources=(), kind="prompt", session="s", turn="t"):
    told = types.SimpleNamespace(session=session, turn=turn)
    hook.record(str(folder), "codex", told, kind, list(ids), text, sources, NOW)


def framed(memory_id, said, **fields):
    """The text before a prompt that offers one memory."""
    hit = types.SimpleNamespace(**{**HIT, "id": memory_id, "conclusion": said, **fields})
    return recall.index([hit], "/nowhere", NOW + 100, 2_500)[0]


def texts(place):
    return [found["text"] for found in memory.forewords(place, 1_000)]


def holding(home, words):
    """Every file of a store whose bytes hold one of the words."""
    found = []
    for at, _, names in os.walk(home):
        for name in names:
            with open(os.path.join(at, name), "rb") as f:
                raw = f.read()
            found += [
                name for word in words if word.encode() in raw or json.dumps(word)[1:-1].encode() in raw
            ]
    return found


# -- reading ----------------------------------------------------------------------------------------


def test_the_newest_come_first_and_no_more_than_were_asked_for(place):
    assert memory.forewords(place) == []
    for n in range(15):
        record(place.folder, f"text {n}", ["20261103-101500-a1b2"], kind="recall" if n % 2 else "prompt")
    assert [found["text"] for found in memory.forewords(place)] == [f"text {n}" for n in range(14, 4, -1)]
    [newest] = memory.forewords(place, limit=1)
    assert newest == {
        "time": "2026-11-03T10:15:00.000000Z", "client": "codex", "session": "s", "turn": "t",
        "kind": "prompt", "ids": ["20261103-101500-a1b2"], "text": "text 14",
    }  # fmt: skip
    assert memory.forewords(place, limit=0) == []


def test_the_older_file_goes_on_where_the_newer_one_ends(place):
    record(place.folder, "older")
    os.rename(os.path.join(place.folder, "forewords.log"), os.path.join(place.folder, "forewords.log.1"))
    record(place.folder, "newer")
    assert texts(place) == ["newer", "older"]


@given(
    text=st.text(st.characters(codec=None)), ids=st.lists(st.from_regex(r"\A[0-9]{8}-[0-9]{6}-[0-9a-f]{4}\Z"))
)
def test_what_is_recorded_is_read_back_as_it_was(text, ids):
    with tempfile.TemporaryDirectory() as folder:
        record(folder, text, ids, kind="recall", session=text, turn=text)
        [found] = memory.forewords(types.SimpleNamespace(folder=folder))
    assert (found["text"], found["session"], found["turn"], found["ids"]) == (text, text, text, ids)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.sampled_from(["ids", "text", "kind", "time"]), inner),
)


@given(lines=st.lists(st.binary() | JSON.map(lambda value: json.dumps(value).encode())))
def test_any_line_is_read_or_passed_over_and_deleting_survives_it(lines):
    good = json.dumps({"text": "good", "ids": []}).encode()
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "forewords.log"), "wb") as f:
            f.write(b"\n".join([*lines, good]) + b"\n")
        place = types.SimpleNamespace(folder=folder)
        before = memory.forewords(place, 1_000)
        assert before[0]["text"] == "good"
        for found in before:
            assert all(isinstance(found[key], str) for key in ("time", "client", "session", "turn", "kind"))
        forget([folder], ["20261103-101500-a1b2"], [])
        assert memory.forewords(place, 1_000) == before


# -- deleting ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["forewords.log", "forewords.log.1"])
def test_every_record_that_names_a_deleted_memory_goes_and_the_others_stay_to_the_byte(place, name):
    saved = memory.save(place, "short one", title="a")["id"]
    for n in range(3):
        record(place.folder, f"other {n} é", ["20261103-101500-a1b2"])
        record(place.folder, "by its id", [saved])
        record(place.folder, f"- 2026-11-03 {saved} an older session", kind="recall")
    path = os.path.join(place.folder, name)
    os.rename(os.path.join(place.folder, "forewords.log"), path)
    with open(path, "ab") as f:
        f.write(b'{"time": "cut short", "ids": ["' + saved.encode() + b'"], "text": "by its')
    with open(path, "rb") as f:
        kept = [line for line in f if saved.encode() not in line]
    memory.delete(place, [saved])
    with open(path, "rb") as f:
        assert f.readlines() == kept
    assert len(kept) == 3 and os.stat(path).st_mode & 0o777 == 0o600


def test_a_log_of_which_nothing_is_left_goes(place):
    saved = memory.save(place, SECRET)["id"]
    record(place.folder, framed(saved, SECRET), [saved])
    memory.delete(place, [saved])
    assert holding(place.home, ["zebrafishword"]) == []
    assert not os.path.exists(os.path.join(place.folder, "forewords.log"))


OTHER = "20261103-101500-beef"
LONG = "Uploads fail after half a minute because the gateway sleeps and zebrafishword wakes it. " * 5


@pytest.mark.parametrize(
    "text",
    [
        framed(OTHER, f"{SECRET}, they said"),
        framed(OTHER, "quite other words that say nothing", question=SECRET),
        framed(OTHER, SECRET.replace(" ", "  ")),
        f"<foreword>\n\nFacts\n- Vault (2026-11-03, {OTHER})\n  Before.\n  {SECRET}\n\n</foreword>",
        f"<foreword>\n\nSessions\n- {SECRET} (2026-11-03, {OTHER}, global)\n  Text.\n</foreword>",
        f"<foreword>\n\nOlder sessions\n- 2026-11-03 {OTHER} {SECRET[:30]}…\n</foreword>",
        framed(OTHER, SECRET[:35] + "…"),
    ],
    ids=["conclusion", "question", "spaces", "line of a fact", "title", "cut title", "cut conclusion"],
)
def test_a_record_that_holds_the_words_under_another_id_goes_too(place, text):
    record(place.folder, text, [OTHER])
    record(place.folder, framed(OTHER, "Nothing of the kind is said about the vault here."), [OTHER])
    memory.delete(place, [memory.save(place, f"# Vault\n\n- {SECRET}\n- <b>more</b>")["id"]])
    [left] = texts(place)
    assert "Nothing of the kind" in left


def test_a_record_that_shows_a_part_of_a_long_line_or_angle_brackets_goes_too(place):
    long = framed(OTHER, LONG, question="Why <does> it &lt;fail&gt; after half a minute?")
    spread = "# Vault\n\nYes, it is.\n\n## Key\n\nIts key is 4711.\n\n## Door\n\nAsk there."
    for body, shown in (
        (LONG, long),
        ("Why <does> it &lt;fail&gt; after half a minute?\n\nNobody knows it.", long),
        ("Why <does> it &lt;fail&gt;?".lower(), framed(OTHER, "It was: why <does> it &lt;fail&gt;? Ask.")),
        (spread, framed(OTHER, "Yes, it is. Its key is 4711. Ask there.")),
    ):
        record(place.folder, shown, [OTHER])
        memory.delete(place, [memory.save(place, body)["id"]])
        assert texts(place) == []


def test_few_words_in_common_take_no_record_along(place):
    kept = framed(OTHER, "The vault word is on the barn door, and the miller has it.")
    record(place.folder, kept, [OTHER])
    memory.delete(place, [memory.save(place, SECRET)["id"]])
    memory.delete(place, [memory.save(place, "vault", title="the")["id"]])
    assert texts(place) == [kept]


word = st.text(st.sampled_from("abcdefgé漢<>&;…()*`-"), min_size=3, max_size=9)
sentence = st.lists(word | st.just("->"), min_size=12, max_size=90).map(" ".join)
between = st.sampled_from(["\n", "\n\n", "\n\n# Heading\n\n", "\n- ", "\n> ", ". ", "\n```\ncode()\n```\n"])
bodies = st.lists(st.tuples(between, sentence), min_size=1, max_size=5).map(
    lambda parts: "".join(part for pair in parts for part in pair)
)


@given(body=bodies, limit=st.integers(200, 2_500))
def test_what_a_line_shows_of_a_body_is_known_again(body, limit):
    said = conclusion(body, 260)
    assume(sum(map(str.isalnum, said[:40])) >= words_of.TEXT_LEAST)
    hit = types.SimpleNamespace(**{**HIT, "id": OTHER, "conclusion": said, "question": "Why?"})
    text = recall.line(hit, [], NOW + 100, limit)
    with tempfile.TemporaryDirectory() as folder:
        record(folder, text, [OTHER])
        place = types.SimpleNamespace(folder=folder)
        forget([folder], [], [{"title": "", "question": "", "body": "The miller has the key to the barn."}])
        assert texts(place) == [text]
        forget([folder], [], [{"title": "", "question": "", "body": body}])
        assert texts(place) == []


def test_a_global_fact_goes_from_the_records_of_every_project(place, tmp_path):
    (tmp_path / "other").mkdir()
    other = memory.open_project(str(tmp_path / "other"), create=True)
    saved = memory.save(place, SECRET, title="Vault", everywhere=True)["id"]
    for project in (place, other):
        record(project.folder, memory.recall(project)["text"], [saved], kind="recall")
        record(project.folder, "another")
    assert len(holding(place.home, ["zebrafishword"])) >= 3
    memory.delete(other, [saved])
    assert holding(place.home, ["zebrafishword"]) == []
    assert texts(place) == texts(other) == ["another"]


def test_another_project_s_records_of_a_like_memory_stay(place, tmp_path):
    (tmp_path / "other").mkdir()
    other = memory.open_project(str(tmp_path / "other"), create=True)
    record(other.folder, framed(OTHER, SECRET), [OTHER])
    memory.delete(place, [memory.save(place, SECRET)["id"]])
    assert len(texts(other)) == 1


def test_of_a_log_that_somebody_holds_nothing_is_deleted_and_the_next_try_does_it(place, monkeypatch):
    saved = memory.save(place, SECRET)["id"]
    record(place.folder, framed(saved, SECRET), [saved])
    monkeypatch.setitem(forget.__globals__, "LOCK_S", 0.0)
    with files.Lock(place.folder, 0, hook.LOCK):
        with pytest.raises(BusyError):
            memory.delete(place, [saved])
        assert memory.read(place, saved)["body"] == SECRET
    memory.delete(place, [saved])
    assert holding(place.home, ["zebrafishword"]) == []


def test_a_memory_whose_file_went_before_the_records_did_cannot_be(place, monkeypatch):
    """An end while memories are deleted: their records are gone by then, or their files are there."""
    saved = memory.save(place, SECRET)["id"]
    record(place.folder, framed(saved, SECRET), [saved])
    monkeypatch.setattr(write, "forget", lambda *given: sys.exit("killed"))
    with pytest.raises(SystemExit):
        memory.delete(place, [saved])
    assert texts(place) == []
    monkeypatch.undo()
    monkeypatch.chdir(os.path.dirname(place.home))
    memory.delete(place, [saved])
    assert holding(place.home, ["zebrafishword"]) == []


HOOKS = """
import json, os, sys, types
from foreword.hook import forewords
forewords.WAIT_S = 30.0
folder, gone, kept = sys.argv[1:]
told = types.SimpleNamespace(session="s", turn="t")
count = left = 0
while left < 20:
    left += not os.path.exists(gone)
    for path in (gone, kept):
        memory_id = os.path.basename(path)[:-3]
        forewords.record(folder, "codex", told, "prompt", [memory_id], "text of " + memory_id, [path], 1.0)
    count += 1
    if count == 20:
        print("begun", flush=True)
print(count, flush=True)
"""


def test_hooks_that_append_meanwhile_lose_no_line_and_bring_none_back(place):
    kept = memory.save(place, "kept")["id"]
    for n in range(5):
        gone = memory.save(place, f"deleted {n}")["id"]
        arguments = [place.folder, memory.read(place, gone)["path"], memory.read(place, kept)["path"]]
        command = [sys.executable, "-I", "-c", HOOKS, *arguments]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as hooks:
            assert hooks.stdout.readline() == "begun\n"
            memory.delete(place, [gone])
            count = int(hooks.stdout.readline())
        assert hooks.returncode == 0
        found = memory.forewords(place, 1_000_000)
        assert [record["ids"] for record in found] == [[kept]] * count
        assert holding(place.folder, [gone]) == []
        for name in ("forewords.log", "forewords.log.1"):
            files.remove(os.path.join(place.folder, name))


# -- where else the log goes ------------------------------------------------------------------------


def test_a_project_that_is_joined_brings_its_records_and_leaves_no_third_file(tmp_path):
    old, new = tmp_path / "old", tmp_path / "new"
    for folder in (old, new):
        folder.mkdir()
    record(old, "first " + "x" * 700_000)
    os.rename(old / "forewords.log", old / "forewords.log.1")
    record(old, "second")
    (old / "report.sqlite-wal").write_bytes(b"derived")
    record(new, "rotated away")
    os.rename(new / "forewords.log", new / "forewords.log.1")
    record(new, "third " + "y" * 700_000)
    join.move(str(old), str(new))
    assert not old.exists()
    found = memory.forewords(types.SimpleNamespace(folder=str(new)))
    assert [text["text"].split()[0] for text in found] == ["second", "first", "third"]
    assert sorted(os.listdir(new)) == [".forewords.lock", "forewords.log", "forewords.log.1"]


def test_the_records_and_what_was_counted_stay_out_of_git(place):
    record(place.folder, "text")
    names = ("forewords.log", "forewords.log.1", ".forewords.lock", "report.sqlite", "report.sqlite-wal")
    for name in (*names, "project.json"):
        with open(os.path.join(place.folder, name), "a"):
            pass
    subprocess.run(["git", "init", "-q"], cwd=place.home, check=True)
    done = subprocess.run(
        ["git", "status", "--short", "-uall"], cwd=place.home, capture_output=True, text=True
    )
    assert "project.json" in done.stdout
    assert [name for name in names if name in done.stdout] == []


@pytest.mark.parametrize("name", ["forewords.log", "forewords.log.1"])
def test_a_folder_in_the_place_of_a_log_keeps_nobody_from_reading_or_deleting(place, name):
    memory_id = memory.save(place, "The gateway gives up.", title="Gateway")["id"]
    os.mkdir(os.path.join(place.folder, name))
    assert list(memory.forewords(place)) == []
    memory.delete(place, [memory_id])
    assert memory.list_memories(place) == []

"""Deleted is final: no byte in any file, and whatever brings the file back does not bring the memory."""

import json
import os
import shutil
import subprocess
import sys

import pytest

from foreword import memory
from foreword.digest import of_answer, of_text
from foreword.errors import NotFoundError
from foreword.hook.waiting import Waiting
from foreword.index import catch_up, schema
from foreword.memory import edit
from foreword.store import write

NOW = 1793700900.0
# One word for each field, that no other text holds: what is left of it says where it was left.
WORDS = {
    "title": "zebrafishword", "question": "quokkalike", "body": "シマウマ魚の言葉", "tag": "narwhalish",
    "path": "wombatfile", "mine": "axolotlish", "session": "pangolinsess", "turn": "okapiturn",
    "transcript": "ibexscript",
}  # fmt: skip


@pytest.fixture
def place(tmp_path, monkeypatch):
    root = tmp_path / "repo"
    root.mkdir()
    (root / (WORDS["path"] + ".py")).write_text("x")
    monkeypatch.chdir(root)
    place = memory.open_project(create=True)
    for n in range(20):
        write.create(place.folder, "fact", {"title": f"fact {n}"}, f"ordinary words number {n}", NOW + n)
    return place


def note(place, body=None, **fields):
    body = f"{WORDS['body']} and `{WORDS['path']}.py`" if body is None else body
    fields = {
        "title": "about " + WORDS["title"],
        "question": f"what is {WORDS['question']}?",
        "tags": [WORDS["tag"]],
        "source": "claude-code",
        "turn": WORDS["turn"],
        "session": WORDS["session"],
        "transcript": f"/home/x/{WORDS['transcript']}.jsonl",
        "files": [{"path": WORDS["path"] + ".py", "sha256": "ab" * 32}],
        "mine": WORDS["mine"],
        **fields,
    }
    memory_id, at = write.create(place.folder, "note", fields, body, NOW + 100)
    catch_up.catch_up(place.folder)
    return memory_id, at


def holding(home):
    """[(file, word)] of every file of the store whose bytes or name hold one of the words."""
    found = []
    for at, _, names in os.walk(home):
        for name in names:
            path = os.path.join(at, name)
            with open(path, "rb") as f:
                raw = f.read() + os.path.relpath(path, home).encode()
            for word in WORDS.values():
                forms = [word.encode(), word.encode("utf-16-le"), json.dumps(word)[1:-1].encode()]
                if any(form in raw for form in forms):
                    found.append((os.path.relpath(path, home), word))
    return found


def ids(place, **options):
    return {row["id"] for row in memory.list_memories(place, **options)}


def test_no_byte_of_any_field_is_left_whatever_became_of_the_memory_before(place):
    memory_id, at = note(place)
    assert {word for _, word in holding(place.home)} == set(WORDS.values())
    folder = place.folder
    for log, record in {
        "prompts.log": {
            "time": "t",
            "client": "claude-code",
            "ids": [memory_id],
            "best": [[memory_id, 0.9, "offered"]],
        },
        "recalls.log": {"time": "t", "client": "claude-code", "ids": [memory_id]},
    }.items():
        with open(os.path.join(folder, log), "w") as f:
            f.write(json.dumps(record) + "\n")
    older = f"- {memory_id} (just now) about {WORDS['title']}"
    for log, text in (("forewords.log.1", older), ("forewords.log", lines_of(place))):
        with open(os.path.join(folder, log), "w") as f:
            f.write(json.dumps({"time": "t", "kind": "prompt", "ids": [], "text": text}) + "\n")
            f.write(json.dumps({"ids": [memory_id], "text": f"{WORDS['body']} ..."})[:-3])
    memory.note_opened(place, memory_id, "later")
    os.makedirs(os.path.join(place.home, "state", "dreams"))
    with open(os.path.join(place.home, "state", "dreams", "run.json"), "w") as f:
        json.dump({"run": "run", "ids": [memory_id], "digest": of_answer(WORDS["body"])}, f)
    memory.archive(place, [memory_id])
    memory.restore(place, [memory_id])
    memory.mark(place, [memory_id], "always")
    copy = edit.begin(place, memory_id)
    with open(copy, "a") as f:
        f.write("more of " + WORDS["title"])
    memory.search(place, WORDS["title"])
    memory.recall(place)
    waiting = Waiting(place.home, "claude-code", WORDS["session"])
    waiting.leave_prompt("other turn", f"what is {WORDS['question']}?")
    waiting.leave_part("other turn", f"{WORDS['body']} and `{WORDS['path']}.py`")
    beside = os.path.join(folder, at)
    for left in (
        os.path.join(os.path.dirname(beside), f".{memory_id}.md.4242-a1b2c3.tmp"),
        os.path.join(os.path.dirname(beside), f".{memory_id}.md.swp"),
        beside + "~",
        beside + ".orig",
        os.path.join(folder, "notes", f"{memory_id}.sync-conflict-20261103.md"),
        os.path.join(folder, "archive", "note", f"{memory_id}.md"),
    ):
        shutil.copy(beside, left)
    scratch = os.path.join(folder, ".rebuild.%d" % dead_process())
    os.mkdir(scratch)
    shutil.copy(schema.path(folder), os.path.join(scratch, "index.sqlite"))
    assert memory.delete(place, [memory_id]) == [memory_id]
    assert holding(place.home) == []
    assert len(ids(place)) == 20 and not ids(place, archived=True)
    assert catch_up.damage(folder) == ""
    memory.reindex(place)
    assert holding(place.home) == []


def lines_of(place):
    """The lines of all memories, as they stand before a prompt."""
    lines = [f"- {row['id']} (just now) {row['snippet']}" for row in memory.list_memories(place)]
    assert WORDS["body"] in "\n".join(lines)
    return "\n".join(["<foreword>", *lines, "</foreword>"])


def dead_process():
    """The number of a process that is no more."""
    done = subprocess.Popen([sys.executable, "-I", "-c", "pass"])
    done.wait()
    return done.pid


def put(path, raw):
    with open(path, "wb") as f:
        f.write(raw)
    os.chmod(path, 0o600)


@pytest.mark.parametrize("build", ["catch up", "rebuild", "no index"])
@pytest.mark.parametrize("by", ["id", "text"])
def test_a_file_that_comes_back_is_no_memory(place, build, by):
    memory_id, at = note(place)
    path = os.path.join(place.folder, at)
    with open(path, "rb") as f:
        raw = f.read()
    memory.delete(place, [memory_id])
    # By its id: the text may be another by now. By its text: the name may be another.
    back = path if by == "id" else os.path.join(place.folder, "facts", "20261103-101500-beef.md")
    put(back, raw.replace("魚".encode(), b"fish") if by == "id" else raw)
    if build == "rebuild":
        memory.reindex(place)
    elif build == "no index":
        os.unlink(schema.path(place.folder))
    assert len(ids(place)) == 20
    assert memory.search(place, WORDS["title"]) == [] == memory.search(place, "シマウマ")
    assert WORDS["title"] not in memory.recall(place)["text"]
    for act in (memory.read, lambda p, i: memory.archive(p, [i]), lambda p, i: memory.mark(p, [i], "always")):
        with pytest.raises(NotFoundError):
            act(place, memory_id if by == "id" else "20261103-101500-beef")
    [finding] = memory.check(place)["findings"]
    assert finding["where"] == back and "was deleted" in finding["what"]
    assert memory.delete(place, [finding["hint"].split()[2]])
    assert holding(place.home) == []
    assert memory.check(place)["findings"] == []


def test_what_check_says_takes_it_back_on_purpose(place):
    memory_id, at = note(place)
    path = os.path.join(place.folder, at)
    with open(path, "rb") as f:
        raw = f.read()
    memory.delete(place, [memory_id])
    put(path, raw)
    [finding] = memory.check(place)["findings"]
    for tombstone in finding["hint"].partition("remove ")[2].rstrip(")").split(" and "):
        os.unlink(tombstone)
    assert memory.read(place, memory_id)["title"] == "about " + WORDS["title"]
    assert memory.check(place)["findings"] == []


def test_a_deletion_that_comes_from_another_clone_of_the_store_counts_here(place):
    memory_id, at = note(place)
    other, there = note(place, body="another text entirely", turn="t2")
    assert {memory_id, other} <= ids(place)
    write.forget(place.home, write.tombstones_of(place.folder, at, "")[0])
    write.forget(place.home, write.tombstones_of(place.folder, there, of_answer("another text entirely"))[1])
    assert not {memory_id, other} & ids(place)
    assert holding(os.path.join(place.folder, "index.sqlite")) == []


def test_another_memory_with_the_same_text_stays_until_it_is_deleted_itself(place, tmp_path):
    memory_id, _ = note(place)
    twin = memory.save(place, memory.read(place, memory_id)["body"], title="twin")["id"]
    everywhere = memory.save(place, memory.read(place, memory_id)["body"], title="g", everywhere=True)["id"]
    memory.delete(place, [memory_id])
    assert {twin, everywhere} <= ids(place)
    memory.reindex(place)
    assert {twin, everywhere} <= ids(place)
    assert memory.check(place)["findings"] == []
    assert memory.read(place, twin)["title"] == "twin"
    memory.delete(place, [everywhere, twin])
    assert holding(place.home) == []


def test_a_copy_that_somebody_went_on_with_is_another_memory(place):
    memory_id, at = note(place)
    copy = os.path.join(place.folder, os.path.dirname(at), memory_id + " mine.md")
    with open(copy, "w") as f:
        f.write("gone on with, of my own")
    memory.delete(place, [memory_id])
    assert os.path.exists(copy)
    assert [row["title"] for row in memory.search(place, "gone on")] == ["gone on with, of my own"]


def test_blank_memories_do_not_take_each_other_along(place):
    for second in (1, 2):
        path = os.path.join(place.folder, "facts", f"20261103-10160{second}-a1b2.md")
        with open(path, "w") as f:
            f.write(f"---\ntitle: blank {second}\n---\n")
    memory.delete(place, ["20261103-101601-a1b2"])
    assert "20261103-101602-a1b2" in ids(place)


def test_a_file_without_an_id_is_gone_by_its_text_and_its_name_is_free(place):
    path = os.path.join(place.folder, "facts", "by hand.md")
    with open(path, "w") as f:
        f.write("---\ncreated: 2026-11-03\n---\nzebra")
    [row] = memory.search(place, "zebra")
    memory.delete(place, [row["id"]])
    with open(path, "w") as f:
        f.write("---\ncreated: 2026-11-03\n---\nquokka")
    assert len(memory.search(place, "quokka")) == 1
    with open(path, "w") as f:
        f.write("---\ncreated: 2026-11-03\n---\nzebra")
    assert memory.search(place, "zebra") == []


def test_a_new_memory_never_takes_the_id_of_a_deleted_one(place):
    memory_id, _ = note(place)
    memory.delete(place, [memory_id])
    again, _ = note(place, body="quite another text")
    assert again != memory_id
    assert again in ids(place)


def test_the_turn_of_a_deleted_note_is_remembered_even_when_its_answer_was_edited(place):
    memory_id, at = note(place)
    with open(os.path.join(place.folder, at), "a") as f:
        f.write("\nedited by hand\n")
    memory.delete(place, [memory_id])
    assert write.is_forgotten(place.home, of_text(WORDS["turn"]))
    assert holding(place.home) == []


def test_tombstones_go_along_in_git_and_nothing_else_of_state_does(place):
    memory_id, _ = note(place)
    copy = edit.begin(place, memory_id)
    kept = memory.save(place, "kept", title="kept")["id"]
    edit.begin(place, kept)
    memory.delete(place, [memory_id])
    os.makedirs(os.path.join(place.home, "state", "dreams"))
    for name in ("state/dreams/run.json", "log/hook.log", "state/tombstones/.x.1-abcdef.tmp"):
        os.makedirs(os.path.dirname(os.path.join(place.home, name)), exist_ok=True)
        with open(os.path.join(place.home, name), "w") as f:
            f.write("x")
    tracked = in_git(place.home)
    names = f"{memory_id}.{write.scope(place.folder)}", of_text(WORDS["turn"])
    assert {f"state/tombstones/{name}" for name in names} <= tracked
    assert not os.path.exists(copy)
    others = {name for name in tracked if name.startswith(("state/", "log/")) or "index.sqlite" in name}
    assert all(name.startswith("state/tombstones/") and ".tmp" not in name for name in others)


def test_an_earlier_versions_gitignore_is_renewed_and_a_changed_one_is_not(place):
    path = os.path.join(place.home, ".gitignore")
    first = b"state/\nlog/\nindex.sqlite*\nreport.json\n*.log\n*.log.[0-9]\n.*lock\n.*.tmp\n"
    second = b"state/*\n!state/tombstones/\nindex.sqlite*\nreport.json\n*.log\n*.log.?\n.*lock\n.*.tmp*\n"
    for text, renewed in ((first, True), (second, True), (first + b"mine\n", False)):
        with open(path, "wb") as f:
            f.write(text)
        memory.delete(place, [note(place, body=f"text {len(text)}", turn=str(len(text)))[0]])
        with open(path, "rb") as f:
            assert (b"!state/tombstones/\n" in (kept := f.read())) is renewed
        assert (b"report.sqlite*\n" in kept) is renewed


def in_git(home):
    subprocess.run(["git", "init", "-q"], cwd=home, check=True)
    subprocess.run(["git", "add", "-A"], cwd=home, check=True, stderr=subprocess.DEVNULL)
    done = subprocess.run(["git", "ls-files"], cwd=home, check=True, capture_output=True, text=True)
    return set(done.stdout.split("\n")) - {""}

"""Whatever the state of the disk and the index, a hook exits with 0 and what can be done is done."""

import os
import shutil
import sqlite3
import subprocess
import sys

import pytest

from foreword.hook import run as running
from foreword.index import schema
from hook import events


@pytest.fixture(params=events.EVENTS)
def event(request):
    return request.param


@pytest.fixture
def folder(tmp_path):
    """A project folder with one note in the store, indexed, and the switch on."""
    events.switch("on")
    place = tmp_path / "app"
    place.mkdir()
    events.turn(events.QUESTION, events.ANSWER, str(place), session="before")
    events.settle()
    return str(place)


def index():
    return schema.path(events.project_folder())


def later(event, folder, **changes):
    """An event of another session, about what the note says; SessionStart after a compaction."""
    if event == "session-start":
        return events.sample("SessionStart-compact", cwd=folder, session_id="later")
    fields = {"cwd": folder, "session_id": "later", "prompt_id": "t9", "transcript_path": None, **changes}
    if event == "prompt":
        return events.sample("UserPromptSubmit", prompt=events.ASKED_LATER, **fields)
    return events.sample("Stop", last_assistant_message=events.ANSWER + " Another session.", **fields)


def run(event, folder, **options):
    """Run the hook; at most one new line in the log. Returns (stdout, that line or "")."""
    before = events.log()
    out = events.run(event, later(event, folder), **options)
    new = events.log()[len(before) :]
    assert len(new) <= 1
    assert "currency" not in "".join(new)
    return out, "".join(new)


def offers(out):
    """Whether the answer offers the note."""
    return b"dropped on purpose" in out


# -- the home ---------------------------------------------------------------------------------------


def powerless():
    """What to put before a command so that file modes bind it, also when root runs the tests."""
    if os.geteuid():
        return []
    tool = shutil.which("setpriv")
    command = [tool or "", "--bounding-set=-all", "--inh-caps=-all"]
    if not tool or subprocess.run([*command, "true"], capture_output=True, check=False).returncode:
        pytest.skip("root, and no setpriv that may drop its powers")
    return command


def modes(home, folder_mode, file_mode):
    for at, folders, names in os.walk(home, topdown=False):
        for name in names:
            os.chmod(os.path.join(at, name), file_mode)
        for name in folders:
            os.chmod(os.path.join(at, name), folder_mode)
    os.chmod(home, folder_mode)


def test_a_home_that_is_not_there_is_made(event, tmp_path):
    out, line = run(event, str(tmp_path / "cwd"))
    assert (out, line) == (b"", "")
    assert os.stat(events.home()).st_mode & 0o777 == 0o700


@pytest.mark.parametrize("place", ["file", "below-a-file", "/proc/nowhere/home", "/dev/null", "x" * 5_000])
def test_a_home_that_cannot_be_is_survived(event, place, tmp_path, monkeypatch):
    (tmp_path / "file").write_text("a file of the user")
    known = {"file": "file", "below-a-file": "file/.foreword"}
    monkeypatch.setenv("FOREWORD_HOME", str(tmp_path / known.get(place, place)))
    out, _ = run(event, str(tmp_path / "cwd"))
    assert out == b""
    assert (tmp_path / "file").read_text() == "a file of the user"


def test_a_home_that_cannot_be_read_is_survived(event, folder):
    command = [*powerless(), *events.HOOK]
    before = events.everything_under(events.home())
    modes(events.home(), 0, 0)
    try:
        out = events.run(event, later(event, folder), command=command)
    finally:
        modes(events.home(), 0o700, 0o600)
    assert out == b""
    assert events.everything_under(events.home()) == before


def test_a_home_that_cannot_be_written_still_offers(event, folder):
    command = [*powerless(), *events.HOOK]
    modes(events.home(), 0o500, 0o400)
    try:
        out = events.run(event, later(event, folder), command=command)
    finally:
        modes(events.home(), 0o700, 0o600)
    assert offers(out) == (event == "prompt")


IN_A_MOUNT = """
set -e
mount -t tmpfs -o size="$1" tmpfs "$2"
cp -a "$3/." "$2"
case "$4" in
  full) dd if=/dev/zero of="$2/filling" bs=1k 2>/dev/null || true ;;
  ro) mount -o remount,ro "$2" ;;
esac
log="$5"; home="$2"; shift 5
set +e
"$@"
code=$?
cp "$home/log/hook.log" "$log" 2>/dev/null
ls -lR "$home" > "$log.listing"
exit $code
"""


def mounted(tmp_path, how, size="512k"):
    """A command before the hook's: the home copied into a small file system of its own, then made `how`."""
    tried = ["unshare", "-m", "sh", "-c", 'mount -t tmpfs tmpfs "$1"', "sh", str(tmp_path)]
    if sys.platform != "linux" or not shutil.which("unshare"):
        pytest.skip("needs unshare")
    if subprocess.run(tried, capture_output=True, check=False).returncode:
        pytest.skip("may not mount here")
    saved = str(tmp_path / "saved")
    os.makedirs(events.home(), exist_ok=True)
    shutil.copytree(events.home(), saved, symlinks=True)
    log = str(tmp_path / "log-of-the-mount")
    script = ["unshare", "-m", "sh", "-c", IN_A_MOUNT, "sh", size, events.home(), saved, how, log]
    return log, [*script, *events.HOOK]


def test_a_read_only_disk_still_offers(event, folder, tmp_path):
    log, command = mounted(tmp_path, "ro")
    out = events.run(event, later(event, folder), command=command)
    assert offers(out) == (event == "prompt")
    assert len(events.log(log)) <= 1


def test_a_full_disk_still_offers(event, folder, tmp_path):
    log, command = mounted(tmp_path, "full")
    out = events.run(event, later(event, folder), command=command)
    assert offers(out) == (event == "prompt")
    assert len(events.log(log)) <= 1


def test_a_full_disk_leaves_no_half_files(event, folder, tmp_path):
    log, command = mounted(tmp_path, "full")
    events.run(event, later(event, folder), command=command)
    with open(log + ".listing", encoding="utf-8") as f:
        listing = f.read()
    assert ".tmp" not in listing


def test_a_disk_of_64_kilobytes_is_survived(event, tmp_path):
    log, command = mounted(tmp_path, "as it is", "64k")
    events.run(event, later(event, str(tmp_path / "cwd")), command=command)
    assert len(events.log(log)) <= 1


@pytest.mark.parametrize("blocks", [0, 1, 8, 32, 64])  # of 512 bytes
def test_a_limit_of_file_sizes_is_survived(event, folder, blocks):
    command = ["sh", "-c", f'ulimit -f {blocks}; exec "$@"', "sh", *events.HOOK]
    out, _ = run(event, folder, command=command)
    assert offers(out) == (event == "prompt")
    assert events.memories()[0]["body"] == events.ANSWER
    assert [m["damage"] for m in events.memories() if m["damage"]] == []


@pytest.mark.parametrize("files", [4, 5, 6, 8])
def test_a_limit_of_open_files_is_survived(event, folder, files):
    # The interpreter itself needs some: where it cannot start there is no hook to speak of.
    limited = ["sh", "-c", f'ulimit -n {files}; exec "$@"', "sh"]
    if subprocess.run([*limited, sys.executable, "-I", "-m", "this"], capture_output=True).returncode:
        pytest.skip("Python does not start with so few")
    run(event, folder, command=[*limited, *events.HOOK])


# -- the index --------------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", ["NORMAL", "EXCLUSIVE"])
def test_an_index_locked_by_another_process_is_survived(event, folder, mode):
    other = sqlite3.connect(index(), isolation_level=None)
    try:
        other.execute(f"PRAGMA locking_mode={mode}")
        other.execute("BEGIN EXCLUSIVE")
        other.execute("UPDATE memories SET title=title")
        out, line = run(event, folder)
    finally:
        other.close()
    if event == "prompt":
        assert offers(out) == (mode == "NORMAL")  # readers of a WAL index do not wait for its writer
    if event == "stop":
        assert "locked" in line
        assert len(events.memories()) == 2  # the note is saved all the same


def test_a_note_saved_beside_a_locked_index_is_offered_once_it_is_free(folder):
    other = sqlite3.connect(index(), isolation_level=None)
    try:
        other.execute("BEGIN EXCLUSIVE")
        answer = "Geese guard the barn against foxes, since dogs sleep too well." + " They are loud." * 20
        events.stop(answer, folder, "later", "t9")
    finally:
        other.close()
    assert len(events.memories()) == 2
    saved = events.memories()[-1]["id"]
    asked = "Which animals guard the barn against foxes?"
    events.prompt(asked, folder, "next")
    events.workers_done()
    assert events.ids_in(events.prompt(asked, folder, "after next")) == [saved]


def soon(folder):
    """The foreword of the prompt after the next one: the next one has the index caught up with behind it."""
    events.prompt(events.ASKED_LATER, folder, "next")
    events.workers_done()
    return events.prompt(events.ASKED_LATER, folder, "after next")


def damage(how):
    """Damage the index as a crash, a disk or a person may."""
    with open(index(), "rb") as f:
        whole = f.read()
    for ending in ("-wal", "-shm"):
        if os.path.exists(index() + ending):
            os.unlink(index() + ending)
    kept = {
        "empty": b"",
        "garbage": bytes(range(256)) * 64,
        "text": b"no database\n",
        "one byte": whole[:1],
        "header only": whole[:100],
        "first page": whole[:4_096],
        "half": whole[: len(whole) // 2],
        "half a page": whole[: len(whole) // 2 + 1_000],
        "last page": whole[:-4_096],
        "zeros inside": whole[:4_096] + bytes(len(whole) - 4_096),
        "noise inside": whole[:200] + bytes(range(256)) * ((len(whole) - 200) // 256),
    }[how]
    with open(index(), "wb") as f:
        f.write(kept)


DAMAGES = (
    "empty", "garbage", "text", "one byte", "header only", "first page", "half", "half a page", "last page",
    "zeros inside", "noise inside",
)  # fmt: skip


@pytest.mark.parametrize("how", DAMAGES)
def test_a_damaged_index_is_survived(event, folder, how):
    damage(how)
    run(event, folder)
    assert len(events.memories()) == (2 if event == "stop" else 1)


@pytest.mark.parametrize("how", DAMAGES)
def test_a_damaged_index_is_built_anew_behind_the_prompt(folder, how):
    damage(how)
    assert events.ids_in(soon(folder)) == [events.memories()[0]["id"]]


@pytest.mark.parametrize("what", ["index", "-wal", "-shm"])
def test_an_index_that_is_a_folder_is_survived(event, folder, what):
    place = index() if what == "index" else index() + what
    if os.path.exists(place):
        os.unlink(place)
    os.mkdir(place)
    run(event, folder)
    assert len(events.memories()) == (2 if event == "stop" else 1)


def test_a_missing_index_is_made_behind_the_prompt(folder):
    os.unlink(index())
    assert events.ids_in(soon(folder)) == [events.memories()[0]["id"]]


def test_an_index_of_a_newer_version_is_left_alone(event, folder):
    db = sqlite3.connect(index(), isolation_level=None)
    db.execute("PRAGMA user_version=999")
    db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    db.close()
    with open(index(), "rb") as f:
        before = f.read()
    out, line = run(event, folder)
    events.workers_done()
    assert out == b""
    if event != "session-start":  # which does not look into it
        assert "version 999" in line
    assert len(events.memories()) == (2 if event == "stop" else 1)
    with open(index(), "rb") as f:
        assert f.read() == before


def test_an_index_without_its_tables_is_survived(event, folder):
    db = sqlite3.connect(index(), isolation_level=None)
    for name in ("memories", "postings", "folders", "meta"):
        db.execute(f"DROP TABLE {name}")
    db.close()
    run(event, folder)
    assert len(events.memories()) == (2 if event == "stop" else 1)


# -- the rest of the store --------------------------------------------------------------------------


@pytest.mark.parametrize("content", [b"", b"\xff\xfe", b"[]", b'"x"', b"{", b"[" * 100_000, b'{"stamp": 1}'])
def test_damaged_derived_files_are_survived(event, folder, content):
    for at, _, names in os.walk(events.home()):
        for name in names:
            if name.endswith(".json") or os.sep + "sessions" + os.sep in os.path.join(at, name):
                with open(os.path.join(at, name), "wb") as f:
                    f.write(content)
    events.run(event, later(event, folder))
    assert len(events.log()) <= 1


def test_a_settings_file_that_is_no_toml_counts_as_absent(event, folder):
    with open(os.path.join(events.home(), "config.toml"), "wb") as f:
        f.write(b'switch = "on\n[[[\xff')
    _, line = run(event, folder)
    assert line == ""


@pytest.mark.parametrize("switch", ['"off"', '["on"]', "1", "null", '"ON"', '{"a": 1}'])
def test_a_switch_of_a_project_that_is_none_is_survived(event, folder, switch):
    path = os.path.join(events.project_folder(), "project.json")
    with open(path, encoding="utf-8") as f:
        text = f.read()
    with open(path, "w", encoding="utf-8") as f:
        f.write(text.replace("{", f'{{"switch": {switch},', 1))
    _, line = run(event, folder)
    assert line == ""


def test_a_log_that_is_a_folder_is_survived(event, folder):
    shutil.rmtree(os.path.join(events.home(), "log"), ignore_errors=True)
    os.makedirs(os.path.join(events.home(), "log", "hook.log"))
    events.run(event, b"garbage")
    prompts_log = os.path.join(events.project_folder(), "prompts.log")
    os.unlink(prompts_log)
    os.mkdir(prompts_log)
    out = events.run(event, later(event, folder))
    assert offers(out) == (event == "prompt")


def test_no_text_of_a_row_that_sqlite_quotes_reaches_the_log():
    error = sqlite3.OperationalError("Could not decode to UTF-8 column 'title' with text 'the pelican'")
    assert "pelican" not in running._told(error)
    assert running._told(sqlite3.OperationalError("database is locked")).endswith("database is locked")

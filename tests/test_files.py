"""Atomic writes, appended lines, the lock and detached processes: one step or none, whoever else is at it."""

import errno
import json
import os
import stat
import subprocess
import sys

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from foreword import files

POSIX = pytest.mark.skipif(os.name == "nt", reason="modes, flock and signals of POSIX")
OLD, NEW = b"what was there\n", b"what is to be there, a little longer\n" * 40


@pytest.fixture
def path(tmp_path):
    return str(tmp_path / "file")


def put(path, data, mode=0o600):
    with open(path, "wb") as f:
        f.write(data)
    os.chmod(path, mode)


def got(path):
    with open(path, "rb") as f:
        return f.read()


def mode_of(path):
    return stat.S_IMODE(os.stat(path).st_mode)


def python(script, *arguments, **options):
    return subprocess.Popen([sys.executable, "-I", "-c", script, *map(str, arguments)], **options)


def race(script, count, *arguments):
    """`count` processes that begin when all of them are ready; their outputs, in order."""
    head = "import sys\nfrom foreword import files\nprint('ready', flush=True)\nsys.stdin.read()\n"
    started = [
        python(head + script, n, *arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        for n in range(count)
    ]
    for process in started:
        assert process.stdout.readline() == "ready\n"
    for process in started:
        process.stdin.close()
        process.stdin = None
    told = [process.communicate()[0].strip() for process in started]
    assert [process.returncode for process in started] == [0] * count
    return told


# -- write ------------------------------------------------------------------------------------------


@POSIX
def test_a_new_file_is_private_whatever_the_umask(path):
    before = os.umask(0)
    try:
        files.write(path, NEW)
        assert mode_of(path) == 0o600
        os.umask(0o777)
        files.write(path + "2", NEW)
        assert mode_of(path + "2") == 0o600
    finally:
        os.umask(before)


@POSIX
@pytest.mark.parametrize("mode", [0o644, 0o400, 0o755, 0o666])
def test_a_replaced_file_keeps_its_mode(path, mode):
    put(path, OLD, mode)
    files.write(path, NEW)
    assert (got(path), mode_of(path)) == (NEW, mode)


@POSIX
def test_a_mode_that_is_given_holds(path):
    put(path, OLD, 0o644)
    files.write(path, NEW, mode=0o640)
    assert mode_of(path) == 0o640


def test_a_short_write_is_gone_on_with(path, monkeypatch):
    real = os.write
    monkeypatch.setattr(os, "write", lambda fd, data: real(fd, bytes(data)[:7]))
    files.write(path, NEW)
    assert got(path) == NEW


CALLS = ("open", "write", "fchmod", "fsync", "close", "replace", "link", "unlink")


class Failing:
    """Makes one of the OS calls of a write fail: the n-th call of that name."""

    def __init__(self, name, n, number=errno.EIO):
        self.name = name
        self.real = getattr(os, name)
        self.left = n
        self.number = number
        self.happened = False

    def __call__(self, *arguments, **options):
        self.left -= 1
        if self.left == 0:
            self.happened = True
            if self.name == "close":
                self.real(*arguments)  # what Linux does: the descriptor is gone all the same
            raise OSError(self.number, os.strerror(self.number))
        return self.real(*arguments, **options)


@POSIX
@pytest.mark.parametrize("exists", [False, True], ids=["new", "old"])
@pytest.mark.parametrize("name", CALLS)
def test_whatever_call_fails_the_file_is_its_old_self_or_its_new_one(tmp_path, monkeypatch, name, exists):
    for n in range(1, 10):
        folder = tmp_path / str(n)
        folder.mkdir()
        path = str(folder / "file")
        if exists:
            put(path, OLD)
        failing = Failing(name, n)
        raised = False
        with monkeypatch.context() as broken:
            broken.setattr(os, name, failing)
            try:
                files.write(path, NEW)
            except OSError:
                raised = True
        assert [entry for entry in os.listdir(folder) if entry != "file"] == []
        assert (got(path) if os.path.exists(path) else None) in (OLD if exists else None, NEW)
        if not raised:
            assert got(path) == NEW
        if not failing.happened:
            assert n > 1 or name in ("link", "unlink")
            return
    pytest.fail("it never came to an end")


@POSIX
@pytest.mark.parametrize("links", [True, False], ids=["links", "no-links"])
@pytest.mark.parametrize("name", CALLS)
def test_whatever_call_fails_a_file_made_once_is_whole_or_not_there(tmp_path, monkeypatch, name, links):
    def no_links(*_):
        raise OSError(errno.EPERM, "no hard links here")

    for n in range(1, 10):
        folder = tmp_path / str(n)
        folder.mkdir()
        path = str(folder / "file")
        with monkeypatch.context() as broken:
            if not links:
                broken.setattr(os, "link", no_links)
            failing = Failing(name, n)
            broken.setattr(os, name, failing)
            try:
                files.write(path, NEW, create_only=True)
            except OSError:
                pass
            else:
                assert got(path) == NEW
        if os.path.exists(path):
            assert got(path) == NEW
        if not failing.happened:
            return
    pytest.fail("it never came to an end")


@POSIX
@pytest.mark.parametrize("links", [True, False], ids=["links", "no-links"])
def test_a_replace_that_fails_leaves_no_empty_file(tmp_path, monkeypatch, links):
    """Where there are no hard links a name is taken first: an empty file stayed when the next step failed."""
    with monkeypatch.context() as broken:
        for name in ("replace", "link") if not links else ("write",):
            broken.setattr(os, name, Failing(name, 1))
        with pytest.raises(OSError, match="Input/output"):
            files.write(str(tmp_path / "file"), NEW, create_only=True)
    assert sorted(os.listdir(tmp_path)) == ["cwd", "home"]


def test_a_file_that_exists_is_not_made_twice(path):
    put(path, OLD)
    with pytest.raises(FileExistsError):
        files.write(path, NEW, create_only=True)
    assert got(path) == OLD
    assert len(os.listdir(os.path.dirname(path))) == 3  # with the two folders of every test


@pytest.mark.parametrize("links", [True, False], ids=["links", "no-links"])
def test_of_eight_that_create_a_file_one_wins(path, links):
    script = """
import os
def no_links(*_): raise OSError(1, 'no hard links here')
if sys.argv[3] == 'False': os.link = no_links
try:
    files.write(sys.argv[2], sys.argv[1].encode() * 1000, create_only=True)
    print('won')
except FileExistsError:
    print('lost')
"""
    told = race(script, 8, path, links)
    assert sorted(told) == ["lost"] * 7 + ["won"]
    assert got(path) == str(told.index("won")).encode() * 1000


def test_readers_never_see_half_of_a_write(path):
    put(path, b"0" * 50_000)
    script = """
import os
if sys.argv[1] < '4':
    for n in range(50):
        files.write(sys.argv[2], sys.argv[1].encode() * 50_000, durable=False)
else:
    for n in range(200):
        seen = files.read(sys.argv[2])
        assert len(seen) == 50_000 and len(set(seen)) == 1, len(seen)
"""
    race(script, 8, path)


@pytest.mark.parametrize("name", ["数" * 80, "é" * 127, "x" * 252, ".md", "a b\nc"], ids=ascii)
def test_a_long_name_can_be_replaced(tmp_path, name):
    """A temporary name of 80 Japanese characters was longer than a file system takes."""
    path = str(tmp_path / name)
    put(path, OLD)
    files.write(path, NEW)
    assert got(path) == NEW


def test_a_folder_that_is_missing_is_told(tmp_path):
    with pytest.raises(FileNotFoundError):
        files.write(str(tmp_path / "none" / "file"), NEW)


@POSIX
def test_folders_are_private_and_those_that_are_there_keep_their_mode(tmp_path):
    (tmp_path / "there").mkdir(mode=0o755)
    files.make_folder(str(tmp_path / "there" / "a" / "b"))
    modes = [mode_of(tmp_path / at) for at in ("there", "there/a", "there/a/b")]
    assert modes == [0o755, 0o700, 0o700]
    files.make_folder(str(tmp_path / "there"))
    put(str(tmp_path / "file"), OLD)
    for at in ("file", "file/below"):
        with pytest.raises(OSError, match=r"exists|directory"):
            files.make_folder(str(tmp_path / at))


# -- append -----------------------------------------------------------------------------------------


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=50)
@given(lines=st.lists(st.binary(min_size=1).filter(lambda line: b"\n" not in line)))
def test_lines_come_back_in_order(tmp_path, lines):
    path = str(tmp_path / "log" / os.urandom(8).hex())
    for line in lines:
        files.append(path, line)
    assert (files.read(path) or b"").split(b"\n")[:-1] == lines


APPEND = """
line = sys.argv[1].encode()
for n in range(200):
    files.append(sys.argv[2], b"%s-%03d-" % (line, n) + b"x" * int(sys.argv[4]), int(sys.argv[3]))
"""


def wanted(size):
    return sorted(b"%d-%03d-" % (p, n) + b"x" * size for p in range(8) for n in range(200))


@pytest.mark.parametrize("size", [20, 9_000])
def test_eight_processes_lose_no_line(path, size):
    race(APPEND, 8, path, 0, size)
    assert sorted(filter(None, got(path).splitlines())) == wanted(size)


def test_eight_processes_lose_no_line_where_a_log_rotates(path):
    """Two that found the log too large rotated it twice: a megabyte fell off the end."""
    race(APPEND, 8, path, 9, 5_000)  # 8 MB in all
    kept = [path, *(f"{path}.{n}" for n in range(1, 10) if os.path.exists(f"{path}.{n}"))]
    lines = [line for name in kept for line in got(name).splitlines()]
    assert sorted(filter(None, lines)) == wanted(5_000)
    assert len(kept) > 1


def test_a_rotated_log_keeps_as_many_older_files_as_it_is_told(path):
    for n in range(12):
        files.append(path, b"%02d" % n + b"x" * files.LOG_LIMIT, rotate=3)
    older = [got(f"{path}.{n}")[:2] for n in (1, 2, 3)]
    assert older == [b"11", b"10", b"09"]
    assert not os.path.exists(path + ".4")
    files.append(path, b"12", rotate=3)
    assert got(path) == b"12\n"


@POSIX
def test_one_that_comes_late_to_a_rotation_does_not_rotate_again(path, monkeypatch):
    """It has the large file open while another process has put a new one in its place."""
    put(path, b"x" * files.LOG_LIMIT + b"\n")
    real = os.write

    def meanwhile(fd, data):
        done = real(fd, data)
        os.replace(path, path + ".1")
        put(path, b"the first line of the new one\n")
        return done

    monkeypatch.setattr(os, "write", meanwhile)
    files.append(path, b"late", rotate=1)
    assert got(path) == b"the first line of the new one\n"
    assert got(path + ".1").endswith(b"x\nlate\n")


def test_a_log_of_no_rotation_grows(path):
    put(path, b"x" * files.LOG_LIMIT + b"\n")
    files.append(path, b"more")
    assert got(path).endswith(b"x\nmore\n")


@POSIX
def test_a_line_behind_one_that_a_full_disk_cut_stands_alone(path, monkeypatch):
    """The next line was written into the half one, and both were lost to readers."""
    files.append(path, b"whole")
    real = os.write
    tries = iter([7])

    def full(fd, data):
        limit = next(tries, None)
        if limit is None:
            raise OSError(errno.ENOSPC, "No space left on device")
        return real(fd, bytes(data)[:limit])

    with monkeypatch.context() as disk:
        disk.setattr(os, "write", full)
        with pytest.raises(OSError, match="No space left"):
            files.append(path, b'{"half": 1}')
    files.append(path, b"next")
    assert got(path).splitlines() == [b"whole", b'{"half"', b"next"]


@POSIX
def test_a_line_written_in_two_parts_is_whole(path, monkeypatch):
    real = os.write
    monkeypatch.setattr(os, "write", lambda fd, data: real(fd, bytes(data)[:5]))
    files.append(path, b"a line of some length")
    assert got(path) == b"a line of some length\n"


@POSIX
def test_a_log_is_private(path):
    files.append(path, b"x")
    assert mode_of(path) == 0o600


def test_reading_tells_a_missing_file_from_an_unreadable_one(tmp_path, path):
    assert files.read(path) is None
    put(path, NEW)
    assert files.read(path, 5) == NEW[:5]
    assert files.read(path + "/below") is None
    with pytest.raises(OSError, match=r"directory|Permission"):
        files.read(str(tmp_path))
    assert (files.remove(path), files.remove(path), files.remove(path + "/below")) == (True, False, False)


# -- the lock ---------------------------------------------------------------------------------------

HOLD = """
import sys
from foreword import files
with files.Lock(sys.argv[1]) as held:
    print(held, flush=True)
    sys.stdin.read()
"""


def holder(folder):
    """A process that has the lock."""
    process = python(HOLD, folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "True\n"
    return process


def test_a_lock_is_held_by_one(tmp_path):
    process = holder(tmp_path)
    try:
        with files.Lock(str(tmp_path), wait_s=0) as held:
            assert not held
        with files.Lock(str(tmp_path), wait_s=0, name=".other.lock") as held:
            assert held
    finally:
        process.communicate()
    with files.Lock(str(tmp_path), wait_s=0) as held:
        assert held


def test_a_lock_is_free_when_its_holder_is_killed(tmp_path):
    process = holder(tmp_path)
    process.kill()
    process.communicate()
    with files.Lock(str(tmp_path), wait_s=0) as held:
        assert held


def test_a_lock_that_comes_free_while_one_waits_is_got(tmp_path):
    process = holder(tmp_path)
    waiting = python(
        "import sys\nfrom foreword import files\nprint('go', flush=True)\n"
        "with files.Lock(sys.argv[1], wait_s=60) as held: print(held)",
        tmp_path,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert waiting.stdout.readline() == "go\n"
    process.communicate()
    assert waiting.communicate()[0] == "True\n"


def test_eight_processes_that_count_under_the_lock_lose_nothing(tmp_path):
    put(str(tmp_path / "count"), b"0")
    script = """
import os
path = os.path.join(sys.argv[2], "count")
for _ in range(25):
    with files.Lock(sys.argv[2], wait_s=60) as held:
        assert held
        files.write(path, b"%d" % (int(files.read(path)) + 1), durable=False)
"""
    race(script, 8, tmp_path)
    assert got(str(tmp_path / "count")) == b"200"


def test_a_lock_where_nothing_can_be_written_is_told(tmp_path):
    with pytest.raises(OSError, match="No such file"), files.Lock(str(tmp_path / "none")):
        pass


# -- detached processes -----------------------------------------------------------------------------

# A module that a detached process can run, since `-m foreword.worker` does: what it finds about itself.
CHILD = """
import json, os, sys, time
descriptors = sorted(int(n) for n in os.listdir("/proc/self/fd"))
targets = {fd: os.readlink(f"/proc/self/fd/{fd}") for fd in descriptors if fd < 3}
with os.fdopen(os.open(sys.argv[2], os.O_WRONLY), "w") as f:
    json.dump({"session": os.getsid(0) == os.getpid(), "descriptors": descriptors,
               "targets": sorted(set(targets.values())), "arguments": sys.argv[3:]}, f)
"""
PARENT = """
import os, sys
from foreword import files
real = os.posix_spawn
def spawn(program, command, *rest, **options):
    # The same call for another program: one that tells what it was given.
    return real(program, [program, "-I", "-c", sys.argv[1], *command], *rest, **options)
os.posix_spawn = spawn
os.set_inheritable(int(sys.argv[3]), True)
files.spawn_detached([sys.argv[2], "x", "y"])
os._exit(0)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
def test_a_detached_process_outlives_its_parent_and_inherits_nothing(tmp_path):
    """A client that waits for the end of a pipe it gave to its hook would wait for the worker."""
    told = str(tmp_path / "told")
    os.mkfifo(told)
    child = CHILD.replace("sys.argv[2]", repr(told)).replace("sys.argv[3:]", "sys.argv")
    reading, writing = os.pipe()
    try:
        parent = python(PARENT, child, "the.module", writing, pass_fds=[writing], stdout=subprocess.PIPE)
        assert parent.communicate()[0] == b""
        assert parent.returncode == 0
        os.close(writing)
        writing = -1
        with open(told, encoding="utf-8") as f:  # the child waits until somebody reads
            found = json.load(f)
        assert os.read(reading, 1) == b""  # nobody has our pipe any more
    finally:
        os.close(reading)
        if writing >= 0:
            os.close(writing)
    assert found["session"]
    assert found["targets"] == ["/dev/null"]
    assert found["descriptors"][:3] == [0, 1, 2]
    assert len(found["descriptors"]) == 4  # the fourth is the listing itself
    assert found["arguments"][1:] == [sys.executable, "-I", "-m", "the.module", "x", "y"]

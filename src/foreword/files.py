"""Writing without loss: atomic replace, append, the one lock, private modes. Hot: `os` and flock.

Every write of Foreword goes through here. A file is either its old self or its new self, never a
half; `durable` writes are on the disk (file and folder synced) before the call returns.
"""

import os
import sys
import time

WINDOWS = os.name == "nt"
if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

FOLDER_MODE = 0o700
FILE_MODE = 0o600
LOG_LIMIT = 1_000_000  # bytes; logs rotate here
LEFT_S = 3_600  # no write takes that long: older ones are nobody's
CUT = 40  # characters of a file's name: what `write` calls it until it is whole begins with them
# And that as a pattern of its whole name.
LEFT = r"\.(?s:.{1,40})\.[0-9]+-[0-9a-f]{6}\.tmp"
_READING = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
_KIND, _REGULAR, _FOLDER = 0o170000, 0o100000, 0o040000  # of st_mode, the same everywhere


def make_folder(path):
    """Create `path` and its missing parents, each 0700. Existing folders keep their mode."""
    try:
        os.mkdir(path, FOLDER_MODE)
    except FileExistsError:
        if not os.path.isdir(path):
            raise
    except FileNotFoundError:
        make_folder(os.path.dirname(path))
        make_folder(path)


def read(path, limit=None):
    """The bytes of a file, at most `limit` of them; None when there is no such file. Never waits and always
    ends: a pipe or a device in a file's place, or a link to one, reads as empty."""
    try:
        fd = os.open(path, _READING)
    except (FileNotFoundError, NotADirectoryError):
        return None
    try:
        f = open(fd, "rb", buffering=0)
    except OSError as error:
        os.close(fd)  # of a folder: it is refused, and left open
        error.filename = path  # else it would be named by a number
        raise
    with f:
        if os.fstat(fd).st_mode & _KIND != _REGULAR:
            return b""
        return (f.read() if limit is None else f.read(limit)) or b""


def write(path, data, mode=None, durable=True, create_only=False, unless=None):
    """Replace `path` by `data` (bytes) in one step; True when that was done.

    The mode is `mode`, else the existing file's, else 0600. `create_only` raises FileExistsError
    when `path` exists (checked by the file system, so two writers cannot both win). The folder
    must exist. `unless()` is asked when all is ready, just before the step: when it is true, nothing is
    replaced. Raises OSError; nothing is left behind then. Without `mode`, a device or a pipe in the
    file's place is refused: root would put a file there.
    """
    folder, name = os.path.split(path)
    if mode is None:
        try:
            mode = os.stat(path).st_mode
        except FileNotFoundError:
            mode = FILE_MODE | _REGULAR
        if mode & _KIND not in (_REGULAR, _FOLDER):  # to replace a folder fails by itself
            raise OSError(22, "no regular file", path)  # EINVAL
        mode &= 0o7777
    # 40 characters are at most 160 bytes: the name stays below 255, whatever the file is called.
    temp = os.path.join(folder, ".%s.%d-%s.tmp" % (name[:CUT], os.getpid(), os.urandom(3).hex()))
    fd = os.open(temp, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), mode)
    try:
        try:
            view = memoryview(data)
            while view:
                view = view[os.write(fd, view) :]
            if not WINDOWS:
                os.fchmod(fd, mode)
            if durable:
                os.fsync(fd)
        finally:
            os.close(fd)
        if unless and unless():
            os.unlink(temp)
            return False
        if create_only:
            _link_new(temp, path)
        else:
            _replace(temp, path)
    except BaseException:
        try:
            os.unlink(temp)
        except OSError:
            pass
        raise
    if durable:
        sync_folder(folder)
    return True


def _replace(temp, path):
    # Windows refuses to rename over a file that somebody has open; scanners hold files for
    # some milliseconds (reported against several peers). Elsewhere the first try decides.
    for pause in (0.01, 0.05, 0.2) if WINDOWS else ():
        try:
            os.replace(temp, path)
            return
        except PermissionError:
            time.sleep(pause)
    os.replace(temp, path)


def _link_new(temp, path):
    try:
        os.link(temp, path)
    except FileExistsError:
        raise
    except OSError:
        # No hard links here (some network and FAT file systems): O_EXCL still names one winner.
        fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, FILE_MODE)
        try:
            os.close(fd)
            _replace(temp, path)
        except BaseException:
            os.unlink(path)  # only the name was taken: nobody may find an empty file
            raise
        return
    os.unlink(temp)


def sync_folder(folder):
    """Make a rename or unlink in `folder` durable. No-op where folders cannot be opened."""
    if WINDOWS:
        return
    fd = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(fd)
    except OSError:
        pass  # some file systems refuse to sync a folder; the file itself was synced
    finally:
        os.close(fd)


def append(path, line, rotate=0):
    """Append one line (bytes without the newline) in one write call.

    `rotate` n > 0 keeps n older files (`path.1` is the newest of them) once the file is over
    LOG_LIMIT. Creates the folder when it is missing. Raises OSError when the line is not whole on
    the disk; the next one does not run into what is there of it. Readers pass over empty lines:
    one may stand where two processes wrote at once.
    """
    flags = os.O_RDWR | os.O_CREAT | os.O_APPEND | getattr(os, "O_BINARY", 0)
    try:
        fd = os.open(path, flags, FILE_MODE)
    except FileNotFoundError:
        make_folder(os.path.dirname(path))
        fd = os.open(path, flags, FILE_MODE)
    try:
        size = os.fstat(fd).st_size
        data = line + b"\n"
        if size and not _ends_whole(fd, size):
            data = b"\n" + data  # a full disk cut the line before
        size += len(data)
        view = memoryview(data)
        while view:
            view = view[os.write(fd, view) :]
        if rotate and size > LOG_LIMIT and not WINDOWS:
            _rotate(fd, path, rotate)
    finally:
        os.close(fd)
    if rotate and size > LOG_LIMIT and WINDOWS:  # where an open file cannot be renamed
        _shift(path, rotate)


def _ends_whole(fd, size):
    os.lseek(fd, size - 1, os.SEEK_SET)
    return os.read(fd, 1) == b"\n"


def _rotate(fd, path, count):
    """Rotate a log that this process has open, unless another process did, or does it now."""
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        ours, there = os.fstat(fd), os.stat(path)
    except OSError:
        return
    if (ours.st_ino, ours.st_dev) == (there.st_ino, there.st_dev):
        _shift(path, count)


def _shift(path, count):
    for n in range(count, 0, -1):
        older = path if n == 1 else "%s.%d" % (path, n - 1)
        try:
            os.replace(older, "%s.%d" % (path, n))
        except OSError:
            pass  # that step does not exist yet


def remove(path):
    """Unlink a file; True when it was there."""
    try:
        os.unlink(path)
        return True
    except (FileNotFoundError, NotADirectoryError):
        return False


def clear_left(folder, older_s=LEFT_S):
    """Remove what writers that were killed left in a folder: it may hold what was deleted since.

    Only files that `write` named, of any file there, that nobody wrote to for `older_s` seconds; their
    number. What cannot be looked at or removed stays, and nothing is raised.
    """
    import re  # cold: no hook clears

    is_left, cleared = re.compile(LEFT).fullmatch, 0
    try:
        names = os.listdir(folder)
    except OSError:
        return 0
    for path in (os.path.join(folder, name) for name in names if is_left(name)):
        try:
            if time.time() - os.lstat(path).st_mtime > older_s:
                cleared += remove(path)
        except OSError:
            pass  # another process cleared it, or it is not ours to remove
    return cleared


class Lock:
    """The one lock of a folder: flock on `<folder>/.lock`, freed by the kernel when we die.

    `with Lock(folder, wait_s=10) as held:` waits up to `wait_s`; `held` is False when somebody
    else still had it then. Raises OSError when the lock file cannot be made (read-only disk).
    """

    def __init__(self, folder, wait_s=10.0, name=".lock"):
        self.path = os.path.join(folder, name)
        self.wait_s = wait_s
        self.fd = -1

    def __enter__(self):
        self.fd = os.open(self.path, os.O_RDWR | os.O_CREAT, FILE_MODE)
        end = time.monotonic() + self.wait_s
        pause = 0.001
        while True:
            try:
                if sys.platform == "win32":
                    msvcrt.locking(self.fd, msvcrt.LK_NBLCK, 1)
                else:
                    fcntl.flock(self.fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
                return True
            except OSError:
                if time.monotonic() >= end:
                    os.close(self.fd)
                    self.fd = -1
                    return False
            time.sleep(pause)
            pause = min(pause * 2, 0.05)

    def __exit__(self, *exc):
        if self.fd >= 0:
            os.close(self.fd)  # closing frees the lock
            self.fd = -1


def spawn_detached(arguments):
    """Start `python -I -m ARGUMENTS...` on its own: no terminal, no shared descriptors, not waited for."""
    command = [sys.executable, "-I", "-m", *arguments]
    if WINDOWS:
        import subprocess  # cold on other systems; Windows has no posix_spawn

        subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            creationflags=0x08000208,  # no window, detached, new group
        )
        return
    _keep_to_ourselves()
    null = os.open(os.devnull, os.O_RDWR)
    try:
        # Nothing but 0-2 is inheritable now, so these are all that the child gets.
        # setsid keeps it alive when the client ends the hook's process group.
        os.posix_spawn(
            command[0],
            command,
            os.environ,
            file_actions=[(os.POSIX_SPAWN_DUP2, null, n) for n in (0, 1, 2)],
            setsid=True,
        )
    except NotImplementedError:  # macOS before 10.15 lacks setsid in posix_spawn
        os.posix_spawn(
            command[0],
            command,
            os.environ,
            file_actions=[(os.POSIX_SPAWN_DUP2, null, n) for n in (0, 1, 2)],
        )
    finally:
        os.close(null)


def _keep_to_ourselves():
    """Make every open descriptor above 2 close-on-exec. Python's own are; those that a client let us
    inherit are not, and one that waits for the end of its pipe would wait for our child."""
    try:
        numbers = [int(name) for name in os.listdir("/dev/fd")]
    except (OSError, ValueError):
        numbers = range(3, 256)
    for fd in numbers:
        if fd > 2:
            try:
                os.set_inheritable(fd, False)
            except OSError:
                pass  # not open (any more)

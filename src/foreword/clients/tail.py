"""The end of a client's transcript, a file of JSON lines that may have 400 MB and may grow. Hot.

Never opens anything but a regular file: a pipe would wait for a writer until the watchdog ends us. What a
record means is its client's `wire`.
"""

import json
import os
import stat
import time

BLOCK = 1 << 16
LIMIT = 4 << 20  # bytes of a transcript's end whose records are looked at
NAMED = 20  # files
NAMED_TAIL = 256 << 10  # bytes of a transcript's end: some 200 records; reading them takes 0.1 ms
NAMED_TRIES = 200  # records that are looked into; bounds what a hostile file costs
WAIT_S = 1.0  # for a record that is not written yet (seen up to some 100 ms late)
_OPEN = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)


def wait_for(transcript, look):
    """What `look(records)` finds, given the records from the end backwards; it returns (found, whether
    that is final). Asked again when the file has grown, for WAIT_S at most; "" when there is none."""
    end = time.monotonic() + WAIT_S
    pause = 0.02
    seen = None
    found = ""
    while transcript:
        try:
            status = os.stat(transcript)
            if not stat.S_ISREG(status.st_mode):
                return ""
            size = status.st_size
        except (OSError, ValueError):
            size = 0  # not there yet
        if size != seen:
            seen = size
            found, final = look(records(transcript))
            if final:
                return found
        if time.monotonic() >= end:
            return found
        time.sleep(pause)
        pause = min(pause * 2, 0.2)
    return ""


def records(path):
    """The records (dicts) of a file from its end backwards; at most LIMIT bytes of it."""
    fd = _open(path)
    if fd < 0:
        return
    try:
        at = os.lseek(fd, 0, os.SEEK_END)
        stop = max(0, at - LIMIT)
        pieces = []  # of the line that began before what is read so far, last piece first
        while at > stop:
            size = min(BLOCK, at - stop)
            at -= size
            first, *lines = _read(fd, at, size).split(b"\n")
            if lines:
                pieces.append(lines[-1])
                yield from _records([b"".join(reversed(pieces)), *reversed(lines[:-1])])
                pieces = []
            pieces.append(first)
        if at == 0:
            yield from _records([b"".join(reversed(pieces))])
    except OSError:
        return
    finally:
        os.close(fd)


def last(path, size):
    """The whole lines among the last `size` bytes of a file, as bytes; b"" when there are none.

    A line without its newline is half written, as far as anybody can tell.
    """
    fd = _open(path)
    if fd < 0:
        return b""
    try:
        at = max(0, os.lseek(fd, 0, os.SEEK_END) - size)
        data = _read(fd, at, size)
    except OSError:
        return b""
    finally:
        os.close(fd)
    return data[data.find(b"\n") + 1 if at else 0 : data.rfind(b"\n") + 1]


def named(transcript, mark, paths):
    """Absolute paths of files that records name, the latest first: at most NAMED, from the last NAMED_TAIL
    bytes. `mark`: bytes that stand in every line worth a look; `paths(line)`: the paths in one, the last
    first. Never waits; [] when nothing can be read."""
    data = last(transcript, NAMED_TAIL)
    found = {}
    end = len(data)
    for _ in range(NAMED_TRIES):
        at = data.rfind(mark, 0, end)
        if at < 0:
            break
        end = data.rfind(b"\n", 0, at) + 1  # this line's start, where the next look ends
        record = data[end : data.index(b"\n", at)]
        found.update(dict.fromkeys(path for path in paths(record) if path not in found))
        if len(found) >= NAMED:
            break
    return list(found)[:NAMED]


def _open(path):
    """A descriptor of a regular file; -1 for anything else: not there yet, or a name that is none."""
    try:
        if not stat.S_ISREG(os.stat(path).st_mode):
            return -1
        fd = os.open(path, _OPEN)
    except (OSError, ValueError):
        return -1
    if stat.S_ISREG(os.fstat(fd).st_mode):
        return fd
    os.close(fd)  # it was replaced at this very moment
    return -1


def _read(fd, at, size):
    os.lseek(fd, at, os.SEEK_SET)
    return os.read(fd, size)


def _records(lines):
    return filter(None, map(_record, lines))


def _record(line):
    if not line.strip():
        return None
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        return None  # half a line, or not JSON
    return record if isinstance(record, dict) else None

"""The files that git knows of a checkout, from its index file, without starting git. Hot; loaded only where a
file is named without its folder, or is looked for."""

import os

LARGEST = 16_000_000  # bytes of an index: some 150,000 files
MOST = 50_000  # paths that are listed
_SAME_NAME = 20  # files of one name that are looked at
_ENTRY = 62  # bytes of an entry before its path; the last two say how long that is
_LENGTH = 0xFFF


def read(top):
    """The index of the checkout at `top` as bytes; b"" without one, or where its version packs paths."""
    git = os.path.join(top, ".git")
    try:
        if not os.path.isdir(git):
            with open(git, "rb") as f:
                pointer = f.read(4_096).decode("utf-8", "surrogateescape")
            if not pointer.startswith("gitdir:"):
                return b""
            git = os.path.join(top, pointer[len("gitdir:") :].strip())
        with open(os.path.join(git, "index"), "rb") as f:
            data = f.read(LARGEST + 1)
    except (OSError, ValueError):
        return b""
    whole = data[:4] == b"DIRC" and data[4:8] in (b"\0\0\0\2", b"\0\0\0\3") and len(data) <= LARGEST
    return data if whole else b""


def named(index, name):
    """The paths of an index that are of one file name, with `/`; at most _SAME_NAME."""
    wanted, found = name.encode("utf-8", "surrogateescape") + b"\0", {}
    at = index.find(wanted)
    while at >= 0 and len(found) < _SAME_NAME:
        end = at + len(wanted) - 1
        if index[at - 1 : at] == b"/" or _is_start(index, at, end):
            start = at
            # Its length stands right before it.
            while start > 12 and not _is_start(index, start, end) and end - start < _LENGTH:
                start -= 1
            if _is_start(index, start, end):
                found[_text(index[start:end])] = None
        at = index.find(wanted, at + 1)
    return list(found)


def _is_start(index, start, end):
    return int.from_bytes(index[start - 2 : start], "big") & _LENGTH == end - start


def paths(index):
    """All paths of an index, in order, each once; at most MOST."""
    found, at = {}, 12
    for _ in range(min(MOST, int.from_bytes(index[8:12], "big"))):
        flags = int.from_bytes(index[at + 60 : at + 62], "big")
        start = at + _ENTRY + (2 if flags & 0x4000 else 0)
        size = flags & _LENGTH
        end = start + size if size < _LENGTH else index.find(b"\0", start)
        if not start < end < len(index):
            break
        found[_text(index[start:end])] = None
        at += (end - at) // 8 * 8 + 8
    return list(found)


def _text(raw):
    return raw.decode("utf-8", "surrogateescape")

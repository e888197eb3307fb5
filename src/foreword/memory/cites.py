"""What became of the files that a memory cites, in the API's words."""

from foreword import stale


def file_row(citation, state):
    """A citation ([path, sha256, spans]) and its stale.State: path, sha256, state (a word of `stale`), by
    ("lines" where definitions of the file are compared, "file" where its hash alone decides), line (the cited
    one that changed, or where a moved one stands now, else 0), moved_to (a path or "")."""
    path, digest, spans = citation
    return {
        "path": path,
        "sha256": digest,
        "state": state.word,
        "by": "lines" if spans else "file",
        "line": state.line,
        "moved_to": state.to,
    }


def is_bad(row):
    """Whether the cited text is not there any more as it was. A file without a digest that is gone was gone,
    or too large to hash, when the memory was kept."""
    return row["state"] in (stale.CHANGED, stale.MOVED, stale.DELETED) and bool(
        row["sha256"] or row["state"] != stale.DELETED
    )


def told(row):
    """What a file_row says of its file, for people and agents: never that the memory is still true."""
    if row["state"] == stale.UNCHANGED:
        return "unchanged since"
    if row["state"] == stale.STANDS:
        return "changed since, cited lines unchanged"
    if row["state"] == stale.MOVED:
        return f"MOVED: now {at(row)}"
    if row["state"] == stale.CHANGED and row["by"] == "file":
        return "CHANGED: somewhere in the file"
    if row["state"] == stale.CHANGED and row["line"]:
        return f"CHANGED: line {row['line']}"
    return row["state"]


def at(row):
    """Where a moved file, or what was cited of it, is now: `src/auth/core.py:12`."""
    return row["moved_to"] + (":%d" % row["line"] if row["line"] else "")


def short(row):
    """`CHANGED: src/auth.py:42`, as a foreword's line has it."""
    return stale.told(row["path"], stale.State(row["state"], row["line"], row["moved_to"]))

"""bench/stale.py: what it counts, with an oracle that is a table."""

import importlib.util
import os
import random
import re
import subprocess
import sys
from collections import defaultdict

import pytest

from e2e import rpc

PATH = os.path.join(rpc.TOP, "bench", "stale.py")
spec = importlib.util.spec_from_file_location("bench_stale", PATH)
assert spec is not None and spec.loader is not None
stale = importlib.util.module_from_spec(spec)
spec.loader.exec_module(stale)

A, B = "def one():\n    a()\n    b()\n    return 1\n", "def two():\n    c()\n    d()\n    return 2\n"


class Oracle:
    """Finds `def NAME` up to the next one, by its text."""

    def of(self, text, ending):
        found = []
        for match in re.finditer(r"def (\w+)\(\):\n(?:    .*\n)+", text):
            first = text.count("\n", 0, match.start()) + 1
            last = first + match.group().count("\n") - 1
            found.append((first, last, "function_definition", match.group(1), hash(match.group())))
        return found


@pytest.fixture
def repo(tmp_path):
    """A function: commits files ({path: text}) so many days after the first of January."""

    top = tmp_path / "repo"
    top.mkdir()

    def commit(files, day):
        for name in os.listdir(top):
            if name != ".git":
                os.unlink(top / name)
        for name, text in files.items():
            (top / name).write_text(text)
        when = f"{1767225600 + day * 86_400} +0000"
        who = {"GIT_AUTHOR_DATE": when, "GIT_COMMITTER_DATE": when}
        run = ["git", "-c", "user.name=d", "-c", "user.email=d@example.invalid"]
        for command in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "x", "--allow-empty"]):
            subprocess.run([*run, *command], cwd=top, check=True, env={**os.environ, **who})
        return str(top)

    return commit


def counted(path):
    found = stale.replay(path, [30], 1, 20, random.Random(1), Oracle())
    [((language, age), row)] = found.items()
    assert (language, age) == ("Python", 30)
    return defaultdict(int, row)


def test_a_change_elsewhere_is_an_alert_of_the_hash_and_none_of_spans(repo):
    repo({"a.py": A + "\n\n" + B}, 0)
    row = counted(repo({"a.py": "# more\n" + A + "\n\n" + B}, 30))
    assert (row["file"], row["span"], row["changes"]) == (row["cited"], 0, 0)


def test_a_change_within_is_right_for_both_and_one_beside_it_for_none(repo):
    repo({"a.py": A + "\n\n" + B}, 0)
    row = counted(repo({"a.py": A.replace("a()", "x()") + "\n\n" + B}, 30))
    assert 0 < row["changes"] < row["cited"]
    assert (row["file"], row["file_right"]) == (row["cited"], row["changes"])
    assert (row["span"], row["span_right"], row["span_missed"]) == (row["changes"], row["changes"], 0)


def test_what_moved_is_no_change(repo):
    repo({"a.py": A + "\n\n" + B}, 0)
    row = counted(repo({"b.py": A + "\n\n" + B}, 30))
    assert (row["file"], row["span"], row["changes"]) == (row["cited"], 0, 0)


def test_where_no_commit_is_near_enough_nothing_is_counted(repo):
    repo({"a.py": A}, 0)
    assert stale.replay(repo({"a.py": B}, 300), [30], 1, 20, random.Random(1), Oracle()) == {}


def test_the_table_has_a_row_for_each_language_and_age():
    row = {
        "cited": 10,
        "changes": 4,
        "file": 8,
        "file_right": 4,
        "span": 5,
        "span_right": 4,
        "span_missed": 1,
    }
    head, line = stale.table({("Go", 30): row})
    assert head.split() == ["language", "days", "cited", "changed", "file", "span", "missed"]
    assert line.split() == ["Go", "30", "10", "4", "2.00", "1.25", "25.00", "%"]


def test_without_the_parser_it_says_what_to_install(tmp_path):
    done = subprocess.run([sys.executable, PATH, rpc.TOP], capture_output=True, text=True, cwd=tmp_path)
    if done.returncode:
        assert "hint: pip install tree-sitter" in done.stderr

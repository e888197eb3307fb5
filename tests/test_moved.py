"""Where a cited file, or what was cited of it, went: in real repositories."""

import os
import subprocess

import pytest

from foreword import cited, moved, stale, tracked

BODY = '''

def refresh_token(session):
    """Ask for a new one."""
    if session.expired:
        session.token = session.ask()
    return session.token
'''
MODULE = '"""Tokens."""\n\nimport time\n' + BODY + "\n\ndef other():\n    return time.time()\n"


@pytest.fixture
def repo(tmp_path):
    """A repository with one module that git knows; the path as a str."""
    top = tmp_path / "app"
    (top / "src").mkdir(parents=True)
    (top / "src" / "auth.py").write_text(MODULE)
    (top / "src" / "db.py").write_text("POOL = 5\n")
    git(top, "init", "-q")
    git(top, "add", "-A")
    return str(top)


def git(top, *arguments):
    subprocess.run(["git", *arguments], cwd=top, check=True, capture_output=True)


def put(repo, path, text):
    path = os.path.join(repo, path)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as f:
        f.write(text)


def state(repo, citation):
    found = stale.Tree(repo).state(citation)
    return found.word, found.to, found.line


@pytest.fixture
def citation(repo):
    [found] = cited.cited("`refresh_token()` in src/auth.py asks again.", repo)
    assert len(found[2]) == 1
    return found


@pytest.mark.parametrize(
    "to", ["src/auth/core.py", "src/tokens.py", "lib/auth.py", "auth.py", "src/a/b/auth.py"]
)
@pytest.mark.parametrize("is_added", [True, False])
def test_a_renamed_file_is_found_by_its_content(repo, citation, to, is_added):
    os.unlink(os.path.join(repo, "src/auth.py"))
    put(repo, to, MODULE)
    if is_added:
        git(repo, "add", "-A")
    elif to.startswith("lib/"):
        return  # a new folder elsewhere that git does not know of is not looked into
    assert state(repo, citation) == ("MOVED", to, 0)


def test_a_function_that_went_to_another_module_is_found_with_its_line(repo, citation):
    put(repo, "src/auth.py", MODULE.replace(BODY, ""))
    put(repo, "src/tokens.py", "import time\n" + BODY)
    assert state(repo, citation) == ("MOVED", "src/tokens.py", 4)


def test_a_module_that_was_renamed_and_changed_is_found_by_what_was_cited(repo, citation):
    os.unlink(os.path.join(repo, "src/auth.py"))
    put(repo, "src/login.py", MODULE.replace("time.time()", "0"))
    assert state(repo, citation) == ("MOVED", "src/login.py", 6)


def test_what_two_files_hold_is_not_called_moved(repo, citation):
    put(repo, "src/auth.py", MODULE.replace(BODY, ""))
    put(repo, "src/one.py", BODY)
    put(repo, "src/two.py", BODY)
    assert state(repo, citation)[0] == "CHANGED"


def test_what_moved_and_changed_is_changed(repo, citation):
    put(repo, "src/auth.py", MODULE.replace(BODY, ""))
    put(repo, "src/tokens.py", BODY.replace("expired", "old"))
    assert state(repo, citation)[0] == "CHANGED"


def test_what_is_nowhere_is_deleted(repo, citation):
    os.unlink(os.path.join(repo, "src/auth.py"))
    assert state(repo, citation) == ("DELETED", "", 0)


def test_an_empty_file_is_not_moved_to_every_other_empty_file(repo):
    put(repo, "src/__init__.py", "")
    [found] = cited.cited("see src/__init__.py", repo)
    os.unlink(os.path.join(repo, "src/__init__.py"))
    put(repo, "src/a/__init__.py", "")
    assert state(repo, found)[0] == "DELETED"


def test_nothing_outside_the_tree_is_looked_at(repo, citation, tmp_path):
    os.unlink(os.path.join(repo, "src/auth.py"))
    (tmp_path / "auth.py").write_text(MODULE)
    os.symlink(tmp_path / "auth.py", os.path.join(repo, "src", "login.py"))
    assert state(repo, citation) == ("DELETED", "", 0)


def test_another_branch_is_what_is_there_now(repo, citation):
    put(repo, "src/auth.py", MODULE.replace("expired", "old"))
    assert state(repo, citation) == ("CHANGED", "", 6)
    put(repo, "src/auth.py", MODULE)
    assert state(repo, citation) == ("unchanged", "", 0)


def test_no_more_files_are_read_than_a_prompt_may_wait_for(repo, citation, monkeypatch):
    os.unlink(os.path.join(repo, "src/auth.py"))
    for n in range(200):
        put(repo, f"src/m{n}.py", f"# {n}\n" * 30)
    read = []
    real = moved.hash_of
    monkeypatch.setattr(moved, "hash_of", lambda path: read.append(path) or real(path))
    assert state(repo, citation)[0] == "DELETED"
    assert len(read) <= moved.MOST_READ


# -- what git knows --------------------------------------------------------------------------------


def test_the_index_of_git_is_read_without_git(repo):
    names = [
        "a.py",
        "src/auth.py",
        "deep/er/auth.py",
        "long" * 20 + "/auth.py",
        "ünï/auth.py",
        "src/xauth.py",
    ]
    for name in names:
        put(repo, name, "x")
    git(repo, "add", "-A")
    index = tracked.read(repo)
    assert sorted(tracked.paths(index)) == sorted({*names, "src/db.py"})
    assert sorted(tracked.named(index, "auth.py")) == sorted(n for n in names if n.endswith("/auth.py"))
    assert tracked.named(index, "db.py") == ["src/db.py"]
    assert tracked.named(index, "a.py") == ["a.py"]
    assert tracked.named(index, "gone.py") == []


def test_the_index_of_a_worktree_is_found(repo, tmp_path):
    git(repo, "-c", "user.name=d", "-c", "user.email=d@example.invalid", "commit", "-qm", "start")
    git(repo, "worktree", "add", "-q", str(tmp_path / "tree"))
    assert "src/auth.py" in tracked.paths(tracked.read(str(tmp_path / "tree")))


@pytest.mark.parametrize(
    "raw", [b"", b"DIRC", b"DIRC\0\0\0\2\xff\xff\xff\xff", b"x" * 100, b"DIRC\0\0\0\4" + b"\0" * 80]
)
def test_an_index_that_cannot_be_read_knows_nothing(repo, raw):
    with open(os.path.join(repo, ".git", "index"), "wb") as f:
        f.write(raw)
    assert tracked.paths(tracked.read(repo)) == []
    assert tracked.named(tracked.read(repo), "auth.py") == []


# -- files named without their folder ---------------------------------------------------------------


def test_a_name_alone_is_the_file_that_the_text_names_with_its_folder(repo):
    put(repo, "lib/auth.py", MODULE)
    git(repo, "add", "-A")
    [found] = cited.cited("In src/auth.py. Then auth.py:8 asks.", repo)
    assert found[0] == "src/auth.py"
    assert found[2][0].startswith("def refresh_token 8 ")


def test_a_name_alone_is_the_one_file_that_git_knows(repo):
    [found] = cited.cited("`auth.py:8` asks.", repo)
    assert found[0] == "src/auth.py"
    assert found[2][0].startswith("def refresh_token 8 ")


def test_a_name_alone_that_two_files_have_is_none_of_them(repo):
    put(repo, "lib/auth.py", MODULE)
    git(repo, "add", "-A")
    assert cited.cited("`auth.py:8` asks.", repo) == []

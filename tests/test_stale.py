"""How cited files stand against the working tree now."""

import pytest

from foreword import cited, stale


@pytest.fixture
def repo(tmp_path):
    root = tmp_path / "repo"
    for place in (
        "src/app.py", "src/deep/er/mod.rs", "src/naïve.py", "docs/設計.md", "README.md", "Makefile",
        "build-1", "my file.txt", "pages/[id].tsx", "a-b_c.d.e", ".gitignore", ".github/ci.yml",
        ".git/config", "sub/.git/config",
    ):  # fmt: skip
        path = root / place
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(place, encoding="utf-8")
    (tmp_path / "outside.py").write_text("secret")
    return root


def state_of(repo, path, digest):
    return stale.Tree(str(repo)).state([path, digest, []]).word


def test_a_file_is_unchanged_changed_or_deleted(repo):
    [[path, digest, _]] = cited.cited("src/app.py", str(repo))
    assert state_of(repo, path, digest) == stale.UNCHANGED
    (repo / path).write_text("other")
    assert state_of(repo, path, digest) == stale.CHANGED
    (repo / path).write_text("src/app.py")
    assert state_of(repo, path, digest) == stale.UNCHANGED
    (repo / path).unlink()
    assert state_of(repo, path, digest) == stale.DELETED


def test_a_file_that_was_never_hashed_is_not_checked_but_may_be_deleted(repo):
    assert state_of(repo, "src/app.py", "") == stale.UNCHECKED
    assert state_of(repo, "src/gone.py", "") == stale.DELETED


@pytest.mark.parametrize(
    "path",
    ["../../etc/passwd", "/etc/passwd", "../outside.py", "src/app.py\0", "\0", "", ".", "/", ".git/config",
     "sub/.git/config", "src", "src/../..", "/dev/zero"],
)  # fmt: skip
def test_a_hostile_path_is_not_looked_at(repo, path, monkeypatch):
    opened = []
    real = open
    monkeypatch.setattr("builtins.open", lambda file, *a, **k: opened.append(file) or real(file, *a, **k))
    assert state_of(repo, path, "0" * 64) == stale.UNCHECKED
    assert opened == []


def test_a_tree_that_is_gone_deletes_nothing(repo):
    assert state_of(repo / "gone", "src/app.py", "0" * 64) == stale.UNCHECKED


def test_a_tree_hashes_each_file_once_and_no_more_than_its_share(repo, monkeypatch):
    hashed = []
    real = stale.hash_of
    monkeypatch.setattr(stale, "hash_of", lambda path: hashed.append(path) or real(path))
    tree = stale.Tree(str(repo))
    assert {tree.state(["src/app.py", "0" * 64, []]).word for _ in range(5)} == {stale.CHANGED}
    assert len(hashed) == 1
    tree.room = 3
    assert tree.state(["README.md", "0" * 64, []]).word == stale.UNCHECKED
    assert len(hashed) == 1


def test_where_no_root_is_known_the_current_folder_is_not_taken_for_it(tmp_path, monkeypatch):
    (tmp_path / "app.py").write_text("x = 1\n")
    monkeypatch.chdir(tmp_path)
    assert cited.cited("see `app.py`", "") == []
    tree = stale.Tree("")
    for path in ("app.py", "gone.py", str(tmp_path / "app.py"), "../x", ""):
        assert tree.state([path, "0" * 64, []]).word == stale.UNCHECKED

"""Which files of a tree a text cites."""

import hashlib
import os

import pytest
from hypothesis import given
from hypothesis import strategies as st

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


def paths(text, root, folder=""):
    return [path for path, *_ in cited.cited(text, str(root), str(folder) if folder else "")]


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("see src/app.py", "src/app.py"),
        ("src/app.py:10 is wrong", "src/app.py"),
        ("src/app.py:10:4: error", "src/app.py"),
        ("src/app.py:10-20,", "src/app.py"),
        ("src/app.py#L10-L20.", "src/app.py"),
        ("`src/app.py`", "src/app.py"),
        ("`src/app.py:10`", "src/app.py"),
        ("`src/app.py:10-20`", "src/app.py"),
        ("`src/app.py:10:4`", "src/app.py"),
        ("`src/app.py#L10-L20`", "src/app.py"),
        ("`src/app.py(12)`", "src/app.py"),
        ("(src/app.py)", "src/app.py"),
        ("[the app](src/app.py)", "src/app.py"),
        ("<src/app.py>", "src/app.py"),
        ("**src/app.py**", "src/app.py"),
        ('"src/app.py"', "src/app.py"),
        ("'src/app.py';", "src/app.py"),
        ("It is src/app.py.", "src/app.py"),
        ("src/app.py...", "src/app.py"),
        ("src/app.py, and", "src/app.py"),
        ("src/app.py!", "src/app.py"),
        ("src/app.py…", "src/app.py"),
        ("./src/app.py", "src/app.py"),
        ("src/../src//app.py", "src/app.py"),
        ("tests in src/app.py::test_x", "src/app.py"),
        ("|src/app.py|", "src/app.py"),
        ("`Makefile`", "Makefile"),
        ("README.md", "README.md"),
        (".gitignore", ".gitignore"),
        (".github/ci.yml", ".github/ci.yml"),
        ("`my file.txt`", "my file.txt"),
        ("`pages/[id].tsx`", "pages/[id].tsx"),
        ("`build-1`", "build-1"),
        ("a-b_c.d.e", "a-b_c.d.e"),
        ("src/naïve.py", "src/naïve.py"),
        ("docs/設計.md", "docs/設計.md"),
        ("修正したsrc/app.pyを見て", "src/app.py"),
        ("「src/app.py」を", "src/app.py"),
        ("（src/app.py：10）", "src/app.py"),
        ("docs/設計.mdを見て", "docs/設計.md"),
        ("docs/設計.md、他", "docs/設計.md"),
        ("변경:src/app.py에서", "src/app.py"),
        ("src/deep/er/mod.rs:1:1", "src/deep/er/mod.rs"),
    ],
)
def test_a_path_is_found_as_people_write_it(repo, text, path):
    assert paths(text, repo) == [path]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "no paths here. None at all.",
        "Makefile",  # a word, not a path
        "src",
        "src/",
        "`src`",
        ".",
        "..",
        "/",
        "../outside.py",
        "src/../../outside.py",
        "`../outside.py`",
        "/etc/passwd",
        "`/etc/passwd:1`",
        ".git/config",
        "`.git/config`",
        "src/../.git/config",
        ".git/config",
        "sub/.git/config",
        "nothing/here.py",
        "src/app.py/x.py",
        "`src/app.py\x00.txt`",
        "~/.ssh/id_rsa",
        "https://example.org/README.md",
        "x" * 5000 + "/" + "y" * 5000 + ".py",
    ],
)
def test_what_is_no_file_of_the_repository_is_not_cited(repo, text):
    assert paths(text, repo) == []


def test_an_absolute_path_inside_the_repository_is_cited_relative(repo):
    assert paths(f"{repo}/src/app.py:3 and `{repo}/my file.txt`", repo) == ["my file.txt", "src/app.py"]


def test_a_neighbour_whose_name_begins_alike_is_outside(repo):
    other = repo.parent / "repo-old"
    other.mkdir()
    (other / "x.py").write_text("x")
    assert paths(f"{other}/x.py", repo) == []


def test_a_path_is_relative_to_the_root_or_to_where_the_session_stands(repo):
    assert paths("mod.rs er/mod.rs", repo) == []
    assert paths("mod.rs er/mod.rs app.py README.md", repo, repo / "src/deep/er") == [
        "src/deep/er/mod.rs",
        "README.md",
    ]
    assert paths("../app.py", repo, repo / "src/deep") == ["src/app.py"]
    assert paths("outside.py", repo, repo.parent) == []


@pytest.mark.parametrize(
    ("text", "paths"),
    [
        ("see Makefile:12 for it", ["Makefile"]),
        ("(Makefile:3)", ["Makefile"]),
        ("Makefile:1", ["Makefile"]),
        ("Makefile alone is a word", []),
        ("x/Makefile:12", []),
        ("at 10:15, Makefile: nothing", []),
    ],
)
def test_a_name_without_a_dot_is_a_file_where_a_line_follows(repo, text, paths):
    with open(os.path.join(repo, "Makefile"), "w", encoding="utf-8") as f:
        f.write("all:\n")
    assert [path for path, *_ in cited.cited(text, repo)] == paths


def test_a_file_is_cited_once_with_its_hash(repo):
    digest = hashlib.sha256(b"src/app.py").hexdigest()
    assert cited.cited("src/app.py ./src/app.py `src/app.py:3`", str(repo)) == [["src/app.py", digest, []]]


def test_files_come_in_the_order_they_are_named_in(repo):
    assert paths("README.md then src/app.py then .gitignore", repo) == [
        "README.md",
        "src/app.py",
        ".gitignore",
    ]


def test_no_file_is_reached_through_a_link_that_leaves_the_repository(repo):
    (repo / "leak.py").symlink_to(repo.parent / "outside.py")
    (repo / "up").symlink_to(repo.parent)
    (repo / "git.txt").symlink_to(repo / ".git/config")
    (repo / "loop.py").symlink_to("loop.py")
    assert paths("leak.py up/outside.py git.txt loop.py", repo) == []
    tree = stale.Tree(str(repo))
    for path in ("leak.py", "up/outside.py", "git.txt"):
        assert tree.state([path, "0" * 64, []]).word == stale.UNCHECKED


def test_a_link_inside_the_repository_and_a_linked_root_are_followed(repo):
    (repo / "alias.py").symlink_to("src/app.py")
    (repo.parent / "link").symlink_to(repo)
    assert paths("alias.py", repo) == ["alias.py"]
    assert paths(f"src/app.py {repo}/README.md", repo.parent / "link") == ["src/app.py", "README.md"]


def test_only_plain_files_are_opened(repo):
    os.mkfifo(repo / "pipe.log")
    (repo / "folder.py").mkdir()
    (repo / "null.dev").symlink_to("/dev/zero")
    assert paths("pipe.log folder.py null.dev /dev/zero", repo) == []
    assert stale.Tree(str(repo)).state(["pipe.log", "0" * 64, []]).word == stale.UNCHECKED


def test_a_folder_that_is_the_whole_disk_or_gone_cites_nothing(repo):
    assert paths("etc/hostname /etc/passwd", "/") == []
    assert paths("src/app.py", repo / "gone") == []


def test_a_large_file_is_cited_without_a_hash(repo):
    with open(repo / "big.bin", "wb") as f:
        f.truncate(stale.LARGEST + 1)
    assert cited.cited("big.bin", str(repo)) == [["big.bin", "", []]]
    assert stale.Tree(str(repo)).state(["big.bin", "0" * 64, []]).word == stale.UNCHECKED


def test_what_is_hashed_for_one_answer_is_bounded(repo):
    for n in range(5):
        with open(repo / f"big{n}.bin", "wb") as f:
            f.truncate(15_000_000)
    digests = [digest for _, digest, _ in cited.cited(" ".join(f"big{n}.bin" for n in range(5)), str(repo))]
    assert [bool(digest) for digest in digests] == [True, True, True, False, False]


def test_a_huge_text_costs_a_bounded_number_of_looks(repo, monkeypatch):
    looks = []
    real = os.stat
    monkeypatch.setattr(os, "stat", lambda path, **named: looks.append(path) or real(path, **named))
    text = "src/app.py " + " ".join(f"`span {n}` a/b{n}.py" for n in range(200_000))
    assert paths(text, repo) == ["src/app.py"]
    assert len(looks) < 3 * cited.MOST_TRIED


def test_code_spans_leave_room_for_paths_in_sentences(repo):
    assert paths(" ".join(f"`x{n}`" for n in range(1_000)) + " see src/app.py", repo) == ["src/app.py"]


def test_no_more_files_are_cited_than_an_answer_may_keep(repo):
    for n in range(60):
        (repo / f"f{n}.py").write_text("x")
    assert len(paths(" ".join(f"f{n}.py" for n in range(60)), repo)) == cited.MOST_CITED


@pytest.mark.parametrize("part", [":1", "(1)", "#1", "#L1-L2", ":1-1,1", "-L1", ":"])
def test_a_row_of_line_numbers_that_ends_in_a_letter_does_not_hang(repo, part):
    text = " ".join(["`a" + part * (290 // len(part)) + "x`"] * 50)
    assert paths(text, repo) == []


@given(st.text(st.sampled_from("ab/.:#L()1-`, \n\\\0é。~*"), max_size=60))
def test_no_text_makes_citing_fail(tmp_path_factory, text):
    root = tmp_path_factory.getbasetemp()
    for path in paths(text, root):
        assert not path.startswith(("/", "..")) and ".git" not in path.split("/")

"""One project, whatever path, clone, branch or worktree it is seen from."""

import os
import shutil

import pytest

from project import repos
from project.repos import find, prompted


@pytest.fixture
def top(tmp_path):
    return repos.repo(tmp_path / "work" / "app")


def test_a_repository_is_known_by_its_root_commit(top):
    place = find(top)
    assert (place.identity, place.root, place.provisional) == (repos.root_of(top), top, False)
    assert place.name == "app-" + place.identity[:8]


def test_a_sub_folder_belongs_to_its_repository(top):
    deep = os.path.join(top, "src", "deep")
    os.makedirs(deep)
    first = find(deep)
    assert (first.root, find(top).name) == (top, first.name)
    assert prompted(deep).name == first.name


def test_a_folder_inside_the_git_folder_belongs_to_its_repository(top):
    assert find(os.path.join(top, ".git", "refs")).name == find(top).name


def test_a_worktree_shares_the_project_and_has_a_root_of_its_own(top, tmp_path):
    side = repos.worktree(top, tmp_path / "side")
    assert find(top).name == find(side).name == prompted(side).name
    assert (find(top).root, find(side).root) == (top, side)


def test_a_worktree_inside_the_checkout_has_its_own_root_under_the_anchor(top):
    side = repos.worktree(top, os.path.join(top, ".claude", "worktrees", "side"))
    place = find(side, anchor=top)
    assert (place.name, place.root) == (find(top).name, side)


@pytest.mark.parametrize("first", ["main", "side"])
def test_a_removed_worktree_still_leads_to_its_project(top, tmp_path, first):
    side = repos.worktree(top, tmp_path / "side")
    for folder in (top, side) if first == "main" else (side, top):
        place = find(folder)
    repos.git(top, "worktree", "remove", "--force", side)
    for folder in (side, os.path.join(side, "src")):
        for look in (find, prompted):
            assert look(folder).name == place.name
            assert look(folder).root == top
    assert repos.projects() == [place.name]


def test_a_worktree_found_first_and_removed_still_leads_to_its_project(top, tmp_path):
    side = repos.worktree(top, tmp_path / "side")
    name = find(side).name
    repos.git(top, "worktree", "remove", "--force", side)
    assert prompted(side).name == find(side).name == name
    assert repos.projects() == [name]


def test_what_is_left_of_a_removed_worktree_leads_to_its_project(top, tmp_path):
    side = repos.worktree(top, tmp_path / "side")
    name = find(side).name
    repos.git(top, "worktree", "remove", "--force", side)
    os.makedirs(os.path.join(side, "node_modules"))
    assert find(os.path.join(side, "node_modules")).name == name
    assert repos.projects() == [name]


def test_a_removed_worktree_behind_a_symlink_still_leads_to_its_project(top, tmp_path):
    side = repos.worktree(top, tmp_path / "work" / "side")
    name = find(side).name
    (tmp_path / "link").symlink_to(tmp_path / "work")
    shutil.rmtree(side)
    assert find(tmp_path / "link" / "side").name == name


def test_a_removed_worktree_that_nobody_looked_from_is_no_project(top, tmp_path):
    find(top)
    assert find(tmp_path / "never-seen") is None
    assert find(os.path.join(top, "never-seen")).name == find(top).name
    assert len(repos.projects()) == 1


def test_the_old_path_of_a_moved_checkout_leads_to_its_project(top, tmp_path):
    name = find(top).name
    os.rename(top, tmp_path / "elsewhere")
    assert prompted(top).name == find(top).name == name
    assert find(tmp_path / "elsewhere").name == name
    assert repos.projects() == [name]


@pytest.mark.parametrize("seen_before", [False, True])
def test_a_clone_shares_the_project(top, tmp_path, seen_before):
    other = repos.clone(top, tmp_path / "another-name")
    if seen_before:
        repos.note(prompted(other))
    assert find(top).name == find(other).name == prompted(other).name
    assert len(repos.projects()) == 1
    assert (find(top).root, find(other).root) == (top, other)


def test_a_moved_checkout_keeps_what_it_had_after_git_was_asked(top, tmp_path):
    before = find(top)
    saved = repos.note(before)
    moved = str(tmp_path / "moved" / "renamed")
    os.makedirs(os.path.dirname(moved))
    os.rename(top, moved)
    meanwhile = prompted(moved)
    assert meanwhile.provisional
    later = repos.note(meanwhile, "20261103-101500-ffff")
    after = find(moved)
    assert after.name == before.name
    assert repos.holds(after, saved)
    assert repos.holds(after, later)
    assert repos.projects() == [before.name]


def test_a_prompt_in_a_moved_repository_takes_nothing_from_the_project_of_its_worktree(top, tmp_path):
    side = repos.worktree(top, tmp_path / "side")
    before = find(side)
    saved = repos.note(before)
    moved = tmp_path / "moved"
    os.rename(top, moved)
    repos.git(moved, "worktree", "repair", side)
    assert prompted(side).name != before.name
    assert repos.holds(before, saved)
    assert find(side).name == before.name
    assert repos.projects() == [before.name]


def test_another_repository_at_a_known_path_is_another_project(top):
    before = find(top)
    shutil.rmtree(top)
    repos.repo(top, "another")
    assert prompted(top).name != before.name
    after = find(top)
    assert (after.identity, after.name == before.name) == (repos.root_of(top), False)
    assert sorted([before.name, after.name]) == repos.projects()


def test_a_submodule_is_its_own_project(top, tmp_path):
    library = repos.repo(tmp_path / "library", "of the library")
    repos.git(top, "submodule", "--quiet", "add", library, "sub")
    inside = os.path.join(top, "sub")
    assert find(inside).name == find(library).name != find(top).name
    assert find(inside).root == inside


def test_a_session_of_the_superproject_stays_there_in_a_submodule(top, tmp_path):
    library = repos.repo(tmp_path / "library", "of the library")
    repos.git(top, "submodule", "--quiet", "add", library, "sub")
    place = find(os.path.join(top, "sub"), anchor=top)
    assert (place.name, place.root) == (find(top).name, top)
    assert find(os.path.join(top, "sub"), anchor=os.path.join(top, "sub")).name == find(library).name


def test_a_session_in_a_sub_folder_belongs_to_the_repository(top):
    inside = os.path.join(top, "src")
    os.makedirs(inside)
    assert find(inside, anchor=top).name == find(top, anchor=inside).name == find(top).name


def test_an_anchor_elsewhere_says_nothing(top, tmp_path):
    other = repos.repo(tmp_path / "other", "other")
    for anchor in (other, top + "-not", "relative", "", str(tmp_path / "gone")):
        assert find(top, anchor=anchor).root == top


def test_two_repositories_with_one_folder_name_never_share(tmp_path):
    one = repos.repo(tmp_path / "a" / "app", "one")
    two = repos.repo(tmp_path / "b" / "app", "two")
    assert find(one).name != find(two).name
    assert [name[:4] for name in repos.projects()] == ["app-", "app-"]


def test_folders_that_differ_in_case_alone_are_two_projects(tmp_path):
    (tmp_path / "notes").mkdir()
    (tmp_path / "Notes").mkdir()
    if os.path.samefile(tmp_path / "notes", tmp_path / "Notes"):
        pytest.skip("this file system takes them for one")
    assert find(tmp_path / "notes").name != find(tmp_path / "Notes").name


def test_a_folder_without_git_is_a_project_with_all_below_it(tmp_path):
    below = tmp_path / "papers" / "2026"
    below.mkdir(parents=True)
    place = find(tmp_path / "papers")
    assert (place.provisional, place.root) == (False, str(tmp_path / "papers"))
    assert prompted(below).name == find(below).name == place.name
    assert find(below).root == place.root


def test_two_folders_with_one_name_and_no_git_never_share(tmp_path):
    (tmp_path / "a" / "papers").mkdir(parents=True)
    (tmp_path / "b" / "papers").mkdir(parents=True)
    assert find(tmp_path / "a" / "papers").name != find(tmp_path / "b" / "papers").name


def test_a_bare_repository_and_the_worktrees_beside_it_are_one_project(top, tmp_path):
    bare = repos.clone(top, tmp_path / "all" / "app.git", "--bare")
    one = repos.worktree(bare, tmp_path / "all" / "one", "one")
    two = repos.worktree(bare, tmp_path / "all" / "two", "two")
    name = find(one).name
    assert {find(two).name, find(bare).name, find(top).name, prompted(two).name} == {name}
    assert [find(folder).root for folder in (one, two, bare)] == [one, two, bare]
    assert name.startswith("app-")


def test_a_folder_that_points_to_a_bare_repository_inside_gives_its_name(top, tmp_path):
    around = tmp_path / "around"
    repos.clone(top, around / ".bare", "--bare")
    (around / ".git").write_text("gitdir: ./.bare\n")
    side = repos.worktree(around / ".bare", around / "side")
    assert find(side).name == find(around).name
    assert find(around).name.startswith("around-")


def test_a_git_folder_elsewhere_or_behind_a_symlink_is_one_place(top, tmp_path):
    name = find(top).name
    os.rename(os.path.join(top, ".git"), tmp_path / "kept.git")
    os.symlink(tmp_path / "kept.git", os.path.join(top, ".git"))
    assert find(top).name == name
    os.unlink(os.path.join(top, ".git"))
    with open(os.path.join(top, ".git"), "w", encoding="utf-8") as f:
        f.write(f"gitdir: {tmp_path / 'kept.git'}\n")
    assert find(top).name == prompted(top).name == name
    assert repos.projects() == [name]


def test_a_symlink_to_a_checkout_is_that_checkout(top, tmp_path):
    (tmp_path / "link").symlink_to(top)
    assert find(tmp_path / "link").root == top
    assert prompted(tmp_path / "link").name == find(top).name


ODD = [
    "two words", "it's", 'a "quoted" one', "new\nline", "trailing ", " leading", "日本語のフォルダ", "-dash",
    "$HOME", "e\u0301", "a%b?c#d", "back\\slash", os.fsdecode(b"caf\xe9"), "x" * 200, "数" * 80, "😀" * 60,
    "tab\t",
]  # fmt: skip


@pytest.mark.parametrize("name", ODD, ids=ascii)
def test_odd_names_of_folders_are_projects_like_any_other(tmp_path, name):
    top = repos.repo(tmp_path / name / name)
    side = repos.worktree(top, tmp_path / name / (name[:60] + "-side"))
    place = find(side)
    assert (place.identity, place.root) == (repos.root_of(top), side)
    assert find(top).name == prompted(side).name == prompted(top).name == place.name
    assert repos.projects() == [place.name]
    assert len(os.fsencode(place.name)) < 255
    plain = tmp_path / name / (name[:60] + "-plain")
    plain.mkdir()
    assert find(plain).name == prompted(plain).name != place.name


def test_a_git_file_that_points_nowhere_makes_a_folder_of_its_own(tmp_path):
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / ".git").write_text("gitdir: /nowhere/at/all\n")
    place = find(tmp_path / "broken")
    assert (place.root, place.provisional) == (str(tmp_path / "broken"), False)


@pytest.mark.parametrize("text", [b"", b"\xff\xfe\0", b"gitdir:", b"gitdir: \n", b"gitdir: .\n", b"nonsense"])
def test_a_git_file_that_is_none_is_passed_over(tmp_path, text):
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / ".git").write_bytes(text)
    assert find(tmp_path / "broken").root == str(tmp_path / "broken")


def test_a_worktree_whose_repository_moved_keeps_its_project(top, tmp_path):
    side = repos.worktree(top, tmp_path / "side")
    name = find(side).name
    os.rename(top, tmp_path / "moved")
    assert prompted(side).name == find(side).name == name

"""Root commits, and what stands for them: no commit yet, shallow clones, several roots, no git yet."""

import json
import os

import pytest

from foreword import memory, project
from project import repos
from project.repos import find, prompted


def log(place, *added):
    with open(os.path.join(place.folder, "prompts.log"), "a", encoding="utf-8") as f:
        f.writelines(line + "\n" for line in added)


def lines(path):
    with open(path, encoding="utf-8") as f:
        return f.read().splitlines()


def logged(place):
    return lines(os.path.join(place.folder, "prompts.log"))


# -- before the first commit ------------------------------------------------------------------------


@pytest.fixture
def unborn(tmp_path):
    """A repository without any commit."""
    top = tmp_path / "young"
    top.mkdir()
    repos.git(top, "init", "-q", "-b", "main")
    return str(top)


def test_a_repository_without_a_commit_is_a_provisional_project(unborn):
    place = find(unborn)
    assert (place.provisional, place.root) == (True, unborn)
    assert find(unborn).name == prompted(unborn).name == place.name


def test_after_the_first_commit_everything_of_before_is_there(unborn):
    before = find(unborn)
    saved = repos.note(before)
    log(before, '{"one":1}', '{"two":2}')
    memory.set_switch(before, "off")
    repos.commit(unborn, "first")
    assert prompted(unborn).name == before.name
    after = find(unborn)
    assert (after.identity, after.provisional) == (repos.root_of(unborn), False)
    assert repos.holds(after, saved)
    assert logged(after) == ['{"one":1}', '{"two":2}']
    assert memory.get_switch(after)["configured"] == "off"
    assert repos.projects() == [after.name]
    assert prompted(unborn).name == after.name


def test_the_switch_of_a_known_project_stands_when_another_is_joined(tmp_path):
    top = repos.repo(tmp_path / "app")
    memory.set_switch(find(top), "on")
    other = repos.clone(top, tmp_path / "other")
    memory.set_switch(prompted(other), "off")
    assert memory.get_switch(find(other))["configured"] == "on"


def test_joining_puts_the_lines_of_a_log_behind_those_of_the_known_project(tmp_path):
    top = repos.repo(tmp_path / "app")
    log(find(top), "known")
    other = repos.clone(top, tmp_path / "other")
    log(prompted(other), "joined")
    assert logged(find(other)) == ["known", "joined"]


def test_joining_keeps_the_older_files_of_a_rotated_log(tmp_path):
    top = repos.repo(tmp_path / "app")
    log(find(top), "known")
    other = repos.clone(top, tmp_path / "other")
    before = prompted(other)
    log(before, "now")
    for n, line in ((1, "yesterday"), (2, "last week")):
        with open(os.path.join(before.folder, f"prompts.log.{n}"), "w", encoding="utf-8") as f:
            f.write(line + "\n")
    assert logged(find(other)) == ["known", "last week", "yesterday", "now"]
    assert len(repos.projects()) == 1


def test_joining_keeps_two_notes_with_one_name(tmp_path):
    top = repos.repo(tmp_path / "app")
    known = find(top)
    saved = repos.note(known)
    with open(os.path.join(known.folder, saved), "a", encoding="utf-8") as f:
        f.write("Edited.\n")
    other = repos.clone(top, tmp_path / "other")
    repos.note(prompted(other))
    after = find(other)
    folder = os.path.dirname(os.path.join(after.folder, saved))
    texts = [lines(os.path.join(folder, name)) for name in os.listdir(folder)]
    assert sorted(map(len, texts)) == [1, 2]


def test_joining_leaves_files_that_are_not_ours(tmp_path):
    top = repos.repo(tmp_path / "app")
    find(top)
    other = repos.clone(top, tmp_path / "other")
    before = prompted(other)
    with open(os.path.join(before.folder, "mine.txt"), "w", encoding="utf-8") as f:
        f.write("of the user")
    find(other)
    assert os.listdir(before.folder) == ["mine.txt"]


def test_joining_goes_on_after_a_crash_in_between(tmp_path, monkeypatch):
    top = repos.repo(tmp_path / "app")
    find(top)
    other = repos.clone(top, tmp_path / "other")
    before = prompted(other)
    saved = [repos.note(before, f"20261103-10150{n}-a1b2") for n in range(5)]
    memory.set_switch(before, "off")
    real = os.rename
    for n in range(3):  # each try moves one more
        left = iter(range(n))

        def crash(source, target, left=left):
            if next(left, None) is None:
                raise OSError(5, "the disk is gone")
            real(source, target)

        with monkeypatch.context() as crashing:
            crashing.setattr(os, "rename", crash)
            with pytest.raises(OSError, match="the disk is gone"):
                find(other)
    after = find(other)
    assert all(repos.holds(after, at) for at in saved)
    assert memory.get_switch(after)["configured"] == "off"
    assert repos.projects() == [after.name]


def test_what_a_hook_saved_while_its_project_was_joined_is_gathered(tmp_path):
    top = repos.repo(tmp_path / "app")
    other = repos.clone(top, tmp_path / "other")
    held = prompted(other)  # a hook that is still at work
    after = find(other)
    late = repos.note(held)
    log(held, "late")
    assert not repos.holds(after, late)
    project.gather(repos.home())
    assert repos.holds(after, late)
    assert logged(after) == ["late"]
    assert repos.projects() == [after.name]


def test_gathering_leaves_projects_alone_that_merely_lost_their_record(tmp_path):
    place = find(repos.repo(tmp_path / "app"))
    saved = repos.note(place)
    os.unlink(project.record_path(place.folder))
    project.gather(repos.home())
    assert repos.holds(place, saved)


# -- folders before they were repositories ----------------------------------------------------------


@pytest.mark.parametrize("committed", [False, True])
@pytest.mark.parametrize("look", [find, prompted])
def test_a_folder_known_before_git_init_is_joined(tmp_path, committed, look):
    top = tmp_path / "papers"
    top.mkdir()
    saved = repos.note(find(top))
    repos.git(top, "init", "-q", "-b", "main")
    if committed:
        repos.commit(str(top), "first")
    place = look(top)
    assert repos.holds(place, saved)
    assert repos.projects() == [place.name]
    if not committed:
        repos.commit(str(top), "first")
    after = find(top)
    assert repos.holds(after, saved)
    assert (after.identity, repos.projects()) == (repos.root_of(top), [after.name])


def test_a_sub_folder_known_before_git_init_is_joined(tmp_path):
    below = tmp_path / "papers" / "2026"
    below.mkdir(parents=True)
    saved = repos.note(find(below))
    repos.git(tmp_path / "papers", "init", "-q", "-b", "main")
    repos.commit(str(tmp_path / "papers"), "first")
    find(tmp_path / "papers")
    assert repos.holds(find(below), saved)
    assert len(repos.projects()) == 1


def test_a_repository_inside_a_known_folder_is_a_project_of_its_own(tmp_path):
    (tmp_path / "all").mkdir()
    around = find(tmp_path / "all")
    saved = repos.note(around)
    inside = find(repos.repo(tmp_path / "all" / "app"))
    assert inside.name != around.name
    assert repos.holds(around, saved)


# -- shallow clones ---------------------------------------------------------------------------------


@pytest.fixture
def deep(tmp_path):
    """A repository with three commits."""
    top = repos.repo(tmp_path / "deep")
    repos.commit(top, "second")
    repos.commit(top, "third")
    return top


def shallow(origin, to):
    return repos.clone("file://" + origin, to, "--depth", "1")


def test_a_shallow_clone_shares_with_its_origin_on_this_machine(deep, tmp_path):
    small = shallow(deep, tmp_path / "small")
    assert find(small).identity == repos.root_of(deep)
    assert find(deep).name == find(small).name == prompted(small).name


def test_a_shallow_clone_is_asked_about_again_only_after_it_is_whole(deep, tmp_path, monkeypatch):
    small = shallow(deep, tmp_path / "small")
    name = find(small).name
    repos.put_on_path(tmp_path, monkeypatch, f"echo asked >> {tmp_path}/asked\nexit 1\n")
    assert find(small).name == name
    assert not (tmp_path / "asked").exists()


def url_of(top, url):
    repos.git(top, "remote", "set-url", "origin", url)


URLS = [
    "https://example.invalid/team/app.git", "https://user:secret@Example.invalid/team/app",
    "ssh://git@example.invalid/team/app.git", "git@example.invalid:team/app.git", "example.invalid:team/app/",
]  # fmt: skip


def test_shallow_clones_of_one_remote_share_however_it_is_spelled(deep, tmp_path):
    names = set()
    for n, url in enumerate(URLS):
        small = shallow(deep, tmp_path / f"small{n}")
        url_of(small, url)
        names.add(find(small).name)
    assert len(names) == 1


def test_the_password_in_a_remote_reaches_no_file(deep, tmp_path):
    small = shallow(deep, tmp_path / "small")
    url_of(small, URLS[1])
    find(small)
    texts = []
    for at, _, names in os.walk(repos.home()):
        for name in names:
            with open(os.path.join(at, name), "rb") as f:
                texts.append(f.read())
    assert texts
    assert b"secret" not in b"".join(texts)


def test_shallow_clones_of_other_remotes_never_share(deep, tmp_path):
    names = set()
    for n, url in enumerate(["https://a.invalid/x", "https://b.invalid/x", "https://a.invalid/y"]):
        small = shallow(deep, tmp_path / str(n) / "small")
        url_of(small, url)
        names.add(find(small).name)
    assert len(names) == 3


def test_relative_remotes_do_not_make_two_repositories_one(deep, tmp_path):
    names = set()
    for n in range(2):
        small = shallow(deep, tmp_path / str(n) / "small")
        url_of(small, "../origin")
        names.add(find(small).name)
    assert len(names) == 2


def test_a_shallow_clone_joins_the_full_clone_of_its_remote_once_that_is_known(deep, tmp_path):
    small = shallow(deep, tmp_path / "small")
    full = repos.clone(deep, tmp_path / "full")
    for top in (small, full):
        url_of(top, URLS[0])
    saved = repos.note(find(small))
    name = find(full).name
    assert find(small).name == prompted(small).name == name
    assert repos.holds(find(full), saved)
    assert repos.projects() == [name]


def test_a_shallow_clone_without_a_remote_is_provisional_until_it_is_whole(deep, tmp_path):
    small = shallow(deep, tmp_path / "small")
    repos.git(small, "remote", "remove", "origin")
    saved = repos.note(find(small))
    assert find(small).provisional
    repos.git(small, "fetch", "-q", "--unshallow", "file://" + deep)
    after = find(small)
    assert (after.name, repos.holds(after, saved)) == (find(deep).name, True)


def test_a_shallow_clone_made_whole_joins_the_project_of_its_root(deep, tmp_path):
    small = shallow(deep, tmp_path / "small")
    url_of(small, URLS[0])
    before = find(small)
    saved = repos.note(before)
    memory.set_switch(before, "on")
    url_of(small, "file://" + deep)
    repos.git(small, "fetch", "-q", "--unshallow")
    after = find(small)
    assert (after.identity, after.provisional) == (repos.root_of(deep), False)
    assert repos.holds(after, saved)
    assert memory.get_switch(after)["configured"] == "on"
    assert find(deep).name == after.name
    assert repos.projects() == [after.name]


def test_a_clone_made_whole_is_not_asked_about_for_ever(deep, tmp_path, monkeypatch):
    small = shallow(deep, tmp_path / "small")
    find(small)
    repos.git(small, "fetch", "-q", "--unshallow")
    name = find(small).name
    repos.put_on_path(tmp_path, monkeypatch, f"echo asked >> {tmp_path}/asked\nexit 1\n")
    place = find(small)
    assert (place.name, place.provisional) == (name, False)
    assert not (tmp_path / "asked").exists()


def test_another_shallow_clone_follows_a_project_that_was_joined(deep, tmp_path):
    one, two = (shallow(deep, tmp_path / name / "small") for name in ("one", "two"))
    for top in (one, two):
        url_of(top, URLS[0])
        shared = find(top).name
    url_of(one, "file://" + deep)
    repos.git(one, "fetch", "-q", "--unshallow")
    after = find(one)
    assert after.name != shared
    assert prompted(two).name == after.name
    assert repos.projects() == [after.name]


# -- several roots ----------------------------------------------------------------------------------


def identities(*tops):
    """What is told of each, by a store that knows none of them."""
    return {project.identify(os.path.join(top, ".git"), repos.home())[0] for top in tops}


@pytest.mark.parametrize("branch", ["main", "master", "trunk"])
def test_a_branch_for_pages_changes_no_identity_whatever_is_checked_out(tmp_path, branch):
    top = repos.repo(tmp_path / "app", branch=branch)
    root = repos.root_of(top)
    repos.orphan(top, "gh-pages", "pages", 1_700_500_000)
    from_pages = repos.clone(top, tmp_path / "from-pages")
    repos.git(top, "checkout", "-q", branch)
    from_code = repos.clone(top, tmp_path / "from-code")
    assert identities(top, from_code, from_pages) == {root}
    for each in (top, from_code, from_pages):
        repos.git(each, "checkout", "-q", "gh-pages")
    assert identities(top, from_code, from_pages) == {root}
    repos.git(top, "checkout", "-q", "--detach", "gh-pages")
    assert identities(top) == {root}


@pytest.mark.parametrize("when", [1_600_000_000, 1_700_500_000], ids=["older", "younger"])
def test_a_history_merged_in_changes_no_identity(tmp_path, when):
    top = repos.repo(tmp_path / "app")
    root = repos.root_of(top)
    other = repos.repo(tmp_path / "other", "other", when=when)
    repos.git(top, "fetch", "-q", other, "main")
    repos.git(top, "merge", "-q", "--allow-unrelated-histories", "-X", "ours", "-m", "merge", "FETCH_HEAD")
    assert len(repos.root_of(top).split()) == 2
    assert identities(top, repos.clone(top, tmp_path / "clone")) == {root}


def test_replaced_commits_change_no_identity(tmp_path):
    top = repos.repo(tmp_path / "app")
    root = repos.root_of(top)
    second = repos.commit(top, "second")
    repos.git(top, "replace", "--graft", second)
    assert identities(top, repos.clone(top, tmp_path / "clone")) == {root}


def test_a_detached_head_without_any_branch_is_known_by_its_root(tmp_path):
    top = repos.repo(tmp_path / "app")
    root = repos.root_of(top)
    repos.git(top, "checkout", "-q", "--detach")
    repos.git(top, "branch", "-q", "-D", "main")
    assert identities(top) == {root}


def test_a_fork_shares_the_project(tmp_path):
    top = repos.repo(tmp_path / "app")
    fork = repos.clone(top, tmp_path / "fork")
    repos.commit(fork, "of the fork")
    repos.git(fork, "remote", "rename", "origin", "upstream")
    assert find(fork).name == find(top).name


def test_project_json_tells_names_paths_and_remotes_seen(tmp_path):
    top = repos.repo(tmp_path / "app")
    other = repos.clone(top, tmp_path / "other")
    url_of(other, URLS[1])
    find(top)
    with open(project.record_path(find(other).folder), encoding="utf-8") as f:
        record = json.load(f)
    assert record == {
        "format": 1,
        "identity": repos.root_of(top),
        "names": ["app", "other"],
        "paths": [top, other],
        "remotes": ["example.invalid/team/app"],
    }

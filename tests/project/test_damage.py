"""Damaged, missing and forged records; many processes at once; what a look costs in a large store."""

import json
import os
import shutil
import subprocess
import sys

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from foreword import git, project
from hook import events
from project import repos
from project.repos import find, prompted


@pytest.fixture
def top(tmp_path):
    return repos.repo(tmp_path / "app")


DAMAGE = [
    b"", b"{", b"null", b"[]", b"17", b'"text"', b"{}", b"\xff\xfe", b"[" * 100_000, b'{"path":1}',
]  # fmt: skip


@pytest.mark.parametrize("damage", DAMAGE, ids=lambda raw: repr(raw[:12]))
def test_a_damaged_entry_is_made_anew(top, damage):
    name = find(top).name
    path = repos.entry(os.path.join(top, ".git"))
    with open(path, "rb") as f:
        whole = f.read()
    with open(path, "wb") as f:
        f.write(damage)
    assert find(top).name == name
    with open(path, "rb") as f:
        assert json.loads(f.read()) == json.loads(whole)
    assert repos.projects() == [name]


VALUES = st.one_of(
    st.none(), st.booleans(), st.integers(), st.text(), st.lists(st.text()), st.just("../../x")
)


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(
    field=st.sampled_from(["path", "project", "identity", "root", "provisional", "made", "of"]), value=VALUES
)
def test_no_wrong_value_in_an_entry_is_followed(top, field, value):
    name = find(top).name
    path = repos.entry(os.path.join(top, ".git"))
    with open(path, encoding="utf-8") as f:
        entry = json.load(f)
    for changed in ({**entry, field: value}, {key: entry[key] for key in entry if key != field}):
        with open(path, "w", encoding="utf-8") as f:
            json.dump(changed, f)
        for place in (prompted(top), find(top)):
            assert os.path.dirname(place.folder) == os.path.join(repos.home(), "projects")
    shutil.rmtree(os.path.join(repos.home(), "state"))
    assert find(top).name == name


def test_a_lost_state_folder_loses_no_project(top, tmp_path):
    (tmp_path / "papers").mkdir()
    names = [find(top).name, find(tmp_path / "papers").name]
    shutil.rmtree(os.path.join(repos.home(), "state"))
    assert [find(top).name, find(tmp_path / "papers").name] == names
    assert repos.projects() == sorted(names)


@pytest.mark.parametrize("damage", [None, *DAMAGE], ids=repr)
def test_a_project_whose_record_is_damaged_keeps_its_notes(top, tmp_path, damage):
    before = find(top)
    saved = repos.note(before)
    path = project.record_path(before.folder)
    os.unlink(path)
    if damage is not None:
        with open(path, "wb") as f:
            f.write(damage)
    other = repos.clone(top, tmp_path / "other")
    assert find(other).name == before.name
    assert repos.holds(find(other), saved)
    assert project.read_record(before.folder)["identity"] == before.identity
    assert repos.projects() == [before.name]


def test_a_damaged_record_is_set_aside_when_it_is_written_anew(top):
    place = find(top)
    for damage in (b"{half", b"[again]"):
        with open(project.record_path(place.folder), "wb") as f:
            f.write(damage)
        assert find(top).name == place.name
        assert project.read_record(place.folder)["identity"] == place.identity
    aside = [name for name in os.listdir(place.folder) if name.startswith("project.json.unreadable")]
    texts = []
    for name in aside:
        with open(os.path.join(place.folder, name), "rb") as f:
            texts.append(f.read())
    assert sorted(texts) == [b"[again]", b"{half"]


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(field=st.sampled_from(["identity", "names", "paths", "remotes", "switch"]), value=VALUES)
def test_wrong_values_in_a_record_are_survived(top, field, value):
    place = find(top)
    record = {**project.read_record(place.folder), field: value}
    with open(project.record_path(place.folder), "w", encoding="utf-8") as f:
        json.dump(record, f)
    shutil.rmtree(os.path.join(repos.home(), "state"))
    assert find(top).identity == place.identity
    shutil.rmtree(repos.home())


def test_unknown_keys_of_a_record_are_kept(top, tmp_path):
    place = find(top)
    project.write_record(place.folder, {**project.read_record(place.folder), "later": {"a": [1]}})
    find(repos.clone(top, tmp_path / "other"))
    assert project.read_record(place.folder)["later"] == {"a": [1]}


def test_a_deleted_project_folder_is_made_anew(top):
    place = find(top)
    shutil.rmtree(place.folder)
    assert not os.path.isdir(find(top, create=False).folder)
    assert prompted(top).name == place.name
    assert project.read_record(place.folder)["identity"] == place.identity


# -- eight digits in common -------------------------------------------------------------------------


def forge(top):
    """A project whose identity begins with the same eight digits; its folder."""
    root = repos.root_of(top)
    folder = os.path.join(repos.home(), "projects", f"{os.path.basename(top)}-{root[:8]}")
    os.makedirs(folder)
    project.write_record(folder, {"format": 1, "identity": root[:8] + "0" * 32})
    return folder


def test_two_identities_with_eight_digits_in_common_never_share(top, tmp_path):
    forged = forge(top)
    place = find(top)
    assert place.folder != forged
    assert place.name == f"app-{place.identity[:12]}"
    assert find(repos.clone(top, tmp_path / "another-name")).name == place.name
    assert project.read_record(forged)["identity"] == place.identity[:8] + "0" * 32


def test_a_read_before_anything_was_saved_gets_nobody_elses_project(top):
    forged = forge(top)
    assert find(top, create=False).folder != forged


# -- at once ----------------------------------------------------------------------------------------

FIND = """
import sys
from foreword import project
sys.stdin.read()
for _ in range(3):
    place = project.find(sys.argv[1], sys.argv[2], ask_git=sys.argv[3] == "ask")
print(place.name)
"""


def at_once(folders, asks):
    """Find from as many processes at once; the set of names they tell."""
    started = [
        repos.python(FIND, folder, repos.home(), ask, stdin=subprocess.PIPE)
        for folder, ask in zip(folders, asks, strict=True)
    ]
    for process in started:
        process.stdin.close()
        process.stdin = None
    told = {process.communicate()[0].strip() for process in started}
    assert {process.returncode for process in started} == {0}
    return told


def test_eight_processes_that_settle_a_new_project_make_one(top):
    assert at_once([top] * 8, ["ask"] * 8) == set(repos.projects())
    assert len(repos.projects()) == 1


def test_eight_processes_in_eight_clones_make_one_project(top, tmp_path):
    tops = [repos.clone(top, tmp_path / f"clone{n}") for n in range(8)]
    assert at_once(tops, ["ask"] * 8) == set(repos.projects())
    assert len(repos.projects()) == 1
    record = project.read_record(os.path.join(repos.home(), "projects", repos.projects()[0]))
    assert sorted(record["paths"]) == sorted(tops)


def test_prompts_beside_processes_that_ask_lose_nothing(top):
    at_once([top] * 8, ["ask", "prompt"] * 4)
    name = find(top).name
    assert repos.projects() == [name]
    assert prompted(top).name == name


def test_what_a_prompt_settled_while_git_was_asked_is_joined(top, monkeypatch):
    """The answer was written over the entry of the prompt's provisional project, and nothing led there."""
    real, saved = git.root_commit, []

    def slow(common, wait_s):
        saved.append(repos.note(prompted(top)))
        return real(common, wait_s)

    monkeypatch.setattr(git, "root_commit", slow)
    place = find(top)
    assert repos.holds(place, saved[0])
    assert repos.projects() == [place.name]


def test_a_prompt_that_was_overtaken_does_not_make_its_project_provisional_again(top, monkeypatch):
    real = project._to_join

    def overtaken(*arguments):
        monkeypatch.setattr(project, "_to_join", real)
        find(top)
        return real(*arguments)

    monkeypatch.setattr(project, "_to_join", overtaken)
    place = prompted(top)
    assert (place.identity, place.provisional) == (repos.root_of(top), False)
    assert repos.projects() == [place.name]


def test_eight_processes_that_join_lose_no_note(top, tmp_path):
    clones = [repos.clone(top, tmp_path / f"clone{n}") for n in range(4)]
    saved = []
    for n, folder in enumerate(clones):
        place = prompted(folder)
        saved += [repos.note(place, f"20261103-1015{n}{m}-a1b2") for m in range(10)]
    at_once(clones * 2, ["ask"] * 8)
    place = find(top)
    assert all(repos.holds(place, at) for at in saved)
    assert repos.projects() == [place.name]


# -- the disk ---------------------------------------------------------------------------------------


def test_a_home_that_cannot_be_written_still_tells_what_is_known(top, tmp_path):
    place = find(top)
    side = repos.worktree(top, tmp_path / "side")
    one_use = "import sys\nfrom foreword import project\n"
    script = one_use + "print(*(project.find(f, sys.argv[1], ask_git=True).name for f in sys.argv[2:]))"
    command = [*powerless(), sys.executable, "-I", "-c", script, repos.home(), top, side]
    for at, folders, _ in os.walk(repos.home()):
        for name in folders:
            os.chmod(os.path.join(at, name), 0o500)
    os.chmod(repos.home(), 0o500)
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    finally:
        subprocess.run(["chmod", "-R", "u+w", repos.home()], check=True)
    assert (done.stderr, done.stdout.split()) == ("", [place.name] * 2)


def powerless():
    """What to put before a command so that file modes bind it, also when root runs the tests."""
    if os.geteuid():
        return []
    tool = shutil.which("setpriv")
    command = [tool or "", "--bounding-set=-all", "--inh-caps=-all"]
    if not tool or subprocess.run([*command, "true"], capture_output=True, check=False).returncode:
        pytest.skip("root, and no setpriv that may drop its powers")
    return command


def test_a_read_writes_nothing(top, tmp_path):
    (tmp_path / "papers").mkdir()
    for folder in (top, tmp_path / "papers"):
        assert prompted(folder, create=False).name
        assert find(folder, create=False).name
    assert not os.path.exists(repos.home())


def test_nothing_is_written_in_the_repository(top, tmp_path):
    before = events.everything_under(top)
    find(top)
    find(repos.clone(top, tmp_path / "other"))
    assert events.everything_under(top) == before


WATCHED = """
import sys
from foreword import project
seen = []
def watch(event, arguments):
    if event in ("os.listdir", "os.scandir", "open") and str(arguments[0]).startswith(sys.argv[2]):
        seen.append(event)
sys.addaudithook(watch)
project.find(sys.argv[1], sys.argv[2])
print(*seen)
"""


def test_a_known_folder_costs_no_more_in_a_store_of_thousands(top):
    place = find(top)
    first = repos.python(WATCHED, top, repos.home()).communicate()[0].split()
    assert "open" in first
    with open(repos.entry(os.path.join(top, ".git")), "rb") as f:
        raw = f.read()
    for n in range(3_000):
        with open(os.path.join(repos.home(), "state", "by-path", f"{n:016x}.json"), "wb") as f:
            f.write(raw)
    for n in range(300):
        os.mkdir(os.path.join(repos.home(), "projects", f"other-{n:08x}"))
    assert repos.python(WATCHED, top, repos.home()).communicate()[0].split() == first
    assert set(first) == {"open"}
    assert prompted(top).name == place.name

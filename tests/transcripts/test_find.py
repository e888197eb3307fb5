"""Which logs a client session has, and which of them are its subagents'."""

import os
import subprocess
import sys
import tempfile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foreword.transcripts import find
from transcripts.records import line, of_codex

S1, S2 = "0a1b2c3d-0000-4000-8000-000000000001", "0a1b2c3d-0000-4000-8000-000000000002"
T1, T2, T3, T4 = (f"01a22a66-4000-7000-8000-00000000000{n}" for n in range(1, 5))
SPAWNED = {"thread_source": "subagent", "source": {"subagent": {"thread_spawn": {"depth": 1}}}}


@pytest.fixture
def make(tmp_path):
    """A function that makes a file in the user's home and gives its path."""

    def make(place, *records):
        path = tmp_path / "home" / place
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"".join(line(record) + b"\n" for record in records))
        return str(path)

    return make


def claude(make, name, *records):
    return make(f".claude/projects/-home-dev-app/{name}.jsonl", *records)


def rollout(make, name, time="03-00-00", folder="sessions/2026/11/30", **meta):
    meta = of_codex("session_meta", id=name, **meta)
    return make(f".codex/{folder}/rollout-2026-11-30T{time}-{name}.jsonl", meta)


def logs(client, **more):
    return find.logs(environment={}, **more)[client]


def test_nothing_is_found_where_no_client_is():
    assert find.logs(environment={}) == {"claude-code": {}, "codex": {}}
    assert find.logs(environment={}, home="") == {"claude-code": {}, "codex": {}}


def test_claude_codes_subagents_come_behind_the_session_however_deep_they_are(make):
    own = claude(make, S1)
    first = claude(make, f"{S1}/subagents/agent-a1")
    deep = claude(make, f"{S1}/subagents/workflows/w1/agent-b2")
    claude(make, f"{S1}/tool-results/agent-c3")
    other = claude(make, S2)
    assert logs("claude-code") == {S1: [own, first, deep], S2: [other]}


def test_a_subagent_beside_the_session_is_found_by_the_session_that_it_names(make):
    own = claude(make, S1)
    beside = claude(make, "agent-a1", {"parentUuid": None, "sessionId": S1})
    claude(make, "agent-b2", {"said": f'"sessionId":"{S1}"'})
    claude(make, "agent-c3")
    assert logs("claude-code") == {S1: [own, beside]}


def test_a_session_that_went_on_in_another_folder_has_both_logs(make):
    paths = [claude(make, S1), make(f".claude/projects/-home-dev-app2/{S1}.jsonl")]
    assert logs("claude-code") == {S1: paths}
    assert [find.is_own(path, S1) for path in paths] == [True, True]


def test_only_what_is_wanted_is_told_and_looked_into(make, tmp_path):
    own, beside = claude(make, S1), claude(make, "agent-a1", {"sessionId": S1})
    claude(make, S2)
    elsewhere = make(".claude/projects/-home-dev-else/agent-b2.jsonl", {"sessionId": S1})
    rollout(make, T1)
    wanted = {"claude-code": {S1}}
    assert find.logs(environment={}, wanted=wanted) == {"claude-code": {S1: [own, beside]}, "codex": {}}
    assert elsewhere in logs("claude-code")[S1]


def test_codex_threads_are_found_by_day_and_when_archived(make):
    one = rollout(make, T1)
    two = rollout(make, T2, folder="archived_sessions")
    make(".codex/sessions/2026/11/30/notes.jsonl")
    assert logs("codex") == {T1: [one], T2: [two]}


def test_a_subagents_rollout_stands_with_the_session_of_the_human(make):
    own = rollout(make, T1, session_id=T1, source="cli", thread_source="user")
    named = rollout(make, T2, "03-00-01", session_id=T1, parent_thread_id=T1, **SPAWNED)
    source = {"subagent": {"thread_spawn": {"parent_thread_id": T2, "depth": 2}}}
    deeper = rollout(make, T3, "03-00-02", source=source)
    assert logs("codex") == {T1: [own, named, deeper]}
    assert [find.is_own(path, T1) for path in (own, named, deeper)] == [True, False, False]
    assert logs("codex", wanted={"codex": {T1}}) == {T1: [own, named, deeper]}


def test_a_subagent_of_a_subagent_whose_log_is_gone_still_names_the_session(make):
    own = rollout(make, T1)
    deeper = rollout(make, T3, session_id=T1, parent_thread_id=T2, **SPAWNED)
    assert logs("codex", wanted={"codex": {T1}}) == {T1: [own, deeper]}


def test_a_fork_that_the_user_made_is_a_session_of_its_own(make):
    paths = [rollout(make, T1), rollout(make, T2, session_id=T2, forked_from_id=T1, source="cli")]
    assert logs("codex") == {T1: [paths[0]], T2: [paths[1]]}


def test_subagents_that_name_each_other_are_found_without_end(make):
    one = rollout(make, T1, parent_thread_id=T2, **SPAWNED)
    two = rollout(make, T2, "03-00-01", parent_thread_id=T1, **SPAWNED)
    assert sorted(path for paths in logs("codex").values() for path in paths) == [one, two]


def test_instructions_that_speak_of_subagents_make_no_subagent(make):
    path = rollout(make, T1, session_id=T2, base_instructions={"text": 'the "subagent" tool'}, source="cli")
    assert logs("codex") == {T1: [path]}


def test_the_clients_own_variables_say_where_their_logs_are(make, tmp_path):
    one = make(f"mine/projects/-home-dev-app/{S1}.jsonl")
    two = make(f"yours/sessions/2026/11/30/rollout-2026-11-30T03-00-00-{T1}.jsonl")
    there = {"CLAUDE_CONFIG_DIR": str(tmp_path / "home/mine"), "CODEX_HOME": str(tmp_path / "home/yours")}
    assert find.logs(environment=there) == {"claude-code": {S1: [one]}, "codex": {T1: [two]}}


def test_a_folder_that_is_no_absolute_path_is_nobodys(make, monkeypatch, tmp_path):
    make(f"mine/projects/-home-dev-app/{S1}.jsonl")
    monkeypatch.chdir(tmp_path / "home")
    assert find.logs(environment={"CLAUDE_CONFIG_DIR": "mine"})["claude-code"] == {}


def test_folders_in_the_place_of_logs_and_links_in_a_circle_do_no_harm(make, tmp_path):
    own = claude(make, S1)
    (tmp_path / f"home/.claude/projects/-home-dev-app/{S2}.jsonl").mkdir()
    folder = tmp_path / f"home/.claude/projects/-home-dev-app/{S1}/subagents"
    folder.mkdir(parents=True)
    os.symlink(folder, folder / "again")
    os.symlink("nowhere", folder / "agent-x.jsonl")
    assert logs("claude-code")[S1][0] == own


@pytest.mark.parametrize(
    "place", ["projects", "projects/-home-dev-app", f"projects/-home-dev-app/{S1}/subagents"]
)
def test_a_link_in_a_circle_hides_nothing_that_stands_beside_it(make, tmp_path, place):
    found = [claude(make, S1), claude(make, f"{S1}/subagents/agent-a1")]
    for name in ("a", "a.jsonl", "zz", "zz.jsonl"):
        os.symlink(name, tmp_path / "home/.claude" / place / name)
    assert logs("claude-code") == {S1: found}


@pytest.mark.parametrize("place", ["sessions", "sessions/2026/11/30", "archived_sessions"])
def test_nor_does_it_hide_rollouts(make, tmp_path, place):
    found = {T1: [rollout(make, T1)], T2: [rollout(make, T2, folder="archived_sessions")]}
    os.symlink("a", tmp_path / "home/.codex" / place / "a")
    os.symlink("nowhere", tmp_path / "home/.codex" / place / "b")
    assert logs("codex") == found


FORBIDDEN = """
import os, sys
from foreword.transcripts import find
os.setgroups([])
os.setgid(65534)
os.setuid(65534)
print(find.logs(environment={}, home=sys.argv[1])["claude-code"])
"""


@pytest.mark.skipif(os.name == "nt" or os.geteuid() != 0, reason="only root may become somebody else")
def test_a_link_to_where_one_may_not_look_hides_nothing_either():
    with tempfile.TemporaryDirectory() as home:
        folder = os.path.join(home, ".claude/projects/-home-dev-app")
        os.makedirs(os.path.join(home, "secret/inside"))
        os.makedirs(folder)
        path = os.path.join(folder, S1 + ".jsonl")
        os.close(os.open(path, os.O_CREAT | os.O_WRONLY))
        for at in (folder, os.path.dirname(folder)):
            os.symlink(os.path.join(home, "secret/inside"), os.path.join(at, "linked"))
        os.chmod(home, 0o755)
        os.chmod(os.path.join(home, "secret"), 0)
        done = subprocess.run([sys.executable, "-c", FORBIDDEN, home], capture_output=True, text=True)
    assert (done.stdout, done.stderr) == (f"{{'{S1}': ['{path}']}}\n", "")


# -- what is known of first lines ----------------------------------------------------------------


def test_a_first_line_is_looked_at_once(make):
    own, agent = rollout(make, T1), rollout(make, T2, "03-00-01", session_id=T1, **SPAWNED)
    other = rollout(make, T3, "03-00-02")
    session, beside = claude(make, S1), claude(make, "agent-a1", {"sessionId": S1})
    claude(make, "agent-b2", {"said": "nothing"})
    known = {}
    wanted = {"codex": {T1}, "claude-code": {S1}}
    found = find.logs(environment={}, wanted=wanted, known=known)
    assert found == {"claude-code": {S1: [session, beside]}, "codex": {T1: [own, agent]}}
    assert sorted(known.values()) == ["", "", "", T1, S1] and known[agent] == T1
    for path in known:
        os.truncate(path, 0)
    rollout(make, T3, "03-00-02", session_id=T1, **SPAWNED)
    assert find.logs(environment={}, wanted=wanted, known=known) == found
    known[other] = T1
    assert find.logs(environment={}, wanted=wanted, known=known)["codex"] == {T1: [own, agent, other]}


def test_a_first_line_that_is_half_written_is_looked_at_again(make):
    own, known = rollout(make, T1), {}
    agent = rollout(make, T2, "03-00-01", session_id=T1, **SPAWNED)
    data = line(of_codex("session_meta", id=T2, session_id=T1, **SPAWNED))
    with open(agent, "wb") as f:
        f.write(data)  # no newline yet
    assert logs("codex", known=known)[T1] == [own, agent]
    with open(agent, "wb") as f:
        f.write(data[:50])
    assert logs("codex", known=known) == {T1: [own], T2: [agent]}
    assert agent not in known
    rollout(make, T2, "03-00-01", session_id=T1, **SPAWNED)
    assert logs("codex", known=known) == {T1: [own, agent]}


@pytest.mark.parametrize("size", [0, 60_000, 70_000, 1_000_000])
def test_however_long_a_first_line_is_its_subagent_is_found(make, size):
    said = {"text": "x" * size}
    own = rollout(make, T1, base_instructions=said)
    paths = [own, rollout(make, T2, "03-00-01", session_id=T1, **SPAWNED, base_instructions=said)]
    assert logs("codex") == {T1: paths}


def test_of_a_long_first_line_no_more_is_read_than_tells(make, monkeypatch):
    rollout(make, T1)
    for n, thread in enumerate((T2, T3)):
        rollout(
            make, thread, f"03-00-0{n}", base_instructions={"text": "x" * 1_000_000}, thread_source="user"
        )
    read, sizes = find.files.read, []

    def counted(path, limit=None):
        data = read(path, limit)
        sizes.append(len(data or b""))
        return data

    monkeypatch.setattr(find.files, "read", counted)
    known = {}
    assert len(logs("codex", wanted={"codex": {T1}}, known=known)[T1]) == 1
    assert len(sizes) == 3 and max(sizes) == 64 << 10
    sizes.clear()
    logs("codex", wanted={"codex": {T1}}, known=known)
    assert sizes == []


@given(st.binary(max_size=300), st.integers(1, 300))
def test_any_bytes_are_a_first_line(tmp_path_factory, data, size):
    home = tmp_path_factory.mktemp("home")
    for place in (
        f".codex/sessions/rollout-2026-11-30T03-00-00-{T1}.jsonl",
        ".claude/projects/-a/agent-b.jsonl",
    ):
        path = home / place
        path.parent.mkdir(parents=True)
        path.write_bytes(data)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(find, "_HEAD", size)
        assert find.logs(environment={}, home=str(home))["codex"] == {
            T1: [str(home / ".codex/sessions" / f"rollout-2026-11-30T03-00-00-{T1}.jsonl")]
        }

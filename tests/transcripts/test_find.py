"""Which logs a client session has, and which of them are its subagents'."""

import os

import pytest

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

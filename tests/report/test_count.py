"""What client sessions cost is counted once, whatever their logs repeat, and kept when the logs are gone."""

import json
import os
import sqlite3
import stat

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from foreword import files, paths
from foreword.report import count
from foreword.transcripts import lines
from report.counted import NAME, NUMBERS, S1, S2, S3, Home, at, numbers, told
from transcripts.records import answer, line, of_codex, prompt, recorded, tool, usage
from transcripts.test_codex import billed


@pytest.fixture
def home(tmp_path):
    return Home(tmp_path / "store")


def test_a_session_has_what_its_log_says(home):
    blocks = [tool(call="toolu_1", file_path="a.py"), tool("Bash", "toolu_2")]
    home.log(S1, prompt(time=at(1)), answer("m1", blocks=blocks, time=at(2)), answer("m2", time=at(3)))
    [row] = home.count().values()
    assert numbers(row) == [2, 1, 2, 20, 40, 60, 80]
    assert (row["client"], row["ended"] - row["started"]) == ("claude-code", 120)
    assert (row["files_read"], row["files_read_again"], row["subagents"], row["unread"]) == (1, 0, 0, 0)
    assert row["models"] == {"opus": [20, 40, 60, 80]}


def test_the_logs_of_real_sessions_give_what_is_in_them(home):
    home.log(S1, *recorded("claude-code-session.jsonl"))
    home.log(S1, *recorded("claude-code-subagent.jsonl"), name="agent-a1")
    home.log(S2, *recorded("codex-parent.jsonl"), client="codex")
    home.log(S2, *recorded("codex-forked-subagent.jsonl"), client="codex", name="rollout-x")
    found = home.count()
    assert numbers(found[S1]) == [10, 3, 7, 120, 3450, 67890, 420]
    assert found[S1]["subagents"] == 1
    assert list(found[S1]["models"]) == ["claude-opus-4-8", "claude-haiku-4-5-20251001"]
    assert numbers(found[S2]) == [5, 2, 2, 50, 0, 0, 50]


def test_the_greatest_number_that_any_record_of_a_request_says_counts(home):
    home.log(S1, *(answer("m1", counted=usage(output=n, read=30 - n)) for n in (1, 25, 3)))
    home.log(S2, *(answer("m2", counted=usage(output=n)) for n in (1, 1, 25)))
    found = home.count()
    assert [numbers(row)[3:] for row in found.values()] == [[10, 20, 29, 25], [10, 20, 30, 25]]


def test_a_log_is_read_on_from_where_it_was_left(home):
    path = home.log(S1, answer("m1", time=at(1)))
    home.count()
    with open(path, "r+b") as f:
        f.seek(30)
        f.write(b"xxxx")  # would be unread if it were read again
    home.log(S1, answer("m2", time=at(2)), add=True)
    # The first bytes tell one log from another: these are ours, so they are put back.
    with open(path, "r+b") as f:
        f.write(line(answer("m1", time=at(1)))[:40])
    [row] = home.count().values()
    assert (row["requests"], row["unread"]) == (2, 0)


def test_what_was_counted_is_not_read_again(home):
    path = home.log(S1, answer("m1"), b"x" * 2_000, answer("m2"))
    home.count()
    with open(path, "r+b") as f:
        f.seek(1_500)
        f.write(b'"assistant"')  # beyond the first bytes; would count as unread
    seen, progress = told()
    [row] = home.count(progress).values()
    assert (row["unread"], seen) == (0, [])


@pytest.mark.parametrize("way", ["shrank", "replaced", "another beginning", "no line begins there"])
def test_a_log_that_is_another_one_now_is_read_from_its_beginning(home, way):
    same = [answer(f"m{n}") for n in range(6)]  # more than the bytes that tell one log from another
    path = home.log(S1, *same, answer("n1"))
    home.count()
    if way == "shrank":
        home.log(S1, *same[:5], answer("n2"))
    elif way == "replaced":
        home.log(S1, *same, answer("n2"), answer("n3"), name="new")
        os.replace(os.path.join(home.home, "new.jsonl"), path)
        home.logs["claude-code"][S1].pop()
    elif way == "another beginning":
        home.log(S1, answer("n2"), *same, answer("n3"))
    else:
        home.log(S1, *same, answer("a longer name"), answer("n3"))
    [row] = home.count().values()
    assert (row["requests"], row["unread"]) == (8 if way == "shrank" else 9, 0)


def test_what_a_fork_repeats_counts_for_the_session_that_was_first(home):
    old = [prompt(time=at(1)), answer("m1", blocks=[tool(file_path="a.py")], time=at(2))]
    new = [prompt(promptId="p2", time=at(8)), answer("m2", time=at(9))]
    home.log(S1, *old)
    home.log(S2, *old, *new)
    found = home.count()
    assert [numbers(row)[:3] for row in found.values()] == [[1, 1, 1], [1, 1, 0]]
    assert (found[S2]["started"] - found[S1]["started"]) == 7 * 60
    assert (found[S2]["files_read"], found[S2]["files_read_again"]) == (0, 0)


def test_a_file_is_read_again_where_a_session_that_started_earlier_had_read_it(home):
    def reads(session, minute, *names):
        home.log(
            session,
            *(
                answer(f"{session}{n}", blocks=[tool(call=f"{session}{n}", file_path=name)], time=at(minute))
                for n, name in enumerate(names)
            ),
        )

    reads(S2, 5, "a.py", "b.py", "./a.py")
    reads(S1, 1, "a.py", "c.py")
    reads(S3, 9, "/home/dev/app/b.py", "/home/dev/app/src/../c.py", "d.py", "/home/dev/app2/a.py")
    found = home.count()
    assert list(found) == [S1, S2, S3]
    assert [(r["files_read"], r["files_read_again"]) for r in found.values()] == [(2, 0), (2, 1), (4, 2)]


def test_a_prompt_a_request_and_a_tool_call_may_have_one_name(home):
    home.log(S1, prompt(promptId="x"), answer("x", blocks=[tool(call="x")]))
    assert numbers(home.count()[S1])[:3] == [1, 1, 1]


def test_only_sessions_that_prompts_log_names_are_counted(home):
    home.log(S1, answer("m1"))
    home.logs["claude-code"][S2] = home.logs["claude-code"][S1]
    home.logs["gemini"] = home.logs["claude-code"]
    home.prompt(S1, "gemini")
    assert list(home.count()) == [S1]


def test_sessions_that_older_prompt_logs_name_come_first(home):
    home.log(S2, answer("m1"))
    os.rename(os.path.join(home.folder, "prompts.log"), os.path.join(home.folder, "prompts.log.9"))
    home.log(S1, answer("m1"), answer("m2"))
    found = home.count()
    assert [found[S1]["requests"], found[S2]["requests"]] == [1, 1]


@pytest.mark.parametrize("damage", [b"\0\0\0", b"{", b"[1]", b'{"client": 1, "session": []}', b"[" * 99_999])
def test_damaged_lines_of_prompts_log_are_passed_over(home, damage):
    files.append(os.path.join(home.folder, "prompts.log"), damage)
    home.log(S1, answer("m1"))
    assert list(home.count()) == [S1]


def test_what_was_counted_stays_when_the_log_is_gone(home):
    path = home.log(S1, answer("m1"))
    before = home.count()
    os.remove(path)
    assert home.count() == before
    home.logs["claude-code"] = {}
    assert home.count() == before


def test_a_log_that_was_moved_is_one_log(home):
    home.log(S1, answer("m1"), b'{"type":"assistant"')
    path = home.log(S1, answer("m2"), name="agent-a1")
    before = home.count()
    for name in (path, home.logs["claude-code"][S1][0]):
        os.rename(name, os.path.join(home.folder, os.path.basename(name)))
    home.logs["claude-code"][S1] = [
        os.path.join(home.folder, os.path.basename(name)) for name in home.logs["claude-code"][S1]
    ]
    assert home.count() == before
    assert (before[S1]["subagents"], before[S1]["unread"]) == (1, 1)
    for path in home.logs["claude-code"][S1]:
        with open(path, "ab") as f:
            f.write(b'{"type":"assistant"\n')
    found = home.count()[S1]
    assert (found["subagents"], found["unread"], found["requests"]) == (1, 3, 2)


def test_a_log_that_was_moved_is_read_on(home):
    path = home.log(S1, answer("m1"), b"x" * 2_000, answer("m2"))
    home.count()
    with open(path, "r+b") as f:
        f.seek(1_500)
        f.write(b'"assistant"')  # beyond the first bytes; would count as unread
    home.logs["claude-code"][S1] = [os.path.join(home.folder, os.path.basename(path))]
    os.rename(path, home.logs["claude-code"][S1][0])
    seen, progress = told()
    [row] = home.count(progress).values()
    assert (row["requests"], row["unread"], seen) == (2, 0, [])


def reuse(home, gone, path):
    """Make it so that a log which is gone had the number of a file that is there, as file systems do."""
    status = os.stat(path)
    with sqlite3.connect(home.database()) as db:
        change = "UPDATE logs SET device=?, inode=? WHERE path=?"
        assert db.execute(change, (status.st_dev, status.st_ino, count._hash(gone))).rowcount == 1
    db.close()


@pytest.mark.parametrize("whose", [S1, S2])
def test_a_log_that_has_the_number_of_one_that_was_cleaned_up_leaves_its_counts_alone(home, whose):
    home.log(S1, answer("m1", time=at(1)))
    gone = home.log(S1, answer("m2", time=at(2)), b'{"type":"assistant"', name="agent-a1")
    before = home.count()[S1]
    assert (before["subagents"], before["unread"]) == (1, 1)
    os.remove(gone)
    new = home.log(whose, answer("m3", time=at(3)), name="agent-b2")
    reuse(home, gone, new)
    found = home.count()
    assert found[whose]["subagents"] == (2 if whose == S1 else 1)
    assert (found[S1]["unread"], sum(row["requests"] for row in found.values())) == (1, 3)


def test_unread_lines_and_subagents_stay_with_their_session_when_the_logs_are_gone(home):
    for session in (S1, S2):
        home.log(session, answer(session + "m"), *[b'{"type":"assistant"'] * (1 + (session == S2)))
        home.log(session, answer(session + "a"), name="agent-" + session[-1])
    before = home.count()
    assert [(row["unread"], row["subagents"]) for row in before.values()] == [(1, 1), (2, 1)]
    for paths_of in home.logs["claude-code"].values():
        for path in paths_of:
            os.remove(path)
    assert home.count() == before


def test_a_log_with_two_paths_is_read_once_and_not_anew_on_every_run(home):
    path = home.log(S1, answer("m1"), b'{"type":"assistant"')
    agent = home.log(S1, answer("m2"), name="agent-a1")
    os.symlink(home.home, os.path.join(home.home, "linked"))
    linked = [os.path.join(home.home, "linked", os.path.basename(name)) for name in (path, agent)]
    seen, progress = told()
    for paths_of in ([path, *linked, agent], [linked[0], path, agent, linked[1]], linked):
        home.logs["claude-code"][S1] = paths_of
        [row] = home.count(progress).values()
        assert (row["requests"], row["unread"], row["subagents"]) == (2, 1, 1)
        if paths_of[0] == path:
            assert seen.pop()[1] == os.path.getsize(path) + os.path.getsize(agent)
        assert seen == []


def test_sessions_without_a_time_are_there_and_come_last(home):
    def timeless(record):
        return {key: value for key, value in record.items() if key != "timestamp"}

    home.log(S2, timeless(answer("m2", blocks=[tool(call="t2", file_path="a.py")])), timeless(prompt()))
    home.log(S3, timeless(answer("m3")))
    home.log(S1, answer("m1", blocks=[tool(call="t1", file_path="a.py")]))
    found = home.count()
    assert [(s, r["started"] is None, r["ended"] is None) for s, r in found.items()] == [
        (S1, False, False),
        (S2, True, True),
        (S3, True, True),
    ]
    assert (found[S2]["requests"], found[S2]["turns"], found[S2]["files_read_again"]) == (1, 1, 1)


def test_a_log_that_the_disk_cannot_read_is_told_and_the_others_are_counted(home, monkeypatch):
    bad = home.log(S1, answer("m1"), answer("m2"))
    home.log(S2, answer("m3"))
    read = lines.read

    def failing(path, start=0):
        for n, found in enumerate(read(path, start)):
            if path == bad and n:
                raise OSError(5, "Input/output error", path)
            yield found

    with monkeypatch.context() as patch:
        patch.setattr(lines, "read", failing)
        assert home.tell() == [f"a log cannot be read: {bad} (Input/output error); what it has is missing"]
    assert [row["requests"] for row in home.sessions().values()] == [1, 1]
    assert [row["requests"] for row in home.count().values()] == [2, 1]


def test_what_progress_raises_is_not_taken_for_the_disks(home, monkeypatch):
    monkeypatch.setattr(count, "STEP", 1)
    home.log(S1, answer("m1"))

    def closed(done, whole):
        raise BrokenPipeError

    with pytest.raises(BrokenPipeError):
        home.tell(closed)


def test_a_log_without_a_record_that_counts_is_no_session(home):
    home.log(S1, {"type": "summary"})
    assert home.count() == {}


def test_lines_that_cannot_be_read_are_told(home):
    home.log(S1, answer("m1"), b'{"type":"assistant"', b"x" * (2 << 20) + b"x", answer("m2"))
    [row] = home.count().values()
    assert (row["requests"], row["unread"]) == (2, 2)
    assert home.count()[S1]["unread"] == 2


def test_no_text_is_kept_and_nobody_else_may_read_it(home):
    home.log(
        S1, prompt("A secret of mine"), answer("m1", blocks=[tool(file_path="/home/dev/app/private.py")])
    )
    home.count()
    data = files.read(home.database()) or b""
    for word in (b"secret", b"private", b"/home/dev", b"m1", b"toolu", home.home.encode()):
        assert word not in data
    assert stat.S_IMODE(os.stat(home.database()).st_mode) == 0o600
    assert sorted(os.listdir(home.folder)) == [".report.lock", "prompts.log", "report.sqlite"]


def test_nothing_is_done_for_a_project_that_is_not_there(tmp_path):
    assert count.count(str(tmp_path), NAME) == []
    assert count.sessions(str(tmp_path), NAME) == []
    assert not os.path.exists(paths.project_folder(str(tmp_path), NAME))


def test_who_comes_second_leaves_it_to_the_other(home, monkeypatch):
    monkeypatch.setattr(count, "WAIT_S", 0.0)
    home.log(S1, answer("m1"))
    with files.Lock(home.folder, 0, count.LOCK) as held:
        assert held
        assert home.tell() == [count.BUSY]
        assert home.sessions() == {}
    assert len(home.count()) == 1


def test_progress_ends_where_all_was_read_and_never_goes_back(home, monkeypatch):
    monkeypatch.setattr(count, "STEP", 1_000)
    home.log(S1, *(answer(f"m{n}") for n in range(20)))
    home.log(S2, *(answer(f"n{n}") for n in range(20)))
    seen, progress = told()
    home.count(progress)
    whole = sum(os.path.getsize(path) for of in home.logs["claude-code"].values() for path in of)
    assert seen == sorted(seen) and 5 < len(seen) < 30
    assert seen[-1] == (whole, whole)


def test_what_was_written_before_an_end_by_force_is_kept_and_not_counted_twice(home, monkeypatch):
    monkeypatch.setattr(count, "BATCH", 1_000)
    monkeypatch.setattr(count, "STEP", 1)
    home.log(S1, *(answer(f"m{n}") for n in range(50)))

    def ended(done, whole):
        if done > whole / 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        home.count(ended)
    half = home.sessions()[S1]["requests"]
    assert 20 < half < 50
    seen, progress = told()
    assert home.count(progress)[S1]["requests"] == 50
    assert seen[-1][1] < os.path.getsize(home.logs["claude-code"][S1][0])


def test_names_that_no_database_takes_are_kept_as_well_as_may_be(home):
    record = answer("m1")
    record["message"]["model"] = "\ud800"
    home.log(S1, json.dumps(record).encode())
    assert list(home.count()[S1]["models"]) == ["?"]


def test_by_itself_it_finds_the_logs_in_the_users_home(home, tmp_path):
    folder = tmp_path / "home/.claude/projects/-home-dev-app"
    folder.mkdir(parents=True)
    (folder / f"{S1}.jsonl").write_bytes(line(answer("m1")) + b"\n")
    home.prompt(S1)
    count.count(home.home, NAME)
    assert home.sessions()[S1]["requests"] == 1


def test_whose_a_rollout_is_stays_known(home, tmp_path):
    """Of hundreds of rollouts beside a session's own, none is opened again."""
    folder = tmp_path / "home/.codex/sessions/2026/11/30"
    folder.mkdir(parents=True)
    spawned = {"source": {"subagent": {}}, "thread_source": "subagent"}

    def rollout(thread, second, **meta):
        rows = (of_codex("session_meta", id=thread, **meta), billed("resp_" + thread))
        path = folder / f"rollout-2026-11-30T03-00-0{second}-{thread}.jsonl"
        path.write_bytes(b"".join(line(row) + b"\n" for row in rows))
        return path

    own, agent, other = (f"01a22a66-4000-7000-8000-00000000000{n}" for n in range(3))
    rollout(own, 0)
    path = rollout(agent, 1, session_id=own, **spawned)
    rollout(other, 2)
    home.prompt(own, "codex")
    assert count.count(home.home, NAME) == []
    before = home.sessions()
    assert (before[own]["requests"], before[own]["subagents"]) == (2, 1)
    rollout(agent, 1, session_id=other, **spawned)
    rollout(other, 2, session_id=own, **spawned)
    assert count.count(home.home, NAME) == []
    assert home.sessions() == before
    data = files.read(home.database()) or b""
    assert os.fsencode(path.name) not in data


RECORDS = st.sampled_from(
    [
        *(answer(f"m{n}", time=at(n), blocks=[tool(call=f"t{n}", file_path=f"{n % 2}")]) for n in range(4)),
        answer("m1", counted=usage(output=90), time=at(7)),
        prompt(time=at(1)), prompt(promptId="p2", time=at(5)),
        b"", b"\xff\0", b'{"type":"assistant"', {"type": "summary"},
    ]
)  # fmt: skip
CODEX = st.sampled_from(
    [
        of_codex("session_meta", id="01a22a66-4000-7000-8000-000000000001"), billed(), billed("resp_2"),
        of_codex("turn_context", turn_id="01a22a66-5000-7000-8000-000000000001", model="gpt"),
        of_codex("turn_context", turn_id="01a22a66-5000-7000-8000-000000000002", model="o"),
        of_codex("event_msg", type="user_message", message="Why?"),
    ]
)  # fmt: skip
BOTH = st.lists(RECORDS, max_size=12).map(lambda rows: ("claude-code", rows)) | st.lists(
    CODEX, max_size=12
).map(lambda rows: ("codex", rows))
KEPT = settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60)


def fresh(tmp_path_factory):
    return Home(tmp_path_factory.mktemp("store"))


@KEPT
@given(BOTH, st.integers(0, 4_000), st.integers(1, 3))
def test_a_log_that_is_cut_anywhere_and_goes_on_gives_the_same(tmp_path_factory, log, cut, batch):
    client, rows = log
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(count, "BATCH", batch * 500)
        at_once, in_parts = fresh(tmp_path_factory), fresh(tmp_path_factory)
        at_once.log(S1, *rows, client=client)
        path = in_parts.log(S1, *rows, client=client)
        data = files.read(path) or b""
        os.truncate(path, min(cut, len(data)))
        in_parts.count()
        with open(path, "ab") as f:
            f.write(data[cut:])
        assert in_parts.count() == at_once.count()


@KEPT
@given(st.lists(RECORDS, min_size=1, max_size=12), st.data())
def test_records_that_are_repeated_change_nothing(tmp_path_factory, rows, data):
    once, twice = fresh(tmp_path_factory), fresh(tmp_path_factory)
    rows = [row for row in rows if not isinstance(row, bytes)]
    once.log(S1, *rows)
    again = data.draw(st.lists(st.sampled_from(rows), max_size=9)) if rows else []
    twice.log(S1, *rows, *again)
    assert twice.count() == once.count()


@KEPT
@given(st.lists(RECORDS, max_size=8), st.lists(RECORDS, max_size=8))
def test_in_whatever_order_logs_are_found_the_counts_are_the_same(tmp_path_factory, one, two):
    first, second = fresh(tmp_path_factory), fresh(tmp_path_factory)
    for home in (first, second):
        home.log(S1, *one)
        home.log(S2, *two)
    second.logs["claude-code"] = dict(reversed(second.logs["claude-code"].items()))
    assert second.count() == first.count()
    rows = first.sessions().values()
    every = fresh(tmp_path_factory)
    every.log(S1, *one, *two)
    whole = every.count().get(S1)
    if whole:
        assert [sum(row[name] for row in rows) for name in NUMBERS] == numbers(whole)


@given(st.lists(st.binary(max_size=80), max_size=20))
@KEPT
def test_any_bytes_are_a_log(tmp_path_factory, rows):
    home = fresh(tmp_path_factory)
    home.log(S1, *rows)
    home.log(S2, *rows, client="codex")
    assert home.count() == {}

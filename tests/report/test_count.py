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
from transcripts.records import answer, line, of_codex, prompt, recorded, tool, usage
from transcripts.test_codex import billed

NAME = "app-00000000"
S1, S2, S3 = (f"0a1b2c3d-0000-4000-8000-00000000000{n}" for n in range(1, 4))
NUMBERS = ("requests", "turns", "tool_calls", "input", "creation", "read", "output")


def at(minute):
    return f"2026-11-30T03:{minute:02}:00.000Z"


class Home:
    """A store with one project, whose prompts.log names client sessions, and their logs."""

    def __init__(self, folder):
        self.home, self.logs, self.named = str(folder), {"claude-code": {}, "codex": {}}, []
        self.folder = paths.project_folder(self.home, NAME)
        files.make_folder(self.folder)

    def prompt(self, session, client="claude-code"):
        record = json.dumps({"time": at(0), "client": client, "session": session}).encode()
        files.append(os.path.join(self.folder, "prompts.log"), record)

    def log(self, session, *records, client="claude-code", name="", add=False):
        """Write a log, or add to it; named in prompts.log the first time."""
        path = os.path.join(self.home, (name or session) + ".jsonl")
        paths_of = self.logs[client].setdefault(session, [])
        if not paths_of:
            self.prompt(session, client)
        if path not in paths_of:
            paths_of.append(path)
        with open(path, "ab" if add else "wb") as f:
            f.writelines((r if isinstance(r, bytes) else line(r)) + b"\n" for r in records)
        return path

    def count(self, progress=None):
        count.count(self.home, NAME, progress, self.logs)
        return self.sessions()

    def sessions(self):
        return {row["session"]: row for row in count.sessions(self.home, NAME)}

    def database(self):
        return os.path.join(self.folder, count.NAME)


@pytest.fixture
def home(tmp_path):
    return Home(tmp_path / "store")


def numbers(row):
    return [row[name] for name in NUMBERS]


def told():
    """(a list, a progress function that fills it)"""
    found = []
    return found, lambda done, whole: found.append((done, whole))


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


@pytest.mark.parametrize(
    "damage", ["no database", "empty", "cut", "other tables", "another version", "middle"]
)
def test_a_damaged_count_is_made_anew_from_the_logs(home, damage):
    home.log(S1, *(answer(f"m{n}") for n in range(500)))
    before = home.count()
    data = bytearray(files.read(home.database()) or b"")
    if damage == "other tables":
        os.remove(home.database())
        sqlite3.connect(home.database()).execute("CREATE TABLE meta(a)").connection.close()
    elif damage == "another version":
        with sqlite3.connect(home.database()) as db:
            db.execute("UPDATE meta SET value=99")
        db.close()
    else:
        middle = data[:4096] + b"\xff" * (len(data) - 8192) + data[-4096:]
        spoiled = {
            "no database": b"nothing" * 100,
            "empty": b"",
            "cut": data[: len(data) // 2],
            "middle": middle,
        }
        files.write(home.database(), bytes(spoiled[damage]))
    assert home.sessions() == {} or damage in ("cut", "middle")
    assert home.count() == before


def test_nothing_is_done_for_a_project_that_is_not_there(tmp_path):
    count.count(str(tmp_path), NAME)
    assert count.sessions(str(tmp_path), NAME) == []
    assert not os.path.exists(paths.project_folder(str(tmp_path), NAME))


def test_who_comes_second_leaves_it_to_the_other(home, monkeypatch):
    monkeypatch.setattr(count, "WAIT_S", 0.0)
    home.log(S1, answer("m1"))
    with files.Lock(home.folder, 0, count.LOCK) as held:
        assert held
        assert home.count() == {}
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

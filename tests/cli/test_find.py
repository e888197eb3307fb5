"""`foreword search`, `list` and `show`: what programs read and what people read."""

import json
import os

import pytest

ROW = {"id", "type", "title", "created", "project", "snippet", "archived"}


def test_searching_for_what_is_not_there_prints_an_empty_array_and_exits_1(foreword, save):
    save("The importer retries three times.")
    told = foreword("search", "zebra", "crossing", "--json", code=1)
    assert (told.out, told.err) == ("[]\n", "")
    told = foreword("search", "zebra", "crossing", code=1)
    assert told.out == ""
    assert "zebra" not in told.err


@pytest.mark.parametrize("query", ["", "   ", "?!", "🦓", "\u200b"])
def test_a_query_without_a_word_finds_nothing_and_fails_in_no_other_way(foreword, save, query):
    save("The importer retries three times.")
    assert foreword("search", query, "--json", code=1).out == "[]\n"


def test_rows_of_search_and_list_have_the_same_keys_and_never_the_query(foreword, save):
    memory_id = save("The importer retries three times because the ledger is slow.", "--title", "Retries")
    found = foreword("search", "importer", "zebra", "--json")
    [row] = found.json
    assert set(row) >= ROW
    assert row["id"] == memory_id
    assert "importer retries three times" in row["snippet"]
    assert "zebra" not in found.out
    [listed] = foreword("list", "--json").json
    assert set(listed) == set(row)
    assert {key: listed[key] for key in ROW - {"snippet"}} == {key: row[key] for key in ROW - {"snippet"}}


def test_a_query_may_be_one_argument_or_many_and_may_begin_with_a_dash(foreword, save):
    memory_id = save("Run pytest with --maxfail=1 in the importer.")
    for query in (["importer maxfail"], ["importer", "maxfail"], ["--", "--maxfail"]):
        assert [row["id"] for row in foreword("search", "--json", *query).json] == [memory_id]


def test_limit_type_and_archived_choose(foreword, save):
    facts = [save(f"Fact {n} about the importer.") for n in range(3)]
    session = save("Session about the importer.", "--type", "session")
    foreword("archive", facts[0])
    assert len(foreword("search", "importer", "--limit", 2, "--json").json) == 2
    found = foreword("search", "importer", "--type", "session", "--json").json
    assert [row["id"] for row in found] == [session]
    found = foreword("search", "importer", "--archived", "--json").json
    assert [(row["id"], row["archived"]) for row in found] == [(facts[0], True)]
    assert {row["id"] for row in foreword("list", "--json").json} == {*facts[1:], session}
    assert len(foreword("list", "--limit", 1, "--json").json) == 1
    assert [row["id"] for row in foreword("list", "--archived", "--json").json] == [facts[0]]


@pytest.mark.parametrize("arguments", [["search"], ["search", "x", "--limit", 0], ["list", "--type", "x"]])
def test_a_wrong_command_line_exits_2_with_nothing_on_stdout(foreword, repo, arguments):
    told = foreword(*arguments, code=2)
    assert told.out == ""
    assert "--help" in told.err


def test_all_projects_finds_the_others_and_names_them(foreword, save, tmp_path):
    save("The ledger keeps amounts in cents.")
    other = tmp_path / "shop"
    other.mkdir()
    told = foreword("search", "amounts", "--project", other, code=1)
    assert "--all-projects" in told.err
    [row] = foreword("search", "amounts", "--all-projects", "--json", "--project", other).json
    assert row["project"].startswith("ledger-")
    out = foreword("search", "amounts", "--all-projects", "--project", other).out
    assert "in " + row["project"] in out


def test_an_empty_list_is_talk_for_people_and_an_array_for_programs(foreword, repo):
    told = foreword("list")
    assert told.out == ""
    assert "hint: foreword install" in told.err
    told = foreword("list", "--json")
    assert (told.out, told.err) == ("[]\n", "")


@pytest.mark.parametrize("columns", ["60", "80", "200"])
@pytest.mark.parametrize("verb", [["list"], ["search", "importer"], ["search", "数据库"]], ids=" ".join)
def test_no_line_is_wider_than_the_terminal(foreword, save, verb, columns):
    save("importer " + "keeps amounts in cents because of rounding, " * 20)
    save("importer:" + "x" * 400)
    save("importer " + "数据库的连接池大小是五个因为服务器只有两个核心" * 12)
    out = foreword(*verb, env={"COLUMNS": columns}).out
    rows = [line for line in out.splitlines() if not line.startswith("    ")]
    assert len(rows) == (1 if "数据库" in verb else 3)
    wide = [sum(2 if ord(c) > 0x2E80 else 1 for c in line) for line in out.splitlines()]
    assert max(wide) <= int(columns)


def test_a_line_tells_id_day_type_and_title(foreword, save):
    memory_id = save("Five, because of the cores.", "--title", "Pool size")
    [row] = foreword("list", "--json").json
    head, text = foreword("list").out.splitlines()
    assert head.split() == [memory_id, row["created"][:10], "fact", "Pool", "size"]
    assert text == "    Five, because of the cores."


def test_a_title_that_was_cut_is_told_again_whole(foreword, save):
    title = "The importer drops rows without a currency because totals are kept per currency"
    save(title)
    out = foreword("list").out
    assert "…" in out.splitlines()[0]
    assert title in " ".join(out.split())


def test_colours_go_to_terminals_only(foreword, save):
    save("Plain text.")
    assert "\x1b" not in foreword("list").out


def test_show_says_how_each_cited_file_stands(foreword, save, repo):
    memory_id = save("Retries are in `src/app.py:1`, the pool in `src/db.py`.")
    out = foreword("show", memory_id).out
    assert "src/app.py (unchanged since)" in out
    with open("src/app.py", "w") as f:
        f.write("RETRIES = 5\n")
    os.unlink("src/db.py")
    out = foreword("show", memory_id).out
    assert "src/app.py (CHANGED: somewhere in the file)" in out
    assert "src/db.py (DELETED)" in out
    files = foreword("show", memory_id, "--json").json["files"]
    assert [(f["path"], f["state"]) for f in files] == [("src/app.py", "CHANGED"), ("src/db.py", "DELETED")]
    assert "no file" in foreword("show", save("Nothing cited.")).out


def test_show_prints_no_control_character_of_a_memory(foreword, save, project_folder):
    memory_id = save(
        "Body with \x1b[31mred\x1b[0m and \x07bell.", "--title", "T\x1b[2Jx", "--tags", "a\x1b[1m"
    )
    out = foreword("show", memory_id).out
    assert "Body with red and bell." in out
    assert not [c for c in out if ord(c) < 32 and c != "\n"]


@pytest.mark.parametrize("wrong", ["20260101-000000-0000", "nonsense", "../../etc/passwd", "", "a" * 5000])
def test_show_of_an_unknown_id_names_it_and_exits_1(foreword, save, wrong):
    save("Something.")
    told = foreword("show", wrong, code=1)
    assert told.out == ""
    assert repr(wrong[:40]) in told.err
    assert "hint: foreword list" in told.err


def test_json_is_utf8_whatever_the_locale_says(foreword, save):
    memory_id = save("数据库 has five connections.", "--title", "数据库")
    out = foreword("show", memory_id, "--json", env={"LC_ALL": "C", "PYTHONUTF8": "0"}).out
    assert json.loads(out)["title"] == "数据库"
    assert "数据库" in out


PARTS = {
    "接続プールの上限は五つです。データベースが混むと、リトライは無駄になる。":
        "限 五つ ータベ 続プール と、リ です。デ は無駄に データベースが混む",
    "数据库的连接池大小是五个,因为服务器只有两个核心。":
        "池 据库 的连 池大小是五 个,因为服 器只 库的连接池大小是",
}  # fmt: skip


@pytest.mark.parametrize("kind", ["fact", "session"])
@pytest.mark.parametrize("body", PARTS, ids=["japanese", "chinese"])
def test_any_run_of_japanese_or_chinese_is_found_above_what_shares_its_letters(
    foreword, save, project_folder, kind, body
):
    one = save(body, "--type", kind)
    folder = os.path.join(project_folder(), "facts")
    os.makedirs(folder, exist_ok=True)
    for n in range(12):
        with open(os.path.join(folder, f"filler-{n}.md"), "w", encoding="utf-8") as f:
            f.write(f"続 据 五 データ ベース 連接 大小 核心 無駄 服务 {n}")
    for part in PARTS[body].split():
        for options in ([], ["--type", kind]):
            found = foreword("search", "--json", *options, "--", part).json
            assert found[0]["id"] == one, (part, options)
            assert part in found[0]["snippet"]
    foreword("search", "--json", "--type", "note", "--", body[:4], code=1)


@pytest.mark.parametrize(
    "part", ["mporte", "TokenBuck", "tries thr", "ucket is", "refreshTokenBucket", "imp"]
)
def test_part_of_a_word_is_found_too(foreword, save, part):
    save("Another port, a bucket and the token of a refresh.", "--title", "first")
    one = save("The importer retries three times because refreshTokenBucket is slow.", "--title", "second")
    assert one in [row["id"] for row in foreword("search", part, "--json").json]


def test_a_whole_word_stands_above_one_that_only_begins_so(foreword, save):
    whole = save("The port is 8080.", "--title", "a")
    longer = save("The importer is slow.", "--title", "b")
    assert [row["id"] for row in foreword("search", "port", "--json").json] == [whole, longer]


def log_of(tmp_path, session):
    path = tmp_path / "home" / ".claude" / "projects" / "-x" / (session + ".jsonl")
    path.parent.mkdir(parents=True)
    path.write_text("{}\n")
    return path


SESSION = "0b8e1f7c-1f43-47a2-9f8f-6b2a4d1f0c55"


@pytest.fixture
def note(foreword, save, project_folder):
    """A function: a note with what a client left in its front matter; its id."""

    def note(**fields):
        save("Something.")
        folder = os.path.join(project_folder(), "notes", "2026-11")
        os.makedirs(folder)
        head = "".join(f"{key}: {json.dumps(value)}\n" for key, value in fields.items())
        with open(os.path.join(folder, "20261103-101500-a1b2.md"), "w", encoding="utf-8") as f:
            f.write(f"---\n{head}---\n\nBody.\n")
        return "20261103-101500-a1b2"

    return note


def test_show_ends_with_where_the_memory_comes_from(foreword, note, tmp_path):
    one = note(source="claude-code", session=SESSION)
    lines = foreword("show", one).out.splitlines()
    at = lines.index("Origin")
    assert lines[at + 1].split(maxsplit=1) == ["session", f"Claude Code session {SESSION}"]
    path = log_of(tmp_path, SESSION)
    lines = foreword("show", one).out.splitlines()
    assert lines[at + 2].split(maxsplit=1) == ["resume", f"claude --resume {SESSION}"]
    assert lines[at + 3].split(maxsplit=1) == ["transcript", f"~/.claude/projects/-x/{SESSION}.jsonl"]
    assert foreword("show", one, "--json").json["origin"] == {
        "client": "claude-code", "session": SESSION, "resume": f"claude --resume {SESSION}",
        "transcript": str(path), "on_disk": True, "guess": False,
    }  # fmt: skip


def test_a_guess_is_said_to_be_one_and_no_session_says_nothing(foreword, note, save):
    assert "Origin" not in foreword("show", save("By hand.")).out
    one = note(source="codex-mcp-client", session="01a22a66-425d-7e01-8f3a-9c0d2b1e4f55", origin="guess")
    out = foreword("show", one).out
    assert "Codex session 01a22a66-425d-7e01-8f3a-9c0d2b1e4f55 (a guess" in out


def test_a_session_whose_transcript_is_gone_is_not_offered_for_resuming(foreword, note):
    out = foreword("show", note(source="claude-code", session=SESSION)).out
    assert "claude --resume" not in out
    assert "resume   not possible: its transcript is no longer on the disk\n" in out


@pytest.mark.parametrize("session", ["x; touch pwned", "\x1b[2J" + SESSION, "$(id)-$(id)"])
def test_a_session_of_another_form_makes_no_command(foreword, note, session):
    one = note(source="claude-code", session=session)
    out = foreword("show", one).out
    assert "resume" not in out and "\x1b" not in out
    assert foreword("show", one, "--json").json["origin"]["resume"] == ""


def test_list_and_show_tell_a_superseded_fact_from_a_live_one(foreword, save):
    old = save("Port 80.", "--title", "Port")
    new = save("Port 81.", "--title", "Port", "--global", "--supersedes", old)
    lines = [
        " ".join(line.split()[0:1] + line.split()[2:]) for line in foreword("list").out.splitlines()[::2]
    ]
    assert lines == [f"{new} fact (global) Port", f"{old} fact (superseded) Port"]
    rows = {row["id"]: row for row in foreword("list", "--json").json}
    assert (rows[old]["superseded_by"], rows[old]["global"]) == (new, False)
    assert (rows[new]["superseded_by"], rows[new]["global"]) == ("", True)
    out = foreword("show", old).out
    assert f"superseded by  {new}\n" in out and "fact (superseded)\n" in out
    assert f"supersedes  {old}\n" in foreword("show", new).out
    assert foreword("show", old, "--json").json["superseded_by"] == new


def test_search_leaves_superseded_memories_out_and_its_help_says_so(foreword, save):
    save("Port 80.", "--title", "Port")
    new = save("Port 81.", "--title", "Port")
    assert [row["id"] for row in foreword("search", "port", "--json").json] == [new]
    assert "supersedes are left out" in " ".join(foreword("search", "--help").out.split())


@pytest.mark.parametrize("columns", [60, 80, 120])
def test_many_marks_leave_room_for_the_title_and_fit_the_line(foreword, save, columns):
    title = "The importer drops rows without a currency because of totals"
    old = save("One.", "--global", "--title", title)
    save("Two.", "--global", "--title", title)
    foreword("reject", old)
    out = foreword("list", env={"COLUMNS": str(columns)}).out
    assert max(map(len, out.splitlines())) <= columns
    assert "(global, superseded, rejected)" in out
    assert out.count("The importer dr") >= 2


def test_an_empty_part_of_a_full_store_is_not_called_an_empty_store(foreword, save):
    save("One.")
    save("Two.", "--type", "session")
    assert foreword("list", "--archived").err == "nothing is archived here\n"
    assert foreword("list", "--type", "note").err == "no notes here yet (1 session, 1 fact)\n"
    foreword("archive", save("Three."))
    assert foreword("list", "--archived", "--type", "note").err == "no archived notes here (1 fact)\n"
    assert foreword("list", "--type", "note", "--json").out == "[]\n"


@pytest.mark.parametrize("verb", [["list"], ["search", "x"]], ids=" ".join)
def test_a_limit_of_nothing_is_refused_alike(foreword, repo, verb):
    assert "'--limit': 0 is not in the range" in foreword(*verb, "--limit", 0, code=2).err

"""`foreword install` with many clients: what it says at the end, and what a broken one does to the others."""

import json

import pytest


@pytest.fixture
def folders(home, only_claude):
    """A function that makes the folders of clients, as if they had run here."""
    places = {
        "cursor": ".cursor",
        "windsurf": ".codeium/windsurf",
        "zed": ".config/zed",
        "jetbrains": ".junie",
    }
    places["claude-desktop"] = ".config/Claude"

    def make(*names):
        for name in names:
            (home / places[name]).mkdir(parents=True)

    return make


def test_the_end_says_what_each_client_has_what_to_do_and_how_to_see_it(foreword, folders):
    folders("cursor", "zed")
    out = foreword("install", "--anyway").out
    lines = out[out.index("server  ") :].splitlines()
    assert lines[0].split() == ["server", "forewords", "instructions"]
    rows = {line.split()[0]: line for line in lines[1:] if line[:1].isalpha()}
    assert rows["zed"].split() == ["zed", "yes", "-", "a", "text"]
    assert rows["claude-code"].split() == ["claude-code", "yes", "yes", "skills"]
    assert rows["cursor"].endswith("skills of another client, a text to paste")
    assert max(map(len, lines[: lines.index("")])) <= 80
    assert "foreword graph on" in out
    for line in ("next, cursor:", "next, zed:", "to see it work: foreword doctor"):
        assert line in lines


def test_a_text_to_paste_is_printed_once_for_all_that_need_it_and_not_again_by_a_second_run(
    foreword, folders
):
    folders("cursor", "claude-desktop")
    out = foreword("install", "--anyway").out
    assert out.count("## Memory") == 1
    assert "to paste by hand, for cursor" in out
    assert "to paste by hand, for claude-desktop" in out
    again = foreword("install", "--anyway").out
    assert "## Memory" not in again
    assert "foreword protocol --client claude-desktop" in again
    shown = foreword("protocol", "--client", "claude-desktop").out
    assert shown.strip() == out.partition("begins below this line --\n")[2].partition("\n-- 8< --")[0].strip()
    assert "## Memory" in foreword("install", "claude-desktop", "--anyway").out


def test_json_holds_the_table_and_the_texts(foreword, folders):
    folders("claude-desktop", "zed")
    told = {c["client"]: c for c in foreword("install", "--anyway", "--json").json["clients"]}
    assert set(told["zed"]["wired"]) == {"server", "forewords", "instructions"}
    assert told["zed"]["wired"]["forewords"] is None
    assert told["zed"]["to_paste"] == []
    [pasted] = told["claude-desktop"]["to_paste"]
    assert pasted["text"].startswith("## Memory")
    assert pasted["where"]


def test_one_file_that_is_broken_stops_all_of_them_and_the_way_without_it_is_told(foreword, folders, home):
    folders("cursor", "zed")
    (home / ".cursor" / "mcp.json").write_text('{\n  "mcpServers": [}\n')
    before = sorted(str(path) for path in home.rglob("*"))
    err = foreword("install", "--anyway", code=2).err
    assert ".cursor/mcp.json:2:18" in err
    assert "nothing was changed" in err
    assert "without it: foreword install " in err
    assert sorted(str(path) for path in home.rglob("*")) == before
    named = err.partition("without it: foreword install ")[2].split()
    assert "cursor" not in named and "zed" in named
    foreword("install", *named, "--anyway")
    assert (
        "foreword" in json.loads((home / ".config" / "zed" / "settings.json").read_text())["context_servers"]
    )


def test_one_that_was_named_is_refused_without_a_way_around_it(foreword, folders, home):
    folders("cursor", "zed")
    (home / ".cursor" / "mcp.json").write_text("[1]")
    assert "without it" not in foreword("install", "cursor", "zed", "--anyway", code=2).err


def test_without_skills_the_table_says_that_there_are_none(foreword, folders):
    told = {c["client"]: c for c in foreword("install", "--anyway", "--no-skills", "--json").json["clients"]}
    assert told["claude-code"]["wired"]["instructions"] is None


def test_where_no_client_has_hooks_nothing_is_said_of_notes_that_save_themselves(foreword, folders):
    folders("zed")
    assert "Notes are saved" not in foreword("install", "zed", "--anyway").out
    assert "Notes are saved" in foreword("install", "--anyway").out


def test_all_that_was_wired_goes_in_one_command(foreword, folders, home):
    folders("cursor", "windsurf", "zed", "jetbrains", "claude-desktop")
    before = {str(path): path.read_bytes() for path in home.rglob("*") if path.is_file()}
    made = sorted(str(path) for path in home.rglob("*"))
    foreword("install", "--anyway")
    foreword("uninstall", "--purge", "--yes")
    left = [str(path) for path in home.rglob("*") if path.name != ".claude.json"]  # the stand-in's own
    assert sorted(left) == made
    assert {path: open(path, "rb").read() for path in before} == before

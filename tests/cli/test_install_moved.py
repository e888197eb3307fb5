"""Files that an earlier install wired and that do not count now; files of the user's own under our name."""

import os

import pytest

pytestmark = [
    pytest.mark.skipif(os.name == "nt", reason="the stand-in is a shell script"),
    pytest.mark.usefixtures("only_claude"),
]
MARK = "<!-- foreword: begin"


def findings(done):
    return [(each["level"], each["what"], each["hint"]) for each in done.json["findings"]]


@pytest.fixture
def moved(home, monkeypatch):
    """A function that lets Cline keep its servers in another file of the same folder; the path."""
    folder = home / ".cline" / "data" / "settings"
    folder.mkdir(parents=True)

    def move(name):
        monkeypatch.setenv("CLINE_MCP_SETTINGS_PATH", str(folder / name))
        return folder / name

    return move


@pytest.mark.parametrize("own", ["", '{\n "mcpServers": {} }\n'], ids=["made by us", "the user's"])
def test_ours_stayed_in_a_file_that_the_client_no_longer_reads(foreword, moved, own):
    older = moved("one.json")
    if own:
        older.write_text(own)
    foreword("install", "cline", "--anyway")
    assert "foreword" in older.read_text()
    newer = moved("two.json")
    told = [
        f for f in findings(foreword("doctor", "--client", "cline", "--json", code=1)) if str(older) in f[1]
    ]
    assert [(level, hint) for level, _, hint in told] == [("failure", "foreword install cline")]
    out = foreword("install", "cline", "--dry-run", "--anyway").out
    assert f"{'change' if own else 'remove'} ~/.cline/data/settings/one.json: our entries go" in out
    assert "foreword" in older.read_text()

    out = foreword("install", "cline", "--anyway").out

    assert "foreword" in newer.read_text()
    assert "cline: the MCP server is gone from ~/.cline/data/settings/one.json" in out
    assert (older.read_text() if own else older.exists()) == (own or False)
    assert not [f for f in findings(foreword("doctor", "--client", "cline", "--json")) if str(older) in f[1]]
    assert "every file is as it should be" in foreword("install", "cline", "--anyway").out
    foreword("uninstall", "cline")
    assert not newer.exists()
    assert (older.read_text() if own else older.exists()) == (own or False)


def test_such_a_file_that_cannot_be_read_is_refused_before_anything_is_written(foreword, moved):
    older = moved("one.json")
    foreword("install", "cline", "--anyway")
    older.write_text('{"mcpServers": {"foreword": [}}')
    newer = moved("two.json")
    assert f"{older}:1:" in foreword("install", "cline", "--anyway", code=2).err
    assert not newer.exists()


@pytest.mark.parametrize("own", ["", "mine\n"], ids=["made by us", "the user's"])
def test_the_block_stayed_in_a_file_of_instructions_that_gemini_no_longer_reads(foreword, home, own):
    folder = home / ".gemini"
    folder.mkdir()
    (folder / "settings.json").write_text('{"context": {"fileName": ["AGENTS.md"]}}')
    older, newer = folder / "AGENTS.md", folder / "OTHER.md"
    if own:
        older.write_text(own)
    foreword("install", "gemini", "--anyway")
    (folder / "settings.json").write_text(
        (folder / "settings.json").read_text().replace("AGENTS.md", "OTHER.md")
    )
    foreword("install", "gemini", "--anyway")
    assert "<!-- foreword: begin" in newer.read_text()
    assert (older.read_text() if own else older.exists()) == (own or False)
    foreword("uninstall", "gemini")
    assert not newer.exists()
    assert (older.read_text() if own else older.exists()) == (own or False)


def test_two_sets_of_settings_stayed_wired_and_only_one_was_spoken_of(foreword, home, tmp_path, monkeypatch):
    """A user may well want both: then it is theirs to say."""
    monkeypatch.setenv("CLINE_DIR", str(tmp_path / "work"))
    foreword("install", "cline", "--anyway")
    there = tmp_path / "work" / "data" / "settings" / "cline_mcp_settings.json"
    wired = there.read_bytes()
    monkeypatch.delenv("CLINE_DIR")

    done = foreword("install", "cline", "--anyway")

    assert f"note: cline is wired elsewhere too, where it does not look now: {there}" in done.err
    assert "hint: to have it here alone: foreword uninstall cline, which" in done.err
    assert there.read_bytes() == wired
    assert str(there) in foreword("install", "cline", "--anyway", "--json").json["clients"][0]["elsewhere"]
    told = [f for f in findings(foreword("doctor", "--client", "cline", "--json")) if str(there) in f[1]]
    assert [level for level, *_ in told] == ["note"]
    there.write_text("{ foreword")  # nor is it to say whether anything is done here
    foreword("install", "cline", "--anyway")
    there.write_bytes(wired)
    foreword("uninstall", "cline")
    assert not there.exists()
    assert not (home / ".cline").exists()


# -- a file of the user's own that has our name ---------------------------------------------------


@pytest.mark.parametrize(
    ("client", "where"),
    [
        ("cline", ".cline/rules/foreword.md"),
        ("vscode", ".copilot/instructions/foreword.instructions.md"),
    ],
)
def test_a_file_of_the_users_own_was_changed_without_a_copy(foreword, home, client, where):
    path = home / where
    path.parent.mkdir(parents=True)
    path.write_text("mine\n")
    foreword("install", client, "--anyway")
    [copy] = path.parent.glob("*.foreword.bak.*")
    assert copy.read_text() == "mine\n"
    path.write_text("more of " + path.read_text().replace("memory_search", "memory_serch"))
    changed = path.read_text()
    foreword("install", client, "--anyway")
    copies = sorted(path.parent.glob("*.foreword.bak.*"))
    assert [each.read_text() for each in copies] == ["mine\n", changed]
    foreword("uninstall", client)
    assert path.read_text() == "more of mine\n"


def test_a_file_of_ours_alone_gets_no_copy(foreword, home):
    path = home / ".cline" / "rules" / "foreword.md"
    foreword("install", "cline", "vscode", "--anyway")
    path.write_text(path.read_text().replace("memory_search", "memory_serch"))
    foreword("install", "cline", "vscode", "--anyway")
    assert "memory_serch" not in path.read_text()
    assert [name for name in os.listdir(path.parent) if ".bak." in name] == []


def test_vs_code_applies_no_file_without_a_head_and_nothing_said_so(foreword, home):
    path = home / ".copilot" / "instructions" / "foreword.instructions.md"
    path.parent.mkdir(parents=True)
    for mine, is_told in (
        ("mine\n", True),
        ("---\nname: x\n---\napplyTo: y\n", True),
        ("---\napplyTo: '**'\n---\nmine\n", False),
    ):
        path.write_text(mine)
        err = foreword("install", "vscode", "--anyway").err
        assert (f"warning: {path} does not begin with a head that says applyTo" in err) is is_told
        foreword("uninstall", "vscode")
        assert path.read_text() == mine
        path.unlink()
    assert "applyTo" not in foreword("install", "vscode", "--anyway").err

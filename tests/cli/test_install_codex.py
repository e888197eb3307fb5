"""`foreword install` and `uninstall` with Codex, alone and beside Claude Code, as a person runs them."""

import json
import os
import re
import stat
import tomllib

import pytest

from cli import fake_claude
from cli.fake_claude import everything_below
from foreword.graph import place

pytestmark = pytest.mark.skipif(os.name == "nt", reason="the stand-in is a shell script")

CONFIG = b"""# my own
model = "a" # the one we pay for

[mcp_servers.other]
command = "x"
args = [
  "y", # why
]

# the end, without a newline"""
HOOKS = b'{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"beep"}]}]}}'
IN_CONFIG = b'[[hooks.Stop]]\n[[hooks.Stop.hooks]]\ntype = "command"\ncommand = "beep"\n'
SETTINGS = b'{\n   "model": "opus"\n}\n'
BEFORE = {
    "nothing": {},
    "a config": {"config.toml": CONFIG},
    "CRLF": {"config.toml": CONFIG.replace(b"\n", b"\r\n"), "hooks.json": HOOKS + b"\r\n"},
    "both": {"config.toml": CONFIG + b"\n", "hooks.json": HOOKS},
    "hooks in the config": {"config.toml": b"\xef\xbb\xbf" + IN_CONFIG + b"\n# end\n"},
    "empty files": {"config.toml": b"", "hooks.json": b""},
    "empty hooks": {"hooks.json": b'{\n  "hooks": {}\n}\n'},
}
NAMES = ("remember", "recall", "dream")


@pytest.fixture(autouse=True)
def no_program(tmp_path, monkeypatch):
    """Neither client's program is on the PATH."""
    (tmp_path / "nothing").mkdir()
    monkeypatch.setenv("PATH", str(tmp_path / "nothing"))


@pytest.fixture
def home(tmp_path):
    return tmp_path / "home"


@pytest.fixture
def codex(home):
    """Codex's folder."""
    (home / ".codex").mkdir()
    return home / ".codex"


def contents(top):
    """{path below: bytes} of all files but backups; folders with a None."""
    found = {}
    for path, (data, _) in everything_below(top).items():
        if ".foreword.bak." not in path:
            found[os.path.relpath(path, top)] = data
    return found


def write(folder, files):
    for name, data in files.items():
        (folder / name).write_bytes(data)


def config(codex):
    return tomllib.loads((codex / "config.toml").read_text("utf-8-sig"))


# -- which clients -------------------------------------------------------------------------------


def test_without_a_name_every_client_that_is_found_is_wired(foreword, home, codex, tmp_path, monkeypatch):
    fake_claude.put_on_path(tmp_path / "bin", monkeypatch)
    told = foreword("install", "--anyway", "--json").json
    assert [client["client"] for client in told["clients"]] == ["claude-code", "codex"]
    assert "foreword" in fake_claude.state(home)["mcpServers"]
    assert "foreword" in config(codex)["mcp_servers"]


def test_a_client_that_is_not_there_is_left_alone(foreword, home, codex):
    told = foreword("install", "--anyway", "--json").json
    assert [client["client"] for client in told["clients"]] == ["codex"]
    assert not (home / ".claude").exists()


@pytest.mark.parametrize("dry", [[], ["--dry-run"]], ids=["real", "dry run"])
def test_where_no_client_was_found_claude_code_was_wired_all_the_same(foreword, home, dry):
    there = everything_below(home)

    done = foreword("install", "--anyway", "--switch", "on", *dry, code=1)

    assert done.out == ""
    assert "error: no client found on this machine\nhint: foreword install claude-code " in done.err
    assert everything_below(home) == there


def test_trust_for_a_client_that_asks_for_none_was_passed_over(foreword, home, codex):
    there = everything_below(home)
    done = foreword("install", "claude-code", "--trust", "--anyway", code=2)
    assert "--trust is for codex, and this wires claude-code alone; nothing was changed" in done.err
    assert everything_below(home) == there


def test_a_client_that_is_named_is_wired_though_it_is_not_there_yet(foreword, home):
    foreword("install", "codex", "--anyway")
    assert (home / ".codex" / "hooks.json").exists()
    assert not (home / ".claude").exists()


# -- there and back ------------------------------------------------------------------------------


@pytest.mark.parametrize("trust", [[], ["--trust"]], ids=["", "trust"])
@pytest.mark.parametrize("before", BEFORE.values(), ids=BEFORE)
def test_uninstall_gives_every_byte_back(foreword, codex, before, trust):
    write(codex, before)
    there = contents(codex)
    foreword("install", "--anyway", *trust)
    assert "foreword" in config(codex)["mcp_servers"]
    assert all((codex / "skills" / name / "SKILL.md").exists() for name in NAMES)

    foreword("uninstall")

    assert contents(codex) == there


@pytest.mark.parametrize("before", BEFORE.values(), ids=BEFORE)
def test_a_second_run_changes_nothing(foreword, home, codex, before):
    write(codex, before)
    foreword("install", "--anyway", "--trust")
    there = everything_below(home)

    out = foreword("install", "--anyway").out

    assert everything_below(home) == there
    assert "nothing changed" in out


@pytest.mark.parametrize("before", BEFORE.values(), ids=BEFORE)
def test_only_our_entries_go_when_the_user_changed_the_files(foreword, codex, before):
    write(codex, before)
    foreword("install", "--anyway", "--trust")
    mine = b'\n[projects."/x"]\ntrust_level = "trusted"\n'
    with (codex / "config.toml").open("ab") as f:
        f.write(mine)
    (codex / "skills" / "mine").mkdir()
    (codex / "skills" / "mine" / "SKILL.md").write_text("mine")

    out = foreword("uninstall").out

    assert "our entries are gone" in out
    assert os.listdir(codex / "skills") == ["mine"]
    left = (codex / "config.toml").read_bytes()
    assert tomllib.loads(left.decode("utf-8-sig")) == tomllib.loads(
        (before.get("config.toml", b"") + b"\n" + mine).decode("utf-8-sig")
    )
    assert left.startswith(before.get("config.toml", b""))
    assert left.endswith(mine.lstrip())


def test_both_clients_at_once_leave_nothing_of_their_own_but_backups(
    foreword, home, codex, tmp_path, monkeypatch
):
    fake_claude.put_on_path(tmp_path / "bin", monkeypatch)
    (home / ".claude").mkdir()
    (home / ".claude" / "settings.json").write_bytes(SETTINGS)
    write(codex, BEFORE["both"])
    there = contents(home)

    foreword("install", "--anyway")
    foreword("uninstall")

    now = contents(home)
    store = {path: data for path, data in now.items() if path.startswith((".foreword", ".claude.json"))}
    assert {path: data for path, data in now.items() if path not in store} == there
    assert fake_claude.state(home)["mcpServers"] == {}


def test_the_chosen_folder_is_honoured_and_found_again(foreword, home, tmp_path, monkeypatch):
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    monkeypatch.setenv("CODEX_HOME", str(tmp_path / "link"))
    foreword("install", "codex", "--anyway", "--trust")
    assert not (home / ".codex").exists()
    keys = list(config(tmp_path / "real")["hooks"]["state"])
    assert all(key.startswith(str(tmp_path / "real" / "hooks.json") + ":") for key in keys)
    monkeypatch.delenv("CODEX_HOME")

    foreword("uninstall")

    assert os.listdir(tmp_path / "real") == []


def test_files_behind_links_are_changed_where_they_are(foreword, codex, tmp_path):
    dotfiles = tmp_path / "dotfiles"
    dotfiles.mkdir()
    write(dotfiles, BEFORE["both"])
    (dotfiles / "config.toml").chmod(0o640)
    for name in BEFORE["both"]:
        (codex / name).symlink_to(dotfiles / name)
    foreword("install", "--anyway")
    assert all((codex / name).is_symlink() for name in BEFORE["both"])
    assert "foreword" in config(dotfiles)["mcp_servers"]
    assert stat.S_IMODE((dotfiles / "config.toml").stat().st_mode) == 0o640

    foreword("uninstall")

    assert {name: (dotfiles / name).read_bytes() for name in BEFORE["both"]} == BEFORE["both"]


def test_an_entry_that_was_added_by_hand_before_goes_too(foreword, codex):
    foreword("install", "--anyway")
    text = (codex / "config.toml").read_bytes()
    foreword("uninstall")
    write(codex, {"config.toml": text.replace(b"env_vars", b"#env_vars")})
    foreword("install", "--anyway")

    foreword("uninstall")

    assert "mcp_servers" not in config(codex)


def test_codex_used_another_graph_than_claude_code(foreword, codex):
    foreword("install", "codex", "--anyway")
    passed = set(config(codex)["mcp_servers"]["foreword"]["env_vars"])
    assert passed >= {"MEMORY_FILE_PATH", place.STRICT, *(row[0] for row in place.NUMBERS)}


def test_an_entry_that_passed_no_variable_of_the_graph_on_is_renewed(foreword, codex):
    foreword("install", "codex", "--anyway")
    whole = (codex / "config.toml").read_text()
    older = re.sub(r"env_vars = .*", 'env_vars = ["FOREWORD_HOME", "CODEX_HOME"]', whole)
    assert older != whole
    hooks = (codex / "hooks.json").read_bytes()
    write(codex, {"config.toml": older.encode()})

    foreword("install", "codex", "--anyway")

    assert (codex / "config.toml").read_text() == whole
    assert (codex / "hooks.json").read_bytes() == hooks
    write(codex, {"config.toml": older.encode()})
    foreword("uninstall")
    assert not (codex / "config.toml").exists()


# -- nothing is done by halves -------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "data", "told"),
    [
        ("config.toml", b'model = "a"\nb =\n', ":2:4: "),
        ("hooks.json", b'{"hooks": []}', ":1:11: "),
        ("config.toml", b'[mcp_servers.foreword]\ncommand = "node"\n', "codex mcp remove foreword"),
        ("config.toml", b'a = "\xff"\n', "UTF-8"),
        ("hooks.json", None, "read-only"),
        ("config.toml", None, "read-only"),
    ],
)
def test_what_stops_one_client_stops_all_before_anything_was_changed(
    foreword, home, codex, tmp_path, monkeypatch, name, data, told
):
    fake_claude.put_on_path(tmp_path / "bin", monkeypatch)
    write(codex, BEFORE["both"])
    if data is None:
        (codex / name).chmod(0o400)
    else:
        (codex / name).write_bytes(data)
    (home / ".claude").mkdir()
    (home / ".claude" / "settings.json").write_bytes(SETTINGS)
    there = everything_below(home)

    done = foreword("install", "--anyway", code=1 if "remove" in told else 2)

    assert told in done.err
    assert str(codex / name) in done.err
    assert "nothing was changed" in done.err
    assert everything_below(home) == there


def test_an_uninstall_that_cannot_be_whole_changes_nothing(foreword, home, codex):
    write(codex, BEFORE["both"])
    foreword("install", "--anyway")
    with (codex / "config.toml").open("ab") as f:
        f.write(b"\n[[[\n")
    there = everything_below(home)
    assert "nothing was changed" in foreword("uninstall", code=2).err
    assert everything_below(home) == there


def test_a_dry_run_shows_every_file_and_writes_nothing(foreword, home, codex):
    write(codex, BEFORE["both"])
    there = everything_below(home)

    out = foreword("install", "--anyway", "--dry-run", "--trust").out

    assert everything_below(home) == there
    assert "+[mcp_servers.foreword]" in out
    assert "+trusted_hash" in out
    assert "foreword.hook codex session-start" in out
    assert all(f"    new ~/.codex/skills/{name}/SKILL.md, " in out for name in NAMES)


# -- what it says --------------------------------------------------------------------------------


def test_it_says_that_codex_asks_for_trust_until_it_is_given(foreword, codex):
    out = foreword("install", "--anyway").out
    assert "Trust all and continue" in out
    assert "codex exec" in out
    assert "foreword doctor" in out
    assert "state" not in config(codex).get("hooks", {})

    out = foreword("install", "--anyway", "--trust").out
    assert "in your place" in out
    assert len(config(codex)["hooks"]["state"]) == 3

    out = foreword("install", "--anyway").out
    assert "Trust all" not in out
    assert "trusted" in out


@pytest.mark.parametrize("dry", [[], ["--dry-run"]], ids=["real", "dry run"])
def test_json_is_one_document_with_every_file(foreword, codex, dry):
    write(codex, BEFORE["both"])
    [client] = foreword("install", "--anyway", "--json", *dry).json["clients"]
    paths = ["hooks.json", "config.toml", *(os.path.join("skills", name, "SKILL.md") for name in NAMES)]
    assert [entry["path"] for entry in client["files"]] == [str(codex / path) for path in paths]
    assert all(entry["changed"] for entry in client["files"])
    assert (client["client"], client["changed"], client["error"]) == ("codex", True, "")
    assert bool(client["next"]) is not bool(dry)


@pytest.mark.parametrize(
    ("data", "mend"),
    [(b"// mine\n{}", "take every comment"), (b"\xef\xbb\xbf{}", "save it without one")],
)
def test_what_codex_ignores_is_warned_of_with_what_mends_it(foreword, codex, data, mend):
    write(codex, {"hooks.json": data})
    last = foreword("install", "--anyway").err.splitlines()[-1]
    assert "Codex ignores such a file, so no hook in it runs; to mend it, " + mend in last


def test_backups_go_with_a_purge(foreword, codex):
    write(codex, BEFORE["both"])
    foreword("install", "--anyway")
    assert len(list(codex.glob("*.foreword.bak.*"))) == 2
    foreword("uninstall", "--purge", "--yes")
    assert contents(codex) == BEFORE["both"]
    assert list(codex.glob("*.foreword.bak.*")) == []


def test_nobody_else_may_read_what_we_made(foreword, codex):
    foreword("install", "--anyway")
    for name in ("hooks.json", "config.toml", "skills/remember/SKILL.md"):
        assert stat.S_IMODE((codex / name).stat().st_mode) == 0o600
    assert json.loads((codex / "hooks.json").read_bytes())["hooks"].keys() == {
        "SessionStart",
        "UserPromptSubmit",
        "Stop",
    }

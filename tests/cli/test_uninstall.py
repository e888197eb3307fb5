"""`foreword uninstall`: original bytes, or only our entries; backups and the store until --purge."""

import hashlib
import json
import os
import shutil
import subprocess
import sys

import pytest

from cli import fake_claude
from cli.fake_claude import everything_below

COMMAND = [sys.executable, "-I", "-m", "foreword.cli"]
pytestmark = pytest.mark.skipif(os.name == "nt", reason="the stand-in is a shell script")

SETTINGS = b"""{
   "model": "opus",
   "hooks": {
      "Stop": [{"hooks": [{"type": "command", "command": "say done"}]}]
   },
   "permissions": {"deny": [], "allow": ["Bash(ls:*)"]}
}
"""
BEFORE = {
    "own layout": SETTINGS,
    "CRLF": SETTINGS.replace(b"\n", b"\r\n"),
    "tabs": SETTINGS.replace(b"   ", b"\t"),
    "BOM": b"\xef\xbb\xbf" + SETTINGS,
    "one line": b'{"model":"opus","hooks":{"Stop":[]}}',
    "comments": b'{ // mine\n  "model": "opus", /* a */\n  "hooks": { },\n}',
    "empty object": b"{}",
    "empty containers": b'{\n  "hooks": {},\n  "permissions": {\n    "allow": []\n  }\n}\n',
    "empty file": b"",
    "white space": b" \n",
    "a rule of ours was theirs": b'{"permissions": {"allow": ["mcp__foreword__memory_read"]}}',
}


@pytest.fixture(autouse=True)
def claude(repo, tmp_path, monkeypatch):
    """The stand-in is the only program on the PATH."""
    fake_claude.put_on_path(tmp_path / "bin", monkeypatch)


@pytest.fixture
def home(tmp_path):
    return tmp_path / "home"


@pytest.fixture
def settings(home):
    """The client's settings file; its folder is there."""
    (home / ".claude").mkdir()
    return home / ".claude" / "settings.json"


@pytest.fixture
def installed(foreword, settings):
    """The settings file, with SETTINGS in it and Foreword installed."""
    settings.write_bytes(SETTINGS)
    foreword("install", "--anyway")
    return settings


def backups(settings):
    return sorted(settings.parent.glob("settings.json.foreword.bak.*"))


def changed_by_the_user(settings):
    """Change a value as a person would in an editor; what the file would be without us."""
    settings.write_bytes(settings.read_bytes().replace(b"opus", b"haiku"))
    return SETTINGS.replace(b"opus", b"haiku")


# -- what is left --------------------------------------------------------------------------------


@pytest.mark.parametrize("before", BEFORE.values(), ids=BEFORE)
def test_uninstall_gives_the_original_bytes_back(foreword, home, settings, before):
    settings.write_bytes(before)
    foreword("install", "--anyway")
    assert settings.read_bytes() != before

    out = foreword("uninstall").out

    assert settings.read_bytes() == before
    assert "original bytes" in out
    assert fake_claude.state(home)["mcpServers"] == {}


@pytest.mark.parametrize("before", BEFORE.values(), ids=BEFORE)
def test_with_the_record_lost_the_entries_still_go(foreword, home, settings, before):
    settings.write_bytes(before)
    foreword("install", "--anyway")
    for path in (home / ".foreword" / "state" / "installs").iterdir():
        path.unlink()

    foreword("uninstall")

    assert b"foreword" not in settings.read_bytes()


def test_a_file_and_a_folder_that_we_made_are_gone(foreword, home):
    foreword("install", "--anyway")
    assert (home / ".claude" / "settings.json").exists()

    foreword("uninstall")

    assert not (home / ".claude").exists()


def test_a_file_that_we_made_goes_even_when_the_client_wrote_it_anew(foreword, home):
    foreword("install", "--anyway")
    settings = home / ".claude" / "settings.json"
    settings.write_text(json.dumps(json.loads(settings.read_bytes())))

    foreword("uninstall")

    assert not (home / ".claude").exists()


def test_a_folder_that_we_made_behind_a_link_is_gone_too(foreword, tmp_path, monkeypatch):
    (tmp_path / "disk").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "disk")
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "link" / "claude"))
    foreword("install", "--anyway")
    os.unlink(tmp_path / "link" / "claude" / ".claude.json")  # the client's own

    foreword("uninstall")

    assert os.listdir(tmp_path / "disk") == []


def test_a_folder_that_the_client_uses_meanwhile_stays(foreword, home):
    foreword("install", "--anyway")
    (home / ".claude" / "history.jsonl").write_text("")

    foreword("uninstall")

    assert os.listdir(home / ".claude") == ["history.jsonl"]


@pytest.mark.parametrize(
    "name", [name for name in BEFORE if b"opus" in BEFORE[name]]
)  # those that hold what the user changes
def test_only_our_entries_go_when_the_user_changed_the_file(foreword, settings, name):
    settings.write_bytes(BEFORE[name])
    foreword("install", "--anyway")
    settings.write_bytes(settings.read_bytes().replace(b"opus", b"haiku"))

    out = foreword("uninstall").out

    assert settings.read_bytes() == BEFORE[name].replace(b"opus", b"haiku")
    assert "our entries are gone" in out


def test_a_rule_and_empty_containers_of_the_users_own_stay(foreword, settings):
    before = (
        b'{\n  "model": "opus",\n  "hooks": {},\n'
        b'  "permissions": {"allow": ["mcp__foreword__memory_read"]}\n}\n'
    )
    settings.write_bytes(before)
    foreword("install", "--anyway")
    settings.write_bytes(settings.read_bytes().replace(b"opus", b"haiku"))

    foreword("uninstall")

    assert settings.read_bytes() == before.replace(b"opus", b"haiku")


def test_a_hook_that_shares_our_group_stays(foreword, installed):
    value = json.loads(installed.read_bytes())
    [group] = [g for g in value["hooks"]["Stop"] if "foreword.hook" in json.dumps(g)]
    group["hooks"].append({"type": "command", "command": "beep"})
    installed.write_text(json.dumps(value, indent=2))

    foreword("uninstall")

    now = json.loads(installed.read_bytes())
    assert [[hook["command"] for hook in group["hooks"]] for group in now["hooks"]["Stop"]] == [
        ["beep"],
        ["say done"],
    ]
    assert list(now["hooks"]) == ["Stop"]
    assert now["permissions"] == {"deny": [], "allow": ["Bash(ls:*)"]}


def test_what_the_user_mended_between_two_installs_is_kept(foreword, installed):
    wanted = changed_by_the_user(installed)
    text = installed.read_bytes()
    installed.write_bytes(text.replace(b'"timeout": 5', b'"timeout": 6'))
    assert installed.read_bytes() != text
    foreword("install", "--anyway")

    foreword("uninstall")

    assert installed.read_bytes() == wanted


def test_two_installs_over_each_other_lead_back_to_the_first_original(
    foreword, settings, tmp_path, monkeypatch
):
    settings.write_bytes(SETTINGS)
    fake_claude.put_on_path(tmp_path / "bin", monkeypatch, version="2.1.100")
    foreword("install", "--anyway")
    older = settings.read_bytes()
    fake_claude.put_on_path(tmp_path / "bin", monkeypatch)
    foreword("install", "--anyway")
    assert settings.read_bytes() != older

    foreword("uninstall")

    assert settings.read_bytes() == SETTINGS
    assert sorted(path.read_bytes() for path in backups(settings)) == sorted([SETTINGS, older])


@pytest.mark.parametrize("again", [True, False], ids=["installed over it", "as it was"])
@pytest.mark.parametrize("changed", [True, False], ids=["changed", "unchanged"])
def test_what_version_0_1_installed_leads_back_to_the_original(foreword, home, installed, again, changed):
    """Its record of settings.json, its four rules, and no skills."""
    dream = b'"mcp__foreword__memory_dream"'
    installed.write_bytes(installed.read_bytes().replace(b", " + dream, b""))
    assert dream not in installed.read_bytes()
    record = home / ".foreword" / "state" / "installs" / "claude-code.json"
    kept = json.loads(record.read_bytes())
    kept["files"] = {str(installed): kept["files"][str(installed)]}
    kept["files"][str(installed)]["made"]["rules"].remove(json.loads(dream))
    kept["files"][str(installed)]["after"] = hashlib.sha256(installed.read_bytes()).hexdigest()
    record.write_text(json.dumps(kept))
    shutil.rmtree(home / ".claude" / "skills")
    if again:
        foreword("install", "--anyway")
        assert dream in installed.read_bytes()
    wanted = changed_by_the_user(installed) if changed else SETTINGS

    foreword("uninstall")

    assert installed.read_bytes() == wanted
    assert not (home / ".claude" / "skills").exists()


def test_a_folder_of_the_clients_that_is_no_longer_chosen_is_cleaned_too(foreword, tmp_path, monkeypatch):
    chosen = tmp_path / "elsewhere"
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(chosen))
    foreword("install", "--anyway")
    monkeypatch.delenv("CLAUDE_CONFIG_DIR")

    foreword("uninstall")

    assert not (chosen / "settings.json").exists()


def test_uninstalling_twice_changes_nothing_the_second_time(foreword, home, installed):
    foreword("uninstall")
    there = everything_below(home)

    out = foreword("uninstall").out

    assert {p: data for p, (data, _) in everything_below(home).items()} == {
        p: data for p, (data, _) in there.items()
    }
    assert installed.read_bytes() == SETTINGS
    assert backups(installed)[0].name in out


def test_uninstalling_what_was_never_installed_changes_nothing(foreword, home, settings):
    settings.write_bytes(SETTINGS)
    foreword("uninstall")
    assert settings.read_bytes() == SETTINGS
    assert not (home / ".foreword" / "state" / "installs" / "claude-code.json").exists()


def test_without_the_client_the_manual_command_is_printed(foreword, installed, tmp_path, monkeypatch):
    (tmp_path / "nothing").mkdir()
    monkeypatch.setenv("PATH", str(tmp_path / "nothing"))

    out = foreword("uninstall").out

    assert "    claude mcp remove --scope user foreword\n" in out
    assert installed.read_bytes() == SETTINGS


# -- a dry run, refusals, JSON -------------------------------------------------------------------


@pytest.mark.parametrize("mode", [0o600, 0o400])
def test_a_dry_run_shows_everything_and_writes_nothing(foreword, home, installed, mode):
    installed.chmod(mode)
    there = everything_below(home)

    out = foreword("uninstall", "--dry-run").out

    assert everything_below(home) == there
    assert "mcp__foreword__memory_read" in out
    assert "claude mcp remove --scope user foreword" in out


def test_a_dry_run_lists_what_would_change_before_the_text_of_settings(foreword, installed):
    skill = installed.parent / "skills" / "recall" / "SKILL.md"
    skill.write_text(skill.read_text() + "Mine.\n")

    out = foreword("uninstall", "--dry-run").out

    listed, _, rest = out.partition("\n\n")
    lines = listed.splitlines()
    assert lines[:2] == [
        "claude-code: would change",
        "    change ~/.claude/settings.json: the original bytes come back",
    ]
    assert "    keep ~/.claude/skills/recall/SKILL.md: it was changed by hand" in lines
    assert [line.split(",")[0] for line in lines if line.startswith("    remove ~")] == [
        f"    remove ~/.claude/skills/{name}/SKILL.md" for name in ("remember", "dream")
    ]
    assert lines[-1] == "    remove the MCP server through claude"
    assert "SKILL.md" not in rest
    assert (
        f"--- {skill.parent.parent / 'dream' / 'SKILL.md'}"
        in foreword("uninstall", "--dry-run", "--verbose").out
    )
    assert "/dream/SKILL.md" in foreword("uninstall", "--dry-run", "--json").json["clients"][0]["diff"]
    changed_by_the_user(installed)
    out = foreword("uninstall", "--dry-run").out
    assert "    change ~/.claude/settings.json: our entries go, the rest stays\n" in out


@pytest.mark.parametrize("spoil", ["malformed", "read-only", "not UTF-8"])
def test_settings_that_cannot_be_changed_are_left_and_so_is_all_else(foreword, home, installed, spoil):
    if spoil == "malformed":
        installed.write_bytes(installed.read_bytes() + b"}")
    elif spoil == "not UTF-8":
        installed.write_bytes(installed.read_bytes().replace(b"opus", b"\xff"))
    else:
        installed.chmod(0o400)
    there = everything_below(home)
    line = len(installed.read_bytes().splitlines())

    err = foreword("uninstall", "--purge", "--yes", code=2).err

    assert everything_below(home) == there
    assert "nothing was changed" in err
    if spoil == "malformed":
        assert f"{installed}:{line}:1: " in err


@pytest.mark.parametrize("dry", [[], ["--dry-run"]], ids=["real", "dry run"])
def test_json_is_one_document(foreword, installed, dry):
    told = foreword("uninstall", "--json", *dry).json
    [client] = told["clients"]
    assert (told["dry_run"], told["purged"], client["client"]) == (bool(dry), False, "claude-code")
    assert client["changed"]
    assert client["error"] == ""
    assert len(client["backups"]) == (0 if dry else 1)


# -- purge ---------------------------------------------------------------------------------------


def test_prices_records_and_counts_go_with_the_store(foreword, save, installed, store, project_folder):
    save("One.")
    (store / "prices.toml").write_text("date = 2026-11-01\n")
    for name in ("forewords.log", "forewords.log.1", ".forewords.lock", "report.json", "report.sqlite"):
        with open(os.path.join(project_folder(), name), "w") as f:
            f.write("x")
    foreword("uninstall", "--purge", "--yes")
    assert not os.path.exists(store)


def test_backups_and_memories_stay_until_a_purge(foreword, save, installed, store):
    save("The retry limit is 3.")
    out = foreword("uninstall").out
    [backup] = backups(installed)
    assert backup.name in out
    assert foreword("list", "--json").json

    out = foreword("uninstall", "--purge", "--yes").out

    assert backups(installed) == []
    assert not store.exists()
    assert installed.read_bytes() == SETTINGS
    assert " files, " in out


def test_a_purge_without_a_terminal_asks_for_yes_and_changes_nothing(foreword, save, home, installed):
    save("The retry limit is 3.")
    there = everything_below(home)

    done = foreword("uninstall", "--purge", code=2)

    assert everything_below(home) == there
    assert " files, " in done.out
    assert "--yes" in done.err


def test_a_dry_purge_says_the_size_and_deletes_nothing(foreword, save, home, installed):
    save("The retry limit is 3.")
    there = everything_below(home)
    assert " files, " in foreword("uninstall", "--purge", "--dry-run").out
    assert everything_below(home) == there


def test_a_purge_leaves_what_is_not_ours_and_names_it(foreword, save, installed, store):
    save("The retry limit is 3.")
    (store / "diary.txt").write_text("mine")
    (store / "log").mkdir(exist_ok=True)
    (store / "log" / "of-a-ship.txt").write_text("mine")

    out = foreword("uninstall", "--purge", "--yes").out

    left = [os.path.relpath(os.path.join(at, n), store) for at, _, names in os.walk(store) for n in names]
    assert sorted(left) == ["diary.txt", os.path.join("log", "of-a-ship.txt")]
    assert "diary.txt" in out


@pytest.mark.parametrize("where", ["root", "the home", "a link to the home", "somebody's folder"])
def test_a_purge_of_what_is_no_store_is_refused_before_anything_is_done(
    foreword, home, installed, tmp_path, where
):
    other = tmp_path / "other"
    if where == "a link to the home":
        other.symlink_to(home)
    elif where == "somebody's folder":
        (other / "projects").mkdir(parents=True)
        (other / "projects" / "thesis.txt").write_text("mine")
    chosen = {"root": os.sep, "the home": home}.get(where, other)
    there = everything_below(tmp_path)

    err = foreword("uninstall", "--purge", "--yes", code=2, env={"FOREWORD_HOME": str(chosen)}).err

    assert "no store of Foreword" in err
    assert everything_below(tmp_path) == there


def test_a_purge_without_a_store_is_no_error(foreword, settings):
    assert "no store" in foreword("uninstall", "--purge", "--yes").out


@pytest.mark.parametrize(("answer", "code"), [("n", 1), ("", 1), ("y", 0)])
def test_a_purge_on_a_terminal_does_what_is_answered(save, home, installed, store, answer, code):
    save("The retry limit is 3.")
    there = everything_below(home)
    ours, theirs = os.openpty()
    os.write(ours, (answer + "\n").encode())
    try:
        done = subprocess.run(
            [*COMMAND, "uninstall", "--purge"], stdin=theirs, capture_output=True, text=True, timeout=60
        )
    finally:
        os.close(ours)
        os.close(theirs)
    assert done.returncode == code, done.stderr
    assert "Delete the whole store" in done.stderr
    assert "Traceback" not in done.stderr
    assert store.exists() is bool(code)
    if code:
        assert everything_below(home) == there

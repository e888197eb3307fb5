"""`foreword doctor`: each thing that needs mending is named, with the command that mends it."""

import json
import os
import shutil
import sys

import pytest

from cli import fake_claude
from foreword.clients import CLIENTS
from foreword.clients.claude_code import install

INSTALL = "foreword install claude-code"


@pytest.fixture
def without_clients(monkeypatch):
    """A PATH that has git and nothing else, so that no client of this machine is asked."""
    monkeypatch.setenv("PATH", os.path.dirname(shutil.which("git")))
    if shutil.which("claude") or shutil.which("codex"):
        pytest.skip("a client stands beside git here")


@pytest.fixture
def wired(foreword, repo, without_clients, tmp_path):
    """Foreword as it is after `foreword install claude-code`; the path of the client's settings."""
    foreword("install", "claude-code", "--anyway")
    state = {"mcpServers": {"foreword": install.server_entry()}}
    (tmp_path / "home" / ".claude.json").write_text(json.dumps(state))
    return tmp_path / "home" / ".claude" / "settings.json"


def wrong(told):
    """{what: hint} of the failures."""
    return {finding["what"]: finding["hint"] for finding in told.json["findings"] if not finding["ok"]}


def break_interpreter(settings, tmp_path):
    """Make every hook name an interpreter that is gone; its path."""
    gone = str(tmp_path / "gone" / "python")
    settings.write_text(settings.read_text().replace(json.dumps(sys.executable)[1:-1], gone))
    return gone


# -- the table -----------------------------------------------------------------------------------


def test_where_everything_is_well_doctor_says_so_and_exits_0(foreword, save, wired):
    save("One.")
    told = foreword("doctor")
    lines = told.out.splitlines()
    headings = [line for line in lines if line and not line.startswith(" ")]
    assert headings[:2] == ["store", "claude-code"]
    assert " ".join(headings[2:-1]) == "not installed here: " + ", ".join(list(CLIENTS)[1:])
    assert headings[-1] == "all is well"
    marks = {line[2:4] for line in lines if line.startswith("  ") and line[2] != " "}
    assert marks == {"ok", ".."}
    assert any(line.endswith(": 1 memory") for line in lines)
    assert any(line.startswith("  ok  the Stop hook is installed and runs (") for line in lines)
    assert told.err == ""


def test_a_hint_stands_below_what_it_mends(foreword, wired, tmp_path):
    gone = break_interpreter(wired, tmp_path)
    told = foreword("doctor", code=1)
    lines = told.out.splitlines()
    at = lines.index(f"  !!  the Stop hook names an interpreter that is gone: {gone}")
    assert lines[at + 1] == "      hint: foreword doctor --mend"
    assert lines[-1] == "3 to mend, some of it by: foreword doctor --mend"


def test_json_holds_the_findings_and_the_log_and_nothing_else(foreword, save, wired):
    save("One.")
    told = foreword("doctor", "--json").json
    assert list(told) == ["findings", "log"]
    for finding in told["findings"]:
        assert list(finding) == ["ok", "level", "what", "hint", "client"]
        assert finding["ok"] is (finding["level"] != "failure")
        assert finding["level"] in ("ok", "note", "failure")
    assert {finding["client"] for finding in told["findings"]} == {"", *CLIENTS}


def test_one_client_can_be_looked_at_alone(foreword, wired):
    told = foreword("doctor", "--client", "claude-code", "--json").json
    assert {finding["client"] for finding in told["findings"]} == {"claude-code"}
    out = foreword("doctor", "--client", "codex").out
    assert out == "codex\n  ok  not installed here\n\nall is well\n"


# -- clients -------------------------------------------------------------------------------------


def test_a_client_that_is_here_and_not_wired_is_named_with_the_command_that_wires_it(
    foreword, repo, without_clients, tmp_path
):
    (tmp_path / "home" / ".claude").mkdir()
    assert wrong(foreword("doctor", "--json", code=1)) == {"is on this machine and not wired": INSTALL}
    told = foreword("doctor", code=1).out
    assert "  !!  is on this machine and not wired\n      hint: foreword install claude-code\n" in told


def test_a_second_client_that_is_not_wired_is_a_note(foreword, wired, tmp_path):
    (tmp_path / "home" / ".codex").mkdir()
    told = foreword("doctor", "--json").json["findings"]
    [found] = [finding for finding in told if finding["client"] == "codex"]
    assert found["level"] == "note"
    assert found["hint"] == "foreword install codex"


def test_a_machine_without_any_client_is_no_sound_one(foreword, repo, without_clients):
    told = foreword("doctor", "--json", code=1)
    assert wrong(told) == {
        "no client is on this machine": f"install one ({', '.join(CLIENTS)}), then foreword install"
    }
    absent = [f["client"] for f in told.json["findings"] if f["what"] == "not installed here"]
    assert absent == list(CLIENTS)


def test_what_was_wired_and_is_gone_is_named(foreword, wired):
    settings = json.loads(wired.read_text())
    del settings["hooks"]["Stop"]
    wired.write_text(json.dumps(settings))
    assert wrong(foreword("doctor", "--json", code=1)) == {"the Stop hook is not installed": INSTALL}
    wired.unlink()
    assert len(wrong(foreword("doctor", "--json", code=1))) == 3


@pytest.mark.parametrize("content", ["{", "[1, 2]", "{'hooks': []}", '{"hooks": {"Stop": 1}}', "\x00"])
def test_settings_of_a_client_that_make_no_sense_are_told_not_raised(foreword, wired, content):
    wired.write_text(content)
    assert wrong(foreword("doctor", "--json", code=1))
    assert wired.read_text() == content


def test_a_place_where_a_file_should_be_stops_nothing(foreword, wired, tmp_path):
    wired.unlink()
    wired.mkdir()
    (tmp_path / "home" / ".codex" / "config.toml").mkdir(parents=True)
    found = foreword("doctor", "--json", code=1)
    assert f"{wired} cannot be read: Is a directory" in wrong(found)
    assert "codex" in {finding["client"] for finding in found.json["findings"]}


def test_the_current_project_s_settings_count_too(foreword, wired, repo):
    os.makedirs(os.path.join(repo, ".claude"))
    path = os.path.join(repo, ".claude", "settings.json")
    with open(path, "w") as f:
        json.dump({"disableAllHooks": True}, f)
    told = f"hooks are switched off by disableAllHooks in {path}"
    assert wrong(foreword("doctor", "--json", code=1)) == {told: "take it out there"}
    assert wrong(foreword("doctor", "--json", cwd=os.path.dirname(repo))) == {}


# -- the store -----------------------------------------------------------------------------------


def test_settings_that_cannot_be_used_are_named(foreword, wired, store):
    (store / "config.toml").write_text('switch = "sometimes"\n')
    [(what, hint)] = wrong(foreword("doctor", "--json", code=1)).items()
    assert "switch is one of on, off, auto" in what
    assert hint == "edit that file"


@pytest.mark.skipif(os.name == "nt", reason="modes of POSIX")
def test_a_store_that_others_can_read_is_named(foreword, wired, store):
    os.chmod(store, 0o755)
    told = {f"{store} can be read by others": f"chmod 700 {store}"}
    assert wrong(foreword("doctor", "--json", code=1)) == told


def test_a_damaged_memory_and_a_corrupt_index_are_named(foreword, save, wired, project_folder):
    save("One.")
    folder = project_folder()
    path = os.path.join(folder, "facts", save("Two.") + ".md")
    with open(path, "ab") as f:
        f.write(b"\xff")
    index = os.path.join(folder, "index.sqlite")
    with open(index, "r+b") as f:
        f.write(b"\x5a" * 4096)
    found = wrong(foreword("doctor", "--json", code=1))
    assert [what for what in found if what.startswith(path)]
    assert [hint for what, hint in found.items() if what.startswith(index)] == ["foreword reindex"]


def test_the_last_lines_of_the_hooks_log_are_shown(foreword, wired, store):
    (store / "log").mkdir(mode=0o700, parents=True, exist_ok=True)
    lines = [f"2026-11-30T10:{n:02}:00Z claude-code stop: gave up" for n in range(12)]
    (store / "log" / "hook.log").write_text("\n".join(lines) + "\n")
    (store / "log" / "hook.log").chmod(0o600)
    assert foreword("doctor", "--json").json["log"] == lines[2:]
    out = foreword("doctor").out
    assert lines[2] in out
    assert lines[1] not in out
    assert foreword("doctor", "--json", "--client", "codex").json["log"] == []


def test_the_home_is_no_project_and_that_is_no_fault(foreword, wired, tmp_path):
    told = foreword("doctor", cwd=tmp_path / "home")
    assert "  ok  no project here" in told.out
    foreword("doctor", "--project", tmp_path / "home", code=1)


def test_without_a_home_folder_doctor_says_so(foreword, repo, without_clients):
    found = wrong(foreword("doctor", "--json", code=1, env={"HOME": "", "FOREWORD_HOME": ""}))
    assert found["no home folder is known"] == "set FOREWORD_HOME to a folder of yours"


def test_an_empty_store_after_a_week_of_sessions_is_a_failure(foreword, wired, tmp_path, store):
    day = 86_400
    transcript = tmp_path / "home" / ".claude" / "projects" / "app" / "0a1b.jsonl"
    transcript.parent.mkdir(parents=True)
    transcript.write_text("")
    record = store / "state" / "installs" / "claude-code.json"
    now = record.stat().st_mtime
    os.utime(record, (now - 9 * day, now - 9 * day))
    (store / "state" / "fired").mkdir(mode=0o700)
    for event in ("session-start", "prompt", "stop"):
        path = store / "state" / "fired" / f"claude-code.{event}"
        path.write_text("")
        path.chmod(0o600)
    [what] = wrong(foreword("doctor", "--json", code=1))
    assert what.startswith("nothing was saved since the install 9 days ago")
    foreword("save", stdin="One.")
    assert wrong(foreword("doctor", "--json")) == {}


def test_doctor_changes_nothing(foreword, save, wired, tmp_path):
    save("One.")
    foreword("list")

    def contents():
        return {path: path.read_bytes() for path in (tmp_path / "home").rglob("*") if path.is_file()}

    break_interpreter(wired, tmp_path)
    before = contents()
    foreword("doctor", code=1)
    assert contents() == before


# -- mending -------------------------------------------------------------------------------------


def test_without_a_terminal_and_without_yes_nothing_is_mended(foreword, wired, tmp_path):
    break_interpreter(wired, tmp_path)
    before = wired.read_bytes()
    told = foreword("doctor", "--mend", "--anyway", code=2)
    assert "hint: add --yes" in told.err
    assert "names an interpreter that is gone" in told.err
    assert told.out == ""
    assert wired.read_bytes() == before


def test_mending_wires_the_client_again_and_tells_how_it_stands_then(foreword, wired, tmp_path):
    sound = wired.read_bytes()
    break_interpreter(wired, tmp_path)
    told = foreword("doctor", "--mend", "--yes", "--anyway")
    assert wired.read_bytes() == sound
    assert told.out.splitlines()[-1] == "all is well"
    assert "hooks and permission rules in" in told.err


@pytest.mark.skipif(os.name == "nt", reason="the stand-in is a shell script")
def test_mending_brings_the_server_back_through_the_client(foreword, wired, tmp_path, monkeypatch):
    programs = tmp_path / "bin"
    fake_claude.put_on_path(programs, monkeypatch)
    (programs / "git").symlink_to(shutil.which("git", path=os.defpath))
    (tmp_path / "home" / ".claude.json").unlink()
    assert wrong(foreword("doctor", "--json", code=1)) == {"the MCP server is not added": INSTALL}
    assert wrong(foreword("doctor", "--mend", "--yes", "--anyway", "--json")) == {}


def test_mending_leaves_out_the_skills_that_the_user_took_out(foreword, wired, tmp_path):
    skills = wired.parent / "skills"
    shutil.rmtree(skills)
    break_interpreter(wired, tmp_path)
    foreword("doctor", "--mend", "--yes", "--anyway")
    assert not skills.exists()


def test_what_no_wiring_mends_is_left_to_the_user(foreword, wired, store):
    (store / "config.toml").write_text('switch = "sometimes"\n')
    told = foreword("doctor", "--mend", code=1)
    assert told.err == "nothing here is mended by wiring again\n"
    assert told.out.splitlines()[-1] == "1 to mend"

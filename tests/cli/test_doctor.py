"""`foreword doctor`: each thing that needs mending is named, with the command that mends it."""

import json
import os
import shutil
import sys

import pytest

from foreword.clients.claude_code import install


@pytest.fixture
def without_claude(monkeypatch):
    """A PATH that has git and nothing else, so that no client of this machine is asked."""
    monkeypatch.setenv("PATH", os.path.dirname(shutil.which("git")))
    if shutil.which("claude"):
        pytest.skip("claude stands beside git here")


@pytest.fixture
def wired(foreword, repo, without_claude, tmp_path):
    """Foreword as it is after `foreword install`; the path of the client's settings."""
    foreword("install", "--anyway")
    state = {"mcpServers": {"foreword": install.server_entry()}}
    (tmp_path / "home" / ".claude.json").write_text(json.dumps(state))
    return tmp_path / "home" / ".claude" / "settings.json"


def wrong(told):
    """{what: hint} of the findings that are not well."""
    return {finding["what"]: finding["hint"] for finding in told.json["findings"] if not finding["ok"]}


def test_where_everything_is_well_doctor_says_so_and_exits_0(foreword, save, wired):
    save("One.")
    told = foreword("doctor")
    lines = told.out.splitlines()
    assert lines
    assert all(line.startswith("ok  ") for line in lines)
    assert any(line.endswith(": 1 memories") for line in lines)
    assert told.err == ""
    assert wrong(foreword("doctor", "--json")) == {}


def test_a_client_that_is_not_wired_is_named_with_the_command_that_wires_it(foreword, repo):
    told = foreword("doctor", code=1)
    for part in ("SessionStart hook", "UserPromptSubmit hook", "Stop hook", "MCP server"):
        assert f"!!  claude-code: the {part}" in told.out
    assert "    hint: foreword install claude-code" in told.out
    assert set(wrong(foreword("doctor", "--json", code=1)).values()) == {"foreword install claude-code"}


def test_one_hook_that_is_missing_is_the_one_that_is_named(foreword, wired):
    settings = json.loads(wired.read_text())
    del settings["hooks"]["Stop"]
    wired.write_text(json.dumps(settings))
    assert list(wrong(foreword("doctor", "--json", code=1))) == [
        "claude-code: the Stop hook is not installed"
    ]


def test_a_hook_whose_interpreter_is_gone_is_named(foreword, wired, tmp_path):
    gone = str(tmp_path / "gone" / "python")
    wired.write_text(wired.read_text().replace(json.dumps(sys.executable)[1:-1], gone))
    found = wrong(foreword("doctor", "--json", code=1))
    assert len([what for what in found if gone in what]) == 3


@pytest.mark.parametrize("content", ["{", "[1, 2]", "{'hooks': []}", '{"hooks": {"Stop": 1}}', "\x00"])
def test_settings_of_a_client_that_make_no_sense_are_told_not_raised(foreword, wired, content):
    wired.write_text(content)
    assert [what for what in wrong(foreword("doctor", "--json", code=1)) if what.startswith("claude-code")]
    assert wired.read_text() == content


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ('switch = "sometimes"', "switch is one of on, off, auto"),
        ("index.lines = true", "index.lines is a whole number"),
        ("nonsense = 1", "nonsense is no setting"),
        ("switch = ", "config.toml: "),
        ("\udcff", "config.toml: "),
    ],
)
def test_settings_that_cannot_be_used_are_named(foreword, wired, store, content, told):
    store.mkdir(exist_ok=True)
    (store / "config.toml").write_bytes(content.encode("utf-8", "surrogateescape"))
    [what] = wrong(foreword("doctor", "--json", code=1))
    assert told in what
    assert "config.toml" in what


def test_the_last_lines_of_the_hooks_log_are_shown(foreword, wired, store):
    (store / "log").mkdir(parents=True, exist_ok=True)
    lines = [f"2026-11-30T10:{n:02}:00Z claude-code stop: gave up" for n in range(12)]
    (store / "log" / "hook.log").write_text("\n".join(lines) + "\n")
    assert foreword("doctor", "--json").json["log"] == lines[2:]
    out = foreword("doctor").out
    assert lines[2] in out
    assert lines[1] not in out


@pytest.mark.skipif(os.name == "nt", reason="modes of POSIX")
def test_a_store_that_others_can_read_is_named(foreword, wired, store):
    os.chmod(store, 0o755)
    assert wrong(foreword("doctor", "--json", code=1)) == {
        f"{store} can be read by others": f"chmod 700 {store}"
    }


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


def test_the_home_is_no_project_and_that_is_no_fault(foreword, wired, tmp_path):
    told = foreword("doctor", cwd=tmp_path / "home")
    assert "ok  no project here" in told.out
    foreword("doctor", "--project", tmp_path / "home", code=1)


def test_doctor_changes_nothing(foreword, save, wired, tmp_path):
    save("One.")
    foreword("list")

    def contents():
        return {path: path.read_bytes() for path in (tmp_path / "home").rglob("*") if path.is_file()}

    before = contents()
    foreword("doctor")
    assert contents() == before

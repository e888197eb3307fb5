"""`foreword uninstall` goes on to its end, and takes every folder along that an install made."""

import json
import os
import sys

import pytest

from foreword.edit import plan

pytestmark = [
    pytest.mark.skipif(os.name == "nt", reason="the stand-in is a shell script"),
    pytest.mark.usefixtures("only_claude"),
]
ALL = (
    "codex gemini opencode cursor vscode windsurf cline zed jetbrains claude-desktop mimo".split()
)  # Claude Code makes a file itself


@pytest.fixture
def home(tmp_path):
    """The user's home, empty."""
    return tmp_path / "home"


def below(home):
    return sorted(str(path.relative_to(home)) for path in home.rglob("*"))


# -- a client that was never wired ----------------------------------------------------------------


@pytest.mark.parametrize(
    ("where", "data"),
    [
        (".cursor/mcp.json", b'{"mcpServers": [}'),
        (".codeium/windsurf/mcp_config.json", b"\xff"),
        (".gemini/settings.json", b"\xff"),
        (".gemini/settings.json", b'{"context": {'),
    ],
)
def test_an_uninstall_ended_halfway_at_a_client_that_was_never_wired(foreword, home, store, where, data):
    path = home / where
    path.parent.mkdir(parents=True)
    path.write_bytes(data)
    foreword("install", "zed", "jetbrains", "--anyway")
    foreword("uninstall", "--dry-run")
    assert (home / ".junie").exists()

    foreword("uninstall")

    assert path.read_bytes() == data
    assert not (home / ".config").exists()
    assert not (home / ".junie").exists()
    assert not store.exists()


def test_a_file_that_may_hold_ours_and_cannot_be_read_is_told_and_the_others_go_on(foreword, home):
    path = home / ".cursor" / "mcp.json"
    path.parent.mkdir()
    path.write_bytes(b'{"mcpServers": {"foreword": [}}')
    foreword("install", "zed", "--anyway")

    done = foreword("uninstall", code=1)

    assert not (home / ".config").exists()
    assert f"error: cursor was passed over: {path}:1:" in done.err
    assert "it may hold entries of ours" in done.err
    assert "then foreword uninstall cursor" in done.err
    [over] = foreword("uninstall", "--json", code=1).json["passed_over"]
    assert (over["client"], over["may_hold_ours"]) == ("cursor", True)
    assert "may hold" not in foreword("uninstall", "cursor", code=2).err


def test_a_client_that_is_on_record_and_cannot_be_read_stops_it_before_anything_is_changed(foreword, home):
    foreword("install", "cursor", "zed", "--anyway")
    (home / ".cursor" / "mcp.json").write_bytes(b'{"mcpServers": {"foreword": [}}')
    before = below(home)
    err = foreword("uninstall", code=2).err
    assert "without it: foreword uninstall " in err
    assert below(home) == before


# -- folders that we made -------------------------------------------------------------------------


def test_a_folder_that_several_clients_share_stayed(foreword, home):
    foreword("install", *ALL, "--anyway")
    assert (home / ".config" / "zed").exists()
    foreword("uninstall")
    assert below(home) == []


@pytest.mark.parametrize("names", [ALL, ALL[::-1]], ids=["in turn", "the last one first"])
def test_a_shared_folder_goes_with_the_last_client_that_is_taken_out(foreword, home, names):
    foreword("install", *ALL, "--anyway")
    for name in names:
        foreword("uninstall", name)
    assert below(home) == []


def as_an_older_python_left_it(home, store, name, path):
    """Make a client's settings file, which is ours alone, what another interpreter's install wrote."""
    text = path.read_text().replace(sys.executable, "/old/python")
    path.write_text(text)
    record = store / "state" / "installs" / f"{name}.json"
    kept = json.loads(record.read_bytes())
    kept["files"][str(path)]["after"] = plan.digest(text.encode())
    record.write_text(json.dumps(kept))


def test_a_file_that_only_we_wrote_got_a_backup_by_the_next_install(foreword, home, store):
    foreword("install", "cursor", "zed", "--anyway")
    as_an_older_python_left_it(home, store, "cursor", home / ".cursor" / "mcp.json")
    as_an_older_python_left_it(home, store, "zed", home / ".config" / "zed" / "settings.json")
    foreword("install", "cursor", "zed", "--anyway")
    assert "/old/python" not in (home / ".cursor" / "mcp.json").read_text()
    assert not [path for path in below(home) if ".bak." in path]
    foreword("uninstall")
    assert below(home) == []


@pytest.mark.parametrize("again", [False, True], ids=["", "installed and uninstalled again"])
def test_a_purge_did_not_know_the_folder_that_a_backup_had_kept(foreword, home, store, again):
    path = home / ".cursor" / "mcp.json"
    foreword("install", "cursor", "--anyway")
    path.write_text(path.read_text().replace(sys.executable, "/my/python"))  # by hand: worth a copy
    foreword("install", "cursor", "--anyway")
    for _ in range(1 + again):
        foreword("uninstall")
        [copy] = [path for path in below(home / ".cursor") if ".bak." in path]
        assert not path.exists()
        if again:
            foreword("install", "cursor", "--anyway")
    out = foreword("uninstall", "--purge", "--yes").out
    assert copy in out
    assert below(home) == []


def test_what_the_user_put_into_a_folder_of_ours_keeps_it(foreword, home):
    foreword("install", "cursor", "zed", "--anyway")
    (home / ".config" / "zed" / "keymap.json").write_text("[]")
    foreword("uninstall")
    assert below(home) == [".config", ".config/zed", ".config/zed/keymap.json"]

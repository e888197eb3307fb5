"""What Codex's review of hooks leaves in config.toml: written when asked, read, and taken out again."""

import json
import os

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clients.codex.folder import IN_CONFIG, Folder
from foreword.clients.codex import install, trust
from foreword.edit import toml
from foreword.errors import ForewordError


@pytest.fixture
def folder(tmp_path):
    return Folder(tmp_path / "codex")


def test_the_state_is_written_only_when_asked_and_says_trusted(folder):
    folder.install()
    both = install.Both(folder.path)
    assert set(trust.status(both.config, both.hashes(installed=False)).values()) == {"untrusted"}
    folder.install(trusted=True)
    both = install.Both(folder.path)
    assert trust.status(both.config, both.hashes(installed=False)) == dict.fromkeys(both.hashes(), "trusted")


@pytest.mark.parametrize(
    ("change", "status"),
    [
        (lambda text: text.replace('trusted_hash = "sha256:', 'trusted_hash = "sha256:0'), {"modified"}),
        (lambda text: text.replace("[hooks.state", "[hooks.others"), {"untrusted"}),
        (lambda text: text + "enabled = false\n", {"off", "trusted"}),
    ],
)
def test_what_codex_will_do_is_told_from_its_state(folder, change, status):
    folder.install(trusted=True)
    folder.write("config.toml", change(folder.read("config.toml")))
    both = install.Both(folder.path)
    assert set(trust.status(both.config, both.hashes(installed=False)).values()) == status


def test_a_changed_hash_is_renewed_and_a_switch_of_the_users_stays(folder):
    folder.install(trusted=True)
    text = folder.read("config.toml")
    folder.write("config.toml", text.replace('"sha256:', '"sha256:0') + "enabled = false\n")
    folder.install(trusted=True)
    assert folder.read("config.toml") == text + "enabled = false\n"


def test_a_state_in_a_form_that_takes_no_table_is_left_with_another_way(folder):
    folder.write("config.toml", '[hooks]\nstate = { "/x:stop:0:0" = { enabled = false } }\n')
    before = folder.texts()
    with pytest.raises(ForewordError) as caught:
        folder.install(trusted=True)
    assert "/hooks" in caught.value.hint
    assert folder.texts() == before


@pytest.mark.parametrize("chosen", [True, False], ids=["CODEX_HOME", "home"])
def test_links_on_the_way_count_as_the_client_counts_them(tmp_path, monkeypatch, chosen):
    # With CODEX_HOME it resolves its folder, without it not, and the file itself never.
    if chosen:
        monkeypatch.setenv("CODEX_HOME", str(tmp_path / "link"))
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    (tmp_path / "elsewhere.json").write_text("{}")
    (tmp_path / "real" / "hooks.json").symlink_to(tmp_path / "elsewhere.json")
    keys = install.Both(str(tmp_path / "link")).hashes()
    folder = os.path.realpath(tmp_path / "real") if chosen else tmp_path / "link"
    assert sorted(keys) == [
        f"{folder}/hooks.json:{event}:0:0" for event in ("session_start", "stop", "user_prompt_submit")
    ]


@pytest.mark.parametrize("where", ["hooks.json", "config.toml"])
def test_hooks_of_the_users_that_move_up_stay_trusted(folder, where):
    """Codex knows a hook by its place, and would skip it in silence."""
    folder.write("config.toml", IN_CONFIG if where == "config.toml" else "")
    folder.install(trusted=True)
    first = 1 if where == "config.toml" else 0
    if where == "config.toml":
        more = '\n[[hooks.Stop]]\n[[hooks.Stop.hooks]]\ncommand = "late"\n'
        folder.write("config.toml", folder.read("config.toml") + more)
    else:
        value = json.loads(folder.read("hooks.json"))
        value["hooks"]["Stop"].append({"hooks": [{"type": "command", "command": "late"}]})
        folder.write("hooks.json", json.dumps(value))
    path = os.path.join(os.path.realpath(folder.path), where)
    state = '\n[%s]\ntrusted_hash = "sha256:11" # reviewed\n'
    late = toml.dotted(("hooks", "state", f"{path}:stop:{first + 1}:0"))
    folder.write("config.toml", folder.read("config.toml") + state % late)

    folder.uninstall()

    assert folder.config()["hooks"]["state"] == {f"{path}:stop:{first}:0": {"trusted_hash": "sha256:11"}}
    assert [hook["command"] for *_, hook in folder.hooks()][-1] == "late"


def test_a_state_of_the_same_hook_in_a_repository_is_not_ours_to_drop(folder):
    folder.install(trusted=True)
    known = trust.hook_hash("Stop", install.hook("Stop"))
    text = '[hooks.state."/repo/.codex/hooks.json:stop:0:0"]\ntrusted_hash = "%s"\n' % known
    folder.write("config.toml", text + "\n" + folder.read("config.toml"))
    folder.uninstall()
    assert folder.read("config.toml").strip() == text.strip()


@pytest.mark.parametrize("event", install.HOOKS)
@given(matcher=st.none() | st.text(max_size=3), message=st.none() | st.text(max_size=3))
def test_the_hash_says_all_that_codex_compares(event, matcher, message):
    handler = {"type": "command", "command": "run é", "timeout": 3}
    plain = trust.hook_hash(event, handler)
    assert trust.hook_hash(event, {**handler, "unknown": 1}) == plain
    assert trust.hook_hash(event, {**handler, "timeout": 4}) != plain
    assert trust.hook_hash(event, {**handler, "command": "run e"}) != plain
    assert (trust.hook_hash(event, {**handler, "statusMessage": message}) == plain) == (message is None)
    kept = matcher is not None and event == "SessionStart"
    assert (trust.hook_hash(event, handler, matcher) == plain) != kept


def test_our_hash_under_a_place_that_the_hook_left_goes_too(folder):
    folder.write("config.toml", '[hooks.state."/mine:stop:0:0"]\ntrusted_hash = "sha256:00"\n')
    before = folder.texts()
    made = folder.install(trusted=True)
    text = folder.read("config.toml")
    folder.write("config.toml", text.replace("session_start:0:0", "session_start:7:0"))
    folder.uninstall(made)
    assert folder.texts()["config.toml"] == before["config.toml"]

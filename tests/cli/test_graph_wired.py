"""What `foreword graph on` and `off` say is still to be done, by what is wired here."""

import pytest

from cli import fake_claude

FOLLOW = "next: foreword install claude-code, where permission rules follow; then restart the client\n"
RESTART = "next: restart the client\n"


@pytest.fixture(autouse=True)
def claude(tmp_path, monkeypatch):
    """A `claude` on the PATH."""
    fake_claude.put_on_path(tmp_path / "bin", monkeypatch)


def test_where_nothing_is_wired_install_is_next(foreword):
    assert "next: foreword install, for no client is wired yet" in foreword("graph", "on").out
    assert "next" not in foreword("graph", "off").out


def test_permission_rules_that_follow_at_the_next_install_are_told_of_by_on_and_by_off(foreword):
    foreword("install", "--anyway")
    for verb in ("on", "off"):
        assert FOLLOW in foreword("graph", verb).out
        assert foreword("graph", verb, "--json").json["to_install"] == ["claude-code"]
        assert FOLLOW in foreword("graph", verb).out  # as long as they do
        foreword("install", "--anyway")
        done = foreword("graph", verb)
        assert FOLLOW not in done.out
        assert foreword("graph", verb, "--json").json["wired"] == ["claude-code"]


def test_where_everything_is_wired_already_the_client_is_restarted_and_no_more(foreword):
    foreword("graph", "on")
    foreword("install", "--anyway")
    assert foreword("graph", "on").out.endswith(RESTART)
    foreword("install", "codex", "--anyway", "--no-skills")
    assert foreword("graph", "on").out.endswith(RESTART)
    assert foreword("graph", "on", "--json").json["wired"] == ["claude-code", "codex"]


def test_settings_that_cannot_be_read_do_not_stop_the_switch(foreword, tmp_path):
    foreword("install", "--anyway")
    (tmp_path / "home" / ".claude" / "settings.json").write_text("{")
    assert FOLLOW in foreword("graph", "on").out

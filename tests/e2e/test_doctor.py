"""`foreword doctor` with both real clients: it finds out what they do, and does not assume it."""

import pytest

pytestmark = pytest.mark.e2e


def section(said, client):
    """What doctor says of a client: its indented lines."""
    lines = said.split(f"\n{client}\n")[1].splitlines()
    return "\n".join(line for line in lines[: next((n for n, x in enumerate(lines) if x[:1] != " "), None)])


def test_all_is_well_only_when_the_hooks_are_trusted(both, model):
    claude, codex = both
    claude.install()
    claude.foreword("install", "codex", "--anyway")
    model.script("Hello.", "Hello.")

    untrusted = section(claude.foreword("doctor", rc=1).stdout, "codex")
    codex.install()
    claude.run("Good morning")
    codex.run("Good morning")
    said = claude.foreword("doctor").stdout

    assert "you have not trusted them" in untrusted
    assert "foreword install codex --trust" in untrusted
    assert "have not fired yet" in untrusted
    for client in ("claude-code", "codex"):
        assert "have not fired yet" not in section(said, client)
        assert "!!" not in section(said, client)
        assert section(said, client).count("is installed and runs") == 3
    assert "Codex trusts the hooks" in section(said, "codex")


def test_a_hook_that_the_user_switched_off_in_codex_is_noticed(codex):
    codex.install()
    with open(codex.config_file, encoding="utf-8") as f:
        text = f.read()
    state = next(line for line in text.splitlines() if ":stop:0:0" in line)
    with open(codex.config_file, "w", encoding="utf-8") as f:
        f.write(text.replace(state, state + "\nenabled = false"))

    said = section(codex.home.foreword("doctor", rc=1).stdout, "codex")

    assert [hook["enabled"] for hook in codex.hooks()].count(False) == 1
    assert "!!" in said

"""Which clients are wired, and in which `foreword install` has something to do. Reads, never writes."""

from foreword.clients import CLIENTS, loaded
from foreword.clients.parts import Options, decoded
from foreword.edit import jsonc, plan
from foreword.errors import ForewordError


def to_renew(home):
    """([client] that are wired, [those of them that the next install would change]).

    By an install or a plugin. Skills do not count: they say nothing of what is switched on. A file that
    cannot be read or is malformed counts as one to change: install says what is wrong with it.
    """
    wired, stale = [], []
    for name in CLIENTS:
        is_wired, is_stale = _state(name, home)
        if is_wired:
            wired.append(name)
        if is_wired and is_stale:
            stale.append(name)
    return wired, stale


def _state(name, home):
    """(whether a client is wired, whether an install would change it)."""
    install = loaded.install(name)
    records = plan.records(home, name)
    try:
        parts = install.parts(Options(records=records))
        texts = [(part, decoded(part.path, plan.read(part.path))) for part in parts if not part.is_skill]
        if any(part.holds_ours(text) for part, text in texts):
            changes = any(part.with_ours(text) != text for part, text in texts)
            return True, changes or bool(install.COMMANDS and install.COMMANDS.to_add())
    except (ForewordError, jsonc.MalformedError):
        return plan.is_installed(home, name), True
    return bool(loaded.health(name).plugins()), False

"""What must not be stored: private parts, our own forewords, the clients' injected text. Pure; hot."""

import re

# An opened <private> that is never closed hides the rest: better to lose text than to keep a secret.
_PRIVATE = re.compile(r"<private>.*?(?:</private>|\Z)", re.IGNORECASE | re.DOTALL)
_INJECTED = re.compile(
    r"<(foreword|system-reminder|local-command-caveat|hook_context)\b[^>]*>.*?</\1>\s?",
    re.IGNORECASE | re.DOTALL,
)
_COMMAND = re.compile(r"\s*/[A-Za-z][\w:-]*(?=\s|$)(.*)", re.DOTALL)


def keepable(text):
    """The text without <private> parts, without forewords and without what clients put around prompts."""
    if "<" not in text:
        return text
    return _INJECTED.sub("", _PRIVATE.sub("", text)).strip()


def is_question(prompt):
    """False for an empty prompt and for a slash command that asks nothing (`/compact`, `/model opus`).

    A command with three words or a question mark behind it carries a question (`/review the cache
    layer please`). `/etc/hosts is wrong` is no command: a command's name holds no second slash.
    """
    if not prompt.strip():
        return False
    command = _COMMAND.match(prompt)
    if not command:
        return True
    rest = command.group(1)
    return "?" in rest or "？" in rest or len(rest.split()) >= 3

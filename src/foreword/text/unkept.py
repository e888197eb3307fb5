"""What must not be stored: private parts, our own forewords, the clients' injected text. Pure; hot."""

import re

# <private> is the user's; the others are put around prompts by clients, or by us.
_OPENS = r"(?i)<(private|foreword|system-reminder|local-command-caveat|hook_context)\b[^>]{0,300}>"
_COMMAND = r"(?s)\s*/[A-Za-z][\w:-]*(?=\s|$)(.*)"


def keepable(text):
    """The text without <private> parts, without forewords and without what clients put around prompts.

    A <private> that is never closed hides the rest: better to lose text than to keep a secret.
    Any other tag that is never closed is text. One pass, however many tags a hostile text opens.
    """
    if "<" not in text:
        return text
    kept = []
    at = position = 0
    unclosed = set()
    opens = re.compile(_OPENS)
    while opened := opens.search(text, position):
        name = opened.group(1).lower()
        position = opened.end()
        if name in unclosed:
            continue
        closed = _closing(name, text, position)
        if closed or name == "private":
            kept.append(text[at : opened.start()])
            at = position = closed.end() if closed else len(text)
        else:
            unclosed.add(name)
    kept.append(text[at:])
    return "".join(kept).strip()


def _closing(name, text, at):
    """The tag that closes what was opened before `at`, or None. Only private parts stand in each other."""
    depth = 1
    for tag in re.compile(rf"(?i)<(/?){name}\b[^>]{{0,300}}>").finditer(text, at):
        if tag.group(1):
            depth -= 1
        elif name == "private":
            depth += 1
        if not depth:
            return tag
    return None


def is_question(prompt):
    """False for an empty prompt and for a slash command that asks nothing (`/compact`, `/model opus`).

    A command with three words or a question mark behind it carries a question (`/review the cache
    layer please`). `/etc/hosts is wrong` is no command: a command's name holds no second slash.
    """
    if not prompt.strip():
        return False
    command = re.match(_COMMAND, prompt)
    if not command:
        return True
    rest = command.group(1)
    return "?" in rest or "？" in rest or len(rest.split()) >= 3

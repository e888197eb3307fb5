"""What must not be stored: private parts, our own forewords, the clients' injected text. Pure; hot."""

import re

from foreword.text.redact import redact, window

# <private> is the user's; the others are put around prompts by clients, or by us.
_NAMES = ("private", "foreword", "system-reminder", "local-command-caveat", "hook_context")
# Claude Code's commands and skills begin with `/`, Codex's skills with `$`.
_COMMAND = r"(?s)\s*[/$]([A-Za-z][\w:-]*)(?=\s|$)(.*)"
# Ours: what they answer is made of memories, and saved again it would come back as a new one.
_OURS = r"(?:foreword[:-])?(?:remember|recall|dream)\Z"
MOST_TAGS = 20_000  # no person writes more: what follows is dropped, so that a hostile text costs little


def keepable(text):
    """The text without <private> parts, without forewords and without what clients put around prompts.

    A <private> that is never closed hides the rest: better to lose text than to keep a secret.
    Any other tag that is never closed is text.
    """
    if "<" not in text:
        return text
    lower = text.lower()
    # A search for the tags themselves takes 1.6 s for 10 MB of `<`.
    names = tuple(name for name in _NAMES if name in lower)
    if not names:
        return text.strip()
    kept = []
    at = position = 0
    opens = _opening(names)
    for _ in range(MOST_TAGS):
        opened = opens.search(text, position) if names else None
        if not opened:
            kept.append(text[at:])
            break
        name = opened.group(1).lower()
        position = opened.end()
        end = _closing(name, text, position)
        if end or name == "private":
            kept.append(text[at : opened.start()])
            at = position = end or len(text)
        else:
            names = tuple(n for n in names if n != name)  # none of them is closed from here on
            opens = _opening(names)
    return "".join(kept).strip()


def kept(text, limit):
    """What of a text may be stored, of which `limit` characters are: `keepable`, and credentials redacted,
    before anything is cut."""
    return redact(window(keepable(text), limit))


def _opening(names):
    return re.compile(r"(?i)<\s{0,9}(%s)\b" % "|".join(names))


def _closing(name, text, at):
    """Where the tag ends that closes what was opened before `at`; 0 when none does.

    Only private parts stand in each other.
    """
    closing = r"<\s{0,9}/\s{0,9}%s\s{0,9}>" % name
    first = re.compile("(?i)" + closing).search(text, at)
    if not first or name != "private":
        return first.end() if first else 0
    depth = 1
    for n, tag in enumerate(re.compile(r"(?i)(%s)|<\s{0,9}%s\b" % (closing, name)).finditer(text, at)):
        depth += -1 if tag.group(1) else 1
        if not depth:
            return tag.end()
        if n > MOST_TAGS:
            break
    return 0


def is_question(prompt):
    """False for an empty prompt, for a command that asks nothing (`/compact`, `/model opus`), and for our own
    skills.

    A command with three words or a question mark behind it carries a question (`/review the cache
    layer please`). `/etc/hosts is wrong` is no command: a command's name holds no second slash.
    """
    if not prompt.strip():
        return False
    command = re.match(_COMMAND, prompt)
    if not command:
        return True
    name, rest = command.groups()
    if re.match(_OURS, name):
        return False
    return "?" in rest or "？" in rest or len(rest.split()) >= 3

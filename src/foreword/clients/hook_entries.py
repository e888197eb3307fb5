"""Hooks in a JSON file of the shape that Claude Code's settings.json and Codex's hooks.json share. Cold.

{"hooks": {EVENT: [{"matcher": ..., "hooks": [HOOK, ...]}, ...]}}, edited by text span. Ours is what
runs `-m foreword.hook`, in any form and by any interpreter, so every version recognises what an
earlier one left. Which events and which hook objects is the client's to say.
"""

import os
import re
import shlex
import subprocess
import sys

from foreword.edit import jsonc

# event of Claude Code's and Codex's hooks -> (event of foreword.hook, timeout in seconds)
EVENTS = {
    "SessionStart": ("session-start", 10),
    "UserPromptSubmit": ("prompt", 5),
    "Stop": ("stop", 10),
}


def words(client, ours):
    """The command of a client's hook as words; `ours`: the event as foreword.hook calls it.

    The interpreter is the environment's own path, links unresolved: the target of a link may be
    shared and know nothing of this package.
    """
    return [sys.executable, "-I", "-m", "foreword.hook", client, ours]


def line(arguments):
    """Words as one line for the shell that clients start hooks with."""
    if os.name == "nt":
        return subprocess.list2cmdline([arguments[0].replace("\\", "/"), *arguments[1:]])
    return shlex.join(arguments)


# -- looking -----------------------------------------------------------------------------------


def is_ours(value):
    """Whether a hook object runs Foreword, whatever version wrote it."""
    if not isinstance(value, dict):
        return False
    arguments = value.get("args")
    said = [value.get("command"), *(arguments if isinstance(arguments, list) else ())]
    joined = " ".join(word for word in said if isinstance(word, str))
    return re.search(r"(^|\s)-m\s+foreword\.hook(\s|$)", joined) is not None


def handlers(hooks):
    """(event, index of the group, index of the hook, group, hook) of each hook of a parsed "hooks"."""
    for event, groups in hooks.items() if isinstance(hooks, dict) else ():
        for g, group in enumerate(groups if isinstance(groups, list) else ()):
            found = group.get("hooks") if isinstance(group, dict) else None
            for h, value in enumerate(found if isinstance(found, list) else ()):
                yield event, g, h, group, value


def ours(text, event=None):
    """Paths of our hook objects, of one event or of all."""
    return [
        ["hooks", name, g, "hooks", h]
        for name, g, h, _, value in handlers(jsonc.value_at(text, ["hooks"]))
        if is_ours(value) and event in (None, name)
    ]


def check_shapes(text, events, more=()):
    """Raise MalformedError where something on the way to our entries is not what it must be: before
    the first edit, for once the text is half edited, a place in it leads nowhere.

    `events`: the client's names of those that get a hook; `more`: further (path, "object" or "array").
    """
    root = jsonc.parse(text)
    shapes = [([], "object"), (["hooks"], "object"), *more]
    for path, kind in [*shapes, *((["hooks", event], "array") for event in events)]:
        node = jsonc.at_path(root, path)
        if node is not None and node.kind != kind:
            called = ".".join(path) or "the whole"
            raise jsonc.MalformedError(text, node.start, f"expected {called} to be an {kind}")


def containers(text, events, more=()):
    """The paths of the containers that `with_ours` will have to make, `more` among those it may."""
    wanted = [[], ["hooks"], *(["hooks", event] for event in events), *more]
    root = jsonc.parse(text)
    return [path for path in wanted if jsonc.at_path(root, path) is None]


# Clients take strict JSON only where we read more (Claude Code 2.1.197, Codex 0.171.0: seen in runs).
STRICT = "take every comment and every trailing comma out of it"


def ignored(program, path, text, before=None):
    """Why a program ignores the whole of a text that we can read, with the place; "" when it does not.

    `before`: the text as the user has it, when `text` is what will be there; its own place is told first.
    """
    now = jsonc.relaxed(text)
    if not now:
        return ""
    first, also = (before is not None and jsonc.relaxed(before)) or now, ""
    if (first.line, first.column) != (now.line, now.column):
        also = f" ({now.line}:{now.column} with our entries in)"
    return f"{path}:{first.line}:{first.column}{also}: {first.what}: {program} ignores such a file"


# -- edits -------------------------------------------------------------------------------------


def with_ours(text, forms, last=False):
    """The text with one hook of ours for each event; as it is when they are there.

    `forms`: {event: [hook objects]}: any of them may stand, the first is what is written. `last`: a
    new group goes behind those of others.
    """
    for path in reversed(ours(text)):
        if path[1] not in forms:  # of another version
            text = drop_hook(text, path, None)
    for event, accepted in forms.items():
        found = ours(text, event)
        if not found:
            text = jsonc.push(text, ["hooks", event], {"hooks": accepted[:1]}, last=last)
            continue
        if jsonc.value_at(text, found[0]) not in accepted:
            text = jsonc.replace(text, found[0], accepted[0])
        for extra in reversed(found[1:]):
            text = drop_hook(text, extra, None)
    return text


def without_ours(text, made=None):
    """The text without our hooks. Containers that are empty then go too, if we made them: `made` is
    what `containers` said; without it every container that only we filled counts."""
    while found := ours(text):  # a key that is there twice shows its first value once the last is gone
        for path in reversed(found):
            text = drop_hook(text, path, made)
    return text


def drop_hook(text, path, made):
    text = jsonc.drop(text, path)
    group = path[:3]
    if not jsonc.value_at(text, [*group, "hooks"]):
        text = jsonc.drop(text, group)  # its only hook was ours, so the group was
    return drop_empty(text, path[:2], made)


def drop_empty(text, path, made):
    """Drop the container under a path and those above it that are empty then: a comment is the user's."""
    while True:
        node = jsonc.at_path(jsonc.parse(text), path)
        if node is None or node.members or node.tail > node.start + 1:
            return text
        if list(path) not in made if made is not None else not path:
            return text
        text = jsonc.drop(text, path)
        if not path:
            return text
        path = path[:-1]

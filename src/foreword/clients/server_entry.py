"""Our MCP server as an entry of a client's JSON settings, edited by text span. Cold.

{KEY: {..., "foreword": ENTRY}} in JSON, with comments and trailing commas where the client takes them. The
client says under which keys, and what an entry looks like there; everything else of the file stays.
"""

import itertools
import os
import sys

from foreword import paths
from foreword.clients import hook_entries, marked_block
from foreword.clients.parts import Part, skill_part
from foreword.edit import jsonc
from foreword.errors import NO, ForewordError

SERVER = "foreword"
WHAT = "the MCP server"
COMMAND = ("command", "args")  # where the words of an entry stand
# What the user switches an entry off or on with: set when it is added, never afterwards.
SWITCHES = ("enabled", "disabled")


def command(client):
    """The words that start the server for a client, which is the `source` of what is saved through it.

    The interpreter is the environment's own path, as in hook_entries.words.
    """
    return [sys.executable, "-I", "-m", "foreword.cli", "serve", "--client", client]


def entry(client, **more):
    """{"command", "args"} and `more`, the shape that most clients share; `more` comes first."""
    program, *arguments = command(client)
    made = {**more, "command": program, "args": arguments}
    return {**made, "env": environment()} if environment() else made


def environment():
    """Variables for the entry of a program with windows, which sees nothing of what a shell exports: {}
    where the store is in its usual place."""
    home = os.environ.get("FOREWORD_HOME", "")
    usual = os.path.join(paths.user_home(), ".foreword")
    return {"FOREWORD_HOME": home} if os.path.isabs(home) and home != usual else {}


def words(value):
    """The command of an entry as words, whether it stands in one list or in two keys; [] for none."""
    if not isinstance(value, dict):
        return []
    program, arguments = value.get("command"), value.get("args")
    if isinstance(program, dict):  # Zed's older shape: {"command": {"path": ..., "args": [...]}}
        program, arguments = program.get("path"), program.get("args")
    if isinstance(program, list):
        said = program
    else:
        said = [program, *(arguments if isinstance(arguments, list) else ())]
    return [word for word in said if isinstance(word, str)]


def is_ours(value):
    """Whether an entry starts Foreword as some version of `foreword install` wrote it."""
    said = words(value)
    return any(pair == ("-m", "foreword.cli") for pair in itertools.pairwise(said))


def renewed(value, wanted):
    """{key: value} of `wanted`, without what is right in an entry of ours as it stands: the user may have
    switched it off, and have added keys, variables, and options behind `serve` (--project PATH).

    None is for a key to take out: "args" where `wanted` has all words in one list, and only there.
    """
    added = _added(words(value))
    is_right = words(value) == [*words(wanted), *added] and _is_shaped(value, wanted)
    left: dict = {key: None for key in COMMAND if key in value and key not in wanted}
    for key, known in wanted.items():
        if key in COMMAND and is_right:
            continue
        if key in COMMAND and isinstance(known, list):
            known = [*known, *added]
        elif key in ("env", "environment"):
            known = {**(value[key] if isinstance(value.get(key), dict) else {}), **known}
        if value.get(key) != known and not (key in SWITCHES and key in value):
            left[key] = known
    return left


def _is_shaped(value, wanted):
    """Whether the words of an entry stand in the keys, and in the types, that they have in `wanted`."""
    return all(
        isinstance(value.get(key), type(wanted[key])) if key in wanted else key not in value
        for key in COMMAND
    )


def is_current(value, wanted):
    """Whether an entry is ours and as this version writes it."""
    return is_ours(value) and not renewed(value, wanted)


def _added(said):
    """The words behind `serve` that are not ours: all but --client and its value."""
    behind = said[said.index("serve") + 1 :] if "serve" in said else []
    if "--client" in behind:
        at = behind.index("--client")
        del behind[at : at + 2]
    return behind


def part(path, keys, wanted, reads=""):
    """The Part of a settings file that holds `wanted`, our entry, at [*keys, "foreword"].

    `reads`: the client's name for people where it takes strict JSON only, so that a file with a comment
    is of no use to it; "" where it reads comments.
    """
    at = [*keys, SERVER]

    def with_ours(text):
        _check_shapes(text, keys)
        present = jsonc.value_at(text, at)
        if present is None:
            return jsonc.put(text, at, wanted)
        if not is_ours(present):
            raise ForewordError(
                f"{path}: an MCP server {SERVER} is there, and it is not this one; nothing was changed",
                f"rename yours in {'.'.join(keys)}, or take it out, then run the same command again",
                exit_code=NO,
            )
        for key, value in renewed(present, wanted).items():
            text = jsonc.drop(text, [*at, key]) if value is None else jsonc.put(text, [*at, key], value)
        return text

    def without_ours(text, made):
        _check_shapes(text, keys)
        while is_ours(jsonc.value_at(text, at)):  # a key may be there twice
            text = hook_entries.drop_empty(jsonc.drop(text, at), list(keys), made and made["containers"])
        return text

    def warning(text, before=None):
        if not text.strip():
            return ""
        told = hook_entries.ignored(reads, path, text, before) if reads else ""
        if told:
            return f"{told}, so the server in it does not run; to mend it, {hook_entries.STRICT}"
        present = jsonc.value_at(text, at)
        if isinstance(present, dict) and (present.get("enabled") is False or present.get("disabled") is True):
            return f"{path}: {'.'.join(at)} is switched off, so the client does not start the server"
        return ""

    made_for = Part(
        path,
        WHAT,
        with_ours,
        without_ours,
        lambda text: {"containers": containers(text, keys)},
        lambda text: is_ours(jsonc.value_at(text, at)),
        warning,
    )
    made_for.starts = lambda text: _started(jsonc.value_at(text, at))
    return made_for


def part_to_remove(path, keys):
    """The Part of a settings file that an earlier install edited, to take our entry out."""
    return part(path, keys, {})


def part_left(path, keys):
    """The Part of any file that an earlier install edited, by its name: a skill, a text, else settings."""
    if os.path.basename(path) == "SKILL.md":
        return skill_part(path)
    return marked_block.part_to_remove(path) if path.endswith(".md") else part_to_remove(path, keys)


def containers(text, keys):
    """The paths of the objects that the entry needs and that are not there yet."""
    root = jsonc.parse(text)
    wanted = [list(keys[:n]) for n in range(len(keys) + 1)]
    return [path for path in wanted if jsonc.at_path(root, path) is None]


def _check_shapes(text, keys):
    """Raise MalformedError where something on the way to our entry is no object, before the first edit."""
    root = jsonc.parse(text)
    for n in range(len(keys) + 1):
        node = jsonc.at_path(root, list(keys[:n]))
        if node is not None and node.kind != "object":
            called = ".".join(keys[:n]) or "the whole"
            raise jsonc.MalformedError(text, node.start, f"expected {called} to be an object")


def _started(value):
    """(command, env) of an entry, for whoever starts it once; None where there is none of ours."""
    if not is_ours(value):
        return None
    env = value.get("env") or value.get("environment")
    given = env.items() if isinstance(env, dict) else ()
    return words(value), {**os.environ, **{str(key): str(known) for key, known in given}}

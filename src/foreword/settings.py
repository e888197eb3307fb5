"""What the user chose: config.toml, read through a compiled copy. Hot.

Parsing TOML costs 16 ms; so the first reader after a change compiles the file to JSON, stamped with
its size and time, and every later process reads that. A config.toml that is no TOML counts as
empty for hooks, but for what it may have excluded, and is an error for `foreword doctor`.
"""

import json
import os
import time

from foreword import files

SWITCHES = ("on", "off", "auto", "auto:session")
DEFAULTS = {
    "switch": "auto",
    "index.lines": 5,
    "index.characters": 2_500,
    "recall.budget": 6_000,
    "recall.sessions": 3,
    "recall.directive": True,
    "graph.on": False,
    "graph.file": "",
    "graph.in_index": False,
    "exclude.paths": (),
    "exclude.projects": (),
    "exclude.prompts": (),
    "headless": True,
    "retention.days": 0,
    "retention.types": ("note",),
}
TYPES = ("note", "session", "fact")
EVERYTHING = {"exclude.paths": ["**"]}  # what cannot be read excludes all that it could have meant
SMALLEST_RECALL = 800  # characters: with less, the frame would be most of it
SECONDS_A_DAY = 86_400


def path(home):
    return os.path.join(home, "config.toml")


def load(home):
    """The settings as a flat dict ("index.lines": 5), defaults filled in. Never raises."""
    try:
        stat = os.stat(path(home))
    except (OSError, ValueError):
        return dict(DEFAULTS)
    if stat.st_mode & 0o170000 != 0o100000:
        return dict(DEFAULTS)  # no file: reading a pipe would wait for ever
    # The keys belong to it: a newer version knows more of them.
    stamp = [stat.st_size, stat.st_mtime_ns, stat.st_ino, *DEFAULTS]
    compiled = os.path.join(home, "state", "config.json")
    try:
        kept = json.loads(files.read(compiled) or b"null")
        if kept["stamp"] == stamp:
            return {**DEFAULTS, **_usable(kept["settings"])}
    except (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError):
        pass  # none yet, or damaged: it is derived
    try:
        chosen = parse(home)
    except OSError:
        return {**DEFAULTS, **EVERYTHING}  # it may be readable the next time, and may exclude this
    except (ValueError, RecursionError):
        # Doctor reads the file itself and says what is wrong.
        chosen = EVERYTHING if b"exclude" in (files.read(path(home)) or b"") else {}
    try:
        files.make_folder(os.path.dirname(compiled))
        kept = {"stamp": stamp, "settings": chosen}
        files.write(compiled, json.dumps(kept).encode(), durable=False)
    except OSError:
        pass  # a read-only disk: what the user chose holds all the same
    return {**DEFAULTS, **chosen}


def parse(home):
    """What config.toml says, flat, known keys of the right type only; {} without one. Raises ValueError,
    OSError."""
    return _usable(_flat(home))


def _usable(chosen):
    usable = {key: value for key, value in chosen.items() if problem(key, value) is None}
    wrong = any(key == "exclude" or key.startswith("exclude.") for key in chosen.keys() - usable.keys())
    return {**usable, **EVERYTHING} if wrong else usable


def wrong(home):
    """What config.toml holds that cannot be used, a sentence each. Raises ValueError, OSError."""
    from foreword import exclude

    flat = _flat(home)
    patterns = flat.get(exclude.PROMPTS)
    told = [problem(key, value) for key, value in flat.items()]
    told += (
        [exclude.problem(one) for one in patterns if isinstance(one, str)]
        if isinstance(patterns, list)
        else []
    )
    return list(filter(None, told))


def _flat(home):
    import tomllib  # cold: 16 ms, once after each change of the file

    flat = {}

    def walk(table, prefix):
        for key, value in table.items():
            if isinstance(value, dict):
                walk(value, prefix + key + ".")
            else:
                flat[prefix + key] = value

    text = (files.read(path(home)) or b"").decode("utf-8-sig")  # editors on Windows put a mark before it
    walk(tomllib.loads(text), "")
    return flat


def problem(key, value):
    """Why a setting cannot be used, as a sentence; None when it can."""
    if key not in DEFAULTS:
        return f"{key} is no setting of this version."
    if key == "switch":
        return None if value in SWITCHES else f"switch is one of {', '.join(SWITCHES)}."
    if isinstance(DEFAULTS[key], bool):
        return None if isinstance(value, bool) else f"{key} is true or false."
    if isinstance(DEFAULTS[key], tuple):
        is_list = isinstance(value, (list, tuple)) and all(
            isinstance(one, str) and one.strip() for one in value
        )
        if key == "retention.types":
            return None if is_list and set(value) <= set(TYPES) else f"{key} is a list of {', '.join(TYPES)}."
        return None if is_list else f'{key} is a list of texts: ["..."]; until it is, nothing is stored.'
    if isinstance(DEFAULTS[key], str):
        return None if isinstance(value, str) and "\0" not in value else f"{key} is a text."
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        return f"{key} is a whole number."
    if key == "recall.budget" and 0 < value < SMALLEST_RECALL:
        return f"{key} is 0 for none, or at least {SMALLEST_RECALL} characters."
    return None


def leaves_out(chosen):
    """Whether anything is never to be stored (see `exclude`)."""
    return not chosen["headless"] or any(chosen["exclude." + of] for of in ("paths", "projects", "prompts"))


def configured(record, chosen):
    """The switch of a project: its own (project.json as a dict), else the settings'."""
    own = record.get("switch")
    return own if own in SWITCHES else chosen["switch"]


def effective(switch, now=None, session=""):
    """ "on" or "off" for a prompt of a client session (its id; "" where it has none).

    `auto` is on for even days since 1970-01-01 (UTC) and off for odd ones. `auto:session` is a coin for each
    client session: the first digit of its id's sha256, on for even ones. Its id is all that the coin
    depends on, so a session stays what it is, over midnight and when it is resumed; without one the day
    decides, as under `auto`.
    """
    if switch in ("on", "off"):
        return switch
    if switch == "auto:session" and session:
        from foreword.digest import of_text  # hooks have it already; the server's start needs none

        return "on" if int(of_text(session)[0], 16) % 2 == 0 else "off"
    day = int((time.time() if now is None else now) // SECONDS_A_DAY)
    return "on" if day % 2 == 0 else "off"

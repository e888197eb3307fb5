"""What Foreword puts into opencode's files, and how to take it out again. Cold.

The server goes into opencode.jsonc by text span; the plugin is a file of its own, made of `foreword.js`
beside this, and so are the skills, unless opencode reads Claude Code's. README.md says what was seen.
"""

import json
import os
import re
import shutil

from foreword.clients import hook_entries, places, server_entry
from foreword.clients.about import RUN, About, Cell
from foreword.clients.parts import Part, skill_part, skill_parts, text_of
from foreword.edit import jsonc, plan
from foreword.errors import NO, ForewordError

NAME = "opencode"
KEYS = ("mcp",)
PLUGIN = "the plugin"
SECOND = "no second entry any more"  # what an install leaves of ours in a further file of settings
COMMANDS = None  # `opencode mcp add` has no counterpart that removes
# opencode merges all three of its folder, a file over those behind it here, and itself writes to the first
# that is there, or else makes the first (1.18.33).
SETTINGS = ("settings", "older settings", "oldest settings")
# What opencode 1.18.33 makes of a folder without any, and puts at the front of one that lacks the key.
FRESH = '{\n  "$schema": "https://opencode.ai/config.json"\n}'
MARK = "Written by `foreword install opencode`"  # stands in the plugin, in all versions
_COMMAND = re.compile(r"^const COMMAND = .*$", re.MULTILINE)
# What the plugin is asked for -> (event of foreword.hook, seconds that the plugin waits for it at most)
EVENTS = {
    "SessionStart": ("session-start", 2.5),
    "chat.message": ("prompt", 3.5),
    "session.idle": ("stop", 6),
}
# With one of these set, opencode leaves out other clients' skills.
NO_OTHERS = (
    "OPENCODE_DISABLE_EXTERNAL_SKILLS",
    "OPENCODE_DISABLE_CLAUDE_CODE",
    "OPENCODE_DISABLE_CLAUDE_CODE_SKILLS",
)
ABOUT = About(
    "opencode",
    "1.18.33",
    "2026-11-30",
    (
        "https://opencode.ai/docs/config",
        "https://opencode.ai/docs/mcp-servers",
        "https://opencode.ai/docs/plugins",
        "https://opencode.ai/docs/skills",
    ),
    Cell("`mcp` in opencode.jsonc", RUN),
    Cell("a plugin", RUN),
    Cell("skills", RUN),
    notes=(
        "The package @opencode-ai/plugin is opencode's own: it waits for it before it loads any plugin, "
        "whoever's. Foreword's plugin itself needs no package. `foreword install` and `foreword doctor` say "
        "when it is not there yet.",
        "Settings that OPENCODE_CONFIG or OPENCODE_CONFIG_DIR name are read besides the ones above; nothing "
        "is written there. Where you have an opencode.json and no opencode.jsonc, the server goes into that.",
        "opencode reads Claude Code's skills (~/.claude/skills) too: where Foreword's are there, there is no "
        "second copy.",
        "A foreword is kept in the session as a part of your message that the terminal does not show; "
        "requests for a title or for a summary go without it.",
        "opencode --pure (OPENCODE_PURE=1) loads no plugin: no forewords, no notes; the server stays.",
        "opencode asks before no MCP tool unless `permission` says so. To be asked before a memory is "
        'deleted: `"permission": {"foreword_memory_forget": "ask"}`.',
        "After a compaction the recall comes with the next prompt.",
    ),
)


def found():
    """Whether the client is on this machine."""
    return bool(program()) or os.path.isdir(config_folder())


def program():
    """The path of `opencode`, or None."""
    return shutil.which("opencode")


def config_folder():
    return os.path.dirname(settings_paths()[0])


def settings_paths():
    """The three files of settings; one over those behind it."""
    return [places.path(NAME, what) for what in SETTINGS]


def settings_path():
    """The file of settings that holds our server, the first that counts, or that is to hold it."""
    there = [path for path in settings_paths() if os.path.lexists(path)]
    return next(filter(_holds_ours, there), [*there, settings_paths()[0]][0])


def refuse_another(path):
    """Raise ForewordError where another file than `path` has somebody else's server of our name: opencode
    merges them, so one of the two would be lost without a word."""
    for other in settings_paths():
        try:
            text = text_of(other) if other != path else ""
            found = jsonc.value_at(text, [*KEYS, server_entry.SERVER]) if text else None
        except ForewordError:
            continue  # nothing of it counts for the client either
        if found is not None and not server_entry.is_ours(found):
            raise ForewordError(
                f"{other}: an MCP server {server_entry.SERVER} is there, and it is not this one; nothing was"
                " changed",
                f"rename yours in {'.'.join(KEYS)}, or take it out, then run the same command again",
                exit_code=NO,
            )


def _holds_ours(path):
    try:
        return server_entry.part_to_remove(path, KEYS).holds_ours(text_of(path))
    except ForewordError:
        return False  # what is wrong with it is told when it is planned, if it is the one


# -- the parts ---------------------------------------------------------------------------------


def parts(options):
    """The settings, the plugin and, unless opencode reads others of ours, the skills."""
    path = settings_path()
    seconds = [second_part(other) for other in settings_paths() if other != path and _holds_ours(other)]
    skills = skill_parts(places.path(NAME, "skills"), "plain", options, elsewhere=other_skills())
    return [settings_part(path), *seconds, plugin_part(plugin_path(), options.records), *skills]


def part(path):
    """The Part of a file that an earlier install edited, wherever it was."""
    if os.path.basename(path) == "SKILL.md":
        return skill_part(path)
    return plugin_part(path) if path.endswith(".js") else settings_part(path)


def other_skills():
    """{whose: folder} of the skills that opencode reads beside its own: not where CLAUDE_CONFIG_DIR has
    moved those of Claude Code to."""
    if any(map(is_set, NO_OTHERS)):
        return {}
    return {whose: places.path(NAME, whose + " skills") for whose in ("claude-code", "shared")}


def is_set(name):
    """Whether a variable of opencode's is on."""
    return os.environ.get(name, "").lower() in ("1", "true")


def entry():
    return {"type": "local", "command": server_entry.command(NAME), "enabled": True}


# -- the MCP server ----------------------------------------------------------------------------


def settings_part(path):
    """The Part of a file of settings. Where there is none we make what opencode would, and ours in it: to a
    file without `$schema` it adds that, and the file would stay behind."""
    held = server_entry.part(path, KEYS, entry())
    added, removed = held.with_ours, held.without_ours

    def without_ours(text, made):
        left = removed(text, made)
        ours = made is not None and [] in made["containers"]
        return "" if ours and left.strip() == FRESH else left

    def with_ours(text):
        refuse_another(path)
        return added(text or FRESH)

    held.with_ours, held.without_ours = with_ours, without_ours
    return held


def second_part(path):
    """The Part of a further file of settings that holds our server: an install takes it out there as well."""
    held = settings_part(path)
    held.what, held.starts = SECOND, None
    held.with_ours = lambda text: held.without_ours(text, None)
    held.footprint = lambda text: {}
    told = f"{path} holds a second entry of the MCP server, and one is enough"
    held.warning = lambda text, before=None: told if held.holds_ours(text) else ""
    return held


# -- the plugin --------------------------------------------------------------------------------


def plugin_path():
    return places.path(NAME, "plugin")


def command():
    """The words that the plugin starts Foreword with; an event of `foreword.hook` follows them."""
    return hook_entries.words(NAME, "")[:-1]


def source():
    """The plugin as it lies beside this file, its command a placeholder."""
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "foreword.js")
    with open(path, encoding="utf-8") as f:
        return f.read()


def plugin_text(words=None):
    """The plugin that starts Foreword with some words, those of `command` without."""
    return _COMMAND.sub(lambda found: "const COMMAND = " + json.dumps(words or command()), source(), count=1)


def words_in(text):
    """The words with which a plugin of ours starts Foreword, [] where they cannot be read."""
    found = _COMMAND.search(text)
    try:
        words = json.loads(found[0].partition("=")[2]) if found else []
    except (ValueError, RecursionError):
        return []
    return words if isinstance(words, list) and all(isinstance(word, str) for word in words) else []


def is_our_plugin(text):
    """Whether some version of `foreword install` wrote a plugin."""
    return MARK in text


def plugin_part(path, records=None):
    """The Part of the plugin's file; `records`: the client's undo records."""
    known = ((records or {}).get(path) or {}).get("made") or {}

    def is_untouched(text, made=None):
        # What an earlier version wrote, or this one for another Python.
        written = (made or known).get("written", [])
        return plan.digest(text.encode()) in written or _COMMAND.sub("", text) == _COMMAND.sub("", source())

    def with_ours(text):
        if text and not is_our_plugin(text):
            raise ForewordError(
                f"{path} is there, and it is not Foreword's; nothing was changed",
                "give yours another name, then run the same command again",
            )
        return plugin_text() if not text or is_untouched(text) else text

    def without_ours(text, made):
        return "" if is_our_plugin(text) and is_untouched(text, made) else text

    def warning(text, before=None):
        if not is_our_plugin(text) or is_untouched(text):
            return ""
        return f"{path} was changed by hand and is left as it is; delete it to get this version's"

    def footprint(text):
        return {"written": [plan.digest(plugin_text().encode())]}

    return Part(path, PLUGIN, with_ours, without_ours, footprint, is_our_plugin, warning, whole=True)


# -- what the user is told ---------------------------------------------------------------------


def is_fetched():
    """Whether opencode has the package of its own that it waits for before it loads any plugin.

    It looks for the folder, and for the name in the lock file (1.18.33).
    """
    packages = places.path(NAME, "packages")
    try:
        with open(os.path.join(os.path.dirname(packages), "package-lock.json"), encoding="utf-8") as f:
            return os.path.isdir(packages) and '"@opencode-ai/plugin"' in f.read()
    except (OSError, ValueError):
        return False


FETCHES = (
    "opencode fetches its own package @opencode-ai/plugin once, at a start. Until",
    "it has it, it loads no plugin; where the registry cannot be reached, each",
    "start takes a minute longer.",
)


def once_installed(options):
    lines = ["New sessions have it: end opencode and start it again."]
    return lines if is_fetched() else [*lines, *FETCHES]


def once_removed():
    return ["To check: opencode mcp list no longer shows foreword."]


def to_paste(options):
    return []

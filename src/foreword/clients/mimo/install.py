"""What Foreword puts into MiMo Code's files, and how to take it out again. Cold.

The server goes into mimocode.jsonc by text span, skills into files of their own, and the instructions into
one block of AGENTS.md, where that costs the user nothing. README.md beside this file says what is documented.
"""

import os
import shutil

from foreword import paths, skills
from foreword.clients import marked_block, places, server_entry
from foreword.clients.about import DOCUMENTED, About, Cell
from foreword.clients.parts import skill_parts, text_of
from foreword.edit import jsonc
from foreword.errors import NO, ForewordError

NAME = "mimo"
KEYS = ("mcp",)
SECOND = "no second entry any more"  # what an install leaves of ours in a further file of settings
COMMANDS = None
# MiMo Code merges all three of its folder, the first here over the others (0.1.15).
SETTINGS = ("mimocode.jsonc", "mimocode.json", "config.json")
TAKEN = ("dream",)  # a command of its own, which a skill of that name does not replace
ABOUT = About(
    "MiMo Code",
    "",
    "2026-11-30",
    (
        "https://mimo.xiaomi.com/mimocode/rules",
        "https://mimo.xiaomi.com/zh/mimocode/skills",
        "https://github.com/XiaomiMiMo/MiMo-Code",
    ),
    Cell("`mcp` in mimocode.jsonc", DOCUMENTED),
    instructions=Cell("skills, and a block in AGENTS.md", DOCUMENTED),
    notes=(
        "The skill dream is called foreword-dream: /dream is MiMo Code's own command, for its own memory.",
        "MiMo Code reads ~/.claude/CLAUDE.md as long as it has no AGENTS.md of its own. Where you have the "
        "one and not the other, no AGENTS.md is made, and the text is printed instead.",
        "It takes over Claude Code's servers from ~/.claude.json too; its own entry foreword goes before "
        "that one, so the server runs once.",
        "Claude Code's skills are not read unless MIMOCODE_ENABLE_CLAUDE_CODE_SKILLS is set.",
        "It adds `$schema` to a mimocode.jsonc that has none; that line stays after foreword uninstall.",
        "It keeps a memory of its own besides (`memory` and `dream` in mimocode.jsonc).",
    ),
)


def found():
    """Whether the client is on this machine."""
    return bool(shutil.which("mimo")) or os.path.isdir(_folder())


def _folder():
    return os.path.dirname(places.path(NAME, "settings"))


def settings_paths():
    """The three files of settings; one over those behind it."""
    return [os.path.join(_folder(), name) for name in SETTINGS]


def settings_path():
    """The file of settings that holds our server, the first that counts, or that is to hold it."""
    there = [path for path in settings_paths() if os.path.lexists(path)]
    return next(filter(_holds_ours, there), [*there, settings_paths()[0]][0])


def _holds_ours(path):
    try:
        return server_entry.part_to_remove(path, KEYS).holds_ours(text_of(path))
    except ForewordError:
        return False  # what is wrong with it is told when it is planned, if it is the one


def refuse_another(path):
    """Raise ForewordError where another file than `path` has somebody else's server of our name: MiMo Code
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


def entry():
    """{"type", "command", "enabled"}, as opencode has it."""
    return {"type": "local", "command": server_entry.command(NAME), "enabled": True}


def parts(options):
    """The settings, the skills and, unless it would hide a text of the user's, AGENTS.md."""
    path = settings_path()
    seconds = [second_part(other) for other in settings_paths() if other != path and _holds_ours(other)]
    made = [settings_part(path), *seconds]
    if not hides_other():
        text = skills.rules(False, options.graph)
        made.append(marked_block.part(places.path(NAME, "instructions"), text))
    taken = TAKEN.__contains__
    return [*made, *skill_parts(places.path(NAME, "skills"), "plain", options, taken)]


def settings_part(path):
    """The Part of a file of settings."""
    held = server_entry.part(path, KEYS, entry())
    added = held.with_ours

    def with_ours(text):
        refuse_another(path)
        return added(text)

    held.with_ours = with_ours
    return held


def second_part(path):
    """The Part of a further file of settings that holds our server: an install takes it out there as well."""
    held = server_entry.part_to_remove(path, KEYS)
    held.what, held.starts = SECOND, None
    held.with_ours = lambda text: held.without_ours(text, None)
    held.footprint = lambda text: {}
    told = f"{path} holds a second entry of the MCP server, and one is enough"
    held.warning = lambda text, before=None: told if held.holds_ours(text) else ""
    return held


def hides_other():
    """Whether an AGENTS.md, which is not there yet, would take the place of ~/.claude/CLAUDE.md."""
    other = os.path.join(paths.user_home(), ".claude", "CLAUDE.md")
    return os.path.exists(other) and not os.path.exists(places.path(NAME, "instructions"))


def part(path):
    """The Part of a file that an earlier install edited, wherever it was."""
    return server_entry.part_left(path, KEYS)


def once_installed(options):
    return [
        "New sessions have it. To check, there; foreword is shown as connected:",
        "    /mcps",
    ]


def once_removed():
    return ["To check: /mcps no longer shows foreword."]


def to_paste(options):
    """The instructions, where AGENTS.md is left to the user."""
    if not hides_other():
        return []
    own = places.path(NAME, "instructions")
    where = own + " (MiMo Code then reads no ~/.claude/CLAUDE.md), or a project's AGENTS.md"
    return [(where, skills.rules(False, options.graph))]

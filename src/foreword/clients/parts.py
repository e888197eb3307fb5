"""What a client's install.py is made of: Parts, each a file to edit, and Commands. Cold.

`foreword install` and `foreword uninstall` know this and nothing of any client. An install.py offers:

    NAME                  the client, as people type it
    ABOUT                 what the docs say of it: clients.about
    found()               whether the client is on this machine
    parts(options)        [Part] of every file that holds something of ours, or is to
    part(path)            the Part of a file that an earlier install edited, by its path
    COMMANDS              Commands for what goes in through the client's own program, or None
    once_installed(options), once_removed()     lines: what the user is to do or to know next
    to_paste(options)     [(where, text)] of what only the user can put in: a file inside a repository, a
                          page of the client's settings

A Part turns a text into another one; it reads what it must and never writes. Whatever may be refused is
refused while planning: every Part of every client is planned before the first file is written.
"""

import os
from collections.abc import Callable

from foreword import files, paths, settings, skills
from foreword.clients import places
from foreword.edit import jsonc, plan
from foreword.errors import ForewordError

INSTRUCTIONS = "instructions"  # `what` of a Part with a text for the agent
AGAIN = "mend that line, then run the same command again"


class Options:
    """What the user chose. trust: answer the client's own review of our hooks; skills: put them in
    (False takes them out); records: the client's undo records, {path: record}; graph: whether the
    knowledge graph's tools are served, None for what the settings say; names: the clients that are wired
    in the same run."""

    def __init__(self, trust=False, skills=True, records=None, graph=None, names=()):
        self.trust, self.skills, self.records = trust, skills, records or {}
        self.names = names
        self.graph = graph_is_on(paths.home()) if graph is None else graph


def graph_is_on(home):
    """What config.toml says of the graph, read without a write: a dry run asks too. False where it
    cannot be read."""
    try:
        return bool(home) and settings.parse(home).get("graph.on", settings.DEFAULTS["graph.on"])
    except (OSError, ValueError, RecursionError):
        return False


class Part:
    """A file of a client. `path`; `what` of ours goes in, for people ("hooks and permission rules").

    Functions of the file's text, "" for no file; each may raise MalformedError or ForewordError:
    with_ours(text) -> text; without_ours(text, made) -> text, with `made` None when the record is
    lost; footprint(text) -> made, a dict of lists that JSON keeps: what with_ours will add to this
    text; holds_ours(text) -> bool; warning(text, before=None) -> why what stands there is no use, or "".
    `before`: the text as the user has it, when `text` is what will be there: places in it are told.

    `whole`: the file is ours as a whole: it is removed when nothing is left in it, and needs no backup.
    `starts`: of a file that holds our server: function(text) -> (command, env) of it as it stands there,
    or None.
    """

    starts: Callable[[str], tuple[list[str], dict[str, str]] | None] | None = None

    def __init__(self, path, what, with_ours, without_ours, footprint, holds_ours, warning=None, whole=False):
        self.path, self.what, self.whole = path, what, whole
        self.with_ours, self.without_ours = with_ours, without_ours
        self.footprint, self.holds_ours = footprint, holds_ours
        self.warning = warning or (lambda text, before=None: "")

    @property
    def is_skill(self):
        return self.what.startswith("skill ")


class Commands:
    """What goes in through the client's own program. `program`: its name on the PATH; `what`, for people.

    to_add(), to_remove() -> the commands still to be run, [] when there is nothing to do; raise
    ForewordError where a thing of that name is somebody else's. add(), remove() run them and tell
    "added", "removed", "unchanged", "absent", or "no client" where the program is not on the PATH.
    `remove_by_hand()`: the one command that does it.
    """

    def __init__(self, program, what, to_add, to_remove, add, remove, remove_by_hand):
        self.program, self.what, self.remove_by_hand = program, what, remove_by_hand
        self.to_add, self.to_remove, self.add, self.remove = to_add, to_remove, add, remove


# -- texts of files ----------------------------------------------------------------------------


def text_of(path):
    """The text of a file, "" when there is none. Raises ForewordError when it cannot be read."""
    return decoded(path, plan.read(path))


def decoded(path, data):
    try:
        return (data or b"").decode("utf-8")
    except UnicodeDecodeError as error:
        raise ForewordError(f"{path} is not UTF-8, nothing was changed", "mend that file first") from error


def told(path, function, *arguments):
    """function(*arguments); where it finds a text malformed, the refusal names the file and the place."""
    try:
        return function(*arguments)
    except jsonc.MalformedError as error:
        where = f"{path}:{error.line}:{error.column}: {error.what}; nothing was changed"
        raise ForewordError(where, AGAIN) from error


# -- for people --------------------------------------------------------------------------------


def outlined(part, edit, path, what):
    """One line about an edit: `new ~/.claude/skills/recall/SKILL.md, 52 lines`. `path`: as people read it;
    `what` happens there, for a file that is not ours as a whole."""
    word = "new" if edit.before is None else "remove" if edit.after is None else "change"
    if not part.whole:
        return f"{word} {path}: {what}"
    return f"{word} {path}, {len((edit.after or edit.before or b'').splitlines())} lines"


# -- skills ------------------------------------------------------------------------------------


def skill_parts(folder, client, options, taken=lambda name: False, elsewhere=()):
    """The Parts of our skills for a client that keeps them in folder/NAME/SKILL.md.

    `elsewhere`: folders of another client's skills that this one reads as well: {its name: folder}. Where
    ours lie there, or are put there in the same run, there is no second copy.

    A skill of the user's own keeps its name, ours then goes by foreword-NAME; where that is taken as
    well, ours is left out with a warning. `taken(name)`: further reasons to keep off a name.
    """
    if options.skills and any(_has_skills(name, there, options) for name, there in dict(elsewhere).items()):
        options = Options(skills=False, records=options.records, graph=options.graph)
    called, left_out = {}, []
    for name in skills.NAMES:
        found = _called(folder, name, taken)
        if found:
            called[name] = found
        else:
            left_out.append(name)
    parts = [
        _skill(skill_path(folder, called[name]), name, client, called, options)
        for name in skills.NAMES
        if name in called
    ]
    if options.skills:
        parts += [_left_out(folder, name) for name in left_out]
    return parts


def _has_skills(client, folder, options):
    """Whether a client's folder holds our skills, or will when this run is over."""
    if client in options.names and folder == places.path(client, "skills"):
        return True
    paths = (skill_path(folder, called) for name in skills.NAMES for called in (name, "foreword-" + name))
    return any(skills.is_ours(_shown(path)) for path in paths)


def skill_path(folder, called):
    return os.path.join(folder, called, "SKILL.md")


def _called(folder, name, taken):
    """What our skill is called in a folder: as it is installed, else the first free name, else ""."""
    names = [name, "foreword-" + name]
    for called in names:
        if skills.is_ours(_shown(skill_path(folder, called))):
            return called
    for called in names:
        there = os.path.join(folder, called)
        # A link is the user's own way to say where that skill is, whether or not anything is there.
        if not taken(called) and (
            not os.path.lexists(there) or (not os.path.islink(there) and _is_empty(there))
        ):
            return called
    return ""


def _shown(path):
    """A file's text for looking at, whatever its bytes."""
    try:
        return (files.read(path) or b"").decode("utf-8", "replace")
    except OSError:
        return ""


def _is_empty(folder):
    try:
        return not os.listdir(folder)
    except OSError:
        return False


def _skill(path, name, client, called, options):
    wanted = skills.text(name, client, called)
    written = ((options.records.get(path) or {}).get("made") or {}).get("written", [])

    def is_untouched(text):
        return text == wanted or plan.digest(text.encode()) in written

    def with_ours(text):
        if text and not is_untouched(text):
            return text
        return wanted if options.skills else ""

    def without_ours(text, made):
        return "" if text == wanted else without_skill(text, made)  # the record may be lost

    def warning(text, before=None):
        if not text or is_untouched(text):
            return ""
        return f"{path} was changed by hand and is left as it is; delete it to get this version's"

    return Part(
        path,
        "skill " + skills.CLIENTS[client] + called[name],
        with_ours,
        without_ours,
        lambda text: {"written": [plan.digest(wanted.encode())]} if options.skills else {},
        skills.is_ours,
        warning,
        whole=True,
    )


def without_skill(text, made):
    """Nothing, when the text is what we wrote; as it is when it was changed by hand, or is not ours."""
    written = (made or {}).get("written", [])
    return "" if plan.digest(text.encode()) in written else text


def skill_part(path):
    """The Part of a skill that an earlier install wrote, to take it out."""
    return Part(path, "skill", lambda text: text, without_skill, lambda text: {}, skills.is_ours, whole=True)


def _left_out(folder, name):
    path = skill_path(folder, name)
    why = f"{path} and foreword-{name} are yours, so the skill {name} is left out: foreword skill --help"
    return Part(
        path,
        "skill " + name,
        lambda text: text,
        lambda text, made: text,
        lambda text: {},
        lambda text: False,
        lambda text, before=None: why,
    )

"""What the health.py of every client proves alike: hooks, their traces, the server, skills, others. Cold.

A finding is (level, what, hint): level "ok", "note" (good to know) or "failure" (no memory until it is
mended), what a sentence without a full stop, hint the command that mends it. Reads, runs what is
installed once through `probe`, and changes nothing.
"""

import os
import re
import shlex
import time

from foreword import __version__, paths
from foreword.clients import hook_entries, mcp_entries, others, parts, probe, server_entry
from foreword.edit import plan
from foreword.errors import ForewordError
from foreword.recall import age

OK, NOTE, FAILURE = "ok", "note", "failure"
MEND = "foreword doctor --mend"
STARTS = ("startup", "clear", "compact")  # sources of SessionStart that are handed the recall
TOOLS = ("memory_save", "memory_search", "memory_read", "memory_list", "memory_forget")
# What a session under way at the install still writes proves nothing: its turn began before the hooks.
UNDER_WAY_S = 600
# A hook for the start of a session is not run by one that was open at the install, however long it lasts.
OPEN_S = 86_400
WEEK_S = 7 * 86_400


class Hook:
    """A hook of ours where a client has it: event as the client calls it, value the object, where it
    stands for people, hint the command that renews it, plugged whether a plugin brought it."""

    def __init__(self, event, value, where="", hint="", plugged=False, matcher=None):
        self.event, self.value, self.where, self.hint = event, value, where, hint
        self.plugged, self.matcher = plugged, matcher

    @property
    def words(self):
        """The command as words, as the shell would split it where there are no `args`; [] for none."""
        arguments, command = self.value.get("args"), self.value.get("command")
        if not isinstance(command, str):
            return []
        if isinstance(arguments, list):
            return [command, *map(str, arguments)]
        try:
            return shlex.split(command, posix=os.name != "nt")
        except ValueError:
            return []

    @property
    def command(self):
        """What to start: a list, or a line for the shell."""
        return self.words if isinstance(self.value.get("args"), list) else self.value.get("command", "")

    @property
    def timeout_s(self):
        value = self.value.get("timeout")
        return value if isinstance(value, (int, float)) and 0 < value <= 60 else 10


def found(hooks, where="", hint="", plugged=False):
    """[Hook] of the hooks of ours in a parsed "hooks" object."""
    return [
        Hook(event, value, where, hint, plugged, group.get("matcher"))
        for event, _, _, group, value in hook_entries.handlers(hooks)
        if hook_entries.is_ours(value)
    ]


# -- hooks -------------------------------------------------------------------------------------


def hooks(client, installed, forms, payloads, hint, events=hook_entries.EVENTS):
    """Findings: each hook there once, as this version writes it, and run once.

    installed: [Hook]; forms: {event: [hook objects that are right]}; payloads: {event: what the client
    would send}; hint: what puts a missing one in; events: {the client's name of an event: (ours, timeout)}.
    """
    sound = []
    for event, accepted in forms.items():
        present = [entry for entry in installed if entry.event == event]
        if not present:
            yield FAILURE, f"the {event} hook is not installed", hint
        for entry in present:
            wrong, mended_by = _misfit(entry, accepted)
            if wrong:
                yield FAILURE, f"the {event} hook {wrong}", mended_by
            else:
                sound.append(entry)
        for where in {entry.where for entry in present}:
            times = sum(entry.where == where for entry in present)
            if times > 1:
                yield FAILURE, "the %s hook is installed %d times in %s" % (event, times, where), hint
        files = sorted({entry.where for entry in present if not entry.plugged})
        if len(files) > 1:
            yield FAILURE, f"the {event} hook is installed in both {' and '.join(files)}", hint
    for entry in installed:
        if entry.event not in forms:
            yield FAILURE, f"a hook of another version stands at {entry.event} in {entry.where}", entry.hint
    sound = list({entry.event: entry for entry in sound}.values())
    jobs = [
        (
            entry.command,
            payloads[entry.event],
            entry.timeout_s,
            f"{client}.{events[entry.event][0]}",
        )
        for entry in sound
    ]
    for entry, (problem, took_s) in zip(sound, probe.hooks(jobs), strict=True):
        if problem:
            yield FAILURE, f"the {entry.event} hook is installed, but when run once {problem}", entry.hint
        else:
            yield OK, "the %s hook is installed and runs (%d ms)" % (entry.event, took_s * 1000), ""


def _misfit(entry, accepted):
    """(what is wrong with a hook object, what mends it); ("", "") when it is one of the accepted."""
    words = entry.words
    gone = gone_program(words[0]) if words else ""
    if gone:
        return f"names {gone}", mended(entry.hint)
    if entry.value in accepted:
        left_out = [source for source in STARTS if not _matches(entry, source)]
        told = f"stands in {entry.where} under a matcher that leaves out {', '.join(left_out)}"
        return (told, f"take `matcher` out of that group in {entry.where}") if left_out else ("", "")
    ours = Hook(entry.event, accepted[0]).words[0]
    if words[:1] != [ours]:
        return f"is of another Python, {words[0] if words else 'none'} (this one is {ours})", entry.hint
    return f"in {entry.where} is not as this version writes it", entry.hint


def _matches(entry, source):
    """Whether the group of a hook takes a start from this source. Other events of ours take no matcher."""
    if entry.event != "SessionStart" or entry.matcher in (None, "", "*"):
        return True
    try:
        return re.fullmatch(entry.matcher, source) is not None
    except (re.error, TypeError):
        return False


def mended(hint):
    """What mends an interpreter that is gone: `--mend` wires by install, which must not stand beside a
    plugin."""
    return MEND if hint.startswith("foreword install") else hint


def gone_program(path):
    """Why the program at a path cannot be started, "" when it can, or when only the PATH knows."""
    if not os.path.isabs(path):
        return ""
    if not os.path.exists(path):
        return f"an interpreter that is gone: {path}"
    if os.path.isdir(path) or not os.access(path, os.X_OK):
        return f"an interpreter that cannot be started: {path}"
    return ""


def plugins(client, found, by_hand):
    """Findings about our plugin as a client has it: [an object with `called` and `removed_by`]; by_hand:
    whether `foreword install` has wired the client too."""
    for plugin in found:
        if by_hand or plugin is not found[0]:
            other = "`foreword install`" if by_hand else found[0].called
            also = f"   (or foreword uninstall {client})" if by_hand else ""
            told = f"wired twice, by {other} and by {plugin.called}: nothing is saved or offered twice, but"
            told += " one of them is superfluous: tools and skills are there twice"
            yield NOTE, told, plugin.removed_by + also
        else:
            yield OK, f"wired by {plugin.called}", ""


# -- traces ------------------------------------------------------------------------------------


def traces(client, home, since, newest, is_empty, events=hook_entries.EVENTS):
    """Findings: when the hooks last ran, against the sessions that the client has had.

    since: when the wiring last changed, newest: when the client last wrote a transcript (epoch seconds, 0
    for never); is_empty: whether the store holds nothing at all.
    """
    now = time.time()
    fired = {event: _time(paths.fired(home, client, ours)) for event, (ours, _) in events.items()}
    latest = max(fired.values())
    told = [f"{event} {age(now - at)}" for event, at in fired.items() if at]
    silent = [event for event, at in fired.items() if not at]
    missed = [event for event in silent if since and newest > since + _grace(event, latest)]
    if missed:
        yield (
            FAILURE,
            f"never fired since the install {age(now - since)}, though there were client sessions until"
            f" {age(now - newest)}: {', '.join(missed)}",
            "end the client and start it again (with the same FOREWORD_HOME, if you set one)",
        )
    if told:
        yield OK, "hooks last fired: " + ", ".join(told), ""
        if newest > latest + OPEN_S:
            yield (
                NOTE,
                f"there were client sessions until {age(now - newest)}, after the hooks last fired",
                "foreword why, in the project of such a session",
            )
    elif not missed:
        yield NOTE, "the hooks have not fired yet", "start a client session, then foreword doctor again"
    if is_empty and since and newest > since + WEEK_S:
        told = f"nothing was saved since the install {age(now - since)}, though there were client sessions"
        yield FAILURE, told, "foreword why, in a project of yours; foreword switch tells its state"


def _grace(event, latest):
    """How long after the install a transcript must have grown to say that a hook should have fired."""
    return OPEN_S if event == "SessionStart" and latest else UNDER_WAY_S


def since(client, home, *others):
    """When the wiring of a client last changed, as epoch seconds: its undo record, else the first of some
    files that is there; 0 when nothing tells."""
    for path in (plan.record_path(home, client), *others):
        at = _time(path)
        if at:
            return at
    return 0.0


def newest(folders, suffix, most_files=5_000):
    """The time of the newest file with a suffix in some folders, 0.0 for none. Looks at no content."""
    latest, looked = 0.0, 0
    for folder in folders:
        try:
            with os.scandir(folder) as entries:
                for entry in entries:
                    if entry.name.endswith(suffix):
                        latest = max(latest, entry.stat().st_mtime)
                        looked += 1
                        if looked >= most_files:
                            return latest
        except OSError:
            continue
    return latest


def below(folder, most=200):
    """Folders in a folder, the last changed first, at most so many."""
    try:
        with os.scandir(folder) as entries:
            found = [(entry.stat().st_mtime, entry.path) for entry in entries if entry.is_dir()]
    except OSError:
        return []
    return [path for _, path in sorted(found, reverse=True)[:most]]


def _time(path):
    try:
        return os.stat(path).st_mtime
    except (OSError, ValueError):
        return 0.0


# -- what switches it off ----------------------------------------------------------------------


def policies(variable=None):
    """Findings: FOREWORD_DISABLE ends every hook. `variable`: its value where the client's settings may set
    it, that of this process without."""
    here = os.environ.get("FOREWORD_DISABLE", "")
    if (here if variable is None else variable) == "1":
        mended_by = "unset FOREWORD_DISABLE" if here == "1" else "take it out of env in the client's settings"
        yield FAILURE, "every hook ends at once: FOREWORD_DISABLE is 1", mended_by


# -- the server --------------------------------------------------------------------------------


def entry(value, wanted, hint, remove, env=None, off=None):
    """Findings about our server's entry as a client has it, which is started once when it is sound.

    value: the entry, None for none; wanted: as this version writes it; hint: what brings it in and renews
    it; remove: the command that takes somebody else's of that name out; env: what the client hands its
    servers of the environment, all of it without; off: (why the client does not start it, what mends that).
    """
    if value is None:
        yield FAILURE, "the MCP server is not added", hint
    elif not server_entry.is_ours(value):
        yield strange(remove)
    else:
        given = mapping(value.get("env"))
        env = {**(probe.environment("") if env is None else env), **{k: str(v) for k, v in given.items()}}
        is_current = server_entry.is_current(value, wanted)
        yield from _started(server_entry.words(value), env, is_current, hint, off)


def strange(remove, scope=""):
    """The finding: an entry of our name that starts something else. `scope`: where, for people."""
    where = f" ({scope})" if scope else ""
    told = f"an MCP server named {server_entry.SERVER} is there{where}, and it is not this one"
    return FAILURE, told, remove + "   (rename yours first)"


def entry_in(part, text, hint):
    """The same about the entry in a file: `part` is one of server_entry, `text` what the file holds. Raises
    ForewordError where the name is somebody else's."""
    is_current = part.with_ours(text) == text
    started = part.starts(text)
    if started is None:
        yield FAILURE, f"{part.what} is not in {part.path}", hint
        return
    command, env = started
    warned = part.warning(text)
    off = (warned, "edit that file") if warned else None
    yield from _started(command, env, is_current, hint, off, f" in {part.path}")


def refused(error):
    """The finding of a ForewordError; a look is to change nothing anyway, and does not say so."""
    return FAILURE, re.sub("[,;] nothing was changed$", "", error.message), error.hint


def _started(command, env, is_current, hint, off, where=""):
    gone = gone_program(command[0])
    if gone:
        yield FAILURE, f"the MCP server's entry{where} names {gone}", mended(hint)
    elif off:
        yield FAILURE, *off
    elif not is_current:
        yield FAILURE, f"the MCP server's entry{where} is not as this version writes it", hint
    else:
        yield from _answered(command, env, hint)


def _answered(command, env, hint):
    problem, took_s = probe.server(command, env, __version__, TOOLS)
    if problem:
        yield FAILURE, f"the MCP server is added, but when started {problem}", hint
    else:
        yield OK, "the MCP server is added, starts and answers (%d ms)" % (took_s * 1000), ""


# -- skills ------------------------------------------------------------------------------------


def skills(install, home, hint):
    """Findings about the skills among a client's parts."""
    options = parts.Options(records=plan.records(home, install.NAME))
    present, missing = [], []
    for part in install.parts(options):
        if not part.is_skill:
            continue
        name = part.what.removeprefix("skill ")
        try:
            text = parts.text_of(part.path)
            if part.warning(text):
                yield NOTE, part.warning(text), ""
            if not part.holds_ours(text):
                # Where another client's are read there is to be none.
                missing += [name] if part.with_ours(text) != text else []
            elif part.with_ours(text) != text:
                yield FAILURE, f"the skill {name} is of another version", hint
            else:
                present.append(name)
        except ForewordError as error:
            yield FAILURE, f"the skill {name} cannot be read: {error.message}", error.hint
    if present:
        yield OK, "skills: " + ", ".join(present), ""
    if missing:
        yield NOTE, "skills that are not installed: " + ", ".join(missing), hint


def wants_skills(install, home):
    """Whether wiring a client again should bring its skills: not where an install left them out, or the
    user took them out since."""
    options = parts.Options(records=plan.records(home, install.NAME))
    found = [part for part in install.parts(options) if part.is_skill]
    return not plan.is_installed(home, install.NAME) or any(
        part.holds_ours(parts.text_of(part.path)) for part in found
    )


# -- what else remembers -----------------------------------------------------------------------


def beside(client, folder=""):
    """Notes about a client's MCP servers that are memories of their own: those of the user's settings, and
    those that hold in `folder` alone where one is given."""
    for found in mcp_entries.entries(folder=folder, client=client):
        if found.is_off or found.folder not in ("", folder) or server_entry.is_ours(found.value):
            continue
        tool = others.server(found.name, found.value)
        if tool:
            yield NOTE, others.told(tool, f"MCP server {found.name}"), found.remove


def hooks_beside(found, path):
    """The same about hooks that are none of ours, in a parsed "hooks" object of the file at `path`."""
    for event, _, _, _, value in hook_entries.handlers(found):
        tool = "" if hook_entries.is_ours(value) else others.hook(value)
        if tool:
            yield NOTE, others.told(tool, f"hook at {event}"), "take it out of " + path


# -- values ------------------------------------------------------------------------------------


def mapping(value):
    """A dict as it is, {} for anything else: clients' files hold what people put into them."""
    return value if isinstance(value, dict) else {}

"""Whether opencode has its memory: the plugin and what it starts, the server, what else remembers. Cold.

The plugin's hooks are run once as the plugin would run them; opencode itself is not asked, for it may fetch
packages whenever it starts. Findings are as `clients.proof` describes them.
"""

import os
import sqlite3

from foreword import skills
from foreword.clients import others, parts, places, proof
from foreword.clients.heard import installed_skill
from foreword.clients.opencode import install
from foreword.clients.probe import ANSWER, NOWHERE, PROMPT
from foreword.clients.proof import FAILURE, NOTE, OK
from foreword.edit import jsonc, plan
from foreword.errors import ForewordError

HINT = "foreword install " + install.NAME


def payloads():
    """{event: what the plugin sends with it}."""
    common = {"session_id": "foreword-doctor", "cwd": NOWHERE, "worktree": NOWHERE}
    turn = {**common, "turn_id": "foreword-doctor"}
    return {
        "SessionStart": {"hook_event_name": "SessionStart", **common, "source": "startup"},
        "chat.message": {"hook_event_name": "UserPromptSubmit", **turn, "prompt": PROMPT, "files": []},
        "session.idle": {"hook_event_name": "Stop", **turn, "last_assistant_message": ANSWER},
    }


def is_wired(home, folder=""):
    """Whether anything of ours is in the client, or an install is on record."""
    if plan.is_installed(home, install.NAME):
        return True
    for part in _parts(home):
        try:
            if part.holds_ours(parts.text_of(part.path)):
                return True
        except ForewordError:
            pass  # ours is in no file that cannot be read
    return False


def findings(home, folder="", is_empty=False):
    """Findings for a client that is wired, or was."""
    yield from _policies()
    for part in _parts(home):
        try:
            text = parts.text_of(part.path)
            if part.what == install.SECOND:
                yield FAILURE, part.warning(text), HINT
                continue
            is_plugin = part.what == install.PLUGIN
            yield from _plugin(part, text) if is_plugin else proof.entry_in(part, text, HINT)
        except jsonc.MalformedError as error:
            where = f"{part.path}:{error.line}:{error.column}"
            yield FAILURE, f"{where} cannot be read: {error.what}", "mend that line"
        except ForewordError as error:
            yield proof.refused(error)
    yield from _skills(home)
    since = proof.since(install.NAME, home, install.plugin_path())
    yield from proof.traces(install.NAME, home, since, transcripts(), is_empty, install.EVENTS)
    yield from _beside()


def plugins():
    """[]: what `foreword plugin` makes is no plugin for opencode."""
    return []


def wants_skills(home):
    """Whether wiring the client again should bring the skills too. Raises ForewordError."""
    return proof.wants_skills(install, home)


def transcripts():
    """When the user last used a client session of his own, as epoch seconds; 0.0 for never, or not known."""
    path = places.path(install.NAME, "sessions")
    # Where the client left no shared memory behind, reading would make some; then what is in the file counts.
    mode = "mode=ro" if os.path.exists(path + "-shm") else "immutable=1"
    try:
        db = sqlite3.connect(f"file:{_quoted(path)}?{mode}", uri=True, timeout=0.2)
        try:
            row = db.execute("SELECT max(time_updated) FROM session WHERE parent_id IS NULL").fetchone()
        finally:
            db.close()
        return (row[0] or 0) / 1000
    except (sqlite3.Error, TypeError):
        return 0.0


def _quoted(path):
    return path.replace("%", "%25").replace("?", "%3f").replace("#", "%23")


def _parts(home):
    made = install.parts(parts.Options(records=plan.records(home, install.NAME)))
    return [part for part in made if not part.is_skill]


# -- what is installed -------------------------------------------------------------------------


def _policies():
    yield from proof.policies()
    if install.is_set("OPENCODE_PURE"):
        yield FAILURE, "opencode loads no plugin: OPENCODE_PURE is set", "unset OPENCODE_PURE"


def _plugin(part, text):
    """Findings: the plugin is there, as this version writes it, and what it starts runs."""
    if not text:
        yield FAILURE, f"the plugin is not installed: {part.path}", HINT
        return
    if not part.holds_ours(text):
        yield (
            FAILURE,
            f"{part.path} is there, and it is not Foreword's",
            "give yours another name, then " + HINT,
        )
        return
    words = install.words_in(text)
    gone = proof.gone_program(words[0]) if words else ""
    if gone:
        yield FAILURE, f"the plugin names {gone}", proof.mended(HINT)
        return
    if text != install.plugin_text():
        told = part.warning(text)
        if told:
            yield NOTE, told, ""
        elif words != install.command():
            ours = install.command()[0]
            told = f"is of another Python, {words[0] if words else 'none'} (this one is {ours})"
            yield FAILURE, "the plugin " + told, HINT
        else:
            yield FAILURE, "the plugin is of another version", HINT
    program, *arguments = words or [""]
    hooks, forms = [], {}
    for event, (ours, _) in install.EVENTS.items():
        hook = {"command": program, "args": [*arguments, ours], "timeout": 10}
        hooks.append(proof.Hook(event, hook, part.path, HINT))
        forms[event] = [hook]
    yield from proof.hooks(install.NAME, hooks, forms, payloads(), HINT, install.EVENTS)
    if not install.is_fetched():
        yield NOTE, " ".join(install.FETCHES), "start opencode once where it can reach the registry"


def _skills(home):
    """Findings about the skills: of its own, or another client's that it reads."""
    for folder in install.other_skills().values():
        if any(installed_skill(folder, name) for name in skills.NAMES):
            yield OK, "skills: those in " + folder, ""
            return
    yield from proof.skills(install, home, HINT)


# -- what else remembers -----------------------------------------------------------------------


def _beside():
    """Notes about other memories that are active at the same time."""
    yield from proof.beside(install.NAME)
    for path in install.settings_paths():
        try:
            text = parts.text_of(path)
            named = jsonc.value_at(text, ["plugin"]) if text else None
        except ForewordError:
            continue  # told where it matters
        for name in named if isinstance(named, list) else ():
            tool = others.called(name) if isinstance(name, str) else ""
            if tool:
                yield NOTE, others.told(tool, f"plugin {name}"), f"take it out of plugin in {path}"

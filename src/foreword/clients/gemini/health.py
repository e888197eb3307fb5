"""Whether Gemini CLI has its memory: hooks, server, rules, instructions, and what else remembers. Cold.

Gemini CLI reviews no hooks of the user's own, so what stands in its files is what runs, but in folders
that are not trusted. Nothing is changed. Findings are as `clients.proof` describes them.
"""

import os
import shutil

from foreword import files
from foreword.clients import mcp_entries, parts, proof, server_entry
from foreword.clients.gemini import install
from foreword.clients.probe import ANSWER, NOWHERE, PROMPT
from foreword.clients.proof import FAILURE, NOTE, OK, mapping
from foreword.edit import jsonc, plan
from foreword.errors import ForewordError

HINT = "foreword install " + install.NAME
FOLDERS = 200  # of projects whose chats are looked at, the last changed first
UNTRUSTED = "DO_NOT_TRUST"


def payloads():
    """{event: what the client sends with it}; the shapes of 0.61.0."""
    common = {
        "session_id": "foreword-doctor",
        "transcript_path": "",
        "cwd": NOWHERE,
        "timestamp": "2026-11-30T00:00:00.000Z",
    }
    said = {"prompt": PROMPT, "prompt_response": ANSWER, "stop_hook_active": False}
    made = {
        "SessionStart": {"source": "startup"},
        "BeforeAgent": {"prompt": PROMPT},
        "AfterAgent": said,
        "PreCompress": {"trigger": "manual"},
    }
    return {event: {**common, "hook_event_name": event, **more} for event, more in made.items()}


class Seen:
    """settings.json, read once: `text`, `config` (a dict); `unreadable`: (path, place, why) or None, place
    ":3:5" or ""."""

    def __init__(self):
        self.path, self.text, self.config, self.unreadable = install.settings_path(), "", {}, None
        try:
            self.text = (files.read(self.path) or b"").decode("utf-8")
            self.config = mapping(jsonc.value_at(self.text, []))
        except jsonc.MalformedError as error:
            self.unreadable = self.path, f":{error.line}:{error.column}", error.what
        except OSError as error:
            self.unreadable = self.path, "", error.strerror or str(error)
        except UnicodeDecodeError:
            self.unreadable = self.path, "", "it is not UTF-8"

    @property
    def hooks(self):
        return self.config.get("hooks")

    @property
    def servers(self):
        return mapping(self.config.get(install.KEYS[0]))

    def entries(self):
        """[Hook] of ours."""
        return proof.found(self.hooks, self.path, HINT)


def is_wired(home, folder=""):
    """Whether anything of ours is in the client, or an install is on record."""
    seen = Seen()
    entry = seen.servers.get(server_entry.SERVER)
    return bool(seen.entries() or server_entry.is_ours(entry) or plan.is_installed(home, install.NAME))


def findings(home, folder="", is_empty=False):
    """Findings for a client that is wired, or was. `folder`: the current project's top; `is_empty`:
    whether the store holds nothing."""
    seen = Seen()
    if seen.unreadable:
        path, place, why = seen.unreadable
        yield FAILURE, f"{path}{place} cannot be read: {why}", "mend that file"
    else:
        yield from _policies(seen)
        forms = {event: [install.hook(event)] for event in install.HOOKS}
        entries = seen.entries()
        yield from proof.hooks(install.NAME, entries, forms, payloads(), HINT, install.HOOKS)
        yield from _matchers(entries)
        yield from _server(seen)
        yield from _texts(home)
    yield from _trust(seen, folder)
    since = proof.since(install.NAME, home)
    yield from proof.traces(install.NAME, home, since, transcripts(), is_empty, traced())
    yield from proof.beside(install.NAME)
    yield from proof.hooks_beside(seen.hooks, seen.path)


def plugins():
    """[]: there is no extension of ours."""
    return []


def wants_skills(home):
    """Whether wiring the client again should bring the skills too: there are none."""
    return proof.wants_skills(install, home)


def traced():
    """The events that every client session has: install.HOOKS without /compress."""
    return {event: told for event, told in install.HOOKS.items() if event not in install.MATCHERS}


def transcripts():
    """When the client last wrote a chat; 0.0 for never."""
    top = os.path.join(os.path.dirname(install.settings_path()), "tmp")
    chats = [os.path.join(project, "chats") for project in proof.below(top, FOLDERS)]
    return proof.newest(chats, ".jsonl")


# -- what is installed -------------------------------------------------------------------------


def _policies(seen):
    told = install.unreadable(seen.text, seen.path)
    if told:
        yield FAILURE, told, "mend that place"
    told = install.switched_off(seen.text)
    if told:
        yield FAILURE, told, "take that out of " + seen.path
    if os.name != "nt" and not shutil.which("bash"):
        yield FAILURE, "Gemini CLI starts hooks with bash, and there is none on the PATH", "install bash"
    yield from proof.policies()


def _matchers(entries):
    for entry in entries:
        wanted = install.MATCHERS.get(entry.event)
        if wanted and entry.matcher != wanted:
            told = f"the {entry.event} hook runs at every request to the model: its group has no matcher"
            yield FAILURE, f"{told} {wanted!r}", HINT


def _server(seen):
    remove = mcp_entries.removal(install.NAME, seen.path, server_entry.SERVER, install.KEYS)
    entry = seen.servers.get(server_entry.SERVER)
    yield from proof.entry(entry, server_entry.entry(install.NAME), HINT, remove)


def _texts(home):
    """Findings about the files beside settings.json."""
    made = parts.Options(records=plan.records(home, install.NAME))
    for part in install.parts(made)[1:]:
        try:
            text = parts.text_of(part.path)
            if part.what == install.UNREAD:
                if part.warning(text):
                    yield FAILURE, part.warning(text), HINT
            elif part.warning(text):
                yield NOTE, part.warning(text), ""
            elif not part.holds_ours(text):
                yield NOTE, f"{part.what} are not installed: {part.path}", HINT
            elif part.with_ours(text) != text:
                yield FAILURE, f"{part.what} in {part.path} are not as this version writes them", HINT
            else:
                yield OK, f"{part.what} are in {part.path}", ""
        except ForewordError as error:
            yield proof.refused(error)


# -- trust -------------------------------------------------------------------------------------


def _trust(seen, folder):
    """Whether the client trusts the current project: else it runs no hook there, and starts no server."""
    rule = folder and trusted(folder)
    if rule == UNTRUSTED:
        told = f"Gemini CLI was told not to trust {folder}: it runs no hook there and starts no server"
        yield FAILURE, told, "start gemini there and type /permissions"
    elif folder and not rule and _asks(seen):
        told = f"Gemini CLI runs no hook and starts no server in {folder} until you trust that folder"
        yield NOTE, told, "start gemini there and answer its question, or type /permissions"


def _asks(seen):
    """Whether the client asks for trust in a folder: by its default, unless the settings say otherwise."""
    security = mapping(seen.config.get("security"))
    return mapping(security.get("folderTrust")).get("enabled") is not False


def trusted(folder):
    """What trustedFolders.json says of a folder: the rule of the nearest folder above it, or ""."""
    named = os.environ.get("GEMINI_CLI_TRUSTED_FOLDERS_PATH")
    path = named or os.path.join(os.path.dirname(install.settings_path()), "trustedFolders.json")
    try:
        rules = mapping(jsonc.value_at((files.read(path) or b"").decode("utf-8"), []))
    except (OSError, ValueError, ForewordError):
        return ""
    real, nearest = os.path.realpath(folder), ("", "")
    for known, rule in rules.items():
        top = os.path.dirname(known) if rule == "TRUST_PARENT" else known
        if os.path.join(real, "").startswith(os.path.join(os.path.realpath(top), "")):
            nearest = max(nearest, (os.path.realpath(top), str(rule)), key=lambda found: len(found[0]))
    return nearest[1]

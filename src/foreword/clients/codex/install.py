"""What Foreword puts into Codex's files, and how to take it out again. Cold.

config.toml gets the MCP server; the hooks go where the user has theirs, hooks.json or config.toml,
since Codex warns when both hold some; skills are files of their own. All by text span: comments stay.
README.md beside this file says what was seen.
"""

import os
import shlex
import shutil
import sys

from foreword import paths
from foreword.clients import hook_entries
from foreword.clients.about import RUN, About, Cell
from foreword.clients.codex import trust
from foreword.clients.parts import Part, skill_part, skill_parts, text_of, told
from foreword.clients.server_entry import SERVER, is_current, is_ours, renewed
from foreword.edit import jsonc, toml
from foreword.errors import NO, ForewordError

NAME = "codex"
ABOUT = About(
    "Codex",
    "0.171.0",
    "2026-11-30",
    ("https://developers.openai.com/codex/hooks", "https://developers.openai.com/codex/mcp"),
    server=Cell("table in config.toml", RUN),
    forewords=Cell("hooks, once you trusted them", RUN),
    instructions=Cell("skills", RUN),
    notes=(
        "Until you trust the hooks nothing is saved or offered by itself; the tools and the skills work "
        "without that. An update of Foreword does not change the hooks, so Codex does not ask again.",
        "`foreword install codex --trust` answers in your place, for Foreword's three hooks and no other. Do "
        "it only if you would have said yes.",
        "With a comment or a trailing comma in hooks.json Codex knows none of its hooks. `foreword install` "
        "warns of it.",
        "Where you have hooks in config.toml and none in hooks.json, Foreword's go into config.toml too.",
        "A plugin does the same without a change to config.toml: `foreword plugin DIR`. Use one of the two.",
    ),
)
HOOKS = hook_entries.EVENTS
TABLE = ("mcp_servers", SERVER)
# Codex cuts a server's environment down to HOME, LANG, PATH and TERM; these it passes on when set.
# The MEMORY_* ones are those of graph.place: without them Codex would use another graph than Claude Code,
# which hands a server all it has.
PASSED_ON = [
    "FOREWORD_HOME", "CODEX_HOME", "MEMORY_FILE_PATH", "MEMORY_OBS_MAX_CHARS", "MEMORY_OBS_MAX",
    "MEMORY_SEARCH_LIMIT", "MEMORY_BACKUPS_KEPT", "MEMORY_STRICT",
]  # fmt: skip
STATUS = "Foreword: loading memory"
# Tokens of one hook's text, at about 4 bytes each; what is over the default of 2,500 Codex spills into
# a file under /tmp that everybody may read. A recall of 6,000 Japanese letters is 18,000 bytes.
CONTEXT_TOKENS = 8000
COMMANDS = None  # `codex mcp add` cannot pass variables on, so config.toml is edited


def config_folder():
    chosen = os.environ.get("CODEX_HOME")
    return os.path.abspath(chosen) if chosen else os.path.join(paths.user_home(), ".codex")


def config_path():
    return os.path.join(config_folder(), "config.toml")


def hooks_path():
    return os.path.join(config_folder(), "hooks.json")


def program():
    """The path of `codex`, or None."""
    return shutil.which("codex")


def found():
    """Whether the client is on this machine."""
    return bool(program()) or os.path.isdir(config_folder())


# -- the parts ---------------------------------------------------------------------------------


def parts(options):
    """hooks.json, config.toml and the skills."""
    folder = config_folder()

    def taken(name):
        # The other folder that Codex reads the user's skills from.
        return os.path.exists(os.path.join(paths.user_home(), ".agents", "skills", name, "SKILL.md"))

    both = Both(folder)
    skills = skill_parts(os.path.join(folder, "skills"), NAME, options, taken)
    return [both.hooks_part(), both.config_part(options.trust), *skills]


def part(path):
    """The Part of a file that an earlier install edited, wherever it was."""
    name = os.path.basename(path)
    if name == "SKILL.md":
        return skill_part(path)
    both = Both(os.path.dirname(path))
    return both.hooks_part() if name == "hooks.json" else both.config_part()


class Both:
    """hooks.json and config.toml of a folder as they are: what goes into one depends on the other.

    Raises ForewordError, with the place, when one of them is malformed.
    """

    def __init__(self, folder):
        self.hooks_path = os.path.join(folder, "hooks.json")
        self.config_path = os.path.join(folder, "config.toml")
        self.hooks_text, self.config_text = text_of(self.hooks_path), text_of(self.config_path)
        told(self.hooks_path, hook_entries.check_shapes, self.hooks_text, HOOKS)
        self.config = told(self.config_path, toml.parse, self.config_text)
        self.in_config = self._belongs_in_config()

    def _belongs_in_config(self):
        """Whether our hooks go into config.toml: where the user's are, and if there are none where
        ours are already, for a move would cost the user's trust."""
        json, table = hooks_in_json(self.hooks_text), self.config.get("hooks")
        ours, others = (
            [any(hook_entries.is_ours(value) is mine for *_, value in hook_entries.handlers(hooks))
             for hooks in (json, table)]
            for mine in (True, False)
        )  # fmt: skip
        if others[1] and not others[0]:
            try:
                with_hook_tables(self.config_text)
            except ForewordError:
                return False  # an inline table: Codex warns of both then, and runs both
            return True
        return ours[1] and not ours[0] and (others[1] or not others[0])

    def hooks_part(self):
        return Part(
            self.hooks_path,
            "hooks",
            lambda text: hook_entries.without_ours(text) if self.in_config else with_hooks(text),
            lambda text, made: hook_entries.without_ours(text, made and made.get("containers")),
            lambda text: {"containers": [] if self.in_config else hook_entries.containers(text, HOOKS)},
            lambda text: bool(hook_entries.ours(text)),
            lambda text, before=None: _useless(text, self.hooks_path, before),
        )

    def config_part(self, trusted=False):
        return Part(
            self.config_path,
            ", ".join(["MCP server"] + ["hooks"] * self.in_config + ["trust in its hooks"] * trusted),
            lambda text: self._with_ours(text, trusted),
            lambda text, made: self._without_ours(text),
            lambda text: {},
            lambda text: is_ours(present_server(toml.parse(text))) or bool(hook_spans(text)),
            switched_off,
        )

    def hashes(self, installed=True):
        """{key: trusted_hash} of our hooks: as they will be, or as they are."""
        if not installed:
            there = trust.wanted(self.hooks_path, hooks_in_json(self.hooks_text))
            return {**there, **trust.wanted(self.config_path, self.config.get("hooks"))}
        if self.in_config:
            text = with_hook_tables(self.config_text)
            return trust.wanted(self.config_path, toml.parse(text).get("hooks"))
        return trust.wanted(self.hooks_path, hooks_in_json(with_hooks(self.hooks_text)))

    def _states(self, text, kept=()):
        files = self.hooks_path, self.config_path
        return trust.spans(text, self.hashes(installed=False), files, kept)

    def _with_ours(self, text, trusted):
        text = with_server(text, self.config_path)
        text = with_hook_tables(text) if self.in_config else toml.drop(text, hook_spans(text))
        hashes = self.hashes()
        text = toml.drop(text, self._states(text, kept=hashes))
        if not trusted:
            return text
        try:
            return trust.with_trust(text, hashes)
        except toml.ClashError as error:
            hint = "foreword install codex (without --trust), then trust the hooks in Codex: /hooks"
            raise ForewordError(f"{self.config_path}: {error.message}; nothing was changed", hint) from error

    def _without_ours(self, text):
        present = present_server(toml.parse(text))
        gone = hook_spans(text) + self._states(text)
        if is_ours(present) or _is_orphan(present):
            gone += [header.span for header in toml.headers(text) if header.path[:2] == TABLE]
        text = toml.drop(text, gone)
        later = trust.moves(self.hooks_path, hooks_in_json(self.hooks_text))
        later.update(trust.moves(self.config_path, self.config.get("hooks")))
        text = trust.renamed(text, later)
        left = toml.parse(text)
        if is_ours(present_server(left)) or trust.wanted(self.config_path, left.get("hooks")):
            raise ForewordError(
                f"{self.config_path}: an entry of Foreword stands in an inline table; nothing was changed",
                "take it out by hand (codex mcp remove foreword), then run the same command again",
            )
        return text


# -- the MCP server ----------------------------------------------------------------------------


def server_entry(present=None):
    """The table of config.toml: key -> a string or strings. `present`: the entry that is there, whose
    `env_vars` name what the user passes on besides."""
    arguments = ["-I", "-m", "foreword.cli", "serve"]
    theirs = present.get("env_vars") if isinstance(present, dict) else None
    theirs = theirs if isinstance(theirs, list) else []
    passed = [*theirs, *(name for name in PASSED_ON if name not in theirs)]
    if not all(isinstance(name, str) for name in theirs):
        passed = theirs  # tables among them: for its owner to edit
    return {"command": sys.executable, "args": arguments, "env_vars": passed}


def present_server(config):
    """The entry for our server in a parsed config.toml, None when there is none."""
    servers = config.get(TABLE[0])
    return servers.get(SERVER) if isinstance(servers, dict) else None


def _is_orphan(entry):
    """Tables below an entry that is gone: what Codex wrote when the user allowed a tool for always."""
    return isinstance(entry, dict) and not {"command", "url"} & set(entry)


def with_server(text, path):
    """config.toml with our server; as it is when it is there, in a form that only its owner edits too.

    Raises ForewordError when the name is somebody else's, or no table can be added.
    """
    present = present_server(toml.parse(text))
    if present is None or _is_orphan(present):
        try:
            return toml.append(text, _table(TABLE, server_entry()))
        except toml.ClashError as error:
            inline = ", ".join(_lines(server_entry()))
            raise ForewordError(
                f"{path}: mcp_servers is an inline table, no table can be added; nothing was changed",
                f"put this into it: {SERVER} = {{ {inline} }}; or let Codex rewrite it: {by_hand()}; "
                "then run the same command again",
            ) from error
    if not is_ours(present):
        raise ForewordError(
            f"{path}: an MCP server {SERVER} is there, and it is not this one; nothing was changed",
            f"rename yours, or remove it first: codex mcp remove {SERVER}",
            exit_code=NO,
        )
    for key, value in renewed(present, server_entry(present)).items():
        header = next((header for header in toml.headers(text) if header.path == TABLE), None)
        if header:
            text = toml.set_key(text, header, key, _written(value))
    return text


def by_hand():
    """The client's own command for the server; it has no way to name the variables to pass on."""
    entry = server_entry()
    return shlex.join(["codex", "mcp", "add", SERVER, "--", entry["command"], *entry["args"]])


def _written(value):
    if isinstance(value, str):
        return toml.string(value)
    return toml.array(value) if isinstance(value, list) else str(value)


def _lines(entry):
    return [f"{key} = {_written(value)}" for key, value in entry.items()]


def _table(path, entry, array=False):
    name = toml.dotted(path)
    return "\n".join(["[[%s]]" % name if array else "[%s]" % name, *_lines(entry)]) + "\n"


# -- the hooks ---------------------------------------------------------------------------------


def hook(event):
    """The hook object for an event.

    No matcher: which sources of SessionStart get a recall is for the hook to decide, since every
    change of what stands here asks the user for trust again. For the same reason none of it may
    change from one version to the next.
    """
    ours, timeout_s = HOOKS[event]
    line = hook_entries.line(hook_entries.words(NAME, ours))
    made = {"type": "command", "command": line, "timeout": timeout_s}
    if event == "SessionStart":
        made["statusMessage"] = STATUS
    if event != "Stop":  # Codex takes the limit only where a text may be handed over
        made["additionalContextLimit"] = CONTEXT_TOKENS
    return made


def hooks_in_json(text):
    return jsonc.value_at(text, ["hooks"])


def with_hooks(text):
    """hooks.json with our hooks, behind those of others: Codex keeps its trust by their places."""
    hook_entries.check_shapes(text, HOOKS)
    return hook_entries.with_ours(text, {event: [hook(event)] for event in HOOKS}, last=True)


def with_hook_tables(text):
    """config.toml with our hooks in tables. Raises ClashError where the events are inline."""
    blocks = []
    for event in HOOKS:
        mine = _ours(toml.parse(text), event)
        if not mine:
            blocks.append(_table(("hooks", event), {}, array=True))
            blocks.append(_table(("hooks", event, "hooks"), hook(event), array=True))
            continue
        header = next((header for header in toml.headers(text) if header.at == mine[0]), None)
        if header and toml.at_path(toml.parse(text), mine[0]) != hook(event):
            text = toml.replace(text, header, _table(("hooks", event, "hooks"), hook(event), array=True))
    return toml.append(text, "\n".join(blocks)) if blocks else text


def _ours(config, event=None):
    """Places of our hooks in a parsed config.toml, as `Header.at` has them."""
    return [
        ("hooks", name, g, "hooks", h)
        for name, g, h, _, value in hook_entries.handlers(config.get("hooks"))
        if hook_entries.is_ours(value) and event in (None, name)
    ]


def hook_spans(text):
    """The spans of the tables of config.toml that are our hooks, and of the groups that hold no other."""
    config = toml.parse(text)
    mine = _ours(config)
    gone: set[tuple[str | int, ...]] = set(mine)
    for _, event, g, *_ in mine:
        if all(map(hook_entries.is_ours, toml.at_path(config, ["hooks", event, g, "hooks"]))):
            gone.add(("hooks", event, g))
    return [header.span for header in toml.headers(text) if header.at in gone]


# -- what the user is told ---------------------------------------------------------------------


def ignored(text, path, before=None):
    """Why Codex ignores a hooks.json that we can read, or "" (0.171.0 takes strict JSON, no BOM)."""
    if text.startswith("\ufeff"):
        return f"{path} begins with a byte order mark: Codex ignores such a file"
    return hook_entries.ignored("Codex", path, text, before)


def strict(text):
    """What mends a hooks.json that Codex ignores."""
    return "save it without one" if text.startswith("\ufeff") else hook_entries.STRICT


def _useless(text, path, before):
    told = ignored(text, path, before)
    return f"{told}, so no hook in it runs; to mend it, {strict(text)}" if told else ""


def switched_off(text, before=None):
    """Why Codex makes no use of what stands in a config.toml, or ""."""
    config = toml.parse(text)
    features, server = config.get("features"), present_server(config)
    if isinstance(features, dict) and features.get("hooks") is False:
        return "[features] hooks = false in config.toml: Codex runs no hook"
    if not is_ours(server) or server is None:
        return ""
    if server.get("enabled") is False:
        return "[mcp_servers.foreword] enabled = false in config.toml: Codex does not start the server"
    if not is_current(server, server_entry(server)):
        return "mcp_servers.foreword is an inline table of another form than this version's: edit it by hand"
    return ""


def reviewed():
    """{key: status} of our hooks as they stand now: `trust.status`. {} when there are none."""
    both = Both(config_folder())
    return trust.status(both.config, both.hashes(installed=False))


def once_installed(options):
    """What the user does next: above all the review, without which no hook runs."""
    states = set(reviewed().values())
    if states == {"trusted"} and options.trust:
        return [
            "Its hooks are marked as trusted in config.toml, in your place, as --trust",
            "says. New sessions have it.",
        ]
    if states == {"trusted"}:
        return ["Its hooks are trusted; new sessions have it."]
    if states and states <= {"trusted", "off"}:
        return ["You switched hooks of Foreword off in Codex; /hooks there switches them on."]
    return [
        "New sessions have the tools and the skills.",
        "Codex runs no hook that you have not trusted. At its next start in the",
        'terminal it asks once: choose "Trust all and continue", or look at them',
        "first (later: /hooks). Until then they do nothing, and codex exec does not",
        "even say so. Where there is no terminal, this answers in your place:",
        "    foreword install codex --trust",
    ]


def to_paste(options):
    return []


def once_removed():
    return ["To check: codex mcp list no longer shows foreword."]

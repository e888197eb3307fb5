"""Claude Code, Codex, Gemini CLI and opencode of one user: wired in one command, one store, undone in one.

A start of a client takes seconds, so one test tells the whole story, with five turns of each client.
"""

import contextlib
import json
import os
import re
from concurrent.futures import ThreadPoolExecutor

import pytest
import yaml

from e2e import chat_model, gemini_model, responses, tui
from e2e import model as messages
from e2e.claude import ID
from e2e.home import git, tree_hash
from e2e.model import Turn, use
from foreword import recall

pytestmark = pytest.mark.e2e

CLIENTS = ("claude-code", "codex", "gemini", "opencode")
OTHERS = {client: [other for other in CLIENTS if other != client] for client in CLIENTS}
TOGETHER = (("claude-code", "codex"), ("gemini", "opencode"))  # each as fast as the other

# What each client's session is about: a question, its answer, a later prompt on that matter, and a fact.
ASKED = {
    "claude-code": "Why does the importer drop rows whose currency is missing, and where is that decided?",
    "codex": "How often is a download from a bank tried again when it fails, and how long is the pause?",
    "gemini": "Which encoding do the statements of the savings bank have that garble umlauts?",
    "opencode": "By what does deduplication tell the same booking in two overlapping exports?",
}
ANSWER = {
    "claude-code": "Rows without a currency are dropped on purpose by `keep` in `src/app.py:6`. The ledger"
    " adds up amounts per currency, so a row that names none has no column. Before that rule the totals of"
    " March were wrong by 1,204 rows. The last word is pelican.",
    "codex": "A failed download is tried three times: `RETRIES` in `src/app.py:3`. The pause between two"
    " attempts doubles, from five seconds on, for the bank's gateway locks out whoever knocks faster than"
    " that. After the third attempt the night shift is paged. The last word is heron.",
    "gemini": "Statements of the savings bank come in Windows-1252, whatever their header claims; README.md"
    " does not mention it. Decoded as UTF-8 every umlaut becomes a replacement character, and payees no"
    " longer match the address book of the customers. The last word is curlew.",
    "opencode": "Deduplication compares the value date, the end-to-end reference and the cents of a booking,"
    " never its text; nothing in `src/app.py` does it yet. Overlapping exports shorten the text at different"
    " lengths, so equal bookings looked distinct. The last word is avocet.",
}
LATER = {
    "claude-code": "Make the importer report the rows it drops when their currency is missing.",
    "codex": "Shorten the pause before a failed download from the bank is tried again.",
    "gemini": "Read statements of the savings bank in the right encoding so that umlauts survive.",
    "opencode": "Teach deduplication about a booking that overlapping exports hold twice.",
}
FACT = {
    "claude-code": "The ledger is rebuilt by make ledger.",
    "codex": "Gateways are mocked by the script fake-bank.",
    "gemini": "Statements for tests lie in samples of the bank.",
    "opencode": "Exports are fetched on Mondays.",
}

CITED = {"claude-code": "src/app.py", "codex": "src/app.py", "gemini": "README.md", "opencode": "src/app.py"}

# What each client puts before the names of our tools, and in whose words it asks the model.
TOOL = {
    "claude-code": "mcp__foreword__",
    "codex": "mcp__foreword__",
    "gemini": "mcp_foreword_",
    "opencode": "foreword_",
}
REQUEST = {
    "claude-code": messages.Request,
    "codex": responses.Request,
    "gemini": gemini_model.Request,
    "opencode": chat_model.Request,
}
# How `mcp list` tells of a server that the client has started for it; Codex starts none.
LISTED = {"claude-code": "Connected", "codex": "enabled", "gemini": "Connected", "opencode": "connected"}
# Written anew by Claude Code whenever it runs; our server comes and goes by the client's own command.
STATE = os.path.join(".claude", ".claude.json")
STATE_COPIES = os.path.join(".claude", "backups")
SKILLS = ("remember", "recall", "dream")
READ = "I have read it."


def each(function, clients=CLIENTS):
    """{client: function(client)}, two of them at a time."""
    with ThreadPoolExecutor(2) as pool:
        return dict(zip(clients, pool.map(function, clients), strict=True))


def install(home):
    done = home.foreword("install", "--trust", "--switch", "on", "--anyway", "--json")
    return json.loads(done.stdout)["clients"]


# -- the model -------------------------------------------------------------------------------------


def script(model, client, *turns):
    """Turns for the requests of one client, whatever the others ask meanwhile."""
    model.script(*(Turn(turn, lambda request: type(request) is REQUEST[client]) for turn in turns))


def by_client(requests):
    """{client: its requests, in their order}."""
    return {client: [one for one in requests if type(one) is REQUEST[client]] for client in CLIENTS}


def offered(request):
    """The ids of the notes that came with the newest prompt."""
    frames = [frame for frame in request.new_frames if recall.SAYS in frame]
    return sorted(ID.findall("\n".join(frames)))


def open_all(client):
    """A turn of the script: the model opens every note that it was offered."""
    return lambda request: [use(TOOL[client] + "memory_read", id=one) for one in offered(request)]


def mentions(request, home):
    """Where the model is told of us, with what stands around it. The home's folder is left out: it may lie
    in a checkout of our name."""
    text = json.dumps(request.body, ensure_ascii=False)
    for folder in {home.folder, os.path.realpath(home.folder)}:
        text = text.replace(folder, "").replace(re.sub(r"[^0-9A-Za-z]", "-", folder), "")
    return re.findall(r".{0,60}foreword.{0,60}", text, re.IGNORECASE)


# -- what lies where -------------------------------------------------------------------------------


def parsed(memories):
    """[(header, body)] of memories, by their source."""
    parts = [text.split("---\n", 2) for _, text in memories]
    read = [(yaml.safe_load(header), body.strip()) for _, header, body in parts]
    return sorted(read, key=lambda one: one[0]["source"])


def contents(home):
    """{path: bytes} of the files in a home and {path: None} of its folders."""
    found = {}
    for at, folders, names in os.walk(home.home):
        for name in folders + names:
            path = os.path.join(at, name)
            found[os.path.relpath(path, home.home)] = None if name in folders else bytes_of(path)
    return found


def bytes_of(path):
    with open(path, "rb") as f:
        return f.read()


def changed(before, after):
    """The paths that are new, gone or other than before; without the store and Claude Code's own state."""
    paths = {path for path in before | after if before.get(path, "") != after.get(path, "")}
    paths -= {".foreword", STATE, STATE_COPIES}
    return {path for path in paths if not path.startswith((".foreword" + os.sep, STATE_COPIES + os.sep))}


def backups(contents):
    return {path for path in contents if ".foreword.bak." in path}


def settle(home):
    tui.eventually(lambda: not home.processes(), "the end of all that ran in the home")


# -- one command and back --------------------------------------------------------------------------


def test_install_wires_all_four_and_uninstall_gives_every_byte_and_folder_back(everyone):
    home = everyone["codex"].home
    before = contents(home)

    first = install(home)
    wired = contents(home)
    second = install(home)
    home.foreword("uninstall")
    after = contents(home)
    home.foreword("uninstall", "--purge", "--yes")
    purged = contents(home)

    assert [(one["client"], one["error"]) for one in first] == [(client, "") for client in CLIENTS]
    assert [[one["changed"] for one in run] for run in (first, second)] == [[True] * 4, [False] * 4]
    named = {file["path"] for one in first for file in one["files"] if file["changed"]}
    assert {os.path.relpath(path, home.home) for path in named} <= changed(before, wired)
    assert changed(before, after) == backups(after)
    assert {after[path] for path in backups(after)} <= set(before.values())
    assert changed(before, purged) == set()
    assert ".foreword" not in purged
    of_claude = [json.loads(files[STATE]) for files in (before, wired, after, purged)]
    assert [list(state.get("mcpServers", {})) for state in of_claude] == [[], ["foreword"], [], []]
    assert [state["projects"] for state in of_claude] == [of_claude[0]["projects"]] * 4


# -- the story -------------------------------------------------------------------------------------


def find_out(everyone, model):
    """Each client writes a fact down and answers a question, two clients at a time and at one moment."""
    for clients in TOGETHER:
        for client in clients:
            save = use(TOOL[client] + "memory_save", title="From " + client, body=FACT[client])
            script(model, client, [save], ANSWER[client])
        with model.together(len(clients)):
            each(lambda client: everyone[client].run(ASKED[client]), clients)
    settle(everyone["codex"].home)


@contextlib.contextmanager
def prompting(everyone, client):
    """A function that gives the answer to a prompt in a new session of a client."""
    if client == "opencode":  # a start takes it five times as long as a turn: a process for all of them
        with everyone[client].serve() as server:
            yield lambda prompt: server.prompt(server.new_session(), prompt)
    else:
        yield lambda prompt: everyone[client].run(prompt).answer


def ask(everyone, model, matters, *turns):
    """Each client is asked about matters of others, each in a session of its own: {client: {other:
    (answer, requests)}}. `matters`: {client: others}; `turns`: functions of the client, for each session."""

    def sessions(client):
        told = {}
        with prompting(everyone, client) as answer_to:
            for other in matters[client]:
                since = len(model.requests)
                script(model, client, *(turn(client) for turn in turns))
                told[other] = answer_to(LATER[other]), by_client(model.requests[since:])[client]
        return told

    told = each(sessions)
    settle(everyone["codex"].home)
    return told


@pytest.mark.timeout(300)
def test_what_one_client_found_out_reaches_each_other_one_until_one_uninstall_ends_it(everyone, model):
    home = everyone["codex"].home
    repo, before = tree_hash(home.repo), contents(home)
    install(home)
    wired = changed(before, contents(home))

    find_out(everyone, model)

    found_out = by_client(model.requests)
    notes, facts = parsed(home.notes()), parsed(home.memories("facts"))
    assert {client: len(requests) for client, requests in found_out.items()} == dict.fromkeys(CLIENTS, 2)
    assert [(header["source"], body) for header, body in notes] == list(ANSWER.items())
    assert [(header["source"], body) for header, body in facts] == list(FACT.items())
    assert {header["source"]: header["question"] for header, _ in notes} == ASKED
    assert {header["source"]: header["files"][0]["path"] for header, _ in notes} == CITED
    assert [client for client, (first, _) in found_out.items() if mentions(first, home)] == list(CLIENTS)
    # One copy of each skill serves two clients.
    skills = found_out["opencode"][0].instructions
    assert [skills.count(f"<name>{name}</name>") for name in SKILLS] == [1] * len(SKILLS)

    home.foreword("check")
    doctor = json.loads(home.foreword("doctor", "--json").stdout)
    listed = each(lambda client: everyone[client].command("mcp", "list"))

    assert [finding for finding in doctor["findings"] if finding["level"] == "failure"] == []
    said = {
        client: [one["what"] for one in doctor["findings"] if one["client"] == client] for client in CLIENTS
    }
    assert "Codex trusts the hooks" in said["codex"]
    for client, done in listed.items():
        assert [what for what in said[client] if what.startswith("hooks last fired")], client
        lines = [line for line in (done.stdout + done.stderr).splitlines() if LISTED[client] in line]
        assert [line for line in lines if "foreword" in line], done.stdout + done.stderr

    sessions = ask(everyone, model, OTHERS, open_all, lambda client: READ)

    source = {header["id"]: header["source"] for header, _ in notes}
    for client, matters in sessions.items():
        for other, (answer, (first, second)) in matters.items():
            pair = f"of {other} in {client}"
            assert [source[one] for one in offered(first)] == [other], pair
            assert [name for name in CLIENTS if FACT[name] in first.text] == list(CLIENTS), pair
            [(text, is_error)] = second.tool_results
            assert ANSWER[other] in text and not is_error, pair
            assert answer == READ, pair

    home.foreword("uninstall")
    store = tree_hash(home.store)
    sessions = ask(everyone, model, {client: OTHERS[client][:1] for client in CLIENTS}, ANSWER.get)
    after = contents(home)

    for client, matters in sessions.items():
        [(answer, [request])] = matters.values()
        assert answer == ANSWER[client]
        assert mentions(request, home) == [], client
    assert tree_hash(home.store) == store, "no hook did anything"
    assert [everyone[client].runs[-1].hooks for client in TOGETHER[0]] == [[], []]
    assert everyone["codex"].hooks() == []
    assert b"foreword" not in after[STATE]
    left = wired & changed(before, after)
    # Folders that were made for us and that the clients have put something into by now.
    filled = {
        path for path in left if after.get(path, "") is None and os.listdir(os.path.join(home.home, path))
    }
    assert left - filled == backups(after)
    assert [path for path in changed(before, after) if os.path.basename(path).startswith("foreword")] == []
    assert tree_hash(home.repo) == repo
    assert git(home.repo, "status", "--porcelain", "--ignored") == ""

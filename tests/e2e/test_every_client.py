"""Claude Code, Codex, Gemini CLI and opencode of one user: wired in one command, one store, undone in one.

A start of a client takes up to four seconds, so one test tells the whole story with three turns of each.
"""

import json
import os
import shutil
from concurrent.futures import ThreadPoolExecutor
from itertools import permutations

import pytest
import yaml

from e2e import chat_model, gemini_model, responses, tui
from e2e import model as messages
from e2e.claude import ID
from e2e.home import git, tree_hash
from e2e.model import Turn, use

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(300)]

CLIENTS = ("claude-code", "codex", "gemini", "opencode")
PAIRS = (CLIENTS[:2], CLIENTS[2:])  # of about the same pace

# What each client's session is about: a question, its answer, a later prompt on that matter, and a fact.
ASKED = {
    "claude-code": "Why does the importer drop rows whose currency is missing, and where is that decided?",
    "codex": "How often is a download from a bank tried again when it fails, and how long is the pause?",
    "gemini": "Which encoding do the statements of the savings bank have that garble umlauts?",
    "opencode": "By what does deduplication tell the same booking in two overlapping exports?",
}
ANSWER = {
    "claude-code": "Rows without a currency are dropped on purpose by `keep` in `src/app.py:6`. The ledger adds"
    " up amounts per currency, so a row that names none has no column. Before that rule the totals of March"
    " were wrong by 1,204 rows. The last word is pelican.",
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
# How `mcp list` of each tells of a server that it has started, or in Codex, which starts none, of one it will.
CONNECTED = {
    "claude-code": (["mcp", "list"], "Connected"),
    "codex": (["mcp", "list"], "enabled"),
    "gemini": (["mcp", "list"], "foreword.cli serve --client gemini (stdio) - Connected"),
    "opencode": (["mcp", "list"], "connected"),
}
# Claude Code's own, written anew whenever it runs; our server is in it by the client's own command.
STATE = os.path.join(".claude", ".claude.json")
STATE_COPIES = os.path.join(".claude", "backups")
BACKUP = ".foreword.bak."
READ = "I have read them."


def each(function, clients=CLIENTS):
    """{client: function(client)}, two of them at a time."""
    with ThreadPoolExecutor(2) as pool:
        return dict(zip(clients, pool.map(function, clients), strict=True))


def others(client):
    return [other for other in CLIENTS if other != client]


# -- the model ---------------------------------------------------------------------------------------


def script(model, client, *turns):
    """Turns for the requests of one client, whatever the others ask meanwhile."""
    model.script(*(Turn(turn, lambda request: type(request) is REQUEST[client]) for turn in turns))


def asked_by(client, requests):
    return [request for request in requests if type(request) is REQUEST[client]]


def offered(request):
    """The ids in the forewords about notes that came with the newest prompt."""
    return set(ID.findall("\n".join(frame for frame in request.new_frames if PROMPTED in frame)))


def open_all(client):
    """A turn of the script: the model opens every note that it was offered."""
    return lambda request: [use(TOOL[client] + "memory_read", id=id) for id in sorted(offered(request))]


# -- what lies where ---------------------------------------------------------------------------------


def headers(memories):
    return [yaml.safe_load(text.split("---\n", 2)[1]) for _, text in memories]


def by_source(memories):
    """[(source, text)] of memories, sorted; of several by one source each is there."""
    told = [(yaml.safe_load(header)["source"], body.strip()) for _, header, body in map(split, memories)]
    return sorted(told)


def contents(folder):
    """{path: bytes} of all files below a folder, and {path: None} of the folders."""
    found = {}
    for at, folders, names in os.walk(folder):
        found |= {os.path.relpath(os.path.join(at, name), folder): None for name in folders}
        for name in names:
            with open(os.path.join(at, name), "rb") as f:
                found[os.path.relpath(f.name, folder)] = f.read()
    return found


TODO

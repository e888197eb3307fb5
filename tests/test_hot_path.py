"""What a hook loads: a written list. Every module costs each prompt, so a new one is a decision.

The list is compared exactly for our own modules; of the standard library it names what may be loaded.
No time is measured here: `bench/` does that.
"""

import json
import os
import subprocess
import sys

import pytest

sys.path.append(os.path.dirname(os.path.abspath(__file__)))

from foreword import clients, memory
from foreword.clients import HOOKED
from hook import events
from hook.test_wires import payload as recorded
from hook.test_wires import run

# Runs the hook's door as `python -m` does and tells what it loaded beyond the interpreter's own start.
RUNNER = """
import os, sys
before = set(sys.modules)
end = os._exit
def told(code):
    import json
    with open(sys.argv.pop(), "w") as f:
        json.dump(sorted(loaded), f)
    end(code)
def ending(code):
    global loaded
    loaded = set(sys.modules) - before
    told(code)
os._exit = ending
import foreword.hook.__main__
ending(0)
"""

DOOR = {"foreword", "foreword.hook", "foreword.hook.__main__"}
START = DOOR | {"foreword.hook.run", "foreword.files", "foreword.paths", "foreword.clients"}
EVENT = START | {
    "foreword.clients.heard", "foreword.digest", "foreword.hook.waiting", "foreword.project",
    "foreword.store", "foreword.store.layout", "foreword.text", "foreword.text.budget",
    "foreword.text.redact",
}  # fmt: skip
INDEX = {
    "foreword.index", "foreword.index.impacts", "foreword.index.postings", "foreword.index.schema",
    "foreword.text.common", "foreword.text.question", "foreword.text.words",
}  # fmt: skip
# What every client's event loads; its wire comes besides, with what that alone needs.
OURS = {
    "prompt": EVENT | INDEX | {
        "foreword.hook.prompt", "foreword.index.features", "foreword.index.rank", "foreword.index.search",
        "foreword.index.uses", "foreword.settings", "foreword.stale", "foreword.text.unkept",
    },
    "stop": EVENT | INDEX | {
        "foreword.cited", "foreword.hook.stop", "foreword.index.build", "foreword.marks", "foreword.settings",
        "foreword.stale",
        "foreword.store.header", "foreword.store.write", "foreword.text.unkept",
    },
    "session-start": EVENT | {"foreword.hook.session_start", "foreword.settings"},
}  # fmt: skip
TAIL = {"foreword.clients.tail"}
BEYOND = {"claude-code": TAIL, "codex": TAIL, "gemini": TAIL, "opencode": set()}
# Only when there is a fact or a session to hand over.
RECALLING = {
    "foreword.curated", "foreword.index", "foreword.index.curated", "foreword.index.schema",
    "foreword.store.header", "foreword.text.frame", "foreword.hook.forewords",
}  # fmt: skip
# Only when something is offered.
OFFERING = {"foreword.hook.forewords", "foreword.recall", "foreword.text.frame", "foreword.text.speaks"}
EASTERN = {"foreword.text.cjk"}  # only for texts in these scripts

# The interpreter's own modules that may be loaded: the few that hooks may import, and what those load.
STANDARD = {
    "json", "json.decoder", "json.encoder", "json.scanner", "_json",
    "re", "re._casefix", "re._compiler", "re._constants", "re._parser", "_sre", "copyreg",
    "enum", "types", "operator", "_operator", "functools", "_functools", "collections", "_collections",
    "collections.abc", "itertools", "keyword", "reprlib",
    "sqlite3", "sqlite3.dbapi2", "_sqlite3", "datetime", "_datetime", "math",
    "fcntl", "time", "_thread", "_sha256", "_sha2", "unicodedata",
    "array", "binascii", "bisect", "_bisect",
}  # fmt: skip
# sqlite3.dbapi2 imports collections.abc and datetime; re imports enum and functools.


@pytest.fixture
def folder(tmp_path):
    """A repository whose project is known and settled, with one note of another session."""
    events.switch("on")
    (tmp_path / "app").mkdir()
    (tmp_path / "app" / "README.md").write_text("# App\n")
    place = events.commit(str(tmp_path / "app"))
    events.turn(events.QUESTION, events.ANSWER + " See README.md.", place, session="before")
    events.settle()
    return place


def loaded(event, payload, tmp_path, arguments=("claude-code",), **options):
    """(stdout, the modules that a hook loads)."""
    told = str(tmp_path / "loaded.json")
    done = subprocess.run(
        [sys.executable, "-I", "-c", RUNNER, *arguments, event, told],
        input=json.dumps(payload).encode(),
        capture_output=True,
        timeout=events.PATIENCE_S,
        **options,
    )
    assert (done.returncode, done.stderr) == (0, b"")
    with open(told, encoding="utf-8") as f:
        return done.stdout, set(json.load(f))


def ours(modules):
    return {name for name in modules if name.partition(".")[0] == "foreword"}


def check_standard(modules):
    assert modules - ours(modules) - STANDARD == set()


def wire(client="claude-code"):
    """A client's own modules, and what they alone load."""
    package = clients.CLIENTS[client]
    return {package, package + ".wire"} | BEYOND[client]


def later(event, folder, client="claude-code"):
    """The payload of an event in a later session, before which the client has sent what comes before it."""
    text = "Rename the login button, please"
    if event == "stop":
        run(
            client, "prompt", recorded(client, "prompt", folder, "later", "t9", "How many retries are there?")
        )
        text = events.ANSWER.replace("importer", "exporter") + " See README.md."
    return recorded(client, event, folder, "later", "t9", text)


@pytest.mark.parametrize("event", events.EVENTS)
@pytest.mark.parametrize("client", HOOKED)
def test_an_event_loads_what_is_written_here(client, event, folder, tmp_path):
    out, modules = loaded(event, later(event, folder, client), tmp_path, (client,))
    assert out == b""
    assert ours(modules) == OURS[event] | wire(client)
    check_standard(modules)


@pytest.mark.parametrize("client", HOOKED)
def test_a_prompt_that_is_offered_a_note_loads_little_more(client, folder, tmp_path):
    payload = recorded(client, "prompt", folder, "later", "t9", events.ASKED_LATER)
    out, modules = loaded("prompt", payload, tmp_path, (client,))
    assert b"dropped on purpose" in out
    assert ours(modules) == OURS["prompt"] | OFFERING | wire(client)
    check_standard(modules)


@pytest.mark.parametrize("client", HOOKED)
def test_an_event_that_hands_something_over_loads_little_more(client, folder, tmp_path):
    memory.save(memory.open_project(folder), "Run make test.", title="Tests")
    start = recorded(client, "session-start", folder, "later")
    expected = OURS["session-start"] | RECALLING | wire(client)
    if clients.wire(client).RECALL_WITH_PROMPT:
        run(client, "session-start", start)
        prompt = later("prompt", folder, client)
        out, modules = loaded("prompt", prompt, tmp_path, (client,))
        expected |= OURS["prompt"]
    else:
        out, modules = loaded("session-start", start, tmp_path, (client,))
    assert b"Run make test." in out
    assert ours(modules) == expected
    check_standard(modules)


def test_a_prompt_asks_the_graph_only_where_that_is_wanted(folder, tmp_path):
    with open(os.path.join(events.home(), "config.toml"), "a", encoding="utf-8") as f:
        f.write("[graph]\nin_index = true\n")
    events.prompt("compiles the settings", folder)
    _, modules = loaded("prompt", later("prompt", folder), tmp_path)
    assert ours(modules) == OURS["prompt"] | wire() | {"foreword.index.entities"}
    check_standard(modules)


@pytest.mark.parametrize(
    ("text", "more"),
    [
        (
            "The window of the archive viewer flickers on wide screens whenever somebody drags its edge.",
            set(),
        ),
        ("サーバーの接続が遅いのはなぜですか", EASTERN | {"foreword.text.across"}),
    ],
)
def test_a_prompt_loads_what_its_scripts_need(folder, tmp_path, text, more):
    payload = events.sample("UserPromptSubmit", prompt=text, cwd=folder, session_id="later")
    out, modules = loaded("prompt", payload, tmp_path)
    assert out == b""
    assert ours(modules) == OURS["prompt"] | wire() | more
    check_standard(modules)


def test_with_the_switch_off_neither_search_nor_frame_is_loaded(folder, tmp_path):
    events.switch("off")
    events.prompt("compiles the settings", folder)
    _, modules = loaded("prompt", later("prompt", folder), tmp_path)
    assert not {"foreword.index.search", "foreword.index.build", "foreword.recall"} & modules
    assert ours(modules) < OURS["prompt"] | wire()
    check_standard(modules)


@pytest.mark.parametrize("event", events.EVENTS)
def test_what_is_no_payload_loads_the_start_only(event, tmp_path):
    _, modules = loaded(event, ["no object"], tmp_path)
    assert ours(modules) == START
    check_standard(modules)


@pytest.mark.parametrize("event", events.EVENTS)
def test_disabled_only_the_door_is_loaded(event, folder, tmp_path):
    environment = {**os.environ, "FOREWORD_DISABLE": "1"}
    out, modules = loaded(event, later(event, folder), tmp_path, env=environment)
    assert out == b""
    assert modules == DOOR
    assert len(modules) <= 3


def test_an_unknown_hook_loads_the_start_only(tmp_path):
    _, modules = loaded("nothing", {}, tmp_path)
    assert ours(modules) == START

"""What a server costs and what it must not load; sizes that clients pay for in their context."""

import json
import os
import re
import shutil
import subprocess
import sys

import pytest

from .conftest import COMMAND

LOADED = re.compile(r"import time:\s+\d+ \|\s+\d+ \|\s+(\S+)")
# Each of these costs a session 10 ms to 0.7 s, or stands for something a server must not do.
NEVER = {"mcp", "mcp_types", "asyncio", "anyio", "click", "socket", "ssl", "http", "pydantic", "logging"}
NOT_AT_THE_START = NEVER | {
    "yaml", "sqlite3", "subprocess", "threading", "dataclasses", "typing", "pathlib", "argparse", "urllib",
    "datetime", "hashlib", "_hashlib", "inspect", "tempfile", "importlib.metadata", "foreword.memory",
}  # fmt: skip
EITHER_AT_THE_START = {
    "foreword", "foreword.cli", "foreword.cli.cmd_serve", "foreword.clients", "foreword.errors",
    "foreword.files", "foreword.paths", "foreword.server", "foreword.server.arguments",
    "foreword.server.lines", "foreword.server.log", "foreword.server.protocol", "foreword.server.tools",
}  # fmt: skip
NOTES_AT_THE_START = EITHER_AT_THE_START | {
    "foreword.settings", "foreword.server.notes", "foreword.server.projects", "foreword.text",
    "foreword.text.frame", "foreword.text.redact",
}  # fmt: skip
GRAPH_AT_THE_START = EITHER_AT_THE_START | {
    "foreword.server.graph", "foreword.server.resources", "foreword.graph", "foreword.graph.reference",
    "foreword.graph.lines",
}  # fmt: skip
GRAPH = ("--tools", "graph")


def loaded(serve, folder, calls, *arguments):
    """Names of the modules that a server loads until it has answered the handshake and `calls`."""
    command = [sys.executable, "-I", "-X", "importtime", *COMMAND[2:]]
    server = serve(*arguments, command=command, cwd=folder)
    server.start()
    calls(server)
    code, _, err = server.end()
    assert code == 0
    return set(LOADED.findall(err.decode()))


def use_every_tool(server):
    memory_id = server.save("Title", body="Body of `src/app.py`.")
    server.told("memory_search", query="body")
    server.told("memory_read", id=memory_id)
    server.told("memory_list")
    server.told("memory_mark", id=memory_id, offer="never")
    server.told("memory_forget", id=memory_id, archive=True)
    server.told("memory_forget", id=memory_id)
    old = server.save("Port", body="5432")
    server.save("Port", body="5433")
    run = re.search(r"Run (\S+):", server.told("memory_dream"))[1]
    server.told("memory_dream", run=run, actions=[{"do": "archive", "ids": [old]}])


def use_every_tool_of_the_graph(server):
    relation = {"from": "shop", "to": "till", "relationType": "uses"}
    entities = [{"name": name, "entityType": "t", "observations": ["deployed"]} for name in ("shop", "till")]
    server.told("create_entities", entities=entities)
    server.told("create_relations", relations=[relation])
    days = [f"2026-01-{day:02}: day {day}" for day in range(1, 21)]
    server.told("add_observations", observations=[{"entityName": "shop", "contents": days}])
    server.told("read_graph")
    server.told("search_nodes", query="deployed day")
    server.told("open_nodes", names=["shop", "tilt"])
    server.told("archived_observations", entityName="shop", restore=[days[0]])
    server.told("delete_observations", deletions=[{"entityName": "shop", "observations": days[:3]}])
    server.told("delete_relations", relations=[relation])
    server.told("rename_entity", entityName="till", newName="register")
    server.told("delete_entities", entityNames=["register"])
    server.ask("resources/subscribe", {"uri": "memory://knowledge-graph"})
    server.ask("resources/read", {"uri": "memory://knowledge-graph"})


BOTH = [((), use_every_tool), (GRAPH, use_every_tool_of_the_graph)]


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ((), NOTES_AT_THE_START),
        (GRAPH, GRAPH_AT_THE_START),
        ((*GRAPH, "--reference-output"), GRAPH_AT_THE_START),
        (("--tools", "notes,graph"), NOTES_AT_THE_START | GRAPH_AT_THE_START),
    ],
)
def test_the_start_loads_little(serve, repository, arguments, expected):
    names = loaded(serve, repository, lambda server: server.ask("tools/list"), *arguments)
    assert names & NOT_AT_THE_START == set()
    assert {name for name in names if name.startswith("foreword")} <= expected
    assert "json" in names  # the list is not empty for another reason


@pytest.mark.parametrize(("arguments", "use"), BOTH)
def test_no_tool_loads_an_sdk_an_event_loop_or_sockets(serve, repository, arguments, use):
    names = loaded(serve, repository, use, *arguments)
    assert names & NEVER == set()
    assert ("foreword.memory" in names) != ("foreword.graph.change" in names)


@pytest.mark.parametrize(("arguments", "use"), BOTH)
def test_no_socket_is_opened(serve, repository, arguments, use):
    code = (
        "import os, sys\n"
        "def forbid(event, arguments):\n"
        "    if event.startswith('socket.'): os.write(2, event.encode()); os._exit(9)\n"
        "sys.addaudithook(forbid)\n"
        "from foreword.cli import main; main(['serve', *sys.argv[1:]])"
    )
    server = serve(*arguments, command=[sys.executable, "-I", "-c", code], cwd=repository)
    server.start()
    use(server)
    assert server.end() == (0, b"", b"")


@pytest.mark.skipif(not shutil.which("strace"), reason="strace is not installed")
def test_no_socket_is_opened_by_the_process_or_its_children(repository, tmp_path):
    trace = tmp_path / "trace"
    call = {"name": "memory_save", "arguments": {"title": "t", "body": "b"}}
    lines = [
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {}},
        {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": call},
    ]
    done = subprocess.run(
        ["strace", "-f", "-o", str(trace), "-e", "trace=socket,connect,bind", *COMMAND],
        input="".join(json.dumps(line) + "\n" for line in lines).encode(),
        capture_output=True,
        cwd=repository,
    )
    assert b"Saved" in done.stdout
    assert "socket(" not in trace.read_text(encoding="utf-8")


def test_a_module_of_the_users_repository_is_not_run(serve, repository):
    for name in ("json.py", "sqlite3.py", "yaml.py"):
        with open(os.path.join(repository, name), "w", encoding="utf-8") as f:
            f.write("raise SystemExit('ran')")
    server = serve(cwd=repository)
    server.start()
    server.save("Fine")


def test_the_tools_take_at_most_four_kilobytes_as_sent(server):
    server.request("tools/list")
    line = server.process.stdout.readline()
    assert len(line) <= 4096
    for tool in json.loads(line)["result"]["tools"]:
        assert len(tool["description"]) <= 500  # Claude Code 2.1.197 cuts at 2,048


def resident(pid, field):
    with open(f"/proc/{pid}/status", encoding="ascii") as f:
        return int(re.search(rf"^{field}:\s+(\d+) kB", f.read(), re.MULTILINE)[1]) / 1024


@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
@pytest.mark.timeout(400)
def test_memory_stays_small_from_the_start_through_ten_thousand_calls(server):
    server.ask("tools/list")
    assert resident(server.process.pid, "VmRSS") <= 25  # MiB; the budget

    ids = [server.save(f"Title {n}", body=f"Body {n} of the importer. " * 40) for n in range(10)]
    for n in range(1_000):
        numbers = [
            server.request("tools/call", {"name": name, "arguments": arguments})
            for name, arguments in (
                ("memory_search", {"query": f"importer body {n % 10}", "limit": 3})
                if n % 2
                else ("memory_list", {}),
                ("memory_read", {"id": f"{n}"}),
                *[("memory_read", {"id": memory_id}) for memory_id in ids[:8]],
            )
        ]
        assert [server.get()["id"] for _ in numbers] == numbers
    assert resident(server.process.pid, "VmHWM") <= 40


@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
@pytest.mark.parametrize("arguments", [GRAPH, (*GRAPH, "--reference-output")])
@pytest.mark.timeout(400)
def test_a_graphs_memory_stays_small_from_the_start_through_ten_thousand_calls(serve, tmp_path, arguments):
    path = tmp_path / "memory.jsonl"
    path.write_text("\n".join(records(237)), encoding="utf-8")
    server = serve(*arguments, MEMORY_FILE_PATH=str(path))
    server.start()
    server.ask("tools/list")
    assert resident(server.process.pid, "VmRSS") <= 25  # MiB; the budget

    for n in range(1_000):
        entity = {"name": f"new {n % 20}", "entityType": "t", "observations": [f"made {n}"]}
        calls = [
            ("read_graph", {}),
            *[("search_nodes", {"query": f"word{n % 40} fact {m}"}) for m in range(5)],
            *[("open_nodes", {"names": [f"node {(n + m) % 237}", "nobody"]}) for m in range(3)],
            ("create_entities", {"entities": [entity]}) if n % 5 == 0 else ("archived_observations", {}),
        ]
        numbers = [server.request("tools/call", {"name": t, "arguments": a}) for t, a in calls]
        answers = [server.get() for _ in numbers]
        assert [answer["id"] for answer in answers] == numbers
        assert not any(answer["result"].get("isError") for answer in answers)
    assert resident(server.process.pid, "VmHWM") <= 40


def records(number):
    """Lines of a graph of `number` entities, with 5 observations and 1.5 relations each."""
    for n in range(number):
        facts = [f"fact {m} of node {n}: it holds word{(n * 7 + m) % 40} since 2026" for m in range(5)]
        yield json.dumps({"type": "entity", "name": f"node {n}", "entityType": "t", "observations": facts})
    for n in range(number * 3 // 2):
        ends = {"from": f"node {n % number}", "to": f"node {(n * 5 + 1) % number}"}
        yield json.dumps({"type": "relation", **ends, "relationType": f"verb {n}"})

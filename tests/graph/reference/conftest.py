"""Both memory servers on one graph file of the test: ours and the real reference server.

Where the reference server is missing its tests are skipped and say how to get it; with
FOREWORD_REQUIRE_CLIENTS=1 they fail instead, so that nobody takes skipped for passed.
"""

import json
import os

import pytest

from e2e import rpc

SERVERS = {"reference": rpc.reference, "foreword": rpc.foreword_like_the_reference}


@pytest.fixture
def reference_server():
    """Needed by each test that starts the reference server itself."""
    if rpc.has_reference():
        return
    what = "the reference memory server is not installed: make clients"
    if os.environ.get("FOREWORD_REQUIRE_CLIENTS") == "1":
        pytest.fail(what, pytrace=False)
    pytest.skip(what)


@pytest.fixture
def path(tmp_path):
    """Where the graph file of the test is to be; its folder exists."""
    folder = tmp_path / "graph"
    folder.mkdir()
    return folder / "memory.jsonl"


@pytest.fixture
def start(path):
    """A function(how, *arguments, **environment) that starts a server on `path` and shakes hands."""
    started = []

    def start(how, *arguments, **environment):
        started.append(how(path, *arguments, **environment))
        started[-1].start()
        return started[-1]

    yield start
    for server in started:
        server.close()


@pytest.fixture(params=list(SERVERS))
def either(request, start):
    """Either server, after the handshake: what holds for it holds for a drop-in."""
    if request.param == "reference":
        request.getfixturevalue("reference_server")
    return start(SERVERS[request.param])


@pytest.fixture
def ours(start):
    """Our server in the reference's shapes, after the handshake: where we differ on purpose."""
    return start(rpc.foreword_like_the_reference)


@pytest.fixture
def write(path):
    """A function(*records) that writes the graph file: dicts as JSON, strings as they are."""

    def write(*records, end="\n"):
        lines = [one if isinstance(one, str) else json.dumps(one, ensure_ascii=False) for one in records]
        path.write_bytes(("\n".join(lines) + end).encode())

    return write

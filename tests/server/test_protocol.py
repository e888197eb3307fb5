"""The wire, byte for byte, against the real process."""

import json
import os
import signal
import sys

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from foreword import __version__, files
from foreword.server import lines
from foreword.server.notes import TOOLS

PING = {"jsonrpc": "2.0", "id": "p", "method": "ping"}
PONG = {"jsonrpc": "2.0", "id": "p", "result": {}}


def error(number, code):
    """A function that tells an error answer; its message is for people and may change."""
    return lambda answer: (
        answer["jsonrpc"] == "2.0" and answer["id"] == number and answer["error"]["code"] == code
        and isinstance(answer["error"]["message"], str)
    )  # fmt: skip


# -- the handshake -----------------------------------------------------------------------------


@pytest.mark.parametrize("version", ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"])
def test_a_known_revision_is_answered_with_itself(serve, version):
    result = serve().start(version)

    assert result["protocolVersion"] == version
    assert result["serverInfo"] == {"name": "foreword", "version": __version__}
    assert result["capabilities"] == {"tools": {}}
    assert "memory_search" in result["instructions"]


@pytest.mark.parametrize("version", ["2099-01-01", "2026-07-28", "", None, 7, ["2025-06-18"]])
def test_any_other_revision_is_answered_with_the_newest_that_has_a_handshake(serve, version):
    assert serve().start(version)["protocolVersion"] == "2025-11-25"


@pytest.mark.parametrize(
    "params", [{}, {"capabilities": 3, "clientInfo": ["x"]}, {"clientInfo": {"name": 5}}]
)
def test_a_handshake_with_nothing_in_it_is_answered(serve, params):
    assert serve().ask("initialize", params)["result"]["protocolVersion"] == "2025-11-25"


def test_requests_before_the_handshake_are_answered(serve):
    server = serve()
    assert len(server.ask("tools/list")["result"]["tools"]) == len(TOOLS)
    server.start()


# -- messages ----------------------------------------------------------------------------------


def test_a_ping_is_answered_with_nothing(server):
    server.put(PING)
    assert server.get() == PONG


def test_a_method_that_is_unknown_says_so(server):
    assert error(2, -32601)(server.ask("resources/list"))


def test_a_tool_that_is_unknown_names_those_there_are(server):
    answer = server.ask("tools/call", {"name": "memory_remember", "arguments": {}})
    assert error(2, -32602)(answer)
    assert "memory_save" in answer["error"]["message"]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (b"garbage", error(None, -32700)),
        (b'{"jsonrpc": "2.0", "id": 1, "meth', error(None, -32700)),
        (b"\xff\xfe\x00", error(None, -32700)),
        (b"\x00", error(None, -32700)),
        (b'{"jsonrpc": "2.0", "id": NaN, "method": "ping"}', error(None, -32700)),
        (b"[" * 100_000, error(None, -32700)),
        (b'{"a":' * 50_000, error(None, -32700)),
        (b"1" * 10_000, error(None, -32700)),
        (b"3", error(None, -32600)),
        (b"null", error(None, -32600)),
        (b'"ping"', error(None, -32600)),
        (b"{}", error(None, -32600)),
        (b'{"jsonrpc": "1.0", "id": 4, "method": "ping"}', error(4, -32600)),
        (b'{"id": 4, "method": "ping"}', error(4, -32600)),
        (b'{"jsonrpc": "2.0", "id": 4, "method": 5}', error(4, -32600)),
        (b'{"jsonrpc": "2.0", "id": 4}', error(4, -32600)),
        (b'{"jsonrpc": "2.0", "id": null, "method": "ping"}', error(None, -32600)),
        (b'{"jsonrpc": "2.0", "id": true, "method": "ping"}', error(None, -32600)),
        (b'{"jsonrpc": "2.0", "id": 1.5, "method": "ping"}', error(None, -32600)),
        (b'{"jsonrpc": "2.0", "id": [1], "method": "ping"}', error(None, -32600)),
        (b'{"jsonrpc": "2.0", "id": 4, "method": "ping", "params": [1]}', error(4, -32602)),
        (b'{"jsonrpc": "2.0", "id": 4, "method": "tools/call"}', error(4, -32602)),
        (b'{"jsonrpc": "2.0", "id": 4, "method": "tools/call", "params": {"name": {}}}', error(4, -32602)),
        (b"[]", error(None, -32600)),
        (b'{"jsonrpc": "2.0", "id": 4, "method": "\\ud800"}', error(4, -32601)),
        (b'{"jsonrpc": "2.0", "id": 4, "method": "' + b"x" * 1_000_000 + b'"}', error(4, -32601)),
    ],
    ids=lambda value: value[:40].decode("latin-1") if isinstance(value, bytes) else "",
)  # fmt: skip
def test_a_bad_line_is_answered_and_the_next_one_read(server, line, expected):
    server.put(line, PING)

    answer = server.get()
    assert expected(answer), answer
    assert len(json.dumps(answer)) < 400
    assert server.get() == PONG


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"   \t \r",
        b'{"jsonrpc": "2.0", "method": "notifications/initialized"}',
        b'{"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}}',
        b'{"jsonrpc": "2.0", "method": "notifications/cancelled", "params": 3}',
        b'{"jsonrpc": "2.0", "method": "ping"}',
        b'{"jsonrpc": "2.0", "method": "no/such/notification"}',
        b'{"jsonrpc": "2.0", "id": 99, "result": {}}',
        b'{"jsonrpc": "2.0", "id": null, "error": {"code": -32600, "message": "no"}}',
        b'{"error": 3}',
        b'{"result": 3, "id": {"a": 1}}',
    ],
)
def test_what_needs_no_answer_gets_none(server, line):
    server.put(line, PING)
    assert server.get() == PONG


def test_a_byte_order_mark_and_windows_line_ends_are_no_matter(serve):
    server = serve()
    server.put(b"\xef\xbb\xbf" + json.dumps(PING).encode() + b"\r")
    assert server.get() == PONG


def test_a_line_over_the_limit_is_refused_and_the_next_one_read(server):
    server.put(b"x" * (lines.LARGEST + 1), PING)
    assert error(None, -32600)(server.get())
    assert server.get() == PONG


def test_a_last_line_without_its_end_is_answered(server):
    server.process.stdin.write(json.dumps(PING).encode())
    code, out, err = server.end()
    assert (code, json.loads(out), err) == (0, PONG, b"")


def test_answers_are_utf8_and_one_line_each(server):
    title = "数据\u2028 – naïve 🦤"
    server.save(title, body="a\nb\r\nc\u0085d")
    server.request("tools/call", {"name": "memory_list"})
    raw = server.process.stdout.readline()

    assert raw.count(b"\n") == 1
    assert "数据 – naïve 🦤".encode() in raw


def test_lone_surrogates_and_nul_in_arguments_do_no_harm(server):
    line = (
        b'{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "memory_save", "arguments":'
        b' {"title": "odd \\ud800 \\u0000 title", "body": "\\udfff \\u0000 body"}}}'
    )
    server.put(line)
    assert "isError" not in server.get()["result"]
    assert "odd" in server.told("memory_list")


# -- batches -----------------------------------------------------------------------------------


@pytest.mark.parametrize("version", ["2024-11-05", "2025-03-26"])
def test_a_batch_is_answered_with_a_batch(serve, version):
    server = serve()
    server.start(version)
    server.put(
        [PING, {"jsonrpc": "2.0", "method": "notifications/initialized"}, 3, [PING], {**PING, "id": 8}]
    )

    first, *wrong, last = server.get()
    assert first == PONG
    assert [bool(error(None, -32600)(answer)) for answer in wrong] == [True, True]
    assert last == {**PONG, "id": 8}


def test_a_batch_of_notifications_is_not_answered(serve):
    server = serve()
    server.start("2025-03-26")
    server.put([{"jsonrpc": "2.0", "method": "notifications/initialized"}], PING)
    assert server.get() == PONG


@pytest.mark.parametrize("version", ["2025-06-18", "2025-11-25"])
def test_a_revision_without_batches_refuses_them(serve, version):
    server = serve()
    server.start(version)
    server.put([PING], PING)
    assert error(None, -32600)(server.get())
    assert server.get() == PONG


# -- requests that carry their revision ---------------------------------------------------------

META = "io.modelcontextprotocol/"
ENVELOPE = {
    META + "protocolVersion": "2026-07-28",
    META + "clientCapabilities": {},
    META + "clientInfo": {"name": "x", "version": "1"},
}


def test_a_request_may_carry_its_revision(serve):
    server = serve()
    found = server.ask("server/discover", {"_meta": ENVELOPE})["result"]
    assert "2026-07-28" in found["supportedVersions"]
    assert found["resultType"] == "complete"
    assert found["_meta"][META + "serverInfo"]["name"] == "foreword"
    assert found["cacheScope"] == "private"

    listed = server.ask("tools/list", {"_meta": ENVELOPE})["result"]
    assert listed["resultType"] == "complete"
    assert listed["ttlMs"] > 0
    assert server.ask("tools/list")["result"].keys() == {"tools"}


def test_an_unknown_revision_in_a_request_names_the_known_ones(serve):
    answer = serve().ask("tools/list", {"_meta": {**ENVELOPE, META + "protocolVersion": "2031-01-01"}})
    assert error(1, -32022)(answer)
    assert answer["error"]["data"]["requested"] == "2031-01-01"
    assert {"2025-11-25", "2026-07-28"} <= set(answer["error"]["data"]["supported"])


@pytest.mark.parametrize(
    "wrong",
    [{META + "protocolVersion": 5}, {META + "clientCapabilities": None}, {META + "clientCapabilities": 3}],
)
def test_half_an_envelope_is_refused(serve, wrong):
    assert error(1, -32602)(serve().ask("tools/list", {"_meta": {**ENVELOPE, **wrong}}))


# -- any bytes ---------------------------------------------------------------------------------

_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters(codec=None), max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=8,
)  # fmt: skip
_METHODS = st.sampled_from(
    ["initialize", "server/discover", "ping", "tools/list", "tools/call", "notifications/roots/list_changed"]
)
_MESSAGES = st.fixed_dictionaries(
    {},
    optional={
        "jsonrpc": st.just("2.0") | _VALUES,
        "id": st.integers() | st.text(max_size=9) | _VALUES,
        "method": _METHODS | _VALUES,
        "params": _VALUES
        | st.fixed_dictionaries(
            {},
            optional={
                "name": st.sampled_from(["memory_search", "memory_read", "memory_list"]) | _VALUES,
                "arguments": st.dictionaries(st.sampled_from(["id", "query", "limit", "type"]), _VALUES)
                | _VALUES,
                "protocolVersion": st.sampled_from(["2025-03-26", "2025-11-25"]) | _VALUES,
                "_meta": st.dictionaries(st.sampled_from(sorted(ENVELOPE)), _VALUES) | _VALUES,
            },
        ),
        "result": _VALUES,
        "error": _VALUES,
    },
)
_LINES = st.binary(max_size=200) | (_MESSAGES | st.lists(_MESSAGES, max_size=3) | _VALUES).map(
    lambda value: json.dumps(value).encode()
)


@settings(deadline=None, max_examples=300, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.lists(_LINES, max_size=4), number=st.integers())
def test_whatever_bytes_come_in_the_next_ping_is_answered(server, data, number):
    end = {"jsonrpc": "2.0", "id": f"end-{number}", "method": "ping"}
    server.put(*data, end)
    while (answer := server.get()) != {**PONG, "id": end["id"]}:
        for one in answer if isinstance(answer, list) else [answer]:
            assert one["jsonrpc"] == "2.0"
            assert ("result" in one) != ("error" in one)
    assert server.process.poll() is None


# -- the end -----------------------------------------------------------------------------------


def test_the_end_of_input_ends_it_quietly(server):
    assert server.end() == (0, b"", b"")


@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_it_quietly(server, number):
    server.process.send_signal(number)
    assert server.end() == (0, b"", b"")


@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
def test_a_call_in_hand_is_finished_and_answered_before_a_signal_ends_it(server):
    memory_id = server.save("To go")
    state = os.path.join(os.environ["FOREWORD_HOME"], "state")
    with files.Lock(state):
        server.request("tools/call", {"name": "memory_forget", "arguments": {"id": memory_id}})
        descriptors = f"/proc/{server.process.pid}/fd"
        while not any(_target(descriptors, name).endswith("state/.lock") for name in os.listdir(descriptors)):
            os.sched_yield()
        server.process.send_signal(signal.SIGINT)
    answer = server.get()

    assert memory_id in answer["result"]["content"][0]["text"]
    assert server.end() == (0, b"", b"")


def _target(folder, name):
    try:
        return os.readlink(os.path.join(folder, name))
    except OSError:
        return ""  # closed since it was listed


def test_a_client_that_stopped_listening_ends_it_quietly(server):
    server.process.stdout.close()
    server.put(PING, PING)
    server.process.stdin.close()

    assert server.process.wait() == 0
    assert server.process.stderr.read() == b""


def test_the_log_stays_empty_through_all_bad_input(server):
    server.put(b"garbage", b"[]", b"{}", {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {}})
    assert all("error" in server.get() for _ in range(4))
    server.refused("memory_search")
    server.end()
    assert not os.path.exists(os.path.join(os.environ["FOREWORD_HOME"], "log", "hook.log"))

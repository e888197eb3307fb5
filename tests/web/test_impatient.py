"""Connections that never say what they want: they are cut off, so that they cannot keep others out."""

import asyncio
import contextlib
import socket
import threading

import pytest
import uvicorn

from foreword.web import impatient

PATIENCE_S = 60
GET = b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"
POST = b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n\r\n"


async def _echo(scope, receive, send):
    """Answers with the body that was sent, a moment after it is whole."""
    body, more = b"", True
    while more:
        message = await receive()
        body, more = body + message.get("body", b""), message.get("more_body", False)
    late = asyncio.Event()  # later than the times below: it is no request that is awaited
    asyncio.get_running_loop().call_later(0.2, late.set)
    await late.wait()
    headers = [(b"content-length", b"%d" % len(body))]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": body})


@pytest.fixture
def port(monkeypatch):
    """The port of a server that waits for a twentieth of a second."""
    monkeypatch.setattr(impatient, "HEAD_S", 0.05)
    monkeypatch.setattr(impatient, "BODY_S", 0.05)
    config = uvicorn.Config(_echo, http=impatient.Impatient, ws="none", lifespan="off", log_config=None)
    server = uvicorn.Server(config)
    with socket.create_server(("127.0.0.1", 0)) as listening:
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
        thread.start()
        yield listening.getsockname()[1]
        server.should_exit = True
        thread.join(PATIENCE_S)


@contextlib.contextmanager
def connected(port):
    with socket.create_connection(("127.0.0.1", port), PATIENCE_S) as connection:
        yield connection


def until_closed(connection):
    """All that comes until the server closes."""
    data = b""
    with contextlib.suppress(ConnectionResetError):
        while piece := connection.recv(65_536):
            data += piece
    return data


@pytest.mark.parametrize("sent", [b"", b"GET / HT", b"GET / HTTP/1.1\r\nHost: x\r\n", POST, POST + b"abc"])
def test_who_sends_no_whole_request_is_cut_off(port, sent):
    with connected(port) as connection:
        connection.sendall(sent)
        assert b" 200 " not in until_closed(connection)


@pytest.mark.parametrize(("sent", "body"), [(GET, b""), (POST + b"abcd", b"abcd")])
def test_a_whole_request_is_answered_however_long_that_takes(port, sent, body):
    with connected(port) as connection:
        for _ in range(3):  # on a connection that is kept, too
            connection.sendall(sent)
            answer = b""
            while not answer.endswith(b"\r\n\r\n" + body) or not answer:
                piece = connection.recv(65_536)
                assert piece
                answer += piece
            assert b" 200 " in answer


def test_the_second_request_of_a_connection_is_not_awaited_longer(port):
    with connected(port) as connection:
        connection.sendall(GET)
        assert b" 200 " in connection.recv(65_536)
        connection.sendall(b"GET / HT")
        assert b" 200 " not in until_closed(connection)

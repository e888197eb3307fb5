"""A small MCP client over stdio, and how both memory servers are started: ours and the real reference.

For tests and benches that must see what a server really sends: messages are plain dicts, requests may be
in flight together, answers that arrive for others are kept. It checks nothing and knows no tools.
"""

import json
import os
import select
import shutil
import subprocess
import sys
import tempfile

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
REFERENCE = os.path.join(
    TOP, ".clients", "node_modules", "@modelcontextprotocol", "server-memory", "dist", "index.js"
)
REVISION = "2025-06-18"
PATIENCE_S = 60  # for one answer; a call takes some milliseconds
_PIECE = 1 << 18


def has_reference():
    """Whether the reference server and what runs it are installed (`make clients`)."""
    return os.path.exists(REFERENCE) and shutil.which("node") is not None


def reference(path, **environment):
    """The reference server on the graph file `path`, started; without the handshake."""
    return Server([shutil.which("node"), REFERENCE], path, environment)


def foreword(path, *arguments, **environment):
    """Our server with the graph's tools alone on the graph file `path`, started; without the handshake."""
    command = [sys.executable, "-I", "-m", "foreword.cli", "serve", "--tools", "graph", *arguments]
    return Server(command, path, environment)


def foreword_like_the_reference(path, **environment):
    """Our server answering in the reference's shapes."""
    return foreword(path, "--reference-output", **environment)


class GoneError(Exception):
    """The server ended or fell silent; says what it wrote to stderr."""


class Server:
    """One server process. A context manager: the process is gone afterwards.

    `path`: its graph file. `process`: the Popen. `heard`: notifications in the order they came.
    """

    def __init__(self, command, path, environment=()):
        self.path = str(path)
        self.heard, self._answers, self._number, self._left = [], {}, 0, b""
        self._stderr = tempfile.TemporaryFile()
        usual = {name: value for name, value in os.environ.items() if not name.startswith("MEMORY_")}
        self.process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._stderr,
            bufsize=0,
            env={**usual, "MEMORY_FILE_PATH": self.path, **dict(environment)},
        )

    # -- messages ------------------------------------------------------------------------------

    def put(self, message):
        """Send one message, a dict."""
        view = memoryview(json.dumps(message).encode() + b"\n")
        while view:
            view = view[self.process.stdin.write(view) :]

    def line(self, patience=PATIENCE_S):
        """The next line of its output as bytes; None at the end, b"" when nothing whole came in time."""
        pieces = [self._left]
        while b"\n" not in pieces[-1]:
            if not select.select([self.process.stdout], [], [], patience)[0]:
                self._left = b"".join(pieces)
                return b""
            piece = os.read(self.process.stdout.fileno(), _PIECE)
            if not piece:
                self._left = b"".join(pieces)
                return None
            pieces.append(piece)
        line, _, self._left = b"".join(pieces).partition(b"\n")
        return line + b"\n"

    def next(self):
        """The next message."""
        line = self.line()
        if not line:
            how = "fell silent" if line == b"" else "ended"
            raise GoneError("the server %s: %s" % (how, self.stderr()[-2_000:]))
        return json.loads(line)

    def send(self, method, params=None):
        """Send a request without waiting; its id."""
        self._number += 1
        self.put({"jsonrpc": "2.0", "id": self._number, "method": method, "params": params or {}})
        return self._number

    def answer(self, number):
        """The whole answer to a request that was sent."""
        while number not in self._answers:
            message = self.next()
            if "id" in message:
                self._answers[message["id"]] = message
            else:
                self.heard.append(message)
        return self._answers.pop(number)

    def ask(self, method, params=None):
        """A request and its whole answer."""
        return self.answer(self.send(method, params))

    # -- what clients do -----------------------------------------------------------------------

    def start(self):
        """The handshake; the server's result."""
        client = {"name": "test", "version": "1"}
        params = {"protocolVersion": REVISION, "capabilities": {}, "clientInfo": client}
        result = self.ask("initialize", params)["result"]
        self.put({"jsonrpc": "2.0", "method": "notifications/initialized"})
        return result

    def call(self, tool, **arguments):
        """The result of a tool call: a dict with `content` and perhaps `structuredContent`, `isError`."""
        return self.ask("tools/call", {"name": tool, "arguments": arguments})["result"]

    def at_once(self, calls):
        """The results of [(tool, arguments)], all of them in flight before the first answer is read."""
        numbers = [self.send("tools/call", {"name": tool, "arguments": args}) for tool, args in calls]
        return [self.answer(number)["result"] for number in numbers]

    def told(self, tool, **arguments):
        """The structured content of a call that must not fail."""
        result = self.call(tool, **arguments)
        assert not result.get("isError"), result
        return result["structuredContent"]

    def text(self, tool, **arguments):
        """The text of a call that must not fail."""
        result = self.call(tool, **arguments)
        assert not result.get("isError"), result
        return text_of(result)

    def refused(self, tool, **arguments):
        """The text of a call that must fail, as a result and not as an error of the protocol."""
        result = self.call(tool, **arguments)
        assert result.get("isError"), result
        return text_of(result)

    # -- the process ---------------------------------------------------------------------------

    def stderr(self):
        """What it wrote to stderr so far."""
        self._stderr.seek(0)
        return self._stderr.read().decode("utf-8", "replace")

    def memory_kib(self):
        """Its peak memory so far (VmHWM) in KiB; None where /proc does not tell."""
        try:
            with open("/proc/%d/status" % self.process.pid, encoding="ascii", errors="replace") as f:
                [peak] = [line.split()[1] for line in f if line.startswith("VmHWM:")]
        except (OSError, ValueError):
            return None
        return int(peak)

    def kill(self):
        """End it at once, as the system would; what it had sent before can still be read."""
        self.process.kill()
        self.process.wait()

    def close(self):
        """End it and give everything back."""
        if self.process.poll() is None:
            self.kill()
        for pipe in (self.process.stdin, self.process.stdout, self._stderr):
            pipe.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


def text_of(result):
    """The text of a result, which is its only content."""
    [content] = result["content"]
    assert content["type"] == "text"
    return content["text"]

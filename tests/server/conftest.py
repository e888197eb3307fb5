"""The real server process, spoken to over its pipes."""

import json
import os
import subprocess
import sys

import pytest

COMMAND = [sys.executable, "-I", "-m", "foreword.cli", "serve"]


class Server:
    """`foreword serve` as a client starts it: lines in, lines out, nothing in between."""

    def __init__(self, *arguments, command=None, cwd=None, **environment):
        self.process = subprocess.Popen(
            [*(command or COMMAND), *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=cwd,
            env={**os.environ, **environment},
        )
        self.number = 0

    def put(self, *lines):
        """Write lines: bytes as they are, anything else as JSON."""
        for line in lines:
            data = line if isinstance(line, bytes) else json.dumps(line).encode()
            self.process.stdin.write(data + b"\n")
        self.process.stdin.flush()

    def get(self):
        """The next message of the server; None at the end of its output."""
        line = self.process.stdout.readline()
        return json.loads(line) if line else None

    def request(self, method, params=None):
        """Send a request without waiting; its id."""
        self.number += 1
        self.put({"jsonrpc": "2.0", "id": self.number, "method": method, "params": params or {}})
        return self.number

    def ask(self, method, params=None):
        """A request and its answer, whole."""
        number = self.request(method, params)
        answer = self.get()
        assert answer["id"] == number, answer
        return answer

    def start(self, version="2025-11-25", capabilities=None, name="claude-code"):
        """The handshake; the server's result."""
        params = {
            "protocolVersion": version,
            "capabilities": capabilities or {},
            "clientInfo": {"name": name, "version": "1"},
        }
        result = self.ask("initialize", params)["result"]
        self.put({"jsonrpc": "2.0", "method": "notifications/initialized"})
        return result

    def call(self, tool, **arguments):
        """(text, whether it is an error) of a tool call."""
        result = self.ask("tools/call", {"name": tool, "arguments": arguments})["result"]
        [content] = result["content"]
        assert content["type"] == "text"
        return content["text"], result.get("isError", False)

    def told(self, tool, **arguments):
        """The text of a call that must not fail."""
        text, failed = self.call(tool, **arguments)
        assert not failed, text
        return text

    def refused(self, tool, **arguments):
        """The text of a call that must fail."""
        text, failed = self.call(tool, **arguments)
        assert failed, text
        return text

    def save(self, title, body="Some body.", **arguments):
        """Save a memory; its id."""
        return self.told("memory_save", title=title, body=body, **arguments).split()[1]

    def end(self):
        """Close its stdin; (exit code, what is left of stdout, stderr)."""
        out, err = self.process.communicate()
        return self.process.returncode, out, err

    def close(self):
        if self.process.poll() is None:
            self.process.kill()
        for pipe in (self.process.stdin, self.process.stdout, self.process.stderr):
            try:
                pipe.close()
            except OSError:
                pass  # what was still to be written has nowhere to go
        self.process.wait()


@pytest.fixture
def serve():
    """A function that starts a Server; all of them are gone afterwards."""
    started = []

    def start(*arguments, **choices):
        started.append(Server(*arguments, **choices))
        return started[-1]

    yield start
    for server in started:
        server.close()


@pytest.fixture
def repository(tmp_path):
    """A folder with one commit, as its path."""
    path = tmp_path / "ledger"
    (path / "src").mkdir(parents=True)
    (path / "src" / "app.py").write_text("RETRIES = 3\n", encoding="utf-8")
    for command in (
        ["init", "--quiet", "--initial-branch=main"],
        ["add", "--all"],
        ["-c", "user.name=Test", "-c", "user.email=test@example.invalid", "commit", "-qm", "one"],
    ):
        subprocess.run(["git", *command], cwd=path, check=True)
    return str(path)


@pytest.fixture
def server(serve, repository):
    """A server in a project, after the handshake."""
    server = serve(cwd=repository)
    server.start()
    return server

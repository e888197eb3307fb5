"""Programs that a client starts, started once as the client would: what they do, not what is written. Cold.

A hook's command gets one harmless payload, a server is asked what it offers. Both run with a throw-away
home that is gone afterwards, in a process group that is ended with it, and never longer than they may.
Nothing of the user's is written, and nothing here raises: what is wrong comes back as a sentence.
"""

import json
import os
import queue
import shutil
import signal
import subprocess
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

START_S = 5.0  # for a server's first answers; 0.1 s here, and Codex leaves out one that needs over 1 s
FAREWELL_S = 1.0  # for a program to end when its input does
LONGEST_LINE = 4_000_000  # bytes of one answer
SHOWN = 200  # characters of what a program said
# Nobody's project: no store is made for it, and no worker starts.
NOWHERE = os.path.abspath(os.sep)
# What a prompt and an answer say; long enough to count as one.
PROMPT = "foreword doctor: does this hook run?"
ANSWER = "This is what foreword doctor says to the hook, so that it has something to read. " * 4


class SilentError(Exception):
    """A program did not answer as it must; the message says how."""


# -- hooks -------------------------------------------------------------------------------------


def hooks(jobs):
    """What became of each of some hooks, run side by side: [(problem or "", seconds)].

    A job is (command, payload, timeout in seconds, trace): command is a list (no shell) or a line for
    the shell, payload a dict, trace the name that Foreword leaves in `state/fired/` when it ran.
    """
    if not jobs:
        return []
    with ThreadPoolExecutor(len(jobs)) as pool:
        return list(pool.map(lambda job: hook(*job), jobs))


def hook(command, payload, timeout_s, trace):
    """(what is wrong with a hook or "", seconds that it took). See `hooks`."""
    try:
        home = tempfile.mkdtemp(prefix="foreword-doctor-")
    except OSError as error:
        return f"it cannot be tried without a temporary folder: {error.strerror}", 0.0
    started = time.monotonic()
    try:
        store = os.path.join(home, "store")
        os.mkdir(store, 0o700)
        process = _start(command, environment(store), NOWHERE, subprocess.PIPE)
        try:
            out, err = process.communicate(json.dumps(payload).encode(), timeout=timeout_s)
        except subprocess.TimeoutExpired:
            return "it does not end within %g s" % timeout_s, timeout_s
        finally:
            _end(process)
        took_s = time.monotonic() - started
        return _problem(process.returncode, out, err, store, trace), took_s
    except (OSError, ValueError) as error:
        return f"it cannot be started: {getattr(error, 'strerror', '') or error}", 0.0
    finally:
        _remove(home)


def _problem(code, out, err, store, trace):
    if code:
        return f"it ends with exit code {code}" + _quoted(err)
    if err.strip():
        return "it writes to stderr" + _quoted(err)
    if out.strip():
        try:
            valid = isinstance(json.loads(out), dict)
        except (ValueError, RecursionError):
            valid = False
        if not valid:
            return "it prints what no client understands" + _quoted(out)
    # A hook of ours never fails in the client's eyes; what went wrong is in its log.
    log = _text(os.path.join(store, "log", "hook.log"))
    if log.strip():
        return "it logs" + _quoted(log.partition(" ")[2])
    if not os.path.exists(os.path.join(store, "state", "fired", trace)):
        return "it ends well, but what ran was not this version of Foreword"
    return ""


def _quoted(data):
    """`: LAST LINE` of what a program said, "" when it said nothing."""
    text = data.decode("utf-8", "replace") if isinstance(data, bytes) else data
    lines = [line for line in text.splitlines() if line.strip()]
    shown = "".join(letter if letter.isprintable() else " " for letter in lines[-1]) if lines else ""
    return ": " + shown.strip()[:SHOWN] if shown.strip() else ""


def _text(path):
    try:
        with open(path, encoding="utf-8", errors="replace") as f:
            return f.read(10_000)
    except OSError:
        return ""


# -- servers -----------------------------------------------------------------------------------


def server(command, env, version, tools, timeout_s=START_S):
    """(what is wrong with an MCP server or "", seconds until it had answered).

    `command` is a list, `env` its whole environment but for the home. It must answer `initialize` as
    `version` and offer the `tools`.
    """
    try:
        home = tempfile.mkdtemp(prefix="foreword-doctor-")
    except OSError as error:
        return f"it cannot be tried without a temporary folder: {error.strerror}", 0.0
    started = time.monotonic()
    try:
        with Talk(command, {**env, "FOREWORD_HOME": os.path.join(home, "store")}, timeout_s) as talk:
            told = talk.ask(
                "initialize",
                {
                    "protocolVersion": "2025-06-18",
                    "capabilities": {},
                    "clientInfo": {"name": "foreword-doctor", "version": version},
                },
            )
            talk.tell("notifications/initialized")
            offered = talk.ask("tools/list", {}).get("tools")
            took_s = time.monotonic() - started
        info = told.get("serverInfo")
        answered = info.get("version") if isinstance(info, dict) else None
        if answered != version:
            return f"it answers as version {answered}, this one is {version}", took_s
        names = {tool.get("name") for tool in offered or () if isinstance(tool, dict)}
        missing = [name for name in tools if name not in names]
        return f"it does not offer {', '.join(missing)}" if missing else "", took_s
    except SilentError as error:
        return str(error), time.monotonic() - started
    finally:
        _remove(home)


class Talk:
    """JSON-RPC with a program over its stdin and stdout, one message a line; a context manager that ends
    the program. Everything together takes at most `timeout_s`. Raises SilentError."""

    def __init__(self, command, env, timeout_s, cwd=NOWHERE):
        self.command, self.env, self.timeout_s, self.cwd = command, env, timeout_s, cwd
        self.until = time.monotonic() + timeout_s
        self.asked = 0
        self.lines = queue.Queue(maxsize=100)  # a program that talks without end waits, and eats no memory
        self.into: Any = None
        self.out: Any = None

    def __enter__(self):
        self.said = tempfile.TemporaryFile()  # stderr: a pipe that nobody reads would stop the program
        try:
            self.process = _start(self.command, self.env, self.cwd, self.said)
        except (OSError, ValueError) as error:
            self.said.close()
            raise SilentError(f"it cannot be started: {getattr(error, 'strerror', '') or error}") from error
        self.into, self.out = self.process.stdin, self.process.stdout
        threading.Thread(target=self._read, daemon=True).start()
        return self

    def __exit__(self, *exc):
        try:
            self.into.close()
        except OSError:
            pass  # it has ended already
        try:
            self.process.wait(0 if exc[0] else FAREWELL_S)
        except subprocess.TimeoutExpired:
            pass
        _end(self.process)
        self.said.close()

    def _read(self):
        """Put every line into the queue, None after the last: reading from a pipe takes no timeout."""
        try:
            while line := self.out.readline(LONGEST_LINE):
                self.lines.put(line)
        except (OSError, ValueError):
            pass  # closed at the end
        self.lines.put(None)

    def tell(self, method, params=None):
        """Send a message that has no answer."""
        self._send({"jsonrpc": "2.0", "method": method, **({"params": params} if params else {})})

    def ask(self, method, params):
        """The result of a call, a dict."""
        self.asked += 1
        self._send({"jsonrpc": "2.0", "id": self.asked, "method": method, "params": params})
        while True:
            left_s = self.until - time.monotonic()
            try:
                if left_s <= 0:  # also where one line follows another
                    raise queue.Empty
                line = self.lines.get(timeout=left_s)
            except queue.Empty:
                raise SilentError("it does not answer %s within %g s" % (method, self.timeout_s)) from None
            if line is None:
                raise SilentError("it ended before it answered " + method + self._stderr())
            try:
                message = json.loads(line)
            except (ValueError, RecursionError):
                raise SilentError("it prints what is no message" + _quoted(line)) from None
            if isinstance(message, dict) and message.get("id") == self.asked and "method" not in message:
                break
        result = message.get("result")
        if not isinstance(result, dict):
            error = message.get("error")
            told = error.get("message") if isinstance(error, dict) else ""
            raise SilentError(f"it refuses {method}" + _quoted(str(told or "")))
        return result

    def _send(self, message):
        try:
            self.into.write(json.dumps(message).encode() + b"\n")
            self.into.flush()
        except (OSError, ValueError):
            pass  # it has ended; the next answer that is missing says so

    def _stderr(self):
        self.process.poll()
        size = self.said.seek(0, os.SEEK_END)
        self.said.seek(max(0, size - 2_000))
        return _quoted(self.said.read())


def _remove(home):
    """Remove a throw-away home. Where even `/` is a repository a hook starts a worker that may still write
    into it; it gives up once its folder is gone."""
    for pause_s in (0, 0.05, 0.2, 0.5):
        time.sleep(pause_s)
        shutil.rmtree(home, ignore_errors=True)
        if not os.path.exists(home):
            return


# -- processes ---------------------------------------------------------------------------------


def environment(home, **more):
    """This process's environment for a program of ours that must use another home."""
    kept = {name: value for name, value in os.environ.items() if name not in _OURS}
    return {**kept, "FOREWORD_HOME": home, **more}


# What would change where or whether a hook works: the client's folder is read as an anchor.
_OURS = ("FOREWORD_HOME", "FOREWORD_DISABLE", "CLAUDE_PROJECT_DIR")


def _start(command, env, cwd, stderr):
    line = isinstance(command, str)
    return subprocess.Popen(
        command,
        shell=line,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=stderr,
        env=env,
        cwd=cwd,
        start_new_session=True,  # a group of its own, so that what it starts can be ended with it
    )


def _end(process):
    """End a program and what it started in its group, and close its pipes."""
    if os.name == "nt":
        process.kill()
    else:
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except (ProcessLookupError, PermissionError):
            pass  # it has ended
    try:
        process.wait(FAREWELL_S)
    except subprocess.TimeoutExpired:
        pass
    for pipe in (process.stdin, process.stdout, process.stderr):
        if pipe:
            try:
                pipe.close()
            except OSError:
                pass

"""The Model Context Protocol over stdin and stdout: JSON-RPC 2.0, one message a line, no threads.

`serve(tools, instructions)` runs until the input ends or a signal comes. It knows nothing of memory:
tools are handed in (`tools.Tool`), and `methods` adds whole methods (resources, say). Nothing a client
sends may end it: a bad line is answered with an error and the next one is read.

Two dialects, told apart request by request: revisions with a handshake (`initialize`), and those
where each request carries its revision and the client's capabilities in `_meta`.
"""

import json
import os
import time
from collections import deque

from foreword import __version__
from foreword.errors import ForewordError
from foreword.server.lines import LARGEST, Ending, Lines
from foreword.server.log import report
from foreword.server.tools import answered, failed, listed

HANDSHAKE = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
BATCHES = ("", *HANDSHAKE[:2])  # a line may hold an array of messages; "" is before the handshake
ENVELOPE = ("2026-07-28",)
_META = "io.modelcontextprotocol/"

PARSE_ERROR, INVALID_REQUEST, METHOD_NOT_FOUND = -32700, -32600, -32601
INVALID_PARAMS, INTERNAL_ERROR, UNSUPPORTED_REVISION = -32602, -32603, -32022

ROOTS_WAIT_S = 3.0  # how long one tool call waits for the client to name its roots
CACHED = {"ttlMs": 3_600_000, "cacheScope": "private"}  # a process offers the same tools all its life


class ProtocolError(Exception):
    """Answered as a JSON-RPC error: code, message, data."""

    def __init__(self, code, message, data=None):
        super().__init__(message)
        self.body = {"code": code, "message": message, **({"data": data} if data else {})}


class InputNeededError(Exception):
    """A call cannot be answered before the client answered `requests`; it will call again."""

    def __init__(self, requests):
        super().__init__("input needed")
        self.requests = requests


class Session:
    """One client. For tools: `client` (its name), `meta` (the `_meta` of the call, a dict), `roots()`,
    `changes` (grows whenever the roots may have changed), `kept` (a dict of their own), `notify(method,
    params)`. For methods also: `number` (the request's id), `enveloped` (it carries its revision)."""

    def __init__(self, tools, instructions, methods, capabilities, lines, out):
        self.tools = {tool.name: tool for tool in tools}
        self.instructions, self.lines, self.out = instructions, lines, out
        self.offered = {"tools": {}, **capabilities}
        self.methods = {
            "initialize": Session._initialize,
            "server/discover": Session._discover,
            "ping": lambda session, params: {},
            "tools/list": Session._list,
            "tools/call": Session.call,
            "notifications/roots/list_changed": Session._forget_roots,
            **methods,
        }
        self.kept, self.meta, self.changes, self.client, self.version = {}, {}, 0, "", ""
        self.number, self.enveloped = None, False
        self._able, self._roots, self._late = {}, None, False
        self._aside, self._asked = deque(), 0

    # -- lines in, lines out -------------------------------------------------------------------

    def run(self):
        """Answer line after line until there are no more."""
        while (line := self._next()) is not None:
            try:
                message = self._parsed(line)
                answer = None if message is _BLANK else self._answer(message)
            except ProtocolError as error:
                answer = {"jsonrpc": "2.0", "id": None, "error": error.body}
            if answer is not None:
                self._send(answer)

    def _next(self):
        if self._aside and not self.lines.ending.asked:
            return self._aside.popleft()
        return self.lines.next()

    def _parsed(self, line):
        if line is Lines.TOO_LONG:
            raise ProtocolError(INVALID_REQUEST, f"a line is longer than {LARGEST} bytes")
        line = line.removeprefix(b"\xef\xbb\xbf").strip()
        try:
            return _PARSER.decode(line.decode()) if line else _BLANK
        except (ValueError, RecursionError) as error:
            raise ProtocolError(PARSE_ERROR, "a line is no JSON") from error

    def _send(self, message):
        # A lone surrogate has no UTF-8, and clients' parsers refuse its escape: it becomes a `?`.
        text = json.dumps(message, ensure_ascii=False, separators=(",", ":"))
        view = memoryview(text.encode("utf-8", "replace") + b"\n")
        while view:
            try:
                view = view[os.write(self.out, view) :]
            except BrokenPipeError as error:  # the client is gone, whatever a tool was about to do
                raise SystemExit(0) from error

    def notify(self, method, params):
        """Tell the client something it need not answer."""
        self._send({"jsonrpc": "2.0", "method": method, "params": params})

    # -- messages ------------------------------------------------------------------------------

    def _answer(self, message):
        """What goes back for a parsed line: a dict, a list (a batch), or None."""
        if not isinstance(message, list):
            return self._one(message)
        if not message or self.version not in BATCHES:
            raise ProtocolError(INVALID_REQUEST, "an empty batch, or a revision without batches")
        return [answer for one in message if (answer := self._one(one)) is not None] or None

    def _one(self, message):
        number = None
        try:
            if not isinstance(message, dict):
                raise ProtocolError(INVALID_REQUEST, "a message is an object")
            if "method" not in message and ("result" in message or "error" in message):
                return self._heard(message)
            number = message.get("id")
            if "id" in message and (isinstance(number, bool) or not isinstance(number, (str, int))):
                number = None
                raise ProtocolError(INVALID_REQUEST, "an id is a string or a whole number")
            method, params = message.get("method"), message.get("params")
            if message.get("jsonrpc") != "2.0" or not isinstance(method, str):
                raise ProtocolError(INVALID_REQUEST, 'a message has "jsonrpc": "2.0" and a method')
            if "id" not in message:
                return self._notified(method, params)
            if not isinstance(params, (dict, type(None))):
                raise ProtocolError(INVALID_PARAMS, "params is an object")
            self.number = number
            result = self._result(method, params or {})
            return None if result is None else {"jsonrpc": "2.0", "id": number, "result": result}
        except ProtocolError as error:
            return {"jsonrpc": "2.0", "id": number, "error": error.body}
        except Exception as error:  # noqa: BLE001  our bug must not cost the client its server
            body = {"code": INTERNAL_ERROR, "message": report("a request", error)}
            return {"jsonrpc": "2.0", "id": number, "error": body}

    def _result(self, method, params):
        self._read_envelope(params.get("_meta"))
        if method not in self.methods or method.startswith(_NOTICE):
            raise ProtocolError(METHOD_NOT_FOUND, f"unknown method: {method[:80]}")
        result = self.methods[method](self, params)
        if self.enveloped and result is not None:
            meta = {_META + "serverInfo": _ITSELF, **result.get("_meta", {})}
            result = {"resultType": "complete", **result, "_meta": meta}
        return result

    def _read_envelope(self, meta):
        self.enveloped = isinstance(meta, dict) and _META + "protocolVersion" in meta
        if self.enveloped:
            asked, able = meta[_META + "protocolVersion"], meta.get(_META + "clientCapabilities")
            if not isinstance(asked, str) or not isinstance(able, dict):
                raise ProtocolError(INVALID_PARAMS, "_meta lacks the revision or the capabilities")
            if asked not in ENVELOPE:
                known = {"supported": [*HANDSHAKE, *ENVELOPE], "requested": asked}
                raise ProtocolError(UNSUPPORTED_REVISION, "unknown protocol revision", known)
            self._able, self.client = able, _name(meta.get(_META + "clientInfo"))

    def _notified(self, method, params):
        if method in self.methods and method.startswith(_NOTICE):
            self.methods[method](self, params if isinstance(params, dict) else {})

    def _initialize(self, params):
        asked, able = params.get("protocolVersion"), params.get("capabilities")
        self.version = asked if asked in HANDSHAKE else HANDSHAKE[-1]
        self._able = able if isinstance(able, dict) else {}
        self.client = _name(params.get("clientInfo"))
        self._forget_roots({})
        return {"protocolVersion": self.version, "serverInfo": _ITSELF, **self._offer()}

    def _discover(self, params):
        return {"supportedVersions": [*HANDSHAKE, *ENVELOPE], **self._offer(), **CACHED}

    def _offer(self):
        return {"capabilities": self.offered, "instructions": self.instructions}

    # -- tools ---------------------------------------------------------------------------------

    def _list(self, params):
        tools = [listed(tool) for tool in self.tools.values()]
        return {"tools": tools, **(CACHED if self.enveloped else {})}

    def call(self, params):
        """Answer tools/call: a result, with isError where the call failed."""
        name, answers = params.get("name"), params.get("inputResponses")
        tool = self.tools.get(name) if isinstance(name, str) else None
        if tool is None:
            raise ProtocolError(INVALID_PARAMS, "unknown tool; there are: " + ", ".join(self.tools))
        if isinstance(answers, dict):
            self._set_roots(answers.get("roots"))
        meta = params.get("_meta")
        self.meta = meta if isinstance(meta, dict) else {}
        try:
            return answered(tool.call(self, tool.fit(tool.schema, params.get("arguments"))))
        except InputNeededError as needed:
            return {"resultType": "input_required", "inputRequests": needed.requests}
        except ForewordError as error:
            told = f"{error.message}\nHint: {error.hint}" if error.hint else error.message
        except Exception as error:  # noqa: BLE001  one call failed, the next may not
            told = f"{name} failed: {report(name, error)}. `foreword doctor` shows the log."
        return failed(told)

    # -- the client's roots --------------------------------------------------------------------

    def roots(self):
        """URIs of the folders the client works in; () when it does not tell. Asked for once."""
        if self._roots is None and "roots" in self._able and not self._late:
            if self.enveloped:
                raise InputNeededError({"roots": {"method": "roots/list"}})
            self._ask_roots()
        return self._roots or ()

    def _ask_roots(self):
        self._asked += 1
        self._send({"jsonrpc": "2.0", "id": f"roots-{self._asked}", "method": "roots/list"})
        end = time.monotonic() + ROOTS_WAIT_S
        while self._roots is None:
            line = self.lines.next(max(0, end - time.monotonic()))
            if line is None or line is Lines.LATE:
                self._late = line is Lines.LATE  # an answer that comes later is still taken
                return
            try:
                message = self._parsed(line)
            except ProtocolError:
                message = None
            # An answer or a ping is dealt with now, all else when this call is done.
            if isinstance(message, dict) and message.get("method", "ping") == "ping":
                if (answer := self._one(message)) is not None:
                    self._send(answer)
            else:
                self._aside.append(line)

    def _forget_roots(self, params):
        self._roots, self._late = None, False
        self.changes += 1

    def _heard(self, message):
        if message.get("id") == f"roots-{self._asked}":
            self._set_roots(message.get("result"))

    def _set_roots(self, result):
        roots = result.get("roots") if isinstance(result, dict) else None
        named = [r.get("uri") for r in roots if isinstance(r, dict)] if isinstance(roots, list) else []
        self._roots = [uri for uri in named if isinstance(uri, str)]
        self.changes += 1


_BLANK = object()  # what a line of white space is parsed to
_NOTICE = "notifications/"  # methods that begin so are told, not asked
_ITSELF = {"name": "foreword", "version": __version__}


def _no_number(name):
    raise ValueError(name + " is no JSON")


_PARSER = json.JSONDecoder(parse_constant=_no_number)


def _name(info):
    name = info.get("name") if isinstance(info, dict) else None
    return name[:60] if isinstance(name, str) else ""


def serve(tools, instructions, kept=(), methods=(), capabilities=()):
    """Serve `tools` on stdin and stdout until the input ends or a signal comes; the exit code, 0.

    kept: what `session.kept` starts with. methods: {name: function(session, params) -> result}, beside
    or instead of the built-in ones; a result None is not answered (now), notifications give none.
    capabilities: {name: {...}}, announced beside `tools`.
    """
    # Whatever else prints (a library, a child process) must not get between protocol lines.
    out = os.dup(1)
    try:
        os.dup2(2, 1)
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # there is no stderr
    for fd in (0, out):
        try:
            os.set_blocking(fd, True)  # a client may share its own end's mode with us
        except (OSError, AttributeError):
            pass  # closed, or Windows before Python 3.12
    session = Session(tools, instructions, dict(methods), dict(capabilities), Lines(0, Ending()), out)
    session.kept.update(kept)
    session.run()
    return 0

"""A scripted model on loopback: it answers real clients in the Messages API's words, without a model.

`Model` keeps every request it was sent and hands out turns that the test wrote beforehand. Standard
library only, so that the demo and the benches can use it too. It listens on 127.0.0.1 and never
connects to anything.
"""

import itertools
import json
import re
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

PATIENCE_S = 60.0  # a client on a busy machine of two cores starts within 5 s
FRAME = re.compile(r"<foreword\b.*?</foreword>", re.DOTALL)
# How the client asks for the summary of a conversation (2.1.197, 2026-11-30).
SUMMARY_ASKED = "create a detailed summary of"


class Turn:
    """One scripted answer: text, content blocks, or a function of the Request that gives either.

    `when`: a function of the Request; the turn waits for one that it accepts. Without it the turn
    goes to the next main-loop request, never to one for a summary.
    """

    def __init__(self, content, when=None):
        self.content = content
        self.when = when or (lambda request: not request.asks_for_summary)


def use(tool, **arguments):
    """A content block that calls a tool."""
    return {"type": "tool_use", "name": tool, "input": arguments}


def say(text):
    """A content block of text."""
    return {"type": "text", "text": text}


class Request:
    """One request to the model: .body as sent, .number from 0 over all main-loop requests."""

    def __init__(self, body):
        self.body = body
        self.number = -1

    @property
    def messages(self):
        return self.body.get("messages") or []

    @property
    def is_main(self):
        """True when tools are offered; titles and other side requests offer none."""
        return bool(self.body.get("tools"))

    @property
    def tools(self):
        """{name: definition} as sent; deferred ones are not among them."""
        return {tool["name"]: tool for tool in self.body.get("tools") or []}

    @property
    def asks_for_summary(self):
        return SUMMARY_ASKED in self.new_text

    @property
    def text(self):
        """Every text of every message, whatever its role: newer models are handed what hooks say as a
        message with the role `system` after the prompt, older ones inside the user's."""
        return "\n".join(flat(message.get("content")) for message in self.messages)

    @property
    def new_text(self):
        """The text since the model last spoke: the prompt and what came with it."""
        new = []
        for message in reversed(self.messages):
            if message.get("role") == "assistant":
                break
            new.append(flat(message.get("content")))
        return "\n".join(reversed(new))

    @property
    def frames(self):
        """All forewords in the context, oldest first."""
        return FRAME.findall(self.text)

    @property
    def new_frames(self):
        """The forewords that came with the newest prompt."""
        return FRAME.findall(self.new_text)

    @property
    def tool_results(self):
        """[(text, is_error)] of every tool result, oldest first."""
        found = []
        for message in self.messages:
            content = message.get("content")
            for block in content if isinstance(content, list) else ():
                if block.get("type") == "tool_result":
                    found.append((flat(block.get("content")), bool(block.get("is_error"))))
        return found

    def aside(self):
        """A short answer to a side request; one that fits where it names a JSON schema."""
        wanted = (self.body.get("output_config") or {}).get("format") or {}
        return filled_in(wanted.get("schema"))


def filled_in(schema):
    """The JSON text of an object that fits a schema; "Fine." where there is none."""
    properties = (schema or {}).get("properties")
    if properties is None:
        return "Fine."
    empty = {"boolean": False, "integer": 0, "number": 0, "array": [], "object": {}}
    return json.dumps({
        name: schema["enum"][0] if "enum" in schema else empty.get(schema.get("type"), "Scripted")
        for name, schema in properties.items()
    })  # fmt: skip


def flat(content):
    """The text of a message's content (a string, or blocks), tool results included."""
    if isinstance(content, str):
        return content
    texts = []
    for block in content or ():
        if block.get("type") == "text":
            texts.append(block["text"])
        elif block.get("type") == "tool_result":
            texts.append(flat(block.get("content")))
    return "\n".join(texts)


class Model:
    """The server and its script. A context manager; `url` is what the client is told.

    `turns` are used once each, in order. A request that no turn is left for gets RAN_OUT, which
    tests see in the client's output.
    """

    RAN_OUT = "(the script has no turn for this request)"

    def __init__(self, handler=None):
        """`handler`: a Handler that speaks another API's words as well."""
        self.requests = []
        self.side_requests = []
        self.turns = []
        self.problem = None
        self.changed = threading.Condition()
        self.ids = itertools.count(1)
        self.server = _Server(("127.0.0.1", 0), handler or Handler)
        self.server.model = self
        self.thread = threading.Thread(target=self.server.serve_forever, args=(0.05,), daemon=True)

    @property
    def url(self):
        return "http://127.0.0.1:%d" % self.server.server_address[1]

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *exc):
        self.server.shutdown()
        self.server.server_close()
        self.thread.join()
        if self.problem and exc == (None, None, None):
            raise self.problem

    def script(self, *turns):
        """Add turns; anything that is no Turn becomes one for the next main-loop request."""
        with self.changed:
            self.turns += [turn if isinstance(turn, Turn) else Turn(turn) for turn in turns]

    def wait_for(self, wanted, since=0, what="the request"):
        """The first main-loop request from number `since` on that `wanted` accepts.

        Raises AssertionError when none came within PATIENCE_S.
        """
        with self.changed:
            self.changed.wait_for(lambda: self._first(wanted, since), PATIENCE_S)
            found = self._first(wanted, since)
        assert found is not None, f"{what} did not come; {len(self.requests)} others did"
        return found

    def _first(self, wanted, since):
        return next((request for request in self.requests[since:] if wanted(request)), None)

    def answer(self, request):
        """The content blocks for one Request, which is kept."""
        with self.changed:
            if not request.is_main:
                self.side_requests.append(request)
                return [say(request.aside())]
            request.number = len(self.requests)
            turn = next((turn for turn in self.turns if turn.when(request)), None)
            if turn is not None:
                self.turns.remove(turn)
            content = turn.content if turn else self.RAN_OUT
            if callable(content):
                content = self._asked(content, request)
            self.requests.append(request)
            self.changed.notify_all()
        blocks = [say(content)] if isinstance(content, str) else content
        return [
            {**block, "id": "toolu_%022d" % next(self.ids)} if block["type"] == "tool_use" else block
            for block in blocks
        ]

    def _asked(self, function, request):
        try:
            return function(request)
        except Exception as error:  # told by __exit__, in the thread of the test
            self.problem = error
            return self.RAN_OUT


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False  # a client that was ended may leave a connection open
    model: Model


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server

    def log_message(self, *arguments):
        """Nothing: the requests are kept, and stderr belongs to the tests."""

    def handle(self):
        try:
            super().handle()
        except (BrokenPipeError, ConnectionResetError):
            pass  # the client went away in the middle of an answer: it was ended, or it cancelled

    def do_HEAD(self):
        self._json({})

    def do_GET(self):
        self._json({"data": [], "has_more": False})

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers.get("content-length") or 0)) or b"{}")
        self.post(self.path.partition("?")[0], body)

    def post(self, path, body):
        if path == "/v1/messages":
            self._message(body)
        elif path == "/v1/messages/count_tokens":
            self._json({"input_tokens": len(json.dumps(body)) // 4})
        else:
            self._json({})

    def _json(self, value):
        data = json.dumps(value).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data)

    def _message(self, body):
        blocks = self.server.model.answer(Request(body))
        calls = any(block["type"] == "tool_use" for block in blocks)
        message = {
            "id": "msg_%022d" % next(self.server.model.ids),
            "type": "message",
            "role": "assistant",
            "model": body.get("model", ""),
            "content": blocks,
            "stop_reason": "tool_use" if calls else "end_turn",
            "stop_sequence": None,
            "usage": {"input_tokens": 10, "output_tokens": 10},
        }
        if not body.get("stream"):
            self._json(message)
            return
        self.stream(_events(message))

    def stream(self, events):
        """Answer with a stream of events and end the connection."""
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("connection", "close")
        self.end_headers()
        self.close_connection = True
        for event in events:
            self.wfile.write(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n".encode())


def _events(message):
    """A message as the stream of events that clients put together again."""
    yield {"type": "message_start", "message": {**message, "content": [], "stop_reason": None}}
    for index, block in enumerate(message["content"]):
        if block["type"] == "text":
            start = {"type": "text", "text": ""}
            delta = {"type": "text_delta", "text": block["text"]}
        else:
            start = {**block, "input": {}}
            delta = {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
        yield {"type": "content_block_start", "index": index, "content_block": start}
        yield {"type": "content_block_delta", "index": index, "delta": delta}
        yield {"type": "content_block_stop", "index": index}
    yield {
        "type": "message_delta",
        "delta": {"stop_reason": message["stop_reason"], "stop_sequence": None},
        "usage": message["usage"],
    }
    yield {"type": "message_stop"}

"""The scripted model in the Gemini API's words, for Gemini CLI; see model.py for the script.

Facts about the client were seen in version 0.61.0, 2026-11-30. `Words` is what the handler adds to
another's, so that one server can speak to several clients.
"""

import html
import itertools
import json
import re

from e2e import model as scripted
from e2e.model import FRAME, filled_in

_PATH = re.compile(r"/v1(?:beta)?/models/(?P<model>[^/:]+):(?P<method>\w+)$")
# How the client asks for the summary of a conversation, twice: it has the first one looked at again.
SUMMARY_ASKED = ("<state_snapshot> based on the provided history", "evaluate the <state_snapshot>")
SNAPSHOT = "<state_snapshot>The summary of the conversation.</state_snapshot>"
# What stands for a text of ours in the context: the client escapes what hooks say, < and > alone.
_ESCAPED_FRAME = re.compile(r"&lt;foreword\b.*?&lt;/foreword&gt;", re.DOTALL)


class Request:
    """One request to the model: .body as sent, .number from 0 over all main-loop requests."""

    def __init__(self, body, model=""):
        self.body = body
        self.model = model
        self.number = -1

    @property
    def contents(self):
        return self.body.get("contents") or []

    @property
    def is_main(self):
        """True when tools are offered; summaries and other side requests offer none."""
        return bool(self.tools)

    @property
    def tools(self):
        """{name: definition} as sent; a tool of an MCP server by the client's name for it."""
        return {
            tool["name"]: tool
            for tools in self.body.get("tools") or []
            for tool in tools.get("functionDeclarations") or ()
        }

    @property
    def asks_for_summary(self):
        return any(asked in self.new_text for asked in SUMMARY_ASKED)

    @property
    def instructions(self):
        """The system's text: the client's own, servers' instructions and GEMINI.md."""
        return flat(self.body.get("systemInstruction") or {})

    @property
    def text(self):
        """Every text of every message and tool result, but for the system's."""
        return "\n".join(map(flat, self.contents))

    @property
    def new_parts(self):
        """The parts since the model last spoke: the prompt and what came with it."""
        new = itertools.takewhile(lambda one: one.get("role") != "model", reversed(self.contents))
        return [part for content in reversed(list(new)) for part in content.get("parts") or ()]

    @property
    def new_text(self):
        return "\n".join(map(part_text, self.new_parts))

    @property
    def frames(self):
        """All forewords in the context, oldest first, as they were before the client escaped them."""
        return frames(self.text)

    @property
    def new_frames(self):
        """The forewords that came with the newest prompt."""
        return frames(self.new_text)

    @property
    def tool_results(self):
        """[(text, is_error)] of every tool result, oldest first."""
        results = [
            part["functionResponse"].get("response") or {}
            for content in self.contents
            for part in content.get("parts") or ()
            if "functionResponse" in part
        ]
        return [(strings(result), "error" in result) for result in results]

    def aside(self):
        """A short answer to a side request; one that fits where it names a JSON schema."""
        if self.asks_for_summary:
            return SNAPSHOT
        config = self.body.get("generationConfig") or {}
        return filled_in(config.get("responseJsonSchema") or config.get("responseSchema"))


def frames(text):
    """The forewords in a text, with the client's escaping of < and > undone."""
    escaped = [html.unescape(found) for found in _ESCAPED_FRAME.findall(text)]
    return escaped or FRAME.findall(text)


def flat(content):
    """The text of a content: its parts' texts and tool results."""
    return "\n".join(map(part_text, content.get("parts") or ()))


def part_text(part):
    return part["text"] if "text" in part else strings((part.get("functionResponse") or {}).get("response"))


def strings(value):
    """Every string in a JSON value, one a line."""
    if isinstance(value, str):
        return value
    values = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return "\n".join(filter(None, map(strings, values)))


class Words:
    """What a handler adds to answer Gemini CLI: goes before scripted.Handler among the bases."""

    def post(self, path, body):
        found = _PATH.search(path)
        if found is None:
            super().post(path, body)
        elif found["method"] == "countTokens":
            self._json({"totalTokens": _tokens(body)})
        else:
            response = self._gemini(body, found["model"])
            if found["method"] == "streamGenerateContent":
                self.stream_data([response])
            else:
                self._json(response)

    def _gemini(self, body, called):
        blocks = self.server.model.answer(Request(body, called))
        content = {"role": "model", "parts": list(map(_part, blocks))}
        asked = _tokens(body)  # /compress is given up where the summary counts more
        return {
            "candidates": [{"index": 0, "finishReason": "STOP", "content": content}],
            "modelVersion": called,
            "responseId": "response-%d" % next(self.server.model.ids),
            "usageMetadata": {
                "promptTokenCount": asked,
                "candidatesTokenCount": 10,
                "totalTokenCount": asked + 10,
            },
        }

    def stream_data(self, values):
        """Answer with a stream of values without event names, and end the connection."""
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("connection", "close")
        self.end_headers()
        self.close_connection = True
        for value in values:
            self.wfile.write(b"data: %s\r\n\r\n" % json.dumps(value).encode())


def _tokens(body):
    return len(json.dumps(body.get("contents") or ())) // 4


def _part(block):
    """A content block of model.py as a part of a content."""
    if block["type"] == "text":
        return {"text": block["text"]}
    return {"functionCall": {"name": block["name"], "args": block["input"]}}


class Handler(Words, scripted.Handler):
    """Answers Gemini CLI and Claude Code."""


class Model(scripted.Model):
    """The server and its script, for Gemini CLI."""

    def __init__(self, handler=Handler):
        super().__init__(handler)

"""The scripted model in the Chat Completions API's words, for opencode; see model.py for the script.

Facts about the client were seen in version 1.18.33, 2026-11-30. `Words` is what the handler adds to
another's, so that one server can speak to several clients.
"""

import json

from e2e import model as scripted
from e2e.model import FRAME

# How the client asks for a title, beside the first turn.
TITLE_ASKED = "You are a title generator."


class Request:
    """One request to the model: .body as sent, .number from 0 over all main-loop requests."""

    def __init__(self, body):
        self.body = body
        self.number = -1

    @property
    def messages(self):
        """All messages but the system's."""
        return [message for message in self.body.get("messages") or [] if message["role"] != "system"]

    @property
    def is_main(self):
        """True when tools are offered; titles and summaries are made without."""
        return bool(self.body.get("tools"))

    @property
    def tools(self):
        """{name: definition} as sent; a tool of an MCP server by the client's name for it."""
        return {tool["function"]["name"]: tool["function"] for tool in self.body.get("tools") or []}

    @property
    def asks_for_title(self):
        return TITLE_ASKED in self.instructions

    @property
    def asks_for_summary(self):
        return not self.is_main and not self.asks_for_title

    @property
    def instructions(self):
        """The system's text: the client's own, what servers say, AGENTS.md, the list of skills."""
        said = [message for message in self.body.get("messages") or [] if message["role"] == "system"]
        return "\n".join(map(flat, said))

    @property
    def text(self):
        """Every text of every message and tool result, but for the system's."""
        return "\n".join(map(flat, self.messages))

    @property
    def new_text(self):
        """The text since the model last spoke: the prompt and what came with it."""
        new = []
        for message in reversed(self.messages):
            if message["role"] == "assistant":
                break
            new.append(flat(message))
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
        """[(text, is_error)] of every tool result, oldest first. The API has no mark for an error: the
        client begins such a text with a word of its own."""
        texts = [flat(message) for message in self.messages if message["role"] == "tool"]
        return [(text, text.startswith("Error:")) for text in texts]

    def aside(self):
        return "Scripted title" if self.asks_for_title else "The summary of the conversation."


def flat(message):
    """The text of a message: a string, or parts of text."""
    content = message.get("content") or ()
    if isinstance(content, str):
        return content
    return "\n".join(part.get("text") or "" for part in content)


class Words:
    """What a handler adds to answer opencode: goes before scripted.Handler among the bases."""

    def post(self, path, body):
        if path == "/v1/chat/completions":
            self._completion(body)
        else:
            super().post(path, body)

    def _completion(self, body):
        model = self.server.model
        blocks = model.answer(Request(body))
        calls = [_call(n, block) for n, block in enumerate(b for b in blocks if b["type"] == "tool_use")]
        text = "\n\n".join(block["text"] for block in blocks if block["type"] == "text")
        message = {"role": "assistant", "content": text, **({"tool_calls": calls} if calls else {})}
        about = {"id": "chatcmpl-%d" % next(model.ids), "created": 0, "model": body.get("model", "")}
        usage = {"prompt_tokens": 10, "completion_tokens": 10, "total_tokens": 20}
        finish = "tool_calls" if calls else "stop"
        if body.get("stream"):
            chunk = {**about, "object": "chat.completion.chunk"}
            self.stream_chunks([
                {**chunk, "choices": [{"index": 0, "delta": message, "finish_reason": None}]},
                {**chunk, "choices": [{"index": 0, "delta": {}, "finish_reason": finish}]},
                {**chunk, "choices": [], "usage": usage},
            ])  # fmt: skip
        else:
            choice = {"index": 0, "message": message, "finish_reason": finish}
            self._json({**about, "object": "chat.completion", "choices": [choice], "usage": usage})

    def stream_chunks(self, chunks):
        """Answer with a stream of chunks, and end the connection."""
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("connection", "close")
        self.end_headers()
        self.close_connection = True
        for chunk in chunks:
            self.wfile.write(b"data: %s\n\n" % json.dumps(chunk).encode())
        self.wfile.write(b"data: [DONE]\n\n")


def _call(number, block):
    """A content block of model.py as a tool call of a message."""
    function = {"name": block["name"], "arguments": json.dumps(block["input"])}
    return {"index": number, "id": block["id"], "type": "function", "function": function}


class Handler(Words, scripted.Handler):
    """Answers opencode and Claude Code."""


class Model(scripted.Model):
    """The server and its script, for opencode."""

    def __init__(self, handler=Handler):
        super().__init__(handler)

"""The scripted model in the Responses API's words, for Codex; see model.py for the script.

`Model` answers both APIs on one port and keeps the requests of both in one list, in the order they
came, so that a test can hand a memory from one client to the other with one script. Facts about
Codex were seen in version 0.171.0, 2026-11-30.
"""

import json

from e2e import model as scripted
from e2e.model import FRAME, filled_in

# How Codex asks for the summary of a conversation and, in the terminal, for a title beside the turn.
SUMMARY_ASKED = "CONTEXT CHECKPOINT COMPACTION"
TITLE_ASKED = "Generate a concise, single-line task title"
# What a call answers for which there is nobody to ask (approval policy `never`, as `codex exec` has it).
NOT_ALLOWED = "requires approval, but approval policy is never"


class Request:
    """One request to the model: .body as sent, .number from 0 over all main-loop requests."""

    def __init__(self, body):
        self.body = body
        self.number = -1

    @property
    def items(self):
        return self.body.get("input") or []

    @property
    def is_main(self):
        return TITLE_ASKED not in self.text

    @property
    def tools(self):
        """{name: definition} as sent; a tool of an MCP server by the name `use` takes."""
        found = {}
        for tool in self.body.get("tools") or []:
            if tool["type"] == "namespace":
                found |= {f"{tool['name']}__{one['name']}": one for one in tool["tools"]}
            else:
                found[tool.get("name", tool["type"])] = tool
        return found

    @property
    def asks_for_summary(self):
        return SUMMARY_ASKED in self.new_text

    @property
    def text(self):
        """Every text of every message and tool result, whatever its role."""
        return "\n".join(map(flat, self.items))

    @property
    def new_text(self):
        """The text since the model last spoke: the prompt and what came with it.

        In a session's first request that is all of it, the client's own instructions included.
        """
        new = []
        for item in reversed(self.items):
            if item.get("role") == "assistant" or item["type"].endswith("_call"):
                break
            new.append(flat(item))
        return "\n".join(reversed(new))

    @property
    def developer_texts(self):
        """The texts with the role `developer`, oldest first: what hooks say is one each, without a tag."""
        return [flat(item) for item in self.items if item.get("role") == "developer"]

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
        """[(text, is_error)] of every tool result, oldest first.

        The API has no mark for an error: only a refusal for want of an approval is told apart.
        """
        texts = [flat(item) for item in self.items if item["type"].endswith("_call_output")]
        return [(text, NOT_ALLOWED in text) for text in texts]

    def aside(self):
        """A short answer to a side request; one that fits where it names a JSON schema."""
        return filled_in((self.body.get("text") or {}).get("format", {}).get("schema"))


def flat(item):
    """The text of an item: a message's or a tool result's."""
    content = item.get("content") or item.get("output") or ()
    if isinstance(content, str):
        return content
    return "\n".join(part.get("text") or "" for part in content)


class Model(scripted.Model):
    """The server and its script, for Codex and Claude Code alike."""

    def __init__(self):
        super().__init__(_Handler)


class _Handler(scripted.Handler):
    def post(self, path, body):
        if path == "/v1/responses":
            self._response(body)
        else:
            super().post(path, body)

    def _response(self, body):
        model = self.server.model
        items = [_item(block, next(model.ids)) for block in model.answer(Request(body))]
        response = {
            "id": "resp_%022d" % next(model.ids),
            "object": "response",
            "status": "completed",
            "model": body.get("model", ""),
            "output": items,
            "usage": {"input_tokens": 10, "output_tokens": 10, "total_tokens": 20},
        }
        self.stream(_events(response))


def _item(block, number):
    """A content block of model.py as an item of a response."""
    if block["type"] == "text":
        part = {"type": "output_text", "text": block["text"], "annotations": []}
        return {"type": "message", "id": "msg_%022d" % number, "role": "assistant", "content": [part]}
    namespace, _, name = block["name"].rpartition("__")
    return {
        "type": "function_call",
        "id": "fc_%022d" % number,
        "call_id": "call_%022d" % number,
        "name": name,
        "arguments": json.dumps(block["input"]),
        # Codex addresses a tool of an MCP server so, never by one long name.
        **({"namespace": namespace} if namespace else {}),
    }


def _events(response):
    """A response as the stream of events; the client is content with whole items."""
    yield {"type": "response.created", "response": {**response, "status": "in_progress", "output": []}}
    for index, item in enumerate(response["output"]):
        if item["type"] == "message":
            opened = {**item, "content": []}
            yield {"type": "response.output_item.added", "output_index": index, "item": opened}
            yield {
                "type": "response.output_text.delta",
                "item_id": item["id"],
                "output_index": index,
                "content_index": 0,
                "delta": item["content"][0]["text"],
            }
        yield {"type": "response.output_item.done", "output_index": index, "item": item}
    yield {"type": "response.completed", "response": response}

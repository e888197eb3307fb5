"""The graph as a resource: listed, read, and told about whenever it changed, by us or by somebody else."""

import json
import os

import anyio
import pytest
from mcp import StdioServerParameters, stdio_client
from mcp import types as mcp_types
from mcp.client.client import Client
from mcp.client.session import ClientSession
from mcp.types.version import HANDSHAKE_PROTOCOL_VERSIONS, MODERN_PROTOCOL_VERSIONS

from .conftest import COMMAND

URI = "memory://knowledge-graph"
SHOP = {"name": "shop", "entityType": "service", "observations": ["deployed"]}
UPDATED = {"jsonrpc": "2.0", "method": "notifications/resources/updated", "params": {"uri": URI}}
META = "io.modelcontextprotocol/"
ENVELOPE = {META + "protocolVersion": "2026-07-28", META + "clientCapabilities": {}}


@pytest.fixture
def path(tmp_path):
    return tmp_path / "memory.jsonl"


@pytest.fixture
def start(serve, path):
    def started():
        server = serve("--tools", "graph", MEMORY_FILE_PATH=str(path))
        server.start()
        return server

    return started


@pytest.fixture
def graph(start):
    return start()


def heard(server, tool, **arguments):
    """The notifications that came before the answer to a call."""
    number = server.request("tools/call", {"name": tool, "arguments": arguments})
    before = []
    while (message := server.get()).get("id") != number:
        before.append(message)
    assert "result" in message
    return before


def create(server, *names):
    return heard(server, "create_entities", entities=[{**SHOP, "name": name} for name in names])


def subscribe(server):
    assert server.ask("resources/subscribe", {"uri": URI})["result"] == {}


def test_the_graph_is_the_one_resource_and_reads_as_the_reference_has_it(graph):
    [resource] = graph.ask("resources/list")["result"]["resources"]
    assert (resource["uri"], resource["mimeType"]) == (URI, "application/json")
    assert graph.ask("resources/templates/list")["result"] == {"resourceTemplates": []}
    [content] = graph.ask("resources/read", {"uri": URI})["result"]["contents"]
    assert json.loads(content["text"]) == {"entities": [], "relations": []}
    create(graph, "shop")
    result = graph.ask("resources/read", {"uri": URI})["result"]
    assert set(result) == {"contents"}
    [content] = result["contents"]
    assert content == {"uri": URI, "mimeType": "application/json", "text": content["text"]}
    assert json.loads(content["text"]) == {"entities": [SHOP], "relations": []}


@pytest.mark.parametrize("method", ["resources/read", "resources/subscribe"])
@pytest.mark.parametrize(
    ("params", "code"), [({"uri": "memory://x"}, -32002), ({}, -32602), ({"uri": 3}, -32602)]
)
def test_any_other_uri_is_refused(graph, method, params, code):
    assert graph.ask(method, params)["error"]["code"] == code
    assert create(graph, "shop") == []


def test_a_graph_that_cannot_be_read_is_an_error_that_names_it(start, path):
    path.mkdir()
    error = start().ask("resources/read", {"uri": URI})["error"]
    assert error["code"] == -32603
    assert str(path) in error["message"]


# -- subscriptions -----------------------------------------------------------------------------


def test_a_subscriber_is_told_before_each_answer_to_a_change(graph):
    assert create(graph, "before") == []
    subscribe(graph)
    assert create(graph, "shop") == [UPDATED]
    assert create(graph, "shop") == [UPDATED], "also of one that changed nothing"
    assert heard(graph, "rename_entity", entityName="shop", newName="store") == [UPDATED]
    assert heard(graph, "read_graph") == []
    assert heard(graph, "search_nodes", query="store") == []
    assert heard(graph, "archived_observations") == []
    assert heard(graph, "create_entities", entities=[{**SHOP, "name": ""}]) == [], "refused"
    graph.ask("resources/unsubscribe", {"uri": "memory://x"})
    assert create(graph, "more") == [UPDATED]
    assert graph.ask("resources/unsubscribe", {"uri": URI})["result"] == {}
    assert create(graph, "later") == []


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("read_graph", {}),
        ("search_nodes", {"query": "x"}),
        ("open_nodes", {"names": ["x"]}),
        ("archived_observations", {}),
    ],
)
def test_a_call_that_finds_another_processs_change_tells_of_it_once(start, tool, arguments):
    one, other = start(), start()
    create(one, "shop")
    subscribe(one)
    assert heard(one, tool, **arguments) == []
    create(other, "till")
    assert heard(one, tool, **arguments) == [UPDATED]
    assert heard(one, tool, **arguments) == []
    assert heard(other, tool, **arguments) == [], "who did not subscribe is not told"


def test_a_change_of_ours_upon_one_of_another_process_is_told_once(start):
    one, other = start(), start()
    subscribe(one)
    create(other, "shop")
    assert create(one, "till") == [UPDATED]
    assert heard(one, "read_graph") == []


def test_what_changed_before_the_subscription_is_no_news(start):
    one, other = start(), start()
    heard(one, "read_graph")
    create(other, "shop")
    subscribe(one)
    assert heard(one, "read_graph") == []


# -- requests that carry their revision ---------------------------------------------------------


def listen(server, **notifications):
    """The request's id, after what the server acknowledged was checked to be of it."""
    number = server.request("subscriptions/listen", {"_meta": ENVELOPE, "notifications": notifications})
    told = server.get()
    assert told["method"] == "notifications/subscriptions/acknowledged"
    assert told["params"]["_meta"] == {META + "subscriptionId": number}
    return number, told["params"]["notifications"]


def test_a_listener_is_told_until_it_cancels(graph):
    graph.number = 0  # so that the first one has the id 1, which to a dict is True
    first, honoured = listen(graph, resourceSubscriptions=[URI, "memory://x"], toolsListChanged=True)
    assert honoured == {"resourceSubscriptions": [URI]}
    second, _ = listen(graph, resourceSubscriptions=[URI])

    told = [message["params"] for message in create(graph, "shop")]
    assert told == [{"uri": URI, "_meta": {META + "subscriptionId": number}} for number in (first, second)]
    cancelled = {"jsonrpc": "2.0", "method": "notifications/cancelled"}
    for number in (True, None, [1], "1"):
        graph.put({**cancelled, "params": {"requestId": number}})
    assert len(create(graph, "till")) == 2
    graph.put({**cancelled, "params": {"requestId": first}})
    told = [message["params"]["_meta"] for message in create(graph, "till")]
    assert told == [{META + "subscriptionId": second}]


@pytest.mark.parametrize(
    "notifications", [{}, {"resourceSubscriptions": ["memory://x"]}, {"resourceSubscriptions": 3}]
)
def test_a_listener_to_nothing_of_ours_hears_nothing(graph, notifications):
    assert listen(graph, **notifications)[1] == {}
    assert create(graph, "shop") == []


def test_results_say_how_long_they_hold_and_an_unknown_uri_has_the_new_code(graph):
    for method in ("resources/list", "resources/templates/list"):
        assert graph.ask(method, {"_meta": ENVELOPE})["result"]["ttlMs"] > 0
    assert graph.ask("resources/read", {"uri": URI, "_meta": ENVELOPE})["result"]["ttlMs"] == 0
    error = graph.ask("resources/read", {"uri": "memory://x", "_meta": ENVELOPE})["error"]
    assert error["code"] == -32602


def test_a_notification_is_never_answered_and_none_is_a_request(graph):
    assert graph.ask("notifications/cancelled", {"requestId": 1})["error"]["code"] == -32601
    for params in ({}, {"requestId": {}}, [1], 3):
        graph.put({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params})
    assert graph.ask("ping")["result"] == {}


# -- the official SDK's client -------------------------------------------------------------------


def parameters(path, *arguments):
    env = {**os.environ, "MEMORY_FILE_PATH": str(path)}
    return StdioServerParameters(
        command=COMMAND[0], args=[*COMMAND[1:], "--tools", "graph", *arguments], env=env
    )


async def use_every_tool(call):
    """Each of the eleven once; `call` gives the result, checked against the tool's own schema."""
    relation = {"from": "shop", "to": "till", "relationType": "uses"}
    await call("create_entities", {"entities": [SHOP, {**SHOP, "name": "till"}]})
    await call("create_relations", {"relations": [relation]})
    await call("add_observations", {"observations": [{"entityName": "shop", "contents": ["new"]}]})
    await call("read_graph", {})
    await call("search_nodes", {"query": "deployed", "limit": 1})
    await call("open_nodes", {"names": ["shop"]})
    await call("archived_observations", {})
    await call("delete_observations", {"deletions": [{"entityName": "shop", "observations": ["new"]}]})
    await call("delete_relations", {"relations": [relation]})
    await call("rename_entity", {"entityName": "till", "newName": "register"})
    await call("delete_entities", {"entityNames": ["register"]})


# the pair of methods is gone from the newest revision; in these it is what clients have
@pytest.mark.filterwarnings("ignore::mcp.MCPDeprecationWarning")
@pytest.mark.parametrize("arguments", [[], ["--reference-output"]])
@pytest.mark.parametrize("version", HANDSHAKE_PROTOCOL_VERSIONS)
def test_the_sdks_client_uses_all_of_it_in_every_revision_with_a_handshake(path, version, arguments):
    told = []

    async def hear(message):
        told.append(message)

    async def main():
        async with (
            stdio_client(parameters(path, *arguments)) as (read, write),
            ClientSession(read, write, message_handler=hear) as session,
        ):
            offer = mcp_types.InitializeRequestParams(
                protocol_version=version,
                capabilities=mcp_types.ClientCapabilities(),
                client_info=mcp_types.Implementation(name="sdk", version="1"),
            )
            result = await session.send_request(
                mcp_types.InitializeRequest(params=offer), mcp_types.InitializeResult
            )
            session.adopt(result)
            assert result.capabilities.resources.subscribe is True
            await session.send_notification(mcp_types.InitializedNotification())
            tools = {tool.name: tool for tool in (await session.list_tools()).tools}
            assert len(tools) == 11
            await session.subscribe_resource(URI)

            async def call(tool, given):
                answer = await session.call_tool(tool, given)
                assert not answer.is_error, answer
                assert (answer.structured_content is None) == (tools[tool].output_schema is None)

            await use_every_tool(call)
            assert [str(one.uri) for one in (await session.list_resources()).resources] == [URI]
            [content] = (await session.read_resource(URI)).contents
            assert json.loads(content.text) == {"entities": [SHOP], "relations": []}
            await session.unsubscribe_resource(URI)

    anyio.run(main)
    assert sum(isinstance(one, mcp_types.ResourceUpdatedNotification) for one in told) == 7


@pytest.mark.parametrize("arguments", [[], ["--reference-output"]])
@pytest.mark.parametrize("version", MODERN_PROTOCOL_VERSIONS)
def test_the_sdks_client_uses_all_of_it_without_a_handshake(path, version, arguments):
    async def main():
        async with Client(stdio_client(parameters(path, *arguments)), mode=version) as client:
            async with client.listen(resource_subscriptions=[URI]) as changes:

                async def call(tool, given):
                    answer = await client.call_tool(tool, given)
                    assert not answer.is_error, answer

                await use_every_tool(call)
                change = await anext(aiter(changes))
                assert str(change.uri) == URI
            [content] = (await client.read_resource(URI)).contents
            assert json.loads(content.text) == {"entities": [SHOP], "relations": []}

    anyio.run(main)

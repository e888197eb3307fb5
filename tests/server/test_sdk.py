"""The official SDK's client against the real process, in every revision it speaks."""

import os
import warnings

import anyio
import pytest
from mcp import StdioServerParameters, stdio_client
from mcp import types as mcp_types
from mcp.client.client import Client
from mcp.client.session import ClientSession
from mcp.shared.exceptions import MCPError
from mcp.types.version import HANDSHAKE_PROTOCOL_VERSIONS, MODERN_PROTOCOL_VERSIONS

from foreword.server import protocol

from .conftest import COMMAND

# roots are deprecated in the newest revision; they are still what clients have
pytestmark = pytest.mark.filterwarnings("ignore::mcp.MCPDeprecationWarning")


def parameters(cwd):
    return StdioServerParameters(command=COMMAND[0], args=COMMAND[1:], cwd=cwd, env=dict(os.environ))


async def use_every_tool(call):
    """Save, find, read, list, mark, archive and delete; `call` gives (text, whether it is an error)."""

    async def told(tool, **arguments):
        text, failed = await call(tool, arguments)
        assert not failed, text
        return text

    memory_id = (await told("memory_save", title="Currency", body="Rows without one are dropped.")).split()[1]
    assert memory_id in await told("memory_search", query="currency rows", limit=5, type="fact")
    assert "Rows without one are dropped." in await told("memory_read", id=memory_id)
    assert memory_id in await told("memory_list", type="fact", limit=5)
    await told("memory_mark", id=memory_id, offer="always")
    assert "(pinned)" in await told("memory_list")
    await told("memory_forget", id=memory_id, archive=True)
    assert memory_id in await told("memory_list", archived=True)
    await told("memory_forget", id=memory_id)
    text, failed = await call("memory_read", {"id": memory_id})
    assert failed
    assert memory_id in text
    text, failed = await call("memory_search", {"limit": 3})
    assert failed
    assert "query is missing" in text


def plain(result):
    [content] = result.content
    return content.text, bool(result.is_error)


def test_we_speak_every_revision_that_the_sdk_speaks():
    assert set(protocol.HANDSHAKE) == set(HANDSHAKE_PROTOCOL_VERSIONS)
    assert set(protocol.ENVELOPE) == set(MODERN_PROTOCOL_VERSIONS)


@pytest.mark.parametrize("version", HANDSHAKE_PROTOCOL_VERSIONS)
def test_every_tool_works_in_a_revision_with_a_handshake(repository, version):
    async def main():
        async with (
            stdio_client(parameters(repository)) as (read, write),
            ClientSession(read, write) as session,
        ):
            offer = mcp_types.InitializeRequestParams(
                protocol_version=version,
                capabilities=mcp_types.ClientCapabilities(),
                client_info=mcp_types.Implementation(name="sdk", version="1"),
            )
            result = await session.send_request(
                mcp_types.InitializeRequest(params=offer), mcp_types.InitializeResult
            )
            assert result.protocol_version == version
            assert result.server_info.name == "foreword"
            session.adopt(result)
            await session.send_notification(mcp_types.InitializedNotification())
            await session.send_ping()

            tools = {tool.name: tool for tool in (await session.list_tools()).tools}
            assert set(tools) == {tool.name for tool in protocol_tools()}
            for name in ("memory_search", "memory_read", "memory_list"):
                assert tools[name].annotations.read_only_hint is True
            assert tools["memory_save"].annotations.read_only_hint is False
            assert tools["memory_save"].annotations.destructive_hint is False
            assert tools["memory_save"].annotations.open_world_hint is False
            assert tools["memory_forget"].annotations.destructive_hint is True

            async def call(tool, arguments):
                return plain(await session.call_tool(tool, arguments))

            await use_every_tool(call)
            with pytest.raises(MCPError) as raised:
                await session.call_tool("no_such_tool", {})
            assert raised.value.error.code == -32602

    anyio.run(main)


def protocol_tools():
    from foreword.server import notes

    return notes.TOOLS


@pytest.mark.parametrize(
    ("mode", "version"),
    [("legacy", HANDSHAKE_PROTOCOL_VERSIONS[-1]), *(("auto", v) for v in MODERN_PROTOCOL_VERSIONS[-1:]),
     *((v, v) for v in MODERN_PROTOCOL_VERSIONS)],
)  # fmt: skip
def test_every_tool_works_however_the_client_negotiates(repository, mode, version):
    async def main():
        async with Client(stdio_client(parameters(repository)), mode=mode) as client:
            assert client.session.protocol_version == version
            assert len((await client.list_tools()).tools) == len(protocol_tools())

            async def call(tool, arguments):
                return plain(await client.call_tool(tool, arguments))

            await use_every_tool(call)

    anyio.run(main)


@pytest.mark.parametrize("mode", ["legacy", "auto"])
def test_the_clients_roots_name_the_project(repository, tmp_path, mode):
    asked = []

    async def roots(context):
        asked.append(1)
        return mcp_types.ListRootsResult(roots=[mcp_types.Root(uri=(tmp_path / "ledger").as_uri())])

    async def main():
        nowhere = os.environ["HOME"]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            async with Client(
                stdio_client(parameters(nowhere)), mode=mode, list_roots_callback=roots
            ) as client:
                text, failed = plain(await client.call_tool("memory_save", {"title": "Rooted", "body": "b"}))
                assert not failed, text
                text, failed = plain(await client.call_tool("memory_list", {}))
                assert not failed, text
        async with Client(stdio_client(parameters(repository)), mode=mode) as client:
            assert "Rooted" in plain(await client.call_tool("memory_list", {}))[0]

    anyio.run(main)
    assert len(asked) == 1

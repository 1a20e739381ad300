"""The forwarder between ends on loopback; across namespaces it is tested in test_namespaces.py."""

from __future__ import annotations

import asyncio
import socket
from typing import TYPE_CHECKING

import pytest
from eyewall_deploy.wan.addresses import OUTER
from eyewall_deploy.wan.forwarder import (
    Forward,
    ForwardEnd,
    ForwardError,
    SocketFactory,
    parse_forward,
    serve,
)
from free_ports import free_port

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable


def test_a_forward_is_read_as_it_is_written() -> None:
    text = "outer:127.0.0.1:6627=control:10.83.0.1:6627"
    forward = parse_forward(text)
    assert forward == Forward(
        ForwardEnd("outer", "127.0.0.1", 6627), ForwardEnd("control", "10.83.0.1", 6627)
    )
    assert str(forward) == text


@pytest.mark.parametrize("text", ["", "a=b", "outer:127.0.0.1:1", "outer:h:x=control:h:1"])
def test_a_forward_that_cannot_be_read_is_named_with_an_example(text: str) -> None:
    with pytest.raises(ForwardError, match=r"such as outer:127\.0\.0\.1:6627=control") as caught:
        parse_forward(text)
    assert str(caught.value).startswith(f"forward {text}: ")


def through_a_forwarder(
    handler: Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]] | None,
    client: Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[bytes]],
) -> bytes:
    async def scene() -> bytes:
        there, here = free_port(), free_port()
        servers = []
        if handler is not None:
            servers.append(await asyncio.start_server(handler, "127.0.0.1", there))
        forward = Forward(
            ForwardEnd(OUTER, "127.0.0.1", here), ForwardEnd(OUTER, "127.0.0.1", there)
        )
        servers += await serve([forward], SocketFactory())
        reader, writer = await asyncio.open_connection("127.0.0.1", here)
        answer = await asyncio.wait_for(client(reader, writer), 120)
        writer.close()
        for server in servers:
            server.close()
        await asyncio.sleep(0.05)
        return answer

    return asyncio.run(scene())


def test_all_bytes_arrive_and_the_answer_comes_after_the_sender_has_closed_its_half() -> None:
    payload = bytes(range(256)) * 8192  # 2 MB

    async def reversing(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write((await reader.read(-1))[::-1])
        await writer.drain()
        writer.close()

    async def client(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bytes:
        writer.write(payload)
        writer.write_eof()
        return await reader.read(-1)

    assert through_a_forwarder(reversing, client) == payload[::-1]


def test_a_connection_to_where_nobody_listens_is_closed() -> None:
    async def client(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bytes:
        try:
            return await reader.read(-1)
        except ConnectionResetError:
            return b""

    assert through_a_forwarder(None, client) == b""


def test_a_port_that_is_taken_is_named() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        forward = parse_forward(f"outer:127.0.0.1:{port}=outer:127.0.0.1:1")
        with pytest.raises(ForwardError, match="cannot listen: Address already in use"):
            asyncio.run(serve([forward], SocketFactory()))

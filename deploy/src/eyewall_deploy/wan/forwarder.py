"""A TCP forwarder between network namespaces: connects the emulated network with the outside.

    python -m eyewall_deploy.wan.forwarder --forward outer:127.0.0.1:6627=control:10.83.0.1:6627 …

It listens on the left of `=` and forwards to the right of it. `outer` is the network in which the
forwarder itself runs, any other word is a named network namespace.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import socket
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from eyewall_deploy.host.linux import enter_network_namespace
from eyewall_deploy.service import make_parser, run_service
from eyewall_deploy.wan.addresses import OUTER

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Callable, Iterator, Sequence

_CHUNK: Final = 256 * 1024

_log = logging.getLogger("forwarder")


class ForwardError(ValueError):
    """A forward that cannot be read or served; says which and why."""


@dataclass(frozen=True, slots=True)
class ForwardEnd:
    """An address in a network namespace."""

    namespace: str
    address: str
    port: int

    def __str__(self) -> str:
        return f"{self.namespace}:{self.address}:{self.port}"


@dataclass(frozen=True, slots=True)
class Forward:
    """Connections to one end are carried to the other."""

    listen: ForwardEnd
    to: ForwardEnd

    def __str__(self) -> str:
        return f"{self.listen}={self.to}"


def parse_forward(text: str) -> Forward:
    """Read NAMESPACE:ADDRESS:PORT=NAMESPACE:ADDRESS:PORT."""
    ends = [end.split(":") for end in text.split("=")]
    if len(ends) != 2 or any(len(end) != 3 or not end[2].isdecimal() for end in ends):
        raise ForwardError(
            f"forward {text}: not NAMESPACE:ADDRESS:PORT=NAMESPACE:ADDRESS:PORT, "
            f"such as {OUTER}:127.0.0.1:6627=control:10.83.0.1:6627"
        )
    listen, to = (ForwardEnd(namespace, address, int(port)) for namespace, address, port in ends)
    return Forward(listen, to)


class SocketFactory:
    """Makes sockets in any namespace: a thread lives in each, the sockets work everywhere."""

    def __init__(self) -> None:
        self._threads: dict[str, ThreadPoolExecutor] = {}

    def make(self, namespace: str) -> socket.socket:
        """Make a TCP socket in this namespace."""
        if namespace == OUTER:
            return _tcp_socket()
        if namespace not in self._threads:
            thread = ThreadPoolExecutor(max_workers=1)
            thread.submit(enter_network_namespace, namespace).result()
            self._threads[namespace] = thread
        return self._threads[namespace].submit(_tcp_socket).result()


async def serve(forwards: Sequence[Forward], sockets: SocketFactory) -> list[asyncio.Server]:
    """Listen for each forward; ForwardError if it cannot listen."""
    return [await _listen(forward, sockets) for forward in forwards]


async def _listen(forward: Forward, sockets: SocketFactory) -> asyncio.Server:
    async def carry(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await _carry(forward, sockets, reader, writer)

    try:
        listening = sockets.make(forward.listen.namespace)
        with _closed_on_error(listening):
            listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listening.bind((forward.listen.address, forward.listen.port))
            return await asyncio.start_server(carry, sock=listening)
    except OSError as error:
        where = f" ({error.filename})" if error.filename else ""
        raise ForwardError(f"forward {forward}: cannot listen: {error.strerror}{where}") from None


async def _carry(
    forward: Forward,
    sockets: SocketFactory,
    reader: asyncio.StreamReader,
    writer: asyncio.StreamWriter,
) -> None:
    try:
        connection = sockets.make(forward.to.namespace)
        with _closed_on_error(connection):
            address = (forward.to.address, forward.to.port)
            await asyncio.get_running_loop().sock_connect(connection, address)
            to_reader, to_writer = await asyncio.open_connection(sock=connection)
    except OSError as error:
        _log.debug("%s: %s", forward, error)
        writer.transport.abort()
        return
    await asyncio.gather(_copy(reader, to_writer), _copy(to_reader, writer))
    for end in (writer, to_writer):
        end.close()
        with contextlib.suppress(OSError):
            await end.wait_closed()


async def _copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Copy until the sender is done, and pass its end on; a broken end breaks the other."""
    try:
        while data := await reader.read(_CHUNK):
            writer.write(data)
            await writer.drain()
        writer.write_eof()
    except OSError:
        writer.transport.abort()


@contextlib.contextmanager
def _closed_on_error(opened: socket.socket) -> Iterator[None]:
    try:
        yield
    except BaseException:
        opened.close()
        raise


def _tcp_socket() -> socket.socket:
    made = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    made.settimeout(0)
    made.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return made


def run(options: Namespace, ready: Callable[[], None]) -> None:
    """Serve all forwards until this process is ended."""
    forwards = [parse_forward(text) for text in options.forward]

    async def serve_forever() -> None:
        servers = await serve(forwards, SocketFactory())
        _log.info("%d forwards", len(servers))
        ready()
        await asyncio.gather(*(server.serve_forever() for server in servers))

    asyncio.run(serve_forever())


def main() -> int:
    """Run the forwarder from the command line."""
    parser = make_parser("forwarder", __doc__)
    parser.add_argument("--forward", action="append", default=[], metavar="FROM=TO")
    return run_service(parser, run)


if __name__ == "__main__":
    sys.exit(main())

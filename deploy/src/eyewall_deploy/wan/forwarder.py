"""A TCP forwarder between network namespaces: the way into the emulated network, and out of it.

    python -m eyewall_deploy.wan.forwarder --forward outer:127.0.0.1:6627=control:10.83.0.1:6627 …

Left of `=` is where it listens, right of it where connections go; `outer` is the network in which
the forwarder itself runs, any other word a named network namespace.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import logging
import socket
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from eyewall_deploy.host.linux import enter_network_namespace

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

OUTER: Final = "outer"
_CHUNK: Final = 256 * 1024

_log = logging.getLogger("forwarder")


class ForwardError(ValueError):
    """A forward that cannot be understood or served; says which and why."""


@dataclass(frozen=True, slots=True)
class End:
    """An address in a network namespace."""

    namespace: str
    address: str
    port: int

    def __str__(self) -> str:
        """As it is written on the command line."""
        return f"{self.namespace}:{self.address}:{self.port}"


@dataclass(frozen=True, slots=True)
class Forward:
    """Connections to one end are carried to the other."""

    listen: End
    to: End

    def __str__(self) -> str:
        """As it is written on the command line."""
        return f"{self.listen}={self.to}"


def parse(text: str) -> Forward:
    """Read NAMESPACE:ADDRESS:PORT=NAMESPACE:ADDRESS:PORT."""
    ends = text.split("=")
    parts = [end.split(":") for end in ends]
    if len(ends) != 2 or any(len(p) != 3 or not p[2].isdecimal() for p in parts):
        raise ForwardError(
            f"forward {text}: not NAMESPACE:ADDRESS:PORT=NAMESPACE:ADDRESS:PORT, "
            f"such as {OUTER}:127.0.0.1:6627=control:10.83.0.1:6627"
        )
    return Forward(*(End(namespace, address, int(port)) for namespace, address, port in parts))


class Sockets:
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


async def serve(forwards: Sequence[Forward], sockets: Sockets) -> list[asyncio.Server]:
    """Listen for each forward; ForwardError if one cannot."""
    return [await _listening(forward, sockets) for forward in forwards]


async def _listening(forward: Forward, sockets: Sockets) -> asyncio.Server:
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
    sockets: Sockets,
    reader: asyncio.StreamReader,
    writer: asyncio.StreamWriter,
) -> None:
    try:
        connection = sockets.make(forward.to.namespace)
        with _closed_on_error(connection):
            address = (forward.to.address, forward.to.port)
            await asyncio.get_running_loop().sock_connect(connection, address)
            there = await asyncio.open_connection(sock=connection)
    except OSError as error:
        _log.debug("%s: %s", forward, error)
        writer.transport.abort()
        return
    await asyncio.gather(_copy(reader, there[1]), _copy(there[0], writer))
    for end in (writer, there[1]):
        end.close()
        with contextlib.suppress(OSError):
            await end.wait_closed()


async def _copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Copy until the sender is done, and say so to the receiver; a broken end breaks the other."""
    try:
        while data := await reader.read(_CHUNK):
            writer.write(data)
            await writer.drain()
        writer.write_eof()
    except OSError:
        writer.transport.abort()


async def _run(forwards: Sequence[Forward], ready: Path | None) -> None:
    servers = await serve(forwards, Sockets())
    _log.info("%d forwards", len(servers))
    if ready is not None:
        ready.touch()
    await asyncio.gather(*(server.serve_forever() for server in servers))


def main() -> int:
    """Command line."""
    parser = argparse.ArgumentParser(prog="forwarder", description=__doc__)
    parser.add_argument("--forward", action="append", default=[], metavar="FROM=TO")
    parser.add_argument("--ready-file", type=Path, help="made when all forwards listen")
    arguments = parser.parse_args()
    logging.basicConfig(format="forwarder: %(message)s", level=logging.INFO)
    if arguments.ready_file is not None:
        arguments.ready_file.unlink(missing_ok=True)
    try:
        asyncio.run(_run([parse(text) for text in arguments.forward], arguments.ready_file))
    except (ForwardError, OSError) as error:
        _log.error("%s", error)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())

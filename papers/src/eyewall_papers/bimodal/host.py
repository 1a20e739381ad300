"""`python -m eyewall_papers.bimodal.host`: one agent as a process, started by `processes`.

It reports its port on the loopback device on standard output, reads on standard
input where the others do, and exchanges messages with them over TCP, one line of JSON each. It ends
when standard input does, with a record of what it heard.
"""

import asyncio
import sys
from asyncio import Queue, StreamReader, StreamWriter
from contextlib import suppress

import numpy as np

from eyewall_papers.bimodal.agent import MappingAgent
from eyewall_papers.bimodal.messages import (
    Envelope,
    HostOrders,
    Map,
    Message,
    PortalReport,
    Record,
    Start,
    as_line,
    from_line,
    message_line,
    read_message,
)
from eyewall_papers.bimodal.metric import METRICS
from eyewall_papers.bimodal.pruning import PRUNINGS

LOOPBACK = "127.0.0.1"
LONGEST_LINE = 2**24
"""Bytes of a message."""


class AgentHost:
    """An agent with its connections; messages are handled one after the other."""

    def __init__(self, orders: HostOrders) -> None:
        self.node = orders.here.node
        self.agent = MappingAgent(
            orders.here,
            orders.stock,
            PRUNINGS[orders.pruning],
            METRICS[orders.metric],
            np.random.default_rng(list(orders.seed)),
        )
        self.inbox: Queue[tuple[str, Message]] = Queue()
        self.ports: dict[str, int] = {}
        self.heard: list[str] = []
        self.maps = 0
        self._writers: dict[str, StreamWriter] = {}

    async def listen(self, reader: StreamReader, writer: StreamWriter) -> None:
        """Put what another host sends into the inbox, until it closes the connection."""
        # A cancelled reader is how this process ends; asyncio would print it.
        with suppress(asyncio.CancelledError):
            while line := await reader.readline():
                self.inbox.put_nowait(read_message(line))
        writer.close()

    async def send(self, envelopes: list[Envelope]) -> None:
        """Send messages; those to this node itself go straight to its inbox."""
        for envelope in envelopes:
            if envelope.receiver == self.node:
                self.inbox.put_nowait((self.node, envelope.message))
                continue
            writer = self._writers.get(envelope.receiver)
            if writer is None:
                port = self.ports[envelope.receiver]
                _, writer = await asyncio.open_connection(LOOPBACK, port)
                self._writers[envelope.receiver] = writer
            writer.write(message_line(self.node, envelope.message).encode())
            await writer.drain()

    async def work(self, launched: str | None) -> None:
        """Answer messages without end; report once the result of the task launched here."""
        while True:
            sender, message = await self.inbox.get()
            self.heard.append(sender)
            self.maps += isinstance(message, Map)
            await self.send(self.agent.handle(sender, message))
            outcome = self.agent.outcomes.get(launched) if launched else None
            if outcome and outcome.settled:
                _say(as_line(PortalReport(outcome.feasible, outcome.accepted)))
                launched = None


async def run() -> None:
    """Follow the orders on standard input."""
    stdin = await _standard_input()
    host = AgentHost(from_line(HostOrders, await stdin.readline()))
    server = await asyncio.start_server(host.listen, LOOPBACK, 0, limit=LONGEST_LINE)
    _say(f"{server.sockets[0].getsockname()[1]}\n")
    start = from_line(Start, await stdin.readline())
    host.ports = start.ports
    task = start.launch
    working = asyncio.create_task(host.work(task.id if task else None))
    if task is not None:
        await host.send(host.agent.launch(task))
    await stdin.read()
    working.cancel()
    _say(as_line(Record(tuple(host.heard), host.maps, len(host.agent.computations))))
    server.close()


async def _standard_input() -> StreamReader:
    reader = StreamReader(limit=LONGEST_LINE)
    await asyncio.get_running_loop().connect_read_pipe(
        lambda: asyncio.StreamReaderProtocol(reader), sys.stdin
    )
    return reader


def _say(line: str) -> None:
    sys.stdout.write(line)
    sys.stdout.flush()


if __name__ == "__main__":
    asyncio.run(run())

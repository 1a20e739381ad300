"""The test driver of paper 002, section 6.1.3: events in, outputs back, stage by stage.

It listens on a socket that is a file. A source's connection begins with the line `source` and gets
`NUMBER TIMESTAMP` for each event; it sends back the number of what is acked. A sink's begins with
`sink` and has the timestamp of each output, copied unchanged through the topology, in microseconds
since the epoch. An event's timestamp is when it was due, so that what waits in the driver's queue
counts. After each stage the driver waits until all events are acked.
"""

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean, median

MICROS = 1e6
TICK = 0.005
"""Seconds: events that are due within it are sent together."""
SETTLE = 0.2
"""Seconds in which outputs arrive that were sent before the last ack."""
PATIENCE = 120.0
"""Seconds without an ack after which a stage is given up."""


@dataclass(frozen=True, slots=True)
class Stage:
    """A constant rate in events/s, for so many events."""

    rate: float
    events: int


@dataclass(frozen=True, slots=True)
class Latencies:
    """Of outputs, in seconds from when their event was due."""

    least: float
    median: float
    mean: float
    p99: float
    greatest: float

    @classmethod
    def of(cls, values: Sequence[float]) -> "Latencies | None":
        """Return those of these values; None without any."""
        if not values:
            return None
        ordered = sorted(values)
        p99 = ordered[-(-len(ordered) * 99 // 100) - 1]
        return cls(ordered[0], median(ordered), fmean(ordered), p99, ordered[-1])


@dataclass(frozen=True, slots=True)
class StageResult:
    """What came of a stage.

    Parameters
    ----------
    throughput
        Events/s, from when the first was due to the last ack.
    outputs
        Tuples that the sink got.
    replayed
        Events that were sent again, as a source had ended before it acked them.
    """

    stage: Stage
    throughput: float
    outputs: int
    replayed: int
    latency: Latencies | None


class StageTimeoutError(Exception):
    """Nothing was acked for too long."""


class EventDriver:
    """Sends events to whichever source connected last; for one event loop."""

    def __init__(self, clock: Callable[[], float] = time.time) -> None:
        """Take the time, in seconds since the epoch, from `clock`."""
        self._clock = clock
        self._source: asyncio.StreamWriter | None = None
        self._connections: set[asyncio.Task[None]] = set()
        self._pending: dict[int, int] = {}
        self._made = 0
        self._sent = 0
        """The last event that any source was sent; later ones wait for a source."""
        self._replayed = 0
        self._latencies: list[float] = []
        self._last_ack = clock()
        self.has_source = asyncio.Event()

    @asynccontextmanager
    async def listen(self, socket: Path) -> AsyncIterator[None]:
        """Take connections at a path until the end of the context."""
        server = await asyncio.start_unix_server(self._accept, socket)
        async with server:
            yield
            # From Python 3.12 on, the server waits for its connections at the block's end.
            for task in self._connections:
                task.cancel()
            await asyncio.gather(*self._connections, return_exceptions=True)

    async def run(self, stage: Stage, patience: float = PATIENCE) -> StageResult:
        """Send a stage's events as they are due, and return once all are acked.

        Raises
        ------
        StageTimeoutError
            Nothing was acked for `patience` seconds while events were under way.
        """
        self._latencies, self._replayed = [], 0
        began = self._last_ack = self._clock()
        sent = 0
        while sent < stage.events or self._pending:
            now = self._clock()
            due = min(stage.events, int((now - began) * stage.rate) + 1)
            while sent < due:
                self._send(int((began + sent / stage.rate) * MICROS))
                sent += 1
            if not self._pending:
                self._last_ack = now
            elif now - self._last_ack > patience:
                raise StageTimeoutError(
                    f"{len(self._pending)} of {stage.events} events are under way, and none was "
                    f"acked for {patience:g} s"
                )
            await asyncio.sleep(TICK)
        await asyncio.sleep(SETTLE)
        return StageResult(
            stage,
            stage.events / max(self._last_ack - began, TICK),
            len(self._latencies),
            self._replayed,
            Latencies.of(self._latencies),
        )

    def _send(self, timestamp: int) -> None:
        self._made += 1
        self._pending[self._made] = timestamp
        # Nobody waits until it is written: what the topology does not take yet is the queue.
        if self._source is not None:
            self._source.write(_event(self._made, timestamp))
            self._sent = self._made

    def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.create_task(self._serve(reader, writer))
        self._connections.add(task)
        task.add_done_callback(self._connections.discard)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            with suppress(ConnectionError):
                if await reader.readline() == b"source\n":
                    await self._serve_source(reader, writer)
                else:
                    await self._serve_sink(reader)
        finally:
            if self._source is writer:
                self._source = None
            writer.close()

    async def _serve_source(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        self._source = writer
        for number, timestamp in self._pending.items():
            self._replayed += number <= self._sent
            writer.write(_event(number, timestamp))
        self._sent = self._made
        self.has_source.set()
        while line := await reader.readline():
            if self._pending.pop(int(line), None) is not None:
                self._last_ack = self._clock()

    async def _serve_sink(self, reader: asyncio.StreamReader) -> None:
        while line := await reader.readline():
            self._latencies.append(self._clock() - int(line) / MICROS)


def _event(number: int, timestamp: int) -> bytes:
    return f"{number} {timestamp}\n".encode()

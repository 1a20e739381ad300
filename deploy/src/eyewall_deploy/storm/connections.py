"""Writes the connection file: worker-to-worker connections with a promised rate, and their budget.

A topology's promise and budget are settings of its own; Nimbus knows where its executors run, and
so which connections carry its streams.

    python -m eyewall_deploy.storm.connections --nimbus HOST:PORT --file F [--ready-file R]
"""

from __future__ import annotations

import json
import logging
import sys
import time
from collections import defaultdict
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from eyewall_contracts.setting_keys import BUDGET, PROMISED_RATE

from eyewall_deploy import state_file
from eyewall_deploy.endpoint import NIMBUS_PORT, parse_endpoint
from eyewall_deploy.failure import Failure, name_choices
from eyewall_deploy.service import make_parser, run_service
from eyewall_deploy.storm.nimbus import (
    NimbusUnreachableError,
    connect,
    convert_topology,
    topology_configuration,
    topology_streams,
)

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from eyewall_deploy.storm.nimbus import RunningExecutor, RunningTopology, TopologyStream

_ASK_EVERY: Final = 2.0
"""Seconds between two questions to Nimbus."""
_BYTES_PER_SECOND: Final = 1e6 / 8
_MEGABYTE: Final = 1e6

_log = logging.getLogger("connections")


class PromiseError(ValueError):
    """A promise that cannot be used; names key, value and what is allowed."""


@dataclass(frozen=True, slots=True)
class RatePromise:
    """What a topology was promised.

    Parameters
    ----------
    rates
        Component → bytes/s of each of its streams.
    budget
        What may be paid for a byte; None is unlimited.
    """

    rates: Mapping[str, float]
    budget: float | None


@dataclass(frozen=True, slots=True, order=True)
class WorkerConnection:
    """From a host to a worker on another host, and its share of its topology's promise.

    Parameters
    ----------
    promised
        Bytes/s.
    budget
        Of one byte.
    """

    topology: str
    source: str
    target: str
    port: int
    promised: float
    budget: float | None


@dataclass(frozen=True, slots=True)
class _Connections:
    as_of: float
    connections: tuple[WorkerConnection, ...]
    version: int = 1


class ConnectionReader:
    """Asks Nimbus; asks for a topology's promise only once, because it never changes."""

    def __init__(self) -> None:
        self._promised: dict[str, tuple[RatePromise, tuple[TopologyStream, ...]] | None] = {}

    def read(self, nimbus: Any) -> tuple[WorkerConnection, ...]:
        """Return the promised connections of all topologies that run."""
        ids = [summary.id for summary in nimbus.getClusterInfo().topologies]
        self._promised = {it: known for it, known in self._promised.items() if it in ids}
        return tuple(sorted(it for each in ids for it in self._connections(nimbus, each)))

    def _connections(self, nimbus: Any, topology: str) -> Iterator[WorkerConnection]:
        try:
            if topology not in self._promised:
                self._promised[topology] = _read_promised(nimbus, topology)
            promised = self._promised[topology]
            if promised is not None:
                promise, streams = promised
                running = convert_topology(nimbus.getTopologyInfo(topology))
                if running.slots:
                    yield from promised_connections(running, streams, promise)
        except PromiseError as error:
            self._promised[topology] = None
            _log.error("%s: %s; its connections get no promise", topology, error)


def read_promise(configuration: Mapping[str, Any]) -> RatePromise | None:
    """Read a topology's promise from its configuration; None if it has none."""
    given: Any = configuration.get(PROMISED_RATE.name)
    if given is None:
        return None
    if isinstance(given, str):  # streamparse's own `-o` has no maps
        with suppress(ValueError):
            given = json.loads(given)
    budget = configuration.get(BUDGET.name)
    for key, value in ((PROMISED_RATE, given), (BUDGET, budget)):
        if value is not None and not key.type.allows(value):
            raise PromiseError(f"{key.name} is {value!r}; it must be {key.type.allowed}")
    return RatePromise(
        rates={component: mbit * _BYTES_PER_SECOND for component, mbit in given.items()},
        budget=None if budget is None else budget / _MEGABYTE,
    )


def promised_connections(
    topology: RunningTopology, streams: Iterable[TopologyStream], promise: RatePromise
) -> tuple[WorkerConnection, ...]:
    """Return the connections that carry promised streams from host to host, with their rates.

    A stream's rate is divided evenly among the executors at both ends; with an `all` grouping
    each executor at the target gets the whole of it. Executors on one host need no connection.
    """
    executors: dict[str, list[RunningExecutor]] = defaultdict(list)
    for executor in topology.slots:
        executors[executor.component].append(executor)
    streams = tuple(streams)
    # Not only those with an executor: for a while, no executor of a component may be placed.
    components = sorted({end for it in streams for end in (it.source, it.target)} | {*executors})
    for component in promise.rates:
        if component not in components:
            choices = name_choices("components", components, component)
            raise PromiseError(
                f"{topology.name}: {PROMISED_RATE.name}: no component {component}; {choices}"
            )
    rates: dict[tuple[str, str, int], float] = defaultdict(float)
    for stream in streams:
        sources, targets = executors[stream.source], executors[stream.target]
        shares = len(sources) * (1 if stream.grouping == "all" else len(targets))
        rate = promise.rates.get(stream.source, 0.0)
        for source in sources if rate else ():
            for target in targets:
                here, there = topology.slots[source], topology.slots[target]
                if here.host != there.host:
                    rates[here.host, there.host, there.port] += rate / shares
    return tuple(
        WorkerConnection(topology.name, *ends, rate, promise.budget)
        for ends, rate in sorted(rates.items())
    )


def write_connections(
    path: Path, connections: tuple[WorkerConnection, ...], *, as_of: float
) -> None:
    """Put the connections in place of the file; `as_of` in seconds since the epoch."""
    state_file.write(path, _Connections(as_of, connections))


def follow(options: Namespace, ready: Callable[[], None]) -> None:
    """Write the file whenever a connection has changed, until this process is ended."""
    nimbus = parse_endpoint(options.nimbus, NIMBUS_PORT)
    if isinstance(nimbus, Failure):
        raise ValueError(f"--nimbus: {nimbus.reason}")
    reader = ConnectionReader()
    written: tuple[WorkerConnection, ...] | None = None
    while True:
        try:
            with connect(nimbus) as client:
                connections = reader.read(client)
        except NimbusUnreachableError as error:
            _log.warning("%s; the file stays as it was", error)
        else:
            if connections != written:
                write_connections(options.file, connections, as_of=time.time())
                written = connections
                _log.info("%d connections with a promise", len(connections))
            ready()
        time.sleep(_ASK_EVERY)


def _read_promised(
    nimbus: Any, topology: str
) -> tuple[RatePromise, tuple[TopologyStream, ...]] | None:
    promise = read_promise(topology_configuration(nimbus, topology))
    return None if promise is None else (promise, topology_streams(nimbus, topology))


def main() -> int:
    """Run the program from the command line."""
    parser = make_parser("connections", __doc__)
    parser.add_argument("--nimbus", required=True, metavar="HOST:PORT")
    parser.add_argument("--file", type=Path, required=True)
    return run_service(parser, follow)


if __name__ == "__main__":
    sys.exit(main())

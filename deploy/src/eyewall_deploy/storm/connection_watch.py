"""Keeps the connection file as Nimbus's assignments are.

python -m eyewall_deploy.storm.connection_watch --nimbus HOST:PORT --file F [--ready-file R]
"""

from __future__ import annotations

import argparse
import logging
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from eyewall_deploy.endpoint import parse_endpoint
from eyewall_deploy.failure import Failure
from eyewall_deploy.measure.nimbus import configuration_of, described, streams_of
from eyewall_deploy.storm import connections
from eyewall_deploy.storm.connections import PromiseError, connections_of, read_promise
from eyewall_deploy.storm.nimbus import NimbusUnreachableError, connected

if TYPE_CHECKING:
    from collections.abc import Iterator

    from eyewall_deploy.endpoint import Endpoint
    from eyewall_deploy.measure.nimbus import Stream
    from eyewall_deploy.storm.connections import Connection, Promise

LOOK_EVERY: Final = 2.0
"""Seconds between two looks at Nimbus."""
NIMBUS_PORT: Final = 6627

_log = logging.getLogger("connections")


class ConnectionWatch:
    """Asks Nimbus; what a topology is promised is asked once, since it stays while it runs."""

    def __init__(self) -> None:
        self._promised: dict[str, tuple[Promise, tuple[Stream, ...]] | None] = {}

    def look(self, nimbus: Any) -> tuple[Connection, ...]:
        """Find all promised connections of the topologies that run."""
        ids = [summary.id for summary in nimbus.getClusterInfo().topologies]
        self._promised = {it: seen for it, seen in self._promised.items() if it in ids}
        return tuple(sorted(it for each in ids for it in self._of(nimbus, each)))

    def _of(self, nimbus: Any, topology: str) -> Iterator[Connection]:
        try:
            if topology not in self._promised:
                self._promised[topology] = _asked(nimbus, topology)
            found = self._promised[topology]
            if found is not None:
                promise, streams = found
                running = described(nimbus.getTopologyInfo(topology))
                if running.slots:
                    yield from connections_of(running, streams, promise)
        except PromiseError as error:
            self._promised[topology] = None
            _log.error("%s: %s; nothing is promised to it", topology, error)


def _asked(nimbus: Any, topology: str) -> tuple[Promise, tuple[Stream, ...]] | None:
    """What a topology is promised, and its streams; None if nothing is."""
    promise = read_promise(configuration_of(nimbus, topology))
    return None if promise is None else (promise, streams_of(nimbus, topology))


def follow(nimbus: Endpoint, file: Path, ready: Path | None) -> None:
    """Write the file anew whenever something has changed, until this process is ended."""
    if ready is not None:
        ready.unlink(missing_ok=True)
    watch = ConnectionWatch()
    written: tuple[Connection, ...] | None = None
    while True:
        try:
            with connected(nimbus) as client:
                found = watch.look(client)
        except NimbusUnreachableError as error:
            _log.warning("%s; the file stays as it was", error)
        else:
            if found != written:
                connections.write(file, found, as_of=time.time())
                written = found
                _log.info("%d connections with a promise", len(found))
            if ready is not None:
                ready.touch()
        time.sleep(LOOK_EVERY)


def main() -> int:
    """Command line."""
    parser = argparse.ArgumentParser(prog="connection_watch", description=__doc__)
    parser.add_argument("--nimbus", required=True, metavar="HOST:PORT")
    parser.add_argument("--file", type=Path, required=True)
    parser.add_argument("--ready-file", type=Path, help="made when Nimbus has been asked once")
    arguments = parser.parse_args()
    logging.basicConfig(format="connections: %(message)s", level=logging.INFO)
    nimbus = parse_endpoint(arguments.nimbus, NIMBUS_PORT)
    if isinstance(nimbus, Failure):
        _log.error("--nimbus: %s", nimbus.reason)
        return 1
    follow(nimbus, arguments.file, arguments.ready_file)
    return 0


if __name__ == "__main__":
    sys.exit(main())

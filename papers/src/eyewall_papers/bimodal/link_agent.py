"""The re-allocation of links while topologies run: reads files, decides, writes marks, waits."""

import logging
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, Self

from eyewall_sidecar.model import ProblemError

from eyewall_papers.bimodal.link_choice import Chosen, Connection, choose_links
from eyewall_papers.bimodal.link_files import (
    LinkFilesError,
    read_connections,
    read_network,
    read_traffic,
    write_marks,
)
from eyewall_papers.bimodal.observed_rates import ObservedRates

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class LinkFiles:
    """Where the network tells how it stands, and where the agent tells what is to be."""

    links: Path
    connections: Path
    traffic: Path
    marks: Path

    @classmethod
    def in_folder(cls, folder: Path) -> Self:
        """All four under their usual names."""
        return cls(
            links=folder / "links.json",
            connections=folder / "connections.json",
            traffic=folder / "traffic.json",
            marks=folder / "marks.json",
        )


@dataclass(frozen=True, slots=True)
class Timing:
    """When to decide, and on how much of the past.

    Parameters
    ----------
    interval
        Seconds from decision to decision.
    window
        Seconds over which a connection's rate is held against its promise.
    """

    interval: float = 2.0
    window: float = 10.0


class Stop(Protocol):
    """Tells when to end; `threading.Event` is one."""

    def wait(self, timeout: float) -> bool:
        """Wait so many seconds, or until told to end: then True."""
        ...


class LinkAgent:
    """Decides anew each time it is asked, and remembers what was delivered between."""

    def __init__(self, files: LinkFiles, timing: Timing) -> None:
        self._files = files
        self._timing = timing
        self._rates: ObservedRates[Connection] = ObservedRates(timing.window)
        self._last: dict[Connection, Chosen] = {}

    def decide(self) -> dict[Connection, Chosen]:
        """Look at the files, decide for all connections, and put the decision in force.

        Raises
        ------
        LinkFilesError, ProblemError
            When a file cannot be used; all marks stay as they are.
        """
        network = read_network(self._files.links)
        connections = read_connections(self._files.connections)
        as_of, totals = read_traffic(self._files.traffic)
        self._rates.update({it: totals.get(it.ends, 0.0) for it in connections}, as_of)
        observed = {it: self._rates.of(it) for it in connections}
        chosen = choose_links(network, connections, observed, self._timing.interval)
        write_marks(self._files.marks, chosen)
        for connection, choice in chosen.items():
            before = self._last.get(connection)
            if before is None or before.route != choice.route:
                _log.info("%s", _in_words(connection, choice))
        self._last = chosen
        return chosen


def run(agent: LinkAgent, interval: float, stop: Stop, ready: Callable[[], None]) -> None:
    """Decide each interval until told to stop; a file that cannot be used is named once."""
    complaint = ""
    ready()
    while True:
        try:
            agent.decide()
            complaint = ""
        except (LinkFilesError, ProblemError) as error:
            if str(error) != complaint:
                complaint = str(error)
                _log.error("%s; all marks stay as they were", complaint)
        if stop.wait(interval):
            return


def _in_words(connection: Connection, choice: Chosen) -> str:
    way = f"{choice.route.kind} {' → '.join(choice.route.hops)}"
    promised = f"{connection.promised * 8e-6:.2f} Mbit/s"
    rates = "promised" if choice.rate is None else f"had {choice.rate * 8e-6:.2f} of"
    return f"{connection}: {way}, {rates} {promised}: {choice.reason}"

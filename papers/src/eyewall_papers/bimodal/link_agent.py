"""The re-allocation of links while topologies run: reads files, decides, writes marks, waits.

Deploy writes links.json, connections.json and traffic.json and applies marks.json;
docs/user/emulated-cluster.md has their format. Each is replaced in one step, so a reader sees the
old one or the new one.
"""

import json
import logging
import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from math import inf
from pathlib import Path
from typing import Annotated, Protocol, Self, TypeVar

from eyewall_sidecar.model import Node, ProblemError
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from eyewall_papers.bimodal.link_choice import (
    ConnectionPromise,
    LinkChoice,
    ObservedRates,
    choose_links,
)
from eyewall_papers.bimodal.network import DedicatedLink, LinkKind, TwoKindNetwork

VERSION = 1

Amount = Annotated[float, Field(ge=0, allow_inf_nan=False)]


class LinkFilesError(ValueError):
    """A file that cannot be used; names the file and the reason."""


class _Row(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True)


class _Dedicated(_Row):
    between: Annotated[list[str], Field(min_length=2, max_length=2)]
    delay: Amount
    bandwidth: Amount
    price: Amount


class _Links(_Row):
    version: int
    hosts: list[str]
    uplink: list[Amount | None]
    downlink: list[Amount | None]
    dedicated: list[_Dedicated]


class _Connection(_Row):
    topology: str
    source: str
    target: str
    port: int
    promised: Amount
    budget: Amount | None


class _Connections(_Row):
    version: int
    connections: list[_Connection]


class _Arrived(_Row):
    source: str
    target: str
    port: int
    kind: LinkKind
    bytes: Amount


class _Traffic(_Row):
    version: int
    as_of: Amount
    connections: list[_Arrived]


_Content = TypeVar("_Content", _Links, _Connections, _Traffic)


def read_network(path: Path) -> TwoKindNetwork:
    """Read the link file; nodes are the hosts, without CPU limits."""
    links = _read(path, _Links)
    for side, given in (("uplink", links.uplink), ("downlink", links.downlink)):
        if len(given) != len(links.hosts):
            raise LinkFilesError(
                f"{path}: {side} has {len(given)} entries; it must have one for each of the "
                f"{len(links.hosts)} hosts"
            )
    limits = {
        side: {
            host: limit for host, limit in zip(links.hosts, given, strict=True) if limit is not None
        }
        for side, given in (("up", links.uplink), ("down", links.downlink))
    }
    return TwoKindNetwork(
        nodes=tuple(Node(id=host) for host in links.hosts),
        dedicated=tuple(
            DedicatedLink(one, other, it.bandwidth, it.delay, it.price)
            for it in links.dedicated
            for one, other in [it.between]
        ),
        uplinks=limits["up"],
        downlinks=limits["down"],
    )


def read_connections(path: Path) -> tuple[ConnectionPromise, ...]:
    """Read the connections with a promised rate (bytes/s) and their budget a byte."""
    return tuple(
        ConnectionPromise(
            it.topology,
            it.source,
            it.target,
            it.port,
            it.promised,
            inf if it.budget is None else it.budget,
        )
        for it in _read(path, _Connections).connections
    )


def read_traffic(path: Path) -> tuple[float, dict[tuple[str, str, int], float]]:
    """Read when it was written, and the bytes of each (source, target, port) over both kinds."""
    traffic = _read(path, _Traffic)
    totals: dict[tuple[str, str, int], float] = {}
    for it in traffic.connections:
        ends = it.source, it.target, it.port
        totals[ends] = totals.get(ends, 0.0) + it.bytes
    return traffic.as_of, totals


def write_marks(path: Path, chosen: Mapping[ConnectionPromise, LinkChoice]) -> None:
    """Put the chosen routes in place of the mark file, in one step."""
    content = {"version": VERSION, "connections": list(_marks(chosen.items()))}
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    temporary.write_text(json.dumps(content) + "\n", encoding="utf-8")
    temporary.replace(path)


def _marks(chosen: Iterable[tuple[ConnectionPromise, LinkChoice]]) -> Iterable[dict[str, object]]:
    for connection, choice in chosen:
        yield {
            "topology": connection.topology,
            "source": connection.source,
            "target": connection.target,
            "port": connection.port,
            "kind": choice.route.kind,
            "route": choice.route.hops,
            "reason": choice.reason,
            "promised": connection.promised,
            "rate": choice.rate,
        }


def _read(path: Path, content: type[_Content]) -> _Content:
    try:
        read = content.model_validate_json(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise LinkFilesError(f"{path}: {error.strerror}") from None
    except UnicodeDecodeError as error:
        raise LinkFilesError(f"{path}: {error}") from None
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"])) or "content"
        raise LinkFilesError(f"{path}: {where}: {first['msg']}") from None
    if read.version != VERSION:
        raise LinkFilesError(f"{path}: version {read.version}; this program reads {VERSION}")
    return read


_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class LinkFiles:
    """The files in which the network reports its state and the agent its decision."""

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
    """The interval of decisions, and the length of the observed past.

    Parameters
    ----------
    interval
        Seconds from decision to decision.
    window
        Seconds over which a connection's rate is compared with its promise.
    """

    interval: float = 2.0
    window: float = 10.0


class Stop(Protocol):
    """A signal to end; `threading.Event` is one."""

    def wait(self, timeout: float) -> bool:
        """Wait so many seconds; return True if the stop came first."""
        ...


class LinkAgent:
    """Decides at each call, and remembers what was delivered since the last one."""

    def __init__(self, files: LinkFiles, timing: Timing) -> None:
        self._files = files
        self._timing = timing
        self._rates: ObservedRates[ConnectionPromise] = ObservedRates(timing.window)
        self._last: dict[ConnectionPromise, LinkChoice] = {}

    def decide(self) -> dict[ConnectionPromise, LinkChoice]:
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
    """Decide each interval until `stop`; report a file that cannot be used once."""
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


def _in_words(connection: ConnectionPromise, choice: LinkChoice) -> str:
    way = f"{choice.route.kind} {' → '.join(choice.route.hops)}"
    promised = f"{connection.promised * 8e-6:.2f} Mbit/s"
    rates = "promised" if choice.rate is None else f"had {choice.rate * 8e-6:.2f} of"
    return f"{connection}: {way}, {rates} {promised}: {choice.reason}"

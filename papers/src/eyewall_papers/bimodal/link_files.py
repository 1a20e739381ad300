"""The files by which the re-allocation meets a network: links, connections, traffic, and marks.

Deploy writes the first three and puts the last in force; docs/user/emulated-cluster.md has their
format. Each is replaced in one step, so a reader sees the old one or the new one.
"""

import json
import os
from collections.abc import Iterable, Mapping
from math import inf
from pathlib import Path
from typing import Annotated, TypeVar

from eyewall_sidecar.model import Node
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from eyewall_papers.bimodal.link_choice import Chosen, Connection
from eyewall_papers.bimodal.network import DedicatedLink, LinkKind, TwoKindNetwork

VERSION = 1

Amount = Annotated[float, Field(ge=0, allow_inf_nan=False)]


class LinkFilesError(ValueError):
    """A file that cannot be used; says which and why."""


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
    """Read the link file; nodes are the hosts, whose CPU is not of interest here."""
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


def read_connections(path: Path) -> tuple[Connection, ...]:
    """Read which connections were promised a rate, in bytes/s, and what they may pay a byte."""
    return tuple(
        Connection(
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


def write_marks(path: Path, chosen: Mapping[Connection, Chosen]) -> None:
    """Put the chosen routes in place of the mark file, in one step."""
    content = {"version": VERSION, "connections": list(_marks(chosen.items()))}
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    beside.write_text(json.dumps(content) + "\n", encoding="utf-8")
    beside.replace(path)


def _marks(chosen: Iterable[tuple[Connection, Chosen]]) -> Iterable[dict[str, object]]:
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

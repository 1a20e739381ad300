"""Clusters whose topologies and supervisors were published with Storm's tests, with drawn rates.

Resources that a component does not request are Storm's defaults (10 % of a core, 128 MB on the
heap, nothing off it). Groupings are the published ones.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from eyewall_sidecar.model import LinkMatrix
from eyewall_sidecar.model.links import Matrix
from eyewall_sidecar.storm import Grouping
from numpy.random import Generator

from benchmarks.instances.planetlab import delays_between_distinct_nodes
from benchmarks.instances.rate_model import stream_rates
from benchmarks.instances.workload import (
    Workload,
    WorkloadComponent,
    WorkloadStream,
    WorkloadSupervisor,
    WorkloadTopology,
)

CPU = 10.0
"""Percent of a core that an executor requests by default."""
ON_HEAP = 128.0
"""Megabytes on the heap that an executor requests by default."""
MEGABYTE = 1024.0**2
WITHIN_A_RACK = 0.0002
"""Seconds one way between two supervisors of a rack."""

GROUPINGS = {
    "shuffle": Grouping.SHUFFLE,
    "none": Grouping.NONE,
    "fields": Grouping.FIELDS,
    "all": Grouping.ALL,
    "direct": Grouping.DIRECT,
    "custom_serialized": Grouping.CUSTOM,
}

LARGE = "large_cluster_1"
SMALL = "large_cluster_3"


def large_cluster(data: Path, seed: int) -> Workload:
    """All topologies of cluster 1 on its supervisors; each rack is one PlanetLab node.

    40 topologies, 24,403 executors, 1,312 supervisors on 16 racks. Delays between racks are
    those between 16 different PlanetLab nodes; within a rack they are 0.2 ms.
    """
    rng = np.random.default_rng(seed)
    supervisors = tuple(_supervisors(data, LARGE))
    racks = {it.rack: None for it in supervisors}
    delays = delays_between_distinct_nodes(data, len(racks), rng)
    return Workload(
        topologies=tuple(_topologies(data, LARGE, rng)),
        supervisors=supervisors,
        links=_links(supervisors, delays, list(racks)),
    )


def real_graphs(data: Path, seed: int, *, most_executors: int = 60) -> Workload:
    """The topologies of both clusters with up to so many executors, on cluster 3's supervisors.

    63 topologies with up to 60 executors; 80 supervisors, each one PlanetLab node. Each topology is
    placed alone, on all supervisors.
    """
    rng = np.random.default_rng(seed)
    supervisors = tuple(_supervisors(data, SMALL))
    delays = delays_between_distinct_nodes(data, len(supervisors), rng)
    topologies = [it for name in (LARGE, SMALL) for it in _topologies(data, name, rng)]
    return Workload(
        topologies=tuple(it for it in topologies if it.executors <= most_executors),
        supervisors=supervisors,
        links=LinkMatrix.from_delays([it.id for it in supervisors], delays),
    )


def _topologies(data: Path, cluster: str, rng: Generator) -> Iterator[WorkloadTopology]:
    for entry in _read(data, cluster):
        components = tuple(map(_component, entry["components"]))
        ends = [(source, target) for source, target, _ in entry["streams"]]
        rates = stream_rates([it.id for it in components], ends, rng)
        yield WorkloadTopology(
            id=f"{cluster.removeprefix('large_')}/{entry['topology']}",
            components=components,
            streams=tuple(
                WorkloadStream(source, target, GROUPINGS[grouping], rate)
                for (source, target, grouping), rate in zip(entry["streams"], rates, strict=True)
            ),
        )


def _component(entry: dict[str, Any]) -> WorkloadComponent:
    cpu = CPU if entry["cpu_pcore"] is None else entry["cpu_pcore"]
    on_heap = ON_HEAP if entry["onheap_mb"] is None else entry["onheap_mb"]
    memory = (on_heap + (entry["offheap_mb"] or 0.0)) * MEGABYTE
    return WorkloadComponent(entry["id"], int(entry["executors"]), cpu / 100, memory)


def _supervisors(data: Path, cluster: str) -> Iterator[WorkloadSupervisor]:
    number = 0
    for entry in _read(data, f"{cluster}_supervisors"):
        for _ in range(entry["count"]):
            name = f"{entry['rack']}-{number}"
            cpu, memory = entry["cpu_pcore"] / 100, entry["memory_mb"] * MEGABYTE
            yield WorkloadSupervisor(name, cpu, memory, entry["rack"])
            number += 1


def _links(
    supervisors: tuple[WorkloadSupervisor, ...], delays: Matrix, racks: list[str]
) -> LinkMatrix:
    place = np.array([racks.index(it.rack) for it in supervisors])
    matrix = delays[np.ix_(place, place)]
    matrix[place[:, None] == place] = WITHIN_A_RACK
    return LinkMatrix.from_delays([it.id for it in supervisors], matrix)


def _read(data: Path, name: str) -> Any:
    return json.loads((data / "topologies" / f"{name}.json").read_text(encoding="utf-8"))

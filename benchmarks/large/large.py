"""A whole cluster in one round: 40 topologies, 24,403 executors, 1,312 supervisors on 16 racks.

Cluster 1 of Storm's own tests, each rack one PlanetLab node, 0.2 ms within a rack, rates by the
seeded model of `instances.rate_model`. Executors of one component are placed as a number on each
node. The table compares network usage N with that of RAS's order and with a lower bound; R is the
longest path between nodes in use. Both start with an empty cluster and take topologies in random
order; the comparison covers the topologies for which both found room.

Prints a table, and draws the time over the number of executors with --plot:

    python -m benchmarks large --data DIR [--seeds 3] [--plot large.svg]
"""

import argparse
import resource
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from time import perf_counter, process_time

import matplotlib as mpl
import numpy as np
from eyewall_papers.experiments.report import plain_numbers, show
from eyewall_sidecar.model.path_order import path_order
from eyewall_sidecar.storm import Grouping

from benchmarks.instances.clusters import large_cluster
from benchmarks.instances.workload import Workload, WorkloadTopology
from benchmarks.large.bound import least_usage
from benchmarks.large.cluster_placement import place_all
from benchmarks.large.groups import Counts, GroupedTopology, Racks, slowest_path, usage
from benchmarks.large.ras_by_component import place_by_resources

mpl.use("svg")
from matplotlib import pyplot as plt

SHARES = (0.1, 0.25, 0.5, 1.0)
REPEATS = 3
COLUMNS = (
    "topologies",
    "executors",
    "pairs",
    "seconds",
    "CPU seconds",
    "N",
    "of RAS",
    "over bound",
    "median R ms",
    "RAS R ms",
    "unplaced (RAS)",
)


@dataclass(frozen=True, slots=True)
class LargeResult:
    """One workload, placed; comparisons with RAS cover topologies that both placed."""

    topologies: int
    executors: int
    pairs: int
    seconds: float
    cpu: float
    usage: float
    bound: float
    of_ras: float
    response: float
    ras_response: float
    unplaced: int
    ras_unplaced: int


def group_topology(topology: WorkloadTopology) -> GroupedTopology:
    """Translate a topology; under `all` each tuple arrives once at every executor."""
    place = {it.id: number for number, it in enumerate(topology.components)}
    targets = [topology.components[place[it.target]] for it in topology.streams]
    return GroupedTopology(
        sizes=np.array([it.executors for it in topology.components], dtype=np.int64),
        requirements=np.array(
            [[it.cpu for it in topology.components], [it.memory for it in topology.components]]
        ),
        sources=np.array([place[it.source] for it in topology.streams], dtype=np.int64),
        targets=np.array([place[it.target] for it in topology.streams], dtype=np.int64),
        rates=np.array(
            [
                it.rate * (target.executors if it.grouping is Grouping.ALL else 1)
                for it, target in zip(topology.streams, targets, strict=True)
            ],
            dtype=np.float64,
        ),
    )


def racks_of(workload: Workload) -> Racks:
    """Translate supervisors and delays."""
    names = {it.rack: None for it in workload.supervisors}
    place = {name: number for number, name in enumerate(names)}
    return Racks.of(
        np.array(
            [[it.cpu for it in workload.supervisors], [it.memory for it in workload.supervisors]]
        ),
        np.array([place[it.rack] for it in workload.supervisors], dtype=np.int64),
        workload.links.delays,
    )


def measure(topologies: tuple[WorkloadTopology, ...], racks: Racks) -> LargeResult:
    """Place these topologies on the empty cluster."""
    grouped = [group_topology(it) for it in topologies]
    wall, cpu = [], []
    for _ in range(REPEATS):
        began, began_cpu = perf_counter(), process_time()
        found = place_all(grouped, racks)
        wall.append(perf_counter() - began)
        cpu.append(process_time() - began_cpu)
    ras = place_by_resources(grouped, racks)
    both = [
        (ours, theirs, topology, it)
        for ours, theirs, topology, it in zip(found.counts, ras, topologies, grouped, strict=True)
        if ours is not None and theirs is not None
    ]
    mine = [
        (it, counts) for it, counts in zip(grouped, found.counts, strict=True) if counts is not None
    ]
    return LargeResult(
        topologies=len(topologies),
        executors=sum(it.executors for it in topologies),
        pairs=sum(int(it.sizes[it.sources] @ it.sizes[it.targets]) for it in grouped),
        seconds=min(wall),
        cpu=min(cpu),
        usage=sum(usage(it, racks, counts) for it, counts in mine),
        bound=sum(least_usage(it, racks) for it, _ in mine),
        of_ras=sum(usage(it, racks, ours) for ours, _, _, it in both)
        / sum(usage(it, racks, theirs) for _, theirs, _, it in both),
        response=median(_response(t, it, racks, ours) for ours, _, t, it in both) * 1e3,
        ras_response=median(_response(t, it, racks, theirs) for _, theirs, t, it in both) * 1e3,
        unplaced=sum(it is None for it in found.counts),
        ras_unplaced=sum(it is None for it in ras),
    )


def _response(
    topology: WorkloadTopology, it: GroupedTopology, racks: Racks, counts: Counts
) -> float:
    names = [component.id for component in topology.components]
    order = path_order(names, [(stream.source, stream.target) for stream in topology.streams])
    return slowest_path(it, racks, counts, [names.index(name) for name in order])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True, help="where topologies/, latency/ are")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--plot", type=Path, help="an SVG file to draw")
    options = parser.parse_args()
    results: dict[float, list[LargeResult]] = {share: [] for share in SHARES}
    for seed in range(options.seeds):
        workload = large_cluster(options.data, seed)
        racks = racks_of(workload)
        order = np.random.default_rng(seed).permutation(len(workload.topologies))
        if not seed:
            place_all(
                [group_topology(workload.topologies[it]) for it in order[:4]], racks
            )  # compiled now
        for share in SHARES:
            chosen = order[: round(share * len(order))]
            results[share].append(measure(tuple(workload.topologies[it] for it in chosen), racks))
    title = f"one round on 1,312 supervisors, medians of {options.seeds} seeds"
    show(COLUMNS, map(_cells, results.values()), title, left=0)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"peak memory of the whole process, RAS's order included: {peak:,.0f} MB")
    if options.plot:
        draw([it for rows in results.values() for it in rows], options.plot)


def _cells(rows: list[LargeResult]) -> list[str]:
    def middle(name: str) -> float:
        return float(median(getattr(it, name) for it in rows))

    return [
        f"{middle('topologies'):.0f}",
        f"{middle('executors'):,.0f}",
        f"{middle('pairs'):,.0f}",
        f"{middle('seconds'):.2f}",
        f"{middle('cpu'):.2f}",
        f"{middle('usage'):.1f}",
        f"{middle('of_ras'):.2f}",
        f"+{median(it.usage / it.bound - 1 for it in rows):.0%}",
        f"{middle('response'):.1f}",
        f"{middle('ras_response'):.1f}",
        f"{middle('unplaced'):.0f} ({middle('ras_unplaced'):.0f})",
    ]


def draw(results: list[LargeResult], path: Path) -> None:
    """Draw CPU seconds over executors, both logarithmic, with a line of slope 1."""
    executors = np.array([it.executors for it in results], dtype=np.float64)
    seconds = np.array([it.cpu for it in results])
    plt.rcParams["svg.hashsalt"] = "eyewall"
    figure, axes = plt.subplots(figsize=(6, 4), layout="constrained")
    axes.loglog(executors, seconds, "o", label="one round")
    ends = np.array([executors.min(), executors.max()])
    through = np.exp(np.mean(np.log(seconds / executors)))
    axes.loglog(ends, through * ends, "--", color="grey", label="proportional to executors")
    slope = np.polyfit(np.log(executors), np.log(seconds), 1)[0]
    axes.set(
        xlabel="executors",
        ylabel="CPU seconds on one core",
        title=f"One round on 1,312 supervisors: grows as executors^{slope:.2f}",
    )
    for axis in (axes.xaxis, axes.yaxis):
        plain_numbers(axis)
    axes.grid(alpha=0.3)
    axes.legend()
    figure.savefig(path, metadata={"Date": None})
    plt.close(figure)


if __name__ == "__main__":
    main()

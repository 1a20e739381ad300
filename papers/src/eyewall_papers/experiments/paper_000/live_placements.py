"""Elastic energy, network usage and inter-node traffic of Tag-and-Count as it ran in a trial.

By what the source emits and the delays that the cluster declares, as paper 000 computes figures 5
to 7 by real delays; acks are tuples as any other, as in Eyewall's objectives. Which way tuples take
is not measured but follows from how Storm 2 sends: grouped by shuffle, to an executor on the
sender's host if there is one, else evenly to all; grouped by fields, evenly, which for few tags is
true in the mean only.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from eyewall_deploy.cluster_file import Cluster
from eyewall_deploy.measure.load_samples import bucket_middle

STAGES = ("source", "tokenise", "tag", "filter", "count", "rank", "consumer")
"""Of topologies/specs/tag_and_count.py; each sends all that it gets to the next."""
BY_FIELDS = ("filter", "count")
ACKER = "__acker"
"""Gets a tuple from each stage for each one it has handled, and sends one to the source."""
RATE = 10.0
"""Tuples/s of the source."""
_MANY = re.compile(r"(?P<component>.*) ×(?P<count>\d+)")

Hosts = Mapping[str, float]
"""Host → part of a component's executors there."""


@dataclass(frozen=True, slots=True)
class NetworkMetrics:
    """What section 7.2 compares placements by (paper 000, equations 19 to 21).

    Parameters
    ----------
    elastic_energy
        EE: tuples/s · s².
    network_usage
        N: tuples under way.
    traffic
        T: tuples/s that leave a node.
    """

    elastic_energy: float
    network_usage: float
    traffic: float


@dataclass(frozen=True, slots=True)
class PlacedSpan:
    """What ran from one second of the measurement to another one, and its metrics."""

    begin: float
    end: float
    metrics: NetworkMetrics

    @property
    def seconds(self) -> float:
        """How long it ran."""
        return self.end - self.begin


def executor_counts(lines: Sequence[str]) -> dict[str, dict[str, int]]:
    """Return component → host → executors, of a trial's lines `node-1: source, tag ×2`."""
    counts: dict[str, dict[str, int]] = {}
    for line in lines:
        host, _, executors = line.partition(": ")
        for text in executors.split(", "):
            many = _MANY.fullmatch(text)
            component = many["component"] if many else text
            counts.setdefault(component, {})[host] = int(many["count"]) if many else 1
    return counts


def read_placement(lines: Sequence[str]) -> dict[str, Hosts]:
    """Return component → where it is, of a trial's lines."""
    return {
        component: {host: count / sum(hosts.values()) for host, count in hosts.items()}
        for component, hosts in executor_counts(lines).items()
    }


def network_metrics(lines: Sequence[str], cluster: Cluster) -> NetworkMetrics:
    """Return the metrics of a placement as a trial has it."""
    placed = read_placement(lines)
    streams = [(pair, pair == BY_FIELDS) for pair in pairwise(STAGES)]
    if ACKER in placed:
        streams += [((stage, ACKER), True) for stage in STAGES] + [((ACKER, STAGES[0]), True)]
    energy = usage = traffic = 0.0
    parts: dict[str, Hosts] = {}
    """Component → host → part of its tuples that it handles there."""
    for (sender, receiver), by_fields in streams:
        handled = parts.setdefault(sender, placed[sender])
        reached: dict[str, float] = {}
        for source, part in handled.items():
            to = placed[receiver]
            if not by_fields and source in to:
                to = {source: 1.0}
            for target, share in to.items():
                rate = RATE * part * share
                reached[target] = reached.get(target, 0.0) + part * share
                delay = delay_between(cluster, source, target)
                energy += rate * delay * delay
                usage += rate * delay
                traffic += 0.0 if source == target else rate
        if receiver not in (ACKER, STAGES[0]):
            parts[receiver] = reached
    return NetworkMetrics(energy, usage, traffic)


def delay_between(cluster: Cluster, source: str, target: str) -> float:
    """Return the delay that a cluster declares, in seconds one way; 0 within a host."""
    if source == target:
        return 0.0
    rule = cluster.rule(cluster.host(source), cluster.host(target))
    if rule is None:
        raise ValueError(f"{cluster.name}: no delay from {source} to {target}")
    return rule.one_way


def placed_spans(run: Mapping[str, Any], cluster: Cluster) -> list[PlacedSpan]:
    """Return what ran one after another during a run of a trial's `results.json`."""
    first = run["first_placement"] or run["placement"]
    changes = [(0.0, first), *((max(0.0, it["at"]), it["placement"]) for it in run["moves"])]
    ends = [at for at, _ in changes[1:]] + [float(len(run["seconds"]))]
    return [
        PlacedSpan(begin, end, network_metrics(placement, cluster))
        for (begin, placement), end in zip(changes, ends, strict=True)
        if end > begin
    ]


def mean_metrics(spans: Sequence[PlacedSpan], since: float) -> NetworkMetrics:
    """Return the means over time from a second on."""
    kept = [(min(it.seconds, it.end - since), it.metrics) for it in spans if it.end > since]
    seconds = sum(part for part, _ in kept)
    return NetworkMetrics(
        sum(part * it.elastic_energy for part, it in kept) / seconds,
        sum(part * it.network_usage for part, it in kept) / seconds,
        sum(part * it.traffic for part, it in kept) / seconds,
    )


def mean_latency(run: Mapping[str, Any], since: float = 0.0) -> float | None:
    """Return the mean latency of what was acked from a second on, in seconds; None without any."""
    counts: dict[int, int] = {}
    for second in run["seconds"]:
        if second["at"] >= since:
            for bucket, count in second["latency"].items():
                counts[int(bucket)] = counts.get(int(bucket), 0) + count
    total = sum(counts.values())
    if not total:
        return None
    return sum(bucket_middle(it) * count for it, count in counts.items()) / total

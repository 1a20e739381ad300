"""What the dashboard's API answers of a small cluster: six hosts at three sites, two topologies.

A fog host's reports are late, the other one's latency agent is gone: pages have to show both.
"""

from __future__ import annotations

from itertools import permutations
from random import Random
from typing import TYPE_CHECKING, Literal

from eyewall_contracts.decision import MetricChange, Verdict
from eyewall_monitor.dashboard.views.cluster import ClusterView, Load, RulesView, SupervisorView
from eyewall_monitor.dashboard.views.links import LinkView
from eyewall_monitor.dashboard.views.metrics import PathStepView, metric_views
from eyewall_monitor.dashboard.views.positions import Position
from eyewall_monitor.dashboard.views.response_time import (
    ReassignmentView,
    ResponseTimeView,
    TimePoint,
)
from eyewall_monitor.dashboard.views.signal import Signal
from eyewall_monitor.dashboard.views.switches import SwitchesView
from eyewall_monitor.dashboard.views.topology import (
    ComponentView,
    ExecutorView,
    StreamView,
    TopologySummary,
    TopologyView,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

NOW = 1_800_000_000.0
WORD_COUNT = "word_count-1-1799990000"
TAG_AND_COUNT = "tag_and_count-2-1799990100"
MOVED = "1799999400000-5f1c1a0e-000012"
HOSTS = {
    "edge-1": "edge",
    "edge-2": "edge",
    "fog-1": "fog",
    "fog-2": "fog",
    "cloud-1": "cloud",
    "cloud-2": "cloud",
}
ONE_WAY = {("edge", "fog"): 0.015, ("fog", "cloud"): 0.025, ("cloud", "edge"): 0.040}
PLACES = {
    "edge-1": (-0.041, 0.003),
    "edge-2": (-0.040, -0.002),
    "fog-1": (-0.008, 0.012),
    "fog-2": (-0.011, 0.010),
    "cloud-1": (0.038, -0.004),
    "cloud-2": (0.0405, -0.0015),
}

Kind = Literal["spout", "bolt", "system"]
FRESH = Signal(state="fresh", age=2.4, confidence=0.93)
LATE = Signal(
    state="stale", age=48.0, confidence=0.41, note="No report for 48 s; one comes every 5 s"
)
GONE = Signal(state="missing", note="nothing in Redis")

RUNS: Mapping[str, Mapping[str, tuple[Kind, str]]] = {
    # topology → component → kind, hosts of its executors
    WORD_COUNT: {
        "sentences": ("spout", "edge-1"),
        "split": ("bolt", "edge-1 fog-1"),
        "count": ("bolt", "fog-1 fog-2"),
        "__acker": ("system", "fog-1"),
    },
    TAG_AND_COUNT: {
        "sentences": ("spout", "edge-1 edge-1"),
        "filter": ("bolt", "edge-1 edge-2"),
        "tag": ("bolt", "fog-1 fog-1 fog-2 cloud-1"),
        "count": ("bolt", "cloud-1 cloud-2"),
        "consume": ("bolt", "edge-2"),
        "__acker": ("system", "cloud-1"),
    },
}
STREAMS: Mapping[str, tuple[tuple[str, str, str, float, bool], ...]] = {
    WORD_COUNT: (
        ("sentences", "split", "shuffle", 120.0, False),
        ("split", "count", "fields(word)", 960.0, False),
        ("sentences", "__acker", "fields(id)", 120.0, True),
        ("split", "__acker", "fields(id)", 120.0, True),
        ("count", "__acker", "fields(id)", 960.0, True),
    ),
    TAG_AND_COUNT: (
        ("sentences", "filter", "shuffle", 240.0, False),
        ("filter", "tag", "shuffle", 96.0, False),
        ("tag", "count", "fields(tag)", 288.0, False),
        ("count", "consume", "global", 57.6, False),
        ("sentences", "__acker", "fields(id)", 240.0, True),
        ("count", "__acker", "fields(id)", 288.0, True),
    ),
}


def delay(one: str, other: str) -> float:
    """One way, in seconds."""
    sites = (HOSTS[one], HOSTS[other])
    return ONE_WAY.get(sites, ONE_WAY.get((sites[1], sites[0]), 0.002))


def supervisor(host: str, busy: float) -> SupervisorView:
    """One host of the cluster, `busy` cores of its only one."""
    here = [
        (id_, at)
        for id_, parts in RUNS.items()
        for _, hosts in parts.values()
        for at in hosts.split()
        if at == host
    ]
    return SupervisorView(
        id=f"{host}-5d0c",
        host=host,
        site=HOSTS[host],
        labels=("camera", "source") if host == "edge-1" else (),
        availability=0.999,
        speed=0.5 if host == "fog-2" else 1.0,
        slots=4,
        slots_used=min(4, -(-len(here) // 4) + (host == "fog-1")),
        executors=len(here),
        topologies=tuple(sorted({id_.rsplit("-", 2)[0] for id_, _ in here})),
        cores=1.0,
        memory=2048 * 2**20,
        cores_requested=0.1 * len(here),
        memory_requested=128 * 2**20 * len(here),
        load=Load(
            cores_busy=busy,
            cores=1.0,
            stolen=0.0,
            throttled=0.12 if host == "fog-1" else 0.0,
            memory_used=int(2**30 * (0.6 + busy)),
            memory=2048 * 2**20,
        ),
        report=LATE if host == "fog-2" else FRESH,
        latency=GONE if host == "cloud-2" else FRESH,
        position=Position(
            x=PLACES[host][0], y=PLACES[host][1], height=0.0004, source="coordinates"
        ),
    )


def crossing(one: str, other: str) -> float | None:
    """tuples/s from host to host, every executor sending and taking an even part."""
    total = 0.0
    for id_, streams in STREAMS.items():
        for source, target, _, rate, _ in streams:
            senders, takers = (RUNS[id_][it][1].split() for it in (source, target))
            total += rate * senders.count(one) / len(senders) * takers.count(other) / len(takers)
    return total or None


def links() -> tuple[LinkView, ...]:
    """All pairs; what was estimated is a little off, and once by a third."""
    chance = Random(3)
    found = []
    for one, other in permutations(HOSTS, 2):
        true = delay(one, other)
        off = 1.34 if {one, other} == {"edge-2", "cloud-2"} else chance.gauss(1, 0.05)
        late = "cloud-2" in (one, other)
        found.append(
            LinkView(
                source=one,
                target=other,
                delay=true,
                measured=true * chance.gauss(1, 0.01),
                estimated=true * off,
                signal=LATE if late else FRESH,
                rate=crossing(one, other),
            )
        )
    return tuple(found)


def summary(id_: str) -> TopologySummary:
    """A topology's line."""
    hosts = [it for _, at in RUNS[id_].values() for it in at.split()]
    word_count = id_ == WORD_COUNT
    return TopologySummary(
        id=id_,
        name=id_.rsplit("-", 2)[0],
        mode="auto" if word_count else "observe",
        policy="odp",
        objective="R=1" if word_count else "R=0.5,A=0.2,N=0.3",
        status="kept by eyewall: odp, optimal, R 18 ms; nothing better was found"
        if word_count
        else "kept by eyewall: odp, feasible, gap 3.1 %; would move 3 executors, R 84 ms (was 98); "
        "only observed",
        verdict="keep",
        frozen=not word_count,
        executors=len(hosts),
        placed=len(hosts),
        workers=4 if word_count else 6,
        hosts=len(set(hosts)),
        response_time=0.0182 if word_count else 0.0979,
        measured_response_time=0.0214 if word_count else None,
        rates=FRESH if word_count else Signal(state="missing", note="no document of its rates"),
    )


SWITCHES = SwitchesView(
    available=True, frozen=False, frozen_topologies=(TAG_AND_COUNT,), in_force=True
)
RULES = RulesView(
    minimum_gain=0.1,
    cool_down_seconds=30.0,
    workers_per_round=4,
    workers_per_hour=20,
    workers_started_last_hour=7,
    frozen_by_configuration=False,
)


def cluster() -> ClusterView:
    """The whole of it."""
    return ClusterView(
        revision=41,
        sidecar=FRESH,
        nimbus=FRESH,
        delays=FRESH,
        delays_source="redis",
        supervisors=tuple(
            supervisor(host, busy)
            for host, busy in zip(HOSTS, (0.31, 0.22, 0.97, 0.55, 0.78, 0.12), strict=True)
        ),
        gone=("cloud-3",),
        links=links(),
        all_pairs=True,
        topologies=(summary(TAG_AND_COUNT), summary(WORD_COUNT)),
        switches=SWITCHES,
        rules=RULES,
    )


def executors(id_: str) -> dict[str, list[ExecutorView]]:
    """By component, tasks counted through."""
    found: dict[str, list[ExecutorView]] = {}
    task = 1
    for component, (_, hosts) in RUNS[id_].items():
        for host in hosts.split():
            found.setdefault(component, []).append(
                ExecutorView(
                    executor=f"{component}[{task}-{task}]",
                    component=component,
                    tasks=(task, task),
                    host=host,
                    port=6700 + task % 4,
                    cores=0.1,
                    pins=("source",) if component == "sentences" else (),
                )
            )
            task += 1
    return found


def slowest_path(id_: str) -> tuple[PathStepView, ...]:
    """From the first spout on, over the farthest host each time."""
    found, before = [], ""
    for component, its in executors(id_).items():
        if component.startswith("__"):
            continue
        host = str(its[-1].host)
        wait = 0.0 if before in ("", host) else delay(before, host)
        found.append(
            PathStepView(
                executor=its[-1].executor,
                host=host,
                delay=wait,
                work=0.0004 + 0.0021 * (component == "tag"),
            )
        )
        before = host
    return tuple(found)


METRICS = metric_views(
    (
        MetricChange("objective", before=0.0182),
        MetricChange("R", before=0.0182),
        MetricChange("A", before=0.9921),
        MetricChange("T", before=1240.0),
        MetricChange("N", before=9.84),
        MetricChange("EE", before=0.141),
    )
)


def topology(id_: str) -> TopologyView:
    """A topology, whole."""
    rates = summary(id_).rates
    return TopologyView(
        revision=41,
        summary=summary(id_),
        components=tuple(
            ComponentView(
                id=it,
                kind=RUNS[id_][it][0],
                executors=tuple(its),
                emitted=sum(
                    rate
                    for source, _, _, rate, system in STREAMS[id_]
                    if source == it and not system
                )
                or None,
                capacity=0.71 if it == "tag" else 0.12,
            )
            for it, its in executors(id_).items()
        ),
        streams=tuple(
            StreamView(
                source=source,
                target=target,
                stream="default" if not system else "__ack",
                grouping=grouping,
                system=system,
                rate=rate,
                error=None if system else rate * 0.02,
                rate_between_hosts=rate * 0.75,
                signal=rates,
            )
            for source, target, grouping, rate, system in STREAMS[id_]
        ),
        metrics=METRICS,
        slowest_path=slowest_path(id_),
        cooling=12.0 if id_ == WORD_COUNT else 0.0,
        unknown="",
        assumptions=(
            "rates are spread evenly over executors of a component",
            "split: 8 words in a sentence, as hinted",
        )
        if id_ == WORD_COUNT
        else ("no rate is measured: 240 tuples/s of sentences are taken from its hint",),
    )


def response_time(id_: str) -> ResponseTimeView:
    """An hour of it; a move 600 s ago made it better."""
    chance = Random(5)
    times = [NOW - 3600 + 30 * step for step in range(121)]
    was = [0.061 if at < NOW - 600 else 0.0182 for at in times]
    nothing = id_ != WORD_COUNT
    return ResponseTimeView(
        topology=id_,
        predicted=tuple(
            TimePoint(at=at, value=value) for at, value in zip(times, was, strict=True)
        ),
        measured=()
        if nothing
        else tuple(
            TimePoint(
                at=at,
                value=None
                if 1500 < NOW - at < 1700
                else value * 1.15 + abs(chance.gauss(0, 0.003)),
            )
            for at, value in zip(times, was, strict=True)
        ),
        measured_note="No report of its workers has a complete latency: it has no acker that works"
        if nothing
        else "",
        reassignments=(
            ReassignmentView(
                at=NOW - 3400,
                decision="1799996600000-5f1c1a0e-000002",
                verdict=Verdict.PLACED,
                said="placed by eyewall: odp, optimal, R 61 ms",
                moves=6,
            ),
            ReassignmentView(
                at=NOW - 600,
                decision=MOVED,
                verdict=Verdict.MOVED,
                said="placed by eyewall: odp, optimal, R 18 ms (was 61), 3 executors moved",
                moves=3,
            ),
        ),
    )

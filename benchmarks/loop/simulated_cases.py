"""Random clusters and topologies for the simulated loop, each from one seed."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from eyewall_deploy import cluster_file
from eyewall_sidecar.storm import (
    Component,
    ComponentKind,
    Executor,
    Grouping,
    Input,
    Supervisor,
    Topology,
)

from benchmarks.loop.simulated_parts import (
    Physics,
    SimulatedComponent,
    SimulatedHost,
    shares_of,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.random import Generator
    from numpy.typing import NDArray

SHAPES = ("chain", "fan", "diamond", "words", "random")
BRIEFLY = "host slowed for a minute"
KINDS = ("constant", "noise", "steps", "slowed host", BRIEFLY, "hidden slowness", "trials")
SLOWED = ("slowed host", BRIEFLY, "hidden slowness")
"""Kinds in which the host that most of the topology runs on is slowed."""
SLOWNESS = (1.0, 1.0, 1.0, 2.5)
"""Of hosts whose slowness is hidden, one of these: what is better by all reports may be worse."""
TRIAL_CLUSTERS = ("six-unequal", "ecker11")
TRIAL_SHAPES = ("chain", "fan", "diamond", "words")
TRIAL_LOADS = (0.25, 0.5, 0.8, 0.95)
"""Parts of what RAS carries; the trials' largest is 1, at which queues grow under any placement."""
WORDS = 5.0
"""In a line of the trials' word count."""
MEGABYTE = 1 << 20
STEP_AT, STEP_UNTIL = 240.0, 420.0
"""Seconds between which the rate is higher, or from which on a host is slower."""
SLOW_UNTIL = 300.0
"""When a host that is slowed for a minute is as before."""


@dataclass(frozen=True, slots=True)
class SimulatedCase:
    """A cluster, a topology and what happens to them.

    Parameters
    ----------
    seed, shape, kind
        Which case it is; what the topology looks like; what changes.
    load
        The part of the rate that RAS's placement carries.
    change
        New figures of the host that most of the topology runs on, while it is slowed.
    step
        Multiple of the rate during a step.
    round_seconds
        From one of Nimbus's rounds to the next.
    """

    seed: int
    shape: str
    kind: str
    hosts: tuple[SimulatedHost, ...]
    delays: NDArray[np.float64]
    components: tuple[SimulatedComponent, ...]
    physics: Physics
    declared_cores: float
    load: float
    change: Mapping[str, float]
    step: float
    round_seconds: float

    def rate(self, time: float, base: float, rng: Generator) -> float:
        """Return the tuples/s that are offered at a moment."""
        if self.kind == "steps" and STEP_AT <= time < STEP_UNTIL:
            return base * self.step
        if self.kind == "noise":
            return float(base * np.clip(rng.lognormal(0.0, 0.25), 0.4, 1.8))
        return base

    def supervisors(self) -> tuple[Supervisor, ...]:
        """Return the hosts as Nimbus knows them."""
        ports = tuple(range(6700, 6708))
        return tuple(
            Supervisor(f"sup-{it.name}", it.name, ports, it.cores, 64 * 1024 * MEGABYTE)
            for it in self.hosts
        )

    def topology(self, **settings: object) -> Topology:
        """Return the topology as Nimbus knows it."""
        task, built = 0, []
        for it in self.components:
            executors = tuple(Executor(task + n, task + n) for n in range(1, len(it.shares) + 1))
            task += len(it.shares)
            even = len(set(it.shares)) == 1
            grouping = Grouping.SHUFFLE if even else Grouping.FIELDS
            inputs = tuple(Input(source, "default", grouping) for source in it.inputs)
            kind = ComponentKind.BOLT if inputs else ComponentKind.SPOUT
            built.append(
                Component(it.name, kind, executors, self.declared_cores, 64 * MEGABYTE, 0, inputs)
            )
        texts = {f"eyewall.{key}": json.dumps(value) for key, value in settings.items()}
        return Topology(f"{self.shape}-{self.seed}", self.shape, tuple(built), 2, 0, texts)


def random_case(seed: int, kind: str = "constant") -> SimulatedCase:
    """Draw a case; of the kind `trials`, what the trials run, in turn."""
    if kind == "trials":
        return _trial_case(seed)
    rng = np.random.default_rng(seed)
    count = int(rng.integers(3, 11))
    scale = float(rng.choice([0.3, 1.0, 2.0]))
    hosts = tuple(
        SimulatedHost(
            f"host-{n}",
            cores := float(rng.choice([0.5, 0.5, 1.0, 1.0, 2.0])) * scale,
            background=cores * float(rng.choice([0.0, 0.0, 0.05, 0.2])),
            quota=bool(rng.random() < 0.7),
        )
        for n in range(count)
    )
    shape = str(rng.choice(SHAPES))
    components = _components(shape, rng)
    executors = sum(len(it.shares) for it in components)
    cores = sum(it.cores for it in hosts)
    kind_of_change = str(rng.choice(["cores", "background", "steal"]))
    if kind == "hidden slowness":
        factors = np.random.default_rng([seed, 1]).choice(SLOWNESS, count).tolist()
        hosts = tuple(replace(it, slowness=slow) for it, slow in zip(hosts, factors, strict=True))
    return SimulatedCase(
        seed=seed,
        shape=shape,
        kind=kind,
        hosts=hosts,
        delays=_delays(count, rng),
        components=components,
        physics=_physics(rng),
        declared_cores=min(0.1, 0.4 * cores / executors),
        load=float(rng.uniform(0.15, 0.95)),
        change={kind_of_change: 1 / 3 if kind_of_change == "cores" else 2 / 3},
        step=float(rng.choice([0.5, 2.0, 3.0])),
        round_seconds=float(rng.choice([3.0, 5.0, 10.0])),
    )


def slowed(host: SimulatedHost, change: Mapping[str, float]) -> SimulatedHost:
    """Return a host that has a third of its cores left, in use by others or not."""
    if "cores" in change:
        return replace(host, cores=host.cores * change["cores"])
    if "background" in change:
        taken = host.cores * change["background"]
        return replace(host, background=max(host.background, taken))
    return replace(host, steal=change["steal"])


def _trial_case(seed: int) -> SimulatedCase:
    """Return a cluster and a topology of the live trials, with physics drawn at random."""
    rng = np.random.default_rng(seed)
    turn, load = divmod(seed, len(TRIAL_LOADS))
    turn, shape = divmod(turn, len(TRIAL_SHAPES))
    cluster = cluster_file.load(TRIAL_CLUSTERS[turn % len(TRIAL_CLUSTERS)])
    hosts = tuple(SimulatedHost(it.name, it.cpu * cluster.cpu_scale) for it in cluster.hosts)
    rules = [[cluster.rule(one, other) for other in cluster.hosts] for one in cluster.hosts]
    delays = np.array([[it.one_way / 1000 if it else 0.0 for it in row] for row in rules])
    np.fill_diagonal(delays, 0.0)
    components = _trial_components(TRIAL_SHAPES[shape])
    executors = sum(len(it.shares) for it in components)
    cores = sum(it.cores for it in hosts)
    return SimulatedCase(
        seed=seed,
        shape=TRIAL_SHAPES[shape],
        kind="trials",
        hosts=hosts,
        delays=delays,
        components=components,
        physics=_physics(rng),
        declared_cores=min(0.1, 0.4 * cores / executors),
        load=TRIAL_LOADS[load],
        change={},
        step=1.0,
        round_seconds=3.0,
    )


def _trial_components(shape: str) -> tuple[SimulatedComponent, ...]:
    """Return what `eyewall-deploy`'s load topologies have with the trials' arguments."""

    def operator(name: str, *inputs: str) -> SimulatedComponent:
        return SimulatedComponent(name, inputs, shares_of(2, 0.0), 0.001)

    def sink(name: str, *inputs: str) -> SimulatedComponent:
        return SimulatedComponent(name, inputs, (1.0,), 0.00002)

    source = SimulatedComponent("source", (), (1.0,), 0.00002)
    branches = [operator(f"branch-{n}", "operator") for n in range(3)]
    names = [it.name for it in branches]
    match shape:
        case "chain":
            stages = [operator(f"operator-{n}", f"operator-{n - 1}") for n in (1, 2)]
            first = operator("operator-0", "source")
            return (source, first, *stages, sink("sink", "operator-2"))
        case "fan":
            sinks = [sink(f"sink-{n}", it) for n, it in enumerate(names)]
            return (source, operator("operator", "source"), *branches, *sinks)
        case "diamond":
            join = SimulatedComponent("join", tuple(names), shares_of(2, 0.0), 0.001, 1 / 3)
            return (
                source,
                operator("operator", "source"),
                *branches,
                join,
                sink("sink", "join"),
            )
    split = SimulatedComponent("split", ("source",), shares_of(2, 0.0), 0.0002, WORDS)
    return (source, split, SimulatedComponent("count", ("split",), shares_of(2, 0.5), 0.0002))


def _components(shape: str, rng: Generator) -> tuple[SimulatedComponent, ...]:
    def cost() -> float:
        return float(10 ** rng.uniform(-4.0, -2.0))

    def component(
        name: str, *inputs: str, selectivity: float = 1.0, skew: float = 0.0
    ) -> SimulatedComponent:
        count = 1 if not inputs else int(rng.integers(1, 5))
        own = cost() if inputs else cost() / 10
        return SimulatedComponent(name, inputs, shares_of(count, skew), own, selectivity)

    match shape:
        case "chain":
            names = ["source", *(f"bolt-{n}" for n in range(int(rng.integers(2, 5)))), "sink"]
            first = component(names[0])
            return (first, *(component(it, names[n]) for n, it in enumerate(names[1:])))
        case "fan":
            leaves = [component(f"leaf-{n}", "source") for n in range(int(rng.integers(2, 5)))]
            return (component("source"), *leaves)
        case "diamond":
            return (
                component("source"),
                component("left", "source"),
                component("right", "source"),
                component("join", "left", "right", selectivity=0.5),
                component("sink", "join"),
            )
        case "words":
            return (
                component("source"),
                component("split", "source", selectivity=float(rng.uniform(3, 8))),
                component("count", "split", skew=float(rng.uniform(0.5, 1.2))),
            )
    built = [component("source")]
    for n in range(int(rng.integers(3, 6))):
        inputs = rng.choice([it.name for it in built], size=min(len(built), 2), replace=False)
        inputs = inputs[: int(rng.integers(1, 3))]
        built.append(
            component(f"bolt-{n}", *map(str, inputs), selectivity=float(rng.uniform(0.5, 1.5)))
        )
    return tuple(built)


def _delays(count: int, rng: Generator) -> NDArray[np.float64]:
    """Return one-way seconds: hosts at sites, some near, some far."""
    sites = rng.integers(0, int(rng.integers(1, 4)), size=count)
    far = float(rng.choice([0.001, 0.005, 0.02]))
    places = rng.uniform(0, 1, size=(4, 2))
    found = np.full((count, count), 0.0005)
    for one in range(count):
        for other in range(count):
            away = float(np.linalg.norm(places[sites[one]] - places[sites[other]]))
            found[one, other] += far * away
    np.fill_diagonal(found, 0.0)
    return found


def _physics(rng: Generator) -> Physics:
    return Physics(
        burstiness=float(10 ** rng.uniform(-0.5, 0.5)),
        sharing=float(rng.uniform(0.5, 1.5)),
        send_cpu=float(10 ** rng.uniform(-6, -4.3)),
        receive_cpu=float(10 ** rng.uniform(-6, -4.3)),
        crossing_seconds=float(rng.uniform(0.0003, 0.002)),
        worker_cpu=float(rng.uniform(0.002, 0.01)),
        start_cpu=float(rng.uniform(2, 8)),
        cold_factor=float(rng.uniform(0.2, 2.0)),
        pending=float(rng.choice([200.0, 1000.0, 5000.0])),
        crossing_cpu=float(rng.uniform(0.02, 0.08)),
        crossing_half_rate=float(rng.uniform(200.0, 1000.0)),
    )

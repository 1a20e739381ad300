"""A pair of executors whose moves may overlap, and why one would not."""

from eyewall_contracts.sample import OVERLAP_CONTRACT
from eyewall_sidecar.messages import Message
from eyewall_sidecar.service.decision import Place
from eyewall_sidecar.service.move_price import price_move
from eyewall_sidecar.service.overlap import restart_reason
from eyewall_sidecar.service.problem_cache import PlacementRequest
from eyewall_sidecar.service.worker_starts import WorkerStarts
from eyewall_sidecar.storm import Assignment, Topology
from measured_topologies import report
from msgspec import structs
from obedient_nimbus import Nimbus
from storm_builders import chain, supervisor, worker

USUAL = 8.0
"""Seconds that a JVM takes to start, while no start was seen."""
REPLAYED = 1.5 * 30.0
"""Seconds that a tuple is late that is lost and replayed, with Storm's timeout."""
TOGETHER = (worker("a", 6701, 1, 2),)
"""Both executors in a new worker on a: the worker on b ends, and so does that in slot 6700 on a."""


def pair(moves: object = "overlap", **settings: object) -> Topology:
    """source and sink, an executor each of 128 MB."""
    return chain(("source", 1), ("sink", 1), settings={"moves": moves, **settings})


def report_workers(
    nimbus: Nimbus, topology: Topology, *, used: float = 0.1, **agent: object
) -> None:
    """The worker in the first slot of a and of b, of one core each, as hosts' agents report."""
    nimbus.measured.wanted = True
    for host in ("a", "b"):
        before = nimbus.measured.hosts.get(host)
        sequence = before.sequence + 1 if before else 0
        sample = report(host, sequence, time=nimbus.clock.now, used={topology.id: used})
        workers = tuple(structs.replace(it, **agent) for it in sample.workers)
        nimbus.measured.hosts[host] = structs.replace(sample, workers=workers)


def running(
    topology: Topology,
    *,
    agents: bool | None = True,
    contract: int = OVERLAP_CONTRACT,
    used: float = 0.1,
) -> Nimbus:
    """source on a and sink on b; agents None: their workers are not reported."""
    nimbus = Nimbus([supervisor("a"), supervisor("b")], {("a", "b"): 10})
    nimbus.running[topology.id] = (worker("a", 6700, 1), worker("b", 6700, 2))
    nimbus.measured.wanted = True
    if agents is not None:
        about = {"overlaps": agents, "agent_contract": contract, "agent_version": "0.0.9"}
        report_workers(nimbus, topology, used=used, **about)
    nimbus.round(topology, obey=False)
    return nimbus


def request(nimbus: Nimbus, topology: Topology) -> PlacementRequest:
    return nimbus.context.running_problem(topology.id).request


def price(nimbus: Nimbus, topology: Topology, after: Assignment = TOGETHER) -> float:
    return price_move(request(nimbus, topology), after, WorkerStarts()).seconds


OTHERS = [chain(("x", 1), name=f"o-{it}", settings={"moves": "overlap"}) for it in (1, 2)]
"""That ask for it, too."""


def reason(nimbus: Nimbus, topology: Topology, after: Assignment = TOGETHER) -> Message | None:
    """Why this move restarts, by what the next round knows."""
    nimbus.round(topology, *OTHERS, obey=False)
    return restart_reason(request(nimbus, topology), after)


def add_worker(
    nimbus: Nimbus,
    host: str,
    *,
    port: int,
    topology: str,
    overlaps: bool = True,
    started: float = -3600.0,
    used: float = 0.1,
    start_cpu: float | None = None,
) -> None:
    """One more in a host's report."""
    now = nimbus.clock.now
    added = report(host, time=now, used={topology: used}, port=port, started=started)
    (one,) = added.workers
    one = structs.replace(
        one, overlaps=overlaps, agent_contract=OVERLAP_CONTRACT, start_cpu=start_cpu
    )
    own = nimbus.measured.hosts.get(host, structs.replace(added, workers=()))
    workers = (*own.workers, one)
    nimbus.measured.hosts[host] = structs.replace(
        own, workers=workers, sequence=own.sequence + 1, time=nimbus.clock.now
    )


def have_cores(nimbus: Nimbus, cores: float) -> None:
    """So many on each host, by its next report."""
    for host, sample in nimbus.measured.hosts.items():
        assert sample.machine is not None
        machine = structs.replace(sample.machine, cpus=max(1, int(cores)), quota=cores)
        after = structs.replace(sample, machine=machine, sequence=sample.sequence + 1)
        nimbus.measured.hosts[host] = after


def report_start_cpu(nimbus: Nimbus, seconds: float) -> None:
    """Each host's next report says so of its workers."""
    for host, sample in nimbus.measured.hosts.items():
        workers = tuple(structs.replace(it, start_cpu=seconds) for it in sample.workers)
        after = structs.replace(sample, workers=workers, sequence=sample.sequence + 1)
        nimbus.measured.hosts[host] = after


def move(nimbus: Nimbus, topology: Topology, drained: str = "a") -> Place:
    """What is decided once a host has to be left."""
    nimbus.switches.turn(drained=[drained])
    (only,) = (it.verdict for it in nimbus.rounds(topology, 3) if isinstance(it.verdict, Place))
    return only

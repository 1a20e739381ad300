"""Cores that a topology's executors would use at speed 1, by what they used."""

from collections.abc import Mapping

from eyewall_sidecar.storm.cluster import ComponentKind, Executor, Topology
from eyewall_sidecar.storm.stream_shares import add, even_out, tasks
from eyewall_sidecar.storm.topology_estimates import MeasuredTopology, MeasuredValue

IDLE_THREAD = 0.011
"""Cores of an executor without tuples: it looks for one every millisecond
(topology.bolt.wait.strategy, topology.sleep.spout.wait.strategy.time.ms); 0.010 to 0.0125 were
measured. It gives way to work: a thread that works, or that a quota stops, does not look."""
GIVES_WAY = 0.1
"""Idle part of a host's CPU: where less is idle, threads look for tuples the less often, and not at
all where nothing is. Half of what they use elsewhere was measured at 0.045, all of it at 0.23."""
LEAST_PART = 0.1
"""Of what an executor used, what its work took at least: another wait strategy takes less."""


def core_demand(
    topology: Topology, speeds: Mapping[Executor, float], measured: MeasuredTopology | None
) -> dict[Executor, MeasuredValue] | None:
    """Return what each executor used, as on a host of speed 1; None unless all are known.

    Parameters
    ----------
    speeds
        Executor → speed of the host that it was measured on; 1 where it is missing.
    measured
        What the topology's tasks used; None if nothing is measured.
    """
    if measured is None:
        return None
    demand: dict[Executor, MeasuredValue] = {}
    for component in topology.components:
        for executor in component.executors:
            used = [measured.cores.get(task) for task in tasks(executor)]
            if not all(used):
                return None
            speed = speeds.get(executor, 1.0)
            whole = add(it for it in used if it)
            demand[executor] = MeasuredValue(whole.value * speed, whole.error * speed)
    return demand


def even_components(
    topology: Topology, figures: Mapping[Executor, MeasuredValue]
) -> dict[Executor, MeasuredValue]:
    """Return figures of all executors, those of a component taken as alike where they may be."""
    found: dict[Executor, MeasuredValue] = {}
    for component in topology.components:
        if of_component := {it: figures[it] for it in component.executors}:
            even = even_out(of_component)
            found |= {it: MeasuredValue(even[it], of_component[it].error) for it in even}
    return found


def polling_cpu(
    topology: Topology, used: Mapping[Executor, MeasuredValue]
) -> dict[Executor, float]:
    """Return the cores of each executor while it looks for tuples and finds none.

    No more than the least that any of its kind used: wait strategies differ, and those of spouts
    and bolts are set one by one.
    """
    found: dict[Executor, float] = {}
    for spouts in (True, False):
        of_kind = [
            executor
            for component in topology.components
            if (component.kind is ComponentKind.SPOUT) == spouts
            for executor in component.executors
        ]
        least = min((used[it].value for it in of_kind), default=0.0)
        found |= dict.fromkeys(of_kind, min(IDLE_THREAD, least))
    return found


def working_part(used: MeasuredValue, polling: float, idle: float = 1.0) -> MeasuredValue:
    """Return what of the cores that an executor used its tuples took.

    The rest went into looking for tuples: it limits no rate, as it gives way to work. How much that
    is is known within half of what it would be on an idle host.

    Parameters
    ----------
    polling
        Cores of an executor that finds no tuples.
    idle
        The part of its host's CPU that nobody used.
    """
    most = polling * max(0.0, 1.0 - used.value)
    looking = most * min(1.0, max(0.0, idle) / GIVES_WAY)
    working = max(used.value - looking, LEAST_PART * used.value)
    return MeasuredValue(working, used.error + min(most / 2, working))

"""Cores that a topology's executors need, by what they used."""

from collections.abc import Mapping

from eyewall_sidecar.storm.cluster import Executor, Topology
from eyewall_sidecar.storm.host_load import HostLoad
from eyewall_sidecar.storm.stream_shares import add, even_out, tasks
from eyewall_sidecar.storm.topology_estimates import MeasuredTopology, MeasuredValue

LEAST_PROGRESS = 0.5
"""The need of work that is held up for longer than it runs is hard to estimate; an estimate that is
too high would leave no host for it."""


def core_demand(
    topology: Topology,
    running_on: Mapping[Executor, str],
    measured: MeasuredTopology | None,
    loads: Mapping[str, HostLoad],
) -> dict[Executor, float] | None:
    """Cores that each executor needs; None unless all of them are known.

    On a host that held its work up, what an executor used is less than what it needs: the
    estimate adds what it would have used in the time that it was held up, up to twice as much. What
    it really needs shows once it runs elsewhere.

    Parameters
    ----------
    running_on
        The host that each executor runs on.
    measured
        What the topology's tasks used; None if nothing is measured.
    loads
        How much each host holds work up; a host of unknown load counts as holding up nothing.
    """
    if measured is None:
        return None
    needed: dict[Executor, float] = {}
    for component in topology.components:
        of_component: dict[Executor, MeasuredValue] = {}
        for executor in component.executors:
            used = [measured.cores.get(task) for task in tasks(executor)]
            load = loads.get(running_on.get(executor, ""))
            progress = max(LEAST_PROGRESS, load.progress) if load is not None else 1.0
            if not all(used):
                return None
            whole = add(it for it in used if it)
            of_component[executor] = MeasuredValue(whole.value / progress, whole.error / progress)
        if of_component:
            needed |= even_out(of_component)
    return needed

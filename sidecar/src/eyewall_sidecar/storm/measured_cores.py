"""Cores that a topology's executors need, by what they used."""

from collections.abc import Mapping

from eyewall_sidecar.storm.host_load import HostLoad
from eyewall_sidecar.storm.measured import Figure, MeasuredTopology
from eyewall_sidecar.storm.spreading import evened, summed, tasks
from eyewall_sidecar.storm.topology import Executor, Topology

LEAST_PROGRESS = 0.5
"""Of work that is held up for longer than it runs it is hard to tell how much more it needs; too
much taken for granted would leave it no host to go to."""


def measured_cores(
    topology: Topology,
    running_on: Mapping[Executor, str],
    measured: MeasuredTopology | None,
    loads: Mapping[str, HostLoad],
) -> dict[Executor, float] | None:
    """Cores that each executor needs; None unless all of them are known.

    On a host that held its work up, what an executor used is less than what it needs: it is taken
    to need what it would have used in the time that it was held up, too, up to twice as much. What
    it really needs shows once it runs elsewhere.

    Parameters
    ----------
    running_on
        The host that each executor runs on.
    measured
        What the topology's tasks used; None if nothing is measured.
    loads
        How much each host holds work up; one whose load is unknown is taken not to.
    """
    if measured is None:
        return None
    needed: dict[Executor, float] = {}
    for component in topology.components:
        of_component: dict[Executor, Figure] = {}
        for executor in component.executors:
            used = [measured.cores.get(task) for task in tasks(executor)]
            load = loads.get(running_on.get(executor, ""))
            progress = max(LEAST_PROGRESS, load.progress) if load is not None else 1.0
            if not all(used):
                return None
            whole = summed(it for it in used if it)
            of_component[executor] = Figure(whole.value / progress, whole.error / progress)
        if of_component:
            needed |= evened(of_component)
    return needed

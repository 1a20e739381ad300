"""What the load model knows of one topology and its hosts (docs/design/load.md)."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from statistics import fmean, median

import numpy as np

from eyewall_sidecar.model import LoadModel
from eyewall_sidecar.model.array_types import Indices
from eyewall_sidecar.model.path_order import path_order
from eyewall_sidecar.model.shuffles import Shuffles, shuffle_numbers
from eyewall_sidecar.model.tuple_bursts import burst_rates
from eyewall_sidecar.storm.capacity import Capacities
from eyewall_sidecar.storm.cluster import (
    Component,
    Executor,
    Slot,
    Supervisor,
    Topology,
    TopologyState,
)
from eyewall_sidecar.storm.core_demand import (
    core_demand,
    even_components,
    polling_cpu,
    working_part,
)
from eyewall_sidecar.storm.host_load import HostLoad
from eyewall_sidecar.storm.rates import Flow
from eyewall_sidecar.storm.stream_shares import add, is_shuffled, parts_by_tasks
from eyewall_sidecar.storm.topology_estimates import MeasuredTopology, MeasuredValue
from eyewall_sidecar.storm.wait_fit import WaitFit
from eyewall_sidecar.storm.worker_overhead import (
    HALF_RATE,
    CrossingCost,
    ObservedWorker,
    WorkerAddress,
    fit_crossing_cost,
)

CROSSING_SECONDS = 1e-3
"""From worker to worker on one host: a tuple waits for its batch, is serialised and sent. 1.8 ms
became 2.8 when two executors of one worker were put into two."""


class LoadInputs:
    """Demand, cores and costs of crossings, as measured; each worked out once.

    Parameters
    ----------
    capacities, topology
        The supervisors, and where the topology runs.
    speeds
        Host → its declared speed; 1 where it is missing.
    measured, loads, overheads, crossing_cost, waits
        As in `Signals`.
    """

    def __init__(
        self,
        capacities: Capacities,
        topology: TopologyState,
        speeds: Mapping[str, float],
        measured: MeasuredTopology | None,
        loads: Mapping[str, HostLoad],
        overheads: Mapping[WorkerAddress, float],
        crossing_cost: CrossingCost,
        waits: WaitFit,
    ) -> None:
        self._topology = topology.topology.id
        self._slots = topology.running()
        self._hosts = {it: capacity.supervisor.host for it, capacity in capacities.items()}
        self._execution_times = measured.execution_times if measured is not None else {}
        self._loads = loads
        self._overheads = overheads
        self._crossing_cost = crossing_cost
        self._waits = waits
        self._declared: defaultdict[str, float] = defaultdict(float)
        for capacity in capacities.values():
            self._declared[capacity.supervisor.host] += capacity.supervisor.cpu_cores
        at = {it: speeds.get(self._host(slot), 1.0) for it, slot in self._slots.items()}
        self._speeds = speeds
        self._speed_at = at
        self.used: dict[Executor, MeasuredValue] | None = None
        """Executor → cores that it used, at speed 1; None where that is not known of all."""
        self._polling: dict[Executor, float] = {}
        self._working: dict[Executor, MeasuredValue] = {}
        if (used := core_demand(topology.topology, at, measured)) is not None:
            self.used = even_components(topology.topology, used)
            self._polling = polling_cpu(topology.topology, self.used)
            self._working = self._working_parts(topology.topology, used, self.used)

    def demand(self, executor: Executor) -> MeasuredValue | None:
        """Return the cores that an executor's tuples need at speed 1; None if that is unknown."""
        return self._working.get(executor)

    def execution_time(self, component: Component) -> float:
        """Return the CPU-seconds of a tuple at speed 1, without looking for it; 0 if unknown."""
        measured, executors = self._execution_times.get(component.id), component.executors
        if measured is None or not executors:
            return 0.0
        speeds = [self._speed_at.get(it, 1.0) for it in executors]
        if self.used is None:
            return measured.value * fmean(speeds)
        used = [self.used[it].value for it in executors]
        as_measured = sum(value / speed for value, speed in zip(used, speeds, strict=True))
        if not as_measured:
            return measured.value * fmean(speeds)
        worked = sum(self._working[it].value for it in executors)
        return measured.value * worked / as_measured

    def cores_left(self, supervisor: Supervisor) -> float | None:
        """Return the measured cores that others leave for the topology; None if unknown."""
        load = self._loads.get(supervisor.host)
        return None if load is None else self._share(supervisor) * load.left_for(self._topology)

    def cores(self, supervisor: Supervisor, declared: float) -> tuple[float | None, float]:
        """Return all cores of a supervisor, and those that others use.

        While the topology's demand is unknown these are declared cores, of which processes other
        than workers use as large a part as of the measured ones: the two have nothing else in
        common. Other topologies' workers use what they declare. None, 0 is unknown; a host without
        a report has as many measured cores for what it declares as the others.

        Parameters
        ----------
        declared
            What other topologies leave of the declared cores.
        """
        load, left = self._loads.get(supervisor.host), self.cores_left(supervisor)
        if self.used is None:
            if load is None or load.cores <= 0:
                return None, 0.0
            taken = load.of_other_processes / load.cores * supervisor.cpu_cores
            return declared, min(taken, declared)
        if not self._loads:
            return None, 0.0
        if load is None or left is None:
            return self._likely_cores(supervisor), 0.0
        cores = self._share(supervisor) * load.cores
        return cores, cores - left

    def load_model(self, flows: Sequence[Flow], headroom: float, per_slot: int) -> LoadModel:
        """Return the model with costs of crossings fitted to the workers that run."""
        cost = fit_crossing_cost(self._observed_workers(flows), self._crossing_cost)
        return LoadModel(
            headroom=headroom,
            executors_per_worker=per_slot,
            worker_cpu=cost.worker,
            crossing_cpu=cost.crossing,
            crossing_half_rate=HALF_RATE,
            polling_cpu=fmean(self._polling.values()) if self._polling else 0.0,
            send_cpu=cost.per_tuple,
            receive_cpu=cost.per_tuple,
            crossing_seconds=CROSSING_SECONDS,
            burstiness=self._waits.burstiness,
            sharing=self._waits.sharing,
        )

    def _working_parts(
        self,
        topology: Topology,
        used: Mapping[Executor, MeasuredValue],
        even: Mapping[Executor, MeasuredValue],
    ) -> dict[Executor, MeasuredValue]:
        """Return what tuples took of what each executor used.

        Each looks for tuples as often as its own host lets it. Those of a component that are alike
        in what they used, or differ by what shuffles sent them, are alike in what is left of it.
        """
        found = {
            it: working_part(value, self._polling[it], self._idle(it)) for it, value in used.items()
        }
        for component in topology.components:
            executors = component.executors
            if executors and is_shuffled(component, topology):
                whole = add(found[it] for it in executors)
                found |= {
                    it: MeasuredValue(whole.value * part, whole.error * part)
                    for it, part in parts_by_tasks(executors).items()
                }
            elif len({even[it].value for it in executors}) == 1:
                mean = fmean(found[it].value for it in executors)
                found |= {it: found[it]._replace(value=mean) for it in executors}
        return found

    def _idle(self, executor: Executor) -> float:
        slot = self._slots.get(executor)
        load = self._loads.get(self._host(slot)) if slot is not None else None
        return load.idle if load is not None else 1.0

    def _observed_workers(self, flows: Sequence[Flow]) -> Iterator[ObservedWorker]:
        if not self._overheads:
            return
        tuples: defaultdict[Slot | None, float] = defaultdict(float)
        bursts: defaultdict[Slot | None, float] = defaultdict(float)
        for it, rate, burst_rate in self._rates(flows):
            source, target = self._slots.get(it.source), self._slots.get(it.target)
            if source != target:
                for end in (source, target):
                    tuples[end] += rate
                    bursts[end] += burst_rate
        for slot in set(self._slots.values()):
            host = self._host(slot)
            if (overhead := self._overheads.get((host, slot.port))) is not None:
                at_speed_one = overhead * self._speeds.get(host, 1.0)
                yield ObservedWorker(at_speed_one, tuples[slot], bursts[slot])

    def _rates(self, flows: Sequence[Flow]) -> Iterator[tuple[Flow, float, float]]:
        """Yield flows with their tuples/s and bursts/s where executors run now."""
        index: dict[Executor, int] = {}
        ends = [
            [index.setdefault(end, len(index)) for end in (it.source, it.target)] for it in flows
        ]
        sources, targets = np.array(ends, dtype=np.int64).reshape(-1, 2).T
        rates = np.array([it.rate for it in flows], dtype=np.float64)
        system = np.array([it.system for it in flows], dtype=np.bool_)
        names = {str(it): place for it, place in index.items()}
        own = [(str(it.source), str(it.target)) for it in flows if not it.system]
        order = [names[it] for it in path_order(list(names), own)]
        shuffles = Shuffles.of(
            sources,
            targets,
            rates,
            system,
            shuffle_numbers([(it.source, it.shuffle) for it in flows]),
            np.array(order, dtype=np.int64),
            len(index),
        )
        _, multiples = shuffles.multiples([self._places(index, of_host=it) for it in (False, True)])
        bursts = burst_rates(sources, targets, rates, system, len(index))
        yield from zip(
            flows, (rates * multiples).tolist(), (bursts * multiples).tolist(), strict=True
        )

    def _places(self, executors: Iterable[Executor], *, of_host: bool) -> Indices:
        """Return a number for each executor's worker, or for its host."""
        numbers: dict[object, int] = {}
        found = []
        for it in executors:
            slot = self._slots.get(it)
            where = it if slot is None else self._host(slot) if of_host else slot
            found.append(numbers.setdefault(where, len(numbers)))
        return np.array(found, dtype=np.int64)

    def _host(self, slot: Slot) -> str:
        return self._hosts.get(slot.supervisor, "")

    def _likely_cores(self, supervisor: Supervisor) -> float:
        known = [
            self._loads[host].cores / declared
            for host, declared in self._declared.items()
            if host in self._loads and declared > 0
        ]
        return supervisor.cpu_cores * (median(known) if known else 1.0)

    def _share(self, supervisor: Supervisor) -> float:
        """Return its part of what its host has: by what those on one host declare."""
        declared = self._declared[supervisor.host]
        return supervisor.cpu_cores / declared if declared > 0 else 1.0

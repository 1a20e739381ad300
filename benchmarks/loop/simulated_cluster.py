"""A Storm cluster as a fluid model with noise: executors, queues, quotas and starts of workers.

It is the world that the simulated loop decides about. How tuples wake workers has the form that was
measured, which the sidecar's model has, too. None of its figures come from that model: burstiness,
the CPU that crossing tuples and worker processes use, and what a start takes are drawn at random
for each case (`simulated_cases`), and the sidecar has to measure them.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from math import exp
from typing import TYPE_CHECKING

import numpy as np
from eyewall_sidecar.storm import Executor

from benchmarks.loop.simulated_parts import Flow, WorkerProcess, spread

if TYPE_CHECKING:
    from collections.abc import Sequence

    from eyewall_sidecar.storm import Assignment, Slot
    from numpy.random import Generator
    from numpy.typing import NDArray

    from benchmarks.loop.simulated_parts import Physics, SimulatedComponent, SimulatedHost

MESSAGE_TIMEOUT = 30.0
"""Seconds after which a spout replays a tuple; the check adds half of that on average."""
REPLAY_SECONDS = 1.5 * MESSAGE_TIMEOUT
SUPERVISOR_SECONDS = 2.0
"""From an assignment to the launch of its workers."""
BISECTIONS = 40
"""Of the rate that is carried: to a part in 10¹²."""
START_CORES = 1.5
"""What a JVM that starts uses if it gets it."""
FULL = 0.98
"""Utilisation from which on the waiting time does not grow any more: queues show in the backlog."""
LOCAL_SECONDS = 0.0001
"""From executor to executor of one worker."""
QUIET = 0.1
"""A second has no output if less than this part of the offered tuples arrives."""


@dataclass
class SimulatedCluster:
    """One topology on some hosts, advanced second by second."""

    hosts: list[SimulatedHost]
    delays: NDArray[np.float64]
    components: Sequence[SimulatedComponent]
    physics: Physics
    rng: Generator
    now: float = 0.0
    workers: dict[Slot, WorkerProcess] = field(default_factory=dict)
    flows: list[Flow] = field(default_factory=list)
    moves: list[float] = field(default_factory=list)
    backlog: float = 0.0
    started: int = 0
    rate: float = 0.0

    def __post_init__(self) -> None:
        self.starts_rng = self.rng.spawn(1)[0]
        count = 0
        self.executors: list[Executor] = []
        of: list[int] = []
        for place, component in enumerate(self.components):
            for _ in component.shares:
                count += 1
                self.executors.append(Executor(count, count))
                of.append(place)
        self.component_of = np.array(of)
        self.place = {executor: n for n, executor in enumerate(self.executors)}
        names = {it.name: n for n, it in enumerate(self.components)}
        self.sources = [[names[it] for it in component.inputs] for component in self.components]
        self.shares = np.concatenate([it.shares for it in self.components])
        self.spouts = np.array([not self.sources[it] for it in of])
        self.spout_share = self.shares * self.spouts
        self.spout_share /= self.spout_share.sum()
        costs = np.array([it.cpu_seconds for it in self.components])
        self.costs = costs[self.component_of]
        self.selectivity = np.array([it.selectivity for it in self.components])[self.component_of]
        self.received_total = np.zeros(len(self.executors))
        self.emitted_total = np.zeros(len(self.executors))
        self.cpu_total = np.zeros(len(self.executors))
        self.busy_total = np.zeros(len(self.hosts))
        self.throttled_total = np.zeros(len(self.hosts))
        self.stolen_total = np.zeros(len(self.hosts))
        self.host_place = {f"sup-{it.name}": n for n, it in enumerate(self.hosts)}
        self._replays: deque[tuple[float, float]] = deque()
        self.lost_pending = 0.0
        self.latency = 0.0
        self.saturated = False
        self.late = 0.0
        """Tuple-seconds of lateness: waiting for replays."""
        self._rebuild()

    def assign(self, assignment: Assignment) -> None:
        """Start and stop workers as Nimbus's new assignment has it."""
        before = bool(self.workers)
        kept = {
            it.slot: self.workers[it.slot]
            for it in assignment
            if it.slot in self.workers and self.workers[it.slot].executors == it.executors
        }
        changed = False
        for it in assignment:
            if it.slot in kept:
                continue
            changed = True
            self.started += 1
            effort = self.physics.start_cpu * self.starts_rng.lognormal(0.0, 0.2)
            effort += 0.1 * self.physics.start_cpu * len(it.executors)
            launch = self.now + SUPERVISOR_SECONDS * self.starts_rng.uniform(0.5, 1.5)
            kept[it.slot] = WorkerProcess(it.executors, f"w-{self.started}", launch, effort)
        if changed and before:
            self.moves.append(self.now)
        self.workers = kept
        self._rebuild()

    def _rebuild(self) -> None:
        """Work out what depends on the assignment alone."""
        count = len(self.executors)
        self.worker_of = np.full(count, -1)
        self.host_of = np.full(count, -1)
        for number, (slot, process) in enumerate(self.workers.items()):
            for executor in process.executors:
                self.worker_of[self.place[executor]] = number
                self.host_of[self.place[executor]] = self.host_place[slot.supervisor]
        self.worker_hosts = np.array(
            [self.host_place[it.supervisor] for it in self.workers], dtype=int
        )
        sent, received, bursts = np.zeros(count), np.zeros(count), np.zeros(count)
        reaches = np.eye(len(self.workers), dtype=np.bool_)
        self.visited = self.spout_share.copy()
        self.links: list[list[tuple[int, float]]] = []
        for place in range(len(self.components)):
            mine = np.flatnonzero(self.component_of == place)
            found = []
            for source in self.sources[place]:
                theirs = np.flatnonzero(self.component_of == source)
                emitted = self.visited[theirs] * self.selectivity[theirs]
                near = [(at[theirs], at[mine]) for at in (self.worker_of, self.host_of)]
                flow = emitted[:, None] * spread(self.shares[mine], len(theirs), near)
                self.visited[mine] += flow.sum(axis=0)
                crosses = self.worker_of[theirs][:, None] != self.worker_of[mine][None, :]
                at, to = np.nonzero(crosses & (flow > 0))
                reaches[self.worker_of[theirs][at], self.worker_of[mine][to]] = True
                # What follows from one tuple comes together.
                begins = self.spouts[theirs]
                most = np.minimum(1.0, np.where(begins, 1.0, self.visited[theirs]))
                together = np.minimum(flow, most[:, None]) * crosses
                bursts[theirs] += together.sum(axis=1)
                bursts[mine] += together.sum(axis=0)
                sent[theirs] += (flow * crosses).sum(axis=1)
                received[mine] += (flow * crosses).sum(axis=0)
                between = self.delays[self.host_of[theirs]][:, self.host_of[mine]]
                seconds = np.where(crosses, self.physics.crossing_seconds + between, LOCAL_SECONDS)
                total = flow.sum()
                found.append((source, float((flow * seconds).sum() / total) if total else 0.0))
            self.links.append(found)
        for _ in self.workers:  # also through others
            reaches = reaches @ reaches
        self.reaches = reaches
        self.demand = self.visited * self.costs
        of_component = np.bincount(self.component_of, self.visited)[self.component_of]
        self.parts = self.visited / np.maximum(of_component, 1e-12)
        self.slowness = np.array([it.slowness for it in self.hosts])[self.host_of]
        self.crossing = sent * self.physics.send_cpu + received * self.physics.receive_cpu
        hosts = len(self.hosts)
        placed = self.host_of >= 0
        self.bursts = np.bincount(self.worker_of[placed], bursts[placed], len(self.workers))
        need = (self.demand * self.slowness + self.crossing)[placed]
        self.host_demand = np.bincount(self.host_of[placed], need, minlength=hosts)

    def worker_cpu(self, rate: float) -> NDArray[np.float64]:
        """Return the cores that each worker uses beside its executors, at so many tuples/s."""
        bursts = self.bursts * rate
        woken = bursts / (bursts + self.physics.crossing_half_rate)
        return np.asarray(self.physics.worker_cpu + self.physics.crossing_cpu * woken)

    def available(self, rate: float) -> NDArray[np.float64]:
        """Return the cores that hosts have for executors, at so many tuples/s."""
        cores = np.array([it.cores * (1 - it.steal) - it.background for it in self.hosts])
        least = np.array([0.02 * it.cores for it in self.hosts])
        base = np.bincount(self.worker_hosts, self.worker_cpu(rate), len(self.hosts))
        left: NDArray[np.float64] = np.maximum(least, cores - base)
        return left

    def capacity(self) -> float:
        """Return the tuples/s at the source that the assignment carries once all of it runs."""
        speed = np.array([1 - it.steal for it in self.hosts])[self.host_of]
        with np.errstate(divide="ignore"):
            by_thread = float((speed / (self.demand * self.slowness)).min())
            # Workers use the more the more tuples come, so what is carried lies below this.
            least, most = 0.0, float((self.available(0.0) / self.host_demand).min())
            for _ in range(BISECTIONS):
                rate = (least + most) / 2
                is_carried = (self.available(rate) >= self.host_demand * rate).all()
                least, most = (rate, most) if is_carried else (least, rate)
        return min(least, by_thread)

    def advance(self, seconds: float, offered: float) -> None:
        """Let time pass in which `offered` tuples/s arrive; workers neither come nor go."""
        self.now += seconds
        now, hosts = self.now, len(self.hosts)
        processes = list(self.workers.values())
        alive = np.array([it.ready is not None for it in processes])
        starting = np.array([not it.is_up and it.launched <= now for it in processes], dtype=bool)
        up = alive[self.worker_of] if len(processes) else np.zeros(len(self.executors), dtype=bool)
        arrived = self.rng.poisson(offered * seconds) / seconds if offered else 0.0
        while self._replays and self._replays[0][0] <= now:
            _, count = self._replays.popleft()
            self.backlog += count
            self.lost_pending -= count
        cold = self.slowness
        if any(
            it.ready is not None and now - it.ready < 4 * self.physics.cold_seconds
            for it in processes
        ):
            warm = np.array(
                [
                    1
                    + self.physics.cold_factor * exp(-(now - it.ready) / self.physics.cold_seconds)
                    if it.ready is not None
                    else 1.0
                    for it in processes
                ]
            )
            cold = warm[self.worker_of] * self.slowness
        demand = self.demand * cold * up
        need = demand + self.crossing * up
        host_need: NDArray[np.float64] = np.zeros(hosts)
        np.add.at(host_need, np.maximum(self.host_of, 0), need)
        available = self.available(self.rate)
        # A thread wants no more than a core, however much waits for it.
        threads = np.bincount(np.maximum(self.host_of, 0), up, minlength=hosts)
        wanted = host_need * max(arrived + self.backlog / max(seconds, 1.0), 1e-9)
        wanted = np.minimum(wanted, threads)
        start_need = (
            START_CORES * np.bincount(self.worker_hosts[starting], minlength=hosts)
            if len(processes)
            else np.zeros(hosts)
        )
        total = wanted + start_need
        squeeze = np.where(total > available, available / np.maximum(total, 1e-12), 1.0)
        granted = wanted * squeeze
        spare = available - np.minimum(granted, available)
        given = np.minimum(start_need, spare)
        speed = np.array([1 - it.steal for it in self.hosts])[self.host_of]
        with np.errstate(divide="ignore", invalid="ignore"):
            room = np.where(start_need > 0, np.maximum(granted, available - start_need), available)
            by_host = np.where(host_need > 0, room / host_need, np.inf).min(initial=np.inf)
            by_thread = np.where(demand > 0, speed / demand, np.inf).min(initial=np.inf)
        carried = float(min(by_host, by_thread))
        spouting = float((self.spout_share * up).sum())
        emitted = 0.0
        if spouting > 0:
            emitted = min(arrived * spouting + self.backlog / seconds, carried)
        reached = 1.0
        for place in range(len(self.components)):
            mine = self.component_of == place
            if self.sources[place]:
                reached *= float((self.parts[mine] * up[mine]).sum())
        if reached < 1:
            free = max(0.0, self.physics.pending - self.lost_pending)
            emitted = min(emitted, free / seconds / (1 - reached))
        self.rate = emitted
        delivered = emitted * reached
        lost = (emitted - delivered) * seconds
        if lost > 0:
            self._replays.append((now + REPLAY_SECONDS, lost))
            self.lost_pending += lost
            self.late += lost * REPLAY_SECONDS
        self.backlog = max(0.0, self.backlog + (arrived - emitted) * seconds)
        self.saturated = emitted >= 0.98 * carried and self.backlog > arrived
        use = np.minimum(np.where(available > 0, (host_need * emitted) / available, 0.0), 1.0)
        self._count(seconds, emitted, up, cold, given, host_need)
        end_to_end = self._latency(emitted, cold, use)
        self.latency = end_to_end
        if delivered > 0:
            self.latency += min(self.backlog, self.physics.pending) / delivered
            end_to_end += self.backlog / delivered
        self.late += self.backlog * seconds
        self.flows.append(Flow(now, arrived, delivered, end_to_end))
        for number, process in enumerate(processes):
            if starting[number]:
                host = self.worker_hosts[number]
                mates = max(1, int(starting[self.worker_hosts == host].sum()))
                got = given[host] / mates * seconds
                process.start_cpu -= got
                process.cpu += got
        for number, process in enumerate(processes):
            if process.ready is None and process.is_up:
                others = np.flatnonzero(self.reaches[number])
                process.ready = now if all(processes[it].is_up for it in others) else None

    def _count(
        self,
        seconds: float,
        emitted: float,
        up: NDArray[np.bool_],
        cold: NDArray[np.float64],
        given: NDArray[np.float64],
        host_need: NDArray[np.float64],
    ) -> None:
        rate = emitted * self.visited * up
        self.received_total += rate * seconds
        self.emitted_total += rate * self.selectivity * seconds
        self.cpu_total += rate * self.costs * cold * seconds
        crossing = emitted * self.crossing * up * seconds
        own = self.worker_cpu(emitted)
        for number, process in enumerate(self.workers.values()):
            if process.ready is not None:
                mine = self.worker_of == number
                used = emitted * (self.demand * cold)[mine].sum() * seconds
                process.cpu += used + crossing[mine].sum() + own[number] * seconds
        cores = np.array([it.cores for it in self.hosts])
        alive = np.bincount(
            self.worker_hosts,
            own * [it.ready is not None for it in self.workers.values()],
            minlength=len(self.hosts),
        )
        background = np.array([it.background for it in self.hosts])
        busy = host_need * emitted + given + background + alive
        busy = np.minimum(busy, cores)
        self.busy_total += busy * seconds
        # A quota stops bursts long before the mean reaches it.
        load = busy / cores
        held = np.minimum(0.95, 0.9 * load**2)
        throttled = np.array([it.has_quota for it in self.hosts]) * busy * held / (1 - held)
        self.throttled_total += np.minimum(throttled, 1.0) * seconds
        # Others take their part of the whole machine, or of what a machine without a quota wants.
        self.stolen_total += seconds * np.array(
            [
                it.steal * (it.cpus if it.has_quota else used / max(1e-9, 1 - it.steal))
                for it, used in zip(self.hosts, busy.tolist(), strict=True)
            ]
        )

    def _latency(self, rate: float, cold: NDArray[np.float64], use: NDArray[np.float64]) -> float:
        """Return the seconds from a spout's emit to the last of its tuples."""
        if rate <= 0:
            return self.latency
        of = self.physics
        own = np.minimum(FULL, rate * self.demand * cold)
        host = np.minimum(FULL, use)[self.host_of]
        service = (
            self.costs * cold * (1 + of.burstiness * own / (1 - own)) / (1 - host) ** of.sharing
        )
        mean = np.bincount(self.component_of, service * self.parts, minlength=len(self.components))
        done = np.zeros(len(self.components))
        for place, links in enumerate(self.links):
            if links:  # a spout's own work comes before it emits
                done[place] = max(done[source] + seconds for source, seconds in links) + mean[place]
        return float(done.max())

    def is_calm(self) -> bool:
        """Whether nothing starts, waits or is replayed, so that a longer step is as good."""
        warm = 4 * self.physics.cold_seconds
        return (
            not self._replays
            and self.backlog < 1
            and all(
                it.ready is not None and self.now - it.ready > warm for it in self.workers.values()
            )
        )

    def lost_seconds(self, since: float, until: float) -> float:
        """Return the seconds in which next to nothing came out though something was offered."""
        total, before = 0.0, since
        for it in self.flows:
            if since < it.time <= until:
                if it.offered > 0 and it.delivered < QUIET * it.offered:
                    total += it.time - before
                before = it.time
        return total

    def means(self, since: float, until: float) -> tuple[float, float]:
        """Return the part of the offered tuples that was delivered, and their mean latency.

        A part, as contenders do not meet the same tuples: they come at random.
        """
        delivered = late = offered = 0.0
        before = since
        for it in self.flows:
            if since < it.time <= until:
                seconds = it.time - before
                before = it.time
                offered += it.offered * seconds
                delivered += it.delivered * seconds
                late += it.delivered * it.latency * seconds
        return delivered / max(offered, 1e-9), late / max(delivered, 1e-9)

"""A platform with two kinds of links under a stream of tasks (paper 004, section 6), simulated.

Tasks arrive, are mapped and reserved or turned away, deliver their data and leave. Between such
events only the rate on the public network changes. It is drawn once for each task and window as its
mean over the window, and constant within it; so the end of a task is known when its last window
begins. Messages of the mapping and delays of links take no time: they are a thousandth of a task's.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from math import ceil, inf

from eyewall_sidecar.model import ProblemError
from numpy.random import Generator

from eyewall_papers.bimodal.mapping import Mapping, Resources
from eyewall_papers.bimodal.network import LinkKind, TwoKindNetwork
from eyewall_papers.bimodal.partial_map import PartialMap
from eyewall_papers.bimodal.reallocation_round import TaskProgress, reallocation_round
from eyewall_papers.bimodal.task import Task
from eyewall_papers.bimodal.variability import STEP, Ratios, WindowMean


@dataclass(frozen=True, slots=True)
class TaskArrival:
    """A task and its arrival.

    Parameters
    ----------
    at
        Seconds since the beginning.
    task
        What is to be mapped; its first stream has a target rate above 0.
    volume
        Bytes from its source.
    """

    at: float
    task: Task
    volume: float

    @property
    def nominal(self) -> float:
        """Seconds that the task takes at its target rate."""
        return self.volume / self.task.bandwidth(0)


@dataclass(frozen=True, slots=True)
class TaskRun:
    """The result of an accepted task.

    Parameters
    ----------
    arrival
        The task.
    finished
        Seconds since the beginning when its last byte was delivered.
    delivered
        Bytes, in all windows together.
    """

    arrival: TaskArrival
    finished: float
    delivered: float

    @property
    def deviation(self) -> float:
        """Mean of (B − B̂) / B over all windows, each with its length (section 6.2).

        The paper writes the sum; what it shows are percent.
        """
        return 1.0 - self.arrival.nominal / (self.finished - self.arrival.at)

    @property
    def elongation(self) -> float:
        """Additional duration relative to that at the target rate."""
        return (self.finished - self.arrival.at) / self.arrival.nominal - 1.0


@dataclass(frozen=True, slots=True)
class SimulationResult:
    """The result of a simulation.

    Parameters
    ----------
    offered
        How many tasks arrived.
    runs
        Those that were accepted, in the order in which they ended.
    horizon
        Seconds until the last arrival: throughput and utilisations are means over these.
    throughput
        Bytes/s that were delivered.
    server_utilisation, link_utilisation
        Parts of all cores, and of the bandwidth of all dedicated links, that were reserved.
    free
        What was left at the end.
    """

    offered: int
    runs: tuple[TaskRun, ...]
    horizon: float
    throughput: float
    server_utilisation: float
    link_utilisation: float
    free: Resources

    @property
    def acceptance(self) -> float:
        """Part of the tasks that was accepted."""
        return len(self.runs) / self.offered


WINDOW = 10.0
"""Seconds over which delivery is monitored: the paper's T, of which it names no value."""

Mapper = Callable[[Resources, Task], PartialMap | None]
"""Maps a task onto the free resources; None without a mapping."""


def simulate(
    network: TwoKindNetwork,
    arrivals: Sequence[TaskArrival],
    mapper: Mapper,
    window_mean: WindowMean,
    rng: Generator,
    *,
    interval: float = inf,
    price: float = 1.0,
) -> SimulationResult:
    """Run all tasks from the first arrival until the last byte is delivered.

    Parameters
    ----------
    network
        Nodes and links while nothing runs.
    arrivals
        In the order of time.
    mapper
        Maps a task when it arrives.
    window_mean
        Draws what a task with public hops delivers in a window.
    rng
        For those draws.
    interval
        Seconds from one re-allocation of links to the next, in whole windows; infinite for none.
    price
        Of a byte on one dedicated hop, for the re-allocation.

    Raises
    ------
    ProblemError
        For re-allocation without a public network, more often than once a window, or of a stream
        to an uplink or downlink of 0.
    """
    if interval < inf and network.public is None:
        raise ProblemError("without a public network there is nothing to re-allocate links for")
    if not interval >= WINDOW:
        raise ProblemError(
            f"interval is {interval:g} s; it must be at least a window, {WINDOW:g} s"
        )
    platform = _Platform(network, mapper, window_mean, rng, price, Resources.of(network))
    waiting = list(reversed(arrivals))
    horizon = arrivals[-1].at if arrivals else 0.0
    window = 0
    while waiting or platform.running:
        if not platform.running:
            window = max(window, int(waiting[-1].at // WINDOW))
        begins, ends = window * WINDOW, (window + 1) * WINDOW
        platform.measure(begins, horizon)
        if interval < inf and window % round(interval / WINDOW) == 0:
            platform.reallocate(begins, interval)
        for running in platform.running:
            platform.draw(running, begins, ends)
        while True:
            leaving = min(platform.running, key=lambda it: it.ends, default=None)
            arriving = waiting[-1].at if waiting else inf
            now = min(arriving, leaving.ends if leaving else inf)
            if now >= ends:
                break
            platform.measure(now, horizon)
            if leaving is not None and leaving.ends <= arriving:
                platform.finish(leaving)
            else:
                platform.admit(waiting.pop(), ends)
        platform.measure(ends, horizon)
        for running in platform.running:
            running.deliver(ends)
        window += 1
    return platform.simulated(len(arrivals), horizon)


@dataclass(slots=True)
class _Running:
    """A task that runs; times are seconds since the beginning."""

    arrival: TaskArrival
    mapping: Mapping
    delivered_until: float
    done: float = 0.0
    part: float = 1.0
    ends: float = inf

    @property
    def reserved(self) -> float:
        """Bytes/s on dedicated links, one after the other."""
        return sum(
            len(route.links) * self.arrival.task.bandwidth(stream)
            for stream, route in enumerate(self.mapping.routes)
            if route.kind is LinkKind.DEDICATED
        )

    def deliver(self, now: float) -> None:
        """Deliver up to now at the part of the target that was drawn."""
        self.done += self.part * (now - self.delivered_until)
        self.delivered_until = now


@dataclass(slots=True)
class _Platform:
    """All that changes while a simulation runs."""

    network: TwoKindNetwork
    mapper: Mapper
    window_mean: WindowMean
    rng: Generator
    price: float
    free: Resources
    running: list[_Running] = field(default_factory=list)
    runs: list[TaskRun] = field(default_factory=list)
    measured_until: float = 0.0
    delivered: float = 0.0
    core_seconds: float = 0.0
    link_bytes: float = 0.0

    def admit(self, arrival: TaskArrival, window_ends: float) -> None:
        """Map and reserve, or turn away."""
        found = self.mapper(self.free, arrival.task)
        if found is None:
            return
        mapping = found.mapping(arrival.task)
        self.free = self.free.reserve(arrival.task, mapping)
        running = _Running(arrival, mapping, arrival.at)
        self.running.append(running)
        self.draw(running, arrival.at, window_ends)

    def draw(self, running: _Running, begins: float, ends: float) -> None:
        """Draw the task's delivery until the window ends, and whether it is complete."""
        steps = ceil((ends - begins) / STEP)
        running.part = self.window_mean(self._ratios(running), steps, self.rng)
        left = running.arrival.nominal - running.done
        running.ends = begins + left / running.part if running.part > 0.0 else inf

    def finish(self, running: _Running) -> None:
        """Release the resources of a task that has delivered everything."""
        running.deliver(running.ends)
        self.running.remove(running)
        self.free = self.free.release(running.arrival.task, running.mapping)
        delivered = running.done * running.arrival.task.bandwidth(0)
        self.runs.append(TaskRun(running.arrival, running.ends, delivered))

    def reallocate(self, now: float, interval: float) -> None:
        """Let all hosts re-allocate their links."""
        progress = [
            TaskProgress(it.arrival.task, it.mapping, now - it.arrival.at, it.done)
            for it in self.running
        ]
        decided = reallocation_round(self.network, self.free, progress, self.price, interval)
        self.free = decided.free
        for running, mapping in zip(self.running, decided.mappings, strict=True):
            running.mapping = mapping

    def measure(self, now: float, horizon: float) -> None:
        """Add up what was used since the last time; call it before anything changes."""
        seconds = min(now, horizon) - self.measured_until
        if seconds <= 0.0:
            return
        self.measured_until += seconds
        for it in self.running:
            self.delivered += seconds * it.part * it.arrival.task.bandwidth(0)
            self.core_seconds += seconds * sum(
                operator.cpu for operator in it.arrival.task.operators
            )
            self.link_bytes += seconds * it.reserved

    def simulated(self, offered: int, horizon: float) -> SimulationResult:
        """Return the result."""
        cores = sum(node.cpu for node in self.network.nodes)
        links = sum(2.0 * link.bandwidth for link in self.network.dedicated)
        return SimulationResult(
            offered,
            tuple(self.runs),
            horizon,
            _mean(self.delivered, horizon),
            _mean(self.core_seconds, cores * horizon),
            _mean(self.link_bytes, links * horizon),
            self.free,
        )

    def _ratios(self, running: _Running) -> Ratios:
        """Return what each public hop is allocated over its target: less than 1 where shared."""
        return tuple(
            self._share(route.hops[0], route.hops[-1])
            for route in running.mapping.routes
            if route.kind is LinkKind.PUBLIC
        )

    def _share(self, sender: str, receiver: str) -> float:
        """Return the part that everyone gets of what an uplink and a downlink have promised."""
        shares = [1.0]
        for name, node, whole, left in (
            ("uplink", sender, self.network.uplinks[sender], self.free.uplinks[sender]),
            ("downlink", receiver, self.network.downlinks[receiver], self.free.downlinks[receiver]),
        ):
            if left < 0.0 and whole == 0.0:
                raise ProblemError(
                    f"node {node}: {name} is 0; re-allocation put a stream on it that would never "
                    "end, it must be more"
                )
            shares.append(whole / (whole - left) if left < 0.0 else 1.0)
        return min(shares)


def _mean(total: float, over: float) -> float:
    return total / over if over > 0.0 else 0.0

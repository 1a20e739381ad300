"""What a move costs: the lateness of the tuples that come while workers start."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Set
from dataclasses import dataclass
from math import inf

from eyewall_sidecar.model.placed_rates import as_placed
from eyewall_sidecar.service.overlap import find_obstacle, longest_start, restart_reason
from eyewall_sidecar.service.problem_cache import PlacementRequest
from eyewall_sidecar.service.worker_starts import WorkerStarts, start_seconds
from eyewall_sidecar.storm import Assignment, ComponentKind, TopologyProblem, Worker

REPLAY_TIMEOUTS = 1.5
"""A spout replays a tuple after the message timeout or up to twice as long: it looks once in a
timeout."""
OVERLAP_GAP = 1.0
"""Seconds without output that a move costs whose old workers serve on: what starting workers take
of their hosts, too."""
QUICK_START = 30.0
"""Seconds of a start up to which a move costs no more than that. Where two new workers took 36 s
next to two that took 18, no ack came for 20 s (docs/results/steps.md)."""
LEAST_SPARE = 0.02
"""The part of today's rates that a placement is taken to carry in addition at least: what waited
is made up for in the end."""


@dataclass(frozen=True, slots=True)
class MovePrice:
    """What the start of a move's workers costs.

    Parameters
    ----------
    gap
        Seconds without output.
    affected
        The part of the source's tuples that meet an executor that moves, 0 to 1.
    message_timeout
        Seconds after which the topology replays a tuple.
    sustainable
        The multiple of today's rates that is carried after the move: 1 carries them just so.
    """

    gap: float
    affected: float
    message_timeout: float = 30.0
    sustainable: float = inf

    @property
    def seconds(self) -> float:
        """Seconds of lateness for each tuple/s that the sources emit.

        Tuples that meet a worker that starts are lost there, or with it, and replayed. Those that
        a spout's own start keeps back wait for half of the gap only; they count the same, since a
        second without output is worse than the sum of what its tuples wait. What comes later
        waits until the gap's tuples are made up for, which takes 1 / (Θ - 1) times the gap.
        """
        replayed = self.gap * self.affected * REPLAY_TIMEOUTS * self.message_timeout
        spare = max(LEAST_SPARE, self.sustainable - 1.0)
        made_up_for = self.gap * self.affected / spare
        return replayed + self.gap * self.affected / 2 * made_up_for


def price_move(
    request: PlacementRequest, after: Assignment, starts: WorkerStarts, sustainable: float = inf
) -> MovePrice:
    """Return what it costs to give a topology that runs another assignment.

    `sustainable` is the multiple of today's rates that the other assignment carries.
    """
    topology = request.topology
    hosts = {it: capacity.supervisor.host for it, capacity in request.capacities.items()}
    started = set(after) - set(topology.assignment)
    on_host = Counter(hosts.get(it.slot.supervisor, "") for it in started)
    seconds = (expected_start(request, it, starts, count) for it, count in on_host.items())
    gap = max(seconds, default=0.0)
    is_quick = longest_start(request, after) <= QUICK_START
    if is_quick and restart_reason(request, after) is None:
        gap = min(gap, OVERLAP_GAP)
    affected = _affected(request, started, _received(request))
    return MovePrice(gap, affected, topology.topology.message_timeout, sustainable)


def expected_start(
    request: PlacementRequest, host: str, starts: WorkerStarts, workers: int = 1
) -> float:
    """Return how many seconds so many of the topology's workers take to start on a host.

    What was learned of one, and what the others take beside it; or, where its host has fewer cores
    now, what they take on those.
    """
    name, estimates = request.topology.topology.id, request.observation.estimates
    learned, load = starts.seconds(name, host), estimates.loads.get(host)
    if load is None:
        return learned
    by_others = load.by_others(name)
    beside = start_seconds(load, (workers - 1) * request.start_cpu, by_others)
    return max(learned + beside, start_seconds(load, workers * request.start_cpu, by_others))


def least_price(request: PlacementRequest, starts: WorkerStarts) -> float:
    """Return what any move costs at least, in seconds of lateness for each tuple/s.

    An executor that moves leaves a worker, which then starts again with the others, or is all of
    it: no move starts fewer executors than those of one worker.
    """
    topology = request.topology.topology
    hosts = {capacity.supervisor.host for capacity in request.capacities.values()}
    gap = min((starts.seconds(topology.id, it) for it in hosts), default=0.0)
    if find_obstacle(request) is None:
        gap = min(gap, OVERLAP_GAP)
    rates = _received(request)
    affected = min(
        (_affected(request, {worker}, rates) for worker in request.topology.assignment),
        default=0.0,
    )
    return MovePrice(gap, affected, topology.message_timeout).seconds


def _affected(request: PlacementRequest, workers: Set[Worker], rates: Mapping[str, float]) -> float:
    """Return the part of the source's tuples that meets an executor of these workers."""
    moved = {executor for worker in workers for executor in worker.executors}
    total, of_moved = defaultdict[str, float](float), defaultdict[str, float](float)
    for executor, component in request.topology.topology.executors().items():
        if component.kind is ComponentKind.SYSTEM:
            continue
        # Where nothing flows, or nothing is known, executors count alike.
        rate = rates.get(str(executor), 0.0) or 1e-9
        total[component.id] += rate
        if executor in moved:
            of_moved[component.id] += rate
    return max((it / total[name] for name, it in of_moved.items()), default=0.0)


def _received(request: PlacementRequest) -> dict[str, float]:
    """Return executor → tuples/s that it takes; of a spout: that it gives out."""
    of_topology = request.problem
    rates: defaultdict[str, float] = defaultdict(float)
    if not isinstance(of_topology, TopologyProblem):
        return rates
    components = request.topology.topology.executors()
    problem = of_topology.problem
    for stream in as_placed(problem, problem.current or {}).streams:
        if stream.system:
            continue
        source = of_topology.executors[stream.source]
        rates[str(of_topology.executors[stream.target])] += stream.rate
        if components[source].kind is ComponentKind.SPOUT:
            rates[str(source)] += stream.rate
    return rates
